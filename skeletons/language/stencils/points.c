/* Functions of points and their neighbours: of lists, of lists of rows, and of planes of rows, all of one length.
 *
 * Method: a list, or a part of one, is a block of points. Around it lies what other parts have, or its own other end,
 * and beyond the edges what is made for them (edges.c). Scalar functions are computed where the points lie
 * (compute.c): of parts first those whose windows need no other part, while what the others need is on its way. Other
 * functions get columns (any.c).
 * Cost: of scalar functions one pass that reads and writes every point once. */
#include "skeletons/language/stencils/points.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/stencils/beside.h"
#include "skeletons/language/types/check.h"

bmf_expression *stencil_edge(const bmf_expression *stencil, int d, int side)
{
    const int edge = stencil_edge_child(stencil, d, side);
    return edge == 0 || stencil->child[edge]->kind == BMF_EXPRESSION_RING ? NULL : stencil->child[edge];
}

bool stencil_is_scalar(const bmf_expression *stencil)
{
    const bmf_expression *f = stencil->child[0];
    return f->kind == BMF_EXPRESSION_SCALAR || is_scalar_expression(f);
}

/* ---- numbers of points ---- */

static int64_t within(int64_t at, int64_t most)
{
    return at < 0 ? 0 : at < most ? at : most;
}

/* Of a place in the outer box, among those that are not in the inner one, row by row. */
static int64_t number_around(const bmf_box *outer, const bmf_box *inner, const int64_t at[BMF_AXES])
{
    int64_t number = 0, inside = 0;
    bool among = true; /* in the inner box as far as the axes that were looked at */
    for (int k = 0; k < BMF_AXES; k++) {
        number = number * box_extent(outer, k) + at[k] - outer->begin[k];
        inside = inside * box_extent(inner, k) + (among ? within(at[k] - inner->begin[k], box_extent(inner, k)) : 0);
        among = among && box_has(inner, k, at[k]);
    }
    return number - inside;
}

/* Which edge a place is beyond: the first axis says. */
static int edge_beyond(const bmf_box *known, const int64_t at[BMF_AXES])
{
    int k = 0;
    while (k < BMF_AXES - 1 && box_has(known, k, at[k]))
        k++;
    return 2 * k + (at[k] >= known->end[k]);
}

int64_t points_find(const bmf_points *p, const points_block *q, const int64_t at[BMF_AXES], int64_t *count)
{
    const bmf_box *own = &q->own, *known = &q->known;
    const int64_t c = at[2];
    const bool known_row = box_has(known, 0, at[0]) && box_has(known, 1, at[1]);
    const bool own_row = known_row && box_has(own, 0, at[0]) && box_has(own, 1, at[1]);
    if (own_row && box_has(own, 2, c)) {
        *count = own->end[2] - c;
        return block_point(q, at[0], at[1], c);
    }
    if (known_row && box_has(known, 2, c)) {
        *count = (own_row && c < 0 ? 0 : known->end[2]) - c;
        return p->points + q->near + number_around(known, own, at);
    }
    *count = (known_row && c < known->begin[2] ? known->begin[2] : q->shell.end[2]) - c;
    return p->points + p->nears +
           (p->constant_edges ? edge_beyond(known, at) : q->edge + number_around(&q->shell, known, at));
}

void points_slices(const bmf_points *p, bmf_point_slices *slices)
{
    *slices = (bmf_point_slices){{{0}}, {{0}}, {{0}}};
    value_slices(points_own(p), 0, slices->own);
    if (p->near.type)
        value_slices(&p->near, 0, slices->near);
    if (p->edges.type)
        value_slices(&p->edges, 0, slices->edge);
}

int points_take(const bmf_points *p, const int64_t *number, int64_t count, bmf_value *out)
{
    bmf_point_slices slices;
    bmf_slice to[BMF_MAX_LEAVES];
    points_slices(p, &slices);
    BMF_TRY(value_create(p->evaluator->ctx, p->type, count, out));
    value_slices(out, 0, to);
    for (int leaf = 0; leaf < p->leaves; leaf++)
        for (int64_t k = 0; k < count; k++) {
            const bmf_slice from = point_slice(p, &slices, number[k], leaf);
            point_copy(from.data, p->leaf[leaf]->size, (char *)to[leaf].data + k * to[leaf].stride);
        }
    return BMF_OK;
}

