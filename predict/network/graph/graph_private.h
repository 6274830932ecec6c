/* What the files of graphs share. Private to predict/machine. */
#ifndef BMF_GRAPH_PRIVATE_H
#define BMF_GRAPH_PRIVATE_H

#include "predict/network/graph/graph.h"

/* A graph that gets its links one by one, in any order but never the same one twice; graph_finish brings them into
 * theirs. */
typedef struct bmf_graph_maker {
    bmf_graph *graph;
    int64_t capacity;
} bmf_graph_maker;

bmf_graph_maker graph_make(const char *name, int64_t processors, int64_t nodes);
void graph_add(bmf_graph_maker *maker, int64_t from, int64_t to, double weight);
/* In both directions. */
void graph_join(bmf_graph_maker *maker, int64_t a, int64_t b, double weight);
bmf_graph *graph_finish(bmf_graph_maker *maker);

/* Two nodes, the second of which cannot be reached from the first; false: every node is reached from every other. */
bool graph_find_gap(const bmf_graph *graph, int64_t *from, int64_t *to);

/* Builders; sizes are checked. */
bmf_graph *graph_grid(const char *name, int sizes, const int64_t *size, bool wraps);
bmf_graph *graph_tree(const char *name, int sizes, const int64_t *size, double growth);
bmf_graph *graph_bus(int64_t processors);
bmf_graph *graph_omega(int64_t processors);

/* Routers: the links into graph->route, and how many. */
int64_t graph_route_grid(bmf_graph *graph, int64_t from, int64_t to);
int64_t graph_route_tree(bmf_graph *graph, int64_t from, int64_t to);
int64_t graph_route_omega(bmf_graph *graph, int64_t from, int64_t to);
int64_t graph_route_cheapest(bmf_graph *graph, int64_t from, int64_t to);
void graph_paths_free(struct bmf_graph_paths *paths);
/* Makes graph->route long enough for routes of that many links. */
void graph_reserve_route(bmf_graph *graph, int64_t links);

#endif
