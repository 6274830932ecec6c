/* The reference simulator: a global scan for the earliest event, one action at a time; see reference_simulate.h. */
#include "ctest/reference/reference_simulate.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"

typedef struct lane {
    double clock;
    int64_t *action; /* numbers of its actions */
    int64_t count, at;
    bool in_send; /* handed over, but not yet free */
} lane;

typedef struct reference {
    const bmf_actions *actions;
    const bmf_action *action; /* all of them */
    bmf_network *network;
    lane *lane;
    bmf_transit *transit; /* by message */
    bool *sent, *complete, *taken;
    int64_t *fellows; /* messages of each round that have not been handed over */
} reference;

static void told_complete(void *simulator, bmf_transit *message)
{
    reference *r = simulator;
    r->complete[message - r->transit] = true;
}

static void told_freed(void *simulator, bmf_transit *message)
{
    (void)simulator;
    (void)message;
}

static const bmf_action *current(const reference *r, int64_t p)
{
    const lane *me = &r->lane[p];
    return me->at < me->count ? &r->action[me->action[me->at]] : NULL;
}

/* Among the receives of the round that stand together and were not taken: the first to have arrived, -1 if none has. */
static int64_t first_arrived(const reference *r, int64_t p)
{
    const lane *me = &r->lane[p];
    int64_t best = -1;
    for (int64_t k = me->at; k < me->count; k++) {
        const bmf_action *action = &r->action[me->action[k]];
        if (action->kind != BMF_ACTION_RECEIVE || action->amount != current(r, p)->amount)
            break;
        const bmf_transit *m = &r->transit[action->message];
        if (r->taken[action->message] || !r->complete[action->message])
            continue;
        if (best < 0 || m->arrived < r->transit[best].arrived ||
            (m->arrived == r->transit[best].arrived && m->from < r->transit[best].from))
            best = action->message;
    }
    return best;
}

/* When the memory of all sends of a round is free again; NAN: not known. */
static double all_done(const reference *r, int64_t p, int64_t round)
{
    double done = 0;
    for (int64_t m = 0; m < r->actions->messages; m++) {
        if (r->actions->message[m].round != round || r->actions->message[m].from != p)
            continue;
        if (isnan(r->transit[m].send_done))
            return NAN;
        done = fmax(done, r->transit[m].send_done);
    }
    return done;
}

/* When all are at the meeting, the largest clock; else NAN. */
static double all_met(const reference *r)
{
    double clock = 0;
    for (int64_t p = 0; p < r->actions->processors; p++) {
        if (!current(r, p) || current(r, p)->kind != BMF_ACTION_BARRIER)
            return NAN;
        clock = fmax(clock, r->lane[p].clock);
    }
    return clock;
}

/* When the processor's next action can happen; NAN: not yet. */
static double can_at(const reference *r, int64_t p)
{
    const bmf_action *action = current(r, p);
    const lane *me = &r->lane[p];
    if (!action)
        return NAN;
    switch ((bmf_action_kind)action->kind) {
    case BMF_ACTION_SEND:
        return me->in_send ? r->transit[action->message].sender_free : me->clock;
    case BMF_ACTION_RECEIVE: {
        const int64_t m = first_arrived(r, p);
        return m < 0 ? NAN : fmax(me->clock, r->transit[m].arrived);
    }
    case BMF_ACTION_WAIT: {
        const double done = all_done(r, p, action->message);
        return isnan(done) ? NAN : fmax(me->clock, done);
    }
    case BMF_ACTION_BARRIER:
        return all_met(r);
    default:
        return me->clock;
    }
}

static void hand_over(reference *r, int64_t m, double now)
{
    const bmf_scheduled_message *message = &r->actions->message[m];
    bmf_transit *transit = &r->transit[m];
    transit->from = message->from;
    transit->to = message->to;
    transit->bytes = message->bytes;
    transit->round = message->round;
    transit->sent = now;
    transit->sender_free = transit->send_done = transit->arrived = NAN;
    r->sent[m] = true;
    r->fellows[message->round]--;
}

/* A collective round is complete: its messages in the order of senders. Everybody's sends of the round are over. */
static void send_round(reference *r, int64_t round)
{
    bmf_transit **together = malloc((size_t)r->actions->messages * sizeof *together);
    int64_t count = 0;
    for (int64_t p = 0; p < r->actions->processors; p++)
        for (int64_t m = 0; m < r->actions->messages; m++)
            if (r->actions->message[m].round == round && r->actions->message[m].from == p)
                together[count++] = &r->transit[m];
    r->network->type->send_round(r->network, together, count);
    for (int64_t k = 0; k < count; k++) {
        lane *sender = &r->lane[together[k]->from];
        sender->clock = fmax(sender->clock, together[k]->sender_free);
        sender->at++;
        sender->in_send = false;
    }
    free(together);
}

