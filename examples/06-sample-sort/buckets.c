/* In every part the keys of a bucket are a run. A scan over the lengths of the runs, bucket by bucket, says where each
 * run begins in the result. Cost per processor: P^2 run lengths. */
#include "sample_sort.h"

#include <stdlib.h>

/* Element b * parts + p of the transposed table is element p * parts + b. */
static inline int64_t transpose(int64_t i, int64_t parts)
{
    return i % parts * parts + i / parts;
}
BMF_MAP_KERNEL_WITH(transposed, int64_t, context, int64_t, i, int64_t, transpose(i, *context))

/* Where every run begins in the result: bucket by bucket, in a bucket part by part. Fills length and begin, both with
 * element b * parts + p for bucket b and part p, on every rank. */
static void place_runs(bmf_context *ctx, const bmf_list *by_part, int64_t parts, int64_t *length, int64_t *begin)
{
    const bmf_kernel by_bucket_first = bmf_kernel_bind(&transposed, &parts);
    bmf_list *order, *by_bucket, *begins;
    BMF_CHECK(bmf_tabulate(ctx, parts * parts, &by_bucket_first, &order));
    BMF_CHECK(bmf_project(by_part, order, &by_bucket));
    BMF_CHECK(bmf_scan(by_bucket, &bmf_plus_int, BMF_EXCLUSIVE, &begins));
    BMF_CHECK(bmf_to_array(by_bucket, length));
    BMF_CHECK(bmf_to_array(begins, begin));
    bmf_list_free(order);
    bmf_list_free(by_bucket);
    bmf_list_free(begins);
}

/* The positions, in the sorted parts, of the keys of every bucket: run after run, bucket b on processor b. */
static void list_sources(bmf_context *ctx, const bmf_list *keys, const int64_t *length, const int64_t *begin,
                         bmf_list **sources)
{
    const bmf_partition *parts = bmf_list_partition(keys);
    const int64_t buckets = bmf_partition_parts(parts);
    bmf_partition *targets;
    int64_t *start = malloc((size_t)(buckets + 1) * sizeof *start), *taken = calloc((size_t)buckets, sizeof *taken);
    if (!start || !taken)
        BMF_CHECK(bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for %lld buckets", (long long)buckets));
    for (int64_t b = 0; b < buckets; b++)
        start[b] = begin[b * buckets];
    start[buckets] = bmf_length(keys);
    BMF_CHECK(bmf_partition_resized(ctx, parts, start, &targets));
    BMF_CHECK(bmf_list_create(ctx, &bmf_type_int, targets, sources));
    int64_t *source = bmf_list_data_writable(*sources, 0);
    const int64_t first = bmf_partition_local_first(targets);
    for (int64_t b = 0; b < first + bmf_partition_local_parts(targets); b++)
        for (int64_t p = 0; p < buckets; p++) {
            const int64_t run = length[b * buckets + p];
            for (int64_t i = 0; b >= first && i < run; i++)
                *source++ = bmf_partition_start(parts, p) + taken[p] + i;
            taken[p] += run;
        }
    bmf_partition_release(targets);
    free(start);
    free(taken);
}

void find_buckets(bmf_context *ctx, const bmf_list *keys, const splitter *cut, bmf_list **sources)
{
    const size_t parts = (size_t)bmf_partition_parts(bmf_list_partition(keys));
    int64_t *length = malloc(parts * parts * sizeof *length), *begin = malloc(parts * parts * sizeof *begin);
    bmf_list *by_part;
    if (!length || !begin)
        BMF_CHECK(bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for the runs of %zu processors", parts));
    measure_runs(ctx, keys, cut, &by_part);
    place_runs(ctx, by_part, (int64_t)parts, length, begin);
    list_sources(ctx, keys, length, begin, sources);
    bmf_list_free(by_part);
    free(length);
    free(begin);
}
