/* The notation: programs with variables, patterns, infix operators and pipelines, translated construct by construct
 * into the core language (front/parse.h), and printed from it. docs/language.md describes both.
 *
 * Texts are told apart by their first word: one of the notation begins with let or main. All functions that return a
 * status store a message that points at the place; they are not collective. */
#ifndef BMF_NOTATION_H
#define BMF_NOTATION_H

#include "skeletons/language/notation/syntax.h"

/* Parses a text: a program, which ends with main, or a library. The names of its definitions are in the library then,
 * without expressions. Where failures are kept (bmf_texts), what follows an error is parsed from the next line on that
 * begins with let or main; a definition with an error has no body then, and its name is known if it was read.
 * notation_text_free in any case. */
int notation_parse(bmf_context *ctx, const bmf_texts *texts, int text, bool program, bmf_expressions *arena,
                   bmf_library *library, notation_text *parsed);
/* Makes the core of the definitions of a parsed text, and of its main. All names of all texts must be in the library,
 * but those of the core's, which need not be. Where failures are kept, every definition is translated, up to its first
 * error; those without a body are passed over. */
int notation_translate(bmf_context *ctx, const bmf_texts *texts, bmf_expressions *arena, bmf_library *library,
                       const notation_text *parsed, bmf_parsed *program);
void notation_text_free(notation_text *parsed);

/* Parameters of main are components of the program's argument: the name of parameter k, or NULL if it is a pattern. */
const char *notation_parameter(const notation_text *parsed, int k);

#endif
