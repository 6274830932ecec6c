/* Events of a simulated run, as the cluster backend would have recorded them.
 *
 * Method: a lane's events are its processor's actions between their two clocks. Scopes are entered and left at places
 * in the log; every lane goes through these places in their order when it comes past them, so that an event of a scope
 * spans exactly what its lane did in it. Nanoseconds are rounded from one clock by one function, so what follows each
 * other does not overlap and what lies inside stays inside.
 * Intervals hold what is uncertain about the event itself, not when it begins: log-normal for computing and sending;
 * for receives the transport's error, as far as it is waited for. Better ones come from samples (events.c).
 */
#include <math.h>
#include <stdlib.h>

#include "predict/simulate/simulate_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/trace/receive_costs.h"

static const double SIDE_95 = 1.959963984540054; /* of the normal distribution */

/* A scope is entered or left before the action at `position`. */
typedef struct boundary {
    int64_t position;
    uint32_t scope;
    int32_t level; /* of nesting, 0 for those in the program */
    bool leaves;
} boundary;

typedef struct recorder {
    bmf_trace_run *run;
    int64_t first_event;
    boundary *boundary;
    int64_t boundaries, boundary_capacity;
    int64_t scopes;  /* read so far */
    uint32_t *stack; /* open scopes, as far as read */
    int32_t depth, depth_capacity;
    double **begin; /* by level and lane: when the open scope was entered */
    int32_t levels;
    int64_t *passed; /* by lane: boundaries */
    int64_t *held;   /* by lane: the last record of what it holds that was passed, -1: none */
    int64_t first_held;
    int64_t *slot; /* by event: see record_lengths */
    int64_t slots, slot_capacity;
    float *length; /* instead of events; not owned */
    double factor;
    bmf_receive_costs receives;
} recorder;

static int64_t nanoseconds(double seconds)
{
    return seconds * 1e9 < (double)BMF_TRACE_MAX_NUMBER ? (int64_t)(seconds * 1e9 + 0.5) : BMF_TRACE_MAX_NUMBER;
}

void simulator_record(bmf_simulator *s, bmf_trace_run *run)
{
    recorder *r = allocate_clear(1, (int64_t)sizeof *r);
    r->run = run;
    r->first_event = run ? run->events : 0;
    r->scopes = 1; /* the program has no event */
    r->passed = allocate_clear(s->actions->processors, (int64_t)sizeof *r->passed);
    r->held = allocate_array(s->actions->processors, (int64_t)sizeof *r->held);
    for (int64_t p = 0; p < s->actions->processors; p++)
        r->held[p] = -1;
    r->first_held = run ? run->helds : 0;
    record_free(s);
    s->recorder = r;
}

void record_free(bmf_simulator *s)
{
    recorder *r = s->recorder;
    if (!r)
        return;
    for (int32_t level = 0; level < r->levels; level++)
        free(r->begin[level]);
    free(r->begin);
    free(r->boundary);
    free(r->stack);
    free(r->passed);
    free(r->held);
    free(r->slot);
    free(r);
    s->recorder = NULL;
}

void record_finish(bmf_simulator *s)
{
    if (s->recorder && s->recorder->run)
        receive_costs_write(&s->recorder->receives, s->recorder->run);
}

void record_restart(bmf_simulator *s)
{
    const recorder old = *s->recorder;
    if (old.run)
        old.run->events = old.first_event, old.run->helds = old.first_held;
    simulator_record(s, old.run);
    s->recorder->length = old.length;
    s->recorder->factor = old.factor;
}

void record_lengths(bmf_simulator *s, float *length, double factor)
{
    simulator_record(s, NULL);
    s->recorder->length = length;
    s->recorder->factor = factor;
}

int64_t *record_take_slots(bmf_simulator *s)
{
    int64_t *slot = s->recorder->slot;
    s->recorder->slot = NULL;
    return slot;
}

