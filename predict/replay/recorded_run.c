/* Carrying out the steps of the lanes of MPI programs with a network.
 *
 * Method: discrete events in causal order, as the simulator does it. A lane goes on by itself until it comes to a send
 * (or to being ready, if the network cares), which waits in a heap by (clock, lane), or until it needs a time that is
 * not known; what the network says, and the last member of a collective, wake it. Messages to oneself take no time. Of
 * several receives that one call waits for, the one that arrives first is taken first.
 * Cost: O(log lanes) a send.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "predict/replay/recorded_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

#define HEAP(name)        lanes_##name
#define HEAP_ELEMENT      waiting_lane
#define HEAP_BEFORE(a, b) ((a).clock < (b).clock || ((a).clock == (b).clock && (a).lane < (b).lane))
#include "runtime/base/heap.h"
#include "predict/replay/fail.h"

void recorded_add_step(bmf_recorded_lane *lane, bmf_step_kind kind, int64_t index, double seconds)
{
    *ARRAY_APPEND(lane->step, lane->steps, lane->capacity) = (bmf_recorded_step){seconds, index, (uint16_t)kind, 0, 0};
}

static void changed(bmf_recorded_program *p, int64_t lane)
{
    if (p->changed)
        p->changed(p, lane);
}

static void wait_for_turn(bmf_recorded_program *p, int32_t lane)
{
    lanes_push(p->heap, &p->waiting, (waiting_lane){p->lane[lane].clock, lane});
}

static void wake(bmf_recorded_program *p, int32_t *lane)
{
    const int32_t woken = *lane;
    *lane = -1;
    if (woken >= 0)
        recorded_go_on(p, woken);
}

static bmf_recorded_message *message_of(bmf_transit *transit)
{
    return (bmf_recorded_message *)transit; /* it comes first */
}

/* What the network says. */
static void became_known(void *simulator, bmf_transit *transit)
{
    bmf_recorded_message *m = message_of(transit);
    changed(simulator, transit->from);
    wake(simulator, &m->waiting[0]);
}

static void became_complete(void *simulator, bmf_transit *transit)
{
    bmf_recorded_message *m = message_of(transit);
    m->complete = true;
    changed(simulator, transit->from);
    changed(simulator, transit->to);
    wake(simulator, &m->waiting[0]);
    wake(simulator, &m->waiting[1]);
}

/* ---- steps; false: the lane stands still ---- */

static bool is_post(const bmf_recorded_step *step)
{
    return step->kind == BMF_STEP_POST || step->kind == BMF_STEP_POST_OPEN;
}

/* The message of a post, send or receive; NULL: not known yet. */
static bmf_recorded_message *message_of_step(const bmf_recorded_program *p, const bmf_recorded_step *step)
{
    if (step->kind != BMF_STEP_POST_OPEN && step->kind != BMF_STEP_RECEIVE_OPEN)
        return message_at(p, step->index);
    const int64_t m = p->receive[step->index].message;
    return m < 0 ? NULL : message_at(p, m);
}

static bool is_ordered(const bmf_recorded_program *p, const bmf_recorded_step *step)
{
    if (step->kind != BMF_STEP_SEND && !is_post(step))
        return false;
    if (is_post(step) && !p->network->type->post)
        return false;
    const bmf_recorded_message *m = message_of_step(p, step);
    return !m || m->transit.from != m->transit.to;
}

/* The first of the step's messages that is not there yet. False, and the lane is going to be woken: there is one. */
static bool all_arrived(bmf_recorded_program *p, int32_t lane, const bmf_recorded_step *step)
{
    for (int32_t k = 0; k <= step->more; k++) {
        bmf_recorded_message *m = message_of_step(p, &step[k]);
        if (m && m->complete)
            continue;
        *(m ? &m->waiting[1] : &p->receive[step[k].index].waiting) = lane;
        return false;
    }
    return true;
}

