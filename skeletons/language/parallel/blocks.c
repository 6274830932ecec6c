/* P_Blocks: arrays in the blocks of a grid, one on each processor; also of arrays that are distributed already.
 *
 * Method: the program's own array is put into the order of its blocks where it is, and split into them as any list is;
 * its extents are told to all ranks, so that messages carry elements alone. Arrays of several instances (in maps)
 * travel packed, block by block.
 * Cost: a copy of the elements where the array is; one message a block that is not there, of its elements, or as
 * bmf_split's tree has them. In maps 8 bytes a list more. Of parts a message for each pair of a part and a block that
 * have elements in common (skeletons/engine/regrid.c). */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/repartition.h"
#include "skeletons/language/parallel/blocks.h"

static int choose_grid(bmf_evaluator *evaluator, const bmf_expression *form, const bmf_array *whole, bmf_grid *grid)
{
    const int status = blocks_choose(evaluator->ctx, form, whole, grid);
    if (status == BMF_OK)
        return BMF_OK;
    return text_fail(evaluator->texts, evaluator->ctx, form->span, status, "%s: %.400s", expression_keyword(form),
                     bmf_error_text(evaluator->ctx));
}

static int grid_spread(bmf_evaluator *evaluator, const bmf_expression *form, const bmf_block_grid *grid,
                       const bmf_layout *instances, bmf_distribution **spread)
{
    BMF_TRY(split_spread(evaluator, form, block_grid_count(grid), 0, instances, spread));
    blocks_on_grid(grid->dimensions, grid->blocks, *spread);
    return BMF_OK;
}

/* ---- one array ---- */

/* The elements of the array on this rank, in the order of its blocks, as a list in C. */
static int list_in_blocks(bmf_evaluator *evaluator, const bmf_frame *frame, int64_t on, const bmf_value *x,
                          const bmf_array *whole, const bmf_block_grid *grid, bmf_list **list)
{
    bmf_context *ctx = evaluator->ctx;
    const int64_t length = array_elements(whole, grid->dimensions);
    const bmf_type *type = x->type;
    bmf_partition *partition;
    bmf_column column;
    bmf_value elements;
    for (int k = array_levels(type, grid->dimensions); k > 0; k--)
        type = type->component[0];
    require_memory(x->count > 0 ? array_cut_elements(evaluator, frame, x, whole, grid, &elements)
                                : value_empty(ctx, type, 0, &elements),
                   length);
    require_memory(value_to_column(ctx, &elements, &column), length);
    value_free(&elements);
    const int status = bmf_partition_placed(ctx, on, length, &partition);
    if (status != BMF_OK) {
        column_free(&column);
        return status;
    }
    list_adopt(ctx, partition, &column, list);
    bmf_partition_release(partition);
    return BMF_OK;
}

/* The list comes from a rank that has not failed: others pass on what they get, even if they have. */
static int pass_on(const bmf_list *whole, int64_t parts, bmf_partition *target, bmf_list **spread)
{
    bmf_context *ctx = bmf_list_context(whole);
    const bool sends_marks = ctx->sends_marks;
    ctx->sends_marks = false;
    const int status = split_onto(whole, parts, target, spread);
    ctx->sends_marks = sends_marks;
    return status;
}

static int split_array(bmf_evaluator *evaluator, const bmf_frame *frame, int64_t on, const bmf_value *x,
                       const bmf_array *whole, const bmf_block_grid *grid, const bmf_distribution *spread,
                       const bmf_tiling *tiling, bmf_value *blocks)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_list *list = NULL, *parts = NULL;
    bmf_partition *target = NULL;
    int status = list_in_blocks(evaluator, frame, on, x, whole, grid, &list);
    if (status == BMF_OK)
        status = blocks_partition(ctx, spread, tiling, &target);
    if (status == BMF_OK)
        status = pass_on(list, block_grid_count(grid), target, &parts);
    if (status == BMF_OK) {
        blocks_of_elements(ctx, x->type, tiling, target->local_first, target->local_parts, &parts->column, blocks);
        parts->column = (bmf_column){0};
    }
    bmf_list_free(parts);
    bmf_list_free(list);
    bmf_partition_release(target);
    return status;
}

/* The extents of the array on processor `on`, on all ranks. Settles. */
static int tell_extents(bmf_evaluator *evaluator, const bmf_expression *form, const bmf_frame *frame, int64_t on,
                        const bmf_value *x, bmf_array *whole)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_array *shape = NULL;
    *whole = (bmf_array){{0}};
    const int status = array_shapes(evaluator, form, frame, x, form->numbers, &shape);
    if (status == BMF_OK && x->count > 0)
        *whole = shape[0];
    free(shape);
    BMF_TRY(failure_defer(ctx, status));
    return ctx->backend->bcast(ctx, on, whole->extent, (int64_t)sizeof whole->extent);
}

static int cut_one(bmf_evaluator *evaluator, bmf_expression *form, bmf_frame *frame, const bmf_layout *instances,
                   bmf_value *x, bmf_value *out)
{
    const int64_t on = instances->processor[0];
    bmf_array whole;
    bmf_grid chosen;
    bmf_distribution *spread;
    bmf_tiling tiling;
    bmf_value blocks;
    BMF_TRY(tell_extents(evaluator, form, frame, on, x, &whole));
    BMF_TRY(choose_grid(evaluator, form, &whole, &chosen));
    bmf_block_grid grid = {.dimensions = chosen.dimensions};
    memcpy(grid.blocks, chosen.processors, sizeof grid.blocks);
    BMF_TRY(grid_spread(evaluator, form, &grid, instances, &spread));
    tiling_of_grid(&chosen, &tiling);
    operation_begin(evaluator, form);
    const int status = split_array(evaluator, frame, on, x, &whole, &grid, spread, &tiling, &blocks);
    if (status == BMF_OK) {
        value_distribute(x->count, spread, &blocks, out);
        blocks_keep(&tiling, out);
    } else {
        distribution_release(spread);
    }
    tiling_free(&tiling);
    return operation_end(evaluator, status);
}

