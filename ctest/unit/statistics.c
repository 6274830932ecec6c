/* Our own statistics against those of GSL, which nothing else uses, at random arguments; and least squares against the
 * normal equations in long double. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_sort_float.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "predict/statistics/distribution.h"
#include "predict/statistics/least_squares.h"
#include "predict/statistics/sample.h"
#include "runtime/base/random.h"

enum { CASES = 20000, FEW_CASES = 2000, MAX_VALUES = 200, MAX_COLUMNS = 4 };

static uint64_t seed;

/* As far as the numbers are apart, as a share of the expected one. */
static void assert_close(double found, double expected, double share, const char *what, double a, double b)
{
    if (found == expected || (isnan(found) && isnan(expected)) || fabs(found - expected) <= share * fabs(expected))
        return;
    fail_msg("%s(%.17g, %.17g) is %.17g, not %.17g", what, a, b, found, expected);
}

/* Between 10^low and 10^high. */
static double random_size(double low, double high)
{
    return pow(10.0, low + (high - low) * random_unit(&seed));
}

static double random_probability(void)
{
    return random_bits(&seed) % 2 ? random_unit(&seed) : random_size(-12, -1);
}

/* ---- distributions ---- */

static void test_normal(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        const double p = random_probability(), x = 10.0 * random_unit(&seed) - 5.0;
        assert_close(normal_quantile(p), gsl_cdf_ugaussian_Pinv(p), 1e-14, "normal_quantile", p, 0);
        assert_close(normal_probability(x), gsl_cdf_ugaussian_P(x), 1e-13, "normal_probability", x, 0);
        assert_close(normal_probability(normal_quantile(p)), p, 1e-12, "there and back", p, 0);
    }
    assert_true(normal_quantile(0.5) == 0.0 && isinf(normal_quantile(1.0)) && isnan(normal_quantile(1.5)));
    assert_true(normal_quantile(0.0) == -INFINITY && isnan(normal_quantile(-0.1)) && isnan(normal_quantile(NAN)));
}

/* GSL's quantiles are less exact for some degrees of freedom: ours are tried by its probability, too. */
static void test_student(void **state)
{
    (void)state;
    for (int k = 0; k < FEW_CASES; k++) {
        const double freedom = k % 2 ? 1.0 + (double)(random_bits(&seed) % 100) : random_size(-0.3, 7);
        const double p = k % 3 ? 0.5 + 0.5 * random_unit(&seed) : 0.975;
        const double t = student_quantile(p, freedom);
        assert_close(gsl_cdf_tdist_Q(t, freedom), 1.0 - p, 1e-9, "student_quantile", p, freedom);
        assert_close(student_quantile(1.0 - p, freedom), -student_quantile(1.0 - (1.0 - p), freedom), 1e-15,
                     "student_quantile below", p, freedom);
    }
    for (int n = 1; n < 200; n++)
        assert_close(student_quantile(0.975, n), gsl_cdf_tdist_Pinv(0.975, n), 1e-9, "student_quantile", 0.975, n);
    /* Closed forms: Cauchy's distribution, and two degrees. */
    assert_close(student_quantile(0.975, 1), tan(M_PI * 0.475), 1e-12, "student_quantile", 0.975, 1);
    assert_close(student_quantile(0.9, 2), 0.8 / sqrt(2 * 0.9 * 0.1), 1e-12, "student_quantile", 0.9, 2);
    /* On both sides of where the expansion takes over. */
    assert_close(student_quantile(0.975, 1000.0001), student_quantile(0.975, 999.9999), 1e-9, "student_quantile", 0.975,
                 1000);
    assert_true(student_quantile(0.975, INFINITY) == normal_quantile(0.975) && isnan(student_quantile(0.975, 0)));
}

static void test_chi_square(void **state)
{
    (void)state;
    for (int k = 0; k < FEW_CASES; k++) {
        const double freedom = k % 2 ? 1.0 + (double)(random_bits(&seed) % 60) : random_size(-0.5, 3);
        const double x = freedom * random_size(-1, 0.7), p = random_unit(&seed);
        const double above = gsl_cdf_chisq_Q(x, freedom);
        if (above > 1e-200)
            assert_close(chi_square_above(x, freedom), above, 1e-9, "chi_square_above", x, freedom);
        assert_close(gsl_cdf_chisq_P(chi_square_quantile(p, freedom), freedom), p, 1e-9, "chi_square_quantile", p,
                     freedom);
    }
    /* Two degrees: exp(-x / 2). */
    assert_close(chi_square_above(3.0, 2.0), exp(-1.5), 1e-14, "chi_square_above", 3, 2);
    assert_close(chi_square_quantile(0.95, 2.0), -2.0 * log1p(-0.95), 1e-13, "chi_square_quantile", 0.95, 2);
    assert_true(chi_square_above(0, 3) == 1.0 && chi_square_quantile(0, 3) == 0.0 && isnan(chi_square_quantile(1, 3)));
}

