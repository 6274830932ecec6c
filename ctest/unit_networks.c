/* The simple networks against closed forms: single messages, several to one receiver, eager messages and rendezvous,
 * rings, broadcasts and reductions, transfers in portions, the receive rule of sheets; and ports against a reference
 * that sorts instead of simulating.
 *
 * Sources: the table of replays by another simulator (half-duplex cases apart, which need links: unit_network_graph.c),
 * the optimal broadcast of R. Karp, A. Sahay, E. Santos, K. Schauser, "Optimal broadcast and summation in the LogP
 * model", SPAA 1993, figure 1, and the formulas of document 002.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctest/testing.h"
#include "predict/machine/machine.h"
#include "predict/model/simulate.h"
#include "runtime/allocate.h"

enum { TEXT = 4096, SAMPLES = 2000 };

static const char *sheet_path = "unit_networks.sheet";

/* ---- networks and messages ---- */

/* A network of that group of settings; its machine is left to the caller. */
static bmf_network *make(bmf_machine **machine, const char *settings, int64_t processors)
{
    char text[TEXT];
    bmf_network *network;
    snprintf(text, sizeof text, "network = { %s };", settings);
    if (bmf_machine_parse(text, "unit_networks.machine", machine) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    if (bmf_machine_network(*machine, processors, &network) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    return network;
}

static void unmake(bmf_machine *machine, bmf_network *network)
{
    network->type->destroy(network);
    bmf_machine_free(machine);
}

static void count_complete(void *simulator, bmf_flying *message)
{
    (void)message;
    if (simulator)
        ++*(int64_t *)simulator;
}

static void start(bmf_network *network, int64_t sample, int64_t *complete)
{
    network->simulator = complete;
    network->complete = count_complete;
    network->freed = count_complete;
    network->type->start(network, sample);
}

static bmf_flying message_of(int64_t from, int64_t to, int64_t bytes, double sent)
{
    return (bmf_flying){.from = from,
                        .to = to,
                        .bytes = bytes,
                        .sent = sent,
                        .posted = INFINITY,
                        .free = NAN,
                        .done = NAN,
                        .arrived = NAN};
}

static void advance_until(bmf_network *network, double time)
{
    const bmf_network_type *type = network->type;
    while (type->next && type->next(network) <= time && isfinite(type->next(network)))
        type->advance(network);
}

/* Hands the messages over, which are in the order of their times. */
static void deliver(bmf_network *network, bmf_flying *message, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        advance_until(network, message[k].sent);
        network->type->send(network, &message[k]);
    }
    advance_until(network, INFINITY);
}

static void assert_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", got, expected);
}

/* As another program printed it. */
static void assert_printed(double seconds, const char *text)
{
    char got[64];
    snprintf(got, sizeof got, "%.6f", seconds);
    assert_string_equal(got, text);
}

static bmf_flying send_one(const char *settings, int64_t bytes, double posted)
{
    bmf_machine *machine;
    bmf_network *network = make(&machine, settings, 2);
    bmf_flying one = message_of(0, 1, bytes, 0.0);
    int64_t complete = 0;
    start(network, 0, &complete);
    network->type->send(network, &one);
    if (network->type->post) {
        advance_until(network, posted);
        one.posted = posted;
        network->type->post(network, &one);
    }
    advance_until(network, INFINITY);
    assert_int_equal(complete, 1);
    unmake(machine, network);
    return one;
}

/* ---- programs ---- */

/* A round of messages that begins when the processors are there; all of it is taken before it ends. */
static void add_round(bmf_actions *actions, const bmf_message *message, int64_t count)
{
    const int64_t number = bmf_actions_round_begin(actions, 0, message, count);
    bmf_actions_round_end(actions, 0, number);
}

static double length_of(const bmf_actions *actions, bmf_network *network)
{
    bmf_simulation result;
    bmf_simulator *simulator = bmf_simulator_create(actions, network, 0);
    assert_int_equal(bmf_simulator_run(simulator), BMF_OK);
    bmf_simulator_result(simulator, &result);
    bmf_simulator_free(simulator);
    return result.seconds;
}

/* A token through all processors and back to the first. */
static void add_ring(bmf_actions *actions, int64_t bytes)
{
    const int64_t p = actions->processors;
    for (int64_t k = 0; k < p; k++) {
        const bmf_message message = {.from = k, .to = (k + 1) % p, .bytes = bytes};
        add_round(actions, &message, 1);
    }
}

/* From processor 0 over a binomial tree; p is a power of two. */
static void add_broadcast(bmf_actions *actions, int64_t bytes)
{
    const int64_t p = actions->processors;
    bmf_message *message = bmf_allocate(p * (int64_t)sizeof *message);
    for (int64_t half = p / 2; half >= 1; half /= 2) {
        int64_t count = 0;
        for (int64_t from = 0; from < p; from += 2 * half)
            message[count++] = (bmf_message){.from = from, .to = from + half, .bytes = bytes};
        add_round(actions, message, count);
    }
    free(message);
}

