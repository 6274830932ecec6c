/* B_Iota: the ints below a number. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/types/checker.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind != BMF_INT && in->kind != BMF_NOTHING)
        return checker_needs(checker, expression, "an int", in);
    return checker_operation_node(checker, expression, in, in, bmf_type_list(&bmf_type_int));
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    return evaluate_iota(evaluator, expression, frame, x, out);
}

const bmf_operation_descriptor bmf_operation_iota = {
    .keyword = "B_Iota",
    .signature = BMF_SIGNATURE_LISTS,
    .failure = BMF_FAILS_ALWAYS,
    .check = check,
    .head = BMF_HEAD_IOTA,
    .decides = true,
    .evaluate = evaluate,
};
