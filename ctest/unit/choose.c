/* Choosing among offers: against a reference that looks at all of them, on random offers; chances of the log-normal
 * distribution; nodes, prices and billing; ranks with threads; changes of machines; the network of nodes that share a
 * link. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>

#include "ctest/support/networks.h"
#include "predict/choose/choose.h"
#include "predict/choose/what_if.h"
#include "predict/model/thread_shares.h"
#include "predict/simulate/simulate.h"

#define NETWORK "network = { type = \"hockney\"; latency_us = 10.0; bandwidth_mb_per_s = 100.0; };\n"

/* Within rounding of quantiles and of sums. */
static void assert_close(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", got, expected);
}

static bmf_machine *machine_of(const char *text)
{
    bmf_machine *machine;
    if (machine_parse(text, "unit_choose.machine", &machine) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    return machine;
}

static double random_real(unsigned *seed, double low, double high)
{
    return low + (high - low) * (double)rand_r(seed) / RAND_MAX;
}

/* ---- quotients ---- */

/* Samples of a log-normal time: evenly spread quantiles. */
static bmf_prediction spread_around(double median, double deviation)
{
    bmf_prediction p = {.seconds = median, .median = median, .samples = BMF_PREDICTION_KEPT};
    for (int k = 0; k < BMF_PREDICTION_KEPT; k++)
        p.sample[k] = median * exp(deviation * gsl_cdf_ugaussian_Pinv((k + 0.5) / BMF_PREDICTION_KEPT));
    return p;
}

static void quotients_of_machines_have_nothing_in_common(void **state)
{
    (void)state;
    const bmf_prediction a = spread_around(6.0, 0.2), b = spread_around(2.0, 0.1), exact = spread_around(3.0, 0.0);
    const double side = 1.96 * sqrt(0.2 * 0.2 + 0.1 * 0.1);
    double low, high;
    prediction_quotient_apart(&a, &b, &low, &high);
    if (!(fabs(log(high / 3.0) - side) < 0.25 * side && fabs(log(low / 3.0) + side) < 0.25 * side))
        fail_msg("%g to %g, expected %g to %g", low, high, 3.0 * exp(-side), 3.0 * exp(side));
    /* with itself: in common it is 1, apart it is not */
    prediction_quotient(&a, &a, &low, &high);
    assert_close(low, 1.0);
    assert_close(high, 1.0);
    prediction_quotient_apart(&a, &a, &low, &high);
    assert_true(low < 0.8 && high > 1.25);
    prediction_quotient_apart(&exact, &exact, &low, &high);
    assert_close(low, 1.0);
    assert_close(high, 1.0);
}

static void medians_of_samples_are_off_by_chance(void **state)
{
    (void)state;
    bmf_prediction a = spread_around(6.0, 0.2), b = spread_around(2.0, 0.05), exact = spread_around(3.0, 0.0);
    exact.low = exact.high = exact.median;
    a.low = b.low = 1.0;
    /* samples of one number have in common what they can: 0.15 is left */
    const double side = 1.96 * sqrt(M_PI / 2) * 0.15 / sqrt(BMF_PREDICTION_KEPT);
    /* medians without samples */
    assert_true(prediction_median_quotient_error(&a, &b) == 0.0);
    a.seconds = 5.0;
    assert_true(fabs(prediction_median_quotient_error(&a, &b) - side) < 0.1 * side);
    assert_true(fabs(prediction_median_quotient_error(&b, &a) - side) < 0.1 * side);
    assert_true(prediction_median_quotient_error(&a, &a) == 0.0);
    /* samples that are all alike are not drawn, and any number of them is enough */
    exact.samples = 3;
    assert_true(fabs(prediction_median_quotient_error(&a, &exact) - side * 0.2 / 0.15) < 0.1 * side);
    /* of more samples than are kept */
    a.samples = b.samples = 100 * BMF_PREDICTION_KEPT;
    assert_true(fabs(prediction_median_quotient_error(&a, &b) - 0.1 * side) < 0.01 * side);
    a.samples = 2;
    assert_true(prediction_median_quotient_error(&a, &b) == 0.0);
}

/* ---- nodes ---- */

static void nodes_are_read_and_paid(void **state)
{
    (void)state;
    bmf_machine *machine = machine_of(NETWORK "node = { processors = 64; price_per_hour = 3.6; memory_gb = 256; "
                                              "memory_gb_per_s = 100; cache_mb = 64; minimum_minutes = 1; count = 9; "
                                              "currency = \"EUR\"; };");
    const bmf_node *node = &machine->node;
    assert_int_equal(node->processors, 64);
    assert_int_equal(node->count, 9);
    assert_string_equal(node->currency, "EUR");
    assert_int_equal(node_nodes(node, 64), 1);
    assert_int_equal(node_nodes(node, 65), 2);
    assert_close(node_cost(node, 2, 10.0), 2 * 60 * 0.001); /* a minute at least */
    assert_close(node_cost(node, 2, 1000.0), 2 * 1000 * 0.001);
    /* 10 processors with 10 MB each do not stay in 64 MB of cache, with 5 MB they do. */
    assert_close(node_memory_seconds(node, 10, 10e6, 10e6), 10 * 10e6 / 100e9);
    assert_close(node_memory_seconds(node, 10, 10e6, 5e6), 0.0);
    machine_free(machine);
    machine = machine_of(NETWORK "node = { processors = 4; price_per_hour = 1; billing_minutes = 60; };");
    assert_close(node_cost(&machine->node, 3, 1.0), 3.0);
    assert_close(node_cost(&machine->node, 3, 3600.0), 3.0);
    assert_close(node_cost(&machine->node, 3, 3601.0), 6.0);
    machine_free(machine);
    machine = machine_of(NETWORK);
    assert_true(isnan(node_cost(&machine->node, 1, 1.0)));
    assert_int_equal(node_nodes(&machine->node, 5), 5);
    machine_free(machine);
}

static void bad_nodes_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"node = 3;", "'node' must be a group"},
        {"node = { };", "'processors' is missing"},
        {"node = { processors = 0; };", "processors"},
        {"node = { processors = 2; price_per_hour = -1; };", "price_per_hour"},
        {"node = { processors = 2; price_per_hour = \"cheap\"; };", "price_per_hour"},
        {"node = { processors = 2; minimum_minutes = 1; };", "goes with 'price_per_hour'"},
        {"node = { processors = 2; cache_mb = 1; };", "goes with 'memory_gb_per_s'"},
        {"node = { processors = 2; price_per_hour = 1; currency = \"\"; };", "letters"},
        {"node = { processors = 2; cores = 1; };", "unknown key 'cores'"},
        {"node = { processors = 2; fork_join_us = -1; };", "fork_join_us"},
        {"threads = 2;", "need nodes"},
        {"threads = 0; node = { processors = 2; };", "threads"},
        {"threads = 3; node = { processors = 2; };", "a node has 2 processors"},
        {"threads = 2; processors = 1; node = { processors = 2; };", "the machine has 1 processor,"},
        {"compute = { threaded = (); };", "goes with 'sheet'"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char text[512];
        bmf_machine *machine;
        snprintf(text, sizeof text, NETWORK "%s", bad[k][0]);
        assert_int_equal(machine_parse(text, "unit_choose.machine", &machine), BMF_ERROR_FILE);
        if (!strstr(bmf_error_text(NULL), bad[k][1]) || !strstr(bmf_error_text(NULL), "unit_choose.machine:2: "))
            fail_msg("%s: %s", bad[k][0], bmf_error_text(NULL));
    }
}

