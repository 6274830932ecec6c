/* A run in the order of its recording; method and cost in the header. */
#include "predict/simulate/in_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/simulate/simulate_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

/* How far a message is when actions are looked at; of the messages of a round to one processor the first is told apart,
 * because with its receive all of them are taken. */
enum { HANDED_NOT, POSTED, SENT, RECEIVED, RECEIVED_FIRST };

enum { MAX_PASSES = 20 };

/* The messages of all ports: those of port k are message[start[k]] to message[start[k + 1] - 1]. */
typedef struct ports_messages {
    int64_t *start, *message;
} ports_messages;

struct bmf_in_order {
    const bmf_actions *actions;
    bmf_network *network;
    int64_t sharing, ports;
    int64_t *next_sent; /* by message: the next of its round by the same sender, -1 */
    int64_t *awaited;   /* of the k-th wait of all: the first message that is waited for, -1 */
    uint8_t *handed;    /* by message: RECEIVED or RECEIVED_FIRST */
    double *clock;
    double *seconds;               /* by action, in this sample */
    bmf_simple_message *simple;    /* by message */
    double *sent, *done, *arrived; /* by message: handed over; its sender may use its memory; at its receiver */
    double *posted;                /* by message: when its receiver is ready for it; NULL: none waits for that */
    double *pushed; /* by message: when it comes to its sender's port; `sent` if none waits for its receiver */
    double *key;    /* by message, working memory: what ports serve them by */
    ports_messages out, in;
    int64_t *taken, *spare; /* working memory, as many as there are messages */
    bmf_chances chances;
};

/* ---- whether it can be done ---- */

/* What is known of the actions looked at so far. */
typedef struct order_check {
    int64_t *last;   /* by processor: its last action, -1 */
    uint8_t *handed; /* by message */
    int64_t meeting; /* processors that have come to one */
} order_check;

static bool check_receive(const bmf_actions *actions, order_check *c, int64_t k)
{
    const bmf_action *action = &actions->action[k];
    const int64_t before = c->last[action->processor];
    const bool follows = before >= 0 && actions->action[before].kind == BMF_ACTION_RECEIVE &&
                         actions->message[actions->action[before].message].next == action->message;
    const bool sent = c->handed[action->message] == SENT;
    c->handed[action->message] = follows ? RECEIVED : RECEIVED_FIRST;
    return sent && actions->message[action->message].to == action->processor;
}

/* Receivers say that they are ready before messages are sent, where these wait for it. */
static bool check_send(const bmf_in_order *o, order_check *c, const bmf_action *action)
{
    const int64_t m = action->message;
    const bool before = c->handed[m] == POSTED || (c->handed[m] == HANDED_NOT && !o->simple[m].meets);
    c->handed[m] = SENT;
    return before && o->actions->message[m].from == action->processor;
}

static void check_post(const bmf_actions *actions, order_check *c, const bmf_action *action)
{
    for (int64_t m = action->amount; m >= 0; m = actions->message[m].next)
        if (c->handed[m] == HANDED_NOT && actions->message[m].to == action->processor)
            c->handed[m] = POSTED;
}

/* Meetings are those of actions_barrier: everybody, one behind the other. */
static bool check_action(const bmf_in_order *o, order_check *c, int64_t k)
{
    const bmf_actions *actions = o->actions;
    const bmf_action *action = &actions->action[k];
    if (action->kind != BMF_ACTION_BARRIER && c->meeting > 0)
        return false;
    if (action->kind == BMF_ACTION_POST)
        check_post(actions, c, action);
    if (action->kind == BMF_ACTION_SEND && !check_send(o, c, action))
        return false;
    if (action->kind == BMF_ACTION_RECEIVE && !check_receive(actions, c, k))
        return false;
    if (action->kind == BMF_ACTION_BARRIER) {
        if (action->processor != c->meeting)
            return false;
        c->meeting = c->meeting + 1 == actions->processors ? 0 : c->meeting + 1;
    }
    c->last[action->processor] = k;
    return true;
}

/* Every chain of receives begins with the first message of its round to that receiver, and all of it follows. */
static bool check_chains(const bmf_actions *actions, const uint8_t *handed)
{
    bool right = true;
    for (int64_t m = 0; m < actions->messages && right; m++) {
        const int64_t next = actions->message[m].next;
        right = handed[m] >= RECEIVED && (next < 0 || handed[next] == RECEIVED);
    }
    return right;
}

