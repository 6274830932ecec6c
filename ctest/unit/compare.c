/* Comparing runs: document 001's example, matches against a slow search, quantiles, steps at another P, other
 * programs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "predict/report/compare_private.h"

static bmf_trace_run *empty_run(int32_t lanes)
{
    bmf_trace_run *run = run_create("program", "here", lanes, 1, 1);
    assert_non_null(run);
    return run;
}

static void add(bmf_trace_run *run, bmf_event_kind kind, int32_t lane, int64_t begin, int64_t end, uint32_t node,
                uint32_t instance, uint32_t round, int32_t peer, int64_t amount)
{
    run_add(run, &(bmf_event){.begin = begin,
                              .end = end,
                              .amount = amount,
                              .low = end - begin,
                              .high = end - begin,
                              .node = node,
                              .instance = instance,
                              .round = round,
                              .lane = lane,
                              .peer = peer,
                              .kind = (uint16_t)kind});
}

static bmf_comparison *compared(bmf_trace_run *measured, bmf_trace_run *predicted)
{
    bmf_comparison *c;
    assert_int_equal(compare_runs(measured, predicted, &c), BMF_OK);
    return c;
}

/* ---- document 001, figure 2.10 ---- */

/* States by the times they are entered, in hundredths of a second; its barrier is our wait, its wait our receive. */
static bmf_trace_run *figure_run(const int64_t entered[5])
{
    static const bmf_event_kind state[] = {BMF_EVENT_KERNEL, BMF_EVENT_WAIT, BMF_EVENT_KERNEL, BMF_EVENT_RECEIVE};
    bmf_trace_run *run = empty_run(1);
    uint32_t call = run_node(run, 0, "reduce plus", BMF_EVENT_SKELETON);
    for (int k = 0; k < 4; k++)
        add(run, state[k], 0, entered[k] * 10000000, entered[k + 1] * 10000000, call, 0, 0,
            state[k] == BMF_EVENT_RECEIVE ? 0 : -1, 0);
    return run;
}

static double rounded(double value)
{
    return round(value * 100) / 100;
}

static void document_001_figure_2_10(void **state)
{
    (void)state;
    static const int64_t measured_times[] = {0, 123, 134, 380, 400}, predicted_times[] = {0, 78, 102, 230, 300};
    static const double printed[] = {0.63, 2.18, 0.52, 3.50};
    bmf_trace_run *measured = figure_run(measured_times), *predicted = figure_run(predicted_times);
    bmf_comparison *c = compared(measured, predicted);
    for (int k = 0; k < 4; k++) {
        const bmf_event *a = &measured->event[k], *b = &predicted->event[c->match[k]];
        assert_true(rounded((double)(b->end - b->begin) / (double)(a->end - a->begin)) == printed[k]);
    }
    const bmf_ratio *level[] = {c->lane_state, c->state};
    for (int k = 0; k < 2; k++) {
        assert_true(rounded(level[k][BMF_EVENT_KERNEL].measured) == 3.69);
        assert_true(rounded(level[k][BMF_EVENT_KERNEL].predicted) == 2.06);
        assert_true(rounded(level[k][BMF_EVENT_WAIT].measured) == 0.11);
        assert_true(rounded(level[k][BMF_EVENT_WAIT].predicted) == 0.24);
        assert_true(rounded(level[k][BMF_EVENT_RECEIVE].measured) == 0.20);
        assert_true(rounded(level[k][BMF_EVENT_RECEIVE].predicted) == 0.70);
        assert_true(rounded(level[k][BMF_EVENT_KERNEL].predicted / level[k][BMF_EVENT_KERNEL].measured) == 0.56);
    }
    assert_true(rounded(c->total.measured) == 4.00 && rounded(c->total.predicted) == 3.00);
    assert_int_equal(c->pairs, 4);
    comparison_free(c);
    run_free(predicted);
    run_free(measured);
}

/* ---- matches ---- */

static bmf_trace_run *random_run(uint64_t *random, int32_t lanes, const char *const *text, int texts, bool backwards)
{
    bmf_trace_run *run = empty_run(lanes);
    /* The same nodes under other numbers. */
    for (int k = 0; k < texts; k++)
        run_node(run, 0, text[backwards ? texts - 1 - k : k], BMF_EVENT_SKELETON);
    for (int64_t events = test_below(random, 120); events > 0; events--) {
        bmf_event_kind kind = (bmf_event_kind)test_below(random, BMF_EVENT_KINDS);
        bool message = kind == BMF_EVENT_SEND || kind == BMF_EVENT_RECEIVE;
        int64_t begin = test_below(random, 60);
        add(run, kind, (int32_t)test_below(random, lanes), begin, begin + test_below(random, 20),
            (uint32_t)test_below(random, run->nodes), (uint32_t)test_below(random, 3), (uint32_t)test_below(random, 2),
            message ? (int32_t)test_below(random, lanes) : -1, test_below(random, 9));
    }
    assert_int_equal(run_sort(run), BMF_OK);
    return run;
}

