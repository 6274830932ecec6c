/* B_Transpose of placed lists: element j of every row becomes row j.
 *
 * Method: numbers and bools that stand one behind the other are moved in tiles, whose lines of memory are read and
 * written while they are in the first-level cache; all other elements are taken by number, and of lists only begins and
 * ends. Every thread makes a run of the result's elements.
 * Cost: a pass over the elements; 8 bytes an element besides where they are taken by number. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "skeletons/language/evaluate/matrix.h"

/* A tile: eight rows of the transpose are written side by side, and of every row that is read a line of memory. */
enum { TILE_ROWS = 8, TILE_COLUMNS = 64 };

typedef struct transposition {
    const bmf_value *lists;
    const bmf_shape *shape;    /* of the transposes */
    const int64_t *begin;      /* of their elements, by instance */
    int64_t instances, *place; /* place: of each element in its column; or NULL */
    const bmf_value *from;
    char *to;
} transposition;

/* A part of one transpose: rows [first, last), columns [left, right). Column c is row c of the matrix. */
typedef void move_block(const transposition *t, int64_t i, int64_t first, int64_t last, int64_t left, int64_t right);

static void number_block(const transposition *t, int64_t i, int64_t first, int64_t last, int64_t left, int64_t right)
{
    const int64_t columns = t->shape[i].columns;
    for (int64_t c = left; c < right; c++) {
        const int64_t base = matrix_row(t->lists, i, c);
        for (int64_t r = first; r < last; r++)
            t->place[t->begin[i] + r * columns + c] = base + r;
    }
}

#define MOVE_BLOCK(name, word)                                                                                         \
    static void name(const transposition *t, int64_t i, int64_t first, int64_t last, int64_t left, int64_t right)      \
    {                                                                                                                  \
        const int64_t columns = t->shape[i].columns;                                                                   \
        word *to = (word *)t->to + t->begin[i];                                                                        \
        for (int64_t c = left; c < right; c++) {                                                                       \
            const word *from = (const word *)t->from->data + matrix_row(t->lists, i, c);                               \
            for (int64_t r = first; r < last; r++)                                                                     \
                to[r * columns + c] = from[r];                                                                         \
        }                                                                                                              \
    }
MOVE_BLOCK(move_words, int64_t)
MOVE_BLOCK(move_bytes, uint8_t)
#undef MOVE_BLOCK

static move_block *mover_of(const transposition *t)
{
    return t->place ? number_block : t->from->type->size == 8 ? move_words : move_bytes;
}

/* Whole rows [first, last). */
static void move_rows(const transposition *t, int64_t i, int64_t first, int64_t last)
{
    const int64_t columns = t->shape[i].columns;
    move_block *move = mover_of(t);
    for (int64_t c = 0; c < columns; c += TILE_COLUMNS)
        for (int64_t r = first; r < last; r += TILE_ROWS)
            move(t, i, r, r + TILE_ROWS < last ? r + TILE_ROWS : last, c,
                 c + TILE_COLUMNS < columns ? c + TILE_COLUMNS : columns);
}

/* Elements [first, last) of instance i. */
static void move_elements(const transposition *t, int64_t i, int64_t first, int64_t last)
{
    const int64_t columns = t->shape[i].columns, left = first % columns, right = last % columns;
    int64_t row = first / columns;
    const int64_t end = last / columns;
    move_block *move = mover_of(t);
    if (left > 0) {
        move(t, i, row, row + 1, left, row < end ? columns : right);
        row++;
    }
    if (row <= end) {
        move_rows(t, i, row, end);
        move(t, i, end, end + (right > 0), 0, right);
    }
}

static void move_some(void *state, int64_t begin, int64_t end)
{
    const transposition *t = state;
    int64_t i = last_not_above(t->begin, t->instances, begin);
    for (int64_t at = begin; at < end; i++) {
        const int64_t stop = t->begin[i + 1] < end ? t->begin[i + 1] : end;
        if (stop > at)
            move_elements(t, i, at - t->begin[i], stop - t->begin[i]);
        at = stop;
    }
}

static bool is_plain(const bmf_value *elements)
{
    return elements->type->components == 0 && elements->stride == elements->type->size;
}

/* The elements in the order of the transposes, of a column of elements or of one component of it. */
static int move_column(bmf_context *ctx, const bmf_pass *pass, transposition *t, const bmf_value *from, int64_t total,
                       bmf_value *out)
{
    bmf_value component[BMF_MAX_LEAVES] = {{0}};
    int status = BMF_OK, made = 0;
    if (total == 0)
        return value_empty(ctx, from->type, 0, out);
    if (from->type->kind == BMF_TUPLE) {
        for (; made < from->type->components && status == BMF_OK; made++)
            status = move_column(ctx, pass, t, &from->child[made], total, &component[made]);
        if (status == BMF_OK)
            value_create_tuple(made, component, out);
        for (int k = 0; k < made; k++)
            value_free(&component[k]);
        return status;
    }
    t->from = from;
    if (is_plain(from)) {
        BMF_TRY(value_create(ctx, from->type, total, out));
        t->to = out->data;
        return pass_run(pass, total, move_some, t);
    }
    t->place = malloc((size_t)total * sizeof *t->place);
    if (!t->place)
        return fail_no_memory(ctx, total);
    status = pass_run(pass, total, move_some, t);
    if (status == BMF_OK)
        status = value_take_pass(pass, from, t->place, total, out);
    free(t->place);
    t->place = NULL;
    return status;
}

static int transpose_all(bmf_evaluator *evaluator, const bmf_frame *frame, const bmf_value *x, bmf_shape *shape,
                         bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_matrix_layout layout;
    bmf_value elements;
    bmf_pass pass;
    for (int64_t i = 0; i < x->count; i++)
        shape[i] = (bmf_shape){shape[i].columns, shape[i].rows};
    BMF_TRY(matrix_layout(ctx, x->count, shape, &layout));
    transposition t = {.lists = x, .shape = shape, .begin = layout.begin, .instances = x->count};
    pass_open(evaluator, frame, "transpose", layout.begin, &pass);
    const int status = move_column(ctx, &pass, &t, &x->child[0].child[0], layout.total, &elements);
    pass_close(&pass);
    if (status == BMF_OK)
        matrix_create(&layout, x->count, &elements, out);
    matrix_layout_free(&layout);
    return status;
}

int evaluate_transpose(bmf_evaluator *evaluator, const bmf_expression *transpose, const bmf_frame *frame, bmf_value *x,
                       bmf_value *out)
{
    bmf_shape *shape;
    int status = matrix_shapes(evaluator, transpose, frame, x, 0, &shape);
    if (status == BMF_OK && x->child[0].type->kind != BMF_LIST) /* lists of nothing */
        value_move(x, out);
    else if (status == BMF_OK)
        status = transpose_all(evaluator, frame, x, shape, out);
    free(shape);
    return status;
}
