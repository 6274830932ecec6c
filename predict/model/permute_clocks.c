/* Clocks of processors in rounds of messages.
 *
 * Method: a network that takes rounds as a whole is asked round by round; then only the clocks and the two rounds that
 * are under way have to be kept: the rules are those of predict/simulate/simulate.h. For other networks actions are
 * recorded. Cost: sorting a round's messages; 160 bytes for each of them. */
#include <math.h>
#include <stdlib.h>

#include "predict/model/permute_clocks.h"
#include "predict/simulate/simulate_private.h"
#include "runtime/base/allocate.h"

typedef struct sent_message {
    bmf_transit transit;
    int64_t number; /* in its round */
} sent_message;

typedef struct under_way {
    int64_t k, number; /* of the caller, of the actions */
    sent_message *sent;
    bmf_transit **order;
    int64_t count, capacity;
} under_way;

struct permute_clocks {
    bmf_network *network;
    double *clock;
    bmf_trace_run *names; /* what actions mean; what rounds that are timed as they come leave, if that is wanted */
    bmf_actions *actions; /* NULL: rounds are timed as they come */
    uint32_t call;        /* node of the recorded run; 0: none is */
    bool routes_own;
    under_way *round; /* number k at k % capacity */
    int64_t capacity;
    int64_t begun, ended, messages, bytes;
};

static void told(void *simulator, bmf_transit *message)
{
    (void)simulator;
    (void)message;
}

permute_clocks *permute_clocks_create(const bmf_machine *machine, bmf_network *network)
{
    permute_clocks *c = allocate_clear(1, (int64_t)sizeof *c);
    const int32_t processors = (int32_t)network->processors;
    c->network = network;
    c->names = run_create("bmf", machine->name, processors, processors, 1);
    c->names->predicted = 1;
    if (!network->type->collective) {
        c->actions = actions_create(network->processors, c->names);
        return c;
    }
    c->clock = allocate_clear(network->processors, (int64_t)sizeof *c->clock);
    network->complete = network->freed = told;
    network->type->start(network, 0);
    return c;
}

void permute_clocks_route_own(permute_clocks *clocks)
{
    clocks->routes_own = true;
}

void permute_clocks_record(permute_clocks *clocks, const char *call, uint32_t skeleton)
{
    clocks->call = run_call(clocks->names, 0, call, skeleton);
    if (clocks->actions)
        actions_enter(clocks->actions, clocks->call, 0, BMF_EVENT_SKELETON);
}

/* ---- events of rounds that are timed as they come ---- */

static int64_t nanoseconds(double seconds)
{
    return (int64_t)(seconds * 1e9 + 0.5);
}

/* Times are seconds; what takes no time is left out unless it is a message. */
static void record(permute_clocks *c, bmf_event event, double begin, double end)
{
    event.begin = nanoseconds(begin);
    event.end = nanoseconds(end);
    const bool shown = event.end > event.begin || event.kind == BMF_EVENT_SEND || event.kind == BMF_EVENT_RECEIVE;
    if (c->call == 0 || c->actions || !shown)
        return;
    event.low = event.high = event.end - event.begin;
    event.node = c->call;
    run_add(c->names, &event);
}

static void record_message(permute_clocks *c, bmf_event_kind kind, const bmf_transit *m, int64_t round, double begin,
                           double end)
{
    const bool sends = kind == BMF_EVENT_SEND;
    if (m->from != m->to)
        record(c,
               (bmf_event){.kind = (uint16_t)kind,
                           .lane = (int32_t)(sends ? m->from : m->to),
                           .peer = (int32_t)(sends ? m->to : m->from),
                           .round = (uint32_t)round,
                           .amount = m->bytes},
               begin, end);
}

/* The call on every lane, until its clock. */
static int end_run(permute_clocks *c)
{
    for (int64_t p = 0; p < c->network->processors; p++)
        run_add(c->names, &(bmf_event){.end = nanoseconds(c->clock[p]),
                                       .low = nanoseconds(c->clock[p]),
                                       .high = nanoseconds(c->clock[p]),
                                       .node = c->call,
                                       .lane = (int32_t)p,
                                       .peer = -1,
                                       .kind = BMF_EVENT_SKELETON});
    return trace_finish(c->names, 0.0, NULL);
}

int permute_clocks_take_run(permute_clocks *clocks, bmf_trace_run **run)
{
    permute_clocks *c = clocks;
    if (c->actions)
        return trace_actions(c->actions, c->names, c->network, run);
    const int status = end_run(c);
    *run = status == BMF_OK ? c->names : NULL;
    c->names = status == BMF_OK ? NULL : c->names;
    return status;
}

void permute_clocks_free(permute_clocks *clocks)
{
    if (!clocks)
        return;
    for (int64_t k = 0; k < clocks->capacity; k++) {
        free(clocks->round[k].sent);
        free(clocks->round[k].order);
    }
    free(clocks->round);
    actions_free(clocks->actions);
    run_free(clocks->names);
    free(clocks->clock);
    free(clocks);
}

void permute_clocks_compute(permute_clocks *clocks, const char *kernel, uint32_t round, int64_t elements,
                            const bmf_model_cost *cost)
{
    permute_clocks *c = clocks;
    const uint16_t name = (uint16_t)run_name(c->names, kernel);
    for (int64_t p = 0; p < c->network->processors; p++) {
        if (c->actions) {
            actions_compute(c->actions, p, name, round, elements, cost->seconds, cost->shared, cost->own,
                            cost->equation);
            continue;
        }
        record(c,
               (bmf_event){.kind = BMF_EVENT_KERNEL,
                           .lane = (int32_t)p,
                           .peer = -1,
                           .round = round,
                           .name = name,
                           .amount = elements},
               c->clock[p], c->clock[p] + cost->seconds);
        c->clock[p] += cost->seconds;
    }
}

