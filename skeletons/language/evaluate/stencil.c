/* Functions of elements and their neighbours, of placed lists and of one list in parts on several processors.
 *
 * Method: what stands around the lists is taken from their other ends, or brought from other parts
 * (parallel/around.c); then windows are made (windows.c).
 * Cost: that of windows; between processors 2 messages a part, if parts have as many elements as windows reach. */
#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/evaluate/windows.h"
#include "skeletons/language/parallel/parallel.h"

static bool is_ring(const bmf_expression *stencil)
{
    return stencil->children == 1;
}

int evaluate_stencil(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    const bool pair = x->type->kind == BMF_TUPLE;
    bmf_value *lists = pair ? &x->child[1] : x;
    bmf_around around = {0};
    int status = value_pack_for(evaluator, frame, "pack", lists);
    if (status == BMF_OK)
        status = around_lists(evaluator, lists, stencil->number[0], is_ring(stencil), &around);
    if (status == BMF_OK)
        status = windows_evaluate(evaluator, stencil, frame, pair ? &x->child[0] : NULL, lists, &around, out);
    around_free(&around);
    value_free(x);
    return status;
}

/* parts: lists, or pairs of what is handed on to one and the list. */
static int evaluate_parts(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, bmf_distribution *spread,
                          bmf_value *parts, bmf_value *out)
{
    const bool pair = parts->type->kind == BMF_TUPLE;
    bmf_value *lists = pair ? &parts->child[1] : parts, same;
    bmf_list *list;
    bmf_frame inner;
    bmf_around around = {0};
    require_memory(value_pack(evaluator->ctx, lists), lists->count);
    value_share(lists, &same);
    BMF_TRY(value_to_list(evaluator->ctx, spread, &same, &list));
    int status = around_parts(evaluator, stencil, list, stencil->number[0], is_ring(stencil), &around);
    bmf_list_free(list);
    if (status == BMF_OK) {
        frame_open_spread(frame, stencil, spread, &inner);
        status = windows_evaluate(evaluator, stencil, &inner, pair ? &parts->child[0] : NULL, lists, &around, out);
        frame_close(&inner);
    }
    around_free(&around);
    return status;
}

int evaluate_parallel_stencil(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, bmf_value *x,
                              bmf_value *out)
{
    if (distribution_is_empty(x->spread))
        return distribute_nothing(evaluator, stencil, x, out);
    bmf_distribution *spread = distribution_retain(x->spread);
    const int64_t count = x->count;
    bmf_value parts, made;
    value_move(&x->child[0], &parts);
    value_free(x);
    operation_begin(evaluator, stencil);
    const int status = evaluate_parts(evaluator, stencil, frame, spread, &parts, &made);
    value_free(&parts);
    if (status == BMF_OK)
        value_distribute(count, spread, &made, out);
    else
        distribution_release(spread);
    return operation_end(evaluator, status);
}
