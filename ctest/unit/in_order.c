/* Runs in the order of their recording: the simulator's times, to the bit, for random programs on networks of all
 * simple types, with and without noise; and what they must be left to the simulator for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "ctest/support/testing.h"
#include "predict/machine/machine.h"
#include "predict/model/actions_private.h"
#include "predict/simulate/computations.h"
#include "predict/simulate/in_order.h"
#include "predict/simulate/simulate_private.h"
#include "runtime/base/allocate.h"
#include "runtime/schedule/algorithms.h"

static const char *const networks[] = {
    "type = \"fixed\"; send_us = 3.1; send_us_per_byte = 0.01; transport_us = 20.3; receive_us = 1.7;",
    "type = \"hockney\"; latency_us = 70.3; bandwidth_mb_per_s = 9.2;",
    "type = \"hockney\"; latency_us = 70.3; bandwidth_mb_per_s = 9.2; ports = \"single\"; send_us = 2.3;",
    "type = \"loggp\"; latency_us = 1.03; overhead_us = 0.31; gap_us = 0.1; gap_us_per_byte = 0.08;",
    "type = \"loggp\"; latency_us = 1.03; overhead_us = 0.31; gap_us = 0.1; gap_us_per_byte = 0.08; eager_bytes = 150;",
    "type = \"loggp\"; latency_us = 1.03; overhead_us = 0.31; gap_us = 0.1; gap_us_per_byte = 0.08; eager_bytes = 20;"
    " handshake_us = 3.7;",
    "type = \"cluster\"; latency_us = 0.71; send_us = 0.25; receive_us = 0.26; gap_us = 0.08; bandwidth_mb_per_s = "
    "24.3;"
    " node_latency_us = 0.15; node_bandwidth_mb_per_s = 80.7; processors_per_node = 3;"};
enum { NETWORKS = sizeof networks / sizeof *networks, SAMPLES = 4, MAX_MESSAGES = 40, CASES = 60, MANY = 3000 };

static bmf_machine *read_machine(const char *network)
{
    char text[512];
    bmf_machine *machine;
    snprintf(text, sizeof text, "name = \"m\"; network = { %s };", network);
    assert_int_equal(machine_parse(text, "in_order.machine", &machine), BMF_OK);
    return machine;
}

/* ---- random programs ---- */

/* The same slices for many, by members whose processors may come again. */
static void some_family(uint64_t *state, bmf_actions *actions)
{
    enum { MOST = 3, MEMBERS = 20 };
    const int64_t slice = actions->slices, slices = 1 + test_below(state, MOST), members = test_below(state, MEMBERS);
    bmf_member member[MEMBERS];
    for (int64_t s = 0; s < slices; s++) {
        actions_slice_begin(actions);
        for (int64_t k = test_below(state, 4); k > 0; k--)
            actions_compute(actions, 0, 0, 0, k, 1e-7 * (double)test_below(state, 100000) * 1e-3, 0.1,
                            test_below(state, 2) ? 0.3 : 0.0, (int)test_below(state, 3));
        actions_slice_end(actions);
    }
    for (int64_t k = 0; k < members; k++)
        member[k] = (bmf_member){(int32_t)test_below(state, actions->processors), (int32_t)test_below(state, slices)};
    actions_add_family(actions, actions_keep_members(actions, member, members), members, slice);
}

static void some_computing(uint64_t *state, bmf_actions *actions)
{
    if (test_below(state, 2))
        some_family(state, actions);
    if (test_below(state, 3) == 0)
        actions_overhead_of_all(actions, 1e-7 * (double)test_below(state, 100000) * 1e-3, 0, 0.1, 0);
    for (int64_t k = test_below(state, 2 * actions->processors); k > 0; k--)
        actions_compute(actions, test_below(state, actions->processors), 0, 0, k,
                        1e-7 * (double)test_below(state, 100000) * 1e-3, 0.1, test_below(state, 2) ? 0.3 : 0.0,
                        (int)test_below(state, 3));
    for (int64_t k = test_below(state, 3); k > 0; k--)
        actions_overhead(actions, test_below(state, actions->processors),
                         1e-7 * (double)test_below(state, 100000) * 1e-3, 0, 0.1, 0);
}

static int64_t some_round(uint64_t *state, bmf_actions *actions, uint32_t number)
{
    bmf_message message[MAX_MESSAGES];
    const int64_t count = test_below(state, MAX_MESSAGES);
    for (int64_t k = 0; k < count; k++)
        message[k] = (bmf_message){.from = test_below(state, actions->processors),
                                   .to = test_below(state, actions->processors),
                                   .bytes = test_below(state, 300)};
    return actions_round_begin(actions, number, message, count);
}