/* ---- threads ---- */

static void ranks_with_threads_share_nodes(void **state)
{
    (void)state;
    bmf_machine *machine =
        machine_of(NETWORK "threads = 4; processors = 30; node = { processors = 10; fork_join_us = 3; count = 3; };");
    assert_int_equal(machine_ranks(machine), 7);
    assert_int_equal(node_ranks(&machine->node), 2); /* two processors of each node have nothing to do */
    assert_int_equal(node_nodes(&machine->node, 5), 3);
    assert_close(node_fork_join(&machine->node), 6e-6);
    bmf_network *network;
    assert_int_equal(machine_network(machine, 8, &network), BMF_ERROR_ARGUMENT);
    assert_non_null(strstr(bmf_error_text(NULL), "too few for 8 ranks of 4 threads"));
    machine_free(machine);
    machine = machine_of(NETWORK "node = { processors = 10; };");
    assert_int_equal(machine->threads, 1);
    assert_close(node_fork_join(&machine->node), 0.0);
    machine_free(machine);
}

/* The slowest of so many threads, by looking at every way in which their bounds can fall. */
static double slowest_of(const double *weight, int pieces, int threads)
{
    double most = 0.0, all = 0.0;
    for (int k = 0; k < pieces; k++)
        all += weight[k];
    for (int t = 0; t < threads; t++) {
        double own = 0.0;
        for (int k = 0; k < pieces; k++)
            if (k * threads / pieces == t)
                own += weight[k];
        most = fmax(most, own);
    }
    return most / all;
}

