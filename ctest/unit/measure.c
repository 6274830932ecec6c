/* Planning a measurement: which points there are, and how the time is shared among them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "predict/measure/measure_private.h"

static const bmf_measure_options usual = {.output = "none", .version = "test", .factor = 4, .repeats = 20};
static const measure_limits machine = {.ranks = 6, .team = 5, .memory = INT64_C(1) << 40, .caches = INT64_C(1) << 22};

static measure_plan plan_of(const char *operations, int64_t min, int64_t max, const measure_limits *limits)
{
    measure_plan plan;
    bmf_measure_options o = usual;
    o.operations = operations;
    o.min_elements = min;
    o.max_elements = max;
    measure_plan_create(&o, limits, &plan);
    return plan;
}

/* p and elements of all points in order, ended by -1. */
static void expect_points(measure_plan plan, const int64_t *expected)
{
    int64_t count = 0;
    for (; expected[2 * count] >= 0; count++) {
        assert_true(count < plan.count);
        assert_int_equal(plan.point[count].p, expected[2 * count]);
        assert_int_equal(plan.point[count].elements, expected[2 * count + 1]);
    }
    assert_int_equal(plan.count, count);
    measure_plan_free(&plan);
}

static void test_points(void **state)
{
    (void)state;
    expect_points(plan_of("send", 0, 20, &machine), (const int64_t[]){2, 1, 2, 4, 2, 16, -1});
    expect_points(plan_of("send", 3, 20, &machine), (const int64_t[]){2, 4, 2, 16, -1});
    expect_points(plan_of("barrier", 0, 20, &machine), (const int64_t[]){2, 0, 3, 0, 4, 0, 6, 0, -1});
    expect_points(plan_of("bmf_map", 4, 4, &machine), (const int64_t[]){1, 4, 2, 4, 3, 4, 4, 4, 6, 4, -1});
    expect_points(plan_of("omp_barrier", 0, 0, &machine), (const int64_t[]){1, 0, 2, 0, 3, 0, 4, 0, 5, 0, -1});
    expect_points(plan_of("kernel_sum", 0, 70, &machine), (const int64_t[]){1, 16, 1, 64, -1});
    /* powers of two only, of ranks and of elements */
    expect_points(plan_of("permute_round", 16, 16, &machine), (const int64_t[]){2, 16, 4, 16, -1});
    /* and where ranks share cores */
    measure_limits oversubscribed = machine;
    oversubscribed.oversubscribed = true;
    oversubscribed.ranks = 7;
    expect_points(plan_of("bcast", 4, 4, &oversubscribed), (const int64_t[]){2, 4, 4, 4, 7, 4, -1});
}

static void test_powers_of_two(void **state)
{
    (void)state;
    measure_plan plan;
    bmf_measure_options o = usual;
    o.operations = "bmf_project_bits";
    o.factor = 3;
    o.max_elements = 100;
    const measure_limits one = {.ranks = 1, .memory = INT64_C(1) << 40};
    measure_plan_create(&o, &one, &plan); /* 1, 3, 9, 27, 81 */
    expect_points(plan, (const int64_t[]){1, 1, 1, 4, 1, 16, 1, 32, 1, 128, -1});
}

static void test_obstacles(void **state)
{
    (void)state;
    const measure_operation *operation[MEASURE_MAX_OPERATIONS];
    const int count = measure_operations(operation);
    const measure_limits alone = {.ranks = 1, .team = 1};
    int obstacles = 0;
    assert_true(count < MEASURE_MAX_OPERATIONS);
    for (int k = 0; k < count; k++) {
        const bool needs_two = operation[k]->min_ranks >= 2, threads = operation[k]->family == BMF_FAMILY_THREADS;
        assert_true(!measure_unsupported_reason(operation[k], &alone) != (needs_two || threads));
        assert_null(measure_unsupported_reason(operation[k], &machine));
        obstacles += needs_two || threads;
        for (int j = 0; j < k; j++)
            assert_string_not_equal(operation[j]->name, operation[k]->name);
    }
    assert_true(obstacles > 0 && obstacles < count);
}

static void test_memory(void **state)
{
    (void)state;
    measure_limits little = machine;
    little.memory = 4096 * MEASURE_WORD; /* alltoall needs 2 p d words */
    measure_plan plan = plan_of("alltoall", 0, 4096, &little);
    for (int64_t i = 0; i < plan.count; i++)
        assert_true(plan.point[i].left_out == (2 * plan.point[i].ranks * plan.point[i].elements > 4096));
    measure_plan_free(&plan);
}

/* ---- time ---- */

static double total_cost(const measure_plan *plan)
{
    double total = 0;
    for (int64_t i = 0; i < plan->count; i++)
        for (int pass = 0; pass < MEASURE_PASSES; pass++) {
            const int repetitions = measure_plan_repetitions(&plan->point[i], pass);
            total += repetitions > 0 ? plan->point[i].cost * (repetitions + 1) : 0;
        }
    return total;
}

