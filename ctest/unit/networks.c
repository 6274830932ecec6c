/* The simple networks against closed forms: single messages, several to one receiver, eager messages and rendezvous,
 * rings and broadcasts; and ports against a reference that sorts instead of simulating.
 *
 * Sources: the table of replays by another simulator (half-duplex cases apart, which need links: network_graph.c),
 * and the optimal broadcast of R. Karp, A. Sahay, E. Santos, K. Schauser, "Optimal broadcast and summation in the LogP
 * model", SPAA 1993, figure 1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/networks.h"

/* ---- fixed ---- */

static void fixed_times_are_those_of_the_basic_model(void **state)
{
    (void)state;
    static const char settings[] = "type = \"fixed\"; send_us = 2.0; send_us_per_byte = 0.5; transport_us = 30.0; "
                                   "receive_us = 3.0; receive_us_per_byte = 0.25;";
    const bmf_transit one = send_one(settings, 100, 0.0);
    assert_near(one.sender_free, 52e-6);
    assert_near(one.send_done, 52e-6);
    assert_near(one.arrived, 82e-6);
    assert_near(one.receive_overhead, 28e-6);
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
    const bmf_transit one = send_one(HOCKNEY, 100000000, 0.0);
    assert_printed(one.arrived, "0.100010");
    assert_near(one.arrived, 0.10001);
    assert_true(one.sender_free == 0.0);
    assert_near(one.send_done, 0.1);
    const bmf_transit paid = send_one(HOCKNEY "send_us = 3.0; receive_us = 4.0; ports = \"single\";", 1000, 0.0);
    assert_near(paid.sender_free, 3e-6);
    assert_near(paid.arrived, 14e-6);
    assert_near(paid.receive_overhead, 4e-6);
}

/* Four senders to one receiver, and one sender to four. */
static void single_ports_serialise(void **state)
{
    (void)state;
    bmf_machine *machine;
    bmf_network *network = make(&machine, HOCKNEY "ports = \"single\";", 5);
    bmf_transit in[4], out[4];
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
        assert_near(in[k].send_done, 0.1);
        assert_near(out[k].arrived, 0.1 * (k + 1) + 1e-5);
        assert_near(out[k].send_done, 0.1 * (k + 1));
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
static void reference_arrivals(const bmf_transit *message, int64_t count, int64_t processors, double latency,
                               double gap, double per_byte, double offset, double *arrived)
{
    double *port = allocate_clear(processors, sizeof *port);
    head *heads = allocate(count * (int64_t)sizeof *heads);
    for (int64_t k = 0; k < count; k++) {
        const double length = fmax((double)message[k].bytes - offset, 0.0) * per_byte;
        const double begin = fmax(message[k].sender_free, port[message[k].from]);
        port[message[k].from] = begin + length + gap;
        heads[k] = (head){begin + latency, k};
    }
    qsort(heads, (size_t)count, sizeof *heads, compare_heads);
    for (int64_t p = 0; p < processors; p++)
        port[p] = 0.0;
    for (int64_t k = 0; k < count; k++) {
        const bmf_transit *m = &message[heads[k].message];
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
        bmf_transit message[MESSAGES];
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
    const bmf_transit eager = send_one(LOGGP, 1001, 0.0), empty = send_one(LOGGP, 0, 0.0);
    assert_near(eager.sender_free, 2e-6);
    assert_near(eager.send_done, 12e-6);
    assert_near(eager.arrived, 17e-6);
    assert_near(eager.receive_overhead, 2e-6);
    assert_near(empty.arrived, 7e-6);
    const bmf_transit by_byte = send_one(LOGGP "overhead_us_per_byte = 0.003;", 1001, 0.0);
    assert_near(by_byte.sender_free, 5e-6);
    assert_near(by_byte.arrived, 20e-6);
    assert_near(by_byte.receive_overhead, 5e-6);
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
    bmf_transit two[2] = {message_of(0, 1, 1001, 0.0), message_of(0, 2, 501, 2e-6)};
    start(network, 0, NULL);
    deliver(network, two, 2);
    assert_near(two[1].sender_free, 4e-6);
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
    bmf_transit message[7];
    for (int k = 0; k < 7; k++)
        message[k] = message_of(edges[k].from, edges[k].to, 1, 1e-6 * edges[k].known);
    start(network, 0, NULL);
    deliver(network, message, 7);
    for (int k = 0; k < 7; k++)
        assert_near(message[k].arrived + message[k].receive_overhead, 1e-6 * edges[k].there);
    unmake(machine, network);
}

/* The request is there at o + L = 7 us. */
static void loggp_rendezvous(void **state)
{
    (void)state;
    static const char settings[] = LOGGP "eager_bytes = 1000;";
    const bmf_transit early = send_one(settings, 1001, 0.0), late = send_one(settings, 1001, 50e-6);
    const bmf_transit eager = send_one(settings, 1000, 50e-6);
    const double handshake = 2e-6 + 2e-6 + 5e-6 + 2e-6; /* the receiver's o and o, L, the sender's o */
    assert_near(early.sender_free, 2e-6);
    assert_near(early.send_done, 7e-6 + handshake + 10e-6);
    assert_near(early.arrived, 7e-6 + handshake + 10e-6 + 5e-6);
    assert_near(late.sender_free, 2e-6);
    assert_near(late.arrived, 50e-6 + handshake + 10e-6 + 5e-6);
    assert_near(late.receive_overhead, 2e-6);
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
    bmf_actions *actions = actions_create(2, NULL);
    const bmf_message message = {.from = 0, .to = 1, .bytes = 70000};
    actions_compute(actions, 1, 0, 0, 1, 1e-3, 0.0, 0.0, 0);
    add_round(actions, &message, 1);
    actions_compute(actions, 0, 0, 0, 1, 1e-3, 0.0, 0.0, 0);
    assert_printed(length_of(actions, network), "0.002080");
    actions_free(actions);
    actions = actions_create(2, NULL);
    actions_compute(actions, 0, 0, 0, 1, 1.0, 0.0, 0.0, 0);
    assert_printed(length_of(actions, network), "1.000000");
    actions_free(actions);
    unmake(machine, network);
}

/* ---- all of them ---- */

static void runs_repeat_themselves(void **state)
{
    (void)state;
    static const char *const settings[] = {"type = \"fixed\"; transport_us = 3.0;", HOCKNEY,
                                           HOCKNEY "ports = \"single\";", LOGGP, LOGGP "eager_bytes = 100;"};
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++)
        check_repetition(settings[s]);
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
        cmocka_unit_test(runs_repeat_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
