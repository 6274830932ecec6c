/* B_Distl, P_Distl: an item paired with every element of a list. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/skeleton_types.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_NOTHING)
        return checker_operation_node(checker, expression, in, in, in);
    if (!checker_is_pair(in))
        return checker_needs(checker, expression, "{an item, a list}", in);
    const bmf_type *item = in->component[0], *list = in->component[1];
    if (!checker_is_list(list))
        return checker_needs(checker, expression, "{an item, a list}", in);
    if (expression->name && bmf_type_holds_distributed(item))
        return checker_fail(checker, expression->span,
                            "%.100s lies on all processors and cannot be handed to each of them; gather it first: "
                            "reduce(++, ..)",
                            expression->name);
    if (bmf_type_holds_distributed(item) || bmf_type_holds_distributed(checker_element(list)))
        return checker_needs(checker, expression, BMF_NEEDS_PLACED_ELEMENTS, in);
    const bmf_type *takes = bmf_type_pair(item, type_list_like(list, checker_element(list)));
    return checker_operation_node(checker, expression, in, takes,
                                  type_list_like(list, bmf_type_pair(item, checker_element(list))));
}

static bool is_parallel(const bmf_expression *expression, const bmf_type *in)
{
    (void)expression;
    return type_is_pair_with_distributed(in, 1);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    (void)expression;
    return evaluate_distl(evaluator, frame, x, out);
}

const bmf_operation_descriptor bmf_operation_distl = {
    .keyword = "B_Distl",
    .alias = "B_Dist1",
    .parallel = "P_Distl",
    .parallel_alias = "P_Dist1",
    .signature = BMF_SIGNATURE_LISTS,
    .check = check,
    .is_parallel = is_parallel,
    .head = BMF_HEAD_DISTL,
    .evaluate = evaluate,
    .evaluate_parallel = evaluate_parallel_distl,
    .skeleton = &skeleton_distl,
};