static void threads_share_what_pieces_took(void **state)
{
    (void)state;
    enum { PIECES = BMF_SHARES, ELEMENTS = 1600 };
    for (unsigned number = 1; number <= 200; number++) {
        unsigned seed = number;
        double weight[PIECES];
        bmf_thread_shares shares = {.pieces = 0};
        for (int k = 0; k < PIECES; k++) {
            weight[k] = random_real(&seed, 0.1, 3.0);
            thread_shares_add(&shares, k * ELEMENTS / PIECES, (k + 1) * ELEMENTS / PIECES, ELEMENTS, weight[k]);
        }
        thread_shares_finish(&shares);
        assert_close(thread_shares_slowest(&shares, 1), 1.0);
        for (int threads = 2; threads <= PIECES; threads *= 2)
            if (!(fabs(thread_shares_slowest(&shares, threads) - slowest_of(weight, PIECES, threads)) < 1e-6))
                fail_msg("seed %u, %d threads: %g, expected %g", number, threads,
                         thread_shares_slowest(&shares, threads), slowest_of(weight, PIECES, threads));
    }
}

static void what_is_not_divided_is_one_threads(void **state)
{
    (void)state;
    bmf_thread_shares alone = {.pieces = 0}, two = {.pieces = 0}, taken = {.dynamic = true};
    thread_shares_add(&alone, 0, 100, 100, 7.0);
    thread_shares_finish(&alone);
    assert_close(thread_shares_slowest(&alone, 8), 1.0);
    thread_shares_add(&two, 0, 50, 100, 1.0);
    thread_shares_add(&two, 50, 100, 100, 1.0);
    thread_shares_finish(&two);
    assert_close(thread_shares_slowest(&two, 2), 0.5);
    assert_close(thread_shares_slowest(&two, 8), 0.5); /* for six of them there is no piece */
    for (int k = 0; k < 10; k++)
        thread_shares_add(&taken, k, k + 1, 10, k == 0 ? 3.0 : 1.0);
    thread_shares_finish(&taken);
    if (!(fabs(thread_shares_slowest(&taken, 2) - 0.5) < 1e-6 && fabs(thread_shares_slowest(&taken, 8) - 0.25) < 0.03))
        fail_msg("%g, %g", thread_shares_slowest(&taken, 2), thread_shares_slowest(&taken, 8));
}

/* Even work in noisy runs is even; work that is uneven in all of them stays so. */
static void noise_of_runs_is_not_imbalance(void **state)
{
    (void)state;
    for (int uneven = 0; uneven < 2; uneven++) {
        unsigned seed = 7;
        bmf_shares_seen seen = {.runs = 0};
        bmf_thread_shares shares;
        for (int run = 0; run < 14; run++) {
            shares = (bmf_thread_shares){.pieces = 0};
            for (int k = 0; k < BMF_SHARES; k++)
                thread_shares_add(&shares, k, k + 1, BMF_SHARES,
                                  (uneven && k >= BMF_SHARES / 2 ? 3.0 : 1.0) * random_real(&seed, 0.9, 1.1));
            thread_shares_finish(&shares);
            thread_shares_see(&seen, &shares);
        }
        thread_shares_settle(&seen, &shares);
        const double two = thread_shares_slowest(&shares, 2), all = thread_shares_slowest(&shares, BMF_SHARES);
        if (!(fabs(two - (uneven ? 0.75 : 0.5)) < 0.01 && fabs(all - (uneven ? 3.0 / 32 : 1.0 / 16)) < 0.005))
            fail_msg("uneven %d: %g, %g", uneven, two, all);
    }
}

