/* B_Group (f): the elements of a placed list by their keys, as {key, elements}. */
#include "skeletons/language/evaluate/sort.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/places.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_DISTRIBUTED)
        return checker_needs(checker, expression, "a placed list (P_Map (B_Group ..) groups the parts)", in);
    if (in->kind != BMF_LIST && in->kind != BMF_NOTHING)
        return checker_needs(checker, expression, "a list", in);
    if (in->kind == BMF_LIST && !checker_placed_elements(checker, expression, in))
        return NULL;
    bmf_expression *key = checker_key(checker, expression, expression->child[0], checker_element(in));
    if (!key)
        return NULL;
    const bmf_type *out = in->kind == BMF_NOTHING ? in : bmf_type_list(bmf_type_pair(key->out, in));
    return checker_finish(checker, checker_node(checker, expression, 1, &key), in, out);
}

const bmf_expression_form bmf_form_group = {
    .keyword = "B_Group",
    .min_operands = 1,
    .max_operands = 1,
    .check = check,
    .places = survey_elements_too,
    .decides = expression_decides,
    .evaluate = evaluate_group,
};
