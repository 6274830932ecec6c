/* The evaluator: one expression applied to a whole batch.
 *
 * Method: by kind and type. What a list operation does to one list is done to the lists of all instances in a few
 * passes; what a map does to elements is done to the batch of all elements. Nothing loops over instances. When all
 * instances have the same argument, one of them is computed and the result stays the same for all.
 * Cost: passes over the batch, as many as there are operations that no stream or kernel has joined. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/evaluate/evaluate_private.h"
#include "skeletons/language/laws/rewriter.h"

/* ---- names ---- */

/* Outermost first. */
static void open_regions(bmf_evaluator *evaluator, const bmf_naming *names, const bmf_naming *already)
{
    if (names == already)
        return;
    open_regions(evaluator, names->outer, already);
    bmf_region_begin(evaluator->ctx, names->name);
}

static int depth_of(const bmf_naming *names)
{
    return names ? names->depth + 1 : 0;
}

/* From the regions of one part to those of the next; returns the latter. Names are regions where operations are nodes:
 * unless the evaluation is quiet. */
static const bmf_naming *change_regions(bmf_evaluator *evaluator, const bmf_naming *from, const bmf_naming *to)
{
    if (from == to || !evaluator->ctx->run || evaluator->quiet > 0)
        return to;
    const bmf_naming *common = naming_common(from, to), *kept = to;
    for (int depth = depth_of(from); depth > depth_of(common); depth--)
        bmf_region_end(evaluator->ctx);
    while (depth_of(kept) > depth_of(common))
        kept = kept->outer;
    open_regions(evaluator, to, kept);
    return to;
}

/* ---- structure ---- */

/* Neighbours that come from the same use of a name are in one region. */
static int evaluate_chain(bmf_evaluator *evaluator, bmf_expression *chain, bmf_frame *frame, bmf_value *x,
                          bmf_value *out)
{
    bmf_value current, next;
    const bmf_naming *open = NULL;
    int status = BMF_OK;
    value_move(x, &current);
    for (int k = chain->children - 1; k >= 0 && status == BMF_OK; k--) {
        open = change_regions(evaluator, open, chain->child[k]->names);
        status = evaluate_unnamed(evaluator, chain->child[k], frame, &current, &next);
        if (status == BMF_OK)
            value_move(&next, &current);
    }
    change_regions(evaluator, open, NULL);
    if (status == BMF_OK)
        value_move(&current, out);
    return status;
}

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

static int evaluate_tuple(bmf_evaluator *evaluator, const bmf_expression *tuple, bmf_frame *frame, bmf_value *x,
                          bmf_value *out)
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
    if (status == BMF_OK) {
        value_create_list(count, offsets, &elements, out);
        return BMF_OK;
    }
    buffer_release(offsets);
    return status;
}

static int evaluate_vector(bmf_evaluator *evaluator, const bmf_expression *vector, bmf_frame *frame, bmf_value *x,
                           bmf_value *out)
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

static int evaluate_component(const bmf_expression *address, bmf_value *x, bmf_value *out)
{
    value_move(&x->child[address->number[0] - 1], out);
    value_free(x);
    return BMF_OK;
}

/* ---- maps ---- */

/* Components and constants need neither frames nor packed lists: the elements change where they are. */
static int move_elements(bmf_evaluator *evaluator, bmf_expression *body, bmf_value *x, bmf_value *out)
{
    bmf_frame any = {.count = x->child[0].count};
    bmf_value moved;
    int status = evaluate_batch(evaluator, body, &any, &x->child[0], &moved);
    if (status == BMF_OK)
        status = value_like(evaluator->ctx, x, &moved, out);
    value_free(x);
    return status;
}

int evaluate_elements(bmf_evaluator *evaluator, const bmf_expression *by, bmf_expression *body, bmf_frame *frame,
                      bmf_value *x, bmf_value *out)
{
    bmf_frame elements;
    bmf_value mapped;
    if (is_structural(body))
        return move_elements(evaluator, body, x, out);
    int status = value_pack_for(evaluator, frame, "pack", x);
    if (status == BMF_OK) {
        frame_open_elements(frame, by, x->begin, &elements);
        status = evaluate_batch(evaluator, body, &elements, &x->child[0], &mapped);
        frame_close(&elements);
    }
    if (status == BMF_OK)
        status = value_like(evaluator->ctx, x, &mapped, out);
    value_free(x);
    return status;
}

/* ---- dispatch ---- */

static int evaluate_operation(bmf_evaluator *evaluator, bmf_expression *operation, bmf_frame *frame, bmf_value *x,
                              bmf_value *out)
{
    if (!operation->parallel)
        return evaluate_list_operation(evaluator, operation, frame, x, out);
    switch (operation->operation) {
    case BMF_OPERATION_LENGTH:
        return evaluate_parallel_length(evaluator, operation, frame, x, out);
    case BMF_OPERATION_INDEX:
        return evaluate_parallel_index(evaluator, operation, frame, x, out);
    case BMF_OPERATION_DISTL:
        return evaluate_parallel_distl(evaluator, operation, frame, x, out);
    default:
        return evaluate_parallel_project(evaluator, operation, frame, x, out);
    }
}