/* ---- measuring ---- */

/* Fails unless lists [first, first + count) have `expected` elements. */
static int check_lengths(const bmf_points *p, int64_t block, const bmf_value *lists, int64_t first, int64_t count,
                         int64_t expected)
{
    for (int64_t k = first; k < first + count; k++)
        if (value_length(lists, k) != expected)
            return frame_fail(
                p->evaluator, p->frame,
                &(bmf_failure){BMF_FAILURE_RAGGED, p->stencil, block, {expected, value_length(lists, k)}, 0});
    return BMF_OK;
}

/* The own points of block i. */
static int measure_own(bmf_points *p, int64_t i)
{
    points_block *q = &p->block[i];
    int64_t first = i, lists = 1;
    q->own = (bmf_box){{0}, {1, 1, 1}};
    for (int d = 0; d < p->dimensions; d++) {
        const bmf_value *level = &p->level[d];
        const int64_t length = lists > 0 ? value_length(level, first) : 0;
        BMF_TRY(check_lengths(p, i, level, first, lists, length));
        q->own.end[BMF_AXES - p->dimensions + d] = length;
        first = lists > 0 ? level->begin[first] : 0;
        lists *= length;
    }
    if (lists == 0)
        q->own = (bmf_box){{0}, {0}};
    return BMF_OK;
}

/* How many points are known before and behind block i along an axis. */
static void count_known(const bmf_points *p, int64_t i, int axis, const bmf_around *around, int64_t *before,
                        int64_t *behind)
{
    *before = *behind = p->ring[axis] ? p->reach[axis] : 0;
    if (p->beside) {
        beside_count(p->beside, i, axis, before, behind);
    } else if (p->late[axis]) {
        *before = around->before[i];
        *behind = around_behind(around, i);
    }
}

static void measure_around(bmf_points *p, int64_t i, const bmf_around *around)
{
    points_block *q = &p->block[i];
    q->known = q->shell = q->own;
    for (int k = 0; k < BMF_AXES && box_elements(&q->own) > 0; k++) {
        int64_t before, behind;
        count_known(p, i, k, around, &before, &behind);
        q->known.begin[k] -= before;
        q->known.end[k] += behind;
        q->shell.begin[k] -= p->reach[k];
        q->shell.end[k] += p->reach[k];
    }
    q->point = p->points;
    q->near = p->nears;
    q->edge = p->beyonds;
    p->points += box_elements(&q->own);
    p->nears += box_elements(&q->known) - box_elements(&q->own);
    p->beyonds += box_elements(&q->shell) - box_elements(&q->known);
}

/* Lists in each other, packed: the outermost ones are there. */
static int pack_levels(bmf_context *ctx, int levels, bmf_value *level)
{
    for (int d = 1; d < levels; d++) {
        value_share(&level[d - 1].child[0], &level[d]);
        BMF_TRY(value_pack(ctx, &level[d]));
    }
    return BMF_OK;
}

