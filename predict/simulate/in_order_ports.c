/* Runs in the order of their recording: the ports that messages pass.
 *
 * Method: the messages of a port are a list, in the order in which they pass it. Each takes from the one before it when
 * the port is free. A pass that finds that it has taken something else than what is true notes the port; it is passed
 * again, sorted, between passes. Cost: some comparisons a message. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/simulate/in_order_state.h"
#include "runtime/base/allocate.h"

enum { MOST_STEPS = 16 };

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
int64_t in_order_ports_bytes(const bmf_in_order *o)
{
    return 2 * o->ports * (int64_t)(2 * sizeof(int64_t) + 1) +
           2 * (o->messages + o->longest) * (int64_t)sizeof(int32_t);
}

void in_order_ports_create(in_order_run_state *r)
{
    const bmf_in_order *o = r->o;
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
}

void in_order_ports_free(in_order_run_state *r)
{
    for (int side = IN; side <= OUT; side++) {
        free(r->port[side].state);
        free(r->port[side].message);
        free(r->port[side].reordered);
        free(r->port[side].disturbed);
    }
    free(r->some);
    free(r->spare);
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

void in_order_sort_arrivals(in_order_run_state *r, int32_t *message, int64_t count)
{
    sort_messages(r, ARRIVAL, message, count);
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

void in_order_pass_port(in_order_run_state *r, int side, int32_t m)
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
    for (int64_t k = 0; k < count; k++) {
        const bool later = side == OUT ? leave(r, message[k]) : come(r, message[k]);
        if (later)
            r->news[message[k]] |= side == OUT ? NEWS_STALE | NEWS_DONE | NEWS_ORDER : NEWS_ARRIVED;
        changes = later || changes;
    }
    reorder(r, side, port);
    list->state[port] = REORDERED;
    return changes;
}

static bool settle_side(in_order_run_state *r, int side)
{
    port_list *list = &r->port[side];
    bool changes = false;
    for (int64_t k = 0; k < list->disturbances; k++)
        changes = pass_again(r, side, list->disturbed[k]) || changes;
    list->disturbances = 0;
    return changes;
}

bool in_order_settle(in_order_run_state *r)
{
    const bool changes = settle_side(r, OUT);
    return settle_side(r, IN) || changes;
}

void in_order_forget_orders(in_order_run_state *r)
{
    for (int side = IN; side <= OUT; side++) {
        port_list *list = &r->port[side];
        for (int64_t k = 0; k < list->reorders; k++)
            put_as_recorded(r, side, list->reordered[k]);
        list->reorders = 0;
    }
}
