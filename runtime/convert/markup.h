/* Texts in HTML and SVG files. Errors are kept by the output. */
#ifndef BMF_MARKUP_H
#define BMF_MARKUP_H

#include "runtime/convert/output.h"

/* Text in which &, <, >, " and ' are written as entities: good between tags and inside quoted attributes. */
void put_markup(bmf_output *out, const char *text);

#endif
