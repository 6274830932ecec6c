/* Numbers of larger sizes, by differences of small ones; see the header. */
#include "drivers/predict/growth.h"

#include <math.h>

enum { MOST_POWER = 3 };
static const double rounding = 1e-9;
/* Powers that are taken for whole ones. What small counts grow by is mostly chance, and mostly in proportion. */
static const double near_line = 0.5, near_others = 0.25;

/* Steps from the first size to the one that is wanted. */
static double steps_to(const bmf_growth *growth)
{
    return (double)(growth->wanted - growth->each[0]) / (double)(growth->each[1] - growth->each[0]);
}

/* Newton's polynomial through the first three numbers. */
static double follow(const bmf_growth *growth, double first, double slope, double bend)
{
    const double steps = steps_to(growth);
    return first + slope * steps + bend * steps * (steps - 1.0) / 2.0;
}

/* The power of the size that numbers from the first to the last grow by. */
static double power_of(const bmf_growth *growth, double first, double last)
{
    const int64_t *each = growth->each;
    if (!(first > 0.0) || !(last > first))
        return first > 0.0 ? 0.0 : 1.0;
    return fmin(log(last / first) / log((double)each[BMF_GROWTH_SIZES - 1] / (double)each[0]), MOST_POWER);
}

/* From the last size to the one that is wanted, of those between the first and the last. */
static double logarithms(const bmf_growth *growth)
{
    const double last = (double)growth->each[BMF_GROWTH_SIZES - 1];
    return log((double)growth->wanted / last) / log(last / (double)growth->each[0]);
}

/* By how much chance changes the power of counts of the data, or bytes of as many words: their standard error. */
static double chance_of(const bmf_growth *growth, const int64_t number[BMF_GROWTH_SIZES])
{
    static const double word = 8.0;
    const int64_t first = number[0], last = number[BMF_GROWTH_SIZES - 1];
    if (first <= 0 || last <= 0)
        return 0.0;
    return sqrt(word / (double)first + word / (double)last) /
           log((double)growth->each[BMF_GROWTH_SIZES - 1] / (double)growth->each[0]);
}

/* chance: by which the power may be too large. */
static bmf_growth_range in_proportion(const bmf_growth *growth, const double number[BMF_GROWTH_SIZES], double chance)
{
    double power = power_of(growth, number[0], number[BMF_GROWTH_SIZES - 1]);
    if (power > 1.0)
        power = fmax(power - chance, 1.0);
    const bool whole = fabs(power - round(power)) <= (round(power) == 1.0 ? near_line : near_others);
    const double least = whole ? round(power) : floor(power), most = whole ? round(power) : ceil(power);
    bmf_growth_range made = {INFINITY, 0.0, false};
    for (int k = 0; k < BMF_GROWTH_SIZES; k++) {
        const double larger = (double)growth->wanted / (double)growth->each[k];
        made.low = fmin(made.low, number[k] * pow(larger, least));
        made.high = fmax(made.high, number[k] * pow(larger, most));
    }
    if (most == 0.0) /* as the logarithm of the size, at most twice as fast as the sizes show */
        made.high += 2.0 * fmax(number[BMF_GROWTH_SIZES - 1] - number[0], 0.0) * logarithms(growth);
    return made;
}

bmf_growth_range growth_of_counts(const bmf_growth *growth, const int64_t number[BMF_GROWTH_SIZES])
{
    const int64_t step = growth->each[1] - growth->each[0], slope = number[1] - number[0];
    const int64_t bend = number[2] - number[1] - slope, next = number[3] - number[2] - (number[2] - number[1]);
    const double whole[BMF_GROWTH_SIZES] = {(double)number[0], (double)number[1], (double)number[2], (double)number[3]};
    /* On a line a step of some elements is as many times a whole number; less than half of all pairs is luck. */
    if (bend == next && number[3] >= number[2] && (bend == 0 ? slope >= 0 && slope % step == 0 : bend >= step * step)) {
        const double count = follow(growth, whole[0], (double)slope, (double)bend);
        return (bmf_growth_range){count, count, true};
    }
    return in_proportion(growth, whole, chance_of(growth, number));
}

bmf_growth_range growth_of_seconds(const bmf_growth *growth, const double number[BMF_GROWTH_SIZES])
{
    const double slope = number[1] - number[0], later = number[3] - number[2];
    const double bend = number[2] - number[1] - slope, next = later - (number[2] - number[1]);
    const double small = rounding * fabs(number[3]);
    if (fabs(bend) <= small && fabs(next) <= small && later >= -small) {
        const double seconds = number[3] + later * (steps_to(growth) - (BMF_GROWTH_SIZES - 1));
        return (bmf_growth_range){seconds, seconds, true};
    }
    if (fabs(bend - next) <= small && bend > 0.0) {
        const double seconds = follow(growth, number[0], slope, bend);
        return (bmf_growth_range){seconds, seconds, true};
    }
    return in_proportion(growth, number, 0.0);
}
