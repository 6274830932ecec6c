/* Links of hosts in a measured sheet, against closed forms: several messages from one host, to one, around a ring, with
 * a slow way out and a slow way in, with directions that disturb each other; and ports with a burst against a bucket of
 * tokens that is filled and emptied. */
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
#include "predict/network/burst.h"
#include "predict/network/ports.h"

static const char *sheet_path = "unit_network_ports.sheet";

#define LINK(name, p, c, k)                                                                                            \
    ", { operation = \"" name "\"; family = \"links\"; element_bytes = 8; p = " p "; d = [1, 1000]; c = " c            \
    "; size = \"d\"; k = " k "; }"
/* Alone a message of d elements takes 30 + d; 5 of that once it is there. */
#define SINGLE                                                                                                         \
    PAIR("isend1", "1.0", "0.0", "")                                                                                   \
    ", " PAIR("isend2", "0.0", "0.0", "") ", " PAIR("recv", "30.0", "1.0", "") ", " PAIR("recvmin", "5.0", "0.0", "")
#define SHEET "type = \"sheet\"; sheet = \"unit_network_ports.sheet\"; ports = \"single\"; "

static const double taking = 5e-6;

/* Microseconds that a message of d elements takes alone until it is there. */
static double alone(double d)
{
    return (25.0 + d) * 1e-6;
}

/* ---- one host and several ---- */

/* gapout = 2 + d, gapin = 3 + 1.5 d: the k-th message of 100 elements comes 102 behind the one before where one host
 * sends all, and 153 where one receives all. */
static void messages_share_the_link_of_their_host(void **state)
{
    (void)state;
    enum { OTHERS = 4, ELEMENTS = 100 };
    bmf_machine *machine;
    write_sheet(sheet_path, SINGLE LINK("gapout", "[2, 8]", "2.0", "1.0") LINK("gapin", "[3, 8]", "3.0", "1.5"));
    bmf_network *network = make(&machine, SHEET, OTHERS + 1);
    bmf_transit in[OTHERS], out[OTHERS];
    for (int k = 0; k < OTHERS; k++) {
        in[k] = message_of(k + 1, 0, 8 * ELEMENTS, 0.0);
        out[k] = message_of(0, k + 1, 8 * ELEMENTS, 0.0);
    }
    start(network, 0, NULL);
    deliver(network, in, OTHERS);
    start(network, 0, NULL);
    deliver(network, out, OTHERS);
    for (int k = 0; k < OTHERS; k++) {
        assert_near(in[k].arrived, alone(ELEMENTS) + k * 153e-6);
        assert_near(out[k].arrived, alone(ELEMENTS) + k * 102e-6);
        assert_near(out[k].send_done, (k + 1) * 102e-6);
        assert_near(in[k].receive_overhead, taking);
    }
    unmake(machine, network);
}

/* gapout = d, gapin = 0.4 d. Two hosts send 100 elements to one at once, and a third one to it and another: what goes
 * in takes turns only when it is there. */
static void the_slower_of_two_ports_decides(void **state)
{
    (void)state;
    bmf_machine *machine;
    write_sheet(sheet_path, SINGLE LINK("gapout", "[2, 8]", "0.0", "1.0") LINK("gapin", "[3, 8]", "0.0", "0.4"));
    bmf_network *network = make(&machine, SHEET, 6);
    bmf_transit message[] = {message_of(1, 0, 800, 0.0), message_of(2, 0, 800, 0.0), message_of(3, 0, 800, 0.0),
                             message_of(3, 4, 800, 0.0), message_of(5, 0, 800, 0.0)};
    start(network, 0, NULL);
    deliver(network, message, 5);
    /* In: 40, 80, 120, 160 behind the latency of 25; out of one host: 100 and 200. */
    const double arrived[] = {125e-6, 125e-6, 145e-6, 225e-6, 185e-6};
    for (int k = 0; k < 5; k++)
        assert_near(message[k].arrived, arrived[k]);
    unmake(machine, network);
    write_sheet(sheet_path, SINGLE LINK("gapout", "[2, 8]", "0.0", "0.4") LINK("gapin", "[3, 8]", "0.0", "1.0"));
    network = make(&machine, SHEET, 6);
    bmf_transit other[] = {message_of(0, 1, 800, 0.0), message_of(0, 2, 800, 0.0), message_of(3, 1, 800, 0.0)};
    start(network, 0, NULL);
    deliver(network, other, 3);
    assert_near(other[0].arrived, 125e-6);
    assert_near(other[1].arrived, 165e-6);
    assert_near(other[2].arrived, 225e-6);
    unmake(machine, network);
}

/* ---- steps ---- */

