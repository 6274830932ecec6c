/* B_Scan (op), B_Scan (op) (default), P_Scan ..: the elements of a list, each combined with all before it. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

const bmf_expression_form bmf_form_scan = {
    .keyword = "B_Scan",
    .parallel = "P_Scan",
    .min_operands = 1,
    .max_operands = 2,
    .check = checker_fold,
    .is_parallel = expression_takes_distributed,
    .places = survey_elements_too,
    .tail = BMF_TAIL_SCAN,
    .evaluate = evaluate_scan,
    .evaluate_parallel = evaluate_parallel_scan,
    .skeleton = &skeleton_scan,
};