/* ---- chances ---- */

static void chances_are_log_normal(void **state)
{
    (void)state;
    bmf_offer offer = {.seconds = 10.0, .low = 8.0, .high = 15.0};
    assert_close(offer_chance(&offer, 10.0), 0.5);
    assert_close(offer_chance(&offer, 15.0), 0.975);
    assert_close(offer_chance(&offer, 8.0), 0.025);
    assert_true(offer_chance(&offer, INFINITY) == 1.0);
    assert_close(offer_quantile(&offer, 0.975), 15.0);
    assert_close(offer_quantile(&offer, 0.5), 10.0);
    for (int k = 1; k < 100; k++)
        assert_close(offer_chance(&offer, offer_quantile(&offer, 0.01 * k)), 0.01 * k);
    offer.low = offer.high = 10.0; /* exact */
    assert_true(offer_chance(&offer, 9.99) == 0.0 && offer_chance(&offer, 10.0) == 1.0);
}

/* ---- random offers ---- */

enum { OFFERS = 40, MACHINES = 3 };

static void fill(bmf_offer *offer, unsigned *seed)
{
    for (int64_t k = 0; k < OFFERS; k++) {
        offer[k] = (bmf_offer){
            .machine = rand_r(seed) % MACHINES, .ranks = 1 + rand_r(seed) % 100, .threads = 1 + rand_r(seed) % 2};
        offer[k].processors = offer[k].ranks * offer[k].threads;
        offer[k].seconds = round(random_real(seed, 1.0, 30.0)) * 100.0; /* equal ones occur */
        offer[k].low = offer[k].seconds / random_real(seed, 1.0, 1.5);
        offer[k].high = offer[k].seconds * random_real(seed, 1.0, 2.0);
        offer[k].best = offer[k].low;
        offer[k].memory = random_real(seed, 0.0, 100.0);
        offer[k].refusal = (bmf_refusal)(rand_r(seed) % 8 < 6 ? 0 : rand_r(seed) % 4);
        for (int part = 0; part < BMF_LIMITS; part++)
            offer[k].part[part] = random_real(seed, 0.0, 1.0);
    }
}

static bool offered(const bmf_offer *o)
{
    return o->refusal == BMF_OFFERED && !isnan(o->cost);
}

static void front_is_that_of_all_pairs(const bmf_offer *offer)
{
    for (int64_t k = 0; k < OFFERS; k++) {
        bool beaten = !offered(&offer[k]);
        bool twin = false;
        for (int64_t j = 0; j < OFFERS; j++) {
            if (j == k || !offered(&offer[j]))
                continue;
            const bool same = offer[j].seconds == offer[k].seconds && offer[j].cost == offer[k].cost;
            twin = twin || same;
            beaten = beaten || (!same && offer[j].seconds <= offer[k].seconds && offer[j].cost <= offer[k].cost);
        }
        if (beaten)
            assert_false(offer[k].pareto);
        else if (!twin)
            assert_true(offer[k].pareto);
    }
}

static void choice_is_the_best_of_all(const bmf_offer *offer, bmf_machine *const *machine, const bmf_wish *wish)
{
    double cheapest = INFINITY, fastest = INFINITY, knee = INFINITY;
    bmf_decision choice;
    choose_decide(offer, OFFERS, machine, wish, &choice);
    for (int64_t k = 0; k < OFFERS; k++) {
        const bmf_offer *o = &offer[k];
        if (!offered(o))
            continue;
        const double paid = node_cost(&machine[o->machine]->node, o->nodes, offer_quantile(o, wish->chance));
        const bool affordable = paid <= wish->budget, quick = offer_quantile(o, wish->chance) <= wish->deadline;
        if (affordable && quick)
            cheapest = fmin(cheapest, o->cost);
        if (affordable)
            fastest = fmin(fastest, o->seconds);
        knee = fmin(knee, o->cost * o->seconds);
    }
    assert_true(choice.has_prices);
    assert_true((choice.cheapest < 0) == isinf(cheapest) && (choice.fastest < 0) == isinf(fastest));
    if (choice.cheapest >= 0) {
        assert_true(offer[choice.cheapest].cost == cheapest);
        assert_true(offer_chance(&offer[choice.cheapest], wish->deadline) >= wish->chance);
    }
    if (choice.fastest >= 0)
        assert_true(offer[choice.fastest].seconds == fastest);
    assert_true(offer[choice.knee].cost * offer[choice.knee].seconds == knee);
}

