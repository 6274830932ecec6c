/* P_Blocks, P_Join: arrays in the blocks of a grid, one on each processor, and their whole again.
 *
 * Method: the program's own array is put into the order of its blocks where it is, and split into them as any list is;
 * its extents are told to all ranks, so that messages carry elements alone. Blocks are joined the same way backwards:
 * gathered in their order, then put into that of the rows. Arrays of several instances (in maps) travel packed, block
 * by block.
 * Cost: a copy of the elements where the whole is; one message a block that is not there, of its elements, or as
 * bmf_split's tree has them. In maps 8 bytes a list more. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/skeletons.h"
#include "bmf/stencil.h"
#include "runtime/base/allocate.h"
#include "skeletons/engine/repartition.h"
#include "skeletons/language/parallel/blocks.h"

_Static_assert((int)BMF_NUMBERS == (int)BMF_MAX_DIMENSIONS, "a grid of the language is one in C");

/* ---- grids ---- */

int blocks_choose(bmf_context *ctx, const bmf_expression *form, const bmf_array *whole, bmf_block_grid *grid)
{
    bmf_grid chosen = {.dimensions = form->numbers};
    *grid = block_grid_of(form);
    for (int d = 0; d < form->numbers; d++) {
        chosen.extent[d] = whole->extent[d];
        chosen.processors[d] = form->number[d];
    }
    BMF_TRY(bmf_grid_choose(ctx, &chosen));
    memcpy(grid->blocks, chosen.processors, sizeof grid->blocks);
    return BMF_OK;
}

static int choose_grid(bmf_evaluator *evaluator, const bmf_expression *form, const bmf_array *whole,
                       bmf_block_grid *grid)
{
    const int status = blocks_choose(evaluator->ctx, form, whole, grid);
    if (status == BMF_OK)
        return BMF_OK;
    return text_fail(evaluator->texts, evaluator->ctx, form->span, status, "%s: %.400s", expression_keyword(form),
                     bmf_error_text(evaluator->ctx));
}

void blocks_on_grid(const bmf_block_grid *grid, bmf_distribution *spread)
{
    spread->dimensions = grid->dimensions;
    memcpy(spread->blocks, grid->blocks, sizeof grid->blocks);
}

static int grid_spread(bmf_evaluator *evaluator, const bmf_expression *form, const bmf_block_grid *grid,
                       const bmf_layout *instances, bmf_distribution **spread)
{
    BMF_TRY(split_spread(evaluator, form, block_grid_count(grid), 0, instances, spread));
    blocks_on_grid(grid, *spread);
    return BMF_OK;
}

bmf_array *blocks_shapes(const bmf_array *whole, const bmf_block_grid *grid)
{
    const int64_t parts = block_grid_count(grid);
    bmf_array *shape = allocate_clear(parts, (int64_t)sizeof *shape);
    for (int64_t k = 0; k < parts; k++) {
        int64_t begin[BMF_NUMBERS], end[BMF_NUMBERS];
        array_block(whole, grid, k, begin, end);
        for (int d = 0; d < grid->dimensions; d++)
            shape[k].extent[d] = end[d] - begin[d];
    }
    return shape;
}

int blocks_partition(bmf_context *ctx, int64_t base, const bmf_block_grid *grid, const bmf_array *shape,
                     bmf_partition **partition)
{
    const int64_t parts = block_grid_count(grid);
    int64_t *start = allocate_array(parts + 1, (int64_t)sizeof *start);
    start[0] = 0;
    for (int64_t k = 0; k < parts; k++)
        start[k + 1] = start[k] + array_elements(&shape[k], grid->dimensions);
    const int status = bmf_partition_create(ctx, base, 1, &(bmf_level){parts, 0}, start[parts], start, partition);
    free(start);
    return status;
}

/* ---- one array to blocks ---- */

/* This rank's blocks of their elements side by side, which are moved out of the list. */
static int blocks_of_list(bmf_context *ctx, bmf_list *list, const bmf_type *type, int dimensions,
                          const bmf_array *shape, bmf_value *blocks)
{
    bmf_value elements;
    value_from_column(&list->column, &elements);
    list->column = (bmf_column){0};
    return array_create(ctx, array_levels(type, dimensions), list->partition->local_parts,
                        shape + list->partition->local_first, &elements, blocks);
}