/* Everybody to processor 0, and one after the other back. */
static void add_star(bmf_actions *actions, int64_t bytes)
{
    const int64_t p = actions->processors;
    bmf_message *message = bmf_allocate(p * (int64_t)sizeof *message);
    for (int64_t k = 1; k < p; k++)
        message[k - 1] = (bmf_message){.from = k, .to = 0, .bytes = bytes};
    add_round(actions, message, p - 1);
    for (int64_t k = 1; k < p; k++)
        message[k - 1] = (bmf_message){.from = 0, .to = k, .bytes = bytes};
    add_round(actions, message, p - 1);
    free(message);
}

static double run(const char *settings, int64_t processors, void (*add)(bmf_actions *, int64_t), int64_t bytes)
{
    bmf_machine *machine;
    bmf_network *network = make(&machine, settings, processors);
    bmf_actions *actions = bmf_actions_create(processors, NULL);
    add(actions, bytes);
    const double seconds = length_of(actions, network);
    bmf_actions_free(actions);
    unmake(machine, network);
    return seconds;
}

/* ---- fixed ---- */

static void fixed_times_are_those_of_the_basic_model(void **state)
{
    (void)state;
    static const char settings[] = "type = \"fixed\"; send_us = 2.0; send_us_per_byte = 0.5; transport_us = 30.0; "
                                   "receive_us = 3.0; receive_us_per_byte = 0.25;";
    const bmf_flying one = send_one(settings, 100, 0.0);
    assert_near(one.free, 52e-6);
    assert_near(one.done, 52e-6);
    assert_near(one.arrived, 82e-6);
    assert_near(one.taking, 28e-6);
    /* Round a ring nothing overlaps. */
    assert_near(run(settings, 5, add_ring, 100), 5 * 110e-6);
    /* All of the star's messages come at the same time, and processor 0 takes them one by one; then it sends one by
     * one, and the last one ends the run. */
    assert_near(run(settings, 4, add_star, 100), 82e-6 + 3 * 28e-6 + 3 * 52e-6 + 30e-6 + 28e-6);
}

/* ---- Hockney ---- */

#define HOCKNEY "type = \"hockney\"; latency_us = 10.0; bandwidth_mb_per_s = 1000.0; "

static void hockney_alone_and_in_crowds(void **state)
{
    (void)state;
    const bmf_flying one = send_one(HOCKNEY, 100000000, 0.0);
    assert_printed(one.arrived, "0.100010");
    assert_near(one.arrived, 0.10001);
    assert_true(one.free == 0.0);
    assert_near(one.done, 0.1);
    const bmf_flying paid = send_one(HOCKNEY "send_us = 3.0; receive_us = 4.0; ports = \"single\";", 1000, 0.0);
    assert_near(paid.free, 3e-6);
    assert_near(paid.arrived, 14e-6);
    assert_near(paid.taking, 4e-6);
}

/* Four senders to one receiver, and one sender to four. */
static void single_ports_serialise(void **state)
{
    (void)state;
    bmf_machine *machine;
    bmf_network *network = make(&machine, HOCKNEY "ports = \"single\";", 5);
    bmf_flying in[4], out[4];
    for (int k = 0; k < 4; k++) {
        in[k] = message_of(k + 1, 0, 100000000, 0.0);
        out[k] = message_of(0, k + 1, 100000000, 0.0);
    }
    start(network, 0, NULL);
    deliver(network, in, 4);
    start(network, 0, NULL);
    deliver(network, out, 4);
    assert_printed(in[3].arrived, "0.400010");
    for (int k = 0; k < 4; k++) {
        assert_near(in[k].arrived, 0.1 * (k + 1) + 1e-5);
        assert_near(in[k].done, 0.1);
        assert_near(out[k].arrived, 0.1 * (k + 1) + 1e-5);
        assert_near(out[k].done, 0.1 * (k + 1));
    }
    bmf_link_load *load;
    assert_int_equal(network->type->loads(network, &load), 10);
    assert_string_equal(load[0].from, "processor 0");
    assert_int_equal(load[0].messages, 4);
    assert_int_equal(load[0].bytes, 400000000);
    assert_near(load[0].busy, 0.4);
    assert_string_equal(load[6].to, "processor 1");
    assert_near(load[6].busy, 0.1);
    free(load);
    unmake(machine, network);
}

static void hockney_trees(void **state)
{
    (void)state;
    const double hop = 1e-5 + 8e-3;
    /* Printed for 5 ranks, whose tree has three levels as well. */
    assert_printed(run(HOCKNEY, 8, add_broadcast, 8000000), "0.024030");
    assert_near(run(HOCKNEY, 8, add_broadcast, 8000000), 3 * hop);
    assert_near(run(HOCKNEY "ports = \"single\";", 64, add_broadcast, 8000000), 6 * hop);
    assert_near(run(HOCKNEY "ports = \"single\";", 7, add_ring, 8000000), 7 * hop);
}

/* ---- ports ---- */

