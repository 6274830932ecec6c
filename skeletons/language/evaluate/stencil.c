/* Functions of elements and their neighbours, of placed lists and of one list in parts on several processors.
 *
 * Method: the elements are shifted by every distance within reach, for all lists at once, and stand side by side as
 * the components of tuples, to which the function is applied. The parts of a distributed list are a list in C, which is
 * shifted as such; what is beyond its ends is made by the processors that have the elements there.
 * Cost: 2 r copies of the elements, and one pass; between processors 2 r messages a part, of 1 to r elements, if parts
 * have r elements or more. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/pairing.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/parallel/parallel.h"
#include "skeletons/shift.h"

static bmf_expression *beyond_of(const bmf_expression *stencil)
{
    return stencil->children > 1 ? stencil->child[1] : NULL;
}

/* Packed lists of windows, from elements side by side, which are taken over; lists as x. */
static void make_windows(const bmf_expression *stencil, const bmf_value *x, bmf_value *component, bmf_value *windows)
{
    bmf_value side_by_side;
    value_create_tuple((int)(2 * stencil->number[0] + 1), component, &side_by_side);
    value_like(x, &side_by_side, windows);
}

/* ---- placed lists ---- */

static int shift_all(bmf_evaluator *evaluator, bmf_expression *stencil, const bmf_frame *frame, const bmf_value *x,
                     bmf_value *component)
{
    const int64_t reach = stencil->number[0];
    int status = BMF_OK;
    for (int64_t k = -reach; k <= reach && status == BMF_OK; k++)
        if (k == 0)
            value_share(&x->child[0], &component[reach]);
        else
            status = shift_elements(evaluator, stencil, -k, beyond_of(stencil), frame, x, &component[reach + k]);
    return status;
}

int evaluate_stencil(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_value component[BMF_MAX_LEAVES] = {{0}}, windows;
    int status = value_pack_for(evaluator, frame, "pack", x);
    if (status == BMF_OK)
        status = shift_all(evaluator, stencil, frame, x, component);
    if (status == BMF_OK) {
        make_windows(stencil, x, component, &windows);
        status = evaluate_elements(evaluator, stencil, stencil->child[0], frame, &windows, out);
    }
    for (int k = 0; k < BMF_MAX_LEAVES; k++)
        value_free(&component[k]);
    value_free(x);
    return status;
}

/* ---- a distributed list ---- */

typedef struct parts {
    bmf_evaluator *evaluator;
    bmf_expression *stencil;
    bmf_frame *frame;       /* of the parts */
    const bmf_value *lists; /* packed, one a part */
    bmf_list *list;         /* the elements of all parts */
} parts;

/* What stands beyond the ends for a shift by k: on the processors that have the elements there. */
static int make_beyond(const parts *p, int64_t k, bmf_list **beyond)
{
    bmf_context *ctx = p->evaluator->ctx;
    const int64_t length = bmf_length(p->list), begin = k > 0 ? 0 : length + k, end = k > 0 ? k : length;
    const int64_t first = bmf_list_local_begin(p->list);
    bmf_partition *partition;
    bmf_frame elements, inner;
    bmf_value own = {0}, made = {0};
    bmf_column column = {0};
    BMF_TRY(shift_clip(ctx, p->list->partition, begin, end, &partition));
    const int64_t count = bmf_partition_local_end(partition) - bmf_partition_local_begin(partition);
    const int64_t from = begin + bmf_partition_local_begin(partition) - first;
    int64_t *picked = allocate((count + 1) * (int64_t)sizeof *picked);
    for (int64_t i = 0; i < count; i++)
        picked[i] = from + i;
    int status = value_take(ctx, &p->lists->child[0], picked, count, &own);
    frame_open_elements(p->frame, p->stencil, p->lists->begin, &elements);
    frame_open_picked(&elements, p->stencil, picked, count, &inner);
    if (status == BMF_OK)
        status = evaluate_batch(p->evaluator, beyond_of(p->stencil), &inner, &own, &made);
    frame_close(&inner);
    frame_close(&elements);
    if (status != BMF_OK)
        value_default(ctx, p->list->type, count, &made);
    status = failure_defer(ctx, status);
    if (status == BMF_OK) {
        require_memory(value_to_column(ctx, &made, &column), count);
        list_adopt(ctx, partition, &column, beyond);
    }
    bmf_partition_release(partition);
    value_free(&own), value_free(&made);
    free(picked);
    return status;
}

/* The elements k places on, as a batch. */
static int shift_list(const parts *p, int64_t k, bmf_value *out)
{
    const int64_t length = bmf_length(p->list);
    const bool ends = beyond_of(p->stencil);
    bmf_list *beyond = NULL, *shifted = NULL;
    bmf_column column;
    if (!ends)
        k = length > 0 ? k % length : 0;
    else
        k = k > length ? length : k < -length ? -length : k;
    int status = ends && k != 0 ? make_beyond(p, k, &beyond) : BMF_OK;
    if (status == BMF_OK && k != 0)
        status = shift_with(p->list, k, beyond, &shifted);
    if (status == BMF_OK) {
        share_column(k != 0 ? &shifted->column : &p->list->column, &column);
        value_from_column(&column, out);
    }
    bmf_list_free(beyond);
    bmf_list_free(shifted);
    return status;
}

static int shift_parts(const parts *p, bmf_value *out)
{
    const int64_t reach = p->stencil->number[0];
    bmf_value component[BMF_MAX_LEAVES] = {{0}}, windows;
    int status = BMF_OK;
    for (int64_t k = -reach; k <= reach && status == BMF_OK; k++)
        status = shift_list(p, -k, &component[reach + k]);
    if (status == BMF_OK) {
        make_windows(p->stencil, p->lists, component, &windows);
        status = evaluate_elements(p->evaluator, p->stencil, p->stencil->child[0], p->frame, &windows, out);
    }
    for (int k = 0; k < BMF_MAX_LEAVES; k++)
        value_free(&component[k]);
    return status;
}

static int evaluate_parts(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, bmf_distribution *spread,
                          bmf_value *lists, bmf_value *out)
{
    bmf_value same;
    bmf_list *list;
    bmf_frame inner;
    require_memory(value_pack(evaluator->ctx, lists), lists->count);
    value_share(lists, &same);
    BMF_TRY(value_to_list(evaluator->ctx, spread, &same, &list));
    frame_open_spread(frame, stencil, spread, &inner);
    const parts p = {evaluator, stencil, &inner, lists, list};
    const int status = shift_parts(&p, out);
    frame_close(&inner);
    bmf_list_free(list);
    return status;
}

int evaluate_parallel_stencil(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, bmf_value *x,
                              bmf_value *out)
{
    if (distribution_is_empty(x->spread))
        return distribute_nothing(evaluator, stencil, x, out);
    bmf_distribution *spread = distribution_retain(x->spread);
    const int64_t count = x->count;
    bmf_value lists, made;
    value_move(&x->child[0], &lists);
    value_free(x);
    operation_begin(evaluator, stencil);
    const int status = evaluate_parts(evaluator, stencil, frame, spread, &lists, &made);
    value_free(&lists);
    if (status == BMF_OK)
        value_distribute(count, spread, &made, out);
    else
        distribution_release(spread);
    return operation_end(evaluator, status);
}
