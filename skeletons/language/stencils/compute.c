/* Scalar functions of points and their neighbours.
 *
 * Method: windows of own points are read where these lie, rows of a plane as if they were one long row; what the
 * function makes of the ends of rows so is nonsense, and made again, from columns and what stands beside them. Where
 * rows around the block or beyond an edge are in the window, and where such nonsense fails, every row is copied between
 * what stands before and behind it, as rows become part of the window: a worker keeps as many as a window is high.
 * Cost: one pass that reads and writes every point once; of the rows at edges another copy. */
#include <omp.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/stencils/points.h"

/* Points that are computed as if they were one row: few enough that they are still in a cache of the second or third
 * level when the ends of rows are made again, and so many that these come in long columns. */
enum { LONG_ROW = 65536 };
/* Points whose results fill a line of the cache. */
enum { LINE = 8 };
/* Rows whose ends are copied together. */
enum { ROWS = 8 };

typedef struct computing {
    bmf_points *p;
    const bmf_point_tasks *tasks;
    bmf_exchange *under_way;
    const bmf_scalar *scalar;
    bmf_point_slices slices;
    bmf_slice made[BMF_MAX_LEAVES];
    bool contiguous; /* every own point lies behind the one before */
} computing;

/* What a worker has of its own. strip: the rows of windows, each leaf of each with what stands beside it; or columns
 * at the ends of rows. */
typedef struct worker {
    const computing *c;
    bmf_scalar_room *room;
    char *strip; /* beside the room */
    /* the block that is computed */
    int64_t block;
    const points_block *q;
} worker;

/* Points of some rows of plane a of a block. */
typedef struct stretch {
    int64_t a, first, end, left, right; /* rows [first, end), columns [left, right) */
} stretch;

static void note_first(bmf_points *p, const bmf_failure *failure)
{
#pragma omp critical(bmf_language_points)
    if (p->failure.kind == BMF_FAILURE_NONE || failure->element < p->failure.element)
        p->failure = *failure;
}

/* What is handed on to the block, for every point; returns how many slices. */
static int hand_slices(const worker *w, bmf_slice *in)
{
    const bmf_points *p = w->c->p;
    const int handed = p->handed ? value_slices(p->handed, w->block, in) : 0;
    for (int k = 0; k < handed; k++)
        in[k].stride = 0;
    return handed;
}

/* Results from a point on, `step` points apart. */
static void result_slices(const computing *c, int64_t point, int64_t step, bmf_slice *out)
{
    for (int k = 0; k < scalar_outputs(c->scalar); k++)
        out[k] = (bmf_slice){(char *)c->made[k].data + point * c->made[k].stride, step * c->made[k].stride};
}

/* ---- rows copied with what stands beside them ---- */

/* In the strip: row b + db of plane a + da, from column left - reach on. */
static char *strip_row(const worker *w, const stretch *s, int64_t da, int64_t row, int leaf)
{
    const int64_t *reach = w->c->p->reach, height = 2 * reach[1] + 1;
    const int64_t slot = (da + reach[0]) * height + (row % height + height) % height;
    return w->strip + (slot * w->c->p->leaves + leaf) * (s->right - s->left + 2 * reach[2]) * (int64_t)sizeof(int64_t);
}

static void fill_row(const worker *w, const stretch *s, int64_t da, int64_t row)
{
    const computing *c = w->c;
    const bmf_points *p = c->p;
    int64_t at[BMF_AXES] = {s->a + da, row, s->left - p->reach[2]}, done = 0, count;
    const int64_t width = s->right - s->left + 2 * p->reach[2];
    for (; done < width; done += count, at[2] += count) {
        const int64_t number = points_find(p, w->q, at, &count);
        count = count < width - done ? count : width - done;
        for (int leaf = 0; leaf < p->leaves; leaf++) {
            const bmf_slice from = point_slice(p, &c->slices, number, leaf);
            const int64_t size = p->leaf[leaf]->size;
            points_copy(&from, count, size, strip_row(w, s, da, row, leaf) + done * size);
        }
    }
}

static int compute_row(const worker *w, const stretch *s, int64_t row, bmf_failure *failure)
{
    const computing *c = w->c;
    const bmf_points *p = c->p;
    const int64_t count = s->right - s->left, point = block_point(w->q, s->a, row, s->left);
    bmf_slice in[BMF_MAX_LEAVES] = {{0}}, out[BMF_MAX_LEAVES] = {{0}};
    int used = hand_slices(w, in);
    for (int64_t da = -p->reach[0]; da <= p->reach[0]; da++)
        for (int64_t db = -p->reach[1]; db <= p->reach[1]; db++)
            for (int64_t dc = 0; dc <= 2 * p->reach[2]; dc++)
                for (int leaf = 0; leaf < p->leaves; leaf++) {
                    const int64_t size = p->leaf[leaf]->size;
                    in[used++] = (bmf_slice){strip_row(w, s, da, row + db, leaf) + dc * size, size};
                }
    result_slices(c, point, 1, out);
    if (scalar_compute(c->scalar, count, in, out) || scalar_run(c->scalar, w->room, count, in, out, failure) == 0)
        return 0;
    failure->element += point;
    return 1;
}

