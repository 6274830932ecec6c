/* The messages between ranks of a trace, in the words of a measured sheet of messages.
 *
 * Method: sends and receives are matched by structural id and occurrence. With s the send, r the receive and w the wait
 * of the sender for its only send of the round:
 *     isend1 = length of s,  isend2 = end of w - end of s,  recv = end of r - later of the beginnings of s and r;
 * what a receiver does with a message that is there stands in CALL.receive, so recvmin is nothing. An agreement lasts
 * from when the last rank came until a rank has left it; its k-th event in a call is the same on all ranks.
 * Cost: n log n over the messages.
 */
#include <stdlib.h>
#include <string.h>

#include "predict/kernels/kernels_private.h"
#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"

typedef struct half {
    const bmf_event *event;
    int32_t from, to;
} half;

typedef struct halves {
    int64_t count;
    half *half;
} halves;

static int compare_ids(const half *x, const half *y)
{
    const bmf_event *a = x->event, *b = y->event;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->instance != b->instance)
        return a->instance < b->instance ? -1 : 1;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static int by_id(const void *a, const void *b)
{
    const half *x = a, *y = b;
    int id = compare_ids(x, y);
    return id ? id : (x->event->begin > y->event->begin) - (x->event->begin < y->event->begin);
}

/* The events of one kind that concern two ranks (waits: all), in the order of their ids. */
static halves collect(const bmf_trace_run *run, bmf_event_kind kind)
{
    halves all = {.half = allocate((run->events + 1) * (int64_t)sizeof(half))};
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        if (event->kind != kind)
            continue;
        if (kind != BMF_EVENT_WAIT && run->lane_rank[event->lane] == run->lane_rank[event->peer])
            continue;
        bool received = kind == BMF_EVENT_RECEIVE;
        all.half[all.count++] =
            (half){event, received ? event->peer : event->lane, received ? event->lane : event->peer};
    }
    qsort(all.half, (size_t)all.count, sizeof *all.half, by_id);
    return all;
}

static void add(bmf_kernel_times *all, const char *operation, const bmf_event *sent, int64_t took)
{
    kernel_times_add(all, operation, BMF_FAMILY_PAIR, 2, sent->amount, NULL, took);
}

static void match_receives(const halves *sends, const halves *receives, bmf_kernel_times *all)
{
    for (int64_t s = 0, r = 0; s < sends->count && r < receives->count;) {
        int order = compare_ids(&sends->half[s], &receives->half[r]);
        if (order < 0) {
            s++;
        } else if (order > 0) {
            r++;
        } else {
            const bmf_event *sent = sends->half[s++].event, *received = receives->half[r++].event;
            add(all, "isend1", sent, sent->end - sent->begin);
            add(all, "recv", sent, received->end - (sent->begin > received->begin ? sent->begin : received->begin));
            add(all, "recvmin", sent, 0);
        }
    }
}

static bool same_round(const half *a, const half *b)
{
    return a->from == b->from && a->event->node == b->event->node && a->event->instance == b->event->instance &&
           a->event->round == b->event->round;
}

/* A wait for several sends does not say which it was for. */
static void match_waits(const halves *sends, const halves *waits, bmf_kernel_times *all)
{
    for (int64_t s = 0, w = 0; s < sends->count; s++) {
        const half *sent = &sends->half[s];
        if ((s > 0 && same_round(sent, &sends->half[s - 1])) ||
            (s + 1 < sends->count && same_round(sent, &sends->half[s + 1])))
            continue;
        half wanted = {sent->event, sent->from, -1};
        while (w < waits->count && compare_ids(&waits->half[w], &wanted) < 0)
            w++;
        if (w < waits->count && compare_ids(&waits->half[w], &wanted) == 0)
            add(all, "isend2", sent->event, waits->half[w].event->end - sent->event->end);
    }
}

/* ---- agreements ---- */

static bool is_agreement(const bmf_trace_run *run, const bmf_event *event)
{
    return event->kind == BMF_EVENT_COLLECTIVE && event->peer < 0 &&
           strcmp(run->name[event->name], backend_agreement) == 0;
}

/* One event a rank: that of its first lane. */
static halves collect_agreements(const bmf_trace_run *run)
{
    halves all = {.half = allocate((run->events + 1) * (int64_t)sizeof(half))};
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        const int32_t lane = event->lane, rank = run->lane_rank[lane];
        if (is_agreement(run, event) && (lane == 0 || run->lane_rank[lane - 1] != rank))
            all.half[all.count++] = (half){event, rank, -1};
    }
    qsort(all.half, (size_t)all.count, sizeof *all.half, by_id);
    return all;
}

static bool same_call(const half *a, const half *b)
{
    return a->event->node == b->event->node && a->event->instance == b->event->instance &&
           a->event->round == b->event->round;
}

/* Those of one call stand rank by rank, each in its order. */
static void add_agreements(const bmf_trace_run *run, const half *of_call, int64_t count, bmf_kernel_times *all)
{
    const int64_t each = count / run->ranks;
    for (int64_t k = 0; k < each && count % run->ranks == 0; k++) {
        int64_t came = 0;
        for (int64_t r = 0; r < run->ranks; r++)
            came = of_call[r * each + k].event->begin > came ? of_call[r * each + k].event->begin : came;
        for (int64_t r = 0; r < run->ranks; r++)
            kernel_times_add(all, "allreduce", BMF_FAMILY_COLLECTIVE, run->ranks, 1, NULL,
                             of_call[r * each + k].event->end - came);
    }
}

static void match_agreements(const bmf_trace_run *run, bmf_kernel_times *all)
{
    halves events = collect_agreements(run);
    for (int64_t begin = 0, end; begin < events.count && run->ranks > 1; begin = end) {
        for (end = begin + 1; end < events.count && same_call(&events.half[begin], &events.half[end]);)
            end++;
        add_agreements(run, events.half + begin, end - begin, all);
    }
    free(events.half);
}

void kernel_messages(const bmf_trace_run *run, bmf_kernel_times *all)
{
    halves sends = collect(run, BMF_EVENT_SEND), receives = collect(run, BMF_EVENT_RECEIVE),
           waits = collect(run, BMF_EVENT_WAIT);
    match_receives(&sends, &receives, all);
    match_waits(&sends, &waits, all);
    match_agreements(run, all);
    free(sends.half);
    free(receives.half);
    free(waits.half);
}
