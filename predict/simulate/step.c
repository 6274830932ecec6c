/* One step of the simulation: what a processor does, and what it learns from the network.
 *
 * Method: only sends (and posts, if the network cares) are put into the heap, because only they call the network, whose
 * calls must be in the order of time. Everything else concerns the processor alone, so it is carried out as soon as the
 * times that it needs are known: a receive or wait that lacks one stands until the network says it.
 * Cost: one sifting of the heap a send; receives of one round are sorted by arrival.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/simulate/simulate_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

/* The processors that can go on, earliest first; of one time the lowest first. */
#define HEAP(name)        queue_##name
#define HEAP_ELEMENT      queued
#define HEAP_BEFORE(a, b) ((a).time < (b).time || ((a).time == (b).time && (a).processor < (b).processor))
#define HEAP_CHILDREN     4
#include "runtime/base/heap.h"

void step_fail(bmf_simulator *s, const bmf_transit *message, const char *what)
{
    if (s->status == BMF_OK)
        s->status = bmf_fail(NULL, BMF_ERROR_INTERNAL, "network %s %s: message from %lld to %lld, sent at %.9g s",
                             s->type->name, what, (long long)message->from, (long long)message->to, message->sent);
}

/* ---- sends that were not waited for ---- */

static int32_t find_open(const bmf_simulator *s, const processor *me, int64_t round)
{
    int32_t at = me->open;
    while (at >= 0 && s->round[at].round != round)
        at = s->round[at].next;
    return at;
}

static int32_t new_open(bmf_simulator *s)
{
    if (s->round_spare >= 0) {
        int32_t at = s->round_spare;
        s->round_spare = s->round[at].next;
        return at;
    }
    ARRAY_RESERVE(s->round, s->round_capacity, s->rounds + 1);
    return s->rounds++;
}

static open_round *open_for(bmf_simulator *s, processor *me, int64_t round)
{
    int32_t at = find_open(s, me, round);
    if (at < 0) {
        at = new_open(s);
        s->round[at] = (open_round){.round = round, .next = me->open};
        me->open = at;
    }
    return &s->round[at];
}

static void close_open(bmf_simulator *s, processor *me, int32_t closing)
{
    int32_t *link = &me->open;
    while (*link != closing)
        link = &s->round[*link].next;
    *link = s->round[closing].next;
    s->round[closing].next = s->round_spare;
    s->round_spare = closing;
}

/* ---- what a processor does alone ---- */

static void compute(bmf_simulator *s, processor *me, const bmf_action *action)
{
    const double begin = me->clock;
    me->clock += chances_seconds(&s->chances, s->compute_factor, action, me->at);
    if (s->recorder)
        record_compute(s, action, begin, me->clock);
}

static int by_arrival(const void *a, const void *b)
{
    const taken *x = a, *y = b;
    if (x->arrived != y->arrived)
        return x->arrived < y->arrived ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->action < y->action ? -1 : x->action > y->action;
}

static void take(bmf_simulator *s, processor *me, int64_t index, const flight *arrived)
{
    const bmf_action *action = &s->action[index];
    const bmf_transit *message = &arrived->transit;
    const double begin = me->clock;
    if (message->arrived > begin) {
        me->idle += message->arrived - begin;
        me->clock = message->arrived;
    }
    me->clock += message->receive_overhead;
    if (s->recorder)
        record_receive(s, action, message, begin, me->clock);
    flight_received(s, action->message);
}

static bool is_receive_of(const bmf_simulator *s, int64_t index, int64_t round)
{
    return index >= 0 && s->action[index].kind == BMF_ACTION_RECEIVE && s->action[index].amount == round;
}

static void add_taken(bmf_simulator *s, int64_t count, int64_t index, flight *arrived)
{
    ARRAY_RESERVE(s->taken, s->taken_capacity, count + 1);
    s->taken[count] = (taken){arrived->transit.arrived, arrived->transit.from, index, arrived};
}

/* Takes the receives of a round that follow each other, if all have arrived. `from` on, they are not known to have. */
static bool receive(bmf_simulator *s, processor *me, int64_t from)
{
    const bmf_action *action = s->action;
    const int64_t first = me->at, round = action[first].amount;
    int64_t count = 0, index = from;
    for (; is_receive_of(s, index, round); index = s->next[index])
        if (!(flight_of(s, action[index].message)->known & FLIGHT_ARRIVED)) {
            me->blocked_on = BLOCKED_RECEIVE;
            me->awaited = index;
            return false;
        }
    me->at = index;
    if (s->next[first] == index) {
        take(s, me, first, flight_of(s, action[first].message));
        return true;
    }
    for (int64_t k = first; k != index; k = s->next[k])
        add_taken(s, count++, k, flight_of(s, action[k].message));
    qsort(s->taken, (size_t)count, sizeof *s->taken, by_arrival);
    for (int64_t k = 0; k < count; k++)
        take(s, me, s->taken[k].action, s->taken[k].flight);
    return true;
}

