/* Groups: skeletons on the first ranks of a context give what they give on so few ranks, and leave the others alone. */
#include "bmf.h"
#include "ctest/support/testing.h"
#include "runtime/backend/backend.h"
#include "runtime/backend/clock.h"
#include "runtime/context/group.h"
#include "runtime/data/list.h"

static bmf_context *ctx;

/* Sum, prefix sums and a gather of 0 .. n - 1 on the group. */
static void check_skeletons(bmf_context *group, int64_t n)
{
    bmf_list *xs, *ys, *zs;
    int64_t sum = -1, last = -1;
    BMF_CHECK(bmf_iota(group, n, &xs));
    BMF_CHECK(bmf_reduce(xs, &bmf_plus_int, &sum));
    CHECK(sum == n * (n - 1) / 2, "sum of %lld on %d ranks: %lld", (long long)n, group->ranks, (long long)sum);
    BMF_CHECK(bmf_scan(xs, &bmf_plus_int, BMF_INCLUSIVE, &ys));
    BMF_CHECK(bmf_index(ys, n - 1, &last));
    CHECK(last == sum, "last prefix of %lld on %d ranks: %lld", (long long)n, group->ranks, (long long)last);
    CHECK(xs->partition->parts == group->ranks, "%lld parts on %d ranks", (long long)xs->partition->parts,
          group->ranks);
    BMF_CHECK(bmf_gather(xs, &zs));
    CHECK(zs->column.count == (group->rank == 0 ? n : 0), "rank %d of %d got %lld elements", group->rank, group->ranks,
          (long long)zs->column.count);
    bmf_list_free(xs);
    bmf_list_free(ys);
    bmf_list_free(zs);
}

static void check_group(int ranks)
{
    bmf_context *group = NULL;
    bmf_statistics before, after;
    BMF_CHECK(bmf_total_statistics(ctx, &before));
    BMF_CHECK(group_open(ctx, ranks, &group));
    CHECK(!group != (ctx->rank < ranks), "rank %d in a group of %d", ctx->rank, ranks);
    if (group) {
        CHECK(group->ranks == ranks && group->processors == ranks, "%d ranks, not %d", group->ranks, ranks);
        CHECK(group->rank == ctx->rank && group->threads == ctx->threads, "another rank or number of threads");
        CHECK(group->oversubscribed == (group->node_ranks > group->node_cores), "wrongly oversubscribed");
        check_skeletons(group, 1000);
        check_skeletons(group, 1);
    }
    bmf_close(group);
    BMF_CHECK(bmf_total_statistics(ctx, &after));
    CHECK(before.messages == after.messages && before.bytes == after.bytes, "a group's messages count for all");
}

/* An error inside a group stays there. */
static void check_failure(void)
{
    bmf_context *group;
    bmf_list *xs, *out = NULL;
    const int ranks = (ctx->ranks + 1) / 2;
    BMF_CHECK(group_open(ctx, ranks, &group));
    if (group) {
        double sum;
        BMF_CHECK(bmf_iota(group, 10, &xs));
        CHECK(bmf_reduce(xs, &bmf_plus_real, &sum) == BMF_ERROR_TYPE, "ints were added as reals");
        CHECK(bmf_error_text(group)[0] != '\0' && !out, "no message");
        bmf_list_free(xs);
    }
    bmf_close(group);
    bmf_barrier(ctx);
}

int main(int argc, char **argv)
{
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    for (int ranks = 1; ranks <= ctx->ranks; ranks++)
        check_group(ranks);
    check_failure();
    bmf_context *none = NULL;
    CHECK(group_open(ctx, 0, &none) == BMF_ERROR_ARGUMENT && !none, "a group of nobody");
    CHECK(group_open(ctx, ctx->ranks + 1, &none) == BMF_ERROR_ARGUMENT && !none, "a group of too many");
    CHECK(clock_offset(ctx) == 0, "clocks of one host differ");
    check_skeletons(ctx, 100);
    const int failed = test_finish();
    return bmf_close(ctx) != 0 || failed;
}
