/* B_Slice of placed lists.
 *
 * Method: the slices are views of the elements that are there. The first instance in order whose numbers are wrong is
 * the one reported, whatever the threads. Cost: 16 bytes an instance; no element moves. */
#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"

typedef struct slice_state {
    const bmf_value *list, *from, *to;
    int64_t *begin, *end;
    bmf_failure first;
} slice_state;

static int64_t int_at(const bmf_value *value, int64_t i)
{
    return *(const int64_t *)((const char *)value->data + i * value->stride);
}

static void slice_some(void *state, int64_t begin, int64_t end)
{
    slice_state *s = state;
    for (int64_t i = begin; i < end; i++) {
        const int64_t from = int_at(s->from, i), to = int_at(s->to, i), first = s->list->begin[i * s->list->step];
        if (from < 0 || to < from || to > value_length(s->list, i)) {
            note_first_failure(&s->first, i, 0, 0);
            return;
        }
        s->begin[i] = first + from;
        s->end[i] = first + to;
    }
}

static int slice_failure(bmf_evaluator *evaluator, const bmf_expression *slice, const bmf_frame *frame, slice_state *s)
{
    if (s->first.kind != BMF_FAILURE_NONE) {
        const int64_t i = s->first.element;
        s->first.value[0] = int_at(s->from, i);
        s->first.value[1] = int_at(s->to, i);
        s->first.value[2] = value_length(s->list, i);
    }
    return noted_failure(evaluator, frame, slice, BMF_FAILURE_SLICE, &s->first);
}

int evaluate_slice(bmf_evaluator *evaluator, const bmf_expression *slice, const bmf_frame *frame, bmf_value *x,
                   bmf_value *out)
{
    bmf_value *list = &x->child[0];
    bmf_buffer *places = buffer_create((2 * x->count + 1) * (int64_t)sizeof(int64_t));
    if (!places)
        return fail_no_memory(evaluator->ctx, x->count);
    bmf_pass pass;
    slice_state state = {.list = list, .from = &x->child[1], .to = &x->child[2], .begin = places->data};
    state.end = state.begin + x->count;
    pass_open(evaluator, frame, "slice", NULL, &pass);
    int status = pass_run(&pass, x->count, slice_some, &state);
    pass_close(&pass);
    if (status == BMF_OK)
        status = slice_failure(evaluator, slice, frame, &state);
    if (status != BMF_OK) {
        buffer_release(places);
        return status;
    }
    *out = (bmf_value){.type = slice->out,
                       .count = x->count,
                       .buffer = places,
                       .begin = state.begin,
                       .end = state.end,
                       .step = 1,
                       .child = allocate_clear(1, (int64_t)sizeof(bmf_value))};
    value_move(&list->child[0], out->child);
    return BMF_OK;
}
