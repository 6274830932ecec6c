/* scan, scan_in_place and map_scan against the serial reference.
 *
 * Method: as mpi_reduce: random lists of every shape, every operator, machine size and algorithm, inclusive and
 * exclusive, equal bit by bit; and the last inclusive value has the bits of bmf_reduce
 * (unless the operator commutes and is not exact).
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
static const char *const algorithm[ALGORITHMS] = {NULL, "levels", "tree", "everybody"};
static const char *const kind_name[2] = {"inclusive", "exclusive"};

/* Of operators that commute but are not exact, scans and reductions have different trees. */
static void check_last_is_total(const bmf_list *xs, const test_operator *test, int64_t n, const char *scanned)
{
    if (test_goes_by_columns(test))
        return;
    char total[TEST_LARGEST_RECORD] = {0};
    CHECK(bmf_reduce(xs, test->op, total) == BMF_OK, "%s", test->op->name);
    CHECK(test_same_record(test->op->type, total, scanned + (size_t)(n - 1) * test->size),
          "the total of %lld by %s and the last of the scan", (long long)n, test->op->name);
}

static void check_list(bmf_context *ctx, const test_operator *test, bmf_list *xs, bmf_scan_kind kind, int64_t n,
                       const void *x, const void *expected)
{
    char what[256];
    for (int a = 0; a < ALGORITHMS; a++) {
        bmf_list *ys = NULL;
        snprintf(what, sizeof what, "%s scan %s by %s on %lld processors", kind_name[kind], test->op->name,
                 algorithm[a] ? algorithm[a] : "the cheapest", (long long)bmf_processors(ctx));
        CHECK(bmf_set_schedule(ctx, "scan", algorithm[a]) == BMF_OK, "%s", bmf_error_text(ctx));
        CHECK(bmf_scan(xs, test->op, kind, &ys) == BMF_OK, "%s: %s", what, bmf_error_text(ctx));
        test_equal(ys, xs->partition, n, expected, what);
        test_equal(xs, NULL, n, x, "input of scan");
        bmf_list_free(ys);
    }
    bmf_set_schedule(ctx, "scan", NULL);
    snprintf(what, sizeof what, "%s scan %s in place", kind_name[kind], test->op->name);
    CHECK(bmf_scan_in_place(xs, test->op, kind) == BMF_OK, "%s: %s", what, bmf_error_text(ctx));
    test_equal(xs, NULL, n, expected, what);
}

static void scan_random_list(bmf_context *ctx, const test_operator *test, bool large, uint64_t *state)
{
    const int64_t n = test_length(state, bmf_processors(ctx), large);
    void *x = test_draw(test, n, state), *expected = calloc((size_t)n + 1, test->size);
    bmf_partition *partition = test_partition(ctx, state, n);
    for (bmf_scan_kind kind = BMF_INCLUSIVE; kind <= BMF_EXCLUSIVE; kind++) {
        if (kind == BMF_EXCLUSIVE && !test->op->identity)
            break;
        bmf_list *xs = test_list(ctx, test->op->type, partition, x);
        test_expected_scan(test, n, x, kind, expected);
        if (xs && kind == BMF_INCLUSIVE && n > 0)
            check_last_is_total(xs, test, n, expected);
        if (xs)
            check_list(ctx, test, xs, kind, n, x, expected);
        bmf_list_free(xs);
    }
    bmf_partition_release(partition);
    free(x);
    free(expected);
}

