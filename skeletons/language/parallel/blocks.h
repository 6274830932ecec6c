/* Distributed lists of the blocks of a grid: what splits, joins and moves of them share. Private to the evaluator. */
#ifndef BMF_LANGUAGE_PARALLEL_BLOCKS_H
#define BMF_LANGUAGE_PARALLEL_BLOCKS_H

#include "skeletons/engine/regrid.h"
#include "skeletons/language/evaluate/array.h"
#include "skeletons/language/parallel/parallel.h"

/* The grid of a form for an array of these extents: its numbers, and where they are 0 what bmf_grid_choose says. The
 * same status on every rank that asks the same. */
int blocks_choose(bmf_context *ctx, const bmf_expression *form, const bmf_array *whole, bmf_grid *grid);
/* The elements of every instance are the blocks of this grid. */
void blocks_on_grid(int dimensions, const int64_t *blocks, bmf_distribution *spread);

/* What all ranks know of blocks, in the buffer of their distributed list: the starts of their lists, as of any, and
 * behind them how the grid cuts the whole, or that this is not known. */
bmf_buffer *blocks_starts(const bmf_distribution *spread, const bmf_tiling *tiling);
/* From now on. */
void blocks_keep(const bmf_tiling *tiling, bmf_value *out);
/* The tiling, which the caller frees; false: it is not known. */
bool blocks_known(const bmf_distribution *spread, const bmf_buffer *starts, bmf_tiling *tiling);
/* Without the tiling: only lengths are as before. */
bmf_buffer *blocks_starts_alone(const bmf_distribution *spread, const bmf_buffer *starts);
/* The shapes of all blocks of the program's one instance on every rank; the caller frees *shape, also after a failure.
 * Collective; settles. */
int blocks_tell(bmf_evaluator *evaluator, const bmf_expression *form, bmf_frame *frame, bmf_distribution *spread,
                int dimensions, const bmf_value *blocks, bmf_array **shape);
/* How blocks of these shapes cut the array that they are; or the failure that they do not fit each other, the same on
 * every rank. */
int blocks_tiling(bmf_evaluator *evaluator, const bmf_expression *form, const bmf_frame *frame,
                  const bmf_block_grid *grid, const bmf_array *shape, bmf_tiling *tiling);

/* How the parts of the program's one distributed list cut the array that they are: the blocks of its grid, if the form
 * is applied to such, otherwise rows in parts. Collective; settles. */
int blocks_of_parts(bmf_evaluator *evaluator, const bmf_expression *form, bmf_frame *frame, bmf_distribution *spread,
                    int dimensions, const bmf_value *parts, bmf_tiling *tiling);

/* The elements of blocks, which are taken over, block after block. */
void blocks_elements(bmf_context *ctx, int dimensions, bmf_value *blocks, bmf_column *elements);
/* Back: `count` blocks from number `first` on, each of this type, of their elements, which are taken over. */
void blocks_of_elements(bmf_context *ctx, const bmf_type *type, const bmf_tiling *tiling, int64_t first, int64_t count,
                        bmf_column *elements, bmf_value *blocks);
/* The elements' partition, with a part on the processor of each of the spread's elements. */
int blocks_partition(bmf_context *ctx, const bmf_distribution *spread, const bmf_tiling *tiling,
                     bmf_partition **partition);
/* Moves the elements of blocks, which are taken over, to those of another tiling, its dimensions in another order
 * (skeletons/engine/regrid.h). *out: this rank's. Collective. */
int blocks_regrid(bmf_evaluator *evaluator, const bmf_expression *form, const bmf_distribution *source,
                  const bmf_tiling *from, const bmf_distribution *target, const bmf_tiling *to, const int *axis,
                  bmf_value *blocks, bmf_value *out);

#endif
