/* Typical times from several noisy runs: noise goes, imbalance stays, and the interval holds the next run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "predict/model/kernel_times.h"
#include "predict/model/measurements.h"
#include "predict/simulate/simulate.h"
#include "runtime/base/output_file.h"
#include "runtime/base/random.h"

enum { PROCESSORS = 64 };

static double normal(uint64_t *random)
{
    const double radius = sqrt(-2.0 * log(1.0 - random_unit(random)));
    return radius * cos(2.0 * M_PI * random_unit(random));
}

/* One run of a program in which every processor computes `calls` times; truth(p) seconds each, with noise of the run
 * and of the call. */
static bmf_actions *make_run(double (*truth)(int), int processors, int calls, double common, double own,
                             uint64_t *random)
{
    bmf_actions *actions = actions_create(processors, NULL);
    const double run = exp(common * normal(random));
    for (int c = 0; c < calls; c++)
        for (int p = 0; p < processors; p++)
            actions_compute(actions, p, 1, 0, 1000, truth(p) * run * exp(own * normal(random)), 0, 0, 0);
    return actions;
}

static double even(int p)
{
    (void)p;
    return 1e-3;
}

static double uneven(int p)
{
    return 1e-3 * (1.0 + (double)p / PROCESSORS);
}

/* The actions after `runs` runs. */
static bmf_actions *measured(double (*truth)(int), int processors, int calls, double common, double own, int runs,
                             uint64_t *random)
{
    bmf_measurements all = {0};
    bmf_actions *actions = NULL;
    for (int r = 0; r < runs; r++) {
        actions_free(actions);
        actions = make_run(truth, processors, calls, common, own, random);
        assert_true(measurements_add(&all, actions));
    }
    measurements_apply(&all, actions, 0.3);
    measurements_free(&all);
    return actions;
}

/* Largest distance from the truth, relative to it. */
static double farthest(const bmf_actions *actions, double (*truth)(int))
{
    double max = 0.0;
    for (int64_t k = 0; k < actions->count; k++)
        max = fmax(max, fabs(actions->stored[k].seconds / truth(actions->stored[k].processor) - 1.0));
    return max;
}

/* Equal work gets equal times, though one run has a fifth of noise; the slowest of 64 would be 1.5 times the mean. */
static void test_noise_goes(void **state)
{
    uint64_t random = 17;
    (void)state;
    bmf_actions *actions = measured(even, PROCESSORS, 1, 0.0, 0.2, 9, &random);
    assert_true(farthest(actions, even) < 0.1);
    actions_free(actions);
}

/* Work that really differs keeps its times. */
static void test_imbalance_stays(void **state)
{
    uint64_t random = 18;
    (void)state;
    bmf_actions *actions = measured(uneven, PROCESSORS, 1, 0.0, 0.02, 9, &random);
    assert_true(farthest(actions, uneven) < 0.06);
    actions_free(actions);
}

/* A run that was disturbed as a whole, and one call that took a thousand times as long, leave the median alone. */
static void test_disturbed(void **state)
{
    uint64_t random = 19;
    bmf_measurements all = {0};
    bmf_actions *actions = NULL;
    (void)state;
    for (int r = 0; r < 7; r++) {
        actions_free(actions);
        actions = make_run(even, PROCESSORS, 1, 0.0, 0.01, &random);
        for (int p = 0; r == 3 && p < PROCESSORS; p++)
            actions->stored[p].seconds *= 5.0;
        if (r == 5)
            actions->stored[7].seconds *= 1000.0;
        assert_true(measurements_add(&all, actions));
    }
    measurements_apply(&all, actions, 0.3);
    assert_true(farthest(actions, even) < 0.02);
    assert_true(measurements_error(&all) > 0.05); /* it says that the runs do not agree */
    measurements_free(&all);
    actions_free(actions);
}

