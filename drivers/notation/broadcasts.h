/* What a program sends to all processors: what functions over distributed lists use from outside. */
#ifndef BMF_DRIVERS_NOTATION_BROADCASTS_H
#define BMF_DRIVERS_NOTATION_BROADCASTS_H

#include "skeletons/language/front/expression.h"

/* Calls note for every broadcast of a typed program, once for each place; message: "m is sent to all processors:
 * real". */
void broadcasts_each(const bmf_expression *checked,
                     void (*note)(void *state, const bmf_expression *distl, const char *message), void *state);

#endif
