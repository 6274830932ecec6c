/* bmf choose --scale: how much more work more processors need.
 *
 * Method: the time of every machine, number of processors and size; between sizes times are interpolated linearly in
 * the logarithms. Efficiency is the time on the machine's smallest number of processors against processors and time,
 * at the same size; the size that keeps an efficiency is found on the first segment between sizes in which it crosses
 * it.
 * Source: A. Grama, A. Gupta, V. Kumar, "Isoefficiency: measuring the scalability of parallel algorithms and
 * architectures", IEEE Parallel & Distributed Technology 1 (1993). Cost: a prediction for each point. */
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/choose/choose.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

enum { SET = 96 };

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *time_at(const choose_study *study, int64_t machine, int64_t processors, int64_t size)
{
    const int64_t sizes = study->options->sizes.count;
    for (int64_t k = 0; k < study->offers; k++)
        if (study->offer[k].machine == machine && study->offer[k].processors == processors &&
            choose_is_plain(study, &study->offer[k]))
            return &study->scale[k * sizes + size].seconds;
    return NULL;
}

int choose_predict_sizes(choose_study *study)
{
    const choose_options *o = study->options;
    bmf_predict_options of_size = o->predict;
    if (!o->scaled)
        return BMF_OK;
    qsort(o->sizes.number, (size_t)o->sizes.count, sizeof *o->sizes.number, compare_numbers);
    study->scales = study->offers * o->sizes.count;
    study->scale = allocate_array(study->scales, (int64_t)sizeof *study->scale);
    for (int64_t k = 0; k < study->scales; k++) {
        const bmf_offer *offer = &study->offer[k / o->sizes.count];
        study->scale[k] =
            (choose_scale){offer->machine, offer->processors, o->sizes.number[k % o->sizes.count], NAN, NAN};
    }
    if (!choose_is_alone(o))
        return choose_predict_rows(study);
    of_size.samples = 1;
    int status = BMF_OK;
    for (int64_t k = 0; k < study->scales; k++) {
        const bmf_offer *offer = &study->offer[k / o->sizes.count];
        if (status != BMF_OK || !offer_exists(offer) || !choose_is_plain(study, offer))
            continue;
        char set[SET];
        bmf_predicted predicted = {0};
        snprintf(set, sizeof set, "%.60s=%.17g", o->scaled, study->scale[k].size);
        of_size.set.text[of_size.set.count] = set;
        of_size.set.count++;
        of_size.machine = choose_machine(study, offer);
        status = choose_predict_alone(&of_size, offer->ranks, false, &predicted);
        of_size.set.count--;
        study->scale[k].seconds = predicted.best;
        predicted_free(&predicted);
    }
    return status;
}

/* ---- what follows ---- */

static int64_t least_processors(const choose_study *study, int64_t machine)
{
    int64_t least = INT64_MAX;
    for (int64_t k = 0; k < study->offers; k++)
        if (study->offer[k].machine == machine && offer_exists(&study->offer[k]) &&
            choose_is_plain(study, &study->offer[k]) && study->offer[k].processors < least)
            least = study->offer[k].processors;
    return least;
}

static double efficiency_at(const choose_study *study, int64_t machine, int64_t processors, int64_t size)
{
    const int64_t least = least_processors(study, machine);
    const double *one = time_at(study, machine, least, size), *many = time_at(study, machine, processors, size);
    return one && many ? *one * (double)least / (*many * (double)processors) : NAN;
}

double choose_isoefficient(const choose_study *study, int64_t machine, int64_t processors, double efficiency)
{
    const bmf_number_list *sizes = &study->options->sizes;
    for (int64_t k = 0; k < sizes->count; k++) {
        const double here = efficiency_at(study, machine, processors, k);
        if (!(here >= efficiency))
            continue;
        if (k == 0)
            return sizes->number[0];
        const double before = efficiency_at(study, machine, processors, k - 1);
        const double share = here > before ? (efficiency - before) / (here - before) : 1.0;
        return exp(log(sizes->number[k - 1]) + share * log(sizes->number[k] / sizes->number[k - 1]));
    }
    return NAN;
}

double choose_weak(const choose_study *study, int64_t machine, int64_t processors)
{
    const bmf_number_list *sizes = &study->options->sizes;
    const double size = sizes->number[0] * (double)processors / (double)least_processors(study, machine);
    for (int64_t k = 0; k + 1 < sizes->count; k++) {
        const double *below = time_at(study, machine, processors, k),
                     *above = time_at(study, machine, processors, k + 1);
        if (size < sizes->number[k] || size > sizes->number[k + 1] || !below || !above)
            continue;
        const double share = log(size / sizes->number[k]) / log(sizes->number[k + 1] / sizes->number[k]);
        return exp(log(*below) + share * log(*above / *below));
    }
    return NAN;
}

double choose_exponent(const choose_study *study, int64_t machine)
{
    double *x = allocate_array(study->offers, (int64_t)sizeof *x),
           *y = allocate_array(study->offers, (int64_t)sizeof *y);
    double c, slope = NAN, c00, c01, c11, sum;
    int64_t count = 0;
    for (int64_t k = 0; k < study->offers; k++) {
        const bmf_offer *offer = &study->offer[k];
        if (offer->machine != machine || !choose_is_plain(study, offer) ||
            offer->processors == least_processors(study, machine))
            continue;
        const double size = choose_isoefficient(study, machine, offer->processors, study->options->efficiency);
        if (!(size > study->options->sizes.number[0])) /* the smallest size may be more than is needed */
            continue;
        x[count] = log((double)offer->processors);
        y[count++] = log(size);
    }
    if (count >= 2)
        gsl_fit_linear(x, 1, y, 1, (size_t)count, &c, &slope, &c00, &c01, &c11, &sum);
    free(x);
    free(y);
    return slope;
}