static bool wait(bmf_simulator *s, processor *me, const bmf_action *action)
{
    const double begin = me->clock;
    const int32_t open = find_open(s, me, action->message);
    if (open >= 0) {
        if (s->round[open].unfinished > 0) {
            me->blocked_on = BLOCKED_WAIT;
            me->awaited = action->message;
            return false;
        }
        if (s->round[open].done > begin) {
            me->idle += s->round[open].done - begin;
            me->clock = s->round[open].done;
        }
        close_open(s, me, open);
    }
    if (s->recorder && action->amount)
        record_wait(s, action, begin, me->clock);
    return true;
}

static void leave_barrier(bmf_simulator *s, processor *me, double clock)
{
    const bmf_action *action = &s->action[me->at];
    const double begin = me->clock;
    const double seconds =
        isnan(action->seconds) ? chances_meeting(&s->chances, s->agreement, s->meetings) : action->seconds;
    me->idle += clock - begin;
    me->clock = clock + seconds;
    if (s->recorder)
        record_barrier(s, action, begin, me->clock, seconds);
}

/* The last one wakes the others. */
static bool barrier(bmf_simulator *s, processor *me)
{
    if (s->barrier == 0 || me->clock > s->barrier_clock)
        s->barrier_clock = me->clock;
    if (++s->barrier < s->actions->processors) {
        me->blocked_on = BLOCKED_BARRIER;
        return false;
    }
    const double clock = s->barrier_clock;
    s->barrier = 0;
    if (me->at < s->actions->start)
        s->loading = clock;
    for (int64_t p = 0; p < s->actions->processors; p++) {
        processor *other = &s->processor[p];
        if (other->blocked_on != BLOCKED_BARRIER)
            continue;
        leave_barrier(s, other, clock);
        other->at = s->next[other->at];
        step_on(s, p);
    }
    leave_barrier(s, me, clock);
    s->meetings++;
    return true;
}

/* True when the processor is ready for a call into the network; false when it stands or has done everything. */
static bool go_on(bmf_simulator *s, int64_t p)
{
    processor *me = &s->processor[p];
    me->blocked_on = BLOCKED_NOT;
    while (me->at >= 0) {
        const bmf_action *action = &s->action[me->at];
        if (s->recorder)
            record_scopes(s, p, me->at);
        switch ((bmf_action_kind)action->kind) {
        case BMF_ACTION_SEND:
            return true;
        case BMF_ACTION_POST:
            if (s->type->post)
                return true;
            break;
        case BMF_ACTION_RECEIVE:
            if (!receive(s, me, me->at))
                return false;
            continue;
        case BMF_ACTION_COMPUTE:
            compute(s, me, action);
            break;
        case BMF_ACTION_OVERHEAD:
            me->clock += chances_seconds(&s->chances, s->compute_factor, action, me->at);
            break;
        case BMF_ACTION_WAIT:
            if (!wait(s, me, action))
                return false;
            break;
        case BMF_ACTION_BARRIER:
            if (!barrier(s, me))
                return false;
            break;
        }
        me->at = s->next[me->at];
    }
    return false;
}

void step_on(bmf_simulator *s, int64_t p)
{
    if (go_on(s, p))
        queue_push(s->heap, &s->heap_count, (queued){s->processor[p].clock, p});
}

/* ---- what it learns ---- */

/* The sender's processor leaves its send. */
static void finish_send(bmf_simulator *s, processor *me, const bmf_transit *message)
{
    const bmf_action *action = &s->action[me->at];
    if (!(message->sender_free >= message->sent))
        step_fail(s, message, "frees its sender before it sends");
    if (s->recorder)
        record_send(s, action, message, message->sent, message->sender_free);
    me->clock = message->sender_free;
    me->at = s->next[me->at];
}

/* The sender learns what has become known since it handed the message over. */
static void tell_sender(bmf_simulator *s, flight *told)
{
    const bmf_transit *message = &told->transit;
    const int64_t from = message->from, round = message->round;
    processor *me = &s->processor[from];
    const bool stood = me->blocked_on == BLOCKED_SEND && s->action[me->awaited].message == told->number &&
                       !isnan(message->sender_free);
    if (told->known & FLIGHT_UNFINISHED && !isnan(message->send_done)) {
        open_round *open = &s->round[find_open(s, me, round)];
        told->known &= ~(unsigned)FLIGHT_UNFINISHED;
        open->unfinished--;
        open->done = fmax(open->done, message->send_done);
        if (!(message->send_done >= s->now))
            step_fail(s, message, "says too late when its sender's memory is free");
        if (me->blocked_on == BLOCKED_WAIT && me->awaited == round && open->unfinished == 0)
            step_on(s, from);
    }
    if (stood) {
        if (!(message->sender_free >= s->now))
            step_fail(s, message, "says too late when its sender is free");
        finish_send(s, me, message);
        step_on(s, from);
    }
}

void step_freed(void *simulator, bmf_transit *message)
{
    tell_sender(simulator, (flight *)(void *)message);
}