int points_open(bmf_points *p, bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame,
                const bmf_value *handed, const bmf_value *lists, const bmf_around *around, const bmf_beside *beside)
{
    const int dimensions = stencil_dimensions(stencil), first = BMF_AXES - dimensions;
    *p = (bmf_points){.evaluator = evaluator,
                      .stencil = stencil,
                      .frame = frame,
                      .handed = handed,
                      .lists = lists,
                      .beside = beside,
                      .in_parts = around || beside,
                      .dimensions = dimensions,
                      .count = lists->count};
    for (int d = 0; d < dimensions; d++) {
        p->reach[first + d] = stencil->number[d];
        p->ring[first + d] = !stencil_edge(stencil, d, 0);
        p->late[first + d] = beside ? beside->axis[first + d].blocks > 1 : around && d == 0;
    }
    p->constant_edges = edges_are_constant(stencil);
    p->block = allocate_clear(p->count + 1, (int64_t)sizeof *p->block);
    if (lists->child[0].count == 0) /* of whatever type */
        return BMF_OK;
    value_share(lists, &p->level[0]);
    BMF_TRY(pack_levels(evaluator->ctx, dimensions, p->level));
    p->type = points_own(p)->type;
    p->leaves = bmf_type_leaves(p->type, p->leaf);
    for (int64_t i = 0; i < p->count; i++) {
        BMF_TRY(measure_own(p, i));
        measure_around(p, i, around);
    }
    return beside && p->nears > 0 ? value_create(evaluator->ctx, p->type, p->nears, &p->near) : BMF_OK;
}

void points_close(bmf_points *p)
{
    for (int d = 0; d < BMF_AXES; d++)
        value_free(&p->level[d]);
    value_free(&p->near), value_free(&p->edges), value_free(&p->made);
    free(p->block);
}

/* ---- what is known around blocks ---- */

/* The rows, or planes, that came for block i are as long as its own. */
static int check_received(const bmf_points *p, int64_t i, const bmf_around *around, const bmf_value *level)
{
    int64_t first = around->begin[i], lists = around->begin[i + 1] - first;
    for (int d = 1; d < p->dimensions && box_elements(&p->block[i].own) > 0; d++) {
        const int64_t length = p->block[i].own.end[BMF_AXES - p->dimensions + d];
        BMF_TRY(check_lengths(p, i, &level[d], first, lists, length));
        first = lists > 0 ? level[d].begin[first] : 0;
        lists *= length;
    }
    return BMF_OK;
}

/* The points that came for all blocks. */
static int take_received(const bmf_points *p, const bmf_around *around, bmf_value *received)
{
    bmf_value level[BMF_AXES] = {{0}}, child;
    level[0] = (bmf_value){.child = &child};
    value_share(&around->elements, &child);
    int status = pack_levels(p->evaluator->ctx, p->dimensions, level);
    for (int64_t i = 0; i < p->count && status == BMF_OK; i++)
        status = check_received(p, i, around, level);
    if (status == BMF_OK)
        value_share(&level[p->dimensions - 1].child[0], received);
    for (int d = 1; d < BMF_AXES; d++)
        value_free(&level[d]);
    value_free(&child);
    return status;
}

static int64_t turned(const bmf_points *p, const points_block *q, int axis, int64_t at)
{
    const int64_t length = q->own.end[axis];
    return p->ring[axis] && !p->late[axis] ? (at % length + length) % length : at;
}

/* Numbers of what is known around a block, among own points and, behind them, those received; of these `received` are
 * the block's first. */
static int64_t number_known(const bmf_points *p, const points_block *q, int64_t received, int64_t *number)
{
    const int outer = BMF_AXES - p->dimensions;
    bmf_box came = q->own; /* own points are not in what came for the block */
    int64_t used = 0, at[BMF_AXES];
    came.begin[outer] = q->known.begin[outer];
    came.end[outer] = q->known.end[outer];
    for (at[0] = q->known.begin[0]; at[0] < q->known.end[0]; at[0]++)
        for (at[1] = q->known.begin[1]; at[1] < q->known.end[1]; at[1]++)
            for (at[2] = q->known.begin[2]; at[2] < q->known.end[2]; at[2]++) {
                if (box_has(&q->own, 0, at[0]) && box_has(&q->own, 1, at[1]) && box_has(&q->own, 2, at[2]))
                    continue;
                const int64_t from[BMF_AXES] = {turned(p, q, 0, at[0]), turned(p, q, 1, at[1]), turned(p, q, 2, at[2])};
                number[used++] = box_has(&q->own, outer, from[outer])
                                     ? block_point(q, from[0], from[1], from[2])
                                     : p->points + received + number_around(&came, &q->own, from);
            }
    return used;
}