/* The 95 % interval holds the next run in 95 of 100 cases, whatever of the noise runs share. */
static void check_coverage(int processors, int calls, double common, double own, uint64_t seed)
{
    enum { TRIALS = 400, SAMPLES = 200 };
    uint64_t random = seed;
    int inside = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        bmf_network *network = network_ideal(processors);
        bmf_actions *actions = measured(even, processors, calls, common, own, 8, &random),
                    *next = make_run(even, processors, calls, common, own, &random);
        bmf_prediction prediction, real;
        assert_int_equal(simulate_interval(actions, network, SAMPLES, &prediction), BMF_OK);
        assert_int_equal(simulate_interval(next, network, SAMPLES, &real), BMF_OK);
        inside += real.seconds >= prediction.low && real.seconds <= prediction.high;
        actions_free(actions);
        actions_free(next);
        network->type->destroy(network);
    }
    printf("%d processors, %d calls, noise %.2f of runs, %.2f of calls, seed %llu: %d of %d inside\n", processors,
           calls, common, own, (unsigned long long)seed, inside, TRIALS);
    /* three standard errors of 95 % of 400 are 3.3 %; quantiles of 200 samples lose half a percent */
    assert_in_range(inside, (int)(0.91 * TRIALS), (int)(0.99 * TRIALS));
}

static void test_coverage(void **state)
{
    (void)state;
    check_coverage(1, 1, 0.1, 0.0, 1);
    check_coverage(1, 20, 0.05, 0.1, 2);
    check_coverage(8, 5, 0.05, 0.1, 3);
}

/* One run cannot tell; the error is the one that the machine states. */
static void test_single(void **state)
{
    uint64_t random = 20;
    (void)state;
    bmf_actions *actions = measured(uneven, PROCESSORS, 1, 0.0, 0.0, 1, &random);
    assert_true(farthest(actions, uneven) < 1e-9);
    assert_true(fabs(actions->spread.common - sqrt(log1p(0.3 * 0.3))) < 1e-12);
    actions_free(actions);
}

/* A program that computes something else is told, and starts anew. */
static void test_other_actions(void **state)
{
    uint64_t random = 21;
    bmf_measurements all = {0};
    bmf_actions *one = make_run(even, 4, 1, 0, 0, &random), *two = make_run(even, 5, 1, 0, 0, &random);
    (void)state;
    assert_true(measurements_add(&all, one));
    assert_false(measurements_add(&all, two));
    assert_int_equal(all.runs, 1);
    assert_true(isinf(measurements_error(&all)));
    measurements_free(&all);
    actions_free(one);
    actions_free(two);
}

static void test_file(void **state)
{
    uint64_t random = 22;
    char *directory = temporary_directory_create("bmf-test"), path[4096];
    bmf_measurements all = {0}, back = {0};
    (void)state;
    assert_non_null(directory);
    snprintf(path, sizeof path, "%s/times", directory);
    assert_true(measurements_read(&back, path));
    assert_int_equal(back.runs, 0);
    for (int r = 0; r < 3; r++) {
        bmf_actions *actions = make_run(even, 4, 1, 0.1, 0.1, &random);
        assert_true(measurements_add(&all, actions));
        assert_true(measurements_append(&all, path));
        actions_free(actions);
    }
    assert_true(measurements_read(&back, path));
    assert_int_equal(back.runs, 3);
    assert_int_equal(back.shape, all.shape);
    assert_memory_equal(back.seconds, all.seconds, 3 * 4 * sizeof(double));
    measurements_free(&back);
    assert_int_equal(truncate(path, 100), 0);
    assert_false(measurements_read(&back, path));
    measurements_free(&back);
    measurements_free(&all);
    temporary_directory_remove(directory);
}

/* ---- processors that have the times of others ---- */

