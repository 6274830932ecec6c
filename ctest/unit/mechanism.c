/* What the memory hierarchy and the work of kernels say of their times: curves and mechanisms whose truth is known come
 * back from noisy times, also for sizes on the other side of a cache. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "predict/sheet/mechanism.h"
#include "predict/sheet/nonnegative.h"
#include "runtime/base/random.h"

static double normal(uint64_t *random)
{
    const double radius = sqrt(-2.0 * log(1.0 - random_unit(random)));
    return radius * cos(2.0 * M_PI * random_unit(random));
}

static double between(double low, double high, uint64_t *random)
{
    return low * pow(high / low, random_unit(random));
}

/* ---- least squares ---- */

static double residual(int64_t rows, int columns, const double *x, const double *y, const double *b)
{
    double sum = 0.0;
    for (int64_t r = 0; r < rows; r++) {
        double off = y[r];
        for (int c = 0; c < columns; c++)
            off -= x[r * columns + c] * b[c];
        sum += off * off;
    }
    return sum;
}

/* No coefficient can be moved to where the residual is less. */
static void nonnegative_is_the_minimum(void **state)
{
    enum { ROWS = 9, COLUMNS = 4, CASES = 300 };
    uint64_t random = 11;
    (void)state;
    for (int k = 0; k < CASES; k++) {
        double x[ROWS * COLUMNS], y[ROWS], weight[ROWS], b[COLUMNS];
        for (int r = 0; r < ROWS; r++) {
            weight[r] = 1.0;
            y[r] = normal(&random);
            for (int c = 0; c < COLUMNS; c++)
                x[r * COLUMNS + c] = normal(&random);
        }
        const double least = nonnegative_fit(ROWS, COLUMNS, x, y, weight, b);
        assert_true(fabs(least - residual(ROWS, COLUMNS, x, y, b)) < 1e-9);
        for (int c = 0; c < COLUMNS; c++) {
            const double kept = b[c];
            assert_true(kept >= 0.0);
            for (int side = -1; side <= 1; side += 2) {
                b[c] = fmax(kept + side * 1e-4, 0.0);
                assert_true(residual(ROWS, COLUMNS, x, y, b) >= least - 1e-12);
            }
            b[c] = kept;
        }
    }
}

/* ---- curves ---- */

/* A machine with caches of 32 KiB, 1 MiB and 16 MiB; times of 2 cores beyond the last are twice as long. */
static bmf_memory_curve true_curve(bmf_memory_access access, int32_t p)
{
    bmf_memory_curve curve = {.access = access,
                              .p = p,
                              .low = 4096,
                              .high = 1 << 28,
                              .steps = 3,
                              .level = 4e-12,
                              .rise = {4e-12, 12e-12, 80e-12 * p},
                              .step = {40000, 1.2e6, 2e7 / p},
                              .width = {0.1, 0.2, 0.3}};
    if (access == BMF_MEMORY_TOUCH || access == BMF_MEMORY_FAULT)
        curve.steps = 0, curve.level = access == BMF_MEMORY_TOUCH ? 1e-10 : 6e-10;
    return curve;
}

static void curves_come_back(void **state)
{
    enum { SIZES = 17, CASES = 20 };
    uint64_t random = 3;
    (void)state;
    for (int c = 0; c < CASES; c++) {
        const bmf_memory_curve truth = true_curve(BMF_MEMORY_READ, 1 + c % 2);
        bmf_memory_curve found = {0};
        bmf_memory_point point[SIZES];
        for (int k = 0; k < SIZES; k++) {
            const double bytes = 4096.0 * exp2(k);
            point[k] = (bmf_memory_point){bytes, memory_curve_at(&truth, bytes) * exp(0.02 * normal(&random))};
        }
        memory_curve_fit(SIZES, point, &found);
        double last = 0.0;
        for (double bytes = 4096.0; bytes < 2.6e8; bytes *= 1.3) {
            const double ratio = memory_curve_at(&found, bytes) / memory_curve_at(&truth, bytes);
            const double near_step = fabs(log(bytes / truth.step[0])) < 0.7 || fabs(log(bytes / truth.step[1])) < 0.7 ||
                                     fabs(log(bytes / truth.step[2])) < 0.7;
            assert_true(ratio > (near_step ? 0.55 : 0.85) && ratio < (near_step ? 1.8 : 1.18));
            assert_true(memory_curve_at(&found, bytes) >= last);
            last = memory_curve_at(&found, bytes);
        }
        assert_true(found.error < 0.06);
    }
}

