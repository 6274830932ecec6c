/* Messages of a run with both ends, as figures show them. Cost: n log n. */
#include "bench/figures/figures.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/convert/view.h"

bool figure_is_in(const bmf_trace_run *run, const bmf_event *event, const char *call)
{
    uint32_t node = event->node;
    for (; call && strcmp(run->name[run->node[node].name], call) != 0; node = run->node[node].parent)
        if (node == 0)
            return false;
    return true;
}

static int by_begin(const void *a, const void *b)
{
    const figure_flight *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

void figure_flights_find(const bmf_trace_run *run, const char *call, figure_flights *flights)
{
    bmf_trace trace = {1, {(bmf_trace_run *)run}};
    bmf_view view[2];
    views_create(&trace, BMF_STYLE_PLAIN, view);
    *flights = (figure_flights){.flight = allocate_array(run->events, (int64_t)sizeof(figure_flight))};
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *send = &run->event[k];
        if (send->kind != BMF_EVENT_SEND || view->partner[k] < 0 || !figure_is_in(run, send, call))
            continue;
        const bmf_event *receive = &run->event[view->partner[k]];
        flights->flight[flights->count++] = (figure_flight){.begin = send->begin,
                                                            .end = receive->end,
                                                            .taken = receive->begin,
                                                            .bytes = send->amount,
                                                            .from = send->lane,
                                                            .to = send->peer,
                                                            .round = send->round};
    }
    views_free(view, 1);
    if (flights->count > 0)
        qsort(flights->flight, (size_t)flights->count, sizeof *flights->flight, by_begin);
}

void figure_flights_free(figure_flights *flights)
{
    free(flights->flight);
    *flights = (figure_flights){0};
}

int64_t figure_peak(const figure_flights *flights, int64_t from, int64_t to, bool bytes)
{
    int64_t most = 0;
    for (int64_t k = 0; k < flights->count; k++) {
        const int64_t now = flights->flight[k].begin;
        int64_t together = 0;
        for (int64_t i = 0; i < flights->count && now >= from && now <= to; i++) {
            const figure_flight *f = &flights->flight[i];
            if (f->begin <= now && f->end > now)
                together += bytes ? f->bytes : 1;
        }
        most = together > most ? together : most;
    }
    return most;
}
