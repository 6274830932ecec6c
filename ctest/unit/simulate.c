/* The simulator: equal to a slow reference, to the bit, on random logs and three kinds of networks; closed forms;
 * recorded events; logs that grow; logs that starve; networks that lie; intervals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "ctest/reference/reference_simulate.h"
#include "ctest/support/testing.h"
#include "ctest/support/toy_networks.h"
#include "predict/model/actions_private.h"
#include "predict/simulate/simulate.h"
#include "runtime/schedule/algorithms.h"

enum { MAX_PROCESSORS = 9, MAX_MESSAGES = 24 };
static const double STEP = 1.0 / 1024;

typedef toy_network *make_network(int64_t processors);
static make_network *const networks[] = {toy_queue, toy_rendezvous, toy_lockstep};
enum { NETWORKS = sizeof networks / sizeof *networks };

/* ---- random logs ---- */

typedef struct log_maker {
    uint64_t state;
    bmf_actions *actions;
    bmf_simulator *simulator; /* carries out what there is now and then, or NULL */
} log_maker;

static void pause_here(log_maker *maker)
{
    if (maker->simulator && test_below(&maker->state, 3) == 0)
        assert_int_equal(simulator_run(maker->simulator), BMF_OK);
    else if (!maker->simulator)
        test_below(&maker->state, 3);
}

static int64_t begin_round(log_maker *maker, uint32_t round)
{
    bmf_message message[MAX_MESSAGES];
    const int64_t count = test_below(&maker->state, MAX_MESSAGES), p = maker->actions->processors;
    for (int64_t k = 0; k < count; k++)
        message[k] = (bmf_message){.from = test_below(&maker->state, p),
                                   .to = test_below(&maker->state, p),
                                   .bytes = test_below(&maker->state, 2) ? test_below(&maker->state, 1024) : k};
    return actions_round_begin(maker->actions, round, message, count);
}

static void some_computing(log_maker *maker, uint32_t round)
{
    for (int64_t k = test_below(&maker->state, 3); k > 0; k--)
        actions_overhead(maker->actions, test_below(&maker->state, maker->actions->processors),
                         (double)test_below(&maker->state, 40) * STEP, 0, 0, 0);
    for (int64_t k = test_below(&maker->state, 6); k > 0; k--)
        actions_compute(maker->actions, test_below(&maker->state, maker->actions->processors), 0, round, k,
                        (double)test_below(&maker->state, 400) * STEP, 0, 0, 0);
}

/* A call: rounds one after the other, or overlapping as a pipeline of two. */
static void some_call(log_maker *maker, uint32_t instance)
{
    bmf_actions *actions = maker->actions;
    int64_t *amount = malloc((size_t)actions->processors * sizeof *amount);
    for (int64_t p = 0; p < actions->processors; p++)
        amount[p] = 100 * (int64_t)instance + p;
    actions_enter(actions, 1, instance, BMF_EVENT_SKELETON);
    const int64_t first = begin_round(maker, 0);
    pause_here(maker);
    some_computing(maker, 0);
    if (test_below(&maker->state, 2)) {
        const int64_t second = begin_round(maker, 1);
        actions_round_end(actions, 0, first);
        some_computing(maker, 1);
        actions_round_end(actions, 1, second);
    } else if (test_below(&maker->state, 2)) {
        actions_round_end(actions, 0, first);
    } else {
        actions_round_end_sparse(actions, 0, first);
        actions_barrier(actions, 0, test_below(&maker->state, 2) ? NAN : 3 * STEP);
    }
    actions_leave(actions, amount);
    pause_here(maker);
}

