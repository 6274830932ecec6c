/* Replay: puts what was recorded into the order of a log of actions. See replay.h.
 *
 * Method: the calls and regions in the order of the program (scopes.c); between two of their boundaries, the
 * messages round by round (match.c), and then lane by lane what was recorded there. Within a round a lane sends
 * at its first event and receives at its last. Before each of them, and before the boundaries, comes what the lane did
 * while nothing was recorded (gaps.c).
 */
#include "predict/replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "predict/kernels/kernels.h"
#include "predict/model/actions_private.h"
#include "predict/replay/gaps.h"
#include "predict/replay/replay_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"
#include "runtime/trace/expected_length.h"
#include "predict/replay/fail.h"

/* What a lane does in one round: its leaves, linked in their order. */
typedef struct lane_round {
    int64_t first, last;
    int64_t received; /* first message that it receives, INT64_MAX: none */
    int32_t lane;     /* that it was last used for */
} lane_round;

typedef struct replay {
    const bmf_trace_run *run;
    const bmf_machine *machine;
    bmf_model_costs *costs;
    replay_scopes scopes;
    bool keeps_gaps;
    replay_gaps gaps;
    bool *waits; /* by lane: it has come to a wait for its sends that leaves no event */
    replay_leaf *leaf;
    int64_t leaves;
    int64_t *cursor; /* by scope: its next leaf */
    int64_t *end;    /* by scope */
    int64_t *next;   /* by leaf: the next of its lane and round, -1 */
    lane_round *round;
    int64_t round_capacity;
    int64_t *start, *stop; /* by lane: the program's first and last nanosecond */
    int64_t posted;        /* of the lane: the rounds of the segment before this one */
    bmf_actions *actions;
} replay;

/* ---- gaps ---- */

/* Whether the machine's sheet has this time already, in the kernel that comes next or in what a rank does around
 * messages; see predict/kernels/kernel_walk.c, which made it so. */
static bool is_in_sheet(const replay *r, const replay_gap *gap)
{
    char operation[BMF_SAMPLE_NAME];
    const replay_scopes *s = &r->scopes;
    const bmf_event *before = gap->before, *after = gap->after;
    if (r->machine->compute != BMF_COMPUTE_SHEET)
        return false;
    if (before && before->kind == BMF_EVENT_RECEIVE &&
        model_costs_know_overhead(r->costs, kernel_call(r->run, before->node), "receive", operation)) {
        const int64_t scope = replay_scopes_find(s, before->node, before->instance);
        const int64_t end = replay_gaps_boundary(&r->gaps, scope, true, before->lane);
        if (gap->end <= end || end < 0)
            return true;
    }
    if (before && after && before->kind == BMF_EVENT_SEND && after->kind == BMF_EVENT_WAIT &&
        before->node == after->node && before->instance == after->instance && before->round == after->round)
        return model_costs_know_overhead(r->costs, kernel_call(r->run, after->node), "sent", operation);
    if (!after ||
        (after->kind != BMF_EVENT_KERNEL && after->kind != BMF_EVENT_SEND && after->kind != BMF_EVENT_COLLECTIVE))
        return false;
    if (after->kind != BMF_EVENT_KERNEL &&
        !model_costs_know_overhead(r->costs, kernel_call(r->run, after->node),
                                   after->kind == BMF_EVENT_SEND ? "send" : backend_agreement, operation))
        return false;
    int64_t scope = replay_scopes_find(s, after->node, after->instance);
    while (after->kind != BMF_EVENT_SEND && s->scope[scope].parent > 0)
        scope = s->scope[scope].parent;
    return replay_gaps_boundary(&r->gaps, scope, false, after->lane) <= gap->begin;
}

/* All wait for each other, also where that costs nothing. */
static void add_meeting(replay *r, int32_t lane, uint32_t round, uint16_t name)
{
    actions_add(r->actions, (bmf_action){.kind = BMF_ACTION_BARRIER,
                                         .processor = lane,
                                         .round = round,
                                         .name = name,
                                         .seconds = r->machine->agreement});
}

