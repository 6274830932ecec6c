/* From a recorded program to the steps of its lanes, and back to a predicted run.
 *
 * Method: every event of a lane becomes a few steps between its begin and its end: computing, posting a receive,
 * sending, receiving, waiting, joining a collective and leaving it. A nonblocking call and its wait know each other by
 * the number of the request, which stands in the event's round. Collectives whose time no sheet knows become the
 * messages of an algorithm, with the sends and receives of one round side by side. Cost: linear, but for matching.
 */
#include "predict/replay/recorded.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/replay/recorded_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "predict/replay/fail.h"

enum { MAX_DEPTH = 64 };

bool is_recorded(const bmf_trace_run *run)
{
    return run->detail;
}

/* ---- steps ---- */

/* What is known of a lane while its events are walked. */
typedef struct walk {
    bmf_recorded_program *program;
    bmf_recorded_lane *lane;
    int64_t *request; /* by round: the event that started it, + 1; 0: none */
    int64_t requests;
    int64_t open[MAX_DEPTH]; /* regions, outermost first */
    int depth;
    int64_t taken; /* events before this one have their receives */
} walk;

static void add_step(walk *w, bmf_step_kind kind, int64_t index, double seconds)
{
    recorded_add_step(w->lane, kind, index, seconds);
}

static void add_message_step(void *state, bmf_step_kind kind, int64_t message)
{
    recorded_add_step(state, kind, message, 0.0);
}

static void close_regions(walk *w, int64_t until)
{
    const bmf_trace_run *run = w->program->run;
    while (w->depth > 0 && run->event[w->open[w->depth - 1]].end <= until)
        add_step(w, BMF_STEP_END, w->open[--w->depth], 0.0);
}

static int64_t started_by(const walk *w, uint32_t round)
{
    return round > 0 && round < w->requests ? w->request[round] - 1 : -1;
}

static void add_rounds(walk *w, const bmf_recorded_collective *c, int32_t lane)
{
    recorded_add_rounds(w->program, c, lane, add_message_step, w->lane);
}

static void add_leaving(walk *w, int64_t collective, int32_t lane)
{
    const bmf_recorded_collective *c = &w->program->collective[collective];
    add_step(w, BMF_STEP_LEAVE, collective, 0.0);
    if (isnan(c->seconds))
        add_rounds(w, c, lane);
}

static void add_collective(walk *w, int64_t k)
{
    const bmf_trace_run *run = w->program->run;
    const int64_t c = w->program->of_event[k];
    /* Messages make their own order; only times of a sheet let all meet. */
    if (detail_flags(&run->detail[k]) & BMF_DETAIL_NONBLOCKING || !isnan(w->program->collective[c].seconds))
        add_step(w, BMF_STEP_JOIN, c, 0.0);
    if (detail_flags(&run->detail[k]) & BMF_DETAIL_NONBLOCKING)
        return;
    if (isnan(w->program->collective[c].seconds))
        add_rounds(w, &w->program->collective[c], run->event[k].lane);
    else
        add_leaving(w, c, run->event[k].lane);
}

/* What a wait was for: the message or collective of the call that started the request. */
static void add_wait(walk *w, int64_t k)
{
    const bmf_trace_run *run = w->program->run;
    const uint32_t flags = detail_flags(&run->detail[k]);
    if (flags & BMF_DETAIL_POST)
        return;
    const int64_t start = started_by(w, run->event[k].round);
    if (start < 0 || flags & BMF_DETAIL_CANCELLED)
        return;
    if (run->event[start].kind == BMF_EVENT_SEND)
        add_step(w, BMF_STEP_SENT, w->program->of_event[start], 0.0);
    else if (run->event[start].kind == BMF_EVENT_COLLECTIVE)
        add_leaving(w, w->program->of_event[start], run->event[k].lane);
}

