/* B_Blocks, B_Join of placed lists: arrays in the blocks of a grid, and their whole again.
 *
 * Method: the rows of blocks are runs of the array's innermost lists. Blocks are views of them: no element is copied.
 * Where blocks are to lie one behind the other, and in the whole of blocks, the runs are copied in their order.
 * Cost: 16 bytes a run; of a whole, and of blocks that are sent, a copy of the elements. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/array.h"

/* Runs of the elements of innermost lists, in the order in which they are wanted. */
typedef struct runs {
    int64_t count;
    int64_t *begin, *end;
} runs;

static void make_runs(int64_t count, runs *made)
{
    *made = (runs){0, allocate_array(count + 1, (int64_t)sizeof *made->begin),
                   allocate_array(count + 1, (int64_t)sizeof *made->end)};
}

static void add_run(runs *all, int64_t begin, int64_t length)
{
    all->begin[all->count] = begin;
    all->end[all->count++] = begin + length;
}

static void free_runs(runs *all)
{
    free(all->begin);
    free(all->end);
}

/* The elements of the runs, one behind the other. */
static int copy_runs(const bmf_pass *pass, const bmf_value *elements, const runs *all, bmf_value *out)
{
    int64_t *offsets = allocate_array(all->count + 1, (int64_t)sizeof *offsets), step = 1;
    const int64_t *begin = all->begin;
    offsets[0] = 0;
    for (int64_t k = 0; k < all->count; k++)
        offsets[k + 1] = offsets[k] + all->end[k] - all->begin[k];
    const int status = value_join(pass, &(bmf_segments){1, &elements, &begin, &step, all->count, offsets}, out);
    free(offsets);
    return status;
}

/* Where the elements of an array's innermost list begin: of list `row` of a matrix, of list `row` of list `plane` of
 * three dimensions. */
static int64_t run_begin(const bmf_value *lists, int dimensions, int64_t i, int64_t plane, int64_t row)
{
    const bmf_value *inner = &lists->child[0];
    const int64_t first = lists->begin[i * lists->step];
    if (dimensions == 2)
        return inner->begin[(first + row) * inner->step];
    const bmf_value *innermost = &inner->child[0];
    return innermost->begin[(inner->begin[(first + plane) * inner->step] + row) * innermost->step];
}

/* ---- cutting ---- */

static int64_t lists_in(const bmf_array *shape, int dimensions)
{
    return array_elements(shape, dimensions - 1);
}

/* The runs of an array's blocks, block by block. */
static void add_block_runs(const bmf_value *lists, int64_t i, const bmf_array *shape, const bmf_block_grid *grid,
                           runs *all)
{
    const int last = grid->dimensions - 1, row_axis = last - 1;
    for (int64_t block = 0; block < block_grid_count(grid); block++) {
        int64_t begin[BMF_NUMBERS], end[BMF_NUMBERS];
        array_block(shape, grid, block, begin, end);
        const int64_t planes = last == 2 ? end[0] : 1;
        for (int64_t plane = last == 2 ? begin[0] : 0; plane < planes; plane++)
            for (int64_t row = begin[row_axis]; row < end[row_axis]; row++)
                add_run(all, run_begin(lists, grid->dimensions, i, plane, row) + begin[last], end[last] - begin[last]);
    }
}

/* The runs of all blocks of all instances. */
static void find_block_runs(const bmf_value *lists, const bmf_array *shape, const bmf_block_grid *grid, runs *all)
{
    int64_t count = 0;
    for (int64_t i = 0; i < lists->count; i++)
        count += lists_in(&shape[i], grid->dimensions) * grid->blocks[grid->dimensions - 1];
    make_runs(count, all);
    for (int64_t i = 0; i < lists->count; i++)
        add_block_runs(lists, i, &shape[i], grid, all);
}

