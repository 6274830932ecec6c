/* What receives are made of: waiting for the sender to send, transport, and taking the message.
 *
 * Source: document 000, 3.4.1 (busy, overhead, idle). A receive ends with its overhead, which predictions state by the
 * message's size; it begins with waiting if it begins before its send does. What is between the two is transport. A
 * receive whose message has no other end is all overhead, as on the page (page_data.js). Cost: matching, linear. */
#include <stdlib.h>

#include "predict/report/intervals_private.h"
#include "runtime/base/allocate.h"
#include "runtime/convert/view.h"

int64_t *receive_sends(const bmf_trace_run *run)
{
    bmf_view view = {.run = run, .partner = allocate_array(run->events, (int64_t)sizeof *view.partner)};
    for (int64_t k = 0; k < run->events; k++) {
        view.partner[k] = -1;
        view.messages += is_message(&run->event[k]);
    }
    if (view.messages > 0)
        view_match(&view);
    for (int64_t k = 0; k < run->events; k++)
        if (run->event[k].kind == BMF_EVENT_RECEIVE && view.partner[k] >= 0)
            view.partner[k] = run->event[view.partner[k]].begin;
        else if (run->event[k].kind == BMF_EVENT_RECEIVE)
            view.partner[k] = -1;
    return view.partner;
}

/* The part of [begin, end) that is before a time. */
static int64_t before(int64_t begin, int64_t end, int64_t time)
{
    return time <= begin ? 0 : (time < end ? time : end) - begin;
}

void receive_parts(const bmf_analysis *analysis, int64_t number, int64_t begin, int64_t end, bmf_characteristics *to)
{
    const bmf_event *event = &analysis->run->event[number];
    const int64_t sent = analysis->sent[number], cost = receive_costs_of(&analysis->receives, event->amount);
    const int64_t taking = sent < 0 || cost > event->end - event->begin ? event->begin : event->end - cost;
    const int64_t waiting = before(begin, end, sent < taking ? sent : taking), untaken = before(begin, end, taking);
    to->receive_waiting += sent < 0 ? 0 : waiting;
    to->receive_transport += sent < 0 ? 0 : untaken - waiting;
    to->receive_overhead += end - begin - untaken;
}