double recorded_computing(const bmf_recorded_program *p, int64_t nanoseconds, int64_t steps)
{
    switch (p->options->compute) {
    case BMF_REPLAY_STEPS:
        return (double)steps * p->options->step;
    case BMF_REPLAY_ZERO:
        return 0.0;
    case BMF_REPLAY_MEASURED:
        break;
    }
    return p->machine->compute == BMF_COMPUTE_ZERO ? 0.0 : (double)nanoseconds * 1e-9 / p->machine->power;
}

/* Seconds of computing, of a file, or of tries that found nothing. */
static double own_seconds(const bmf_recorded_program *p, int64_t k)
{
    const bmf_event *event = &p->run->event[k];
    if (event->kind == BMF_EVENT_WAIT)
        return (double)event->amount * p->options->probe;
    if (event->kind == BMF_EVENT_KERNEL && p->run->detail[k].number >= 0)
        return recorded_computing(p, p->run->detail[k].number, event->amount);
    return recorded_computing(p, event->end - event->begin, 0);
}

/* A wait for several: the receives behind the first one, which stand at its end, belong to its call. */
static int32_t more_receives(const bmf_recorded_program *p, const walk *w, int64_t k, int64_t end)
{
    const bmf_event *first = &p->run->event[k];
    const char *name = p->run->name[first->name];
    int32_t more = 0;
    if (strncmp(name, "waitall", 7) != 0 && strncmp(name, "testall", 7) != 0 && !strstr(name, "some"))
        return 0;
    for (int64_t j = k + 1; j < end; j++) {
        const bmf_event *event = &p->run->event[j];
        if (event->name != first->name || event->begin != first->end || event->end != first->end)
            break;
        more += event->kind == BMF_EVENT_RECEIVE && started_by(w, event->round) >= 0;
    }
    return more;
}

/* The steps of receives that one call waits for stand behind the first of them, and the others have none. */
static void add_receives(walk *w, int64_t k, int64_t end)
{
    const bmf_recorded_program *p = w->program;
    if (k < w->taken)
        return;
    const int32_t more = started_by(w, p->run->event[k].round) < 0 ? 0 : more_receives(p, w, k, end);
    add_step(w, BMF_STEP_RECEIVE, p->of_event[k], 0.0);
    w->lane->step[w->lane->steps - 1].more = more;
    for (int32_t found = 0; found < more;)
        if (p->run->event[++k].kind == BMF_EVENT_RECEIVE && started_by(w, p->run->event[k].round) >= 0) {
            add_step(w, BMF_STEP_RECEIVE, p->of_event[k], 0.0);
            found++;
        }
    w->taken = k + 1;
}

static void add_event(walk *w, int64_t k, int64_t end)
{
    const bmf_recorded_program *p = w->program;
    const bmf_event *event = &p->run->event[k];
    const int64_t m = p->of_event[k];
    /* A blocking receive is posted by its call. */
    const bool posts = event->kind == BMF_EVENT_RECEIVE && started_by(w, event->round) < 0;
    add_step(w, BMF_STEP_BEGIN, k, 0.0);
    if (event->kind == BMF_EVENT_KERNEL || event->kind == BMF_EVENT_FILE)
        add_step(w, BMF_STEP_SECONDS, k, own_seconds(p, k));
    else if (event->kind == BMF_EVENT_WAIT && detail_flags(&p->run->detail[k]) & BMF_DETAIL_UNSUCCESSFUL)
        add_step(w, BMF_STEP_SECONDS, k, own_seconds(p, k));
    else if (event->kind == BMF_EVENT_SEND)
        add_step(w, BMF_STEP_SEND, m, 0.0);
    else if (event->kind == BMF_EVENT_WAIT)
        add_wait(w, k);
    else if (event->kind == BMF_EVENT_COLLECTIVE)
        add_collective(w, k);
    if (posts)
        add_step(w, BMF_STEP_POST, m, 0.0);
    if (event->kind == BMF_EVENT_RECEIVE)
        add_receives(w, k, end);
    if (event->kind == BMF_EVENT_WAIT && detail_flags(&p->run->detail[k]) & BMF_DETAIL_POST && w->request[event->round])
        add_step(w, BMF_STEP_POST, p->of_event[w->request[event->round] - 1], 0.0);
    add_step(w, BMF_STEP_END, k, 0.0);
}

