/* What stands beyond the edges of blocks of points.
 *
 * Method: one dimension after the other, the last first; in each, points are picked that a mirror at the edge shows,
 * known ones or such as were made for the dimensions behind it, and the edge's function is applied to all of them at
 * once. A function that looks at nothing is applied to one; where all are so, nothing is copied.
 * Cost: a copy of the points at the edges, and their functions; of constants, one point an edge. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/stencils/points.h"

/* The place that a mirror at the ends of [begin, end) shows. */
static int64_t mirrored(int64_t at, int64_t begin, int64_t end)
{
    while (at < begin || at >= end)
        at = at < begin ? 2 * begin - 1 - at : 2 * end - 1 - at;
    return at;
}

/* ---- picking ---- */

/* Points in a line that an edge is made of: their numbers, and those that what is made of them has among all points
 * beyond edges; each so many more than the one before. */
typedef struct run {
    int64_t block, count, from, from_step, to, to_step;
} run;

typedef struct runs {
    run *run;
    int64_t count, capacity, points;
} runs;

static void add_run(runs *all, run next)
{
    *ARRAY_APPEND(all->run, all->count, all->capacity) = next;
    all->points += next.count;
}

/* What the mirror at the edges shows is an own point's, as far as `axis` is concerned. */
static bool shows_own(const points_block *q, int axis, int64_t at)
{
    return box_has(&q->own, axis, mirrored(at, q->known.begin[axis], q->known.end[axis]));
}

/* Where along a line the points stop to be of the same kind. */
static int64_t end_of_kind(const points_block *q, int line, int64_t at, int64_t end)
{
    const int64_t other[] = {q->own.begin[line], q->own.end[line], q->known.begin[line], q->known.end[line]};
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        if (other[k] > at && other[k] < end)
            end = other[k];
    return end;
}

/* The number of the point at `at`, and in *step how many more the next one of the line has. */
static int64_t find_in_line(const bmf_points *p, const points_block *q, const int64_t at[BMF_AXES], int line,
                            int64_t count, int64_t *step)
{
    int64_t next[BMF_AXES] = {at[0], at[1], at[2]}, unused;
    const int64_t number = points_find(p, q, at, &unused);
    next[line]++;
    *step = count > 1 ? points_find(p, q, next, &unused) - number : 0;
    return number;
}

/* Beyond the edge of an axis, along another one, from `at` on. A run is early or late as a whole; what is made of
 * points beyond other edges may be either from one to the next, so that these are runs by themselves. */
static void pick_line(const bmf_points *p, bmf_edges_stage stage, int64_t i, int axis, int line, int64_t at[BMF_AXES],
                      int64_t end, runs *all)
{
    const points_block *q = &p->block[i];
    int64_t count;
    for (; at[line] < end; at[line] += count) {
        int64_t from[BMF_AXES] = {at[0], at[1], at[2]};
        bool late = false;
        for (int k = 0; k < BMF_AXES; k++)
            late = late || !shows_own(q, k, at[k]);
        from[axis] = mirrored(at[axis], q->known.begin[axis], q->known.end[axis]);
        count = stage == BMF_EDGES_ALL || box_has(&q->known, line, at[line])
                    ? end_of_kind(q, line, at[line], end) - at[line]
                    : 1;
        if (stage != BMF_EDGES_ALL && late != (stage == BMF_EDGES_LATE))
            continue;
        run next = {.block = i, .count = count};
        next.from = find_in_line(p, q, from, line, count, &next.from_step);
        next.to = find_in_line(p, q, at, line, count, &next.to_step) - p->points - p->nears;
        add_run(all, next);
    }
}

/* Beyond one edge of block i, in lines along the last axis that it leaves. What is at corners belongs to the first axis
 * along which it is beyond an edge. */
static void pick_block(const bmf_points *p, bmf_edges_stage stage, int64_t i, int axis, int side, runs *all)
{
    const points_block *q = &p->block[i];
    const int line = axis == 2 ? 1 : 2, other = 3 - line; /* lines lie in planes along axis 0 */
    bmf_box box = q->shell;
    for (int k = 0; k < axis; k++) {
        box.begin[k] = q->known.begin[k];
        box.end[k] = q->known.end[k];
    }
    if (side == 0)
        box.end[axis] = q->known.begin[axis];
    else
        box.begin[axis] = q->known.end[axis];
    int64_t at[BMF_AXES];
    for (at[0] = box.begin[0]; at[0] < box.end[0]; at[0]++)
        for (at[other] = box.begin[other]; at[other] < box.end[other]; at[other]++) {
            at[line] = box.begin[line];
            pick_line(p, stage, i, axis, line, at, box.end[line], all);
        }
}

/* ---- applying ---- */

