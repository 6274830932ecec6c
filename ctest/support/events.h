/* Comparing runs of a program by structural ids, as multisets. */
#ifndef BMF_TEST_EVENTS_H
#define BMF_TEST_EVENTS_H

#include "runtime/trace/trace.h"

/* How many events below the program only one of the runs has: by path, instance, round, lane, kind, peer, kernel and
 * amount, times apart. The first differences are shown on standard error, after `what`. */
int64_t test_different_events(const char *what, const bmf_trace_run *measured, const bmf_trace_run *predicted);

#endif
