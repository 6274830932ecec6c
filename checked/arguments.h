/* What the arguments of a call may be, and how they are named to other ranks. */
#ifndef BMF_CHECKED_ARGUMENTS_H
#define BMF_CHECKED_ARGUMENTS_H

#include "checked/checked.h"

/* Looks at each argument in order: sets call->context, and call->misuse to what is wrong with the first that is. */
void arguments_check(bmf_checked_call *call);

/* The call in words, "bmf_map(xs = list 1 of bmf_iota, kernel = square)", with what must be the same on every rank; cut
 * at size bytes. */
void arguments_print(const bmf_checked_call *call, char *text, size_t size);

/* What the call has made, and a context that it has closed. */
void arguments_register(const bmf_checked_call *call);

#endif
