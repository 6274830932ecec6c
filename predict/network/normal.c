/* Chance that depends on its name only.
 *
 * Method: splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014) mixes sample,
 * what and which into 53 bits; the inverse normal distribution makes a number of them. So samples do not depend on the
 * order in which they are drawn. Cost: three mixings and one inverse.
 */
#include <gsl/gsl_cdf.h>

#include "predict/network/network.h"

static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

double normal_deviate(int64_t sample, uint64_t what, uint64_t which)
{
    if (sample == 0)
        return 0;
    const uint64_t bits = mix(mix(mix((uint64_t)sample) ^ what) ^ which) >> 11;
    return gsl_cdf_ugaussian_Pinv(((double)bits + 0.5) * 0x1p-53);
}
