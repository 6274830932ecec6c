/* Operations of one size that take longer in larger runs.
 *
 * Method: a kernel of a few elements, or what precedes it, takes longer among large data than among small: what it
 * needs has left the caches. Nothing that it does says so. Where the typical time of such an operation, which always
 * had the same size, grows with the size of the run, the equation is that of a run twice as large as the largest that
 * was learnt, and its error what one doubling more or less makes. A growth within two of its standard errors is none.
 * Cost: n log n over the times of an operation.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/kernels/kernels_private.h"
#include "predict/sheet/sheet_private.h"
#include "predict/statistics/sample.h"
#include "runtime/base/allocate.h"

enum { MIN_RUN_SIZES = 3, MAX_RUN_SIZES = 64 };
static const double tick = 50e-9, significant = 2.0;

static bool has_one_size(const bmf_kernel_time *time, int64_t count)
{
    for (int64_t k = 1; k < count; k++)
        if (time[k].d != time[0].d || time[k].p != time[0].p)
            return false;
    return true;
}

/* The medians of the operation in runs of every size, smallest first. */
static int find_typical(const bmf_kernel_time *time, int64_t count, const bmf_run_sizes *sizes, double *doublings,
                        double *seconds)
{
    double *value = allocate_array(count, (int64_t)sizeof *value);
    int found = 0;
    for (int32_t s = 0; s < sizes->count && found < MAX_RUN_SIZES; s++) {
        int64_t used = 0;
        for (int64_t k = 0; k < count; k++)
            if (sizes->number[time[k].run] == s)
                value[used++] = log(fmax(time[k].seconds, tick));
        if (used == 0 || !(sizes->largest[s] > 0.0))
            continue;
        doublings[found] = log2(sizes->largest[s]);
        seconds[found++] = sample_median(value, used);
    }
    free(value);
    return found;
}

void kernel_growth(const bmf_kernel_time *time, int64_t count, const bmf_run_sizes *sizes, bmf_sheet_entry *entry)
{
    double doublings[MAX_RUN_SIZES], seconds[MAX_RUN_SIZES];
    int term[BMF_TERMS];
    if (!has_one_size(time, count) || form_terms(entry->form, term) != 1)
        return;
    const int found = find_typical(time, count, sizes, doublings, seconds);
    if (found < MIN_RUN_SIZES)
        return;
    const bmf_line line = fit_line(doublings, seconds, found);
    const double growth = line.slope;
    if (!(growth > significant * sqrt(line.slope_variance)))
        return;
    const double largest = doublings[found - 1], typical = exp(line.start + growth * (largest + 1.0));
    entry->coefficient[0] = typical;
    entry->has_errors = true;
    entry->covariance[0][0] = typical * typical * expm1(growth * growth);
    sheet_remark(entry->note, "takes %.0f %% longer in a run of twice the size; this is for twice the largest",
                 100.0 * expm1(growth));
}
