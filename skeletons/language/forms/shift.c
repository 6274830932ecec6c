/* B_Shift (B_Num k) (default), B_Shift (B_Num k), P_Shift ..: every element k places on. */
#include "skeletons/language/evaluate/evaluate.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    const bmf_token first = p->token;
    bmf_expression *beyond = NULL;
    int64_t places;
    parser_advance(p);
    if (!parser_places(p, &places))
        return NULL;
    const bool has_default = p->token.kind == '(';
    if (has_default && !(beyond = parser_operand(p)))
        return NULL;
    bmf_expression *shift = expression_create(p->arena, BMF_EXPRESSION_SHIFT, parser_span_since(p, first), has_default);
    shift->parallel = keyword->parallel;
    shift->number[0] = places;
    if (has_default)
        shift->child[0] = beyond;
    return shift;
}

static bool equal(const bmf_expression *a, const bmf_expression *b)
{
    return a->number[0] == b->number[0];
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    bmf_expression *beyond = NULL;
    if (in->kind != BMF_NOTHING && !type_is_list(in))
        return checker_needs(checker, expression, "a list", in);
    if (in->kind != BMF_NOTHING && !checker_placed_elements(checker, expression, in))
        return NULL;
    const bmf_type *element = checker_element(in);
    if (expression->children > 0) {
        element = checker_beyond(checker, expression, expression->child[0], NULL, element, &beyond);
        if (!element)
            return NULL;
    }
    const bmf_type *list = in->kind == BMF_NOTHING ? in : type_list_like(in, element);
    if (list != in && !checker_placed_elements(checker, expression, list))
        return NULL;
    bmf_expression *node = checker_node(checker, expression, expression->children, &beyond);
    return checker_convert_argument(checker, checker_finish(checker, node, list, list), in);
}

const bmf_expression_form bmf_form_shift = {
    .keyword = "B_Shift",
    .parallel = "P_Shift",
    .parse = parse,
    .is_numbered = true,
    .equal = equal,
    .check = check,
    .is_parallel = expression_takes_distributed,
    .places = survey_elements_too,
    .evaluate = evaluate_shift,
    .evaluate_parallel = evaluate_parallel_shift,
    .skeleton = &skeleton_shift,
};
