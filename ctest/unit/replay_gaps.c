/* Replay of time in which nothing was recorded: random simulated runs with work around their messages and agreements
 * take, where they were recorded, as long as recorded, and elsewhere as long as simulated there; measured runs by
 * hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "ctest/support/toy_networks.h"
#include "predict/model/actions_private.h"
#include "predict/replay/replay.h"
#include "predict/simulate/simulate.h"

enum { MAX_PROCESSORS = 9, MAX_MESSAGES = 12 };
static const double MICROSECOND = 1e-6;

static bmf_machine machine_like(double power, double agreement)
{
    static char name[] = "other", path[] = "other.machine";
    return (bmf_machine){.name = name,
                         .path = path,
                         .compute = BMF_COMPUTE_MEASURED,
                         .power = power,
                         .sharing = 1,
                         .agreement = agreement};
}

static bmf_trace_run *make_run(int32_t lanes, int32_t ranks, int predicted)
{
    bmf_trace_run *run = run_create("test", "toy", lanes, ranks, 1);
    assert_non_null(run);
    run->predicted = predicted;
    run_node(run, 0, "call", BMF_EVENT_SKELETON);
    run_node(run, 0, "next", BMF_EVENT_SKELETON);
    run_name(run, "kernel");
    return run;
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

static double simulate(const bmf_actions *actions, bmf_network *network, bmf_trace_run *run)
{
    bmf_simulator *simulator = simulator_create(actions, network, 0);
    bmf_simulation result;
    if (run)
        simulator_record(simulator, run);
    if (simulator_run(simulator) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    simulator_result(simulator, &result);
    simulator_free(simulator);
    if (run)
        for (int32_t p = 0; p < run->lanes; p++)
            run_add(run, &(bmf_event){
                             .end = llround(result.seconds * 1e9), .lane = p, .peer = -1, .kind = BMF_EVENT_REGION});
    return result.seconds;
}

/* ---- random runs ---- */

/* The time that processors work without an event. */
typedef enum hidden_work {
    ANYWHERE, /* of any length, before and after messages and agreements */
    NAMED,    /* the same, and agreements are events */
    TELLABLE, /* where a recording tells it from waiting: between an event and an agreement only if all have the same */
} hidden_work;

static void work_somewhere(bmf_actions *actions, uint64_t *state)
{
    for (int64_t p = 0; p < actions->processors; p++)
        if (test_below(state, 2))
            actions_overhead(actions, p, (1 + 30 * random_unit(state)) * MICROSECOND, 0, 0, 0);
}

static void work_everywhere(bmf_actions *actions, uint64_t *state)
{
    const double seconds = 20 * random_unit(state) * MICROSECOND;
    for (int64_t p = 0; p < actions->processors; p++)
        actions_overhead(actions, p, seconds, 0, 0, 0);
}

static void compute(bmf_actions *actions, uint64_t *state, uint32_t round)
{
    for (int64_t p = 0; p < actions->processors; p++)
        actions_compute(actions, p, (uint16_t)run_name(actions->names, "kernel"), round, 10,
                        (5 + 200 * random_unit(state)) * MICROSECOND, 0, 0, 0);
}

