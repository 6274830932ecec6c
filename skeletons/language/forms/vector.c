/* B_Allvec [f, ..]: the list of what all make of the argument. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/front/print.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    return parser_list(p, keyword, 0);
}

/* Types the children and finds the type all of them go with; NULL after a failure. */
static const bmf_type *check_elements(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in,
                                      bmf_expression **typed)
{
    const bmf_type *all = &bmf_type_nothing;
    for (int k = 0; k < expression->children && all; k++) {
        typed[k] = checker_infer(checker, expression->child[k], in);
        if (!typed[k])
            return NULL;
        all = checker_join(checker, expression->child[k]->span, "the expressions of B_Allvec must make one type", all,
                           typed[k]->out);
    }
    return all;
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    bmf_expression **typed = allocate(expression->children * (int64_t)sizeof(bmf_expression *)), *node = NULL;
    const bmf_type *all = check_elements(checker, expression, in, typed);
    if (all && checker_placed_elements(checker, expression, bmf_type_list(all))) {
        for (int k = 0; k < expression->children; k++)
            typed[k] = checker_convert(checker, typed[k], all);
        node = checker_node(checker, expression, expression->children, typed);
        node = checker_finish(checker, node, in, bmf_type_list(all));
    }
    free(typed);
    return node;
}

const bmf_expression_form bmf_form_vector = {
    .keyword = "B_Allvec",
    .parse = parse,
    .print = print_list,
    .layout = BMF_LAYOUT_LIST,
    .check = check,
    .places = survey_all,
    .is_independent = expression_all_independent,
    .evaluate = evaluate_vector,
};