typedef struct head {
    double time;
    int64_t message;
} head;

static int compare_heads(const void *a, const void *b)
{
    const head *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time ? 1 : (x->message > y->message) - (x->message < y->message);
}

/* Arrivals by sorting: every sender's messages leave in turn, then all heads are sorted and taken by the receivers. */
static void reference_arrivals(const bmf_flying *message, int64_t count, int64_t processors, double latency, double gap,
                               double per_byte, double offset, double *arrived)
{
    double *port = bmf_allocate_clear(processors, sizeof *port);
    head *heads = bmf_allocate(count * (int64_t)sizeof *heads);
    for (int64_t k = 0; k < count; k++) {
        const double length = fmax((double)message[k].bytes - offset, 0.0) * per_byte;
        const double begin = fmax(message[k].free, port[message[k].from]);
        port[message[k].from] = begin + length + gap;
        heads[k] = (head){begin + latency, k};
    }
    qsort(heads, (size_t)count, sizeof *heads, compare_heads);
    for (int64_t p = 0; p < processors; p++)
        port[p] = 0.0;
    for (int64_t k = 0; k < count; k++) {
        const bmf_flying *m = &message[heads[k].message];
        const double length = fmax((double)m->bytes - offset, 0.0) * per_byte;
        const double begin = fmax(heads[k].time, port[m->to]);
        port[m->to] = begin + length + gap;
        arrived[heads[k].message] = begin + length;
    }
    free(port);
    free(heads);
}

/* In binary fractions of a second everything is exact, so that the times are equal to the bit. */
static void ports_agree_with_sorting(void **state)
{
    (void)state;
    enum { PROCESSORS = 6, MESSAGES = 60 };
    bmf_machine *machine;
    bmf_network *network =
        make(&machine,
             "type = \"loggp\"; latency_us = 2000000.0; overhead_us = 1000000.0; gap_us = 3000000.0; "
             "gap_us_per_byte = 500000.0;",
             PROCESSORS);
    uint64_t random = 7;
    for (int trial = 0; trial < 300; trial++) {
        bmf_flying message[MESSAGES];
        double arrived[MESSAGES], now = 0.0;
        int64_t complete = 0;
        for (int k = 0; k < MESSAGES; k++) {
            const int64_t from = test_below(&random, PROCESSORS), to = (from + 1 + test_below(&random, 5)) % PROCESSORS;
            now += (double)test_below(&random, 4);
            message[k] = message_of(from, to, test_below(&random, 20), now);
        }
        start(network, 0, &complete);
        deliver(network, message, MESSAGES);
        assert_int_equal(complete, MESSAGES);
        reference_arrivals(message, MESSAGES, PROCESSORS, 2.0, 3.0, 0.5, 1.0, arrived);
        for (int k = 0; k < MESSAGES; k++)
            assert_true(message[k].arrived == arrived[k]);
    }
    unmake(machine, network);
}

/* ---- LogGP ---- */

#define LOGGP "type = \"loggp\"; latency_us = 5.0; overhead_us = 2.0; gap_us = 1.0; gap_us_per_byte = 0.01; "

static void loggp_messages(void **state)
{
    (void)state;
    const bmf_flying eager = send_one(LOGGP, 1001, 0.0), empty = send_one(LOGGP, 0, 0.0);
    assert_near(eager.free, 2e-6);
    assert_near(eager.done, 12e-6);
    assert_near(eager.arrived, 17e-6);
    assert_near(eager.taking, 2e-6);
    assert_near(empty.arrived, 7e-6);
    const bmf_flying by_byte = send_one(LOGGP "overhead_us_per_byte = 0.003;", 1001, 0.0);
    assert_near(by_byte.free, 5e-6);
    assert_near(by_byte.arrived, 20e-6);
    assert_near(by_byte.taking, 5e-6);
    /* Ring: every hop is o + (k - 1) G + L + o. Broadcast: as many hops as levels. */
    assert_near(run(LOGGP, 9, add_ring, 1001), 9 * 19e-6);
    assert_near(run(LOGGP, 16, add_broadcast, 1001), 4 * 19e-6);
}

/* Two long messages from one sender: the second one's first byte follows the first one's last byte after g. */
static void loggp_gap_between_messages(void **state)
{
    (void)state;
    bmf_machine *machine;
    bmf_network *network = make(&machine, LOGGP, 3);
    bmf_flying two[2] = {message_of(0, 1, 1001, 0.0), message_of(0, 2, 501, 2e-6)};
    start(network, 0, NULL);
    deliver(network, two, 2);
    assert_near(two[1].free, 4e-6);
    assert_near(two[1].arrived, 2e-6 + 10e-6 + 1e-6 + 5e-6 + 5e-6);
    unmake(machine, network);
}

/* P = 8, L = 6, g = 4, o = 2: the root sends to four, the second and third processor to two and one more; all have it
 * at 24, and with fewer than 8 processors in the tree none earlier than the figure says. */