static bmf_actions *random_log(uint64_t seed, bmf_network *network, bmf_trace_run *run, bmf_simulator **simulator)
{
    log_maker maker = {.state = seed};
    maker.actions = actions_create(1 + test_below(&maker.state, MAX_PROCESSORS), NULL);
    if (network) {
        network->processors = maker.actions->processors;
        maker.simulator = *simulator = simulator_create(maker.actions, network, 0);
        simulator_record(maker.simulator, run);
    }
    const int64_t calls = 1 + test_below(&maker.state, 6);
    for (int64_t k = 0; k < calls; k++) {
        if (k % 3 == 1)
            actions_enter(maker.actions, 2, (uint32_t)k / 3, BMF_EVENT_REGION);
        some_call(&maker, (uint32_t)k);
        if (k % 3 == 2)
            actions_leave(maker.actions, NULL);
    }
    return maker.actions;
}

/* ---- equal to the reference ---- */

static void test_reference(void **state)
{
    (void)state;
    double clock[MAX_PROCESSORS];
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        bmf_actions *actions = random_log(seed, NULL, NULL, NULL);
        for (int n = 0; n < NETWORKS; n++) {
            toy_network *toy = networks[n](actions->processors);
            assert_true(reference_simulate(actions, &toy->network, clock));
            const uint64_t checksum = toy->checksum;
            const int64_t calls = toy->calls;
            assert_int_equal(toy->delivered, actions->messages);
            bmf_simulator *simulator = simulator_create(actions, &toy->network, 0);
            if (simulator_run(simulator) != BMF_OK)
                fail_msg("seed %llu, network %d: %s", (unsigned long long)seed, n, bmf_error_text(NULL));
            assert_int_equal(toy->delivered, actions->messages);
            for (int64_t p = 0; p < actions->processors; p++)
                if (memcmp(&clock[p], &(double){simulator_clock(simulator, p)}, sizeof(double)) != 0)
                    fail_msg("seed %llu, network %d, processor %lld: %.17g instead of %.17g", (unsigned long long)seed,
                             n, (long long)p, simulator_clock(simulator, p), clock[p]);
            assert_int_equal(toy->calls, calls);
            assert_int_equal(toy->checksum, checksum); /* the same calls in the same order */
            if (!toy->network.type->collective)
                assert_int_equal(toy->disorder, 0);
            simulator_free(simulator);
            toy_free(toy);
        }
        actions_free(actions);
    }
}

/* ---- events ---- */

static int64_t nanoseconds(double seconds)
{
    return (int64_t)(seconds * 1e9 + 0.5);
}

/* Every event of a lane that takes time lies in the open scopes around it, and none begins before the last one
 * ended. */
static void check_nesting(const bmf_trace_run *run)
{
    int64_t open[16], last = 0;
    int depth = 0;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        if (k > 0 && run->event[k - 1].lane != event->lane)
            depth = 0, last = 0;
        assert_true(event->end >= event->begin);
        if (event->end == event->begin) /* sorted behind what begins then and takes longer */
            continue;
        assert_true(event->begin >= last);
        while (depth > 0 && open[depth - 1] <= event->begin && open[depth - 1] < event->end)
            depth--;
        assert_true(depth == 0 || event->end <= open[depth - 1]);
        if (event->kind <= BMF_EVENT_SKELETON)
            open[depth++] = event->end;
        else
            last = event->end;
    }
}

