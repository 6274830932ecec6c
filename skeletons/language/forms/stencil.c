/* B_Stencil (B_Num r) (f) (default), B_Stencil (B_Num r) (f), P_Stencil ..: a function of every element and its
 * neighbours. */
#include <stdio.h>

#include "skeletons/language/evaluate/evaluate.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    const bmf_token first = p->token;
    bmf_expression *operand[2] = {NULL, NULL};
    int operands = 0;
    int64_t reach;
    parser_advance(p);
    if (!parser_places(p, &reach))
        return NULL;
    do {
        operand[operands] = parser_operand(p);
        if (!operand[operands++])
            return NULL;
    } while (operands < 2 && p->token.kind == '(');
    bmf_expression *stencil =
        expression_create(p->arena, BMF_EXPRESSION_STENCIL, parser_span_since(p, first), operands);
    stencil->parallel = keyword->parallel;
    stencil->number[0] = reach;
    for (int k = 0; k < operands; k++)
        stencil->child[k] = operand[k];
    return stencil;
}

static bool equal(const bmf_expression *a, const bmf_expression *b)
{
    return a->number[0] == b->number[0];
}

/* The list whose elements have neighbours: the list, or of a distributed one each part; NULL: none. */
static const bmf_type *inner_list(const bmf_type *in)
{
    const bmf_type *list = in->kind == BMF_DISTRIBUTED ? in->component[0] : in;
    return list->kind == BMF_LIST || list->kind == BMF_NOTHING ? list : NULL;
}

static const bmf_type *window_type(const bmf_type *element, int64_t reach)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    for (int64_t k = 0; k < 2 * reach + 1; k++)
        component[k] = element;
    return bmf_type_tuple((int)(2 * reach + 1), component);
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const int64_t reach = expression->number[0];
    bmf_expression *typed[2] = {NULL, NULL};
    const bmf_type *list = inner_list(in);
    if (reach < 1 || 2 * reach + 1 > BMF_MAX_LEAVES)
        return checker_fail(checker, expression->span, "%s reaches 1 to %d elements to each side, found %lld",
                            checker_keyword(expression), (BMF_MAX_LEAVES - 1) / 2, (long long)reach);
    if (!list)
        return checker_needs(checker, expression, "a list, or a distributed list of lists", in);
    if (in->kind == BMF_DISTRIBUTED && !checker_may_hold(checker, expression, in))
        return NULL;
    if (list->kind == BMF_LIST && !checker_placed_elements(checker, expression, list))
        return NULL;
    const bmf_type *element = checker_element(list);
    if (expression->children > 1) {
        element = checker_beyond(checker, expression, expression->child[1], element, &typed[1]);
        if (!element)
            return NULL;
    }
    const bmf_type *window = window_type(element, reach), *leaf[BMF_MAX_LEAVES];
    char words[BMF_TYPE_WORDS];
    if (bmf_type_is_fixed(window) && bmf_type_leaves(window, leaf) < 0)
        return checker_fail(checker, expression->span,
                            "%s of elements %s: an element and its neighbours have at most %d scalars",
                            checker_keyword(expression), checker_words(element, words), BMF_MAX_LEAVES);
    typed[0] = checker_infer_inside(checker, expression->child[0], window);
    if (!typed[0])
        return NULL;
    if (typed[0]->communicates || bmf_type_holds_distributed(typed[0]->out))
        return checker_fail(checker, expression->child[0]->span, "the function of %s cannot distribute lists",
                            checker_keyword(expression));
    const bmf_type *takes = in, *out = in;
    if (list->kind == BMF_LIST) {
        takes = bmf_type_list(element);
        out = bmf_type_list(typed[0]->out);
    }
    if (in->kind == BMF_DISTRIBUTED && list->kind == BMF_LIST) {
        takes = bmf_type_distributed(takes);
        out = bmf_type_distributed(out);
    }
    bmf_expression *node = checker_node(checker, expression, expression->children, typed);
    return checker_convert_argument(checker, checker_finish(checker, node, takes, out), in);
}

const bmf_expression_form bmf_form_stencil = {
    .keyword = "B_Stencil",
    .parallel = "P_Stencil",
    .parse = parse,
    .is_numbered = true,
    .equal = equal,
    .check = check,
    .is_parallel = expression_takes_distributed,
    .places = survey_elements_too,
    .evaluate = evaluate_stencil,
    .evaluate_parallel = evaluate_parallel_stencil,
    .skeleton = &skeleton_stencil,
};
