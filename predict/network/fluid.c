/* Fluids; method, cost and source in the header. */
#include "predict/network/fluid.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

static const double together = 1e-12; /* relative: events that differ by rounding only */

/* One passage of a flow through a channel. */
typedef struct passage {
    int32_t channel;
    int32_t place; /* among the channel's flows */
} passage;

typedef struct flow {
    void *owner;
    double left, rate; /* bytes at the time `since`, bytes a second */
    double since;
    double due;        /* its start, or its end at this rate */
    int64_t number;    /* in the order of starting: decides between equal times */
    int64_t waiting;   /* its place in the heap */
    bool flows;        /* it has started */
    bool found, fixed; /* while rates are found */
    int32_t count, room;
    passage *passage;
} flow;

/* A flow in a channel's list, and which of its passages this is. */
typedef struct guest {
    flow *flow;
    int32_t passage;
} guest;

typedef struct channel {
    double bandwidth;
    guest *guest;
    int32_t count, room;
    bool found;
    double left;  /* of its bandwidth while rates are found */
    int32_t open; /* its flows without a rate */
} channel;

/* A channel and what its flows got when this was written. */
typedef struct share {
    double rate;
    int32_t channel;
} share;

struct bmf_fluid {
    bmf_fluid_ended *ended;
    void *receiver;
    int64_t channels, flows, room, started;
    channel *channel;
    flow **heap;  /* of all flows, by (due, number) */
    flow **spare; /* flows to be used again */
    int64_t spares, spare_room;
    flow **list; /* flows that have started; then those that are looked at */
    int64_t listed, list_room;
    flow **over; /* flows that have ended */
    int64_t ends, end_room;
    int32_t *touched; /* channels that are looked at; each once */
    int64_t touches;
    double floor; /* flows with smaller rates keep them: see lower_floor */
    share *share; /* a heap by (rate, channel) */
    int64_t shares;
};

/* ---- making ---- */

bmf_fluid *fluid_create(int64_t channels, const double *bandwidth, bmf_fluid_ended *ended, void *receiver)
{
    bmf_fluid *fluid = allocate_clear(1, sizeof *fluid);
    fluid->ended = ended;
    fluid->receiver = receiver;
    fluid->channels = channels;
    fluid->channel = allocate_clear(channels, sizeof *fluid->channel);
    for (int64_t c = 0; c < channels; c++)
        fluid->channel[c].bandwidth = bandwidth[c];
    fluid->touched = allocate(channels * (int64_t)sizeof *fluid->touched);
    fluid->share = allocate(channels * (int64_t)sizeof *fluid->share);
    return fluid;
}

static void put_by(bmf_fluid *fluid, flow *f)
{
    *ARRAY_APPEND(fluid->spare, fluid->spares, fluid->spare_room) = f;
}

void fluid_clear(bmf_fluid *fluid)
{
    for (int64_t k = 0; k < fluid->flows; k++)
        put_by(fluid, fluid->heap[k]);
    for (int64_t c = 0; c < fluid->channels; c++)
        fluid->channel[c].count = 0;
    fluid->flows = fluid->started = 0;
}

void fluid_free(bmf_fluid *fluid)
{
    if (!fluid)
        return;
    fluid_clear(fluid);
    for (int64_t k = 0; k < fluid->spares; k++) {
        free(fluid->spare[k]->passage);
        free(fluid->spare[k]);
    }
    for (int64_t c = 0; c < fluid->channels; c++)
        free(fluid->channel[c].guest);
    free(fluid->share);
    free(fluid->touched);
    free(fluid->over);
    free(fluid->list);
    free(fluid->spare);
    free(fluid->heap);
    free(fluid->channel);
    free(fluid);
}

/* ---- the heaps ---- */

static inline bool goes_first(const flow *a, const flow *b)
{
    return a->due != b->due ? a->due < b->due : a->number < b->number;
}

#define HEAP(name)              flows_##name
#define HEAP_ELEMENT            flow *
#define HEAP_BEFORE(a, b)       goes_first(a, b)
#define HEAP_MOVED(heap, place) ((void)((heap)[place]->waiting = (place)))
#include "runtime/base/heap.h"

