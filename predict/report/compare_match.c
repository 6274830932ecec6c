/* Matches: the same event in two runs.
 *
 * Method: events with the same (node path, instance, round, lane, kind, peer) form a chain in each run, in the order of
 * their begins, of receives that of their ends as in the rest of bmf; the k-th of one chain is the match of the k-th of
 * the other. A hash table finds chains; it is made for the smaller run and asked for the events of the larger one.
 * Cost: expected linear; events that are equal in all six and out of order cost their number squared. Memory: up to 48
 * bytes per event of the smaller run, 8 per event of the larger.
 */
#include <stdlib.h>

#include "predict/report/compare_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"

typedef struct chain {
    int64_t first[2], last[2]; /* by run: events, -1 if none */
} chain;

typedef struct matching {
    const bmf_both *both;
    int smaller;     /* the run the table is made for */
    bmf_table table; /* of chains */
    chain *chain;
    int64_t *next[2]; /* by event of each run */
} matching;

static const bmf_event *event_of(const matching *m, int run, int64_t event)
{
    return &m->both->run[run]->event[event];
}

static uint64_t hash_event(const bmf_event *event, uint32_t node)
{
    uint64_t h = hash_add(0, (uint64_t)event->instance << 32 | event->round);
    h = hash_add(h, (uint64_t)node << 3 | event->kind);
    return hash_add(h, (uint64_t)(uint32_t)event->lane << 32 | (uint32_t)event->peer);
}

/* An event whose chain is looked up. */
typedef struct wanted {
    const matching *matching;
    const bmf_event *event;
    uint32_t node;
} wanted;

static bool is_chain(const void *looked_up, uint32_t number)
{
    const wanted *w = looked_up;
    const matching *m = w->matching;
    const bmf_event *event = w->event, *other = event_of(m, m->smaller, m->chain[number].first[m->smaller]);
    return event->instance == other->instance && event->round == other->round && event->lane == other->lane &&
           event->kind == other->kind && event->peer == other->peer &&
           w->node == m->both->known[m->smaller][other->node];
}

/* The chain of an event, NULL if it has none: only those of the smaller run get one. */
static chain *find_chain(matching *m, int run, const bmf_event *event, uint32_t node)
{
    const wanted w = {m, event, node};
    const uint64_t hash = hash_event(event, node);
    if (run != m->smaller) {
        const int64_t found = table_find(&m->table, hash, is_chain, &w);
        return found == TABLE_NONE ? NULL : &m->chain[found];
    }
    const uint32_t chains = (uint32_t)m->table.count;
    const uint32_t number = table_find_or_add(&m->table, hash, is_chain, &w, chains);
    if (number == chains)
        m->chain[number] = (chain){{-1, -1}, {-1, -1}};
    return &m->chain[number];
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
    const bmf_trace_run *of = m->both->run[run];
    for (int64_t k = 0; k < of->events; k++) {
        uint32_t node = m->both->known[run][of->event[k].node];
        m->next[run][k] = -1;
        if (node == UINT32_MAX)
            continue;
        chain *found = find_chain(m, run, &of->event[k], node);
        if (found)
            insert(m, run, found, k);
    }
}

/* Turns the chains of the measured run into matches. */
static void pair_off(matching *m)
{
    int64_t *match = m->next[0];
    for (int64_t k = 0; k < m->table.count; k++) {
        int64_t measured = m->chain[k].first[0], predicted = m->chain[k].first[1];
        while (measured >= 0) {
            int64_t after = match[measured];
            match[measured] = predicted;
            predicted = predicted < 0 ? -1 : m->next[1][predicted];
            measured = after;
        }
    }
}

int64_t *compare_matches(const bmf_both *both)
{
    matching m = {.both = both, .smaller = both->run[0]->events < both->run[1]->events ? 0 : 1};
    int64_t smaller = both->run[m.smaller]->events;
    m.chain = allocate_array(smaller, (int64_t)sizeof *m.chain);
    for (int run = 0; run < 2; run++)
        m.next[run] = allocate_array(both->run[run]->events, (int64_t)sizeof *m.next[run]);
    table_make_room(&m.table, smaller);
    enter_events(&m, m.smaller);
    enter_events(&m, 1 - m.smaller);
    pair_off(&m);
    table_free(&m.table);
    free(m.chain);
    free(m.next[1]);
    return m.next[0];
}