/* All that the lane did outside of events up to a time of the recording. */
static void add_gaps(replay *r, int32_t lane, int64_t until)
{
    replay_gap gap;
    while (r->keeps_gaps && replay_gaps_next(&r->gaps, lane, until, &gap)) {
        if (gap.end <= r->start[lane])
            continue;
        if (gap.end > r->stop[lane]) {
            const int64_t beyond = gap.end - (gap.begin > r->stop[lane] ? gap.begin : r->stop[lane]);
            gap.idle = gap.idle > beyond ? gap.idle - beyond : 0;
        }
        const double seconds = (double)gap.idle * 1e-9 / r->machine->power;
        const bool waited = r->waits[lane] && gap.meetings == 0;
        for (int64_t k = 0; k < gap.meetings; k++)
            add_meeting(r, lane, 0, 0);
        if (gap.idle > 0 && r->machine->compute != BMF_COMPUTE_ZERO && !waited && !is_in_sheet(r, &gap))
            actions_overhead(r->actions, lane, seconds, 0, 0, 0);
        r->waits[lane] = false;
    }
}

/* ---- leaves ---- */

/* What a processor does besides its events, if the machine's sheet knows CALL.WHAT. */
static int add_overhead_of(replay *r, const bmf_event *event, const char *what, int64_t amount)
{
    char operation[BMF_SAMPLE_NAME];
    bmf_model_cost cost;
    if (!model_costs_know_overhead(r->costs, kernel_call(r->run, event->node), what, operation))
        return BMF_OK;
    BMF_TRY(model_costs_find(r->costs, NULL, &(bmf_model_call){.kernel = operation, .elements = amount}, &cost));
    actions_overhead(r->actions, event->lane, cost.seconds, cost.shared, cost.own, cost.equation);
    return BMF_OK;
}

static int add_compute(replay *r, const bmf_event *event)
{
    const double seconds = (double)(event->end - event->begin) * 1e-9;
    const bool file = event->kind == BMF_EVENT_FILE;
    bmf_model_cost cost = {0};
    if (file && r->machine->compute != BMF_COMPUTE_ZERO)
        cost.seconds = seconds / r->machine->power;
    if (!file) {
        const char *call = kernel_call(r->run, event->node), *name = r->run->name[event->name];
        char operation[BMF_SAMPLE_NAME], preparation[BMF_SAMPLE_NAME];
        BMF_TRY(add_overhead_of(r, event, kernel_preparation(name, preparation), event->amount));
        kernel_operation(call, name, operation);
        BMF_TRY(model_costs_find(r->costs, NULL,
                                 &(bmf_model_call){.kernel = operation,
                                                   .elements = event->amount,
                                                   .work = run_find_work(r->run, event),
                                                   .measured = seconds},
                                 &cost));
    }
    actions_add(r->actions, (bmf_action){.kind = BMF_ACTION_COMPUTE,
                                         .processor = event->lane,
                                         .name = event->name,
                                         .round = event->round,
                                         .amount = event->amount,
                                         .message = file,
                                         .seconds = cost.seconds,
                                         .shared = (float)cost.shared,
                                         .own = (float)cost.own,
                                         .equation = (uint8_t)cost.equation});
    return BMF_OK;
}

static int add_collective(replay *r, const bmf_event *event)
{
    BMF_TRY(add_overhead_of(r, event, backend_agreement, 0));
    add_meeting(r, event->lane, event->round, event->name);
    return BMF_OK;
}

static void add_action(replay *r, bmf_action_kind kind, const replay_leaf *leaf, int64_t message, int64_t amount)
{
    actions_add(r->actions, (bmf_action){.kind = (uint8_t)kind,
                                         .processor = leaf->event->lane,
                                         .round = leaf->event->round,
                                         .message = message,
                                         .amount = amount});
}

