/* The type checker: constants, tuples, lists of functions, skeletons, choices and loops.
 *
 * Where types must be equal and a common one exists, conversions are put in. The state of a loop and the operands of a
 * reduction have the least type that is closed under the expression: it is found by applying the expression to the
 * type so far until nothing changes; types only widen, and there are few steps from int to real.
 * Source: document 000, 2.5 to 2.9 and chapter 5. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/front/data.h"

/* A tuple of 32 ints may become reals one by one; a type that widens longer grows for ever. */
enum { MAX_WIDENINGS = 2 * BMF_MAX_LEAVES };

static const int64_t max_processors = (int64_t)1 << 40;

static bool is_list(const bmf_type *type)
{
    return type->kind == BMF_LIST || type->kind == BMF_DISTRIBUTED;
}

/* A list of the same sort as `like`. */
static const bmf_type *list_like(const bmf_type *like, const bmf_type *element)
{
    return like->kind == BMF_DISTRIBUTED ? bmf_type_distributed(element) : bmf_type_list(element);
}

/* NULL after a message: the parts of `what` have types without a common one. */
static const bmf_type *join(bmf_checker *checker, bmf_span span, const char *what, const bmf_type *a, const bmf_type *b)
{
    char words[2][BMF_TYPE_WORDS];
    const bmf_type *both = bmf_type_join(a, b);
    if (!both)
        checker_fail(checker, span, "%s, found %s and %s", what, checker_words(a, words[0]),
                     checker_words(b, words[1]));
    return both;
}

/* The elements of a list have no distributed lists in them; otherwise a message. */
static bool has_placed_elements(bmf_checker *checker, const bmf_expression *expression, const bmf_type *list)
{
    if (!bmf_type_holds_distributed(list->component[0]))
        return true;
    checker_needs(checker, expression,
                  "elements without distributed lists in them (reduce those first, with B_Map or P_Map)", list);
    return false;
}

/* A predicate on `in`: its result must be a bool. */
static bmf_expression *infer_predicate(bmf_checker *checker, const bmf_expression *expression,
                                       const bmf_expression *predicate, const bmf_type *in, bool inside)
{
    char words[BMF_TYPE_WORDS];
    bmf_expression *typed =
        inside ? checker_infer_inside(checker, predicate, in) : checker_infer(checker, predicate, in);
    if (!typed)
        return NULL;
    if (typed->out->kind != BMF_BOOL && typed->out->kind != BMF_NOTHING)
        return checker_fail(checker, predicate->span, "%s needs a predicate that makes a bool, found %s",
                            checker_keyword(expression), checker_words(typed->out, words));
    return checker_convert(checker, typed, &bmf_type_bool);
}

/* ---- tuples and lists of functions ---- */

static bmf_expression *infer_constant(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    static const bmf_type *const type[] = {
        [BMF_INT] = &bmf_type_int, [BMF_REAL] = &bmf_type_real, [BMF_BOOL] = &bmf_type_bool};
    return checker_finish(checker, checker_node(checker, expression, 0, NULL), in, type[expression->constant.kind]);
}

