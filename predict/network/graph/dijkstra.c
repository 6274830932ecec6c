/* Routes in any graph: Dijkstra's algorithm from the sender, kept as one link a node.
 *
 * Method: costs of all nodes from one processor, then for every node the link by which its cheapest way arrives. Costs
 * that differ by less than 1e-12 of themselves are the same; of several such links it is the one from the node whose
 * number is farthest from the node's own, then from the lower one. On meshes, numbered row by row, these are the routes
 * of grid.c, because the last step is always in the first dimension that differs.
 * Cost: O(links log nodes) for the first message of a processor, O(length) for others; 4 bytes a node and sender. At
 * most 256 MB are kept: then the oldest processor's ways make room.
 * Source: document 000, 6.2.2; E. Dijkstra, "A note on two problems in connexion with graphs", Numerische Mathematik 1,
 * 1959.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/network/graph/graph_private.h"
#include "runtime/base/allocate.h"

enum { MAX_KEPT = 256 << 20 };
static const double same = 1e-12; /* relative: sums of the same weights in another order */

typedef struct reached {
    double cost;
    int32_t node;
} reached;

struct bmf_graph_paths {
    int32_t **way;   /* by sender: the link by which each node is reached; NULL: not known */
    int32_t *sender; /* those that are known, the oldest at `oldest`, round and round */
    int64_t known, oldest, max;
    double *cost;
    reached *heap;
    int64_t waiting;
};

void graph_paths_free(struct bmf_graph_paths *paths)
{
    if (!paths)
        return;
    for (int64_t k = 0; k < paths->known; k++)
        free(paths->way[paths->sender[k]]);
    free(paths->heap);
    free(paths->cost);
    free(paths->sender);
    free(paths->way);
    free(paths);
}

static struct bmf_graph_paths *make_paths(const bmf_graph *graph)
{
    struct bmf_graph_paths *paths = allocate_clear(1, sizeof *paths);
    int64_t max = MAX_KEPT / (graph->nodes * (int64_t)sizeof **paths->way);
    paths->max = max < 1 ? 1 : max < graph->processors ? max : graph->processors;
    paths->way = allocate_clear(graph->processors, sizeof *paths->way);
    paths->sender = allocate(paths->max * (int64_t)sizeof *paths->sender);
    paths->cost = allocate(graph->nodes * (int64_t)sizeof *paths->cost);
    paths->heap = allocate((graph->links + 1) * (int64_t)sizeof *paths->heap);
    return paths;
}

/* By cost; a node is in it once for every time that its cost fell. */
#define HEAP(name)        costs_##name
#define HEAP_ELEMENT      reached
#define HEAP_BEFORE(a, b) ((a).cost < (b).cost)
#include "runtime/base/heap.h"

/* ---- the ways of one sender ---- */

static void find_costs(const bmf_graph *graph, struct bmf_graph_paths *paths, int64_t sender)
{
    for (int64_t n = 0; n < graph->nodes; n++)
        paths->cost[n] = INFINITY;
    paths->cost[sender] = 0.0;
    costs_push(paths->heap, &paths->waiting, (reached){0.0, (int32_t)sender});
    while (paths->waiting > 0) {
        reached at = costs_pop(paths->heap, &paths->waiting);
        if (at.cost > paths->cost[at.node])
            continue;
        for (int64_t k = graph->first[at.node]; k < graph->first[at.node + 1]; k++) {
            double cost = at.cost + 1.0 / graph->link[k].weight;
            if (cost < paths->cost[graph->link[k].to]) {
                paths->cost[graph->link[k].to] = cost;
                costs_push(paths->heap, &paths->waiting, (reached){cost, graph->link[k].to});
            }
        }
    }
}

/* Whether one link into a node goes before another. */
static bool precedes(const bmf_link *a, const bmf_link *b)
{
    int32_t far_a = abs(a->from - a->to), far_b = abs(b->from - b->to);
    return far_a != far_b ? far_a > far_b : a->from < b->from;
}

/* Only links from cheaper nodes count, so that ways never turn back, whatever the rounding. */
static int32_t *choose_links(const bmf_graph *graph, const double *cost)
{
    int32_t *way = allocate(graph->nodes * (int64_t)sizeof *way);
    for (int64_t n = 0; n < graph->nodes; n++)
        way[n] = -1;
    for (int64_t k = 0; k < graph->links; k++) {
        const bmf_link *link = &graph->link[k];
        double before = cost[link->from], here = cost[link->to];
        if (before < here && before + 1.0 / link->weight <= here * (1.0 + same) &&
            (way[link->to] < 0 || precedes(link, &graph->link[way[link->to]])))
            way[link->to] = (int32_t)k;
    }
    return way;
}

static const int32_t *paths_from(bmf_graph *graph, int64_t sender)
{
    if (!graph->paths)
        graph->paths = make_paths(graph);
    struct bmf_graph_paths *paths = graph->paths;
    if (paths->way[sender])
        return paths->way[sender];
    int64_t place = paths->known;
    if (paths->known < paths->max) {
        paths->known++;
    } else {
        place = paths->oldest;
        paths->oldest = (paths->oldest + 1) % paths->max;
        free(paths->way[paths->sender[place]]);
        paths->way[paths->sender[place]] = NULL;
    }
    find_costs(graph, paths, sender);
    paths->sender[place] = (int32_t)sender;
    return paths->way[sender] = choose_links(graph, paths->cost);
}

int64_t graph_route_cheapest(bmf_graph *graph, int64_t from, int64_t to)
{
    const int32_t *way = paths_from(graph, from);
    int64_t links = 0;
    for (int64_t node = to; node != from; node = graph->link[way[node]].from)
        links++;
    graph_reserve_route(graph, links);
    int64_t at = links;
    for (int64_t node = to; node != from; node = graph->link[way[node]].from)
        graph->route[--at] = way[node];
    return links;
}
