/* Carrying out the steps of recorded lanes with a network.
 *
 * Method: discrete events in causal order, as the simulator does it. A lane goes on by itself until it comes to a send
 * (or to being ready, if the network cares), which waits in a heap by (clock, lane), or until it needs a time that is
 * not known; what the network says, and the last member of a collective, wake it. Messages to oneself take no time.
 * Cost: O(log lanes) a send.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "predict/replay/recorded_private.h"
#include "runtime/base/allocate.h"

typedef struct waiting_lane {
    double clock;
    int32_t lane;
} waiting_lane;

#define HEAP(name)        lanes_##name
#define HEAP_ELEMENT      waiting_lane
#define HEAP_BEFORE(a, b) ((a).clock < (b).clock || ((a).clock == (b).clock && (a).lane < (b).lane))
#include "runtime/base/heap.h"

typedef struct engine {
    bmf_recorded_program *program;
    double *clock;
    int64_t *at;        /* by lane: the next step */
    int32_t *next_lane; /* chains of lanes that wait for one collective, -1 at the end */
    double *begin, *end;
    waiting_lane *heap;
    int64_t waiting;
} engine;

static void go_on(engine *e, int32_t lane);

static void wait_for_turn(engine *e, int32_t lane)
{
    lanes_push(e->heap, &e->waiting, (waiting_lane){e->clock[lane], lane});
}

static void wake(engine *e, int32_t *lane)
{
    const int32_t woken = *lane;
    *lane = -1;
    if (woken >= 0)
        go_on(e, woken);
}

static bmf_recorded_message *message_of(bmf_transit *transit)
{
    return (bmf_recorded_message *)transit; /* it comes first */
}

/* What the network says. */
static void became_known(void *simulator, bmf_transit *transit)
{
    bmf_recorded_message *m = message_of(transit);
    wake(simulator, &m->waiting[0]);
}

static void became_complete(void *simulator, bmf_transit *transit)
{
    bmf_recorded_message *m = message_of(transit);
    m->complete = true;
    wake(simulator, &m->waiting[0]);
    wake(simulator, &m->waiting[1]);
}

/* ---- steps; false: the lane stands still ---- */

static bool is_ordered(const engine *e, const bmf_recorded_step *step)
{
    const bmf_recorded_message *m = &e->program->message[step->index];
    if (step->kind != BMF_STEP_SEND && step->kind != BMF_STEP_POST)
        return false;
    return m->transit.from != m->transit.to && (step->kind == BMF_STEP_SEND || e->program->network->type->post);
}

static bool receive(engine *e, int32_t lane, bmf_recorded_message *m)
{
    const bmf_transit *t = &m->transit;
    if (!m->complete) {
        m->waiting[1] = lane;
        return false;
    }
    e->clock[lane] = fmax(e->clock[lane], t->arrived) + t->receive_overhead;
    return true;
}

/* Until a time of a sent message that its sender needs. */
static bool wait_until(engine *e, int32_t lane, bmf_recorded_message *m, double time)
{
    if (isnan(time)) {
        m->waiting[0] = lane;
        return false;
    }
    e->clock[lane] = fmax(e->clock[lane], time);
    return true;
}

static void join(engine *e, int32_t lane, bmf_recorded_collective *c)
{
    c->latest = c->arrived++ == 0 ? e->clock[lane] : fmax(c->latest, e->clock[lane]);
    if (c->arrived < c->members)
        return;
    for (int32_t waiting = (int32_t)c->waiting, next; waiting >= 0; waiting = next) {
        next = e->next_lane[waiting];
        go_on(e, waiting);
    }
}

static bool leave(engine *e, int32_t lane, bmf_recorded_collective *c)
{
    if (c->arrived < c->members) {
        e->next_lane[lane] = (int32_t)c->waiting;
        c->waiting = lane;
        return false;
    }
    e->clock[lane] = fmax(e->clock[lane], c->latest + (isnan(c->seconds) ? 0.0 : c->seconds));
    return true;
}

/* A message to oneself is there when it is sent. */
static void send_to_self(engine *e, int32_t lane, bmf_recorded_message *m)
{
    m->transit.sender_free = m->transit.send_done = m->transit.arrived = m->transit.sent = e->clock[lane];
    m->sent = true;
    became_complete(e, &m->transit);
}

