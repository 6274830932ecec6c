/* Inner products of rows with eight columns at a time, by the fixed tree: what products of matrices come to. Private to
 * skeletons. */
#ifndef BMF_INNER_PRODUCTS_H
#define BMF_INNER_PRODUCTS_H

#include <stdint.h>

enum { INNER_LANES = 8, INNER_CHUNK = 256, INNER_TILE = 2, INNER_ROWS = 128 };

/* By address, because how they are passed by value depends on the machine. */
typedef double inner_lanes __attribute__((vector_size(INNER_LANES * sizeof(double))));
typedef double inner_loose_lanes
    __attribute__((vector_size(INNER_LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

/* Lane j of to[k] becomes element at + k of column j, for the eight columns and 0 <= k < count <= INNER_CHUNK. */
typedef void inner_columns(const void *columns, int64_t at, int64_t count, inner_lanes *to);

/* Up to INNER_ROWS rows of `length` reals each. */
typedef struct inner_products {
    int64_t rows, length;
    const double *x[INNER_ROWS + INNER_TILE]; /* the first `rows` are set by the caller before inner_start */
    inner_lanes *panel, *stack;               /* sums on their way up: node k of row i is stack[i * depth + k] */
    int nodes, depth;
} inner_products;

/* Room for rows of this length; inner_close frees it. */
void inner_open(inner_products *products, int64_t length);
void inner_close(inner_products *products);
/* The rows are x[0 .. rows); 1 <= rows <= INNER_ROWS. */
void inner_start(inner_products *products, int64_t rows);
/* Lane j of total[i] becomes the inner product of row i with column j: of products that are rounded, and then summed up
 * by the fixed tree (skeletons/engine/tree.h), so every bit is that of the reduction of each by itself. Length 0:
 * 0.0. */
void inner_eight(inner_products *products, inner_columns *fill, const void *columns, inner_lanes *total);

#endif