/* ---- samples ---- */

static void test_samples(void **state)
{
    double value[MAX_VALUES], copy[MAX_VALUES], y[MAX_VALUES];
    (void)state;
    for (int k = 0; k < FEW_CASES; k++) {
        const int count = 1 + (int)(random_bits(&seed) % MAX_VALUES);
        const double size = random_size(-9, 9), fraction = random_unit(&seed);
        double start, slope, c00, c01, c11, squares;
        for (int i = 0; i < count; i++) {
            value[i] = size * (k % 2 ? random_unit(&seed) : (double)(random_bits(&seed) % 5));
            y[i] = size * random_unit(&seed) + value[i];
        }
        assert_close(sample_mean(value, count), gsl_stats_mean(value, 1, (size_t)count), 1e-13, "mean", count, k);
        if (count > 1) {
            assert_close(sample_variance(value, count), gsl_stats_variance(value, 1, (size_t)count), 1e-11, "variance",
                         count, k);
            assert_close(sample_deviation(value, count), gsl_stats_sd(value, 1, (size_t)count), 1e-11, "deviation",
                         count, k);
        }
        if (count > 2 && gsl_stats_variance(value, 1, (size_t)count) > 0.0) {
            const bmf_line line = fit_line(value, y, count);
            gsl_fit_linear(value, 1, y, 1, (size_t)count, &start, &slope, &c00, &c01, &c11, &squares);
            assert_close(line.slope, slope, 1e-9, "slope", count, k);
            assert_close(size + line.start, size + start, 1e-9, "start", count, k);
            if (count > 3)
                assert_close(line.slope_variance, c11, 1e-7, "slope variance", count, k);
        }
        memcpy(copy, value, sizeof copy);
        const double median = sample_median(copy, count);
        gsl_sort(value, 1, (size_t)count);
        assert_memory_equal(copy, value, (size_t)count * sizeof *value);
        assert_close(median, gsl_stats_median_from_sorted_data(value, 1, (size_t)count), 1e-15, "median", count, k);
        assert_close(sorted_quantile(value, count, fraction),
                     gsl_stats_quantile_from_sorted_data(value, 1, (size_t)count, fraction), 1e-12, "quantile", count,
                     fraction);
    }
    assert_true(isnan(sample_median(value, 0)) && isnan(sample_variance(value, 1)));
}

static void test_sorting(void **state)
{
    double real[] = {3, NAN, -1, INFINITY, -0.5, NAN, -INFINITY, 2};
    float number[] = {3, NAN, -1, 7, -0.5f, NAN, 2};
    (void)state;
    sort_reals(real, 8);
    assert_true(real[0] == -INFINITY && real[1] == -1 && real[2] == -0.5 && real[3] == 2 && real[4] == 3);
    assert_true(isinf(real[5]) && isnan(real[6]) && isnan(real[7]));
    sort_floats(number, 7);
    assert_true(number[0] == -1 && number[1] == -0.5f && number[2] == 2 && number[3] == 3 && number[4] == 7);
    assert_true(isnan(number[5]) && isnan(number[6]));
    sort_reals(real, 0);
    for (int k = 0; k < 20; k++) {
        const int count = (int)(random_bits(&seed) % 5000);
        float *some = malloc((size_t)(count + 1) * sizeof *some), *same = malloc((size_t)(count + 1) * sizeof *same);
        for (int i = 0; i < count; i++)
            some[i] = same[i] = (float)(random_bits(&seed) % 1000);
        sort_floats(some, count);
        gsl_sort_float(same, 1, (size_t)count);
        assert_memory_equal(some, same, (size_t)count * sizeof *some);
        free(same);
        free(some);
    }
}

/* ---- least squares ---- */

typedef struct problem {
    int rows, columns;
    double design[MAX_VALUES * MAX_COLUMNS], weight[MAX_VALUES], value[MAX_VALUES];
    double solution[MAX_COLUMNS], covariance[MAX_COLUMNS * MAX_COLUMNS];
} problem;

static problem make_problem(void)
{
    problem p = {.columns = 1 + (int)(random_bits(&seed) % MAX_COLUMNS)};
    p.rows = p.columns + (int)(random_bits(&seed) % (MAX_VALUES - MAX_COLUMNS));
    double size[MAX_COLUMNS];
    for (int j = 0; j < p.columns; j++)
        size[j] = random_size(-6, 6);
    for (int i = 0; i < p.rows; i++) {
        p.weight[i] = random_size(-2, 2);
        p.value[i] = random_unit(&seed) - 0.3;
        for (int j = 0; j < p.columns; j++)
            p.design[i * p.columns + j] = size[j] * (random_unit(&seed) - 0.5);
    }
    return p;
}

static bool solve(problem *p, double *condition)
{
    bmf_least_squares s = {.rows = p->rows,
                           .columns = p->columns,
                           .design = p->design,
                           .weight = p->weight,
                           .value = p->value,
                           .solution = p->solution,
                           .covariance = p->covariance};
    const bool solved = least_squares_solve(&s);
    *condition = s.condition;
    return solved;
}