static void curves_without_steps_stay_without(void **state)
{
    enum { SIZES = 15 };
    bmf_memory_point point[SIZES];
    bmf_memory_curve found = {0};
    uint64_t random = 5;
    (void)state;
    for (int k = 0; k < SIZES; k++)
        point[k] = (bmf_memory_point){4096.0 * exp2(k), 1e-10 * exp(0.02 * normal(&random))};
    memory_curve_fit(SIZES, point, &found);
    assert_int_equal(found.steps, 0);
    assert_true(fabs(found.level / 1e-10 - 1.0) < 0.02);
}

static void cores_between_and_beyond(void **state)
{
    bmf_memory_curve curve[2] = {{.p = 1, .low = 1, .high = 1e9, .level = 1e-10},
                                 {.p = 4, .low = 1, .high = 1e9, .level = 2e-10}};
    const bmf_memory memory = {2, curve};
    (void)state;
    assert_true(fabs(memory_seconds(&memory, BMF_MEMORY_READ, 1, 1e6) / 1e-10 - 1.0) < 1e-12);
    assert_true(fabs(memory_seconds(&memory, BMF_MEMORY_READ, 2, 1e6) / (1e-10 * sqrt(2.0)) - 1.0) < 1e-12);
    assert_true(fabs(memory_seconds(&memory, BMF_MEMORY_READ, 16, 1e6) / 4e-10 - 1.0) < 1e-12);
    assert_true(memory_seconds(&memory, BMF_MEMORY_WRITE, 1, 1e6) == 0.0);
}

/* ---- kernels ---- */

enum { CURVES = 5 };
static bmf_memory_curve machine_curve[CURVES];
static const bmf_memory machine = {CURVES, machine_curve};

static int make_machine(void **state)
{
    (void)state;
    machine_curve[0] = true_curve(BMF_MEMORY_READ, 1);
    machine_curve[1] = true_curve(BMF_MEMORY_READ, 2);
    machine_curve[2] = true_curve(BMF_MEMORY_WRITE, 1);
    machine_curve[3] = true_curve(BMF_MEMORY_TOUCH, 1);
    machine_curve[4] = true_curve(BMF_MEMORY_FAULT, 1);
    return 0;
}

typedef struct truth {
    double start, operation, overlap, first, fault;
    bool writes;
} truth;

static bmf_kernel_work work_of(const truth *t, int64_t elements, bool fresh)
{
    return (bmf_kernel_work){.code = 77,
                             .operations = 3 * elements,
                             .read = 8 * elements,
                             .written = t->writes ? 8 * elements : 0,
                             .fresh = fresh ? 8 * elements : 0};
}

static double seconds_of(const truth *t, const bmf_kernel_work *work)
{
    bmf_mechanism_needs needs;
    mechanism_needs(&machine, work, 1.0, 1.0, &needs);
    const double computing = t->operation * needs.operations;
    return t->start + pow(pow(computing, t->overlap) + pow(needs.traffic, t->overlap), 1.0 / t->overlap) +
           t->first * needs.touching + t->fault * needs.faulting;
}

static bool learn(const truth *t, int64_t smallest, int sizes, int repeats, double noise, uint64_t *random,
                  bmf_mechanism *found)
{
    bmf_mechanism_time time[200];
    int64_t count = 0;
    for (int size = 0; size < sizes; size++)
        for (int r = 0; r < repeats; r++) {
            const bmf_kernel_work work = work_of(t, smallest << size, t->first + t->fault > 0.0 && r % 2);
            time[count++] = (bmf_mechanism_time){work, 1, 1, seconds_of(t, &work) * exp(noise * normal(random))};
        }
    return mechanism_fit(&machine, count, time, found);
}

/* Learnt in the second and third cache, asked for in memory, four times the largest: the error is small whether it
 * computes or moves, and would not be with a line through what was learnt. */
static void sizes_beyond_a_cache(void **state)
{
    enum { CASES = 60, SMALLEST = 1 << 14, SIZES = 6, REPEATS = 5 };
    uint64_t random = 9;
    double worst = 0.0, sum = 0.0, line = 0.0;
    int inside = 0;
    (void)state;
    for (int k = 0; k < CASES; k++) {
        const truth t = {.start = between(1e-7, 1e-5, &random),
                         .operation = between(1e-12, 1e-10, &random),
                         .overlap = k % 2 ? 1.0 : 8.0,
                         .writes = k % 3 == 0};
        bmf_mechanism found;
        bmf_mechanism_estimate estimate;
        assert_true(learn(&t, SMALLEST, SIZES, REPEATS, 0.05, &random, &found));
        const bmf_kernel_work asked = work_of(&t, (int64_t)SMALLEST << 8, false),
                              largest = work_of(&t, (int64_t)SMALLEST << 5, false),
                              smallest = work_of(&t, SMALLEST, false);
        mechanism_evaluate(&found, &machine, 1.0, &asked, NULL, &estimate);
        const double right = seconds_of(&t, &asked), error = fabs(estimate.mean / right - 1.0);
        const double slope = (seconds_of(&t, &largest) - seconds_of(&t, &smallest)) / (31.0 * SMALLEST);
        line += fabs((seconds_of(&t, &largest) + slope * (255 - 31) * SMALLEST) / right - 1.0) / CASES;
        worst = fmax(worst, error);
        sum += error / CASES;
        inside += error * estimate.mean < 2.0 * sqrt(estimate.form_variance + estimate.noise_variance);
    }
    print_message("beyond a cache: mean error %.3f, worst %.3f, of a line %.3f; %d of %d inside\n", sum, worst, line,
                  inside, CASES);
    assert_true(sum < 0.12 && worst < 0.5 && line > 0.25);
    assert_true(inside >= CASES * 9 / 10);
}

