/* How often a loop goes round for certain. Private to the evaluator. */
#ifndef BMF_LANGUAGE_ROUNDS_H
#define BMF_LANGUAGE_ROUNDS_H

#include "skeletons/language/evaluate/evaluate.h"

/* The most that is looked ahead, so that failures are not left alone for longer. */
enum { BMF_ROUNDS_AHEAD = 64 };

/* The state of a B_While, of which the predicate holds: for how many rounds, at most BMF_ROUNDS_AHEAD, it does whatever
 * the body makes of what lies on several processors; 1 if that cannot be told. For one instance, on its rank; not
 * collective, no messages. */
int64_t rounds_ahead(bmf_evaluator *evaluator, const bmf_expression *loop, bmf_frame *frame, const bmf_value *state);

#endif
