/* B_Matmul of placed matrices: the products of two matrices, for all instances.
 *
 * Method: element (i, j) is the reduction of the products of row i and column j, with default 0, by the fixed tree, to
 * the last bit and whatever the threads. Reals: eight columns at a time (skeletons/engine/inner_products.h); small
 * matrices one element after the other. Ints: if not even the largest magnitudes could make a sum too large, sums are
 * taken in the order that suits the caches; otherwise one after the other by the tree, every operation checked, because
 * it is the order that decides whether one fails. In the free mode a BLAS library multiplies reals, if there is one.
 * Cost: 2 m n k operations for m x k and k x n, shared by all threads row by row. */
#include <stdlib.h>
#include <string.h>

#include "bmf/kernel.h"
#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "skeletons/engine/blas.h"
#include "skeletons/engine/inner_products.h"
#include "skeletons/language/evaluate/matrix.h"

enum { FEWEST_PRODUCTS = 512 };             /* fewer do not pay for the layout of columns */
enum { INT_COLUMNS = 256, INT_INNER = 64 }; /* a block of the second matrix in the second-level cache */

typedef struct multiplication {
    const bmf_value *lists[2]; /* of rows */
    const bmf_shape *shape[2];
    const void *data[2]; /* of all elements */
    const int64_t *work; /* where the products of each instance begin, and the end */
    const bmf_matrix_layout *layout;
    const bool *fits; /* of ints: no sum can become too large */
    void *out;
    int64_t instances;
    bool by_library; /* of reals: wherever the library can */
    bmf_failure first;
} multiplication;

static int64_t inner_of(const multiplication *m, int64_t i)
{
    return m->shape[1][i].rows;
}

/* Row `row` of the result. */
static int64_t result_row(const multiplication *m, int64_t i, int64_t row)
{
    return m->layout->begin[i] + row * m->shape[1][i].columns;
}

/* ---- one element, by the fixed tree ---- */

/* A row and a column: element k of the column is at matrix_row(lists, instance, k) + column. */
typedef struct both {
    const bmf_value *lists;
    int64_t instance, column;
    const void *row, *data;
    bool bad; /* of ints: too large */
} both;

static double sum_reals(const both *b, int64_t at, int64_t width)
{
    if (width > 1)
        return sum_reals(b, at, width / 2) + sum_reals(b, at + width / 2, width / 2);
    const double product =
        ((const double *)b->row)[at] * ((const double *)b->data)[matrix_row(b->lists, b->instance, at) + b->column];
    return product;
}

static int64_t sum_ints(both *b, int64_t at, int64_t width)
{
    int64_t made;
    if (width > 1) {
        const int64_t left = sum_ints(b, at, width / 2), right = sum_ints(b, at + width / 2, width / 2);
        b->bad |= __builtin_add_overflow(left, right, &made);
        return made;
    }
    b->bad |=
        __builtin_mul_overflow(((const int64_t *)b->row)[at],
                               ((const int64_t *)b->data)[matrix_row(b->lists, b->instance, at) + b->column], &made);
    return made;
}

/* The nodes of the digits of the length, from the largest down, combined from the left. */
static double inner_real(const both *b, int64_t length)
{
    double sum = 0.0;
    for (int64_t width = (int64_t)1 << 62, at = 0; width > 0; width /= 2)
        if (length & width) {
            const double node = sum_reals(b, at, width);
            sum = at == 0 ? node : sum + node;
            at += width;
        }
    return 0.0 + sum;
}

static int64_t inner_int(both *b, int64_t length)
{
    int64_t sum = 0;
    for (int64_t width = (int64_t)1 << 62, at = 0; width > 0; width /= 2)
        if (length & width) {
            b->bad |= __builtin_add_overflow(sum, sum_ints(b, at, width), &sum);
            at += width;
        }
    return sum;
}

