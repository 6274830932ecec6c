/* B_If and B_While over a batch.
 *
 * Method: the predicate is applied to all instances; each branch gets the instances that take it, and the results are
 * merged. A loop goes round with the instances that go on, fewer and fewer; those that leave wait, and all are put in
 * order at the end. When the expression communicates, all ranks take both branches and go round equally often, with
 * no instances if need be. A choice about distributed lists is the program's one choice: all ranks follow its
 * processor, which tells them how many rounds there will be as far as it knows (rounds.c).
 * Cost: the branches' own and a pass for each leaf of argument and result; a round copies the state if instances
 * leave. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/evaluate/rounds.h"

static bool concerns_distributed(const bmf_expression *choice)
{
    return bmf_type_holds_distributed(choice->in) || bmf_type_holds_distributed(choice->out);
}

/* The predicate for all instances; x stays. */
static int evaluate_predicate(bmf_evaluator *evaluator, bmf_expression *predicate, bmf_frame *frame, const bmf_value *x,
                              bmf_value *mask)
{
    bmf_value argument;
    value_share(x, &argument);
    return evaluate_batch(evaluator, predicate, frame, &argument, mask);
}

/* What the program's only instance, on processor 0, decides: how many rounds of a loop follow, no more than so many, or
 * whether a choice's predicate holds. Collective. */
static int decide_together(bmf_evaluator *evaluator, const bmf_expression *decision, bmf_frame *frame,
                           const bmf_value *x, int64_t most, int64_t *rounds)
{
    bmf_value mask;
    *rounds = 0;
    BMF_TRY(evaluate_predicate(evaluator, decision->child[0], frame, x, &mask));
    if (mask.count > 0)
        *rounds = *(const uint8_t *)mask.data;
    value_free(&mask);
    if (*rounds > 0 && most > 1)
        *rounds = rounds_ahead(evaluator, decision, frame, x);
    return evaluator->ctx->backend->bcast(evaluator->ctx, 0, rounds, (int64_t)sizeof *rounds);
}

/* ---- B_If ---- */

/* The instances of x for which the mask is `wanted`, through one branch. */
static int evaluate_branch(bmf_evaluator *evaluator, const bmf_expression *choice, bool wanted, bmf_frame *frame,
                           const bmf_value *mask, const bmf_value *x, bmf_value *out)
{
    bmf_expression *branch = choice->child[wanted ? 1 : 2];
    bmf_frame picked;
    bmf_value part;
    int64_t *position, count;
    BMF_TRY(mask_positions(evaluator->ctx, mask, wanted, &position, &count));
    int status = value_take(evaluator->ctx, x, position, count, &part);
    if (status == BMF_OK) {
        frame_open_picked(frame, choice, position, count, &picked);
        status = evaluate_batch(evaluator, branch, &picked, &part, out);
        frame_close(&picked);
    }
    free(position);
    return status;
}

/* 1: it holds for all, 0: for none, -1: for some. */
static int mask_is(const bmf_value *mask)
{
    const uint8_t *data = mask->data;
    for (int64_t i = 1; i < mask->count && mask->stride != 0; i++)
        if (data[i * mask->stride] != data[0])
            return -1;
    return mask->count > 0 && data[0] != 0;
}

static int evaluate_both(bmf_evaluator *evaluator, bmf_expression *choice, bmf_frame *frame, bmf_value *mask,
                         bmf_value *x, bmf_value *out)
{
    bmf_value yes = {0}, no = {0};
    int status = evaluate_branch(evaluator, choice, true, frame, mask, x, &yes);
    if (status == BMF_OK)
        status = evaluate_branch(evaluator, choice, false, frame, mask, x, &no);
    value_free(x);
    if (status == BMF_OK)
        status = value_plain(evaluator->ctx, mask);
    if (status == BMF_OK)
        status = value_merge(evaluator->ctx, mask->data, frame->count, &yes, &no, out);
    value_free(&yes);
    value_free(&no);
    return status;
}

static int choose_alone(bmf_evaluator *evaluator, bmf_expression *choice, bmf_frame *frame, bmf_value *x,
                        bmf_value *out)
{
    bmf_value mask = {0};
    int status = evaluate_predicate(evaluator, choice->child[0], frame, x, &mask);
    int decision = status == BMF_OK ? mask_is(&mask) : 0;
    evaluator->quiet++;
    if (status == BMF_OK && decision >= 0)
        status = evaluate_batch(evaluator, choice->child[decision == 1 ? 1 : 2], frame, x, out);
    else if (status == BMF_OK)
        status = evaluate_both(evaluator, choice, frame, &mask, x, out);
    evaluator->quiet--;
    value_free(&mask);
    value_free(x);
    return status;
}