/* What came is all that is known: no block has its own other end beside it. */
static bool all_came(const bmf_points *p)
{
    for (int k = 0; k < BMF_AXES; k++)
        if (p->ring[k] && !p->late[k] && p->reach[k] > 0)
            return false;
    return true;
}

static int make_near(bmf_points *p, const bmf_around *around)
{
    bmf_points came = *p;
    const int outer = BMF_AXES - p->dimensions;
    int status = BMF_OK;
    if (p->beside) /* they are there */
        return BMF_OK;
    came.near = (bmf_value){0};
    if (around)
        BMF_TRY(take_received(p, around, &came.near));
    if (all_came(p)) {
        p->near = came.near;
        return BMF_OK;
    }
    int64_t *number = allocate((p->nears + 1) * (int64_t)sizeof *number), used = 0, received = 0;
    came.nears = around ? came.near.count : 0;
    for (int64_t i = 0; i < p->count; i++) {
        const points_block *q = &p->block[i];
        used += number_known(p, q, received, number + used);
        if (p->late[outer] && box_elements(&q->own) > 0)
            received += (box_extent(&q->known, outer) - box_extent(&q->own, outer)) *
                        (box_elements(&q->own) / box_extent(&q->own, outer));
    }
    status = points_take(&came, number, used, &p->near);
    value_free(&came.near);
    free(number);
    return status;
}

/* ---- frames ---- */

void points_open_frames(const bmf_points *p, bmf_frame frame[BMF_AXES])
{
    for (int d = 0; d < p->dimensions; d++)
        frame_open_elements(d == 0 ? p->frame : &frame[d - 1], p->stencil, p->level[d].begin, &frame[d]);
}

void points_close_frames(const bmf_points *p, bmf_frame frame[BMF_AXES])
{
    for (int d = p->dimensions - 1; d >= 0; d--)
        frame_close(&frame[d]);
}

/* ---- which points are computed when ---- */

/* The windows of a block's points that need nothing that comes late; empty also where a mirror at an edge might show
 * such. */
static bmf_box early_box(const bmf_points *p, const points_block *q)
{
    bmf_box box = q->own;
    for (int k = 0; k < BMF_AXES; k++) {
        if (q->known.begin[k] < 0)
            box.begin[k] = p->reach[k];
        if (q->known.end[k] > q->own.end[k])
            box.end[k] -= p->reach[k];
        if (p->late[k] && box_extent(&q->own, k) < p->reach[k])
            box.end[k] = box.begin[k];
    }
    return box;
}

static void add_task(bmf_point_tasks *tasks, int64_t i, const bmf_box *box)
{
    if (box_elements(box) == 0)
        return;
    *ARRAY_APPEND(tasks->task, tasks->count, tasks->capacity) = (bmf_point_task){i, *box, tasks->points};
    tasks->points += box_elements(box);
}

/* What of a block is not early, axis by axis: before, behind, and then between them. */
static void add_late(bmf_point_tasks *tasks, int64_t i, const bmf_box *own, const bmf_box *early)
{
    bmf_box rest = *own;
    if (box_elements(early) == 0) {
        add_task(tasks, i, own);
        return;
    }
    for (int k = 0; k < BMF_AXES; k++) {
        bmf_box side = rest;
        side.end[k] = early->begin[k];
        add_task(tasks, i, &side);
        side = rest;
        side.begin[k] = early->end[k];
        add_task(tasks, i, &side);
        rest.begin[k] = early->begin[k];
        rest.end[k] = early->end[k];
    }
}

/* Share k of a box: of its rows, or what is outermost. */
static bmf_box share_of_box(const bmf_points *p, const bmf_box *box, int share, int shares)
{
    const int outer = BMF_AXES - p->dimensions;
    const int64_t extent = box_extent(box, outer);
    bmf_box part = *box;
    part.begin[outer] = box->begin[outer] + bmf_split_start(extent, shares, share);
    part.end[outer] = box->begin[outer] + bmf_split_start(extent, shares, share + 1);
    return part;
}

