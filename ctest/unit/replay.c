/* Replay: a simulated run that was recorded and replayed takes, on any network, what the original takes; the same after
 * lanes were copied one after the other on one rank; traces that cannot be replayed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "ctest/support/testing.h"
#include "ctest/support/toy_networks.h"
#include "predict/model/actions_private.h"
#include "predict/replay/replay.h"
#include "predict/simulate/simulate.h"

enum { MAX_PROCESSORS = 7, MAX_MESSAGES = 16 };
static const double STEP = 1.0 / 512; /* a whole number of nanoseconds */

typedef toy_network *make_network(int64_t processors);
static make_network *const networks[] = {toy_queue, toy_rendezvous, toy_lockstep};
enum { NETWORKS = sizeof networks / sizeof *networks };

static bmf_machine measured_machine(double power)
{
    static char name[] = "other", path[] = "other.machine";
    return (bmf_machine){.name = name, .path = path, .compute = BMF_COMPUTE_MEASURED, .power = power};
}

/* ---- recorded runs of random logs ---- */

static bmf_trace_run *make_run(int64_t processors, int predicted)
{
    bmf_trace_run *run = run_create("test", "toy", (int32_t)processors, predicted ? (int32_t)processors : 1, 1);
    run->predicted = predicted;
    const uint32_t region = run_node(run, 0, "region", BMF_EVENT_REGION);
    const uint32_t call = run_node(run, region, "call", BMF_EVENT_SKELETON);
    run_node(run, call, "inner", BMF_EVENT_SKELETON);
    run_name(run, "kernel");
    return run;
}

static void compute_everywhere(bmf_actions *actions, uint64_t *state, uint16_t name, uint32_t round)
{
    for (int64_t p = 0; p < actions->processors; p++)
        actions_compute(actions, p, name, round, 10 * p, (double)(1 + test_below(state, 200)) * STEP, 0, 0, 0);
}

static int by_sender(const void *a, const void *b)
{
    const bmf_message *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->first > y->first) - (x->first < y->first);
}

/* In the order of senders, which a trace does not tell otherwise. everybody: a ring is among the messages. */
static int64_t begin_round(bmf_actions *actions, uint64_t *state, uint32_t round, bool everybody)
{
    bmf_message message[MAX_MESSAGES + MAX_PROCESSORS];
    int64_t count = test_below(state, MAX_MESSAGES);
    for (int64_t k = 0; k < count; k++)
        message[k] = (bmf_message){.from = test_below(state, actions->processors),
                                   .to = test_below(state, actions->processors),
                                   .bytes = test_below(state, 1024)};
    for (int64_t p = 0; everybody && p < actions->processors; p++)
        message[count++] = (bmf_message){.from = p, .to = (p + 1) % actions->processors, .bytes = 100 + p};
    for (int64_t k = 0; k < count; k++)
        message[k].first = k;
    qsort(message, (size_t)count, sizeof *message, by_sender);
    return actions_round_begin(actions, round, message, count);
}

typedef enum log_style { OVERLAPPING, REPEATING, ONE_BY_ONE } log_style;

/* Two rounds. If they overlap everybody sends in both: a processor's sends are what tells when it began a round.
 * REPEATING: their numbers are used again for other data, one of them in a call inside. */
