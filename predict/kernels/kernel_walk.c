/* What ranks do between the events of a trace, and in them.
 *
 * Method: the events of a run are walked rank by rank in the order of their beginnings. Time in which a rank records
 * nothing is the preparation of what comes after it, a kernel, a collective operation or a send, but after a receive it
 * belongs to the receive, up to the next event or the end of the call. It counts from the beginning of the outermost
 * call around a kernel or collective, and of the innermost call around a send, so that what a C program does between
 * its calls is left out. Of a rank's processors the first one to compute a kernel has its preparation. Calls that
 * communicate end together: of the time up to the end of such a call only that of the rank which received last is
 * taken, because the others wait for it, and none belongs to what comes after the call.
 * Cost: n log n over the events.
 */
#include <stdlib.h>

#include "predict/kernels/kernels_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum { DEPTH = 64 };

typedef struct key {
    int32_t rank;
    const bmf_event *event;
} key;

/* A receive that nothing followed in its call, on one rank. */
typedef struct ending {
    const bmf_event *event;
    int64_t received, until; /* until: the end of the call */
    int64_t bytes;
} ending;

typedef struct endings {
    int64_t count, capacity;
    ending *ending;
} endings;

/* Where the walk is on a rank. */
typedef struct walker {
    const bmf_trace_run *run;
    bmf_kernel_times *all;
    const bmf_event *around[DEPTH]; /* calls and regions that are open, the innermost last */
    int depth;
    int64_t outermost;         /* beginning of the call or region right below the program */
    int64_t last;              /* end of the last leaf */
    const bmf_event *leaf;     /* the last one */
    const bmf_event *received; /* the last leaf, if it was a receive */
    int64_t received_bytes;    /* in its round */
    int64_t sent_bytes;        /* in the round of the last leaf, if that was a send */
    bool communicated[DEPTH];  /* in around[k] there was a message */
    endings *endings;
    int64_t kernels;
} walker;

static bool is_container(const bmf_event *event)
{
    return event->kind == BMF_EVENT_REGION || event->kind == BMF_EVENT_SKELETON;
}

/* Of containers with one beginning the outer one comes first, because nodes are numbered from the root down. */
static int by_time(const void *a, const void *b)
{
    const key *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->event->begin != y->event->begin)
        return x->event->begin < y->event->begin ? -1 : 1;
    if (is_container(x->event) != is_container(y->event))
        return is_container(x->event) ? -1 : 1;
    if (is_container(x->event) && x->event->node != y->event->node)
        return x->event->node < y->event->node ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

static void add_work(walker *w, const bmf_event *event, const char *what, int64_t size, const bmf_kernel_work *work,
                     int64_t nanoseconds)
{
    char operation[BMF_SAMPLE_NAME];
    kernel_operation(kernel_call(w->run, event->node), what, operation);
    kernel_times_add(w->all, operation, BMF_FAMILY_LOCAL, w->run->ranks, size, work, nanoseconds);
}

static void add(walker *w, const bmf_event *event, const char *what, int64_t size, int64_t nanoseconds)
{
    add_work(w, event, what, size, NULL, nanoseconds);
}

static void add_ending(walker *w, int64_t until)
{
    endings *all = w->endings;
    *ARRAY_APPEND(all->ending, all->count, all->capacity) = (ending){w->received, w->last, until, w->received_bytes};
}

/* The receives of a round are over at `until`, or when their call ends. */
static void end_receives(walker *w, int64_t until)
{
    const bmf_event *event = w->received;
    bool ends = false;
    if (!event)
        return;
    for (int k = w->depth - 1; k >= 0; k--) {
        const bmf_event *call = w->around[k];
        if (call->node == event->node && call->instance == event->instance && call->end <= until) {
            until = call->end;
            ends = true;
        }
    }
    if (ends)
        add_ending(w, until);
    else
        add(w, event, "receive", w->received_bytes, until - w->last);
    w->last = until > w->last ? until : w->last;
    w->received = NULL;
}

/* Calls together, the rank that received last first. */
static int by_call(const void *a, const void *b)
{
    const ending *x = a, *y = b;
    if (x->event->node != y->event->node)
        return x->event->node < y->event->node ? -1 : 1;
    if (x->event->instance != y->event->instance)
        return x->event->instance < y->event->instance ? -1 : 1;
    return (x->received < y->received) - (x->received > y->received);
}

static void add_last_receivers(walker *w)
{
    const endings *all = w->endings;
    if (all->count == 0)
        return;
    qsort(all->ending, (size_t)all->count, sizeof *all->ending, by_call);
    for (int64_t k = 0; k < all->count; k++) {
        const ending *e = &all->ending[k];
        if (k == 0 || e->event->node != e[-1].event->node || e->event->instance != e[-1].event->instance)
            add(w, e->event, "receive", e->bytes, e->until - e->received);
    }
}

