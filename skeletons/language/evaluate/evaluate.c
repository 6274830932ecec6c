/* The evaluator: one expression applied to a whole batch.
 *
 * Method: by form (forms/form.h) and type. What a list operation does to one list is done to the lists of all
 * instances in a few passes; what a map does to elements is done to the batch of all elements. Nothing loops over
 * instances. When all instances have the same argument, one of them is computed and the result stays the same for all.
 * Cost: passes over the batch, as many as there are operations that no stream or kernel has joined. */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/laws/rewriter.h"
#include "runtime/context/held.h"

/* ---- places ---- */

void evaluator_place(bmf_evaluator *evaluator, bmf_span span)
{
    int64_t line, column;
    if (!evaluator->ctx->run || span.text < 0 || span.text >= evaluator->texts->count)
        return;
    const bmf_text *text = &evaluator->texts->text[span.text];
    text_place(text, span.begin, &line, &column);
    snprintf(evaluator->place, sizeof evaluator->place, "%s:%" PRId64 ":%" PRId64, text->name, line, column);
    place_next(evaluator->ctx, evaluator->place);
}

/* ---- names ---- */

/* Outermost first. */
static void open_regions(bmf_evaluator *evaluator, const bmf_naming *names, const bmf_naming *already)
{
    if (names == already)
        return;
    open_regions(evaluator, names->outer, already);
    evaluator_place(evaluator, names->use);
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
int evaluate_composition(bmf_evaluator *evaluator, bmf_expression *chain, bmf_frame *frame, bmf_value *x,
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

/* ---- maps ---- */

/* Components and constants need neither frames nor packed lists: the elements change where they are. */
static int move_elements(bmf_evaluator *evaluator, bmf_expression *body, bmf_value *x, bmf_value *out)
{
    bmf_frame any = {.count = x->child[0].count};
    bmf_value moved;
    int status = evaluate_batch(evaluator, body, &any, &x->child[0], &moved);
    if (status == BMF_OK)
        value_like(x, &moved, out);
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
        value_like(x, &mapped, out);
    value_free(x);
    return status;
}

/* ---- dispatch ---- */

static int apply(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    const bmf_expression_form *form = form_of(expression);
    if (form->is_kernel && !is_structural(expression) && is_scalar_expression(expression))
        return evaluate_scalar(evaluator, expression, frame, x, out);
    return (expression->parallel ? form->evaluate_parallel : form->evaluate)(evaluator, expression, frame, x, out);
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

/* Lists that are the same for all arguments too: constants are not made again for every element. */
static bool is_once(const bmf_expression *expression, const bmf_frame *frame, const bmf_value *x)
{
    const bool is_free = form_of(expression)->is_structural && expression->children == 0;
    const bool is_constant = !bmf_type_is_fixed(expression->out) && expression_is_independent(expression);
    return frame->count > 1 && !expression->communicates && !is_free && (is_constant || value_is_broadcast(x));
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

/* Of an expression whose argument has no values: nobody can have one, unless this rank has failed and goes on. */
static int evaluate_of_nothing(bmf_context *ctx, const bmf_expression *expression, const bmf_frame *frame,
                               bmf_value *out)
{
    if (!ctx->sends_marks || bmf_type_holds_distributed(expression->out))
        return value_empty(ctx, expression->out, 0, out);
    value_default(ctx, expression->out, frame->count, out);
    return BMF_OK;
}

/* By the best way. */
static int evaluate_chosen(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                           bmf_value *out)
{
    if (has_no_values(expression->in) || may_skip(evaluator, expression, frame)) {
        value_free(x);
        return evaluate_of_nothing(evaluator->ctx, expression, frame, out);
    }
    if (emulates_ranks(evaluator, expression, frame))
        return evaluate_per_rank(evaluator, expression, frame, x, out);
    if (is_once(expression, frame, x))
        return evaluate_once(evaluator, expression, frame, x, out);
    return apply(evaluator, expression, frame, x, out);
}

/* ---- failures ---- */

/* What this rank does by itself, and what may fail on it alone. */
static int evaluate_alone(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                          bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    if (ctx->sends_marks) {
        value_free(x);
    } else {
        evaluator->alone = true;
        const int status = evaluate_chosen(evaluator, expression, frame, x, out);
        evaluator->alone = false;
        if (status == BMF_OK)
            return BMF_OK;
        failure_note(ctx, status);
    }
    if (has_no_values(expression->in))
        return evaluate_of_nothing(ctx, expression, frame, out);
    value_default(ctx, expression->out, frame->count, out);
    return BMF_OK;
}

/* What ranks do together. The only failure of one rank is that of its memory, which ends the program. */
static int evaluate_together(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                             bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    ctx->step += BMF_STEPS;
    const int status = evaluate_chosen(evaluator, expression, frame, x, out);
    ctx->step += BMF_STEPS;
    if (!ctx->settled)
        require_memory(status, 0);
    return status;
}

static int evaluate_somehow(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                            bmf_value *out)
{
    if (evaluator->alone || evaluator->ctx->ranks == 1)
        return evaluate_chosen(evaluator, expression, frame, x, out);
    return expression->communicates || bmf_type_holds_distributed(expression->in) ||
                   bmf_type_holds_distributed(expression->out)
               ? evaluate_together(evaluator, expression, frame, x, out)
               : evaluate_alone(evaluator, expression, frame, x, out);
}

int evaluate_unnamed(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                     bmf_value *out)
{
    const int status = evaluate_somehow(evaluator, expression, frame, x, out);
    if (status == BMF_OK && holds_memory(evaluator->ctx))
        value_hold(evaluator->ctx, frame, out);
    return status;
}

int evaluate_batch(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    change_regions(evaluator, NULL, expression->names);
    int status = evaluate_unnamed(evaluator, expression, frame, x, out);
    change_regions(evaluator, expression->names, NULL);
    return status;
}
