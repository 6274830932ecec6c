/* B_Slice: the elements of a list from one number up to another. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/types/checker.h"

static bool is_number(const bmf_type *type)
{
    return type->kind == BMF_INT || type->kind == BMF_NOTHING;
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const char *const needs = "{a placed list, int, int}";
    if (in->kind == BMF_NOTHING)
        return checker_operation_node(checker, expression, in, in, in);
    if (in->kind != BMF_TUPLE || in->components != 3)
        return checker_needs(checker, expression, needs, in);
    const bmf_type *list = in->component[0];
    if (!checker_is_list(list) || list->kind == BMF_DISTRIBUTED || !is_number(in->component[1]) ||
        !is_number(in->component[2]))
        return checker_needs(checker, expression, needs, in);
    if (bmf_type_holds_distributed(list))
        return checker_needs(checker, expression, BMF_NEEDS_PLACED_ELEMENTS, in);
    const bmf_type *out = bmf_type_list(checker_element(list));
    const bmf_type *takes = bmf_type_tuple(3, (const bmf_type *const[]){out, &bmf_type_int, &bmf_type_int});
    return checker_operation_node(checker, expression, in, takes, out);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    return evaluate_slice(evaluator, expression, frame, x, out);
}

const bmf_operation_descriptor bmf_operation_slice = {
    .keyword = "B_Slice",
    .signature = BMF_SIGNATURE_LISTS,
    .failure = BMF_FAILS_ALWAYS,
    .check = check,
    .evaluate = evaluate,
};
