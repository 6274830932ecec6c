/* Numbers of any size from four small ones: constants, lines and pairs of elements are found again to the last one;
 * what depends on the data lies in between; what looks like pairs by chance is not taken for them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "drivers/predict/growth.h"

static bmf_growth growth_to(int64_t wanted)
{
    return (bmf_growth){{16, 24, 32, 40}, wanted};
}

/* constant + line n + square n (n - 1) / 2 */
static int64_t polynomial(int64_t constant, int64_t line, int64_t square, int64_t n)
{
    return constant + line * n + square * (n * (n - 1) / 2);
}

static void polynomials_follow(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    for (int try = 0; try < 2000; try++) {
        const int64_t constant = (int64_t)test_below(&seed, 1000), line = (int64_t)test_below(&seed, 100);
        const int64_t square = (int64_t)test_below(&seed, 3), wanted = 41 + (int64_t)test_below(&seed, 1000000);
        const bmf_growth growth = growth_to(wanted);
        int64_t count[BMF_GROWTH_SIZES];
        double seconds[BMF_GROWTH_SIZES];
        for (int k = 0; k < BMF_GROWTH_SIZES; k++) {
            count[k] = polynomial(constant, line, square, growth.each[k]);
            seconds[k] = 1e-9 * (double)count[k];
        }
        const double expected = (double)polynomial(constant, line, square, wanted);
        const bmf_growth_range whole = growth_of_counts(&growth, count), real = growth_of_seconds(&growth, seconds);
        assert_true(whole.follows && whole.low == whole.high);
        assert_true(fabs(whole.low - expected) <= 1e-12 * expected);
        assert_true(real.follows && fabs(real.low * 1e9 - expected) <= 1e-5 * expected);
    }
}

static void others_lie_between(void **state)
{
    (void)state;
    const bmf_growth growth = growth_to(40000);
    /* of every third element, of a third of ten times all pairs, between 9 and 10 always, and as many as bits */
    static const int64_t third[] = {5, 8, 11, 13}, pairs[] = {850, 1920, 3410, 5330}, few[] = {9, 10, 10, 9},
                         bits[] = {5, 5, 6, 6};
    bmf_growth_range found = growth_of_counts(&growth, third);
    assert_true(!found.follows && found.low <= 40000.0 / 3 && found.high >= 40000.0 / 3 && found.high < 15000);
    found = growth_of_counts(&growth, pairs);
    assert_true(!found.follows && found.low <= 1.6e10 / 3 && found.high >= 1.6e10 / 3 && found.high < 6e9);
    found = growth_of_counts(&growth, few);
    assert_true(!found.follows && found.low == 9 && found.high == 10);
    found = growth_of_counts(&growth, bits);
    assert_true(!found.follows && found.low <= 16 && found.high >= 16);
    static const int64_t chance[] = {3, 6, 6, 13}; /* of every fourth */
    found = growth_of_counts(&growth, chance);
    assert_true(!found.follows && found.low <= 10000 && found.high >= 10000 && found.high < 15000);
    static const int64_t none[] = {0, 0, 0, 0}, luck[] = {1, 1, 2, 4};
    found = growth_of_counts(&growth, none);
    assert_true(found.follows && found.low == 0 && found.high == 0);
    assert_false(growth_of_counts(&growth, luck).follows); /* their second differences are all 1 */
    static const double bent[] = {1e-6, 1.5e-6, 2.1e-6, 2.6e-6};
    found = growth_of_seconds(&growth, bent);
    assert_true(!found.follows && found.low < found.high && found.low > 1e-3 && found.high < 1e-2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_follow),
        cmocka_unit_test(others_lie_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