static int by_sender(const void *a, const void *b)
{
    const bmf_message *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

/* everybody: a ring is among them. */
static int64_t begin_messages(bmf_actions *actions, uint64_t *state, uint32_t round, bool everybody)
{
    bmf_message message[MAX_MESSAGES + MAX_PROCESSORS];
    int64_t count = test_below(state, MAX_MESSAGES);
    for (int64_t k = 0; k < count; k++)
        message[k] = (bmf_message){.from = test_below(state, actions->processors),
                                   .to = test_below(state, actions->processors),
                                   .bytes = test_below(state, 1024)};
    for (int64_t p = 0; everybody && p < actions->processors; p++)
        message[count++] = (bmf_message){.from = p, .to = (p + 1) % actions->processors, .bytes = 100 + p};
    qsort(message, (size_t)count, sizeof *message, by_sender);
    return actions_round_begin(actions, round, message, count);
}

/* Calls of two rounds, as skeletons are: computing, messages, an agreement at the end and sometimes within. */
static bmf_actions *random_log(uint64_t seed, bmf_trace_run **run, hidden_work work)
{
    uint64_t state = seed;
    const int64_t processors = 3 + test_below(&state, MAX_PROCESSORS - 2), calls = 1 + test_below(&state, 5);
    *run = make_run((int32_t)processors, (int32_t)processors, 1);
    bmf_actions *actions = actions_create(processors, *run);
    const uint16_t agreement = work == NAMED ? (uint16_t)run_name(*run, "agreement") : 0;
    for (int64_t k = 0; k < calls; k++) {
        actions_enter(actions, 1, (uint32_t)k, BMF_EVENT_SKELETON);
        for (uint32_t round = 0; round < 2; round++) {
            compute(actions, &state, round);
            work_somewhere(actions, &state);
            const bool everybody = round == 1 && work == TELLABLE;
            actions_round_end(actions, round, begin_messages(actions, &state, round, everybody));
            if (round == 0 && test_below(&state, 2))
                work_somewhere(actions, &state);
            else if (round == 0 || work == TELLABLE)
                work_everywhere(actions, &state);
            else
                work_somewhere(actions, &state);
            if (round == 0 && test_below(&state, 2)) {
                compute(actions, &state, 2);
                actions_barrier(actions, agreement, NAN);
            }
        }
        actions_barrier(actions, agreement, NAN);
        actions_leave(actions, NULL);
        if (test_below(&state, 2))
            actions_barrier(actions, agreement, NAN);
    }
    return actions;
}

/* Times of events are whole nanoseconds. */
static double rounding(const bmf_actions *actions)
{
    return 1e-9 * (double)(8 + actions->count);
}

static void check_same_network(hidden_work work)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        bmf_trace_run *run;
        bmf_actions *original = random_log(seed, &run, work);
        const bmf_machine machine = machine_like(1, NAN);
        toy_network *network = toy_hockney(original->processors, 0.5e-6, 3e-6, 2e-9, 0.4e-6);
        const double recorded = simulate(original, &network->network, run);
        bmf_actions *again = replayed(run, &machine);
        const double seconds = simulate(again, &network->network, NULL);
        if (fabs(seconds - recorded) > rounding(original))
            fail_msg("seed %llu: recorded %.9f, replayed %.9f", (unsigned long long)seed, recorded, seconds);
        actions_free(again);
        actions_free(original);
        run_free(run);
        toy_free(network);
    }
}

static void test_same_network(void **state)
{
    (void)state;
    check_same_network(ANYWHERE);
    check_same_network(NAMED);
}

static void check_slower_network(hidden_work work)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        bmf_trace_run *run;
        bmf_actions *original = random_log(seed, &run, work);
        const bmf_machine machine = machine_like(1, NAN);
        toy_network *fast = toy_hockney(original->processors, 0.5e-6, 3e-6, 2e-9, 0.4e-6);
        toy_network *slow = toy_hockney(original->processors, 7e-6, 150e-6, 90e-9, 5e-6);
        simulate(original, &fast->network, run);
        const double expected = simulate(original, &slow->network, NULL);
        bmf_actions *again = replayed(run, &machine);
        const double seconds = simulate(again, &slow->network, NULL);
        if (fabs(seconds - expected) > rounding(original))
            fail_msg("seed %llu: predicted %.9f, replayed %.9f", (unsigned long long)seed, expected, seconds);
        actions_free(again);
        actions_free(original);
        run_free(run);
        toy_free(fast);
        toy_free(slow);
    }
}

static void test_slower_network(void **state)
{
    (void)state;
    check_slower_network(TELLABLE);
    check_slower_network(NAMED); /* wherever the work is */
}

/* On a machine half as fast, whose agreements cost nothing, everything else takes twice as long. */
static void test_power(void **state)
{
    (void)state;
    bmf_trace_run *run = make_run(1, 1, 0);
    run_add(run, &(bmf_event){.begin = 100, .end = 2000, .node = 1, .peer = -1, .kind = BMF_EVENT_SKELETON});
    run_add(run, &(bmf_event){.begin = 400,
                              .end = 1500,
                              .node = 1,
                              .name = (uint16_t)run_name(run, "kernel"),
                              .peer = -1,
                              .kind = BMF_EVENT_KERNEL});
    run_add(run, &(bmf_event){.end = 3000, .peer = -1, .kind = BMF_EVENT_REGION});
    const bmf_machine half = machine_like(0.5, 0), zero = {.compute = BMF_COMPUTE_ZERO, .power = 1, .agreement = NAN};
    toy_network *network = toy_queue(1);
    bmf_actions *actions = replayed(run, &half);
    assert_true(fabs(simulate(actions, &network->network, NULL) - 6000e-9) < 1e-15);
    actions_free(actions);
    actions = replayed(run, &zero);
    assert_true(simulate(actions, &network->network, NULL) == 0);
    actions_free(actions);
    run_free(run);
    toy_free(network);
}

