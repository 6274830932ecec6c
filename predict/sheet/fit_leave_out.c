/* What an equation may be off by beyond the sizes that it was fitted to.
 *
 * Method: the largest sizes are left out, one after the other, and predicted from those below. What these predictions
 * are off by, beyond what the errors of coefficients and the noise explain, is the error of the form: the next size may
 * be on the other side of a cache. It is told for one doubling, and taken to grow with the doublings, because a wrong
 * slope does.
 * Source: leaving out in the order of the sizes, as for series in time (Tashman, "Out-of-sample tests of forecasting
 * accuracy", Int. J. Forecasting 16, 2000). Cost: the fit of a series for each size left out, at most MAX_LEFT_OUT.
 */
#include <math.h>

#include "predict/sheet/fit.h"

enum { MIN_SIZES = 3, MAX_LEFT_OUT = 3 };
/* What makes intervals hold 95 % of synthetic kernels, with and without steps (ctest/unit/extrapolation.c): an equation
 * that misses its own points has larger errors of its coefficients already. */
static const double calibrated = 0.3;

/* The beginning of the points of the last size before `end`. */
static int64_t last_size(const bmf_fit_point *point, int64_t end)
{
    int64_t begin = end - 1;
    while (begin > 0 && point[begin - 1].d == point[end - 1].d)
        begin--;
    return begin;
}

static int64_t count_sizes(const bmf_fit_point *point, int64_t count)
{
    int64_t sizes = count > 0;
    for (int64_t k = 1; k < count; k++)
        sizes += point[k].d != point[k - 1].d;
    return sizes;
}

/* The equation of the largest sizes. */
static bool fit_end(int64_t count, const bmf_fit_point *point, bmf_fit *fit)
{
    double size[BMF_FIT_RANGES];
    bmf_fit all[BMF_FITS];
    const int ranges = fit_ranges(count, point, size);
    int64_t begin = 0;
    while (ranges > 1 && begin < count && point[begin].d <= size[ranges - 2])
        begin++;
    if (fit_forms(count - begin, point + begin, all) == 0)
        return false;
    *fit = all[0];
    return true;
}

/* The square of what a point is off by, relative to the equation, less what is to be expected. */
static double excess(const bmf_fit *fit, const bmf_fit_point *at)
{
    double basis[BMF_TERMS], mean = 0.0, variance = 0.0;
    form_basis(fit->form, at->p, at->d, basis);
    for (int a = 0; a < BMF_TERMS; a++) {
        mean += fit->coefficient[a] * basis[a];
        for (int b = 0; b < BMF_TERMS; b++)
            variance += basis[a] * fit->covariance[a][b] * basis[b];
    }
    if (!(mean > 0.0) || !(at->centre > 0.0))
        return NAN;
    const double off = log(at->centre / mean);
    return off * off - variance / (mean * mean) - fit->noise * fit->noise / at->sum;
}

double fit_form_error(int64_t count, const bmf_fit_point *point)
{
    double sum = 0.0, used = 0.0;
    int64_t end = count;
    for (int left = 0; left < MAX_LEFT_OUT && end > 0; left++) {
        const int64_t begin = last_size(point, end);
        bmf_fit fit;
        if (count_sizes(point, begin) < MIN_SIZES || !(point[begin - 1].d > 0.0) || !fit_end(begin, point, &fit))
            break;
        const double doublings = log2(point[begin].d / point[begin - 1].d);
        for (int64_t k = begin; k < end; k++) {
            const double more = excess(&fit, &point[k]) / (doublings * doublings);
            if (isfinite(more)) {
                sum += more;
                used += 1.0;
            }
        }
        end = begin;
    }
    return used > 0.0 && sum > 0.0 ? calibrated * sqrt(sum / used) : 0.0;
}