/* Every message is one send and one receive; scopes are on every lane; the longest lane ends with the run. */
static void check_events(const bmf_actions *actions, const bmf_trace_run *run, double seconds)
{
    int64_t count[BMF_EVENT_KINDS] = {0}, bytes[BMF_EVENT_KINDS] = {0}, end = 0;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        count[event->kind]++;
        bytes[event->kind] += event->amount;
        end = event->end > end ? event->end : end;
        assert_true(event->low <= event->end - event->begin && event->high >= event->end - event->begin);
        if (event->kind == BMF_EVENT_SKELETON)
            assert_int_equal(event->amount, 100 * (int64_t)event->instance + event->lane);
    }
    int64_t messages, total, expected[BMF_EVENT_KINDS] = {0};
    actions_totals(actions, &messages, &total);
    for (int64_t k = 0; k < actions->count; k++) {
        expected[BMF_EVENT_KERNEL] += actions_list(actions)[k].kind == BMF_ACTION_COMPUTE;
        expected[BMF_EVENT_WAIT] += actions_list(actions)[k].kind == BMF_ACTION_WAIT && actions_list(actions)[k].amount;
    }
    for (int64_t k = 1; k < actions->scopes; k++)
        expected[actions->scope[k].kind] += actions->scope[k].left >= 0 ? actions->processors : 0;
    assert_int_equal(count[BMF_EVENT_SEND], messages);
    assert_int_equal(count[BMF_EVENT_RECEIVE], messages);
    assert_int_equal(bytes[BMF_EVENT_SEND], total);
    assert_int_equal(bytes[BMF_EVENT_RECEIVE], total);
    assert_int_equal(count[BMF_EVENT_KERNEL], expected[BMF_EVENT_KERNEL]);
    assert_int_equal(count[BMF_EVENT_WAIT], expected[BMF_EVENT_WAIT]);
    assert_int_equal(count[BMF_EVENT_SKELETON], expected[BMF_EVENT_SKELETON]);
    assert_int_equal(count[BMF_EVENT_REGION], expected[BMF_EVENT_REGION]);
    assert_true(end <= nanoseconds(seconds));
}

static bmf_trace_run *make_run(const bmf_actions *actions)
{
    bmf_trace_run *run = run_create("test", "toy", actions ? (int32_t)actions->processors : MAX_PROCESSORS, 1, 1);
    run->predicted = 1;
    run_node(run, 0, "call", BMF_EVENT_SKELETON);
    run_node(run, 0, "region", BMF_EVENT_REGION);
    return run;
}

static void test_events(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        bmf_actions *actions = random_log(seed, NULL, NULL, NULL);
        for (int n = 0; n < NETWORKS; n++) {
            toy_network *toy = networks[n](actions->processors);
            bmf_trace_run *run = make_run(actions);
            bmf_simulator *simulator = simulator_create(actions, &toy->network, 0);
            bmf_simulation result;
            simulator_record(simulator, run);
            assert_int_equal(simulator_run(simulator), BMF_OK);
            simulator_result(simulator, &result);
            assert_int_equal(run_sort(run), BMF_OK);
            check_nesting(run);
            check_events(actions, run, result.seconds);
            simulator_free(simulator);
            run_free(run);
            toy_free(toy);
        }
        actions_free(actions);
    }
}

/* A log that is carried out while it grows gives what it gives at once. */
static void test_growing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++)
        for (int n = 0; n < NETWORKS; n++) {
            bmf_simulator *growing = NULL, *whole;
            toy_network *first = networks[n](MAX_PROCESSORS), *second = networks[n](MAX_PROCESSORS);
            bmf_trace_run *pieces = make_run(NULL), *once = make_run(NULL);
            bmf_actions *actions = random_log(seed, &first->network, pieces, &growing);
            assert_int_equal(simulator_run(growing), BMF_OK);
            second->network.processors = actions->processors;
            whole = simulator_create(actions, &second->network, 0);
            simulator_record(whole, once);
            assert_int_equal(simulator_run(whole), BMF_OK);
            for (int64_t p = 0; p < actions->processors; p++)
                assert_true(simulator_clock(growing, p) == simulator_clock(whole, p));
            run_sort(pieces);
            run_sort(once);
            assert_int_equal(pieces->events, once->events);
            assert_memory_equal(pieces->event, once->event, (size_t)once->events * sizeof *once->event);
            simulator_free(growing);
            simulator_free(whole);
            actions_free(actions);
            run_free(pieces);
            run_free(once);
            toy_free(first);
            toy_free(second);
        }
}

/* ---- closed forms ---- */

