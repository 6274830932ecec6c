/* Figures of samples; sums are taken in long double, around the mean. */
#include "predict/statistics/sample.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return isnan(x) || isnan(y) ? !!isnan(x) - !!isnan(y) : (x > y) - (x < y);
}

void sort_reals(double *value, int64_t count)
{
    if (count > 1)
        qsort(value, (size_t)count, sizeof *value, compare_reals);
}

static bool is_before(float a, float b)
{
    return a < b || (isnan(b) && !isnan(a));
}

/* Shell's method, for the few samples of an event: n^(4/3) comparisons about. Gaps: M. Ciura, "Best increments for the
 * average case of Shellsort", FCT 2001. */
void sort_floats(float *value, int64_t count)
{
    static const int64_t gap[] = {1636000, 727000, 323000, 143000, 64000, 28000, 12577, 5589, 2484,
                                  1104,    701,    301,    132,    57,    23,    10,    4,    1};
    for (size_t g = 0; g < sizeof gap / sizeof *gap; g++)
        for (int64_t k = gap[g]; k < count; k++) {
            const float moved = value[k];
            int64_t at = k;
            for (; at >= gap[g] && is_before(moved, value[at - gap[g]]); at -= gap[g])
                value[at] = value[at - gap[g]];
            value[at] = moved;
        }
}

double sample_median(double *value, int64_t count)
{
    sort_reals(value, count);
    return sorted_quantile(value, count, 0.5);
}

double sorted_quantile(const double *ordered, int64_t count, double fraction)
{
    if (count < 1)
        return NAN;
    const double place = fraction * (double)(count - 1);
    const int64_t below = (int64_t)place;
    const double beyond = place - (double)below;
    return below + 1 < count && beyond > 0.0 ? (1.0 - beyond) * ordered[below] + beyond * ordered[below + 1]
                                             : ordered[below];
}

double sample_mean(const double *value, int64_t count)
{
    long double sum = 0.0L;
    for (int64_t k = 0; k < count; k++)
        sum += value[k];
    return (double)(sum / (long double)count);
}

double sample_variance(const double *value, int64_t count)
{
    const double mean = sample_mean(value, count);
    long double sum = 0.0L;
    if (count < 2)
        return NAN;
    for (int64_t k = 0; k < count; k++)
        sum += ((long double)value[k] - mean) * ((long double)value[k] - mean);
    return (double)(sum / (long double)(count - 1));
}

double sample_deviation(const double *value, int64_t count)
{
    return sqrt(sample_variance(value, count));
}

bmf_line fit_line(const double *x, const double *y, int64_t count)
{
    const double x_mean = sample_mean(x, count), y_mean = sample_mean(y, count);
    long double xx = 0.0L, xy = 0.0L, squares = 0.0L;
    for (int64_t k = 0; k < count; k++) {
        xx += ((long double)x[k] - x_mean) * ((long double)x[k] - x_mean);
        xy += ((long double)x[k] - x_mean) * ((long double)y[k] - y_mean);
    }
    const double slope = (double)(xy / xx);
    for (int64_t k = 0; k < count; k++) {
        const long double off = (y[k] - y_mean) - (long double)slope * (x[k] - x_mean);
        squares += off * off;
    }
    return (bmf_line){.start = y_mean - slope * x_mean,
                      .slope = slope,
                      .slope_variance = count > 2 ? (double)(squares / (long double)(count - 2) / xx) : NAN};
}
