/* Functions of the points of planes and their neighbours: lists of rows of one length.
 *
 * Method: a scalar expression reads windows where the rows lie, as if those of a part were one long row, where they are
 * all its own; what it makes of the ends of rows so is nonsense, and made again, from columns and what stands beside
 * them. Where rows around the part or beyond an edge are in the window, and where such nonsense fails, every row is
 * copied between what stands before and behind it, as rows become part of the window: a worker keeps as many as a
 * window is high. Other functions get columns, one for every place of the window. Beyond the edges stand points at the
 * other end, or what the default makes of the point that a mirror at the edge shows; these are made before, all at
 * once.
 * Cost: of scalar expressions, one pass that reads and writes every point once; of others, as many copies of the points
 * as windows have places. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/evaluate/windows.h"
#include "skeletons/language/types/check.h"

/* Points that are computed as if they were one row: few enough that they are still in a cache of the second or third
 * level when the ends of rows are made again, and so many that these come in long columns. */
enum { LONG_ROW = 65536 };

/* Rows [first, first + rows) of all rows; around it, near, `before` and then `behind` rows of those around. */
typedef struct plane {
    int64_t first, rows, near, before, behind, columns;
    int64_t point; /* the first of its points, counted over all planes */
    int64_t edge;  /* the first of what is beyond its edges */
} plane;

typedef struct planes {
    bmf_evaluator *evaluator;
    bmf_expression *stencil;
    bmf_frame *frame;
    const bmf_value *handed, *lists;
    int64_t high, wide; /* how far windows reach along columns and along rows */
    bool ring;
    bmf_value own, near; /* rows, packed */
    bmf_value edges;     /* points beyond the edges; none in rings */
    plane *plane;
    int64_t count, points;
} planes;

static int64_t rows_known(const plane *q)
{
    return q->before + q->rows + q->behind;
}

/* The place that a mirror at the ends of [0, length) shows. */
static int64_t mirrored(int64_t at, int64_t length)
{
    const int64_t period = 2 * length, place = (at % period + period) % period;
    return place < length ? place : period - 1 - place;
}

/* ---- the planes ---- */

static int64_t row_length(const bmf_value *rows, int64_t row)
{
    return rows->begin[row + 1] - rows->begin[row];
}

/* Fails if a row is not as long as the first of its plane. */
static int measure(planes *p, int64_t i)
{
    plane *q = &p->plane[i];
    q->columns = q->rows > 0 ? row_length(&p->own, q->first) : 0;
    for (int64_t k = 0; k < (q->rows > 0 ? rows_known(q) : 0); k++) {
        const bool is_own = k >= q->before && k < q->before + q->rows;
        const int64_t length = is_own ? row_length(&p->own, q->first + k - q->before)
                                      : row_length(&p->near, q->near + (k < q->before ? k : k - q->rows));
        if (length != q->columns)
            return frame_fail(p->evaluator, p->frame,
                              &(bmf_failure){BMF_FAILURE_RAGGED, p->stencil, i, {q->columns, length}, 0});
    }
    return BMF_OK;
}

static int measure_all(planes *p, const bmf_around *around)
{
    for (int64_t i = 0; i < p->count; i++) {
        plane *q = &p->plane[i];
        *q = (plane){.first = p->lists->begin[i],
                     .rows = value_length(p->lists, i),
                     .near = around->begin[i],
                     .before = around->before[i],
                     .behind = around_behind(around, i),
                     .point = p->points};
        BMF_TRY(measure(p, i));
        p->points += q->rows * q->columns;
    }
    return BMF_OK;
}

static int64_t own_points(const planes *p)
{
    return p->own.child[0].count;
}

/* A point of row k of those that are known, among its own points and those around. */
static int64_t point_at(const planes *p, const plane *q, int64_t k, int64_t column)
{
    if (k >= q->before && k < q->before + q->rows)
        return p->own.begin[q->first + k - q->before] + column;
    return own_points(p) + p->near.begin[q->near + (k < q->before ? k : k - q->rows)] + column;
}