static bmf_expression *infer_tuple(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
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

/* Types the children and finds the type all of them go with; NULL after a failure. */
static const bmf_type *infer_elements(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in,
                                      bmf_expression **typed)
{
    const bmf_type *all = &bmf_type_nothing;
    for (int k = 0; k < expression->children && all; k++) {
        typed[k] = checker_infer(checker, expression->child[k], in);
        if (!typed[k])
            return NULL;
        all = join(checker, expression->child[k]->span, "the expressions of B_Allvec must make one type", all,
                   typed[k]->out);
    }
    return all;
}

static bmf_expression *infer_vector(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    bmf_expression **typed = allocate(expression->children * (int64_t)sizeof(bmf_expression *)), *node = NULL;
    const bmf_type *all = infer_elements(checker, expression, in, typed);
    if (all && has_placed_elements(checker, expression, bmf_type_list(all))) {
        for (int k = 0; k < expression->children; k++)
            typed[k] = checker_convert(checker, typed[k], all);
        node = checker_node(checker, expression, expression->children, typed);
        node = checker_finish(checker, node, in, bmf_type_list(all));
    }
    free(typed);
    return node;
}

static bmf_expression *infer_component(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    char what[80];
    int64_t i = expression->number[0], n = expression->number[1];
    bool fits = in->kind == BMF_TUPLE && in->components == n && i >= 1 && i <= n;
    if (!fits && in->kind != BMF_NOTHING) {
        snprintf(what, sizeof what, "a tuple of %lld component%s", (long long)n, n == 1 ? "" : "s");
        return checker_needs(checker, expression, what, in);
    }
    return checker_finish(checker, checker_node(checker, expression, 0, NULL), in, fits ? in->component[i - 1] : in);
}

/* ---- skeletons ---- */

static bmf_expression *infer_map(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (!is_list(in) && in->kind != BMF_NOTHING)
        return checker_needs(checker, expression, "a list", in);
    const bmf_type *element = is_list(in) ? in->component[0] : in;
    bmf_expression *typed = checker_infer_inside(checker, expression->child[0], element);
    if (!typed)
        return NULL;
    return checker_finish(checker, checker_node(checker, expression, 1, &typed), in,
                          is_list(in) ? list_like(in, typed->out) : in);
}

static bmf_expression *infer_filter(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_DISTRIBUTED)
        return checker_needs(checker, expression, "a placed list (P_Map (B_Filter ..) filters the parts)", in);
    if (in->kind != BMF_LIST && in->kind != BMF_NOTHING)
        return checker_needs(checker, expression, "a list", in);
    if (in->kind == BMF_LIST && !has_placed_elements(checker, expression, in))
        return NULL;
    bmf_expression *predicate =
        infer_predicate(checker, expression, expression->child[0], in->kind == BMF_LIST ? in->component[0] : in, true);
    return checker_finish(checker, checker_node(checker, expression, 1, &predicate), in, in);
}

static bmf_expression *infer_split(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    int64_t parts = expression->number[0], stride = expression->number[1];
    if (parts < 1)
        return checker_fail(checker, expression->span, "%s needs at least 1 part, found %lld",
                            checker_keyword(expression), (long long)parts);
    if (expression->parallel && (stride < 0 || stride > 40 || parts - 1 > (max_processors - 1) >> stride))
        return checker_fail(checker, expression->span,
                            "%s needs at most 2^40 processors, found %lld with stride 2^%lld",
                            checker_keyword(expression), (long long)parts, (long long)stride);
    if (in->kind == BMF_DISTRIBUTED)
        return checker_needs(checker, expression, "a placed list (P_Map (B_Split ..) splits the parts)", in);
    if (in->kind != BMF_LIST && in->kind != BMF_NOTHING)
        return checker_needs(checker, expression, "a list", in);
    if (in->kind == BMF_LIST && !has_placed_elements(checker, expression, in))
        return NULL;
    const bmf_type *out = in;
    if (in->kind == BMF_LIST)
        out = expression->parallel ? bmf_type_distributed(in) : bmf_type_list(in);
    return checker_finish(checker, checker_node(checker, expression, 0, NULL), in, out);
}

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
    if (!is_list(list[0]) || list[0]->kind != list[1]->kind)
        return NULL;
    return bmf_type_pair(list[0], list[1]);
}

static bmf_expression *infer_zip(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const bmf_type *nothing = &bmf_type_nothing;
    const bmf_type *takes = in == nothing ? in : two_lists(in);
    if (!takes)
        return checker_needs(checker, expression, "two placed or two distributed lists", in);
    const bmf_type *pair = bmf_type_pair(nothing, nothing), *out = in;
    if (in != nothing) {
        if (!has_placed_elements(checker, expression, takes->component[0]) ||
            !has_placed_elements(checker, expression, takes->component[1]))
            return NULL;
        pair = bmf_type_pair(takes->component[0]->component[0], takes->component[1]->component[0]);
        out = list_like(takes->component[0], pair);
    }
    bmf_expression *operation = NULL;
    if (expression->children > 0) {
        operation = checker_infer_inside(checker, expression->child[0], pair);
        if (!operation)
            return NULL;
        out = in == nothing ? in : list_like(takes->component[0], operation->out);
    }
    bmf_expression *node = checker_node(checker, expression, expression->children, &operation);
    return checker_convert_argument(checker, checker_finish(checker, node, takes, out), in);
}