static bool stands_in_order(const bmf_in_order *o)
{
    const bmf_actions *actions = o->actions;
    order_check c = {.last = allocate(actions->processors * (int64_t)sizeof(int64_t)), .handed = o->handed};
    bool right = true;
    for (int64_t p = 0; p < actions->processors; p++)
        c.last[p] = -1;
    for (int64_t k = 0; k < actions->count && right; k++)
        right = check_action(o, &c, k);
    right = right && c.meeting == 0 && check_chains(actions, c.handed);
    free(c.last);
    return right;
}

/* What all messages take, if the network thinks them simple. Messages that take no time would have no order. */
static bool all_are_simple(const bmf_actions *actions, const bmf_network *network, bmf_simple_message *simple)
{
    for (int64_t m = 0; m < actions->messages; m++) {
        const bmf_scheduled_message *message = &actions->message[m];
        if (!network->type->simple(network, message->from, message->to, message->bytes, &simple[m]) ||
            !(simple[m].length + simple[m].latency > 0.0))
            return false;
    }
    return true;
}

/* ---- making it ---- */

/* Rounds in which a processor has sent and not waited: their first messages. */
typedef struct open_sends {
    int64_t *first; /* by processor: of its last such round, -1 */
    int64_t *last;  /* by first message: the last one so far */
    int64_t *outer; /* by first message: of the processor's round before, -1 */
} open_sends;

static int64_t *find_open(const bmf_actions *actions, open_sends *open, int64_t whose, int64_t round)
{
    int64_t *at = &open->first[whose];
    while (*at >= 0 && actions->message[*at].round != round)
        at = &open->outer[*at];
    return at;
}

static void add_send(bmf_in_order *o, open_sends *open, const bmf_action *action)
{
    const int64_t m = action->message;
    const int64_t first = *find_open(o->actions, open, action->processor, o->actions->message[m].round);
    o->next_sent[m] = -1;
    if (first >= 0) {
        o->next_sent[open->last[first]] = m;
        open->last[first] = m;
    } else {
        open->outer[m] = open->first[action->processor];
        open->last[m] = m;
        open->first[action->processor] = m;
    }
}

static void add_wait(bmf_in_order *o, open_sends *open, const bmf_action *action, int64_t *capacity, int64_t number)
{
    int64_t *at = find_open(o->actions, open, action->processor, action->message);
    ARRAY_RESERVE(o->awaited, *capacity, number + 1);
    o->awaited[number] = *at;
    if (*at >= 0)
        *at = open->outer[*at];
}

/* Finds out what every wait waits for. */
static void link_sends(bmf_in_order *o)
{
    const bmf_actions *actions = o->actions;
    open_sends open = {.first = allocate(actions->processors * (int64_t)sizeof(int64_t)),
                       .last = allocate(2 * (actions->messages + 1) * (int64_t)sizeof(int64_t))};
    int64_t waits = 0, capacity = 0;
    open.outer = open.last + actions->messages + 1;
    for (int64_t p = 0; p < actions->processors; p++)
        open.first[p] = -1;
    for (int64_t k = 0; k < actions->count; k++)
        if (actions->action[k].kind == BMF_ACTION_SEND)
            add_send(o, &open, &actions->action[k]);
        else if (actions->action[k].kind == BMF_ACTION_WAIT)
            add_wait(o, &open, &actions->action[k], &capacity, waits++);
    free(open.first);
    free(open.last);
}

static int64_t port_of(const bmf_in_order *o, int64_t message, bool out)
{
    const bmf_scheduled_message *of = &o->actions->message[message];
    return (out ? of->from : of->to) / o->sharing;
}

/* Messages of a port stand in the order of their recording. */
static void list_ports(const bmf_in_order *o, bool out, ports_messages *list)
{
    list->start = allocate_clear(o->ports + 2, (int64_t)sizeof *list->start);
    list->message = allocate((o->actions->messages + 1) * (int64_t)sizeof *list->message);
    int64_t *next = list->start + 1;
    for (int64_t m = 0; m < o->actions->messages; m++)
        next[port_of(o, m, out) + 1] += o->simple[m].ported;
    for (int64_t k = 0; k < o->ports; k++)
        next[k + 1] += next[k];
    for (int64_t m = 0; m < o->actions->messages; m++)
        if (o->simple[m].ported)
            list->message[next[port_of(o, m, out)]++] = m;
}