/* ---- what is beyond the edges ---- */

/* Of every known row 2 wide points, those before it first; then the rows above and below, with these. */
static int64_t edge_rows(const planes *p, const plane *q)
{
    return 2 * p->high - q->before - q->behind;
}

static int64_t edges_of(const planes *p, const plane *q)
{
    return q->rows == 0 ? 0 : rows_known(q) * 2 * p->wide + edge_rows(p, q) * (q->columns + 2 * p->wide);
}

static bool is_beyond(const plane *q, int64_t row)
{
    return row < -q->before || row >= q->rows + q->behind;
}

/* Of a row beyond the edges, from the plane's first own one on. */
static int64_t edge_of_row(const planes *p, const plane *q, int64_t row)
{
    const int64_t k = row < 0 ? row + p->high : p->high - q->before + row - q->rows - q->behind;
    return q->edge + rows_known(q) * 2 * p->wide + k * (q->columns + 2 * p->wide);
}

/* The points that mirrors show, in the order of the edges. */
static void pick_mirrored(const planes *p, int64_t i, int64_t *picked, int64_t *of)
{
    const plane *q = &p->plane[i];
    int64_t used = q->edge;
    if (q->columns == 0)
        return;
    for (int64_t k = 0; k < rows_known(q); k++)
        for (int64_t e = 0; e < 2 * p->wide; e++)
            picked[used++] =
                point_at(p, q, k, mirrored(e < p->wide ? e - p->wide : q->columns + e - p->wide, q->columns));
    for (int64_t row = -p->high; row < q->rows + p->high; row++)
        for (int64_t e = -p->wide; is_beyond(q, row) && e < q->columns + p->wide; e++)
            picked[used++] = point_at(p, q, mirrored(row + q->before, rows_known(q)), mirrored(e, q->columns));
    for (int64_t e = q->edge; e < used; e++)
        of[e] = i;
}

/* Points by their numbers among own points and those around. */
static int take_points(const planes *p, const int64_t *picked, int64_t count, bmf_value *out)
{
    bmf_context *ctx = p->evaluator->ctx;
    const int64_t own = own_points(p), bytes = (count + 1) * (int64_t)sizeof(int64_t);
    int64_t *index[2] = {allocate(bytes), allocate(bytes)}, found[2] = {0, 0};
    uint8_t *is_own = allocate(count + 1);
    bmf_value taken[2] = {{0}, {0}};
    for (int64_t e = 0; e < count; e++) {
        is_own[e] = picked[e] < own;
        index[is_own[e]][found[is_own[e]]++] = is_own[e] ? picked[e] : picked[e] - own;
    }
    int status = value_take(ctx, &p->own.child[0], index[1], found[1], &taken[1]);
    if (status == BMF_OK)
        status = value_take(ctx, &p->near.child[0], index[0], found[0], &taken[0]);
    if (status == BMF_OK)
        status = value_merge(ctx, is_own, count, &taken[1], &taken[0], out);
    value_free(&taken[0]), value_free(&taken[1]);
    free(index[0]), free(index[1]), free(is_own);
    return status;
}

/* The same everywhere: made of any point. */
static int repeat_edge(planes *p, int64_t count)
{
    static const int64_t any = 0;
    bmf_value shown;
    bmf_frame inner;
    int64_t of = 0;
    while (p->plane[of].rows == 0 || p->plane[of].columns == 0)
        of++;
    BMF_TRY(take_points(p, &any, 1, &shown));
    frame_open_picked(p->frame, p->stencil, &of, 1, &inner);
    const int status = evaluate_batch(p->evaluator, p->stencil->child[1], &inner, &shown, &p->edges);
    frame_close(&inner);
    if (status == BMF_OK)
        value_broadcast(&p->edges, count);
    return status;
}

