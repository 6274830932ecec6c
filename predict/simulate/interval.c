/* How long a run takes, and within which bounds.
 *
 * Method: Monte Carlo. Random samples of everything that is uncertain give the distribution of one run, through all
 * waiting for each other. 100 samples and more: quantiles. Fewer: Student's prediction interval for one more run on the
 * logarithmic scale. What a machine states as its error, without having been measured, is one factor for all
 * computing and one for all messages in a sample. The median is always inside.
 * Source: Schopf and Berman, "Stochastic scheduling" (SC 1999), for predictions as distributions; shared reference note
 * 5.3 for errors that all uses of an equation share. Cost: a simulation a sample.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#include "predict/simulate/simulate_private.h"
#include "runtime/base/allocate.h"

enum { MIN_SAMPLES = 20, MAX_SAMPLES = 200, ENOUGH_FOR_QUANTILES = 100, CERTAIN_AFTER = 3 };
static const int64_t CHEAP_ACTIONS = 20000000; /* of all samples together: some seconds */

static int64_t cheap_samples(int64_t actions)
{
    const int64_t samples = actions > 0 ? CHEAP_ACTIONS / actions : MAX_SAMPLES;
    return samples < MIN_SAMPLES ? MIN_SAMPLES : samples > MAX_SAMPLES ? MAX_SAMPLES : samples;
}

/* The k-th digit-reversed fraction: its first n values are spread over (0, 1) as evenly as n values can be, so that
 * the median of few samples stays in place. */
static double fraction(int64_t k, int base)
{
    double sum = 0.0, digit = 1.0;
    for (; k > 0; k /= base)
        sum += (double)(k % base) * (digit /= base);
    return sum;
}

static double factor_of(double relative, int64_t sample, int base)
{
    return exp(sqrt(log1p(relative * relative)) * gsl_cdf_ugaussian_Pinv(fraction(sample, base)));
}

bmf_sample_factors sample_factors(double compute_error, double network_error, int64_t sample)
{
    return (bmf_sample_factors){factor_of(compute_error, sample, 3), factor_of(network_error, sample, 2)};
}

/* A network that is slower by a factor is one of which all times are longer by it. So computing is divided by the
 * network's factor, and the result multiplied with it. */
static int simulate(const bmf_sampled_run *run, int64_t sample, bmf_sample_factors by, double *seconds)
{
    BMF_TRY(run->simulate(run->state, sample, by.compute / by.network, seconds));
    *seconds *= by.network;
    if (!(isfinite(*seconds) && *seconds >= 0))
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the predicted time is %g s: the machine's costs are out of range",
                        *seconds);
    return BMF_OK;
}

static void bounds_by_quantiles(bmf_prediction *prediction, double *seconds, int64_t count)
{
    gsl_sort(seconds, 1, (size_t)count);
    prediction->low = gsl_stats_quantile_from_sorted_data(seconds, 1, (size_t)count, 0.025);
    prediction->high = gsl_stats_quantile_from_sorted_data(seconds, 1, (size_t)count, 0.975);
}

static void bounds_by_student(bmf_prediction *prediction, double *seconds, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        seconds[k] = log(seconds[k]);
    const double n = (double)count, mean = gsl_stats_mean(seconds, 1, (size_t)count);
    const double deviation = gsl_stats_sd_m(seconds, 1, (size_t)count, mean);
    const double side = gsl_cdf_tdist_Pinv(0.975, n - 1) * deviation * sqrt(1 + 1 / n);
    prediction->low = exp(mean - side);
    prediction->high = exp(mean + side);
}

static const bmf_sample_factors unchanged = {1.0, 1.0};

/* Whether the first few samples differ from the run without noise. */
static int probe(const bmf_sampled_run *run, double seconds, bool *noisy)
{
    *noisy = false;
    for (int64_t k = 1; k <= CERTAIN_AFTER && !*noisy; k++) {
        double sample;
        BMF_TRY(simulate(run, k, unchanged, &sample));
        *noisy = sample != seconds;
    }
    return BMF_OK;
}

static int draw(const bmf_sampled_run *run, double *seconds, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        const bmf_sample_factors by = sample_factors(run->compute_error, run->network_error, k + 1);
        BMF_TRY(simulate(run, k + 1, by, &seconds[k]));
        if (run->drawn)
            run->drawn(run->state, by.network);
    }
    return BMF_OK;
}

int sampled_interval(const bmf_sampled_run *run, int64_t samples, bmf_prediction *prediction)
{
    const bool stated = run->compute_error > 0.0 || run->network_error > 0.0;
    bool noisy;
    *prediction = (bmf_prediction){0};
    BMF_TRY(simulate(run, 0, unchanged, &prediction->seconds));
    prediction->low = prediction->high = prediction->median = prediction->seconds;
    prediction->samples = samples > 0 ? samples : cheap_samples(run->steps);
    if (prediction->seconds <= 0)
        return BMF_OK;
    BMF_TRY(probe(run, prediction->seconds, &noisy));
    if (!noisy && !stated) {
        prediction->samples = prediction->samples < CERTAIN_AFTER ? prediction->samples : CERTAIN_AFTER;
        return BMF_OK;
    }
    double *seconds = allocate(prediction->samples * (int64_t)sizeof *seconds);
    const int status = draw(run, seconds, prediction->samples);
    if (status == BMF_OK && noisy)
        prediction->median = gsl_stats_median(seconds, 1, (size_t)prediction->samples);
    if (status == BMF_OK && prediction->samples >= ENOUGH_FOR_QUANTILES)
        bounds_by_quantiles(prediction, seconds, prediction->samples);
    else if (status == BMF_OK && prediction->samples > 1)
        bounds_by_student(prediction, seconds, prediction->samples);
    prediction->low = fmin(prediction->low, prediction->median);
    prediction->high = fmax(prediction->high, prediction->median);
    free(seconds);
    return status;
}

/* ---- of actions ---- */

typedef struct simulated_actions {
    const bmf_actions *actions;
    bmf_network *network;
    double loading; /* of the run without noise */
} simulated_actions;

static int simulate_actions(void *state, int64_t sample, double compute_factor, double *seconds)
{
    simulated_actions *s = state;
    bmf_simulation result;
    bmf_simulator *simulator = simulator_create(s->actions, s->network, sample);
    simulator->compute_factor = compute_factor;
    const int status = simulator_run(simulator);
    simulator_result(simulator, &result);
    simulator_free(simulator);
    *seconds = result.seconds - result.loading;
    if (sample == 0)
        s->loading = result.loading;
    return status;
}

int simulate_interval(const bmf_actions *actions, bmf_network *network, int64_t samples, bmf_prediction *prediction)
{
    simulated_actions state = {.actions = actions, .network = network};
    const int status = sampled_interval(&(bmf_sampled_run){.simulate = simulate_actions,
                                                           .state = &state,
                                                           .steps = actions->count,
                                                           .compute_error = actions->relative_error,
                                                           .network_error = network->relative_error},
                                        samples, prediction);
    prediction->loading = state.loading;
    return status;
}
