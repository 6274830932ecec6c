/* B_Index: an element of a list, by its number. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/skeleton_types.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_NOTHING)
        return checker_operation_node(checker, expression, in, in, in);
    if (!checker_is_pair(in))
        return checker_needs(checker, expression, "{a list, int}", in);
    char words[BMF_TYPE_WORDS];
    const bmf_type *list = in->component[0], *index = in->component[1];
    if (list->kind == BMF_TUPLE && checker_in_notation(checker, expression))
        return checker_fail(checker, expression->span,
                            "xs[i] needs a list, found the tuple %s; take it apart: let {x, y} = e in ..",
                            checker_words(list, words));
    if (!checker_is_list(list) || (index->kind != BMF_INT && index->kind != BMF_NOTHING))
        return checker_needs(checker, expression, "{a list, int}", in);
    if (bmf_type_holds_distributed(checker_element(list)))
        return checker_needs(checker, expression, BMF_NEEDS_PLACED_ELEMENTS, in);
    const bmf_type *takes = bmf_type_pair(type_list_like(list, checker_element(list)), &bmf_type_int);
    return checker_operation_node(checker, expression, in, takes, checker_element(list));
}

static bool is_parallel(const bmf_expression *expression, const bmf_type *in)
{
    (void)expression;
    return type_is_pair_with_distributed(in, 0);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    return evaluate_index(evaluator, expression, frame, x, out);
}

const bmf_operation_descriptor bmf_operation_index = {
    .keyword = "B_Index",
    .signature = BMF_SIGNATURE_LISTS,
    .failure = BMF_FAILS_ALWAYS,
    .check = check,
    .is_parallel = is_parallel,
    .evaluate = evaluate,
    .evaluate_parallel = evaluate_parallel_index,
    .skeleton = &skeleton_index,
};
