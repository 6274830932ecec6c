/* Which events of a recorded MPI program belong together: the send and the receive of one message, which have the same
 * group, sender, receiver, tag and number, and the calls of one collective, which have the same group and number. */
#ifndef BMF_RECORDED_CALLS_H
#define BMF_RECORDED_CALLS_H

#include "runtime/trace/trace.h"

typedef struct bmf_recorded_call {
    uint32_t group;
    int32_t from, to, tag; /* ranks; -1 for collectives */
    int64_t number;
    int32_t kind; /* bmf_event_kind */
    int64_t event;
} bmf_recorded_call;

/* The events of a run with details that are messages, or collectives, or both. What belongs together stands together, a
 * send before its receive, the calls of a collective in the order of events. The caller frees. Cost: sorting. */
bmf_recorded_call *recorded_calls(const bmf_trace_run *run, bool messages, bool collectives, int64_t *count);
bool recorded_calls_match(const bmf_recorded_call *a, const bmf_recorded_call *b);

#endif
