/* Blocks of a grid on several processors: what splits, joins and moves of them share.
 *
 * Method: the elements of all blocks, block after block, are a list in C whose parts are the blocks; lists of lists are
 * made of them again where they are, from the sizes of the blocks, which every rank knows. */
#include "skeletons/language/parallel/blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/stencil.h"
#include "runtime/base/allocate.h"

_Static_assert((int)BMF_NUMBERS == (int)BMF_MAX_DIMENSIONS, "a grid of the language is one in C");

/* ---- grids ---- */

int blocks_choose(bmf_context *ctx, const bmf_expression *form, const bmf_array *whole, bmf_grid *grid)
{
    *grid = (bmf_grid){.dimensions = form->numbers};
    memcpy(grid->extent, whole->extent, sizeof grid->extent);
    memcpy(grid->processors, form->number, sizeof grid->processors);
    return bmf_grid_choose(ctx, grid);
}

void blocks_on_grid(int dimensions, const int64_t *blocks, bmf_distribution *spread)
{
    spread->dimensions = dimensions;
    memcpy(spread->blocks, blocks, (size_t)dimensions * sizeof *blocks);
}

/* The shape of a block of a tiling. */
static bmf_array shape_of_block(const bmf_tiling *tiling, int64_t part)
{
    bmf_array shape = {{0}};
    for (int d = tiling->dimensions - 1; d >= 0; d--) {
        const int64_t *start = tiling->start[d] + part % tiling->blocks[d];
        part /= tiling->blocks[d];
        shape.extent[d] = start[1] - start[0];
    }
    return shape;
}

/* ---- what ranks know of them ---- */

/* Starts of lists, then 1 and those of the tiling, dimension by dimension; or 0. */
static bmf_buffer *make_starts(const bmf_distribution *spread, bool with_tiling)
{
    int64_t numbers = spread->elements->count + 2;
    for (int d = 0; d < spread->dimensions && with_tiling; d++)
        numbers += spread->blocks[d] + 1;
    bmf_buffer *made = working_buffer(numbers * (int64_t)sizeof(int64_t));
    ((int64_t *)made->data)[spread->elements->count + 1] = with_tiling;
    return made;
}

bmf_buffer *blocks_starts(const bmf_distribution *spread, const bmf_tiling *tiling)
{
    const int64_t parts = spread->elements->count;
    const bool on_grid = spread->dimensions > 0; /* others are rows in parts */
    bmf_buffer *made = make_starts(spread, on_grid);
    int64_t *start = made->data, *at = start + parts + 2;
    start[0] = 0;
    for (int64_t k = 0; k < parts; k++)
        start[k + 1] = start[k] + shape_of_block(tiling, k).extent[0];
    for (int d = 0; d < tiling->dimensions && on_grid; at += tiling->blocks[d++] + 1)
        memcpy(at, tiling->start[d], (size_t)(tiling->blocks[d] + 1) * sizeof *at);
    return made;
}

void blocks_keep(const bmf_tiling *tiling, bmf_value *out)
{
    out->buffer = blocks_starts(out->spread, tiling);
}

bool blocks_known(const bmf_distribution *spread, const bmf_buffer *starts, bmf_tiling *tiling)
{
    const int64_t *at = starts ? (int64_t *)starts->data + spread->elements->count + 1 : NULL;
    if (!at || *at++ == 0)
        return false;
    *tiling = (bmf_tiling){.dimensions = spread->dimensions};
    for (int d = 0; d < spread->dimensions; at += spread->blocks[d++] + 1) {
        tiling->blocks[d] = spread->blocks[d];
        tiling->start[d] = allocate_array(spread->blocks[d] + 1, (int64_t)sizeof *at);
        memcpy(tiling->start[d], at, (size_t)(spread->blocks[d] + 1) * sizeof *at);
    }
    return true;
}

bmf_buffer *blocks_starts_alone(const bmf_distribution *spread, const bmf_buffer *starts)
{
    bmf_buffer *made = make_starts(spread, false);
    memcpy(made->data, starts->data, (size_t)(spread->elements->count + 1) * sizeof(int64_t));
    return made;
}