/* ---- reductions and scans ---- */

/* The operator on two operands of a type, for reductions. */
static bmf_expression *infer_operator(bmf_checker *checker, const bmf_expression *expression, const bmf_type *operand)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    char words[BMF_TYPE_WORDS];
    int leaves = bmf_type_is_fixed(operand) ? bmf_type_leaves(operand, leaf) : 0;
    if (leaves < 0 || leaves > BMF_MAX_LEAVES / 2)
        return checker_fail(checker, expression->span, "%s needs elements of at most 16 scalars, found %s",
                            checker_keyword(expression), checker_words(operand, words));
    return checker_infer_inside(checker, expression->child[0], bmf_type_pair(operand, operand));
}

/* One step towards the operands' type: what the operator and the default make of `operand`, joined with it. Fills in
 * both, typed; NULL after a failure. */
static const bmf_type *widen_operand(bmf_checker *checker, const bmf_expression *expression, const bmf_type *list,
                                     const bmf_type *operand, bmf_expression *typed[2])
{
    const bmf_type *wider = operand;
    char what[100];
    if (expression->children > 1) {
        typed[1] = checker_infer(checker, expression->child[1], list_like(list, operand));
        if (!typed[1])
            return NULL;
        snprintf(what, sizeof what, "the default of %s must go with the elements", checker_keyword(expression));
        wider = join(checker, expression->child[1]->span, what, wider, typed[1]->out);
        if (!wider)
            return NULL;
    }
    typed[0] = infer_operator(checker, expression, wider);
    if (!typed[0])
        return NULL;
    snprintf(what, sizeof what, "the operator of %s must make the type of its operands", checker_keyword(expression));
    return join(checker, expression->child[0]->span, what, wider, typed[0]->out);
}

/* The type of the operands at which operator and default stay in it; NULL after a failure. */
static const bmf_type *find_operand(bmf_checker *checker, const bmf_expression *expression, const bmf_type *list,
                                    bmf_expression *typed[2])
{
    const bmf_type *operand = list->component[0];
    for (int step = 0; step < MAX_WIDENINGS; step++) {
        const bmf_type *wider = widen_operand(checker, expression, list, operand, typed);
        if (wider == operand || !wider)
            return wider;
        operand = wider;
    }
    checker_fail(checker, expression->child[0]->span, "the operator of %s makes a larger type each time it is applied",
                 checker_keyword(expression));
    return NULL;
}

/* Of values that cannot be: the parts are typed all the same, because the evaluator may come by without any. */
static bmf_expression *infer_fold_of_nothing(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    bmf_expression *typed[2] = {infer_operator(checker, expression, in), NULL};
    if (typed[0] && expression->children > 1)
        typed[1] = checker_infer(checker, expression->child[1], in);
    return checker_finish(checker, checker_node(checker, expression, expression->children, typed), in, in);
}

static bmf_expression *infer_fold(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    bmf_expression *typed[2] = {NULL, NULL};
    if (in->kind == BMF_NOTHING)
        return infer_fold_of_nothing(checker, expression, in);
    if (!is_list(in))
        return checker_needs(checker, expression, "a list", in);
    if (!has_placed_elements(checker, expression, in))
        return NULL;
    const bmf_type *operand = find_operand(checker, expression, in, typed);
    if (!operand)
        return NULL;
    for (int k = 0; k < expression->children; k++)
        typed[k] = checker_convert(checker, typed[k], operand);
    const bmf_type *list = list_like(in, operand);
    if (!has_placed_elements(checker, expression, list))
        return NULL;
    bmf_expression *node = checker_node(checker, expression, expression->children, typed);
    node = checker_finish(checker, node, list, expression->kind == BMF_EXPRESSION_SCAN ? list : operand);
    return checker_convert_argument(checker, node, in);
}

/* ---- choices and loops ---- */