static int make_edges(planes *p)
{
    int64_t count = 0;
    for (int64_t i = 0; i < p->count; i++) {
        p->plane[i].edge = count;
        count += p->plane[i].columns > 0 ? edges_of(p, &p->plane[i]) : 0;
    }
    if (expression_is_independent(p->stencil->child[1]))
        return repeat_edge(p, count);
    int64_t *picked = allocate((count + 1) * (int64_t)sizeof *picked);
    int64_t *of = allocate((count + 1) * (int64_t)sizeof *of);
    bmf_value shown;
    bmf_frame inner;
    for (int64_t i = 0; i < p->count; i++)
        pick_mirrored(p, i, picked, of);
    int status = take_points(p, picked, count, &shown);
    if (status == BMF_OK) {
        frame_open_picked(p->frame, p->stencil, of, count, &inner);
        status = evaluate_batch(p->evaluator, p->stencil->child[1], &inner, &shown, &p->edges);
        frame_close(&inner);
    }
    free(picked), free(of);
    return status;
}

/* ---- scalar expressions ---- */

typedef struct computing {
    const planes *p;
    const bmf_scalar *scalar;
    int leaves; /* of a point */
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bmf_slice own[BMF_MAX_LEAVES], near[BMF_MAX_LEAVES], edge[BMF_MAX_LEAVES], made[BMF_MAX_LEAVES];
    bmf_failure first;
} computing;

/* A worker's rows: of row r every leaf, with `wide` points more on both sides, at r modulo the height of windows. */
typedef struct strip {
    const computing *c;
    const plane *q;
    int64_t height, width, next; /* next: the row that is not there yet */
    char *data;
} strip;

static char *strip_row(const strip *s, int64_t row, int leaf)
{
    const int64_t slot = (row % s->height + s->height) % s->height;
    return s->data + (slot * s->c->leaves + leaf) * s->width * 8;
}

static void copy_points(const bmf_slice *from, int64_t first, int64_t count, int64_t size, char *to)
{
    const char *data = (const char *)from->data + first * from->stride;
    if (from->stride == size)
        memcpy(to, data, (size_t)(count * size));
    else
        for (int64_t k = 0; k < count; k++)
            memcpy(to + k * size, data + k * from->stride, (size_t)size);
}

static void fill_leaf(const strip *s, int64_t row, int leaf)
{
    const computing *c = s->c;
    const planes *p = c->p;
    const plane *q = s->q;
    const int64_t size = c->leaf[leaf]->size, columns = q->columns, wide = p->wide, k = row + q->before;
    char *to = strip_row(s, row, leaf), *behind = to + (wide + columns) * size;
    if (is_beyond(q, row)) {
        copy_points(&c->edge[leaf], edge_of_row(p, q, row), columns + 2 * wide, size, to);
        return;
    }
    const int64_t point = point_at(p, q, k, 0), own = own_points(p);
    const bmf_slice *from = point < own ? &c->own[leaf] : &c->near[leaf];
    const int64_t first = point < own ? point : point - own;
    copy_points(from, first, columns, size, to + wide * size);
    if (!p->ring) {
        copy_points(&c->edge[leaf], q->edge + k * 2 * wide, wide, size, to);
        copy_points(&c->edge[leaf], q->edge + k * 2 * wide + wide, wide, size, behind);
        return;
    }
    for (int64_t e = 0; e < wide; e++) {
        copy_points(from, first + (columns - 1 - (wide - 1 - e) % columns), 1, size, to + e * size);
        copy_points(from, first + e % columns, 1, size, behind + e * size);
    }
}

/* What is handed on to plane i, for every point; returns how many slices. */
static int hand_slices(const computing *c, int64_t i, bmf_slice *in)
{
    const int handed = c->p->handed ? value_slices(c->p->handed, i, in) : 0;
    for (int k = 0; k < handed; k++)
        in[k].stride = 0;
    return handed;
}

