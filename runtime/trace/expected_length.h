/* How long one run of what was predicted takes. A predicted run itself is the one without noise, and noise makes runs
 * longer; so traces keep this as a fact of the run, "expected length" = "MEDIAN LOW HIGH FILES" in nanoseconds. */
#ifndef BMF_EXPECTED_LENGTH_H
#define BMF_EXPECTED_LENGTH_H

#include "runtime/trace/trace.h"

/* Seconds. */
typedef struct bmf_expected_length {
    double median;    /* 0: not known */
    double low, high; /* the 95 % interval; equal: nothing is uncertain, or nothing is known */
    double files;     /* of reading files before the program, which are in the trace and not in the others */
} bmf_expected_length;

/* Takes the place of what the run has. Nothing is written of what a trace cannot hold. */
void expected_length_write(const bmf_expected_length *expected, bmf_trace_run *run);
/* False, and all 0: the run does not say it, or what makes no sense. */
bool expected_length_read(const bmf_trace_run *run, bmf_expected_length *expected);

#endif