static void add_steps(bmf_actions *actions, int64_t steps, bool both_ways, int64_t bytes)
{
    const int64_t p = actions->processors;
    bmf_message *message = allocate(2 * p * (int64_t)sizeof *message);
    for (int64_t step = 0; step < steps; step++) {
        int64_t count = 0;
        for (int64_t k = 0; k < p; k++) {
            message[count++] = (bmf_message){.from = k, .to = (k + 1) % p, .bytes = bytes};
            if (both_ways)
                message[count++] = (bmf_message){.from = k, .to = (k + p - 1) % p, .bytes = bytes};
        }
        add_round(actions, message, count);
    }
    free(message);
}

static double seconds_of_steps(const char *entries, int64_t processors, int64_t steps, bool both_ways, int64_t bytes)
{
    bmf_machine *machine;
    write_sheet(sheet_path, entries);
    bmf_network *network = make(&machine, SHEET, processors);
    bmf_actions *actions = actions_create(processors, NULL);
    add_steps(actions, steps, both_ways, bytes);
    const double seconds = length_of(actions, network);
    actions_free(actions);
    unmake(machine, network);
    return seconds;
}

/* What a step of a ring takes once there have been some. */
static double step_of_ring(const char *entries, int64_t processors, bool both_ways, int64_t bytes)
{
    enum { FIRST = 20, LAST = 70 };
    return (seconds_of_steps(entries, processors, LAST, both_ways, bytes) -
            seconds_of_steps(entries, processors, FIRST, both_ways, bytes)) /
           (LAST - FIRST);
}

/* In a step of a ring everybody tells one neighbour, or both. One message: it is there, and taken, after 30 + d, but
 * none leaves before the link has passed the one before. Two: the second leaves behind the first. */
static void rings_go_at_the_pace_of_their_links(void **state)
{
    (void)state;
    const char *links[] = {SINGLE LINK("gapout", "[2, 8]", "10.0", "1.0"),
                           SINGLE LINK("gapout", "[2, 8]", "40.0", "0.5")};
    const double c[] = {10.0, 40.0}, k[] = {1.0, 0.5};
    for (int l = 0; l < 2; l++)
        for (int64_t d = 5; d <= 320; d *= 4) {
            const double link = c[l] + k[l] * (double)d, single = 30.0 + (double)d;
            assert_near(1e6 * step_of_ring(links[l], 5, false, 8 * d), fmax(link, single));
            assert_near(1e6 * step_of_ring(links[l], 5, true, 8 * d), fmax(2.0 * link, link + single));
        }
}

/* Two hosts that send to each other all the time, with g = 100 for each message of one direction: as fast, or slower,
 * up to half as fast where both directions share one link. */
static void directions_may_disturb_each_other(void **state)
{
    (void)state;
    enum { EACH = 100 };
    const char *links[] = {
        SINGLE LINK("gapout", "[2, 8]", "0.0", "1.0") LINK("gapring", "[2, 8]", "0.0", "1.0"),
        SINGLE LINK("gapout", "[2, 8]", "0.0", "1.0") LINK("gapring", "[2, 8]", "0.0", "1.5"),
        SINGLE LINK("gapout", "[2, 8]", "0.0", "1.0") LINK("gapring", "[2, 8]", "0.0", "2.0"),
    };
    const double gap[] = {100e-6, 150e-6, 200e-6};
    for (int l = 0; l < 3; l++) {
        bmf_machine *machine;
        bmf_transit message[2 * EACH];
        double last = 0.0;
        write_sheet(sheet_path, links[l]);
        bmf_network *network = make(&machine, SHEET, 2);
        for (int k = 0; k < 2 * EACH; k++)
            message[k] = message_of(k % 2, 1 - k % 2, 800, 0.0);
        start(network, 0, NULL);
        deliver(network, message, 2 * EACH);
        for (int k = 0; k < 2 * EACH; k++)
            last = fmax(last, message[k].arrived);
        if (!(last >= EACH * gap[l] * (1.0 - 1e-9) && last <= EACH * gap[l] + 2.0 * alone(100)))
            fail_msg("%g us, expected %g", 1e6 * last, 1e6 * EACH * gap[l]);
        unmake(machine, network);
    }
}

/* ---- bursts ---- */

/* A bucket holds at most `burst` tokens and gets one a second; a message of length l takes l of them, as they come,
 * when all before have theirs. Returns when it has them. */
typedef struct bucket {
    double burst, tokens, last;
} bucket;

static double take(bucket *b, double there, double length)
{
    const double begin = fmax(there, b->last);
    b->tokens = fmin(b->burst, b->tokens + begin - b->last);
    const double wait = fmax(length - b->tokens, 0.0);
    b->tokens += wait - length;
    b->last = begin + wait;
    return b->last;
}

