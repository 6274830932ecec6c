/* Chance that depends on its name only.
 *
 * Method: a hash makes 53 bits of sample, what and which; the inverse normal distribution makes a number of them. So
 * samples do not depend on the order in which they are drawn. The inverse is asked once at the ends of 2^11 cells.
 * Within a cell a cubic with its values and slopes is off by less than 10^-8; where it is steep, in one cell of 32, it
 * is asked each time. Cost: three mixings and a cubic. Source: C. de Boor, A Practical Guide to Splines (1978), ch. IV,
 * for the cubic.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <pthread.h>

#include "predict/network/network.h"
#include "runtime/base/hash.h"

enum { CELLS = 1 << 11, STEEP = CELLS / 64 };

/* At the end k / CELLS: the inverse, and by how much it grows in a cell there. */
typedef struct cell_end {
    double value, growth;
} cell_end;

static cell_end end[CELLS];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_ends(void)
{
    for (int k = 1; k < CELLS; k++) {
        const double value = gsl_cdf_ugaussian_Pinv((double)k / CELLS);
        end[k] = (cell_end){value, 1.0 / (CELLS * gsl_ran_ugaussian_pdf(value))};
    }
}

double normal_quantile(double probability)
{
    const double place = probability * CELLS;
    const int k = (int)place;
    if (k < STEEP || k >= CELLS - STEEP)
        return gsl_cdf_ugaussian_Pinv(probability);
    pthread_once(&made, make_ends);
    const double t = place - k, rise = end[k + 1].value - end[k].value;
    const double before = end[k].growth - rise, behind = rise - end[k + 1].growth;
    return end[k].value + t * (rise + (1.0 - t) * (before * (1.0 - t) + behind * t));
}

uint64_t normal_stream(int64_t sample, uint64_t what)
{
    return hash_add(hash_add(0, (uint64_t)sample), what);
}

double normal_of_stream(uint64_t stream, uint64_t which)
{
    return normal_quantile(((double)(hash_add(stream, which) >> 11) + 0.5) * 0x1p-53);
}

double normal_deviate(int64_t sample, uint64_t what, uint64_t which)
{
    return sample == 0 ? 0.0 : normal_of_stream(normal_stream(sample, what), which);
}
