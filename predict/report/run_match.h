/* Runs as intervals and comparisons look at them: the same places of a program in two runs, lanes, sums; private to
 * predict/report. */
#ifndef BMF_RUN_MATCH_H
#define BMF_RUN_MATCH_H

#include "runtime/trace/trace.h"

/* By node of `from`: the node of `to` with the same path (texts and kinds from the root down), UINT32_MAX if there is
 * none. To be freed; NULL without memory. Cost: a hash of every name and node. */
uint32_t *node_matches(const bmf_trace_run *from, const bmf_trace_run *to);

/* BMF_OK, or BMF_ERROR_ARGUMENT with a message if both have nodes below the program and none in common. */
int same_program(const bmf_trace_run *from, const bmf_trace_run *to, const uint32_t *match);

/* The latest end of all events, 0 without any. */
int64_t run_latest_end(const bmf_trace_run *run);

/* Where a run's lanes begin in its sorted events: lanes + 1 values, to be freed; NULL without memory. */
int64_t *lane_starts(const bmf_trace_run *run);

/* A sum that stays at the largest number instead of overflowing: only damaged traces get there. */
static inline void sum_add(int64_t *sum, int64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = value < 0 ? INT64_MIN : INT64_MAX;
}

#endif
