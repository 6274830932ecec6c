/* Decisions by simulated time, and answers.
 *
 * Method: on every lane the first of these is what is decided next: a receive from any source gets its message; the
 * rank's question is answered, which of its requests are finished or whether a message is there. A question that does
 * not wait is answered for the lane's own time. A test or probe that finds nothing takes the machine's `probe` seconds,
 * and so does reading the clock again and again, so that loops around them end. Cost: linear in what is unmatched on
 * the rank. */
#include <errno.h>
#include <sys/socket.h>

#include "predict/replay/online_private.h"
#include "runtime/base/array.h"

/* So often the clock may be read in a row without being taken for a loop that waits. */
enum { FREE_READINGS = 16 };

/* ---- answers ---- */

static void write_all(online_rank *rank, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0 && rank->socket >= 0) {
        const ssize_t written = send(rank->socket, at, bytes, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; /* it is not there any more, which serving finds out */
        at += written;
        bytes -= (size_t)written;
    }
}

/* Lets the rank and its lane go on. */
static void reply(bmf_online *o, int32_t number, bmf_virtual_answer *answer)
{
    online_rank *rank = &o->rank[number];
    bmf_recorded_lane *lane = &o->program.lane[number];
    answer->clock = lane->clock;
    answer->count = rank->choices;
    rank->stop.asked = false;
    rank->stale = true;
    lane->at++;
    recorded_go_on(&o->program, number);
    write_all(rank, answer, sizeof *answer);
    write_all(rank, rank->choice, (size_t)rank->choices * sizeof *rank->choice);
    rank->choices = 0;
}

static bool is_at_stop(const bmf_online *o, int32_t number)
{
    const bmf_recorded_lane *lane = &o->program.lane[number];
    return o->rank[number].stop.asked && lane->at < lane->steps && lane->step[lane->at].kind == BMF_STEP_STOP;
}

bool online_answer_at_once(bmf_online *o, int32_t number)
{
    online_rank *rank = &o->rank[number];
    const uint32_t kind = rank->stop.action.kind;
    bmf_virtual_answer answer = {0};
    if (!is_at_stop(o, number) || (kind != VIRTUAL_ASK_CLOCK && kind != VIRTUAL_ASK_DONE))
        return false;
    if (kind == VIRTUAL_ASK_CLOCK && ++rank->readings > FREE_READINGS) {
        o->program.lane[number].clock += o->program.options->probe;
        answer.found = 1;
    }
    reply(o, number, &answer);
    return true;
}

/* ---- finding ---- */

/* When a request is finished. */
static double time_of(const bmf_online *o, int32_t number, uint32_t round)
{
    const bmf_recorded_program *p = &o->program;
    const online_rank *rank = &o->rank[number];
    double time = 0.0;
    if (round >= rank->requests)
        return time;
    const online_request r = rank->request[round];
    if (r.message >= 0) {
        const bmf_recorded_message *m = message_at(p, r.message);
        time = m->sent && !isnan(m->transit.send_done) ? m->transit.send_done : INFINITY;
    }
    if (r.receive >= 0) {
        const int64_t number_of_message = p->receive[r.receive].message;
        const bmf_recorded_message *m = number_of_message < 0 ? NULL : message_at(p, number_of_message);
        time = fmax(time, m && m->complete ? m->transit.arrived : INFINITY);
    }
    if (r.collective >= 0) {
        const bmf_recorded_collective *c = &p->collective[r.collective];
        const double own = isnan(c->seconds) ? 0.0 : c->seconds;
        time = fmax(time, c->arrived == c->members ? c->latest + own : INFINITY);
    }
    return time;
}

/* When a wait for some of the requests ends. */
static double finished_at(const bmf_online *o, int32_t number)
{
    const online_stop *stop = &o->rank[number].stop;
    double first = INFINITY;
    for (int64_t k = 0; k < stop->rounds; k++)
        first = fmin(first, time_of(o, number, stop->round[k]));
    return first;
}

static bmf_recorded_receive wanted_by(const bmf_online *o, const bmf_virtual_action *a);

static void find_question(const bmf_online *o, int32_t number, online_decision *d)
{
    const online_rank *rank = &o->rank[number];
    const bmf_virtual_action *a = &rank->stop.action;
    const double clock = o->program.lane[number].clock;
    double time = clock;
    int64_t message = -1;
    if (a->kind == VIRTUAL_ASK_PROBE) {
        const bmf_recorded_receive wanted = wanted_by(o, a);
        message = online_first(o, number, &wanted, rank->opens, &time);
        if (!(a->flags & VIRTUAL_WAITS) && !(time <= clock)) {
            message = -1;
            time = clock;
        }
    } else if (a->flags & VIRTUAL_WAITS) {
        time = finished_at(o, number);
    }
    time = fmax(time, clock);
    if (time < d->time)
        *d = (online_decision){time, -1, message, true};
}