static void leave_heap(bmf_fluid *fluid, flow *f)
{
    flow *last = fluid->heap[--fluid->flows];
    if (last == f)
        return;
    fluid->heap[f->waiting] = last;
    flows_restore(fluid->heap, fluid->flows, f->waiting);
}

#define HEAP(name)        shares_##name
#define HEAP_ELEMENT      share
#define HEAP_BEFORE(a, b) ((a).rate != (b).rate ? (a).rate < (b).rate : (a).channel < (b).channel)
#include "runtime/base/heap.h"

/* ---- flows in channels ---- */

static void touch(bmf_fluid *fluid, int32_t c)
{
    if (fluid->channel[c].found)
        return;
    fluid->channel[c].found = true;
    fluid->touched[fluid->touches++] = c;
}

static void enter_channels(bmf_fluid *fluid, flow *f)
{
    for (int32_t k = 0; k < f->count; k++) {
        channel *c = &fluid->channel[f->passage[k].channel];
        f->passage[k].place = c->count;
        *ARRAY_APPEND(c->guest, c->count, c->room) = (guest){f, k};
        touch(fluid, f->passage[k].channel);
    }
}

static void leave_channels(bmf_fluid *fluid, const flow *f)
{
    for (int32_t k = 0; k < f->count; k++) {
        channel *c = &fluid->channel[f->passage[k].channel];
        guest last = c->guest[--c->count];
        c->guest[f->passage[k].place] = last;
        last.flow->passage[last.passage].place = f->passage[k].place;
        touch(fluid, f->passage[k].channel);
    }
}

/* ---- rates ---- */

static void list_flow(bmf_fluid *fluid, flow *f)
{
    *ARRAY_APPEND(fluid->list, fluid->listed, fluid->list_room) = f;
}

/* Everything that hangs together with the channels touched so far by flows that may get another rate. */
static void find_concerned(bmf_fluid *fluid)
{
    for (int64_t t = 0; t < fluid->touches; t++) {
        channel *c = &fluid->channel[fluid->touched[t]];
        c->left = c->bandwidth;
        c->open = c->count;
        for (int32_t g = 0; g < c->count; g++) {
            flow *f = c->guest[g].flow;
            if (f->rate > 0.0 && f->rate < fluid->floor) {
                f->fixed = true;
                c->left -= f->rate;
                c->open--;
                continue;
            }
            if (f->found)
                continue;
            f->found = true;
            f->fixed = false;
            list_flow(fluid, f);
            for (int32_t k = 0; k < f->count; k++)
                touch(fluid, f->passage[k].channel);
        }
    }
}

/* Up to `now` at the old rate, from then on at the new one. */
static void change_rate(bmf_fluid *fluid, flow *f, double rate, double now)
{
    f->fixed = true;
    if (f->rate == rate)
        return;
    f->left = fmax(f->left - f->rate * fmax(now - f->since, 0.0), 0.0);
    f->since = fmax(now, f->since);
    f->rate = rate;
    f->due = f->since + f->left / rate;
    flows_restore(fluid->heap, fluid->flows, f->waiting);
}

static void fix_guests(bmf_fluid *fluid, channel *full, double rate, double now)
{
    for (int32_t g = 0; g < full->count; g++) {
        flow *f = full->guest[g].flow;
        if (f->fixed)
            continue;
        change_rate(fluid, f, rate, now);
        for (int32_t k = 0; k < f->count; k++) {
            channel *c = &fluid->channel[f->passage[k].channel];
            c->left -= rate;
            c->open--;
        }
    }
}

/* What a channel's open flows would get only grows while others are fixed at less; so one that stands in the heap with
 * an old, smaller share is put back with its present one. Rounding must not make it fall below what was given. */
static void fill(bmf_fluid *fluid, double now)
{
    double level = 0.0;
    fluid->shares = 0;
    for (int64_t t = 0; t < fluid->touches; t++) {
        const channel *c = &fluid->channel[fluid->touched[t]];
        if (c->open > 0)
            shares_push(fluid->share, &fluid->shares, (share){c->left / c->open, fluid->touched[t]});
    }
    while (fluid->shares > 0) {
        share min = shares_pop(fluid->share, &fluid->shares);
        channel *c = &fluid->channel[min.channel];
        if (c->open == 0)
            continue;
        double present = fmax(c->left / c->open, level);
        if (present > min.rate) {
            shares_push(fluid->share, &fluid->shares, (share){present, min.channel});
            continue;
        }
        level = present;
        fix_guests(fluid, c, level, now);
    }
}

