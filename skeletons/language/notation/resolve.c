/* From a place to the name that stands there and what binds it.
 *
 * Method: a walk down the tree to the innermost node that covers the place, with the patterns around it.
 * Cost: O(depth * names in scope). */
#include "skeletons/language/notation/resolve.h"

#include <string.h>

typedef struct scopes scopes;
struct scopes {
    const notation_pattern *pattern;
    const scopes *outer;
};

static bool covers(bmf_span span, int64_t at)
{
    return span.begin <= at && at < span.end;
}

/* The part of a pattern that binds the name. */
static const notation_pattern *part_of_name(const notation_pattern *pattern, const char *name)
{
    if (pattern->name)
        return strcmp(pattern->name, name) == 0 ? pattern : NULL;
    for (int k = 0; k < pattern->parts; k++) {
        const notation_pattern *found = part_of_name(pattern->part[k], name);
        if (found)
            return found;
    }
    return NULL;
}

static const notation_pattern *binding_of(const scopes *scope, const char *name)
{
    const notation_pattern *found = NULL;
    for (; scope && !found; scope = scope->outer)
        found = scope->pattern ? part_of_name(scope->pattern, name) : NULL;
    return found;
}

static bool find_in_pattern(const notation_pattern *pattern, int64_t at, notation_place *place)
{
    if (pattern->name && covers(pattern->span, at)) {
        place->bound = pattern;
        place->name = pattern->name;
        place->span = pattern->span;
        return true;
    }
    for (int k = 0; k < pattern->parts; k++)
        if (find_in_pattern(pattern->part[k], at, place))
            return true;
    return false;
}

static bool found_node(const notation_node *node, const scopes *scope, notation_place *place)
{
    place->node = node;
    place->span = node->word;
    if (node->kind == NOTATION_NAME || (node->kind == NOTATION_CALL && node->name)) {
        place->name = node->name;
        place->bound = binding_of(scope, node->name);
    }
    return true;
}

/* Children from this one on see what the node binds. */
static int first_inside(const notation_node *node)
{
    switch (node->kind) {
    case NOTATION_LET:
    case NOTATION_WHILE:
        return 1;
    case NOTATION_FOR:
        return 2;
    case NOTATION_FUNCTION:
        return 0;
    default:
        return node->children;
    }
}

static bool find_in_node(const notation_node *node, const scopes *scope, int64_t at, notation_place *place)
{
    if (!covers(node->span, at) && !covers(node->word, at))
        return false;
    const scopes counter = {node->counter, scope}, own = {node->pattern, &counter};
    if ((node->pattern && find_in_pattern(node->pattern, at, place)) ||
        (node->counter && find_in_pattern(node->counter, at, place)))
        return true;
    for (int k = 0; k < node->children; k++)
        if (find_in_node(node->child[k], k >= first_inside(node) ? &own : scope, at, place))
            return true;
    return found_node(node, scope, place);
}

static bool find_in_definition(const notation_definition *definition, int64_t at, notation_place *place)
{
    const scopes parameters = {definition->pattern, NULL};
    if (covers(definition->span, at)) {
        place->definition = definition;
        place->name = definition->name;
        place->span = definition->span;
        return true;
    }
    return (definition->pattern && find_in_pattern(definition->pattern, at, place)) ||
           (definition->body && find_in_node(definition->body, &parameters, at, place));
}

bool notation_find(const notation_text *text, int64_t at, notation_place *place)
{
    *place = (notation_place){.span = {.text = -1}};
    for (int k = 0; k < text->count; k++)
        if (find_in_definition(&text->definition[k], at, place))
            return true;
    return text->has_main && find_in_definition(&text->main, at, place);
}
