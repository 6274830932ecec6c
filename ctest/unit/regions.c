/* Parts of programs over processors: equations that are known come back, whichever terms they have; where they are
 * least against a search; which part is to blame against all of them; times of a run's intervals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "predict/choose/regions.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

enum { NUMBERS = 11, CASES = 400 };

static unsigned seed = 20;

static double random_real(void)
{
    return (double)rand_r(&seed) / ((double)RAND_MAX + 1.0);
}

static bmf_regions powers_of_two(int64_t count)
{
    bmf_regions regions;
    int64_t processors[NUMBERS];
    for (int k = 0; k < NUMBERS; k++)
        processors[k] = INT64_C(1) << k;
    regions_create(&regions, NUMBERS, processors);
    regions.region = allocate_clear(count, (int64_t)sizeof *regions.region);
    regions.count = regions.capacity = count;
    for (int64_t r = 0; r < count; r++) {
        regions.region[r].path = text_copy("part");
        regions.region[r].seconds = allocate_array(NUMBERS, (int64_t)sizeof(double));
    }
    return regions;
}

static double value_at(const double c[BMF_REGION_TERMS], double p)
{
    return c[0] + c[1] / p + c[2] * log2(p) + c[3] * p;
}

/* Terms that are felt: each is at least a tenth of the time somewhere. */
static void random_equation(double c[BMF_REGION_TERMS])
{
    const int mask = 1 + (int)(15.0 * random_real());
    for (int term = 0; term < BMF_REGION_TERMS; term++)
        c[term] = mask >> term & 1 ? 1e-3 * (0.5 + random_real()) : 0.0;
    c[BMF_REGION_DIVIDED] *= 100.0;
    c[BMF_REGION_LINEAR] /= 50.0;
}

static void equations_come_back(void **state)
{
    (void)state;
    printf("seed %u\n", seed);
    for (int k = 0; k < CASES; k++) {
        bmf_regions regions = powers_of_two(1);
        bmf_region *region = &regions.region[0];
        double c[BMF_REGION_TERMS];
        random_equation(c);
        for (int n = 0; n < NUMBERS; n++)
            region->seconds[n] = value_at(c, (double)regions.processors[n]);
        regions_fit(&regions);
        assert_true(region->fitted);
        if (region->deviation > 0.01)
            fail_msg("case %d: off by %g", k, region->deviation);
        for (int n = 0; n < NUMBERS; n++)
            if (fabs(region_time(region, (double)regions.processors[n]) - region->seconds[n]) >
                0.01 * region->seconds[n])
                fail_msg("case %d at %d: %g, expected %g", k, n, region_time(region, (double)regions.processors[n]),
                         region->seconds[n]);
        regions_free(&regions);
    }
}

/* Terms that are not there are not made up: what has one term gets that one alone, with noise of 2 % too. */
static void few_terms_are_taken(void **state)
{
    (void)state;
    for (int term = 0; term < BMF_REGION_TERMS; term++)
        for (int noisy = 0; noisy < 2; noisy++) {
            bmf_regions regions = powers_of_two(1);
            bmf_region *region = &regions.region[0];
            double c[BMF_REGION_TERMS] = {0};
            c[term] = 2.5e-3;
            for (int n = 0; n < NUMBERS; n++)
                region->seconds[n] =
                    value_at(c, (double)regions.processors[n]) * (1.0 + (noisy ? 0.02 * (random_real() - 0.5) : 0.0));
            regions_fit(&regions);
            if (!(fabs(region->coefficient[term] / 2.5e-3 - 1.0) < 0.02))
                fail_msg("term %d: %g", term, region->coefficient[term]);
            for (int other = 0; other < BMF_REGION_TERMS; other++)
                if (other != term && region->coefficient[other] * 1.0 > 0.05 * 2.5e-3)
                    fail_msg("term %d: term %d is %g", term, other, region->coefficient[other]);
            regions_free(&regions);
        }
}

static void the_least_is_that_of_a_search(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        bmf_region region = {.fitted = true};
        random_equation(region.coefficient);
        const double least = region_least(&region);
        if (isinf(least)) {
            assert_true(region.coefficient[BMF_REGION_LOGARITHMIC] <= 0.0 &&
                        region.coefficient[BMF_REGION_LINEAR] <= 0.0);
            continue;
        }
        for (double p = 1.0; p < 1e5; p *= 1.01)
            if (region_time(&region, p) < region_time(&region, least) * (1.0 - 1e-9))
                fail_msg("case %d: %g at %g, %g at %g", k, region_time(&region, least), least, region_time(&region, p),
                         p);
    }
}