void online_find_decision(bmf_online *o, int32_t number)
{
    online_rank *rank = &o->rank[number];
    online_decision best = {.time = INFINITY};
    for (int64_t k = 0; k < rank->opens; k++) {
        const bmf_recorded_receive *r = &o->program.receive[rank->open[k]];
        double time;
        if (r->source >= 0 || !r->posted)
            continue;
        const int64_t message = online_first(o, number, r, k, &time);
        time = fmax(time, r->at);
        if (message >= 0 && time < best.time)
            best = (online_decision){time, rank->open[k], message, false};
    }
    if (is_at_stop(o, number))
        find_question(o, number, &best);
    rank->decision = best;
    rank->stale = false;
}

/* ---- deciding ---- */

static bmf_recorded_receive wanted_by(const bmf_online *o, const bmf_virtual_action *a)
{
    uint32_t group = 0;
    while (o->group[group].id != a->group)
        group++;
    return (bmf_recorded_receive){.message = -1, .waiting = -1, .source = a->peer, .tag = a->tag, .group = group};
}

static void answer_probe(bmf_online *o, int32_t number, const online_decision *d)
{
    bmf_recorded_program *p = &o->program;
    online_rank *rank = &o->rank[number];
    const bmf_virtual_action *a = &rank->stop.action;
    bmf_virtual_answer answer = {0};
    if (d->message < 0) {
        p->lane[number].clock += p->options->probe;
        reply(o, number, &answer);
        return;
    }
    const bmf_recorded_message *m = message_at(p, d->message);
    p->lane[number].clock = d->time;
    answer.found = 1;
    answer.source = (int32_t)m->transit.from;
    answer.tag = m->tag;
    answer.bytes = m->transit.bytes;
    if (a->flags & VIRTUAL_MATCHED) { /* as if a receive had been posted that is waited for later */
        bmf_recorded_receive r = wanted_by(o, a);
        r.lane = number;
        r.round = a->round;
        r.posted = true;
        r.at = d->time;
        const int64_t receive = p->receives;
        *ARRAY_APPEND(p->receive, p->receives, p->receive_capacity) = r;
        ARRAY_RESERVE(rank->request, rank->request_capacity, (int64_t)a->round + 1);
        for (; rank->requests <= a->round; rank->requests++)
            rank->request[rank->requests] = (online_request){-1, -1, -1};
        rank->request[a->round].receive = receive;
        *ARRAY_APPEND(rank->open, rank->opens, rank->open_capacity) = receive;
        online_settle(o, number, receive, d->message);
    }
    reply(o, number, &answer);
}

/* In the order of time, then of places; all of them, or the first, or those that are finished by now. */
static int32_t choose(bmf_online *o, int32_t number, double now, uint32_t *round)
{
    online_rank *rank = &o->rank[number];
    const online_stop *stop = &rank->stop;
    int32_t chosen = 0;
    for (int64_t k = 0; k < stop->rounds; k++) {
        const double time = time_of(o, number, stop->round[k]);
        if (time > now)
            continue;
        if (stop->action.flags & VIRTUAL_ONE && chosen == 1) {
            const uint32_t other = stop->round[rank->choice[rank->choices - 1].round];
            if (time < time_of(o, number, other))
                rank->choice[rank->choices - 1].round = (uint32_t)k;
            continue;
        }
        *ARRAY_APPEND(rank->choice, rank->choices, rank->choice_capacity) = (bmf_virtual_choice){(uint32_t)k, 0, 0};
        chosen++;
    }
    if (stop->action.flags & VIRTUAL_ALL && chosen < stop->rounds) {
        rank->choices -= chosen;
        chosen = 0;
    }
    for (int32_t k = 0; k < chosen; k++)
        round[k] = stop->round[rank->choice[rank->choices - chosen + k].round];
    return chosen;
}

static void answer_finish(bmf_online *o, int32_t number, const online_decision *d)
{
    bmf_recorded_program *p = &o->program;
    bmf_recorded_lane *lane = &p->lane[number];
    online_rank *rank = &o->rank[number];
    uint32_t *round = allocate_array(rank->stop.rounds, (int64_t)sizeof *round);
    bmf_virtual_answer answer = {.finished = choose(o, number, d->time, round)};
    if (answer.finished > 0)
        online_add_finish(o, number, round, answer.finished, lane->step[lane->at].call);
    else
        lane->clock += p->options->probe;
    free(round);
    reply(o, number, &answer);
}

void online_decide(bmf_online *o, int32_t number)
{
    const online_decision d = o->rank[number].decision;
    o->rank[number].stale = true;
    if (!d.stop) {
        online_settle(o, number, d.receive, d.message);
        online_match_rest(o, number);
    } else if (o->rank[number].stop.action.kind == VIRTUAL_ASK_PROBE) {
        answer_probe(o, number, &d);
    } else {
        answer_finish(o, number, &d);
    }
}
