/* shift against moving elements one by one; messages are those of neighbours.
 *
 * Method: random lists over any parts, shifted by few and by many places, round and with a value beyond the ends.
 */
#include "bmf.h"

#include <stdlib.h>

#include "ctest/support/shapes.h"
#include "ctest/support/testing.h"
#include "runtime/data/list.h"
#include "runtime/data/partition.h"

typedef struct number_pair {
    int64_t n;
    double x;
} number_pair;
static const bmf_type *const pair_components[2] = {&bmf_type_int, &bmf_type_real};
static const bmf_type pair_type = {BMF_TUPLE, 0, 0, 2, pair_components};

static void check_pairs(bmf_context *ctx, uint64_t *state)
{
    const int64_t n = test_length(state, bmf_processors(ctx), false);
    const int64_t far = 2 * n + 3,
                  k = test_below(state, 2) ? test_below(state, 5) - 2 : test_below(state, far) - far / 2;
    const bool round = test_below(state, 2);
    const number_pair beyond = {-7, 0.25};
    number_pair *x = calloc((size_t)n + 1, sizeof *x), *expected = calloc((size_t)n + 1, sizeof *expected);
    for (int64_t i = 0; i < n; i++)
        x[i] = (number_pair){i, random_unit(state)};
    for (int64_t i = 0; i < n; i++) {
        const int64_t from = round ? ((i - k) % n + n) % n : i - k;
        expected[i] = from >= 0 && from < n ? x[from] : beyond;
    }
    bmf_partition *partition = test_partition(ctx, state, n);
    bmf_list *xs = test_list(ctx, &pair_type, partition, x), *ys = NULL;
    CHECK(bmf_shift(xs, k, round ? NULL : &beyond, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
    test_equal(ys, partition, n, expected, "shift");
    test_equal(xs, partition, n, x, "input of shift");
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_partition_release(partition);
    free(x);
    free(expected);
}

/* One value for all elements. */
static void check_broadcast(bmf_context *ctx)
{
    bmf_list *xs, *pairs, *fives, *ys = NULL;
    const double five = 5, nine = 9;
    double value[17], expected[17];
    BMF_CHECK(bmf_iota(ctx, 17, &xs));
    BMF_CHECK(bmf_distl_value(&bmf_type_real, &five, xs, &pairs));
    BMF_CHECK(bmf_component(pairs, 0, &fives));
    CHECK(bmf_shift(fives, 2, &nine, &ys) == BMF_OK && bmf_to_array(ys, value) == BMF_OK, "%s", bmf_error_text(ctx));
    for (int i = 0; i < 17; i++) {
        expected[i] = i < 2 ? 9 : 5;
        CHECK(value[i] == expected[i], "element %d is %g", i, value[i]);
    }
    bmf_list_free(xs);
    bmf_list_free(pairs);
    bmf_list_free(fives);
    bmf_list_free(ys);
}

/* A message to each neighbour on one side, of one element; periodic also from the last to the first. */
static void check_messages(bmf_context *ctx)
{
    const int64_t processors = bmf_processors(ctx);
    const double beyond = 0;
    for (int round = 0; round < 2; round++) {
        bmf_statistics before, after;
        bmf_list *xs, *ys = NULL;
        BMF_CHECK(bmf_iota_real(ctx, 10 * processors, &xs));
        BMF_CHECK(bmf_total_statistics(ctx, &before));
        CHECK(bmf_shift(xs, -1, round ? NULL : &beyond, &ys) == BMF_OK, "%s", bmf_error_text(ctx));
        BMF_CHECK(bmf_total_statistics(ctx, &after));
        const int64_t expected = processors == 1 ? 0 : processors - 1 + round;
        CHECK(after.messages - before.messages == expected, "%lld messages instead of %lld",
              (long long)(after.messages - before.messages), (long long)expected);
        CHECK(after.bytes - before.bytes == 8 * expected, "%lld bytes", (long long)(after.bytes - before.bytes));
        bmf_list_free(xs);
        bmf_list_free(ys);
    }
}

static void check_refusals(bmf_context *ctx)
{
    bmf_list *xs, *ones, *rows, *ys = NULL;
    const int64_t beyond = 0;
    BMF_CHECK(bmf_iota(ctx, 6, &xs));
    const int64_t one[6] = {1, 1, 1, 1, 1, 1};
    BMF_CHECK(bmf_spread(ctx, &bmf_type_int, 6, one, &ones));
    BMF_CHECK(bmf_nest(xs, ones, &rows));
    test_refused(ctx, bmf_shift(rows, 1, &beyond, &ys), BMF_ERROR_TYPE, "[int]", "a value beyond a list of lists");
    CHECK(!ys, "a refused shift made a list");
    CHECK(bmf_shift(rows, 1, NULL, &ys) == BMF_OK && bmf_length(ys) == 6, "%s", bmf_error_text(ctx));
    bmf_list_free(xs);
    bmf_list_free(ones);
    bmf_list_free(rows);
    bmf_list_free(ys);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 60;
    for (int machine = 0; machine < TEST_MACHINES; machine++) {
        BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, machine)));
        for (int repeat = 0; repeat < 30; repeat++)
            check_pairs(ctx, &state);
        check_broadcast(ctx);
        check_messages(ctx);
        check_refusals(ctx);
    }
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
