/* Figures of samples: means, spreads, quantiles, and the line through points.
 *
 * Cost: linear, n log n for what orders. */
#ifndef BMF_STATISTICS_SAMPLE_H
#define BMF_STATISTICS_SAMPLE_H

#include <stdint.h>

/* In increasing order; not-a-numbers come last. */
void sort_reals(double *value, int64_t count);
void sort_floats(float *value, int64_t count);

/* The middle one, or the mean of the two in the middle; orders the values. NaN of none. */
double sample_median(double *value, int64_t count);
/* Of ordered values: between the two that are next to fraction * (count - 1), in proportion. NaN of none. */
double sorted_quantile(const double *ordered, int64_t count, double fraction);
double sample_mean(const double *value, int64_t count);
/* Around the mean, divided by count - 1; NaN below 2 values. */
double sample_variance(const double *value, int64_t count);
double sample_deviation(const double *value, int64_t count);

/* y = start + slope x by least squares; the variance of the slope from the distances (NaN below 3 points). */
typedef struct bmf_line {
    double start, slope, slope_variance;
} bmf_line;

bmf_line fit_line(const double *x, const double *y, int64_t count);

#endif
