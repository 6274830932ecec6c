/* B_Zip, B_Zip (op), P_Zip ..: two lists element by element, as pairs or combined. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

/* Either both lists placed or both distributed; a component of type nothing is a list like the other. NULL: neither. */
static const bmf_type *two_lists(const bmf_type *in)
{
    const bmf_type *list[2];
    if (in->kind != BMF_TUPLE || in->components != 2)
        return NULL;
    for (int k = 0; k < 2; k++) {
        const bmf_type *own = in->component[k], *other = in->component[1 - k];
        if (own->kind == BMF_NOTHING)
            own = other->kind == BMF_DISTRIBUTED ? bmf_type_distributed(own) : bmf_type_list(own);
        list[k] = own;
    }
    if (!type_is_list(list[0]) || list[0]->kind != list[1]->kind)
        return NULL;
    return bmf_type_pair(list[0], list[1]);
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const bmf_type *nothing = &bmf_type_nothing;
    const bmf_type *takes = in == nothing ? in : two_lists(in);
    if (!takes)
        return checker_needs(checker, expression, "two placed or two distributed lists", in);
    const bmf_type *pair = bmf_type_pair(nothing, nothing), *out = in;
    if (in != nothing) {
        if (!checker_placed_elements(checker, expression, takes->component[0]) ||
            !checker_placed_elements(checker, expression, takes->component[1]))
            return NULL;
        pair = bmf_type_pair(takes->component[0]->component[0], takes->component[1]->component[0]);
        out = type_list_like(takes->component[0], pair);
    }
    bmf_expression *operation = NULL;
    if (expression->children > 0) {
        operation = checker_infer_inside(checker, expression->child[0], pair);
        if (!operation)
            return NULL;
        out = in == nothing ? in : type_list_like(takes->component[0], operation->out);
    }
    bmf_expression *node = checker_node(checker, expression, expression->children, &operation);
    return checker_convert_argument(checker, checker_finish(checker, node, takes, out), in);
}

static bool is_parallel(const bmf_expression *zip, const bmf_type *in)
{
    (void)zip;
    return type_is_pair_with_distributed(in, 0);
}

static bool may_fail(const bmf_expression *zip)
{
    (void)zip;
    return true; /* on lists of unequal lengths */
}

const bmf_expression_form bmf_form_zip = {
    .keyword = "B_Zip",
    .parallel = "P_Zip",
    .min_operands = 0,
    .max_operands = 1,
    .check = check,
    .is_parallel = is_parallel,
    .places = survey_elements_too,
    .may_fail = may_fail,
    .head = BMF_HEAD_ZIP,
    .evaluate = evaluate_zip,
    .evaluate_parallel = evaluate_parallel_zip,
    .skeleton = &skeleton_zip,
};