static void fresh_memory_has_its_own_cost(void **state)
{
    const truth t = {.start = 1e-6, .operation = 2e-12, .overlap = 4.0, .first = 1.0, .writes = true};
    uint64_t random = 13;
    bmf_mechanism found;
    (void)state;
    assert_true(learn(&t, 1 << 19, 5, 6, 0.02, &random, &found));
    for (int fresh = 0; fresh < 2; fresh++) {
        const bmf_kernel_work asked = work_of(&t, 1 << 24, fresh);
        bmf_mechanism_estimate estimate;
        mechanism_evaluate(&found, &machine, 1.0, &asked, NULL, &estimate);
        assert_true(fabs(estimate.mean / seconds_of(&t, &asked) - 1.0) < 0.1);
    }
}

/* Pages of small buffers are touched in the kernel, huge ones before it: learnt on both sides of 2 MiB. */
static void small_pages_fault_and_huge_ones_do_not(void **state)
{
    const truth t = {.start = 1e-6, .operation = 2e-12, .overlap = 4.0, .fault = 1.0, .writes = true};
    uint64_t random = 14;
    bmf_mechanism found;
    (void)state;
    assert_true(learn(&t, 1 << 16, 6, 6, 0.02, &random, &found));
    for (int64_t elements = 1 << 17; elements <= 1 << 24; elements <<= 7) {
        const bmf_kernel_work asked = work_of(&t, elements, true);
        bmf_mechanism_estimate estimate;
        mechanism_evaluate(&found, &machine, 1.0, &asked, NULL, &estimate);
        assert_true(fabs(estimate.mean / seconds_of(&t, &asked) - 1.0) < 0.1);
    }
}

static void too_little_is_refused(void **state)
{
    const truth t = {.start = 1e-6, .operation = 2e-12, .overlap = 1.0};
    uint64_t random = 1;
    bmf_mechanism found;
    bmf_mechanism_time unknown = {.p = 1, .threads = 1, .seconds = 1.0};
    (void)state;
    assert_false(learn(&t, 1000, 2, 5, 0.01, &random, &found));
    assert_false(mechanism_fit(&machine, 1, &unknown, &found));
    assert_false(mechanism_fit(&machine, 0, NULL, &found));
}

/* A kernel that nobody has traced, with twice the operations of those that were. */
static void kernels_that_were_never_traced(void **state)
{
    uint64_t random = 21;
    bmf_mechanism found[3], guess;
    const bmf_mechanism *others[3];
    bmf_mechanism_estimate estimate;
    (void)state;
    for (int k = 0; k < 3; k++) {
        const truth t = {.start = 1e-6, .operation = (1.0 + k) * 2e-11, .overlap = 8.0};
        assert_true(learn(&t, 1 << 12, 6, 5, 0.02, &random, &found[k]));
        others[k] = &found[k];
    }
    assert_true(mechanism_guess(3, others, &guess));
    const truth unseen = {.operation = 4e-11, .overlap = 8.0};
    bmf_kernel_work work = work_of(&unseen, 1 << 20, false);
    work.operations *= 2;
    mechanism_evaluate(&guess, &machine, 1.0, &work, NULL, &estimate);
    /* whether it computes and moves at once is not known of it */
    assert_true(fabs(estimate.mean / seconds_of(&unseen, &work) - 1.0) < 0.5);
    assert_true(estimate.noise_variance >= 0.2 * estimate.mean * estimate.mean);
    assert_false(mechanism_guess(0, NULL, &guess));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonnegative_is_the_minimum),
        cmocka_unit_test(curves_come_back),
        cmocka_unit_test(curves_without_steps_stay_without),
        cmocka_unit_test(cores_between_and_beyond),
        cmocka_unit_test(sizes_beyond_a_cache),
        cmocka_unit_test(fresh_memory_has_its_own_cost),
        cmocka_unit_test(small_pages_fault_and_huge_ones_do_not),
        cmocka_unit_test(too_little_is_refused),
        cmocka_unit_test(kernels_that_were_never_traced),
    };
    return cmocka_run_group_tests(tests, make_machine, NULL);
}