/* meets: all meet now and then. */
static bmf_actions *random_program(uint64_t *state, int64_t processors, bool meets)
{
    bmf_actions *actions = actions_create(processors, NULL);
    actions->spread.common = 0.05;
    actions->spread.equation[1] = 0.1F;
    actions_file(actions, 0, 1000, 1e-5, 0, 0.1, 0);
    actions_start(actions);
    for (int step = 0; step < 12; step++) {
        some_computing(state, actions);
        const int64_t first = some_round(state, actions, 0);
        some_computing(state, actions);
        if (test_below(state, 3) == 0) { /* two rounds under way */
            const int64_t second = some_round(state, actions, 1);
            actions_round_end(actions, 0, first);
            actions_round_end(actions, 1, second);
        } else {
            actions_round_end(actions, 0, first);
        }
        if (meets && test_below(state, 4) == 0)
            actions_barrier(actions, 0, test_below(state, 2) ? NAN : 1e-6);
    }
    return actions;
}

/* ---- against the simulator ---- */

static void simulate(const bmf_actions *actions, bmf_network *network, int64_t sample, double factor,
                     bmf_simulation *result)
{
    bmf_simulator *simulator = simulator_create(actions, network, sample);
    simulator->compute_factor = factor;
    assert_int_equal(simulator_run(simulator), BMF_OK);
    simulator_result(simulator, result);
    simulator_free(simulator);
}

static void compare(const bmf_actions *actions, bmf_network *network, const char *what)
{
    bmf_in_order *in_order = in_order_create(actions, network);
    assert_non_null(in_order);
    network->agreement_noise = 0.2;
    bmf_in_order_sample ordered[SAMPLES];
    for (int64_t k = 0; k < SAMPLES; k++)
        ordered[k] = (bmf_in_order_sample){.sample = k, .compute_factor = k == 0 ? 1.0 : 1.0 + 0.1 * (double)k};
    in_order_run(in_order, ordered, SAMPLES);
    for (int64_t k = 0; k < SAMPLES; k++) {
        bmf_simulation result;
        simulate(actions, network, k, ordered[k].compute_factor, &result);
        assert_true(ordered[k].settled);
        if (ordered[k].seconds != result.seconds || ordered[k].loading != result.loading)
            fail_msg("%s, sample %lld: %.17g s, of them %.17g loading, instead of %.17g and %.17g", what, (long long)k,
                     ordered[k].seconds, ordered[k].loading, result.seconds, result.loading);
    }
    in_order_free(in_order);
}

static void compare_random(uint64_t *random, const bmf_machine *machine, int64_t processors, const char *what)
{
    bmf_network *network;
    assert_int_equal(machine_network(machine, processors, &network), BMF_OK);
    for (int meets = 0; meets < 2; meets++) {
        bmf_actions *actions = random_program(random, processors, meets);
        compare(actions, network, what);
        actions_free(actions);
    }
    network->type->destroy(network);
}

/* Few processors, whose messages meet at ports, and many, so that samples are taken on several threads. */
static void test_random_programs(void **state)
{
    uint64_t random = test_seed();
    (void)state;
    for (int n = 0; n < NETWORKS; n++) {
        bmf_machine *machine = read_machine(networks[n]);
        for (int k = 0; k < CASES; k++)
            compare_random(&random, machine, 2 + test_below(&random, 12), networks[n]);
        compare_random(&random, machine, MANY, networks[n]);
        machine_free(machine);
    }
}

/* Messages that take no time and wait for nothing. */
static void test_ideal_network(void **state)
{
    uint64_t random = test_seed();
    (void)state;
    for (int k = 0; k < CASES; k++) {
        bmf_network *network = network_ideal(2 + test_below(&random, 12));
        bmf_actions *actions = random_program(&random, network->processors, true);
        compare(actions, network, "ideal");
        actions_free(actions);
        network->type->destroy(network);
    }
}

