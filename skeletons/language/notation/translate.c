/* From the notation to the core, construct by construct.
 *
 * Method: an expression in an environment (scope.h) becomes the core function from the environment to its value. let,
 * functions and loops make the environment of what they contain from the names that it uses, and no others.
 * Cost: O(nodes * names in scope). */
#include "skeletons/language/notation/translator.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/edit_distance.h"
#include "runtime/base/near_names.h"
#include "skeletons/language/notation/foreign.h"

/* ---- messages ---- */

void *translator_fail(notation_translator *t, bmf_span span, const char *format, ...)
{
    char message[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    t->status = text_fail(t->texts, t->ctx, span, BMF_ERROR_USAGE, "%s", message);
    return NULL;
}

static void offer(near_names *near, const char *name, const char *wanted)
{
    near_names_offer(near, name, edit_distance_caseless(wanted, (int64_t)strlen(wanted), name, (int64_t)strlen(name)));
}

static void offer_scope(near_names *near, const notation_pattern *scope, const char *wanted)
{
    if (scope->name)
        offer(near, scope->name, wanted);
    for (int k = 0; k < scope->parts; k++)
        offer_scope(near, scope->part[k], wanted);
}

void *translator_fail_unknown(notation_translator *t, const notation_node *node, const notation_pattern *scope)
{
    const char *name = node->name, *known = foreign_word(name, (int64_t)strlen(name));
    const char *library = foreign_library(name, (int64_t)strlen(name));
    near_names near = {.max = 1, .limit = strlen(name) < 2 ? 0 : strlen(name) < 4 ? 1 : 2};
    if (known)
        return translator_fail(t, node->word, "%.60s is not defined; %s", name, known);
    if (library)
        return translator_fail(t, node->word, "%.60s is not defined; it is in the library %s: --library %s", name,
                               library, library);
    offer_scope(&near, scope, name);
    for (int k = 0; k < t->library->count; k++)
        offer(&near, t->library->definition[k].name, name);
    for (int k = 0; builtin_at(k); k++)
        if (builtin_at(k)->level == NOTATION_LEVEL_NONE)
            offer(&near, builtin_at(k)->name, name);
    if (near.count > 0)
        return translator_fail(t, node->word, "%.60s is not defined; is %.60s meant?", name, near.name[0]);
    return translator_fail(t, node->word, "%.60s is not defined", name);
}

bool translator_fits(notation_translator *t, const notation_names *names, bmf_span span)
{
    if (!names->too_many)
        return true;
    translator_fail(t, span, "more than %d names from outside are used here; put some into tuples", BMF_MAX_LEAVES - 3);
    return false;
}

/* "(defined at 1:5)" */
static void *fail_arguments(notation_translator *t, const notation_node *call, const bmf_definition *definition)
{
    int64_t line, column;
    const int takes = definition->parameters;
    text_place(&t->texts->text[definition->span.text], definition->span.begin, &line, &column);
    return translator_fail(t, call->word, "%.60s takes %d argument%s, %d given (defined at %" PRId64 ":%" PRId64 ")",
                           call->name, takes, takes == 1 ? "" : "s", call->children, line, column);
}

/* ---- names and calls ---- */

static bmf_expression *translate_name(notation_translator *t, const notation_node *node, const notation_pattern *scope)
{
    bmf_expression *path = scope_path(t->arena, scope, node->name, node->span);
    if (path)
        return path;
    const bmf_definition *definition = library_find(t->library, node->name);
    if (definition && definition->notation && definition->parameters <= 0)
        return core_name(t->arena, node->span, node->name);
    if (definition)
        return translator_fail(t, node->span, "%.60s is a function; write %.60s(..), or give it to map, filter, ..",
                               node->name, node->name);
    const notation_builtin *builtin = builtin_find(node->name, (int64_t)strlen(node->name));
    if (builtin)
        return translator_fail(t, node->span, "%s is a function; write %s", builtin->name, builtin->usage);
    return translator_fail_unknown(t, node, scope);
}

/* The value of one argument, or the tuple of several. */
static bmf_expression *translate_arguments(notation_translator *t, const notation_node *call,
                                           const notation_pattern *scope)
{
    bmf_expression *value[BMF_MAX_LEAVES];
    for (int k = 0; k < call->children; k++) {
        value[k] = translate_node(t, call->child[k], scope);
        if (!value[k])
            return NULL;
    }
    return call->children == 1 ? value[0] : core_tuple(t->arena, call->span, call->children, value);
}

static bmf_expression *translate_call_of_name(notation_translator *t, const notation_node *call,
                                              const notation_pattern *scope)
{
    const bmf_definition *definition = library_find(t->library, call->name);
    if (!definition)
        return translator_fail_unknown(t, call, scope);
    if (definition->notation && definition->parameters == 0)
        return translator_fail(t, call->word, "%.60s is a constant, not a function", call->name);
    const int takes = definition->parameters;
    const bool fits = call->children == takes || (call->children == 1 && takes > 1) || takes == PARAMETERS_UNKNOWN;
    if (call->children == 0 || call->children > BMF_MAX_LEAVES || (definition->notation && !fits))
        return fail_arguments(t, call, definition);
    bmf_expression *arguments = translate_arguments(t, call, scope);
    return arguments ? core_compose(t->arena, core_name(t->arena, call->word, call->name), arguments) : NULL;
}

static const notation_builtin *builtin_of_call(const notation_node *call)
{
    return call->builtin ? call->builtin : builtin_find(call->name, (int64_t)strlen(call->name));
}

static void *fail_builtin_arguments(notation_translator *t, const notation_node *call, const notation_builtin *builtin)
{
    char takes[32];
    const char *list = call->children == 1 && builtin->role == NOTATION_BINARY
                           ? "; the largest element is reduce(max, xs), the smallest reduce(min, xs)"
                           : "";
    const bool order = strcmp(builtin->name, "max") == 0 || strcmp(builtin->name, "min") == 0;
    snprintf(takes, sizeof takes, builtin->min == builtin->max ? "%d" : "%d or %d", builtin->min, builtin->max);
    return translator_fail(t, call->word, "%s takes %s argument%s, %d given: %s%s", builtin->name, takes,
                           builtin->max == 1 ? "" : "s", call->children, builtin->usage, order ? list : "");
}

static bmf_expression *translate_call(notation_translator *t, const notation_node *call, const notation_pattern *scope)
{
    const notation_builtin *builtin = builtin_of_call(call);
    bmf_expression *local = call->builtin ? NULL : scope_path(t->arena, scope, call->name, call->word);
    if (local)
        return translator_fail(t, call->word, "%.60s is a value here, not a function", call->name);
    if (!builtin)
        return translate_call_of_name(t, call, scope);
    if (call->children < builtin->min || call->children > builtin->max)
        return fail_builtin_arguments(t, call, builtin);
    if (builtin->role > NOTATION_BINARY)
        return translate_skeleton(t, call, scope);
    bmf_expression *arguments = translate_arguments(t, call, scope);
    if (!arguments)
        return NULL;
    return core_compose(t->arena, core_operation(t->arena, call->word, builtin->operation), arguments);
}

/* ---- tuples, lists, elements, ranges, choices ---- */

static bmf_expression *translate_tuple(notation_translator *t, const notation_node *node, const notation_pattern *scope)
{
    bmf_expression *part[BMF_MAX_LEAVES];
    for (int k = 0; k < node->children; k++) {
        part[k] = translate_node(t, node->child[k], scope);
        if (!part[k])
            return NULL;
    }
    return core_tuple(t->arena, node->word, node->children, part);
}

static bmf_expression *translate_all(notation_translator *t, const notation_node *node, bmf_expression_kind kind,
                                     const notation_pattern *scope)
{
    bmf_expression *made = expression_create(t->arena, kind, node->word, node->children);
    for (int k = 0; k < node->children; k++) {
        made->child[k] = translate_node(t, node->child[k], scope);
        if (!made->child[k])
            return NULL;
    }
    return made;
}

/* A form of records, of the value of the node's only child or the tuple of all. */
static bmf_expression *translate_record(notation_translator *t, const notation_node *node, bmf_expression_kind kind,
                                        const notation_pattern *scope)
{
    bmf_expression *value =
        kind == BMF_EXPRESSION_FIELD ? translate_node(t, node->child[0], scope) : translate_tuple(t, node, scope);
    if (!value)
        return NULL;
    bmf_expression *made = expression_create(t->arena, kind, node->word, 0);
    made->name = node->name;
    return core_compose(t->arena, made, value);
}

/* iota (b - a) of {b, a} */
static bmf_expression *count_between(notation_translator *t, bmf_span span, bmf_expression *a, bmf_expression *b)
{
    bmf_expression *both[2] = {b, a};
    bmf_expression *difference = core_compose(t->arena, core_operation(t->arena, span, BMF_OPERATION_MINUS),
                                              core_tuple(t->arena, span, 2, both));
    return core_compose(t->arena, core_operation(t->arena, span, BMF_OPERATION_IOTA), difference);
}

/* a ..< b: map (a +) (iota (b - a)); a is computed once */
static bmf_expression *translate_range(notation_translator *t, const notation_node *node, const notation_pattern *scope)
{
    const bmf_span span = node->word;
    const notation_node *first = node->child[0];
    const bool constant = first->kind == NOTATION_CONSTANT;
    bmf_expression *end[2] = {translate_node(t, first, scope)}, *map;
    end[1] = end[0] ? translate_node(t, node->child[1], scope) : NULL;
    if (!end[1])
        return NULL;
    if (constant && first->constant.kind == BMF_INT && first->constant.integer == 0)
        return core_compose(t->arena, core_operation(t->arena, span, BMF_OPERATION_IOTA), end[1]);
    bmf_expression *add = core_operation(t->arena, span, BMF_OPERATION_PLUS);
    if (constant) {
        bmf_expression *both[2] = {core_identity(t->arena, span), end[0]};
        add = core_compose(t->arena, add, core_tuple(t->arena, span, 2, both));
        map = core_form(t->arena, BMF_EXPRESSION_MAP, span, 1, &add);
        return core_compose(t->arena, map, count_between(t, span, end[0], end[1]));
    }
    bmf_expression *low = core_component(t->arena, span, 1, 2), *high = core_component(t->arena, span, 2, 2);
    bmf_expression *both[2] = {low, count_between(t, span, low, high)};
    bmf_expression *pairs = core_compose(t->arena, core_operation(t->arena, span, BMF_OPERATION_DISTL),
                                         core_tuple(t->arena, span, 2, both));
    map = core_form(t->arena, BMF_EXPRESSION_MAP, span, 1, &add);
    return core_compose(t->arena, core_compose(t->arena, map, pairs), core_tuple(t->arena, span, 2, end));
}

/* ---- let and loops ---- */

/* {what b uses of the environment, what is bound} */
static bmf_expression *translate_let(notation_translator *t, const notation_node *node, const notation_pattern *scope)
{
    notation_names names = {0};
    bmf_expression *part[BMF_MAX_LEAVES];
    scope_captured(scope, node->child[1], node->pattern, &names);
    if (!translator_fits(t, &names, node->word))
        return NULL;
    for (int k = 0; k < names.count; k++)
        part[k] = scope_path(t->arena, scope, names.name[k], node->word);
    part[names.count] = translate_node(t, node->child[0], scope);
    if (!part[names.count])
        return NULL;
    const notation_pattern *inner = scope_extended(t->arena, &names, node->pattern);
    bmf_expression *body = translate_node(t, node->child[1], inner);
    if (!body)
        return NULL;
    scope_bind(t->arena, body, inner);
    bmf_expression *value = names.count == 0 ? part[0] : core_tuple(t->arena, node->word, names.count + 1, part);
    return core_compose(t->arena, body, value);
}

/* The components of a loop's state, which its body leaves alone but for some. */
typedef struct loop_state {
    notation_pattern *pattern;
    int parts;
    bmf_expression *start[BMF_MAX_LEAVES], *next[BMF_MAX_LEAVES];
} loop_state;

static void add_part(notation_translator *t, loop_state *state, bmf_span span, notation_pattern *pattern,
                     bmf_expression *start)
{
    state->pattern->part[state->parts] = pattern;
    state->start[state->parts] = start;
    state->next[state->parts] = core_component(t->arena, span, state->parts + 1, state->pattern->parts);
    state->parts++;
}

/* The counter and, unless it is a number, the limit; the loop's condition. NULL: after a message. */
static bmf_expression *add_counter(notation_translator *t, const notation_node *node, const notation_pattern *scope,
                                   loop_state *state)
{
    const bmf_span span = node->counter->span;
    const bmf_constant zero = {.kind = BMF_INT}, one = {.kind = BMF_INT, .integer = 1};
    bmf_expression *limit = translate_node(t, node->child[1], scope);
    if (!limit)
        return NULL;
    if (node->child[1]->kind != NOTATION_CONSTANT) {
        add_part(t, state, span, notation_pattern_create(t->arena, NULL, span, 0), limit);
        limit = state->next[state->parts - 1];
    }
    add_part(t, state, span, node->counter, core_constant(t->arena, span, zero));
    bmf_expression *counter = state->next[state->parts - 1];
    bmf_expression *more[2] = {counter, core_constant(t->arena, span, one)}, *test[2] = {counter, limit};
    state->next[state->parts - 1] =
        core_compose(t->arena, core_operation(t->arena, span, BMF_OPERATION_PLUS), core_tuple(t->arena, span, 2, more));
    return core_compose(t->arena, core_operation(t->arena, span, BMF_OPERATION_LT),
                        core_tuple(t->arena, span, 2, test));
}

/* The pattern of names as in scope, the counter and the user's. */
static void open_state(notation_translator *t, const notation_node *node, const notation_pattern *scope,
                       const notation_names *names, loop_state *state)
{
    const int counters = node->kind != NOTATION_FOR ? 0 : node->child[1]->kind == NOTATION_CONSTANT ? 1 : 2;
    *state = (loop_state){
        .pattern = notation_pattern_create(t->arena, NULL, node->pattern->span, names->count + counters + 1)};
    for (int k = 0; k < names->count; k++)
        add_part(t, state, node->word, notation_pattern_create(t->arena, names->name[k], node->word, 0),
                 scope_path(t->arena, scope, names->name[k], node->word));
}

static bmf_expression *while_form(notation_translator *t, const notation_node *node, bmf_expression *test,
                                  bmf_expression *next, const notation_pattern *pattern)
{
    bmf_expression *both[2] = {test, next};
    scope_bind(t->arena, test, pattern);
    scope_bind(t->arena, next, pattern);
    return core_form(t->arena, BMF_EXPRESSION_WHILE, node->word, 2, both);
}

/* B_While on {what condition and body use of the environment, limit, counter, state}, or on the state alone. */
static bmf_expression *translate_loop(notation_translator *t, const notation_node *node, const notation_pattern *scope)
{
    const bool counts = node->kind == NOTATION_FOR;
    notation_names names = {0};
    loop_state state;
    bmf_expression *test = NULL;
    const notation_node inside = {
        .kind = NOTATION_TUPLE, .children = counts ? 1 : 2, .child = counts ? node->child + 2 : node->child + 1};
    notation_pattern *own[2] = {node->pattern, node->counter};
    const notation_pattern bound = {.parts = counts ? 2 : 1, .part = own};
    scope_captured(scope, &inside, &bound, &names);
    if (!translator_fits(t, &names, node->word))
        return NULL;
    open_state(t, node, scope, &names, &state);
    if (counts && !(test = add_counter(t, node, scope, &state)))
        return NULL;
    bmf_expression *start = translate_node(t, node->child[0], scope);
    if (!start)
        return NULL;
    add_part(t, &state, node->word, node->pattern, start);
    const notation_pattern *inner = state.parts == 1 ? node->pattern : state.pattern;
    if (!counts && !(test = translate_node(t, node->child[1], inner)))
        return NULL;
    bmf_expression *last = state.next[state.parts - 1];
    state.next[state.parts - 1] = translate_node(t, node->child[2], inner);
    if (!state.next[state.parts - 1])
        return NULL;
    if (state.parts == 1)
        return core_compose(t->arena, while_form(t, node, test, state.next[0], inner), start);
    bmf_expression *loop = while_form(t, node, test, core_tuple(t->arena, node->word, state.parts, state.next), inner);
    return core_compose(t->arena, core_compose(t->arena, last, loop),
                        core_tuple(t->arena, node->word, state.parts, state.start));
}

/* ---- everything ---- */

static bmf_expression *translate_kind(notation_translator *t, const notation_node *node, const notation_pattern *scope)
{
    switch (node->kind) {
    case NOTATION_CONSTANT:
        return core_constant(t->arena, node->span, node->constant);
    case NOTATION_PROCS:
        return translator_fail(t, node->span, "procs stands in split and cut only: split(procs, xs)");
    case NOTATION_NAME:
        return translate_name(t, node, scope);
    case NOTATION_CALL:
        return translate_call(t, node, scope);
    case NOTATION_TUPLE:
        return translate_tuple(t, node, scope);
    case NOTATION_RECORD:
        return translate_record(t, node, BMF_EXPRESSION_RECORD, scope);
    case NOTATION_FIELD:
        return translate_record(t, node, BMF_EXPRESSION_FIELD, scope);
    case NOTATION_UPDATE:
        return translate_record(t, node, BMF_EXPRESSION_WITH, scope);
    case NOTATION_LIST:
        return translate_all(t, node, BMF_EXPRESSION_ALLVEC, scope);
    case NOTATION_INDEX:
        return translate_indices(t, node, scope);
    case NOTATION_RANGE:
        return translate_range(t, node, scope);
    case NOTATION_IF:
        return translate_all(t, node, BMF_EXPRESSION_IF, scope);
    case NOTATION_LET:
        return translate_let(t, node, scope);
    case NOTATION_WHILE:
    case NOTATION_FOR:
        return translate_loop(t, node, scope);
    default:
        return translator_fail(t, node->span,
                               "a function is no value; it stands as the first argument of map, filter, reduce, ..");
    }
}

bmf_expression *translate_node(notation_translator *t, const notation_node *node, const notation_pattern *scope)
{
    bmf_expression *made = translate_kind(t, node, scope);
    if (made && made->kind == BMF_EXPRESSION_COMP)
        made->span = node->span;
    return made;
}

static bool goes_on(const notation_translator *t)
{
    return t->status == BMF_OK || t->texts->failures;
}

/* NULL: an error, here or in its parsing. */
static bmf_expression *translate_definition(notation_translator *t, const notation_definition *definition)
{
    static const notation_pattern nothing = {.span = {.text = -1}};
    if (!definition->body)
        return NULL;
    bmf_expression *body = translate_node(t, definition->body, definition->pattern ? definition->pattern : &nothing);
    if (body && definition->pattern)
        scope_bind(t->arena, body, definition->pattern);
    return body;
}

int notation_translate(bmf_context *ctx, const bmf_texts *texts, bmf_expressions *arena, bmf_library *library,
                       const notation_text *parsed, bmf_parsed *program)
{
    notation_translator t = {.ctx = ctx, .texts = texts, .arena = arena, .library = library};
    for (int k = 0; k < parsed->count && goes_on(&t); k++) {
        const bmf_definition *definition = library_find(library, parsed->definition[k].name);
        library->definition[definition - library->definition].expression =
            translate_definition(&t, &parsed->definition[k]);
    }
    if (!goes_on(&t) || !parsed->has_main)
        return t.status;
    *program = (bmf_parsed){.expression = translate_definition(&t, &parsed->main),
                            .has_data = parsed->has_data,
                            .is_constant = parsed->main.parameters == 0,
                            .data = parsed->data,
                            .parameters = parsed->main.parameters,
                            .declared = parsed->main.declared};
    return t.status;
}
