/* reduce, reduce_placed, map_reduce and zip_map_reduce against the serial reference.
 *
 * Method: random lists of every shape for every operator of the table and every machine size, each reduced by every
 * algorithm; values must be equal bit by bit. Since the reference does not know ranks, threads or processors, runs at
 * several numbers of them together show that the results do not depend on them.
 */
#include "bmf.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/support/operators.h"
#include "ctest/support/shapes.h"
#include "ctest/support/testing.h"
#include "runtime/data/list.h"

enum { ALGORITHMS = 4 };
static const char *const algorithm[ALGORITHMS] = {NULL, "levels", "doubling", "everybody"};

static const char *algorithm_name(int a)
{
    return algorithm[a] ? algorithm[a] : "the cheapest";
}

/* One list by every algorithm: the value everywhere, and placed. */
static void check_list(bmf_context *ctx, const test_operator *test, const bmf_list *xs, const void *expected)
{
    for (int a = 0; a < ALGORITHMS; a++) {
        char value[TEST_LARGEST_RECORD] = {0}, text[256];
        bmf_list_print(xs, text, sizeof text);
        CHECK(bmf_set_schedule(ctx, "reduce", algorithm[a]) == BMF_OK, "%s", bmf_error_text(ctx));
        CHECK(bmf_reduce(xs, test->op, value) == BMF_OK, "%s", bmf_error_text(ctx));
        CHECK(test_same_record(test->op->type, value, expected), "reduce %s of %s by %s", test->op->name, text,
              algorithm_name(a));
    }
    bmf_set_schedule(ctx, "reduce", NULL);
    bmf_list *total = NULL;
    bmf_partition *placed = NULL;
    CHECK(bmf_reduce_placed(xs, test->op, &total) == BMF_OK, "%s", bmf_error_text(ctx));
    bmf_partition_placed(ctx, bmf_partition_processor(xs->partition, 0), 1, &placed);
    test_equal(total, placed, 1, expected, test->op->name);
    bmf_partition_release(placed);
    bmf_list_free(total);
}

static void reduce_random_list(bmf_context *ctx, const test_operator *test, bool large, uint64_t *state)
{
    int64_t n = test_length(state, bmf_processors(ctx), large);
    if (n == 0 && !test->op->identity)
        n = 1;
    void *x = test_draw(test, n, state);
    char expected[TEST_LARGEST_RECORD] = {0};
    if (n > 0)
        test_expected_fold(test, n, x, expected);
    else
        memcpy(expected, test->op->identity, test->size);
    bmf_partition *partition = test_partition(ctx, state, n);
    bmf_list *xs = test_list(ctx, test->op->type, partition, x);
    if (xs)
        check_list(ctx, test, xs, expected);
    bmf_list_free(xs);
    bmf_partition_release(partition);
    free(x);
}

/* ---- fused forms ---- */

BMF_MAP_KERNEL(third, int64_t, n, double, (double)n / 3.0)
BMF_ZIP_KERNEL(product, double, x, int64_t, n, double, (x * (double)n))

static void third_record(const void *x, void *y)
{
    *(double *)y = (double)*(const int64_t *)x / 3.0;
}
static void product_record(const void *a, const void *b, void *y)
{
    *(double *)y = *(const double *)a * (double)*(const int64_t *)b;
}

static void check_fused(bmf_context *ctx, uint64_t *state)
{
    const test_operator *plus = test_operator_number(0);
    const int64_t n = 1 + test_length(state, bmf_processors(ctx), false);
    int64_t *counts = malloc((size_t)n * sizeof *counts);
    double *reals = test_draw(plus, n, state), *mapped = malloc((size_t)n * sizeof *mapped), value, expected;
    for (int64_t i = 0; i < n; i++)
        counts[i] = test_below(state, 1000) - 500;
    bmf_partition *partition = test_partition(ctx, state, n);
    bmf_list *ns = test_list(ctx, &bmf_type_int, partition, counts);
    bmf_list *xs = test_list(ctx, &bmf_type_real, partition, reals);
    for (int a = 0; a < ALGORITHMS; a++) {
        bmf_set_schedule(ctx, "reduce", algorithm[a]);
        reference_map(third_record, n, counts, sizeof *counts, mapped, sizeof *mapped);
        test_expected_fold(plus, n, mapped, &expected);
        CHECK(bmf_map_reduce(ns, &third, &bmf_plus_real, &value) == BMF_OK, "%s", bmf_error_text(ctx));
        CHECK(memcmp(&value, &expected, sizeof value) == 0, "map_reduce of %lld by %s: %a, not %a", (long long)n,
              algorithm_name(a), value, expected);
        reference_zip(product_record, n, reals, sizeof *reals, counts, sizeof *counts, mapped, sizeof *mapped);
        test_expected_fold(plus, n, mapped, &expected);
        CHECK(bmf_zip_map_reduce(xs, ns, &product, &bmf_plus_real, &value) == BMF_OK, "%s", bmf_error_text(ctx));
        CHECK(memcmp(&value, &expected, sizeof value) == 0, "zip_map_reduce of %lld by %s: %a, not %a", (long long)n,
              algorithm_name(a), value, expected);
    }
    bmf_set_schedule(ctx, "reduce", NULL);
    test_equal(ns, partition, n, counts, "input of map_reduce");
    test_equal(xs, partition, n, reals, "input of zip_map_reduce");
    bmf_list_free(ns);
    bmf_list_free(xs);
    bmf_partition_release(partition);
    free(counts);
    free(reals);
    free(mapped);
}