/* What a processor does around the messages that it sends or receives in the round, if the machine's sheet knows. */
static int add_overhead(replay *r, int64_t first, bmf_event_kind kind, const char *what)
{
    int64_t bytes = -1;
    for (int64_t k = first; k >= 0; k = r->next[k])
        if (r->leaf[k].event->kind == kind)
            bytes = (bytes < 0 ? 0 : bytes) + r->leaf[k].event->amount;
    return bytes < 0 ? BMF_OK : add_overhead_of(r, r->leaf[first].event, what, bytes);
}

/* Ready for the receives of this round and of those before it: where processors meet by sends that wait for their
 * receivers, one that only receives in a round must be ready for it before it sends in a later one. */
static void add_posts(replay *r, const replay_leaf *leaf, int64_t base)
{
    for (; r->posted <= leaf->round; r->posted++) {
        const lane_round *round = &r->round[r->posted - base];
        if (round->lane == leaf->event->lane && round->received < INT64_MAX)
            add_action(r, BMF_ACTION_POST, &r->leaf[round->first], r->posted, round->received);
    }
}

/* All sends of the round. */
static int begin_round(replay *r, int64_t first, int64_t base)
{
    BMF_TRY(add_overhead(r, first, BMF_EVENT_SEND, "send"));
    add_posts(r, &r->leaf[first], base);
    for (int64_t k = first; k >= 0; k = r->next[k])
        if (r->leaf[k].event->kind == BMF_EVENT_SEND)
            add_action(r, BMF_ACTION_SEND, &r->leaf[k], r->leaf[k].message, r->leaf[k].round);
    return BMF_OK;
}

static int end_round(replay *r, int64_t first)
{
    bool sent = false, waited = false, received = false;
    for (int64_t k = first; k >= 0; k = r->next[k])
        received = received || r->leaf[k].event->kind == BMF_EVENT_RECEIVE;
    if (!received)
        BMF_TRY(add_overhead(r, first, BMF_EVENT_SEND, "sent"));
    for (int64_t k = first; k >= 0; k = r->next[k]) {
        sent = sent || r->leaf[k].event->kind == BMF_EVENT_SEND;
        waited = waited || r->leaf[k].event->kind == BMF_EVENT_WAIT;
        if (r->leaf[k].event->kind == BMF_EVENT_RECEIVE)
            add_action(r, BMF_ACTION_RECEIVE, &r->leaf[k], r->leaf[k].message, r->leaf[k].round);
    }
    if (sent)
        add_action(r, BMF_ACTION_WAIT, &r->leaf[first], r->leaf[first].round, waited);
    r->waits[r->leaf[first].event->lane] = sent && !waited && r->run->predicted;
    return add_overhead(r, first, BMF_EVENT_RECEIVE, "receive");
}

/* Links the lane's leaves of each round. base: the first round of the segment. */
static void link_rounds(replay *r, int64_t begin, int64_t end, int64_t base)
{
    for (int64_t k = begin; k < end; k++) {
        r->next[k] = -1;
        if (r->leaf[k].round < 0)
            continue;
        lane_round *round = &r->round[r->leaf[k].round - base];
        if (round->lane == r->leaf[k].event->lane)
            r->next[round->last] = k;
        else
            *round = (lane_round){.first = k, .received = INT64_MAX, .lane = r->leaf[k].event->lane};
        round->last = k;
        if (r->leaf[k].event->kind == BMF_EVENT_RECEIVE && r->leaf[k].message < round->received)
            round->received = r->leaf[k].message;
    }
}

static int add_lane(replay *r, int64_t begin, int64_t end, int64_t base)
{
    link_rounds(r, begin, end, base);
    r->posted = base;
    for (int64_t k = begin; k < end; k++) {
        const bmf_event *event = r->leaf[k].event;
        add_gaps(r, event->lane, event->begin);
        if (event->kind == BMF_EVENT_KERNEL || event->kind == BMF_EVENT_FILE)
            BMF_TRY(add_compute(r, event));
        if (event->kind == BMF_EVENT_COLLECTIVE)
            BMF_TRY(add_collective(r, event));
        if (r->leaf[k].round < 0)
            continue;
        const lane_round *round = &r->round[r->leaf[k].round - base];
        if (k == round->first)
            BMF_TRY(begin_round(r, k, base));
        if (k == round->last)
            BMF_TRY(end_round(r, round->first));
    }
    return BMF_OK;
}

