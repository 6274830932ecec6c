/* B_Zip, B_Zip (op), P_Zip ..: two lists element by element, as pairs or combined. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/forms/zip.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

#include "runtime/data/type.h"

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

/* Two distributed lists, of which neither or one is on a grid, or both on the same as far as is known: of which the
 * pairs are, and on what *list. False: on two. */
static bool find_grid(const bmf_type *takes, int64_t *which, const bmf_type **list)
{
    int64_t blocks[2][TYPE_DIMENSIONS];
    int dimensions[2];
    for (int k = 0; k < 2; k++)
        dimensions[k] = type_grid(takes->component[k], blocks[k]);
    *which = dimensions[1] == 0 ? BMF_ZIP_FIRST_GRID : dimensions[0] == 0 ? BMF_ZIP_SECOND_GRID : BMF_ZIP_GRIDS;
    *list = takes->component[*which == BMF_ZIP_SECOND_GRID];
    if (*which != BMF_ZIP_GRIDS)
        return true;
    for (int d = 0; d < dimensions[0] && dimensions[0] == dimensions[1]; d++) {
        if (blocks[0][d] > 0 && blocks[1][d] > 0 && blocks[0][d] != blocks[1][d])
            return false;
        blocks[0][d] = blocks[0][d] > 0 ? blocks[0][d] : blocks[1][d];
    }
    if (dimensions[0] == dimensions[1])
        *list = type_with_grid(takes->component[0], dimensions[0], blocks[0]);
    return dimensions[0] == dimensions[1];
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    int64_t which = expression->number[0];
    const bmf_type *nothing = &bmf_type_nothing;
    const bmf_type *takes = in == nothing ? in : two_lists(in);
    if (!takes)
        return checker_needs(checker, expression, "two placed or two distributed lists", in);
    const bmf_type *pair = bmf_type_pair(nothing, nothing), *out = in, *list = NULL;
    if (in != nothing) {
        if (!checker_placed_elements(checker, expression, takes->component[0]) ||
            !checker_placed_elements(checker, expression, takes->component[1]))
            return NULL;
        list = takes->component[0];
        if (list->kind == BMF_DISTRIBUTED && which == 0 && !find_grid(takes, &which, &list))
            return checker_needs(checker, expression, "the blocks of one grid", in);
        pair = bmf_type_pair(takes->component[0]->component[0], takes->component[1]->component[0]);
        out = type_list_like(list, pair);
    }
    bmf_expression *operation = NULL;
    if (expression->children > 0) {
        operation = checker_infer_inside(checker, expression->child[0], pair);
        if (!operation)
            return NULL;
        out = in == nothing ? in : type_list_like(list, operation->out);
    }
    bmf_expression *node = checker_node(checker, expression, expression->children, &operation);
    if (node)
        node->number[0] = which;
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
