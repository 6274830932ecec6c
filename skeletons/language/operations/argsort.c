/* B_Argsort, P_Argsort: which element of a list is the least, the second, ..: equal ones in their order. */
#include "bmf/skeletons.h"
#include "skeletons/language/evaluate/sort.h"
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/skeleton_types.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (!checker_sortable(checker, expression, in))
        return NULL;
    const bmf_type *out = in->kind == BMF_DISTRIBUTED ? bmf_type_list(&bmf_type_int) : &bmf_type_int;
    return checker_operation_node(checker, expression, in, in, in->kind == BMF_NOTHING ? in : type_list_like(in, out));
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    (void)expression;
    return evaluate_sort(evaluator, frame, x, true, out);
}

static int evaluate_parallel(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                             bmf_value *out)
{
    (void)frame;
    return evaluate_parallel_sort(evaluator, expression, x, bmf_argsort, out);
}

const bmf_operation_descriptor bmf_operation_argsort = {
    .keyword = "B_Argsort",
    .parallel = "P_Argsort",
    .signature = BMF_SIGNATURE_LISTS,
    .check = check,
    .is_parallel = expression_takes_distributed,
    .decides = true,
    .evaluate = evaluate,
    .evaluate_parallel = evaluate_parallel,
    .skeleton = &skeleton_argsort,
};
