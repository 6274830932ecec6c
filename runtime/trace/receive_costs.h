/* What receivers spend on messages themselves, in predicted runs: a receive lasts from being ready to having taken the
 * message, and this is the last part of it. Traces keep it as a fact of the run, "receive overhead" = "BYTES:NS ..". */
#ifndef BMF_RECEIVE_COSTS_H
#define BMF_RECEIVE_COSTS_H

#include "runtime/trace/trace.h"

enum { BMF_RECEIVE_SIZES = 64 };

/* By rising sizes. */
typedef struct bmf_receive_costs {
    int count;
    int64_t bytes[BMF_RECEIVE_SIZES], nanoseconds[BMF_RECEIVE_SIZES];
} bmf_receive_costs;

/* Notes what one message took; of equal sizes the least. Sizes beyond the first BMF_RECEIVE_SIZES are not kept. */
void receive_costs_add(bmf_receive_costs *costs, int64_t bytes, int64_t nanoseconds);
/* Of a size: as noted, or on the line between its neighbours; beyond them that of the nearest. 0 if there are none. */
int64_t receive_costs_of(const bmf_receive_costs *costs, int64_t bytes);
/* To and from the facts of a run; nothing is read of what makes no sense. */
void receive_costs_write(const bmf_receive_costs *costs, bmf_trace_run *run);
void receive_costs_read(const bmf_trace_run *run, bmf_receive_costs *costs);

#endif
