/* Lists larger than 2^31: one message of 2.4 GB, a column of 2.4 GB, and a list of more than 2^31 elements.
 *
 *     mpirun.mpich -n 2 make_large
 *
 * Run by slow_large.bats. Values are whole numbers, so that every sum is exact and known in closed form. Memory: about
 * 7 GB on one machine for all ranks together.
 */
#include "bmf.h"

#include <stdlib.h>

#include "ctest/support/testing.h"
#include "runtime/data/list.h"

static const int64_t many_reals = 300000000, many_bools = (INT64_C(1) << 31) + 12345;

enum { CYCLE = 1000 };

static inline double value(int64_t i)
{
    return (double)(i % CYCLE);
}

/* value(0) + .. + value(n - 1) */
static double sum_below(int64_t n)
{
    const int64_t rest = n % CYCLE;
    return (double)(n / CYCLE * (CYCLE * (CYCLE - 1) / 2) + rest * (rest - 1) / 2);
}

BMF_MAP_KERNEL(is_third, int64_t, i, uint8_t, i % 3 == 0)
BMF_MAP_KERNEL(one_if, uint8_t, x, int64_t, x)
BMF_MAP_KERNEL(is_true, uint8_t, x, uint8_t, x)

/* The reals, whole on processor 0. */
static bmf_list *place_reals(bmf_context *ctx)
{
    bmf_partition *partition;
    bmf_list *xs;
    BMF_CHECK(bmf_partition_placed(ctx, 0, many_reals, &partition));
    BMF_CHECK(bmf_list_create(ctx, &bmf_type_real, partition, &xs));
    bmf_partition_release(partition);
    double *x = xs->column.data;
#pragma omp parallel for
    for (int64_t i = 0; i < xs->column.count; i++)
        x[i] = value(i);
    return xs;
}

static void check_reals(const bmf_list *xs, int64_t here, const char *what)
{
    const double *x = xs->column.data;
    const int64_t begin = bmf_partition_local_begin(xs->partition);
    int64_t wrong = 0;
    CHECK(xs->column.count == here, "%s: %lld elements here", what, (long long)xs->column.count);
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t i = 0; i < xs->column.count; i++)
        wrong += x[i] != value(begin + i);
    CHECK(wrong == 0, "%s: %lld elements are wrong", what, (long long)wrong);
}

static void check_sums(bmf_list *xs)
{
    double sum = 0.0;
    BMF_CHECK(bmf_reduce(xs, &bmf_plus_real, &sum));
    CHECK(sum == sum_below(many_reals), "reduce: %.17g", sum);
    BMF_CHECK(bmf_scan_in_place(xs, &bmf_plus_real, BMF_EXCLUSIVE));
    const double *x = xs->column.data;
    const int64_t begin = bmf_partition_local_begin(xs->partition);
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t i = 0; i < xs->column.count; i++)
        wrong += x[i] != sum_below(begin + i);
    CHECK(wrong == 0, "scan: %lld sums are wrong", (long long)wrong);
}

/* All of it from processor 0 to processor 1 in one message, then evenly to both. */
static void move_reals(bmf_context *ctx)
{
    bmf_list *xs = place_reals(ctx), *moved, *even;
    bmf_partition *second;
    BMF_CHECK(bmf_partition_placed(ctx, 1, many_reals, &second));
    bmf_list like = {ctx, &bmf_type_real, second, {0}};
    const int64_t before = bmf_local_statistics(ctx).bytes;
    BMF_CHECK(bmf_redistribute(xs, &like, &moved));
    bmf_list_free(xs);
    bmf_partition_release(second);
    CHECK(bmf_local_statistics(ctx).bytes - before == (bmf_is_root(ctx) ? 8 * many_reals : 0), "bytes sent");
    check_reals(moved, bmf_rank(ctx) == 1 ? many_reals : 0, "moved to processor 1");
    BMF_CHECK(bmf_rebalance(moved, &even));
    bmf_list_free(moved);
    check_reals(even, many_reals / 2, "spread again");
    check_sums(even);
    bmf_list_free(even);
}

/* A placed list of more than 2^31 bytes by split, and one element of it by its number. */
static void split_reals(bmf_context *ctx)
{
    bmf_list *xs = place_reals(ctx), *halves;
    double last = 0.0;
    BMF_CHECK(bmf_split(xs, 2, 0, &halves));
    bmf_list_free(xs);
    check_reals(halves, many_reals / 2, "split");
    BMF_CHECK(bmf_index(halves, many_reals - 1, &last));
    CHECK(last == value(many_reals - 1), "the last element is %g", last);
    bmf_list_free(halves);
}

/* More than 2^31 elements. */
static void count_bools(bmf_context *ctx)
{
    bmf_list *thirds, *some;
    int64_t count = 0;
    uint8_t any = 0;
    BMF_CHECK(bmf_tabulate(ctx, many_bools, &is_third, &thirds));
    BMF_CHECK(bmf_map_reduce(thirds, &one_if, &bmf_plus_int, &count));
    CHECK(count == (many_bools + 2) / 3, "every third of %lld: %lld", (long long)many_bools, (long long)count);
    BMF_CHECK(bmf_filter(thirds, &is_true, &some));
    CHECK(bmf_length(some) == count, "filter keeps %lld", (long long)bmf_length(some));
    bmf_list_free(some);
    BMF_CHECK(bmf_index(thirds, many_bools - 1, &any));
    CHECK(any == ((many_bools - 1) % 3 == 0), "the last element is %d", any);
    bmf_list_free(thirds);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    CHECK(bmf_processors(ctx) == 2 && bmf_ranks(ctx) == 2, "run this on 2 ranks");
    if (bmf_processors(ctx) == 2) {
        move_reals(ctx);
        split_reals(ctx);
        count_bools(ctx);
    }
    const int failed = bmf_close(ctx);
    return test_finish() || failed;
}
