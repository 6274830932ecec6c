/* B_Reduce_by_key (op) (default), P_Reduce_by_key ..: the values of every key, combined. */
#include "skeletons/language/evaluate/evaluate.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

static bool is_int(const bmf_type *type)
{
    return type->kind == BMF_INT || type->kind == BMF_NOTHING;
}

/* The type of the values in lists of {key, value}; NULL: these are no such lists. */
static const bmf_type *value_type(const bmf_type *list)
{
    const bmf_type *element = type_is_list(list) ? list->component[0] : list;
    if (list->kind == BMF_DISTRIBUTED && element->kind == BMF_LIST)
        element = element->component[0];
    else if (list->kind == BMF_DISTRIBUTED && element->kind != BMF_NOTHING)
        return NULL;
    if (element->kind == BMF_NOTHING)
        return element;
    return checker_is_pair(element) && is_int(element->component[0]) ? element->component[1] : NULL;
}

/* Operator and default of values that cannot be. */
static bmf_expression *check_nothing(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    bmf_expression *typed[2];
    for (int k = 0; k < 2; k++) {
        typed[k] = checker_infer_inside(checker, expression->child[k], in);
        if (!typed[k])
            return NULL;
    }
    return checker_finish(checker, checker_node(checker, expression, 2, typed), in, in);
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    static const char needs[] = "{a number of keys, a list of {key, value}}";
    bmf_expression *typed[2];
    char words[BMF_TYPE_WORDS];
    if (in->kind == BMF_NOTHING)
        return check_nothing(checker, expression, in);
    if (!checker_is_pair(in) || !is_int(in->component[0]) || !value_type(in->component[1]))
        return checker_needs(checker, expression, needs, in);
    const bmf_type *list = in->component[1];
    if (list->kind == BMF_DISTRIBUTED && !checker_may_hold(checker, expression, list))
        return NULL;
    const bmf_type *value = checker_operand(checker, expression, value_type(list), &bmf_type_int, typed);
    if (!value)
        return NULL;
    if (!bmf_type_is_fixed(value))
        return checker_fail(checker, expression->span,
                            "%s needs values without lists, found %s; B_Group collects the values of every key",
                            checker_keyword(expression), checker_words(value, words));
    for (int k = 0; k < 2; k++)
        typed[k] = checker_convert(checker, typed[k], value);
    if (!is_scalar_expression(typed[0]))
        return checker_fail(checker, expression->child[0]->span,
                            "the operator of %s computes with numbers and bools, without lists",
                            checker_keyword(expression));
    const bmf_type *pairs = bmf_type_list(bmf_type_pair(&bmf_type_int, value));
    const bmf_type *takes =
        bmf_type_pair(&bmf_type_int, list->kind == BMF_DISTRIBUTED ? bmf_type_distributed(pairs) : pairs);
    bmf_expression *node =
        checker_finish(checker, checker_node(checker, expression, 2, typed), takes, bmf_type_list(value));
    return checker_convert_argument(checker, node, in);
}

static bool is_parallel(const bmf_expression *expression, const bmf_type *in)
{
    (void)expression;
    return type_is_pair_with_distributed(in, 1);
}

static bool may_fail(const bmf_expression *expression)
{
    (void)expression;
    return true; /* at keys out of range */
}

const bmf_expression_form bmf_form_reduce_by_key = {
    .keyword = "B_Reduce_by_key",
    .parallel = "P_Reduce_by_key",
    .min_operands = 2,
    .max_operands = 2,
    .check = check,
    .is_parallel = is_parallel,
    .places = survey_elements_too,
    .may_fail = may_fail,
    .decides = expression_decides,
    .evaluate = evaluate_by_key,
    .evaluate_parallel = evaluate_parallel_by_key,
    .skeleton = &skeleton_reduce_by_key,
};
