/* B_If (p) (f) (g): f where p holds, g elsewhere. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    bmf_expression *typed[3] = {checker_predicate(checker, expression, expression->child[0], in, false)};
    for (int k = 1; k < 3 && typed[k - 1]; k++)
        typed[k] = checker_infer(checker, expression->child[k], in);
    if (!typed[0] || !typed[1] || !typed[2])
        return NULL;
    const bmf_type *out = checker_join(checker, expression->child[2]->span, "the branches of B_If must make one type",
                                       typed[1]->out, typed[2]->out);
    if (!out || !checker_may_hold(checker, expression, in) || !checker_may_hold(checker, expression, out))
        return NULL;
    typed[1] = checker_convert(checker, typed[1], out);
    typed[2] = checker_convert(checker, typed[2], out);
    return checker_finish(checker, checker_node(checker, expression, 3, typed), in, out);
}

const bmf_expression_form bmf_form_choice = {
    .keyword = "B_If",
    .min_operands = 3,
    .max_operands = 3,
    .check = check,
    .places = survey_all,
    .is_scalar = true,
    .is_kernel = true,
    .decides = expression_decides,
    .evaluate = evaluate_if,
};
