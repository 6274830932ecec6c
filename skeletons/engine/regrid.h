/* Moving the elements of an array from the blocks of one grid to those of another, its dimensions in another order.
 * Private to skeletons. */
#ifndef BMF_REGRID_H
#define BMF_REGRID_H

#include "bmf/stencil.h"
#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

/* How an array is cut: in dimension d into blocks[d] stretches, stretch k being elements [start[d][k], start[d][k +
 * 1]). Block {b0, b1, ..} is part b0 * blocks[1] + b1 .. of a partition, and holds its elements row by row. */
typedef struct bmf_tiling {
    int dimensions;
    int64_t blocks[BMF_MAX_DIMENSIONS];
    int64_t *start[BMF_MAX_DIMENSIONS]; /* blocks[d] + 1 */
} bmf_tiling;

/* As a grid is cut; its blocks are known. */
void tiling_of_grid(const bmf_grid *grid, bmf_tiling *tiling);
void tiling_free(bmf_tiling *tiling);
/* The partition of its elements, block after block from processor `base` on, 2^log2_stride apart. */
int tiling_partition(bmf_context *ctx, int64_t base, int log2_stride, const bmf_tiling *tiling,
                     bmf_partition **partition);

/* Dimension d of the result is dimension axis[d] of what is moved. */
typedef struct bmf_regrid {
    bmf_context *ctx;
    const bmf_tiling *from, *to;
    const bmf_partition *source, *target; /* with a part for each block */
    int axis[BMF_MAX_DIMENSIONS];
} bmf_regrid;

/* What this rank has of the source, a column of elements, becomes what it has of the target. `words` stands in front of
 * plans. One round: a message for each pair of blocks on two processors that have elements in common, of exactly these
 * elements; of elements with inner lists as packed. Collective. */
int regrid(const bmf_regrid *move, const char *words, const bmf_column *column, bmf_column *out);

#endif