static void multiply_one_by_one(multiplication *m, int64_t i, int64_t first, int64_t last)
{
    const int64_t columns = m->shape[1][i].columns, inner = inner_of(m, i);
    const bool real = m->lists[0]->child[0].child[0].type->kind == BMF_REAL;
    both b = {.lists = m->lists[1], .instance = i, .data = m->data[1]};
    for (int64_t row = first; row < last; row++) {
        b.row = (const char *)m->data[0] + matrix_row(m->lists[0], i, row) * (int64_t)sizeof(int64_t);
        const int64_t to = result_row(m, i, row);
        for (b.column = 0; b.column < columns; b.column++)
            if (real)
                ((double *)m->out)[to + b.column] = inner_real(&b, inner);
            else
                ((int64_t *)m->out)[to + b.column] = inner_int(&b, inner);
    }
    if (b.bad)
        note_first_failure(&m->first, i, 0, 0);
}

/* ---- reals ---- */

/* Columns [left, left + width) of an instance's second matrix. */
typedef struct columns {
    const multiplication *m;
    int64_t instance, left, width;
} columns;

static void fill_columns(const void *given, int64_t at, int64_t count, inner_lanes *to)
{
    const columns *c = given;
    for (int64_t k = 0; k < count; k++) {
        const double *from = (const double *)c->m->data[1] + matrix_row(c->m->lists[1], c->instance, at + k) + c->left;
        if (c->width == INNER_LANES)
            to[k] = *(const inner_loose_lanes *)from;
        else
            for (int64_t j = 0; j < INNER_LANES; j++)
                to[k][j] = from[j < c->width ? j : c->width - 1];
    }
}

/* Rows [first, first + products->rows). */
static void multiply_block(const multiplication *m, inner_products *products, int64_t i, int64_t first)
{
    const int64_t width = m->shape[1][i].columns;
    inner_lanes total[INNER_ROWS];
    for (int64_t left = 0; left < width; left += INNER_LANES) {
        const int64_t rest = width - left;
        const columns c = {m, i, left, rest < INNER_LANES ? rest : INNER_LANES};
        inner_eight(products, fill_columns, &c, total);
        for (int64_t row = 0; row < products->rows; row++) {
            double *to = (double *)m->out + result_row(m, i, first + row) + left;
            for (int64_t j = 0; j < c.width; j++)
                to[j] = 0.0 + total[row][j];
        }
    }
}

/* Rows [first, last) of an operand of instance i; false: not all of them lie equally far apart. */
static bool equal_rows(const multiplication *m, int operand, int64_t i, int64_t first, int64_t last, blas_matrix *made)
{
    const bmf_value *lists = m->lists[operand];
    const int64_t at = matrix_row(lists, i, first), length = m->shape[operand][i].columns;
    const int64_t row = last - first > 1 ? matrix_row(lists, i, first + 1) - at : length;
    for (int64_t k = first + 1; k < last; k++)
        if (matrix_row(lists, i, k) != at + (k - first) * row)
            return false;
    *made = (blas_matrix){(const double *)m->data[operand] + at, row, last - first, length};
    return row >= length;
}

static bool multiply_by_library(const multiplication *m, int64_t i, int64_t first, int64_t last)
{
    blas_matrix a, b;
    return m->by_library && equal_rows(m, 0, i, first, last, &a) && equal_rows(m, 1, i, 0, inner_of(m, i), &b) &&
           blas_multiply(&a, &b, (double *)m->out + result_row(m, i, first), b.columns);
}

static void multiply_reals(const multiplication *m, int64_t i, int64_t first, int64_t last)
{
    if (multiply_by_library(m, i, first, last))
        return;
    inner_products products;
    inner_open(&products, inner_of(m, i));
    for (int64_t next; first < last; first = next) {
        next = first + INNER_ROWS < last ? first + INNER_ROWS : last;
        for (int64_t row = first; row < next; row++)
            products.x[row - first] = (const double *)m->data[0] + matrix_row(m->lists[0], i, row);
        inner_start(&products, next - first);
        multiply_block(m, &products, i, first);
    }
    inner_close(&products);
}

/* ---- ints that fit ---- */

BMF_VECTORISE static void add_products(int64_t x, const int64_t *y, int64_t count, int64_t *sum)
{
    for (int64_t j = 0; j < count; j++)
        sum[j] += x * y[j];
}

