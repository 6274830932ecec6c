/* Runs in the order of their recording: the passes over a sample. Method and cost in the header. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "predict/simulate/in_order_private.h"
#include "predict/simulate/simulate_private.h"
#include "runtime/base/allocate.h"

enum { MAX_PASSES = 20, MOST_STEPS = 16 };

/* Threads beyond the first one: while all of their states have no more bytes than this, and steps enough to be worth
 * it. */
static const int64_t STATES_BYTES = INT64_C(1) << 30, WORTH_STEPS = 100000;

/* How a message fares in a sample. */
typedef struct course {
    double sent, done, arrived;  /* handed over; its sender may use its memory; at its receiver */
    double key;                  /* when its head comes to the receiver's port */
    double left, come;           /* the two ports are free for the next one */
    int32_t before[2], after[2]; /* at the sender's (OUT) and the receiver's port; -1 */
} course;

enum { IN, OUT };

/* Of a port: its messages are not in the order of their recording; it was passed in another order, or at other times,
 * than this pass has taken. */
typedef enum port_state { AS_RECORDED, REORDERED = 1, DISTURBED = 2 } port_state;

/* The ports of one direction. */
typedef struct port_list {
    uint8_t *state;                   /* by port */
    int32_t *message;                 /* in the order in which they pass; as port_messages */
    int64_t *reordered, reorders;     /* ports */
    int64_t *disturbed, disturbances; /* ports */
} port_list;

struct in_order_run_state {
    const bmf_in_order *o;
    double *clock;   /* by processor */
    double *leading; /* the same before anything was sent */
    double *seconds; /* by computation behind that, in the order of the parts */
    bmf_computation_factors factors;
    course *course; /* by message */
    double *posted; /* by message: when its receiver is ready for it; NULL: none waits for that */
    double *pushed; /* by message: when it comes to its sender's port; NULL: when it is sent */
    port_list port[2];
    int32_t *some, *spare; /* working memory: the most messages at a port or to a processor */
    bmf_chances chances;
};

/* ---- states ---- */

static int64_t bytes_of_state(const bmf_in_order *o)
{
    return o->messages * (int64_t)(sizeof(course) + (o->meets ? 2 * sizeof(double) : 0)) +
           (o->kept + 2 * o->actions->processors) * (int64_t)sizeof(double) +
           2 * o->ports * (int64_t)(2 * sizeof(int64_t) + 1) +
           2 * (o->messages + o->longest) * (int64_t)sizeof(int32_t);
}

static const port_messages *messages_of(const bmf_in_order *o, int side)
{
    return side == OUT ? &o->out : &o->in;
}

/* These messages pass the port one after the other. */
static void link_messages(in_order_run_state *r, int side, const int32_t *message, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        r->course[message[k]].before[side] = k > 0 ? message[k - 1] : -1;
        r->course[message[k]].after[side] = k + 1 < count ? message[k + 1] : -1;
    }
}

static void put_as_recorded(in_order_run_state *r, int side, int64_t port)
{
    const port_messages *all = messages_of(r->o, side);
    const int64_t first = all->start[port], count = all->start[port + 1] - first;
    memcpy(r->port[side].message + first, all->message + first, (size_t)count * sizeof *all->message);
    link_messages(r, side, all->message + first, count);
    r->port[side].state[port] = AS_RECORDED;
}

static in_order_run_state *state_create(const bmf_in_order *o)
{
    in_order_run_state *r = allocate_clear(1, (int64_t)sizeof *r);
    r->o = o;
    r->clock = allocate(o->actions->processors * (int64_t)sizeof *r->clock);
    r->leading = allocate(o->actions->processors * (int64_t)sizeof *r->leading);
    r->seconds = allocate((o->kept + 1) * (int64_t)sizeof *r->seconds);
    r->factors.common = allocate((o->computations.kinds + 1) * (int64_t)sizeof *r->factors.common);
    r->factors.deviation = allocate((o->computations.kinds + 1) * (int64_t)sizeof *r->factors.deviation);
    r->course = allocate((o->messages + 1) * (int64_t)sizeof *r->course);
    if (o->meets) {
        r->posted = allocate((o->messages + 1) * (int64_t)sizeof *r->posted);
        r->pushed = allocate((o->messages + 1) * (int64_t)sizeof *r->pushed);
    }
    r->some = allocate((o->longest + 1) * (int64_t)sizeof *r->some);
    r->spare = allocate((o->longest + 1) * (int64_t)sizeof *r->spare);
    for (int side = IN; side <= OUT; side++) {
        r->port[side].state = allocate(o->ports);
        r->port[side].message = allocate((o->messages + 1) * (int64_t)sizeof(int32_t));
        r->port[side].reordered = allocate(o->ports * (int64_t)sizeof(int64_t));
        r->port[side].disturbed = allocate(o->ports * (int64_t)sizeof(int64_t));
        for (int64_t k = 0; k < o->ports; k++)
            put_as_recorded(r, side, k);
    }
    return r;
}

