/* How long a run takes, and within which bounds.
 *
 * Method: Monte Carlo. Random samples of everything that is uncertain give the distribution of one run, through all
 * waiting for each other. 100 samples and more: quantiles. Fewer: Student's prediction interval for one more run on the
 * logarithmic scale. What a machine states as its error, without having been measured, is one factor for all
 * computing and one for all messages in a sample; what runs have in common, as a sheet has learnt it, another one for
 * all computing. The median is always inside. Samples in which only one kind of chance is at work say where the spread
 * comes from.
 * Source: Schopf and Berman, "Stochastic scheduling" (SC 1999), for predictions as distributions; docs/sheets.md, "What
 * runs have in common", for what all uses of an equation share. Cost: a simulation a sample.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#include "predict/simulate/in_order.h"
#include "predict/simulate/simulate_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"

enum { MIN_SAMPLES = 20, MAX_SAMPLES = 200, ENOUGH_FOR_QUANTILES = 100, CERTAIN_AFTER = 3, LEAST_FOR_SHARES = 5 };
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

typedef struct drawn_number {
    uint64_t order;
    int64_t sample;
} drawn_number;

static int by_order(const void *a, const void *b)
{
    const drawn_number *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* What runs have in common: the middle of each of `count` equally probable ranges once, in random order, so that it
 * goes with nothing else in the samples. */
static void draw_runs(double deviation, uint64_t salt, int64_t count, bmf_sample_factors *factor)
{
    drawn_number *number = allocate_array(count, (int64_t)sizeof *number);
    for (int64_t k = 0; k < count; k++)
        number[k] = (drawn_number){hash_add(hash_add(HASH_START, salt), (uint64_t)k), k};
    qsort(number, (size_t)count, sizeof *number, by_order);
    for (int64_t k = 0; k < count; k++)
        factor[number[k].sample].compute *= exp(deviation * gsl_cdf_ugaussian_Pinv(((double)k + 0.5) / (double)count));
    free(number);
}

bmf_sample_factors *sample_factors(double compute_error, double run_deviation, double network_error, unsigned still,
                                   uint64_t salt, int64_t count)
{
    bmf_sample_factors *factor = allocate_array(count, (int64_t)sizeof *factor);
    const double stated = still & BMF_CHANCE_FIT ? 0.0 : 1.0;
    for (int64_t k = 0; k < count; k++)
        factor[k] = (bmf_sample_factors){factor_of(stated * compute_error, k + 1, 3),
                                         factor_of(stated * network_error, k + 1, 2)};
    if (run_deviation > 0.0 && !(still & BMF_CHANCE_RUN))
        draw_runs(run_deviation, salt, count, factor);
    return factor;
}

/* A network that is slower by a factor is one of which all times are longer by it. So computing is divided by the
 * network's factor, and the result multiplied with it. */
static int slow_down(bmf_sample_factors by, double *seconds)
{
    *seconds *= by.network;
    if (!(isfinite(*seconds) && *seconds >= 0))
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the predicted time is %g s: the machine's costs are out of range",
                        *seconds);
    return BMF_OK;
}

static int simulate(const bmf_sampled_run *run, int64_t sample, bmf_sample_factors by, double *seconds)
{
    BMF_TRY(run->simulate(run->state, sample, by.compute / by.network, seconds));
    return slow_down(by, seconds);
}

/* So many samples from the first on. */
static int simulate_all(const bmf_sampled_run *run, int64_t first, const bmf_sample_factors *by, int64_t count,
                        double *seconds)
{
    double *compute = allocate_array(count, (int64_t)sizeof *compute);
    for (int64_t k = 0; k < count; k++)
        compute[k] = by[k].compute / by[k].network;
    int status = run->simulate_all(run->state, first, compute, count, seconds);
    for (int64_t k = 0; k < count && status == BMF_OK; k++)
        status = slow_down(by[k], &seconds[k]);
    free(compute);
    return status;
}

