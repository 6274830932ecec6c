/* Functions of elements, or of the points of planes, and their neighbours, in the naive evaluator. */
#ifndef BMF_REFERENCE_STENCIL_H
#define BMF_REFERENCE_STENCIL_H

#include "ctest/reference/reference_values.h"

/* An expression applied to a value on a processor. */
typedef value naive_application(reference_machine *m, const bmf_expression *e, int64_t place, value x);

/* All parts as one list. */
value naive_join_parts(reference_machine *m, value parts);
/* What a function sees: an element, or {handed, element}. handed: NULL: nothing. */
value naive_seen(reference_machine *m, value handed, value element);
/* The stencil of a list, or of the parts of one, which keep their lengths. Elements of parts are on the processors of
 * their parts, which only traces could tell. handed: what the function sees besides, or NULL. */
value naive_stencil(reference_machine *m, naive_application *apply, const bmf_expression *e, int64_t place,
                    value handed, value lists);

#endif
