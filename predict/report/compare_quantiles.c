/* Medians and 90 % quantiles of many groups of errors.
 *
 * Method: errors are put together by group (counting sort), then the value of a rank is selected in every group
 * (quickselect, median of three). Values of a rank, not interpolated: errors may be infinite.
 * Cost: expected linear.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/report/compare_private.h"
#include "runtime/base/allocate.h"

double relative_error(int64_t measured, int64_t predicted)
{
    if (measured == 0)
        return predicted == 0 ? 0.0 : INFINITY;
    return fabs((double)predicted / (double)measured - 1);
}

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

/* The value of a rank (from 0); values before it become no larger, values after it no smaller. */
static double select_rank(double *value, int64_t count, int64_t rank)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (value[middle] < value[low])
            swap(&value[middle], &value[low]);
        if (value[high] < value[low])
            swap(&value[high], &value[low]);
        if (value[high] < value[middle])
            swap(&value[high], &value[middle]);
        double pivot = value[middle];
        int64_t i = low, j = high;
        while (i <= j) {
            while (value[i] < pivot)
                i++;
            while (value[j] > pivot)
                j--;
            if (i <= j)
                swap(&value[i++], &value[j--]);
        }
        if (rank <= j)
            high = j;
        else if (rank >= i)
            low = i;
        else
            break;
    }
    return value[rank];
}

/* The smallest value that at least this share of the values does not exceed. */
static double quantile(double *value, int64_t count, int64_t percent)
{
    return select_rank(value, count, (count * percent + 99) / 100 - 1);
}

void ratio_quantiles(int64_t errors, const int64_t *group, const double *error, int64_t groups, bmf_ratio *ratio)
{
    int64_t *start = allocate_clear(groups + 2, (int64_t)sizeof *start);
    double *sorted = allocate_array(errors, (int64_t)sizeof *sorted);
    for (int64_t k = 0; k < errors; k++)
        start[group[k] + 2]++;
    for (int64_t g = 0; g < groups; g++)
        start[g + 2] += start[g + 1];
    for (int64_t k = 0; k < errors; k++)
        sorted[start[group[k] + 1]++] = error[k];
    for (int64_t g = 0; g < groups; g++) {
        int64_t count = start[g + 1] - start[g];
        ratio[g].events = count;
        ratio[g].median = count ? quantile(sorted + start[g], count, 50) : NAN;
        ratio[g].p90 = count ? quantile(sorted + start[g], count, 90) : NAN;
    }
    free(start);
    free(sorted);
}