/* By round: sends and collectives stand for themselves; a posted receive is known by the event that received it. */
static int find_requests(walk *w, int64_t begin, int64_t end)
{
    const bmf_trace_run *run = w->program->run;
    w->requests = 1;
    for (int64_t k = begin; k < end; k++) {
        const int64_t round = run->event[k].round;
        if (round > end - begin) /* every request has an event of its own */
            return fail_line(BMF_ERROR_ARGUMENT,
                             "event %" PRId64 ": request %" PRId64 " of a rank with %" PRId64 " events", k, round,
                             end - begin);
        w->requests = round >= w->requests ? round + 1 : w->requests;
    }
    w->request = allocate_clear(w->requests, (int64_t)sizeof *w->request);
    for (int64_t k = begin; k < end; k++) {
        const bmf_event *event = &run->event[k];
        const bool starts = event->kind == BMF_EVENT_SEND || event->kind == BMF_EVENT_COLLECTIVE;
        if (event->round > 0 &&
            ((starts && detail_flags(&run->detail[k]) & BMF_DETAIL_NONBLOCKING) || event->kind == BMF_EVENT_RECEIVE))
            w->request[event->round] = k + 1;
    }
    return BMF_OK;
}

static int add_lane(bmf_recorded_program *p, int32_t lane, int64_t begin, int64_t end)
{
    walk w = {.program = p, .lane = &p->lane[lane]};
    int status = find_requests(&w, begin, end);
    for (int64_t k = begin; k < end && status == BMF_OK; k++) {
        const bmf_event *event = &p->run->event[k];
        if (event->kind > BMF_EVENT_SKELETON) {
            if (event->end > event->begin)
                close_regions(&w, event->begin);
            add_event(&w, k, end);
            continue;
        }
        close_regions(&w, event->begin);
        if (w.depth == MAX_DEPTH)
            status = fail_line(BMF_ERROR_ARGUMENT, "event %" PRId64 ": more than %d regions inside each other", k,
                               MAX_DEPTH);
        else
            w.open[w.depth++] = k;
        add_step(&w, BMF_STEP_BEGIN, k, 0.0);
    }
    while (w.depth > 0)
        add_step(&w, BMF_STEP_END, w.open[--w.depth], 0.0);
    free(w.request);
    return status;
}

static int add_lanes(bmf_recorded_program *p)
{
    const bmf_trace_run *run = p->run;
    int64_t begin = 0;
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        int64_t end = begin;
        while (end < run->events && run->event[end].lane == lane)
            end++;
        BMF_TRY(add_lane(p, lane, begin, end));
        begin = end;
    }
    return BMF_OK;
}

/* ---- what cannot be replayed ---- */

static int check(const bmf_trace_run *run)
{
    const char *incomplete = run_fact(run, "incomplete"), *opaque = run_fact(run, "opaque");
    if (incomplete)
        return fail_line(BMF_ERROR_ARGUMENT, "the recording is incomplete: %s", incomplete);
    if (run_fact(run, "switched off"))
        return fail_line(BMF_ERROR_ARGUMENT, "recording was switched off in between");
    if (opaque)
        return fail_line(BMF_ERROR_ARGUMENT, "the program has %s, whose meaning is not recorded", opaque);
    for (int64_t k = 0; k < run->events; k++)
        if (detail_flags(&run->detail[k]) & BMF_DETAIL_OPAQUE)
            return fail_line(BMF_ERROR_ARGUMENT, "event %" PRId64 ": rank %d calls %s, whose meaning is not recorded",
                             k, run->event[k].lane, run->name[run->event[k].name]);
    return BMF_OK;
}

