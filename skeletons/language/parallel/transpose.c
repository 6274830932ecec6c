/* P_Transpose: the transpose of a matrix whose rows, or whose blocks on a grid, are distributed.
 *
 * Method: all ranks are told how large the parts are; then the elements of every pair of parts change places in one
 * round (skeletons/engine/regrid.c). Rows come out split evenly over the same processors; the blocks of a grid r x c as
 * those of a grid c x r.
 * Cost: a message for each pair of parts of rows, of what they have in common; of blocks one for each that moves. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/matrix.h"
#include "skeletons/language/parallel/blocks.h"

static const int swapped[BMF_NUMBERS] = {1, 0, 2};

/* The blocks of the transpose: as before on a grid, rows evenly. */
static void cut_result(const bmf_expression *transpose, const bmf_tiling *from, bmf_tiling *to)
{
    *to = (bmf_tiling){.dimensions = from->dimensions};
    for (int d = 0; d < from->dimensions; d++) {
        const int64_t blocks = from->blocks[transpose->on_grid ? swapped[d] : d];
        const int64_t *start = from->start[swapped[d]], length = start[from->blocks[swapped[d]]];
        to->blocks[d] = blocks;
        to->start[d] = allocate_array(blocks + 1, (int64_t)sizeof *to->start[d]);
        for (int64_t k = 0; k <= blocks; k++)
            to->start[d][k] = transpose->on_grid ? start[k] : bmf_split_start(length, blocks, k);
    }
}

static int transpose_tiling(bmf_evaluator *evaluator, const bmf_expression *transpose, bmf_distribution *spread,
                            const bmf_tiling *from, int64_t count, bmf_value *parts, bmf_value *out)
{
    bmf_tiling to;
    bmf_value moved;
    bmf_distribution *made = distribution_create(spread->instances, spread->offsets, layout_retain(spread->elements));
    cut_result(transpose, from, &to);
    if (transpose->on_grid)
        blocks_on_grid(to.dimensions, to.blocks, made);
    const int status = blocks_regrid(evaluator, transpose, spread, from, made, &to, swapped, parts, &moved);
    if (status == BMF_OK) {
        value_distribute(count, made, &moved, out);
        blocks_keep(&to, out);
    } else {
        distribution_release(made);
    }
    tiling_free(&to);
    return status;
}

int evaluate_parallel_transpose(bmf_evaluator *evaluator, bmf_expression *transpose, bmf_frame *frame, bmf_value *x,
                                bmf_value *out)
{
    if (distribution_is_empty(x->spread))
        return distribute_nothing(evaluator, transpose, x, out);
    bmf_distribution *spread = distribution_retain(x->spread);
    const int64_t count = x->count;
    const int dimensions = transpose->on_grid ? spread->dimensions : 2;
    bmf_tiling from = {0};
    bmf_value parts;
    value_move(&x->child[0], &parts);
    value_free(x);
    operation_begin(evaluator, transpose);
    int status = blocks_of_parts(evaluator, transpose, frame, spread, dimensions, &parts, &from);
    if (status == BMF_OK)
        status = transpose_tiling(evaluator, transpose, spread, &from, count, &parts, out);
    value_free(&parts);
    distribution_release(spread);
    tiling_free(&from);
    return operation_end(evaluator, status);
}
