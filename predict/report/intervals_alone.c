/* Time in which one processor computes alone while the program can use no other.
 *
 * Method: a call computes on one processor only if all its kernels ran on one lane: work on a placed list. Of the time
 * of these kernels that part counts in which no other processor computes anything: two placed lists on two processors
 * are parallel work. Kernels that touch such time are cut at its bounds, and one sweep over all bounds finds where
 * exactly one kernel runs.
 * Cost: a hash lookup per kernel; n log n in the kernels that run beside such calls.
 */
#include <stdlib.h>

#include "predict/report/intervals_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/search.h"

/* The lane of all kernels of a call. */
typedef struct call {
    uint32_t node, instance;
    int32_t lane; /* MANY if there are several */
} call;
enum { MANY = -2 };

typedef struct calls {
    bmf_table table;
    call *call;
    int64_t capacity;
} calls;

/* The call that is looked up. */
typedef struct wanted {
    const calls *calls;
    const bmf_event *event;
} wanted;

static bool is_call(const void *looked_up, uint32_t number)
{
    const wanted *w = looked_up;
    return w->calls->call[number].node == w->event->node && w->calls->call[number].instance == w->event->instance;
}

static uint64_t hash_call(const bmf_event *event)
{
    return hash_word((uint64_t)event->node << 32 | event->instance);
}

static const call *find_call(const calls *c, const bmf_event *event)
{
    return &c->call[table_find(&c->table, hash_call(event), is_call, &(wanted){c, event})];
}

static bool is_kernel(const bmf_event *event)
{
    return event->kind == BMF_EVENT_KERNEL && event->end > event->begin;
}

static void find_calls(const bmf_trace_run *run, calls *c)
{
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        const uint32_t known = (uint32_t)c->table.count;
        if (!is_kernel(event))
            continue;
        table_make_room(&c->table, (int64_t)known + 1);
        ARRAY_RESERVE(c->call, c->capacity, (int64_t)known + 1);
        const uint32_t number = table_find_or_add(&c->table, hash_call(event), is_call, &(wanted){c, event}, known);
        if (number == known)
            c->call[number] = (call){event->node, event->instance, event->lane};
        else if (c->call[number].lane != event->lane)
            c->call[number].lane = MANY;
    }
}

/* Where a kernel begins or ends to run. */
typedef struct bound {
    int64_t time, event;
    int32_t kernels, serial; /* how many more run after it, and how many of calls on one processor */
} bound;

static int by_time(const void *a, const void *b)
{
    const bound *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

/* The union of all kernels of calls on one processor, as disjoint pieces in time order. */
static void join_serial(const bmf_trace_run *run, const calls *c, bmf_serial_sections *joined)
{
    int64_t count = 0, open = 0;
    for (int64_t k = 0; k < run->events; k++)
        count += is_kernel(&run->event[k]) && find_call(c, &run->event[k])->lane != MANY;
    bound *at = allocate_array(count * 2, (int64_t)sizeof *at);
    joined->begin = allocate_array(count, (int64_t)sizeof *joined->begin);
    joined->end = allocate_array(count, (int64_t)sizeof *joined->end);
    count = 0;
    for (int64_t k = 0; k < run->events; k++)
        if (is_kernel(&run->event[k]) && find_call(c, &run->event[k])->lane != MANY) {
            at[count++] = (bound){run->event[k].begin, k, 1, 1};
            at[count++] = (bound){run->event[k].end, k, -1, -1};
        }
    qsort(at, (size_t)count, sizeof *at, by_time);
    for (int64_t k = 0; k < count;) {
        int64_t time = at[k].time, before = open;
        for (; k < count && at[k].time == time; k++)
            open += at[k].serial;
        if (before == 0 && open > 0)
            joined->begin[joined->pieces] = time;
        else if (before > 0 && open == 0)
            joined->end[joined->pieces++] = time;
    }
    free(at);
}

int64_t alone_after(const bmf_serial_sections *alone, int64_t time)
{
    return first_above(alone->end, alone->pieces, time);
}

/* The bounds of all kernels that run at some time of the pieces. */
static bound *kernels_beside(const bmf_trace_run *run, const calls *c, const bmf_serial_sections *joined,
                             int64_t *bounds)
{
    int64_t capacity = 0;
    bound *at = NULL;
    *bounds = 0;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        if (!is_kernel(event))
            continue;
        int64_t piece = alone_after(joined, event->begin);
        if (piece == joined->pieces || joined->begin[piece] >= event->end)
            continue;
        int32_t serial = find_call(c, event)->lane != MANY;
        *ARRAY_APPEND(at, *bounds, capacity) = (bound){event->begin, k, 1, serial};
        *ARRAY_APPEND(at, *bounds, capacity) = (bound){event->end, k, -1, -serial};
    }
    return at;
}

/* The pieces of time with exactly one kernel, one of a call on one processor. The sum of the numbers of those that run
 * is then its number. */
static void keep_single(bound *at, int64_t bounds, bmf_serial_sections *alone)
{
    int64_t kernels = 0, serial = 0, sum = 0, capacity = bounds / 2 + 1;
    alone->begin = allocate_array(capacity, (int64_t)sizeof *alone->begin);
    alone->end = allocate_array(capacity, (int64_t)sizeof *alone->end);
    alone->owner = allocate_array(capacity, (int64_t)sizeof *alone->owner);
    qsort(at, (size_t)bounds, sizeof *at, by_time);
    for (int64_t k = 0; k < bounds;) {
        int64_t time = at[k].time;
        if (kernels == 1 && serial == 1)
            alone->end[alone->pieces++] = time;
        for (; k < bounds && at[k].time == time; k++) {
            kernels += at[k].kernels;
            serial += at[k].serial;
            sum += at[k].kernels * at[k].event;
        }
        if (kernels == 1 && serial == 1) {
            alone->begin[alone->pieces] = time;
            alone->owner[alone->pieces] = sum;
        }
    }
}

void serial_sections_create(const bmf_trace_run *run, bmf_serial_sections *alone)
{
    calls c = {0};
    bmf_serial_sections joined = {0};
    bound *at = NULL;
    int64_t bounds;
    *alone = (bmf_serial_sections){0};
    if (run->lanes == 1)
        return;
    find_calls(run, &c);
    join_serial(run, &c, &joined);
    if (joined.pieces > 0) {
        at = kernels_beside(run, &c, &joined, &bounds);
        keep_single(at, bounds, alone);
    }
    free(at);
    table_free(&c.table);
    free(c.call);
    serial_sections_free(&joined);
}

void serial_sections_free(bmf_serial_sections *alone)
{
    free(alone->begin);
    free(alone->end);
    free(alone->owner);
    *alone = (bmf_serial_sections){0};
}
