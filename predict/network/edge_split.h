/* Splitting the edges of a bipartite graph evenly: of a node's edges every part has as many as of any other, or one
 * more.
 *
 * With as many parts as every node has edges, a power of two, this is an edge colouring: no node has two edges of one
 * colour. Method: Euler partition. The edges of every node are paired, which makes ways and, as the graph is bipartite,
 * cycles of even length; every other edge of each goes to the other half, and halves are split again. Cost: edges log
 * parts steps. Source: Gabow, Using Euler partitions to edge color bipartite multigraphs (1976). */
#ifndef BMF_EDGE_SPLIT_H
#define BMF_EDGE_SPLIT_H

#include <stdint.h>

typedef struct bmf_edge {
    int32_t left, right; /* nodes of the two sides, from 0 */
} bmf_edge;

/* part[e] becomes the part of edge e, in [0, parts); parts is a power of two. lefts, rights: nodes of the sides. */
void edge_split(const bmf_edge *edge, int64_t edges, int32_t lefts, int32_t rights, int64_t parts, int64_t *part);

#endif