int array_cut_elements(bmf_evaluator *evaluator, const bmf_frame *frame, const bmf_value *lists, const bmf_array *shape,
                       const bmf_block_grid *grid, bmf_value *elements)
{
    const int levels = array_levels(lists->type, grid->dimensions);
    const int64_t offsets[2] = {0, array_elements(shape, grid->dimensions)};
    bmf_value all;
    bmf_pass pass;
    runs rows;
    array_share_elements(lists, levels, &all);
    if (levels < grid->dimensions) { /* there are none */
        value_move(&all, elements);
        return BMF_OK;
    }
    find_block_runs(lists, shape, grid, &rows);
    pass_open(evaluator, frame, "blocks", offsets, &pass);
    const int status = copy_runs(&pass, &all, &rows, elements);
    pass_close(&pass);
    free_runs(&rows);
    value_free(&all);
    return status;
}

/* Innermost lists as views of the elements. */
static int view_runs(bmf_context *ctx, const bmf_value *elements, const runs *all, bmf_value *out)
{
    const int64_t bytes = all->count * (int64_t)sizeof(int64_t);
    bmf_buffer *ends = buffer_create(2 * bytes);
    if (!ends)
        return fail_no_memory(ctx, all->count);
    int64_t *begin = ends->data;
    if (all->count > 0) {
        memcpy(begin, all->begin, (size_t)bytes);
        memcpy(begin + all->count, all->end, (size_t)bytes);
    }
    *out = (bmf_value){.type = bmf_type_list(elements->type),
                       .count = all->count,
                       .buffer = ends,
                       .begin = begin,
                       .end = begin + all->count,
                       .step = 1,
                       .child = allocate_clear(1, (int64_t)sizeof *out->child)};
    value_share(elements, out->child);
    return BMF_OK;
}

/* What the lists of blocks are made of: innermost lists; where there are none, what is there instead. */
static int make_inside(bmf_context *ctx, const bmf_value *x, const bmf_array *shape, const bmf_block_grid *grid,
                       int levels, bmf_value *inside)
{
    bmf_value elements;
    runs rows;
    array_share_elements(x, levels, &elements);
    if (levels < grid->dimensions) {
        value_move(&elements, inside);
        return BMF_OK;
    }
    find_block_runs(x, shape, grid, &rows);
    const int status = view_runs(ctx, &elements, &rows, inside);
    free_runs(&rows);
    value_free(&elements);
    return status;
}

/* Every instance's list of its blocks, which are taken over. */
static int list_blocks(bmf_context *ctx, int64_t instances, int64_t parts, bmf_value *blocks, bmf_value *out)
{
    bmf_buffer *offsets = buffer_create((instances + 1) * (int64_t)sizeof(int64_t));
    if (!offsets)
        return fail_no_memory(ctx, instances);
    for (int64_t i = 0; i <= instances; i++)
        ((int64_t *)offsets->data)[i] = i * parts;
    value_create_list(instances, offsets, blocks, out);
    return BMF_OK;
}

int array_cut(bmf_context *ctx, const bmf_value *x, const bmf_array *shape, const bmf_block_grid *grid, bmf_value *out)
{
    const int64_t parts = block_grid_count(grid), count = x->count * parts;
    const int levels = array_levels(x->type, grid->dimensions);
    bmf_array *box = allocate_clear(count + 1, (int64_t)sizeof *box);
    bmf_value inside, blocks = {0};
    for (int64_t k = 0; k < count; k++) {
        int64_t begin[BMF_NUMBERS], end[BMF_NUMBERS];
        array_block(&shape[k / parts], grid, k % parts, begin, end);
        for (int d = 0; d < grid->dimensions; d++)
            box[k].extent[d] = end[d] - begin[d];
    }
    int status = make_inside(ctx, x, shape, grid, levels, &inside);
    if (status == BMF_OK)
        status = array_create(ctx, levels < grid->dimensions ? levels : levels - 1, count, box, &inside, &blocks);
    if (status == BMF_OK)
        status = list_blocks(ctx, x->count, parts, &blocks, out);
    value_free(&blocks);
    free(box);
    return status;
}

bmf_block_grid block_grid_of(const bmf_expression *form)
{
    bmf_block_grid grid = {.dimensions = form->numbers};
    memcpy(grid.blocks, form->number, sizeof grid.blocks);
    return grid;
}