static void logp_optimal_broadcast(void **state)
{
    (void)state;
    static const struct {
        int64_t from, to;
        double known, there;
    } edges[] = {{0, 1, 0, 10},  {0, 2, 4, 14},  {0, 3, 8, 18}, {1, 5, 10, 20},
                 {0, 4, 12, 22}, {1, 6, 14, 24}, {2, 7, 14, 24}};
    bmf_machine *machine;
    bmf_network *network = make(
        &machine, "type = \"loggp\"; latency_us = 6.0; overhead_us = 2.0; gap_us = 4.0; gap_us_per_byte = 0.0;", 8);
    bmf_flying message[7];
    for (int k = 0; k < 7; k++)
        message[k] = message_of(edges[k].from, edges[k].to, 1, 1e-6 * edges[k].known);
    start(network, 0, NULL);
    deliver(network, message, 7);
    for (int k = 0; k < 7; k++)
        assert_near(message[k].arrived + message[k].taking, 1e-6 * edges[k].there);
    unmake(machine, network);
}

/* The request is there at o + L = 7 us. */
static void loggp_rendezvous(void **state)
{
    (void)state;
    static const char settings[] = LOGGP "eager_bytes = 1000;";
    const bmf_flying early = send_one(settings, 1001, 0.0), late = send_one(settings, 1001, 50e-6);
    const bmf_flying eager = send_one(settings, 1000, 50e-6);
    const double handshake = 2e-6 + 2e-6 + 5e-6 + 2e-6; /* the receiver's o and o, L, the sender's o */
    assert_near(early.free, 2e-6);
    assert_near(early.done, 7e-6 + handshake + 10e-6);
    assert_near(early.arrived, 7e-6 + handshake + 10e-6 + 5e-6);
    assert_near(late.free, 2e-6);
    assert_near(late.arrived, 50e-6 + handshake + 10e-6 + 5e-6);
    assert_near(late.taking, 2e-6);
    assert_near(eager.arrived, 2e-6 + 9.99e-6 + 5e-6);
}

/* The cases of the other simulator: 10 us latency and 1 GB/s, the receive posted at 1 ms. There a message above the
 * limit moves when both sides are ready, one below at once (or, with the limit at 0, the sender only does not wait). */
static void eager_and_rendezvous_as_replayed_elsewhere(void **state)
{
    (void)state;
    static const char meets[] = "type = \"loggp\"; latency_us = 0.0; overhead_us = 0.0; gap_us = 0.0; "
                                "gap_us_per_byte = 0.001; handshake_us = 10.0; eager_bytes = ";
    char settings[TEXT];
    bmf_machine *machine;
    snprintf(settings, sizeof settings, "%s0;", meets);
    assert_printed(send_one(settings, 60000, 1e-3).arrived, "0.001070");
    snprintf(settings, sizeof settings, "%s65536;", meets);
    assert_true(send_one(settings, 60000, 1e-3).arrived <= 1e-3); /* eager: it is there before the receive is */
    assert_printed(send_one(settings, 70000, 1e-3).arrived, "0.001080");
    /* As a program: processor 1 computes 1 ms before it receives, processor 0 computes 1 ms after it has sent. */
    bmf_network *network = make(&machine, settings, 2);
    bmf_actions *actions = bmf_actions_create(2, NULL);
    const bmf_message message = {.from = 0, .to = 1, .bytes = 70000};
    bmf_actions_compute(actions, 1, 0, 0, 1, 1e-3, 0.0, 0.0, 0);
    add_round(actions, &message, 1);
    bmf_actions_compute(actions, 0, 0, 0, 1, 1e-3, 0.0, 0.0, 0);
    assert_printed(length_of(actions, network), "0.002080");
    bmf_actions_free(actions);
    actions = bmf_actions_create(2, NULL);
    bmf_actions_compute(actions, 0, 0, 0, 1, 1.0, 0.0, 0.0, 0);
    assert_printed(length_of(actions, network), "1.000000");
    bmf_actions_free(actions);
    unmake(machine, network);
}

/* ---- clusters of clusters ---- */

#define BUS "type = \"dvm\"; levels = ( { kind = \"ethernet\"; start_us = 75.0; us_per_byte = 0.2; } );"

static void buses_add_up(void **state)
{
    (void)state;
    const double ts = 75e-6, tb = 0.2e-6;
    assert_near(send_one(BUS, 1000, 0.0).arrived, ts + 1000 * tb);
    /* Reduction: (Ts + Tb size)(n + n - 2), to one processor and back. */
    for (int64_t n = 2; n <= 33; n++)
        assert_near(run(BUS, n, add_star, 64), (ts + tb * 64) * (double)(n + n - 2));
    /* A transfer array: the sum over all pairs with data of Ts + L Tb. */
    enum { PROCESSORS = 7 };
    bmf_machine *machine;
    bmf_network *network = make(&machine, BUS, PROCESSORS);
    bmf_message message[PROCESSORS * PROCESSORS];
    int64_t count = 0;
    double sum = 0.0;
    for (int64_t from = 0; from < PROCESSORS; from++)
        for (int64_t to = 0; to < PROCESSORS; to++)
            if (from != to && (from + 2 * to) % 3 != 0) {
                message[count] = (bmf_message){.from = from, .to = to, .bytes = 100 * from + to};
                sum += ts + (double)message[count++].bytes * tb;
            }
    bmf_actions *actions = bmf_actions_create(PROCESSORS, NULL);
    add_round(actions, message, count);
    assert_near(length_of(actions, network), sum);
    assert_near(network->type->agreement(network, PROCESSORS), (ts + 8 * tb) * 12);
    bmf_link_load *load;
    assert_int_equal(network->type->loads(network, &load), 1);
    assert_int_equal(load->messages, count);
    assert_near(load->busy, sum);
    free(load);
    bmf_actions_free(actions);
    unmake(machine, network);
}

