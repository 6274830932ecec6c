/* The notation as text: from its syntax trees, and from core expressions. */
#ifndef BMF_NOTATION_PRINT_H
#define BMF_NOTATION_PRINT_H

#include <stdio.h>

#include "skeletons/language/notation/notation.h"

/* Prints an expression behind `column` columns of its first line; what does not fit in 100 is broken into lines that
 * are indented by at least `indent`. Parsed again it is an equal tree. */
void notation_print(const notation_node *node, int indent, int column, FILE *out);
void notation_print_pattern(const notation_pattern *pattern, FILE *out);
/* "let f(a, b) = ..", "main(xs) = ..", and the end of the line. */
void notation_print_definition(const notation_definition *definition, FILE *out);

/* Core as a text says it, to notation: *made, in the arena. Translated again it is the same core but for what
 * core_normal (core.h) does. The library has the names that must not be taken. */
void notation_raise(bmf_expressions *arena, const bmf_library *library, const char *name,
                    const bmf_expression *expression, notation_definition *made);
/* What a core name is called in the notation: itself, unless it is a word of the notation. */
const char *notation_own_name(bmf_expressions *arena, const char *name);

#endif
