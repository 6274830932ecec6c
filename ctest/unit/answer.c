/* The paragraph that reports begin with: runs made by hand, sentences worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/reference/reference_intervals.h"
#include "ctest/support/testing.h"
#include "predict/report/answer.h"

enum { US = 1000 };

/* Two processors of "machine", the program from 0 to 100 us on both, and a call in it. */
static bmf_trace_run *make_run(const char *call, int predicted, uint32_t *node)
{
    bmf_trace_run *run = run_create("program", "machine", 2, 2, 1);
    run->predicted = predicted;
    *node = run_node(run, 0, call, BMF_EVENT_SKELETON);
    for (int32_t lane = 0; lane < 2; lane++) {
        reference_event(run, BMF_EVENT_REGION, lane, 0, 100 * US, 0, 0, 0, -1, 0);
        reference_event(run, BMF_EVENT_SKELETON, lane, 0, 100 * US, *node, 0, 0, -1, 0);
    }
    return run;
}

static void add(bmf_trace_run *run, bmf_event_kind kind, int32_t lane, int64_t begin, int64_t end, uint32_t node,
                int32_t peer)
{
    reference_event(run, kind, lane, begin * US, end * US, node, 0, 0, peer, 1000);
}

/* Lane 0 computes 80 us, lane 1 20 us; then lane 1 waits for a message of lane 0. */
static bmf_trace_run *make_uneven(const char *call, int predicted)
{
    uint32_t node;
    bmf_trace_run *run = make_run(call, predicted, &node);
    add(run, BMF_EVENT_KERNEL, 0, 0, 80, node, -1);
    add(run, BMF_EVENT_KERNEL, 1, 0, 20, node, -1);
    add(run, BMF_EVENT_SEND, 0, 80, 82, node, 1);
    add(run, BMF_EVENT_RECEIVE, 1, 20, 90, node, 0);
    return run;
}

/* The answer about one run, as its trace says it; frees the run. */
static char *answer_about(bmf_trace_run *run)
{
    bmf_report_contents about = {.runs = 1, .run = {run}};
    run_expect(run, &about.expected[0]);
    assert_int_equal(intervals_create(run, NULL, &about.intervals[0]), BMF_OK);
    char *answer = report_answer(&about);
    intervals_free(about.intervals[0]);
    run_free(run);
    return answer;
}

static void a_measured_run_waits_for_the_slower_processor(void **state)
{
    (void)state;
    /* Of 2 x 100 us 100 compute, 2 + 70 communicate, 28 idle; of the communication 60 wait for lane 0 to come to the
     * round; the mean of 80 and 20 us is 50. From 90 us on both agree. Without messages lane 1 has its message after
     * the 80 us of lane 0, with even computing after 50 us. */
    char *answer = answer_about(make_uneven("map f", 0));
    assert_string_equal(
        answer, "How long: The run took 100.0 us on 2 processors.\n"
                "Where the time goes: Of the time of all processors, 50.0 % is productive, 36.0 % communication, "
                "14.0 % idling. Most of it goes to map f, 100.0 % of the run.\n"
                "What limits it: Waiting for processors that come later, mostly in map f; computing is uneven: "
                "the busiest processor computes 1.6 times the mean.\n"
                "What would help: Messages and agreements that take no time would make it 20.0 % shorter, ones of half "
                "the time 10.0 % or more. Computing spread evenly over the processors, too, would make it 50.0 % "
                "shorter. Computing twice as fast would make it at most 40.0 % shorter.\n"
                "How sure: It was measured once; other runs differ.");
    free(answer);
}

/* A prediction of which these seconds are expected. */
static bmf_trace_run *make_expected(double median, double low, double high, double files)
{
    bmf_trace_run *run = make_uneven("map f", 1);
    expected_length_write(&(bmf_expected_length){median, low, high, files}, run);
    return run;
}

static void starts_with(char *answer, const char *text)
{
    if (strncmp(answer, text, strlen(text)) != 0)
        fail_msg("%s", answer);
    free(answer);
}

static void a_prediction_says_what_is_expected(void **state)
{
    (void)state;
    char *answer = answer_about(make_expected(105e-6, 90e-6, 120e-6, 0));
    assert_non_null(strstr(answer, "\nHow sure: Within 14.3 % to either side")); /* 15 of 105 */
    starts_with(answer, "How long: On 2 processors of machine a run takes 105.0 us, in 95 of 100 cases 90.00 us to "
                        "120.0 us; as it is drawn, without noise, 100.0 us.\n");
    starts_with(answer_about(make_expected(85e-6, 80e-6, 95e-6, 15e-6)),
                "How long: On 2 processors of machine a run takes 85.00 us, in 95 of 100 cases 80.00 us to 95.00 us, "
                "after 15.00 us of reading files; as it is drawn, without noise and with the files, 100.0 us.\n");
    answer = answer_about(make_expected(100e-6, 100e-6, 100e-6, 0));
    assert_non_null(strstr(
        answer, "\nHow sure: Exact for the machine as it is described; how far a real one is from that is not known"));
    starts_with(answer, "How long: On 2 processors of machine a run is predicted to take 100.0 us.\n");
    starts_with(answer_about(make_expected(90e-6, 90e-6, 90e-6, 10e-6)),
                "How long: On 2 processors of machine a run is predicted to take 90.00 us, after 10.00 us of reading "
                "files.\n");
}