/* Points [begin, end) of a row whose window is in the strip. */
static int compute_row(const strip *s, bmf_scalar_room *room, int64_t i, int64_t row, int64_t begin, int64_t end,
                       bmf_failure *failure)
{
    const computing *c = s->c;
    const planes *p = c->p;
    bmf_slice in[BMF_MAX_LEAVES] = {{0}}, out[BMF_MAX_LEAVES] = {{0}};
    const int handed = hand_slices(c, i, in), outputs = scalar_outputs(c->scalar);
    for (int64_t at = begin, count; at < end; at += count) {
        int used = handed;
        count = end - at < BMF_BLOCK ? end - at : BMF_BLOCK;
        for (int64_t dy = -p->high; dy <= p->high; dy++)
            for (int64_t dx = 0; dx <= 2 * p->wide; dx++)
                for (int leaf = 0; leaf < c->leaves; leaf++) {
                    const int64_t size = c->leaf[leaf]->size;
                    in[used++] = (bmf_slice){strip_row(s, row + dy, leaf) + (at + dx) * size, size};
                }
        const int64_t point = s->q->point + row * s->q->columns + at;
        for (int k = 0; k < outputs; k++)
            out[k] = (bmf_slice){(char *)c->made[k].data + point * c->made[k].stride, c->made[k].stride};
        if (scalar_run(c->scalar, room, count, in, out, failure) != 0) {
            failure->element += point;
            return 1;
        }
    }
    return 0;
}

static void note_first(computing *c, const bmf_failure *failure)
{
#pragma omp critical(bmf_language_plane)
    if (c->first.kind == BMF_FAILURE_NONE || failure->element < c->first.element)
        c->first = *failure;
}

/* Points [begin, end) of plane i, from its first one on, row by row. */
static void compute_rows(computing *c, bmf_scalar_room *room, int64_t i, int64_t begin, int64_t end)
{
    const planes *p = c->p;
    const plane *q = &p->plane[i];
    bmf_failure failure = {0};
    strip s = {.c = c, .q = q, .height = 2 * p->high + 1, .width = q->columns + 2 * p->wide};
    int64_t row = begin / q->columns;
    s.data = allocate(s.height * c->leaves * s.width * 8);
    s.next = row - p->high;
    for (; row * q->columns < end; row++) {
        for (; s.next <= row + p->high; s.next++)
            for (int leaf = 0; leaf < c->leaves; leaf++)
                fill_leaf(&s, s.next, leaf);
        const int64_t first = row * q->columns, from = begin > first ? begin - first : 0;
        const int64_t to = end - first < q->columns ? end - first : q->columns;
        if (compute_row(&s, room, i, row, from, to, &failure) != 0) {
            note_first(c, &failure);
            break;
        }
    }
    free(s.data);
}

/* The windows' place (dy, dx) of points below each other from (row, column) on: own points, or those beside the row. */
static bmf_slice column_slice(const computing *c, const plane *q, int64_t row, int64_t column, int leaf)
{
    const planes *p = c->p;
    const bmf_slice *own = &c->own[leaf], *edge = &c->edge[leaf];
    if (p->ring)
        column = (column % q->columns + q->columns) % q->columns;
    if (column >= 0 && column < q->columns)
        return (bmf_slice){(char *)own->data + (q->point + row * q->columns + column) * own->stride,
                           q->columns * own->stride};
    const int64_t beside = column < 0 ? p->wide + column : p->wide + column - q->columns;
    const int64_t first = q->edge + (row + q->before) * 2 * p->wide + beside;
    return (bmf_slice){(char *)edge->data + first * edge->stride, 2 * p->wide * edge->stride};
}

/* The points of [begin, end) in one column, whose windows are in own rows. */
static int compute_column(computing *c, bmf_scalar_room *room, int64_t i, int64_t column, int64_t begin, int64_t end)
{
    const planes *p = c->p;
    const plane *q = &p->plane[i];
    const int64_t first = (begin - column + q->columns - 1) / q->columns;
    const int64_t last = (end - column + q->columns - 1) / q->columns;
    bmf_slice in[BMF_MAX_LEAVES] = {{0}}, out[BMF_MAX_LEAVES] = {{0}};
    bmf_failure failure = {0};
    int used = hand_slices(c, i, in);
    if (first >= last)
        return 0;
    for (int64_t dy = -p->high; dy <= p->high; dy++)
        for (int64_t dx = -p->wide; dx <= p->wide; dx++)
            for (int leaf = 0; leaf < c->leaves; leaf++)
                in[used++] = column_slice(c, q, first + dy, column + dx, leaf);
    for (int k = 0; k < scalar_outputs(c->scalar); k++)
        out[k] = (bmf_slice){(char *)c->made[k].data + (q->point + first * q->columns + column) * c->made[k].stride,
                             q->columns * c->made[k].stride};
    if (scalar_run(c->scalar, room, last - first, in, out, &failure) == 0)
        return 0;
    failure.element = q->point + (first + failure.element) * q->columns + column;
    note_first(c, &failure);
    return 1;
}