static void bounds_by_student(double *value, int64_t count, double *low, double *high)
{
    for (int64_t k = 0; k < count; k++)
        value[k] = log(value[k]);
    const double n = (double)count, mean = gsl_stats_mean(value, 1, (size_t)count);
    const double deviation = gsl_stats_sd_m(value, 1, (size_t)count, mean);
    const double side = gsl_cdf_tdist_Pinv(0.975, n - 1) * deviation * sqrt(1 + 1 / n);
    *low = exp(mean - side);
    *high = exp(mean + side);
}

void sample_bounds(double *value, int64_t count, double *low, double *high)
{
    gsl_sort(value, 1, (size_t)count);
    const double median = gsl_stats_median_from_sorted_data(value, 1, (size_t)count);
    if (count >= ENOUGH_FOR_QUANTILES) {
        *low = gsl_stats_quantile_from_sorted_data(value, 1, (size_t)count, 0.025);
        *high = gsl_stats_quantile_from_sorted_data(value, 1, (size_t)count, 0.975);
    } else {
        bounds_by_student(value, count, low, high);
    }
    *low = fmin(*low, median);
    *high = fmax(*high, median);
}

/* place[k]: which of b's samples goes with number k of a's. */
static void quotient_bounds(const bmf_prediction *a, const bmf_prediction *b, const drawn_number *place, int64_t count,
                            double *low, double *high)
{
    double quotient[BMF_PREDICTION_KEPT];
    *low = *high = NAN;
    if (count < CERTAIN_AFTER)
        return;
    for (int64_t k = 0; k < count; k++) {
        quotient[k] = a->sample[k] / b->sample[place[k].sample];
        if (!(quotient[k] > 0.0 && isfinite(quotient[k])))
            return;
    }
    sample_bounds(quotient, count, low, high);
}

static int64_t common_samples(const bmf_prediction *a, const bmf_prediction *b)
{
    const int64_t samples = a->samples < b->samples ? a->samples : b->samples;
    return samples < BMF_PREDICTION_KEPT ? samples : BMF_PREDICTION_KEPT;
}

void prediction_quotient(const bmf_prediction *a, const bmf_prediction *b, double *low, double *high)
{
    const int64_t count = common_samples(a, b);
    drawn_number place[BMF_PREDICTION_KEPT];
    for (int64_t k = 0; k < count; k++)
        place[k] = (drawn_number){.sample = k};
    quotient_bounds(a, b, place, count, low, high);
}

/* Samples that are all alike are as many as there are of another prediction. */
static int64_t samples_of(const bmf_prediction *p)
{
    return p->low == p->high ? INT64_MAX : p->samples;
}

double prediction_median_quotient_error(const bmf_prediction *a, const bmf_prediction *b)
{
    static const double side = 1.96, of_mean = 1.2533; /* error of a median over that of a mean, normal noise */
    const int64_t samples = samples_of(a) < samples_of(b) ? samples_of(a) : samples_of(b);
    const int64_t kept = samples < BMF_PREDICTION_KEPT ? samples : BMF_PREDICTION_KEPT;
    double logarithm[BMF_PREDICTION_KEPT];
    if (kept < CERTAIN_AFTER || (a->median == a->seconds && b->median == b->seconds))
        return 0.0;
    for (int64_t k = 0; k < kept; k++)
        logarithm[k] = log(a->sample[k] / b->sample[k]);
    return side * of_mean * gsl_stats_sd(logarithm, 1, (size_t)kept) / sqrt((double)samples);
}

void prediction_quotient_apart(const bmf_prediction *a, const bmf_prediction *b, double *low, double *high)
{
    const int64_t count = common_samples(a, b);
    drawn_number place[BMF_PREDICTION_KEPT];
    for (int64_t k = 0; k < count; k++)
        place[k] = (drawn_number){hash_add(HASH_START, (uint64_t)k), k};
    qsort(place, (size_t)count, sizeof *place, by_order);
    quotient_bounds(a, b, place, count, low, high);
}

static const bmf_sample_factors unchanged = {1.0, 1.0};

/* The run without noise, and whether the first few samples differ from it. The first is taken beside it where that can
 * be. */