static void compute_copied(worker *w, const stretch *s)
{
    const bmf_points *p = w->c->p;
    bmf_failure failure = {0};
    int64_t next = s->first - p->reach[1];
    if (s->first >= s->end)
        return;
    w->strip = scalar_room_beside(w->room, (2 * p->reach[0] + 1) * (2 * p->reach[1] + 1) * p->leaves *
                                               (s->right - s->left + 2 * p->reach[2]) * (int64_t)sizeof(int64_t));
    for (int64_t row = s->first; row < s->end; row++) {
        for (; next <= row + p->reach[1]; next++)
            for (int64_t da = -p->reach[0]; da <= p->reach[0]; da++)
                fill_row(w, s, da, next);
        if (compute_row(w, s, row, &failure) != 0) {
            note_first(w->c->p, &failure);
            return;
        }
    }
}

/* ---- where the points lie ---- */

/* Points below each other, of own rows, from (a, row) on, in a column that may stand beside them. */
static bmf_slice column_slice(const worker *w, int64_t a, int64_t row, int64_t column, int leaf)
{
    const bmf_points *p = w->c->p;
    const points_block *q = w->q;
    int64_t unused;
    bmf_slice slice = point_slice(p, &w->c->slices, points_find(p, q, (int64_t[]){a, row, column}, &unused), leaf);
    const int64_t known = box_extent(&q->known, 2), own = q->own.end[2];
    if (box_has(&q->own, 2, column))
        slice.stride *= own;
    else if (box_has(&q->known, 2, column))
        slice.stride *= known - own;
    else
        slice.stride *= box_extent(&q->shell, 2) - known;
    return slice;
}

/* Columns [left, right) of the stretch, and those that their windows see besides, each from `reach` rows above the
 * stretch to as many below it. Those that are one value for all rows are not copied. */
typedef struct ends {
    int64_t left, right, height;
    int64_t columns;
    bmf_slice column[BMF_MAX_LEAVES][2 * BMF_MAX_LEAVES]; /* by plane and leaf, then by column */
} ends;

/* Rows [begin, end) of one column, of words or bytes. */
static void copy_column(const bmf_slice *from, int64_t begin, int64_t end, int64_t size, char *to)
{
    const char *at = (const char *)from->data + begin * from->stride;
    to += begin * size;
    if (size == sizeof(int64_t))
        for (int64_t row = begin; row < end; row++, at += from->stride, to += sizeof(int64_t))
            memcpy(to, at, sizeof(int64_t));
    else
        for (int64_t row = begin; row < end; row++, at += from->stride)
            *to++ = *at;
}

/* Some rows at a time: of a row all columns are in one line of the cache or two, and lines of more rows than a cache
 * has ways may take each other's place. */
static void copy_columns(const bmf_slice *from, int64_t columns, int64_t height, int64_t size, char *to)
{
    for (int64_t row = 0; row < height; row += ROWS)
        for (int64_t k = 0; k < columns; k++)
            copy_column(&from[k], row, height - row < ROWS ? height : row + ROWS, size, to + k * height * size);
}

/* All columns of a leaf of plane a + da. */
static void take_columns(const worker *w, const stretch *s, ends *e, int64_t da, int leaf, char *to)
{
    const bmf_points *p = w->c->p;
    const int64_t size = p->leaf[leaf]->size;
    bmf_slice *column = e->column[(da + p->reach[0]) * p->leaves + leaf], from[2 * BMF_MAX_LEAVES];
    int64_t copied = 0;
    for (int64_t k = 0; k < e->columns; k++) {
        column[k] = column_slice(w, s->a + da, s->first - p->reach[1], e->left - p->reach[2] + k, leaf);
        if (column[k].stride == 0)
            continue;
        from[copied] = column[k];
        column[k] = (bmf_slice){to + copied++ * e->height * size, size};
    }
    copy_columns(from, copied, e->height, size, to);
}

