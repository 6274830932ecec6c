/* From what ranks say to steps of their lanes. Method: every action becomes steps as events do in replays (recorded.c);
 * receives are known by numbers of their own until their messages are. Cost: constant an action, but for lists. */
#include <inttypes.h>
#include <string.h>

#include "predict/replay/online_private.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/text.h"
#include "predict/replay/fail.h"

static int fail(bmf_online *o, int32_t rank, const char *what)
{
    o->status = fail_line(BMF_ERROR_ARGUMENT, "rank %d says what cannot be: %s", rank, what);
    return o->status;
}

/* ---- names ---- */

uint16_t online_name(bmf_online *o, const char *name)
{
    for (int64_t k = 0; k < o->names; k++)
        if (strncmp(o->name[k], name, VIRTUAL_NAME) == 0)
            return (uint16_t)k;
    memcpy(ARRAY_APPEND(o->name, o->names, o->name_capacity), name, VIRTUAL_NAME);
    return (uint16_t)(o->names - 1);
}

static bmf_recorded_step *add_step(bmf_online *o, int32_t rank, bmf_step_kind kind, int64_t index, uint16_t call)
{
    bmf_recorded_lane *lane = &o->program.lane[rank];
    recorded_add_step(lane, kind, index, 0.0);
    lane->step[lane->steps - 1].call = call;
    return &lane->step[lane->steps - 1];
}

/* ---- groups ---- */

static bool is_group(const void *wanted, uint32_t number)
{
    const struct {
        const bmf_online *o;
        uint64_t id;
    } *w = wanted;
    return w->o->group[number].id == w->id;
}

static int64_t find_group(const bmf_online *o, uint64_t id)
{
    const struct {
        const bmf_online *o;
        uint64_t id;
    } wanted = {o, id};
    return table_find(&o->group_table, hash_word(id), is_group, &wanted);
}

/* All members say the same. */
static void take_group(bmf_online *o, int32_t rank, const bmf_virtual_action *a, const void *list)
{
    if (find_group(o, a->group) != TABLE_NONE)
        return;
    online_group *g = ARRAY_APPEND(o->group, o->groups, o->group_capacity);
    *g = (online_group){.id = a->group, .members = (int32_t)a->amount};
    g->member = allocate_array(a->amount, (int64_t)sizeof *g->member);
    memcpy(g->member, list, (size_t)a->amount * sizeof *g->member);
    for (int32_t k = 0; k < g->members; k++)
        if (g->member[k] < 0 || g->member[k] >= o->ranks)
            fail(o, rank, "a group with ranks that are not there");
    table_make_room(&o->group_table, o->groups);
    table_add(&o->group_table, hash_word(a->group), (uint32_t)(o->groups - 1));
}

/* ---- requests ---- */

static online_request *request(online_rank *rank, uint32_t round)
{
    ARRAY_RESERVE(rank->request, rank->request_capacity, (int64_t)round + 1);
    for (; rank->requests <= round; rank->requests++)
        rank->request[rank->requests] = (online_request){-1, -1, -1};
    return &rank->request[round];
}

/* ---- messages ---- */

static void take_send(bmf_online *o, int32_t rank, const bmf_virtual_action *a, int64_t group)
{
    bmf_recorded_program *p = &o->program;
    const bool nonblocking = a->flags & VIRTUAL_NONBLOCKING;
    if (a->peer < 0 || a->peer >= o->ranks) {
        fail(o, rank, "a message to a rank that is not there");
        return;
    }
    const int64_t number = recorded_add_message(p, rank, a->peer, a->amount, p->messages);
    bmf_recorded_message *m = message_at(p, number);
    m->tag = a->tag;
    m->group = (uint32_t)group;
    m->transit.mode = recorded_send_mode(a->name, nonblocking);
    if (nonblocking) {
        online_request *r = request(&o->rank[rank], a->round);
        r->message = number;
        r->receive = -1;
        r->collective = -1;
    }
    add_step(o, rank, BMF_STEP_SEND, number, online_name(o, a->name));
    online_new_message(o, a->peer, number);
}

static void take_receive(bmf_online *o, int32_t rank, const bmf_virtual_action *a, int64_t group)
{
    bmf_recorded_program *p = &o->program;
    const uint16_t call = online_name(o, a->name);
    const int64_t number = p->receives;
    *ARRAY_APPEND(p->receive, p->receives, p->receive_capacity) =
        (bmf_recorded_receive){.message = -1,
                               .waiting = -1,
                               .lane = rank,
                               .source = a->peer,
                               .tag = a->tag,
                               .group = (uint32_t)group,
                               .round = a->round,
                               .held = a->flags & VIRTUAL_HELD};
    if (a->kind == VIRTUAL_POST)
        request(&o->rank[rank], a->round)->receive = number;
    add_step(o, rank, BMF_STEP_POST_OPEN, number, call);
    if (a->kind == VIRTUAL_RECEIVE)
        add_step(o, rank, BMF_STEP_RECEIVE_OPEN, number, call);
    online_new_receive(o, rank, number);
}

