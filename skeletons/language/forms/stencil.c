/* B_Stencil (B_Num r) (f) (edge) .., P_Stencil ..: a function of every element and its neighbours; of {x, list} a
 * function of x and these, where a distributed list's x is sent to all its parts.
 *
 * B_Stencil (B_Num r) (B_Num c) ..: of the points of a list of rows, r rows above and below and c points to each side.
 * B_Stencil (B_Num p) (B_Num r) (B_Num c) ..: of those of planes of rows.
 * Of the blocks of a grid of as many dimensions: of the array that they are. */
#include <stdio.h>

#include "skeletons/language/evaluate/evaluate.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/forms/stencil.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

#include "runtime/data/type.h"

/* (B_Num r), and perhaps others. Behind the first, 0 would be no dimension. */
static bool parse_reaches(bmf_parser *p, bmf_token first, const bmf_keyword *keyword, int64_t *reach)
{
    if (!parser_places(p, &reach[0]))
        return false;
    for (int d = 1; d < BMF_NUMBERS && p->token.kind == '(' && token_is(p->text, p->next, "B_Num"); d++) {
        if (!parser_places(p, &reach[d]))
            return false;
        if (reach[d] < 1)
            return parser_fail(p, first, "%s reaches 1 or more points to each side, found %lld", keyword->text,
                               (long long)reach[d]);
    }
    return true;
}

/* Edges are all alike, or each is given; rings have no single ends. */
static bool check_edges(bmf_parser *p, const bmf_expression *stencil, bmf_token first, const bmf_keyword *keyword)
{
    const int dimensions = stencil_dimensions(stencil), edges = stencil->children - 1;
    if (edges > 1 && edges != 2 * dimensions)
        return parser_fail(p, first, "%s in %d dimension%s has 1 or %d edges, found %d", keyword->text, dimensions,
                           dimensions == 1 ? "" : "s", 2 * dimensions, edges);
    for (int d = 0; d < dimensions; d++) {
        const bmf_expression *before = stencil->child[stencil_edge_child(stencil, d, 0)];
        const bmf_expression *behind = stencil->child[stencil_edge_child(stencil, d, 1)];
        if ((before->kind == BMF_EXPRESSION_RING) != (behind->kind == BMF_EXPRESSION_RING))
            return parser_fail(p, first, "B_Ring stands for both edges of a dimension of %s", keyword->text);
    }
    return true;
}

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    const bmf_token first = p->token;
    bmf_expression *operand[BMF_STENCIL_OPERANDS] = {NULL};
    int operands = 0;
    int64_t reach[BMF_NUMBERS] = {0};
    parser_advance(p);
    if (!parse_reaches(p, first, keyword, reach))
        return NULL;
    do {
        operand[operands] = parser_operand(p);
        if (!operand[operands++])
            return NULL;
    } while (operands < BMF_STENCIL_OPERANDS && p->token.kind == '(');
    bmf_expression *stencil =
        expression_create(p->arena, BMF_EXPRESSION_STENCIL, parser_span_since(p, first), operands);
    stencil->parallel = keyword->parallel;
    for (int d = 0; d < BMF_NUMBERS; d++)
        stencil->number[d] = reach[d];
    for (int k = 0; k < operands; k++)
        stencil->child[k] = operand[k];
    return check_edges(p, stencil, first, keyword) ? stencil : NULL;
}

static bool equal(const bmf_expression *a, const bmf_expression *b)
{
    bool same = true;
    for (int d = 0; d < BMF_NUMBERS; d++)
        same = same && a->number[d] == b->number[d];
    return same;
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
    return in->kind == BMF_DISTRIBUTED ? type_on_grid_of(in, part) : part;
}

static const bmf_type *tuple_of(const bmf_type *element, int64_t reach)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    for (int64_t k = 0; k < 2 * reach + 1; k++)
        component[k] = element;
    return bmf_type_tuple((int)(2 * reach + 1), component);
}

/* Tuples, in each other, of elements or points; NULL: too many. */
static const bmf_type *window_type(const bmf_expression *stencil, const bmf_type *element)
{
    for (int d = stencil_dimensions(stencil) - 1; d >= 0 && element; d--)
        element = tuple_of(element, stencil->number[d]);
    return element;
}