/* Some nodes for every worker, and shorter ones at the ends of parts. */
static void scan_long_list(bmf_context *ctx, const test_operator *test, uint64_t *state)
{
    const int64_t n = 60000 + test_below(state, 30000);
    void *x = test_draw(test, n, state), *expected = calloc((size_t)n + 1, test->size);
    bmf_partition *partition = test_partition(ctx, state, n);
    for (bmf_scan_kind kind = BMF_INCLUSIVE; kind <= BMF_EXCLUSIVE; kind++) {
        bmf_list *xs = test_list(ctx, test->op->type, partition, x), *ys = NULL;
        char what[128];
        if (kind == BMF_INCLUSIVE || test->op->identity) {
            snprintf(what, sizeof what, "%s scan of %lld elements by %s", kind_name[kind], (long long)n,
                     test->op->name);
            test_expected_scan(test, n, x, kind, expected);
            CHECK(bmf_scan(xs, test->op, kind, &ys) == BMF_OK, "%s: %s", what, bmf_error_text(ctx));
            test_equal(ys, partition, n, expected, what);
            CHECK(bmf_scan_in_place(xs, test->op, kind) == BMF_OK, "%s: %s", what, bmf_error_text(ctx));
            test_equal(xs, partition, n, expected, what);
        }
        bmf_list_free(xs);
        bmf_list_free(ys);
    }
    bmf_partition_release(partition);
    free(x);
    free(expected);
}