/* ---- rounds that are timed as they come ---- */

static int by_sender(const void *a, const void *b)
{
    const sent_message *x = *(void *const *)a, *y = *(void *const *)b;
    if (x->transit.from != y->transit.from)
        return x->transit.from < y->transit.from ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_arrival(const void *a, const void *b)
{
    const sent_message *x = *(void *const *)a, *y = *(void *const *)b;
    if (x->transit.arrived != y->transit.arrived)
        return x->transit.arrived < y->transit.arrived ? -1 : 1;
    return by_sender(a, b);
}

static void list(permute_clocks *c, under_way *u, const bmf_message *message, int64_t count)
{
    if (count > u->capacity) {
        free(u->sent);
        free(u->order);
        u->capacity = count;
        u->sent = allocate(count * (int64_t)sizeof *u->sent);
        u->order = allocate(count * (int64_t)sizeof(bmf_transit *));
    }
    u->count = 0;
    for (int64_t k = 0; k < count; k++) {
        const bmf_message *m = &message[k];
        if (m->from == m->to && !c->routes_own)
            continue;
        u->sent[u->count] = (sent_message){.number = k,
                                           .transit = {.from = m->from,
                                                       .to = m->to,
                                                       .bytes = m->bytes,
                                                       .round = c->begun,
                                                       .sent = c->clock[m->from],
                                                       .posted = INFINITY,
                                                       .sender_free = NAN,
                                                       .send_done = NAN,
                                                       .arrived = NAN}};
        u->order[u->count] = &u->sent[u->count].transit;
        u->count++;
    }
    if (u->count > 1)
        qsort(u->order, (size_t)u->count, sizeof *u->order, by_sender);
}

static void time_sends(permute_clocks *c, under_way *u)
{
    if (u->count > 0)
        c->network->type->send_round(c->network, u->order, u->count);
    for (int64_t k = 0; k < u->count; k++) {
        const bmf_transit *m = u->order[k];
        record_message(c, BMF_EVENT_SEND, m, u->k, m->sent, fmax(m->sent, m->sender_free));
        c->clock[m->from] = fmax(c->clock[m->from], m->sender_free);
    }
}

/* A processor begins to take its messages when all of them are there; then it waits for its sends. */
static void time_receives(permute_clocks *c, under_way *u)
{
    if (u->count > 1)
        qsort(u->order, (size_t)u->count, sizeof *u->order, by_arrival);
    for (int64_t k = 0; k < u->count; k++) {
        const bmf_transit *m = u->order[k];
        const double begin = c->clock[m->to];
        c->clock[m->to] = fmax(begin, m->arrived) + m->receive_overhead;
        record_message(c, BMF_EVENT_RECEIVE, m, u->k, begin, c->clock[m->to]);
    }
    for (int64_t k = 0; k < u->count; k++) {
        const bmf_transit *m = u->order[k];
        record(c, (bmf_event){.kind = BMF_EVENT_WAIT, .lane = (int32_t)m->from, .peer = -1, .round = (uint32_t)u->k},
               c->clock[m->from], fmax(c->clock[m->from], m->send_done));
        c->clock[m->from] = fmax(c->clock[m->from], m->send_done);
    }
}

/* ---- rounds ---- */

/* Room for twice as many rounds under way. */
static void grow(permute_clocks *c)
{
    const int64_t capacity = c->capacity > 0 ? 2 * c->capacity : 2;
    under_way *round = allocate_clear(capacity, (int64_t)sizeof *round);
    for (int64_t k = c->ended; k < c->ended + c->capacity; k++)
        round[k % capacity] = c->round[k % c->capacity];
    free(c->round);
    c->round = round;
    c->capacity = capacity;
}

void permute_clocks_begin(permute_clocks *clocks, int64_t k, const bmf_message *message, int64_t count)
{
    permute_clocks *c = clocks;
    if (c->begun - c->ended == c->capacity)
        grow(c);
    under_way *u = &c->round[c->begun % c->capacity];
    for (int64_t n = 0; n < count; n++) {
        c->messages += message[n].from != message[n].to;
        c->bytes += message[n].from != message[n].to ? message[n].bytes : 0;
    }
    u->k = k;
    if (c->actions) {
        u->number = actions_round_begin(c->actions, (uint32_t)k, message, count);
    } else {
        list(c, u, message, count);
        time_sends(c, u);
    }
    c->begun++;
}

void permute_clocks_end(permute_clocks *clocks)
{
    permute_clocks *c = clocks;
    under_way *u = &c->round[c->ended % c->capacity];
    if (c->actions)
        actions_round_end(c->actions, (uint32_t)u->k, u->number);
    else
        time_receives(c, u);
    c->ended++;
}

static double latest(const permute_clocks *c)
{
    double last = 0.0;
    for (int64_t p = 0; p < c->network->processors; p++)
        last = fmax(last, c->clock[p]);
    return last;
}

void permute_clocks_totals(const permute_clocks *clocks, int64_t *messages, int64_t *bytes)
{
    *messages = clocks->messages;
    *bytes = clocks->bytes;
}

int permute_clocks_finish(permute_clocks *clocks, bmf_prediction *prediction)
{
    if (clocks->actions && clocks->call)
        actions_leave(clocks->actions, NULL);
    if (clocks->actions)
        return simulate_interval(clocks->actions, clocks->network, 0, prediction);
    const double seconds = latest(clocks);
    *prediction = (bmf_prediction){.seconds = seconds, .median = seconds, .low = seconds, .high = seconds};
    return BMF_OK;
}