/* Where messages wait for their receivers. */
static void prepare_meetings(bmf_in_order *o)
{
    bool meets = false;
    for (int64_t m = 0; m < o->actions->messages && !meets; m++)
        meets = o->simple[m].meets;
    o->pushed = o->sent;
    if (!meets)
        return;
    o->posted = allocate(2 * (o->actions->messages + 1) * (int64_t)sizeof *o->posted);
    o->pushed = o->posted + o->actions->messages + 1;
}

bmf_in_order *in_order_create(const bmf_actions *actions, bmf_network *network)
{
    if (!network->type->simple)
        return NULL;
    bmf_in_order *o = allocate_clear(1, (int64_t)sizeof *o);
    o->actions = actions;
    o->network = network;
    o->handed = allocate_clear(actions->messages + 1, 1);
    o->simple = allocate((actions->messages + 1) * (int64_t)sizeof *o->simple);
    if (!all_are_simple(actions, network, o->simple) || !stands_in_order(o)) {
        in_order_free(o);
        return NULL;
    }
    o->sharing = network->type->port_sharing ? network->type->port_sharing(network) : 1;
    o->ports = (actions->processors + o->sharing - 1) / o->sharing;
    o->next_sent = allocate((actions->messages + 1) * (int64_t)sizeof *o->next_sent);
    o->clock = allocate(actions->processors * (int64_t)sizeof *o->clock);
    o->seconds = allocate((actions->count + 1) * (int64_t)sizeof *o->seconds);
    o->sent = allocate(4 * (actions->messages + 1) * (int64_t)sizeof *o->sent);
    o->done = o->sent + actions->messages + 1;
    o->arrived = o->done + actions->messages + 1;
    o->key = o->arrived + actions->messages + 1;
    o->taken = allocate(2 * (actions->messages + 1) * (int64_t)sizeof *o->taken);
    o->spare = o->taken + actions->messages + 1;
    prepare_meetings(o);
    list_ports(o, true, &o->out);
    list_ports(o, false, &o->in);
    link_sends(o);
    return o;
}

void in_order_free(bmf_in_order *o)
{
    if (!o)
        return;
    free(o->next_sent);
    free(o->awaited);
    free(o->handed);
    free(o->clock);
    free(o->seconds);
    free(o->simple);
    free(o->sent);
    free(o->posted);
    free(o->out.start);
    free(o->out.message);
    free(o->in.start);
    free(o->in.message);
    free(o->taken);
    free(o);
}

/* ---- what processors do ---- */

static void post(bmf_in_order *o, const bmf_action *action)
{
    for (int64_t m = action->amount; m >= 0 && o->posted; m = o->actions->message[m].next)
        o->posted[m] = o->clock[action->processor];
}

static double meeting(const bmf_in_order *o, int64_t m)
{
    const bmf_scheduled_message *message = &o->actions->message[m];
    return o->network->type->meeting(o->network, &(bmf_transit){.from = message->from,
                                                                .to = message->to,
                                                                .bytes = message->bytes,
                                                                .sent = o->sent[m],
                                                                .posted = o->posted[m]});
}

/* In the first pass nothing is known to be in its way. */
static void send(bmf_in_order *o, const bmf_action *action, bool first_pass)
{
    const int64_t m = action->message;
    const bmf_simple_message *simple = &o->simple[m];
    double *clock = &o->clock[action->processor];
    o->sent[m] = *clock;
    if (o->posted)
        o->pushed[m] = simple->meets ? meeting(o, m) : o->sent[m];
    *clock += simple->busy;
    if (first_pass || !simple->ported) {
        o->done[m] = (simple->meets ? o->pushed[m] : *clock) + simple->length;
        o->arrived[m] = o->done[m] + simple->latency;
    }
}

/* Who makes the meeting of a message: its sender or its receiver, who come at one time in the order of their numbers.
 */
