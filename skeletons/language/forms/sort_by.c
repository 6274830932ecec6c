/* B_Sort_by (f), P_Sort_by (f): the elements of a list, or of all parts of one, in the order of their keys; of {x,
 * list} with keys of {x, element}. */
#include "skeletons/language/evaluate/sort.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

/* Of {x, list}: what is sorted are {x, element}, which cost nothing where the list is; of a distributed list {key,
 * element}, so that x is sent once to each part, not with every element. */
static bmf_expression *check_handed(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const bmf_expression *by = expression;
    bmf_expression *drop = checker_map_of(checker, by, checker_component_of(checker, by, 2, 2));
    if (!type_is_pair_with_distributed(in, 1)) {
        bmf_expression *link[3] = {drop, expression_copy(checker->arena, expression), checker_distl(checker, by)};
        return checker_infer(checker, checker_composed(checker, by, 3, link), in);
    }
    bmf_expression *with_key[2] = {
        checker_map_of(checker, by,
                       checker_pair_of(checker, by, expression->child[0], checker_component_of(checker, by, 2, 2))),
        checker_distl(checker, by)};
    bmf_expression *sort = expression_copy(checker->arena, expression);
    sort->child[0] = checker_component_of(checker, by, 1, 2);
    bmf_expression *link[4] = {checker_map_of(checker, by, drop), sort,
                               checker_map_of(checker, by, checker_composed(checker, by, 2, with_key)),
                               checker_distl(checker, by)};
    return checker_infer(checker, checker_composed(checker, by, 4, link), in);
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_TUPLE && in->components == 2)
        return check_handed(checker, expression, in);
    const bmf_type *list = checker_list_or_parts(checker, expression, in);
    if (!list)
        return NULL;
    bmf_expression *key = checker_key(checker, expression, expression->child[0], checker_element(list));
    return checker_finish(checker, checker_node(checker, expression, 1, &key), in, in);
}

const bmf_expression_form bmf_form_sort_by = {
    .keyword = "B_Sort_by",
    .parallel = "P_Sort_by",
    .min_operands = 1,
    .max_operands = 1,
    .check = check,
    .is_parallel = expression_takes_distributed,
    .places = survey_elements_too,
    .decides = expression_decides,
    .evaluate = evaluate_sort_by,
    .evaluate_parallel = evaluate_parallel_sort_by,
    .skeleton = &skeleton_sort_by,
};
