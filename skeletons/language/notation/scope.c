/* Environments as patterns. */
#include "skeletons/language/notation/scope.h"

#include <string.h>

bmf_expression *scope_path(bmf_expressions *arena, const notation_pattern *scope, const char *name, bmf_span span)
{
    if (scope->name)
        return strcmp(scope->name, name) == 0 ? core_identity(arena, span) : NULL;
    for (int k = 0; k < scope->parts; k++) {
        bmf_expression *inner = scope_path(arena, scope->part[k], name, span);
        if (inner)
            return core_compose(arena, inner, core_component(arena, span, k + 1, scope->parts));
    }
    return NULL;
}

static bool has_name(const notation_names *names, const char *name)
{
    for (int k = 0; k < names->count; k++)
        if (strcmp(names->name[k], name) == 0)
            return true;
    return false;
}

void scope_captured(const notation_pattern *scope, const notation_node *node, const notation_pattern *but,
                    notation_names *names)
{
    for (int k = 0; k < scope->parts; k++)
        scope_captured(scope->part[k], node, but, names);
    if (!scope->name || (but && notation_binds(but, scope->name)) || has_name(names, scope->name) ||
        !notation_uses(node, scope->name))
        return;
    names->too_many = names->count == BMF_MAX_LEAVES - 3; /* a loop adds three components */
    if (!names->too_many)
        names->name[names->count++] = scope->name;
}

bmf_expression *scope_values(bmf_expressions *arena, const notation_pattern *scope, const notation_names *names,
                             bmf_span span)
{
    bmf_expression *value[BMF_MAX_LEAVES];
    for (int k = 0; k < names->count; k++)
        value[k] = scope_path(arena, scope, names->name[k], span);
    return names->count == 1 ? value[0] : core_tuple(arena, span, names->count, value);
}

notation_pattern *scope_pattern(bmf_expressions *arena, const notation_names *names, bmf_span span)
{
    if (names->count == 1)
        return notation_pattern_create(arena, names->name[0], span, 0);
    notation_pattern *all = notation_pattern_create(arena, NULL, span, names->count);
    for (int k = 0; k < names->count; k++)
        all->part[k] = notation_pattern_create(arena, names->name[k], span, 0);
    return all;
}

notation_pattern *scope_extended(bmf_expressions *arena, const notation_names *names, notation_pattern *pattern)
{
    if (names->count == 0)
        return pattern;
    notation_pattern *all = notation_pattern_create(arena, NULL, pattern->span, names->count + 1);
    for (int k = 0; k < names->count; k++)
        all->part[k] = notation_pattern_create(arena, names->name[k], pattern->span, 0);
    all->part[names->count] = pattern;
    return all;
}

void scope_bind(bmf_expressions *arena, bmf_expression *expression, const notation_pattern *pattern)
{
    while (expression->kind == BMF_EXPRESSION_COMP)
        expression = expression->child[1];
    notation_pattern *bound = notation_pattern_create(arena, NULL, pattern->span, 0);
    *bound = *pattern;
    bound->also = expression->binding;
    expression->binding = bound;
}
