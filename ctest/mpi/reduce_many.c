/* reduce_many against the serial reference: random operators and lists of their types on one random partition, by every
 * algorithm. Values have the bits of separate reductions; messages are as many as those of one. */
#include "bmf.h"

#include <stdlib.h>
#include <string.h>

#include "ctest/support/operators.h"
#include "ctest/support/shapes.h"
#include "ctest/support/testing.h"
#include "runtime/data/list.h"

enum { ALGORITHMS = 4, ROUNDS = 12 };
static const char *const algorithm[ALGORITHMS] = {NULL, "levels", "doubling", "everybody"};

typedef struct reductions {
    int count;
    const test_operator *test[BMF_MAX_REDUCTIONS];
    const bmf_operator *op[BMF_MAX_REDUCTIONS];
    const bmf_list *xs[BMF_MAX_REDUCTIONS];
    char expected[BMF_MAX_REDUCTIONS][TEST_LARGEST_RECORD], value[BMF_MAX_REDUCTIONS][TEST_LARGEST_RECORD];
    void *to[BMF_MAX_REDUCTIONS];
} reductions;

static void add(bmf_context *ctx, reductions *r, const test_operator *test, bmf_partition *partition, int64_t n,
                uint64_t *state)
{
    const int k = r->count++;
    void *x = test_draw(test, n, state);
    r->test[k] = test;
    r->op[k] = test->op;
    r->xs[k] = test_list(ctx, test->op->type, partition, x);
    r->to[k] = r->value[k];
    memset(r->expected[k], 0, sizeof r->expected[k]);
    if (n > 0)
        test_expected_fold(test, n, x, r->expected[k]);
    else if (test->op->identity)
        memcpy(r->expected[k], test->op->identity, test->size);
    free(x);
}

static int64_t messages_of(bmf_context *ctx)
{
    bmf_statistics moved;
    CHECK(bmf_total_statistics(ctx, &moved) == BMF_OK, "%s", bmf_error_text(ctx));
    return moved.messages;
}

/* All at once by one algorithm; as many messages as the first alone by the same. */
static void check_algorithm(bmf_context *ctx, reductions *r, const char *name)
{
    char alone[TEST_LARGEST_RECORD];
    CHECK(bmf_set_schedule(ctx, "reduce", name) == BMF_OK, "%s", bmf_error_text(ctx));
    memset(r->value, 0, sizeof r->value);
    const int64_t before = messages_of(ctx);
    CHECK(bmf_reduce_many(r->count, r->xs, r->op, r->to) == BMF_OK, "%s", bmf_error_text(ctx));
    const int64_t between = messages_of(ctx);
    for (int k = 0; k < r->count; k++)
        CHECK(test_same_record(r->op[k]->type, r->value[k], r->expected[k]), "%d of %d, %s by %s", k, r->count,
              r->op[k]->name, name ? name : "the cheapest");
    if (!name)
        return;
    CHECK(bmf_reduce(r->xs[0], r->op[0], alone) == BMF_OK, "%s", bmf_error_text(ctx));
    CHECK(messages_of(ctx) - between == between - before, "messages by %s", name);
}

static void reduce_random_lists(bmf_context *ctx, bool large, uint64_t *state)
{
    reductions r = {0};
    const int count = 1 + (int)test_below(state, BMF_MAX_REDUCTIONS);
    const int64_t drawn = test_length(state, bmf_processors(ctx), large), n = drawn > 0 ? drawn : 1;
    bmf_partition *partition = test_partition(ctx, state, n);
    for (int k = 0; k < count; k++)
        add(ctx, &r, test_operator_number((int)test_below(state, TEST_OPERATORS)), partition, n, state);
    for (int a = 0; a < ALGORITHMS; a++)
        check_algorithm(ctx, &r, algorithm[a]);
    bmf_set_schedule(ctx, "reduce", NULL);
    for (int k = 0; k < count; k++)
        bmf_list_free((bmf_list *)r.xs[k]);
    bmf_partition_release(partition);
}

static void check_refusals(bmf_context *ctx)
{
    bmf_list *few = NULL, *many = NULL, *none = NULL;
    int64_t a = 1, b = 2;
    BMF_CHECK(bmf_iota(ctx, 5, &few));
    BMF_CHECK(bmf_iota(ctx, 6, &many));
    BMF_CHECK(bmf_iota(ctx, 0, &none));
    const bmf_operator *const sums[] = {&bmf_plus_int, &bmf_plus_int};
    const bmf_operator *const refusing[] = {&bmf_plus_int, &test_refuses_13};
    const bmf_operator *const reals[] = {&bmf_plus_int, &bmf_plus_real};
    const bmf_list *const uneven[] = {few, many}, *const even[] = {few, few}, *const empty[] = {none, none};
    void *const to[] = {&a, &b};
    test_refused(ctx, bmf_reduce_many(2, uneven, sums, to), BMF_ERROR_SHAPE, "do not conform", "uneven lists");
    test_refused(ctx, bmf_reduce_many(2, even, reals, to), BMF_ERROR_TYPE, "plus", "an operator of another type");
    test_refused(ctx, bmf_reduce_many(9, even, sums, to), BMF_ERROR_ARGUMENT, "1 to 8", "too many lists");
    CHECK(a == 1 && b == 2, "values after refusals");
    CHECK(bmf_reduce_many(2, empty, sums, to) == BMF_OK && a == 0 && b == 0, "empty lists");
    CHECK(bmf_reduce_many(2, even, refusing, to) == BMF_OK && a == 10 && b == 10, "nothing refused");
    bmf_list_free(few);
    bmf_list_free(many);
    bmf_list_free(none);
    BMF_CHECK(bmf_iota(ctx, 40, &many));
    const bmf_list *const with_13[] = {many, many};
    test_refused(ctx, bmf_reduce_many(2, with_13, refusing, to), BMF_ERROR_KERNEL, "", "an operator that fails");
    CHECK(bmf_reduce_many(2, with_13, sums, to) == BMF_OK && a == 780 && b == 780, "after a failure");
    bmf_list_free(many);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 20261122;
    for (int machine = 0; machine < TEST_MACHINES; machine++) {
        BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, machine)));
        for (int round = 0; round < ROUNDS; round++)
            reduce_random_lists(ctx, round == 0, &state);
        check_refusals(ctx);
    }
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