static void multiply_ints(const multiplication *m, int64_t i, int64_t first, int64_t last)
{
    const int64_t width = m->shape[1][i].columns, inner = inner_of(m, i);
    int64_t *out = m->out;
    memset(out + result_row(m, i, first), 0, (size_t)((last - first) * width) * sizeof *out);
    for (int64_t left = 0; left < width; left += INT_COLUMNS)
        for (int64_t from = 0; from < inner; from += INT_INNER)
            for (int64_t row = first; row < last; row++) {
                const int64_t *x = (const int64_t *)m->data[0] + matrix_row(m->lists[0], i, row);
                const int64_t rest = width - left, end = from + INT_INNER < inner ? from + INT_INNER : inner;
                for (int64_t k = from; k < end; k++)
                    add_products(x[k], (const int64_t *)m->data[1] + matrix_row(m->lists[1], i, k) + left,
                                 rest < INT_COLUMNS ? rest : INT_COLUMNS, out + result_row(m, i, row) + left);
            }
}

/* The largest magnitude in instance i of an operand. */
static uint64_t largest(const multiplication *m, int operand, int64_t i)
{
    uint64_t most = 0;
    for (int64_t row = 0; row < m->shape[operand][i].rows; row++) {
        const int64_t *x = (const int64_t *)m->data[operand] + matrix_row(m->lists[operand], i, row);
        for (int64_t k = 0; k < m->shape[operand][i].columns; k++) {
            const uint64_t magnitude = x[k] < 0 ? 0 - (uint64_t)x[k] : (uint64_t)x[k];
            most = magnitude > most ? magnitude : most;
        }
    }
    return most;
}

typedef struct fit_state {
    const multiplication *m;
    bool *fits;
} fit_state;

static void see_whether_they_fit(void *state, int64_t begin, int64_t end)
{
    const fit_state *s = state;
    for (int64_t i = begin; i < end; i++) {
        uint64_t sum;
        s->fits[i] = !__builtin_mul_overflow(largest(s->m, 0, i), largest(s->m, 1, i), &sum) &&
                     !__builtin_mul_overflow(sum, (uint64_t)inner_of(s->m, i), &sum) && sum <= INT64_MAX;
    }
}

/* ---- everything ---- */

/* The rows whose first product is among [begin, end). */
static void multiply_some(void *state, int64_t begin, int64_t end)
{
    multiplication *m = state;
    for (int64_t i = last_not_above(m->work, m->instances, begin); i < m->instances && m->work[i] < end; i++) {
        const int64_t row = m->shape[1][i].columns * inner_of(m, i), start = m->work[i];
        if (row == 0)
            continue;
        const int64_t from = begin > start ? begin - start : 0;
        const int64_t to = (end < m->work[i + 1] ? end : m->work[i + 1]) - start;
        const int64_t first = (from + row - 1) / row, last = (to + row - 1) / row;
        if (first >= last)
            continue;
        if (m->fits ? !m->fits[i] : row * m->shape[0][i].rows < FEWEST_PRODUCTS)
            multiply_one_by_one(m, i, first, last);
        else if (m->fits)
            multiply_ints(m, i, first, last);
        else
            multiply_reals(m, i, first, last);
    }
}

static int check_shapes(bmf_evaluator *evaluator, const bmf_expression *matmul, const bmf_frame *frame,
                        const multiplication *m)
{
    for (int64_t i = 0; i < m->instances; i++) {
        const bmf_shape a = m->shape[0][i], b = m->shape[1][i];
        if (a.rows > 0 && a.columns != b.rows)
            return frame_fail(evaluator, frame,
                              &(bmf_failure){.kind = BMF_FAILURE_SHAPES,
                                             .expression = matmul,
                                             .element = i,
                                             .value = {a.rows, a.columns, b.rows, b.columns}});
    }
    return BMF_OK;
}