static bool same_id(const bmf_trace_run *a, const bmf_event *x, const bmf_trace_run *b, const bmf_event *y)
{
    char one[64], other[64];
    return x->instance == y->instance && x->round == y->round && x->lane == y->lane && x->kind == y->kind &&
           x->peer == y->peer &&
           strcmp(run_path(a, x->node, one, sizeof one), run_path(b, y->node, other, sizeof other)) == 0;
}

/* How many events with the id of event k stand before it: by begin, receives by end. */
static int64_t occurrence(const bmf_trace_run *run, int64_t k)
{
    const bmf_event *event = &run->event[k];
    bool receive = event->kind == BMF_EVENT_RECEIVE;
    int64_t before = 0;
    for (int64_t j = 0; j < run->events; j++) {
        const bmf_event *other = &run->event[j];
        if (j == k || !same_id(run, event, run, other))
            continue;
        int64_t first = receive ? other->end - event->end : other->begin - event->begin;
        int64_t second = receive ? other->begin - event->begin : other->end - event->end;
        before += first < 0 || (first == 0 && (second < 0 || (second == 0 && j < k)));
    }
    return before;
}

static int64_t slow_match(const bmf_trace_run *run, int64_t k, const bmf_trace_run *other)
{
    for (int64_t j = 0; j < other->events; j++)
        if (same_id(run, &run->event[k], other, &other->event[j]) && occurrence(run, k) == occurrence(other, j))
            return j;
    return -1;
}

static void matches_agree_with_a_slow_search(void **state)
{
    (void)state;
    static const char *const text[] = {"scan plus", "split", "map f", "missing"};
    int64_t matches = 0, alone = 0;
    for (int64_t seed = 0; seed < 60; seed++) {
        uint64_t random = (uint64_t)seed * 1009 + 5;
        int32_t lanes = 1 + (int32_t)test_below(&random, 3);
        bmf_trace_run *measured = random_run(&random, lanes, text, 4, false);
        bmf_trace_run *predicted = random_run(&random, lanes, text, seed % 3 ? 3 : 4, true);
        bmf_comparison *c = compared(measured, predicted);
        int64_t leaves = 0, pairs = 0;
        for (int64_t k = 0; k < measured->events; k++) {
            int64_t wanted = slow_match(measured, k, predicted);
            CHECK(c->match[k] == wanted, "seed %lld, event %lld: %lld, not %lld", (long long)seed, (long long)k,
                  (long long)c->match[k], (long long)wanted);
            leaves += measured->event[k].kind > BMF_EVENT_SKELETON;
            pairs += measured->event[k].kind > BMF_EVENT_SKELETON && wanted >= 0;
        }
        CHECK(c->pairs == pairs && c->only_measured == leaves - pairs, "seed %lld", (long long)seed);
        matches += pairs;
        alone += leaves - pairs;
        comparison_free(c);
        run_free(predicted);
        run_free(measured);
    }
    assert_true(matches > 100 && alone > 100);
    assert_int_equal(test_failures, 0);
}

static void a_run_is_its_own_twin(void **state)
{
    (void)state;
    static const char *const text[] = {"scan plus", "split", "map f"};
    uint64_t random = 3;
    bmf_trace_run *one = random_run(&random, 4, text, 3, false);
    random = 3;
    bmf_trace_run *other = random_run(&random, 4, text, 3, false);
    bmf_comparison *c = compared(one, other);
    for (int64_t k = 0; k < one->events; k++)
        assert_int_equal(c->match[k], k);
    for (int k = 0; k < BMF_EVENT_KINDS; k++) {
        assert_true(c->state[k].measured == c->state[k].predicted);
        assert_true(c->state[k].events == 0 || (c->state[k].median == 0 && c->state[k].p90 == 0));
    }
    assert_int_equal(c->only_measured + c->only_predicted + c->only_measured_steps + c->only_predicted_steps, 0);
    assert_int_equal(c->measured_bytes, c->predicted_bytes);
    comparison_free(c);
    run_free(other);
    run_free(one);
}