static void reserve_rounds(replay *r, int64_t count)
{
    if (count > r->round_capacity) {
        free(r->round);
        r->round = allocate(count * (int64_t)sizeof *r->round);
        r->round_capacity = count;
    }
    for (int64_t k = 0; k < count; k++)
        r->round[k].lane = -1;
}

/* The leaves of a scope after so many of its children. */
static int add_segment(replay *r, int64_t scope, int64_t segment)
{
    int64_t begin = r->cursor[scope], end = begin;
    const int64_t base = r->actions->rounds;
    while (end < r->end[scope] && r->leaf[end].segment == segment)
        end++;
    r->cursor[scope] = end;
    replay_number(r->leaf + begin, end - begin, r->actions);
    reserve_rounds(r, r->actions->rounds - base);
    while (begin < end) {
        int64_t lane_end = begin;
        while (lane_end < end && r->leaf[lane_end].event->lane == r->leaf[begin].event->lane)
            lane_end++;
        BMF_TRY(add_lane(r, begin, lane_end, base));
        begin = lane_end;
    }
    return BMF_OK;
}

/* ---- scopes ---- */

static int enter(replay *r, int64_t scope)
{
    const replay_scope *entered = &r->scopes.scope[scope];
    actions_enter(r->actions, entered->node, entered->instance, (bmf_event_kind)r->run->event[entered->event[0]].kind);
    actions_place(r->actions, r->run->event[entered->event[0]].name);
    return add_segment(r, scope, 0);
}

static int leave(replay *r, int64_t scope)
{
    const replay_scope *left = &r->scopes.scope[scope];
    int64_t *amount = allocate(r->run->lanes * (int64_t)sizeof *amount);
    for (int32_t lane = 0; lane < r->run->lanes; lane++)
        amount[lane] = r->run->event[left->event[lane]].amount;
    actions_leave(r->actions, amount);
    return add_segment(r, left->parent, left->ordinal + 1);
}

static void end_program(replay *r)
{
    int64_t *until = allocate(r->run->lanes * (int64_t)sizeof *until);
    replay_gaps_ends(&r->gaps, until);
    for (int32_t lane = 0; lane < r->run->lanes; lane++)
        add_gaps(r, lane, until[lane]);
    free(until);
}

static int pass_boundary(void *state, int64_t scope, bool leaves)
{
    replay *r = state;
    if (scope == 0) {
        if (r->keeps_gaps)
            end_program(r);
        return BMF_OK;
    }
    for (int32_t lane = 0; r->keeps_gaps && lane < r->run->lanes; lane++)
        add_gaps(r, lane, replay_gaps_boundary(&r->gaps, scope, leaves, lane));
    return leaves ? leave(r, scope) : enter(r, scope);
}

static void find_scopes_leaves(replay *r)
{
    r->cursor = allocate_clear(2 * r->scopes.count, (int64_t)sizeof *r->cursor);
    r->end = r->cursor + r->scopes.count;
    for (int64_t k = 0; k < r->leaves; k++) {
        if (k == 0 || r->leaf[k].scope != r->leaf[k - 1].scope)
            r->cursor[r->leaf[k].scope] = k;
        r->end[r->leaf[k].scope] = k + 1;
    }
}

/* ---- the whole ---- */

static bool is_of_language(const bmf_trace_run *run)
{
    const size_t length = strlen(run->program);
    return length > 4 && strcmp(run->program + length - 4, ".bmf") == 0;
}

/* Events that a program of the language is timed between. */
static bool is_program_event(const bmf_event *event)
{
    return event->kind != BMF_EVENT_FILE && !(event->node == 0 && event->kind <= BMF_EVENT_SKELETON);
}