static void state_free(in_order_run_state *r)
{
    if (!r)
        return;
    for (int side = IN; side <= OUT; side++) {
        free(r->port[side].state);
        free(r->port[side].message);
        free(r->port[side].reordered);
        free(r->port[side].disturbed);
    }
    free(r->clock);
    free(r->leading);
    free(r->seconds);
    free(r->factors.common);
    free(r->factors.deviation);
    free(r->course);
    free(r->posted);
    free(r->pushed);
    free(r->some);
    free(r->spare);
    free(r);
}

void in_order_states_free(bmf_in_order *o)
{
    for (int64_t k = 0; k < o->states; k++)
        state_free(o->state[k]);
    free(o->state);
}

/* ---- orders ---- */

static double pushed_at(const in_order_run_state *r, int32_t m)
{
    return r->pushed ? r->pushed[m] : r->course[m].sent;
}

/* Who makes the meeting of a message: its sender or its receiver, who come at one time in the order of their numbers.
 */
static int32_t last_to_come(const in_order_run_state *r, int32_t m, double *when)
{
    const ordered_message *message = &r->o->message[m];
    const double sent = r->course[m].sent, posted = r->posted[m];
    *when = fmax(sent, posted);
    if (sent != posted)
        return sent > posted ? message->from : message->to;
    return message->from > message->to ? message->from : message->to;
}

static bool meets_before(const in_order_run_state *r, int32_t a, int32_t b)
{
    double first, second;
    const int32_t whose = last_to_come(r, a, &first), other = last_to_come(r, b, &second);
    if (first != second)
        return first < second;
    return whose != other ? whose < other : a <= b;
}

/* Of messages that come to a port at one time: as they were pushed; those that have met first; by sender, as they stand
 * in its list. */
static bool was_first(const in_order_run_state *r, int32_t a, int32_t b)
{
    const double first = pushed_at(r, a), second = pushed_at(r, b);
    const bool meets = ordered_times(r->o, a)->meets;
    if (first != second)
        return first < second;
    if (meets != ordered_times(r->o, b)->meets)
        return meets;
    if (meets)
        return meets_before(r, a, b);
    const int32_t from = r->o->message[a].from, other = r->o->message[b].from;
    return from != other ? from < other : a <= b;
}

static bool passes_before(const in_order_run_state *r, int side, int32_t a, int32_t b)
{
    const double first = side == OUT ? pushed_at(r, a) : r->course[a].key;
    const double second = side == OUT ? pushed_at(r, b) : r->course[b].key;
    return first != second ? first < second : was_first(r, a, b);
}

/* As they arrive, by sender; the others stay as they are. */
static bool arrives_before(const in_order_run_state *r, int32_t a, int32_t b)
{
    const double first = r->course[a].arrived, second = r->course[b].arrived;
    return first != second ? first < second : r->o->message[a].from <= r->o->message[b].from;
}

enum { ARRIVAL = 2 }; /* beside IN and OUT */

static bool comes_before(const in_order_run_state *r, int by, int32_t a, int32_t b)
{
    return by == ARRIVAL ? arrives_before(r, a, b) : passes_before(r, by, a, b);
}

/* Merges two sorted halves. */
static void merge(const in_order_run_state *r, int by, int32_t *message, int64_t half, int64_t count)
{
    int64_t a = 0, b = half;
    memcpy(r->spare, message, (size_t)count * sizeof *message);
    for (int64_t k = 0; k < count; k++)
        message[k] =
            b >= count || (a < half && comes_before(r, by, r->spare[a], r->spare[b])) ? r->spare[a++] : r->spare[b++];
}