/* Of a trace that does not say it: the interval that the program has as an event, or none. */
static void a_prediction_without_it_has_the_interval_of_the_program(void **state)
{
    (void)state;
    starts_with(answer_about(make_uneven("map f", 1)),
                "How long: On 2 processors of machine a run is predicted to take 100.0 us.\n");
    bmf_trace_run *run = make_uneven("map f", 1);
    run_add(run, &(bmf_event){.end = 101 * US, .low = 90 * US, .high = 120 * US, .kind = BMF_EVENT_REGION, .peer = -1});
    starts_with(answer_about(run), "How long: On 2 processors of machine a run takes 90.00 us to 120.0 us in 95 of 100 "
                                   "cases; without noise, as it is drawn, 101.0 us.\n");
}

static void what_is_expected_goes_through_traces(void **state)
{
    static const char *const nonsense[] = {"",
                                           "1 2 3",
                                           "10 9 11 0 7",
                                           "10 11 12 0",
                                           "10 8 9 0",
                                           "-1 -1 -1 0",
                                           "1e3 0 1 0",
                                           "10 9 11 -1",
                                           "10 9 11 x",
                                           "nan nan nan 0",
                                           "99999999999999999999 1 2 3"};
    (void)state;
    bmf_expected_length found;
    bmf_trace_run *run = make_expected(0.25, 0.125, 0.5, 1e-9);
    expected_length_write(&(bmf_expected_length){2.5, 2.0, 3.0, 0.5}, run); /* in place of the other */
    assert_true(expected_length_read(run, &found));
    assert_true(found.median == 2.5 && found.low == 2.0 && found.high == 3.0 && found.files == 0.5);
    expected_length_write(&(bmf_expected_length){NAN, 2.0, 3.0, 0.5}, run);
    expected_length_write(&(bmf_expected_length){1.0, 2.0, 3.0, 0.5}, run);
    assert_true(expected_length_read(run, &found) && found.median == 2.5);
    run_free(run);
    for (size_t k = 0; k < sizeof nonsense / sizeof *nonsense; k++) {
        run = make_uneven("map f", 1);
        run_add_fact(run, "expected length", nonsense[k]);
        assert_false(expected_length_read(run, &found));
        assert_true(found.median == 0 && found.high == 0);
        run_free(run);
    }
}

static void one_processor_alone_limits(void **state)
{
    (void)state;
    uint32_t node;
    bmf_trace_run *run = make_run("reduce", 0, &node);
    add(run, BMF_EVENT_KERNEL, 0, 0, 100, node, -1);
    char *answer = answer_about(run);
    assert_non_null(strstr(answer, "50.0 % is productive, 50.0 % insufficient parallelism."));
    assert_non_null(strstr(answer, "What limits it: What one processor computes alone, mostly in reduce.\n"));
    free(answer);
}

static void messages_files_and_computing_limit(void **state)
{
    (void)state;
    uint32_t node;
    bmf_trace_run *run = make_run("split", 0, &node);
    add(run, BMF_EVENT_SEND, 0, 0, 90, node, 1);
    add(run, BMF_EVENT_RECEIVE, 1, 0, 100, node, 0);
    char *answer = answer_about(run);
    assert_non_null(strstr(answer, "0.0 % is productive, 95.0 % communication, 5.0 % idling."));
    assert_non_null(strstr(answer, "What limits it: Moving data: 1 message, 0.001 MB, mostly in split.\n"));
    free(answer);
    for (int files = 0; files < 2; files++) {
        run = make_run("map f", 0, &node);
        for (int32_t lane = 0; lane < 2; lane++)
            add(run, files ? BMF_EVENT_FILE : BMF_EVENT_KERNEL, lane, 0, 95, node, -1);
        answer = answer_about(run);
        assert_non_null(strstr(answer, files ? "95.0 % is productive (95.0 % reading and writing files), 5.0 % idling."
                                             : "95.0 % is productive, 5.0 % idling."));
        assert_non_null(strstr(answer, files ? "What limits it: Reading and writing files, mostly in map f.\n"
                                             : "What limits it: Computing, mostly in map f.\n"));
        free(answer);
    }
}

