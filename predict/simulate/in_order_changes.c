/* Runs in the order of their recording: a pass over what has changed since the last one.
 *
 * Method: messages whose ports were passed again have news, and so has what follows from them: the clock of a processor
 * that takes such a message, or waits for it, is shifted; what it sends afterwards is stale, and so are messages that
 * pass a port next to one whose times have changed. Everything else is as the last pass left it, so that it is not
 * looked at. A processor whose clock is what it was when it sends again is no longer shifted. Cost: some nanoseconds a
 * message and computation of what has news, less than one of the rest. Source: event-driven evaluation of the passes of
 * waveform relaxation, as in logic simulation. */
#include <string.h>

#include "predict/simulate/in_order_state.h"

/* From here on the processor's clock is another one than in the last pass. */
static void shift(in_order_run_state *r, int32_t whose, double clock)
{
    r->clock[whose] = clock;
    r->shifts += !r->shifted[whose];
    r->shifted[whose] = 1;
}

static void unshift(in_order_run_state *r, int32_t whose)
{
    r->shifted[whose] = 0;
    r->shifts--;
}

/* ---- messages ---- */

/* Those that pass the port next to the message and are looked at later. */
static void wake_neighbours(in_order_run_state *r, int32_t m)
{
    const course *c = &r->course[m];
    for (int side = IN; side <= OUT; side++) {
        if (c->before[side] > m)
            r->news[c->before[side]] |= NEWS_STALE;
        if (c->after[side] > m)
            r->news[c->after[side]] |= NEWS_STALE;
    }
}

/* Its sender, its receiver and its neighbours are told what is new, as far as it is. old, pushed: before the sender's
 * clock was looked at. */
static void depart_again(in_order_run_state *r, int32_t m, course old, double pushed)
{
    const course *c = &r->course[m];
    in_order_depart(r, m);
    const bool known =
        !(r->news[m] & NEWS_ORDER) && memcmp(c, &old, sizeof old) == 0 && (!r->pushed || r->pushed[m] == pushed);
    r->news[m] &= (uint8_t) ~(NEWS_STALE | NEWS_ORDER);
    r->news[m] |= (uint8_t)((c->done != old.done ? NEWS_DONE : 0) | (c->arrived != old.arrived ? NEWS_ARRIVED : 0));
    if (known || !ordered_times(r->o, m)->ported)
        return;
    for (int side = IN; side <= OUT; side++) /* it may have gone forward */
        if (old.after[side] > m)
            r->news[old.after[side]] |= NEWS_STALE;
    wake_neighbours(r, m);
}

static void send_again(in_order_run_state *r, int32_t m)
{
    const int32_t whose = r->o->message[m].from;
    if (!r->shifts && !(r->news[m] & NEWS_STALE))
        return;
    course *c = &r->course[m];
    const course old = *c;
    if (r->shifted[whose] && r->clock[whose] == c->sent)
        unshift(r, whose);
    if (!r->shifted[whose] && !(r->news[m] & NEWS_STALE))
        return;
    if (r->shifted[whose]) {
        c->sent = r->clock[whose];
        r->clock[whose] += ordered_times(r->o, m)->busy;
    }
    depart_again(r, m, old, r->pushed ? r->pushed[m] : 0.0);
}

static void post_again(in_order_run_state *r, int32_t first)
{
    const int32_t whose = r->o->message[first].to;
    if (!r->shifted[whose])
        return;
    for (int32_t m = first; m >= 0; m = r->o->message[m].next) {
        if (r->posted[m] != r->clock[whose])
            r->news[m] |= NEWS_STALE | NEWS_ORDER;
        r->posted[m] = r->clock[whose];
    }
}

/* Whether one of a chain has such news, which is known now. */
static bool take_news(in_order_run_state *r, int32_t first, news kind)
{
    bool any = false;
    for (int32_t m = first; m >= 0; m = kind == NEWS_DONE ? r->o->message[m].next_sent : r->o->message[m].next) {
        any = any || r->news[m] & kind;
        r->news[m] &= (uint8_t)~kind;
    }
    return any;
}

