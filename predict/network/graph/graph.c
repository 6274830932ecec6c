/* Graphs: links brought into order, routes by whichever method a graph has, names and descriptions.
 *
 * Method: links are collected as they come and sorted by (from, to), which makes the links of a node one range; a link
 * between two nodes is found by bisection in it. Cost: O(links log links) to make.
 * Source: document 000, 6.2.1 (weighted directed graph).
 */
#include "predict/network/graph/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/network/graph/graph_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/search.h"

/* ---- making ---- */

bmf_graph_maker graph_make(const char *name, int64_t processors, int64_t nodes)
{
    bmf_graph *graph = allocate_clear(1, sizeof *graph);
    snprintf(graph->name, sizeof graph->name, "%s", name);
    graph->processors = processors;
    graph->nodes = nodes;
    return (bmf_graph_maker){.graph = graph};
}

void graph_add(bmf_graph_maker *maker, int64_t from, int64_t to, double weight)
{
    bmf_graph *graph = maker->graph;
    *ARRAY_APPEND(graph->link, graph->links, maker->capacity) =
        (bmf_link){.weight = weight, .from = (int32_t)from, .to = (int32_t)to};
}

void graph_join(bmf_graph_maker *maker, int64_t a, int64_t b, double weight)
{
    graph_add(maker, a, b, weight);
    graph_add(maker, b, a, weight);
}

static int by_ends(const void *a, const void *b)
{
    const bmf_link *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

bmf_graph *graph_finish(bmf_graph_maker *maker)
{
    bmf_graph *graph = maker->graph;
    if (graph->links > 0)
        qsort(graph->link, (size_t)graph->links, sizeof *graph->link, by_ends);
    graph->first = allocate_clear(graph->nodes + 1, sizeof *graph->first);
    for (int64_t k = 0; k < graph->links; k++) {
        graph->first[graph->link[k].from + 1]++;
        graph->link[k].channel = isinf(graph->link[k].weight) ? -1 : (int32_t)k;
    }
    for (int64_t n = 0; n < graph->nodes; n++)
        graph->first[n + 1] += graph->first[n];
    graph->channels = graph->links;
    return graph;
}

void graph_share_directions(bmf_graph *graph)
{
    for (int64_t k = 0; k < graph->links; k++) {
        bmf_link *link = &graph->link[k];
        int64_t back = link->from > link->to ? graph_link(graph, link->to, link->from) : -1;
        if (back >= 0 && link->channel >= 0 && graph->link[back].channel >= 0)
            link->channel = graph->link[back].channel;
    }
}

void graph_free(bmf_graph *graph)
{
    if (!graph)
        return;
    graph_paths_free(graph->paths);
    free(graph->direction);
    free(graph->route);
    free(graph->first);
    free(graph->link);
    free(graph);
}

/* ---- reaching ---- */

/* The links as they are, or turned round: of every node the nodes at their other ends. */
static void neighbours_of(const bmf_graph *graph, bool turned, int64_t *first, int32_t *other)
{
    memset(first, 0, (size_t)(graph->nodes + 1) * sizeof *first);
    for (int64_t k = 0; k < graph->links; k++)
        first[turned ? graph->link[k].to : graph->link[k].from]++;
    for (int64_t n = 0, sum = 0; n <= graph->nodes; n++) {
        int64_t here = first[n];
        first[n] = sum;
        sum += here;
    }
    for (int64_t k = 0; k < graph->links; k++) {
        const bmf_link *link = &graph->link[k];
        other[first[turned ? link->to : link->from]++] = turned ? link->from : link->to;
    }
    memmove(first + 1, first, (size_t)graph->nodes * sizeof *first);
    first[0] = 0;
}

/* The lowest node that node 0 does not reach, against the directions if turned; -1: none. */
static int64_t unreached(const bmf_graph *graph, bool turned)
{
    int64_t *first = allocate((graph->nodes + 1) * (int64_t)sizeof *first), found = 0, gap = -1;
    int32_t *other = allocate(graph->links * (int64_t)sizeof *other);
    int32_t *queue = allocate_clear(graph->nodes, sizeof *queue);
    bool *reached = allocate_clear(graph->nodes, sizeof *reached);
    neighbours_of(graph, turned, first, other);
    reached[0] = true;
    for (int64_t end = 1; found < end; found++)
        for (int64_t k = first[queue[found]]; k < first[queue[found] + 1]; k++)
            if (!reached[other[k]]) {
                reached[other[k]] = true;
                queue[end++] = other[k];
            }
    for (int64_t n = 0; n < graph->nodes && gap < 0; n++)
        gap = reached[n] ? -1 : n;
    free(reached);
    free(queue);
    free(other);
    free(first);
    return gap;
}

bool graph_find_gap(const bmf_graph *graph, int64_t *from, int64_t *to)
{
    *from = 0;
    *to = unreached(graph, false);
    if (*to >= 0)
        return true;
    *to = 0;
    *from = unreached(graph, true);
    return *from >= 0;
}

/* ---- asking ---- */

int64_t graph_link(const bmf_graph *graph, int64_t from, int64_t to)
{
    const int64_t end = graph->first[from + 1];
    const int64_t link = SEARCH_FIRST(k, graph->first[from], end, graph->link[k].to >= to);
    return link < end && graph->link[link].to == to ? link : -1;
}

void graph_reserve_route(bmf_graph *graph, int64_t links)
{
    if (links <= graph->room)
        return;
    free(graph->route);
    graph->route = allocate(links * (int64_t)sizeof *graph->route);
    graph->room = (int32_t)links;
}

int64_t graph_route(bmf_graph *graph, int64_t from, int64_t to, const int32_t **route)
{
    int64_t links;
    switch (graph->routing) {
    case BMF_ROUTES_GRID:
        links = graph_route_grid(graph, from, to);
        break;
    case BMF_ROUTES_TREE:
        links = graph_route_tree(graph, from, to);
        break;
    case BMF_ROUTES_OMEGA:
        links = graph_route_omega(graph, from, to);
        break;
    default:
        links = graph_route_cheapest(graph, from, to);
    }
    *route = graph->route;
    return links;
}

void graph_node_name(const bmf_graph *graph, int64_t node, char *name, int64_t size)
{
    snprintf(name, (size_t)size, "%s %lld", node < graph->processors ? "processor" : "switch", (long long)node);
}

void graph_describe(const bmf_graph *graph, FILE *stream)
{
    fputs(graph->name, stream);
    for (int d = 0; d < graph->dimensions; d++)
        fprintf(stream, "%s%d", d > 0 ? " x " : " ", graph->extent[d]);
    fprintf(stream, ": %lld processors", (long long)graph->processors);
    if (graph->nodes > graph->processors)
        fprintf(stream, ", %lld other nodes", (long long)(graph->nodes - graph->processors));
    fprintf(stream, ", %lld links", (long long)graph->links);
}
