/* Chance that depends on its name only.
 *
 * Method: a hash makes 52 bits of sample, what and which; the inverse normal distribution makes a number of them. So
 * samples do not depend on the order in which they are drawn. The inverse is kept for probabilities up to one half, the
 * others lie opposite: from one power of two to the next in 64 cells, because it changes about as much from each to the
 * next, and in each cell as the cubic with its values and slopes at both ends, which is off by less than 10^-8. Of many
 * numbers first the places in the cells are found, in vectors, then the cubics taken.
 * Cost: three mixings and a cubic, without a branch. Source: C. de Boor, A Practical Guide to Splines (1978), ch. IV,
 * for the cubic.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "bmf/kernel.h"
#include "predict/network/network.h"
#include "runtime/base/hash.h"

/* Of a number the exponent and the first bits behind it say in which cell it is, the others where in that. */
enum { MANTISSA_BITS = 52, CELL_BITS = 6, PLACE_BITS = MANTISSA_BITS - CELL_BITS, OCTAVES = 53 };
enum { CELLS = OCTAVES << CELL_BITS, EXPONENT_BIAS = 1023 };

enum { BLOCK = 256 }; /* of many numbers; their places stay in the cache */

/* The first cell begins at 2^-54, below the smallest number that is drawn; the last one is 1/2 alone. */
static const int64_t first_cell = (int64_t)(EXPONENT_BIAS - OCTAVES - 1) << CELL_BITS;
static const double least = 0x1p-54;

/* Of the place in it, from 0 to 1: constant first. */
typedef struct normal_cell {
    double coefficient[4];
} normal_cell;

static normal_cell cell[CELLS + 1];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static double begin_of(int64_t k)
{
    return ldexp(1.0 + ldexp((double)(k & ((1 << CELL_BITS) - 1)), -CELL_BITS), (int)(k >> CELL_BITS) - OCTAVES - 1);
}

static void make_cells(void)
{
    for (int64_t k = 0; k <= CELLS; k++) {
        const double begin = begin_of(k), length = begin_of(k + 1) - begin;
        const double first = gsl_cdf_ugaussian_Pinv(begin), last = gsl_cdf_ugaussian_Pinv(begin + length);
        const double rise = last - first;
        const double at_first = length / gsl_ran_ugaussian_pdf(first), at_last = length / gsl_ran_ugaussian_pdf(last);
        cell[k] =
            (normal_cell){{first, at_first, 3.0 * rise - 2.0 * at_first - at_last, at_first + at_last - 2.0 * rise}};
    }
}

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The number from 1 to 2 with these bits behind the 1. */
static inline double from_mantissa(uint64_t bits)
{
    bits |= (uint64_t)EXPONENT_BIAS << MANTISSA_BITS;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Where a probability lies, or the opposite one: its cell, and the place in it. */
static inline uint32_t find_cell(double probability, double *place)
{
    const double opposite = 1.0 - probability, below = opposite < probability ? opposite : probability;
    const uint64_t bits = bits_of(below);
    *place = from_mantissa(bits << CELL_BITS & ((UINT64_C(1) << MANTISSA_BITS) - 1)) - 1.0;
    return (uint32_t)((bits >> PLACE_BITS) - (uint64_t)first_cell);
}

static inline double cubic(uint32_t number, double place, double side)
{
    const double *c = cell[number].coefficient;
    return copysign(c[0] + place * (c[1] + place * (c[2] + place * c[3])), side);
}

/* The cells are made, and the probability is not below the least. */
static inline double quantile_of(double probability)
{
    double place;
    const uint32_t number = find_cell(probability, &place);
    return cubic(number, place, probability - 0.5);
}

/* In the middle of one of 2^52 equal parts. */
static inline double probability_of(uint64_t stream, uint64_t which)
{
    return from_mantissa(hash_add(stream, which) >> (64 - MANTISSA_BITS)) - (1.0 - 0x1p-53);
}

double normal_quantile(double probability)
{
    if (!(probability >= least && 1.0 - probability >= least))
        return gsl_cdf_ugaussian_Pinv(probability);
    pthread_once(&made, make_cells);
    return quantile_of(probability);
}

uint64_t normal_stream(int64_t sample, uint64_t what)
{
    return hash_add(hash_add(0, (uint64_t)sample), what);
}

double normal_of_stream(uint64_t stream, uint64_t which)
{
    return normal_quantile(probability_of(stream, which));
}

/* side: what is negative where the number is. */
BMF_VECTORISE_UNFUSED static void find_cells(uint64_t stream, uint64_t first, int64_t count, uint32_t *number,
                                             double *place, double *side)
{
    for (int64_t k = 0; k < count; k++) {
        const double probability = probability_of(stream, first + (uint64_t)k);
        number[k] = find_cell(probability, &place[k]);
        side[k] = probability - 0.5;
    }
}

void normals_of_stream(uint64_t stream, uint64_t first, int64_t count, double *normal)
{
    uint32_t number[BLOCK];
    double place[BLOCK];
    pthread_once(&made, make_cells);
    for (int64_t done = 0; done < count; done += BLOCK) {
        const int64_t some = count - done < BLOCK ? count - done : BLOCK;
        find_cells(stream, first + (uint64_t)done, some, number, place, normal + done);
        for (int64_t k = 0; k < some; k++)
            normal[done + k] = cubic(number[k], place[k], normal[done + k]);
    }
}

double normal_deviate(int64_t sample, uint64_t what, uint64_t which)
{
    return sample == 0 ? 0.0 : normal_of_stream(normal_stream(sample, what), which);
}