static void take_ends(worker *w, const stretch *s, ends *e)
{
    const bmf_points *p = w->c->p;
    e->columns = e->right - e->left + 2 * p->reach[2];
    e->height = s->end - s->first + 2 * p->reach[1];
    const int64_t bytes = e->columns * e->height * (int64_t)sizeof(int64_t);
    w->strip = scalar_room_beside(w->room, (2 * p->reach[0] + 1) * p->leaves * bytes);
    char *to = w->strip;
    for (int64_t da = -p->reach[0]; da <= p->reach[0]; da++)
        for (int leaf = 0; leaf < p->leaves; leaf++, to += bytes)
            take_columns(w, s, e, da, leaf, to);
}

/* One column of own rows whose windows are in own rows; false: a point has failed. */
static bool compute_column(const worker *w, const stretch *s, const ends *e, int64_t column)
{
    const computing *c = w->c;
    const bmf_points *p = c->p;
    const int64_t columns = w->q->own.end[2], point = block_point(w->q, s->a, s->first, column);
    bmf_slice in[BMF_MAX_LEAVES] = {{0}}, out[BMF_MAX_LEAVES] = {{0}};
    bmf_failure failure = {0};
    int used = hand_slices(w, in);
    for (int64_t da = 0; da <= 2 * p->reach[0]; da++)
        for (int64_t db = 0; db <= 2 * p->reach[1]; db++)
            for (int64_t dc = 0; dc <= 2 * p->reach[2]; dc++)
                for (int leaf = 0; leaf < p->leaves; leaf++) {
                    in[used] = e->column[da * p->leaves + leaf][column - e->left + dc];
                    in[used].data = (char *)in[used].data + db * in[used].stride;
                    used++;
                }
    result_slices(c, point, columns, out);
    if (scalar_run(c->scalar, w->room, s->end - s->first, in, out, &failure) == 0)
        return true;
    failure.element = point + failure.element * columns;
    note_first(c->p, &failure);
    return false;
}

/* Columns [left, right) of such rows; false: a point has failed. */
static bool compute_ends(worker *w, const stretch *s, int64_t left, int64_t right)
{
    ends e; /* large */
    if (left >= right)
        return true;
    e.left = left;
    e.right = right;
    take_ends(w, s, &e);
    for (int64_t column = left; column < right; column++)
        if (!compute_column(w, s, &e, column))
            return false;
    return true;
}

/* How many points stand before the next line of 64 bytes. */
static int64_t points_to_line(const bmf_slice *out)
{
    return out->stride == sizeof(double) ? (int64_t)(-(uintptr_t)out->data % 64 / sizeof(double)) : 0;
}

static void move_slices(const bmf_slice *from, int slices, int64_t elements, bmf_slice *to)
{
    for (int k = 0; k < slices; k++)
        to[k] = (bmf_slice){(char *)from[k].data + elements * from[k].stride, from[k].stride};
}

/* Native code over points whose results are in a row: the first ones apart, for the others to begin with a line, as
 * writing across lines takes twice as long. */
static bool compute_lines(const computing *c, int64_t count, const bmf_slice *in, int inputs, const bmf_slice *out)
{
    const int64_t apart = points_to_line(out);
    bmf_slice in_lines[BMF_MAX_LEAVES], out_lines[BMF_MAX_LEAVES];
    if (apart == 0 || count < 2 * LINE)
        return scalar_compute(c->scalar, count, in, out);
    move_slices(in, inputs, apart, in_lines);
    move_slices(out, scalar_outputs(c->scalar), apart, out_lines);
    return scalar_compute(c->scalar, LINE, in, out) && scalar_compute(c->scalar, count - apart, in_lines, out_lines);
}

/* From (first, left) to (end - 1, right - 1) as if all rows were one, with own windows; false: one of these points, or
 * of those between that are nonsense, has failed. */
static bool compute_long_row(worker *w, const stretch *s, int64_t left, int64_t right)
{
    const computing *c = w->c;
    const bmf_points *p = c->p;
    const int64_t rows = w->q->own.end[1], columns = w->q->own.end[2];
    const int64_t point = block_point(w->q, s->a, s->first, left),
                  count = (s->end - 1 - s->first) * columns + right - left;
    bmf_slice in[BMF_MAX_LEAVES] = {{0}}, out[BMF_MAX_LEAVES] = {{0}};
    bmf_failure failure = {0};
    int used = hand_slices(w, in);
    for (int64_t da = -p->reach[0]; da <= p->reach[0]; da++)
        for (int64_t db = -p->reach[1]; db <= p->reach[1]; db++)
            for (int64_t dc = -p->reach[2]; dc <= p->reach[2]; dc++)
                for (int leaf = 0; leaf < p->leaves; leaf++) {
                    const bmf_slice *own = &c->slices.own[leaf];
                    const int64_t first = point + (da * rows + db) * columns + dc;
                    in[used++] = (bmf_slice){(char *)own->data + first * own->stride, own->stride};
                }
    result_slices(c, point, 1, out);
    return compute_lines(c, count, in, used, out) || scalar_run(c->scalar, w->room, count, in, out, &failure) == 0;
}

