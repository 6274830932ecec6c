/* Nodes of the syntax tree, and which names stand in them. */
#include "skeletons/language/notation/syntax.h"

#include <string.h>

static void *claim(bmf_expressions *arena, int64_t size)
{
    return size > 0 ? memset(expressions_bytes(arena, size), 0, (size_t)size) : NULL;
}

notation_node *notation_create(bmf_expressions *arena, notation_kind kind, bmf_span span, int children)
{
    notation_node *node = claim(arena, (int64_t)sizeof *node);
    node->kind = kind;
    node->span = node->word = span;
    node->children = children;
    node->child = claim(arena, children * (int64_t)sizeof(notation_node *));
    return node;
}

notation_pattern *notation_pattern_create(bmf_expressions *arena, const char *name, bmf_span span, int parts)
{
    notation_pattern *pattern = claim(arena, (int64_t)sizeof *pattern);
    pattern->name = name;
    pattern->span = span;
    pattern->parts = parts;
    pattern->part = claim(arena, parts * (int64_t)sizeof(notation_pattern *));
    return pattern;
}

bool notation_binds(const notation_pattern *pattern, const char *name)
{
    if (pattern->name)
        return strcmp(pattern->name, name) == 0;
    for (int k = 0; k < pattern->parts; k++)
        if (notation_binds(pattern->part[k], name))
            return true;
    return false;
}

/* Children from `first` on. */
static bool some_use(const notation_node *node, int first, const char *name)
{
    for (int k = first; k < node->children; k++)
        if (notation_uses(node->child[k], name))
            return true;
    return false;
}

bool notation_uses(const notation_node *node, const char *name)
{
    switch (node->kind) {
    case NOTATION_NAME:
        return strcmp(node->name, name) == 0;
    case NOTATION_LET:
    case NOTATION_WHILE:
        return notation_uses(node->child[0], name) || (!notation_binds(node->pattern, name) && some_use(node, 1, name));
    case NOTATION_FOR:
        return notation_uses(node->child[0], name) || notation_uses(node->child[1], name) ||
               (!notation_binds(node->pattern, name) && !notation_binds(node->counter, name) &&
                notation_uses(node->child[2], name));
    case NOTATION_FUNCTION:
        return !notation_binds(node->pattern, name) && notation_uses(node->child[0], name);
    default:
        return some_use(node, 0, name);
    }
}