/* The document's T(s), s bytes in a portion. */
static double in_portions(int64_t way, int64_t bytes, int64_t s, double ts, double tb)
{
    const double k = (double)(bytes / s), e = (double)(bytes % s);
    return ((double)(way - 1) + k) * (ts + (double)s * tb) + (e > 0.0 ? ts + e * tb : 0.0);
}

/* All portion sizes are tried. */
static void transputers_find_the_best_portions(void **state)
{
    (void)state;
    static const double starts[] = {75.0, 1.0, 0.01, 0.0, 1000.0}, per_bytes[] = {0.2, 3.0, 0.0};
    static const int64_t sizes[] = {1, 2, 7, 64, 100, 1000, 2311};
    static const struct {
        int64_t to, way;
    } ways[] = {{1, 1}, {7, 1}, {8, 2}, {17, 5}, {34, 10}};
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 3; b++) {
            char settings[TEXT];
            bmf_machine *machine;
            const double ts = 1e-6 * starts[a], tb = 1e-6 * per_bytes[b];
            snprintf(settings, sizeof settings,
                     "type = \"dvm\"; levels = ( { kind = \"transputer\"; start_us = %.17g; us_per_byte = %.17g; "
                     "topology = [5, 7]; } );",
                     starts[a], per_bytes[b]);
            bmf_network *network = make(&machine, settings, 35);
            start(network, 0, NULL);
            for (int w = 0; w < 5; w++)
                for (int k = 0; k < 7; k++) {
                    bmf_flying one = message_of(0, ways[w].to, sizes[k], 0.0);
                    double best = INFINITY;
                    network->type->send(network, &one);
                    for (int64_t s = 1; s <= sizes[k]; s++)
                        best = fmin(best, in_portions(ways[w].way, sizes[k], s, ts, tb));
                    assert_near(one.arrived, best);
                }
            unmake(machine, network);
        }
}

/* Where the best portion size is a whole number that divides the message, the closed form of the minimum is met:
 * bytes 10000, D 5, Ts 4, Tb 0.01: s = sqrt(10000 * 4 / (4 * 0.01)) = 1000, T = (4 + 10)(4 + 10) = 196. */
static void transputers_at_a_round_optimum(void **state)
{
    (void)state;
    bmf_machine *machine;
    bmf_network *network =
        make(&machine,
             "type = \"dvm\"; levels = ( { kind = \"transputer\"; start_us = 4.0; us_per_byte = 0.01; "
             "topology = [6]; } );",
             6);
    bmf_flying one = message_of(5, 0, 10000, 1.0), none = message_of(5, 0, 0, 1.0);
    start(network, 0, NULL);
    network->type->send(network, &one);
    network->type->send(network, &none);
    assert_near(one.arrived, 1.0 + 196e-6);
    assert_near(none.arrived, 1.0 + 5 * 4e-6);
    /* Reduction: to the centre, 3 links from the corner, and back. */
    assert_near(network->type->agreement(network, 6), (4e-6 + 8 * 0.01e-6) * 6);
    unmake(machine, network);
}

/* Twice the way from the corner to the centre of the part of a 4 x 4 grid that the processors fill. */
static void transputers_agree_over_the_grid(void **state)
{
    (void)state;
    static const struct {
        int64_t processors;
        double messages;
    } cases[] = {{1, 0}, {2, 2}, {3, 2}, {4, 4}, {5, 6}, {8, 6}, {12, 6}, {13, 8}, {16, 8}};
    bmf_machine *machine;
    bmf_network *network =
        make(&machine,
             "type = \"dvm\"; levels = ( { kind = \"transputer\"; start_us = 75.0; us_per_byte = 0.2; "
             "topology = [4, 4]; } );",
             16);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        assert_near(network->type->agreement(network, cases[k].processors), cases[k].messages * 76.6e-6);
    unmake(machine, network);
}