/* ---- measured runs ---- */

static void add_call(bmf_trace_run *run, int32_t lane, uint32_t node, int64_t begin, int64_t end)
{
    run_add(run, &(bmf_event){
                     .begin = begin, .end = end, .node = node, .lane = lane, .peer = -1, .kind = BMF_EVENT_SKELETON});
}

static void add_kernel(bmf_trace_run *run, int32_t lane, uint32_t node, int64_t begin, int64_t end)
{
    run_add(run, &(bmf_event){.begin = begin,
                              .end = end,
                              .node = node,
                              .lane = lane,
                              .peer = -1,
                              .name = (uint16_t)run_name(run, "kernel"),
                              .kind = BMF_EVENT_KERNEL});
}

static void expect(double length, double expected)
{
    if (fabs(length - expected) > 1e-3)
        fail_msg("%.3f instead of %.3f ns", length, expected);
}

static double replayed_length(bmf_trace_run *run, const bmf_machine *machine)
{
    bmf_actions *actions = replayed(run, machine);
    bmf_network *network = network_ideal(run->lanes);
    const double seconds = simulate(actions, network, NULL);
    network->type->destroy(network);
    actions_free(actions);
    return seconds * 1e9;
}

/* Two processors on one rank that work in turn: idle is 4 to 6 and 9 to 10, for both, but not what the other one did.
 * So they end at 4 + 2 + 1 and 2 + 3 + 1. */
static void test_one_rank(void **state)
{
    (void)state;
    bmf_trace_run *run = make_run(2, 1, 0);
    for (int32_t lane = 0; lane < 2; lane++)
        add_call(run, lane, 1, 0, 10000);
    add_kernel(run, 0, 1, 0, 4000);
    add_kernel(run, 1, 1, 6000, 9000);
    const bmf_machine machine = machine_like(1, NAN);
    expect(replayed_length(run, &machine), 7000);
    run_free(run);
}

/* Two ranks, of which one computes 1000 and one 5000 ns until they leave the call together. The first one's 4000 ns
 * were waiting, the last one's 300 were work, so that on a machine of half the power they leave at 10600, and if they
 * agree in 70 ns at 10670. Where they leave as far apart as they came, both have worked: at 2000 and 10600. */
static bmf_trace_run *two_ranks(bool together)
{
    bmf_trace_run *run = make_run(2, 2, 0);
    for (int32_t lane = 0; lane < 2; lane++) {
        const int64_t end = together ? 5300 + lane : lane == 0 ? 1300 : 5300;
        add_call(run, lane, 1, 0, end);
        add_kernel(run, lane, 1, 0, lane == 0 ? 1000 : 5000);
        add_call(run, lane, 2, end, end + 1000);
        add_kernel(run, lane, 2, end, end + 1000);
    }
    return run;
}

static void test_two_ranks(void **state)
{
    (void)state;
    const bmf_machine half = machine_like(0.5, 0), agreeing = machine_like(0.5, 70e-9);
    bmf_trace_run *run = two_ranks(true);
    expect(replayed_length(run, &agreeing), (10000 + 70 + 600 + 2 + 2000));
    expect(replayed_length(run, &half), (10000 + 600 + 2 + 2000));
    run_free(run);
    run = two_ranks(false);
    expect(replayed_length(run, &agreeing), (10000 + 600 + 2000));
    run_free(run);
}