int blocks_tell(bmf_evaluator *evaluator, const bmf_expression *form, bmf_frame *frame, bmf_distribution *spread,
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

int blocks_tiling(bmf_evaluator *evaluator, const bmf_expression *form, const bmf_frame *frame,
                  const bmf_block_grid *grid, const bmf_array *shape, bmf_tiling *tiling)
{
    bmf_failure fault;
    bmf_expression known = *form;
    bmf_array whole;
    if (!array_fit(grid, shape, &whole, &fault)) {
        known.numbers = grid->dimensions;
        memcpy(known.number, grid->blocks, sizeof known.number);
        fault.expression = &known;
        return frame_fail(evaluator, frame, &fault);
    }
    *tiling = (bmf_tiling){.dimensions = grid->dimensions};
    for (int d = 0; d < grid->dimensions; d++) {
        tiling->blocks[d] = grid->blocks[d];
        tiling->start[d] = allocate_array(grid->blocks[d] + 1, (int64_t)sizeof *tiling->start[d]);
        array_starts(grid, shape, d, tiling->start[d]);
    }
    return BMF_OK;
}

/* The parts of a distributed list without a grid are one column of blocks. */
static bmf_block_grid grid_of_parts(const bmf_expression *form, const bmf_distribution *spread, int dimensions)
{
    bmf_block_grid grid = {.dimensions = dimensions, .blocks = {spread->elements->count, 1, 1}};
    if (form->on_grid)
        memcpy(grid.blocks, spread->blocks, sizeof grid.blocks);
    return grid;
}

/* Rows are of one length in all parts. */
static int check_rows(bmf_evaluator *evaluator, const bmf_expression *form, const bmf_block_grid *grid,
                      const bmf_array *shape)
{
    bmf_failure fault;
    bmf_array whole;
    if (form->on_grid || array_fit(grid, shape, &whole, &fault))
        return BMF_OK;
    return text_fail(evaluator->texts, evaluator->ctx, form->span, BMF_ERROR_SHAPE,
                     "%s needs rows of equal length: in part %" PRId64 " they have %" PRId64
                     " element%s, in those before it %" PRId64,
                     expression_keyword(form), fault.value[0], fault.value[2], fault.value[2] == 1 ? "" : "s",
                     fault.value[3]);
}

int blocks_of_parts(bmf_evaluator *evaluator, const bmf_expression *form, bmf_frame *frame, bmf_distribution *spread,
                    int dimensions, const bmf_value *parts, bmf_tiling *tiling)
{
    const bmf_block_grid grid = grid_of_parts(form, spread, dimensions);
    bmf_array *shape = NULL;
    int status = blocks_tell(evaluator, form, frame, spread, dimensions, parts, &shape);
    if (status == BMF_OK)
        status = check_rows(evaluator, form, &grid, shape);
    if (status == BMF_OK)
        status = blocks_tiling(evaluator, form, frame, &grid, shape, tiling);
    free(shape);
    return status;
}

/* ---- to lists in C and back ---- */

void blocks_elements(bmf_context *ctx, int dimensions, bmf_value *blocks, bmf_column *elements)
{
    bmf_column all, *at = &all;
    require_memory(value_to_column(ctx, blocks, &all), blocks->count);
    for (int k = array_levels(blocks->type, dimensions); k > 0; k--)
        at = &at->child[0];
    *elements = *at;
    *at = (bmf_column){.type = elements->type};
    column_free(&all);
    value_free(blocks);
}

void blocks_of_elements(bmf_context *ctx, const bmf_type *type, const bmf_tiling *tiling, int64_t first, int64_t count,
                        bmf_column *elements, bmf_value *blocks)
{
    bmf_array *shape = allocate_array(count + 1, (int64_t)sizeof *shape);
    bmf_value inside;
    for (int64_t k = 0; k < count; k++)
        shape[k] = shape_of_block(tiling, first + k);
    value_from_column(elements, &inside);
    require_memory(array_create(ctx, array_levels(type, tiling->dimensions), count, shape, &inside, blocks), count);
    free(shape);
}

int blocks_partition(bmf_context *ctx, const bmf_distribution *spread, const bmf_tiling *tiling,
                     bmf_partition **partition)
{
    const int64_t *processor = spread->elements->processor;
    int log2_stride = 0;
    while (spread->elements->count > 1 && processor[0] + ((int64_t)1 << log2_stride) < processor[1])
        log2_stride++;
    return tiling_partition(ctx, processor[0], log2_stride, tiling, partition);
}

int blocks_regrid(bmf_evaluator *evaluator, const bmf_expression *form, const bmf_distribution *source,
                  const bmf_tiling *from, const bmf_distribution *target, const bmf_tiling *to, const int *axis,
                  bmf_value *blocks, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    const bmf_type *type = blocks->type;
    bmf_partition *partition[2] = {NULL, NULL};
    bmf_column elements, moved;
    int status = blocks_partition(ctx, source, from, &partition[0]);
    if (status == BMF_OK)
        status = blocks_partition(ctx, target, to, &partition[1]);
    if (status == BMF_OK) {
        bmf_regrid move = {ctx, from, to, partition[0], partition[1], {0}};
        for (int d = 0; d < from->dimensions; d++)
            move.axis[d] = axis[d];
        blocks_elements(ctx, from->dimensions, blocks, &elements);
        status = regrid(&move, expression_keyword(form), &elements, &moved);
        column_free(&elements);
    }
    if (status == BMF_OK)
        blocks_of_elements(ctx, type, to, partition[1]->local_first, partition[1]->local_parts, &moved, out);
    for (int k = 0; k < 2; k++)
        bmf_partition_release(partition[k]);
    return status;
}