void step_complete(void *simulator, bmf_transit *message)
{
    bmf_simulator *s = simulator;
    flight *told = (flight *)(void *)message;
    const int64_t to = message->to, number = told->number;
    if (!(message->sender_free >= message->sent) || !(message->send_done >= message->sent) ||
        !(message->arrived >= message->sent) || !(message->receive_overhead >= 0) ||
        (told->known & (FLIGHT_SENT | FLIGHT_ARRIVED)) != FLIGHT_SENT)
        step_fail(s, message, "completes a message without sensible times, or twice");
    else if (!s->type->collective && message->arrived < s->now)
        step_fail(s, message, "says too late when a message arrives");
    told->known |= FLIGHT_ARRIVED;
    if (!s->type->collective)
        tell_sender(s, told);
    processor *me = &s->processor[to];
    if (me->blocked_on == BLOCKED_RECEIVE && s->action[me->awaited].message == number && receive(s, me, me->awaited))
        step_on(s, to);
}

/* ---- calls into the network ---- */

flight *message_inject(bmf_simulator *s, const bmf_action *action, double now)
{
    const bmf_scheduled_message *message = &s->actions->message[action->message];
    flight *sent = flight_of(s, action->message);
    flight_keep(s, action->message);
    sent->transit = (bmf_transit){.from = message->from,
                                  .to = message->to,
                                  .bytes = message->bytes,
                                  .round = message->round,
                                  .sent = now,
                                  .posted = sent->transit.posted,
                                  .sender_free = NAN,
                                  .send_done = NAN,
                                  .arrived = NAN};
    sent->number = action->message;
    sent->known = FLIGHT_SENT;
    return sent;
}

void step_count_done(bmf_simulator *s, processor *sender, flight *sent)
{
    open_round *open = open_for(s, sender, sent->transit.round);
    if (isnan(sent->transit.send_done)) {
        sent->known |= FLIGHT_UNFINISHED;
        open->unfinished++;
    } else {
        open->done = fmax(open->done, sent->transit.send_done);
    }
}

static bool send(bmf_simulator *s, int64_t p, processor *me)
{
    const bmf_action *action = &s->action[me->at];
    const int64_t number = action->message;
    flight *sent = message_inject(s, action, me->clock);
    bool ready = false;
    s->type->send(s->network, &sent->transit);
    step_count_done(s, me, sent);
    if (isnan(sent->transit.sender_free)) {
        me->blocked_on = BLOCKED_SEND;
        me->awaited = me->at;
    } else {
        finish_send(s, me, &sent->transit);
        ready = go_on(s, p);
    }
    flight_received(s, number);
    return ready;
}

static bool post(bmf_simulator *s, int64_t p, processor *me)
{
    for (int64_t m = s->action[me->at].amount; m >= 0; m = s->actions->message[m].next) {
        flight *posted = flight_of(s, m);
        posted->transit.posted = me->clock;
        if ((posted->known & (FLIGHT_SENT | FLIGHT_ARRIVED)) == FLIGHT_SENT)
            s->type->post(s->network, &posted->transit);
    }
    me->at = s->next[me->at];
    return go_on(s, p);
}

void simulator_resume(bmf_simulator *s)
{
    const int64_t p = s->heap[0].processor;
    processor *me = &s->processor[p];
    bool ready = false;
    /* While it acts it keeps the first place, before any time, so that going on costs one sifting instead of two. */
    s->heap[0].time = -1;
    if (s->type->collective) {
        round_join(s, p);
    } else {
        s->now = me->clock;
        ready = s->action[me->at].kind == BMF_ACTION_SEND ? send(s, p, me) : post(s, p, me);
    }
    if (ready)
        queue_replace_first(s->heap, s->heap_count, (queued){me->clock, p});
    else
        queue_pop(s->heap, &s->heap_count);
}

/* ---- agreements ---- */

static void note_complete(void *simulator, bmf_transit *message)
{
    (void)message;
    *(bool *)simulator = true;
}

static void ignore(void *simulator, bmf_transit *message)
{
    (void)simulator;
    (void)message;
}

double step_agreement(bmf_network *network, int64_t sample)
{
    const bmf_network_type *type = network->type;
    bool complete = false;
    int levels = 0;
    network->complete = note_complete;
    network->freed = ignore;
    network->simulator = &complete;
    type->start(network, sample);
    if (type->agreement)
        return type->agreement(network, network->processors);
    if (network->processors < 2)
        return 0;
    while (INT64_C(1) << levels < network->processors)
        levels++;
    bmf_transit message = {.to = 1, .bytes = 8, .sender_free = NAN, .send_done = NAN, .arrived = NAN};
    if (type->collective)
        type->send_round(network, &(bmf_transit *){&message}, 1);
    else
        type->send(network, &message);
    while (!complete && type->next && type->next(network) < INFINITY)
        type->advance(network);
    return complete ? 2 * levels * (message.arrived + message.receive_overhead) : 0;
}
