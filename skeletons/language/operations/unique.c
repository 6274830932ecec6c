/* B_Unique, P_Unique: the numbers or bools of a list, each once, ascending. */
#include "bmf/skeletons.h"
#include "skeletons/language/evaluate/sort.h"
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/skeleton_types.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
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

static int evaluate_parallel(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                             bmf_value *out)
{
    (void)frame;
    return evaluate_parallel_sort(evaluator, expression, x, bmf_unique, out);
}

const bmf_operation_descriptor bmf_operation_unique = {
    .keyword = "B_Unique",
    .parallel = "P_Unique",
    .signature = BMF_SIGNATURE_LISTS,
    .check = check,
    .is_parallel = expression_takes_distributed,
    .decides = true,
    .evaluate = evaluate,
    .evaluate_parallel = evaluate_parallel,
    .skeleton = &skeleton_unique,
};
