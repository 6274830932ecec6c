/* A histogram is a reduction whose values are arrays of counts. To make such an array for every single number would be
 * a waste, so the list that is reduced is one of block numbers, BLOCKS for every processor: a kernel counts the numbers
 * of one block, an operator adds arrays of counts. The kernel finds the data through its context. The number of bins is
 * known only when the program runs, so the type of the counts is made then, and kernel and operator are block functions
 * written out. */
#include "histogram.h"

#include <string.h>

enum { BLOCKS = 64 };

/* Counts the numbers of one block; numbers outside the range, and NaN, are not counted. */
static void count_block(const histogram *h, int64_t block, int64_t *counts)
{
    const bmf_partition *parts = bmf_list_partition(h->numbers);
    const int64_t first = bmf_partition_start(parts, block / BLOCKS) - bmf_list_local_begin(h->numbers);
    const int64_t length = bmf_partition_start(parts, block / BLOCKS + 1) - bmf_partition_start(parts, block / BLOCKS);
    const int64_t begin = first + bmf_split_start(length, BLOCKS, block % BLOCKS);
    const int64_t end = first + bmf_split_start(length, BLOCKS, block % BLOCKS + 1);
    const double scale = (double)h->bins / (h->high - h->low);
    int64_t stride;
    const double *x = bmf_list_data(h->numbers, 0, &stride);
    memset(counts, 0, (size_t)h->bins * sizeof *counts);
    for (int64_t i = begin; i < end; i++) {
        if (!(x[i] >= h->low && x[i] <= h->high))
            continue;
        const int64_t bin = (int64_t)((x[i] - h->low) * scale);
        counts[bin < h->bins ? bin : h->bins - 1]++; /* the last bin includes its upper edge */
    }
}

static int count_blocks(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    for (int64_t i = 0; i < count; i++)
        count_block(context, BMF_AT(const int64_t, in[0], i), &BMF_AT(int64_t, out[0], i));
    return 0;
}

/* out[i] = a[i] + b[i], each an array of counts; out may be a or b. */
static int add_counts(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    const int64_t bins = ((const histogram *)context)->bins;
    for (int64_t i = 0; i < count; i++) {
        const int64_t *a = &BMF_AT(const int64_t, in[0], i), *b = &BMF_AT(const int64_t, in[1], i);
        int64_t *sum = &BMF_AT(int64_t, out[0], i);
        for (int64_t k = 0; k < bins; k++)
            sum[k] = a[k] + b[k];
    }
    return 0;
}

int histogram_count(bmf_context *ctx, const histogram *h, int64_t *counts)
{
    const bmf_type *type = bmf_type_struct(h->bins * (int64_t)sizeof *counts, "counts");
    const bmf_kernel count = {.name = "count_blocks",
                              .block = count_blocks,
                              .context = h,
                              .inputs = 1,
                              .input = {&bmf_type_int},
                              .output = type};
    const bmf_operator add = {.name = "add_counts",
                              .type = type,
                              .combine = add_counts,
                              .context = h,
                              .identity = counts,
                              .flags = BMF_EXACT | BMF_COMMUTATIVE};
    bmf_list *blocks;
    BMF_TRY(bmf_iota(ctx, BLOCKS * bmf_processors(ctx), &blocks));
    const int status = bmf_map_reduce(blocks, &count, &add, counts);
    bmf_list_free(blocks);
    return status;
}

int histogram_find_range(histogram *h)
{
    h->low = 0.0;
    h->high = 1.0;
    if (bmf_length(h->numbers) == 0)
        return BMF_OK;
    BMF_TRY(bmf_reduce(h->numbers, &bmf_min_real, &h->low));
    BMF_TRY(bmf_reduce(h->numbers, &bmf_max_real, &h->high));
    if (h->low == h->high) {
        h->low -= 0.5;
        h->high += 0.5;
    }
    return BMF_OK;
}
