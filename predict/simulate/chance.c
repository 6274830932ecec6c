/* Random times of computing and meetings.
 *
 * Method: what is uncertain about an equation is one number for all its uses in a sample, what is uncertain about a
 * call one number of its own. Both are factors from log-normal distributions, so that no time becomes negative. What
 * all uses share has mean 1, so that the mean stays what was expected. A single call's has median 1, because sheets and
 * measurements say what is typical, and times have long tails upwards.
 */
#include <math.h>
#include <string.h>

#include "predict/simulate/simulate_private.h"
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

static double own_factor(double deviation, double normal)
{
    return exp(deviation * normal);
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

/* Errors of equations are the same for many actions behind each other. */
double chances_seconds(bmf_chances *c, double compute_factor, int64_t index)
{
    const bmf_action *action = &c->actions->action[index];
    bmf_equation_chance *e = &c->equation[action->equation];
    double seconds = action->seconds;
    if (c->sample == 0)
        return seconds;
    seconds *= compute_factor;
    if (action->equation > 0 && action->shared > 0 && !(c->still & BMF_CHANCE_FIT)) {
        if (action->shared != e->shared)
            e->shared_factor = chance_factor((double)action->shared, e->normal);
        e->shared = action->shared;
        seconds *= e->shared_factor;
    }
    seconds *= e->run_factor;
    if (action->own > 0 && !(c->still & BMF_CHANCE_EVENT))
        seconds *= own_factor(deviation_of_call(c, action->own), normal_of_stream(c->calls, (uint64_t)index));
    return seconds;
}

double chances_meeting(const bmf_chances *c, double seconds, int64_t meeting)
{
    const double noise = c->meeting_noise;
    if (c->sample <= 0 || !(noise > 0.0) || c->still & BMF_CHANCE_EVENT)
        return seconds;
    return seconds *
           own_factor(deviation_of(noise), normal_deviate(c->sample, of_run(c, meeting_chance), (uint64_t)meeting));
}