/* ---- collectives ---- */

/* The number of a call of a group's, made when it is the first. */
static int64_t find_collective(bmf_online *o, int32_t rank, const bmf_virtual_action *a, int64_t group)
{
    bmf_recorded_program *p = &o->program;
    online_group *g = &o->group[group];
    if (a->number < 0 || a->number > INT32_MAX) {
        fail(o, rank, "a collective without a number");
        return -1;
    }
    ARRAY_RESERVE(g->collective, g->capacity, a->number + 1);
    while (g->collectives <= a->number)
        g->collective[g->collectives++] = 0;
    if (g->collective[a->number] == 0) {
        const char *name = o->name[online_name(o, a->name)];
        *ARRAY_APPEND(p->collective, p->collectives, p->collective_capacity) =
            (bmf_recorded_collective){.operation = text_copy(recorded_operation(name, a->flags & VIRTUAL_NONBLOCKING)),
                                      .group = (uint32_t)group,
                                      .member = g->member,
                                      .members = g->members,
                                      .root = a->peer < 0 ? -1 : recorded_rank_in_group(g->member, g->members, a->peer),
                                      .seconds = a->flags & VIRTUAL_NO_TIME ? 0.0 : NAN,
                                      .waiting = -1};
        g->collective[a->number] = p->collectives;
    }
    return g->collective[a->number] - 1;
}

/* All members have said that they call it: its time is known now, or its messages. */
static void became_called(bmf_online *o, int64_t number)
{
    bmf_recorded_program *p = &o->program;
    if (isnan(p->collective[number].seconds))
        recorded_ask_network(p, &p->collective[number]);
    int32_t waiting = p->collective[number].waiting;
    p->collective[number].waiting = -1;
    for (int32_t next; waiting >= 0; waiting = next) {
        next = p->lane[waiting].next;
        recorded_go_on(p, waiting);
    }
}

static void take_collective(bmf_online *o, int32_t rank, const bmf_virtual_action *a, int64_t group)
{
    const bool nonblocking = a->flags & VIRTUAL_NONBLOCKING;
    const uint16_t call = online_name(o, a->name);
    const int64_t number = find_collective(o, rank, a, group);
    if (number < 0)
        return;
    bmf_recorded_collective *c = &o->program.collective[number];
    c->bytes = a->amount > c->bytes ? a->amount : c->bytes;
    add_step(o, rank, BMF_STEP_JOIN, number, call);
    if (nonblocking) {
        request(&o->rank[rank], a->round)->collective = number;
    } else {
        add_step(o, rank, BMF_STEP_ROUNDS, number, call);
    }
    if (++c->called == c->members)
        became_called(o, number);
}

/* ---- finishing ---- */

void online_add_finish(bmf_online *o, int32_t number, const uint32_t *round, int64_t rounds, uint16_t call)
{
    online_rank *rank = &o->rank[number];
    int32_t receives = 0;
    for (int64_t k = 0; k < rounds; k++)
        receives += round[k] < rank->requests && rank->request[round[k]].receive >= 0;
    bool first = true;
    for (int64_t k = 0; k < rounds; k++) {
        if (round[k] >= rank->requests)
            continue;
        const online_request r = rank->request[round[k]];
        if (r.receive >= 0 && first) {
            int32_t more = receives;
            for (int64_t j = k; j < rounds; j++)
                if (round[j] < rank->requests && rank->request[round[j]].receive >= 0)
                    add_step(o, number, BMF_STEP_RECEIVE_OPEN, rank->request[round[j]].receive, call)->more = --more;
            first = false;
        }
        if (r.message >= 0)
            add_step(o, number, BMF_STEP_SENT, r.message, call);
        if (r.collective >= 0) {
            add_step(o, number, BMF_STEP_LEAVE, r.collective, call);
            add_step(o, number, BMF_STEP_ROUNDS, r.collective, call);
        }
    }
    for (int64_t k = 0; k < rounds; k++)
        if (round[k] < rank->requests)
            rank->request[round[k]] = (online_request){-1, -1, -1};
}

/* ---- questions ---- */

