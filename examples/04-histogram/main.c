/* A histogram of the numbers in a .npy file.
 *
 *     mpirun.mpich -n 4 04-histogram DATA.npy 20
 *
 * Cost: one pass for the range, one for the counts (histogram.c). */
#include "histogram.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BINS = 4096 };

static const char usage[] =
    "usage: mpirun.mpich -n RANKS 04-histogram FILE.npy BINS [LOW HIGH]\n"
    "Counts the int or real numbers of a 1-D .npy file in BINS (at most 4096) equal intervals from\n"
    "LOW to HIGH (default: the smallest and largest number), both included, and prints lower edge,\n"
    "upper edge and count of each.\n"
    "Example: mpirun.mpich -n 2 04-histogram heights.npy 20 1.0 2.2\n";

/* Rank 0 speaks for all. */
static int explain(bmf_context *ctx, int exit_code)
{
    if (bmf_is_root(ctx))
        fputs(usage, exit_code == 0 ? stdout : stderr);
    bmf_close(ctx);
    return exit_code;
}

BMF_MAP_KERNEL(real_of_int, int64_t, n, double, (double)n)

/* Reads the file as reals. */
static int read_reals(bmf_context *ctx, const char *path, bmf_list **xs)
{
    bmf_list *read;
    BMF_TRY(bmf_npy_read(ctx, path, &read));
    *xs = read;
    if (bmf_list_type(read) == &bmf_type_real)
        return BMF_OK;
    const int status = bmf_map(read, &real_of_int, xs);
    bmf_list_free(read);
    return status;
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
    if (!(bins >= 1.0 && bins <= MAX_BINS && bins == floor(bins)))
        return explain(ctx, 2);

    bmf_list *xs;
    BMF_CHECK(read_reals(ctx, argv[1], &xs));
    histogram h = {.bins = (int64_t)bins, .numbers = xs};
    if (argc == 5) {
        h.low = parse(argv[3]);
        h.high = parse(argv[4]);
    } else {
        BMF_CHECK(histogram_find_range(&h));
    }
    if (!(h.low < h.high && isfinite(h.high - h.low)))
        BMF_CHECK(bmf_fail(ctx, BMF_ERROR_ARGUMENT, "%s: the range from %g to %g is no range", argv[1], h.low, h.high));

    int64_t counts[MAX_BINS] = {0};
    BMF_CHECK(histogram_count(ctx, &h, counts));
    if (bmf_is_root(ctx))
        print_histogram(&h, counts);
    bmf_list_free(xs);
    return bmf_close(ctx);
}