static void some_call(bmf_actions *actions, uint64_t *state, const bmf_trace_run *run, uint32_t instance,
                      log_style style)
{
    const uint16_t name = (uint16_t)(run->names - 1);
    actions_enter(actions, 2, instance, BMF_EVENT_SKELETON);
    compute_everywhere(actions, state, name, 0);
    const int64_t first = begin_round(actions, state, 0, style != ONE_BY_ONE);
    if (style == ONE_BY_ONE)
        actions_round_end(actions, 0, first);
    compute_everywhere(actions, state, name, 1);
    const int64_t second = begin_round(actions, state, 1, style != ONE_BY_ONE);
    if (style != ONE_BY_ONE)
        actions_round_end(actions, 0, first);
    actions_round_end(actions, 1, second);
    if (style == REPEATING) {
        actions_round_end(actions, 0, begin_round(actions, state, 0, true));
        actions_round_end(actions, 0, begin_round(actions, state, 0, true));
        actions_enter(actions, 3, instance, BMF_EVENT_SKELETON);
        compute_everywhere(actions, state, name, 0);
        actions_round_end_sparse(actions, 0, begin_round(actions, state, 0, true));
        actions_leave(actions, NULL);
        compute_everywhere(actions, state, name, 2);
        actions_round_end(actions, 1, begin_round(actions, state, 1, true));
    }
    actions_leave(actions, NULL);
}

static bmf_actions *random_log(uint64_t seed, bmf_trace_run **run, log_style style)
{
    uint64_t state = seed;
    const int64_t processors = 2 + test_below(&state, MAX_PROCESSORS - 1);
    *run = make_run(processors, 1);
    bmf_actions *actions = actions_create(processors, *run);
    actions_enter(actions, 1, 0, BMF_EVENT_REGION);
    const int64_t calls = 1 + test_below(&state, 4);
    for (int64_t k = 0; k < calls; k++) {
        some_call(actions, &state, *run, (uint32_t)k, style);
        if (test_below(&state, 2)) {
            const int64_t p = test_below(&state, processors);
            actions_compute(actions, p, 0, 0, 4096, 5 * STEP, 0, 0, 0);
            actions->stored[actions->stored_count - 1].message = 1; /* a file */
        }
    }
    actions_leave(actions, NULL);
    return actions;
}

