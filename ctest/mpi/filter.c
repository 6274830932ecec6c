/* filter against the serial reference, and what follows it: reduce, scan and map on uneven and empty parts.
 *
 * Method: random lists and predicates that keep nothing, everything, a few, or only what stands on some processors;
 * every part must hold exactly what the reference keeps of that part.
 */
#include "bmf.h"

#include <stdlib.h>
#include <string.h>

#include "ctest/support/operators.h"
#include "ctest/support/shapes.h"
#include "ctest/support/testing.h"
#include "runtime/data/list.h"
#include "runtime/data/partition.h"

/* What the predicates compare with; the same in kernel and reference. */
static int64_t threshold;

BMF_MAP_KERNEL_WITH(is_small, int64_t, limit, int64_t, n, uint8_t, n < *limit)

static bool small_record(const void *x)
{
    return *(const int64_t *)x < threshold;
}

/* A tuple {n, x}, kept when n is small and x is not negative. */
typedef struct number_pair {
    int64_t n;
    double x;
} number_pair;

static int keep_block(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    for (int64_t i = 0; i < count; i++)
        BMF_AT(uint8_t, out[0], i) =
            BMF_AT(const int64_t, in[0], i) < *(const int64_t *)context && BMF_AT(const double, in[1], i) >= 0.0;
    return 0;
}
static const bmf_type *const pair_components[2] = {&bmf_type_int, &bmf_type_real};
static const bmf_type pair_type = {BMF_TUPLE, 0, 0, 2, pair_components};
static const bmf_kernel keep_pair = {.name = "keep_pair",
                                     .block = keep_block,
                                     .context = &threshold,
                                     .inputs = 1,
                                     .input = {&pair_type},
                                     .output = &bmf_type_bool};

static bool keep_record(const void *x)
{
    const number_pair *pair = x;
    return pair->n < threshold && pair->x >= 0.0;
}

/* The parts that filtering `partition` gives. */
static bmf_partition *filtered_parts(bmf_context *ctx, const bmf_partition *partition, reference_predicate *holds,
                                     const char *x, size_t size)
{
    int64_t *start = calloc((size_t)partition->parts + 1, sizeof *start);
    char *room = malloc((size_t)bmf_partition_length(partition) * size + 1);
    for (int64_t k = 0; k < partition->parts; k++)
        start[k + 1] = start[k] + reference_filter(holds, partition->start[k + 1] - partition->start[k],
                                                   x + (size_t)partition->start[k] * size, size, room);
    bmf_partition *result = NULL;
    CHECK(bmf_partition_resized(ctx, partition, start, &result) == BMF_OK, "%s", bmf_error_text(ctx));
    free(start);
    free(room);
    return result;
}