static void receive_again(in_order_run_state *r, int32_t first)
{
    const int32_t whose = r->o->message[first].to;
    if (!take_news(r, first, NEWS_ARRIVED) && !r->shifted[whose])
        return;
    if (r->shifted[whose])
        r->ready[first] = r->clock[whose];
    shift(r, whose, in_order_take(r, first, r->ready[first]));
}

static void wait_again(in_order_run_state *r, int32_t first)
{
    const int32_t whose = r->o->message[first].from;
    if (!take_news(r, first, NEWS_DONE) && !r->shifted[whose])
        return;
    if (r->shifted[whose])
        r->waits[first] = r->clock[whose];
    shift(r, whose, in_order_wait(r, first, r->waits[first]));
}

/* ---- computing ---- */

static void add_family(in_order_run_state *r, const ordered_part *part, const double *seconds)
{
    const bmf_actions *actions = r->o->actions;
    for (int64_t k = part->begin; k < part->end; k++) {
        const bmf_member *member = &actions->member[k];
        const int64_t count = actions->slice[part->slice + member->slice].count;
        for (int64_t within = 0; within < count && r->shifted[member->processor]; within++)
            r->clock[member->processor] += seconds[within];
        seconds += count;
    }
}

static void compute_again(in_order_run_state *r, const ordered_part *part)
{
    const double *seconds = r->seconds + part->computation;
    if (!r->shifts)
        return;
    if (part->kind == ORDERED_FAMILY)
        add_family(r, part, seconds);
    for (int64_t k = part->begin; part->kind == ORDERED_COMPUTE && k < part->end; k++) {
        const int32_t whose = r->o->computations.of[k].processor;
        if (r->shifted[whose])
            r->clock[whose] += seconds[k - part->begin];
    }
    for (int64_t p = 0; part->kind == ORDERED_ALL && p < r->o->actions->processors; p++)
        if (r->shifted[p])
            r->clock[p] += seconds[p];
}

/* ---- passes ---- */

/* False: it is a meeting to which shifted processors come. */
static bool pass_part_again(in_order_run_state *r, const ordered_part *part)
{
    const int32_t *item = part->listed ? r->o->item : NULL;
    switch (part->kind) {
    case ORDERED_COMPUTE:
    case ORDERED_FAMILY:
    case ORDERED_ALL:
        compute_again(r, part);
        break;
    case ORDERED_POST:
        for (int64_t k = part->begin; k < part->end && r->shifts; k++)
            post_again(r, item ? item[k] : (int32_t)k);
        break;
    case ORDERED_SEND:
        for (int64_t k = part->begin; k < part->end; k++)
            send_again(r, (int32_t)k);
        break;
    case ORDERED_RECEIVE:
        for (int64_t k = part->begin; k < part->end; k++)
            receive_again(r, item ? item[k] : (int32_t)k);
        break;
    case ORDERED_WAIT:
        for (int64_t k = part->begin; k < part->end; k++)
            wait_again(r, item ? item[k] : (int32_t)k);
        break;
    case ORDERED_PAIRS:
        for (int32_t m = (int32_t)part->begin; m < part->end; m++) {
            send_again(r, m);
            receive_again(r, m);
            wait_again(r, m);
        }
        break;
    case ORDERED_LOADED:
    case ORDERED_MEET:
        return r->shifts == 0;
    }
    return true;
}

bool in_order_follow_changes(in_order_run_state *r)
{
    const bmf_in_order *o = r->o;
    bool possible = true;
    for (int64_t k = o->leading; k < o->parts && possible; k++)
        possible = pass_part_again(r, &o->part[k]);
    for (int64_t p = 0; p < o->actions->processors && r->shifts > 0; p++)
        if (r->shifted[p]) {
            r->last[p] = r->clock[p];
            unshift(r, (int32_t)p);
        }
    return possible;
}
