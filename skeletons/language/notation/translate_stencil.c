/* Stencils of the notation: how far they reach, their function, and what is beyond their edges.
 *
 * stencil({r, c}, f, edges, rows) is B_Stencil (B_Num r) (B_Num c) (f) (edge) .. of the rows. Edges are one default for
 * all, or a record that has one for each, {above: 0.0, below: u -> u, left: ring, right: ring}. What f and edges use
 * from outside is handed to them with the rows: they take {captured, window} and {captured, point}. */
#include <string.h>

#include "skeletons/language/forms/stencil.h"
#include "skeletons/language/front/fields.h"
#include "skeletons/language/notation/edges.h"
#include "skeletons/language/notation/translator.h"

/* r, {r, c} or {p, r, c}. */
static bool translate_reaches(notation_translator *t, const notation_node *call, int64_t number[BMF_NUMBERS])
{
    const notation_node *reach = call->child[0];
    const bool several = reach->kind == NOTATION_TUPLE && reach->children >= 2 && reach->children <= BMF_NUMBERS;
    for (int d = 0; d < (several ? reach->children : 1); d++) {
        const notation_node *part = several ? reach->child[d] : reach;
        if (!translate_places(t, part, call, &number[d]))
            return false;
        if (d > 0 && number[d] < 1)
            return translator_fail(t, part->span, "stencil reaches 1 or more points to each side, found %lld",
                                   (long long)number[d]);
    }
    return true;
}

/* ---- edges ---- */

static bool is_ring(const notation_node *edge)
{
    return edge->kind == NOTATION_NAME && strcmp(edge->name, notation_ring) == 0;
}

/* The edges, in the order of the core: one for all, or of a record each; 0: after a message. */
static int find_edges(notation_translator *t, const notation_node *call, int dimensions,
                      const notation_node *edge[BMF_STENCIL_OPERANDS])
{
    const notation_node *written = call->child[2];
    const int edges = 2 * dimensions;
    edge[0] = written;
    if (written->kind != NOTATION_RECORD || !edges_are_named(written->name))
        return 1;
    for (int k = 0; k < edges; k++) {
        const int place =
            field_find(written->name, edge_name(dimensions, k), (int64_t)strlen(edge_name(dimensions, k)));
        if (place < 0) {
            translator_fail(t, written->span, "a stencil in %d dimension%s has the edges %s; %s is missing", dimensions,
                            dimensions == 1 ? "" : "s", edge_names(dimensions), edge_name(dimensions, k));
            return 0;
        }
        edge[k] = written->child[place];
    }
    if (written->children > edges) {
        translator_fail(t, written->span, "a stencil in %d dimension%s has the edges %s only", dimensions,
                        dimensions == 1 ? "" : "s", edge_names(dimensions));
        return 0;
    }
    for (int k = 0; k < edges; k += 2)
        if (is_ring(edge[k]) != is_ring(edge[k + 1])) {
            translator_fail(t, edge[is_ring(edge[k]) ? k : k + 1]->span,
                            "a ring has no ends: %s and %s are both ring, or neither", edge_name(dimensions, k),
                            edge_name(dimensions, k + 1));
            return 0;
        }
    return edges;
}

/* A constant, a function of the point, or a ring. */
static bmf_expression *translate_edge(notation_translator *t, const notation_node *edge, const notation_node *call,
                                      const notation_pattern *scope, const notation_names *names)
{
    static const notation_pattern nothing = {.span = {.text = -1}};
    const bmf_definition *definition = edge->kind == NOTATION_NAME ? library_find(t->library, edge->name) : NULL;
    if (is_ring(edge))
        return expression_create(t->arena, BMF_EXPRESSION_RING, edge->span, 0);
    if (edge->kind == NOTATION_FUNCTION)
        return translate_inside(t, names, edge->pattern, edge->child[0]);
    if (definition && (!definition->notation || definition->parameters > 0) &&
        !scope_path(t->arena, scope, edge->name, edge->span)) {
        bmf_expression *function = translate_function(t, edge, call, scope).expression;
        return function && names->count > 0
                   ? core_compose(t->arena, function, core_component(t->arena, edge->span, 2, 2))
                   : function;
    }
    notation_names used = {0};
    scope_captured(scope, edge, NULL, &used);
    return used.count > 0 ? translate_inside(t, names, notation_pattern_create(t->arena, NULL, edge->span, 0), edge)
                          : translate_node(t, edge, &nothing);
}

/* ---- the call ---- */

/* What the function and the edges use from outside. */
static bool find_captured(notation_translator *t, const notation_node *call, const notation_pattern *scope,
                          const notation_node *const *edge, int edges, notation_applied *f)
{
    const notation_node *function = call->child[1];
    notation_names *names = &f->captured;
    if (function->kind == NOTATION_FUNCTION)
        scope_captured(scope, function, NULL, names);
    for (int k = 0; k < edges; k++) {
        if (is_ring(edge[k]) &&
            (scope_path(t->arena, scope, notation_ring, edge[k]->span) || library_find(t->library, notation_ring)))
            return translator_fail(t, edge[k]->span,
                                   "ring is an edge that is none; give what you call so another name");
        if (!is_ring(edge[k]))
            scope_captured(scope, edge[k], NULL, names);
    }
    if (!translator_fits(t, names, call->word))
        return false;
    f->use = (bmf_span){.text = -1};
    for (int k = -1; k < edges && f->use.text < 0 && names->count > 0; k++)
        f->use = translator_use(k < 0 ? function : edge[k], names->name[0]);
    return true;
}

static bmf_expression *translate_windows(notation_translator *t, const notation_node *call,
                                         const notation_pattern *scope, const notation_names *names)
{
    const notation_node *function = call->child[1];
    if (function->kind == NOTATION_FUNCTION)
        return translate_inside(t, names, function->pattern, function->child[0]);
    bmf_expression *made = translate_function(t, function, call, scope).expression;
    return made && names->count > 0 ? core_compose(t->arena, made, core_component(t->arena, function->span, 2, 2))
                                    : made;
}

bmf_expression *translate_stencil(notation_translator *t, const notation_node *call, const notation_pattern *scope)
{
    int64_t number[BMF_NUMBERS] = {0};
    const notation_node *edge[BMF_STENCIL_OPERANDS];
    notation_applied f = {0};
    if (!translate_reaches(t, call, number))
        return NULL;
    const int dimensions = number[2] > 0 ? 3 : number[1] > 0 ? 2 : 1;
    const int edges = call->children > 3 ? find_edges(t, call, dimensions, edge) : 0;
    if ((call->children > 3 && edges == 0) || !find_captured(t, call, scope, edge, edges, &f))
        return NULL;
    bmf_expression *stencil = expression_create(t->arena, BMF_EXPRESSION_STENCIL, call->word, 1 + edges);
    memcpy(stencil->number, number, sizeof number);
    if (!(stencil->child[0] = translate_windows(t, call, scope, &f.captured)))
        return NULL;
    for (int k = 0; k < edges; k++)
        if (!(stencil->child[1 + k] = translate_edge(t, edge[k], call, scope, &f.captured)))
            return NULL;
    bmf_expression *list = translate_node(t, call->child[call->children - 1], scope);
    return list ? translate_applied(t, stencil, &f, scope, list) : NULL;
}