static void check_with_gsl(const problem *p, double condition)
{
    const size_t rows = (size_t)p->rows, columns = (size_t)p->columns;
    gsl_matrix *design = gsl_matrix_alloc(rows, columns), *covariance = gsl_matrix_alloc(columns, columns);
    gsl_vector *weight = gsl_vector_alloc(rows), *value = gsl_vector_alloc(rows), *solution = gsl_vector_alloc(columns);
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(rows, columns);
    double squares;
    for (size_t i = 0; i < rows; i++) {
        gsl_vector_set(weight, i, p->weight[i]);
        gsl_vector_set(value, i, p->value[i]);
        for (size_t j = 0; j < columns; j++)
            gsl_matrix_set(design, i, j, p->design[i * columns + j]);
    }
    assert_int_equal(gsl_multifit_wlinear(design, weight, value, solution, covariance, &squares, work), 0);
    for (size_t j = 0; j < columns; j++) {
        const double error = sqrt(gsl_matrix_get(covariance, j, j));
        if (!(fabs(p->solution[j] - gsl_vector_get(solution, j)) <= 1e-11 * condition * error))
            fail_msg("%zu rows, column %zu of %zu: %.17g, not %.17g", rows, j, columns, p->solution[j],
                     gsl_vector_get(solution, j));
        for (size_t k = 0; k < columns; k++)
            if (!(fabs(p->covariance[j * columns + k] - gsl_matrix_get(covariance, j, k)) <=
                  1e-11 * condition * condition * error * sqrt(gsl_matrix_get(covariance, k, k))))
                fail_msg("%zu rows, covariance %zu %zu: %.17g, not %.17g", rows, j, k, p->covariance[j * columns + k],
                         gsl_matrix_get(covariance, j, k));
    }
    gsl_multifit_linear_free(work);
    gsl_vector_free(solution);
    gsl_vector_free(value);
    gsl_vector_free(weight);
    gsl_matrix_free(covariance);
    gsl_matrix_free(design);
}

static void test_least_squares(void **state)
{
    (void)state;
    for (int k = 0; k < FEW_CASES; k++) {
        problem p = make_problem();
        double condition;
        assert_true(solve(&p, &condition));
        assert_true(condition >= 1.0);
        if (condition < 1e5)
            check_with_gsl(&p, condition);
    }
}

/* Singular values by hand: two columns of length 1 at an angle have sqrt(1 + cos) and sqrt(1 - cos). */
static void test_condition(void **state)
{
    (void)state;
    for (double angle = 1e-3; angle < 1.6; angle *= 1.5) {
        problem p = {.rows = 3, .columns = 2, .weight = {4, 4, 4}, .value = {1, 2, 3}};
        double condition;
        p.design[0] = 1e5;
        p.design[1] = 3e-5 * cos(angle);
        p.design[3] = 3e-5 * sin(angle);
        assert_true(solve(&p, &condition));
        assert_close(condition, sqrt((1 + fabs(cos(angle))) / (1 - fabs(cos(angle)))), 1e-9, "condition", angle, 0);
    }
}

/* Columns that depend on each other, columns of zeros, too few rows, numbers that are none. */
static void test_degenerate(void **state)
{
    problem p = {.rows = 3, .columns = 2, .design = {1, 1, 2, 2, 3, 3}, .weight = {1, 1, 1}, .value = {2, 4, 6}};
    double condition;
    (void)state;
    assert_true(solve(&p, &condition));
    assert_true(condition > 1e15);
    assert_close(p.solution[0], 1.0, 1e-12, "shared", 0, 0);
    assert_close(p.solution[1], 1.0, 1e-12, "shared", 1, 0);
    p = (problem){.rows = 2, .columns = 2, .design = {1, 0, 2, 0}, .weight = {1, 1}, .value = {3, 6}};
    assert_true(solve(&p, &condition));
    assert_true(isinf(condition) && p.solution[1] == 0.0);
    assert_close(p.solution[0], 3.0, 1e-15, "beside zeros", 0, 0);
    p.rows = 1;
    assert_false(solve(&p, &condition));
    p.rows = 2;
    p.weight[1] = INFINITY;
    assert_false(solve(&p, &condition));
    p.weight[1] = 1.0;
    p.value[0] = NAN;
    assert_false(solve(&p, &condition));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_normal),     cmocka_unit_test(test_student),
                                       cmocka_unit_test(test_chi_square), cmocka_unit_test(test_samples),
                                       cmocka_unit_test(test_sorting),    cmocka_unit_test(test_least_squares),
                                       cmocka_unit_test(test_condition),  cmocka_unit_test(test_degenerate)};
    const char *text = getenv("BMF_TEST_SEED");
    seed = text ? strtoull(text, NULL, 10) : 1;
    printf("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