/* The shapes of the results, and where the products of each instance begin. */
static int plan_work(bmf_context *ctx, const multiplication *m, bmf_shape *shape, int64_t *work)
{
    work[0] = 0;
    for (int64_t i = 0; i < m->instances; i++) {
        const bmf_shape a = m->shape[0][i], b = m->shape[1][i];
        int64_t products;
        shape[i] = (bmf_shape){a.rows, a.rows > 0 ? b.columns : 0};
        if (__builtin_mul_overflow(shape[i].rows, shape[i].columns, &products) ||
            __builtin_mul_overflow(products, b.rows, &products) ||
            __builtin_add_overflow(work[i], products, &work[i + 1]))
            return fail_no_memory(ctx, INT64_MAX);
    }
    return BMF_OK;
}

/* The elements of both operands one behind the other: themselves if they are. The caller frees them. */
static int make_plain(bmf_context *ctx, const bmf_value *lists, bmf_value *elements)
{
    value_share(&lists->child[0].child[0], elements);
    const int status = value_plain(ctx, elements);
    if (status != BMF_OK)
        value_free(elements);
    return status;
}

static int multiply_all(bmf_evaluator *evaluator, const bmf_frame *frame, multiplication *m, bmf_value *elements)
{
    bmf_pass pass, alone = {.ctx = evaluator->ctx};
    bool *fits = NULL;
    if (elements->type->kind == BMF_INT) {
        fits = allocate(m->instances + 1);
        fit_state state = {m, fits};
        pass_run(&alone, m->instances, see_whether_they_fit, &state);
    }
    m->fits = fits;
    m->out = elements->data;
    pass_open(evaluator, frame, "matmul", m->work, &pass);
    const int status = pass_run(&pass, m->work[m->instances], multiply_some, m);
    pass_close(&pass);
    free(fits);
    return status;
}

static int make_products(bmf_evaluator *evaluator, const bmf_expression *matmul, const bmf_frame *frame,
                         multiplication *m, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_shape *shape = allocate_array(m->instances + 1, (int64_t)sizeof *shape);
    int64_t *work = allocate_array(m->instances + 1, (int64_t)sizeof *work);
    bmf_matrix_layout layout = {0};
    bmf_value elements = {0};
    m->work = work;
    m->layout = &layout;
    int status = plan_work(ctx, m, shape, work);
    if (status == BMF_OK)
        status = matrix_layout(ctx, m->instances, shape, &layout);
    if (status == BMF_OK)
        status = value_create(ctx, m->lists[0]->child[0].child[0].type, layout.total, &elements);
    if (status == BMF_OK)
        status = multiply_all(evaluator, frame, m, &elements);
    if (status == BMF_OK)
        status = noted_failure(evaluator, frame, matmul, BMF_FAILURE_OVERFLOW, &m->first);
    if (status == BMF_OK)
        matrix_create(&layout, m->instances, &elements, out);
    value_free(&elements);
    matrix_layout_free(&layout);
    free(shape);
    free(work);
    return status;
}

int evaluate_matmul(bmf_evaluator *evaluator, const bmf_expression *matmul, const bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_value plain[2] = {{0}, {0}};
    bmf_shape *shape[2] = {NULL, NULL};
    multiplication m = {.lists = {&x->child[0], &x->child[1]}, .instances = x->count, .by_library = !ctx->reproducible};
    int status = BMF_OK;
    if (m.by_library && blas_problem())
        return bmf_fail(ctx, BMF_ERROR_USAGE, "BMF_BLAS: %s", blas_problem());
    for (int k = 0; k < 2 && status == BMF_OK; k++) {
        status = matrix_shapes(evaluator, matmul, frame, m.lists[k], k + 1, &shape[k]);
        if (status == BMF_OK)
            status = make_plain(ctx, m.lists[k], &plain[k]);
        m.shape[k] = shape[k];
        m.data[k] = plain[k].data;
    }
    if (status == BMF_OK)
        status = check_shapes(evaluator, matmul, frame, &m);
    if (status == BMF_OK)
        status = make_products(evaluator, matmul, frame, &m, out);
    for (int k = 0; k < 2; k++) {
        value_free(&plain[k]);
        free(shape[k]);
    }
    return status;
}