static double simulate(const bmf_actions *actions, toy_network *toy, bmf_trace_run *run, double *clock)
{
    bmf_simulator *simulator = simulator_create(actions, &toy->network, 0);
    bmf_simulation result;
    if (run)
        simulator_record(simulator, run);
    if (simulator_run(simulator) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    simulator_result(simulator, &result);
    for (int64_t p = 0; clock && p < actions->processors; p++)
        clock[p] = simulator_clock(simulator, p);
    simulator_free(simulator);
    return result.seconds;
}

static bmf_actions *replayed(bmf_trace_run *run, const bmf_machine *machine)
{
    bmf_actions *actions;
    int64_t count;
    char **remarks;
    if (replay_onto_machine(run, machine, true, &actions, &count, &remarks) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    assert_int_equal(count, 0);
    free(remarks);
    return actions;
}

/* Replays a run on a network and compares with what the log that it came from takes there. */
static void expect_equal(uint64_t seed, bmf_trace_run *run, const bmf_actions *original, toy_network *network)
{
    double expected[MAX_PROCESSORS], clock[MAX_PROCESSORS];
    int64_t messages[2], bytes[2];
    const bmf_machine machine = measured_machine(1);
    bmf_actions *again = replayed(run, &machine);
    actions_totals(original, &messages[0], &bytes[0]);
    actions_totals(again, &messages[1], &bytes[1]);
    assert_int_equal(messages[1], messages[0]);
    assert_int_equal(bytes[1], bytes[0]);
    simulate(original, network, NULL, expected);
    simulate(again, network, NULL, clock);
    for (int64_t p = 0; p < original->processors; p++)
        if (fabs(clock[p] - expected[p]) > 1e-12)
            fail_msg("seed %llu, %s, processor %lld: %.12f instead of %.12f", (unsigned long long)seed,
                     network->network.type->name, (long long)p, clock[p], expected[p]);
    actions_free(again);
}

/* Recorded on one network and replayed on another: as long as the original log is there, on every processor. */
static void test_other_network(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(200); seed++)
        for (log_style style = OVERLAPPING; style <= ONE_BY_ONE; style++)
            for (int on = 0; on < NETWORKS; on++) {
                bmf_trace_run *run;
                bmf_actions *original = random_log(seed, &run, style);
                toy_network *first = networks[on](original->processors);
                simulate(original, first, run, NULL);
                for (int other = 0; other < NETWORKS; other++) {
                    toy_network *second = networks[other](original->processors);
                    expect_equal(seed, run, original, second);
                    toy_free(second);
                }
                toy_free(first);
                actions_free(original);
                run_free(run);
            }
}

/* ---- one rank ---- */

/* Records the log as one rank would: one thing after the other on one clock, messages as copies. */
static void record_one_rank(const bmf_actions *actions, bmf_trace_run *run)
{
    int64_t now = 0, *begin = malloc((size_t)actions->scopes * sizeof *begin);
    for (int64_t k = 0; k <= actions->count; k++) {
        for (int64_t s = actions->scopes - 1; s > 0; s--)
            for (int32_t p = 0; actions->scope[s].left == k && p < run->lanes; p++)
                run_add(run, &(bmf_event){.begin = begin[s],
                                          .end = now,
                                          .node = actions->scope[s].node,
                                          .instance = actions->scope[s].instance,
                                          .lane = p,
                                          .peer = -1,
                                          .kind = actions->scope[s].kind});
        for (int64_t s = 1; s < actions->scopes; s++)
            if (actions->scope[s].entered == k)
                begin[s] = now;
        if (k == actions->count)
            break;
        const bmf_action *action = &actions_list(actions)[k];
        const bmf_scope *scope = &actions->scope[action->scope];
        bmf_event event = {.begin = now,
                           .node = scope->node,
                           .instance = scope->instance,
                           .round = action->round,
                           .lane = action->processor,
                           .peer = -1,
                           .name = action->name,
                           .amount = action->amount};
        if (action->kind == BMF_ACTION_COMPUTE) {
            event.kind = action->message ? BMF_EVENT_FILE : BMF_EVENT_KERNEL;
            event.end = now += (int64_t)(action->seconds * 1e9 + 0.5);
            run_add(run, &event);
        } else if (action->kind == BMF_ACTION_SEND) {
            const bmf_scheduled_message *message = &actions->message[action->message];
            event.kind = BMF_EVENT_SEND;
            event.end = now += 1000;
            event.peer = (int32_t)message->to;
            event.amount = message->bytes;
            run_add(run, &event);
            event.kind = BMF_EVENT_RECEIVE;
            event.begin = event.end;
            event.end = now += 1000; /* two things never begin at once */
            event.lane = (int32_t)message->to;
            event.peer = (int32_t)message->from;
            run_add(run, &event);
        }
    }
    free(begin);
}

static void test_one_rank(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(300); seed++) {
        bmf_trace_run *names;
        bmf_actions *original = random_log(seed, &names, ONE_BY_ONE);
        bmf_trace_run *run = make_run(original->processors, 0);
        record_one_rank(original, run);
        for (int n = 0; n < NETWORKS; n++) {
            toy_network *network = networks[n](original->processors);
            expect_equal(seed, run, original, network);
            toy_free(network);
        }
        actions_free(original);
        run_free(names);
        run_free(run);
    }
}

/* ---- the predicted trace ---- */

/* What remains of an event without its times. */
static int by_identity(const void *a, const void *b)
{
    const bmf_event *x = a, *y = b;
    const int64_t of_x[] = {x->node, x->instance, x->round, x->lane, x->kind, x->peer, x->name, x->amount};
    const int64_t of_y[] = {y->node, y->instance, y->round, y->lane, y->kind, y->peer, y->name, y->amount};
    for (size_t k = 0; k < sizeof of_x / sizeof *of_x; k++)
        if (of_x[k] != of_y[k])
            return of_x[k] < of_y[k] ? -1 : 1;
    return 0;
}

