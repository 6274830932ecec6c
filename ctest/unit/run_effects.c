/* What runs have in common: synthetic runs whose kernels, run factors and noise are known are learnt from, and their
 * components have to come back; new runs, at one to four or at sixteen times the largest size, have to lie in the
 * intervals of the prediction as often as these promise, each event of them and the whole run.
 *
 * BMF_FITS says how many calibrations there are of each kind (default 150). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bmf/status.h"
#include "ctest/support/testing.h"
#include "predict/kernels/kernels.h"
#include "predict/machine/machine.h"
#include "predict/model/model_private.h"
#include "predict/sheet/run_effects.h"
#include "predict/simulate/simulate.h"
#include "runtime/base/allocate.h"
#include "runtime/base/random.h"

enum { SIZES = 5, REPEATS = 5, RANKS = 2, KERNELS = 3, MAX_CALLS = 8, SMALLEST = 1 << 16 };
static const char *const kernel_name[KERNELS] = {"first", "second", "third"};

static double normal(uint64_t *random)
{
    const double radius = sqrt(-2.0 * log(1.0 - random_unit(random)));
    return radius * cos(2.0 * M_PI * random_unit(random));
}

static double between(double low, double high, uint64_t *random)
{
    return low * pow(high / low, random_unit(random));
}

static int64_t fits(void)
{
    const char *wanted = getenv("BMF_FITS");
    return wanted ? atoll(wanted) : 150;
}

/* ---- the truth ---- */

typedef struct noise {
    const char *name;
    double session, run, operation, event; /* standard deviations of logarithms */
    int sessions;
} noise;

typedef struct program {
    double constant[KERNELS], slope[KERNELS]; /* seconds */
    int calls[KERNELS];                       /* of each on every rank */
} program;

static program random_program(uint64_t *random)
{
    program p;
    for (int k = 0; k < KERNELS; k++) {
        p.slope[k] = between(1e-9, 1e-8, random);
        p.constant[k] = p.slope[k] * SMALLEST * between(0.01, 1.0, random);
        p.calls[k] = 1 + (int)((MAX_CALLS - 1) * random_unit(random));
    }
    return p;
}

/* One run with d elements in each call; the ranks begin together and compute one kernel after the other. */
static bmf_trace_run *run_of(const program *p, const noise *n, double session, int64_t d, uint64_t *random)
{
    bmf_trace_run *run = run_create("program", "host", RANKS, RANKS, 1);
    int64_t clock[RANKS] = {0};
    const double common = session + n->run * normal(random);
    assert_non_null(run);
    for (int k = 0; k < KERNELS; k++) {
        const double shared = common + n->operation * normal(random);
        for (int c = 0; c < p->calls[k]; c++)
            for (int32_t lane = 0; lane < RANKS; lane++) {
                const double usual = p->constant[k] + p->slope[k] * (double)d;
                const int64_t took = llround(1e9 * usual * exp(shared + n->event * normal(random)));
                run_add(run, &(bmf_event){.begin = clock[lane],
                                          .end = clock[lane] + took,
                                          .amount = d,
                                          .low = took,
                                          .high = took,
                                          .round = (uint32_t)c,
                                          .lane = lane,
                                          .peer = -1,
                                          .kind = BMF_EVENT_KERNEL,
                                          .name = (uint16_t)run_name(run, kernel_name[k])});
                clock[lane] += took;
            }
    }
    return run;
}

static bmf_sheet *learn(const program *p, const noise *n, uint64_t *random)
{
    const int each = SIZES * REPEATS, runs = each * n->sessions;
    bmf_trace_run **run = allocate_array(runs, (int64_t)sizeof *run);
    int32_t *session = allocate_array(runs, (int64_t)sizeof *session);
    for (int k = 0; k < runs; k++)
        session[k] = k / each;
    for (int s = 0; s < n->sessions; s++) {
        const double slow = n->session * normal(random);
        for (int k = 0; k < each; k++)
            run[s * each + k] = run_of(p, n, slow, (int64_t)SMALLEST << (k % SIZES), random);
    }
    bmf_kernel_sheet made;
    assert_int_equal(kernel_sheet(runs, run, session, NULL, &made), BMF_OK);
    for (int k = 0; k < runs; k++)
        run_free(run[k]);
    free(run);
    free(session);
    return made.sheet;
}

/* ---- components ---- */

static double root_mean(const double *square, int64_t count)
{
    double sum = 0.0;
    for (int64_t k = 0; k < count; k++)
        sum += square[k] / (double)count;
    return sqrt(sum);
}