/* Two levels: inside a node, between nodes; two channels between nodes. */
static void the_lowest_common_cluster_counts(void **state)
{
    (void)state;
    bmf_machine *machine;
    bmf_network *network = make(&machine,
                                "type = \"dvm\"; levels = ( { kind = \"myrinet\"; channels = 2; start_us = 7.0; "
                                "us_per_byte = 0.004; members = 4; }, "
                                "{ kind = \"ethernet\"; start_us = 1.0; us_per_byte = 0.001; members = 2; } );",
                                8);
    const double far = 7e-6 + 1000 * 0.004e-6, near = 1e-6 + 1000 * 0.001e-6;
    bmf_flying message[] = {message_of(0, 1, 1000, 0.0), message_of(1, 2, 1000, 0.0), message_of(2, 3, 1000, 0.0),
                            message_of(3, 7, 1000, 0.0), message_of(4, 0, 500, 0.0),  message_of(1, 0, 1000, 1e-7),
                            message_of(6, 1, 1000, 1e-6)};
    const double arrived[] = {near, far, near, far, far + 7e-6 + 500 * 0.004e-6, near + near, far + far};
    start(network, 0, NULL);
    deliver(network, message, 7);
    for (int k = 0; k < 7; k++)
        assert_near(message[k].arrived, arrived[k]);
    unmake(machine, network);
}

/* ---- sheets ---- */

static void write_sheet(const char *entries)
{
    FILE *file = fopen(sheet_path, "w");
    assert_non_null(file);
    fprintf(file,
            "format = \"bmf sheet 1\"; title = \"t\"; units = \"us\"; logarithm = \"natural\";\nentries = (\n%s);\n",
            entries);
    assert_int_equal(fclose(file), 0);
}

#define PAIR(name, c, k, more)                                                                                         \
    "{ operation = \"" name "\"; family = \"point-to-point\"; element_bytes = 8; d = [1, 1000]; c = " c                \
    "; size = \"d\"; k = " k "; " more "}"
#define EXACT_SHEET                                                                                                    \
    PAIR("isend1", "3.0", "0.01", "")                                                                                  \
    ", " PAIR("isend2", "1.0", "0.02", "") ", " PAIR("recv", "20.0", "0.5", "") ", " PAIR(                             \
        "recvmin", "5.0", "0.25", "") ", " PAIR("pingpong", "36.0", "1.0", "")
#define SHEET "type = \"sheet\"; sheet = \"unit_networks.sheet\"; "

/* Document 001: a receiver that starts with the sender needs recv, one that comes late recvmin, and one whose sender
 * comes later by D needs recv + D. */
static void sheets_follow_the_receive_rule(void **state)
{
    (void)state;
    bmf_machine *machine;
    write_sheet(EXACT_SHEET);
    const bmf_flying one = send_one(SHEET, 800, 0.0); /* 100 elements */
    assert_near(one.free, 4e-6);
    assert_near(one.done, 7e-6);
    assert_near(one.arrived + one.taking, 70e-6);
    assert_near(one.taking, 30e-6);
    assert_near(send_one(SHEET "arrival = \"pingpong\";", 800, 0.0).arrived, 68e-6 - 30e-6);
    bmf_network *network = make(&machine, SHEET, 2);
    static const struct {
        double sender, receiver, end; /* us */
    } cases[] = {{0, 0, 70}, {0, 500, 530}, {40, 0, 110}};
    for (int k = 0; k < 3; k++) {
        bmf_actions *actions = bmf_actions_create(2, NULL);
        const bmf_message message = {.from = 0, .to = 1, .bytes = 800};
        bmf_actions_compute(actions, 0, 0, 0, 1, 1e-6 * cases[k].sender, 0.0, 0.0, 0);
        bmf_actions_compute(actions, 1, 0, 0, 1, 1e-6 * cases[k].receiver, 0.0, 0.0, 0);
        add_round(actions, &message, 1);
        assert_near(length_of(actions, network), 1e-6 * cases[k].end);
        bmf_actions_free(actions);
    }
    /* Without an allreduce: 2 ceil(log2 5) messages of one element. */
    assert_near(network->type->agreement(network, 5), 6 * 20.5e-6);
    assert_null(network->type->remark(network, 0));
    bmf_flying large = message_of(0, 1, 8008, 0.0);
    start(network, 0, NULL);
    network->type->send(network, &large);
    assert_non_null(strstr(network->type->remark(network, 2), "8008 bytes: the sheet's entry 'recv' ends at 8000"));
    assert_null(network->type->remark(network, 4));
    unmake(machine, network);
}

static void sheets_with_congestion_and_agreement(void **state)
{
    (void)state;
    bmf_machine *machine;
    write_sheet(EXACT_SHEET ", { operation = \"allsend\"; family = \"collective\"; element_bytes = 8; p = [2, 64]; "
                            "d = [1, 1000]; c = 10.0; startup = \"p\"; s = 4.0; size = \"d\"; k = 0.5; }, "
                            "{ operation = \"allreduce\"; family = \"collective\"; element_bytes = 8; p = [2, 64]; "
                            "d = [1, 1000]; c = 100.0; startup = \"p\"; s = 6.0; size = \"d\"; k = 1.0; }");
    bmf_network *network = make(&machine, SHEET "congested = true;", 32);
    bmf_flying one = message_of(0, 1, 800, 0.0);
    start(network, 0, NULL);
    network->type->send(network, &one);
    assert_near(one.arrived + one.taking, 188e-6); /* 10 + 4 * 32 + 50, above recv's 70 */
    assert_near(network->type->agreement(network, 32), 293e-6);
    unmake(machine, network);
    network = make(&machine, SHEET "congested = true;", 2);
    one = message_of(0, 1, 800, 0.0);
    start(network, 0, NULL);
    network->type->send(network, &one);
    assert_near(one.arrived + one.taking, 70e-6); /* above allsend's 68 */
    unmake(machine, network);
}

