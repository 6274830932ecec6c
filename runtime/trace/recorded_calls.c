/* Messages and collective calls of recorded MPI programs; see recorded_calls.h. Method: sorting. */
#include "runtime/trace/recorded_calls.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"

static int by_call(const void *a, const void *b)
{
    const bmf_recorded_call *x = a, *y = b;
#define THEN(field)                                                                                                    \
    if (x->field != y->field)                                                                                          \
        return x->field < y->field ? -1 : 1;
    THEN(group)
    THEN(from)
    THEN(to)
    THEN(tag)
    THEN(number)
    THEN(kind)
    THEN(event)
#undef THEN
    return 0;
}

bool recorded_calls_match(const bmf_recorded_call *a, const bmf_recorded_call *b)
{
    return a->group == b->group && a->from == b->from && a->to == b->to && a->tag == b->tag && a->number == b->number;
}

static bmf_recorded_call call_of(const bmf_trace_run *run, int64_t k)
{
    const bmf_event *event = &run->event[k];
    const bmf_trace_detail *detail = &run->detail[k];
    const bool send = event->kind == BMF_EVENT_SEND;
    bmf_recorded_call call = {detail_group(detail), -1, -1, -1, detail->number, event->kind, k};
    if (event->kind != BMF_EVENT_COLLECTIVE) {
        call.from = send ? event->lane : event->peer;
        call.to = send ? event->peer : event->lane;
        call.tag = detail->tag;
    }
    return call;
}

static bool is_asked(const bmf_event *event, bool messages, bool collectives)
{
    if (event->kind == BMF_EVENT_COLLECTIVE)
        return collectives;
    return messages && (event->kind == BMF_EVENT_SEND || event->kind == BMF_EVENT_RECEIVE);
}

bmf_recorded_call *recorded_calls(const bmf_trace_run *run, bool messages, bool collectives, int64_t *count)
{
    int64_t all = 0;
    for (int64_t k = 0; k < run->events; k++)
        all += is_asked(&run->event[k], messages, collectives);
    bmf_recorded_call *list = allocate_array(all, (int64_t)sizeof *list);
    all = 0;
    for (int64_t k = 0; k < run->events; k++)
        if (is_asked(&run->event[k], messages, collectives))
            list[all++] = call_of(run, k);
    qsort(list, (size_t)all, sizeof *list, by_call);
    *count = all;
    return list;
}