static void components_come_back(void **state)
{
    (void)state;
    const noise truth = {"", 0.15, 0.10, 0.05, 0.08, 4};
    const int64_t count = fits();
    double *session = allocate_array(count, (int64_t)sizeof(double)),
           *run = allocate_array(count, (int64_t)sizeof(double)), *own = allocate_array(count, (int64_t)sizeof(double)),
           *event = allocate_array(count, (int64_t)sizeof(double));
    uint64_t random = 11;
    for (int64_t k = 0; k < count; k++) {
        const program p = random_program(&random);
        bmf_sheet *sheet = learn(&p, &truth, &random);
        int64_t entries;
        const bmf_sheet_entry *entry = sheet_find(sheet, "first", &entries);
        session[k] = sheet->spread.session * sheet->spread.session;
        run[k] = sheet->spread.run * sheet->spread.run;
        own[k] = entry->run_noise * entry->run_noise;
        event[k] = log1p(entry->noise * entry->noise);
        assert_int_equal(sheet->spread.runs, SIZES * REPEATS * truth.sessions);
        assert_int_equal(sheet->spread.sessions, truth.sessions);
        sheet_free(sheet);
    }
    printf("sessions %.3f, runs %.3f, operations %.3f, events %.3f; seed 11\n", root_mean(session, count),
           root_mean(run, count), root_mean(own, count), root_mean(event, count));
    assert_true(fabs(root_mean(session, count) / truth.session - 1.0) < 0.15);
    assert_true(fabs(root_mean(run, count) / truth.run - 1.0) < 0.05);
    assert_true(fabs(root_mean(own, count) / truth.operation - 1.0) < 0.10);
    assert_true(fabs(root_mean(event, count) / truth.event - 1.0) < 0.10);
    free(session);
    free(run);
    free(own);
    free(event);
}

static void one_run_of_each_size_says_nothing(void **state)
{
    (void)state;
    bmf_run_time time[] = {{0, 0, 0, 0, true, 1.0, 1.1}, {0, 1, 1, 0, true, 2.0, 1.9}, {0, 2, 2, 0, true, 4.0, 4.1}};
    bmf_run_effects found;
    run_effects_find(3, time, &found);
    assert_true(found.run == 0.0 && found.session == 0.0 && found.freedom == 0.0);
    assert_int_equal(found.runs, 3);
    run_effects_free(&found);
    run_effects_find(0, NULL, &found);
    assert_int_equal(found.runs, 0);
    run_effects_free(&found);
}

/* Two runs of one operation that differ by a factor: all of it is the runs'. */
static void one_operation_is_the_run(void **state)
{
    (void)state;
    bmf_run_time time[] = {{0, 0, 0, 0, true, 1.0, 1.0},
                           {0, 0, 0, 0, true, 1.0, 1.0},
                           {0, 0, 1, 0, true, 1.2, 1.0},
                           {0, 0, 1, 0, true, 1.2, 1.0}};
    bmf_run_effects found;
    run_effects_find(4, time, &found);
    assert_true(fabs(found.run - log(1.2) / sqrt(2.0)) < 1e-12);
    assert_true(found.operation[0].run < 1e-7 && found.operation[0].event < 1e-7 && found.freedom == 1.0);
    run_effects_free(&found);
}

/* ---- intervals ---- */

static void predict(const program *p, bmf_sheet *sheet, int64_t d, bmf_trace_run *predicted, bmf_prediction *whole)
{
    bmf_machine machine = {.path = "here",
                           .compute = BMF_COMPUTE_SHEET,
                           .kernels = sheet,
                           .sharing = RANKS,
                           .threads = 1,
                           .kernels_threads = 1,
                           .power = 1.0};
    bmf_model_costs *costs = model_costs_create(&machine, RANKS);
    bmf_actions *actions = actions_create(RANKS, predicted);
    bmf_network *network = network_ideal(RANKS);
    bmf_simulation result;
    model_costs_spread(&machine, actions);
    for (int k = 0; k < KERNELS; k++)
        for (int c = 0; c < p->calls[k]; c++)
            for (int64_t lane = 0; lane < RANKS; lane++) {
                bmf_model_cost cost;
                assert_int_equal(
                    model_costs_find(costs, NULL, &(bmf_model_call){.kernel = kernel_name[k], .elements = d}, &cost),
                    BMF_OK);
                actions_compute(actions, lane, (uint16_t)run_name(predicted, kernel_name[k]), (uint32_t)c, d,
                                cost.seconds, cost.shared, cost.own, cost.equation);
            }
    assert_int_equal(simulate_events(actions, network, predicted, &result, whole), BMF_OK);
    network->type->destroy(network);
    actions_free(actions);
    model_costs_free(costs);
}