static void bursts_are_those_of_token_buckets(void **state)
{
    (void)state;
    enum { MESSAGES = 300 };
    uint64_t random = 5;
    for (int trial = 0; trial < 50; trial++) {
        bmf_ports ports = {.burst = trial % 5 == 0 ? 0.0 : 3.0 * random_unit(&random)};
        bmf_transit message[MESSAGES];
        bucket out = {ports.burst, ports.burst, 0.0}, in = out;
        double now = 0.0, passed[MESSAGES], arrived[MESSAGES];
        ports_start(&ports, 2);
        for (int k = 0; k < MESSAGES; k++) {
            const double length = 2.0 * random_unit(&random);
            now += random_unit(&random) < 0.1 ? 10.0 * random_unit(&random) : random_unit(&random);
            message[k] = message_of(0, 1, 1, now);
            while (ports_next(&ports) <= now)
                ports_advance(&ports);
            message[k].send_done =
                ports_leave(&ports, &message[k], now, (bmf_passage){.out = length, .in = length, .latency = 1.0});
            passed[k] = take(&out, now, length);
            /* Its head leaves when what the bucket had not got in advance of it begins to pass. */
            arrived[k] = take(&in, passed[k] - fmax(length - ports.burst, 0.0) + 1.0, length);
        }
        while (isfinite(ports_next(&ports)))
            ports_advance(&ports);
        for (int k = 0; k < MESSAGES; k++) {
            assert_true(fabs(message[k].send_done - passed[k]) < 1e-9);
            assert_true(fabs(message[k].arrived - arrived[k]) < 1e-9);
        }
        ports_free(&ports);
    }
}

/* Messages alone take 25 + max(g - burst, 0) where each of many takes g = 2 + 0.5 d. */
static void bursts_are_found_from_single_messages(void **state)
{
    (void)state;
    enum { SIZES = 18 };
    uint64_t random = 3;
    for (double burst = 0.0; burst < 3000.0; burst = burst * 2.0 + 20.0)
        for (int noise = 0; noise < 2; noise++) {
            double single[SIZES], following[SIZES];
            for (int k = 0; k < SIZES; k++) {
                following[k] = 2.0 + 0.5 * ldexp(1.0, k);
                single[k] =
                    (25.0 + fmax(following[k] - burst, 0.0)) * (1.0 + noise * 0.04 * (random_unit(&random) - 0.5));
            }
            const double found = burst_of(SIZES, single, following);
            if (fabs(found - burst) > 0.05 * burst + (noise ? 3.0 : 0.0))
                fail_msg("%g found, %g there", found, burst);
        }
    assert_true(burst_of(0, NULL, NULL) == 0.0);
}

/* recv = 20 + max(g - 40, 0) with g = d, in two ranges: a step of three messages of 30 elements finds 40 us of them
 * done. */
static void networks_of_sheets_have_the_burst_of_their_links(void **state)
{
    (void)state;
#define RANGE(low, high, c, k)                                                                                         \
    "{ operation = \"recv\"; family = \"point-to-point\"; element_bytes = 8; d = [" low ", " high "]; c = " c          \
    "; size = \"d\"; k = " k "; }"
    bmf_machine *machine;
    write_sheet(sheet_path, PAIR("isend1", "0.0", "0.0", "") ", " PAIR("isend2", "0.0", "0.0", "") ", " RANGE(
                                "1", "39", "20.0", "0.0") ", " RANGE("40", "100000", "-20.0",
                                                                     "1.0") ", " PAIR("recvmin", "0.0", "0.0", "")
                                LINK("gapout", "[2, 2]", "0.0", "1.0"));
    bmf_network *network = make(&machine, SHEET, 4);
    bmf_transit message[4];
    for (int k = 0; k < 3; k++)
        message[k] = message_of(0, k + 1, 240, 0.0);
    message[3] = message_of(0, 1, 240, 1.0); /* after a pause */
    start(network, 0, NULL);
    deliver(network, message, 4);
    const double arrived[] = {20e-6, 40e-6, 70e-6, 1.0 + 20e-6};
    for (int k = 0; k < 4; k++) /* bursts are tried in steps of 2^(1/16), which 40 is between */
        assert_true(fabs(message[k].arrived - arrived[k]) < 1.1e-6);
    unmake(machine, network);
}

static int remove_sheet(void **state)
{
    (void)state;
    return access(sheet_path, F_OK) == 0 ? unlink(sheet_path) : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_share_the_link_of_their_host),
        cmocka_unit_test(the_slower_of_two_ports_decides),
        cmocka_unit_test(rings_go_at_the_pace_of_their_links),
        cmocka_unit_test(directions_may_disturb_each_other),
        cmocka_unit_test(bursts_are_those_of_token_buckets),
        cmocka_unit_test(bursts_are_found_from_single_messages),
        cmocka_unit_test(networks_of_sheets_have_the_burst_of_their_links),
    };
    return cmocka_run_group_tests(tests, NULL, remove_sheet);
}
