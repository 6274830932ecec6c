/* Serving a program that runs on virtual clocks.
 *
 * Method: conservative simulation of discrete events. What ranks say becomes steps of their lanes as it comes. The
 * earliest of what the network has to do, the sends, and the decisions is carried out when no rank can still say
 * something for an earlier time: all others have steps that wait, stand at questions with later answers, have ended, or
 * are further. So nothing depends on how fast ranks really are. At one time the network comes first, then sends by
 * lane, then decisions by lane. Cost: for every event a look at all ranks.
 * Source: document 001, 6.2; K. M. Chandy, J. Misra, "Distributed simulation", 1979. */
#define _GNU_SOURCE
#include "predict/replay/online.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "predict/replay/online_private.h"
#include "runtime/base/array.h"
#include "predict/replay/fail.h"

enum { READ = 1 << 16, POLL_MS = 100 };

/* ---- events ---- */

static void became_stale(bmf_recorded_program *p, int64_t lane)
{
    ((bmf_online *)p->online)->rank[lane].stale = true;
}

/* Its program goes on, and will say more. */
static bool is_going(const bmf_online *o, int32_t rank)
{
    const bmf_recorded_lane *lane = &o->program.lane[rank];
    return !o->rank[rank].ended && lane->at == lane->steps;
}

/* Whether something may still be said for a time before. */
static bool must_wait(const bmf_online *o, double time)
{
    bool going = false, rounds = false;
    for (int32_t k = 0; k < o->ranks; k++) {
        const bmf_recorded_lane *lane = &o->program.lane[k];
        if (!o->rank[k].connected || (is_going(o, k) && lane->clock <= time))
            return true;
        going = going || is_going(o, k);
        rounds =
            rounds || (lane->at < lane->steps && lane->step[lane->at].kind == BMF_STEP_ROUNDS && lane->clock <= time);
    }
    return going && rounds; /* one of them may be about to call the collective */
}

/* The rank with the earliest decision; -1: none. Answers what needs none. */
static int32_t first_decision(bmf_online *o)
{
    int32_t first = -1;
    for (int32_t k = 0; k < o->ranks; k++) {
        while (online_answer_at_once(o, k)) {
        }
        if (o->rank[k].stale)
            online_find_decision(o, k);
        const double time = o->rank[k].decision.time;
        if (time < INFINITY && (first < 0 || time < o->rank[first].decision.time))
            first = k;
    }
    return first;
}

/* Carries out what can be. */
static void go_on(bmf_online *o)
{
    while (o->status == BMF_OK) {
        const int32_t decision = first_decision(o);
        const double next = recorded_next(&o->program);
        const double time = decision < 0 ? next : fmin(next, o->rank[decision].decision.time);
        if (!(time < INFINITY) || must_wait(o, time))
            return;
        if (next <= time)
            recorded_take_next(&o->program);
        else
            online_decide(o, decision);
    }
}

/* ---- the end ---- */

static void add_place(const bmf_online *o, int32_t number, char *text, size_t size, size_t *used)
{
    const bmf_recorded_program *p = &o->program;
    const bmf_recorded_step *step = &p->lane[number].step[p->lane[number].at];
    *used += (size_t)snprintf(text + *used, size - *used, "%srank %d in %.24s", *used ? ", " : "", number,
                              o->name[step->call]);
    if (step->kind != BMF_STEP_RECEIVE_OPEN)
        return;
    const bmf_recorded_receive *r = &p->receive[step->index];
    if (r->source >= 0)
        *used += (size_t)snprintf(text + *used, size - *used, " from rank %d", r->source);
    else
        *used += (size_t)snprintf(text + *used, size - *used, " from any rank");
}

/* Whether nothing can happen any more although not all are at their ends. */
static void check_deadlock(bmf_online *o)
{
    char text[500] = "";
    size_t used = 0;
    int32_t standing = 0;
    for (int32_t k = 0; k < o->ranks; k++)
        if (!o->rank[k].connected || is_going(o, k))
            return;
    if (recorded_next(&o->program) < INFINITY || first_decision(o) >= 0)
        return;
    for (int32_t k = 0; k < o->ranks; k++) {
        const bmf_recorded_lane *lane = &o->program.lane[k];
        if (lane->at == lane->steps)
            continue;
        if (standing++ < 4)
            add_place(o, k, text, sizeof text, &used);
    }
    if (standing > 0)
        o->status = fail_line(BMF_ERROR_ARGUMENT, "%d ranks wait for each other for ever: %s%s", standing, text,
                              standing > 4 ? ", .." : "");
}

/* ---- sockets ---- */

