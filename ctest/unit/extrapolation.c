/* Intervals beyond the sizes that were measured: synthetic kernels whose truth is known are measured with noise at a
 * few sizes, fitted, and asked for sizes up to four times the largest. The share of new observations inside their 95 %
 * interval is what the interval promises.
 *
 * BMF_FITS says how many fits there are (default 600 of each kind). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bmf/status.h"
#include "predict/sheet/sheet.h"
#include "runtime/base/allocate.h"
#include "runtime/base/random.h"

enum { MAX_SIZES = 8 };

/* c + k d, and k2 instead of k beyond the footprint D, with a smooth step: 1 / (1 + (D / d)^2). */
typedef struct kernel {
    double constant, slope, beyond, footprint;
} kernel;

typedef struct kind {
    const char *name;
    double min_step, max_step; /* slope beyond the footprint over the slope below */
    double from, to;           /* where the footprint may be: shares of the largest size; 0: anywhere in the sizes */
    double min_share, max_share;
} kind;

static double normal(uint64_t *random)
{
    const double radius = sqrt(-2.0 * log(1.0 - random_unit(random)));
    return radius * cos(2.0 * M_PI * random_unit(random));
}

static double between(double low, double high, uint64_t *random)
{
    return low * pow(high / low, random_unit(random));
}

static double truth(const kernel *k, double d)
{
    const double ratio = k->footprint / d, weight = 1.0 / (1.0 + ratio * ratio);
    return k->constant + (k->slope + (k->beyond - k->slope) * weight) * d;
}

static double observe(const kernel *k, double d, double noise, uint64_t *random)
{
    return truth(k, d) * exp(noise * normal(random));
}

static kernel random_kernel(const kind *of, double d_low, double d_high, uint64_t *random)
{
    const double from = of->from > 0.0 ? of->from * d_high : d_low, to = of->to > 0.0 ? of->to * d_high : d_high;
    kernel made = {.slope = between(1e-10, 1e-8, random), .footprint = between(from, to, random)};
    made.constant = made.slope * d_low * between(0.01, 10.0, random);
    made.beyond =
        made.slope * (of->max_step > of->min_step ? between(of->min_step, of->max_step, random) : of->min_step);
    return made;
}

static void fill(bmf_sample *sample, const kernel *k, int64_t d, int repeats, double noise, uint64_t *random)
{
    *sample = (bmf_sample){.family = BMF_FAMILY_LOCAL,
                           .p = 2,
                           .d = d,
                           .element_bytes = 1,
                           .threads = 1,
                           .repeats = repeats,
                           .seconds = allocate(repeats * (int64_t)sizeof(double))};
    snprintf(sample->operation, sizeof sample->operation, "map.kernel");
    for (int r = 0; r < repeats; r++)
        sample->seconds[r] = observe(k, (double)d, noise, random);
}

/* One kernel, fitted to 5 to 8 sizes with 10 observations each; whether a new observation at 1 to 4 times the largest
 * size is inside its interval. */
static bool holds(const kind *of, uint64_t *random)
{
    bmf_sample sample[MAX_SIZES];
    bmf_samples samples = {.sample = sample, .count = 5 + (int)(4.0 * random_unit(random))};
    const int64_t low = 1 << 14, high = low << (samples.count - 1);
    const kernel k = random_kernel(of, (double)low, (double)high, random);
    const double noise = between(0.01, 0.1, random);
    bmf_sheet *sheet;
    bmf_estimate estimate;
    for (int s = 0; s < samples.count; s++)
        fill(&sample[s], &k, low << s, 10, noise, random);
    assert_int_equal(sheet_fit(&samples, &sheet), BMF_OK);
    const double d = (double)high * between(1.0, 4.0, random), seen = observe(&k, d, noise, random);
    assert_int_equal(sheet_evaluate(sheet, "map.kernel", 2.0, d, &estimate), BMF_OK);
    sheet_free(sheet);
    for (int s = 0; s < samples.count; s++)
        free(sample[s].seconds);
    return seen >= estimate.low && seen <= estimate.high;
}

static void check(const kind *of, uint64_t seed)
{
    const char *wanted = getenv("BMF_FITS");
    const int fits = wanted ? atoi(wanted) : 600;
    uint64_t random = seed;
    int inside = 0;
    assert_true(fits > 0);
    for (int k = 0; k < fits; k++)
        inside += holds(of, &random);
    const double share = (double)inside / fits, error = 3.0 * sqrt(0.05 * 0.95 / fits);
    printf("%s, seed %llu: %.1f %% of %d new observations inside\n", of->name, (unsigned long long)seed, 100.0 * share,
           fits);
    assert_true(share > of->min_share - error && share < of->max_share + error);
}

static void test_lines(void **state)
{
    (void)state;
    check(&(kind){"lines", 1.0, 1.0, 0.0, 0.0, 0.93, 0.97}, 1);
}

static void test_steps(void **state)
{
    (void)state;
    check(&(kind){"steps", 1.0, 3.0, 0.0, 0.0, 0.93, 0.97}, 2);
}

/* A cache whose end is just not reached, or just passed, by the sizes that were measured. */
static void test_edges(void **state)
{
    (void)state;
    check(&(kind){"edges", 1.2, 2.0, 0.25, 1.0, 0.93, 0.97}, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_steps),
                                       cmocka_unit_test(test_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