/* Reduce, scan and filter again what a filter left. */
static void check_after(bmf_context *ctx, bmf_list *kept, int64_t n, const int64_t *x, const bmf_kernel *predicate)
{
    const test_operator *mixed = test_operator_number(1);
    bmf_list *sums = NULL, *again = NULL, *balanced = NULL;
    int64_t value = 0, expected = *(const int64_t *)mixed->op->identity;
    int64_t *scanned = calloc((size_t)n + 1, sizeof *scanned);
    if (n > 0)
        test_expected_fold(mixed, n, x, &expected);
    CHECK(bmf_reduce(kept, mixed->op, &value) == BMF_OK, "%s", bmf_error_text(ctx));
    CHECK(value == expected, "reduce of %lld filtered elements", (long long)n);
    test_expected_scan(mixed, n, x, BMF_EXCLUSIVE, scanned);
    CHECK(bmf_scan(kept, mixed->op, BMF_EXCLUSIVE, &sums) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(sums, kept->partition, n, scanned, "scan of a filtered list");
    CHECK(bmf_filter(kept, predicate, &again) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(again, kept->partition, n, x, "filter twice");
    CHECK(bmf_rebalance(kept, &balanced) == BMF_OK, "%s", bmf_error_text(ctx));
    bmf_partition *even = NULL;
    BMF_CHECK(bmf_partition_even(ctx, n, &even));
    test_equal(balanced, even, n, x, "rebalance of a filtered list");
    bmf_partition_release(even);
    bmf_list_free(sums);
    bmf_list_free(again);
    bmf_list_free(balanced);
    free(scanned);
}

static void check_ints(bmf_context *ctx, uint64_t *state)
{
    const int64_t n = test_length(state, bmf_processors(ctx), true), kind = test_below(state, 5);
    int64_t *x = calloc((size_t)n + 1, sizeof *x), *expected = calloc((size_t)n + 1, sizeof *expected);
    for (int64_t i = 0; i < n; i++)
        x[i] = kind == 4 ? i : test_below(state, 1000);
    /* nothing, everything, few, half, and a run of the first elements */
    threshold = kind == 0 ? 0 : kind == 1 ? 1000 : kind == 2 ? 3 : kind == 3 ? 500 : n / 3;
    const bmf_kernel predicate = bmf_kernel_bind(&is_small, &threshold);
    const int64_t kept = reference_filter(small_record, n, x, sizeof *x, expected);
    bmf_partition *partition = test_partition(ctx, state, n);
    bmf_partition *parts = filtered_parts(ctx, partition, small_record, (const char *)x, sizeof *x);
    bmf_list *xs = test_list(ctx, &bmf_type_int, partition, x), *ys = NULL;
    CHECK(bmf_filter(xs, &predicate, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(ys, parts, kept, expected, "filter");
    test_equal(xs, partition, n, x, "input of filter");
    if (ys)
        check_after(ctx, ys, kept, expected, &predicate);
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_partition_release(partition);
    bmf_partition_release(parts);
    free(x);
    free(expected);
}

static void check_tuples(bmf_context *ctx, uint64_t *state)
{
    const int64_t n = test_length(state, bmf_processors(ctx), false);
    number_pair *x = calloc((size_t)n + 1, sizeof *x), *expected = calloc((size_t)n + 1, sizeof *expected);
    for (int64_t i = 0; i < n; i++)
        x[i] = (number_pair){test_below(state, 1000), random_unit(state) - 0.5};
    threshold = test_below(state, 1001);
    const int64_t kept = reference_filter(keep_record, n, x, sizeof *x, expected);
    bmf_partition *partition = test_partition(ctx, state, n);
    bmf_partition *parts = filtered_parts(ctx, partition, keep_record, (const char *)x, sizeof *x);
    bmf_list *xs = test_list(ctx, &pair_type, partition, x), *ys = NULL;
    CHECK(bmf_filter(xs, &keep_pair, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(ys, parts, kept, expected, "filter of tuples");
    test_equal(xs, partition, n, x, "input of filter");
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_partition_release(partition);
    bmf_partition_release(parts);
    free(x);
    free(expected);
}

/* Tuples with a broadcast component. */
static void check_broadcast(bmf_context *ctx, uint64_t *state)
{
    const int64_t n = test_length(state, bmf_processors(ctx), false), value = 5;
    double *x = calloc((size_t)n + 1, sizeof *x);
    number_pair *pairs = calloc((size_t)n + 1, sizeof *pairs), *expected = calloc((size_t)n + 1, sizeof *expected);
    for (int64_t i = 0; i < n; i++) {
        x[i] = random_unit(state) - 0.5;
        pairs[i] = (number_pair){value, x[i]};
    }
    threshold = 10;
    const int64_t kept = reference_filter(keep_record, n, pairs, sizeof *pairs, expected);
    bmf_partition *partition = test_partition(ctx, state, n);
    bmf_list *xs = test_list(ctx, &bmf_type_real, partition, x), *tuples = NULL, *ys = NULL;
    CHECK(bmf_distl_value(&bmf_type_int, &value, xs, &tuples) == BMF_OK, "%s", bmf_error_text(ctx));
    CHECK(bmf_filter(tuples, &keep_pair, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(ys, NULL, kept, expected, "filter of tuples with a broadcast value");
    bmf_list_free(xs);
    bmf_list_free(tuples);
    bmf_list_free(ys);
    bmf_partition_release(partition);
    free(x);
    free(pairs);
    free(expected);
}

/* Lists of many pieces, which on few ranks are streamed past the caches: n, and which of 1000 to keep. */
static void check_large(bmf_context *ctx, uint64_t *state, int64_t n, int64_t of_thousand)
{
    number_pair *x = calloc((size_t)n, sizeof *x), *expected = calloc((size_t)n, sizeof *expected);
    for (int64_t i = 0; i < n; i++)
        x[i] = (number_pair){test_below(state, 1000), (double)i};
    threshold = of_thousand;
    const int64_t kept = reference_filter(keep_record, n, x, sizeof *x, expected);
    bmf_partition *partition = test_partition(ctx, state, n);
    bmf_list *xs = test_list(ctx, &pair_type, partition, x), *ys = NULL;
    CHECK(bmf_filter(xs, &keep_pair, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(ys, NULL, kept, expected, "filter of many pieces");
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_partition_release(partition);
    free(x);
    free(expected);
}

static int moody_block(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        if (BMF_AT(const int64_t, in[0], i) == 7)
            return 32;
        BMF_AT(uint8_t, out[0], i) = 1;
    }
    return 0;
}
static const bmf_kernel moody = {.name = "moody",
                                 .block = moody_block,
                                 .inputs = 1,
                                 .input = {&bmf_type_int},
                                 .output = &bmf_type_bool,
                                 .may_fail = true};
BMF_MAP_KERNEL(negative, int64_t, n, int64_t, -n)

static void check_refusals(bmf_context *ctx)
{
    bmf_list *xs = NULL, *many = NULL, *reals = NULL, *ys = NULL;
    BMF_CHECK(bmf_iota(ctx, 20, &xs));
    BMF_CHECK(bmf_iota(ctx, 200000, &many));
    BMF_CHECK(bmf_iota_real(ctx, 20, &reals));
    test_refused(ctx, bmf_filter(xs, &moody, &ys), BMF_ERROR_KERNEL, "moody", "a predicate that fails");
    test_refused(ctx, bmf_filter(many, &moody, &ys), BMF_ERROR_KERNEL, "moody", "one that fails in one of many pieces");
    test_refused(ctx, bmf_filter(xs, &negative, &ys), BMF_ERROR_TYPE, "negative", "a predicate that gives ints");
    test_refused(ctx, bmf_filter(reals, &moody, &ys), BMF_ERROR_TYPE, "moody", "a predicate of ints on reals");
    CHECK(!ys, "a refused filter made a list");
    bmf_list_free(xs);
    bmf_list_free(many);
    bmf_list_free(reals);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 40;
    for (int machine = 0; machine < TEST_MACHINES; machine++) {
        BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, machine)));
        for (int repeat = 0; repeat < 15; repeat++) {
            check_ints(ctx, &state);
            check_tuples(ctx, &state);
            check_broadcast(ctx, &state);
        }
        check_refusals(ctx);
        check_large(ctx, &state, 300000, 500);
        check_large(ctx, &state, 700000, machine % 2 ? 30 : 1000);
    }
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