/* Replayed where it was recorded, a predicted trace is the same again, event by event. */
static void test_same_again(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(200); seed++)
        for (int n = 0; n < NETWORKS; n++) {
            bmf_trace_run *run, *again;
            const bmf_machine machine = measured_machine(1);
            bmf_actions *original = random_log(seed, &run, seed % 2 ? OVERLAPPING : REPEATING);
            toy_network *network = networks[n](original->processors);
            simulate(original, network, run, NULL);
            for (int32_t p = 0; p < run->lanes; p++)
                run_add(run, &(bmf_event){.end = (int64_t)1e15, .lane = p, .peer = -1, .kind = BMF_EVENT_REGION});
            bmf_actions *actions = replayed(run, &machine);
            assert_int_equal(replay_trace(run, &machine, actions, &network->network, &again), BMF_OK);
            assert_string_equal(again->machine, "other");
            assert_int_equal(again->events, run->events);
            qsort(run->event, (size_t)run->events, sizeof *run->event, by_identity);
            qsort(again->event, (size_t)run->events, sizeof *run->event, by_identity);
            for (int64_t k = 0; k < run->events; k++)
                assert_int_equal(by_identity(&run->event[k], &again->event[k]), 0);
            actions_free(actions);
            actions_free(original);
            run_free(run);
            run_free(again);
            toy_free(network);
        }
}

/* ---- computing ---- */

static double one_processor(const bmf_machine *machine)
{
    bmf_trace_run *run = make_run(1, 0);
    run_add(run, &(bmf_event){.end = 4000000000, .name = 1, .peer = -1, .kind = BMF_EVENT_KERNEL});
    run_add(run, &(bmf_event){.begin = 5000000000, .end = 7000000000, .peer = -1, .kind = BMF_EVENT_FILE});
    assert_true(replay_length(run) == 7);
    bmf_actions *actions = replayed(run, machine);
    toy_network *network = toy_queue(1);
    const double seconds = simulate(actions, network, NULL, NULL);
    actions_free(actions);
    run_free(run);
    toy_free(network);
    return seconds;
}

static void test_power(void **state)
{
    (void)state;
    bmf_machine machine = measured_machine(1);
    assert_true(one_processor(&machine) == 7);
    machine.power = 0.25;
    assert_true(one_processor(&machine) == 28);
    machine.compute = BMF_COMPUTE_ZERO;
    assert_true(one_processor(&machine) == 0);
}

/* ---- what cannot be replayed ---- */

/* One call on three processors, with one message from 2 to 0. */
static bmf_trace_run *small_run(void)
{
    bmf_trace_run *run = make_run(3, 0);
    for (int32_t p = 0; p < 3; p++)
        for (uint32_t node = 1; node <= 2; node++)
            run_add(run, &(bmf_event){.begin = node,
                                      .end = 100 - node,
                                      .node = node,
                                      .lane = p,
                                      .peer = -1,
                                      .kind = run->node[node].kind & 0xffff});
    run_add(run,
            &(bmf_event){.begin = 10, .end = 11, .node = 2, .lane = 2, .peer = 0, .amount = 8, .kind = BMF_EVENT_SEND});
    run_add(run, &(bmf_event){.begin = 11, .end = 12, .node = 2, .peer = 2, .amount = 8, .kind = BMF_EVENT_RECEIVE});
    return run;
}

static void drop(bmf_trace_run *run, bmf_event *event)
{
    run->events--;
    *event = run->event[run->events];
}

static bmf_event *find(bmf_trace_run *run, int32_t lane, bmf_event_kind kind)
{
    for (int64_t k = 0; k < run->events; k++)
        if (run->event[k].lane == lane && run->event[k].kind == kind)
            return &run->event[k];
    return NULL;
}

static void expect_refusal(bmf_trace_run *run, const char *text)
{
    const bmf_machine machine = measured_machine(1);
    bmf_actions *actions;
    int64_t count;
    char **remarks;
    assert_int_equal(replay_onto_machine(run, &machine, true, &actions, &count, &remarks), BMF_ERROR_ARGUMENT);
    assert_string_equal(bmf_error_text(NULL), text);
    assert_null(actions);
    run_free(run);
}