/* With a quickest message of 20 ns the agreement of two ranks took 40 of the 300. */
static void test_measured_agreement(void **state)
{
    (void)state;
    const bmf_machine agreeing = machine_like(1, 70e-9);
    bmf_trace_run *run = two_ranks(true);
    run_add(run, &(bmf_event){.begin = 6300, .end = 6310, .lane = 0, .peer = 1, .kind = BMF_EVENT_SEND});
    run_add(run, &(bmf_event){.begin = 6301, .end = 6320, .lane = 1, .peer = 0, .kind = BMF_EVENT_RECEIVE});
    expect(replayed_length(run, &agreeing), (5000 + 70 + 260 + 1 + 1000));
    run_free(run);
}

/* A call without length where another one begins that it is not in, and one without length that is in it. */
static void test_calls_without_length(void **state)
{
    (void)state;
    bmf_trace_run *run = make_run(2, 2, 1);
    const uint32_t inner = run_node(run, 1, "inner", BMF_EVENT_SKELETON);
    for (int32_t lane = 0; lane < 2; lane++) {
        add_call(run, lane, 2, 100, 100);
        add_call(run, lane, 1, 100, 500);
        add_call(run, lane, inner, 100, 100);
        run_add(run, &(bmf_event){.begin = 300,
                                  .end = 300,
                                  .node = inner,
                                  .instance = 1,
                                  .lane = lane,
                                  .peer = -1,
                                  .kind = BMF_EVENT_SKELETON});
    }
    const bmf_machine machine = machine_like(1, NAN);
    expect(replayed_length(run, &machine), 500);
    run_free(run);
}

/* ---- sheets ---- */

/* A kernel in the call takes 9 us and what comes before a send 4, whatever the size. */
static void write_sheet(char path[64])
{
    const int number = mkstemp(strcpy(path, "/tmp/unit_replay_gaps.XXXXXX"));
    assert_true(number >= 0);
    FILE *file = fdopen(number, "w");
    fputs(
        "format = \"bmf sheet 1\";\nunits = \"us\";\nlogarithm = \"natural\";\nentries = (\n"
        "  { operation = \"call.kernel\"; family = \"local\"; element_bytes = 1; threads = 1; p = [1, 1]; d = [1, "
        "100];\n"
        "    c = 9.0; size = \"d\"; k = 0.0; },\n"
        "  { operation = \"call.send\"; family = \"local\"; element_bytes = 1; threads = 1; p = [1, 1]; d = [1, 100];\n"
        "    c = 4.0; size = \"d\"; k = 0.0; }\n);\n",
        file);
    fclose(file);
}

/* Before the call 1000 ns, in it 300 before the kernel, which its sheet has, 500 before the send, which its sheet has,
 * and 200 after it: 1 + 9 + 4 + 0.2 us. */
static void test_sheet_has_it(void **state)
{
    (void)state;
    char path[64], text[256];
    bmf_machine *machine;
    write_sheet(path);
    snprintf(text, sizeof text, "compute = { sheet = \"%s\"; };\nnetwork = { type = \"fixed\"; };\n", path);
    if (machine_parse(text, "there.machine", &machine) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    bmf_trace_run *run = make_run(2, 2, 1);
    for (int32_t lane = 0; lane < 2; lane++)
        add_call(run, lane, 1, 1000, 3500);
    run_add(run, &(bmf_event){.begin = 1300,
                              .end = 2000,
                              .amount = 10,
                              .node = 1,
                              .peer = -1,
                              .name = (uint16_t)run_name(run, "kernel"),
                              .kind = BMF_EVENT_KERNEL});
    run_add(run, &(bmf_event){.begin = 2500, .end = 3300, .amount = 10, .node = 1, .peer = 1, .kind = BMF_EVENT_SEND});
    run_add(run,
            &(bmf_event){
                .begin = 1000, .end = 3500, .amount = 10, .node = 1, .lane = 1, .peer = 0, .kind = BMF_EVENT_RECEIVE});
    run_add(run, &(bmf_event){.begin = 3300, .end = 3300, .node = 1, .peer = -1, .kind = BMF_EVENT_WAIT});
    expect(replayed_length(run, machine), 14200);
    run_free(run);
    machine_free(machine);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_network), cmocka_unit_test(test_slower_network),
        cmocka_unit_test(test_power),        cmocka_unit_test(test_one_rank),
        cmocka_unit_test(test_two_ranks),    cmocka_unit_test(test_measured_agreement),
        cmocka_unit_test(test_sheet_has_it), cmocka_unit_test(test_calls_without_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