/* A tree whose processors are at its steps in another order than that of recording, and everybody to everybody. */
static void test_trees_and_exchanges(void **state)
{
    enum { TREE = 64 };
    uint64_t random = test_seed();
    (void)state;
    for (int n = 0; n < NETWORKS; n++) {
        bmf_machine *machine = read_machine(networks[n]);
        bmf_actions *actions = actions_create(TREE, NULL);
        bmf_message *message = allocate(TREE * TREE * (int64_t)sizeof *message);
        bmf_network *network;
        assert_int_equal(machine_network(machine, TREE, &network), BMF_OK);
        for (int64_t p = 0; p < TREE; p++)
            actions_compute(actions, p, 0, 0, 1, 1e-5 + 1e-6 * (double)test_below(&random, 1000) * 1e-3, 0, 0.5, 0);
        for (int64_t apart = 1; apart < TREE; apart *= 2) {
            int64_t count = 0;
            for (int64_t p = 0; p < TREE; p += 2 * apart)
                message[count++] = (bmf_message){.from = p + apart, .to = p, .bytes = 24};
            actions_round_end(actions, 0, actions_round_begin(actions, 0, message, count));
            for (int64_t p = 0; p < TREE; p += 2 * apart)
                actions_compute(actions, p, 0, 0, 1, 1e-6, 0, 0.5, 0);
        }
        for (int64_t k = 0; k < TREE * TREE; k++)
            message[k] = (bmf_message){.from = k / TREE, .to = k % TREE, .bytes = test_below(&random, 300)};
        actions_round_end(actions, 0, actions_round_begin(actions, 0, message, TREE * TREE));
        compare(actions, network, networks[n]);
        free(message);
        actions_free(actions);
        network->type->destroy(network);
        machine_free(machine);
    }
}

/* ---- drawing many at once ---- */

enum { DRAWN = 3000 };

static bmf_actions *some_errors(uint64_t *random)
{
    static const float error[] = {0.0F, 1e-6F, 0.05F, 0.3F, 2.0F, 1e30F, INFINITY};
    bmf_actions *actions = actions_create(1, NULL);
    actions->spread.equation[1] = 0.1F;
    for (int64_t k = 0; k < DRAWN; k++)
        actions_compute(actions, 0, 0, 0, 1, 1e-6 * (double)(1 + test_below(random, 1000)),
                        test_below(random, 2) ? 0.2 : 0.0,
                        (double)error[test_below(random, sizeof error / sizeof *error)], (int)test_below(random, 3));
    return actions;
}

/* All actions, which are stored one by one, block by block. */
static void draw_all(bmf_chances *chances, double compute_factor, const bmf_actions *actions, double *seconds)
{
    bmf_computations all;
    int32_t stored[BMF_COMPUTATION_BLOCK];
    computations_open(&all, actions);
    bmf_computation_factors factors = {.common = allocate(all.kinds * (int64_t)sizeof(double)),
                                       .deviation = allocate(all.kinds * (int64_t)sizeof(double))};
    chances_find_factors(chances, compute_factor, &all, &factors);
    for (int64_t first = 0, count; first < actions->count; first += count) {
        count = actions->count - first < BMF_COMPUTATION_BLOCK ? actions->count - first : BMF_COMPUTATION_BLOCK;
        for (int64_t k = 0; k < count; k++)
            stored[k] = (int32_t)(first + k);
        chances_draw(chances, &all, &factors, first, stored, count, seconds + first);
    }
    free(factors.common), free(factors.deviation);
    computations_close(&all);
}

/* One by one, as the simulator draws them, whatever is to be still. */
static void test_draws(void **state)
{
    static const unsigned still[] = {0, BMF_CHANCE_EVENT, BMF_CHANCE_FIT, BMF_CHANCE_RUN | BMF_CHANCE_EVENT};
    uint64_t random = test_seed();
    bmf_chances *one = allocate((int64_t)sizeof *one), *many = allocate((int64_t)sizeof *many);
    double *seconds = allocate(DRAWN * (int64_t)sizeof *seconds);
    bmf_network *network = network_ideal(1);
    (void)state;
    bmf_actions *actions = some_errors(&random);
    for (int64_t sample = 0; sample < 12; sample++) {
        network->still = still[sample % 4];
        chances_begin(one, actions, network, sample);
        chances_begin(many, actions, network, sample);
        draw_all(many, 1.25, actions, seconds);
        for (int64_t k = 0; k < DRAWN; k++) {
            const double expected = chances_seconds(one, 1.25, &actions->stored[k], k);
            if (seconds[k] != expected)
                fail_msg("sample %lld, number %lld: %.17g instead of %.17g", (long long)sample, (long long)k,
                         seconds[k], expected);
        }
    }
    actions_free(actions);
    network->type->destroy(network);
    free(seconds), free(one), free(many);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The noise of a call: log-normal with median 1. Of n logarithms the one at p lies where the normal distribution has
 * it, within four standard errors, sqrt(p (1 - p) / n) over its density there. */
static void test_noise_of_calls(void **state)
{
    enum { CALLS = 200000 };
    static const double error = 0.3, at[] = {0.025, 0.25, 0.5, 0.75, 0.975};
    const double deviation = sqrt(log1p((double)(float)error * (double)(float)error));
    bmf_chances *chances = allocate((int64_t)sizeof *chances);
    double *seconds = allocate(CALLS * (int64_t)sizeof *seconds);
    bmf_network *network = network_ideal(1);
    bmf_actions *actions = actions_create(1, NULL);
    (void)state;
    for (int64_t k = 0; k < CALLS; k++)
        actions_compute(actions, 0, 0, 0, 1, 1.0, 0.0, error, 1);
    for (int64_t sample = 1; sample <= 3; sample++) {
        chances_begin(chances, actions, network, sample);
        draw_all(chances, 1.0, actions, seconds);
        qsort(seconds, CALLS, sizeof *seconds, by_size);
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            const double there = gsl_cdf_ugaussian_Pinv(at[k]), density = exp(-there * there / 2) / sqrt(2 * M_PI);
            const double found = log(seconds[(int64_t)(at[k] * CALLS)]) / deviation;
            assert_true(fabs(found - there) < 4 * sqrt(at[k] * (1 - at[k]) / CALLS) / density);
        }
    }
    actions_free(actions);
    network->type->destroy(network);
    free(seconds), free(chances);
}