/* An event, or its length in a sample. */
static void keep(recorder *r, const bmf_event *event, int64_t slot, double seconds)
{
    if (r->length) {
        r->length[slot] = (float)(seconds * r->factor);
        return;
    }
    *ARRAY_APPEND(r->slot, r->slots, r->slot_capacity) = slot;
    run_add(r->run, event);
}

int simulation_fits_trace(const bmf_simulation *result)
{
    const double max = (double)BMF_TRACE_MAX_NUMBER * 1e-9;
    return result->seconds < max
               ? BMF_OK
               : bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                          "a predicted run of %.4g s does not fit a trace, which ends at %.4g s", result->seconds, max);
}

/* ---- scopes ---- */

static void add_boundary(recorder *r, boundary added)
{
    *ARRAY_APPEND(r->boundary, r->boundaries, r->boundary_capacity) = added;
}

static void push_scope(bmf_simulator *s, recorder *r, uint32_t scope)
{
    ARRAY_RESERVE(r->stack, r->depth_capacity, r->depth + 1);
    if (r->depth == r->levels) {
        const int64_t size = (int64_t)sizeof *r->begin;
        r->begin = reallocate(r->begin, r->levels * size, (r->levels + 1) * size);
        r->begin[r->levels++] = allocate(s->actions->processors * (int64_t)sizeof(double));
    }
    add_boundary(r, (boundary){s->actions->scope[scope].entered, scope, r->depth, false});
    r->stack[r->depth++] = scope;
}

static void pop_scope(const bmf_simulator *s, recorder *r)
{
    const uint32_t scope = r->stack[--r->depth];
    add_boundary(r, (boundary){s->actions->scope[scope].left, scope, r->depth, true});
}

/* Scopes stand in the order of entering; whatever is open beside the next one's parent must have been left before. */
void record_refresh(bmf_simulator *s)
{
    recorder *r = s->recorder;
    for (; r->scopes < s->actions->scopes; r->scopes++) {
        const uint32_t parent = s->actions->scope[r->scopes].parent;
        while (r->depth > 0 && r->stack[r->depth - 1] != parent)
            pop_scope(s, r);
        push_scope(s, r, (uint32_t)r->scopes);
    }
    while (r->depth > 0 && s->actions->scope[r->stack[r->depth - 1]].left >= 0)
        pop_scope(s, r);
}

static void record_scope(const bmf_simulator *s, uint32_t number, int64_t lane, double begin, double end)
{
    const bmf_scope *scope = &s->actions->scope[number];
    const int64_t slot = s->actions->count + number * s->actions->processors + lane;
    const int64_t from = nanoseconds(begin), to = nanoseconds(end);
    keep(s->recorder,
         &(bmf_event){.begin = from,
                      .end = to,
                      .amount = scope->amount ? scope->amount[lane] : 0,
                      .low = to - from,
                      .high = to - from,
                      .node = scope->node,
                      .instance = scope->instance,
                      .lane = (int32_t)lane,
                      .peer = -1,
                      .kind = scope->kind,
                      .name = scope->place},
         slot, end - begin);
}

/* What the lane holds before the action at `position`. */
static void record_held(const bmf_simulator *s, int64_t lane, int64_t position)
{
    const bmf_actions *actions = s->actions;
    recorder *r = s->recorder;
    if (!r->run || r->length || !actions->first_held)
        return;
    for (;;) {
        const int64_t last = r->held[lane], next = last < 0 ? actions->first_held[lane] : actions->held[last].next;
        if (next < 0 || actions->held[next].position > position)
            return;
        r->held[lane] = next;
        run_add_held(r->run, &(bmf_trace_held){nanoseconds(s->processor[lane].clock), actions->held[next].bytes,
                                               (int32_t)lane, 0});
    }
}

void record_scopes(bmf_simulator *s, int64_t lane, int64_t position)
{
    recorder *r = s->recorder;
    record_held(s, lane, position);
    const double clock = s->processor[lane].clock;
    for (int64_t *at = &r->passed[lane]; *at < r->boundaries && r->boundary[*at].position <= position; ++*at) {
        const boundary *passed = &r->boundary[*at];
        double *begin = &r->begin[passed->level][lane];
        if (passed->leaves)
            record_scope(s, passed->scope, lane, *begin, clock);
        else
            *begin = clock;
    }
}