int evaluate_blocks(bmf_evaluator *evaluator, bmf_expression *blocks, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    const bmf_block_grid grid = block_grid_of(blocks);
    bmf_array *shape;
    int status = array_shapes(evaluator, blocks, frame, x, grid.dimensions, &shape);
    if (status == BMF_OK)
        status = array_cut(evaluator->ctx, x, shape, &grid, out);
    free(shape);
    value_free(x);
    return status;
}

/* ---- joining ---- */

/* How many elements the blocks in each place along dimension d have; false: not as many in all. A block says nothing
 * about what is inside of lists that it does not have. size: of every place, -1: nobody says. */
static bool find_sizes(const bmf_block_grid *grid, const bmf_array *block, int d, int64_t *size, bmf_failure *fault)
{
    for (int64_t k = 0; k < grid->blocks[d]; k++)
        size[k] = -1;
    for (int64_t k = 0; k < block_grid_count(grid); k++) {
        int64_t *seen = &size[block_grid_place(grid, k, d)];
        if (array_elements(&block[k], d) == 0)
            continue;
        if (*seen < 0)
            *seen = block[k].extent[d];
        if (*seen != block[k].extent[d]) {
            *fault = (bmf_failure){.kind = BMF_FAILURE_BLOCKS, .value = {k, d, block[k].extent[d], *seen}};
            return false;
        }
    }
    return true;
}

bool array_fit(const bmf_block_grid *grid, const bmf_array *block, bmf_array *whole, bmf_failure *fault)
{
    bool fit = true;
    *whole = (bmf_array){{0}};
    for (int d = 0; d < grid->dimensions && fit; d++) {
        int64_t *size = allocate_array(grid->blocks[d], (int64_t)sizeof *size);
        fit = find_sizes(grid, block, d, size, fault);
        for (int64_t k = 0; k < grid->blocks[d] && fit; k++)
            whole->extent[d] += size[k] > 0 ? size[k] : 0;
        free(size);
    }
    return fit;
}

void array_starts(const bmf_block_grid *grid, const bmf_array *block, int d, int64_t *start)
{
    bmf_failure none;
    find_sizes(grid, block, d, start + 1, &none);
    start[0] = 0;
    for (int64_t k = 0; k < grid->blocks[d]; k++)
        start[k + 1] = start[k] + (start[k + 1] > 0 ? start[k + 1] : 0);
}

/* Place k and the number inside of it of position `at` among sizes, from where the last position was. */
typedef struct place {
    int64_t k, inside;
} place;

static void move_on(const int64_t *size, place *at)
{
    at->inside++;
    while (size[at->k] <= at->inside) {
        at->inside = 0;
        at->k++;
    }
}

static place first_place(const int64_t *size, int64_t extent)
{
    place at = {0, -1};
    if (extent > 0)
        move_on(size, &at);
    return at;
}

/* The runs of the whole's innermost lists, of one instance, whose blocks begin at number `first`. */
static void add_whole_runs(const bmf_value *blocks, int64_t first, const bmf_block_grid *grid, const bmf_array *block,
                           const bmf_array *whole, runs *all)
{
    const int last = grid->dimensions - 1;
    int64_t *size[BMF_NUMBERS];
    bmf_failure none;
    for (int d = 0; d <= last; d++) {
        size[d] = allocate_array(grid->blocks[d] + 1, (int64_t)sizeof *size[d]);
        find_sizes(grid, block, d, size[d], &none);
        size[d][grid->blocks[d]] = INT64_MAX; /* behind the last one */
    }
    const int64_t planes = last == 2 ? whole->extent[0] : 1, rows = whole->extent[last - 1];
    place plane = last == 2 ? first_place(size[0], planes) : (place){0, 0};
    for (int64_t p = 0; p < planes; p++) {
        place row = first_place(size[last - 1], rows);
        for (int64_t r = 0; r < rows; r++) {
            for (int64_t c = 0; c < grid->blocks[last]; c++) {
                const int64_t k = (last == 2 ? plane.k * grid->blocks[1] + row.k : row.k) * grid->blocks[last] + c;
                if (size[last][c] > 0)
                    add_run(all, run_begin(blocks, grid->dimensions, first + k, plane.inside, row.inside),
                            size[last][c]);
            }
            move_on(size[last - 1], &row);
        }
        if (last == 2)
            move_on(size[0], &plane);
    }
    for (int d = 0; d <= last; d++)
        free(size[d]);
}