/* One lane computes for both and sends the other one its half, which takes a third of the time. */
static bmf_trace_run *make_farm(int64_t transport)
{
    bmf_trace_run *run = run_create("program", "machine", 2, 2, 1);
    const uint32_t node = run_node(run, 0, "split", BMF_EVENT_SKELETON);
    const int64_t end = 60 + transport;
    for (int32_t lane = 0; lane < 2; lane++) {
        reference_event(run, BMF_EVENT_REGION, lane, 0, end * US, 0, 0, 0, -1, 0);
        reference_event(run, BMF_EVENT_SKELETON, lane, 0, end * US, node, 0, 0, -1, 0);
    }
    add(run, BMF_EVENT_KERNEL, 0, 0, 40, node, -1);
    add(run, BMF_EVENT_SEND, 0, 40, 40 + transport, node, 1);
    add(run, BMF_EVENT_KERNEL, 0, 40 + transport, 60 + transport, node, -1);
    add(run, BMF_EVENT_RECEIVE, 1, 0, 40 + transport, node, 0);
    add(run, BMF_EVENT_KERNEL, 1, 40 + transport, 60 + transport, node, -1);
    return run;
}

/* Both compute 20 us at the end; the first kernel is one processor's, there is nobody to share it with. */
static void what_helps_is_what_the_trace_shows(void **state)
{
    (void)state;
    char *answer = answer_about(make_farm(30));
    assert_non_null(strstr(answer, "\nWhat would help: Messages and agreements that take no time would make it 33.3 % "
                                   "shorter, ones of half the time 16.7 % or more. Computing twice as fast would make "
                                   "it at most 33.3 % shorter.\n"));
    free(answer);
    answer = answer_about(make_farm(0));
    assert_non_null(strstr(answer, "\nWhat would help: Not faster messages. Computing twice as fast would make it at "
                                   "most 50.0 % shorter.\n"));
    free(answer);
}

/* Two calls, each of which keeps another processor waiting: neither does more than the other, and yet it is uneven. */
static void turns_are_uneven_call_by_call(void **state)
{
    (void)state;
    bmf_trace_run *run = run_create("program", "machine", 2, 2, 1);
    uint32_t node[2];
    for (int k = 0; k < 2; k++)
        node[k] = run_node(run, 0, k ? "map g" : "map f", BMF_EVENT_SKELETON);
    for (int32_t lane = 0; lane < 2; lane++) {
        reference_event(run, BMF_EVENT_REGION, lane, 0, 100 * US, 0, 0, 0, -1, 0);
        for (int k = 0; k < 2; k++)
            reference_event(run, BMF_EVENT_SKELETON, lane, 50 * k * US, 50 * (k + 1) * US, node[k], 0, 0, -1, 0);
    }
    for (int32_t k = 0; k < 2; k++) { /* lane k computes 40 us, the other one 10, and waits for its message */
        const int64_t from = 50 * k;
        add(run, BMF_EVENT_KERNEL, k, from, from + 40, node[k], -1);
        add(run, BMF_EVENT_SEND, k, from + 40, from + 50, node[k], 1 - k);
        add(run, BMF_EVENT_KERNEL, 1 - k, from, from + 10, node[k], -1);
        add(run, BMF_EVENT_RECEIVE, 1 - k, from + 10, from + 50, node[k], k);
    }
    char *answer = answer_about(run);
    /* Without messages: lane 0 is ready at 40, lane 1 (10, then lane 0's message) at 40; both at 80. Evenly: 50. */
    assert_non_null(strstr(answer, "\nWhat would help: Messages and agreements that take no time would make it 20.0 % "
                                   "shorter, ones of half the time 10.0 % or more. Computing spread evenly over the "
                                   "processors, too, would make it 50.0 % shorter. Computing twice as fast would make "
                                   "it at most 40.0 % shorter.\n"));
    free(answer);
}

/* A program of the language is timed from its argument to its value: starting MPI is nobody's message. */
static void starting_is_no_message(void **state)
{
    (void)state;
    bmf_trace_run *run = run_create("program.bmf", "machine", 2, 2, 1);
    const uint32_t node = run_node(run, 0, "map f", BMF_EVENT_SKELETON);
    for (int32_t lane = 0; lane < 2; lane++) {
        reference_event(run, BMF_EVENT_REGION, lane, 0, 200 * US, 0, 0, 0, -1, 0);
        reference_event(run, BMF_EVENT_SKELETON, lane, 100 * US, 190 * US, node, 0, 0, -1, 0);
        add(run, BMF_EVENT_KERNEL, lane, 100, 180, node, -1);
    }
    add(run, BMF_EVENT_SEND, 0, 180, 190, node, 1);
    add(run, BMF_EVENT_RECEIVE, 1, 180, 190, node, 0);
    char *answer = answer_about(run); /* 10 and 80 of 200 us */
    assert_non_null(strstr(answer, "\nWhat would help: Messages and agreements that take no time would make it 5.0 % "
                                   "shorter, ones of half the time 2.5 % or more. Computing twice as fast would make "
                                   "it at most 20.0 % shorter.\n"));
    free(answer);
}