static int choose_communicating(bmf_evaluator *evaluator, bmf_expression *choice, bmf_frame *frame, bmf_value *x,
                                bmf_value *out)
{
    bmf_value mask = {0};
    int status = evaluate_predicate(evaluator, choice->child[0], frame, x, &mask);
    if (status == BMF_OK)
        status = evaluate_both(evaluator, choice, frame, &mask, x, out);
    value_free(&mask);
    value_free(x);
    return status;
}

int evaluate_if(bmf_evaluator *evaluator, bmf_expression *choice, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    int64_t holds;
    if (!concerns_distributed(choice))
        return choice->communicates ? choose_communicating(evaluator, choice, frame, x, out)
                                    : choose_alone(evaluator, choice, frame, x, out);
    int status = decide_together(evaluator, choice, frame, x, 1, &holds);
    if (status == BMF_OK)
        return evaluate_batch(evaluator, choice->child[holds > 0 ? 1 : 2], frame, x, out);
    value_free(x);
    return status;
}

/* ---- B_While ---- */

/* A loop over a batch: who goes on, and who has left. */
typedef struct loop {
    bmf_evaluator *evaluator;
    bmf_expression *expression;
    bmf_frame *frame;
    int64_t *active; /* the frame's instances that go on, rising */
    int64_t count;
    bmf_value state; /* theirs */
    bmf_value *left; /* batches of those that left in one round */
    int64_t rounds, capacity;
    int64_t *place; /* of each of the frame's instances: its number among those that left */
    int64_t gone;
    bmf_loop_entry entry;
} loop;

static void keep_left(loop *l, bmf_value *value)
{
    if (l->rounds == l->capacity) {
        int64_t old = l->capacity, entry = (int64_t)sizeof *l->left;
        l->capacity = 2 * old + 8;
        l->left = reallocate(l->left, old * entry, l->capacity * entry);
    }
    value_move(value, &l->left[l->rounds++]);
}

/* Those numbered `position` leave. */
static int leave(loop *l, const int64_t *position, int64_t count)
{
    bmf_value value;
    BMF_TRY(value_take(l->evaluator->ctx, &l->state, position, count, &value));
    keep_left(l, &value);
    for (int64_t k = 0; k < count; k++)
        l->place[l->active[position[k]]] = l->gone++;
    return BMF_OK;
}

/* Those numbered `position` stay. */
static int stay(loop *l, const int64_t *position, int64_t count)
{
    bmf_value value;
    BMF_TRY(value_take(l->evaluator->ctx, &l->state, position, count, &value));
    value_free(&l->state);
    value_move(&value, &l->state);
    for (int64_t k = 0; k < count; k++)
        l->active[k] = l->active[position[k]];
    l->count = count;
    return BMF_OK;
}

static int divide(loop *l, const bmf_value *mask)
{
    int64_t *position = NULL, count;
    int status = mask_positions(l->evaluator->ctx, mask, false, &position, &count);
    if (status == BMF_OK && count > 0) {
        status = leave(l, position, count);
        free(position);
        position = NULL;
        if (status == BMF_OK)
            status = mask_positions(l->evaluator->ctx, mask, true, &position, &count);
        if (status == BMF_OK)
            status = stay(l, position, count);
    }
    free(position);
    return status;
}

/* Whether anybody goes on: on this rank, or on any when the loop communicates. */
static int anybody(const loop *l, bool *goes_on)
{
    bmf_context *ctx = l->evaluator->ctx;
    *goes_on = l->count > 0;
    if (!l->expression->communicates)
        return BMF_OK;
    int64_t *all = allocate(ctx->ranks * (int64_t)sizeof *all);
    int status = ctx->backend->allgather(ctx, &l->count, 1, NULL, all);
    for (int r = 0; status == BMF_OK && r < ctx->ranks; r++)
        *goes_on = *goes_on || all[r] > 0;
    free(all);
    return status;
}

/* The rounds that are left may have been repeated: all leave. */
static int end_if_cut(loop *l, bool *goes_on)
{
    static const int64_t only[1] = {0};
    bool over;
    BMF_TRY(loop_round(l->evaluator->ctx, &l->entry, &over));
    *goes_on = !over;
    return over ? leave(l, only, 1) : BMF_OK;
}