static void do_send(reference *r, int64_t p, const bmf_action *action)
{
    lane *me = &r->lane[p];
    if (me->in_send) {
        me->clock = r->transit[action->message].sender_free;
        me->at++;
        me->in_send = false;
        return;
    }
    me->in_send = true;
    if (!r->network->type->collective) {
        hand_over(r, action->message, me->clock);
        r->network->type->send(r->network, &r->transit[action->message]);
        return;
    }
    const int64_t round = action->amount;
    for (int64_t m = 0; m < r->actions->messages; m++)
        if (r->actions->message[m].round == round && r->actions->message[m].from == p)
            hand_over(r, m, me->clock);
    if (r->fellows[round] == 0)
        send_round(r, round);
}

static void do_receive(reference *r, int64_t p)
{
    lane *me = &r->lane[p];
    const int64_t m = first_arrived(r, p), round = current(r, p)->amount;
    me->clock = fmax(me->clock, r->transit[m].arrived) + r->transit[m].receive_overhead;
    r->taken[m] = true;
    while (current(r, p) && current(r, p)->kind == BMF_ACTION_RECEIVE && current(r, p)->amount == round &&
           r->taken[current(r, p)->message])
        me->at++;
}

static void do_post(reference *r, int64_t p, int64_t round)
{
    for (int64_t m = 0; m < r->actions->messages; m++) {
        if (r->actions->message[m].round != round || r->actions->message[m].to != p)
            continue;
        r->transit[m].posted = r->lane[p].clock;
        if (r->sent[m] && !r->complete[m])
            r->network->type->post(r->network, &r->transit[m]);
    }
    r->lane[p].at++;
}

static void do_barrier(reference *r)
{
    const double clock = all_met(r);
    for (int64_t p = 0; p < r->actions->processors; p++) {
        const double seconds = current(r, p)->seconds;
        r->lane[p].clock =
            clock + (isnan(seconds) ? r->network->type->agreement(r->network, r->actions->processors) : seconds);
        r->lane[p].at++;
    }
}

static void act(reference *r, int64_t p)
{
    const bmf_action *action = current(r, p);
    lane *me = &r->lane[p];
    switch ((bmf_action_kind)action->kind) {
    case BMF_ACTION_COMPUTE:
    case BMF_ACTION_OVERHEAD:
        me->clock += action->seconds;
        me->at++;
        break;
    case BMF_ACTION_POST:
        if (r->network->type->post)
            do_post(r, p, action->message);
        else
            me->at++;
        break;
    case BMF_ACTION_SEND:
        do_send(r, p, action);
        break;
    case BMF_ACTION_RECEIVE:
        do_receive(r, p);
        break;
    case BMF_ACTION_WAIT:
        me->clock = fmax(me->clock, all_done(r, p, action->message));
        me->at++;
        break;
    case BMF_ACTION_BARRIER:
        do_barrier(r);
        break;
    }
}

static bool run(reference *r)
{
    const int64_t processors = r->actions->processors;
    for (;;) {
        double earliest = INFINITY;
        int64_t first = -1;
        for (int64_t p = 0; p < processors; p++)
            if (can_at(r, p) < earliest) {
                earliest = can_at(r, p);
                first = p;
            }
        if (r->network->type->next && r->network->type->next(r->network) <= earliest &&
            r->network->type->next(r->network) < INFINITY)
            r->network->type->advance(r->network);
        else if (first >= 0)
            act(r, first);
        else
            break;
    }
    for (int64_t p = 0; p < processors; p++)
        if (current(r, p))
            return false;
    return true;
}

bool reference_simulate(const bmf_actions *actions, bmf_network *network, double *clock)
{
    const int64_t messages = actions->messages, processors = actions->processors;
    reference r = {actions,
                   actions_list(actions),
                   network,
                   allocate_clear(processors, (int64_t)sizeof(lane)),
                   allocate_clear(messages + 1, (int64_t)sizeof(bmf_transit)),
                   allocate_clear(messages + 1, 1),
                   allocate_clear(messages + 1, 1),
                   allocate_clear(messages + 1, 1),
                   allocate_clear(actions->rounds + 1, (int64_t)sizeof(int64_t))};
    for (int64_t m = 0; m < messages; m++) {
        r.transit[m].posted = INFINITY;
        r.fellows[actions->message[m].round]++;
    }
    for (int64_t p = 0; p < processors; p++)
        r.lane[p].action = malloc((size_t)(actions->count + 1) * sizeof(int64_t));
    for (int64_t k = 0; k < actions->count; k++) {
        lane *me = &r.lane[r.action[k].processor];
        me->action[me->count++] = k;
    }
    network->complete = told_complete;
    network->freed = told_freed;
    network->simulator = &r;
    network->type->start(network, 0);
    const bool finished = run(&r);
    for (int64_t p = 0; p < processors; p++) {
        clock[p] = r.lane[p].clock;
        free(r.lane[p].action);
    }
    free(r.lane);
    free(r.transit);
    free(r.sent);
    free(r.complete);
    free(r.taken);
    free(r.fellows);
    return finished;
}
