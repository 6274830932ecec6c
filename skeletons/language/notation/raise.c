/* From the core to the notation: the table of the translation, read from right to left.
 *
 * Method: the links of a composition are applied one after the other to a view: either names, which a pattern has given
 * to the value and its components, or an expression. What needs its argument more than once, or in components, binds an
 * expression to names by let; as its body sees no other names, that is a composition again.
 * Cost: O(nodes). */
#include "skeletons/language/notation/print.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/array.h"
#include "skeletons/language/forms/stencil.h"
#include "skeletons/language/front/fields.h"
#include "skeletons/language/notation/core.h"
#include "skeletons/language/notation/demand.h"
#include "skeletons/language/notation/edges.h"

typedef struct view {
    const notation_pattern *names; /* of the value; or NULL: */
    notation_node *node;           /* the value */
    bool component;                /* the names are those of a component, taken by the link before */
} view;

typedef struct links {
    const bmf_expression **link; /* what is applied first stands first */
    int count, capacity;
} links;

static const bmf_span nowhere = {.text = -1};

static notation_node *apply(notation_naming *naming, const bmf_expression *expression, view x);
static notation_node *apply_links(notation_naming *naming, const links *all, int from, view x);

/* ---- nodes ---- */

static notation_node *node_of(notation_naming *naming, notation_kind kind, int children, notation_node *const *child)
{
    notation_node *node = notation_create(naming->arena, kind, nowhere, children);
    for (int k = 0; k < children; k++)
        node->child[k] = child[k];
    return node;
}

static notation_node *name_node(notation_naming *naming, const char *name)
{
    notation_node *node = node_of(naming, NOTATION_NAME, 0, NULL);
    node->name = name;
    return node;
}

static notation_node *call_node(notation_naming *naming, const notation_builtin *builtin, const char *name,
                                int children, notation_node *const *child)
{
    notation_node *node = node_of(naming, NOTATION_CALL, children, child);
    node->builtin = builtin;
    node->name = builtin ? builtin->name : name;
    return node;
}

/* The value of a pattern. */
static notation_node *pattern_node(notation_naming *naming, const notation_pattern *pattern)
{
    notation_node *part[BMF_MAX_LEAVES];
    if (pattern->parts == 0)
        return name_node(naming, pattern->name);
    for (int k = 0; k < pattern->parts; k++)
        part[k] = pattern_node(naming, pattern->part[k]);
    return node_of(naming, NOTATION_TUPLE, pattern->parts, part);
}

static notation_node *view_node(notation_naming *naming, view x)
{
    return x.names ? pattern_node(naming, x.names) : x.node;
}

/* A call whose list is one of its own goes into a pipeline. */
static notation_node *list_call(notation_naming *naming, const notation_builtin *builtin, int children,
                                notation_node *const *child)
{
    notation_node *node = call_node(naming, builtin, NULL, children, child);
    const notation_node *argument = child[children - 1];
    node->piped =
        argument->kind == NOTATION_CALL && (!argument->builtin || argument->builtin->level == NOTATION_LEVEL_NONE);
    return node;
}

const char *notation_own_name(bmf_expressions *arena, const char *name)
{
    char text[280];
    const int64_t size = (int64_t)strlen(name);
    const bool core = size > 1 && strchr("BbPp", name[0]) && name[1] == '_';
    const bool taken = builtin_find(name, size) || notation_is_reserved(name, size);
    if (!core && !taken && !isdigit((unsigned char)name[0]))
        return name;
    snprintf(text, sizeof text, taken ? "%.200s_" : "_%.200s", name);
    return expressions_text(arena, text, (int64_t)strlen(text));
}

/* ---- views ---- */

/* The components of a tuple of so many that are at hand; false: it must be bound first. */
static bool is_tuple(notation_naming *naming, view x, int parts, notation_node *part[BMF_MAX_LEAVES])
{
    if (x.names && x.names->parts == parts) {
        for (int k = 0; k < parts; k++)
            part[k] = pattern_node(naming, x.names->part[k]);
        return true;
    }
    if (x.names || x.node->kind != NOTATION_TUPLE || x.node->children != parts)
        return false;
    memcpy(part, x.node->child, (size_t)parts * sizeof *part);
    return true;
}