/* ---- quantiles ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void quantiles_are_values_of_a_rank(void **state)
{
    (void)state;
    enum { MAX = 200, GROUPS = 4 };
    for (int64_t seed = 0; seed < 100; seed++) {
        uint64_t random = (uint64_t)seed + 1;
        int64_t group[MAX], count = test_below(&random, MAX);
        double error[MAX], of[MAX];
        bmf_ratio ratio[GROUPS] = {0};
        for (int64_t k = 0; k < count; k++) {
            group[k] = test_below(&random, GROUPS - 1);
            error[k] = test_below(&random, 12) == 0 ? INFINITY : (double)test_below(&random, 30);
        }
        ratio_quantiles(count, group, error, GROUPS, ratio);
        for (int64_t g = 0; g < GROUPS; g++) {
            int64_t n = 0;
            for (int64_t k = 0; k < count; k++)
                if (group[k] == g)
                    of[n++] = error[k];
            assert_int_equal(ratio[g].events, n);
            if (n == 0) {
                assert_true(isnan(ratio[g].median) && isnan(ratio[g].p90));
                continue;
            }
            qsort(of, (size_t)n, sizeof *of, by_value);
            assert_true(ratio[g].median == of[(n + 1) / 2 - 1]);
            assert_true(ratio[g].p90 == of[(int64_t)ceil(0.9 * (double)n - 1e-9) - 1]);
        }
    }
    assert_true(relative_error(0, 0) == 0 && isinf(relative_error(0, 1)));
    assert_true(relative_error(4, 5) == 0.25 && relative_error(4, 3) == 0.25);
}

/* ---- steps ---- */

/* Two steps; the time of a step is that of the slowest processor. */
static bmf_trace_run *stepped_run(int32_t lanes, int64_t scale, int64_t slack)
{
    bmf_trace_run *run = empty_run(lanes);
    run->predicted = slack > 0;
    uint32_t call = run_node(run, 0, "scan plus", BMF_EVENT_SKELETON);
    for (int32_t lane = 0; lane < lanes; lane++)
        for (uint32_t instance = 0; instance < 2; instance++) {
            int64_t begin = 1000 * (int64_t)instance, length = scale * (instance + 1) + (lane == lanes - 1 ? 30 : 0);
            run_add(run, &(bmf_event){.begin = begin,
                                      .end = begin + length,
                                      .low = length - slack,
                                      .high = length + slack,
                                      .node = call,
                                      .instance = instance,
                                      .lane = lane,
                                      .peer = -1,
                                      .kind = BMF_EVENT_SKELETON});
        }
    return run;
}

static void steps_at_another_number_of_processors(void **state)
{
    (void)state;
    bmf_trace_run *measured = stepped_run(4, 100, 0), *predicted = stepped_run(8, 110, 12);
    bmf_comparison *c = compared(measured, predicted);
    assert_false(c->same_processors);
    assert_null(c->match);
    assert_null(c->lane_state);
    assert_int_equal(c->nodes, 2);
    /* 130 and 230 against 140 and 250 */
    assert_true(fabs(c->node[1].measured - 360e-9) < 1e-15 && fabs(c->node[1].predicted - 390e-9) < 1e-15);
    assert_int_equal(c->node[1].events, 2);
    assert_true(fabs(c->node[1].median - 1.0 / 13) < 1e-12 && fabs(c->node[1].p90 - 2.0 / 23) < 1e-12);
    assert_int_equal(c->steps, 2);
    assert_int_equal(c->steps_with_interval, 2);
    assert_int_equal(c->covered_steps, 1);
    assert_int_equal(c->node_match[1], 1);
    comparison_free(c);
    run_free(predicted);
    run_free(measured);
}

static void steps_that_only_one_run_has(void **state)
{
    (void)state;
    bmf_trace_run *measured = stepped_run(2, 100, 0), *predicted = stepped_run(2, 100, 0);
    uint32_t more = run_node(measured, 0, "more", BMF_EVENT_REGION);
    uint32_t other = run_node(predicted, 0, "other", BMF_EVENT_REGION);
    add(measured, BMF_EVENT_REGION, 0, 0, 7, more, 0, 0, -1, 0);
    add(predicted, BMF_EVENT_REGION, 0, 0, 7, other, 0, 0, -1, 0);
    add(predicted, BMF_EVENT_REGION, 1, 0, 9, other, 0, 0, -1, 0);
    add(predicted, BMF_EVENT_REGION, 1, 9, 10, other, 1, 0, -1, 0);
    bmf_comparison *c = compared(measured, predicted);
    assert_int_equal(c->steps, 2);
    assert_int_equal(c->only_measured_steps, 1);
    assert_int_equal(c->only_predicted_steps, 2);
    assert_true(c->node_match[more] == UINT32_MAX && isnan(c->node[more].median));
    comparison_free(c);
    run_free(predicted);
    run_free(measured);
}

/* Of 1000 before the program, 500 of reading, a call of 70 on its slower processor with 40 of another in it, a call
 * that only one run has, and one of 30 and 60 on one processor, only the last and the call of 70 are common: 100
 * against 150. */