static int64_t last_to_come(const bmf_in_order *o, int64_t m, double *when)
{
    const bmf_scheduled_message *message = &o->actions->message[m];
    *when = fmax(o->sent[m], o->posted[m]);
    if (o->sent[m] != o->posted[m])
        return o->sent[m] > o->posted[m] ? message->from : message->to;
    return message->from > message->to ? message->from : message->to;
}

static bool meets_before(const bmf_in_order *o, int64_t a, int64_t b)
{
    double first, second;
    const int64_t whose = last_to_come(o, a, &first), other = last_to_come(o, b, &second);
    if (first != second)
        return first < second;
    return whose != other ? whose < other : a <= b;
}

/* By time; of one time, as they came to the ports (where that counts; those that have met first), by sender, as they
 * stand in its list. */
static bool goes_before(const bmf_in_order *o, const double *time, bool as_sent, int64_t a, int64_t b)
{
    const bmf_scheduled_message *message = o->actions->message;
    if (time[a] != time[b])
        return time[a] < time[b];
    if (as_sent && o->pushed[a] != o->pushed[b])
        return o->pushed[a] < o->pushed[b];
    if (as_sent && o->simple[a].meets != o->simple[b].meets)
        return o->simple[a].meets;
    if (as_sent && o->simple[a].meets)
        return meets_before(o, a, b);
    return message[a].from != message[b].from ? message[a].from < message[b].from : a <= b;
}

/* Merges two sorted halves; `spare` is as long. */
static void merge(const bmf_in_order *o, const double *time, bool as_sent, int64_t *message, int64_t half,
                  int64_t count, int64_t *spare)
{
    int64_t a = 0, b = half;
    memcpy(spare, message, (size_t)count * sizeof *spare);
    for (int64_t k = 0; k < count; k++)
        message[k] =
            b >= count || (a < half && goes_before(o, time, as_sent, spare[a], spare[b])) ? spare[a++] : spare[b++];
}

static bool is_sorted(const bmf_in_order *o, const double *time, bool as_sent, const int64_t *message, int64_t count)
{
    bool sorted = true;
    for (int64_t k = 1; k < count && sorted; k++)
        sorted = goes_before(o, time, as_sent, message[k - 1], message[k]);
    return sorted;
}

/* Into that order. They are nearly in it. */
static void sort_messages(const bmf_in_order *o, const double *time, bool as_sent, int64_t *message, int64_t count,
                          int64_t *spare)
{
    if (is_sorted(o, time, as_sent, message, count))
        return;
    sort_messages(o, time, as_sent, message, count / 2, spare);
    sort_messages(o, time, as_sent, message + count / 2, count - count / 2, spare);
    merge(o, time, as_sent, message, count / 2, count, spare);
}

/* All messages of a round to one processor are taken with the receive of the first. */
static void receive(bmf_in_order *o, const bmf_action *action)
{
    const bmf_scheduled_message *message = o->actions->message;
    double clock = o->clock[action->processor];
    int64_t count = 0;
    for (int64_t m = action->message; m >= 0; m = message[m].next)
        o->taken[count++] = m;
    if (count > 1)
        sort_messages(o, o->arrived, false, o->taken, count, o->spare);
    for (int64_t k = 0; k < count; k++) {
        const int64_t m = o->taken[k];
        clock = (o->arrived[m] > clock ? o->arrived[m] : clock) + o->simple[m].taking;
    }
    o->clock[action->processor] = clock;
}

static void wait(bmf_in_order *o, const bmf_action *action, int64_t first)
{
    double clock = o->clock[action->processor];
    for (int64_t m = first; m >= 0; m = o->next_sent[m])
        clock = o->done[m] > clock ? o->done[m] : clock;
    o->clock[action->processor] = clock;
}

/* ---- what ports do ---- */

static bool put(double *at, double time)
{
    const bool changes = *at != time;
    *at = time;
    return changes;
}

/* Messages leave one after the other, in the order in which they came to the port. True if a time has changed. */
static bool leave(bmf_in_order *o, int64_t port)
{
    int64_t *message = o->out.message + o->out.start[port];
    const int64_t count = o->out.start[port + 1] - o->out.start[port];
    double idle = 0.0;
    bool changes = false;
    sort_messages(o, o->pushed, true, message, count, o->spare);
    for (int64_t k = 0; k < count; k++) {
        const int64_t m = message[k];
        const double ready = o->simple[m].meets ? o->pushed[m] : o->sent[m] + o->simple[m].busy;
        const double begin = fmax(ready, idle);
        idle = begin + o->simple[m].length + o->simple[m].gap;
        o->key[m] = begin + o->simple[m].latency;
        changes = put(&o->done[m], begin + o->simple[m].length) || changes;
    }
    return changes;
}