static int evaluate_skeleton(bmf_evaluator *evaluator, bmf_expression *skeleton, bmf_frame *frame, bmf_value *x,
                             bmf_value *out)
{
    bool parallel = skeleton->parallel;
    switch (skeleton->kind) {
    case BMF_EXPRESSION_MAP:
        return parallel ? evaluate_parallel_map(evaluator, skeleton, frame, x, out)
                        : evaluate_elements(evaluator, skeleton, skeleton->child[0], frame, x, out);
    case BMF_EXPRESSION_REDUCE:
        return parallel ? evaluate_parallel_reduce(evaluator, skeleton, frame, x, out)
                        : evaluate_reduce(evaluator, skeleton, frame, x, out);
    case BMF_EXPRESSION_SCAN:
        return parallel ? evaluate_parallel_scan(evaluator, skeleton, frame, x, out)
                        : evaluate_scan(evaluator, skeleton, frame, x, out);
    case BMF_EXPRESSION_ZIP:
        return parallel ? evaluate_parallel_zip(evaluator, skeleton, frame, x, out)
                        : evaluate_zip(evaluator, skeleton, frame, x, out);
    default:
        return parallel ? evaluate_parallel_split(evaluator, skeleton, frame, x, out)
                        : evaluate_split(evaluator, skeleton, x, out);
    }
}

/* Scalar expressions that no law has made a kernel of. */
static bool is_kernel(const bmf_expression *expression)
{
    switch (expression->kind) {
    case BMF_EXPRESSION_SCALAR:
        return true;
    case BMF_EXPRESSION_COMP:
    case BMF_EXPRESSION_ALLTUP:
    case BMF_EXPRESSION_OP:
    case BMF_EXPRESSION_IF:
    case BMF_EXPRESSION_WHILE:
        return !is_structural(expression) && is_scalar_expression(expression);
    default:
        return false;
    }
}

static int apply(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    if (is_kernel(expression))
        return evaluate_scalar(evaluator, expression, frame, x, out);
    switch (expression->kind) {
    case BMF_EXPRESSION_ID:
        value_move(x, out);
        return BMF_OK;
    case BMF_EXPRESSION_COMP:
        return evaluate_chain(evaluator, expression, frame, x, out);
    case BMF_EXPRESSION_CON:
        value_free(x);
        return value_constant(evaluator->ctx, &expression->constant, frame->count, out);
    case BMF_EXPRESSION_ALLTUP:
        return evaluate_tuple(evaluator, expression, frame, x, out);
    case BMF_EXPRESSION_ALLVEC:
        return evaluate_vector(evaluator, expression, frame, x, out);
    case BMF_EXPRESSION_ADDR:
        return evaluate_component(expression, x, out);
    case BMF_EXPRESSION_OP:
        return evaluate_operation(evaluator, expression, frame, x, out);
    case BMF_EXPRESSION_FILTER:
        return evaluate_filter(evaluator, expression, frame, x, out);
    case BMF_EXPRESSION_IF:
        return evaluate_if(evaluator, expression, frame, x, out);
    case BMF_EXPRESSION_WHILE:
        return evaluate_while(evaluator, expression, frame, x, out);
    case BMF_EXPRESSION_CONVERT:
        return evaluate_convert(evaluator, expression->out, frame, x, out);
    case BMF_EXPRESSION_STREAM:
        return evaluate_stream(evaluator, expression, frame, x, out);
    default:
        return evaluate_skeleton(evaluator, expression, frame, x, out);
    }
}

/* ---- short cuts ---- */

/* Types without values, such as the elements of an empty list literal. */
static bool has_no_values(const bmf_type *type)
{
    if (type->kind == BMF_NOTHING)
        return true;
    for (int k = 0; type->kind == BMF_TUPLE && k < type->components; k++)
        if (has_no_values(type->component[k]))
            return true;
    return false;
}

/* Ranks without instances have nothing to do, unless others wait for their messages or their trace must have the same
 * nodes. */
static bool may_skip(const bmf_evaluator *evaluator, const bmf_expression *expression, const bmf_frame *frame)
{
    return frame->count == 0 && !expression->communicates && (evaluator->quiet > 0 || !evaluator->ctx->run) &&
           !bmf_type_holds_distributed(expression->in) && !bmf_type_holds_distributed(expression->out);
}

static bool is_once(const bmf_expression *expression, const bmf_frame *frame, const bmf_value *x)
{
    return frame->count > 1 && !expression->communicates && expression->kind != BMF_EXPRESSION_CON &&
           expression->kind != BMF_EXPRESSION_ADDR && expression->kind != BMF_EXPRESSION_ID && value_is_broadcast(x);
}

/* The first instance stands for all. */
static int evaluate_once(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                         bmf_value *out)
{
    static const int64_t first = 0;
    bmf_value one;
    bmf_frame alone;
    frame_open_picked(frame, expression, &first, 1, &alone);
    value_slice(evaluator->ctx, x, 0, 1, &one);
    value_free(x);
    int status = apply(evaluator, expression, &alone, &one, out);
    frame_close(&alone);
    if (status == BMF_OK)
        value_broadcast(out, frame->count);
    return status;
}

int evaluate_unnamed(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                     bmf_value *out)
{
    if (has_no_values(expression->in) || may_skip(evaluator, expression, frame)) {
        value_free(x);
        return value_empty(evaluator->ctx, expression->out, 0, out);
    }
    if (is_separate(evaluator, expression, frame))
        return evaluate_separate(evaluator, expression, frame, x, out);
    if (is_once(expression, frame, x))
        return evaluate_once(evaluator, expression, frame, x, out);
    return apply(evaluator, expression, frame, x, out);
}

int evaluate_batch(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    change_regions(evaluator, NULL, expression->names);
    int status = evaluate_unnamed(evaluator, expression, frame, x, out);
    change_regions(evaluator, expression->names, NULL);
    return status;
}
