/* Meshes, tori, rings and hypercubes: processors on the points of a grid, linked to their neighbours in each dimension.
 *
 * Method: dimension-order routes: the last dimension (whose neighbours have neighbouring numbers) is brought into order
 * first. Round a torus the shorter way; when both are as long, upwards from even and downwards from odd coordinates, so
 * that neither direction gets more. A ring is a torus of one dimension, a hypercube a mesh with 2 nodes in each.
 * Cost: O(dimensions + length) a route; 2 dimensions numbers a node.
 * Source: W. Dally, C. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
 * Transactions on Computers 36(5), 1987 (e-cube routing).
 */
#include "predict/network/graph/graph_private.h"

#include "runtime/base/allocate.h"

static int64_t stride_of(const bmf_graph *graph, int dimension)
{
    int64_t stride = 1;
    for (int d = graph->dimensions - 1; d > dimension; d--)
        stride *= graph->extent[d];
    return stride;
}

/* The neighbour one up or down, -1: none. */
static int64_t neighbour(const bmf_graph *graph, int64_t node, int dimension, bool up)
{
    int64_t stride = stride_of(graph, dimension), extent = graph->extent[dimension];
    int64_t at = node / stride % extent, beside = up ? at + 1 : at - 1;
    if (graph->wraps)
        beside = (beside + extent) % extent;
    if (beside < 0 || beside >= extent || beside == at)
        return -1;
    return node + (beside - at) * stride;
}

static void find_directions(bmf_graph *graph)
{
    const int64_t paths = 2 * (int64_t)graph->dimensions;
    graph->direction = allocate(graph->nodes * paths * (int64_t)sizeof *graph->direction);
    for (int64_t k = 0; k < graph->nodes * paths; k++) {
        int64_t beside = neighbour(graph, k / paths, (int)(k % paths) / 2, k % 2 == 1);
        graph->direction[k] = beside < 0 ? -1 : (int32_t)graph_link(graph, k / paths, beside);
    }
}

bmf_graph *graph_grid(const char *name, int sizes, const int64_t *size, bool wraps)
{
    int64_t processors = 1, longest = 1;
    for (int d = 0; d < sizes; d++) {
        processors *= size[d];
        longest += size[d];
    }
    bmf_graph_maker maker = graph_make(name, processors, processors);
    bmf_graph *graph = maker.graph;
    graph->routing = BMF_ROUTES_GRID;
    graph->wraps = wraps;
    graph->dimensions = sizes;
    for (int d = 0; d < sizes; d++)
        graph->extent[d] = (int32_t)size[d];
    for (int64_t n = 0; n < processors; n++)
        for (int d = 0; d < sizes; d++) {
            int64_t up = neighbour(graph, n, d, true), down = neighbour(graph, n, d, false);
            if (up >= 0)
                graph_add(&maker, n, up, 1.0);
            if (down >= 0 && down != up)
                graph_add(&maker, n, down, 1.0);
        }
    graph_finish(&maker);
    find_directions(graph);
    graph_reserve_route(graph, longest);
    return graph;
}

/* How many steps from coordinate a to b, and whether upwards. */
static int64_t steps_between(int64_t a, int64_t b, int64_t extent, bool wraps, bool *up)
{
    *up = b > a;
    if (!wraps)
        return b > a ? b - a : a - b;
    int64_t upwards = b > a ? b - a : b - a + extent, downwards = extent - upwards;
    *up = upwards < downwards || (upwards == downwards && a % 2 == 0);
    return *up ? upwards : downwards;
}

int64_t graph_route_grid(bmf_graph *graph, int64_t from, int64_t to)
{
    const int dimensions = graph->dimensions;
    int64_t links = 0, node = from, left_from = from, left_to = to;
    for (int d = dimensions - 1; d >= 0 && left_from != left_to; d--) {
        const int64_t extent = graph->extent[d], a = left_from % extent, b = left_to % extent;
        left_from /= extent;
        left_to /= extent;
        if (a == b)
            continue;
        bool up;
        for (int64_t steps = steps_between(a, b, extent, graph->wraps, &up); steps > 0; steps--) {
            int32_t link = graph->direction[node * 2 * dimensions + 2 * d + (up ? 1 : 0)];
            graph->route[links++] = link;
            node = graph->link[link].to;
        }
    }
    return links;
}
