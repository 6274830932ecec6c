/* Distributed lists of the blocks of a grid: what splits of arrays and of files share. Private to the evaluator. */
#ifndef BMF_LANGUAGE_PARALLEL_BLOCKS_H
#define BMF_LANGUAGE_PARALLEL_BLOCKS_H

#include "skeletons/language/evaluate/array.h"
#include "skeletons/language/parallel/parallel.h"

/* The grid of a form for an array of these extents: its numbers, and where they are 0 what bmf_grid_choose says. The
 * same status on every rank that asks the same. */
int blocks_choose(bmf_context *ctx, const bmf_expression *form, const bmf_array *whole, bmf_block_grid *grid);
/* The elements of every instance are the blocks of this grid. */
void blocks_on_grid(const bmf_block_grid *grid, bmf_distribution *spread);
/* The shapes of all blocks of an array; the caller frees. */
bmf_array *blocks_shapes(const bmf_array *whole, const bmf_block_grid *grid);
/* The partition of the blocks' elements, block after block, from processor `base` on. Errors as of
 * bmf_partition_create. */
int blocks_partition(bmf_context *ctx, int64_t base, const bmf_block_grid *grid, const bmf_array *shape,
                     bmf_partition **partition);
/* What all ranks know of the blocks from now on: how many lists each has, and the extents of the whole. */
void blocks_keep_extents(const bmf_array *whole, const bmf_block_grid *grid, bmf_value *out);

#endif
