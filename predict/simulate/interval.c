/* How long a run takes, and within which bounds.
 *
 * Method: Monte Carlo. The expected times give the expectation; random samples of everything that is uncertain give the
 * distribution of one run, through all waiting for each other. 100 samples and more: quantiles. Fewer: Student's
 * prediction interval for one more run on the logarithmic scale. The expectation is always inside.
 * Source: Schopf and Berman, "Stochastic scheduling" (SC 1999), for predictions as distributions; shared reference note
 * 5.3 for errors that all uses of an equation share. Cost: a simulation a sample.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#include "predict/simulate/simulate.h"
#include "runtime/base/allocate.h"

enum { MIN_SAMPLES = 20, MAX_SAMPLES = 200, ENOUGH_FOR_QUANTILES = 100, CERTAIN_AFTER = 3 };
static const int64_t CHEAP_ACTIONS = 20000000; /* of all samples together: some seconds */

static int64_t cheap_samples(int64_t actions)
{
    const int64_t samples = actions > 0 ? CHEAP_ACTIONS / actions : MAX_SAMPLES;
    return samples < MIN_SAMPLES ? MIN_SAMPLES : samples > MAX_SAMPLES ? MAX_SAMPLES : samples;
}

static int simulate(const bmf_actions *actions, bmf_network *network, int64_t sample, double *seconds)
{
    bmf_simulation result;
    bmf_simulator *simulator = simulator_create(actions, network, sample);
    const int status = simulator_run(simulator);
    simulator_result(simulator, &result);
    simulator_free(simulator);
    *seconds = result.seconds;
    if (status == BMF_OK && !(isfinite(result.seconds) && result.seconds >= 0))
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the predicted time is %g s: the machine's costs are out of range",
                        result.seconds);
    return status;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void bounds_by_quantiles(bmf_prediction *prediction, double *seconds, int64_t count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, ascending);
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

/* Draws samples 1 .. count; stops when the first few are as expected: then nothing is uncertain. */
static int draw(const bmf_actions *actions, bmf_network *network, double expected, double *seconds, int64_t *count,
                bool *certain)
{
    int64_t same = 0;
    for (int64_t k = 0; k < *count; k++) {
        BMF_TRY(simulate(actions, network, k + 1, &seconds[k]));
        same += seconds[k] == expected;
        if (k + 1 == CERTAIN_AFTER && same == CERTAIN_AFTER)
            *count = CERTAIN_AFTER;
    }
    *certain = same == *count;
    return BMF_OK;
}

int simulate_interval(const bmf_actions *actions, bmf_network *network, int64_t samples, bmf_prediction *prediction)
{
    *prediction = (bmf_prediction){0};
    BMF_TRY(simulate(actions, network, 0, &prediction->seconds));
    prediction->low = prediction->high = prediction->seconds;
    prediction->samples = samples > 0 ? samples : cheap_samples(actions->count);
    if (prediction->seconds <= 0)
        return BMF_OK;
    double *seconds = allocate(prediction->samples * (int64_t)sizeof *seconds);
    bool certain = true;
    const int status = draw(actions, network, prediction->seconds, seconds, &prediction->samples, &certain);
    if (!certain && prediction->samples >= ENOUGH_FOR_QUANTILES)
        bounds_by_quantiles(prediction, seconds, prediction->samples);
    else if (!certain && prediction->samples > 1)
        bounds_by_student(prediction, seconds, prediction->samples);
    prediction->low = fmin(prediction->low, prediction->seconds);
    prediction->high = fmax(prediction->high, prediction->seconds);
    free(seconds);
    return status;
}