/* Into that order. They are nearly in it. */
static void sort_messages(const in_order_run_state *r, int by, int32_t *message, int64_t count)
{
    bool sorted = true;
    for (int64_t k = 1; k < count && sorted; k++)
        sorted = comes_before(r, by, message[k - 1], message[k]);
    if (sorted)
        return;
    sort_messages(r, by, message, count / 2);
    sort_messages(r, by, message + count / 2, count - count / 2);
    merge(r, by, message, count / 2, count);
}

/* ---- ports ---- */

/* The port is passed in another order than that of recording. */
static void reorder(in_order_run_state *r, int side, int64_t port)
{
    port_list *list = &r->port[side];
    if (!(list->state[port] & REORDERED))
        list->reordered[list->reorders++] = port;
    list->state[port] |= REORDERED;
}

/* What this pass has taken of the port is not all true. */
static void disturb(in_order_run_state *r, int side, int32_t m)
{
    const int64_t port = ordered_port(r->o, m, side == OUT);
    port_list *list = &r->port[side];
    if (!(list->state[port] & DISTURBED))
        list->disturbed[list->disturbances++] = port;
    list->state[port] |= DISTURBED;
}

/* When the port is free again after the message, as far as is known. */
static double *free_behind(in_order_run_state *r, int side, int32_t m)
{
    return side == OUT ? &r->course[m].left : &r->course[m].come;
}

static double free_for(in_order_run_state *r, int side, int32_t m)
{
    const int32_t before = r->course[m].before[side];
    return before >= 0 ? *free_behind(r, side, before) : 0.0;
}

/* When a message begins to pass a port that is free from `free_at` on. */
static double begins(const in_order_run_state *r, int side, int32_t m, double free_at)
{
    const bmf_simple_message *times = ordered_times(r->o, m);
    const double sent = times->meets ? r->pushed[m] : r->course[m].sent + times->busy;
    return fmax(side == OUT ? sent : r->course[m].key, free_at);
}

/* Whether all times of a message that has passed the port stay as they are if that is free from `free_at` on. */
static bool stays(in_order_run_state *r, int side, int32_t m, double free_at)
{
    const bmf_simple_message *times = ordered_times(r->o, m);
    const course *c = &r->course[m];
    const double begin = begins(r, side, m, free_at), end = begin + times->length;
    const bool same = side == OUT ? c->done == end && c->key == begin + times->latency : c->arrived == end;
    return same && *free_behind(r, side, m) == end + times->gap;
}

/* A pass looks at messages as they are numbered. One that comes to the port before others that were looked at passes it
 * before them, where they are few: mostly they come so much later that nothing changes for them. */
static void move_forward(in_order_run_state *r, int side, int32_t m)
{
    course *c = &r->course[m];
    int32_t before = c->before[side], behind = -1;
    const int32_t after = c->after[side];
    if (after >= 0 && after < m)
        return;
    for (int steps = 0; before >= 0 && before < m && !passes_before(r, side, before, m); steps++) {
        if (steps == MOST_STEPS)
            return;
        behind = before;
        before = r->course[before].before[side];
    }
    if (behind < 0)
        return;
    r->course[c->before[side]].after[side] = after;
    if (after >= 0)
        r->course[after].before[side] = c->before[side];
    if (before >= 0)
        r->course[before].after[side] = m;
    r->course[behind].before[side] = m;
    c->before[side] = before;
    c->after[side] = behind;
    reorder(r, side, ordered_port(r->o, m, side == OUT));
}

/* Behind a message the port is free for others: one that was looked at before has taken what was known then, and of two
 * neighbours the later one says whether they are in order. */
static void give_back(in_order_run_state *r, int side, int32_t m)
{
    const int32_t before = r->course[m].before[side], after = r->course[m].after[side];
    const bool looked_at = after >= 0 && after < m;
    if ((looked_at && (!passes_before(r, side, m, after) || !stays(r, side, after, *free_behind(r, side, m)))) ||
        (before >= 0 && before < m && !passes_before(r, side, before, m)))
        disturb(r, side, m);
}

static bool put(double *at, double time)
{
    const bool changes = *at != time;
    *at = time;
    return changes;
}

