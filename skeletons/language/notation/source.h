/* Texts of both kinds, libraries and a program, to core expressions. */
#ifndef BMF_NOTATION_SOURCE_H
#define BMF_NOTATION_SOURCE_H

#include "skeletons/language/notation/notation.h"

/* Parses the texts 0 .. count - 1, libraries and, the last, a program, each in the core or in the notation. Messages
 * about those in the notation are in its words from then on. */
int source_parse(bmf_context *ctx, bmf_texts *texts, int count, bmf_expressions *arena, bmf_library *library,
                 bmf_parsed *parsed);

/* True if the text is in the notation; messages about it are in its words then. */
bool source_is_notation(bmf_texts *texts, int text);

#endif