/* What is replayed must be whole; of a rank that runs two processors each waits for the other one. */
static void what_cannot_be_replayed_helps_nobody(void **state)
{
    (void)state;
    bmf_trace_run *run = make_farm(30);
    run->dropped = 3;
    char *answer = answer_about(run);
    assert_non_null(strstr(answer, "\nWhat would help: not known.\n"));
    free(answer);
    run = run_create("program", "machine", 2, 1, 1);
    for (int32_t lane = 0; lane < 2; lane++)
        reference_event(run, BMF_EVENT_REGION, lane, 0, 100 * US, 0, 0, 0, -1, 0);
    add(run, BMF_EVENT_KERNEL, 0, 0, 50, 0, -1);
    add(run, BMF_EVENT_KERNEL, 1, 50, 100, 0, -1);
    answer = answer_about(run);
    assert_non_null(strstr(answer, "\nWhat would help: not known.\n"));
    free(answer);
}

static void two_runs_are_set_side_by_side(void **state)
{
    (void)state;
    uint32_t node;
    bmf_trace_run *measured = make_uneven("map f", 0), *predicted = make_run("map f", 1, &node);
    /* the prediction computes evenly, its call ends after 60 us */
    add(predicted, BMF_EVENT_KERNEL, 0, 0, 50, node, -1);
    add(predicted, BMF_EVENT_KERNEL, 1, 0, 50, node, -1);
    for (int64_t k = 0; k < predicted->events; k++)
        if (predicted->event[k].end == 100 * US)
            predicted->event[k].end = 60 * US;
    bmf_comparison *comparison;
    assert_int_equal(compare_runs(measured, predicted, &comparison), BMF_OK);
    bmf_report_contents about = {.runs = 2,
                                 .run = {measured, predicted},
                                 .comparison = comparison,
                                 .expected = {{0}, {70e-6, 50e-6, 90e-6, 5e-6}}};
    assert_int_equal(intervals_create(measured, NULL, &about.intervals[0]), BMF_OK);
    char *answer = report_answer(&about);
    assert_non_null(strstr(answer,
                           "The measured run takes 100.0 us on 2 processors, the predicted one 75.00 us: 0.75 times as "
                           "long. The 1 step that both have: 100.0 us and 60.00 us, 0.6 times as long. The "
                           "measured run lies above the 95 % interval of the prediction, 55.00 us to 95.00 us.\n"));
    assert_non_null(strstr(answer, "They differ most in map f: 100.0 us and 60.00 us.\n"));
    assert_non_null(strstr(answer, "How sure: Messages and bytes are different."));
    free(answer);
    intervals_free(about.intervals[0]);
    comparison_free(comparison);
    run_free(measured);
    run_free(predicted);
}

static void nothing_is_known_of_nothing(void **state)
{
    (void)state;
    bmf_trace_run *run = run_create("program", "machine", 1, 1, 1);
    char *answer = answer_about(run);
    assert_string_equal(
        answer,
        "How long: The run took 0 ns on 1 processor.\nWhere the time goes: not known.\n"
        "What limits it: not known.\nWhat would help: not known.\nHow sure: It was measured once; other runs differ.");
    free(answer);
}

static void names_stay_on_their_line(void **state)
{
    (void)state;
    char name[200] = "a\nb\033[2J";
    memset(name + 7, 'x', sizeof name - 8);
    char *answer = answer_about(make_uneven(name, 0));
    int lines = 1;
    for (const char *at = answer; *at; at++) {
        lines += *at == '\n';
        assert_true(*at == '\n' || (unsigned char)*at >= ' ');
    }
    assert_int_equal(lines, 5);
    assert_true(strlen(answer) < 900);
    free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_measured_run_waits_for_the_slower_processor),
        cmocka_unit_test(a_prediction_says_what_is_expected),
        cmocka_unit_test(a_prediction_without_it_has_the_interval_of_the_program),
        cmocka_unit_test(what_is_expected_goes_through_traces),
        cmocka_unit_test(one_processor_alone_limits),
        cmocka_unit_test(messages_files_and_computing_limit),
        cmocka_unit_test(what_helps_is_what_the_trace_shows),
        cmocka_unit_test(turns_are_uneven_call_by_call),
        cmocka_unit_test(starting_is_no_message),
        cmocka_unit_test(what_cannot_be_replayed_helps_nobody),
        cmocka_unit_test(two_runs_are_set_side_by_side),
        cmocka_unit_test(nothing_is_known_of_nothing),
        cmocka_unit_test(names_stay_on_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