/* A message leaves its sender's port when it is ready and the one before it has left. True if that is news. */
static bool leave(in_order_run_state *r, int32_t m)
{
    const bmf_simple_message *times = ordered_times(r->o, m);
    course *c = &r->course[m];
    const double begin = begins(r, OUT, m, free_for(r, OUT, m));
    const bool later = put(&c->key, begin + times->latency);
    c->left = begin + times->length + times->gap;
    return put(&c->done, begin + times->length) || later;
}

/* It comes in when its head is there and the one before it has come in. */
static bool come(in_order_run_state *r, int32_t m)
{
    const bmf_simple_message *times = ordered_times(r->o, m);
    course *c = &r->course[m];
    const double begin = begins(r, IN, m, free_for(r, IN, m));
    c->come = begin + times->length + times->gap;
    return put(&c->arrived, begin + times->length);
}

static void pass_port(in_order_run_state *r, int side, int32_t m)
{
    move_forward(r, side, m);
    if (side == OUT)
        leave(r, m);
    else
        come(r, m);
    give_back(r, side, m);
}

/* Messages pass the port in the order in which they have come. True if that changes a time. */
static bool pass_again(in_order_run_state *r, int side, int64_t port)
{
    const port_messages *all = messages_of(r->o, side);
    const int64_t first = all->start[port], count = all->start[port + 1] - first;
    port_list *list = &r->port[side];
    int32_t *message = list->message + first;
    bool changes = false;
    sort_messages(r, side, message, count);
    link_messages(r, side, message, count);
    for (int64_t k = 0; k < count; k++)
        changes = (side == OUT ? leave(r, message[k]) : come(r, message[k])) || changes;
    reorder(r, side, port);
    list->state[port] = REORDERED;
    return changes;
}

static bool settle_ports(in_order_run_state *r, int side)
{
    port_list *list = &r->port[side];
    bool changes = false;
    for (int64_t k = 0; k < list->disturbances; k++)
        changes = pass_again(r, side, list->disturbed[k]) || changes;
    list->disturbances = 0;
    return changes;
}

static void forget_orders(in_order_run_state *r, int side)
{
    port_list *list = &r->port[side];
    for (int64_t k = 0; k < list->reorders; k++)
        put_as_recorded(r, side, list->reordered[k]);
    list->reorders = 0;
}

/* ---- what processors do ---- */

static void post(in_order_run_state *r, int32_t first)
{
    const int32_t whose = r->o->message[first].to;
    for (int32_t m = first; m >= 0; m = r->o->message[m].next)
        r->posted[m] = r->clock[whose];
}

/* bmf_network_type.meeting asks for bytes. */
static double meeting(const in_order_run_state *r, int32_t m)
{
    const bmf_in_order *o = r->o;
    return o->network->type->meeting(o->network, &(bmf_transit){.from = o->message[m].from,
                                                                .to = o->message[m].to,
                                                                .bytes = o->message[m].bytes,
                                                                .sent = r->course[m].sent,
                                                                .posted = r->posted[m]});
}

static void send(in_order_run_state *r, int32_t m)
{
    const bmf_simple_message *times = ordered_times(r->o, m);
    course *c = &r->course[m];
    double *clock = &r->clock[r->o->message[m].from];
    c->sent = *clock;
    if (r->pushed)
        r->pushed[m] = times->meets ? meeting(r, m) : c->sent;
    *clock += times->busy;
    if (times->ported) {
        pass_port(r, OUT, m);
        pass_port(r, IN, m);
    } else {
        c->done = (times->meets ? r->pushed[m] : *clock) + times->length;
        c->arrived = c->done + times->latency;
    }
}

/* All messages of a round to one processor are taken together. */
static void receive(in_order_run_state *r, int32_t first)
{
    const ordered_message *message = r->o->message;
    const int32_t whose = message[first].to;
    double clock = r->clock[whose];
    int64_t count = 0;
    for (int32_t m = first; m >= 0; m = message[m].next)
        r->some[count++] = m;
    if (count > 1)
        sort_messages(r, ARRIVAL, r->some, count);
    for (int64_t k = 0; k < count; k++) {
        const double arrived = r->course[r->some[k]].arrived;
        clock = (arrived > clock ? arrived : clock) + ordered_times(r->o, r->some[k])->taking;
    }
    r->clock[whose] = clock;
}

static void wait(in_order_run_state *r, int32_t first)
{
    const int32_t whose = r->o->message[first].from;
    double clock = r->clock[whose];
    for (int32_t m = first; m >= 0; m = r->o->message[m].next_sent)
        clock = r->course[m].done > clock ? r->course[m].done : clock;
    r->clock[whose] = clock;
}