/* The first action of a rank says which it is. */
static void accept_rank(bmf_online *o, int listening)
{
    bmf_virtual_action hello;
    const int connection = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0)
        return;
    const ssize_t got = recv(connection, &hello, sizeof hello, MSG_WAITALL);
    if (got != (ssize_t)sizeof hello || hello.kind != VIRTUAL_HELLO || hello.peer < 0 || hello.peer >= o->ranks ||
        hello.amount != o->ranks || o->rank[hello.peer].connected) {
        close(connection);
        if (got == (ssize_t)sizeof hello && hello.amount != o->ranks)
            o->status = fail_line(BMF_ERROR_USAGE, "the program runs with %lld ranks, not %d: see --launch",
                                  (long long)hello.amount, o->ranks);
        return;
    }
    o->rank[hello.peer].socket = connection;
    o->rank[hello.peer].connected = true;
}

static void read_rank(bmf_online *o, int32_t number)
{
    online_rank *rank = &o->rank[number];
    ARRAY_RESERVE(rank->input, rank->capacity, rank->used + READ);
    const ssize_t got = recv(rank->socket, rank->input + rank->used, READ, 0);
    if (got < 0 && errno == EINTR)
        return;
    if (got <= 0) { /* its end, expected or not: what the program's exit says counts */
        close(rank->socket);
        rank->socket = -1;
        return;
    }
    rank->used += got;
    online_take_input(o, number);
}

/* Waits for something to be said. False: nothing was. */
static bool wait_for_input(bmf_online *o, int listening)
{
    struct pollfd *ready = allocate_array((int64_t)o->ranks + 1, (int64_t)sizeof *ready);
    for (int32_t k = 0; k < o->ranks; k++)
        ready[k] = (struct pollfd){o->rank[k].socket, POLLIN, 0};
    ready[o->ranks] = (struct pollfd){listening, POLLIN, 0};
    const int count = poll(ready, (nfds_t)o->ranks + 1, POLL_MS);
    for (int32_t k = 0; count > 0 && k < o->ranks && o->status == BMF_OK; k++)
        if (ready[k].revents)
            read_rank(o, k);
    if (count > 0 && ready[o->ranks].revents)
        accept_rank(o, listening);
    free(ready);
    return count > 0;
}

/* Asks ranks to say more, if one waits for an answer. */
static void say_wanted(const bmf_online *o, bmf_virtual_page *page)
{
    int32_t wanted = 0;
    for (int32_t k = 0; k < o->ranks && !wanted; k++)
        wanted = o->rank[k].stop.asked;
    __atomic_store_n(&page->wanted, wanted, __ATOMIC_RELEASE);
}

static bool all_ended(const bmf_online *o)
{
    for (int32_t k = 0; k < o->ranks; k++)
        if (!o->rank[k].ended)
            return false;
    return true;
}

static void release(bmf_online *o)
{
    for (int32_t k = 0; k < o->ranks; k++) {
        online_rank *rank = &o->rank[k];
        if (rank->socket >= 0)
            close(rank->socket);
        free(rank->input);
        free(rank->request);
        free(rank->open);
        free(rank->unmatched);
        free(rank->choice);
        free(rank->stop.round);
    }
    for (int64_t k = 0; k < o->groups; k++) {
        free(o->group[k].member);
        free(o->group[k].collective);
    }
    for (int64_t k = 0; k < o->program.collectives; k++)
        free((char *)(uintptr_t)o->program.collective[k].operation);
    free(o->group);
    table_free(&o->group_table);
    free(o->name);
    free(o->rank);
    recorded_free(&o->program);
}

int online_serve(const bmf_machine *machine, bmf_network *network, const bmf_recorded_options *options, int32_t ranks,
                 const online_connection *connection, bool (*running)(void *state), void *state)
{
    bmf_online o = {
        .ranks = ranks,
        .program = {
            .machine = machine, .network = network, .options = options, .lanes = ranks, .changed = became_stale}};
    o.program.online = &o;
    o.rank = allocate_clear(ranks, (int64_t)sizeof *o.rank);
    o.program.lane = allocate_clear(ranks, (int64_t)sizeof *o.program.lane);
    for (int32_t k = 0; k < ranks; k++)
        o.rank[k] = (online_rank){.socket = -1, .stale = true};
    recorded_start(&o.program, options->bound);
    while (o.status == BMF_OK && !all_ended(&o)) {
        const bool said = wait_for_input(&o, connection->listening);
        go_on(&o);
        say_wanted(&o, connection->page);
        if (o.status == BMF_OK)
            check_deadlock(&o);
        if (!said && !running(state))
            break;
    }
    release(&o);
    return o.status;
}