/* The elements, which are taken over and stand on processor `on`, as a list in C. */
static int placed_list(bmf_context *ctx, int64_t on, int64_t length, bmf_value *elements, bmf_list **list)
{
    bmf_partition *partition;
    bmf_column column;
    require_memory(value_to_column(ctx, elements, &column), length);
    value_free(elements);
    const int status = bmf_partition_placed(ctx, on, length, &partition);
    if (status != BMF_OK) {
        column_free(&column);
        return status;
    }
    list_adopt(ctx, partition, &column, list);
    bmf_partition_release(partition);
    return BMF_OK;
}

/* The type of what the lists have in them behind their dimensions. */
static const bmf_type *element_type(const bmf_type *type, int dimensions)
{
    for (int k = array_levels(type, dimensions); k > 0; k--)
        type = type->component[0];
    return type;
}

/* The elements of the array on this rank, in the order of its blocks; none elsewhere. */
static int cut_here(bmf_evaluator *evaluator, const bmf_frame *frame, const bmf_value *x, const bmf_array *whole,
                    const bmf_block_grid *grid, bmf_value *elements)
{
    if (x->count == 0)
        return value_empty(evaluator->ctx, element_type(x->type, grid->dimensions), 0, elements);
    return array_cut_elements(evaluator, frame, x, whole, grid, elements);
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
                       const bmf_array *whole, const bmf_block_grid *grid, bmf_value *blocks)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_array *shape = blocks_shapes(whole, grid);
    bmf_list *list = NULL, *spread = NULL;
    bmf_partition *target = NULL;
    bmf_value elements = {0};
    require_memory(cut_here(evaluator, frame, x, whole, grid, &elements), array_elements(whole, grid->dimensions));
    int status = placed_list(ctx, on, array_elements(whole, grid->dimensions), &elements, &list);
    if (status == BMF_OK)
        status = blocks_partition(ctx, on, grid, shape, &target);
    if (status == BMF_OK)
        status = pass_on(list, block_grid_count(grid), target, &spread);
    if (status == BMF_OK)
        status = blocks_of_list(ctx, spread, x->type, grid->dimensions, shape, blocks);
    bmf_list_free(spread);
    bmf_list_free(list);
    bmf_partition_release(target);
    free(shape);
    return status;
}

void blocks_keep_extents(const bmf_array *whole, const bmf_block_grid *grid, bmf_value *out)
{
    const int64_t parts = block_grid_count(grid);
    bmf_array *shape = blocks_shapes(whole, grid);
    out->buffer = working_buffer((parts + 1) * (int64_t)sizeof(int64_t));
    out->second = working_buffer((int64_t)sizeof whole->extent);
    int64_t *start = out->buffer->data;
    start[0] = 0;
    for (int64_t k = 0; k < parts; k++)
        start[k + 1] = start[k] + shape[k].extent[0];
    memcpy(out->second->data, whole->extent, sizeof whole->extent);
    free(shape);
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
    bmf_block_grid grid;
    bmf_distribution *spread;
    bmf_value blocks;
    BMF_TRY(tell_extents(evaluator, form, frame, on, x, &whole));
    BMF_TRY(choose_grid(evaluator, form, &whole, &grid));
    BMF_TRY(grid_spread(evaluator, form, &grid, instances, &spread));
    operation_begin(evaluator, form);
    const int status = split_array(evaluator, frame, on, x, &whole, &grid, &blocks);
    if (status == BMF_OK) {
        value_distribute(x->count, spread, &blocks, out);
        blocks_keep_extents(&whole, &grid, out);
    } else {
        distribution_release(spread);
    }
    return operation_end(evaluator, status);
}

/* ---- many arrays to blocks ---- */

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

int evaluate_parallel_blocks(bmf_evaluator *evaluator, bmf_expression *form, bmf_frame *frame, bmf_value *x,
                             bmf_value *out)
{
    bmf_layout *instances;
    int status = frame_layout(evaluator, frame, &instances);
    if (status == BMF_OK)
        status = (instances->count == 1 ? cut_one : cut_many)(evaluator, form, frame, instances, x, out);
    value_free(x);
    return status;
}

/* ---- blocks to arrays ---- */

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

