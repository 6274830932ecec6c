/* Failures that name what a trace's writer wrote: calls, programs, operations. */
#ifndef BMF_REPLAY_FAIL_H
#define BMF_REPLAY_FAIL_H

/* As bmf_fail without a context, but one line whatever the names contain: line feeds and tabs become question marks,
 * too. Returns the status. */
__attribute__((format(printf, 2, 3))) int fail_line(int status, const char *format, ...);

#endif
