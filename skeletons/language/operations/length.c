/* B_Length: the number of elements of a list. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/types/checker.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    return checker_is_list(in) ? checker_operation_node(checker, expression, in, in, &bmf_type_int)
                               : checker_needs(checker, expression, "a list", in);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    (void)expression;
    return evaluate_length(evaluator, frame, x, out);
}

const bmf_operation_descriptor bmf_operation_length = {
    .keyword = "B_Length",
    .signature = BMF_SIGNATURE_LISTS,
    .check = check,
    .is_parallel = expression_takes_distributed,
    .evaluate = evaluate,
    .evaluate_parallel = evaluate_parallel_length,
};