/* A list that shares its memory with another must leave the other alone when it is scanned in place. */
static void check_shared_memory(bmf_context *ctx, uint64_t *state)
{
    const test_operator *plus = test_operator_number(2);
    const int64_t n = test_length(state, bmf_processors(ctx), false);
    int64_t *x = test_draw(plus, n, state), *expected = calloc((size_t)n + 1, sizeof *expected);
    bmf_partition *partition = test_partition(ctx, state, n);
    bmf_list *xs = test_list(ctx, &bmf_type_int, partition, x), *pairs = NULL, *second = NULL;
    test_expected_scan(plus, n, x, BMF_EXCLUSIVE, expected);
    CHECK(bmf_pair(xs, xs, &pairs) == BMF_OK, "%s", bmf_error_text(ctx));
    CHECK(bmf_scan_in_place(xs, plus->op, BMF_EXCLUSIVE) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(xs, partition, n, expected, "scan in place of a shared list");
    CHECK(bmf_component(pairs, 1, &second) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(second, partition, n, x, "the other owner of a list scanned in place");
    bmf_list_free(xs);
    bmf_list_free(pairs);
    bmf_list_free(second);
    bmf_partition_release(partition);
    free(x);
    free(expected);
}

/* ---- fused ---- */

BMF_MAP_KERNEL(tenth, int64_t, n, double, (double)n * 0.1)

static void tenth_record(const void *x, void *y)
{
    *(double *)y = (double)*(const int64_t *)x * 0.1;
}

static void check_map_scan(bmf_context *ctx, bool large, uint64_t *state)
{
    const test_operator *plus = test_operator_number(0), *ints = test_operator_number(2);
    const int64_t n = large ? 50000 + test_below(state, 50000) : test_length(state, bmf_processors(ctx), false);
    int64_t *x = test_draw(ints, n, state);
    double *mapped = calloc((size_t)n + 1, sizeof *mapped), *expected = calloc((size_t)n + 1, sizeof *expected);
    reference_map(tenth_record, n, x, sizeof *x, mapped, sizeof *mapped);
    bmf_partition *partition = test_partition(ctx, state, n);
    bmf_list *xs = test_list(ctx, &bmf_type_int, partition, x);
    for (bmf_scan_kind kind = BMF_INCLUSIVE; kind <= BMF_EXCLUSIVE; kind++)
        for (int a = 0; a < ALGORITHMS; a++) {
            bmf_list *ys = NULL;
            bmf_set_schedule(ctx, "scan", algorithm[a]);
            test_expected_scan(plus, n, mapped, kind, expected);
            CHECK(bmf_map_scan(xs, &tenth, &bmf_plus_real, kind, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
            test_equal(ys, partition, n, expected, "map_scan");
            bmf_list_free(ys);
        }
    bmf_set_schedule(ctx, "scan", NULL);
    test_equal(xs, partition, n, x, "input of map_scan");
    bmf_list_free(xs);
    bmf_partition_release(partition);
    free(x);
    free(mapped);
    free(expected);
}

/* ---- the free mode ---- */

static void check_free_sum(bmf_context *ctx, bmf_scan_kind kind, uint64_t *state)
{
    const test_operator *plus = test_operator_number(0);
    const int64_t n = test_length(state, bmf_processors(ctx), false);
    double *x = test_draw(plus, n, state), *expected = calloc((size_t)n + 1, sizeof *expected), size = 0.0;
    test_expected_scan(plus, n, x, kind, expected);
    for (int64_t i = 0; i < n; i++)
        size += fabs(x[i]);
    bmf_partition *partition = test_partition(ctx, state, n);
    bmf_list *xs = test_list(ctx, &bmf_type_real, partition, x), *ys = NULL;
    CHECK(bmf_scan(xs, &bmf_plus_real, kind, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    const int64_t begin = bmf_partition_local_begin(partition);
    for (int64_t i = 0; ys && i < ys->column.count; i++) {
        const double value = ((const double *)ys->column.data)[i];
        CHECK(fabs(value - expected[begin + i]) <= 2.0 * (double)n * DBL_EPSILON * size,
              "free %s sum up to %lld of %lld: %a, not %a", kind_name[kind], (long long)(begin + i), (long long)n,
              value, expected[begin + i]);
    }
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_partition_release(partition);
    free(x);
    free(expected);
}

static void check_free(bmf_context *ctx, uint64_t *state)
{
    bmf_set_reproducible(ctx, false);
    check_free_sum(ctx, BMF_INCLUSIVE, state);
    check_free_sum(ctx, BMF_EXCLUSIVE, state);
    for (int k = 0; k < TEST_OPERATORS; k++)
        if (test_operator_number(k)->op->flags & BMF_EXACT)
            scan_random_list(ctx, test_operator_number(k), false, state);
    bmf_set_reproducible(ctx, true);
}

/* ---- refusals ---- */

static void check_failing_operator(bmf_context *ctx, uint64_t *state)
{
    const int64_t n = 2 + test_length(state, bmf_processors(ctx), false);
    int64_t *x = calloc((size_t)n, sizeof *x);
    bmf_partition *partition = test_partition(ctx, state, n);
    x[test_below(state, n)] = 13;
    bmf_list *xs = test_list(ctx, &bmf_type_int, partition, x), *ys = NULL;
    for (int a = 0; a < ALGORITHMS; a++) {
        bmf_set_schedule(ctx, "scan", algorithm[a]);
        test_refused(ctx, bmf_scan(xs, &test_refuses_13, BMF_INCLUSIVE, &ys), BMF_ERROR_KERNEL, "refuses_13",
                     "a failing operator");
        CHECK(!ys, "a failed scan made a list");
        test_refused(ctx, bmf_scan_in_place(xs, &test_refuses_13, BMF_INCLUSIVE), BMF_ERROR_KERNEL, "refuses_13",
                     "in place");
        test_equal(xs, partition, n, x, "a list whose scan failed");
    }
    bmf_set_schedule(ctx, "scan", NULL);
    bmf_list_free(xs);
    bmf_partition_release(partition);
    free(x);
}

static int refuse_negative(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        const double x = BMF_AT(double, in[0], i);
        if (x < 0.0)
            return 9;
        BMF_AT(double, out[0], i) = x;
    }
    return 0;
}
static const bmf_kernel not_negative = {.name = "not_negative",
                                        .block = refuse_negative,
                                        .inputs = 1,
                                        .input = {&bmf_type_real},
                                        .output = &bmf_type_real,
                                        .may_fail = true};

static int add_up_to_20000(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t sum = BMF_AT(int64_t, in[0], i) + BMF_AT(int64_t, in[1], i);
        if (sum > 20000)
            return 5;
        BMF_AT(int64_t, out[0], i) = sum;
    }
    return 0;
}
static const bmf_operator bounded_sum = {
    .name = "bounded_sum", .type = &bmf_type_int, .combine = add_up_to_20000, .flags = BMF_EXACT, .may_fail = true};

/* An operator that does not fail within the nodes that workers fold, but on what is before them. */
static void check_late_failure(bmf_context *ctx, uint64_t *state)
{
    const int64_t n = 50000 + test_below(state, 50000);
    int64_t *x = calloc((size_t)n, sizeof *x);
    bmf_partition *partition = test_partition(ctx, state, n);
    for (int64_t i = 0; i < n; i++)
        x[i] = 1;
    bmf_list *xs = test_list(ctx, &bmf_type_int, partition, x), *ys = NULL;
    test_refused(ctx, bmf_scan(xs, &bounded_sum, BMF_INCLUSIVE, &ys), BMF_ERROR_KERNEL, "bounded_sum",
                 "an operator that fails late");
    CHECK(!ys, "a failed scan made a list");
    bmf_list_free(xs);
    bmf_partition_release(partition);
    free(x);
}

/* One element anywhere: workers that wait for what is before their nodes must not wait for ever. */
static void check_failing_kernel(bmf_context *ctx, uint64_t *state)
{
    const int64_t n = 1 + (test_below(state, 2) ? test_below(state, 200000) : test_below(state, 3000));
    double *x = calloc((size_t)n, sizeof *x);
    bmf_partition *partition = test_partition(ctx, state, n);
    x[test_below(state, n)] = -1.0;
    bmf_list *xs = test_list(ctx, &bmf_type_real, partition, x), *ys = NULL;
    test_refused(ctx, bmf_map_scan(xs, &not_negative, &bmf_plus_real, BMF_INCLUSIVE, &ys), BMF_ERROR_KERNEL,
                 "not_negative", "a failing kernel");
    CHECK(!ys, "a failed scan made a list");
    bmf_list_free(xs);
    bmf_partition_release(partition);
    free(x);
}

BMF_FOLD_KERNEL_NO_IDENTITY(leftmost, int64_t, a, b, ((void)b, a), BMF_EXACT)

static void check_refusals(bmf_context *ctx)
{
    bmf_list *xs = NULL, *ys = NULL;
    CHECK(bmf_iota(ctx, 10, &xs) == BMF_OK, "%s", bmf_error_text(ctx));
    const int status = bmf_scan(xs, &leftmost, BMF_EXCLUSIVE, &ys);
    CHECK(bmf_exit_code(status) == 2, "exclusive without identity: status %d", status);
    test_refused(ctx, status, status, "leftmost", "exclusive without identity");
    test_refused(ctx, bmf_scan(xs, &bmf_plus_real, BMF_INCLUSIVE, &ys), BMF_ERROR_TYPE, "real", "ints as reals");
    test_refused(ctx, bmf_scan_in_place(xs, &bmf_and, BMF_INCLUSIVE), BMF_ERROR_TYPE, "bool", "ints as bools");
    test_refused(ctx, bmf_map_scan(xs, &tenth, &bmf_plus_int, BMF_INCLUSIVE, &ys), BMF_ERROR_TYPE, "int", "map_scan");
    CHECK(!ys, "refused scans made a list");
    bmf_list_free(xs);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 30;
    for (int machine = 0; machine < TEST_MACHINES; machine++) {
        BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, machine)));
        for (int k = 0; k < TEST_OPERATORS; k++)
            for (int repeat = 0; repeat < 2; repeat++)
                scan_random_list(ctx, test_operator_number(k), repeat == 0 && k < 2, &state);
        for (int k = 0; k < TEST_OPERATORS && machine % 3 == 0; k++)
            scan_long_list(ctx, test_operator_number(k), &state);
        for (int repeat = 0; repeat < 3; repeat++) {
            check_map_scan(ctx, machine == 0 && repeat == 0, &state);
            check_shared_memory(ctx, &state);
            check_failing_kernel(ctx, &state);
        }
        check_free(ctx, &state);
        check_failing_operator(ctx, &state);
        check_late_failure(ctx, &state);
        check_refusals(ctx);
    }
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