/* The shapes of all blocks on every rank; the caller frees. Settles. */
static int tell_shapes(bmf_evaluator *evaluator, const bmf_expression *form, bmf_frame *frame, bmf_distribution *spread,
                       int dimensions, const bmf_value *blocks, bmf_array **shape)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_array *own = NULL;
    bmf_frame inner;
    frame_open_spread(frame, form, spread, &inner);
    int status = array_shapes(evaluator, form, &inner, blocks, dimensions, &own);
    frame_close(&inner);
    *shape = allocate_clear(spread->elements->count, (int64_t)sizeof **shape);
    status = failure_defer(ctx, status);
    if (status == BMF_OK)
        status = layout_allgather(ctx, spread->elements, BMF_NUMBERS, own->extent, (*shape)->extent);
    free(own);
    return status;
}

/* The elements of this rank's blocks, block after block, as a list in C on their processors. Takes the blocks over. */
static int list_of_blocks(bmf_evaluator *evaluator, int64_t base, const bmf_block_grid *grid, const bmf_array *shape,
                          bmf_value *blocks, bmf_list **list)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_column all, *at = &all, elements;
    bmf_partition *partition;
    BMF_TRY(blocks_partition(ctx, base, grid, shape, &partition));
    require_memory(value_to_column(ctx, blocks, &all), blocks->count);
    for (int k = array_levels(blocks->type, grid->dimensions); k > 0; k--)
        at = &at->child[0];
    elements = *at;
    *at = (bmf_column){.type = elements.type};
    column_free(&all);
    value_free(blocks);
    list_adopt(ctx, partition, &elements, list);
    bmf_partition_release(partition);
    return BMF_OK;
}

/* The array on the processor that has all blocks' elements; none elsewhere. Moves the list's column out of it. */
static int array_of_list(bmf_evaluator *evaluator, const bmf_frame *frame, bmf_list *list, const bmf_type *type,
                         const bmf_block_grid *grid, const bmf_array *shape, const bmf_array *whole, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_value elements, blocks = {0};
    if (list->partition->local_parts == 0)
        return value_empty(ctx, type, 0, out);
    value_from_column(&list->column, &elements);
    list->column = (bmf_column){0};
    int status =
        array_create(ctx, array_levels(type, grid->dimensions), block_grid_count(grid), shape, &elements, &blocks);
    if (status == BMF_OK)
        status = array_join(evaluator, frame, 1, &blocks, grid, shape, whole, out);
    value_free(&blocks);
    return status;
}

static int gather_array(bmf_evaluator *evaluator, const bmf_frame *frame, int64_t base, const bmf_block_grid *grid,
                        const bmf_array *shape, const bmf_array *whole, bmf_value *blocks, bmf_value *out)
{
    const bmf_type *type = blocks->type;
    bmf_list *parts = NULL, *all = NULL;
    int status = list_of_blocks(evaluator, base, grid, shape, blocks, &parts);
    if (status == BMF_OK)
        status = bmf_gather(parts, &all);
    bmf_list_free(parts);
    if (status == BMF_OK)
        require_memory(array_of_list(evaluator, frame, all, type, grid, shape, whole, out), bmf_length(all));
    bmf_list_free(all);
    return status;
}

static int join_one(bmf_evaluator *evaluator, bmf_expression *form, bmf_frame *frame, const bmf_block_grid *grid,
                    bmf_value *x, bmf_value *out)
{
    bmf_distribution *spread = distribution_retain(x->spread);
    bmf_array *shape = NULL, whole;
    bmf_value blocks;
    bmf_failure fault;
    value_move(&x->child[0], &blocks);
    int status = tell_shapes(evaluator, form, frame, spread, grid->dimensions, &blocks, &shape);
    if (status == BMF_OK && !array_fit(grid, shape, &whole, &fault)) {
        bmf_expression known = *form;
        memcpy(known.number, grid->blocks, sizeof known.number);
        fault.expression = &known;
        status = frame_fail(evaluator, frame, &fault);
    }
    if (status == BMF_OK) {
        operation_begin(evaluator, form);
        status = gather_array(evaluator, frame, spread->elements->processor[0], grid, shape, &whole, &blocks, out);
        status = operation_end(evaluator, status);
    }
    value_free(&blocks);
    distribution_release(spread);
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