/* Points [begin, end) as if all rows were one; 1: one of them, or nonsense, has failed. */
static int compute_long_row(const computing *c, bmf_scalar_room *room, int64_t i, int64_t begin, int64_t end)
{
    const planes *p = c->p;
    const plane *q = &p->plane[i];
    bmf_slice in[BMF_MAX_LEAVES] = {{0}}, out[BMF_MAX_LEAVES] = {{0}};
    bmf_failure failure = {0};
    int used = hand_slices(c, i, in);
    for (int64_t dy = -p->high; dy <= p->high; dy++)
        for (int64_t dx = -p->wide; dx <= p->wide; dx++)
            for (int leaf = 0; leaf < c->leaves; leaf++) {
                const bmf_slice *own = &c->own[leaf];
                const int64_t first = q->point + begin + dy * q->columns + dx;
                in[used++] = (bmf_slice){(char *)own->data + first * own->stride, own->stride};
            }
    for (int k = 0; k < scalar_outputs(c->scalar); k++)
        out[k] = (bmf_slice){(char *)c->made[k].data + (q->point + begin) * c->made[k].stride, c->made[k].stride};
    if (begin >= end || scalar_compute(c->scalar, end - begin, in, out))
        return 0;
    return scalar_run(c->scalar, room, end - begin, in, out, &failure);
}

/* Points [begin, end) of plane i, whose windows are in own rows. */
static void compute_inside(computing *c, bmf_scalar_room *room, int64_t i, int64_t begin, int64_t end)
{
    const int64_t columns = c->p->plane[i].columns, wide = c->p->wide;
    const int64_t rows = LONG_ROW / columns + 1;
    int64_t next;
    for (int64_t at = begin; at < end; at = next) {
        const int64_t most = (at / columns + rows) * columns;
        next = most < end ? most : end;
        const int64_t last = (next - 1) / columns * columns + columns - wide; /* windows there are the last own ones */
        const int64_t from = at % columns < wide ? at - at % columns + wide : at, to = next < last ? next : last;
        if (compute_long_row(c, room, i, from, to) != 0) {
            compute_rows(c, room, i, at, next);
            continue;
        }
        for (int64_t e = 0; e < wide; e++)
            if (compute_column(c, room, i, e, at, next) != 0 ||
                compute_column(c, room, i, columns - 1 - e, at, next) != 0)
                break;
    }
}

/* Every point of own rows lies behind the one before. */
static bool is_contiguous(const computing *c)
{
    for (int leaf = 0; leaf < c->leaves; leaf++)
        if (c->own[leaf].stride != c->leaf[leaf]->size)
            return false;
    return true;
}

/* Points [begin, end) of plane i, from its first one on. */
static void compute_plane(computing *c, bmf_scalar_room *room, int64_t i, int64_t begin, int64_t end)
{
    const planes *p = c->p;
    const plane *q = &p->plane[i];
    const int64_t first = p->high * q->columns, last = (q->rows - p->high) * q->columns;
    const int64_t from = begin > first ? begin : first, to = end < last ? end : last;
    if (from >= to || q->columns <= 2 * p->wide || !is_contiguous(c)) {
        compute_rows(c, room, i, begin, end);
        return;
    }
    if (begin < from)
        compute_rows(c, room, i, begin, from);
    compute_inside(c, room, i, from, to);
    if (to < end)
        compute_rows(c, room, i, to, end);
}

