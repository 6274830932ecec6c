/* Random well-typed programs of the language, with random arguments: for property tests. */
#ifndef BMF_RANDOM_LANGUAGE_H
#define BMF_RANDOM_LANGUAGE_H

#include "runtime/data/column.h"
#include "skeletons/language/front/expression.h"

/* The same for the same seed. *expression: as a parser would make it, without names; it types at *type, the argument's
 * type. *argument: a column of one element. Some programs fail on purpose; none runs for ever, but some make much. */
void bmf_random_program(uint64_t seed, bmf_expressions *arena, bmf_expression **expression, const bmf_type **type,
                        bmf_column *argument);

#endif