static int go_round(loop *l, bool *goes_on)
{
    bmf_evaluator *evaluator = l->evaluator;
    bmf_frame active;
    bmf_value mask, next;
    frame_open_picked(l->frame, l->expression, l->active, l->count, &active);
    int status = evaluate_predicate(evaluator, l->expression->child[0], &active, &l->state, &mask);
    frame_close(&active);
    if (status == BMF_OK) {
        status = divide(l, &mask);
        value_free(&mask);
    }
    if (status == BMF_OK)
        status = anybody(l, goes_on);
    if (status == BMF_OK && *goes_on)
        status = end_if_cut(l, goes_on);
    if (status != BMF_OK || !*goes_on)
        return status;
    frame_open_picked(l->frame, l->expression, l->active, l->count, &active);
    status = evaluate_batch(evaluator, l->expression->child[1], &active, &l->state, &next);
    frame_close(&active);
    if (status == BMF_OK)
        value_move(&next, &l->state);
    return status;
}

/* All that left, in the order of the frame's instances. */
static int put_in_order(loop *l, bmf_value *out)
{
    bmf_value all;
    if (l->rounds == 0)
        return value_empty(l->evaluator->ctx, l->expression->out, 0, out);
    BMF_TRY(value_concatenate(l->evaluator->ctx, (int)l->rounds, l->left, &all));
    int status = value_take(l->evaluator->ctx, &all, l->place, l->frame->count, out);
    value_free(&all);
    return status;
}

static int run_loop(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    loop l = {.evaluator = evaluator, .expression = expression, .frame = frame, .count = frame->count};
    size_t bytes = (size_t)(frame->count + 1) * sizeof(int64_t);
    bool goes_on = true;
    l.active = malloc(bytes);
    l.place = malloc(bytes);
    int status = l.active && l.place ? BMF_OK : fail_no_memory(evaluator->ctx, frame->count);
    for (int64_t i = 0; status == BMF_OK && i < frame->count; i++)
        l.active[i] = i;
    value_move(x, &l.state);
    loop_enter(evaluator->loops, evaluator->ctx, expression, frame->count, &l.entry);
    while (status == BMF_OK && goes_on)
        status = go_round(&l, &goes_on);
    if (status == BMF_OK)
        loop_leave(evaluator->ctx, &l.entry);
    if (status == BMF_OK)
        status = put_in_order(&l, out);
    value_free(&l.state);
    for (int64_t r = 0; r < l.rounds; r++)
        value_free(&l.left[r]);
    free(l.left), free(l.active), free(l.place);
    return status;
}

/* As many rounds as were decided; *over: the loop is, perhaps because all that are left have been repeated. If these
 * were decided together with others, that there are no more is decided, too. */
static int go_rounds(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, int64_t rounds,
                     bmf_loop_entry *entry, bmf_value *x, bool *over)
{
    bmf_value next;
    *over = rounds == 0;
    for (int64_t k = 0; k < rounds && !*over; k++) {
        BMF_TRY(loop_round(evaluator->ctx, entry, over));
        if (*over)
            return k > 0 ? decide_together(evaluator, expression, frame, x, 1, &rounds) : BMF_OK;
        BMF_TRY(evaluate_batch(evaluator, expression->child[1], frame, x, &next));
        value_move(&next, x);
    }
    return BMF_OK;
}

/* The program's only state, of which all ranks have a part. */
static int run_together(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                        bmf_value *out)
{
    bmf_loop_entry entry;
    int64_t rounds;
    bool over = false;
    loop_enter(evaluator->loops, evaluator->ctx, expression, 1, &entry);
    while (!over) {
        int status = decide_together(evaluator, expression, frame, x, BMF_ROUNDS_AHEAD, &rounds);
        if (status == BMF_OK)
            status = go_rounds(evaluator, expression, frame, rounds, &entry, x, &over);
        if (status != BMF_OK) {
            value_free(x);
            return status;
        }
    }
    loop_leave(evaluator->ctx, &entry);
    value_move(x, out);
    return BMF_OK;
}

int evaluate_while(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    if (concerns_distributed(expression))
        return run_together(evaluator, expression, frame, x, out);
    bool alone = !expression->communicates;
    evaluator->quiet += alone;
    int status = run_loop(evaluator, expression, frame, x, out);
    evaluator->quiet -= alone;
    return status;
}