/* recv = 20 + 0.5 d, recvmin = 5 + 0.25 d, d = 100: a message passes a port in min(50, 40) us of its 40 us, d = 20: in
 * 10 of 20 us, the rest is latency. */
static void sheets_with_single_ports(void **state)
{
    (void)state;
    bmf_machine *machine;
    write_sheet(EXACT_SHEET);
    for (int64_t elements = 20; elements <= 100; elements += 80) {
        const double length = elements == 20 ? 10e-6 : 40e-6, latency = elements == 20 ? 10e-6 : 0.0;
        bmf_network *network = make(&machine, SHEET "ports = \"single\";", 5);
        bmf_flying in[4], out[4];
        for (int k = 0; k < 4; k++) {
            in[k] = message_of(k + 1, 0, 8 * elements, 0.0);
            out[k] = message_of(0, k + 1, 8 * elements, 0.0);
        }
        start(network, 0, NULL);
        deliver(network, in, 4);
        start(network, 0, NULL);
        deliver(network, out, 4);
        for (int k = 0; k < 4; k++) {
            assert_near(in[k].arrived, latency + (k + 1) * length);
            assert_near(out[k].arrived, latency + (k + 1) * length);
            assert_near(in[k].taking, 5e-6 + 0.25e-6 * (double)elements);
            assert_near(out[k].done, fmax(4e-6 + 0.03e-6 * (double)elements, (k + 1) * length));
        }
        unmake(machine, network);
    }
}

/* recv = c + k d with standard errors 2 and 0.01, correlated by -0.5, and 3 % noise; nothing else is uncertain. */
#define UNSURE_SHEET                                                                                                   \
    PAIR("isend1", "3.0", "0.01", "")                                                                                  \
    ", " PAIR("isend2", "1.0", "0.02", "") ", " PAIR(                                                                  \
        "recv", "50.0", "0.5",                                                                                         \
        "covariance = [4.0, 0.0, -0.01, 0.0, 0.0, 0.0001]; noise = 0.03; freedom = 50.0; ") ", " PAIR("recvmin",       \
                                                                                                      "5.0", "0.25",   \
                                                                                                      "")

static double whole_of(bmf_network *network, int64_t bytes)
{
    bmf_flying one = message_of(0, 1, bytes, 0.0);
    network->type->send(network, &one);
    return one.arrived + one.taking;
}

/* Mean and variance of a time over the samples; with_noise: of the first message, otherwise of the mean of many. */
static void look_at_samples(bmf_network *network, int64_t bytes, int64_t messages, double *mean, double *variance)
{
    double sum = 0.0, squares = 0.0;
    for (int64_t sample = 1; sample <= SAMPLES; sample++) {
        double time = 0.0;
        start(network, sample, NULL);
        for (int64_t k = 0; k < messages; k++)
            time += whole_of(network, bytes) / (double)messages;
        sum += time;
        squares += time * time;
    }
    *mean = sum / SAMPLES;
    *variance = squares / SAMPLES - *mean * *mean;
}

static void samples_of_sheets_are_as_uncertain_as_the_sheet(void **state)
{
    (void)state;
    enum { MANY = 40 };
    bmf_machine *machine;
    double mean, variance;
    write_sheet(UNSURE_SHEET);
    bmf_network *network = make(&machine, SHEET, 2);
    const double expected = 100e-6, coefficients = 4.0 - 2.0 + 1.0, noise = 9.0; /* us^2, at 100 elements */
    start(network, 0, NULL);
    assert_near(whole_of(network, 800), expected);
    assert_near(whole_of(network, 800), expected);
    bmf_flying one = message_of(0, 1, 800, 0.0);
    network->type->send(network, &one);
    assert_near(one.spread, sqrt(coefficients + noise) / 100.0);
    /* The mean within 4 standard errors, the variance within 4 of its own: sqrt(2 / SAMPLES). Many messages of one
     * sample share the error of the equation and average over their noise. */
    look_at_samples(network, 800, 1, &mean, &variance);
    assert_true(fabs(mean - expected) < 4e-6 * sqrt((coefficients + noise) / SAMPLES));
    assert_true(fabs(variance / (1e-12 * (coefficients + noise)) - 1.0) < 4.0 * sqrt(2.0 / SAMPLES));
    look_at_samples(network, 800, MANY, &mean, &variance);
    assert_true(fabs(variance / (1e-12 * (coefficients + noise / MANY)) - 1.0) < 4.0 * sqrt(2.0 / SAMPLES));
    /* The same sample is the same again, another one is not. */
    start(network, 17, NULL);
    const double first = whole_of(network, 800), second = whole_of(network, 800);
    start(network, 18, NULL);
    assert_true(whole_of(network, 800) != first);
    start(network, 17, NULL);
    assert_true(whole_of(network, 800) == first);
    assert_true(whole_of(network, 800) == second);
    assert_true(first != second);
    unmake(machine, network);
}