/* Leaves the containers that have ended. */
static void leave(walker *w, int64_t now)
{
    while (w->depth > 0 && w->around[w->depth - 1]->end <= now) {
        const bmf_event *left = w->around[w->depth - 1];
        if (w->received && w->received->node == left->node && w->received->instance == left->instance)
            end_receives(w, left->end);
        w->depth--;
        if (!w->communicated[w->depth])
            continue;
        if (left->kind == BMF_EVENT_SKELETON && left->end > w->last)
            w->last = left->end;
        if (w->depth > 0)
            w->communicated[w->depth - 1] = true;
    }
}

static void enter(walker *w, const bmf_event *event)
{
    if (event->node != 0 && w->run->node[event->node].parent == 0)
        w->outermost = event->begin;
    if (w->depth < DEPTH) {
        w->communicated[w->depth] = false;
        w->around[w->depth++] = event;
    }
}

static bool same_round(const bmf_event *a, const bmf_event *b)
{
    return a->node == b->node && a->instance == b->instance && a->round == b->round;
}

static void take_receive(walker *w, const bmf_event *event)
{
    if (w->received && !same_round(w->received, event))
        end_receives(w, event->begin);
    w->received_bytes = (w->received ? w->received_bytes : 0) + event->amount;
    w->received = event;
}

/* The beginning of what a leaf was prepared by. */
static int64_t prepared_from(const walker *w, const bmf_event *event, int64_t earliest)
{
    int64_t from = w->last > earliest ? w->last : earliest;
    return from > 0 && from < event->begin ? from : event->begin;
}

/* Whether another processor of the rank came to it just before. */
static bool is_repeated(const walker *w, const bmf_event *event)
{
    const bmf_event *leaf = w->leaf;
    return leaf && leaf->lane != event->lane && leaf->kind == event->kind && same_round(leaf, event) &&
           leaf->name == event->name;
}

static void take_kernel(walker *w, const bmf_event *event)
{
    const char *name = w->run->name[event->name];
    char preparation[BMF_SAMPLE_NAME];
    add_work(w, event, name, event->amount, run_find_work(w->run, event), event->end - event->begin);
    if (!is_repeated(w, event))
        add(w, event, kernel_preparation(name, preparation), event->amount,
            event->begin - prepared_from(w, event, w->outermost));
    w->kernels++;
}

/* What a rank does between its sends of a round and the wait for them. */
static void take_wait(walker *w, const bmf_event *event)
{
    if (w->leaf && w->leaf->kind == BMF_EVENT_SEND && w->leaf->lane == event->lane && same_round(w->leaf, event))
        add(w, event, "sent", w->sent_bytes, event->begin - w->last);
}

static void take_send(walker *w, const bmf_event *event, int64_t innermost)
{
    const bool further = w->leaf && w->leaf->kind == BMF_EVENT_SEND && same_round(w->leaf, event);
    add(w, event, "send", event->amount, event->begin - prepared_from(w, event, innermost));
    w->sent_bytes = (further ? w->sent_bytes : 0) + event->amount;
}

static void take_leaf(walker *w, const bmf_event *event)
{
    const bool communicates = event->kind != BMF_EVENT_KERNEL && event->kind != BMF_EVENT_FILE;
    if (w->depth > 0 && communicates)
        w->communicated[w->depth - 1] = true;
    if (event->kind == BMF_EVENT_RECEIVE)
        take_receive(w, event);
    else
        end_receives(w, event->begin);
    const int64_t innermost = w->depth > 0 ? w->around[w->depth - 1]->begin : 0;
    if (event->kind == BMF_EVENT_KERNEL)
        take_kernel(w, event);
    else if (event->kind == BMF_EVENT_SEND)
        take_send(w, event, innermost);
    else if (event->kind == BMF_EVENT_WAIT)
        take_wait(w, event);
    else if (event->kind == BMF_EVENT_FILE)
        add(w, event, "file", event->amount, event->end - event->begin);
    else if (event->kind == BMF_EVENT_COLLECTIVE && !is_repeated(w, event))
        add(w, event, "agreement", 0, event->begin - prepared_from(w, event, w->outermost));
    w->last = event->end > w->last ? event->end : w->last;
    w->leaf = event;
}

int64_t kernel_walk(const bmf_trace_run *run, bmf_kernel_times *all)
{
    key *events = allocate((run->events + 1) * (int64_t)sizeof *events);
    endings last = {0};
    walker w = {.run = run, .all = all, .endings = &last};
    for (int64_t k = 0; k < run->events; k++)
        events[k] = (key){run->lane_rank[run->event[k].lane], &run->event[k]};
    qsort(events, (size_t)run->events, sizeof *events, by_time);
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = events[k].event;
        if (k > 0 && events[k].rank != events[k - 1].rank) {
            end_receives(&w, INT64_MAX);
            w = (walker){.run = run, .all = all, .endings = &last, .kernels = w.kernels};
        }
        if (!is_container(event) && w.received && !same_round(w.received, event))
            end_receives(&w, event->begin);
        leave(&w, event->begin);
        if (is_container(event))
            enter(&w, event);
        else
            take_leaf(&w, event);
    }
    end_receives(&w, INT64_MAX);
    add_last_receivers(&w);
    free(last.ending);
    free(events);
    return w.kernels;
}
