/* Clusters of clusters against the formulas of document 002, all portion sizes tried; data sheets against the receive
 * rule of document 001, and the spread of their samples against covariance and noise.
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

#include "ctest/support/networks.h"

enum { SAMPLES = 2000 };

static const char *sheet_path = "unit_network_dvm_sheet.sheet";

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
    bmf_actions *actions = actions_create(PROCESSORS, NULL);
    add_round(actions, message, count);
    assert_near(length_of(actions, network), sum);
    assert_near(network->type->agreement(network, PROCESSORS), (ts + 8 * tb) * 12);
    bmf_link_load *load;
    assert_int_equal(network->type->loads(network, &load), 1);
    assert_int_equal(load->messages, count);
    assert_near(load->busy, sum);
    free(load);
    actions_free(actions);
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
                    bmf_transit one = message_of(0, ways[w].to, sizes[k], 0.0);
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
    bmf_transit one = message_of(5, 0, 10000, 1.0), none = message_of(5, 0, 0, 1.0);
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
    bmf_transit message[] = {message_of(0, 1, 1000, 0.0), message_of(1, 2, 1000, 0.0), message_of(2, 3, 1000, 0.0),
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

#define EXACT_SHEET                                                                                                    \
    PAIR("isend1", "3.0", "0.01", "")                                                                                  \
    ", " PAIR("isend2", "1.0", "0.02", "") ", " PAIR("recv", "20.0", "0.5", "") ", " PAIR(                             \
        "recvmin", "5.0", "0.25", "") ", " PAIR("pingpong", "36.0", "1.0", "")
#define SHEET "type = \"sheet\"; sheet = \"unit_network_dvm_sheet.sheet\"; "

/* Document 001: a receiver that starts with the sender needs recv, one that comes late recvmin, and one whose sender
 * comes later by D needs recv + D. */
static void sheets_follow_the_receive_rule(void **state)
{
    (void)state;
    bmf_machine *machine;
    write_sheet(sheet_path, EXACT_SHEET);
    const bmf_transit one = send_one(SHEET, 800, 0.0); /* 100 elements */
    assert_near(one.sender_free, 4e-6);
    assert_near(one.send_done, 7e-6);
    assert_near(one.arrived + one.receive_overhead, 70e-6);
    assert_near(one.receive_overhead, 30e-6);
    assert_near(send_one(SHEET "arrival = \"pingpong\";", 800, 0.0).arrived, 68e-6 - 30e-6);
    bmf_network *network = make(&machine, SHEET, 2);
    static const struct {
        double sender, receiver, end; /* us */
    } cases[] = {{0, 0, 70}, {0, 500, 530}, {40, 0, 110}};
    for (int k = 0; k < 3; k++) {
        bmf_actions *actions = actions_create(2, NULL);
        const bmf_message message = {.from = 0, .to = 1, .bytes = 800};
        actions_compute(actions, 0, 0, 0, 1, 1e-6 * cases[k].sender, 0.0, 0.0, 0);
        actions_compute(actions, 1, 0, 0, 1, 1e-6 * cases[k].receiver, 0.0, 0.0, 0);
        add_round(actions, &message, 1);
        assert_near(length_of(actions, network), 1e-6 * cases[k].end);
        actions_free(actions);
    }
    /* Without an allreduce: 2 ceil(log2 5) messages of one element. */
    assert_near(network->type->agreement(network, 5), 6 * 20.5e-6);
    assert_null(network->type->remark(network, 0));
    bmf_transit large = message_of(0, 1, 8008, 0.0);
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
    write_sheet(sheet_path,
                EXACT_SHEET ", { operation = \"allsend\"; family = \"collective\"; element_bytes = 8; p = [2, 64]; "
                            "d = [1, 1000]; c = 10.0; startup = \"p\"; s = 4.0; size = \"d\"; k = 0.5; }, "
                            "{ operation = \"allreduce\"; family = \"collective\"; element_bytes = 8; p = [2, 64]; "
                            "d = [1, 1000]; c = 100.0; startup = \"p\"; s = 6.0; size = \"d\"; k = 1.0; }");
    bmf_network *network = make(&machine, SHEET "congested = true;", 32);
    bmf_transit one = message_of(0, 1, 800, 0.0);
    start(network, 0, NULL);
    network->type->send(network, &one);
    assert_near(one.arrived + one.receive_overhead, 188e-6); /* 10 + 4 * 32 + 50, above recv's 70 */
    assert_near(network->type->agreement(network, 32), 293e-6);
    unmake(machine, network);
    network = make(&machine, SHEET "congested = true;", 2);
    one = message_of(0, 1, 800, 0.0);
    start(network, 0, NULL);
    network->type->send(network, &one);
    assert_near(one.arrived + one.receive_overhead, 70e-6); /* above allsend's 68 */
    unmake(machine, network);
}

