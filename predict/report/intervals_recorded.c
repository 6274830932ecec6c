/* In runs of recorded MPI programs: when those came that a call had to wait for.
 *
 * Method: a receive waits for the send of the same message, a collective for the last of its group; messages are known
 * by their numbers, collectives by their group and number there. Cost: sorting them.
 */
#include <stdlib.h>

#include "predict/report/intervals_private.h"
#include "runtime/base/allocate.h"
#include "runtime/trace/recorded_calls.h"

int64_t *recorded_arrivals(const bmf_trace_run *run)
{
    if (!run->detail)
        return NULL;
    int64_t *came = allocate_array(run->events, (int64_t)sizeof *came), count;
    for (int64_t k = 0; k < run->events; k++)
        came[k] = -1;
    bmf_recorded_call *list = recorded_calls(run, true, true, &count);
    for (int64_t begin = 0, end; begin < count; begin = end) {
        int64_t latest = -1;
        for (end = begin; end < count && recorded_calls_match(&list[begin], &list[end]); end++)
            if (list[end].kind != BMF_EVENT_RECEIVE && run->event[list[end].event].begin > latest)
                latest = run->event[list[end].event].begin;
        for (int64_t k = begin; k < end; k++)
            if (list[k].kind != BMF_EVENT_SEND)
                came[list[k].event] = latest;
    }
    free(list);
    return came;
}