static double length_of(const bmf_trace_run *run)
{
    double last = 0.0;
    for (int64_t k = 0; k < run->events; k++)
        last = fmax(last, 1e-9 * (double)run->event[k].end);
    return last;
}

/* The share of the run's events that are inside. */
static double events_inside(const bmf_trace_run *predicted, const bmf_trace_run *seen)
{
    int64_t inside = 0;
    assert_int_equal(predicted->events, seen->events);
    for (int64_t k = 0; k < seen->events; k++)
        for (int64_t j = 0; j < predicted->events; j++) {
            const bmf_event *a = &seen->event[k], *b = &predicted->event[j];
            if (a->lane == b->lane && a->round == b->round &&
                strcmp(seen->name[a->name], predicted->name[b->name]) == 0)
                inside += a->end - a->begin >= b->low && a->end - a->begin <= b->high;
        }
    return (double)inside / (double)seen->events;
}

static void check_coverage(const noise *n, double min_times, double max_times, uint64_t seed)
{
    const int64_t count = (int64_t)test_cases((uint64_t)fits());
    uint64_t random = seed;
    double whole_inside = 0.0, event_inside = 0.0, runs = 0.0;
    for (int64_t k = 0; k < count; k++) {
        const program p = random_program(&random);
        bmf_sheet *sheet = learn(&p, n, &random);
        const int64_t d =
            (int64_t)((double)((int64_t)SMALLEST << (SIZES - 1)) * between(min_times, max_times, &random));
        bmf_trace_run *predicted = run_create("program", "host", RANKS, RANKS, 1),
                      *seen = run_of(&p, n, n->session * normal(&random), d, &random);
        bmf_prediction whole;
        predict(&p, sheet, d, predicted, &whole);
        whole_inside += length_of(seen) >= whole.low && length_of(seen) <= whole.high;
        event_inside += events_inside(predicted, seen);
        runs += whole.run_share;
        run_free(predicted);
        run_free(seen);
        sheet_free(sheet);
    }
    const double error = 3.0 * sqrt(0.05 * 0.95 / (double)count);
    printf("%s, seed %llu: of %lld new runs %.1f %% inside, of their events %.1f %%; %.0f %% of the variance is the "
           "runs'\n",
           n->name, (unsigned long long)seed, (long long)count, 100.0 * whole_inside / (double)count,
           100.0 * event_inside / (double)count, 100.0 * runs / (double)count);
    assert_true(whole_inside / (double)count > 0.93 - error && whole_inside / (double)count < 0.97 + error);
    assert_true(event_inside / (double)count > 0.93 - error && event_inside / (double)count < 0.97 + error);
}

static void runs_differ_more_than_events(void **state)
{
    (void)state;
    check_coverage(&(noise){"runs", 0.0, 0.12, 0.04, 0.05, 1}, 1.0, 4.0, 21);
}

static void events_differ_more_than_runs(void **state)
{
    (void)state;
    check_coverage(&(noise){"events", 0.0, 0.02, 0.02, 0.15, 1}, 1.0, 4.0, 22);
}

static void operations_differ_from_run_to_run(void **state)
{
    (void)state;
    check_coverage(&(noise){"operations", 0.0, 0.03, 0.12, 0.05, 1}, 1.0, 4.0, 23);
}

static void nothing_is_in_common(void **state)
{
    (void)state;
    check_coverage(&(noise){"nothing in common", 0.0, 0.0, 0.0, 0.08, 1}, 1.0, 4.0, 24);
}

static void sessions_differ(void **state)
{
    (void)state;
    check_coverage(&(noise){"sessions", 0.10, 0.06, 0.03, 0.05, 5}, 1.0, 4.0, 25);
}

static void far_beyond_the_largest_size(void **state)
{
    (void)state;
    check_coverage(&(noise){"sixteen times the largest", 0.0, 0.10, 0.04, 0.06, 1}, 15.9, 16.0, 26);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_come_back),         cmocka_unit_test(one_run_of_each_size_says_nothing),
        cmocka_unit_test(one_operation_is_the_run),     cmocka_unit_test(runs_differ_more_than_events),
        cmocka_unit_test(events_differ_more_than_runs), cmocka_unit_test(operations_differ_from_run_to_run),
        cmocka_unit_test(nothing_is_in_common),         cmocka_unit_test(sessions_differ),
        cmocka_unit_test(far_beyond_the_largest_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