/* Messages come in one after the other, as their heads come. */
static bool come(bmf_in_order *o, int64_t port)
{
    int64_t *message = o->in.message + o->in.start[port];
    const int64_t count = o->in.start[port + 1] - o->in.start[port];
    double idle = 0.0;
    bool changes = false;
    sort_messages(o, o->key, true, message, count, o->spare);
    for (int64_t k = 0; k < count; k++) {
        const int64_t m = message[k];
        const double begin = fmax(o->key[m], idle);
        idle = begin + o->simple[m].length + o->simple[m].gap;
        changes = put(&o->arrived[m], begin + o->simple[m].length) || changes;
    }
    return changes;
}

static bool pass_ports(bmf_in_order *o)
{
    bool changes = false;
    for (int64_t k = 0; k < o->ports; k++)
        changes = leave(o, k) || changes;
    for (int64_t k = 0; k < o->ports; k++)
        changes = come(o, k) || changes;
    return changes;
}

/* ---- all ---- */

static double latest(const bmf_in_order *o)
{
    double last = 0.0;
    for (int64_t p = 0; p < o->actions->processors; p++)
        last = o->clock[p] > last ? o->clock[p] : last;
    return last;
}

/* The actions of all processors from `action` on. */
static void meet(bmf_in_order *o, const bmf_action *action, double clock, double agreement)
{
    for (int64_t p = 0; p < o->actions->processors; p++)
        o->clock[p] = clock + (isnan(action[p].seconds) ? agreement : action[p].seconds);
}

/* The seconds of all computing in this sample. */
static void draw(bmf_in_order *o, int64_t sample, double compute_factor)
{
    const bmf_actions *actions = o->actions;
    chances_begin(&o->chances, actions, o->network, sample);
    for (int64_t k = 0; k < actions->count; k++)
        if (actions->action[k].kind == BMF_ACTION_COMPUTE || actions->action[k].kind == BMF_ACTION_OVERHEAD)
            o->seconds[k] = chances_seconds(&o->chances, compute_factor, k);
}

/* One pass over all actions; returns the clock at the program's start. */
static double pass_actions(bmf_in_order *o, double agreement, bool first_pass)
{
    const bmf_actions *actions = o->actions;
    double loading = 0.0;
    int64_t waits = 0, meetings = 0;
    for (int64_t p = 0; p < actions->processors; p++)
        o->clock[p] = 0.0;
    for (int64_t k = 0; k < actions->count; k++) {
        const bmf_action *action = &actions->action[k];
        switch ((bmf_action_kind)action->kind) {
        case BMF_ACTION_COMPUTE:
        case BMF_ACTION_OVERHEAD:
            o->clock[action->processor] += o->seconds[k];
            break;
        case BMF_ACTION_POST:
            post(o, action);
            break;
        case BMF_ACTION_SEND:
            send(o, action, first_pass);
            break;
        case BMF_ACTION_RECEIVE:
            if (o->handed[action->message] == RECEIVED_FIRST)
                receive(o, action);
            break;
        case BMF_ACTION_WAIT:
            wait(o, action, o->awaited[waits++]);
            break;
        case BMF_ACTION_BARRIER: {
            const double clock = latest(o);
            if (k < actions->start)
                loading = clock;
            meet(o, action, clock, chances_meeting(&o->chances, agreement, meetings++));
            k += actions->processors - 1;
            break;
        }
        }
    }
    return loading;
}

bool in_order_run(bmf_in_order *o, int64_t sample, double compute_factor, double *seconds, double *loading)
{
    const double agreement = step_agreement(o->network, sample);
    bool changes = true;
    draw(o, sample, compute_factor);
    for (int pass = 0; pass < MAX_PASSES && changes; pass++) {
        *loading = pass_actions(o, agreement, pass == 0);
        changes = pass_ports(o);
    }
    *seconds = latest(o);
    return !changes && isfinite(*seconds);
}
