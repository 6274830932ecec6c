/* B_Group (f), P_Group (f): the elements of a list, or of all parts of one, by their keys, as {key, elements}; of {x,
 * list} with keys of {x, element}. */
#include "skeletons/language/evaluate/sort.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

/* {key, [{x, element}]} to {key, [element]} */
static bmf_expression *drop_of_groups(bmf_checker *checker, const bmf_expression *by)
{
    bmf_expression *members[2] = {checker_map_of(checker, by, checker_component_of(checker, by, 2, 2)),
                                  checker_component_of(checker, by, 2, 2)};
    return checker_map_of(checker, by,
                          checker_pair_of(checker, by, checker_component_of(checker, by, 1, 2),
                                          checker_composed(checker, by, 2, members)));
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_TUPLE && in->components == 2 && type_is_list(in->component[1]))
        return checker_keyed_handed(checker, expression, drop_of_groups(checker, expression), in);
    const bmf_type *list = checker_list_or_parts(checker, expression, in);
    if (!list)
        return NULL;
    bmf_expression *key = checker_key(checker, expression, expression->child[0], checker_element(list));
    if (!key)
        return NULL;
    const bmf_type *groups = list->kind == BMF_NOTHING ? list : bmf_type_list(bmf_type_pair(key->out, list));
    return checker_finish(checker, checker_node(checker, expression, 1, &key), in,
                          in->kind == BMF_DISTRIBUTED ? bmf_type_distributed(groups) : groups);
}

const bmf_expression_form bmf_form_group = {
    .keyword = "B_Group",
    .parallel = "P_Group",
    .min_operands = 1,
    .max_operands = 1,
    .check = check,
    .is_parallel = expression_takes_distributed,
    .places = survey_elements_too,
    .decides = expression_decides,
    .evaluate = evaluate_group,
    .evaluate_parallel = evaluate_parallel_group,
    .skeleton = &skeleton_group,
};
