/* Reductions that are under way while others begin, while lists are moved, and waited for in random order: the bits of
 * bmf_reduce, its messages and bytes, by every algorithm; tests end by themselves; refusals. On a machine whose
 * messages take a second two of them are predicted to take one second beside each other, and two otherwise. */
#include "bmf.h"

#include <stdlib.h>
#include <string.h>

#include "bmf/mpi.h"
#include "ctest/support/operators.h"
#include "ctest/support/shapes.h"
#include "ctest/support/testing.h"
#include "predict/model/model.h"
#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

enum { ALGORITHMS = 4, MOST = 6, ROUNDS = 8 };
static const char *const algorithm[ALGORITHMS] = {NULL, "levels", "doubling", "everybody"};

typedef struct one {
    const bmf_operator *op;
    bmf_list *xs;
    char expected[TEST_LARGEST_RECORD], value[TEST_LARGEST_RECORD];
    bmf_reduction *under_way;
} one;

static bmf_statistics moved(bmf_context *ctx)
{
    bmf_statistics all;
    CHECK(bmf_total_statistics(ctx, &all) == BMF_OK, "%s", bmf_error_text(ctx));
    return all;
}

static void draw(bmf_context *ctx, one *r, uint64_t *state)
{
    const test_operator *test = test_operator_number((int)test_below(state, TEST_OPERATORS));
    int64_t n = test_length(state, bmf_processors(ctx), false);
    n = n > 0 || test->op->identity ? n : 1;
    bmf_partition *partition = test_partition(ctx, state, n);
    void *x = test_draw(test, n, state);
    *r = (one){.op = test->op, .xs = test_list(ctx, test->op->type, partition, x)};
    bmf_partition_release(partition);
    free(x);
}

static void poll(one *r, uint64_t *state)
{
    bool done = false;
    for (int64_t tries = test_below(state, 4); tries > 0; tries--)
        CHECK(bmf_reduction_test(r->under_way, &done) == BMF_OK, "a test");
}