static int probe(const bmf_sampled_run *run, double *seconds, bool *noisy)
{
    const bmf_sample_factors both[] = {unchanged, unchanged};
    double first[2] = {0.0, 0.0};
    const int64_t done = run->simulate_all ? 2 : 1;
    if (run->simulate_all)
        BMF_TRY(simulate_all(run, 0, both, done, first));
    else
        BMF_TRY(simulate(run, 0, unchanged, first));
    *seconds = first[0];
    *noisy = done == 2 && first[1] != first[0];
    for (int64_t k = done; k <= CERTAIN_AFTER && !*noisy && *seconds > 0.0; k++) {
        double sample;
        BMF_TRY(simulate(run, k, unchanged, &sample));
        *noisy = sample != *seconds;
    }
    return BMF_OK;
}

static int draw(const bmf_sampled_run *run, unsigned still, double *seconds, int64_t count)
{
    bmf_sample_factors *by =
        sample_factors(run->compute_error, run->run_deviation, run->network_error, still, run->salt, count);
    int status = run->simulate_all ? simulate_all(run, 1, by, count, seconds) : BMF_OK;
    for (int64_t k = 0; k < count && status == BMF_OK && !run->simulate_all; k++) {
        status = simulate(run, k + 1, by[k], &seconds[k]);
        if (status == BMF_OK && run->drawn && still == 0)
            run->drawn(run->state, by[k].network);
    }
    free(by);
    return status;
}

/* ---- where it comes from ---- */

/* The variance of the logarithm of samples in which only one kind of chance is at work. */
static int variance_of(const bmf_sampled_run *run, bmf_chance only, double *seconds, int64_t count, double *variance)
{
    const unsigned still = ~(unsigned)only & (BMF_CHANCE_FIT | BMF_CHANCE_RUN | BMF_CHANCE_EVENT);
    run->keep(run->state, still);
    const int status = draw(run, still, seconds, count);
    run->keep(run->state, 0);
    for (int64_t k = 0; k < count && status == BMF_OK; k++)
        seconds[k] = log(seconds[k]);
    *variance = status == BMF_OK ? gsl_stats_variance(seconds, 1, (size_t)count) : NAN;
    return status;
}

/* noisy: some of it comes from equations and single times. */
static int find_shares(const bmf_sampled_run *run, bool noisy, double *seconds, int64_t count,
                       bmf_prediction *prediction)
{
    double fit, common = 0.0, event = 0.0;
    BMF_TRY(variance_of(run, BMF_CHANCE_FIT, seconds, count, &fit));
    if (noisy || run->run_deviation > 0.0)
        BMF_TRY(variance_of(run, BMF_CHANCE_RUN, seconds, count, &common));
    if (noisy)
        BMF_TRY(variance_of(run, BMF_CHANCE_EVENT, seconds, count, &event));
    const double all = fit + common + event;
    if (all > 0.0) {
        prediction->run_share = common / all;
        prediction->event_share = event / all;
        prediction->fit_share = fit / all;
    }
    return BMF_OK;
}

/* ---- all ---- */

static void keep_samples(const double *seconds, bmf_prediction *prediction)
{
    for (int64_t k = 0; k < prediction->samples && k < BMF_PREDICTION_KEPT; k++)
        prediction->sample[k] = seconds[k];
}

int sampled_interval(const bmf_sampled_run *run, int64_t samples, bmf_prediction *prediction)
{
    const bool stated = run->compute_error > 0.0 || run->network_error > 0.0;
    bool noisy;
    *prediction = (bmf_prediction){.run_share = NAN, .event_share = NAN, .fit_share = NAN};
    BMF_TRY(probe(run, &prediction->seconds, &noisy));
    prediction->low = prediction->high = prediction->median = prediction->seconds;
    prediction->samples = samples > 0 ? samples : cheap_samples(run->steps);
    for (int64_t k = 0; k < BMF_PREDICTION_KEPT; k++)
        prediction->sample[k] = prediction->seconds;
    if (prediction->seconds <= 0)
        return BMF_OK;
    if (!noisy && !stated && !(run->run_deviation > 0.0)) {
        prediction->samples = prediction->samples < CERTAIN_AFTER ? prediction->samples : CERTAIN_AFTER;
        return BMF_OK;
    }
    const int64_t few = prediction->samples / 4 > CERTAIN_AFTER ? prediction->samples / 4 : CERTAIN_AFTER;
    double *seconds = allocate((prediction->samples > few ? prediction->samples : few) * (int64_t)sizeof *seconds);
    int status = draw(run, 0, seconds, prediction->samples);
    if (status == BMF_OK)
        keep_samples(seconds, prediction);
    if (status == BMF_OK && noisy)
        prediction->median = gsl_stats_median(seconds, 1, (size_t)prediction->samples);
    if (status == BMF_OK && prediction->samples > 1)
        sample_bounds(seconds, prediction->samples, &prediction->low, &prediction->high);
    prediction->low = fmin(prediction->low, prediction->median);
    prediction->high = fmax(prediction->high, prediction->median);
    if (status == BMF_OK && run->keep && prediction->samples >= LEAST_FOR_SHARES)
        status = find_shares(run, noisy, seconds, few, prediction);
    free(seconds);
    return status;
}

