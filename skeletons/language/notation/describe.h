/* What the built-in names of the notation do, in a line each, for editors. */
#ifndef BMF_NOTATION_DESCRIBE_H
#define BMF_NOTATION_DESCRIBE_H

#include "skeletons/language/notation/builtins.h"

/* A sentence; NULL: there is none. */
const char *notation_describe(const notation_builtin *builtin);
/* Likewise of a reserved word. */
const char *notation_describe_word(const char *word);

#endif
