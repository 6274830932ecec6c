/* B_Transpose: the columns of a list of rows of equal length, as rows. */
#include "skeletons/language/evaluate/matrix.h"
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/types/checker.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_DISTRIBUTED)
        return checker_needs(checker, expression, "a placed list of lists (P_Map (B_Transpose ..) takes the parts)",
                             in);
    if (in->kind != BMF_NOTHING &&
        (in->kind != BMF_LIST || !checker_is_list(in->component[0]) || bmf_type_holds_distributed(in->component[0])))
        return checker_needs(checker, expression, "a list of lists of equal length", in);
    return checker_operation_node(checker, expression, in, in, in);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    return evaluate_transpose(evaluator, expression, frame, x, out);
}

const bmf_operation_descriptor bmf_operation_transpose = {
    .keyword = "B_Transpose",
    .signature = BMF_SIGNATURE_LISTS,
    .failure = BMF_FAILS_ALWAYS,
    .check = check,
    .evaluate = evaluate,
};
