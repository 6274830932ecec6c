/* Machines with dynamic routers: single messages, a token round a mesh, contention and queues against closed forms; the
 * same run gives the same times; settings that cannot be are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/networks.h"

#define MESH(router) "type = \"numesh\"; router = \"" router "\"; gigahertz = 2.0; word_bytes = 4; "

static const char *const routers[] = {MESH("ecube") "size = \"4x4\";", MESH("adaptive") "size = \"4x4\";",
                                      MESH("ecube") "size = \"4x4\"; torus = true;"};
enum { ROUTERS = sizeof routers / sizeof *routers };
static const double NANOSECONDS = 1e-9;

/* `bytes` from processor 0 to 1, which is ready at `posted`. */
static bmf_transit send_alone(const char *settings, int64_t bytes, double sent, double posted)
{
    bmf_machine *machine;
    bmf_network *network = make(&machine, settings, 16);
    bmf_transit one = message_of(0, 1, bytes, sent);
    network->freed = network->complete = ignore;
    network->type->start(network, 0);
    one.posted = posted;
    network->type->send(network, &one);
    advance_until(network, INFINITY);
    unmake(machine, network);
    return one;
}

/* 17 words with the header, half a nanosecond each; one cycle to the router, one to the next, one to the processor. */
static void alone(void **unused)
{
    (void)unused;
    for (int k = 0; k < ROUTERS; k++) {
        const bmf_transit late = send_alone(routers[k], 64, 0, INFINITY);
        assert_near(late.sender_free, 8.5 * NANOSECONDS);
        assert_near(late.send_done, 8.5 * NANOSECONDS);
        assert_near(late.arrived, 9.5 * NANOSECONDS);
        assert_near(late.receive_overhead, 8 * NANOSECONDS);
        const bmf_transit early = send_alone(routers[k], 61, 0, 0);
        assert_near(early.arrived, 9.5 * NANOSECONDS);
        assert_near(early.receive_overhead, 0);
        const bmf_transit between = send_alone(routers[k], 62, 1.25 * NANOSECONDS, 4 * NANOSECONDS);
        assert_near(between.send_done, (1.5 + 8.5) * NANOSECONDS); /* it begins with the next cycle */
        assert_near(between.arrived, 11 * NANOSECONDS);
        assert_near(between.receive_overhead, (4 + 8 - 11) * NANOSECONDS);
    }
}

/* Every hop of the token: links, 18 cycles more. */
static void token(void **unused)
{
    static const int64_t links[ROUTERS] = {12 + 3 * 4 + 6, 12 + 3 * 4 + 6, 12 + 3 * 2 + 2};
    (void)unused;
    for (int k = 0; k < ROUTERS; k++)
        assert_near(run(routers[k], 16, add_ring, 64), (double)(16 * 18 + links[k]) / 2 * NANOSECONDS);
}

/* Two messages over the last link of a line, at the same time: a link is one message's until its end. */
static void contention(void **unused)
{
    bmf_machine *machine;
    bmf_network *network = make(&machine, MESH("ecube") "size = \"4\";", 4);
    bmf_transit both[2] = {message_of(1, 3, 400, 0), message_of(2, 3, 400, 0)};
    bmf_link_load *load;
    (void)unused;
    network->freed = network->complete = ignore;
    network->type->start(network, 0);
    deliver(network, both, 2);
    assert_near(both[1].arrived, (1 + 2 + 100) / 2.0 * NANOSECONDS);
    assert_near(both[0].arrived, (1 + 2 + 100 + 101) / 2.0 * NANOSECONDS);
    assert_int_equal(network->type->loads(network, &load), 6);
    int64_t messages = 0, bytes = 0;
    double busiest = 0;
    for (int k = 0; k < 6; k++) {
        messages += load[k].messages;
        bytes += load[k].bytes;
        busiest = fmax(busiest, load[k].busy);
    }
    assert_int_equal(messages, 3);
    assert_int_equal(bytes, 1200);
    assert_near(busiest, 202 / 2.0 * NANOSECONDS);
    free(load);
    unmake(machine, network);
}

/* A message of 2 Kbytes that nobody reads lets others pass: its address queues it. */
static void unread_messages_do_not_block(void **unused)
{
    bmf_machine *machine;
    bmf_network *network = make(&machine, MESH("ecube") "size = \"3\";", 3);
    bmf_transit both[2] = {message_of(0, 1, 2048, 0), message_of(0, 2, 4, 0)};
    (void)unused;
    network->freed = network->complete = ignore;
    network->type->start(network, 0);
    deliver(network, both, 2);
    assert_near(both[0].arrived, (1 + 2 + 512) / 2.0 * NANOSECONDS);
    assert_near(both[1].arrived, (513 + 1 + 3 + 1) / 2.0 * NANOSECONDS); /* it leaves behind the other one */
    unmake(machine, network);
}

static void same_again(void **unused)
{
    (void)unused;
    for (int k = 0; k < ROUTERS; k++) {
        check_repetition(routers[k]);
        const double star = run(routers[k], 16, add_star, 100);
        assert_true(star > 0 && star == run(routers[k], 16, add_star, 100));
    }
}

static void refused(const char *settings, const char *why)
{
    char text[512];
    bmf_machine *machine;
    bmf_network *network;
    snprintf(text, sizeof text, "network = { %s };", settings);
    int status = machine_parse(text, "some.machine", &machine);
    if (status == BMF_OK) {
        status = machine_network(machine, 16, &network);
        machine_free(machine);
    }
    assert_int_not_equal(status, BMF_OK);
    assert_int_equal(bmf_exit_code(status), 2);
    if (!strstr(bmf_error_text(NULL), why))
        fail_msg("'%s' does not say '%s'", bmf_error_text(NULL), why);
}

static void bad_settings(void **unused)
{
    (void)unused;
    refused(MESH("fast"), "router");
    refused(MESH("ecube") "schedule = 24;", "the ecube router has no 'schedule'");
    refused(MESH("scheduled") "buffer = 4;", "the scheduled router has no 'buffer'");
    refused(MESH("ecube") "misroutes = 1;", "the ecube router has no 'misroutes'");
    refused(MESH("ecube") "buffer = 0;", "buffer");
    refused(MESH("ecube") "torus = true; channels = 1;", "at least 2 virtual channels");
    refused(MESH("adaptive") "channels = 1;", "at least 2 virtual channels");
    refused(MESH("ecube") "size = \"3x3\";", "16 processors do not fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(alone),      cmocka_unit_test(token),
                                       cmocka_unit_test(contention), cmocka_unit_test(unread_messages_do_not_block),
                                       cmocka_unit_test(same_again), cmocka_unit_test(bad_settings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
