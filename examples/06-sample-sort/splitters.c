/* Splitters from regular samples (Shi and Schaeffer 1992). Equal keys are told apart by their positions, so that a
 * value that occurs often is cut too, and no bucket is more than about twice the average. */
#include "sample_sort.h"

#include <stdlib.h>

enum { SAMPLES_PER_PART = 64 };

BMF_ZIP_KERNEL(splitter_at, int64_t, key, int64_t, position, splitter, ((splitter){key, position}))

int compare_splitters(const void *a, const void *b)
{
    const splitter *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* Sample i stands in the middle of the i-th of equal stretches of the list. */
typedef struct stretches {
    int64_t length, samples;
} stretches;
BMF_MAP_KERNEL_WITH(sample_position, stretches, context, int64_t, i, int64_t,
                    (int64_t)((double)context->length *((double)i + 0.5) / (double)context->samples))

void find_splitters(bmf_context *ctx, const bmf_list *keys, splitter *cut)
{
    const int64_t length = bmf_length(keys), parts = bmf_partition_parts(bmf_list_partition(keys));
    const int64_t samples = length < SAMPLES_PER_PART * parts ? length : SAMPLES_PER_PART * parts;
    const stretches where = {length, samples};
    const bmf_kernel position_of = bmf_kernel_bind(&sample_position, &where);
    bmf_list *positions, *sampled, *pairs;
    splitter *sample = malloc((size_t)samples * sizeof *sample);
    if (!sample)
        BMF_CHECK(bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for %lld samples", (long long)samples));
    BMF_CHECK(bmf_tabulate(ctx, samples, &position_of, &positions));
    BMF_CHECK(bmf_project(keys, positions, &sampled));
    BMF_CHECK(bmf_zip(sampled, positions, &splitter_at, &pairs));
    BMF_CHECK(bmf_to_array(pairs, sample));
    qsort(sample, (size_t)samples, sizeof *sample, compare_splitters);
    for (int64_t k = 1; k < parts; k++)
        cut[k - 1] = sample[k * samples / parts];
    free(sample);
    bmf_list_free(positions);
    bmf_list_free(sampled);
    bmf_list_free(pairs);
}

/* How many of the keys at positions [begin, end), which are sorted, come before the splitter. */
static int64_t count_before(const int64_t *key, int64_t begin, int64_t end, const splitter *cut)
{
    int64_t low = 0, high = end - begin;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const splitter here = {key[middle], begin + middle};
        if (compare_splitters(&here, cut) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void measure_runs(bmf_context *ctx, const bmf_list *keys, const splitter *cut, bmf_list **lengths)
{
    const bmf_partition *parts = bmf_list_partition(keys);
    const int64_t buckets = bmf_partition_parts(parts);
    bmf_partition *table;
    BMF_CHECK(bmf_partition_even(ctx, buckets * buckets, &table));
    BMF_CHECK(bmf_list_create(ctx, &bmf_type_int, table, lengths));
    bmf_partition_release(table);
    int64_t *length = bmf_list_data_writable(*lengths, 0);
    int64_t stride;
    const int64_t *local = bmf_list_data(keys, 0, &stride), first = bmf_partition_local_first(parts);
    for (int64_t p = first; p < first + bmf_partition_local_parts(parts); p++) {
        const int64_t begin = bmf_partition_start(parts, p), end = bmf_partition_start(parts, p + 1);
        const int64_t *key = local + (begin - bmf_partition_local_begin(parts));
        for (int64_t b = 0, done = 0; b < buckets; b++) {
            const int64_t before = b < buckets - 1 ? count_before(key, begin, end, &cut[b]) : end - begin;
            *length++ = before - done;
            done = before;
        }
    }
}
