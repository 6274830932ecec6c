/* Making core expressions.
 *
 * Three laws make them as short as by hand: id . f = f = f . id; [addr 1, .., addr n] = id on tuples of n; and a filter
 * that is only counted needs not drop what was handed to its elements: length . map (addr 2) . filter p . distl =
 * length . filter p . distl. */
#include "skeletons/language/notation/core.h"

#include <string.h>

bmf_expression *core_identity(bmf_expressions *arena, bmf_span span)
{
    return expression_create(arena, BMF_EXPRESSION_ID, span, 0);
}

bmf_expression *core_constant(bmf_expressions *arena, bmf_span span, bmf_constant constant)
{
    bmf_expression *made = expression_create(arena, BMF_EXPRESSION_CON, span, 0);
    made->constant = constant;
    return made;
}

bmf_expression *core_operation(bmf_expressions *arena, bmf_span span, bmf_operation operation)
{
    bmf_expression *made = expression_create(arena, BMF_EXPRESSION_OP, span, 0);
    made->operation = operation;
    return made;
}

bmf_expression *core_component(bmf_expressions *arena, bmf_span span, int k, int of)
{
    bmf_expression *made = expression_create(arena, BMF_EXPRESSION_ADDR, span, 0);
    made->number[0] = k;
    made->number[1] = of;
    return made;
}

bmf_expression *core_name(bmf_expressions *arena, bmf_span span, const char *name)
{
    bmf_expression *made = expression_create(arena, BMF_EXPRESSION_NAME, span, 0);
    made->name = name;
    return made;
}

bmf_expression *core_form(bmf_expressions *arena, bmf_expression_kind kind, bmf_span span, int children,
                          bmf_expression *const *child)
{
    bmf_expression *made = expression_create(arena, kind, span, children);
    for (int k = 0; k < children; k++)
        made->child[k] = child[k];
    return made;
}

static bmf_expression *pair(bmf_expressions *arena, bmf_expression *f, bmf_expression *g)
{
    bmf_expression *both[2] = {f, g};
    return core_form(arena, BMF_EXPRESSION_COMP, f->span, 2, both);
}

/* All patterns of both. */
static const bmf_binding *join_bindings(bmf_expressions *arena, const bmf_binding *a, const bmf_binding *b)
{
    if (!a)
        return b;
    notation_pattern *first = notation_pattern_create(arena, NULL, a->span, 0);
    *first = *a;
    first->also = join_bindings(arena, a->also, b);
    return first;
}

static void bind_result(bmf_expressions *arena, bmf_expression *expression, const bmf_binding *binding)
{
    while (expression->kind == BMF_EXPRESSION_COMP)
        expression = expression->child[0];
    const bmf_binding **bound = expression->kind == BMF_EXPRESSION_ID ? &expression->binding : &expression->result;
    *bound = join_bindings(arena, binding, *bound);
}

static void bind_argument(bmf_expressions *arena, bmf_expression *expression, const bmf_binding *binding)
{
    while (expression->kind == BMF_EXPRESSION_COMP)
        expression = expression->child[expression->children - 1];
    expression->binding = join_bindings(arena, binding, expression->binding);
}

static bool is_operation(const bmf_expression *expression, bmf_operation operation)
{
    return expression->kind == BMF_EXPRESSION_OP && expression->operation == operation;
}

/* map (addr 2) . filter p . distl .. */
static bool drops_captured(const bmf_expression *g)
{
    if (g->kind != BMF_EXPRESSION_COMP || g->child[1]->kind != BMF_EXPRESSION_COMP)
        return false;
    const bmf_expression *map = g->child[0], *filter = g->child[1]->child[0], *distl = g->child[1]->child[1];
    if (distl->kind == BMF_EXPRESSION_COMP)
        distl = distl->child[0];
    return map->kind == BMF_EXPRESSION_MAP && map->child[0]->kind == BMF_EXPRESSION_ADDR &&
           map->child[0]->number[0] == 2 && map->child[0]->number[1] == 2 && filter->kind == BMF_EXPRESSION_FILTER &&
           is_operation(distl, BMF_OPERATION_DISTL);
}

