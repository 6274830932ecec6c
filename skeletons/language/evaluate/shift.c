/* Lists whose elements move some places on.
 *
 * Method: two runs of every list change places, or one makes room for defaults, which are made of the elements that
 * stand where nothing moves to. Runs are joined in one pass over the batch.
 * Cost: a copy of the elements, of which those that are lists only move their offsets' entries. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"

/* How elements move: k places on. What is `beyond` the ends is made of the elements there; NULL: they come back. */
typedef struct moving {
    const bmf_expression *by;
    int64_t k;
    bmf_expression *beyond;
} moving;

/* How many elements of a list of `length` stand at its beginning (k > 0) or end that have not moved on from there. */
static int64_t places_of(const moving *m, int64_t length)
{
    if (length == 0)
        return 0;
    if (!m->beyond)
        return llabs(m->k % length);
    return llabs(m->k) < length ? llabs(m->k) : length;
}

/* What stands where nothing moves to, list by list; count of them. */
static int make_defaults(bmf_evaluator *evaluator, const moving *m, const bmf_frame *frame, const bmf_value *x,
                         int64_t count, bmf_value *defaults)
{
    bmf_frame elements, inner;
    bmf_value own;
    int64_t made = 0, *picked = allocate((count + 1) * (int64_t)sizeof *picked);
    for (int64_t i = 0; i < x->count; i++) {
        const int64_t places = places_of(m, x->end[i] - x->begin[i]);
        const int64_t first = m->k > 0 ? x->begin[i] : x->end[i] - places;
        for (int64_t k = 0; k < places; k++)
            picked[made++] = first + k;
    }
    int status = value_take(evaluator->ctx, &x->child[0], picked, count, &own);
    if (status == BMF_OK) {
        frame_open_elements(frame, m->by, x->begin, &elements);
        frame_open_picked(&elements, m->by, picked, count, &inner);
        status = evaluate_batch(evaluator, m->beyond, &inner, &own, defaults);
        frame_close(&inner);
        frame_close(&elements);
    }
    free(picked);
    return status;
}

/* Where the two runs of every list begin, and where they go; returns how many defaults there are. */
static int64_t arrange(const moving *m, const bmf_value *x, int64_t *begin[2], int64_t *offset)
{
    const bool on = m->k > 0;
    int64_t made = 0;
    offset[0] = 0;
    for (int64_t i = 0; i < x->count; i++) {
        const int64_t length = x->end[i] - x->begin[i], places = places_of(m, length);
        const int64_t stay = on ? x->begin[i] : x->begin[i] + places;
        const int64_t come = m->beyond ? made : on ? x->end[i] - places : x->begin[i];
        begin[0][i] = on ? come : stay;
        begin[1][i] = on ? stay : come;
        offset[2 * i + 1] = offset[2 * i] + (on ? places : length - places);
        offset[2 * i + 2] = offset[2 * i] + length;
        made += places;
    }
    return made;
}

int shift_elements(bmf_evaluator *evaluator, const bmf_expression *by, int64_t k, bmf_expression *beyond,
                   const bmf_frame *frame, const bmf_value *x, bmf_value *out)
{
    const moving m = {by, k, beyond};
    const int64_t bytes = (x->count + 1) * (int64_t)sizeof(int64_t);
    int64_t *begin[2] = {allocate(bytes), allocate(bytes)}, *offset = allocate(2 * bytes);
    bmf_value defaults = {0};
    int status = BMF_OK;
    const int64_t made = arrange(&m, x, begin, offset);
    if (beyond)
        status = make_defaults(evaluator, &m, frame, x, made, &defaults);
    if (status == BMF_OK) {
        const bmf_value *own = &x->child[0], *come = beyond ? &defaults : own;
        const bmf_value *source[2] = {k > 0 ? come : own, k > 0 ? own : come};
        const int64_t *const first[2] = {begin[0], begin[1]}, step[2] = {1, 1};
        const bmf_segments segments = {2, source, first, step, 2 * x->count, offset};
        bmf_pass pass;
        pass_open(evaluator, frame, "shift", x->begin, &pass);
        status = value_join(&pass, &segments, out);
        pass_close(&pass);
    }
    value_free(&defaults);
    free(begin[0]), free(begin[1]), free(offset);
    return status;
}

int evaluate_shift(bmf_evaluator *evaluator, bmf_expression *shift, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_value moved;
    if (shift->number[0] == 0) {
        value_move(x, out);
        return BMF_OK;
    }
    int status = value_pack_for(evaluator, frame, "pack", x);
    if (status == BMF_OK)
        status = shift_elements(evaluator, shift, shift->number[0], shift->children > 0 ? shift->child[0] : NULL, frame,
                                x, &moved);
    if (status == BMF_OK)
        value_like(x, &moved, out);
    value_free(x);
    return status;
}