static bool do_step(engine *e, int32_t lane, const bmf_recorded_step *step)
{
    bmf_recorded_program *p = e->program;
    bmf_recorded_message *m = &p->message[step->index];
    switch (step->kind) {
    case BMF_STEP_SECONDS:
        e->clock[lane] += step->seconds;
        return true;
    case BMF_STEP_BEGIN:
        e->begin[step->index] = e->clock[lane];
        return true;
    case BMF_STEP_END:
        e->end[step->index] = e->clock[lane];
        return true;
    case BMF_STEP_POST:
        if (!m->posted)
            m->transit.posted = p->network->type->post ? e->clock[lane] : INFINITY;
        m->posted = true;
        return true;
    case BMF_STEP_SEND: /* to oneself, or one that has been sent: the sender goes on */
        if (!m->sent)
            send_to_self(e, lane, m);
        return wait_until(e, lane, m, m->transit.sender_free);
    case BMF_STEP_RECEIVE:
        return receive(e, lane, m);
    case BMF_STEP_SENT:
        return wait_until(e, lane, m, m->transit.send_done);
    case BMF_STEP_JOIN:
        join(e, lane, &p->collective[step->index]);
        return true;
    case BMF_STEP_LEAVE:
        return leave(e, lane, &p->collective[step->index]);
    }
    return true;
}

static void go_on(engine *e, int32_t lane)
{
    const bmf_recorded_program *p = e->program;
    while (e->at[lane] < p->first_step[lane + 1]) {
        const bmf_recorded_step *step = &p->step[e->at[lane]];
        if (is_ordered(e, step) && !(step->kind == BMF_STEP_SEND && p->message[step->index].sent)) {
            wait_for_turn(e, lane);
            return;
        }
        if (!do_step(e, lane, step))
            return;
        e->at[lane]++;
    }
}

/* ---- turns ---- */

static void send(engine *e, bmf_recorded_message *m, double clock)
{
    bmf_network *network = e->program->network;
    bmf_transit *t = &m->transit;
    t->sent = clock;
    t->sender_free = t->send_done = t->arrived = NAN;
    m->sent = true;
    if (network->type->collective)
        network->type->send_round(network, &t, 1);
    else
        network->type->send(network, t);
}

static void take_turn(engine *e)
{
    bmf_recorded_program *p = e->program;
    const waiting_lane first = lanes_pop(e->heap, &e->waiting);
    const bmf_recorded_step *step = &p->step[e->at[first.lane]];
    bmf_recorded_message *m = &p->message[step->index];
    if (step->kind == BMF_STEP_SEND) {
        send(e, m, first.clock);
    } else {
        m->transit.posted = first.clock;
        m->posted = true;
        e->at[first.lane]++;
        if (m->sent && !m->complete)
            p->network->type->post(p->network, &m->transit);
    }
    go_on(e, first.lane);
}

static double network_next(const engine *e)
{
    bmf_network *network = e->program->network;
    return network->type->next ? network->type->next(network) : INFINITY;
}

/* The first lane that did not come to its end, and what it waits in. */
static int deadlock(const engine *e)
{
    const bmf_recorded_program *p = e->program;
    char text[400];
    size_t used = 0;
    int32_t standing = 0;
    for (int32_t lane = 0; lane < p->run->lanes; lane++) {
        if (e->at[lane] == p->first_step[lane + 1])
            continue;
        int64_t at = e->at[lane];
        while (at > p->first_step[lane] && p->step[at].kind != BMF_STEP_BEGIN)
            at--;
        const bmf_event *event = &p->run->event[p->step[at].index];
        if (standing++ < 4 && used + 80 < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%srank %d in %.24s", used ? ", " : "", lane,
                                     p->run->name[event->name]);
    }
    if (standing == 0)
        return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "%d ranks wait for each other for ever: %s%s", standing, text,
                    standing > 4 ? ", .." : "");
}

int recorded_run(bmf_recorded_program *p, double *begin, double *end, double *seconds)
{
    const int64_t lanes = p->run->lanes;
    engine e = {.program = p, .begin = begin, .end = end};
    e.clock = allocate_clear(lanes, (int64_t)sizeof *e.clock);
    e.at = allocate_array(lanes, (int64_t)sizeof *e.at);
    e.next_lane = allocate_array(lanes, (int64_t)sizeof *e.next_lane);
    e.heap = allocate_array(lanes + 1, (int64_t)sizeof *e.heap);
    p->network->complete = became_complete;
    p->network->freed = became_known;
    p->network->simulator = &e;
    p->network->type->start(p->network, 0);
    for (int32_t lane = 0; lane < lanes; lane++)
        e.at[lane] = p->first_step[lane];
    for (int32_t lane = 0; lane < lanes; lane++)
        go_on(&e, lane);
    while (e.waiting > 0 || network_next(&e) < INFINITY) {
        if (e.waiting == 0 || network_next(&e) <= e.heap[0].clock)
            p->network->type->advance(p->network);
        else
            take_turn(&e);
    }
    *seconds = 0.0;
    for (int64_t lane = 0; lane < lanes; lane++)
        *seconds = fmax(*seconds, e.clock[lane]);
    const int status = deadlock(&e);
    free(e.clock);
    free(e.at);
    free(e.next_lane);
    free(e.heap);
    return status;
}