static void compute_some(void *state, int64_t begin, int64_t end)
{
    computing *c = state;
    bmf_scalar_room *room = scalar_room_create(c->scalar);
    for (int64_t i = 0; i < c->p->count; i++) {
        const plane *q = &c->p->plane[i];
        const int64_t first = q->point, last = first + q->rows * q->columns;
        const int64_t from = begin > first ? begin : first, to = end < last ? end : last;
        if (from < to)
            compute_plane(c, room, i, from - first, to - first);
    }
    scalar_room_free(room);
}

/* The frame of the points inside of that of the rows. */
static void open_points(const planes *p, bmf_frame *rows, bmf_frame *points)
{
    frame_open_elements(p->frame, p->stencil, p->lists->begin, rows);
    frame_open_elements(rows, p->stencil, p->own.begin, points);
}

static int compute_scalar(const planes *p, bmf_value *out)
{
    bmf_expression *f = p->stencil->child[0], *inner = f->kind == BMF_EXPRESSION_SCALAR ? f->child[0] : f;
    computing c = {.p = p, .scalar = scalar_of_expression(inner)};
    bmf_value made;
    bmf_frame rows, points;
    bmf_pass pass;
    c.leaves = bmf_type_leaves(p->own.child[0].type, c.leaf);
    BMF_TRY(value_create(p->evaluator->ctx, f->out, p->points, &made));
    value_slices(&p->own.child[0], 0, c.own);
    value_slices(&p->near.child[0], 0, c.near);
    if (!p->ring)
        value_slices(&p->edges, 0, c.edge);
    value_slices(&made, 0, c.made);
    open_points(p, &rows, &points);
    pass_open(p->evaluator, &points, "stencil", NULL, &pass);
    int status = pass_run(&pass, p->points, compute_some, &c);
    pass_close(&pass);
    if (status == BMF_OK && c.first.kind != BMF_FAILURE_NONE)
        status = frame_fail(p->evaluator, &points, &c.first);
    frame_close(&points);
    frame_close(&rows);
    if (status == BMF_OK)
        *out = made;
    else
        value_free(&made);
    return status;
}

/* ---- any function ---- */

/* A point of the window, counted over own points, those around, and those beyond the edges. */
static int64_t number_of(const planes *p, const plane *q, int64_t row, int64_t column)
{
    const int64_t columns = q->columns, k = row + q->before;
    const int64_t edges = own_points(p) + p->near.child[0].count;
    if (is_beyond(q, row))
        return edges + edge_of_row(p, q, row) + p->wide + column;
    if (column >= 0 && column < columns)
        return point_at(p, q, k, column);
    if (p->ring)
        return point_at(p, q, k, (column % columns + columns) % columns);
    return edges + q->edge + k * 2 * p->wide + (column < 0 ? p->wide + column : p->wide + column - columns);
}

static int take_place(const planes *p, const bmf_value *all, int64_t dy, int64_t dx, int64_t *index, bmf_value *out)
{
    int64_t used = 0;
    for (int64_t i = 0; i < p->count; i++)
        for (int64_t row = 0; row < p->plane[i].rows; row++)
            for (int64_t column = 0; column < p->plane[i].columns; column++)
                index[used++] = number_of(p, &p->plane[i], row + dy, column + dx);
    return value_take(p->evaluator->ctx, all, index, used, out);
}

/* {{.., ..}, ..} of every point. */
static int make_windows(const planes *p, const bmf_value *all, bmf_value *out)
{
    bmf_value row[BMF_MAX_LEAVES] = {{0}};
    int64_t *index = allocate((p->points + 1) * (int64_t)sizeof *index);
    int status = BMF_OK;
    for (int64_t dy = -p->high; dy <= p->high && status == BMF_OK; dy++) {
        bmf_value place[BMF_MAX_LEAVES] = {{0}};
        for (int64_t dx = -p->wide; dx <= p->wide && status == BMF_OK; dx++)
            status = take_place(p, all, dy, dx, index, &place[p->wide + dx]);
        if (status == BMF_OK)
            value_create_tuple((int)(2 * p->wide + 1), place, &row[p->high + dy]);
        for (int k = 0; k < BMF_MAX_LEAVES; k++)
            value_free(&place[k]);
    }
    if (status == BMF_OK)
        value_create_tuple((int)(2 * p->high + 1), row, out);
    for (int k = 0; k < BMF_MAX_LEAVES; k++)
        value_free(&row[k]);
    free(index);
    return status;
}

