/* Both ends of every message.
 *
 * Method: a hash table of (node, instance, round, from, to); every entry holds a chain of sends and a chain of receives
 * in order, which are then paired off. In recorded programs a message has a number, with its group and tag. Chains
 * run through the array that holds the partners in the end. Events are taken from the last to the first, so that
 * what stands in order goes to the front of its chain.
 * Cost: expected linear in the messages; events that are equal in everything and out of order cost their number
 * squared.
 */
#include "runtime/convert/view.h"
#include "runtime/base/memory.h"

/* Events whose slots are fetched together before they are looked at: the table is larger than any cache. That is why
 * it is one of its own, whose slots hold the chains themselves, and none of runtime/base/table.h. */
enum { BLOCK = 32 };

/* Events + 1, or 0 for none. */
typedef struct channel {
    uint64_t key; /* 0: the slot is free */
    int64_t send, receive;
} channel;

typedef struct matching {
    const bmf_event *event;
    const bmf_trace_detail *detail; /* of recorded programs, by event; or NULL */
    int64_t *next;                  /* by event: of messages the next of its chain, + 1, or 0; of others -1 */
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
static uint64_t hash_channel(const matching *m, int64_t number)
{
    const bmf_event *event = &m->event[number];
    const bmf_trace_detail *detail = m->detail ? &m->detail[number] : NULL;
    uint64_t h = detail ? (uint64_t)detail->number << 20 ^ (uint64_t)(uint32_t)detail->tag
                        : (uint64_t)event->instance << 32 | event->round;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9U + (detail ? detail_group(detail) : event->node);
    h = (h ^ (h >> 32)) * 0x94d049bb133111ebU;
    h ^= (uint64_t)(uint32_t)sender(event) << 32 | (uint32_t)receiver(event);
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9U;
    return (h ^ (h >> 32)) | 1;
}

static uint64_t place_of(const matching *m, uint64_t key)
{
    return key >> 1 & m->mask;
}

static channel *find_channel(matching *m, uint64_t key)
{
    uint64_t at = place_of(m, key);
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

/* Puts an event before those of its chain that it does not stand behind. */
static void insert(matching *m, int64_t *first, int64_t event)
{
    int64_t *place = first;
    while (*place && stands_before(&m->event[*place - 1], &m->event[event]))
        place = &m->next[*place - 1];
    m->next[event] = *place;
    *place = event + 1;
}

static void insert_all(matching *m, int64_t events)
{
    while (events > 0) {
        int64_t number[BLOCK];
        uint64_t key[BLOCK];
        int count = 0;
        while (events > 0 && count < BLOCK) {
            const bmf_event *event = &m->event[--events];
            m->next[events] = -1;
            if (!is_message(event))
                continue;
            number[count] = events;
            key[count] = hash_channel(m, events);
            __builtin_prefetch(&m->slot[place_of(m, key[count++])], 1);
        }
        for (int k = 0; k < count; k++) {
            channel *c = find_channel(m, key[k]);
            insert(m, m->event[number[k]].kind == BMF_EVENT_SEND ? &c->send : &c->receive, number[k]);
        }
    }
}

/* Turns two chains of next into partners; what is left over has none. */
static void pair_off(int64_t *next, int64_t send, int64_t receive)
{
    while (send && receive) {
        int64_t next_send = next[send - 1], next_receive = next[receive - 1];
        next[send - 1] = receive - 1;
        next[receive - 1] = send - 1;
        send = next_send;
        receive = next_receive;
    }
    for (int64_t rest = send ? send : receive; rest;) {
        int64_t after = next[rest - 1];
        next[rest - 1] = -1;
        rest = after;
    }
}

void view_match(bmf_view *view)
{
    uint64_t messages = (uint64_t)view->messages, slots = 64;
    /* Few messages are alone in their slot, so that the table is less than half full. */
    while (slots < messages + messages / 8)
        slots *= 2;
    /* Marks, which most formats want next, find its memory in the pool if it is large enough for them. */
    int64_t bytes = (int64_t)(slots * sizeof(channel)), marks = 2 * view->run->events * (int64_t)sizeof(bmf_mark);
    bmf_buffer *table = working_buffer(bytes > marks ? bytes : marks);
    memset(table->data, 0, slots * sizeof(channel));
    matching m = {view->run->event, view->run->detail, view->partner, table->data, slots - 1};
    insert_all(&m, view->run->events);
    for (uint64_t k = 0; k < slots; k++)
        pair_off(m.next, m.slot[k].send, m.slot[k].receive);
    buffer_release(table);
}
