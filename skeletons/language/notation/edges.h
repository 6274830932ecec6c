/* What the edges of stencils are called in the notation. */
#ifndef BMF_NOTATION_EDGES_H
#define BMF_NOTATION_EDGES_H

#include <stdbool.h>

/* In place of an edge, where the other end stands beyond it. */
extern const char notation_ring[];

/* The k-th edge of a stencil, in the order of the core: two for each dimension, from the outermost on. */
const char *edge_name(int dimensions, int k);
/* All of them, as a text: "left and right". */
const char *edge_names(int dimensions);
/* The same as names of a record's fields: "left,right". */
const char *edge_fields(int dimensions);
/* All fields, "x,y", are called like edges, in whatever dimension. */
bool edges_are_named(const char *fields);

#endif