static void the_worst_part_is_that_of_a_search(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        enum { PARTS = 6 };
        bmf_regions regions = powers_of_two(PARTS);
        int64_t number, known = -1, worst = -1;
        for (int r = 0; r < PARTS; r++) {
            double c[BMF_REGION_TERMS];
            random_equation(c);
            regions.region[r].has_parts = random_real() < 0.2;
            for (int n = 0; n < NUMBERS; n++)
                regions.region[r].seconds[n] = value_at(c, (double)regions.processors[n]);
        }
        for (int n = 0; n < NUMBERS; n++)
            if (random_real() < 0.7) {
                regions.whole[n] = 1.0;
                known = n;
            }
        regions_fit(&regions);
        for (int r = 0; r < PARTS && known >= 0; r++) {
            const double p = (double)regions.processors[known];
            if (!regions.region[r].has_parts &&
                (worst < 0 || region_rest(&regions.region[r], p) > region_rest(&regions.region[worst], p)))
                worst = r;
        }
        assert_int_equal(regions_worst(&regions, &number), worst);
        assert_int_equal(number, known);
        regions_free(&regions);
    }
}

static void add_event(bmf_trace_run *run, int lane, uint32_t node, bmf_event_kind kind, int64_t begin, int64_t end)
{
    run_add(run, &(bmf_event){.begin = begin,
                              .end = end,
                              .low = end,
                              .high = end,
                              .lane = lane,
                              .peer = -1,
                              .node = node,
                              .kind = (uint16_t)kind});
}

/* main has a region, in which a call has another call in it, and a call of its own. */
static void times_are_those_of_the_longest_processor(void **state)
{
    (void)state;
    bmf_regions regions;
    bmf_trace_run *run = run_create("program", "machine", 2, 2, 1);
    const uint32_t step = run_node(run, 0, "step", BMF_EVENT_REGION),
                   call = run_node(run, step, "map", BMF_EVENT_SKELETON),
                   inner = run_node(run, call, "reduce", BMF_EVENT_SKELETON),
                   last = run_node(run, 0, "gather", BMF_EVENT_SKELETON);
    run->predicted = 1;
    for (int lane = 0; lane < 2; lane++) {
        const int64_t late = 100 * lane;
        add_event(run, lane, 0, BMF_EVENT_REGION, 0, 2000);
        add_event(run, lane, step, BMF_EVENT_REGION, 0, 1000 + late);
        add_event(run, lane, call, BMF_EVENT_SKELETON, 100, 800 + late);
        add_event(run, lane, inner, BMF_EVENT_SKELETON, 200, 300);
        add_event(run, lane, last, BMF_EVENT_SKELETON, 1200, 1500);
    }
    regions_create(&regions, 1, (int64_t[]){2});
    assert_int_equal(regions_add(&regions, 0, run), BMF_OK);
    assert_int_equal(regions.count, 3);
    static const char *const path[] = {"step", "step/map", "gather"};
    static const double seconds[] = {1100e-9, 800e-9, 300e-9};
    for (int k = 0; k < 3; k++) {
        assert_string_equal(regions.region[k].path, path[k]);
        assert_true(fabs(regions.region[k].seconds[0] - seconds[k]) < 1e-12);
        assert_int_equal(regions.region[k].is_call, k > 0);
        assert_int_equal(regions.region[k].has_parts, k == 0);
    }
    assert_true(fabs(regions.whole[0] - 2000e-9) < 1e-12);
    regions_fit(&regions);
    assert_false(regions.region[0].fitted); /* one number of processors says nothing */
    regions_free(&regions);
    run_free(run);
}

static void equations_are_printed(void **state)
{
    (void)state;
    bmf_region region = {.fitted = true, .coefficient = {1e-3, 0.0, 2e-6, 3e-9}};
    char text[200], narrow[8];
    assert_string_equal(region_equation(&region, text, sizeof text), "1 ms + 2 us log2(p) + 3 ns p");
    assert_string_equal(region_equation(&region, narrow, sizeof narrow), "1 ms + ");
    region.fitted = false;
    assert_string_equal(region_equation(&region, text, sizeof text), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_come_back),
        cmocka_unit_test(few_terms_are_taken),
        cmocka_unit_test(the_least_is_that_of_a_search),
        cmocka_unit_test(the_worst_part_is_that_of_a_search),
        cmocka_unit_test(times_are_those_of_the_longest_processor),
        cmocka_unit_test(equations_are_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