/* ---- passes ---- */

static double latest(const in_order_run_state *r)
{
    double last = 0.0;
    for (int64_t p = 0; p < r->o->actions->processors; p++)
        last = r->clock[p] > last ? r->clock[p] : last;
    return last;
}

/* From when all have met, each goes on when it has done what the meeting asks of it. */
static void meet(in_order_run_state *r, const ordered_part *part, double clock, double agreement)
{
    const bmf_action *action = &r->o->actions->stored[part->begin];
    for (int64_t p = 0; p < r->o->actions->processors; p++, action += part->own)
        r->clock[p] = clock + (isnan(action->seconds) ? agreement : action->seconds);
}

/* What is computed behind each other: by whom, and which stored action it is. */
typedef struct block {
    int64_t count;
    int32_t whose[BMF_COMPUTATION_BLOCK], stored[BMF_COMPUTATION_BLOCK];
} block;

/* How far a part is: stored actions, members or processors, and actions of a member. */
typedef struct block_place {
    int64_t at, within;
} block_place;

static void add_to_block(block *b, int32_t whose, int64_t stored)
{
    b->whose[b->count] = whose;
    b->stored[b->count++] = (int32_t)stored;
}

static void next_of_family(const bmf_in_order *o, const ordered_part *part, block_place *place, block *b)
{
    const bmf_actions *actions = o->actions;
    while (place->at < part->end && b->count < BMF_COMPUTATION_BLOCK) {
        const bmf_member *member = &actions->member[place->at];
        const bmf_action_slice *slice = &actions->slice[part->slice + member->slice];
        while (place->within < slice->count && b->count < BMF_COMPUTATION_BLOCK)
            add_to_block(b, member->processor, slice->begin + place->within++);
        if (place->within < slice->count)
            return;
        place->at++;
        place->within = 0;
    }
}

/* The next block of a part; place begins with its first. */
static void next_block(const bmf_in_order *o, const ordered_part *part, block_place *place, block *b)
{
    b->count = 0;
    if (part->kind == ORDERED_FAMILY)
        next_of_family(o, part, place, b);
    for (; part->kind == ORDERED_COMPUTE && place->at < part->end && b->count < BMF_COMPUTATION_BLOCK; place->at++)
        add_to_block(b, o->computations.of[place->at].processor, place->at);
    for (; part->kind == ORDERED_ALL && place->at < o->actions->processors && b->count < BMF_COMPUTATION_BLOCK;
         place->at++)
        add_to_block(b, (int32_t)place->at, part->begin);
}

/* One after the other, as the simulator adds them. */
static void add_seconds(in_order_run_state *r, const block *b, const double *seconds)
{
    int32_t whose = b->whose[0];
    double clock = r->clock[whose];
    for (int64_t k = 0; k < b->count; k++) {
        if (b->whose[k] != whose) {
            r->clock[whose] = clock;
            whose = b->whose[k];
            clock = r->clock[whose];
        }
        clock += seconds[k];
    }
    r->clock[whose] = clock;
}

/* known: the seconds were drawn, and kept. Those of leading parts are not. */
static void compute(in_order_run_state *r, const ordered_part *part, bool leading, bool known)
{
    const bmf_in_order *o = r->o;
    double drawn[BMF_COMPUTATION_BLOCK], *kept = r->seconds + part->computation;
    block b;
    int64_t action = part->action;
    for (block_place place = {.at = part->kind == ORDERED_ALL ? 0 : part->begin};; action += b.count) {
        next_block(o, part, &place, &b);
        if (b.count == 0)
            return;
        double *seconds = leading ? drawn : kept + (action - part->action);
        if (!known)
            chances_draw(&r->chances, &o->computations, &r->factors, action, b.stored, b.count, seconds);
        add_seconds(r, &b, seconds);
    }
}

/* What of a pass is the same in the next one, or behind the leading parts. */
typedef struct passed {
    double loading; /* the clock at the program's start */
    int64_t meetings;
} passed;

