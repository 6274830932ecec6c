/* B_Map (f), P_Map (f): f applied to every element of a list. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (!type_is_list(in) && in->kind != BMF_NOTHING)
        return checker_needs(checker, expression, "a list", in);
    const bmf_type *element = type_is_list(in) ? in->component[0] : in;
    bmf_expression *typed = checker_infer_inside(checker, expression->child[0], element);
    if (!typed)
        return NULL;
    return checker_finish(checker, checker_node(checker, expression, 1, &typed), in,
                          type_is_list(in) ? type_list_like(in, typed->out) : in);
}

static void places(bmf_survey *survey, const bmf_expression *map, int64_t base, const bmf_places *in, bmf_places *out)
{
    *out = survey_elements(survey, map, base, in);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *map, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    return evaluate_elements(evaluator, map, map->child[0], frame, x, out);
}

const bmf_expression_form bmf_form_map = {
    .keyword = "B_Map",
    .parallel = "P_Map",
    .min_operands = 1,
    .max_operands = 1,
    .check = check,
    .is_parallel = expression_takes_distributed,
    .places = places,
    .evaluate = evaluate,
    .evaluate_parallel = evaluate_parallel_map,
    .skeleton = &skeleton_map,
};
