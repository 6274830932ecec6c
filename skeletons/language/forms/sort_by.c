/* B_Sort_by (f), P_Sort_by (f): the elements of a list, or of all parts of one, in the order of their keys; of {x,
 * list} with keys of {x, element}. */
#include "skeletons/language/evaluate/sort.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_TUPLE && in->components == 2 && type_is_list(in->component[1]))
        return checker_keyed_handed(
            checker, expression, checker_map_of(checker, expression, checker_component_of(checker, expression, 2, 2)),
            in);
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