int array_join(bmf_evaluator *evaluator, const bmf_frame *frame, int64_t instances, const bmf_value *blocks,
               const bmf_block_grid *grid, const bmf_array *block, const bmf_array *whole, bmf_value *out)
{
    const int levels = array_levels(blocks->type, grid->dimensions);
    const int64_t parts = block_grid_count(grid);
    int64_t *offsets = allocate_array(instances + 1, (int64_t)sizeof *offsets), count = 0;
    bmf_value elements, joined = {0};
    bmf_pass pass;
    runs rows;
    array_share_elements(blocks, levels, &elements);
    offsets[0] = 0;
    for (int64_t i = 0; i < instances; i++) {
        offsets[i + 1] = offsets[i] + array_elements(&whole[i], grid->dimensions);
        count += lists_in(&whole[i], grid->dimensions) * grid->blocks[grid->dimensions - 1];
    }
    make_runs(count, &rows);
    for (int64_t i = 0; i < instances && levels == grid->dimensions; i++)
        add_whole_runs(blocks, i * parts, grid, block + i * parts, &whole[i], &rows);
    pass_open(evaluator, frame, "join", offsets, &pass);
    int status = copy_runs(&pass, &elements, &rows, &joined);
    pass_close(&pass);
    if (status == BMF_OK)
        status = array_create(evaluator->ctx, levels, instances, whole, &joined, out);
    free_runs(&rows);
    free(offsets);
    value_free(&elements);
    return status;
}

/* Every instance has as many blocks as the grid. */
static int check_counts(bmf_evaluator *evaluator, const bmf_expression *join, const bmf_frame *frame,
                        const bmf_value *x, int64_t parts)
{
    for (int64_t i = 0; i < x->count; i++)
        if (value_length(x, i) != parts)
            return frame_fail(
                evaluator, frame,
                &(bmf_failure){
                    .kind = BMF_FAILURE_COUNT, .expression = join, .element = i, .value = {parts, value_length(x, i)}});
    return BMF_OK;
}

/* What the blocks of every instance make. */
static int find_wholes(bmf_evaluator *evaluator, const bmf_expression *join, const bmf_frame *frame,
                       const bmf_block_grid *grid, int64_t instances, const bmf_array *block, bmf_array *whole)
{
    const int64_t parts = block_grid_count(grid);
    bmf_failure fault;
    for (int64_t i = 0; i < instances; i++)
        if (!array_fit(grid, block + i * parts, &whole[i], &fault)) {
            fault.expression = join;
            fault.element = i;
            return frame_fail(evaluator, frame, &fault);
        }
    return BMF_OK;
}

int evaluate_join(bmf_evaluator *evaluator, bmf_expression *join, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    const bmf_block_grid grid = block_grid_of(join);
    bmf_array *block = NULL, *whole = allocate_array(x->count + 1, (int64_t)sizeof *whole);
    bmf_frame inner;
    int status = check_counts(evaluator, join, frame, x, block_grid_count(&grid));
    if (status == BMF_OK)
        status = value_pack_for(evaluator, frame, "pack", x);
    if (status == BMF_OK) {
        frame_open_elements(frame, join, x->begin, &inner);
        status = array_shapes(evaluator, join, &inner, &x->child[0], grid.dimensions, &block);
        frame_close(&inner);
    }
    if (status == BMF_OK)
        status = find_wholes(evaluator, join, frame, &grid, x->count, block, whole);
    if (status == BMF_OK)
        status = array_join(evaluator, frame, x->count, &x->child[0], &grid, block, whole, out);
    free(block);
    free(whole);
    value_free(x);
    return status;
}