enum { CLASSES = 5, RUNS = 6, COUNTED = RUNS - 1 };

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(const double *value, int count)
{
    double sorted[PROCESSORS];
    memcpy(sorted, value, (size_t)count * sizeof *value);
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* What the header says, for each processor by itself; value: logarithms of the times of the runs that count. Returns
 * the variance of single calls. */
static double reference(double value[PROCESSORS][COUNTED], double *middle)
{
    double factor[COUNTED] = {0}, squares = 0.0, between = 0.0;
    for (int r = 0; r < COUNTED; r++) {
        for (int p = 0; p < PROCESSORS; p++)
            factor[r] += exp(value[p][r]);
        factor[r] = log(factor[r]);
    }
    const double usual = median(factor, COUNTED);
    for (int p = 0; p < PROCESSORS; p++) {
        middle[p] = median(value[p], COUNTED);
        for (int r = 0; r < COUNTED; r++)
            squares += pow(value[p][r] - middle[p] - (factor[r] - usual), 2);
    }
    const double own = squares / (PROCESSORS * (COUNTED - 1)), noise = own * 1.2533 * 1.2533 / COUNTED;
    const double typical = median(middle, PROCESSORS);
    for (int p = 0; p < PROCESSORS; p++)
        between += pow(middle[p] - typical, 2) / (PROCESSORS - 1);
    for (int p = 0; p < PROCESSORS; p++)
        middle[p] = typical + (between > noise ? 1 - noise / between : 0) * (middle[p] - typical);
    return own;
}

/* Many processors with the same times count as many, also where some of them do so by chance and in another run not. */
static void check_classes(double spread, double noise, uint64_t seed)
{
    uint64_t random = seed;
    double value[PROCESSORS][COUNTED], middle[PROCESSORS];
    bmf_measurements all = {0};
    bmf_actions *actions = NULL;
    for (int r = 0; r < RUNS; r++) {
        double times[CLASSES];
        actions_free(actions);
        actions = actions_create(PROCESSORS, NULL);
        for (int c = 0; c < CLASSES; c++)
            times[c] = 1e-3 * exp(spread * c + noise * normal(&random));
        times[1] = r == 2 ? times[1] : times[0];
        for (int p = 0; p < PROCESSORS; p++) {
            const double seconds = times[p % 7 % CLASSES];
            actions_compute(actions, p, 1, 0, 1000, seconds, 0, 0, 0);
            if (r > 0)
                value[p][r - 1] = log(seconds);
        }
        assert_true(measurements_add(&all, actions));
    }
    measurements_apply(&all, actions, 0.3);
    const double own = reference(value, middle);
    for (int p = 0; p < PROCESSORS; p++) {
        const double expected = exp(middle[p]);
        if (!(fabs(actions->stored[p].seconds / expected - 1) < 1e-12))
            fail_msg("seed %llu, processor %d: %.17g s instead of %.17g", (unsigned long long)seed, p,
                     actions->stored[p].seconds, expected);
        assert_true(fabs((double)actions->stored[p].own / sqrt(own * (1 + 1.0 / COUNTED)) - 1) < 1e-6);
    }
    measurements_free(&all);
    actions_free(actions);
}

static void test_classes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        check_classes(0.0, 0.2, seed);
        check_classes(0.1, 0.02, seed);
    }
}

/* Equal work has one time, whatever else differs; the lower quartile of the last of its times. */
static void test_kernel_times(void **state)
{
    static const bmf_kernel_work work = {.code = 7, .operations = 100, .read = 800, .fresh = 4096};
    bmf_kernel_work touched = work, other = work;
    bmf_kernel_times *times = kernel_times_create();
    (void)state;
    touched.fresh = 0;
    other.written = 8;
    const uint32_t number = kernel_times_keep(times, "map.kernel", 100, &work, 3.0);
    assert_int_equal(kernel_times_keep(times, "map.kernel", 100, &touched, 1.0), number);
    assert_int_equal(kernel_times_keep(times, "map.kernel", 100, &work, 50.0), number);
    assert_true(kernel_times_typical(times, number) == 2.0); /* halfway between 1 and 3 */
    const uint32_t rest[] = {kernel_times_keep(times, "map.kernel", 101, &work, 9.0),
                             kernel_times_keep(times, "reduce.kernel", 100, &work, 8.0),
                             kernel_times_keep(times, "map.kernel", 100, &other, 7.0),
                             kernel_times_keep(times, "map.kernel", 100, NULL, 6.0)};
    for (uint32_t k = 0; k < 4; k++) {
        assert_int_equal(rest[k], number + 1 + k);
        assert_true(kernel_times_typical(times, rest[k]) == 9.0 - k);
    }
    for (int k = 0; k < 1000; k++) /* what was long ago is forgotten */
        kernel_times_keep(times, "map.kernel", 100, &work, 4.0);
    assert_true(kernel_times_typical(times, number) == 4.0);
    for (int k = 0; k < 5000; k++) {
        char name[32];
        snprintf(name, sizeof name, "map.%d", k);
        assert_int_equal(kernel_times_keep(times, name, k, NULL, k), number + 5 + (uint32_t)k);
    }
    assert_true(kernel_times_typical(times, number + 5 + 4999) == 4999.0);
    kernel_times_free(times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_noise_goes),  cmocka_unit_test(test_imbalance_stays),
                                       cmocka_unit_test(test_disturbed),   cmocka_unit_test(test_coverage),
                                       cmocka_unit_test(test_single),      cmocka_unit_test(test_other_actions),
                                       cmocka_unit_test(test_classes),     cmocka_unit_test(test_file),
                                       cmocka_unit_test(test_kernel_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