static void reduce_some(bmf_context *ctx, const char *by, uint64_t *state)
{
    one all[MOST];
    int order[MOST];
    const int count = 1 + (int)test_below(state, MOST);
    bmf_list *ints, *moved_ints;
    CHECK(bmf_set_schedule(ctx, "reduce", by) == BMF_OK, "%s", bmf_error_text(ctx));
    BMF_CHECK(bmf_iota(ctx, 100, &ints));
    for (int k = 0; k < count; k++)
        draw(ctx, &all[k], state);
    const bmf_statistics before = moved(ctx);
    for (int k = 0; k < count; k++) {
        int status = bmf_reduce(all[k].xs, all[k].op, all[k].expected);
        all[k].op = status == BMF_OK && !all[k].op->may_fail ? all[k].op : NULL;
    }
    /* once more those that begin, to have their messages alone */
    const bmf_statistics between = moved(ctx);
    for (int k = 0; k < count; k++)
        if (all[k].op)
            BMF_CHECK(bmf_reduce(all[k].xs, all[k].op, all[k].expected));
    const bmf_statistics begun = moved(ctx);
    for (int k = 0; k < count; k++)
        if (all[k].op)
            CHECK(bmf_reduce_begin(all[k].xs, all[k].op, &all[k].under_way) == BMF_OK, "%s", bmf_error_text(ctx));
    for (int k = 0; k < count; k++) {
        bmf_list_free(all[k].xs);
        order[k] = k;
    }
    uint64_t own = *state + (uint64_t)bmf_rank(ctx);
    for (int k = 0; k < count; k++)
        if (all[k].op)
            poll(&all[k], &own); /* ranks differ in how far they are */
    const bmf_statistics before_move = moved(ctx);
    BMF_CHECK(bmf_rebalance(ints, &moved_ints));
    const bmf_statistics after_move = moved(ctx);
    for (int k = count - 1; k > 0; k--) {
        const int other = (int)test_below(state, k + 1), kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
    for (int k = 0; k < count; k++) {
        one *r = &all[order[k]];
        if (!r->op)
            continue;
        CHECK(bmf_reduction_wait(r->under_way, r->value) == BMF_OK, "%s", bmf_error_text(ctx));
        CHECK(test_same_record(r->op->type, r->value, r->expected), "%s by %s", r->op->name, by ? by : "the cheapest");
    }
    const bmf_statistics after = moved(ctx);
    const int64_t messages = after.messages - begun.messages - (after_move.messages - before_move.messages);
    const int64_t bytes = after.bytes - begun.bytes - (after_move.bytes - before_move.bytes);
    CHECK(messages == begun.messages - between.messages, "messages by %s", by ? by : "-");
    CHECK(bytes == begun.bytes - between.bytes, "bytes by %s", by ? by : "-");
    CHECK(between.messages >= before.messages, "statistics");
    bmf_list_free(moved_ints);
    bmf_list_free(ints);
    bmf_set_schedule(ctx, "reduce", NULL);
}

/* Testing alone gets there: all ranks only test. */
static void test_until_done(bmf_context *ctx)
{
    bmf_list *xs;
    bmf_reduction *sum;
    bool done = false;
    int64_t value = 0;
    BMF_CHECK(bmf_iota(ctx, 1000, &xs));
    BMF_CHECK(bmf_reduce_begin(xs, &bmf_plus_int, &sum));
    while (!done)
        BMF_CHECK(bmf_reduction_test(sum, &done));
    BMF_CHECK(bmf_reduction_wait(sum, &value));
    CHECK(value == 999 * 500, "a sum by tests: %lld", (long long)value);
    bmf_list_free(xs);
}

static void check_refusals(bmf_context *ctx)
{
    bmf_list *xs, *none;
    bmf_reduction *r[BMF_MAX_UNDER_WAY], *more = NULL;
    int64_t value;
    BMF_CHECK(bmf_iota(ctx, 10, &xs));
    BMF_CHECK(bmf_iota(ctx, 0, &none));
    test_refused(ctx, bmf_reduce_begin(xs, &test_refuses_13, &more), BMF_ERROR_ARGUMENT, "may fail", "an operator");
    test_refused(ctx, bmf_reduce_begin(xs, &bmf_plus_real, &more), BMF_ERROR_TYPE, "plus", "a type");
    for (int k = 0; k < BMF_MAX_UNDER_WAY; k++)
        BMF_CHECK(bmf_reduce_begin(k % 2 ? none : xs, &bmf_plus_int, &r[k]));
    test_refused(ctx, bmf_reduce_begin(xs, &bmf_plus_int, &more), BMF_ERROR_ARGUMENT, "64 reductions", "too many");
    for (int k = BMF_MAX_UNDER_WAY - 1; k >= 0; k--) {
        BMF_CHECK(bmf_reduction_wait(r[k], &value));
        CHECK(value == (k % 2 ? 0 : 45), "reduction %d: %lld", k, (long long)value);
    }
    CHECK(!more, "an output after refusals");
    bmf_list_free(xs);
    bmf_list_free(none);
}

/* ---- overlap, predicted ---- */

/* A message takes a second, computing nothing. */
static const char slow[] = "compute = { zero = true; };\n"
                           "network = { type = \"hockney\"; latency_us = 1000000.0; bandwidth_mb_per_s = 1000.0; };\n"
                           "agreement_us = 0.0;\n";

/* Seconds for two reductions of one round, one after the other or beside each other. */
static double predict(const bmf_machine *machine, bool beside)
{
    bmf_context *ctx;
    bmf_list *xs;
    bmf_reduction *sum[2];
    double value[2] = {0.0, 0.0};
    bmf_options options = bmf_options_init();
    options.ignore_environment = true;
    BMF_CHECK(bmf_open_with(MPI_COMM_SELF, &options, &ctx));
    CHECK(model_open(ctx, machine, 2, 0) == BMF_OK, "%s", bmf_error_text(ctx));
    BMF_CHECK(bmf_set_schedule(ctx, "reduce", "everybody"));
    BMF_CHECK(bmf_iota_real(ctx, 1000, &xs));
    const double begin = (double)ctx->backend->now(ctx, -1) * 1e-9;
    BMF_CHECK(bmf_reduce_begin(xs, &bmf_plus_real, &sum[0]));
    if (!beside)
        BMF_CHECK(bmf_reduction_wait(sum[0], &value[0]));
    BMF_CHECK(bmf_reduce_begin(xs, &bmf_plus_real, &sum[1]));
    if (beside)
        BMF_CHECK(bmf_reduction_wait(sum[0], &value[0]));
    BMF_CHECK(bmf_reduction_wait(sum[1], &value[1]));
    const double end = (double)ctx->backend->now(ctx, -1) * 1e-9;
    CHECK(value[0] == 999 * 500.0 && value[1] == value[0], "predicted sums: %g, %g", value[0], value[1]);
    bmf_list_free(xs);
    CHECK(bmf_close(ctx) == 0, "closing");
    return end - begin;
}

static void check_overlap(bmf_context *ctx)
{
    bmf_machine *machine;
    if (bmf_rank(ctx) > 0)
        return;
    CHECK(machine_parse(slow, "slow.machine", &machine) == BMF_OK, "%s", bmf_error_text(NULL));
    const double apart = predict(machine, false), beside = predict(machine, true);
    CHECK(apart > 1.99 && apart < 2.01, "one after the other: %g s", apart);
    CHECK(beside > 0.99 && beside < 1.01, "beside each other: %g s", beside);
    machine_free(machine);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t state = 22112026;
    for (int machine = 0; machine < TEST_MACHINES; machine++) {
        BMF_CHECK(bmf_set_processors(ctx, test_processors(ctx, machine)));
        for (int round = 0; round < ROUNDS; round++)
            for (int a = 0; a < ALGORITHMS; a++)
                reduce_some(ctx, algorithm[a], &state);
        test_until_done(ctx);
        check_refusals(ctx);
    }
    check_overlap(ctx);
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