/* ---- what is left to the simulator ---- */

static void test_others(void **state)
{
    (void)state;
    bmf_machine *machine = read_machine("type = \"loggp\"; latency_us = 1; overhead_us = 0.3; gap_us = 0.1; "
                                        "gap_us_per_byte = 0.1; eager_bytes = 100;");
    bmf_machine *free_of_cost = read_machine("type = \"loggp\"; latency_us = 0; overhead_us = 0; gap_us = 0.1; "
                                             "gap_us_per_byte = 0;");
    bmf_network *network, *no_time;
    assert_int_equal(machine_network(machine, 4, &network), BMF_OK);
    assert_int_equal(machine_network(free_of_cost, 4, &no_time), BMF_OK);
    for (int64_t bytes = 100; bytes <= 101; bytes++) {
        bmf_actions *actions = actions_create(4, NULL);
        const bmf_message message = {.from = 1, .to = 2, .bytes = bytes};
        actions_round_end(actions, 0, actions_round_begin(actions, 0, &message, 1));
        bmf_in_order *in_order = in_order_create(actions, network);
        assert_non_null(in_order); /* also where it waits for its receiver */
        in_order_free(in_order);
        assert_null(in_order_create(actions, no_time)); /* messages that pass ports and take no time */
        actions_free(actions);
    }
    /* a message whose receiver never says that it is ready: nobody asks where it needs not */
    for (int64_t bytes = 100; bytes <= 101; bytes++) {
        bmf_actions *actions = actions_create(4, NULL);
        actions->rounds = 1;
        actions_add_message(actions, 0, 1, bytes);
        actions_add(actions, (bmf_action){.kind = BMF_ACTION_SEND, .processor = 0});
        actions_add(actions, (bmf_action){.kind = BMF_ACTION_RECEIVE, .processor = 1});
        bmf_in_order *in_order = in_order_create(actions, network);
        assert_true(!in_order == (bytes == 101));
        in_order_free(in_order);
        actions_free(actions);
    }
    /* a receive that is recorded before its sending */
    bmf_actions *actions = actions_create(4, NULL);
    actions->rounds = 1;
    actions_add_message(actions, 0, 1, 8);
    actions_add(actions, (bmf_action){.kind = BMF_ACTION_RECEIVE, .processor = 1});
    actions_add(actions, (bmf_action){.kind = BMF_ACTION_SEND, .processor = 0});
    assert_null(in_order_create(actions, network));
    actions_free(actions);
    /* a meeting to which one does not come */
    actions = actions_create(4, NULL);
    for (int p = 0; p < 3; p++)
        actions_add(actions, (bmf_action){.kind = BMF_ACTION_BARRIER, .processor = p});
    assert_null(in_order_create(actions, network));
    actions_free(actions);
    network->type->destroy(network);
    no_time->type->destroy(no_time);
    machine_free(machine);
    machine_free(free_of_cost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs),     cmocka_unit_test(test_ideal_network),
        cmocka_unit_test(test_trees_and_exchanges), cmocka_unit_test(test_draws),
        cmocka_unit_test(test_noise_of_calls),      cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