static const double overhead = 3.0 / 1024, latency = 40.0 / 1024, per_byte = 1.0 / 4096, taking = 5.0 / 1024;

static double simulated(bmf_actions *actions, toy_network *toy)
{
    bmf_simulation result;
    bmf_simulator *simulator = simulator_create(actions, &toy->network, 0);
    assert_int_equal(simulator_run(simulator), BMF_OK);
    simulator_result(simulator, &result);
    assert_int_equal(result.messages, toy->delivered);
    assert_int_equal(result.actions, actions->count);
    simulator_free(simulator);
    actions_free(actions);
    toy_free(toy);
    return result.seconds;
}

static void add_schedule(bmf_actions *actions, const bmf_schedule *schedule)
{
    for (int r = 0; r < schedule->rounds; r++) {
        const bmf_round *round = &schedule->round[r];
        const int64_t number = actions_round_begin(actions, (uint32_t)r, round->message, round->count);
        actions_round_end(actions, (uint32_t)r, number);
    }
}

static void test_ring(void **state)
{
    (void)state;
    for (int64_t p = 2; p <= 40; p++) {
        bmf_actions *actions = actions_create(p, NULL);
        bmf_message *message = malloc((size_t)p * sizeof *message);
        for (int64_t step = 0; step < p - 1; step++) {
            for (int64_t k = 0; k < p; k++)
                message[k] = (bmf_message){.from = k, .to = (k + 1) % p, .bytes = 100};
            actions_round_end(actions, (uint32_t)step, actions_round_begin(actions, (uint32_t)step, message, p));
        }
        free(message);
        assert_true(simulated(actions, toy_hockney(p, overhead, latency, per_byte, taking)) ==
                    (double)(p - 1) * (overhead + latency + 100 * per_byte + taking));
    }
}

static int64_t sixteen_bytes(const void *context, int64_t first, int64_t count)
{
    (void)context;
    (void)first;
    (void)count;
    return 16;
}

static void test_binomial_tree(void **state)
{
    (void)state;
    for (int levels = 1; levels <= 12; levels++) {
        const int64_t p = INT64_C(1) << levels;
        const bmf_group group = {0, 0, p};
        bmf_actions *actions = actions_create(p, NULL);
        bmf_schedule *schedule = schedule_create("levels", 0, p);
        schedule_reduce_levels(schedule, 0, &(bmf_schedule_request){&group, sixteen_bytes, NULL, NULL});
        add_schedule(actions, schedule);
        schedule_free(schedule);
        assert_true(simulated(actions, toy_hockney(p, overhead, latency, per_byte, taking)) ==
                    levels * (overhead + latency + 16 * per_byte + taking));
    }
}

/* A chain of p processors passes S pieces on: the first needs p - 1 hops, every further one comes after one send and
 * one take of a processor in the middle. */
static void test_pipeline(void **state)
{
    (void)state;
    for (int64_t p = 3; p <= 12; p++)
        for (int64_t pieces = 1; pieces <= 9; pieces++) {
            const bmf_group group = {0, 0, p};
            bmf_actions *actions = actions_create(p, NULL);
            bmf_schedule *schedule = schedule_create("pipeline", 0, p);
            schedule_distl_pipeline(schedule, 0, &group, 64 * pieces, pieces);
            add_schedule(actions, schedule);
            schedule_free(schedule);
            const double hop = overhead + latency + 64 * per_byte + taking;
            assert_true(simulated(actions, toy_hockney(p, overhead, latency, per_byte, taking)) ==
                        (double)(p - 1) * hop + (double)(pieces - 1) * (overhead + taking));
        }
}

/* On a crossbar message k of p - 1 leaves at k overheads. Long latency: the receiver waits for the first and then
 * either takes are the bottleneck, or sends are. */
