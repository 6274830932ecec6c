/* Trees of switches with processors as leaves: binary and fat trees, stars, crossbars, buses.
 *
 * Method: processors come first, then the switches level by level, the root last. So a node's link to its parent is its
 * last one, and those to its children are its first ones in their order; a route climbs from both ends until they meet.
 * Fat trees: all links of a level between two nodes are one link with their weights added up.
 * A bus is a switch that messages enter one at a time and leave by joints; a crossbar a switch that stores nothing.
 * Cost: O(depth) a route. Source: document 000, figure 6-1; C. Leiserson, "Fat-trees", IEEE Transactions on Computers
 * 34(10), 1985.
 */
#include <math.h>

#include "predict/network/graph/graph_private.h"
#include "runtime/base/allocate.h"

static bmf_graph_maker make_tree(const char *name, int sizes, const int64_t *size)
{
    int64_t processors = 1, nodes = 1;
    for (int d = 0; d < sizes; d++) {
        processors *= size[d];
        nodes += processors;
    }
    bmf_graph_maker maker = graph_make(name, processors, nodes);
    maker.graph->routing = BMF_ROUTES_TREE;
    maker.graph->dimensions = sizes;
    for (int d = 0; d < sizes; d++)
        maker.graph->extent[d] = (int32_t)size[d];
    graph_reserve_route(maker.graph, 2 * (int64_t)sizes + 1);
    return maker;
}

bmf_graph *graph_tree(const char *name, int sizes, const int64_t *size, double growth)
{
    bmf_graph_maker maker = make_tree(name, sizes, size);
    int64_t level = 0, width = maker.graph->processors;
    double weight = 1.0;
    for (int d = sizes - 1; d >= 0; d--) {
        for (int64_t n = 0; n < width; n++)
            graph_join(&maker, level + n, level + width + n / size[d], weight);
        level += width;
        width /= size[d];
        weight *= isnan(growth) ? (double)size[d] : growth;
    }
    return graph_finish(&maker);
}

bmf_graph *graph_bus(int64_t processors)
{
    bmf_graph_maker maker = make_tree("bus", 1, &processors);
    for (int64_t n = 0; n < processors; n++) {
        graph_add(&maker, n, processors, 1.0);
        graph_add(&maker, processors, n, INFINITY);
    }
    bmf_graph *graph = graph_finish(&maker);
    for (int64_t n = 0; n < processors; n++)
        graph->link[graph->first[n]].channel = 0;
    graph->channels = 1;
    return graph;
}

int64_t graph_route_tree(bmf_graph *graph, int64_t from, int64_t to)
{
    int32_t down[BMF_GRAPH_DIMENSIONS];
    int64_t climbed = 0, level = 0, width = graph->processors;
    for (int d = graph->dimensions - 1; from != to; d--) {
        const int64_t children = graph->extent[d], above = to / children;
        graph->route[climbed] = (int32_t)(graph->first[level + from + 1] - 1);
        down[climbed++] = (int32_t)(graph->first[level + width + above] + to % children);
        from /= children;
        to = above;
        level += width;
        width /= children;
    }
    for (int64_t k = 0; k < climbed; k++)
        graph->route[climbed + k] = down[climbed - 1 - k];
    return 2 * climbed;
}
