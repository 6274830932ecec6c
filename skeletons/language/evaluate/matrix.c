/* Shapes of lists of rows, and lists of lists made from shapes.
 *
 * Method: one look at the length of every row; the first instance in order whose rows are of unequal length is the one
 * reported, whatever the threads. Cost: O(rows). */
#include "skeletons/language/evaluate/matrix.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"

/* ---- shapes ---- */

typedef struct measure_state {
    const bmf_value *lists;
    bmf_shape *shape;
    bmf_failure first;
} measure_state;

static int64_t row_length(const bmf_value *lists, int64_t i, int64_t row)
{
    return value_length(&lists->child[0], lists->begin[i * lists->step] + row);
}

/* The first row that is not as long as the row in front; `rows` if there is none. */
static int64_t odd_row(const bmf_value *lists, int64_t i, int64_t rows)
{
    int64_t row = 1;
    while (row < rows && row_length(lists, i, row) == row_length(lists, i, 0))
        row++;
    return row < rows ? row : rows;
}

static void measure_some(void *state, int64_t begin, int64_t end)
{
    measure_state *s = state;
    for (int64_t i = begin; i < end; i++) {
        const int64_t rows = value_length(s->lists, i);
        s->shape[i] = (bmf_shape){rows, rows > 0 ? row_length(s->lists, i, 0) : 0};
        if (odd_row(s->lists, i, rows) < rows) {
            note_first_failure(&s->first, i, 0, 0);
            return;
        }
    }
}

int matrix_shapes(bmf_evaluator *evaluator, const bmf_expression *by, const bmf_frame *frame, const bmf_value *lists,
                  int matrix, bmf_shape **shape)
{
    const bool same = lists->step == 0 && lists->count > 1;
    bmf_pass pass = {.ctx = evaluator->ctx};
    measure_state state = {.lists = lists};
    *shape = allocate_array(lists->count + 1, (int64_t)sizeof **shape);
    state.shape = *shape;
    if (lists->child[0].type->kind != BMF_LIST) { /* nothing: there are no rows */
        for (int64_t i = 0; i < lists->count; i++)
            (*shape)[i] = (bmf_shape){0, 0};
        return BMF_OK;
    }
    pass_run(&pass, same ? 1 : lists->count, measure_some, &state);
    for (int64_t i = 1; i < lists->count && same; i++)
        (*shape)[i] = (*shape)[0];
    if (state.first.kind != BMF_FAILURE_NONE) {
        const int64_t i = state.first.element, rows = value_length(lists, i), row = odd_row(lists, i, rows);
        const int64_t value[] = {row, row_length(lists, i, row), row_length(lists, i, 0), matrix};
        for (int k = 0; k < 4; k++)
            state.first.value[k] = value[k];
    }
    return noted_failure(evaluator, frame, by, BMF_FAILURE_ROWS, &state.first);
}

/* ---- lists of lists ---- */

static bool add_product(int64_t a, int64_t b, int64_t *sum)
{
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum) &&
           *sum <= INT64_MAX / 16;
}

/* Offsets of `count` rows of `length` elements, from row `row` on. */
static void number_rows(int64_t *offset, int64_t row, int64_t count, int64_t length)
{
    for (int64_t r = row; r < row + count; r++)
        offset[r + 1] = offset[r] + length;
}

int matrix_layout(bmf_context *ctx, int64_t instances, const bmf_shape *shape, bmf_matrix_layout *layout)
{
    int64_t rows = 0, total = 0;
    for (int64_t i = 0; i < instances; i++)
        if (!add_product(shape[i].rows, 1, &rows) || !add_product(shape[i].rows, shape[i].columns, &total))
            return fail_no_memory(ctx, INT64_MAX);
    *layout = (bmf_matrix_layout){.rows = buffer_create((instances + 1) * (int64_t)sizeof(int64_t)),
                                  .elements = buffer_create((rows + 1) * (int64_t)sizeof(int64_t)),
                                  .total = total,
                                  .begin = allocate_array(instances + 1, (int64_t)sizeof(int64_t))};
    if (!layout->rows || !layout->elements) {
        matrix_layout_free(layout);
        return fail_no_memory(ctx, rows);
    }
    int64_t *row = layout->rows->data, *element = layout->elements->data;
    row[0] = element[0] = layout->begin[0] = 0;
    for (int64_t i = 0; i < instances; i++) {
        number_rows(element, row[i], shape[i].rows, shape[i].columns);
        row[i + 1] = row[i] + shape[i].rows;
        layout->begin[i + 1] = element[row[i + 1]];
    }
    return BMF_OK;
}

void matrix_layout_free(bmf_matrix_layout *layout)
{
    buffer_release(layout->rows);
    buffer_release(layout->elements);
    free(layout->begin);
    *layout = (bmf_matrix_layout){0};
}

void matrix_create(const bmf_matrix_layout *layout, int64_t instances, bmf_value *elements, bmf_value *out)
{
    const int64_t *row = layout->rows->data;
    bmf_value lists;
    value_create_list(row[instances], buffer_retain(layout->elements), elements, &lists);
    value_create_list(instances, buffer_retain(layout->rows), &lists, out);
}