/* Choices and loops on distributed lists are for the program's one instance; false after a message. */
static bool may_hold(bmf_checker *checker, const bmf_expression *expression, const bmf_type *type)
{
    char words[BMF_TYPE_WORDS];
    if (checker->inside == 0 || !bmf_type_holds_distributed(type))
        return true;
    checker_fail(checker, expression->span, "%s inside a map or an operator cannot have distributed lists, found %s",
                 checker_keyword(expression), checker_words(type, words));
    return false;
}

static bmf_expression *infer_if(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    bmf_expression *typed[3] = {infer_predicate(checker, expression, expression->child[0], in, false)};
    for (int k = 1; k < 3 && typed[k - 1]; k++)
        typed[k] = checker_infer(checker, expression->child[k], in);
    if (!typed[0] || !typed[1] || !typed[2])
        return NULL;
    const bmf_type *out = join(checker, expression->child[2]->span, "the branches of B_If must make one type",
                               typed[1]->out, typed[2]->out);
    if (!out || !may_hold(checker, expression, in) || !may_hold(checker, expression, out))
        return NULL;
    typed[1] = checker_convert(checker, typed[1], out);
    typed[2] = checker_convert(checker, typed[2], out);
    return checker_finish(checker, checker_node(checker, expression, 3, typed), in, out);
}

static bmf_expression *infer_while(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const bmf_type *loop = in;
    for (int step = 0; step < MAX_WIDENINGS; step++) {
        bmf_expression *body = checker_infer(checker, expression->child[1], loop);
        if (!body)
            return NULL;
        const bmf_type *wider = join(checker, expression->child[1]->span,
                                     "the body of B_While must make the type it is applied to", loop, body->out);
        if (!wider || !may_hold(checker, expression, wider))
            return NULL;
        if (wider != loop) {
            loop = wider;
            continue;
        }
        bmf_expression *typed[2] = {infer_predicate(checker, expression, expression->child[0], loop, false),
                                    checker_convert(checker, body, loop)};
        bmf_expression *node = checker_node(checker, expression, 2, typed);
        return checker_convert_argument(checker, checker_finish(checker, node, loop, loop), in);
    }
    return checker_fail(checker, expression->child[1]->span,
                        "the body of B_While makes a larger type each time it is applied");
}

/* Seen only again, by the rewriter, at another type. */
static bmf_expression *infer_conversion(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (bmf_type_join(in, expression->out) != expression->out)
        return checker_fail(checker, expression->span, "no conversion");
    bmf_expression *identity = expression_create(checker->arena, BMF_EXPRESSION_ID, expression->span, 0);
    return checker_convert(checker, checker_finish(checker, identity, in, in), expression->out);
}

bmf_expression *checker_skeleton(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    switch (expression->kind) {
    case BMF_EXPRESSION_ID:
        return checker_finish(checker, checker_node(checker, expression, 0, NULL), in, in);
    case BMF_EXPRESSION_CON:
        return infer_constant(checker, expression, in);
    case BMF_EXPRESSION_ALLTUP:
        return infer_tuple(checker, expression, in);
    case BMF_EXPRESSION_ALLVEC:
        return infer_vector(checker, expression, in);
    case BMF_EXPRESSION_ADDR:
        return infer_component(checker, expression, in);
    case BMF_EXPRESSION_MAP:
        return infer_map(checker, expression, in);
    case BMF_EXPRESSION_REDUCE:
    case BMF_EXPRESSION_SCAN:
        return infer_fold(checker, expression, in);
    case BMF_EXPRESSION_ZIP:
        return infer_zip(checker, expression, in);
    case BMF_EXPRESSION_SPLIT:
        return infer_split(checker, expression, in);
    case BMF_EXPRESSION_FILTER:
        return infer_filter(checker, expression, in);
    case BMF_EXPRESSION_IF:
        return infer_if(checker, expression, in);
    case BMF_EXPRESSION_WHILE:
        return infer_while(checker, expression, in);
    case BMF_EXPRESSION_CONVERT:
        return infer_conversion(checker, expression, in);
    default: /* fused nodes are typed when they are made */
        checker->status = BMF_ERROR_INTERNAL;
        return NULL;
    }
}
