/* Runs in the order of their recording: whether it can be done, and what all samples share. Method and cost in the
 * header. */
#include "predict/simulate/in_order.h"

#include <stdlib.h>
#include <string.h>

#include "predict/simulate/in_order_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"

/* How far a message is when actions are looked at; of the messages of a round to one processor the first is told apart,
 * because with its receive all of them are taken. */
enum { HANDED_NOT, POSTED, SENT, RECEIVED, RECEIVED_FIRST };

/* What is needed to make the steps, by number of message. */
typedef struct making {
    const bmf_actions *actions;
    uint8_t *handed;
    int32_t *times;            /* which of the different ones it takes */
    int32_t *place, *numbered; /* its place among all that are sent, and back */
    /* rounds in which a processor has sent and not waited, by places: */
    int32_t *first; /* by processor: the first message of its last such round, -1 */
    int32_t *last;  /* by first message: the last one so far */
    int32_t *outer; /* by first message: the first of the processor's round before, -1 */
    /* computing: */
    int64_t met;          /* the step of the last meeting */
    int64_t *last_step;   /* by processor, -1 */
    int64_t *computed_in; /* by computation as recorded: its step */
    int64_t computations, capacity;
} making;

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
static bool check_send(const bmf_in_order *o, const making *made, order_check *c, const bmf_action *action)
{
    const int64_t m = action->message;
    const bool before = c->handed[m] == POSTED || (c->handed[m] == HANDED_NOT && !o->times[made->times[m]].meets);
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
static bool check_action(const bmf_in_order *o, const making *made, order_check *c, int64_t k)
{
    const bmf_actions *actions = o->actions;
    const bmf_action *action = &actions->action[k];
    if (action->kind != BMF_ACTION_BARRIER && c->meeting > 0)
        return false;
    if (action->kind == BMF_ACTION_POST)
        check_post(actions, c, action);
    if (action->kind == BMF_ACTION_SEND && !check_send(o, made, c, action))
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

static bool stands_in_order(const bmf_in_order *o, const making *made)
{
    const bmf_actions *actions = o->actions;
    order_check c = {.last = allocate(actions->processors * (int64_t)sizeof(int64_t)), .handed = made->handed};
    bool right = true;
    for (int64_t p = 0; p < actions->processors; p++)
        c.last[p] = -1;
    for (int64_t k = 0; k < actions->count && right; k++)
        right = check_action(o, made, &c, k);
    right = right && c.meeting == 0 && check_chains(actions, c.handed);
    free(c.last);
    return right;
}

/* ---- what messages take ---- */

static bool same_times(const bmf_simple_message *a, const bmf_simple_message *b)
{
    return a->busy == b->busy && a->length == b->length && a->latency == b->latency && a->gap == b->gap &&
           a->taking == b->taking && a->ported == b->ported && a->meets == b->meets;
}

typedef struct wanted_times {
    const bmf_in_order *in_order;
    const bmf_simple_message *times;
} wanted_times;

static bool are_times(const void *wanted, uint32_t number)
{
    const wanted_times *w = wanted;
    return same_times(&w->in_order->times[number], w->times);
}

static uint64_t hash_times(const bmf_simple_message *times)
{
    const double part[] = {times->busy, times->length, times->latency, times->taking};
    uint64_t word[sizeof part / sizeof *part], hash = times->ported + 2U * times->meets;
    memcpy(word, part, sizeof word);
    for (size_t k = 0; k < sizeof word / sizeof *word; k++)
        hash = hash_add(hash, word[k]);
    return hash;
}

/* The number of these among the different ones. */
static int32_t number_of_times(bmf_in_order *o, bmf_table *table, const bmf_simple_message *times)
{
    table_make_room(table, o->different + 1);
    const uint32_t number =
        table_find_or_add(table, hash_times(times), are_times, &(wanted_times){o, times}, (uint32_t)o->different);
    if (number == o->different)
        *ARRAY_APPEND(o->times, o->different, o->times_capacity) = *times;
    return (int32_t)number;
}

/* What all messages take, if the network thinks them simple. Messages that take no time would have no order. */
static bool all_are_simple(bmf_in_order *o, making *made)
{
    const bmf_actions *actions = o->actions;
    bmf_table table = {0};
    bmf_simple_message times;
    bool simple = true;
    for (int64_t m = 0; m < actions->messages && simple; m++) {
        const bmf_scheduled_message *message = &actions->message[m];
        simple = o->network->type->simple(o->network, message->from, message->to, message->bytes, &times) &&
                 times.length + times.latency > 0.0;
        if (!simple)
            continue;
        const bool as_before = m > 0 && same_times(&times, &o->times[made->times[m - 1]]);
        made->times[m] = as_before ? made->times[m - 1] : number_of_times(o, &table, &times);
        o->meets = o->meets || times.meets;
    }
    table_free(&table);
    return simple;
}

/* ---- steps ---- */

static int64_t round_of(const making *made, int32_t message)
{
    return made->actions->message[made->numbered[message]].round;
}

static int32_t *find_open(const making *made, int32_t whose, int64_t round)
{
    int32_t *at = &made->first[whose];
    while (*at >= 0 && round_of(made, *at) != round)
        at = &made->outer[*at];
    return at;
}

/* A message is handed over; it belongs to its processor's round. */
static void link_send(bmf_in_order *o, making *made, int32_t m)
{
    const int32_t from = o->message[m].from;
    const int32_t first = *find_open(made, from, round_of(made, m));
    o->message[m].next_sent = -1;
    if (first >= 0) {
        o->message[made->last[first]].next_sent = m;
        made->last[first] = m;
    } else {
        made->outer[m] = made->first[from];
        made->last[m] = m;
        made->first[from] = m;
    }
}

static void add_step(bmf_in_order *o, making *made, ordered_kind kind, int32_t processor, int64_t what)
{
    made->last_step[processor] = o->steps;
    *ARRAY_APPEND(o->step, o->steps, o->step_capacity) =
        (ordered_step){.what = what, .processor = processor, .kind = (int32_t)kind};
}

/* Nothing to wait for is no step. */
static void add_wait(bmf_in_order *o, making *made, const bmf_action *action)
{
    int32_t *at = find_open(made, action->processor, action->message);
    if (*at < 0)
        return;
    add_step(o, made, ORDERED_WAIT, action->processor, *at);
    *at = made->outer[*at];
}

/* What a processor computes without doing anything else in between, and without a meeting, is one step: that of the
 * first of it. Others do not notice. */
static void add_computing(bmf_in_order *o, making *made, int32_t whose)
{
    const int64_t last = made->last_step[whose];
    if (last < made->met || o->step[last].kind != ORDERED_COMPUTE)
        add_step(o, made, ORDERED_COMPUTE, whose, 0);
    o->step[made->last_step[whose]].what++;
    *ARRAY_APPEND(made->computed_in, made->computations, made->capacity) = made->last_step[whose];
}

/* Of receives that follow each other the first one is a step, of meetings that of processor 0. */
static void add_action(bmf_in_order *o, making *made, int64_t k)
{
    const bmf_action *action = &o->actions->action[k];
    const int32_t whose = action->processor;
    switch ((bmf_action_kind)action->kind) {
    case BMF_ACTION_COMPUTE:
    case BMF_ACTION_OVERHEAD:
        add_computing(o, made, whose);
        break;
    case BMF_ACTION_POST:
        if (o->meets && action->amount >= 0)
            add_step(o, made, ORDERED_POST, whose, made->place[action->amount]);
        break;
    case BMF_ACTION_SEND:
        link_send(o, made, made->place[action->message]);
        add_step(o, made, ORDERED_SEND, whose, made->place[action->message]);
        break;
    case BMF_ACTION_RECEIVE:
        if (made->handed[action->message] == RECEIVED_FIRST)
            add_step(o, made, ORDERED_RECEIVE, whose, made->place[action->message]);
        break;
    case BMF_ACTION_WAIT:
        add_wait(o, made, action);
        break;
    case BMF_ACTION_BARRIER:
        if (whose == 0) {
            made->met = o->steps;
            add_step(o, made, k < o->actions->start ? ORDERED_LOADED : ORDERED_MEET, 0, k);
        }
        break;
    }
}

/* Messages by their place among all that are sent. */
static void place_messages(bmf_in_order *o, making *made)
{
    const bmf_actions *actions = o->actions;
    for (int64_t k = 0; k < actions->count; k++)
        if (actions->action[k].kind == BMF_ACTION_SEND) {
            made->numbered[o->messages] = (int32_t)actions->action[k].message;
            made->place[actions->action[k].message] = (int32_t)o->messages++;
        }
    o->message = allocate((o->messages + 1) * (int64_t)sizeof *o->message);
    for (int64_t m = 0; m < o->messages; m++) {
        const bmf_scheduled_message *of = &actions->message[made->numbered[m]];
        o->message[m] = (ordered_message){.from = (int32_t)of->from,
                                          .to = (int32_t)of->to,
                                          .next = of->next >= 0 ? made->place[of->next] : -1,
                                          .times = made->times[made->numbered[m]],
                                          .bytes = of->bytes};
    }
}

/* ---- computing ---- */

static bool is_computing(const bmf_action *action)
{
    return action->kind == BMF_ACTION_COMPUTE || action->kind == BMF_ACTION_OVERHEAD;
}

/* By step: the place of its first computation. */
static int64_t *place_computing(const bmf_in_order *o)
{
    int64_t *first = allocate((o->steps + 1) * (int64_t)sizeof *first), count = 0;
    for (int64_t s = 0; s < o->steps; s++) {
        first[s] = count;
        count += o->step[s].kind == ORDERED_COMPUTE ? o->step[s].what : 0;
    }
    return first;
}

static void list_computations(bmf_in_order *o, const making *made)
{
    const bmf_actions *actions = o->actions;
    int64_t *next = place_computing(o), recorded = 0;
    computations_open(&o->computations, made->computations);
    for (int64_t k = 0; k < actions->count; k++)
        if (is_computing(&actions->action[k]))
            computations_set(&o->computations, actions, next[made->computed_in[recorded++]]++, k);
    free(next);
}

/* ---- ports ---- */

/* Messages of a port stand in the order of their recording; all count where it is asked how many are the most. */
static void list_ports(bmf_in_order *o, bool out, port_messages *list)
{
    int64_t *all = allocate_clear(o->ports + 1, (int64_t)sizeof *all);
    list->start = allocate_clear(o->ports + 2, (int64_t)sizeof *list->start);
    list->message = allocate((o->messages + 1) * (int64_t)sizeof *list->message);
    int64_t *next = list->start + 1;
    for (int32_t m = 0; m < o->messages; m++) {
        const int64_t port = ordered_port(o, m, out);
        next[port + 1] += ordered_times(o, m)->ported;
        all[port]++;
        o->longest = all[port] > o->longest ? all[port] : o->longest;
    }
    for (int64_t k = 0; k < o->ports; k++)
        next[k + 1] += next[k];
    for (int32_t m = 0; m < o->messages; m++)
        if (ordered_times(o, m)->ported)
            list->message[next[ordered_port(o, m, out)]++] = m;
    free(all);
}

/* ---- all ---- */

static void making_open(const bmf_actions *actions, making *made)
{
    const int64_t bytes = (actions->messages + 1) * (int64_t)sizeof(int32_t);
    *made = (making){.actions = actions,
                     .handed = allocate_clear(actions->messages + 1, 1),
                     .times = allocate(bytes),
                     .place = allocate(bytes),
                     .numbered = allocate(bytes),
                     .first = allocate(actions->processors * (int64_t)sizeof(int32_t)),
                     .last = allocate(bytes),
                     .outer = allocate(bytes),
                     .last_step = allocate(actions->processors * (int64_t)sizeof(int64_t))};
    for (int64_t p = 0; p < actions->processors; p++) {
        made->first[p] = -1;
        made->last_step[p] = -1;
    }
}

static void making_close(const making *made)
{
    free(made->handed);
    free(made->times);
    free(made->place);
    free(made->numbered);
    free(made->first);
    free(made->last);
    free(made->outer);
    free(made->last_step);
    free(made->computed_in);
}

static void make_steps(bmf_in_order *o, making *made)
{
    o->sharing = o->network->type->port_sharing ? o->network->type->port_sharing(o->network) : 1;
    o->ports = (o->actions->processors + o->sharing - 1) / o->sharing;
    place_messages(o, made);
    for (int64_t k = 0; k < o->actions->count; k++)
        add_action(o, made, k);
    list_computations(o, made);
    list_ports(o, true, &o->out);
    list_ports(o, false, &o->in);
}

bmf_in_order *in_order_create(const bmf_actions *actions, bmf_network *network)
{
    making made;
    if (!network->type->simple || actions->messages >= INT32_MAX || actions->count > UINT32_MAX)
        return NULL;
    bmf_in_order *o = allocate_clear(1, (int64_t)sizeof *o);
    o->actions = actions;
    o->network = network;
    making_open(actions, &made);
    const bool possible = all_are_simple(o, &made) && stands_in_order(o, &made);
    if (possible)
        make_steps(o, &made);
    making_close(&made);
    if (possible)
        return o;
    in_order_free(o);
    return NULL;
}

void in_order_free(bmf_in_order *o)
{
    if (!o)
        return;
    in_order_states_free(o);
    free(o->step);
    computations_close(&o->computations);
    free(o->message);
    free(o->times);
    free(o->out.start);
    free(o->out.message);
    free(o->in.start);
    free(o->in.message);
    free(o);
}