static void test_refusals(void **state)
{
    (void)state;
    const bmf_machine machine = measured_machine(1);
    bmf_trace_run *run = small_run();
    actions_free(replayed(run, &machine));
    run_free(run);

    run = small_run();
    run->dropped = 5;
    expect_refusal(run, "5 events were lost while recording: too much is missing to replay");
    run = small_run();
    drop(run, find(run, 0, BMF_EVENT_RECEIVE));
    expect_refusal(
        run, "the message from processor 2 to 0 in round 0 of 'main/region/call' (instance 0) was never received");
    run = small_run();
    find(run, 2, BMF_EVENT_SEND)->round = 7;
    expect_refusal(run,
                   "the message from processor 2 to 0 in round 0 of 'main/region/call' (instance 0) was never sent");
    run = small_run();
    find(run, 2, BMF_EVENT_SEND)->amount = 9;
    expect_refusal(run,
                   "the message from processor 2 to 0 in round 0 of 'main/region/call' (instance 0) was sent with 9 "
                   "bytes and received with 8");
    run = small_run();
    drop(run, find(run, 1, BMF_EVENT_SKELETON));
    expect_refusal(run, "processor 1 lacks the call 'main/region/call' (instance 0) that others have");
    run = small_run();
    find(run, 1, BMF_EVENT_SKELETON)->lane = 2;
    expect_refusal(run, "processor 1 lacks the call 'main/region/call' (instance 0) that others have");
    run = small_run();
    for (int32_t p = 0; p < 3; p++)
        drop(run, find(run, p, BMF_EVENT_REGION));
    expect_refusal(run, "the call 'main/region/call' (instance 0) lies in a region that was never left");
    run = small_run();
    find(run, 2, BMF_EVENT_SEND)->instance = 1;
    expect_refusal(run, "event 7 belongs to the call 'main/region/call' (instance 1), which was never left");
}

/* Whatever stands in a trace that the reader lets pass, replaying it ends with a result or a line. */
static void test_damaged(void **state)
{
    (void)state;
    const bmf_machine machine = measured_machine(1);
    for (uint64_t seed = 1; seed <= test_cases(1500); seed++) {
        uint64_t chance = seed;
        bmf_trace_run *run, *again = NULL;
        bmf_actions *original = random_log(seed, &run, (log_style)(seed % 3)), *actions;
        toy_network *network = networks[seed % NETWORKS](original->processors);
        int64_t count;
        char **remarks;
        simulate(original, network, run, NULL);
        for (int changes = 0; changes < 2; changes++) {
            bmf_event *event = &run->event[test_below(&chance, run->events)];
            switch (test_below(&chance, 6)) {
            case 0:
                event->node = (uint32_t)test_below(&chance, run->nodes);
                break;
            case 1:
                event->round = (uint32_t)test_below(&chance, 3);
                break;
            case 2:
                event->begin = test_below(&chance, event->end + 1);
                break;
            case 3:
                event->lane = (int32_t)test_below(&chance, run->lanes);
                break;
            case 4:
                event->kind = (uint16_t)test_below(&chance, BMF_EVENT_KINDS);
                event->peer = (int32_t)test_below(&chance, run->lanes);
                break;
            default:
                drop(run, event);
            }
        }
        if (replay_onto_machine(run, &machine, true, &actions, &count, &remarks) == BMF_OK) {
            replay_trace(run, &machine, actions, &network->network, &again);
            free(remarks);
        }
        actions_free(actions);
        actions_free(original);
        run_free(run);
        run_free(again);
        toy_free(network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_network), cmocka_unit_test(test_one_rank), cmocka_unit_test(test_same_again),
        cmocka_unit_test(test_power),         cmocka_unit_test(test_refusals), cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