/* A flow gets at least its equal part of one of its channels. */
static double min_rate(const bmf_fluid *fluid, const flow *f)
{
    double min = INFINITY;
    for (int32_t k = 0; k < f->count; k++) {
        const channel *c = &fluid->channel[f->passage[k].channel];
        min = fmin(min, c->bandwidth / c->count);
    }
    return min;
}

/* No flow below the floor is concerned. Filling goes on as before up to the least rate of those that have ended: before
 * that no channel of theirs was full. And up to the least rate that those that have started can get: a channel of
 * theirs cannot be full earlier, because each of its flows gets at least its equal part of some channel. */
static void lower_floor(bmf_fluid *fluid)
{
    fluid->floor = INFINITY;
    for (int64_t k = 0; k < fluid->ends; k++)
        if (fluid->over[k]->rate > 0.0)
            fluid->floor = fmin(fluid->floor, fluid->over[k]->rate);
    for (int64_t k = 0; k < fluid->listed; k++)
        fluid->floor = fmin(fluid->floor, min_rate(fluid, fluid->list[k]));
    fluid->floor *= 1.0 - together;
}

static void find_rates(bmf_fluid *fluid, double now)
{
    lower_floor(fluid);
    fluid->listed = 0;
    find_concerned(fluid);
    fill(fluid, now);
    for (int64_t k = 0; k < fluid->listed; k++)
        fluid->list[k]->found = false;
    for (int64_t t = 0; t < fluid->touches; t++)
        fluid->channel[fluid->touched[t]].found = false;
    fluid->touches = 0;
}

/* ---- events ---- */

void fluid_start(bmf_fluid *fluid, double time, double bytes, int64_t count, const int32_t *route, void *owner)
{
    flow *f = fluid->spares > 0 ? fluid->spare[--fluid->spares] : allocate_clear(1, sizeof *f);
    if (count > f->room) {
        free(f->passage);
        f->passage = allocate(count * (int64_t)sizeof *f->passage);
        f->room = (int32_t)count;
    }
    for (int64_t k = 0; k < count; k++)
        f->passage[k].channel = route[k];
    f->count = (int32_t)count;
    f->owner = owner;
    f->left = bytes;
    f->rate = 0.0;
    f->since = f->due = time;
    f->number = fluid->started++;
    f->flows = f->found = false;
    ARRAY_RESERVE(fluid->heap, fluid->room, fluid->flows + 1);
    flows_push(fluid->heap, &fluid->flows, f);
}

double fluid_next(const bmf_fluid *fluid)
{
    return fluid->flows > 0 ? fluid->heap[0]->due : INFINITY;
}

/* A flow that starts stays in the heap, where it gets its end once it has a rate; until then it must not come again. */
static void begin_flow(bmf_fluid *fluid, flow *f)
{
    f->flows = true;
    f->due = INFINITY;
    flows_restore(fluid->heap, fluid->flows, f->waiting);
    enter_channels(fluid, f);
    list_flow(fluid, f);
}

void fluid_advance(bmf_fluid *fluid)
{
    const double now = fluid_next(fluid), limit = now + together * fabs(now);
    fluid->ends = fluid->listed = 0;
    while (fluid_next(fluid) <= limit) {
        flow *f = fluid->heap[0];
        if (!f->flows && f->left > 0.0 && f->count > 0) {
            begin_flow(fluid, f);
            continue;
        }
        if (f->flows)
            leave_channels(fluid, f);
        leave_heap(fluid, f);
        *ARRAY_APPEND(fluid->over, fluid->ends, fluid->end_room) = f;
    }
    find_rates(fluid, now);
    for (int64_t k = 0; k < fluid->ends; k++) {
        put_by(fluid, fluid->over[k]);
        fluid->ended(fluid->receiver, fluid->over[k]->owner, fluid->over[k]->due);
    }
}
