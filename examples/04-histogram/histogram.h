/* Histograms of lists of reals. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <bmf.h>

typedef struct histogram {
    int64_t bins;
    double low, high; /* both included */
    const bmf_list *numbers;
} histogram;

/* Counts the numbers in each of the bins, which are equal intervals, on every rank; counts[0 .. bins) is 0 at first. */
int histogram_count(bmf_context *ctx, const histogram *h, int64_t *counts);

/* Sets low and high to the range of the numbers; like numpy, one of width 1 around a single value, and 0 to 1 around
 * nothing. */
int histogram_find_range(histogram *h);

#endif