/* ---- times of collectives ---- */

static void ask_network(bmf_recorded_program *p)
{
    for (int64_t k = 0; k < p->collectives; k++)
        recorded_ask_network(p, &p->collective[k]);
}

/* ---- the predicted run ---- */

static int64_t nanoseconds(double seconds)
{
    return (int64_t)llround(seconds * 1e9);
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bmf_trace_run *make_run(const bmf_recorded_program *p)
{
    const bmf_trace_run *from = p->run;
    bmf_trace_run *run = run_create(from->program, p->machine->name, from->lanes, from->ranks, from->threads);
    uint32_t *name = allocate_array((int64_t)from->names + from->nodes, (int64_t)sizeof *name);
    uint32_t *node = name + from->names;
    run->predicted = 1;
    for (uint32_t k = 0; k < from->names; k++)
        name[k] = run_name(run, from->name[k]);
    node[0] = 0;
    for (uint32_t k = 1; k < from->nodes; k++)
        node[k] = run_node_like(run, node[from->node[k].parent], from->name[from->node[k].name], &from->node[k]);
    run_copy_groups(run, from);
    run->detail = allocate_array(from->events, (int64_t)sizeof *run->detail);
    for (int64_t k = 0; k < from->events; k++) {
        bmf_event event = from->event[k];
        event.begin = nanoseconds(p->begin[k]);
        event.end = nanoseconds(p->end[k]);
        double low, high;
        recorded_event_interval(p, k, p->end[k] - p->begin[k], &low, &high);
        event.low = lesser(nanoseconds(low), event.end - event.begin);
        event.high = greater(nanoseconds(high), event.end - event.begin);
        event.name = (uint16_t)name[event.name];
        event.node = node[event.node];
        run_add(run, &event);
        run->detail[k] = from->detail[k];
        if (event.kind == BMF_EVENT_KERNEL && run->detail[k].number >= 0)
            run->detail[k].number = event.end - event.begin;
    }
    free(name);
    return run;
}

static int carry_out(bmf_recorded_program *p, bmf_trace_run **predicted, bmf_recorded_replay *result)
{
    int status = recorded_predict(p, &result->time);
    if (status == BMF_OK && !(result->time.seconds < (double)BMF_TRACE_MAX_NUMBER * 1e-9))
        status =
            fail_line(BMF_ERROR_ARGUMENT, "the run would take %g s, more than a trace can hold", result->time.seconds);
    if (status == BMF_OK) {
        *predicted = make_run(p);
        status = (*predicted)->dropped > 0 || run_sort(*predicted) != BMF_OK
                     ? fail_line(BMF_ERROR_MEMORY, "no memory for the predicted run")
                     : BMF_OK;
    }
    return status;
}

int replay_recorded(const bmf_trace_run *run, const bmf_machine *machine, bmf_network *network,
                    const bmf_recorded_options *options, bmf_trace_run **predicted, bmf_recorded_replay *result)
{
    bmf_recorded_program p = {
        .run = run, .machine = machine, .network = network, .options = options, .lanes = run->lanes};
    p.lane = allocate_clear(p.lanes, (int64_t)sizeof *p.lane);
    *predicted = NULL;
    *result = (bmf_recorded_replay){0};
    int status = check(run);
    if (status == BMF_OK)
        status = recorded_match(&p);
    result->messages = p.messages;
    for (int64_t m = 0; m < p.messages; m++)
        result->bytes += message_at(&p, m)->transit.bytes;
    result->collectives = p.collectives;
    result->wild = p.wild;
    if (status == BMF_OK) {
        recorded_start(&p, options->bound);
        ask_network(&p);
        status = add_lanes(&p);
    }
    if (status == BMF_OK)
        status = carry_out(&p, predicted, result);
    if (status != BMF_OK) {
        run_free(*predicted);
        *predicted = NULL;
    }
    recorded_free(&p);
    return status;
}