/* An edge's function of `count` points by their numbers, in these blocks. */
static int apply(const bmf_points *p, bmf_expression *edge, const int64_t *number, const int64_t *block, int64_t count,
                 bmf_value *made)
{
    bmf_value shown;
    bmf_frame inner;
    BMF_TRY(points_take(p, number, count, &shown));
    if (p->handed)
        BMF_TRY(handed_beside(p->evaluator->ctx, p->handed, block, &shown));
    frame_open_picked(p->frame, p->stencil, block, count, &inner);
    const int status = evaluate_batch(p->evaluator, edge, &inner, &shown, made);
    frame_close(&inner);
    return status;
}

/* Of one point of the first block that has any. */
static int apply_once(const bmf_points *p, bmf_expression *edge, bmf_value *made)
{
    static const int64_t first = 0;
    int64_t i = 0;
    while (box_elements(&p->block[i].own) == 0)
        i++;
    return apply(p, edge, &first, &i, 1, made);
}

static int apply_to_all(const bmf_points *p, bmf_expression *edge, const runs *all, bmf_value *made)
{
    int64_t *number = allocate(2 * all->points * (int64_t)sizeof *number), *block = number + all->points, used = 0;
    for (int64_t r = 0; r < all->count; r++)
        for (int64_t k = 0; k < all->run[r].count; k++, used++) {
            number[used] = all->run[r].from + k * all->run[r].from_step;
            block[used] = all->run[r].block;
        }
    const int status = apply(p, edge, number, block, used, made);
    free(number);
    return status;
}

/* What was made, one for every point or one for all, to its places. */
static void put(const bmf_points *p, const runs *all, const bmf_value *made, bool same)
{
    bmf_slice from[BMF_MAX_LEAVES], to[BMF_MAX_LEAVES];
    value_slices(made, 0, from);
    value_slices(&p->edges, 0, to);
    for (int leaf = 0; leaf < p->leaves; leaf++) {
        const int64_t size = p->leaf[leaf]->size;
        bmf_slice next = {from[leaf].data, same ? 0 : from[leaf].stride};
        for (const run *each = all->run; each < all->run + all->count; each++)
            for (int64_t k = 0; k < each->count; k++, next.data = (char *)next.data + next.stride)
                point_copy(next.data, size, (char *)to[leaf].data + (each->to + k * each->to_step) * size);
    }
}

static int make_edge(bmf_points *p, bmf_edges_stage stage, int d, int side)
{
    bmf_expression *edge = stencil_edge(p->stencil, d, side);
    const bool same = edge && expression_is_independent(edge);
    runs all = {0};
    bmf_value made;
    int status = BMF_OK;
    if (!edge || (same && stage == BMF_EDGES_LATE))
        return BMF_OK;
    for (int64_t i = 0; i < p->count; i++)
        if (box_elements(&p->block[i].own) > 0)
            pick_block(p, same ? BMF_EDGES_ALL : stage, i, BMF_AXES - p->dimensions + d, side, &all);
    if (all.points > 0) {
        status = same ? apply_once(p, edge, &made) : apply_to_all(p, edge, &all, &made);
        if (status == BMF_OK) {
            put(p, &all, &made, same);
            value_free(&made);
        }
    }
    free(all.run);
    return status;
}

static int make_edges(bmf_points *p, bmf_edges_stage stage)
{
    if (!p->edges.type)
        BMF_TRY(value_create(p->evaluator->ctx, p->type, p->beyonds, &p->edges));
    for (int d = p->dimensions - 1; d >= 0; d--)
        for (int side = 0; side < 2; side++)
            BMF_TRY(make_edge(p, stage, d, side));
    return BMF_OK;
}

/* ---- constants ---- */

bool edges_are_constant(const bmf_expression *stencil)
{
    for (int k = 1; k < stencil->children; k++)
        if (stencil->child[k]->kind != BMF_EXPRESSION_RING && !expression_is_independent(stencil->child[k]))
            return false;
    return true;
}

/* One for each edge; rings have some, too, which nobody looks at. */
static int make_constants(bmf_points *p)
{
    enum { EDGES = 2 * BMF_AXES };
    const int outer = BMF_AXES - p->dimensions;
    bmf_value made[EDGES] = {{0}};
    bmf_expression *last = NULL;
    int status = BMF_OK;
    for (int k = EDGES - 1; k >= 0 && status == BMF_OK; k--) {
        bmf_expression *edge = k / 2 < outer ? NULL : stencil_edge(p->stencil, k / 2 - outer, k % 2);
        if (k < EDGES - 1 && (!edge || edge == last))
            value_share(&made[k + 1], &made[k]);
        else
            status = edge ? apply_once(p, edge, &made[k]) : points_take(p, (const int64_t[]){0}, 1, &made[k]);
        last = edge ? edge : last;
    }
    if (status == BMF_OK)
        status = value_concatenate(p->evaluator->ctx, EDGES, made, &p->edges);
    for (int k = 0; k < EDGES; k++)
        value_free(&made[k]);
    return status;
}

int edges_make(bmf_points *p, bmf_edges_stage stage)
{
    if (p->beyonds == 0)
        return BMF_OK;
    if (!p->constant_edges)
        return make_edges(p, stage);
    return stage == BMF_EDGES_LATE ? BMF_OK : make_constants(p);
}