/* ---- events ---- */

typedef struct bounds {
    double low, high; /* seconds */
} bounds;

static bounds around(double seconds, double relative)
{
    if (!(relative > 0))
        return (bounds){seconds, seconds};
    return (bounds){seconds * chance_factor(relative, -SIDE_95), seconds * chance_factor(relative, SIDE_95)};
}

static void record(bmf_simulator *s, const bmf_action *action, bmf_event event, double begin, double end,
                   bounds seconds)
{
    const bmf_scope *scope = &s->actions->scope[action->scope];
    event.begin = nanoseconds(begin);
    event.end = nanoseconds(end);
    event.low = nanoseconds(fmax(seconds.low, 0));
    event.high = nanoseconds(fmax(seconds.high, 0));
    if (seconds.low == seconds.high)
        event.low = event.high = event.end - event.begin;
    event.node = scope->node;
    event.instance = scope->instance;
    event.round = action->round;
    event.lane = action->processor;
    keep(s->recorder, &event, action - s->action, end - begin);
}

void record_compute(bmf_simulator *s, const bmf_action *action, double begin, double end)
{
    const double shared = action->equation > 0 ? (double)action->shared : 0;
    record(s, action,
           (bmf_event){.kind = action->message ? BMF_EVENT_FILE : BMF_EVENT_KERNEL,
                       .amount = action->amount,
                       .peer = -1,
                       .name = action->name},
           begin, end,
           around(end - begin,
                  hypot(hypot(hypot(shared, (double)action->own), s->actions->relative_error),
                        hypot(s->actions->spread.common, (double)s->actions->spread.equation[action->equation]))));
}

/* Of a message's times: its own, or that of all the network's times. */
static double relative_error(const bmf_simulator *s, const bmf_transit *message)
{
    return message->relative_error > 0 ? message->relative_error : s->network->relative_error;
}

void record_send(bmf_simulator *s, const bmf_action *action, const bmf_transit *message, double begin, double end)
{
    record(s, action, (bmf_event){.kind = BMF_EVENT_SEND, .amount = message->bytes, .peer = (int32_t)message->to},
           begin, end, around(end - begin, relative_error(s, message)));
}

void record_receive(bmf_simulator *s, const bmf_action *action, const bmf_transit *message, double begin, double end)
{
    const double error = relative_error(s, message);
    const bounds arrival = around(message->arrived - message->sent, error);
    const double low = fmax(message->sent + arrival.low - begin, 0),
                 high = fmax(message->sent + arrival.high - begin, 0);
    if (s->recorder->run)
        receive_costs_add(&s->recorder->receives, message->bytes, nanoseconds(message->receive_overhead));
    const bounds seconds =
        error > 0 ? (bounds){low + message->receive_overhead, high + message->receive_overhead} : (bounds){0, 0};
    record(s, action, (bmf_event){.kind = BMF_EVENT_RECEIVE, .amount = message->bytes, .peer = (int32_t)message->from},
           begin, end, seconds);
}

void record_wait(bmf_simulator *s, const bmf_action *action, double begin, double end)
{
    record(s, action, (bmf_event){.kind = BMF_EVENT_WAIT, .peer = -1}, begin, end, (bounds){0, 0});
}

/* All agreements of a program take the same; if not, the trace's head tells the shortest. */
void record_barrier(bmf_simulator *s, const bmf_action *action, double begin, double end, double seconds)
{
    bmf_trace_run *run = s->recorder->run;
    if (action->name > 0)
        record(s, action, (bmf_event){.kind = BMF_EVENT_COLLECTIVE, .peer = -1, .name = action->name}, begin, end,
               (bounds){0, 0});
    const int64_t needed = run ? nanoseconds(seconds) : 0;
    if (needed > 0 && (run->agreement == 0 || needed < run->agreement))
        run->agreement = needed;
}
