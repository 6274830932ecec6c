/* Skeletons of the notation, and the functions that they are given.
 *
 * What a function uses from outside is handed to every element: B_Op (B_Distl) . {captured, list}, and the function
 * takes {captured, element}. Stencils (translate_stencil.c), sort_by and group, whose lists may be parts, take
 * {captured, list} themselves. */
#include "skeletons/language/notation/translator.h"

#include <stdio.h>
#include <string.h>

/* ---- functions ---- */

static const bmf_span nowhere = {.text = -1};

bmf_span translator_use(const notation_node *node, const char *name)
{
    if (node->kind == NOTATION_NAME)
        return strcmp(node->name, name) == 0 ? node->span : nowhere;
    for (int k = 0; k < node->children; k++) {
        const bmf_span found = notation_uses(node->child[k], name) ? translator_use(node->child[k], name) : nowhere;
        if (found.text >= 0)
            return found;
    }
    return nowhere;
}

/* map(xs, x -> ..) */
static bool has_function_last(const notation_node *call)
{
    const notation_kind last = call->child[call->children - 1]->kind;
    return last == NOTATION_FUNCTION || last == NOTATION_OPERATOR;
}

static bmf_expression *named_function(notation_translator *t, const notation_node *node, const notation_node *call,
                                      const notation_pattern *scope)
{
    const bmf_definition *definition = library_find(t->library, node->name);
    const notation_builtin *builtin = builtin_find(node->name, (int64_t)strlen(node->name));
    if (scope_path(t->arena, scope, node->name, node->span))
        return translator_fail(t, node->span,
                               "%.60s is a value here; %s needs a function: a name, an operator, x -> ..%s", node->name,
                               call->name, has_function_last(call) ? "; the list stands behind it" : "");
    if (definition && definition->notation && definition->parameters == 0)
        return translator_fail(t, node->span, "%.60s is a constant; %s needs a function: a name, an operator, x -> ..",
                               node->name, call->name);
    if (definition)
        return core_name(t->arena, node->span, node->name);
    if (builtin && builtin->role <= NOTATION_BINARY)
        return core_operation(t->arena, node->span, builtin->operation);
    if (builtin)
        return translator_fail(t, node->span, "%s by itself is no function; write x -> %s", builtin->name,
                               builtin->usage);
    return translator_fail_unknown(t, node, scope);
}

bmf_expression *translate_inside(notation_translator *t, const notation_names *names, notation_pattern *pattern,
                                 const notation_node *body)
{
    const notation_pattern *inner = pattern;
    if (names->count > 0) {
        notation_pattern *both = notation_pattern_create(t->arena, NULL, pattern->span, 2);
        both->part[0] = scope_pattern(t->arena, names, pattern->span);
        both->part[1] = pattern;
        inner = both;
    }
    bmf_expression *made = translate_node(t, body, inner);
    if (made)
        scope_bind(t->arena, made, inner);
    return made;
}

static bmf_expression *written_function(notation_translator *t, const notation_node *node,
                                        const notation_pattern *scope, notation_applied *applied)
{
    notation_names *names = &applied->captured;
    scope_captured(scope, node, NULL, names);
    if (!translator_fits(t, names, node->word))
        return NULL;
    if (names->count > 0)
        applied->use = translator_use(node->child[0], names->name[0]);
    return translate_inside(t, names, node->pattern, node->child[0]);
}

notation_applied translate_function(notation_translator *t, const notation_node *node, const notation_node *call,
                                    const notation_pattern *scope)
{
    notation_applied applied = {.use = nowhere};
    if (node->kind == NOTATION_OPERATOR)
        applied.expression = core_operation(t->arena, node->span, node->builtin->operation);
    else if (node->kind == NOTATION_NAME)
        applied.expression = named_function(t, node, call, scope);
    else if (node->kind == NOTATION_FUNCTION)
        applied.expression = written_function(t, node, scope, &applied);
    else
        translator_fail(t, node->span, "%s needs a function first: a name, an operator, or x -> ..; found a value",
                        call->name);
    return applied;
}

/* ---- lists with what is handed to their elements ---- */

