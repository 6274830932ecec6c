/* What the rows of the skeletons benchmark share: inputs, room for the reference's result, comparing results. */
#include "bench/skeletons/skeletons.h"

#include <stdatomic.h>

#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

BMF_MAP_KERNEL(real_numbers, int64_t, i, double, (double)(bench_hash(i) & 1023))
BMF_MAP_KERNEL(int_numbers, int64_t, i, int64_t, (int64_t)(bench_hash(i) & 1023))
BMF_MAP_KERNEL(other_real_numbers, int64_t, i, double, (double)(bench_hash(~i) & 1023))
BMF_MAP_KERNEL(other_int_numbers, int64_t, i, int64_t, (int64_t)(bench_hash(~i) & 1023))

int bench_numbers(bench_case *c, int64_t n, bmf_list **list)
{
    return bmf_tabulate(c->ctx, n, c->type == BENCH_INT ? &int_numbers : &real_numbers, list);
}

int bench_other_numbers(bench_case *c, int64_t n, bmf_list **list)
{
    return bmf_tabulate(c->ctx, n, c->type == BENCH_INT ? &other_int_numbers : &other_real_numbers, list);
}

static void touch(const bench_case *c, char *data, int64_t bytes)
{
#pragma omp parallel for num_threads(c->team.threads) schedule(static)
    for (int64_t page = 0; page < bytes; page += 4096)
        data[page] = 0;
}

int bench_expect(bench_case *c, int64_t count, int64_t size)
{
    c->expected = buffer_create(count * size);
    c->expected_count = count;
    if (c->expected)
        touch(c, c->expected->data, count * size);
    return bmf_agree(c->ctx,
                     c->expected ? BMF_OK : bmf_fail(c->ctx, BMF_ERROR_MEMORY, "no memory for the reference's result"));
}

void bench_cut(const bench_case *c, const bmf_list *list, int64_t *cut)
{
    for (int r = 0; r <= c->team.ranks; r++)
        cut[r] = list->partition->start[bmf_first_processor(c->ctx, r)];
}

int64_t bench_local_begin(const bmf_list *list)
{
    return bmf_partition_local_begin(list->partition);
}

int64_t bench_local_count(const bmf_list *list)
{
    return bmf_partition_local_end(list->partition) - bmf_partition_local_begin(list->partition);
}

void *bench_data(const bmf_list *list)
{
    return list->column.data;
}

void *bench_expected(const bench_case *c)
{
    return c->expected->data;
}

bmf_list **bench_out(bench_case *c)
{
    bmf_list_free(c->out);
    c->out = NULL;
    return &c->out;
}

/* The number of the first element on this rank that differs, or -1. Elements are 8 bytes. */
static int64_t first_difference(const bench_case *c, const int64_t *x, const int64_t *y, int64_t count)
{
    _Atomic int64_t first = count;
#pragma omp parallel for num_threads(c->team.threads) schedule(static)
    for (int64_t i = 0; i < count; i++)
        if (x[i] != y[i]) {
            int64_t seen = first;
            while (i < seen && !atomic_compare_exchange_weak(&first, &seen, i))
                continue;
        }
    return first < count ? first : -1;
}

/* Element i as a real, to print it. */
static double value_of(const bench_case *c, const void *elements, int64_t i)
{
    return c->type == BENCH_INT ? (double)((const int64_t *)elements)[i] : ((const double *)elements)[i];
}

int bench_same_list(const bench_case *c, const bmf_list *list)
{
    const int64_t count = bench_local_count(list);
    int status = BMF_OK;
    if (count != c->expected_count) {
        status = bmf_fail(c->ctx, BMF_ERROR_INTERNAL, "rank %d holds %lld elements instead of %lld", c->team.rank,
                          (long long)count, (long long)c->expected_count);
    } else if (count > 0) {
        const int64_t i = first_difference(c, bench_data(list), bench_expected(c), count);
        if (i >= 0)
            status = bmf_fail(c->ctx, BMF_ERROR_INTERNAL, "element %lld is %.17g instead of %.17g (%s)",
                              (long long)(bench_local_begin(list) + i), value_of(c, bench_data(list), i),
                              value_of(c, bench_expected(c), i), c->loops->name);
    }
    return bmf_agree(c->ctx, status);
}

int bench_verify_out(bench_case *c)
{
    return bench_same_list(c, c->out);
}

int bench_verify_total(bench_case *c)
{
    const double value = value_of(c, &c->value, 0), expected = value_of(c, &c->expected_value, 0);
    const bool same = c->type == BENCH_INT ? c->value.whole == c->expected_value.whole : value == expected;
    return bmf_agree(c->ctx, same ? BMF_OK
                                  : bmf_fail(c->ctx, BMF_ERROR_INTERNAL, "the total is %.17g instead of %.17g (%s)",
                                             value, expected, c->loops->name));
}
