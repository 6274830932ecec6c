/* Both ends of every message.
 *
 * Method: a hash table of (node, instance, round, from, to); every entry holds a chain of sends and a chain of receives
 * in order, which are then paired off. Chains run through the array that holds the partners in the end.
 * Cost: expected linear in the messages; events that are equal in everything and out of order cost their number
 * squared.
 */
#include <stdlib.h>

#include "convert/view.h"

/* Events whose slot is fetched before they are looked at: the table is larger than any cache. */
enum { AHEAD = 12 };

typedef struct chain {
    int64_t first, last; /* events, -1 if none */
} chain;

typedef struct channel {
    uint64_t key; /* 0: the slot is free */
    chain sends, receives;
} channel;

typedef struct matching {
    const bmf_event *event;
    int64_t *next;
    channel *slot;
    uint64_t mask;
} matching;

static int32_t sender(const bmf_event *event)
{
    return event->kind == BMF_EVENT_SEND ? event->lane : event->peer;
}

static int32_t receiver(const bmf_event *event)
{
    return event->kind == BMF_EVENT_SEND ? event->peer : event->lane;
}

/* 63 bits that stand for (node, instance, round, from, to): looking at an example to be sure would double the cost, and
 * two of a billion channels have the same with a chance of a few per cent. Never 0. */
static uint64_t hash_channel(const bmf_event *event)
{
    uint64_t h = (uint64_t)event->instance << 32 | event->round;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9U + event->node;
    h = (h ^ (h >> 32)) * 0x94d049bb133111ebU;
    h ^= (uint64_t)(uint32_t)sender(event) << 32 | (uint32_t)receiver(event);
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9U;
    return (h ^ (h >> 32)) | 1;
}

static uint64_t place_of(const matching *m, uint64_t key)
{
    return key >> 1 & m->mask;
}

static channel *find_channel(matching *m, const bmf_event *event)
{
    uint64_t key = hash_channel(event), at = place_of(m, key);
    while (m->slot[at].key && m->slot[at].key != key)
        at = (at + 1) & m->mask;
    m->slot[at].key = key;
    return &m->slot[at];
}

/* Order of two sends by begin, then end; of two receives by end, then begin. */
static bool stands_before(const bmf_event *a, const bmf_event *b)
{
    bool send = a->kind == BMF_EVENT_SEND;
    int64_t first = send ? a->begin - b->begin : a->end - b->end, second = send ? a->end - b->end : a->begin - b->begin;
    return first ? first < 0 : second < 0;
}

static void insert(matching *m, chain *c, int64_t event)
{
    const bmf_event *at = m->event;
    m->next[event] = -1;
    if (c->first < 0) {
        c->first = c->last = event;
    } else if (!stands_before(&at[event], &at[c->last])) {
        m->next[c->last] = event;
        c->last = event;
    } else if (stands_before(&at[event], &at[c->first])) {
        m->next[event] = c->first;
        c->first = event;
    } else {
        int64_t before = c->first;
        while (!stands_before(&at[event], &at[m->next[before]]))
            before = m->next[before];
        m->next[event] = m->next[before];
        m->next[before] = event;
    }
}

/* Turns two chains of next into partners; what is left over has none. */
static void pair_off(int64_t *next, int64_t send, int64_t receive)
{
    while (send >= 0 && receive >= 0) {
        int64_t next_send = next[send], next_receive = next[receive];
        next[send] = receive;
        next[receive] = send;
        send = next_send;
        receive = next_receive;
    }
    for (int64_t rest = send >= 0 ? send : receive; rest >= 0;) {
        int64_t after = next[rest];
        next[rest] = -1;
        rest = after;
    }
}

bool bmf_view_match(bmf_view *view)
{
    const bmf_run *run = view->run;
    uint64_t messages = 0, slots = 64;
    view->partner = malloc((size_t)(run->events + 1) * sizeof *view->partner);
    if (!view->partner)
        return false;
    for (int64_t k = 0; k < run->events; k++) {
        messages += bmf_is_message(&run->event[k]);
        view->partner[k] = -1;
    }
    while (slots < messages + messages / 2)
        slots *= 2;
    matching m = {run->event, view->partner, malloc(slots * sizeof *m.slot), slots - 1};
    if (!m.slot)
        return false;
    for (uint64_t k = 0; k < slots; k++)
        m.slot[k] = (channel){0, {-1, -1}, {-1, -1}};
    for (int64_t k = 0; k < run->events; k++) {
        if (k + AHEAD < run->events && bmf_is_message(&run->event[k + AHEAD]))
            __builtin_prefetch(&m.slot[place_of(&m, hash_channel(&run->event[k + AHEAD]))], 1);
        if (!bmf_is_message(&run->event[k]))
            continue;
        channel *c = find_channel(&m, &run->event[k]);
        insert(&m, run->event[k].kind == BMF_EVENT_SEND ? &c->sends : &c->receives, k);
    }
    for (uint64_t k = 0; k < slots; k++)
        pair_off(m.next, m.slot[k].sends.first, m.slot[k].receives.first);
    free(m.slot);
    return true;
}
