/* Looking ahead in loops over distributed lists, whose ranks would otherwise ask before every round whether there is
 * one more.
 *
 * Method: the components of the state that the predicate reads, and those that these are made of, are followed by
 * themselves if the body makes each of them by scalar expressions of no others: the counter of `for`, and what a
 * condition compares it with. These are computed round by round, until the predicate does not hold.
 * Cost: the predicate and these components, once for every round that is looked ahead. */
#include "skeletons/language/evaluate/rounds.h"

#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/types/check.h"

/* Components of a tuple, each a bit. */
typedef uint64_t components;

static components component_bit(int64_t k)
{
    return (components)1 << k;
}

/* Scalars of scalars, in as many steps as are written. */
static bool is_short(const bmf_expression *expression)
{
    return !expression->repeats && (expression->kind == BMF_EXPRESSION_SCALAR || is_scalar_expression(expression));
}

/* Adds what an expression reads of its argument, a tuple; false: more than scalars, or who knows how long it takes. */
static bool add_read(const bmf_expression *expression, components *read)
{
    switch (expression->kind) {
    case BMF_EXPRESSION_CON:
        return true;
    case BMF_EXPRESSION_ADDR:
        *read |= component_bit(expression->number[0] - 1);
        return expression->out->components == 0;
    case BMF_EXPRESSION_ALLTUP:
    case BMF_EXPRESSION_IF:
        for (int k = 0; k < expression->children; k++)
            if (!add_read(expression->child[k], read))
                return false;
        return true;
    case BMF_EXPRESSION_COMP:
        for (int k = 0; k < expression->children - 1; k++)
            if (!is_short(expression->child[k]))
                return false;
        return add_read(expression->child[expression->children - 1], read);
    default:
        return false;
    }
}

/* What the predicate depends on, in any round; 0: nothing, or not on scalars alone. */
static components find_followed(const bmf_expression *loop)
{
    const bmf_expression *predicate = loop->child[0], *body = loop->child[1];
    components followed = 0, before = 0;
    if (body->kind != BMF_EXPRESSION_ALLTUP || !add_read(predicate, &followed))
        return 0;
    while (before != followed) {
        before = followed;
        for (int k = 0; k < body->children; k++)
            if ((before & component_bit(k)) && !add_read(body->child[k], &followed))
                return 0;
    }
    return followed;
}

static int apply_to(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, const bmf_value *state,
                    bmf_value *out)
{
    bmf_value argument;
    value_share(state, &argument);
    return evaluate_batch(evaluator, expression, frame, &argument, out);
}

/* Of the state, the components that are followed, one round on. */
static int go_on(bmf_evaluator *evaluator, const bmf_expression *body, bmf_frame *frame, components followed,
                 bmf_value *state)
{
    bmf_value next[BMF_MAX_LEAVES] = {{0}};
    int status = BMF_OK;
    for (int k = 0; k < body->children && status == BMF_OK; k++)
        if (followed & component_bit(k))
            status = apply_to(evaluator, body->child[k], frame, state, &next[k]);
    for (int k = 0; k < body->children; k++)
        if (status == BMF_OK && (followed & component_bit(k))) {
            value_free(&state->child[k]);
            value_move(&next[k], &state->child[k]);
        } else {
            value_free(&next[k]);
        }
    return status;
}

static bool holds(bmf_evaluator *evaluator, bmf_expression *predicate, bmf_frame *frame, const bmf_value *state)
{
    bmf_value mask;
    if (apply_to(evaluator, predicate, frame, state, &mask) != BMF_OK)
        return false;
    const bool yes = *(const uint8_t *)mask.data != 0;
    value_free(&mask);
    return yes;
}

/* A state of which nothing is looked at but the components that are followed. */
static void share_followed(const bmf_value *state, components followed, bmf_value *out)
{
    const int all = state->type->components;
    *out = (bmf_value){
        .type = state->type, .count = state->count, .child = allocate_clear(all, (int64_t)sizeof *out->child)};
    for (int k = 0; k < all; k++)
        if (followed & component_bit(k))
            value_share(&state->child[k], &out->child[k]);
        else
            out->child[k] = (bmf_value){.type = state->child[k].type, .count = state->count};
}

int64_t rounds_ahead(bmf_evaluator *evaluator, const bmf_expression *loop, bmf_frame *frame, const bmf_value *state)
{
    const components followed = find_followed(loop);
    const bool alone = evaluator->alone;
    int64_t rounds = 1;
    bmf_value now;
    if (followed == 0)
        return 1;
    share_followed(state, followed, &now);
    evaluator->alone = true; /* what fails in a later round fails then */
    evaluator->quiet++;
    while (rounds < BMF_ROUNDS_AHEAD && go_on(evaluator, loop->child[1], frame, followed, &now) == BMF_OK &&
           holds(evaluator, loop->child[0], frame, &now))
        rounds++;
    evaluator->quiet--;
    evaluator->alone = alone;
    value_free(&now);
    return rounds;
}
