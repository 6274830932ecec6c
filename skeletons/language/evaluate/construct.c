/* Tuples and lists of functions: all of them on the same argument.
 *
 * Cost: of a list, one pass over its elements, which are interleaved from what the functions made. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"

/* All children on the same argument, which the last one gets for good. */
static int evaluate_children(bmf_evaluator *evaluator, const bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                             bmf_value *result)
{
    int status = BMF_OK, made = 0;
    for (; made < expression->children && status == BMF_OK; made++) {
        bmf_value argument;
        if (made == expression->children - 1)
            value_move(x, &argument);
        else
            value_share(x, &argument);
        status = evaluate_batch(evaluator, expression->child[made], frame, &argument, &result[made]);
    }
    value_free(x);
    for (int k = 0; status != BMF_OK && k < made - 1; k++)
        value_free(&result[k]);
    return status;
}

int evaluate_tuple(bmf_evaluator *evaluator, bmf_expression *tuple, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_value component[BMF_MAX_LEAVES];
    BMF_TRY(evaluate_children(evaluator, tuple, frame, x, component));
    value_create_tuple(tuple->children, component, out);
    return BMF_OK;
}

typedef struct interleave_state {
    int64_t *index, *offsets, count, children;
} interleave_state;

static void number_interleaved(void *state, int64_t begin, int64_t end)
{
    const interleave_state *s = state;
    for (int64_t i = begin; i < end; i++) {
        s->offsets[i + 1] = (i + 1) * s->children;
        for (int64_t k = 0; k < s->children; k++)
            s->index[i * s->children + k] = k * s->count + i;
    }
}

/* Child k's values stand in a row; instance i's list is the i-th of each. */
static int interleave(bmf_evaluator *evaluator, const bmf_frame *frame, int64_t children, const bmf_value *all,
                      bmf_value *out)
{
    int64_t count = frame->count, bytes = (int64_t)sizeof(int64_t);
    interleave_state state = {malloc((size_t)(count * children + 1) * sizeof(int64_t)), NULL, count, children};
    bmf_buffer *offsets = buffer_create((count + 1) * bytes);
    bmf_value elements;
    bmf_pass pass;
    int status = state.index && offsets ? BMF_OK : fail_no_memory(evaluator->ctx, count * children);
    pass_open(evaluator, frame, "list", NULL, &pass);
    if (status == BMF_OK) {
        state.offsets = offsets->data;
        state.offsets[0] = 0;
        status = pass_run(&pass, count, number_interleaved, &state);
    }
    pass_close(&pass);
    if (status == BMF_OK)
        status = value_take(evaluator->ctx, all, state.index, count * children, &elements);
    free(state.index);
    if (status == BMF_OK)
        value_create_list(count, offsets, &elements, out);
    else
        buffer_release(offsets);
    return status;
}

int evaluate_vector(bmf_evaluator *evaluator, bmf_expression *vector, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    int children = vector->children;
    bmf_value all;
    if (children == 0) {
        value_free(x);
        return value_empty(evaluator->ctx, vector->out, frame->count, out);
    }
    bmf_value *result = allocate_clear(children, (int64_t)sizeof *result);
    int status = evaluate_children(evaluator, vector, frame, x, result);
    if (status == BMF_OK) {
        status = value_concatenate(evaluator->ctx, children, result, &all);
        for (int k = 0; k < children; k++)
            value_free(&result[k]);
    }
    free(result);
    if (status == BMF_OK) {
        status = interleave(evaluator, frame, children, &all, out);
        value_free(&all);
    }
    return status;
}