static void test_all_to_all(void **state)
{
    (void)state;
    for (int64_t p = 2; p <= 30; p++)
        for (int slow_take = 0; slow_take < 2; slow_take++) {
            const double take = slow_take ? 5.0 / 1024 : 1.0 / 1024, far = 200.0 / 1024;
            bmf_actions *actions = actions_create(p, NULL);
            bmf_message *message = malloc((size_t)(p * p) * sizeof *message);
            int64_t count = 0;
            for (int64_t k = 0; k < p; k++)
                for (int64_t by = 1; by < p; by++)
                    message[count++] = (bmf_message){.from = k, .to = (k + by) % p, .bytes = 8};
            actions_round_end(actions, 0, actions_round_begin(actions, 0, message, count));
            free(message);
            const double transport = far + 8 * per_byte, n = (double)(p - 1);
            assert_true(simulated(actions, toy_hockney(p, overhead, far, per_byte, take)) ==
                        (slow_take ? overhead + transport + n * take : n * overhead + transport + take));
        }
}

static void test_barrier(void **state)
{
    (void)state;
    bmf_actions *actions = actions_create(5, NULL);
    for (int64_t p = 0; p < 5; p++)
        actions_compute(actions, p, 0, 0, 1, (double)p * STEP, 0, 0, 0);
    actions_barrier(actions, 0, 7 * STEP);
    actions_barrier(actions, 0, NAN); /* of the network: three levels of two messages of 8 bytes */
    assert_true(simulated(actions, toy_hockney(5, overhead, latency, per_byte, taking)) ==
                11 * STEP + 6 * (overhead + latency + 8 * per_byte + taking));
}

static void test_ideal(void **state)
{
    (void)state;
    bmf_network *network = network_ideal(4);
    bmf_actions *actions = actions_create(4, NULL);
    const bmf_message message[] = {{.from = 0, .to = 3, .bytes = 1000}, {.from = 3, .to = 1, .bytes = 1}};
    for (int64_t p = 0; p < 4; p++)
        actions_compute(actions, p, 0, 0, 1, (double)(p + 1), 0, 0, 0);
    actions_round_end(actions, 0, actions_round_begin(actions, 0, message, 2));
    bmf_simulator *simulator = simulator_create(actions, network, 0);
    assert_int_equal(simulator_run(simulator), BMF_OK);
    const double expected[] = {1, 4, 3, 4};
    for (int64_t p = 0; p < 4; p++)
        assert_true(simulator_clock(simulator, p) == expected[p]);
    bmf_simulation result;
    simulator_result(simulator, &result);
    assert_true(result.idle == 2 && result.seconds == 4 && result.bytes == 1001);
    simulator_free(simulator);
    actions_free(actions);
    network->type->destroy(network);
}

/* ---- what cannot be carried out ---- */

static void expect_failure(bmf_actions *actions, toy_network *toy, int status, const char *text)
{
    bmf_simulator *simulator = simulator_create(actions, &toy->network, 0);
    assert_int_equal(simulator_run(simulator), status);
    assert_string_equal(bmf_error_text(NULL), text);
    assert_int_equal(simulator_run(simulator), status);
    simulator_free(simulator);
    actions_free(actions);
    toy_free(toy);
}

static void test_starving(void **state)
{
    (void)state;
    bmf_actions *actions = actions_create(4, NULL);
    actions->rounds = 1;
    actions_add_message(actions, 1, 2, 8);
    actions_add(actions, (bmf_action){.kind = BMF_ACTION_RECEIVE, .processor = 2});
    expect_failure(actions, toy_queue(4), BMF_ERROR_ARGUMENT,
                   "processor 2 waits for a message that processor 1 never sends");
    actions = actions_create(4, NULL);
    actions->rounds = 1;
    actions_add_message(actions, 1, 2, 800);
    actions_add(actions, (bmf_action){.kind = BMF_ACTION_SEND, .processor = 1});
    expect_failure(actions, toy_rendezvous(4), BMF_ERROR_ARGUMENT,
                   "processor 1 sends to processor 2, which never takes it");
    actions = actions_create(4, NULL);
    actions->rounds = 1;
    actions_add_message(actions, 1, 2, 8);
    actions_add_message(actions, 3, 2, 8);
    actions_add(actions, (bmf_action){.kind = BMF_ACTION_SEND, .processor = 3, .message = 1});
    expect_failure(actions, toy_lockstep(4), BMF_ERROR_ARGUMENT, "processor 3 waits for others to send in its round");
    actions = actions_create(4, NULL);
    actions_add(actions, (bmf_action){.kind = BMF_ACTION_BARRIER, .processor = 3});
    expect_failure(actions, toy_queue(4), BMF_ERROR_ARGUMENT,
                   "some processors wait for all to meet, and others never do");
}

