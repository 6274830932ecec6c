/* Shapes of arrays, and arrays made from shapes.
 *
 * Method: one look at the length of every list but the innermost's elements; the first instance in order of which a
 * list is longer or shorter than the first on its level is the one reported, whatever the threads.
 * Cost: O(lists). */
#include "skeletons/language/evaluate/array.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/data/partition.h"

void array_block(const bmf_array *whole, const bmf_block_grid *grid, int64_t block, int64_t *begin, int64_t *end)
{
    for (int d = 0; d < grid->dimensions; d++) {
        const int64_t place = block_grid_place(grid, block, d);
        begin[d] = bmf_split_start(whole->extent[d], grid->blocks[d], place);
        end[d] = bmf_split_start(whole->extent[d], grid->blocks[d], place + 1);
    }
}

int64_t array_elements(const bmf_array *shape, int dimensions)
{
    int64_t elements = 1;
    for (int d = 0; d < dimensions; d++)
        elements *= shape->extent[d];
    return elements;
}

/* ---- shapes ---- */

typedef struct measuring {
    const bmf_value *lists;
    int dimensions;
    bmf_array *shape;
    bmf_failure first;
} measuring;

/* A list and one in it, -1: none, that differs in length from the first on its level. */
typedef struct odd_list {
    int64_t at[2], length, expected;
} odd_list;

/* The extent of a level, from the first list on it. False: this one is another. */
static bool agrees(int64_t length, bool first, int64_t *extent, odd_list *odd)
{
    if (first)
        *extent = length;
    *odd = (odd_list){{-1, -1}, length, *extent};
    return length == *extent;
}

/* The lists [begin, end) of a batch: those of a matrix, or of a list in three dimensions, of which `seen` had some. */
static bool measure_rows(const bmf_value *rows, int64_t begin, int64_t end, bool *seen, int64_t *extent, odd_list *odd)
{
    for (int64_t i = begin; i < end; i++) {
        if (!agrees(value_length(rows, i), !*seen, extent, odd)) {
            odd->at[0] = i - begin;
            return false;
        }
        *seen = true;
    }
    return true;
}

static bool measure(const bmf_value *lists, int64_t i, int dimensions, bmf_array *shape, odd_list *odd)
{
    const bmf_value *rows = &lists->child[0];
    const int64_t begin = lists->begin[i * lists->step], end = lists->end[i * lists->step];
    bool seen = false, inside = false;
    *shape = (bmf_array){{end - begin}};
    if (rows->type->kind != BMF_LIST)
        return true;
    if (!measure_rows(rows, begin, end, &seen, &shape->extent[1], odd))
        return false;
    for (int64_t k = begin; k < end && dimensions > 2 && rows->child[0].type->kind == BMF_LIST; k++)
        if (!measure_rows(&rows->child[0], rows->begin[k * rows->step], rows->end[k * rows->step], &inside,
                          &shape->extent[2], odd)) {
            odd->at[1] = odd->at[0];
            odd->at[0] = k - begin;
            return false;
        }
    return true;
}

static void measure_some(void *state, int64_t begin, int64_t end)
{
    measuring *m = state;
    odd_list odd;
    for (int64_t i = begin; i < end; i++)
        if (!measure(m->lists, i, m->dimensions, &m->shape[i], &odd)) {
            note_first_failure(&m->first, i, 0, 0);
            return;
        }
}

static int fail_odd(bmf_evaluator *evaluator, const bmf_frame *frame, const bmf_expression *by, measuring *m)
{
    bmf_array shape;
    odd_list odd = {{0}, 0, 0};
    if (m->first.kind == BMF_FAILURE_NONE)
        return BMF_OK;
    measure(m->lists, m->first.element, m->dimensions, &shape, &odd);
    const int64_t rows[] = {odd.at[0], odd.length, odd.expected, 0};
    const int64_t lists[] = {odd.at[0], odd.at[1], odd.length, odd.expected};
    for (int k = 0; k < 4; k++)
        m->first.value[k] = m->dimensions == 2 ? rows[k] : lists[k];
    return noted_failure(evaluator, frame, by, m->dimensions == 2 ? BMF_FAILURE_ROWS : BMF_FAILURE_ARRAY, &m->first);
}

int array_shapes(bmf_evaluator *evaluator, const bmf_expression *by, const bmf_frame *frame, const bmf_value *lists,
                 int dimensions, bmf_array **shape)
{
    const bool same = lists->step == 0 && lists->count > 1;
    const bmf_pass pass = {.ctx = evaluator->ctx};
    *shape = allocate_array(lists->count + 1, (int64_t)sizeof **shape);
    measuring m = {.lists = lists, .dimensions = dimensions, .shape = *shape};
    pass_run(&pass, same ? 1 : lists->count, measure_some, &m);
    for (int64_t i = 1; i < lists->count && same; i++)
        (*shape)[i] = (*shape)[0];
    return fail_odd(evaluator, frame, by, &m);
}

/* ---- arrays from shapes ---- */

/* How many lists there are whose elements count along dimension d; -1: too many. */
static int64_t lists_of(int64_t count, const bmf_array *shape, int d)
{
    int64_t lists = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t product = 1;
        for (int e = 0; e < d; e++)
            if (__builtin_mul_overflow(product, shape[i].extent[e], &product))
                return -1;
        if (__builtin_add_overflow(lists, product, &lists) || lists > INT64_MAX / 16)
            return -1;
    }
    return lists;
}

/* Packed lists along dimension d of these arrays, over what is inside of them, which is taken over. */
static int wrap(bmf_context *ctx, int d, int64_t count, const bmf_array *shape, bmf_value *inside, bmf_value *out)
{
    const int64_t lists = lists_of(count, shape, d);
    bmf_buffer *offsets = lists < 0 ? NULL : buffer_create((lists + 1) * (int64_t)sizeof(int64_t));
    if (!offsets)
        return fail_no_memory(ctx, lists < 0 ? INT64_MAX : lists);
    int64_t *offset = offsets->data, at = 0;
    offset[0] = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = array_elements(&shape[i], d); k > 0; k--, at++)
            offset[at + 1] = offset[at] + shape[i].extent[d];
    value_create_list(lists, offsets, inside, out);
    return BMF_OK;
}

int array_levels(const bmf_type *type, int dimensions)
{
    int levels = 0;
    for (; levels < dimensions && type->kind == BMF_LIST; levels++)
        type = type->component[0];
    return levels;
}

int array_create(bmf_context *ctx, int levels, int64_t count, const bmf_array *shape, bmf_value *inside, bmf_value *out)
{
    bmf_value all, lists;
    value_move(inside, &all);
    int status = BMF_OK;
    for (int d = levels - 1; d >= 0 && status == BMF_OK; d--) {
        status = wrap(ctx, d, count, shape, &all, &lists);
        if (status == BMF_OK)
            value_move(&lists, &all);
    }
    if (status == BMF_OK)
        value_move(&all, out);
    else
        value_free(&all);
    return status;
}

void array_share_elements(const bmf_value *lists, int levels, bmf_value *out)
{
    for (; levels > 0; levels--)
        lists = &lists->child[0];
    value_share(lists, out);
}