/* let pattern = value in what the links make of it */
static notation_node *bind(notation_naming *naming, const links *all, int from, view x)
{
    links rest = {all->link + from, all->count - from, 0};
    bmf_expression *chain = expression_create(naming->arena, BMF_EXPRESSION_COMP, nowhere, rest.count);
    for (int k = 0; k < rest.count; k++)
        chain->child[rest.count - 1 - k] = (bmf_expression *)rest.link[k];
    notation_pattern *pattern = demand_pattern(naming, chain);
    notation_node *child[2] = {view_node(naming, x), apply_links(naming, all, from, (view){pattern, NULL, false})};
    notation_node *let = node_of(naming, NOTATION_LET, 2, child);
    let->pattern = pattern;
    return let;
}

/* ---- functions ---- */

/* pattern -> body */
static notation_node *written_node(notation_naming *naming, const bmf_expression *expression)
{
    notation_pattern *pattern = demand_pattern(naming, expression);
    notation_node *body = apply(naming, expression, (view){pattern, NULL, false});
    notation_node *function = node_of(naming, NOTATION_FUNCTION, 1, &body);
    function->pattern = pattern;
    return function;
}

static notation_node *function_node(notation_naming *naming, const bmf_expression *expression)
{
    if (expression->kind == BMF_EXPRESSION_NAME)
        return name_node(naming, notation_own_name(naming->arena, expression->name));
    if (expression->kind == BMF_EXPRESSION_OP) {
        const notation_builtin *builtin = builtin_of_operation(expression->operation);
        const bool minus = expression->operation == BMF_OPERATION_UMINUS;
        if (builtin && !minus && builtin->level == NOTATION_LEVEL_NONE)
            return name_node(naming, builtin->name);
        if (builtin && !minus) {
            notation_node *node = node_of(naming, NOTATION_OPERATOR, 0, NULL);
            node->builtin = builtin;
            node->name = builtin->name;
            return node;
        }
    }
    return written_node(naming, expression);
}

/* A default is the same without its list. */
static bool is_constant(const bmf_expression *expression)
{
    if (expression->kind == BMF_EXPRESSION_COMP)
        return expression->child[0]->kind == BMF_EXPRESSION_RECORD && expression->children == 2 &&
               is_constant(expression->child[1]);
    bool all = expression->kind == BMF_EXPRESSION_CON || expression->kind == BMF_EXPRESSION_ALLTUP ||
               expression->kind == BMF_EXPRESSION_ALLVEC;
    for (int k = 0; k < expression->children && all; k++)
        all = is_constant(expression->child[k]);
    return all;
}

static notation_node *default_node(notation_naming *naming, const bmf_expression *expression)
{
    static const notation_pattern nothing = {.span = {.text = -1}};
    return is_constant(expression) ? apply(naming, expression, (view){&nothing, NULL, false})
                                   : written_node(naming, expression);
}

/* ---- links ---- */

static notation_node *count_node(notation_naming *naming, int64_t number, bool processors)
{
    notation_node *node = node_of(naming, processors ? NOTATION_PROCS : NOTATION_CONSTANT, 0, NULL);
    node->constant = (bmf_constant){.kind = BMF_INT, .integer = number};
    return node;
}

static notation_node *apply_split(notation_naming *naming, const bmf_expression *split, view x)
{
    notation_node *argument[3];
    int count = 0;
    argument[count++] = count_node(naming, split->number[0], split->processors[0]);
    if (split->parallel && (split->number[1] != 0 || split->processors[1]))
        argument[count++] = count_node(naming, split->number[1], split->processors[1]);
    argument[count++] = view_node(naming, x);
    return list_call(naming, builtin_of_form(BMF_EXPRESSION_SPLIT, split->parallel), count, argument);
}

/* {r, c} */
static notation_node *grid_node(notation_naming *naming, const bmf_expression *form)
{
    notation_node *number[BMF_NUMBERS];
    for (int d = 0; d < form->numbers; d++)
        number[d] =
            form->number[d] == 0 ? name_node(naming, "_") : count_node(naming, form->number[d], form->processors[d]);
    return node_of(naming, NOTATION_TUPLE, form->numbers, number);
}

