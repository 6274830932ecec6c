/* Graphs of networks: nodes, of which the first are processors and the others switches, joined by links that have a
 * direction and a relative bandwidth (a weight); and the routes that messages take through them.
 *
 * Source: document 000, 6.2. A link costs 1 / weight; a route is a cheapest way, and the same one every time. No table
 * of routes is kept: graphs from builders find a route by arithmetic on node numbers in O(its length), those from files
 * by Dijkstra's algorithm, once for every processor that sends. Memory: O(nodes + links). Nothing here is collective;
 * messages go to the process-wide slot (ctx NULL).
 */
#ifndef BMF_GRAPH_H
#define BMF_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { BMF_GRAPH_DIMENSIONS = 24 };

typedef struct bmf_link {
    double weight;    /* relative bandwidth, above 0; INFINITY on joints */
    int32_t from, to; /* nodes */
    int32_t channel;  /* messages on links of one channel exclude each other; -1: a joint, which takes no time */
} bmf_link;

/* How routes are found. */
typedef enum bmf_graph_routing {
    BMF_ROUTES_CHEAPEST, /* Dijkstra's algorithm */
    BMF_ROUTES_GRID,     /* one dimension after the other, the last one first */
    BMF_ROUTES_TREE,     /* up to the common ancestor, and down */
    BMF_ROUTES_OMEGA     /* by the bits of the destination */
} bmf_graph_routing;

typedef struct bmf_graph {
    char name[16]; /* "torus", "file", .. */
    int64_t processors, nodes, links, channels;
    bmf_link *link; /* by `from`, then by `to` */
    int64_t *first; /* links of node n: [first[n], first[n + 1]); nodes + 1 values */
    bool direct;    /* no place to store messages on the way */
    bmf_graph_routing routing;
    bool wraps;     /* grids: the last node of a row is linked to the first */
    int dimensions; /* of grids and trees; the last varies fastest over the processors */
    int32_t extent[BMF_GRAPH_DIMENSIONS];
    int32_t *route, room;          /* the last route that was asked for */
    int32_t *direction;            /* grids: the link up and down in each dimension, -1: none */
    struct bmf_graph_paths *paths; /* BMF_ROUTES_CHEAPEST: what was found so far */
} bmf_graph;

/* ---- making ---- */

/* The topologies, NULL at the end: mesh, torus, hypercube, binary-tree, fat-tree, ring, star, bus, crossbar, omega. */
extern const char *const graph_topologies[];
/* The number of dimensions of `size` that a topology takes: 1, or 0: any. */
int graph_sizes(int topology);
/* Topologies with one size: the least with at least that many processors. */
int64_t graph_min_size(int topology, int64_t processors);
/* Whether links may have other weights nearer to the root. */
bool graph_grows(int topology);
/* A graph of that topology; the product of the sizes is the number of processors. growth: fat trees: how many times the
 * weight of a link is that of a link one level below, NAN: as many as there are links below. All other weights are 1.
 * BMF_ERROR_ARGUMENT without a place: "a hypercube has a power of two of processors, not 12". */
int graph_build(int topology, int sizes, const int64_t *size, double growth, bmf_graph **graph);
/* From a node file of document 000, 6.2.1; the first `processors` nodes are processors, or all of them if it is 0.
 * BMF_ERROR_FILE with file and line. */
int graph_read(const char *path, int64_t processors, bmf_graph **graph);
/* Both directions between two nodes share one channel from now on. */
void graph_share_directions(bmf_graph *graph);
void graph_free(bmf_graph *graph);

/* ---- asking ---- */

/* The links from one processor to another in the order of travel; *route is the graph's until the next call. Returns
 * how many. from != to. */
int64_t graph_route(bmf_graph *graph, int64_t from, int64_t to, const int32_t **route);
/* The link between two nodes, -1: none. O(log links of the node). */
int64_t graph_link(const bmf_graph *graph, int64_t from, int64_t to);
/* "processor 3", "switch 17". */
void graph_node_name(const bmf_graph *graph, int64_t node, char *name, int64_t size);
/* Where to draw every node: meshes and tori on a grid, rings and what has no other shape on a circle, trees and omega
 * networks by layers. x, y: nodes values. */
void graph_draw(const bmf_graph *graph, double *x, double *y);
/* "torus 8 x 8 x 4: 256 processors, 1536 links". */
void graph_describe(const bmf_graph *graph, FILE *stream);

#endif
