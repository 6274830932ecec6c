/* Calls of public functions while they run. */
#ifndef BMF_CHECKED_CALL_H
#define BMF_CHECKED_CALL_H

#include "checked/checked.h"

/* The call this thread is in, or NULL. */
const bmf_checked_call *call_current(void);

/* Notes what is wrong with a call, if nothing is yet. */
void call_misused(bmf_checked_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the line and ends the program, all its ranks, with exit code 2. Not collective; ranks that come here together
 * print it once. */
_Noreturn void misuse_end(const char *line);

#endif
