/* Computing that several processors repeat on the same data.
 *
 * The runtime repeats only one thing: in a reduction whose result everybody gets, processors exchange partial results
 * both ways and both combine them. So after the exchanges of rounds 0 .. r - 1 of a reduction, processors that are
 * connected by pairs of messages there and back hold the same, and a kernel of round r is one of c copies, c the number
 * of processors connected with its own: 2^r with recursive doubling, P when everybody sends to everybody. Messages one
 * way, as in a tree to one processor, connect nobody. Document 002 and its sources charge (c - 1) / c of it.
 *
 * Method: sends and kernels of reductions, sorted by (call, round), kernels first; union by size in every call.
 * Cost: n log n in these events.
 */
#include <stdlib.h>
#include <string.h>

#include "predict/report/intervals_private.h"
#include "runtime/base/allocate.h"

/* A kernel (peer -1) or a message, from the lower to the higher lane or back. */
typedef struct item {
    uint32_t node, instance, round;
    int32_t low, high; /* kernel: -1 and its lane */
    bool back;
    int64_t event;
} item;

static int compare_items(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

static bool is_item(const bmf_trace_run *run, const bool *reduction, const bmf_event *event)
{
    return reduction[event->node] && (event->kind == BMF_EVENT_SEND || event->kind == BMF_EVENT_KERNEL) &&
           event->peer != event->lane && event->peer < run->lanes;
}

static item item_of(const bmf_event *event, int64_t number)
{
    int32_t low = event->lane < event->peer ? event->lane : event->peer;
    int32_t high = event->lane < event->peer ? event->peer : event->lane;
    return (item){event->node, event->instance, event->round, low, high, event->lane == high && low >= 0, number};
}

static item *find_items(const bmf_trace_run *run, int64_t *items)
{
    bool *reduction = allocate_array(run->nodes, (int64_t)sizeof *reduction);
    *items = 0;
    for (uint32_t k = 0; k < run->nodes; k++)
        reduction[k] = is_reduction(&run->node[k]);
    for (int64_t k = 0; k < run->events; k++)
        *items += is_item(run, reduction, &run->event[k]);
    item *made = allocate_array(*items, (int64_t)sizeof *made);
    *items = 0;
    for (int64_t k = 0; k < run->events; k++)
        if (is_item(run, reduction, &run->event[k]))
            made[(*items)++] = item_of(&run->event[k], k);
    free(reduction);
    return made;
}

/* Processors connected so far in a call; entries are valid for the call whose number they carry. */
typedef struct member {
    int64_t call;
    int32_t parent;
    uint32_t size;
} member;

static int32_t find_root(member *of, int64_t call, int32_t lane)
{
    if (of[lane].call != call)
        of[lane] = (member){call, lane, 1};
    while (of[lane].parent != lane)
        lane = of[lane].parent = of[of[lane].parent].parent;
    return lane;
}

static void connect(member *of, int64_t call, int32_t a, int32_t b)
{
    a = find_root(of, call, a);
    b = find_root(of, call, b);
    if (a == b)
        return;
    int32_t larger = of[a].size >= of[b].size ? a : b, smaller = larger == a ? b : a;
    of[smaller].parent = larger;
    of[larger].size += of[smaller].size;
}

static bool same_pair(const item *x, const item *y)
{
    return x->node == y->node && x->instance == y->instance && x->round == y->round && x->low == y->low &&
           x->high == y->high;
}

/* Kernels sort before the messages of their round, because they have no lower lane. */
static bool count_copies(const item *at, int64_t items, member *of, uint32_t *copies)
{
    bool any = false;
    int64_t call = 0;
    for (int64_t k = 0; k < items;) {
        int64_t next = k + 1;
        call += k == 0 || at[k].node != at[k - 1].node || at[k].instance != at[k - 1].instance;
        if (at[k].low < 0) {
            uint32_t size = of[find_root(of, call, at[k].high)].size;
            copies[at[k].event] = size;
            any = any || size > 1;
        } else {
            bool both = false;
            for (; next < items && same_pair(&at[k], &at[next]); next++)
                both = both || at[next].back != at[k].back;
            if (both)
                connect(of, call, at[k].low, at[k].high);
        }
        k = next;
    }
    return any;
}

uint32_t *repeated_create(const bmf_trace_run *run)
{
    int64_t items;
    if (run->lanes == 1)
        return NULL;
    item *at = find_items(run, &items);
    member *of = allocate_clear(run->lanes, (int64_t)sizeof *of);
    uint32_t *copies = allocate_clear(run->events, (int64_t)sizeof *copies);
    qsort(at, (size_t)items, sizeof *at, compare_items);
    const bool any = count_copies(at, items, of, copies);
    free(at);
    free(of);
    if (any)
        return copies;
    free(copies);
    return NULL;
}
