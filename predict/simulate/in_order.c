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

/* Messages that pass ports or wait for their receivers and take no time would have no order. */
static bool have_order(const bmf_simple_message *times)
{
    return times->length + times->latency > 0.0 || (!times->ported && !times->meets);
}

/* What all messages take, if the network thinks them simple; taken: by message, which of the different ones. */
static bool all_are_simple(bmf_in_order *o, int32_t *taken)
{
    const bmf_actions *actions = o->actions;
    bmf_table table = {0};
    bmf_simple_message times;
    bool simple = true;
    for (int64_t m = 0; m < actions->messages && simple; m++) {
        const bmf_scheduled_message *message = &actions->message[m];
        simple = o->network->type->simple(o->network, message->from, message->to, message->bytes, &times) &&
                 have_order(&times);
        if (!simple)
            continue;
        const bool as_before = m > 0 && same_times(&times, &o->times[taken[m - 1]]);
        taken[m] = as_before ? taken[m - 1] : number_of_times(o, &table, &times);
        o->meets = o->meets || times.meets;
    }
    table_free(&table);
    return simple;
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

static bool make(bmf_in_order *o)
{
    int32_t *taken = allocate((o->actions->messages + 1) * (int64_t)sizeof *taken);
    const bool possible = all_are_simple(o, taken) && in_order_make_parts(o, taken);
    free(taken);
    if (!possible)
        return false;
    o->sharing = o->network->type->port_sharing ? o->network->type->port_sharing(o->network) : 1;
    o->ports = (o->actions->processors + o->sharing - 1) / o->sharing;
    computations_open(&o->computations, o->actions);
    list_ports(o, true, &o->out);
    list_ports(o, false, &o->in);
    return true;
}

bmf_in_order *in_order_create(const bmf_actions *actions, bmf_network *network)
{
    if (!network->type->simple || actions->messages >= INT32_MAX || actions->stored_count >= INT32_MAX)
        return NULL;
    bmf_in_order *o = allocate_clear(1, (int64_t)sizeof *o);
    o->actions = actions;
    o->network = network;
    if (make(o))
        return o;
    in_order_free(o);
    return NULL;
}

void in_order_free(bmf_in_order *o)
{
    if (!o)
        return;
    in_order_states_free(o);
    free(o->part);
    free(o->item);
    computations_close(&o->computations);
    free(o->message);
    free(o->times);
    free(o->out.start);
    free(o->out.message);
    free(o->in.start);
    free(o->in.message);
    free(o);
}