static const char *names_text(notation_translator *t, const notation_names *names)
{
    char text[160];
    size_t used = 0;
    for (int k = 0; k < names->count && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.40s", k > 0 ? ", " : "", names->name[k]);
    return expressions_text(t->arena, text, (int64_t)strlen(text));
}

/* B_Op (B_Distl) . {captured, list}, or the list. */
static bmf_expression *handed_on(notation_translator *t, const notation_applied *applied, const notation_pattern *scope,
                                 bmf_expression *list)
{
    if (applied->captured.count == 0)
        return list;
    bmf_expression *both[2] = {scope_values(t->arena, scope, &applied->captured, applied->use), list};
    bmf_expression *distl = core_operation(t->arena, applied->use, BMF_OPERATION_DISTL);
    distl->name = names_text(t, &applied->captured);
    return core_compose(t->arena, distl, core_tuple(t->arena, applied->use, 2, both));
}

bmf_expression *translate_applied(notation_translator *t, bmf_expression *expression, const notation_applied *applied,
                                  const notation_pattern *scope, bmf_expression *list)
{
    if (applied->captured.count > 0) {
        bmf_expression *both[2] = {scope_values(t->arena, scope, &applied->captured, applied->use), list};
        list = core_tuple(t->arena, applied->use, 2, both);
        expression->name = names_text(t, &applied->captured);
    }
    return core_compose(t->arena, expression, list);
}

static bmf_expression *form(notation_translator *t, bmf_expression_kind kind, const notation_node *call,
                            bmf_expression *function)
{
    return core_form(t->arena, kind, call->word, 1, &function);
}

static bmf_expression *translate_map(notation_translator *t, const notation_node *call, const notation_pattern *scope)
{
    const notation_applied f = translate_function(t, call->child[0], call, scope);
    bmf_expression *list = f.expression ? translate_node(t, call->child[1], scope) : NULL;
    if (!list)
        return NULL;
    list = handed_on(t, &f, scope, list);
    if (f.captured.count > 0 && f.expression->kind == BMF_EXPRESSION_ID && call->child[0]->pattern->parts == 0)
        return list;
    return core_compose(t->arena, form(t, BMF_EXPRESSION_MAP, call, f.expression), list);
}

static bmf_expression *translate_keyed(notation_translator *t, const notation_node *call,
                                       const notation_builtin *builtin, const notation_pattern *scope)
{
    const notation_applied f = translate_function(t, call->child[0], call, scope);
    bmf_expression *list = f.expression ? translate_node(t, call->child[1], scope) : NULL;
    return list ? translate_applied(t, form(t, builtin->kind, call, f.expression), &f, scope, list) : NULL;
}

/* What was handed on to the elements is dropped again. */
static bmf_expression *translate_filter(notation_translator *t, const notation_node *call,
                                        const notation_pattern *scope)
{
    const notation_applied f = translate_function(t, call->child[0], call, scope);
    bmf_expression *list = f.expression ? translate_node(t, call->child[1], scope) : NULL;
    if (!list)
        return NULL;
    bmf_expression *made =
        core_compose(t->arena, form(t, BMF_EXPRESSION_FILTER, call, f.expression), handed_on(t, &f, scope, list));
    if (f.captured.count == 0)
        return made;
    bmf_expression *element = core_component(t->arena, call->word, 2, 2);
    bmf_expression *dropped = form(t, BMF_EXPRESSION_MAP, call, element);
    return core_compose(t->arena, dropped, made);
}

/* zip(xs, ys); zip(f, xs, ys); with names from outside map(f, zip(xs, ys)) */
static bmf_expression *translate_zip(notation_translator *t, const notation_node *call, const notation_pattern *scope)
{
    const int lists = call->children - 2;
    notation_applied f = {0};
    bmf_expression *both[2];
    if (lists == 1) {
        f = translate_function(t, call->child[0], call, scope);
        if (!f.expression)
            return NULL;
    }
    for (int k = 0; k < 2; k++) {
        both[k] = translate_node(t, call->child[lists + k], scope);
        if (!both[k])
            return NULL;
    }
    bmf_expression *pair = core_tuple(t->arena, call->word, 2, both);
    const bool direct = f.expression && f.captured.count == 0;
    bmf_expression *zipped = core_compose(
        t->arena, core_form(t->arena, BMF_EXPRESSION_ZIP, call->word, direct ? 1 : 0, &f.expression), pair);
    if (f.captured.count == 0)
        return zipped;
    return core_compose(t->arena, form(t, BMF_EXPRESSION_MAP, call, f.expression), handed_on(t, &f, scope, zipped));
}

/* ---- reductions and scans ---- */

/* The default, which is a constant, or a function of the list. */
static bmf_expression *translate_default(notation_translator *t, const notation_node *node, const notation_node *call,
                                         const notation_pattern *scope)
{
    static const notation_pattern nothing = {.span = {.text = -1}};
    notation_names names = {0};
    scope_captured(scope, node, NULL, &names);
    if (names.count > 0 && builtin_find(call->name, (int64_t)strlen(call->name))->role != NOTATION_FOLD)
        return translator_fail(t, translator_use(node, names.name[0]),
                               "the default of %s is a constant, but uses %.60s", call->name, names.name[0]);
    if (names.count > 0 && call->child[call->children - 1]->kind == NOTATION_CONSTANT)
        return translator_fail(t, node->span, "the list is the last argument of %s: %s(op, 0, xs)", call->name,
                               call->name);
    if (names.count > 0)
        return translator_fail(
            t, translator_use(node, names.name[0]),
            "the default of %s is a constant, but uses %.60s; put the value into the list: %s(op, [%.60s] ++ xs)",
            call->name, names.name[0], call->name, names.name[0]);
    if (node->kind == NOTATION_FUNCTION)
        return translate_function(t, node, call, scope).expression;
    return translate_node(t, node, &nothing);
}

static bmf_expression *translate_operator(notation_translator *t, const notation_node *node, const notation_node *call,
                                          const notation_pattern *scope)
{
    const notation_applied op = translate_function(t, node, call, scope);
    if (!op.expression || op.captured.count == 0)
        return op.expression;
    return translator_fail(t, op.use,
                           "the operator of %s sees its two operands only, but uses %.60s; put %.60s into the elements "
                           "first: map(x -> {x, %.60s}, xs)",
                           call->name, op.captured.name[0], op.captured.name[0], op.captured.name[0]);
}

static bmf_expression *translate_fold(notation_translator *t, const notation_node *call,
                                      const notation_builtin *builtin, const notation_pattern *scope)
{
    const int operands = call->children - 1;
    bmf_expression *operand[2] = {translate_operator(t, call->child[0], call, scope)};
    if (operand[0] && operands == 2)
        operand[1] = translate_default(t, call->child[1], call, scope);
    if (!operand[operands - 1])
        return NULL;
    bmf_expression *list = translate_node(t, call->child[operands], scope);
    if (!list)
        return NULL;
    return core_compose(t->arena, core_form(t->arena, builtin->kind, call->word, operands, operand), list);
}

static bmf_expression *translate_by_key(notation_translator *t, const notation_node *call,
                                        const notation_pattern *scope)
{
    bmf_expression *operand[2] = {translate_operator(t, call->child[0], call, scope)}, *both[2];
    if (!operand[0])
        return NULL;
    operand[1] = translate_default(t, call->child[1], call, scope);
    for (int k = 0; k < 2 && operand[1]; k++) {
        both[k] = translate_node(t, call->child[2 + k], scope);
        if (!both[k])
            return NULL;
    }
    if (!operand[1])
        return NULL;
    return core_compose(t->arena, core_form(t->arena, BMF_EXPRESSION_REDUCE_BY_KEY, call->word, 2, operand),
                        core_tuple(t->arena, call->word, 2, both));
}

/* ---- splits ---- */

/* A number from 0 on, or procs. */
static bool translate_count(notation_translator *t, const notation_node *node, const notation_node *call,
                            int64_t *number, bool *processors)
{
    if (node->kind == NOTATION_PROCS) {
        *processors = true;
        *number = t->texts->processors > 0 ? t->texts->processors : 1;
        return true;
    }
    const bool whole = node->kind == NOTATION_CONSTANT && node->constant.kind == BMF_INT && node->constant.integer >= 0;
    const notation_node *last = call->child[call->children - 1];
    *number = node->constant.integer;
    if (!whole && (last->kind == NOTATION_PROCS || last->kind == NOTATION_CONSTANT))
        translator_fail(t, node->span, "the list is the last argument of %s: %s(procs, xs)", call->name, call->name);
    else if (!whole)
        translator_fail(t, node->span,
                        "%s takes a number or procs: how many processors there are is known before the "
                        "program runs",
                        call->name);
    return whole;
}

/* {r, c} or {p, r, c}: numbers, procs, and in splits _ for what is chosen when the program runs. */
static bmf_expression *translate_grid(notation_translator *t, const notation_node *call, bmf_expression_kind kind,
                                      bool parallel, bool may_choose)
{
    const notation_node *numbers = call->child[0];
    bmf_expression *form = expression_create(t->arena, kind, call->word, 0);
    form->parallel = parallel;
    form->numbers = numbers->children;
    if (numbers->children < 2 || numbers->children > BMF_NUMBERS)
        return translator_fail(t, numbers->span, "a grid has 2 or 3 dimensions: {r, c} or {p, r, c}");
    for (int d = 0; d < numbers->children; d++) {
        const notation_node *number = numbers->child[d];
        const bool any = number->kind == NOTATION_NAME && strcmp(number->name, "_") == 0;
        if (any && !may_choose)
            return translator_fail(t, number->span, "%s takes the numbers of a grid; only split chooses some",
                                   call->name);
        if (!any && !translate_count(t, number, call, &form->number[d], &form->processors[d]))
            return NULL;
        if (!any && form->number[d] < 1)
            return translator_fail(t, number->span, "%s needs at least 1 block in each dimension", call->name);
    }
    return form;
}

/* split({r, c}, rows), cut({r, c}, rows), join({r, c}, blocks), join(blocks) */
static bmf_expression *translate_blocks(notation_translator *t, const notation_node *call, bmf_expression *form,
                                        const notation_pattern *scope)
{
    bmf_expression *list = form ? translate_node(t, call->child[call->children - 1], scope) : NULL;
    return list ? core_compose(t->arena, form, list) : NULL;
}

static bmf_expression *translate_join(notation_translator *t, const notation_node *call, const notation_pattern *scope)
{
    if (call->children == 1)
        return translate_blocks(t, call, expression_create(t->arena, BMF_EXPRESSION_JOIN, call->word, 0), scope);
    if (call->child[0]->kind != NOTATION_TUPLE)
        return translator_fail(t, call->child[0]->span, "the numbers of a grid are written {r, c}");
    return translate_blocks(t, call, translate_grid(t, call, BMF_EXPRESSION_JOIN, false, false), scope);
}

static bmf_expression *translate_split(notation_translator *t, const notation_node *call, bool parallel,
                                       const notation_pattern *scope)
{
    enum { MAX_STRIDE = 62 };
    const int numbers = call->children - 1;
    if (call->child[0]->kind == NOTATION_TUPLE && numbers == 1)
        return translate_blocks(t, call, translate_grid(t, call, BMF_EXPRESSION_BLOCKS, parallel, parallel), scope);
    bmf_expression *split = expression_create(t->arena, BMF_EXPRESSION_SPLIT, call->word, 0);
    split->parallel = parallel;
    for (int k = 0; k < numbers; k++)
        if (!translate_count(t, call->child[k], call, &split->number[k], &split->processors[k]))
            return NULL;
    if (split->number[1] > MAX_STRIDE)
        return translator_fail(t, call->child[1]->span,
                               "the second number of split is the logarithm of the stride: at most %d", MAX_STRIDE);
    bmf_expression *list = translate_node(t, call->child[numbers], scope);
    return list ? core_compose(t->arena, split, list) : NULL;
}

bool translate_places(notation_translator *t, const notation_node *node, const notation_node *call, int64_t *number)
{
    const bool minus = node->kind == NOTATION_CALL && node->builtin && node->children == 1 &&
                       node->builtin->operation == BMF_OPERATION_UMINUS && node->builtin->role == NOTATION_UNARY;
    const notation_node *digits = minus ? node->child[0] : node;
    if (digits->kind != NOTATION_CONSTANT || digits->constant.kind != BMF_INT ||
        digits->constant.integer > BMF_MAX_PLACES || digits->constant.integer < -BMF_MAX_PLACES) {
        translator_fail(t, node->span, "%s takes a whole number of places, such as 1 or -1, as its first argument",
                        call->name);
        return false;
    }
    *number = minus ? -digits->constant.integer : digits->constant.integer;
    return true;
}

static bmf_expression *translate_shift(notation_translator *t, const notation_node *call, const notation_pattern *scope)
{
    const bool has_default = call->children == 3;
    bmf_expression *shift = expression_create(t->arena, BMF_EXPRESSION_SHIFT, call->word, has_default);
    if (!translate_places(t, call->child[0], call, &shift->number[0]))
        return NULL;
    if (has_default && !(shift->child[0] = translate_default(t, call->child[1], call, scope)))
        return NULL;
    bmf_expression *list = translate_node(t, call->child[call->children - 1], scope);
    return list ? core_compose(t->arena, shift, list) : NULL;
}

bmf_expression *translate_skeleton(notation_translator *t, const notation_node *call, const notation_pattern *scope)
{
    const notation_builtin *builtin = builtin_find(call->name, (int64_t)strlen(call->name));
    switch (builtin->role) {
    case NOTATION_MAP:
        return translate_map(t, call, scope);
    case NOTATION_KEYED:
        return translate_keyed(t, call, builtin, scope);
    case NOTATION_FILTER:
        return translate_filter(t, call, scope);
    case NOTATION_ZIP:
        return translate_zip(t, call, scope);
    case NOTATION_FOLD:
        return translate_fold(t, call, builtin, scope);
    case NOTATION_SHIFT:
        return translate_shift(t, call, scope);
    case NOTATION_STENCIL:
        return translate_stencil(t, call, scope);
    case NOTATION_BY_KEY:
        return translate_by_key(t, call, scope);
    case NOTATION_JOIN:
        return translate_join(t, call, scope);
    default:
        return translate_split(t, call, builtin->role == NOTATION_SPLIT, scope);
    }
}
