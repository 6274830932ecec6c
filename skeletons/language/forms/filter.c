/* B_Filter (p): the elements of a placed list for which p holds. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_DISTRIBUTED)
        return checker_needs(checker, expression, "a placed list (P_Map (B_Filter ..) filters the parts)", in);
    if (in->kind != BMF_LIST && in->kind != BMF_NOTHING)
        return checker_needs(checker, expression, "a list", in);
    if (in->kind == BMF_LIST && !checker_placed_elements(checker, expression, in))
        return NULL;
    bmf_expression *predicate = checker_predicate(checker, expression, expression->child[0],
                                                  in->kind == BMF_LIST ? in->component[0] : in, true);
    return checker_finish(checker, checker_node(checker, expression, 1, &predicate), in, in);
}

const bmf_expression_form bmf_form_filter = {
    .keyword = "B_Filter",
    .min_operands = 1,
    .max_operands = 1,
    .check = check,
    .places = survey_elements_too,
    .decides = expression_decides,
    .tail = BMF_TAIL_FILTER,
    .evaluate = evaluate_filter,
};