static void early_send(bmf_network *network, bmf_transit *m)
{
    m->sender_free = m->send_done = m->sent;
    m->arrived = m->sent - 1;
    network->complete(network->simulator, m);
}

static void test_lying_network(void **state)
{
    (void)state;
    toy_network *toy = toy_hockney(2, 1, 1, 1, 1);
    bmf_network_type type = *toy->network.type;
    type.send = early_send;
    toy->network.type = &type;
    bmf_actions *actions = actions_create(2, NULL);
    const bmf_message message = {.from = 1, .to = 0, .bytes = 1};
    actions_compute(actions, 1, 0, 0, 1, 2, 0, 0, 0);
    actions_round_end(actions, 0, actions_round_begin(actions, 0, &message, 1));
    expect_failure(
        actions, toy, BMF_ERROR_INTERNAL,
        "network toy hockney completes a message without sensible times, or twice: message from 1 to 0, sent "
        "at 2 s");
}

/* ---- chance ---- */

static void test_normal(void **state)
{
    (void)state;
    double sum = 0, squares = 0, product = 0;
    const int64_t count = 20000;
    assert_true(normal_deviate(0, 1, 2) == 0);
    assert_true(normal_deviate(3, 1, 2) == normal_deviate(3, 1, 2));
    for (int64_t k = 1; k <= count; k++) {
        const double x = normal_deviate(k, 1, 2), y = normal_deviate(k, 2, 1);
        sum += x;
        squares += x * x;
        product += x * y;
    }
    /* within four standard errors */
    assert_true(fabs(sum / (double)count) < 4 / sqrt((double)count));
    assert_true(fabs(squares / (double)count - 1) < 4 * sqrt(2 / (double)count));
    assert_true(fabs(product / (double)count) < 4 / sqrt((double)count));
}

/* Everywhere in the cells of the table, at their ends and in the tails. */
/* Numbers that are drawn together are those that are drawn one by one, to the bit. */
static void test_normals_together(void **state)
{
    enum { MOST = 1000 };
    static const int counts[] = {0, 1, 7, 255, 256, 257, 513, MOST};
    double together[MOST];
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (uint64_t stream = 1; stream < 40; stream += 13) {
            normals_of_stream(stream, 1000 * stream, counts[c], together);
            for (int k = 0; k < counts[c]; k++) {
                const double alone = normal_of_stream(stream, 1000 * stream + (uint64_t)k);
                assert_memory_equal(&together[k], &alone, sizeof alone);
            }
        }
}

static void test_normal_quantile(void **state)
{
    const double steps = 100003;
    (void)state;
    for (double k = 1; k < steps; k++) {
        const double exact = gsl_cdf_ugaussian_Pinv(k / steps);
        if (!(fabs(normal_quantile(k / steps) - exact) < 1e-8))
            fail_msg("at %.17g: %.17g instead of %.17g", k / steps, normal_quantile(k / steps), exact);
    }
    for (int k = 1; k < 4096; k++)
        assert_true(fabs(normal_quantile(k / 4096.0) - gsl_cdf_ugaussian_Pinv(k / 4096.0)) < 1e-8);
    for (double tail = 0.25; tail > 1e-16; tail /= 2) {
        assert_true(fabs(normal_quantile(tail) - gsl_cdf_ugaussian_Pinv(tail)) < 1e-8);
        assert_true(fabs(normal_quantile(1 - tail) - gsl_cdf_ugaussian_Pinv(1 - tail)) < 1e-8);
    }
}

