/* Reductions and scans of lists of lists with B_Conc.
 *
 * Method: the reduction drops one level of offsets; a scan's results are views that all begin where their list begins
 * and end where each inner list ends. Only a default that is not empty makes copies.
 * Cost: a pass over the offsets, if the inner lists lie one behind the other; otherwise they are gathered first. */
#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"

typedef struct fold_state {
    const bmf_value *lists, *inner;
    int64_t *begin, *end;
} fold_state;

static void drop_offsets(void *state, int64_t first, int64_t last)
{
    const fold_state *s = state;
    for (int64_t i = first; i < last; i++)
        s->begin[i + 1] = s->inner->begin[s->lists->begin[i + 1]];
}

static void begin_alike(void *state, int64_t first, int64_t last)
{
    const fold_state *s = state;
    for (int64_t i = first; i < last; i++)
        for (int64_t k = s->lists->begin[i], begin = s->inner->begin[k]; k < s->lists->begin[i + 1]; k++) {
            s->begin[k] = begin;
            s->end[k] = s->inner->end[k];
        }
}

static int pack_both(bmf_evaluator *evaluator, const bmf_frame *frame, bmf_value *x)
{
    BMF_TRY(value_pack_for(evaluator, frame, "pack", x));
    return value_pack(evaluator->ctx, &x->child[0]);
}

/* The concatenations of packed lists of packed lists, which keep their shells. */
static int concatenate_all(bmf_evaluator *evaluator, bmf_value *x, bmf_value *out)
{
    bmf_pass pass = {.ctx = evaluator->ctx};
    bmf_buffer *offsets = buffer_create((x->count + 1) * (int64_t)sizeof(int64_t));
    if (!offsets)
        return fail_no_memory(evaluator->ctx, x->count);
    fold_state state = {.lists = x, .inner = &x->child[0], .begin = offsets->data};
    state.begin[0] = 0;
    pass_run(&pass, x->count, drop_offsets, &state);
    value_create_list(x->count, offsets, &x->child[0].child[0], out);
    return BMF_OK;
}

/* {initial, lists} concatenated; both are taken over. */
static int put_before(bmf_evaluator *evaluator, const bmf_frame *frame, bmf_value *initial, bmf_value *lists,
                      bmf_value *out)
{
    bmf_value pair[2], both;
    value_move(initial, &pair[0]);
    value_move(lists, &pair[1]);
    value_create_tuple(2, pair, &both);
    int status = evaluate_concatenation(evaluator, frame, &both, out);
    value_free(&both);
    return status;
}

int evaluate_reduce_lists(bmf_evaluator *evaluator, bmf_expression *reduce, bmf_frame *frame, bmf_value *x,
                          bmf_value *out)
{
    bmf_value initial = {0}, total;
    int status = reduce->children > 1 ? evaluate_default(evaluator, reduce, frame, x, &initial)
                                      : check_not_empty(evaluator, reduce, frame, x);
    if (status == BMF_OK)
        status = pack_both(evaluator, frame, x);
    if (status == BMF_OK)
        status = concatenate_all(evaluator, x, &total);
    if (status == BMF_OK && reduce->children > 1)
        status = put_before(evaluator, frame, &initial, &total, out);
    else if (status == BMF_OK)
        value_move(&total, out);
    value_free(&initial);
    value_free(x);
    return status;
}

/* For each inner list of packed lists of packed lists, all up to its end. */
static int begin_all(bmf_evaluator *evaluator, const bmf_value *x, bmf_value *out)
{
    const bmf_value *inner = &x->child[0];
    bmf_pass pass = {.ctx = evaluator->ctx};
    bmf_value made = {.type = inner->type, .count = inner->count, .step = 1};
    made.buffer = buffer_create(2 * inner->count * (int64_t)sizeof(int64_t));
    if (!made.buffer)
        return fail_no_memory(evaluator->ctx, inner->count);
    fold_state state = {x, inner, made.buffer->data, (int64_t *)made.buffer->data + inner->count};
    pass_run(&pass, x->count, begin_alike, &state);
    made.begin = state.begin;
    made.end = state.end;
    made.child = allocate_clear(1, (int64_t)sizeof *made.child);
    value_share(&inner->child[0], made.child);
    *out = made;
    return BMF_OK;
}

/* initial's list of each instance before all of its prefixes, which are taken over. */
static int put_before_all(bmf_evaluator *evaluator, const bmf_expression *scan, bmf_frame *frame, const bmf_value *x,
                          const bmf_value *initial, bmf_value *prefixes, bmf_value *out)
{
    bmf_frame elements;
    bmf_value repeated;
    int status = value_repeat(evaluator->ctx, initial, x->begin, &repeated);
    if (status == BMF_OK) {
        frame_open_elements(frame, scan, x->begin, &elements);
        status = put_before(evaluator, &elements, &repeated, prefixes, out);
        frame_close(&elements);
    }
    value_free(prefixes);
    return status;
}

int evaluate_scan_lists(bmf_evaluator *evaluator, bmf_expression *scan, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_value initial = {0}, prefixes, all;
    int status = evaluate_default(evaluator, scan, frame, x, &initial);
    if (status == BMF_OK)
        status = pack_both(evaluator, frame, x);
    if (status == BMF_OK)
        status = begin_all(evaluator, x, &prefixes);
    if (status == BMF_OK && scan->children > 1)
        status = put_before_all(evaluator, scan, frame, x, &initial, &prefixes, &all);
    else if (status == BMF_OK)
        value_move(&prefixes, &all);
    if (status == BMF_OK)
        value_like(x, &all, out);
    value_free(&initial);
    value_free(x);
    return status;
}