static notation_node *apply_blocks(notation_naming *naming, const bmf_expression *form, view x)
{
    const bool joins = form->kind == BMF_EXPRESSION_JOIN;
    notation_node *argument[2];
    int count = 0;
    if (form->numbers > 0)
        argument[count++] = grid_node(naming, form);
    argument[count++] = view_node(naming, x);
    return list_call(naming, builtin_of_form(joins ? form->kind : BMF_EXPRESSION_SPLIT, form->parallel), count,
                     argument);
}

static notation_node *apply_shift(notation_naming *naming, const bmf_expression *shift, view x)
{
    notation_node *argument[3];
    int count = 0;
    argument[count++] = count_node(naming, shift->number[0], false);
    if (shift->children > 0)
        argument[count++] = default_node(naming, shift->child[0]);
    argument[count++] = view_node(naming, x);
    return list_call(naming, builtin_of_form(shift->kind, false), count, argument);
}

/* r, {r, c} or {p, r, c} */
static notation_node *reach_node(notation_naming *naming, const bmf_expression *stencil)
{
    const int dimensions = stencil_dimensions(stencil);
    notation_node *reach[BMF_NUMBERS];
    for (int d = 0; d < dimensions; d++)
        reach[d] = count_node(naming, stencil->number[d], false);
    return dimensions > 1 ? node_of(naming, NOTATION_TUPLE, dimensions, reach) : reach[0];
}

static notation_node *edge_node(notation_naming *naming, const bmf_expression *edge)
{
    return edge->kind == BMF_EXPRESSION_RING ? name_node(naming, notation_ring) : default_node(naming, edge);
}

/* One for all, or a record of them. */
static notation_node *edges_node(notation_naming *naming, const bmf_expression *stencil)
{
    notation_node *edge[BMF_STENCIL_OPERANDS];
    const int edges = stencil->children - 1;
    for (int k = 0; k < edges; k++)
        edge[k] = edge_node(naming, stencil->child[1 + k]);
    if (edges == 1)
        return edge[0];
    notation_node *node = node_of(naming, NOTATION_RECORD, edges, edge);
    node->name = edge_fields(stencil_dimensions(stencil));
    return node;
}

static notation_node *apply_stencil(notation_naming *naming, const bmf_expression *stencil, view x)
{
    notation_node *argument[4];
    int count = 0;
    argument[count++] = reach_node(naming, stencil);
    argument[count++] = function_node(naming, stencil->child[0]);
    if (stencil->children > 1)
        argument[count++] = edges_node(naming, stencil);
    argument[count++] = view_node(naming, x);
    return list_call(naming, builtin_of_form(stencil->kind, false), count, argument);
}

/* Forms on one list: map, filter, reduce, scan. */
static notation_node *apply_form(notation_naming *naming, const bmf_expression *form, view x)
{
    notation_node *argument[3] = {function_node(naming, form->child[0])};
    int count = 1;
    if (form->children == 2)
        argument[count++] = default_node(naming, form->child[1]);
    argument[count++] = view_node(naming, x);
    return list_call(naming, builtin_of_form(form->kind, false), count, argument);
}

static notation_node *apply_loop(notation_naming *naming, const bmf_expression *loop, view x)
{
    notation_pattern *pattern = demand_both(naming, loop->child[0], loop->child[1]);
    const view state = {pattern, NULL, false};
    notation_node *child[3] = {view_node(naming, x), apply(naming, loop->child[0], state),
                               apply(naming, loop->child[1], state)};
    notation_node *node = node_of(naming, NOTATION_WHILE, 3, child);
    node->pattern = pattern;
    return node;
}

static notation_node *apply_children(notation_naming *naming, const bmf_expression *expression, notation_kind kind,
                                     view x)
{
    notation_node *node = notation_create(naming->arena, kind, nowhere, expression->children);
    for (int k = 0; k < expression->children; k++)
        node->child[k] = apply(naming, expression->child[k], x);
    return node;
}

