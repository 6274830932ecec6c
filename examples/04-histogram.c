/* A histogram of the numbers in a .npy file.
 *
 *     mpirun -n 4 04-histogram DATA.npy 20
 *
 * A histogram is a reduction whose values are arrays of counts. To make such an array for every single number would be
 * a waste, so the elements of the list that is reduced are blocks of the data: a list of block numbers, a kernel that
 * counts the numbers of one block, and an operator that adds arrays of counts. The kernel finds the data through its
 * context; the file is read so that every block lies on the processor of its number. The number of bins is known only
 * when the program runs, so the type of the counts is made then, and kernel and operator are block functions written
 * out. Cost: one pass for the range, one for the counts.
 */
#include <bmf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 8192, MOST_BINS = 4096 };

BMF_MAP_KERNEL(real_of_int, int64_t, n, double, (double)n)

typedef struct histogram {
    int64_t bins;
    double low, high;
    int64_t length, begin; /* of the whole list; the first element that is here */
    const double *data;    /* the elements that are here */
} histogram;

/* Counts the numbers of one block; numbers outside the range, and NaN, are not counted. */
static void count_block(const histogram *h, int64_t block, int64_t *counts)
{
    const double scale = (double)h->bins / (h->high - h->low);
    const int64_t begin = block * BLOCK, rest = h->length - begin;
    const double *x = h->data + (begin - h->begin);
    memset(counts, 0, (size_t)h->bins * sizeof *counts);
    for (int64_t i = 0; i < BLOCK && i < rest; i++) {
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

static const char usage[] =
    "usage: mpirun -n RANKS 04-histogram FILE.npy BINS [LOW HIGH]\n"
    "Counts the int or real numbers of a 1-D .npy file in BINS (at most 4096) equal intervals from\n"
    "LOW to HIGH (default: the smallest and largest number), both included, and prints lower edge,\n"
    "upper edge and count of each.\n"
    "Example: mpirun -n 2 04-histogram heights.npy 20 1.0 2.2\n";

/* Rank 0 speaks for all. */
static int explain(bmf_context *ctx, int exit_code)
{
    if (bmf_is_root(ctx))
        fputs(usage, exit_code == 0 ? stdout : stderr);
    bmf_close(ctx);
    return exit_code;
}

/* Reads the file as reals onto parts that end where the blocks of `numbers` do. */
static int read_blocks(bmf_context *ctx, const char *path, int64_t length, const bmf_list *numbers, bmf_list **xs)
{
    const bmf_partition *blocks = bmf_list_partition(numbers);
    bmf_partition *parts;
    bmf_list *read;
    const int64_t count = bmf_partition_parts(blocks);
    int64_t *start = malloc((size_t)(count + 1) * sizeof *start);
    if (!start)
        return bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for the parts of %s", path);
    for (int64_t k = 0; k <= count; k++)
        start[k] = bmf_partition_start(blocks, k) * BLOCK < length ? bmf_partition_start(blocks, k) * BLOCK : length;
    int status = bmf_partition_resized(ctx, blocks, start, &parts);
    free(start);
    BMF_TRY(status);
    status = bmf_npy_read_parts(ctx, path, parts, &read);
    bmf_partition_release(parts);
    BMF_TRY(status);
    if (bmf_list_type(read) == &bmf_type_real) {
        *xs = read;
        return BMF_OK;
    }
    status = bmf_map(read, &real_of_int, xs);
    bmf_list_free(read);
    return status;
}

/* The range of the numbers; like numpy, one of width 1 around a single value, and 0 to 1 around nothing. */
static int find_range(const bmf_list *xs, histogram *h)
{
    h->low = 0.0;
    h->high = 1.0;
    if (h->length == 0)
        return BMF_OK;
    BMF_TRY(bmf_reduce(xs, &bmf_min_real, &h->low));
    BMF_TRY(bmf_reduce(xs, &bmf_max_real, &h->high));
    if (h->low == h->high) {
        h->low -= 0.5;
        h->high += 0.5;
    }
    return BMF_OK;
}

static int count_all(const bmf_list *numbers, const histogram *h, int64_t *counts)
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
    return bmf_map_reduce(numbers, &count, &add, counts);
}

static void print_histogram(const histogram *h, const int64_t *counts)
{
    const double width = (h->high - h->low) / (double)h->bins;
    for (int64_t k = 0; k < h->bins; k++)
        printf("%.10g %.10g %lld\n", h->low + (double)k * width, h->low + (double)(k + 1) * width,
               (long long)counts[k]);
}

/* A number that fills its argument; otherwise NaN. */
static double parse(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    return end == text || *end != '\0' ? NAN : value;
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return explain(ctx, 0);
    const double bins = argc == 3 || argc == 5 ? parse(argv[2]) : NAN;
    if (!(bins >= 1.0 && bins <= MOST_BINS && bins == floor(bins)))
        return explain(ctx, 2);

    bmf_npy_header header;
    bmf_list *numbers, *xs;
    histogram h = {.bins = (int64_t)bins};
    BMF_CHECK(bmf_npy_header_read(ctx, argv[1], &header));
    h.length = header.shape[0];
    BMF_CHECK(bmf_iota(ctx, (h.length + BLOCK - 1) / BLOCK, &numbers));
    BMF_CHECK(read_blocks(ctx, argv[1], h.length, numbers, &xs));
    if (argc == 5) {
        h.low = parse(argv[3]);
        h.high = parse(argv[4]);
    } else {
        BMF_CHECK(find_range(xs, &h));
    }
    if (!(h.low < h.high && isfinite(h.high - h.low)))
        BMF_CHECK(bmf_fail(ctx, BMF_ERROR_ARGUMENT, "%s: the range from %g to %g is no range", argv[1], h.low, h.high));
    int64_t stride;
    h.begin = bmf_list_local_begin(xs);
    h.data = bmf_list_data(xs, 0, &stride);

    int64_t *counts = calloc((size_t)h.bins, sizeof *counts);
    if (!counts)
        BMF_CHECK(bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for %lld bins", (long long)h.bins));
    BMF_CHECK(count_all(numbers, &h, counts));
    if (bmf_is_root(ctx))
        print_histogram(&h, counts);
    free(counts);
    bmf_list_free(numbers);
    bmf_list_free(xs);
    return bmf_close(ctx);
}
