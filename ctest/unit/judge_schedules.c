/* What choices of algorithms lose, from several series: known losses are found with their interval, luck is not one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "drivers/sheet/judge_schedules.h"

enum { SERIES = 5, POINTS = 400 };

/* Two ways, of which the first is chosen; the second takes 1 / (1 + lost) of its time; noise of single times. */
static void make_series(bmf_schedules_series *all, double lost, double noise, uint64_t seed)
{
    for (int s = 0; s < SERIES; s++) {
        all[s] = (bmf_schedules_series){.point = calloc(POINTS, sizeof(bmf_schedules_point)), .points = POINTS};
        for (int k = 0; k < POINTS; k++) {
            bmf_schedules_point *p = &all[s].point[k];
            *p = (bmf_schedules_point){.skeleton = "reduce", .count = 2, .bytes = 8 * (k + 1), .ways = 2};
            for (int way = 0; way < 2; way++) {
                const double uniform = (double)test_below(&seed, 1000001) / 1e6;
                p->seconds[way] = 1e-6 * (way == 0 ? 1.0 + lost : 1.0) * exp(noise * (2.0 * uniform - 1.0));
            }
        }
    }
}

static void free_series(bmf_schedules_series *all, bmf_judged_point *judged)
{
    for (int s = 0; s < SERIES; s++)
        free(all[s].point);
    free(judged);
}

typedef struct found {
    double mean;
    int behind, persists, covered;
} found;

static found judge(double lost, double noise)
{
    bmf_schedules_series all[SERIES];
    bmf_judged_point *judged;
    found made = {0};
    make_series(all, lost, noise, 4711);
    const int64_t points = judge_schedules(SERIES, all, &judged);
    assert_int_equal(points, POINTS);
    for (int64_t k = 0; k < points; k++) {
        const bmf_schedules_loss *loss = &judged[k].costs;
        assert_true(loss->low <= loss->mean && loss->mean <= loss->high);
        made.mean += loss->mean / POINTS;
        made.behind += loss_is_behind(loss);
        made.persists += loss_persists(loss);
        made.covered += loss->low <= lost && lost <= loss->high;
    }
    free_series(all, judged);
    return made;
}

static void losses_without_noise_are_exact(void **state)
{
    (void)state;
    const found none = judge(0.0, 0.0), some = judge(0.2, 0.0), few = judge(0.04, 0.0);
    assert_true(none.behind == 0 && none.persists == 0 && fabs(none.mean) < 1e-12);
    assert_true(some.behind == POINTS && some.persists == POINTS && fabs(some.mean - 0.2) < 1e-9);
    assert_true(few.behind == 0 && fabs(few.mean - 0.04) < 1e-9);
}

/* Of two algorithms that take equally long the chosen one is often behind in a series, and hardly ever for certain. */
static void luck_is_no_loss(void **state)
{
    (void)state;
    const found equal = judge(0.0, 0.2);
    assert_true(fabs(equal.mean) < 0.02);
    assert_true(equal.persists < POINTS / 10);
}

static void losses_are_found_in_noise(void **state)
{
    (void)state;
    const found lost = judge(0.3, 0.05);
    assert_true(fabs(lost.mean - 0.3) < 0.02 && lost.persists == POINTS);
    if (lost.covered < 9 * POINTS / 10)
        fail_msg("%d of %d intervals have the loss", lost.covered, POINTS);
}

/* Points that a series lacks, because they took too long there, are left out. */
static void only_what_all_series_have(void **state)
{
    (void)state;
    bmf_schedules_series all[SERIES];
    bmf_judged_point *judged;
    make_series(all, 0.1, 0.0, 1);
    all[3].points = 7;
    assert_int_equal(judge_schedules(SERIES, all, &judged), 7);
    free(judged);
    assert_int_equal(judge_schedules(1, all, &judged), POINTS); /* as wide as the loss itself */
    assert_true(fabs(judged[0].costs.low) < 1e-9 && fabs(judged[0].costs.high - 0.2) < 1e-9);
    free_series(all, judged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_without_noise_are_exact),
        cmocka_unit_test(luck_is_no_loss),
        cmocka_unit_test(losses_are_found_in_noise),
        cmocka_unit_test(only_what_all_series_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