static notation_node *apply_zip(notation_naming *naming, const bmf_expression *zip, notation_node *part[2])
{
    notation_node *argument[3];
    int count = 0;
    if (zip->children > 0)
        argument[count++] = function_node(naming, zip->child[0]);
    argument[count++] = part[0];
    argument[count++] = part[1];
    return call_node(naming, builtin_of_form(BMF_EXPRESSION_ZIP, false), NULL, count, argument);
}

static notation_node *apply_by_key(notation_naming *naming, const bmf_expression *form, notation_node *part[2])
{
    notation_node *argument[4] = {function_node(naming, form->child[0]), default_node(naming, form->child[1]), part[0],
                                  part[1]};
    return list_call(naming, builtin_of_form(form->kind, false), 4, argument);
}

/* Parameters that the definition of a name has; 1: also if it is not known. */
static int parameters_of(const notation_naming *naming, const char *name)
{
    const bmf_definition *definition = naming->library ? library_find(naming->library, name) : NULL;
    notation_naming scratch = {.arena = naming->arena};
    if (!definition || !definition->expression)
        return 1;
    if (definition->notation)
        return definition->parameters;
    const notation_pattern *pattern = demand_pattern(&scratch, definition->expression);
    return pattern->parts > 1 ? pattern->parts : 1;
}

static notation_node *apply_name(notation_naming *naming, const bmf_expression *name, view x)
{
    notation_node *argument = view_node(naming, x);
    const char *own = notation_own_name(naming->arena, name->name);
    if (argument->kind == NOTATION_TUPLE && argument->children == parameters_of(naming, name->name) &&
        argument->children > 1)
        return call_node(naming, NULL, own, argument->children, argument->child);
    return call_node(naming, NULL, own, 1, &argument);
}

/* The pattern of an item that a map can hand on as it is: a name, or names side by side; NULL: it is something else. */
static notation_pattern *item_pattern(notation_naming *naming, const notation_node *item)
{
    if (item->kind == NOTATION_NAME)
        return notation_pattern_create(naming->arena, item->name, nowhere, 0);
    if (item->kind != NOTATION_TUPLE || item->children < 2)
        return NULL;
    notation_pattern *pattern = notation_pattern_create(naming->arena, NULL, nowhere, item->children);
    for (int k = 0; k < item->children; k++) {
        if (item->child[k]->kind != NOTATION_NAME)
            return NULL;
        pattern->part[k] = notation_pattern_create(naming->arena, item->child[k]->name, nowhere, 0);
    }
    return pattern;
}

static bool uses_all(const notation_node *body, const notation_pattern *pattern)
{
    bool all = !pattern->name || notation_uses(body, pattern->name);
    for (int k = 0; k < pattern->parts && all; k++)
        all = uses_all(body, pattern->part[k]);
    return all;
}

/* The body of the map's function of {item, element}, if it uses all of the item; or NULL. */
static notation_node *fused_body(notation_naming *naming, const bmf_expression *map, notation_pattern *both)
{
    const int names = naming->count;
    const notation_pattern *pattern = demand_pattern(naming, map->child[0]);
    const bool identity = core_normal(naming->arena, map->child[0])->kind == BMF_EXPRESSION_ID; /* is left out */
    if (pattern->parts == 2 && !identity) {
        both->part[1] = pattern->part[1];
        notation_node *body = apply(naming, map->child[0], (view){both, NULL, false});
        if (uses_all(body, both->part[0]))
            return body;
    }
    naming->count = names;
    return NULL;
}

/* map(x -> {u, x}, xs): what B_Op (B_Distl) is of {u, xs}; with a map behind it, the map of both if its function uses
 * u. NULL: the pair must be bound first. *used: links. */
