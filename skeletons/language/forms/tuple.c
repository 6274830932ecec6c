/* B_Alltup [f, ..]: the tuple of what all make of the argument. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/front/print.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    return parser_list(p, keyword, BMF_MAX_LEAVES);
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    bmf_expression *typed[BMF_MAX_LEAVES];
    const bmf_type *component[BMF_MAX_LEAVES];
    if (expression->children < 1 || expression->children > BMF_MAX_LEAVES)
        return checker_fail(checker, expression->span, "B_Alltup needs 1 to 32 expressions, found %d",
                            expression->children);
    for (int k = 0; k < expression->children; k++) {
        typed[k] = checker_infer(checker, expression->child[k], in);
        if (!typed[k])
            return NULL;
        component[k] = typed[k]->out;
    }
    return checker_finish(checker, checker_node(checker, expression, expression->children, typed), in,
                          bmf_type_tuple(expression->children, component));
}

const bmf_expression_form bmf_form_tuple = {
    .keyword = "B_Alltup",
    .parse = parse,
    .print = print_list,
    .layout = BMF_LAYOUT_LIST,
    .check = check,
    .places = survey_all,
    .is_scalar = true,
    .is_kernel = true,
    .is_structural = true,
    .is_independent = expression_all_independent,
    .evaluate = evaluate_tuple,
};