/* ---- many arrays ---- */

/* Packs the blocks of this rank's arrays. */
static int pack_blocks(bmf_evaluator *evaluator, const bmf_expression *form, const bmf_frame *frame,
                       const bmf_layout *instances, const bmf_block_grid *grid, const bmf_value *x,
                       bmf_parcels *parcels)
{
    const int64_t parts = block_grid_count(grid);
    bmf_array *shape = NULL;
    bmf_value cut = {0};
    bmf_column column;
    int status = array_shapes(evaluator, form, frame, x, grid->dimensions, &shape);
    if (status == BMF_OK)
        status = array_cut(evaluator->ctx, x, shape, grid, &cut);
    free(shape);
    if (status != BMF_OK)
        return failure_defer(evaluator->ctx, status);
    require_memory(value_to_column(evaluator->ctx, &cut.child[0], &column), x->count);
    for (int64_t k = 0; k < column.count; k++)
        parcels_pack(parcels, instances->local[k / parts] * parts + k % parts, &column, k, k + 1);
    column_free(&column);
    value_free(&cut);
    return BMF_OK;
}

static int cut_many(bmf_evaluator *evaluator, bmf_expression *form, bmf_frame *frame, const bmf_layout *instances,
                    bmf_value *x, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    const bmf_block_grid grid = block_grid_of(form);
    const bmf_algorithm *chosen =
        choose_algorithm(ctx, &(bmf_choice){.skeleton = "split", .count = block_grid_count(&grid)});
    bmf_distribution *spread;
    bmf_parcels parcels;
    bmf_value blocks;
    BMF_TRY(grid_spread(evaluator, form, &grid, instances, &spread));
    operation_begin(evaluator, form);
    parcels_open(&parcels, ctx, x->type, spread->elements->count);
    int status = ctx->sends_marks ? BMF_OK : pack_blocks(evaluator, form, frame, instances, &grid, x, &parcels);
    if (status == BMF_OK) {
        bmf_schedule *schedule = distribution_schedule(ctx, spread, chosen);
        distribution_plan(evaluator, form, spread, chosen);
        for (int r = 0; status == BMF_OK && r < schedule->rounds; r++)
            status = parcels_exchange(&parcels, &schedule->round[r], (uint32_t)r);
        schedule_free(schedule);
    }
    if (status == BMF_OK)
        status = value_from_parcels(&parcels, x->type, spread->elements->local, spread->elements->local_count, &blocks);
    parcels_close(&parcels);
    if (status == BMF_OK)
        value_distribute(x->count, spread, &blocks, out);
    else
        distribution_release(spread);
    return operation_end(evaluator, status);
}

/* ---- parts to blocks ---- */

/* The parts of a distributed list, which are taken over, as the blocks of another grid. */
static int cut_parts(bmf_evaluator *evaluator, bmf_expression *form, bmf_distribution *source, const bmf_tiling *from,
                     const bmf_layout *instances, int64_t count, bmf_value *parts, bmf_value *out)
{
    static const int same[BMF_NUMBERS] = {0, 1, 2};
    bmf_array whole = {{0}};
    bmf_grid chosen;
    bmf_distribution *target;
    bmf_tiling to;
    bmf_value moved;
    for (int d = 0; d < from->dimensions; d++)
        whole.extent[d] = from->start[d][from->blocks[d]];
    BMF_TRY(choose_grid(evaluator, form, &whole, &chosen));
    bmf_block_grid grid = {.dimensions = chosen.dimensions};
    memcpy(grid.blocks, chosen.processors, sizeof grid.blocks);
    BMF_TRY(grid_spread(evaluator, form, &grid, instances, &target));
    tiling_of_grid(&chosen, &to);
    const int status = blocks_regrid(evaluator, form, source, from, target, &to, same, parts, &moved);
    if (status == BMF_OK) {
        value_distribute(count, target, &moved, out);
        blocks_keep(&to, out);
    } else {
        distribution_release(target);
    }
    tiling_free(&to);
    return status;
}

static int move_parts(bmf_evaluator *evaluator, bmf_expression *form, bmf_frame *frame, const bmf_layout *instances,
                      bmf_value *x, bmf_value *out)
{
    if (distribution_is_empty(x->spread))
        return distribute_nothing(evaluator, form, x, out);
    bmf_distribution *spread = distribution_retain(x->spread);
    bmf_tiling from = {0};
    bmf_value parts;
    value_move(&x->child[0], &parts);
    operation_begin(evaluator, form);
    int status = blocks_of_parts(evaluator, form, frame, spread, form->numbers, &parts, &from);
    if (status == BMF_OK)
        status = cut_parts(evaluator, form, spread, &from, instances, x->count, &parts, out);
    value_free(&parts);
    distribution_release(spread);
    tiling_free(&from);
    return operation_end(evaluator, status);
}

int evaluate_parallel_blocks(bmf_evaluator *evaluator, bmf_expression *form, bmf_frame *frame, bmf_value *x,
                             bmf_value *out)
{
    bmf_layout *instances;
    int status = frame_layout(evaluator, frame, &instances);
    if (status == BMF_OK && x->spread)
        status = move_parts(evaluator, form, frame, instances, x, out);
    else if (status == BMF_OK)
        status = (instances->count == 1 ? cut_one : cut_many)(evaluator, form, frame, instances, x, out);
    value_free(x);
    return status;
}