static notation_node *apply_distl(notation_naming *naming, const bmf_expression *next, view x, int *used)
{
    notation_node *part[BMF_MAX_LEAVES];
    notation_pattern *item = is_tuple(naming, x, 2, part) ? item_pattern(naming, part[0]) : NULL;
    if (!item || (item->parts > 0 && !x.names)) /* {b, a} and {a, a} are not what a map hands on */
        return NULL;
    notation_pattern *both = notation_pattern_create(naming->arena, NULL, nowhere, 2);
    both->part[0] = item;
    notation_node *body = next && next->kind == BMF_EXPRESSION_MAP ? fused_body(naming, next, both) : NULL;
    *used = body ? 2 : 1;
    if (!body) {
        both->part[1] = notation_pattern_create(naming->arena, demand_name(naming, false), nowhere, 0);
        body = pattern_node(naming, both);
    }
    notation_node *argument[2] = {node_of(naming, NOTATION_FUNCTION, 1, &body), part[1]};
    argument[0]->pattern = both->part[1];
    return list_call(naming, builtin_of_form(BMF_EXPRESSION_MAP, false), 2, argument);
}

static notation_node *apply_binary(notation_naming *naming, const bmf_expression *operation, notation_node *part[2])
{
    if (operation->operation == BMF_OPERATION_INDEX)
        return node_of(naming, NOTATION_INDEX, 2, part);
    if (operation->operation == BMF_OPERATION_SLICE) {
        notation_node *range[2] = {part[0], node_of(naming, NOTATION_RANGE, 2, part + 1)};
        return node_of(naming, NOTATION_INDEX, 2, range);
    }
    return call_node(naming, builtin_of_operation(operation->operation), NULL, 2, part);
}

static notation_node *apply_unary(notation_naming *naming, const bmf_expression *operation, view x)
{
    notation_node *argument = view_node(naming, x);
    return call_node(naming, builtin_of_operation(operation->operation), NULL, 1, &argument);
}

/* How many components a link takes its argument apart into; 1: it takes it as it is. */
static int parts_taken(const bmf_expression *link)
{
    if (link->kind == BMF_EXPRESSION_ZIP || link->kind == BMF_EXPRESSION_REDUCE_BY_KEY)
        return 2;
    if (link->kind != BMF_EXPRESSION_OP)
        return 1;
    if (link->operation == BMF_OPERATION_SLICE)
        return 3;
    const notation_builtin *builtin = builtin_of_operation(link->operation);
    const bool pair = link->operation == BMF_OPERATION_INDEX || link->operation == BMF_OPERATION_DISTL ||
                      (builtin && builtin->role == NOTATION_BINARY);
    return pair ? 2 : 1;
}

/* A link that takes its argument's components, or uses it in several places. */
static bool takes_names(const bmf_expression *link)
{
    return link->kind == BMF_EXPRESSION_ADDR || link->kind == BMF_EXPRESSION_ALLTUP ||
           link->kind == BMF_EXPRESSION_ALLVEC || link->kind == BMF_EXPRESSION_IF || link->kind == BMF_EXPRESSION_CON;
}

static view apply_named(notation_naming *naming, const bmf_expression *link, view x)
{
    notation_node *node;
    switch (link->kind) {
    case BMF_EXPRESSION_ADDR:
        return (view){x.names->part[link->number[0] - 1], NULL, true};
    case BMF_EXPRESSION_CON:
        node = node_of(naming, NOTATION_CONSTANT, 0, NULL);
        node->constant = link->constant;
        return (view){NULL, node, false};
    case BMF_EXPRESSION_IF:
        return (view){NULL, apply_children(naming, link, NOTATION_IF, x), false};
    default:
        return (view){
            NULL, apply_children(naming, link, link->kind == BMF_EXPRESSION_ALLTUP ? NOTATION_TUPLE : NOTATION_LIST, x),
            false};
    }
}

static notation_node *apply_field(notation_naming *naming, const bmf_expression *field, view x)
{
    notation_node *record = view_node(naming, x), *node = node_of(naming, NOTATION_FIELD, 1, &record);
    node->name = field->name;
    return node;
}

/* {x: a, y: b}, or {r with x: a}; NULL: the tuple must be bound first. */
static notation_node *apply_record(notation_naming *naming, const bmf_expression *record, view x)
{
    const bool updates = record->kind == BMF_EXPRESSION_WITH;
    const int parts = fields_count(record->name) + updates;
    notation_node *part[BMF_MAX_LEAVES];
    if (!is_tuple(naming, x, parts, part))
        return NULL;
    notation_node *node = node_of(naming, updates ? NOTATION_UPDATE : NOTATION_RECORD, parts, part);
    node->name = record->name;
    return node;
}