static void decisions_are_those_of_a_search(void **state)
{
    (void)state;
    bmf_machine *machine[MACHINES] = {
        machine_of(NETWORK "node = { processors = 16; price_per_hour = 2; minimum_minutes = 10; memory_gb = 1; };"),
        machine_of(NETWORK "node = { processors = 48; price_per_hour = 5; billing_minutes = 60; memory_gb = 2; };"),
        machine_of(NETWORK "node = { processors = 2; price_per_hour = 0.3; memory_gb = 4; };")};
    for (unsigned number = 1; number <= 500; number++) {
        unsigned seed = number;
        bmf_offer offer[OFFERS];
        fill(offer, &seed);
        choose_complete(offer, OFFERS, machine);
        for (int k = 0; k < OFFERS; k++) {
            const int64_t on_node = machine[offer[k].machine]->node.processors / offer[k].threads;
            assert_true(offer[k].nodes * on_node >= offer[k].ranks && (offer[k].nodes - 1) * on_node < offer[k].ranks);
        }
        front_is_that_of_all_pairs(offer);
        choice_is_the_best_of_all(offer, machine,
                                  &(bmf_wish){random_real(&seed, 50.0, 3000.0),
                                              rand_r(&seed) % 3 ? random_real(&seed, 0.1, 20.0) : INFINITY, 0.95});
    }
    for (int k = 0; k < MACHINES; k++)
        machine_free(machine[k]);
}

/* ---- changes ---- */

