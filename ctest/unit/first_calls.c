/* First calls: every processor has them once, at the beginning; how much of them each of several has; what a sheet of
 * messages says of the first one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctest/support/networks.h"
#include "drivers/predict/first_calls.h"
#include "predict/model/actions.h"

enum { PROCESSORS = 3 };

static const char sheet_path[] = "unit_first_calls.sheet";

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 + 1e-9 * fabs(b);
}

static double seconds_of(const bmf_actions *actions)
{
    bmf_network *network = network_ideal(PROCESSORS);
    double seconds;
    assert_int_equal(simulate_seconds(actions, network, &seconds), BMF_OK);
    network->type->destroy(network);
    return seconds;
}

/* 2 s on one processor, 5 s on another. */
static bmf_actions *record(bmf_trace_run *run, bool first_calls)
{
    bmf_actions *actions = actions_create(PROCESSORS, run);
    actions_start(actions);
    if (first_calls)
        actions_first_calls(actions);
    actions_compute(actions, 0, 0, 0, 1, 2.0, 0.0, 0.0, 0);
    actions_compute(actions, 1, 0, 0, 1, 5.0, 0.0, 0.0, 0);
    actions_overhead(actions, 1, 0.5, 0.0, 0.0, 0);
    return actions;
}

static void every_processor_has_them_once(void **state)
{
    (void)state;
    bmf_trace_run *run = run_create("first", "machine", PROCESSORS, PROCESSORS, 1);
    bmf_actions *without = record(run, false), *with = record(run, true);
    assert_true(near(seconds_of(without), 5.5));
    assert_true(near(seconds_of(with), 5.5)); /* nothing, until they are set */
    actions_set_first_calls(with, 0.25, 0.0);
    assert_true(near(seconds_of(with), 5.75)); /* not the other overhead */
    actions_set_first_calls(with, 1.0, 0.0);
    assert_true(near(seconds_of(with), 6.5)); /* not added to those before */
    actions_set_first_calls(without, 1.0, 0.0);
    assert_true(near(seconds_of(without), 5.5)); /* there are none */
    actions_free(without);
    actions_free(with);
    run_free(run);
}

static void what_grows_with_the_data_is_shared(void **state)
{
    (void)state;
    const bmf_first_calls few = {.alone = 1e-4, .beside = 5e-5}, many = {.alone = 4e-3, .beside = 1e-4};
    assert_true(near(first_calls_each(&few, 1), 1e-4));
    assert_true(near(first_calls_each(&few, 2), 1.5e-4));
    assert_true(near(first_calls_each(&few, 1 << 20), 1.5e-4));
    assert_true(near(first_calls_each(&many, 1), 4e-3));
    assert_true(near(first_calls_each(&many, 4), 4e-4 + 3.7e-3 / 4));
    assert_true(first_calls_each(&many, 1 << 20) < 4.1e-4);
}

#define SHEET "type = \"sheet\"; sheet = \"unit_first_calls.sheet\";"
#define MESSAGES                                                                                                       \
    PAIR("isend1", "1.0", "0.0", "")                                                                                   \
    ", " PAIR("isend2", "0.0", "0.0", "") ", " PAIR("recv", "9.0", "1.0", "") ", " PAIR("recvmin", "1.0", "0.0", "")

static double first_message_of(const char *entries)
{
    bmf_machine *machine;
    write_sheet(sheet_path, entries);
    bmf_network *network = make(&machine, SHEET, 4);
    const double seconds = network->type->first_message(network);
    unmake(machine, network);
    return seconds;
}

static void sheets_say_what_a_first_message_takes(void **state)
{
    (void)state;
    assert_true(near(first_message_of(MESSAGES), 0.0));
    assert_true(
        near(first_message_of(MESSAGES
                              ", { operation = \"first\"; family = \"point-to-point\"; element_bytes = 1; c = 12.5; }"),
             12.5e-6));
}

static int remove_sheet(void **state)
{
    (void)state;
    return access(sheet_path, F_OK) == 0 ? unlink(sheet_path) : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_processor_has_them_once),
        cmocka_unit_test(what_grows_with_the_data_is_shared),
        cmocka_unit_test(sheets_say_what_a_first_message_takes),
    };
    return cmocka_run_group_tests(tests, NULL, remove_sheet);
}
