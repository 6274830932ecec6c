/* Random times of computing and meetings.
 *
 * Method: what is uncertain about an equation is one number for all its uses in a sample, what is uncertain about a
 * call one number of its own. Both are factors from log-normal distributions, so that no time becomes negative. What
 * all uses share has mean 1, so that the mean stays what was expected. A single call's has median 1, because sheets and
 * measurements say what is typical, and times have long tails upwards.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/kernel.h"
#include "predict/simulate/computations.h"
#include "predict/simulate/simulate_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"

/* Kinds of chance, apart from those of networks. */
static const uint64_t shared_chance = 0x636f6d7075746531U, own_chance = 0x636f6d7075746532U,
                      run_chance = 0x636f6d7075746533U, meeting_chance = 0x636f6d7075746534U;

/* What runs do not share, though their samples have one number. */
static uint64_t of_run(const bmf_chances *c, uint64_t chance)
{
    return chance + ((uint64_t)c->actions->processors << 8);
}

double chance_factor(double relative, double normal)
{
    const double variance = log1p(relative * relative);
    return exp(sqrt(variance) * normal - variance / 2);
}

/* To 10^-11, and so simple that compilers do several at once: 2^k for the nearest k, and a series for the rest. */
static inline double near_exponential(double x)
{
    static const double round = 0x1.8p52, log2_high = 0x1.62e42fefap-1, log2_low = 0x1.cf79abc9e3b39p-42;
    const double shifted = x * 0x1.71547652b82fep0 + round, k = shifted - round;
    const double r = (x - k * log2_high) - k * log2_low;
    const double series =
        1.0 +
        r * (1.0 +
             r * (1.0 / 2 +
                  r * (1.0 / 6 +
                       r * (1.0 / 24 +
                            r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040 + r * (1.0 / 40320 + r / 362880))))))));
    uint64_t bits, power;
    double scale;
    memcpy(&bits, &shifted, sizeof bits);
    power = (bits + 1023) << 52;
    memcpy(&scale, &power, sizeof scale);
    return series * scale;
}

static const double near = 700.0, farthest_normal = 9.0; /* beyond those that are drawn */

static bool is_near(double x)
{
    return fabs(x) < near;
}

/* Of a call: a factor whose logarithm is `x`. */
static double own_factor(double x)
{
    return is_near(x) ? near_exponential(x) : exp(x);
}

/* The same of many, in place, all of which are near. */
BMF_VECTORISE_UNFUSED static void near_factors(double *x, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        x[k] = near_exponential(x[k]);
}

static double deviation_of(double relative)
{
    return sqrt(log1p(relative * relative));
}

void chances_begin(bmf_chances *c, const bmf_actions *actions, const bmf_network *network, int64_t sample)
{
    *c = (bmf_chances){
        .actions = actions, .sample = sample, .still = network->still, .meeting_noise = network->agreement_noise};
    c->calls = normal_stream(sample, of_run(c, own_chance));
    for (int e = 0; e < BMF_CHANCE_EQUATIONS && sample != 0; e++) {
        const double run = (double)actions->spread.equation[e];
        c->equation[e] = (bmf_equation_chance){
            .normal = normal_deviate(sample, shared_chance, (uint64_t)e), .shared_factor = 1.0, .run_factor = 1.0};
        if (run > 0 && !(c->still & BMF_CHANCE_RUN))
            c->equation[e].run_factor = exp(run * normal_deviate(sample, of_run(c, run_chance), (uint64_t)e));
    }
}

/* Few errors are those of many calls. */
static double deviation_of_call(bmf_chances *c, float own)
{
    uint32_t bits;
    memcpy(&bits, &own, sizeof bits);
    bmf_own_chance *kept = &c->own[hash_add(0, bits) % BMF_CHANCE_DEVIATIONS];
    if (kept->own != own)
        *kept = (bmf_own_chance){deviation_of((double)own), own};
    return kept->deviation;
}

/* What all calls of this kind have in common. Errors of equations are the same for many behind each other. */
static double common_factor(bmf_chances *c, double compute_factor, int equation, float shared)
{
    bmf_equation_chance *e = &c->equation[equation];
    double factor = compute_factor;
    if (equation > 0 && shared > 0 && !(c->still & BMF_CHANCE_FIT)) {
        if (shared != e->shared)
            e->shared_factor = chance_factor((double)shared, e->normal);
        e->shared = shared;
        factor *= e->shared_factor;
    }
    return factor * e->run_factor;
}

static bool is_noisy(const bmf_chances *c, float own)
{
    return own > 0 && !(c->still & BMF_CHANCE_EVENT);
}

double chances_seconds(bmf_chances *c, double compute_factor, const bmf_action *action, int64_t index)
{
    if (c->sample == 0)
        return action->seconds;
    const double seconds = action->seconds * common_factor(c, compute_factor, action->equation, action->shared);
    if (!is_noisy(c, action->own))
        return seconds;
    return seconds * own_factor(deviation_of_call(c, action->own) * normal_of_stream(c->calls, (uint64_t)index));
}

void chances_find_factors(bmf_chances *c, double compute_factor, const bmf_computations *all,
                          bmf_computation_factors *factors)
{
    factors->noisy = false;
    factors->near = true;
    for (int64_t k = 0; k < all->kinds; k++) {
        const bmf_computation_kind *kind = &all->kind[k];
        const bool drawn = c->sample != 0;
        factors->common[k] = drawn ? common_factor(c, compute_factor, kind->equation, kind->shared) : 1.0;
        factors->deviation[k] = drawn && is_noisy(c, kind->own) ? deviation_of((double)kind->own) : 0.0;
        factors->noisy = factors->noisy || factors->deviation[k] > 0.0;
        factors->near = factors->near && is_near(farthest_normal * factors->deviation[k]);
    }
}

void chances_draw(const bmf_chances *c, const bmf_computations *all, const bmf_computation_factors *factors,
                  int64_t first, const int32_t *stored, int64_t count, double *seconds)
{
    double factor[BMF_COMPUTATION_BLOCK];
    for (int64_t k = 0; k < count; k++) {
        const bmf_computation *of = &all->of[stored[k]];
        seconds[k] = of->seconds * factors->common[of->kind];
    }
    if (!factors->noisy)
        return;
    normals_of_stream(c->calls, (uint64_t)first, count, factor);
    for (int64_t k = 0; k < count; k++)
        factor[k] *= factors->deviation[all->of[stored[k]].kind];
    if (factors->near)
        near_factors(factor, count);
    for (int64_t k = 0; k < count; k++)
        seconds[k] *= factors->near ? factor[k] : own_factor(factor[k]);
}

double chances_meeting(const bmf_chances *c, double seconds, int64_t meeting)
{
    const double noise = c->meeting_noise;
    if (c->sample <= 0 || !(noise > 0.0) || c->still & BMF_CHANCE_EVENT)
        return seconds;
    return seconds *
           own_factor(deviation_of(noise) * normal_deviate(c->sample, of_run(c, meeting_chance), (uint64_t)meeting));
}