/* Costs grow with the size. */
static measure_plan plan_with_costs(double second_per_element)
{
    measure_plan plan = plan_of("collective", 0, 1 << 20, &machine);
    for (int64_t i = 0; i < plan.count; i++)
        plan.point[i].cost = 1e-6 + second_per_element * (double)plan.point[i].elements;
    return plan;
}

static void test_enough_time(void **state)
{
    (void)state;
    measure_plan plan = plan_with_costs(1e-9);
    measure_plan_share(&plan, 1e6);
    for (int64_t i = 0; i < plan.count; i++) {
        int sum = 0;
        for (int pass = 0; pass < MEASURE_PASSES; pass++)
            sum += measure_plan_repetitions(&plan.point[i], pass);
        assert_false(plan.point[i].left_out);
        assert_int_equal(plan.point[i].wanted, 20);
        assert_int_equal(sum, 20);
    }
    assert_true(fabs(measure_plan_left(&plan, 0, 0) - total_cost(&plan)) < 1e-9);
    assert_true(measure_plan_left(&plan, 1, 0) < measure_plan_left(&plan, 0, 0));
    assert_true(measure_plan_left(&plan, MEASURE_PASSES, 0) == 0);
    measure_plan_free(&plan);
}

/* For every budget: it is kept, and nearly used; nobody gets fewer than the fewest, cheaper points no fewer than dear
 * ones, and what is left out is dearer than what is not. */
static void test_little_time(void **state)
{
    (void)state;
    for (double seconds = 0.01; seconds < 2000; seconds *= 1.7) {
        measure_plan plan = plan_with_costs(1e-7);
        double kept = 0, left_out = INFINITY;
        bool all = true;
        measure_plan_share(&plan, seconds);
        for (int64_t i = 0; i < plan.count; i++) {
            const measure_point *a = &plan.point[i];
            if (a->left_out) {
                left_out = fmin(left_out, a->cost);
                continue;
            }
            kept = fmax(kept, a->cost);
            all = all && a->wanted == 20;
            assert_true(a->wanted >= MEASURE_FEWEST && a->wanted <= 20);
            for (int64_t j = 0; j < i; j++)
                if (!plan.point[j].left_out && plan.point[j].cost < a->cost)
                    assert_true(plan.point[j].wanted >= a->wanted);
        }
        assert_true(kept <= left_out);
        assert_true(total_cost(&plan) <= seconds);
        assert_true(all || isfinite(left_out) || total_cost(&plan) > 0.5 * seconds);
        measure_plan_free(&plan);
    }
}

/* Repetitions that are there are not made again. */
static void test_resumed(void **state)
{
    (void)state;
    measure_plan plan = plan_with_costs(1e-9);
    for (int64_t i = 0; i < plan.count; i++)
        plan.point[i].count = (int)(i % 21);
    measure_plan_share(&plan, 1e6);
    for (int64_t i = 0; i < plan.count; i++)
        assert_int_equal(plan.point[i].planned, 20 - i % 21);
    measure_plan_free(&plan);
}

/* ---- names ---- */

static void test_lists(void **state)
{
    (void)state;
    assert_int_equal(measure_check_list(NULL, NULL), BMF_OK);
    assert_int_equal(measure_check_list(NULL, "bcast,point-to-point,barrier,threads"), BMF_OK);
    assert_int_equal(measure_check_list(NULL, "bcast,allredcue"), BMF_ERROR_ARGUMENT);
    assert_non_null(strstr(bmf_error_text(NULL), "'allredcue'"));
    assert_non_null(strstr(bmf_error_text(NULL), "allreduce"));
    assert_int_equal(measure_check_list(NULL, "bcast,"), BMF_ERROR_ARGUMENT);
    assert_int_equal(measure_check_list(NULL, ""), BMF_ERROR_ARGUMENT);
    assert_int_equal(measure_check_list(NULL, "bcas"), BMF_ERROR_ARGUMENT);
    assert_true(measure_is_listed("scan,bcast", &(measure_operation){.name = "bcast"}));
    assert_false(measure_is_listed("scan,bcastv", &(measure_operation){.name = "bcast", .family = BMF_FAMILY_FILE}));
    /* a name that is also a family's means the operation */
    assert_false(measure_is_listed("barrier", &(measure_operation){.name = "x", .family = BMF_FAMILY_BARRIER}));
    assert_true(measure_is_listed("file", &(measure_operation){.name = "bcast", .family = BMF_FAMILY_FILE}));
}

static void test_clocks(void **state)
{
    (void)state;
    bmf_measure_clock clock = BMF_MEASURE_BARRIER;
    assert_false(measure_clock_find("sundial", &clock));
    assert_true(measure_clock_find("agreed", &clock) && clock == BMF_MEASURE_AGREED);
    assert_true(measure_clock_find("barrier", &clock) && clock == BMF_MEASURE_BARRIER);
    assert_string_equal(measure_clock_name(BMF_MEASURE_AGREED), "agreed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),  cmocka_unit_test(test_powers_of_two), cmocka_unit_test(test_obstacles),
        cmocka_unit_test(test_memory),  cmocka_unit_test(test_enough_time),   cmocka_unit_test(test_little_time),
        cmocka_unit_test(test_resumed), cmocka_unit_test(test_lists),         cmocka_unit_test(test_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
