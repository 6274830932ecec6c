/* Random times of computing and meetings.
 *
 * Method: what is uncertain about an equation is one number for all its uses in a sample, what is uncertain about a
 * call one number of its own. Both are factors from log-normal distributions, so that no time becomes negative. What
 * all uses share has mean 1, so that the mean stays what was expected. A single call's has median 1, because sheets and
 * measurements say what is typical, and times have long tails upwards.
 */
#include <math.h>

#include "predict/simulate/simulate_private.h"

/* Kinds of chance, apart from those of networks. */
static const uint64_t shared_chance = 0x636f6d7075746531U, own_chance = 0x636f6d7075746532U,
                      run_chance = 0x636f6d7075746533U, meeting_chance = 0x636f6d7075746534U;

/* What runs do not share, though their samples have one number. */
static uint64_t of_run(const bmf_simulator *s, uint64_t chance)
{
    return chance + ((uint64_t)s->actions->processors << 8);
}

double chance_factor(double relative, double normal)
{
    const double variance = log1p(relative * relative);
    return exp(sqrt(variance) * normal - variance / 2);
}

static double own_factor(double relative, double normal)
{
    return exp(sqrt(log1p(relative * relative)) * normal);
}

double chance_seconds(const bmf_simulator *s, int64_t index)
{
    const bmf_action *action = &s->actions->action[index];
    double seconds = action->seconds;
    if (s->sample == 0)
        return seconds;
    seconds *= s->compute_factor;
    const unsigned still = s->network->still;
    const double run = (double)s->actions->spread.equation[action->equation];
    if (action->equation > 0 && action->shared > 0 && !(still & BMF_CHANCE_FIT))
        seconds *= chance_factor((double)action->shared, normal_deviate(s->sample, shared_chance, action->equation));
    if (run > 0 && !(still & BMF_CHANCE_RUN))
        seconds *= exp(run * normal_deviate(s->sample, of_run(s, run_chance), action->equation));
    if (action->own > 0 && !(still & BMF_CHANCE_EVENT))
        seconds *= own_factor((double)action->own, normal_deviate(s->sample, of_run(s, own_chance), (uint64_t)index));
    return seconds;
}

double chance_meeting(const bmf_simulator *s, double seconds)
{
    const double noise = s->network->agreement_noise;
    if (s->sample <= 0 || !(noise > 0.0) || s->network->still & BMF_CHANCE_EVENT)
        return seconds;
    return seconds * own_factor(noise, normal_deviate(s->sample, of_run(s, meeting_chance), (uint64_t)s->meetings));
}
