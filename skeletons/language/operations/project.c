/* B_Project, P_Project: the elements of a list that a list of numbers names. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/skeleton_types.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_NOTHING)
        return checker_operation_node(checker, expression, in, in, in);
    if (!checker_is_pair(in))
        return checker_needs(checker, expression, "{a list, a list of ints}", in);
    const bmf_type *list = in->component[0], *index = in->component[1];
    if (!checker_is_list(list) || !checker_is_list(index) ||
        (checker_element(index)->kind != BMF_INT && checker_element(index)->kind != BMF_NOTHING))
        return checker_needs(checker, expression, "{a list, a list of ints}", in);
    if (bmf_type_holds_distributed(checker_element(list)))
        return checker_needs(checker, expression, BMF_NEEDS_PLACED_ELEMENTS, in);
    if (index->kind == BMF_DISTRIBUTED && list->kind == BMF_LIST)
        return checker_needs(checker, expression, "a distributed list if the list of indices is distributed", in);
    const bmf_type *takes =
        bmf_type_pair(type_list_like(list->kind == BMF_NOTHING ? index : list, checker_element(list)),
                      type_list_like(index, &bmf_type_int));
    const bmf_type *projected = takes->component[0]; /* no blocks of a grid any more */
    if (projected->kind == BMF_DISTRIBUTED)
        projected = bmf_type_distributed(projected->component[0]);
    return checker_operation_node(checker, expression, in, takes, projected);
}

static bool is_parallel(const bmf_expression *expression, const bmf_type *in)
{
    (void)expression;
    return type_is_pair_with_distributed(in, 0);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    return evaluate_project(evaluator, expression, frame, x, out);
}

const bmf_operation_descriptor bmf_operation_project = {
    .keyword = "B_Project",
    .parallel = "P_Project",
    .signature = BMF_SIGNATURE_LISTS,
    .failure = BMF_FAILS_ALWAYS,
    .check = check,
    .is_parallel = is_parallel,
    .evaluate = evaluate,
    .evaluate_parallel = evaluate_parallel_project,
    .skeleton = &skeleton_project,
};