static void pass_part(in_order_run_state *r, const ordered_part *part, double agreement, passed *p)
{
    const bmf_in_order *o = r->o;
    const int32_t *item = part->listed ? o->item : NULL;
    double clock;
    switch (part->kind) {
    case ORDERED_COMPUTE:
    case ORDERED_FAMILY:
    case ORDERED_ALL:
        break;
    case ORDERED_POST:
        for (int64_t k = part->begin; k < part->end; k++)
            post(r, item ? item[k] : (int32_t)k);
        break;
    case ORDERED_SEND:
        for (int64_t k = part->begin; k < part->end; k++)
            send(r, (int32_t)k);
        break;
    case ORDERED_RECEIVE:
        for (int64_t k = part->begin; k < part->end; k++)
            receive(r, item ? item[k] : (int32_t)k);
        break;
    case ORDERED_WAIT:
        for (int64_t k = part->begin; k < part->end; k++)
            wait(r, item ? item[k] : (int32_t)k);
        break;
    case ORDERED_LOADED:
    case ORDERED_MEET:
        clock = latest(r);
        p->loading = part->kind == ORDERED_LOADED ? clock : p->loading;
        meet(r, part, clock, chances_meeting(&r->chances, agreement, p->meetings++));
        break;
    }
}

/* Parts [first, end). */
static void pass_parts(in_order_run_state *r, int64_t first, int64_t end, double agreement, bool known, passed *p)
{
    const bmf_in_order *o = r->o;
    for (int64_t k = first; k < end; k++)
        if (ordered_computing(o->part[k].kind))
            compute(r, &o->part[k], k < o->leading, known);
        else
            pass_part(r, &o->part[k], agreement, p);
}

/* The parts before anything is sent. */
static passed lead(in_order_run_state *r, double agreement)
{
    const bmf_in_order *o = r->o;
    passed p = {0};
    memset(r->clock, 0, (size_t)o->actions->processors * sizeof *r->clock);
    pass_parts(r, 0, o->leading, agreement, false, &p);
    memcpy(r->leading, r->clock, (size_t)o->actions->processors * sizeof *r->clock);
    return p;
}

/* One pass over the others; returns the clock at the program's start. */
static double follow(in_order_run_state *r, double agreement, bool known, passed p)
{
    const bmf_in_order *o = r->o;
    if (known)
        memcpy(r->clock, r->leading, (size_t)o->actions->processors * sizeof *r->clock);
    pass_parts(r, o->leading, o->parts, agreement, known, &p);
    return p.loading;
}

static void run_sample(in_order_run_state *r, double agreement, bmf_in_order_sample *sample)
{
    bool again = true;
    chances_begin(&r->chances, r->o->actions, r->o->network, sample->sample);
    chances_find_factors(&r->chances, sample->compute_factor, &r->o->computations, &r->factors);
    const passed before = lead(r, agreement);
    for (int pass = 0; pass < MAX_PASSES && again; pass++) {
        sample->loading = follow(r, agreement, pass > 0, before);
        again = settle_ports(r, OUT);
        again = settle_ports(r, IN) || again;
    }
    sample->seconds = latest(r);
    sample->settled = !again && isfinite(sample->seconds);
    forget_orders(r, OUT);
    forget_orders(r, IN);
}

/* ---- threads ---- */

static int64_t threads_for(const bmf_in_order *o, int64_t count)
{
    const int64_t most = STATES_BYTES / (bytes_of_state(o) + 1), there = omp_get_max_threads();
    int64_t threads = count < there ? count : there;
    threads = threads < most ? threads : most;
    return threads < 1 || count * (o->computed + 4 * o->messages) < WORTH_STEPS ? 1 : threads;
}

static void make_states(bmf_in_order *o, int64_t count)
{
    if (o->states >= count)
        return;
    o->state = reallocate_array(o->state, o->states, count, (int64_t)sizeof *o->state);
    while (o->states < count)
        o->state[o->states++] = NULL;
}

void in_order_run(bmf_in_order *o, bmf_in_order_sample *sample, int64_t count)
{
    const int64_t threads = threads_for(o, count);
    double *agreement = allocate_array(count, (int64_t)sizeof *agreement);
    for (int64_t k = 0; k < count; k++)
        agreement[k] = step_agreement(o->network, sample[k].sample);
    make_states(o, threads);
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (int64_t k = 0; k < count; k++) {
        in_order_run_state **r = &o->state[omp_get_thread_num()];
        if (!*r)
            *r = state_create(o);
        run_sample(*r, agreement[k], &sample[k]);
    }
    free(agreement);
}