static int by_arrival(const void *a, const void *b)
{
    const bmf_transit *x = *(const bmf_transit *const *)a, *y = *(const bmf_transit *const *)b;
    if (x->arrived != y->arrived)
        return x->arrived < y->arrived ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static void take(bmf_recorded_lane *lane, const bmf_transit *t)
{
    lane->clock = fmax(lane->clock, t->arrived) + t->receive_overhead;
}

static bool receive(bmf_recorded_program *p, int32_t number, const bmf_recorded_step *step)
{
    bmf_recorded_lane *lane = &p->lane[number];
    const int32_t count = step->more + 1;
    if (!all_arrived(p, number, step))
        return false;
    if (count == 1) {
        take(lane, &message_of_step(p, step)->transit);
        return true;
    }
    const bmf_transit **list = allocate_array(count, (int64_t)sizeof *list);
    for (int32_t k = 0; k < count; k++)
        list[k] = &message_of_step(p, &step[k])->transit;
    qsort(list, (size_t)count, sizeof *list, by_arrival);
    for (int32_t k = 0; k < count; k++)
        take(lane, list[k]);
    free(list);
    lane->at += step->more;
    return true;
}

/* Until a time of a sent message that its sender needs. */
static bool wait_until(bmf_recorded_lane *lane, int32_t number, bmf_recorded_message *m, double time)
{
    if (isnan(time)) {
        m->waiting[0] = number;
        return false;
    }
    lane->clock = fmax(lane->clock, time);
    return true;
}

/* Wakes the lanes that wait for a collective. */
static void wake_all(bmf_recorded_program *p, bmf_recorded_collective *c)
{
    int32_t waiting = c->waiting;
    c->waiting = -1;
    for (int32_t next; waiting >= 0; waiting = next) {
        next = p->lane[waiting].next;
        recorded_go_on(p, waiting);
    }
}

static void stand(bmf_recorded_program *p, int32_t lane, bmf_recorded_collective *c)
{
    p->lane[lane].next = c->waiting;
    c->waiting = lane;
}

static void join(bmf_recorded_program *p, int32_t lane, int64_t number)
{
    bmf_recorded_collective *c = &p->collective[number];
    const double clock = p->lane[lane].clock;
    c->latest = c->arrived++ == 0 ? clock : fmax(c->latest, clock);
    if (c->arrived < c->members)
        return;
    for (int32_t k = 0; k < c->members; k++)
        changed(p, c->member[k]);
    wake_all(p, c);
}

static bool leave(bmf_recorded_program *p, int32_t lane, bmf_recorded_collective *c)
{
    if (c->arrived < c->members) {
        stand(p, lane, c);
        return false;
    }
    p->lane[lane].clock = fmax(p->lane[lane].clock, c->latest + (isnan(c->seconds) ? 0.0 : c->seconds));
    return true;
}

typedef struct inserted {
    bmf_recorded_step *step;
    int64_t steps, capacity;
} inserted;

static void insert(void *state, bmf_step_kind kind, int64_t message)
{
    inserted *list = state;
    *ARRAY_APPEND(list->step, list->steps, list->capacity) = (bmf_recorded_step){0.0, message, (uint16_t)kind, 0, 0};
}

/* Of a running program, once all call the collective: its messages, or its time, come behind the step. */
static bool make_rounds(bmf_recorded_program *p, int32_t number, bmf_recorded_collective *c)
{
    bmf_recorded_lane *lane = &p->lane[number];
    inserted list = {0};
    if (c->called < c->members) {
        stand(p, number, c);
        return false;
    }
    if (isnan(c->seconds))
        recorded_add_rounds(p, c, number, insert, &list);
    else
        insert(&list, BMF_STEP_LEAVE, c - p->collective);
    for (int64_t k = 0; k < list.steps; k++)
        list.step[k].call = lane->step[lane->at].call;
    ARRAY_RESERVE(lane->step, lane->capacity, lane->steps + list.steps);
    bmf_recorded_step *behind = lane->step + lane->at + 1;
    memmove(behind + list.steps, behind, (size_t)(lane->steps - lane->at - 1) * sizeof *behind);
    if (list.steps > 0)
        memcpy(behind, list.step, (size_t)list.steps * sizeof *behind);
    lane->steps += list.steps;
    free(list.step);
    return true;
}

/* A message to oneself is there when it is sent. */
static void send_to_self(bmf_recorded_program *p, int32_t lane, bmf_recorded_message *m)
{
    m->transit.sender_free = m->transit.send_done = m->transit.arrived = m->transit.sent = p->lane[lane].clock;
    m->sent = true;
    became_complete(p, &m->transit);
}

/* The receive of a message is ready at a time. */
static void post(bmf_recorded_program *p, bmf_recorded_message *m, double clock)
{
    if (!m->posted)
        m->transit.posted = p->network->type->post ? clock : INFINITY;
    m->posted = true;
}

static void post_open(bmf_recorded_program *p, bmf_recorded_receive *r, double clock)
{
    r->posted = true;
    r->at = clock;
    if (r->message >= 0)
        post(p, message_at(p, r->message), clock);
    changed(p, r->lane);
}

void recorded_known(bmf_recorded_program *p, bmf_recorded_receive *r, int64_t number)
{
    bmf_recorded_message *m = message_at(p, number);
    r->message = number;
    if (r->posted) {
        post(p, m, r->at);
        if (m->sent && !m->complete && p->network->type->post)
            p->network->type->post(p->network, &m->transit);
    }
    changed(p, r->lane);
    wake(p, &r->waiting);
}

static bool do_step(bmf_recorded_program *p, int32_t number, const bmf_recorded_step *step)
{
    bmf_recorded_lane *lane = &p->lane[number];
    bmf_recorded_message *m;
    switch ((bmf_step_kind)step->kind) {
    case BMF_STEP_SECONDS:
        lane->clock += step->seconds * p->compute_factor;
        return true;
    case BMF_STEP_BEGIN:
        p->begin[step->index] = lane->clock;
        return true;
    case BMF_STEP_END:
        p->end[step->index] = lane->clock;
        return true;
    case BMF_STEP_POST:
        post(p, message_at(p, step->index), lane->clock);
        return true;
    case BMF_STEP_POST_OPEN:
        post_open(p, &p->receive[step->index], lane->clock);
        return true;
    case BMF_STEP_SEND: /* to oneself, or one that has been sent: the sender goes on */
        m = message_at(p, step->index);
        if (!m->sent)
            send_to_self(p, number, m);
        return wait_until(lane, number, m, m->transit.sender_free);
    case BMF_STEP_RECEIVE:
    case BMF_STEP_RECEIVE_OPEN:
        return receive(p, number, step);
    case BMF_STEP_SENT:
        m = message_at(p, step->index);
        return wait_until(lane, number, m, m->transit.send_done);
    case BMF_STEP_JOIN:
        join(p, number, step->index);
        return true;
    case BMF_STEP_LEAVE:
        return leave(p, number, &p->collective[step->index]);
    case BMF_STEP_ROUNDS:
        return make_rounds(p, number, &p->collective[step->index]);
    case BMF_STEP_STOP:
        changed(p, number);
        return false;
    }
    return true;
}

void recorded_go_on(bmf_recorded_program *p, int32_t number)
{
    bmf_recorded_lane *lane = &p->lane[number];
    if (lane->going) /* a step of its own woke it */
        return;
    lane->going = true;
    while (lane->at < lane->steps) {
        const bmf_recorded_step step = lane->step[lane->at];
        if (is_ordered(p, &step) && !(step.kind == BMF_STEP_SEND && message_at(p, step.index)->sent)) {
            wait_for_turn(p, number);
            break;
        }
        if (!do_step(p, number, &lane->step[lane->at]))
            break;
        lane->at++;
    }
    lane->going = false;
}

/* ---- turns ---- */

static void send(bmf_recorded_program *p, bmf_recorded_message *m, double clock)
{
    bmf_network *network = p->network;
    bmf_transit *t = &m->transit;
    t->sent = clock;
    t->sender_free = t->send_done = t->arrived = NAN;
    m->sent = true;
    changed(p, t->to);
    if (network->type->collective)
        network->type->send_round(network, &t, 1);
    else
        network->type->send(network, t);
}

static void take_turn(bmf_recorded_program *p)
{
    const waiting_lane first = lanes_pop(p->heap, &p->waiting);
    bmf_recorded_lane *lane = &p->lane[first.lane];
    const bmf_recorded_step step = lane->step[lane->at];
    bmf_recorded_message *m = message_of_step(p, &step);
    if (step.kind == BMF_STEP_SEND) {
        send(p, m, first.clock);
    } else {
        lane->at++;
        if (step.kind == BMF_STEP_POST_OPEN)
            post_open(p, &p->receive[step.index], first.clock);
        else
            post(p, m, first.clock);
        if (m && m->sent && !m->complete)
            p->network->type->post(p->network, &m->transit);
    }
    recorded_go_on(p, first.lane);
}

static double network_next(const bmf_recorded_program *p)
{
    return p->network->type->next ? p->network->type->next(p->network) : INFINITY;
}

double recorded_next(const bmf_recorded_program *p)
{
    return fmin(p->waiting > 0 ? p->heap[0].clock : INFINITY, network_next(p));
}

void recorded_take_next(bmf_recorded_program *p)
{
    if (p->waiting == 0 || network_next(p) <= p->heap[0].clock)
        p->network->type->advance(p->network);
    else
        take_turn(p);
}

/* ---- all ---- */

/* The lanes that did not come to their end, and what they wait in. */
static int deadlock(const bmf_recorded_program *p)
{
    char text[400];
    size_t used = 0;
    int32_t standing = 0;
    for (int32_t number = 0; number < p->lanes; number++) {
        const bmf_recorded_lane *lane = &p->lane[number];
        if (lane->at == lane->steps)
            continue;
        int64_t at = lane->at;
        while (at > 0 && lane->step[at].kind != BMF_STEP_BEGIN)
            at--;
        const bmf_event *event = &p->run->event[lane->step[at].index];
        if (standing++ < 4 && used + 80 < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%srank %d in %.24s", used ? ", " : "", number,
                                     p->run->name[event->name]);
    }
    if (standing == 0)
        return BMF_OK;
    return fail_line(BMF_ERROR_ARGUMENT, "%d ranks wait for each other for ever: %s%s", standing, text,
                     standing > 4 ? ", .." : "");
}

void recorded_start(bmf_recorded_program *p, int64_t sample)
{
    if (!p->heap)
        p->heap = allocate_array((int64_t)p->lanes + 1, (int64_t)sizeof *p->heap);
    p->compute_factor = 1.0;
    p->network->complete = became_complete;
    p->network->freed = became_known;
    p->network->simulator = p;
    p->network->type->start(p->network, sample);
}

int recorded_run(bmf_recorded_program *p, double *seconds)
{
    for (int32_t lane = 0; lane < p->lanes; lane++)
        recorded_go_on(p, lane);
    while (recorded_next(p) < INFINITY)
        recorded_take_next(p);
    *seconds = 0.0;
    for (int32_t lane = 0; lane < p->lanes; lane++)
        *seconds = fmax(*seconds, p->lane[lane].clock);
    return deadlock(p);
}

void recorded_free(bmf_recorded_program *p)
{
    for (int64_t k = 0; k < p->blocks; k++)
        free(p->block[k]);
    for (int32_t lane = 0; p->lane && lane < p->lanes; lane++)
        free(p->lane[lane].step);
    free(p->block);
    free(p->lane);
    free(p->heap);
    free(p->receive);
    free(p->collective);
    free(p->of_event);
    free(p->begin);
    free(p->end);
    free(p->sum);
}