static bmf_machine *changed(const char *file, const char *change)
{
    bmf_machine *machine, *other = NULL;
    if (machine_read(file, &machine) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    if (what_if_machine(file, machine, change, &other) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    machine_free(machine);
    return other;
}

static void refuses(const char *file, const char *change, const char *why)
{
    bmf_machine *machine, *other = NULL;
    if (machine_read(file, &machine) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    assert_int_not_equal(what_if_machine(file, machine, change, &other), BMF_OK);
    if (!strstr(bmf_error_text(NULL), why))
        fail_msg("%s: %s", change, bmf_error_text(NULL));
    machine_free(machine);
}

/* Seconds of a message of so many bytes from processor 0 to `to`. */
static double way(const bmf_machine *machine, int64_t to, int64_t bytes)
{
    bmf_network *network;
    bmf_transit message = message_of(0, to, bytes, 0.0);
    assert_int_equal(machine_network(machine, 8, &network), BMF_OK);
    start(network, 0, NULL);
    deliver(network, &message, 1);
    network->type->destroy(network);
    return message.arrived;
}

static void changes_are_those_of_the_parts(void **state)
{
    (void)state;
    static const char file[] = "unit_choose_changed.machine";
    FILE *to = fopen(file, "w");
    assert_non_null(to);
    fputs("node = { processors = 4; memory_gb_per_s = 10; };\nnetwork = { type = \"cluster\"; latency_us = 10; "
          "send_us = 2; bandwidth_mb_per_s = 100; node_latency_us = 1; node_bandwidth_mb_per_s = 1000; };\n",
          to);
    fclose(to);
    bmf_machine *machine = changed(file, "network.latency/2");
    assert_close(way(machine, 4, 1000), 6e-6 + 10e-6);
    assert_close(way(machine, 1, 1000), 1.5e-6 + 1e-6);
    machine_free(machine);
    machine = changed(file, "network.bandwidth*4");
    assert_close(way(machine, 4, 1000), 12e-6 + 2.5e-6);
    machine_free(machine);
    machine = changed(file, "compute*3");
    assert_close(machine->power, 3.0);
    machine_free(machine);
    machine = changed(file, "memory*2");
    assert_close(machine->node.memory_bandwidth, 20e9);
    machine_free(machine);
    machine = changed(file, "ranks-per-node=2");
    assert_int_equal(machine->node.processors, 2);
    assert_close(way(machine, 2, 1000), 12e-6 + 10e-6); /* on the next node now */
    machine_free(machine);
    machine = changed(file, "network.latency_us=0.5");
    assert_close(way(machine, 4, 0), 2.5e-6);
    machine_free(machine);
    machine = changed(file, "threads=2"); /* room for two ranks: the third is on the next node */
    assert_close(way(machine, 1, 1000), 3e-6 + 1e-6);
    assert_close(way(machine, 2, 1000), 12e-6 + 10e-6);
    bmf_machine *one;
    assert_int_equal(what_if_machine(file, machine, "ranks-per-node=1", &one), BMF_OK);
    assert_int_equal(one->threads, 2);
    assert_close(way(one, 1, 1000), 12e-6 + 10e-6);
    machine_free(one);
    assert_int_equal(what_if_machine(file, machine, "ranks-per-node=3", &one), BMF_ERROR_USAGE);
    assert_non_null(strstr(bmf_error_text(NULL), "room for 2 ranks of 2 threads"));
    machine_free(machine);
    refuses(file, "network.latency", "NAME=VALUE");
    refuses(file, "network.latency*x", "a change is one like");
    refuses(file, "ranks-per-node=5", "1 to 4 processors");
    refuses(file, "ranks-per-node*2", "a change is one like");
    refuses(file, "network.nothing*2", "does not say it");
    refuses(file, "network.nothing=2", "unknown key 'nothing'");
    refuses(file, "nowhere.at_all=2", "no such group");
    refuses(file, "network.type*2", "no number");
    refuses(file, "compute/0", "a change is one like");
    remove(file);
}

/* ---- nodes that share a link ---- */

#define CLUSTER                                                                                                        \
    "type = \"cluster\"; processors_per_node = 4; latency_us = 10.0; bandwidth_mb_per_s = 1000.0; node_latency_us = "  \
    "1.0; node_bandwidth_mb_per_s = 4000.0; "

static void processors_of_a_node_share_its_link(void **state)
{
    (void)state;
    bmf_machine *machine;
    bmf_network *network = make(&machine, CLUSTER, 12);
    bmf_transit all[4];
    /* Four processors of node 0, each to one of node 1: their bytes leave one after the other. */
    for (int k = 0; k < 4; k++)
        all[k] = message_of(k, 4 + k, 1000000, 0.0);
    start(network, 0, NULL);
    deliver(network, all, 4);
    for (int k = 0; k < 4; k++)
        assert_close(all[k].arrived, 1e-3 * (k + 1) + 1e-5);
    /* Within the node they do not disturb each other. */
    for (int k = 0; k < 4; k++)
        all[k] = message_of(k, (k + 1) % 4, 1000000, 0.0);
    start(network, 0, NULL);
    deliver(network, all, 4);
    for (int k = 0; k < 4; k++)
        assert_close(all[k].arrived, 0.25e-3 + 1e-6);
    bmf_link_load *load;
    assert_int_equal(network->type->loads(network, &load), 6);
    assert_string_equal(load[1].from, "node 1");
    free(load);
    /* 4 processors in a node, then 3 nodes: two levels and two levels, up and down. */
    assert_close(network->type->agreement(network, 12), 2 * (2 * (1e-6 + 2e-9) + 2 * (1e-5 + 8e-9)));
    unmake(machine, network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_of_machines_have_nothing_in_common),
        cmocka_unit_test(medians_of_samples_are_off_by_chance),
        cmocka_unit_test(nodes_are_read_and_paid),
        cmocka_unit_test(bad_nodes_are_refused),
        cmocka_unit_test(ranks_with_threads_share_nodes),
        cmocka_unit_test(threads_share_what_pieces_took),
        cmocka_unit_test(what_is_not_divided_is_one_threads),
        cmocka_unit_test(noise_of_runs_is_not_imbalance),
        cmocka_unit_test(chances_are_log_normal),
        cmocka_unit_test(decisions_are_those_of_a_search),
        cmocka_unit_test(changes_are_those_of_the_parts),
        cmocka_unit_test(processors_of_a_node_share_its_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
