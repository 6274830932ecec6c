/* P_Join: the whole of the blocks of a grid.
 *
 * Method: ranks tell each other how large the blocks are; their elements are gathered in the order of the blocks, and
 * put into that of the rows where they arrive. The blocks of several instances (in maps) travel packed, block by block.
 * Cost: one message a block that is not there, of its elements, or as bmf_gather's tree has them; a copy of the
 * elements there. In maps 8 bytes a list more. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/skeletons.h"
#include "runtime/base/allocate.h"
#include "skeletons/language/parallel/blocks.h"

/* The grid that the form has numbers of, or else that the list is on. An agreed failure if it has other blocks. */
static int find_grid(bmf_evaluator *evaluator, const bmf_expression *form, const bmf_distribution *spread,
                     bmf_block_grid *grid)
{
    *grid = block_grid_of(form);
    for (int d = 0; d < grid->dimensions; d++)
        if (grid->blocks[d] == 0 && spread->dimensions == grid->dimensions)
            grid->blocks[d] = spread->blocks[d];
    const int64_t parts = block_grid_count(grid);
    for (int64_t c = 0; c < spread->instances; c++)
        if (spread->offsets[c + 1] - spread->offsets[c] != parts)
            return text_fail(evaluator->texts, evaluator->ctx, form->span, BMF_ERROR_SHAPE,
                             "%s needs %" PRId64 " blocks, found %" PRId64, expression_keyword(form), parts,
                             spread->offsets[c + 1] - spread->offsets[c]);
    return BMF_OK;
}

/* The array on the processor that has all blocks' elements; none elsewhere. Moves the list's column out of it. */
static int array_of_list(bmf_evaluator *evaluator, const bmf_frame *frame, bmf_list *list, const bmf_type *type,
                         const bmf_block_grid *grid, const bmf_tiling *tiling, const bmf_array *shape, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_array whole = {{0}};
    bmf_value blocks;
    if (list->partition->local_parts == 0)
        return value_empty(ctx, type, 0, out);
    for (int d = 0; d < tiling->dimensions; d++)
        whole.extent[d] = tiling->start[d][tiling->blocks[d]];
    blocks_of_elements(ctx, type, tiling, 0, block_grid_count(grid), &list->column, &blocks);
    list->column = (bmf_column){0};
    const int status = array_join(evaluator, frame, 1, &blocks, grid, shape, &whole, out);
    value_free(&blocks);
    return status;
}

static int gather_array(bmf_evaluator *evaluator, const bmf_frame *frame, const bmf_distribution *spread,
                        const bmf_block_grid *grid, const bmf_tiling *tiling, const bmf_array *shape, bmf_value *blocks,
                        bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    const bmf_type *type = blocks->type;
    bmf_list *parts, *all = NULL;
    bmf_partition *partition;
    bmf_column elements;
    BMF_TRY(blocks_partition(ctx, spread, tiling, &partition));
    blocks_elements(ctx, grid->dimensions, blocks, &elements);
    list_adopt(ctx, partition, &elements, &parts);
    bmf_partition_release(partition);
    const int status = bmf_gather(parts, &all);
    bmf_list_free(parts);
    if (status == BMF_OK)
        require_memory(array_of_list(evaluator, frame, all, type, grid, tiling, shape, out), bmf_length(all));
    bmf_list_free(all);
    return status;
}

static int join_one(bmf_evaluator *evaluator, bmf_expression *form, bmf_frame *frame, const bmf_block_grid *grid,
                    bmf_value *x, bmf_value *out)
{
    bmf_distribution *spread = distribution_retain(x->spread);
    bmf_array *shape = NULL;
    bmf_tiling tiling = {0};
    bmf_value blocks;
    value_move(&x->child[0], &blocks);
    int status = blocks_tell(evaluator, form, frame, spread, grid->dimensions, &blocks, &shape);
    if (status == BMF_OK)
        status = blocks_tiling(evaluator, form, frame, grid, shape, &tiling);
    if (status == BMF_OK) {
        operation_begin(evaluator, form);
        status = gather_array(evaluator, frame, spread, grid, &tiling, shape, &blocks, out);
        status = operation_end(evaluator, status);
    }
    value_free(&blocks);
    distribution_release(spread);
    tiling_free(&tiling);
    free(shape);
    return status;
}

/* Packed, as results are gathered; then joined where they are. */
static int join_many(bmf_evaluator *evaluator, bmf_expression *form, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_value placed;
    operation_begin(evaluator, form);
    int status = collect_distributed(evaluator, frame, x, &placed);
    const int64_t count = status == BMF_OK ? placed.count : 0;
    if (status == BMF_OK && !ctx->sends_marks) {
        const int joined = evaluate_join(evaluator, form, frame, &placed, out);
        if (joined == BMF_OK)
            return operation_end(evaluator, BMF_OK);
        status = failure_defer(ctx, joined);
    } else if (status == BMF_OK) {
        value_free(&placed);
    }
    if (status == BMF_OK)
        value_default(ctx, form->out, count, out);
    return operation_end(evaluator, status);
}

int evaluate_parallel_join(bmf_evaluator *evaluator, bmf_expression *form, bmf_frame *frame, bmf_value *x,
                           bmf_value *out)
{
    bmf_layout *instances;
    bmf_block_grid grid;
    int status = frame_layout(evaluator, frame, &instances);
    if (status == BMF_OK)
        status = find_grid(evaluator, form, x->spread, &grid);
    if (status == BMF_OK && instances->count == 1)
        status = join_one(evaluator, form, frame, &grid, x, out);
    else if (status == BMF_OK)
        status = join_many(evaluator, form, frame, x, out);
    value_free(x);
    return status;
}
