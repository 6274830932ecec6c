/* Rounds of collective networks: held back until all who send in them have come.
 *
 * Method: per round, the number of messages that are still missing. The last sender hands all of them over, in the
 * order of senders; each sender then goes on at the largest `free` of its messages.
 * Cost: one search for the round's messages a sender, and sorting them if they are not in order.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/simulate/simulate_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

static int64_t *missing_of(bmf_simulator *s, int64_t round)
{
    int64_t known = s->missing_capacity;
    ARRAY_RESERVE(s->missing, s->missing_capacity, round + 1);
    for (; known < s->missing_capacity; known++)
        s->missing[known] = 0;
    return &s->missing[round];
}

static bool is_send_of(const bmf_simulator *s, int64_t index, int64_t round)
{
    return index >= 0 && s->action[index].kind == BMF_ACTION_SEND && s->action[index].amount == round;
}

static int by_sender(const void *a, const void *b)
{
    const flight *x = *(void *const *)a, *y = *(void *const *)b;
    if (x->transit.from != y->transit.from)
        return x->transit.from < y->transit.from ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* All messages of the round in the order of their senders. */
static int64_t collect(bmf_simulator *s, int64_t round)
{
    const int64_t first = actions_first_message(s->actions, round), end = actions_first_message(s->actions, round + 1),
                  count = end - first;
    bool sorted = true;
    ARRAY_RESERVE(s->together, s->together_capacity, count);
    for (int64_t k = 0; k < count; k++) {
        s->together[k] = &flight_of(s, first + k)->transit;
        sorted = sorted && (k == 0 || s->together[k - 1]->from <= s->together[k]->from);
    }
    if (!sorted)
        qsort(s->together, (size_t)count, sizeof *s->together, by_sender);
    return count;
}

/* One sender leaves the round with its `count` messages: its sends follow each other until the last is free. */
static void leave(bmf_simulator *s, bmf_transit *const *message, int64_t count)
{
    const int64_t from = message[0]->from, round = message[0]->round;
    processor *me = &s->processor[from];
    for (int64_t k = 0; k < count; k++)
        step_count_done(s, me, (flight *)(void *)message[k]);
    for (; is_send_of(s, me->at, round); me->at = s->next[me->at]) {
        const bmf_action *action = &s->action[me->at];
        const bmf_transit *sent = &flight_of(s, action->message)->transit;
        const double begin = me->clock;
        me->clock = fmax(me->clock, sent->sender_free);
        if (s->recorder)
            record_send(s, action, sent, begin, me->clock);
        flight_received(s, action->message);
    }
    step_on(s, from);
}

static void send_round(bmf_simulator *s, int64_t round)
{
    const int64_t count = collect(s, round);
    double last = 0;
    for (int64_t k = 0; k < count; k++)
        last = fmax(last, s->together[k]->sent);
    s->now = fmax(s->now, last);
    s->type->send_round(s->network, s->together, count);
    for (int64_t k = 0; k < count && s->status == BMF_OK; k++)
        if (!(((flight *)(void *)s->together[k])->known & FLIGHT_ARRIVED))
            step_fail(s, s->together[k], "leaves a message out of its round");
    for (int64_t k = 0, next; k < count && s->status == BMF_OK; k = next) {
        for (next = k + 1; next < count && s->together[next]->from == s->together[k]->from;)
            next++;
        leave(s, s->together + k, next - k);
    }
}

void round_join(bmf_simulator *s, int64_t p)
{
    processor *me = &s->processor[p];
    const int64_t round = s->action[me->at].amount;
    int64_t *missing = missing_of(s, round);
    if (*missing == 0)
        *missing = actions_first_message(s->actions, round) - actions_first_message(s->actions, round + 1);
    for (int64_t at = me->at; is_send_of(s, at, round); at = s->next[at]) {
        message_inject(s, &s->action[at], me->clock);
        ++*missing;
    }
    me->blocked_on = BLOCKED_ROUND;
    if (*missing == 0)
        send_round(s, round);
}
