/* Functions of points and their neighbours that are not scalar: a column of points for every place of the window.
 *
 * Cost: as many copies of the points as windows have places, and the function. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/stencils/points.h"

/* The numbers of the points at one place of all windows. */
static void number_place(const bmf_points *p, const int64_t place[BMF_AXES], int64_t *number)
{
    for (int64_t i = 0; i < p->count; i++) {
        const points_block *q = &p->block[i];
        for (int64_t a = 0; a < q->own.end[0]; a++)
            for (int64_t b = 0; b < q->own.end[1]; b++)
                for (int64_t c = 0, count; c < q->own.end[2]; c += count) {
                    const int64_t at[BMF_AXES] = {a + place[0], b + place[1], c + place[2]};
                    const int64_t first = points_find(p, q, at, &count), rest = q->own.end[2] - c;
                    const bool same = p->constant_edges && first >= p->points + p->nears;
                    count = count < rest ? count : rest;
                    for (int64_t k = 0; k < count; k++)
                        number[k] = same ? first : first + k;
                    number += count;
                }
    }
}

/* Tuples, in each other, of the places from `axis` on; those before it are given. */
static int make_windows(const bmf_points *p, int axis, int64_t place[BMF_AXES], int64_t *number, bmf_value *out)
{
    bmf_value part[BMF_MAX_LEAVES] = {{0}};
    int status = BMF_OK, parts = 0;
    if (axis == BMF_AXES) {
        number_place(p, place, number);
        return points_take(p, number, p->points, out);
    }
    for (place[axis] = -p->reach[axis]; place[axis] <= p->reach[axis] && status == BMF_OK; place[axis]++)
        status = make_windows(p, axis + 1, place, number, &part[parts++]);
    if (status == BMF_OK)
        value_create_tuple(parts, part, out);
    for (int k = 0; k < parts; k++)
        value_free(&part[k]);
    return status;
}

/* What is handed on to each block, for each of its points. */
static int hand_on(const bmf_points *p, bmf_value *windows)
{
    int64_t *offset = allocate((p->count + 1) * (int64_t)sizeof *offset);
    bmf_value both[2] = {{0}, {0}};
    for (int64_t i = 0; i < p->count; i++)
        offset[i] = p->block[i].point;
    offset[p->count] = p->points;
    const int status = value_repeat(p->evaluator->ctx, p->handed, offset, &both[0]);
    free(offset);
    if (status == BMF_OK) {
        value_move(windows, &both[1]);
        value_create_tuple(2, both, windows);
    }
    return status;
}

int points_evaluate_any(const bmf_points *p, bmf_value *out)
{
    int64_t *number = allocate((p->points + 1) * (int64_t)sizeof *number), place[BMF_AXES] = {0};
    bmf_value windows = {0};
    bmf_frame frame[BMF_AXES];
    int status = make_windows(p, BMF_AXES - p->dimensions, place, number, &windows);
    free(number);
    if (status == BMF_OK && p->handed)
        status = hand_on(p, &windows);
    if (status == BMF_OK) {
        points_open_frames(p, frame);
        status = evaluate_batch(p->evaluator, p->stencil->child[0], &frame[p->dimensions - 1], &windows, out);
        points_close_frames(p, frame);
    }
    value_free(&windows);
    return status;
}
