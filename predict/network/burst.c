/* The burst of a port; see the header.
 *
 * Method: least squares of single = base + max(following - burst, 0), relative to the times, over base and burst. For a
 * burst the best base is a weighted mean; bursts are tried between all sizes, 16 for a factor of 2.
 * Cost: 16 count^2. */
#include "predict/network/burst.h"

#include <math.h>

enum { STEPS = 16 };

static double misfit(int64_t count, const double *single, const double *following, double burst)
{
    double weights = 0.0, base = 0.0, sum = 0.0;
    for (int64_t k = 0; k < count; k++) {
        const double weight = 1.0 / (single[k] * single[k]);
        weights += weight;
        base += weight * (single[k] - fmax(following[k] - burst, 0.0));
    }
    for (int64_t k = 0; k < count; k++) {
        const double off = (base / weights + fmax(following[k] - burst, 0.0)) / single[k] - 1.0;
        sum += off * off;
    }
    return sum;
}

double burst_of(int64_t count, const double *single, const double *following)
{
    for (int64_t k = 0; k < count; k++)
        if (!(single[k] > 0.0))
            return 0.0;
    double best = 0.0, least = misfit(count, single, following, 0.0);
    for (int64_t k = 0; k < STEPS * count; k++) {
        const double burst = following[k / STEPS] * exp2((double)(k % STEPS) / STEPS);
        const double off = misfit(count, single, following, burst);
        if (off < least) {
            least = off;
            best = burst;
        }
    }
    return best;
}
