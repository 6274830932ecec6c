/* Running programs of the language inside a test. */
#ifndef BMF_TEST_PROGRAMS_H
#define BMF_TEST_PROGRAMS_H

#include "skeletons/language/program.h"

/* Runs a program text on as many processors as it needs, with the given laws (bits of bmf_law). Collective. Returns the
 * status; on BMF_OK *value is the printed value on rank 0 (freed by the caller), NULL elsewhere. The context holds the
 * message otherwise. */
int test_run_program(bmf_context *ctx, const char *text, unsigned laws, char **value);

#endif
