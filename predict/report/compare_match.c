/* Twins: the same event in two runs.
 *
 * Method: events with the same (node path, instance, round, lane, kind, peer) form a chain in each run, in the order of
 * their begins, of receives that of their ends as in the rest of bmf; the k-th of one chain is the twin of the k-th of
 * the other. A hash table finds chains; it is made for the smaller run and asked for the events of the larger one.
 * Cost: expected linear; events that are equal in all six and out of order cost their number squared. Memory: up to 48
 * bytes per event of the smaller run, 8 per event of the larger.
 */
#include <stdlib.h>

#include "predict/report/compare_private.h"

typedef struct chain {
    int64_t first[2], last[2]; /* by run: events, -1 if none */
} chain;

typedef struct matching {
    const bmf_both *both;
    int smaller;    /* the run the table is made for */
    uint32_t *slot; /* chain + 1, 0: free */
    uint64_t mask;
    chain *chain;
    uint32_t chains;
    int64_t *next[2]; /* by event of each run */
} matching;

static const bmf_event *event_of(const matching *m, int run, int64_t event)
{
    return &m->both->run[run]->event[event];
}

static uint64_t hash_event(const bmf_event *event, uint32_t node)
{
    uint64_t h = (uint64_t)event->instance << 32 | event->round;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9U + ((uint64_t)node << 3 | event->kind);
    h = (h ^ (h >> 32)) * 0x94d049bb133111ebU;
    h ^= (uint64_t)(uint32_t)event->lane << 32 | (uint32_t)event->peer;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9U;
    return h ^ (h >> 32);
}

static bool is_same(const matching *m, const bmf_event *event, uint32_t node, uint32_t number)
{
    const bmf_event *other = event_of(m, m->smaller, m->chain[number].first[m->smaller]);
    return event->instance == other->instance && event->round == other->round && event->lane == other->lane &&
           event->kind == other->kind && event->peer == other->peer && node == m->both->known[m->smaller][other->node];
}

static uint64_t find_slot(const matching *m, const bmf_event *event, uint32_t node)
{
    uint64_t at = hash_event(event, node) & m->mask;
    while (m->slot[at] && !is_same(m, event, node, m->slot[at] - 1))
        at = (at + 1) & m->mask;
    return at;
}

static bool stands_before(const bmf_event *a, const bmf_event *b)
{
    bool receive = a->kind == BMF_EVENT_RECEIVE;
    int64_t first = receive ? a->end - b->end : a->begin - b->begin;
    int64_t second = receive ? a->begin - b->begin : a->end - b->end;
    return first ? first < 0 : second < 0;
}

static void insert(matching *m, int run, chain *c, int64_t event)
{
    int64_t *next = m->next[run];
    const bmf_event *at = event_of(m, run, event);
    next[event] = -1;
    if (c->first[run] < 0) {
        c->first[run] = c->last[run] = event;
    } else if (!stands_before(at, event_of(m, run, c->last[run]))) {
        next[c->last[run]] = event;
        c->last[run] = event;
    } else if (stands_before(at, event_of(m, run, c->first[run]))) {
        next[event] = c->first[run];
        c->first[run] = event;
    } else {
        int64_t before = c->first[run];
        while (!stands_before(at, event_of(m, run, next[before])))
            before = next[before];
        next[event] = next[before];
        next[before] = event;
    }
}

/* Enters the events of a run: all of the smaller one, of the larger one those that have a chain. */
static void enter_events(matching *m, int run)
{
    const bmf_run *of = m->both->run[run];
    for (int64_t k = 0; k < of->events; k++) {
        uint32_t node = m->both->known[run][of->event[k].node];
        m->next[run][k] = -1;
        if (node == UINT32_MAX)
            continue;
        uint64_t at = find_slot(m, &of->event[k], node);
        if (!m->slot[at] && run != m->smaller)
            continue;
        if (!m->slot[at]) {
            m->chain[m->chains] = (chain){{-1, -1}, {-1, -1}};
            m->slot[at] = ++m->chains;
        }
        insert(m, run, &m->chain[m->slot[at] - 1], k);
    }
}

/* Turns the chains of the measured run into twins. */
static void pair_off(matching *m)
{
    int64_t *twin = m->next[0];
    for (uint32_t k = 0; k < m->chains; k++) {
        int64_t measured = m->chain[k].first[0], predicted = m->chain[k].first[1];
        while (measured >= 0) {
            int64_t after = twin[measured];
            twin[measured] = predicted;
            predicted = predicted < 0 ? -1 : m->next[1][predicted];
            measured = after;
        }
    }
}

int64_t *compare_twins(const bmf_both *both)
{
    matching m = {.both = both, .smaller = both->run[0]->events < both->run[1]->events ? 0 : 1};
    int64_t smaller = both->run[m.smaller]->events;
    uint64_t slots = 64;
    while (slots < 2 * (uint64_t)smaller)
        slots *= 2;
    m.mask = slots - 1;
    m.slot = calloc(slots, sizeof *m.slot);
    m.chain = malloc(((size_t)smaller + 1) * sizeof *m.chain);
    for (int run = 0; run < 2; run++)
        m.next[run] = malloc(((size_t)both->run[run]->events + 1) * sizeof *m.next[run]);
    bool complete = m.slot && m.chain && m.next[0] && m.next[1] && smaller < UINT32_MAX;
    if (complete) {
        enter_events(&m, m.smaller);
        enter_events(&m, 1 - m.smaller);
        pair_off(&m);
    }
    free(m.slot);
    free(m.chain);
    free(m.next[1]);
    if (complete)
        return m.next[0];
    free(m.next[0]);
    return NULL;
}