/* The function, of windows of `element`s, typed; NULL after a message. */
static bmf_expression *check_function(bmf_checker *checker, const bmf_expression *expression, const bmf_type *handed,
                                      const bmf_type *element)
{
    const bmf_type *window = window_type(expression, element), *leaf[BMF_MAX_LEAVES];
    const bmf_type *both[2] = {handed, window}, *sees = handed && window ? bmf_type_tuple(2, both) : window;
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

/* A list of elements, or of rows of points, or of planes of such. */
static const bmf_type *list_like(const bmf_expression *stencil, const bmf_type *element)
{
    for (int d = 0; d < stencil_dimensions(stencil); d++)
        element = bmf_type_list(element);
    return element;
}

static bool holds_list(const bmf_type *type)
{
    bool found = type->kind == BMF_LIST;
    for (int k = 0; k < type->components && !found; k++)
        found = holds_list(type->component[k]);
    return found;
}

/* The elements, or the points, of a list; points have no lists in them. NULL: after a message. */
static const bmf_type *find_element(bmf_checker *checker, const bmf_expression *expression, const bmf_type *list,
                                    const bmf_type *in)
{
    const int dimensions = stencil_dimensions(expression);
    const bmf_type *element = checker_element(list);
    bool fits = true;
    for (int d = 1; d < dimensions && fits; d++) {
        fits = element->kind == BMF_LIST || element->kind == BMF_NOTHING;
        element = fits ? checker_element(element) : element;
    }
    if (fits && (dimensions == 1 || element->kind == BMF_NOTHING || !holds_list(element)))
        return element;
    checker_needs(checker, expression,
                  dimensions == 2 ? "a list of rows of points without lists, or a distributed list of such"
                                  : "a list of planes of rows of points without lists, or a distributed list of such",
                  in);
    return NULL;
}

/* What stands beyond the edges, typed: the type of elements at which all of it goes with them; NULL after a message. */
static const bmf_type *check_beyond(bmf_checker *checker, const bmf_expression *expression, const bmf_type *handed,
                                    const bmf_type *element, bmf_expression **typed)
{
    const bmf_type *before = NULL;
    while (before != element) {
        before = element;
        for (int k = 1; k < expression->children && element; k++)
            if (expression->child[k]->kind != BMF_EXPRESSION_RING)
                element = checker_beyond(checker, expression, expression->child[k], handed, element, &typed[k]);
        if (!element)
            return NULL;
    }
    for (int k = 1; k < expression->children; k++)
        if (expression->child[k]->kind == BMF_EXPRESSION_RING) {
            typed[k] = checker_node(checker, expression->child[k], 0, NULL);
            expression_set_types(typed[k], element, element);
        }
    return element;
}

static bool check_reaches(bmf_checker *checker, const bmf_expression *expression)
{
    for (int d = 0; d < stencil_dimensions(expression); d++) {
        const int64_t reach = expression->number[d];
        if (reach < 1 || 2 * reach + 1 > BMF_MAX_LEAVES) {
            checker_fail(checker, expression->span, "%s reaches 1 to %d elements to each side, found %lld",
                         checker_keyword(expression), (BMF_MAX_LEAVES - 1) / 2, (long long)reach);
            return false;
        }
    }
    return true;
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const argument a = argument_of(in);
    const int dimensions = stencil_dimensions(expression);
    int64_t blocks[TYPE_DIMENSIONS];
    const int grid = in->kind == BMF_DISTRIBUTED ? type_grid(in, blocks) : 0;
    bmf_expression *typed[BMF_STENCIL_OPERANDS] = {NULL};
    if (!check_reaches(checker, expression))
        return NULL;
    if (type_is_pair_with_distributed(in, 1))
        return checker_hand_on(checker, expression, in);
    if (!a.list)
        return checker_needs(checker, expression, "a list, or a distributed list of lists", in);
    if (in->kind == BMF_DISTRIBUTED && !checker_may_hold(checker, expression, in))
        return NULL;
    if (grid > 0 && grid != dimensions)
        return checker_fail(checker, expression->span,
                            "%s in %d dimension%s cannot take the blocks of a grid of %d dimensions",
                            checker_keyword(expression), dimensions, dimensions == 1 ? "" : "s", grid);
    if (a.list->kind == BMF_LIST && !checker_placed_elements(checker, expression, a.list))
        return NULL;
    const bmf_type *element = find_element(checker, expression, a.list, in);
    if (element)
        element = check_beyond(checker, expression, a.handed, element, typed);
    if (!element)
        return NULL;
    typed[0] = check_function(checker, expression, a.handed, element);
    if (!typed[0])
        return NULL;
    const bmf_type *takes = in, *out = in->kind == BMF_DISTRIBUTED ? in : a.list;
    if (a.list->kind == BMF_LIST) {
        const bmf_type *made = list_like(expression, typed[0]->out);
        takes = argument_with(in, &a, list_like(expression, element));
        out = in->kind == BMF_DISTRIBUTED ? type_on_grid_of(in, made) : made;
    }
    bmf_expression *node = checker_node(checker, expression, expression->children, typed);
    if (node)
        node->on_grid = node->on_grid || grid > 0;
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