/* By lane: the first and the last nanosecond of the program; INT64_MAX and 0 of a lane that has none. */
static void find_ends(const bmf_trace_run *run, int64_t *start, int64_t *stop)
{
    const bool language = is_of_language(run);
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        start[lane] = language ? INT64_MAX : 0;
        stop[lane] = language ? 0 : INT64_MAX;
    }
    for (int64_t k = 0; k < run->events && language; k++) {
        const bmf_event *event = &run->event[k];
        if (!is_program_event(event))
            continue;
        start[event->lane] = event->begin < start[event->lane] ? event->begin : start[event->lane];
        stop[event->lane] = event->end > stop[event->lane] ? event->end : stop[event->lane];
    }
}

double replay_span(const bmf_trace_run *run)
{
    int64_t *start = allocate(2 * run->lanes * (int64_t)sizeof *start), *stop = start + run->lanes;
    int64_t from = 0, until = 0;
    find_ends(run, start, stop);
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        from = start[lane] < INT64_MAX && start[lane] > from ? start[lane] : from;
        until = stop[lane] > until ? stop[lane] : until;
    }
    free(start);
    if (until == INT64_MAX)
        return replay_length(run);
    return until > from ? (double)(until - from) * 1e-9 : 0.0;
}

/* A program of the language is timed from having its argument to having its value, as `bmf run` and `bmf predict` do:
 * what its ranks did before the first event that is no file, and after the last, is left out, and files come before all
 * begin together. A program in C begins with bmf_open and ends with bmf_close, as its trace does. */
static int begin_program(replay *r, const bmf_trace_run *run)
{
    const bool language = is_of_language(run);
    bool only_files = true;
    r->start = allocate_clear(2 * run->lanes, (int64_t)sizeof *r->start);
    r->stop = r->start + run->lanes;
    find_ends(run, r->start, r->stop);
    for (int64_t k = r->cursor[0]; k < r->end[0]; k++)
        only_files = only_files && (r->leaf[k].segment > 0 || r->leaf[k].event->kind == BMF_EVENT_FILE);
    BMF_TRY(add_segment(r, 0, 0));
    if (language && only_files)
        actions_start(r->actions);
    return BMF_OK;
}

static int replay_events(replay *r, bmf_trace_run *run)
{
    if (run->dropped > 0)
        return fail_line(BMF_ERROR_ARGUMENT, "%lld events were lost while recording: too much is missing to replay",
                         (long long)run->dropped);
    if (run_sort(run) != BMF_OK)
        return fail_line(BMF_ERROR_MEMORY, "no memory to replay %lld events", (long long)run->events);
    BMF_TRY(replay_scopes_read(run, &r->scopes));
    int64_t quickest;
    BMF_TRY(replay_leaves(&r->scopes, &r->leaf, &r->leaves, &quickest));
    find_scopes_leaves(r);
    r->next = allocate(r->leaves * (int64_t)sizeof *r->next);
    r->waits = allocate_clear(run->lanes, (int64_t)sizeof *r->waits);
    if (r->keeps_gaps)
        replay_gaps_find(&r->gaps, &r->scopes, r->leaf, r->leaves, quickest);
    BMF_TRY(begin_program(r, run));
    return replay_scopes_walk(&r->scopes, pass_boundary, r);
}

static void copy_remarks(const bmf_model_costs *costs, int64_t *count, char ***remarks)
{
    *count = 0;
    while (model_costs_remark(costs, *count))
        ++*count;
    *remarks = allocate(*count * (int64_t)sizeof **remarks);
    for (int64_t k = 0; k < *count; k++)
        (*remarks)[k] = text_copy(model_costs_remark(costs, k));
}

int replay_onto_machine(bmf_trace_run *run, const bmf_machine *machine, bool gaps, bmf_actions **actions,
                        int64_t *count, char ***remarks)
{
    if (machine->compute == BMF_COMPUTE_OPERATIONS)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                        "%s: its times are those of operations, of which a trace does not tell; predict the program",
                        machine->path);
    replay r = {.run = run, .machine = machine, .keeps_gaps = gaps, .costs = model_costs_create(machine, run->lanes)};
    r.actions = actions_create(run->lanes, run);
    const int status = replay_events(&r, run);
    *actions = NULL;
    *count = 0;
    *remarks = NULL;
    if (status == BMF_OK) {
        *actions = r.actions;
        copy_remarks(r.costs, count, remarks);
    } else {
        actions_free(r.actions);
    }
    replay_scopes_free(&r.scopes);
    model_costs_free(r.costs);
    free(r.leaf);
    free(r.cursor);
    free(r.next);
    free(r.round);
    free(r.waits);
    free(r.start);
    replay_gaps_free(&r.gaps);
    return status;
}

