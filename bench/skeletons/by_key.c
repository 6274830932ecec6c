/* Rows of reductions by key: sums of reals by 10 and by 10^6 keys at random.
 *
 * The reference has a table of sums for every thread, adds those of a rank's threads and then those of all ranks. */
#include "bench/skeletons/skeletons.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/memory.h"
#include "runtime/data/list.h"

enum { FEW = 10, MANY = 1000000, AHEAD = 32, LARGE = 32768, LINE_REALS = 16 };

BMF_MAP_KERNEL(few_keys, int64_t, i, int64_t, (int64_t)(bench_hash(i + 7) % FEW))
BMF_MAP_KERNEL(many_keys, int64_t, i, int64_t, (int64_t)(bench_hash(i + 7) % MANY))

static int prepare(bench_case *c, const bmf_kernel *key, int64_t count)
{
    bmf_partition *results;
    c->min_bytes = 16.0 * (double)c->elements;
    BMF_TRY(bench_numbers(c, c->elements, &c->x));
    BMF_TRY(bmf_tabulate(c->ctx, c->elements, key, &c->y));
    BMF_TRY(bmf_partition_even(c->ctx, count, &results));
    const int64_t mine = bmf_partition_local_end(results) - bmf_partition_local_begin(results);
    bmf_partition_release(results);
    return bench_expect(c, mine, (int64_t)sizeof(double));
}

int bench_prepare_few_keys(bench_case *c)
{
    return prepare(c, &few_keys, FEW);
}

int bench_prepare_many_keys(bench_case *c)
{
    return prepare(c, &many_keys, MANY);
}

int bench_run_few_keys(bench_case *c)
{
    return bmf_reduce_by_key(c->y, c->x, FEW, &bmf_plus_real, bench_out(c));
}

int bench_run_many_keys(bench_case *c)
{
    return bmf_reduce_by_key(c->y, c->x, MANY, &bmf_plus_real, bench_out(c));
}

/* Sums of elements [begin, end) into a table, whose entries are asked for ahead where it is large. */
static void add(const int64_t *key, const double *x, int64_t begin, int64_t end, bool large, double *table)
{
    int64_t i = begin;
    for (; large && i + AHEAD < end; i++) {
        __builtin_prefetch(table + key[i + AHEAD], 1);
        table[key[i]] += x[i];
    }
    for (; i < end; i++)
        table[key[i]] += x[i];
}

/* Tables of threads do not share lines of memory, nor neighbouring ones, which are fetched together. */
static int64_t table_length(int64_t count)
{
    return (count + LINE_REALS - 1) / LINE_REALS * LINE_REALS + LINE_REALS;
}

/* A table for every thread; the first becomes that of all. */
static void add_all(const bench_case *c, int64_t count, double *tables)
{
    const int64_t apart = table_length(count);
    const int64_t *key = bench_data(c->y), n = bench_local_count(c->x), threads = c->team.threads;
    const double *x = bench_data(c->x);
#pragma omp parallel for num_threads(c->team.threads) schedule(static)
    for (int64_t t = 0; t < threads; t++) {
        memset(tables + t * apart, 0, (size_t)count * sizeof *tables);
        add(key, x, n / threads * t, t + 1 < threads ? n / threads * (t + 1) : n, count > LARGE, tables + t * apart);
    }
    for (int64_t t = 1; t < threads; t++)
#pragma omp parallel for num_threads(c->team.threads) schedule(static)
        for (int64_t k = 0; k < count; k++)
            tables[k] += tables[t * apart + k];
}

static int hand(bench_case *c, int64_t count)
{
    const int64_t mine = c->expected_count;
    bmf_buffer *room = working_buffer(c->team.threads * table_length(count) * (int64_t)sizeof(double));
    double *tables = room->data;
    int *counts = calloc((size_t)c->team.ranks, sizeof *counts);
    const int own = (int)mine;
    add_all(c, count, tables);
    MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, c->team.comm);
    MPI_Reduce_scatter(tables, bench_expected(c), counts, MPI_DOUBLE, MPI_SUM, c->team.comm);
    free(counts);
    buffer_release(room);
    return BMF_OK;
}

int bench_hand_few_keys(bench_case *c)
{
    return hand(c, FEW);
}

int bench_hand_many_keys(bench_case *c)
{
    return hand(c, MANY);
}