static const bmf_expression *last_link(const bmf_expression *f)
{
    while (f->kind == BMF_EXPRESSION_COMP)
        f = f->child[f->children - 1];
    return f;
}

/* Links of f are joined from the last one on, so that long compositions need no stack. */
bmf_expression *core_compose(bmf_expressions *arena, bmf_expression *f, bmf_expression *g)
{
    if (f->kind == BMF_EXPRESSION_ID) {
        bind_result(arena, g, f->binding);
        return g;
    }
    if (g->kind == BMF_EXPRESSION_ID) {
        bind_argument(arena, f, g->binding);
        return f;
    }
    if (is_operation(last_link(f), BMF_OPERATION_LENGTH) && drops_captured(g))
        g = g->child[1];
    if (f->kind != BMF_EXPRESSION_COMP)
        return pair(arena, f, g);
    bmf_expression *made = pair(arena, f->child[0], g), *last = made;
    for (bmf_expression *rest = f->child[1];; rest = rest->child[1]) {
        const bool links = rest->kind == BMF_EXPRESSION_COMP;
        last->child[1] = pair(arena, links ? rest->child[0] : rest, g);
        last = last->child[1];
        if (!links)
            return made;
    }
}

/* What component k of n is taken of: NULL if the expression is something else; *whole: of the argument itself. */
static const bmf_expression *taken_of(const bmf_expression *expression, int k, int n, bool *whole)
{
    const bool links = expression->kind == BMF_EXPRESSION_COMP;
    const bmf_expression *first = links ? expression->child[0] : expression;
    *whole = !links;
    if (first->kind != BMF_EXPRESSION_ADDR || first->number[0] != k || first->number[1] != n)
        return NULL;
    return links ? expression->child[1] : first;
}

/* A chain of components: moves nothing and computes nothing. */
static bool is_path(const bmf_expression *expression)
{
    for (; expression->kind == BMF_EXPRESSION_COMP; expression = expression->child[1])
        if (expression->child[0]->kind != BMF_EXPRESSION_ADDR)
            return false;
    return expression->kind == BMF_EXPRESSION_ADDR;
}

/* The tuple whose components in order the children are; NULL: of none. */
static const bmf_expression *common_tuple(int children, bmf_expression *const *child, bool *whole)
{
    const bmf_expression *tuple = NULL;
    for (int k = 0; k < children; k++) {
        bool all;
        const bmf_expression *of = taken_of(child[k], k + 1, children, &all);
        if (!of || (!all && !is_path(of)))
            return NULL;
        if (k > 0 && (all != *whole || (!all && !expression_equal(of, tuple))))
            return NULL;
        tuple = of;
        *whole = all;
    }
    return tuple;
}

bmf_expression *core_tuple(bmf_expressions *arena, bmf_span span, int children, bmf_expression *const *child)
{
    bool whole = false;
    const bmf_expression *tuple = common_tuple(children, child, &whole);
    if (tuple && whole)
        return core_identity(arena, span);
    if (tuple) {
        bmf_expression *made = expression_copy(arena, tuple);
        for (int k = children - 1; k >= 0; k--)
            if (child[k]->child[0]->binding)
                bind_result(arena, made, child[k]->child[0]->binding);
        return made;
    }
    return core_form(arena, BMF_EXPRESSION_ALLTUP, span, children, child);
}

bmf_expression *core_normal(bmf_expressions *arena, const bmf_expression *expression)
{
    if (expression->kind == BMF_EXPRESSION_COMP) {
        bmf_expression *made = core_normal(arena, expression->child[expression->children - 1]);
        for (int k = expression->children - 2; k >= 0; k--)
            made = core_compose(arena, core_normal(arena, expression->child[k]), made);
        return made;
    }
    bmf_expression *made = expression_copy(arena, expression);
    made->parallel = made->parallel && (made->kind == BMF_EXPRESSION_SPLIT || made->kind == BMF_EXPRESSION_BLOCKS);
    for (int k = 0; k < made->children; k++)
        made->child[k] = core_normal(arena, expression->child[k]);
    return made->kind == BMF_EXPRESSION_ALLTUP ? core_tuple(arena, made->span, made->children, made->child) : made;
}