double replay_length(const bmf_trace_run *run)
{
    int64_t end = 0;
    for (int64_t k = 0; k < run->events; k++)
        end = run->event[k].end > end ? run->event[k].end : end;
    return (double)end * 1e-9;
}

/* ---- the predicted run ---- */

/* Names and nodes get numbers of their own, in the same order; the recorded ones are found through the maps. */
static bmf_trace_run *copy_tables(const bmf_trace_run *recorded, const char *machine, uint32_t *name, uint32_t *node)
{
    bmf_trace_run *run = run_create(recorded->program, machine, recorded->lanes, recorded->lanes, recorded->threads);
    run->predicted = 1;
    for (uint32_t k = 0; k < recorded->names; k++)
        name[k] = run_name(run, recorded->name[k]);
    node[0] = 0;
    for (uint32_t k = 1; k < recorded->nodes; k++)
        node[k] = run_node_like(run, node[recorded->node[k].parent], recorded->name[recorded->node[k].name],
                                &recorded->node[k]);
    return run;
}

/* The program itself as an event on every lane, if it was recorded so. It ends with the last work, event or not. */
static void add_program(const bmf_trace_run *recorded, bmf_trace_run *run, double seconds, const bmf_prediction *whole)
{
    const bool uncertain = whole->high > whole->low;
    const int64_t events = run->events;
    int64_t end = (int64_t)(seconds * 1e9 + 0.5);
    for (int64_t k = 0; k < events; k++)
        end = run->event[k].end > end ? run->event[k].end : end;
    for (int64_t k = 0; k < recorded->events; k++) {
        const bmf_event *event = &recorded->event[k];
        if (event->node != 0 || event->kind > BMF_EVENT_SKELETON)
            continue;
        run_add(run, &(bmf_event){.end = end,
                                  .low = uncertain ? (int64_t)(whole->low * 1e9) : end,
                                  .high = uncertain ? (int64_t)(whole->high * 1e9) + 1 : end,
                                  .amount = event->amount,
                                  .instance = event->instance,
                                  .lane = event->lane,
                                  .peer = -1,
                                  .kind = event->kind});
    }
}

int replay_trace(const bmf_trace_run *recorded, const bmf_machine *machine, const bmf_actions *actions,
                 bmf_network *network, bmf_trace_run **predicted)
{
    uint32_t *name = allocate((int64_t)(recorded->names + recorded->nodes) * (int64_t)sizeof *name);
    uint32_t *node = name + recorded->names;
    bmf_trace_run *run = copy_tables(recorded, machine->name, name, node);
    bmf_simulation result;
    bmf_prediction whole;
    int status = simulate_events(actions, network, run, &result, &whole);
    if (status == BMF_OK)
        status = simulation_fits_trace(&result);
    for (int64_t k = 0; status == BMF_OK && k < run->events; k++) {
        run->event[k].name = (uint16_t)name[run->event[k].name];
        run->event[k].node = node[run->event[k].node];
    }
    free(name);
    if (status == BMF_OK) {
        add_program(recorded, run, result.seconds, &whole);
        expected_length_write(
            &(bmf_expected_length){
                .median = whole.median, .low = whole.low, .high = whole.high, .files = whole.loading},
            run);
        status = run->dropped > 0 ? BMF_ERROR_MEMORY : run_sort(run);
    }
    if (status == BMF_ERROR_MEMORY)
        fail_line(status, "no memory for the predicted run");
    if (status != BMF_OK) {
        run_free(run);
        run = NULL;
    }
    *predicted = run;
    return status;
}