/* ---- the free mode: exact operators as ever, sums of reals to within rounding ---- */

static void check_free_sum(bmf_context *ctx, uint64_t *state)
{
    const test_operator *plus = test_operator_number(0);
    const int64_t n = 1 + test_length(state, bmf_processors(ctx), true);
    double *x = test_draw(plus, n, state), expected, size = 0.0, value;
    test_expected_fold(plus, n, x, &expected);
    for (int64_t i = 0; i < n; i++)
        size += fabs(x[i]);
    bmf_partition *partition = test_partition(ctx, state, n);
    bmf_list *xs = test_list(ctx, &bmf_type_real, partition, x);
    for (int a = 0; a < ALGORITHMS; a++) {
        bmf_set_schedule(ctx, "reduce", algorithm[a]);
        CHECK(bmf_reduce(xs, &bmf_plus_real, &value) == BMF_OK, "%s", bmf_error_text(ctx));
        CHECK(fabs(value - expected) <= 2.0 * (double)n * DBL_EPSILON * size, "free sum of %lld by %s: %a, not %a",
              (long long)n, algorithm_name(a), value, expected);
    }
    bmf_set_schedule(ctx, "reduce", NULL);
    bmf_list_free(xs);
    bmf_partition_release(partition);
    free(x);
}

static void check_free(bmf_context *ctx, uint64_t *state)
{
    bmf_set_reproducible(ctx, false);
    CHECK(!bmf_is_reproducible(ctx), "free mode");
    check_free_sum(ctx, state);
    for (int k = 0; k < TEST_OPERATORS; k++)
        if (test_operator_number(k)->op->flags & BMF_EXACT)
            reduce_random_list(ctx, test_operator_number(k), false, state);
    bmf_set_reproducible(ctx, true);
}

/* ---- refusals ---- */

static void check_failing_operator(bmf_context *ctx, uint64_t *state)
{
    const int64_t n = 2 + test_length(state, bmf_processors(ctx), false);
    int64_t *x = calloc((size_t)n, sizeof *x), value = -5;
    bmf_partition *partition = test_partition(ctx, state, n);
    bmf_list *xs = test_list(ctx, &bmf_type_int, partition, x);
    CHECK(bmf_reduce(xs, &test_refuses_13, &value) == BMF_OK && value == 0, "%lld", (long long)value);
    bmf_list_free(xs);
    x[test_below(state, n)] = 13;
    xs = test_list(ctx, &bmf_type_int, partition, x);
    value = -5;
    for (int a = 0; a < ALGORITHMS; a++) {
        bmf_set_schedule(ctx, "reduce", algorithm[a]);
        const int status = bmf_reduce(xs, &test_refuses_13, &value);
        test_refused(ctx, status, BMF_ERROR_KERNEL, "refuses_13", "reduce with a failing operator");
        CHECK(strstr(bmf_error_text(ctx), "77"), "the code in: %s", bmf_error_text(ctx));
        CHECK(value == -5, "a failed reduce wrote %lld", (long long)value);
    }
    bmf_set_schedule(ctx, "reduce", NULL);
    bmf_list_free(xs);
    bmf_partition_release(partition);
    free(x);
}

BMF_FOLD_KERNEL_NO_IDENTITY(leftmost, int64_t, a, b, ((void)b, a), BMF_EXACT)

static void check_refusals(bmf_context *ctx)
{
    bmf_list *none = NULL, *total = NULL, *other = NULL;
    int64_t value = -5;
    double real = -5.0;
    CHECK(bmf_iota(ctx, 0, &none) == BMF_OK && bmf_iota(ctx, 4, &other) == BMF_OK, "%s", bmf_error_text(ctx));
    test_refused(ctx, bmf_reduce(none, &leftmost, &value), BMF_ERROR_SHAPE, "leftmost", "empty, no identity");
    test_refused(ctx, bmf_reduce_placed(none, &leftmost, &total), BMF_ERROR_SHAPE, "leftmost", "empty, placed");
    test_refused(ctx, bmf_reduce(other, &bmf_plus_real, &real), BMF_ERROR_TYPE, "real", "ints by a sum of reals");
    test_refused(ctx, bmf_map_reduce(other, &third, &bmf_plus_int, &value), BMF_ERROR_TYPE, "int", "kernel to op");
    test_refused(ctx, bmf_zip_map_reduce(other, other, &product, &bmf_plus_real, &real), BMF_ERROR_TYPE, "", "zip");
    CHECK(value == -5 && real == -5.0 && !total, "refused calls wrote something");
    CHECK(bmf_reduce(none, &bmf_plus_int, &value) == BMF_OK && value == 0, "empty sum %lld", (long long)value);
    test_refused(ctx, bmf_set_schedule(ctx, "reduce", "magic"), BMF_ERROR_ARGUMENT, "doubling", "unknown algorithm");
    test_refused(ctx, bmf_set_schedule(ctx, "magic", "tree"), BMF_ERROR_ARGUMENT, "reduce", "unknown skeleton");
    bmf_list_free(none);
    bmf_list_free(other);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 20;
    for (int machine = 0; machine < TEST_MACHINES; machine++) {
        BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, machine)));
        for (int k = 0; k < TEST_OPERATORS; k++)
            for (int repeat = 0; repeat < 3; repeat++)
                reduce_random_list(ctx, test_operator_number(k), repeat == 0 && k < 2, &state);
        for (int repeat = 0; repeat < 3; repeat++)
            check_fused(ctx, &state);
        check_free(ctx, &state);
        check_failing_operator(ctx, &state);
        check_refusals(ctx);
    }
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