static void common_steps_leave_out_what_predictions_lack(void **state)
{
    (void)state;
    bmf_trace_run *of[2] = {empty_run(2), empty_run(2)};
    const int64_t call[2][2] = {{70, 50}, {60, 90}}, last[2] = {30, 60};
    for (int k = 0; k < 2; k++) {
        bmf_trace_run *run = of[k];
        int64_t now = k == 0 ? 1000 : 0;
        const uint32_t read = run_node(run, 0, "read", BMF_EVENT_SKELETON);
        const uint32_t outer = run_node(run, 0, "outer", BMF_EVENT_REGION);
        const uint32_t inner = run_node(run, outer, "inner", BMF_EVENT_SKELETON);
        const uint32_t alone = run_node(run, 0, k == 0 ? "first only" : "second only", BMF_EVENT_SKELETON);
        const uint32_t once = run_node(run, 0, "once", BMF_EVENT_SKELETON);
        for (int32_t lane = 0; lane < 2; lane++) {
            add(run, BMF_EVENT_REGION, lane, 0, now + 2000, 0, 0, 0, -1, 0);
            add(run, BMF_EVENT_SKELETON, lane, now, now + (k == 0 ? 500 : 0), read, 0, 0, -1, 0);
            add(run, BMF_EVENT_REGION, lane, now + 500, now + 500 + call[k][lane], outer, 0, 0, -1, 0);
            add(run, BMF_EVENT_SKELETON, lane, now + 505, now + 545, inner, 0, 0, -1, 0);
            add(run, BMF_EVENT_SKELETON, lane, now + 800, now + 810, alone, 0, 0, -1, 0);
        }
        add(run, BMF_EVENT_SKELETON, 1, now + 900, now + 900 + last[k], once, 3, 0, -1, 0);
    }
    bmf_comparison *c = compared(of[0], of[1]);
    assert_int_equal(c->common.events, 2);
    assert_true(fabs(c->common.measured - 100e-9) < 1e-15 && fabs(c->common.predicted - 150e-9) < 1e-15);
    assert_true(fabs(c->common.median - 2.0 / 7) < 1e-12 && fabs(c->common.p90 - 1) < 1e-12);
    assert_true(fabs(c->total.measured - 3000e-9) < 1e-15 && fabs(c->total.predicted - 2000e-9) < 1e-15);
    comparison_free(c);
    run_free(of[1]);
    run_free(of[0]);
}

static void intervals_are_counted(void **state)
{
    (void)state;
    bmf_trace_run *measured = empty_run(1), *predicted = empty_run(1);
    for (int k = 0; k < 10; k++) {
        add(measured, BMF_EVENT_KERNEL, 0, 100 * k, 100 * k + 20 + k, 0, 0, (uint32_t)k, -1, 0);
        bmf_event event = {
            .begin = 100 * k, .end = 100 * k + 22, .round = (uint32_t)k, .peer = -1, .kind = BMF_EVENT_KERNEL};
        event.low = k < 8 ? 20 : 22;
        event.high = k < 8 ? 24 : 22;
        run_add(predicted, &event);
    }
    bmf_comparison *c = compared(measured, predicted);
    assert_int_equal(c->pairs, 10);
    assert_int_equal(c->with_interval, 8);
    assert_int_equal(c->covered, 5); /* 20 to 24 */
    comparison_free(c);
    run_free(predicted);
    run_free(measured);
}

static void different_programs_are_refused(void **state)
{
    (void)state;
    bmf_trace_run *one = empty_run(2), *other = empty_run(2), *bare = empty_run(2);
    bmf_comparison *c;
    run_node(one, 0, "map f", BMF_EVENT_SKELETON);
    uint32_t region = run_node(other, 0, "steps", BMF_EVENT_REGION);
    run_node(other, region, "map f", BMF_EVENT_SKELETON);
    assert_int_equal(compare_runs(one, other, &c), BMF_ERROR_ARGUMENT);
    assert_null(c);
    assert_non_null(strstr(bmf_error_text(NULL), "different programs"));
    c = compared(one, bare);
    comparison_free(c);
    run_free(bare);
    run_free(other);
    run_free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(document_001_figure_2_10),
                                       cmocka_unit_test(matches_agree_with_a_slow_search),
                                       cmocka_unit_test(a_run_is_its_own_twin),
                                       cmocka_unit_test(quantiles_are_values_of_a_rank),
                                       cmocka_unit_test(steps_at_another_number_of_processors),
                                       cmocka_unit_test(steps_that_only_one_run_has),
                                       cmocka_unit_test(common_steps_leave_out_what_predictions_lack),
                                       cmocka_unit_test(intervals_are_counted),
                                       cmocka_unit_test(different_programs_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