/* What is handed on to each plane, for each of its points. */
static int hand_on(const planes *p, bmf_value *windows)
{
    int64_t *offset = allocate((p->count + 1) * (int64_t)sizeof *offset);
    bmf_value both[2] = {{0}, {0}};
    for (int64_t i = 0; i < p->count; i++)
        offset[i] = p->plane[i].point;
    offset[p->count] = p->points;
    const int status = value_repeat(p->evaluator->ctx, p->handed, offset, &both[0]);
    free(offset);
    if (status == BMF_OK) {
        value_move(windows, &both[1]);
        value_create_tuple(2, both, windows);
    }
    return status;
}

static int compute_any(const planes *p, bmf_value *out)
{
    bmf_value source[3] = {p->own.child[0], p->near.child[0], p->edges}, all, windows = {0}; /* source: borrowed */
    bmf_frame rows, points;
    BMF_TRY(value_concatenate(p->evaluator->ctx, p->ring ? 2 : 3, source, &all));
    int status = make_windows(p, &all, &windows);
    value_free(&all);
    if (status == BMF_OK && p->handed)
        status = hand_on(p, &windows);
    if (status == BMF_OK) {
        open_points(p, &rows, &points);
        status = evaluate_batch(p->evaluator, p->stencil->child[0], &points, &windows, out);
        frame_close(&points);
        frame_close(&rows);
    }
    value_free(&windows);
    return status;
}

/* ---- all planes ---- */

static bool is_scalar(const planes *p)
{
    const bmf_expression *f = p->stencil->child[0];
    return f->kind == BMF_EXPRESSION_SCALAR || is_scalar_expression(f);
}

static int compute(planes *p, const bmf_around *around, bmf_value *out)
{
    BMF_TRY(measure_all(p, around));
    if (p->points == 0)
        return value_empty(p->evaluator->ctx, p->stencil->child[0]->out, 0, out);
    if (!p->ring)
        BMF_TRY(make_edges(p));
    return is_scalar(p) ? compute_scalar(p, out) : compute_any(p, out);
}

/* Without rows, of whatever type. */
static int make_nothing(const planes *p, bmf_value *out)
{
    bmf_value rows;
    BMF_TRY(value_empty(p->evaluator->ctx, bmf_type_list(p->stencil->child[0]->out), 0, &rows));
    value_like(p->lists, &rows, out);
    return BMF_OK;
}

int planes_evaluate(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, const bmf_value *handed,
                    const bmf_value *lists, const bmf_around *around, bmf_value *out)
{
    planes p = {.evaluator = evaluator,
                .stencil = stencil,
                .frame = frame,
                .handed = handed,
                .lists = lists,
                .high = stencil->number[0],
                .wide = stencil->number[1],
                .ring = stencil->children == 1,
                .count = lists->count};
    bmf_value made, rows;
    if (lists->child[0].count == 0)
        return make_nothing(&p, out);
    value_share(&lists->child[0], &p.own);
    value_share(&around->elements, &p.near);
    int status = value_pack(evaluator->ctx, &p.own);
    if (status == BMF_OK)
        status = value_pack(evaluator->ctx, &p.near);
    p.plane = allocate_clear(p.count + 1, (int64_t)sizeof *p.plane);
    if (status == BMF_OK)
        status = compute(&p, around, &made);
    if (status == BMF_OK) {
        value_like(&p.own, &made, &rows);
        value_like(lists, &rows, out);
    }
    value_free(&p.own), value_free(&p.near), value_free(&p.edges);
    free(p.plane);
    return status;
}