static notation_node *apply_other(notation_naming *naming, const bmf_expression *link, view x)
{
    switch (link->kind) {
    case BMF_EXPRESSION_NAME:
        return apply_name(naming, link, x);
    case BMF_EXPRESSION_WHILE:
        return apply_loop(naming, link, x);
    case BMF_EXPRESSION_SPLIT:
        return apply_split(naming, link, x);
    case BMF_EXPRESSION_BLOCKS:
    case BMF_EXPRESSION_JOIN:
        return apply_blocks(naming, link, x);
    case BMF_EXPRESSION_SHIFT:
        return apply_shift(naming, link, x);
    case BMF_EXPRESSION_STENCIL:
        return apply_stencil(naming, link, x);
    case BMF_EXPRESSION_OP:
        return apply_unary(naming, link, x);
    case BMF_EXPRESSION_FIELD:
        return apply_field(naming, link, x);
    default:
        return apply_form(naming, link, x);
    }
}

/* The value of links from..: NULL if the next one needs names, and x has none for it. *used: links. */
static bool apply_link(notation_naming *naming, const links *all, int at, view *x, int *used)
{
    const bmf_expression *link = all->link[at];
    notation_node *part[BMF_MAX_LEAVES], *made;
    *used = 1;
    if (link->kind == BMF_EXPRESSION_ID)
        return true;
    if (takes_names(link)) {
        const bool component = link->kind == BMF_EXPRESSION_ADDR;
        const bool fits = x->names && (component ? x->names->parts == link->number[1] : !x->component);
        if (fits)
            *x = apply_named(naming, link, *x);
        return fits;
    }
    if (link->kind == BMF_EXPRESSION_OP && link->operation == BMF_OPERATION_DISTL)
        made = apply_distl(naming, at + 1 < all->count ? all->link[at + 1] : NULL, *x, used);
    else if (link->kind == BMF_EXPRESSION_RECORD || link->kind == BMF_EXPRESSION_WITH)
        made = apply_record(naming, link, *x);
    else if (parts_taken(link) == 1)
        made = apply_other(naming, link, *x);
    else if (!is_tuple(naming, *x, parts_taken(link), part))
        made = NULL;
    else if (link->kind == BMF_EXPRESSION_OP)
        made = apply_binary(naming, link, part);
    else
        made = link->kind == BMF_EXPRESSION_ZIP ? apply_zip(naming, link, part) : apply_by_key(naming, link, part);
    if (made)
        *x = (view){NULL, made, false};
    return made;
}

static notation_node *apply_links(notation_naming *naming, const links *all, int from, view x)
{
    int used = 1;
    for (int at = from; at < all->count; at += used)
        if (!apply_link(naming, all, at, &x, &used))
            return bind(naming, all, at, x);
    return view_node(naming, x);
}

static void collect(links *all, const bmf_expression *expression)
{
    if (expression->kind != BMF_EXPRESSION_COMP) {
        *ARRAY_APPEND(all->link, all->count, all->capacity) = expression;
        return;
    }
    for (int k = expression->children - 1; k >= 0; k--)
        collect(all, expression->child[k]);
}

static notation_node *apply(notation_naming *naming, const bmf_expression *expression, view x)
{
    links all = {NULL, 0, 0};
    collect(&all, expression);
    notation_node *node = apply_links(naming, &all, 0, x);
    free(all.link);
    return node;
}

void notation_raise(bmf_expressions *arena, const bmf_library *library, const char *name,
                    const bmf_expression *expression, notation_definition *made)
{
    notation_naming naming = {.arena = arena, .library = library};
    *made = (notation_definition){.name = name, .parameters = 1};
    made->pattern = demand_pattern(&naming, expression);
    if (made->pattern->parts == 0 && !made->pattern->name)
        made->pattern->name = demand_name(&naming, false);
    made->body = apply(&naming, expression, (view){made->pattern, NULL, false});
    if (made->pattern->parts > 1)
        made->parameters = made->pattern->parts;
}