static void take_question(bmf_online *o, int32_t number, const bmf_virtual_action *a, const uint32_t *round)
{
    online_stop *stop = &o->rank[number].stop;
    stop->asked = true;
    stop->action = *a;
    stop->rounds = a->kind == VIRTUAL_ASK_FINISH ? a->amount : 0;
    ARRAY_RESERVE(stop->round, stop->capacity, stop->rounds);
    if (stop->rounds > 0)
        memcpy(stop->round, round, (size_t)stop->rounds * sizeof *round);
    add_step(o, number, BMF_STEP_STOP, 0, online_name(o, a->name));
}

/* ---- input ---- */

static void add_seconds(bmf_online *o, int32_t rank, double seconds)
{
    if (seconds > 0.0) {
        recorded_add_step(&o->program.lane[rank], BMF_STEP_SECONDS, 0, seconds);
        o->rank[rank].readings = 0;
    }
}

static void take_action(bmf_online *o, int32_t number, const bmf_virtual_action *a, const void *list)
{
    online_rank *rank = &o->rank[number];
    const bool grouped = a->kind == VIRTUAL_SEND || a->kind == VIRTUAL_POST || a->kind == VIRTUAL_RECEIVE ||
                         a->kind == VIRTUAL_COLLECTIVE || a->kind == VIRTUAL_ASK_PROBE;
    const int64_t group = grouped ? find_group(o, a->group) : 0;
    if (group == TABLE_NONE) {
        fail(o, number, "a call in a group that it did not describe");
        return;
    }
    if (a->kind != VIRTUAL_COMPUTE && a->kind != VIRTUAL_ASK_CLOCK)
        rank->readings = 0;
    switch ((bmf_virtual_kind)a->kind) {
    case VIRTUAL_HELLO:
        break;
    case VIRTUAL_GROUP:
        take_group(o, number, a, list);
        break;
    case VIRTUAL_COMPUTE:
        add_seconds(o, number, recorded_computing(&o->program, a->amount, a->number));
        break;
    case VIRTUAL_FILE:
        add_seconds(o, number, recorded_computing(&o->program, a->amount, 0));
        break;
    case VIRTUAL_SEND:
        take_send(o, number, a, group);
        break;
    case VIRTUAL_POST:
    case VIRTUAL_RECEIVE:
        take_receive(o, number, a, group);
        break;
    case VIRTUAL_FINISH:
        online_add_finish(o, number, list, a->amount, online_name(o, a->name));
        break;
    case VIRTUAL_COLLECTIVE:
        take_collective(o, number, a, group);
        break;
    case VIRTUAL_OPAQUE:
        o->status = fail_line(BMF_ERROR_ARGUMENT, "rank %d calls %.24s, whose meaning is not known", number, a->name);
        break;
    case VIRTUAL_END:
        rank->ended = true;
        break;
    case VIRTUAL_ASK_PROBE:
    case VIRTUAL_ASK_CLOCK:
    case VIRTUAL_ASK_DONE:
    case VIRTUAL_ASK_FINISH:
        take_question(o, number, a, list);
        break;
    }
}

/* Bytes of the list behind an action; -1: there cannot be so many. */
static int64_t list_bytes(const bmf_virtual_action *a)
{
    enum { MOST = 1 << 28 };
    if (a->kind != VIRTUAL_GROUP && a->kind != VIRTUAL_FINISH && a->kind != VIRTUAL_ASK_FINISH)
        return 0;
    return a->amount < 0 || a->amount > MOST ? -1 : a->amount * (int64_t)sizeof(int32_t);
}

void online_take_input(bmf_online *o, int32_t number)
{
    online_rank *rank = &o->rank[number];
    bmf_recorded_lane *lane = &o->program.lane[number];
    int64_t at = 0;
    while (o->status == BMF_OK && rank->used - at >= (int64_t)sizeof(bmf_virtual_action)) {
        bmf_virtual_action a;
        memcpy(&a, rank->input + at, sizeof a);
        a.name[VIRTUAL_NAME - 1] = '\0';
        const int64_t bytes = list_bytes(&a);
        if (bytes < 0)
            fail(o, number, "a list of impossible length");
        if (bytes < 0 || rank->used - at < (int64_t)sizeof a + bytes)
            break;
        const bool idle = lane->at == lane->steps;
        if (idle)
            lane->at = lane->steps = 0;
        uint32_t *list = allocate_array(bytes / (int64_t)sizeof *list + 1, (int64_t)sizeof *list);
        memcpy(list, rank->input + at + sizeof a, (size_t)bytes);
        take_action(o, number, &a, list);
        free(list);
        if (idle && lane->steps > 0)
            recorded_go_on(&o->program, number);
        at += (int64_t)sizeof a + bytes;
    }
    memmove(rank->input, rank->input + at, (size_t)(rank->used - at));
    rank->used -= at;
}
