/* In runs of recorded MPI programs: when those came that a call had to wait for.
 *
 * Method: a receive waits for the send of the same message, a collective for the last of its group; messages are known
 * by their numbers, collectives by their group and number there. Cost: sorting them.
 */
#include <stdlib.h>

#include "predict/report/intervals_private.h"
#include "runtime/base/allocate.h"

typedef struct entry {
    uint32_t group;
    int32_t from, to, tag; /* of a message; -1 for collectives */
    int64_t number, event;
} entry;

static int by_call(const void *a, const void *b)
{
    const entry *x = a, *y = b;
#define THEN(field)                                                                                                    \
    if (x->field != y->field)                                                                                          \
        return x->field < y->field ? -1 : 1;
    THEN(group)
    THEN(from)
    THEN(to)
    THEN(tag)
    THEN(number)
#undef THEN
    return 0;
}

static bool is_met(const bmf_event *event)
{
    return event->kind == BMF_EVENT_SEND || event->kind == BMF_EVENT_RECEIVE || event->kind == BMF_EVENT_COLLECTIVE;
}

static entry entry_of(const bmf_trace_run *run, int64_t k)
{
    const bmf_event *event = &run->event[k];
    const bmf_trace_detail *detail = &run->detail[k];
    entry e = {detail_group(detail), -1, -1, -1, detail->number, k};
    if (event->kind != BMF_EVENT_COLLECTIVE) {
        e.from = event->kind == BMF_EVENT_SEND ? event->lane : event->peer;
        e.to = event->kind == BMF_EVENT_SEND ? event->peer : event->lane;
        e.tag = detail->tag;
    }
    return e;
}

int64_t *recorded_arrivals(const bmf_trace_run *run)
{
    if (!run->detail)
        return NULL;
    int64_t *came = allocate_array(run->events, (int64_t)sizeof *came), count = 0;
    for (int64_t k = 0; k < run->events; k++) {
        came[k] = -1;
        count += is_met(&run->event[k]);
    }
    entry *list = allocate_array(count, (int64_t)sizeof *list);
    count = 0;
    for (int64_t k = 0; k < run->events; k++)
        if (is_met(&run->event[k]))
            list[count++] = entry_of(run, k);
    qsort(list, (size_t)count, sizeof *list, by_call);
    for (int64_t begin = 0, end; begin < count; begin = end) {
        int64_t latest = -1;
        for (end = begin; end < count && by_call(&list[begin], &list[end]) == 0; end++) {
            const bmf_event *event = &run->event[list[end].event];
            if (event->kind != BMF_EVENT_RECEIVE && event->begin > latest)
                latest = event->begin;
        }
        for (int64_t k = begin; k < end; k++)
            if (run->event[list[k].event].kind != BMF_EVENT_SEND)
                came[list[k].event] = latest;
    }
    free(list);
    return came;
}