/* recv = 20 + 0.5 d, recvmin = 5 + 0.25 d. d = 100: a message passes a port in 50 us, and is there after 40, when the
 * receiver begins with its 30; d = 20: it passes in 10 of 20 us, the rest is latency. */
static void sheets_with_single_ports(void **state)
{
    (void)state;
    bmf_machine *machine;
    write_sheet(sheet_path, EXACT_SHEET);
    for (int64_t elements = 20; elements <= 100; elements += 80) {
        const double length = elements == 20 ? 10e-6 : 50e-6, latency = elements == 20 ? 10e-6 : -10e-6;
        bmf_network *network = make(&machine, SHEET "ports = \"single\";", 5);
        bmf_transit in[4], out[4];
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
            assert_near(in[k].receive_overhead, 5e-6 + 0.25e-6 * (double)elements);
            assert_near(out[k].send_done, fmax(4e-6 + 0.03e-6 * (double)elements, (k + 1) * length));
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
    bmf_transit one = message_of(0, 1, bytes, 0.0);
    network->type->send(network, &one);
    return one.arrived + one.receive_overhead;
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
    write_sheet(sheet_path, UNSURE_SHEET);
    bmf_network *network = make(&machine, SHEET, 2);
    const double expected = 100e-6, coefficients = 4.0 - 2.0 + 1.0, noise = 9.0; /* us^2, at 100 elements */
    start(network, 0, NULL);
    assert_near(whole_of(network, 800), expected);
    assert_near(whole_of(network, 800), expected);
    bmf_transit one = message_of(0, 1, 800, 0.0);
    network->type->send(network, &one);
    assert_near(one.relative_error, sqrt(coefficients + noise) / 100.0);
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
    write_sheet(sheet_path,
                PAIR("send", "3.0", "0.01", "errors = [9.0, 0.0, 1.0]; noise = 0.9; ") ", " PAIR(
                    "recv", "20.0", "0.5",
                    "errors = [60.0, 0.0, 2.0]; noise = 0.9; ") ", " PAIR("recvmin", "5.0", "0.25",
                                                                          "errors = [9.0, 0.0, 1.0]; noise = 2.0; "));
    bmf_network *network = make(&machine, SHEET, 2);
    for (int64_t sample = 0; sample < 500; sample++) {
        bmf_transit one = message_of(0, 1, 8 * (sample % 100), 1.0);
        start(network, sample, NULL);
        network->type->send(network, &one);
        assert_true(one.sender_free >= one.sent && one.arrived >= one.sent && one.receive_overhead >= 0.0);
        assert_true(one.send_done >= one.sender_free);
    }
    unmake(machine, network);
}

/* ---- all of them ---- */

/* The same calls give the same bits, also after a run that was left in the middle. */
static void runs_repeat_themselves(void **state)
{
    (void)state;
    static const char *const settings[] = {BUS, SHEET, SHEET "ports = \"single\";"};
    write_sheet(sheet_path, UNSURE_SHEET);
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++)
        check_repetition(settings[s]);
}

static int remove_sheet(void **state)
{
    (void)state;
    return access(sheet_path, F_OK) == 0 ? unlink(sheet_path) : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
