/* B_Stencil (B_Num r) (f) (default), B_Stencil (B_Num r) (f), P_Stencil ..: a function of every element and its
 * neighbours; of {x, list} a function of x and these, where a distributed list's x is sent to all its parts.
 *
 * B_Stencil (B_Num r) (B_Num c) ..: of the points of a list of rows, r rows above and below and c points to each
 * side. */
#include <stdio.h>

#include "skeletons/language/evaluate/evaluate.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

/* 0 would be no plane. */
static bool check_reach(bmf_parser *p, bmf_token first, const bmf_keyword *keyword, int64_t columns)
{
    if (columns >= 1)
        return true;
    parser_fail(p, first, "%s reaches 1 or more points to each side, found %lld", keyword->text, (long long)columns);
    return false;
}

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    const bmf_token first = p->token;
    bmf_expression *operand[2] = {NULL, NULL};
    int operands = 0;
    int64_t reach[2] = {0, 0};
    parser_advance(p);
    if (!parser_places(p, &reach[0]))
        return NULL;
    const bool is_plane = p->token.kind == '(' && token_is(p->text, p->next, "B_Num");
    if (is_plane && (!parser_places(p, &reach[1]) || !check_reach(p, first, keyword, reach[1])))
        return NULL;
    do {
        operand[operands] = parser_operand(p);
        if (!operand[operands++])
            return NULL;
    } while (operands < 2 && p->token.kind == '(');
    bmf_expression *stencil =
        expression_create(p->arena, BMF_EXPRESSION_STENCIL, parser_span_since(p, first), operands);
    stencil->parallel = keyword->parallel;
    stencil->number[0] = reach[0];
    stencil->number[1] = reach[1];
    for (int k = 0; k < operands; k++)
        stencil->child[k] = operand[k];
    return stencil;
}

static bool equal(const bmf_expression *a, const bmf_expression *b)
{
    return a->number[0] == b->number[0] && a->number[1] == b->number[1];
}

/* What a stencil is applied to, placed, or of a distributed list each part. */
typedef struct argument {
    const bmf_type *handed; /* what the function sees besides; NULL: nothing */
    const bmf_type *list;   /* whose elements have neighbours; NULL: none */
} argument;

static argument argument_of(const bmf_type *in)
{
    const bmf_type *part = in->kind == BMF_DISTRIBUTED ? in->component[0] : in;
    const bool pair = checker_is_pair(part) && part->kind == BMF_TUPLE;
    const bmf_type *list = pair ? part->component[1] : part;
    const bool is_list = list->kind == BMF_LIST || list->kind == BMF_NOTHING;
    return (argument){pair ? part->component[0] : NULL, is_list ? list : NULL};
}

/* The argument, with a list of this type. */
static const bmf_type *argument_with(const bmf_type *in, const argument *a, const bmf_type *list)
{
    const bmf_type *pair[2] = {a->handed, list};
    const bmf_type *part = a->handed ? bmf_type_tuple(2, pair) : list;
    return in->kind == BMF_DISTRIBUTED ? bmf_type_distributed(part) : part;
}

static const bmf_type *tuple_of(const bmf_type *element, int64_t reach)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    for (int64_t k = 0; k < 2 * reach + 1; k++)
        component[k] = element;
    return bmf_type_tuple((int)(2 * reach + 1), component);
}

/* Of elements, or of points of rows. */
static const bmf_type *window_type(const bmf_expression *stencil, const bmf_type *element)
{
    return tuple_of(stencil->number[1] > 0 ? tuple_of(element, stencil->number[1]) : element, stencil->number[0]);
}

/* The function, of windows of `element`s, typed; NULL after a message. */
static bmf_expression *check_function(bmf_checker *checker, const bmf_expression *expression, const bmf_type *handed,
                                      const bmf_type *element)
{
    const bmf_type *window = window_type(expression, element), *leaf[BMF_MAX_LEAVES];
    const bmf_type *both[2] = {handed, window}, *sees = handed ? bmf_type_tuple(2, both) : window;
    char words[BMF_TYPE_WORDS];
    if (!sees || (bmf_type_is_fixed(sees) && bmf_type_leaves(sees, leaf) < 0))
        return checker_fail(checker, expression->span,
                            "%s of elements %s: an element and its neighbours%s have at most %d scalars",
                            checker_keyword(expression), checker_words(element, words),
                            handed ? ", with what is handed on to them," : "", BMF_MAX_LEAVES);
    bmf_expression *typed = checker_infer_inside(checker, expression->child[0], sees);
    if (typed && (typed->communicates || bmf_type_holds_distributed(typed->out)))
        return checker_fail(checker, expression->child[0]->span, "the function of %s cannot distribute lists",
                            checker_keyword(expression));
    return typed;
}

/* A list of elements, or of rows of points. */
static const bmf_type *list_like(const bmf_expression *stencil, const bmf_type *element)
{
    return bmf_type_list(stencil->number[1] > 0 ? bmf_type_list(element) : element);
}

static bool holds_list(const bmf_type *type)
{
    bool found = type->kind == BMF_LIST;
    for (int k = 0; k < type->components && !found; k++)
        found = holds_list(type->component[k]);
    return found;
}

/* The points of a plane have no lists in them; false: after a message. */
static bool check_points(bmf_checker *checker, const bmf_expression *expression, const bmf_type *rows,
                         const bmf_type *in)
{
    const bool are_rows = rows->kind == BMF_LIST || rows->kind == BMF_NOTHING;
    if (are_rows && (rows->kind == BMF_NOTHING || !holds_list(rows->component[0])))
        return true;
    checker_needs(checker, expression, "a list of rows of points without lists, or a distributed list of such", in);
    return false;
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const int64_t reach = expression->number[0];
    const argument a = argument_of(in);
    bmf_expression *typed[2] = {NULL, NULL};
    if (reach < 1 || 2 * reach + 1 > BMF_MAX_LEAVES || 2 * expression->number[1] + 1 > BMF_MAX_LEAVES)
        return checker_fail(
            checker, expression->span, "%s reaches 1 to %d elements to each side, found %lld",
            checker_keyword(expression), (BMF_MAX_LEAVES - 1) / 2,
            (long long)(2 * expression->number[1] + 1 > BMF_MAX_LEAVES ? expression->number[1] : reach));
    if (type_is_pair_with_distributed(in, 1))
        return checker_hand_on(checker, expression, in);
    if (!a.list)
        return checker_needs(checker, expression, "a list, or a distributed list of lists", in);
    if (in->kind == BMF_DISTRIBUTED && !checker_may_hold(checker, expression, in))
        return NULL;
    if (a.list->kind == BMF_LIST && !checker_placed_elements(checker, expression, a.list))
        return NULL;
    const bmf_type *element = checker_element(a.list);
    if (expression->number[1] > 0) {
        if (!check_points(checker, expression, element, in))
            return NULL;
        element = checker_element(element);
    }
    if (expression->children > 1) {
        element = checker_beyond(checker, expression, expression->child[1], element, &typed[1]);
        if (!element)
            return NULL;
    }
    typed[0] = check_function(checker, expression, a.handed, element);
    if (!typed[0])
        return NULL;
    const bmf_type *takes = in, *out = in->kind == BMF_DISTRIBUTED ? in : a.list;
    if (a.list->kind == BMF_LIST) {
        const bmf_type *made = list_like(expression, typed[0]->out);
        takes = argument_with(in, &a, list_like(expression, element));
        out = in->kind == BMF_DISTRIBUTED ? bmf_type_distributed(made) : made;
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