/* Rows whose windows are in own rows. */
static void compute_own_rows(worker *w, const stretch *s)
{
    const int64_t columns = w->q->own.end[2], wide = w->c->p->reach[2];
    const int64_t left = s->left > wide ? s->left : wide;
    const int64_t right = s->right < columns - wide ? s->right : columns - wide;
    if (left >= right) {
        compute_ends(w, s, s->left, s->right);
        return;
    }
    if (!compute_long_row(w, s, left, right))
        compute_copied(w, s);
    else if (compute_ends(w, s, s->left, left))
        compute_ends(w, s, right, s->right);
}

static void compute_stretch(worker *w, const stretch *s)
{
    const bmf_points *p = w->c->p;
    const bmf_box *own = &w->q->own;
    const int64_t first = s->first > p->reach[1] ? s->first : p->reach[1];
    const int64_t last = own->end[1] - p->reach[1], end = s->end < last ? s->end : last;
    stretch part = *s;
    if (s->a < p->reach[0] || s->a >= own->end[0] - p->reach[0] || first >= end || !w->c->contiguous) {
        compute_copied(w, s);
        return;
    }
    part.end = first;
    compute_copied(w, &part);
    for (int64_t row = first, rows = LONG_ROW / own->end[2] + 1; row < end; row = part.end) {
        part.first = row;
        part.end = end - row < rows ? end : row + rows;
        compute_own_rows(w, &part);
        if (omp_get_thread_num() == 0)
            backend_exchange_progress(p->evaluator->ctx, w->c->under_way);
    }
    part.first = end;
    part.end = s->end;
    compute_copied(w, &part);
}

/* ---- all tasks ---- */

/* Points [begin, end) of a box, row by row: whole rows of a plane together, unless they are long. */
static void compute_box(worker *w, const bmf_box *box, int64_t begin, int64_t end)
{
    const int64_t rows = box_extent(box, 1), columns = box_extent(box, 2);
    for (int64_t at = begin, count; at < end; at += count) {
        const int64_t row = at / columns % rows, column = at % columns, whole = (end - at) / columns;
        stretch s = {.a = box->begin[0] + at / columns / rows,
                     .first = box->begin[1] + row,
                     .left = box->begin[2] + column,
                     .right = box->end[2]};
        if (column == 0 && whole > 0 && columns <= LONG_ROW) {
            s.end = s.first + (whole < rows - row ? whole : rows - row);
        } else {
            const int64_t most = end - at < LONG_ROW ? end - at : LONG_ROW;
            s.end = s.first + 1;
            s.right = columns - column < most ? box->end[2] : s.left + most;
        }
        count = (s.end - s.first) * (s.right - s.left);
        compute_stretch(w, &s);
    }
}

/* Points [begin, end) of all tasks. */
static void compute_some(void *state, int64_t begin, int64_t end)
{
    const computing *c = state;
    worker w = {.c = c, .room = scalar_room_open(c->scalar)};
    for (int64_t k = 0; k < c->tasks->count; k++) {
        const bmf_point_task *task = &c->tasks->task[k];
        const int64_t last = task->first + box_elements(&task->box);
        const int64_t from = begin > task->first ? begin : task->first, to = end < last ? end : last;
        if (from >= to)
            continue;
        w.block = task->block;
        w.q = &c->p->block[task->block];
        compute_box(&w, &task->box, from - task->first, to - task->first);
    }
    scalar_room_close(w.room);
}

int points_compute(bmf_points *p, const bmf_point_tasks *tasks, bmf_exchange *under_way)
{
    bmf_expression *f = p->stencil->child[0], *inner = f->kind == BMF_EXPRESSION_SCALAR ? f->child[0] : f;
    computing c = {
        .p = p, .tasks = tasks, .under_way = under_way, .scalar = scalar_of_expression(inner), .contiguous = true};
    bmf_pass pass;
    points_slices(p, &c.slices);
    value_slices(&p->made, 0, c.made);
    for (int leaf = 0; leaf < p->leaves; leaf++)
        c.contiguous = c.contiguous && c.slices.own[leaf].stride == p->leaf[leaf]->size;
    pass_open(p->evaluator, p->frame, tasks->kernel, tasks->offset, &pass);
    pass.round = tasks->round;
    const int status = pass_run(&pass, tasks->points, compute_some, &c);
    pass_close(&pass);
    return status;
}
