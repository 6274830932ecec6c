/* What the processors of a run held over time: in order, and checked.
 *
 * Method: each processor's are recorded in their order, so that sorting by lane keeps them. Cost: linear. */
#include <stdlib.h>

#include "runtime/base/array.h"
#include "runtime/trace/works.h"

static int by_lane_and_time(const void *a, const void *b)
{
    const bmf_trace_held *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

void run_add_held(bmf_trace_run *run, const bmf_trace_held *held)
{
    if (run->helds == run->held_capacity && !ARRAY_TRY_RESERVE(run->held, run->held_capacity, run->helds + 1))
        return;
    run->held[run->helds++] = *held;
}

/* Each lane's in the order in which they are, the lanes by counting. */
void run_sort_helds(bmf_trace_run *run)
{
    bool sorted = true;
    for (int64_t k = 1; k < run->helds && sorted; k++)
        sorted = by_lane_and_time(&run->held[k - 1], &run->held[k]) <= 0;
    if (!sorted) {
        int64_t *start = calloc((size_t)run->lanes + 1, sizeof *start);
        bmf_trace_held *to = malloc((size_t)run->helds * sizeof *to);
        for (int64_t k = 0; start && to && k < run->helds; k++)
            start[run->held[k].lane + 1]++;
        for (int32_t lane = 0; start && to && lane < run->lanes; lane++)
            start[lane + 1] += start[lane];
        for (int64_t k = 0; start && to && k < run->helds; k++)
            to[start[run->held[k].lane]++] = run->held[k];
        if (start && to) {
            free(run->held);
            run->held = to;
            run->held_capacity = run->helds;
        } else {
            free(to);
            run->helds = 0;
        }
        free(start);
    }
}

const char *trace_held_fault(const bmf_trace_run *run, const bmf_trace_held *held)
{
    if (held->lane < 0 || held->lane >= run->lanes)
        return "its lane does not exist";
    return held->time < 0 || held->time > BMF_TRACE_MAX_NUMBER || held->bytes < 0 || held->bytes > BMF_TRACE_MAX_NUMBER
               ? "a number is impossible"
               : NULL;
}