/* ---- of actions ---- */

typedef struct simulated_actions {
    const bmf_actions *actions;
    bmf_network *network;
    bmf_in_order *in_order; /* or NULL */
    double loading;         /* of the run without noise */
} simulated_actions;

static int simulate_by_queue(const simulated_actions *s, int64_t sample, double compute_factor, bmf_simulation *result)
{
    bmf_simulator *simulator = simulator_create(s->actions, s->network, sample);
    simulator->compute_factor = compute_factor;
    const int status = simulator_run(simulator);
    simulator_result(simulator, result);
    simulator_free(simulator);
    return status;
}

/* What has not settled in order is simulated. */
static int finish_sample(simulated_actions *s, const bmf_in_order_sample *ordered, double *seconds)
{
    bmf_simulation result = {.seconds = ordered->seconds, .loading = ordered->loading};
    int status = BMF_OK;
    if (!ordered->settled)
        status = simulate_by_queue(s, ordered->sample, ordered->compute_factor, &result);
    *seconds = result.seconds - result.loading;
    if (ordered->sample == 0)
        s->loading = result.loading;
    return status;
}

static int simulate_actions(void *state, int64_t sample, double compute_factor, double *seconds)
{
    simulated_actions *s = state;
    bmf_in_order_sample ordered = {.sample = sample, .compute_factor = compute_factor};
    if (s->in_order)
        in_order_run(s->in_order, &ordered, 1);
    return finish_sample(s, &ordered, seconds);
}

static int simulate_all_actions(void *state, int64_t first, const double *compute_factor, int64_t count,
                                double *seconds)
{
    simulated_actions *s = state;
    bmf_in_order_sample *ordered = allocate_clear(count, (int64_t)sizeof *ordered);
    int status = BMF_OK;
    for (int64_t k = 0; k < count; k++)
        ordered[k] = (bmf_in_order_sample){.sample = first + k, .compute_factor = compute_factor[k]};
    if (s->in_order)
        in_order_run(s->in_order, ordered, count);
    for (int64_t k = 0; k < count && status == BMF_OK; k++)
        status = finish_sample(s, &ordered[k], &seconds[k]);
    free(ordered);
    return status;
}

int simulate_seconds(const bmf_actions *actions, bmf_network *network, double *seconds)
{
    simulated_actions state = {.actions = actions, .network = network, .in_order = in_order_create(actions, network)};
    const int status = simulate_actions(&state, 0, 1.0, seconds);
    in_order_free(state.in_order);
    return status;
}

static void keep_chance(void *state, unsigned still)
{
    ((simulated_actions *)state)->network->still = still;
}

int simulate_interval(const bmf_actions *actions, bmf_network *network, int64_t samples, bmf_prediction *prediction)
{
    simulated_actions state = {.actions = actions, .network = network, .in_order = in_order_create(actions, network)};
    const int status = sampled_interval(&(bmf_sampled_run){.simulate = simulate_actions,
                                                           .simulate_all = simulate_all_actions,
                                                           .keep = keep_chance,
                                                           .state = &state,
                                                           .salt = (uint64_t)actions->processors,
                                                           .run_deviation = actions->spread.common,
                                                           .steps = actions->count,
                                                           .compute_error = actions->relative_error,
                                                           .network_error = network->relative_error},
                                        samples, prediction);
    prediction->loading = state.loading;
    in_order_free(state.in_order);
    return status;
}
