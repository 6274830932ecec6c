/* The type checker: reductions and scans.
 *
 * The operands have the least type that is closed under operator and default: it is found by applying both to the type
 * so far until nothing changes; types only widen, and there are few steps from int to real. */
#include <stdio.h>

#include "skeletons/language/types/checker.h"

/* The operator on two operands of a type, for reductions. */
static bmf_expression *check_operator(bmf_checker *checker, const bmf_expression *expression, const bmf_type *operand)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    char words[BMF_TYPE_WORDS];
    int leaves = bmf_type_is_fixed(operand) ? bmf_type_leaves(operand, leaf) : 0;
    if (leaves < 0 || leaves > BMF_MAX_LEAVES / 2)
        return checker_fail(checker, expression->span, "%s needs elements of at most 16 scalars, found %s",
                            checker_keyword(expression), checker_words(operand, words));
    return checker_infer_inside(checker, expression->child[0], bmf_type_pair(operand, operand));
}

/* One step towards the operands' type: what the operator and the default make of `operand`, joined with it. Fills in
 * both, typed; NULL after a failure. */
static const bmf_type *widen_operand(bmf_checker *checker, const bmf_expression *expression, const bmf_type *given,
                                     const bmf_type *operand, bmf_expression *typed[2])
{
    const bmf_type *argument = type_is_list(given) ? type_list_like(given, operand) : given;
    const bmf_type *wider = operand;
    char what[100];
    if (expression->children > 1) {
        typed[1] = checker_infer(checker, expression->child[1], argument);
        if (!typed[1])
            return NULL;
        snprintf(what, sizeof what, "the default of %s must go with the elements", checker_keyword(expression));
        wider = checker_join(checker, expression->child[1]->span, what, wider, typed[1]->out);
        if (!wider)
            return NULL;
    }
    typed[0] = check_operator(checker, expression, wider);
    if (!typed[0])
        return NULL;
    snprintf(what, sizeof what, "the operator of %s must make the type of its operands", checker_keyword(expression));
    return checker_join(checker, expression->child[0]->span, what, wider, typed[0]->out);
}

const bmf_type *checker_operand(bmf_checker *checker, const bmf_expression *expression, const bmf_type *element,
                                const bmf_type *given, bmf_expression *typed[2])
{
    const bmf_type *operand = element;
    for (int step = 0; step < BMF_MAX_WIDENINGS; step++) {
        const bmf_type *wider = widen_operand(checker, expression, given, operand, typed);
        if (wider == operand || !wider)
            return wider;
        operand = wider;
    }
    checker_fail(checker, expression->child[0]->span, "the operator of %s makes a larger type each time it is applied",
                 checker_keyword(expression));
    return NULL;
}

/* Of values that cannot be: the parts are typed all the same, because the evaluator may come by without any. */
static bmf_expression *check_fold_of_nothing(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    bmf_expression *typed[2] = {check_operator(checker, expression, in), NULL};
    if (typed[0] && expression->children > 1)
        typed[1] = checker_infer(checker, expression->child[1], in);
    return checker_finish(checker, checker_node(checker, expression, expression->children, typed), in, in);
}

bmf_expression *checker_fold(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    bmf_expression *typed[2] = {NULL, NULL};
    if (in->kind == BMF_NOTHING)
        return check_fold_of_nothing(checker, expression, in);
    if (!type_is_list(in))
        return checker_needs(checker, expression, "a list", in);
    if (!checker_placed_elements(checker, expression, in))
        return NULL;
    const bmf_type *operand = checker_operand(checker, expression, in->component[0], in, typed);
    if (!operand)
        return NULL;
    for (int k = 0; k < expression->children; k++)
        typed[k] = checker_convert(checker, typed[k], operand);
    const bmf_type *list = type_list_like(in, operand);
    if (!checker_placed_elements(checker, expression, list))
        return NULL;
    bmf_expression *node = checker_node(checker, expression, expression->children, typed);
    node = checker_finish(checker, node, list, expression->kind == BMF_EXPRESSION_SCAN ? list : operand);
    return checker_convert_argument(checker, node, in);
}