static int compute_tasks(bmf_points *p, bmf_point_tasks *tasks, bmf_exchange *under_way)
{
    tasks->offset[p->count] = tasks->points;
    const int status = tasks->points > 0 ? points_compute(p, tasks, under_way) : BMF_OK;
    free(tasks->task), free(tasks->offset);
    return status;
}

static int compute_early(bmf_points *p, int share, int shares, bmf_exchange *under_way)
{
    bmf_point_tasks tasks = {.kernel = "stencil",
                             .round = (uint32_t)share,
                             .offset = allocate((p->count + 1) * (int64_t)sizeof *tasks.offset)};
    for (int64_t i = 0; i < p->count; i++) {
        const bmf_box early = early_box(p, &p->block[i]), box = share_of_box(p, &early, share, shares);
        tasks.offset[i] = tasks.points;
        add_task(&tasks, i, &box);
    }
    return compute_tasks(p, &tasks, under_way);
}

/* All points, or of parts those that are not early. */
static int compute_others(bmf_points *p)
{
    bmf_point_tasks tasks = {.kernel = p->in_parts ? "edges" : "stencil",
                             .round = p->in_parts,
                             .offset = allocate((p->count + 1) * (int64_t)sizeof *tasks.offset)};
    for (int64_t i = 0; i < p->count; i++) {
        const bmf_box own = p->block[i].own, box = early_box(p, &p->block[i]);
        tasks.offset[i] = tasks.points;
        if (p->in_parts)
            add_late(&tasks, i, &own, &box);
        else
            add_task(&tasks, i, &own);
    }
    return compute_tasks(p, &tasks, NULL);
}

/* ---- from lists to results ---- */

int points_begin(bmf_points *p, int share, int shares, bmf_exchange *under_way)
{
    if (p->points == 0 || !stencil_is_scalar(p->stencil))
        return BMF_OK;
    if (share == 0) {
        BMF_TRY(value_create(p->evaluator->ctx, p->stencil->child[0]->out, p->points, &p->made));
        BMF_TRY(edges_make(p, BMF_EDGES_EARLY));
    }
    return compute_early(p, share, shares, under_way);
}

static int compute_rest(bmf_points *p, const bmf_around *around, bmf_value *made)
{
    if (p->points == 0)
        return value_empty(p->evaluator->ctx, p->stencil->child[0]->out, 0, made);
    BMF_TRY(make_near(p, around));
    const bool begun = p->made.type;
    BMF_TRY(edges_make(p, begun ? BMF_EDGES_LATE : BMF_EDGES_ALL));
    if (!stencil_is_scalar(p->stencil))
        return points_evaluate_any(p, made);
    if (!begun)
        BMF_TRY(value_create(p->evaluator->ctx, p->stencil->child[0]->out, p->points, &p->made));
    BMF_TRY(compute_others(p));
    if (p->failure.kind != BMF_FAILURE_NONE) {
        bmf_frame frame[BMF_AXES];
        points_open_frames(p, frame);
        const int status = frame_fail(p->evaluator, &frame[p->dimensions - 1], &p->failure);
        points_close_frames(p, frame);
        return status;
    }
    value_move(&p->made, made);
    return BMF_OK;
}

/* Lists without elements, of whatever type. */
static int make_nothing(const bmf_points *p, bmf_value *out)
{
    const bmf_type *type = p->stencil->child[0]->out;
    bmf_value elements;
    for (int d = 1; d < p->dimensions; d++)
        type = bmf_type_list(type);
    BMF_TRY(value_empty(p->evaluator->ctx, type, 0, &elements));
    value_like(p->lists, &elements, out);
    return BMF_OK;
}

int points_end(bmf_points *p, const bmf_around *around, bmf_value *out)
{
    bmf_value made, lists;
    if (p->lists->child[0].count == 0)
        return make_nothing(p, out);
    BMF_TRY(compute_rest(p, around, &made));
    for (int d = p->dimensions - 1; d >= 0; d--) {
        value_like(d > 0 ? &p->level[d] : p->lists, &made, &lists);
        made = lists;
    }
    *out = made;
    return BMF_OK;
}
