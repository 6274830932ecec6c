/* B_Unique: the numbers or bools of a placed list, each once, ascending. */
#include "skeletons/language/evaluate/sort.h"
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/types/checker.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_DISTRIBUTED)
        return checker_needs(checker, expression, "a placed list (P_Map (B_Unique ..) takes the parts)", in);
    if (!checker_sortable(checker, expression, in))
        return NULL;
    return checker_operation_node(checker, expression, in, in, in);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    (void)expression;
    return evaluate_unique(evaluator, frame, x, out);
}

const bmf_operation_descriptor bmf_operation_unique = {
    .keyword = "B_Unique",
    .signature = BMF_SIGNATURE_LISTS,
    .check = check,
    .decides = true,
    .evaluate = evaluate,
};