/* Times of a message keep their order whatever a sample draws: errors that are larger than the times themselves. */
static void samples_stay_possible(void **state)
{
    (void)state;
    bmf_machine *machine;
    write_sheet(PAIR("send", "3.0", "0.01", "errors = [9.0, 0.0, 1.0]; noise = 0.9; ") ", " PAIR(
        "recv", "20.0", "0.5",
        "errors = [60.0, 0.0, 2.0]; noise = 0.9; ") ", " PAIR("recvmin", "5.0", "0.25",
                                                              "errors = [9.0, 0.0, 1.0]; noise = 2.0; "));
    bmf_network *network = make(&machine, SHEET, 2);
    for (int64_t sample = 0; sample < 500; sample++) {
        bmf_flying one = message_of(0, 1, 8 * (sample % 100), 1.0);
        start(network, sample, NULL);
        network->type->send(network, &one);
        assert_true(one.free >= one.sent && one.arrived >= one.sent && one.taking >= 0.0);
        assert_true(one.done >= one.free);
    }
    unmake(machine, network);
}

/* ---- all types ---- */

/* The same calls give the same bits, also after a run that was left in the middle. */
static void runs_repeat_themselves(void **state)
{
    (void)state;
    static const char *const settings[] = {"type = \"fixed\"; transport_us = 3.0;",
                                           HOCKNEY,
                                           HOCKNEY "ports = \"single\";",
                                           LOGGP,
                                           LOGGP "eager_bytes = 100;",
                                           BUS,
                                           SHEET,
                                           SHEET "ports = \"single\";"};
    enum { MESSAGES = 200, PROCESSORS = 9 };
    write_sheet(UNSURE_SHEET);
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++) {
        bmf_machine *machine;
        bmf_network *network = make(&machine, settings[s], PROCESSORS);
        double before[MESSAGES];
        for (int again = 0; again < 2; again++) {
            bmf_flying message[MESSAGES];
            uint64_t random = 11;
            double now = 0.0;
            int64_t complete = 0;
            start(network, 5, &complete);
            for (int k = 0; k < MESSAGES; k++) {
                const int64_t from = test_below(&random, PROCESSORS);
                now += 1e-6 * test_unit(&random);
                message[k] = message_of(from, (from + 1 + test_below(&random, PROCESSORS - 1)) % PROCESSORS,
                                        test_below(&random, 300), now);
                message[k].posted = network->type->post ? 0.0 : INFINITY;
            }
            deliver(network, message, MESSAGES);
            assert_int_equal(complete, MESSAGES);
            for (int k = 0; k < MESSAGES; k++) {
                assert_true(again == 0 || message[k].arrived == before[k]);
                assert_true(message[k].arrived >= message[k].sent);
                before[k] = message[k].arrived;
            }
            start(network, 0, &complete);
            bmf_flying left = message_of(0, 1, 50, 0.0);
            left.posted = 0.0;
            network->type->send(network, &left);
        }
        unmake(machine, network);
    }
}

static int remove_sheet(void **state)
{
    (void)state;
    return access(sheet_path, F_OK) == 0 ? unlink(sheet_path) : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_times_are_those_of_the_basic_model),
        cmocka_unit_test(hockney_alone_and_in_crowds),
        cmocka_unit_test(single_ports_serialise),
        cmocka_unit_test(hockney_trees),
        cmocka_unit_test(ports_agree_with_sorting),
        cmocka_unit_test(loggp_messages),
        cmocka_unit_test(loggp_gap_between_messages),
        cmocka_unit_test(logp_optimal_broadcast),
        cmocka_unit_test(loggp_rendezvous),
        cmocka_unit_test(eager_and_rendezvous_as_replayed_elsewhere),
        cmocka_unit_test(buses_add_up),
        cmocka_unit_test(transputers_find_the_best_portions),
        cmocka_unit_test(transputers_at_a_round_optimum),
        cmocka_unit_test(transputers_agree_over_the_grid),
        cmocka_unit_test(the_lowest_common_cluster_counts),
        cmocka_unit_test(sheets_follow_the_receive_rule),
        cmocka_unit_test(sheets_with_congestion_and_agreement),
        cmocka_unit_test(sheets_with_single_ports),
        cmocka_unit_test(samples_of_sheets_are_as_uncertain_as_the_sheet),
        cmocka_unit_test(samples_stay_possible),
        cmocka_unit_test(runs_repeat_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, remove_sheet);
}