/* One processor computes `calls` times a second, with errors of the equation and of each call. */
static bmf_prediction predicted(int calls, double shared, double own, int64_t samples)
{
    bmf_network *network = network_ideal(1);
    bmf_actions *actions = actions_create(1, NULL);
    bmf_prediction prediction;
    for (int k = 0; k < calls; k++)
        actions_compute(actions, 0, 0, 0, 1, 1, shared, own, 1);
    assert_int_equal(simulate_interval(actions, network, samples, &prediction), BMF_OK);
    actions_free(actions);
    network->type->destroy(network);
    assert_true(prediction.seconds == calls);
    assert_true(prediction.low <= prediction.seconds && prediction.high >= prediction.seconds);
    return prediction;
}

/* Half the width relative to the expectation. */
static double side(bmf_prediction p)
{
    return (p.high - p.low) / 2 / p.seconds;
}

static void test_intervals(void **state)
{
    (void)state;
    bmf_prediction certain = predicted(10, 0, 0, 0);
    assert_true(certain.low == 10 && certain.high == 10);
    /* 1.96 standard deviations; an estimated quantile of 2000 samples is off by a few hundredths */
    assert_true(fabs(side(predicted(1, 0, 0.1, 2000)) / 0.196 - 1) < 0.1);
    assert_true(fabs(side(predicted(1, 0.1, 0, 2000)) / 0.196 - 1) < 0.1);
    /* errors of one equation do not cancel, those of calls do */
    assert_true(fabs(side(predicted(100, 0.1, 0, 2000)) / 0.196 - 1) < 0.1);
    assert_true(fabs(side(predicted(100, 0, 0.1, 2000)) / 0.0196 - 1) < 0.1);
    /* few samples: wider by Student's factor, and its estimate varies by a sixth */
    assert_true(fabs(side(predicted(1, 0.1, 0, 20)) / 0.215 - 1) < 0.5);
    assert_int_equal(predicted(1, 0.1, 0, 0).samples, 200);
    /* never negative, however uncertain */
    assert_true(predicted(1, 0, 3, 500).low > 0);
}

/* Processors that compute with noise, meet, and do both in a step of the program. */
static bmf_actions *noisy_steps(bmf_trace_run *run)
{
    const uint16_t kernel = (uint16_t)run_name(run, "kernel"), agreement = (uint16_t)run_name(run, "agreement");
    const uint32_t step = run_node(run, 0, "step", BMF_EVENT_REGION);
    bmf_actions *actions = actions_create(run->lanes, run);
    actions_file(actions, 0, 1000, 0.25, 0, 0.1, 0); /* reading the argument */
    actions_start(actions);
    for (uint32_t k = 0; k < 20; k++) {
        actions_enter(actions, step, k, BMF_EVENT_REGION);
        for (int32_t p = 0; p < run->lanes; p++) {
            actions_overhead(actions, p, 0.01, 0, 0.5, 0);
            actions_compute(actions, p, kernel, 0, 1, 1 + 0.1 * p, 0.05, 0.2, 1 + (int)k % 3);
        }
        actions_barrier(actions, agreement, 0.001);
        actions_leave(actions, NULL);
    }
    return actions;
}

