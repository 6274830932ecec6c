/* Formatting texts in the notation. */
#ifndef BMF_NOTATION_FORMAT_H
#define BMF_NOTATION_FORMAT_H

#include "skeletons/language/front/text.h"

/* The text with the usual spaces, indentation and blank lines; lines break where they did, remarks stay. Formatting
 * again changes nothing. The text must parse. The result is the caller's to free. */
char *notation_format(const bmf_text *text);

#endif
