/* B_Reduce (op), B_Reduce (op) (default), P_Reduce ..: the elements of a list, combined. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

static bool may_fail(const bmf_expression *reduce)
{
    return reduce->children < 2; /* on empty lists */
}

const bmf_expression_form bmf_form_reduce = {
    .keyword = "B_Reduce",
    .parallel = "P_Reduce",
    .min_operands = 1,
    .max_operands = 2,
    .check = checker_fold,
    .is_parallel = expression_takes_distributed,
    .places = survey_elements_too,
    .may_fail = may_fail,
    .tail = BMF_TAIL_REDUCE,
    .evaluate = evaluate_reduce,
    .evaluate_parallel = evaluate_parallel_reduce,
    .skeleton = &skeleton_reduce,
};