/* The events of a predicted run have intervals that hold those of 95 % of other runs, waiting included. */
static void test_intervals_of_events(void **state)
{
    (void)state;
    enum { LANES = 3, FRESH = 300 };
    bmf_network *network = network_ideal(LANES);
    bmf_trace_run *run = run_create("program", "machine", LANES, LANES, 1);
    bmf_actions *actions = noisy_steps(run);
    bmf_simulation result;
    bmf_prediction whole;
    int64_t covered = 0, tried = 0, steps = 0;
    assert_int_equal(simulate_events(actions, network, run, &result, &whole), BMF_OK);
    assert_int_equal(run_sort(run), BMF_OK);
    assert_int_equal(run->events, 1 + LANES * 20 * 3);
    assert_true(fabs(result.loading - 0.25) < 1e-12 && fabs(whole.loading - 0.25) < 1e-12);
    assert_true(whole.seconds > 20 && fabs(result.seconds - whole.seconds - 0.25) < 1e-9);
    for (int64_t sample = 1000; sample < 1000 + FRESH; sample++) {
        bmf_trace_run *fresh = run_create("program", "machine", LANES, LANES, 1);
        bmf_simulator *simulator = simulator_create(actions, network, sample);
        simulator_record(simulator, fresh);
        assert_int_equal(simulator_run(simulator), BMF_OK);
        simulator_free(simulator);
        assert_int_equal(run_sort(fresh), BMF_OK);
        assert_int_equal(fresh->events, run->events);
        for (int64_t e = 0; e < run->events; e++) {
            const bmf_event *said = &run->event[e], *came = &fresh->event[e];
            const int64_t took = came->end - came->begin;
            assert_true(said->kind == came->kind && said->lane == came->lane && said->instance == came->instance);
            assert_true(said->low < said->high);
            tried++;
            steps += said->kind == BMF_EVENT_REGION;
            covered += took >= said->low && took <= said->high;
        }
        run_free(fresh);
    }
    const double share = (double)covered / (double)tried;
    if (share < 0.93 || share > 0.97)
        fail_msg("%.1f %% of %lld events inside", 100 * share, (long long)tried);
    assert_int_equal(steps, FRESH * LANES * 20);
    actions_free(actions);
    run_free(run);
    network->type->destroy(network);
}

/* The 95 % interval from few samples covers 95 % of further samples on average. */
static void test_coverage(void **state)
{
    (void)state;
    bmf_network *network = network_ideal(1);
    int64_t covered = 0, tried = 0;
    for (int trial = 0; trial < 40; trial++) {
        bmf_actions *actions = actions_create(1, NULL);
        bmf_prediction prediction;
        for (int k = 0; k < trial; k++) /* other calls have other errors */
            actions_compute(actions, 0, 0, 0, 1, 0, 0, 0, 0);
        actions_compute(actions, 0, 0, 0, 1, 1, 0, 0.2, 0);
        assert_int_equal(simulate_interval(actions, network, 20, &prediction), BMF_OK);
        for (int64_t sample = 1000; sample < 1100; sample++, tried++) {
            bmf_simulator *simulator = simulator_create(actions, network, sample);
            assert_int_equal(simulator_run(simulator), BMF_OK);
            const double seconds = simulator_clock(simulator, 0);
            covered += seconds >= prediction.low && seconds <= prediction.high;
            simulator_free(simulator);
        }
        actions_free(actions);
    }
    network->type->destroy(network);
    const double share = (double)covered / (double)tried;
    assert_true(share > 0.92 && share < 0.975);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),       cmocka_unit_test(test_events),
        cmocka_unit_test(test_growing),         cmocka_unit_test(test_ring),
        cmocka_unit_test(test_binomial_tree),   cmocka_unit_test(test_pipeline),
        cmocka_unit_test(test_all_to_all),      cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_ideal),           cmocka_unit_test(test_starving),
        cmocka_unit_test(test_lying_network),   cmocka_unit_test(test_normal),
        cmocka_unit_test(test_normal_quantile), cmocka_unit_test(test_normals_together),
        cmocka_unit_test(test_intervals),       cmocka_unit_test(test_intervals_of_events),
        cmocka_unit_test(test_coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
