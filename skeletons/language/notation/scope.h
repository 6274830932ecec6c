/* Names in scope. What an expression of the notation is applied to, its environment, is a tuple of what its names stand
 * for, described by a pattern; a name is a path of components through it. */
#ifndef BMF_NOTATION_SCOPE_H
#define BMF_NOTATION_SCOPE_H

#include "skeletons/language/notation/core.h"

/* Names handed on to an inner scope, in the order of the outer one. */
typedef struct notation_names {
    int count;
    const char *name[BMF_MAX_LEAVES];
    bool too_many;
} notation_names;

/* The path of a name; NULL: it is not in scope. */
bmf_expression *scope_path(bmf_expressions *arena, const notation_pattern *scope, const char *name, bmf_span span);
/* Adds the names of the scope that stand free in the node, and not in the pattern (NULL: none). */
void scope_captured(const notation_pattern *scope, const notation_node *node, const notation_pattern *but,
                    notation_names *names);
/* The values of names: one, or the tuple of them. */
bmf_expression *scope_values(bmf_expressions *arena, const notation_pattern *scope, const notation_names *names,
                             bmf_span span);
/* The pattern of names: one, or the tuple of them. */
notation_pattern *scope_pattern(bmf_expressions *arena, const notation_names *names, bmf_span span);
/* {a, b, .., pattern}, flat; only the pattern if there are no names. */
notation_pattern *scope_extended(bmf_expressions *arena, const notation_names *names, notation_pattern *pattern);

/* Demands of the expression's argument that it fits the pattern. */
void scope_bind(bmf_expressions *arena, bmf_expression *expression, const notation_pattern *pattern);

#endif
