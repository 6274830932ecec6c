/* Weighted least squares for one form; method and source in the header. */
#include "predict/sheet/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/statistics/distribution.h"
#include "predict/statistics/least_squares.h"
#include "predict/statistics/sample.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

enum { SPARE_POINTS = 1, ROUNDS = 10, HUBER_ROUNDS = 3 };
static const double min_spread = 0.005; /* of repetitions; a coarse clock shows none */
static const double far_off = 6.0;      /* robust standard deviations: a whole point was disturbed */
static const double min_scatter = 0.05; /* of points around an equation, before any is far off */
static const double huber_limit = 3.0;  /* in standard deviations; loses 0.3 % when the noise is normal */
static const double min_fit = 0.2;      /* of the point's centre: keeps weights finite where a fit nears zero */
static const double significant_misfit = 0.05;
static const double min_coverage = 0.90;
static const double normal_per_mad = 1.4826; /* standard deviation over median absolute deviation, normal noise */

/* ---- points ---- */

static double median_of(const double *value, int64_t count, double *scratch)
{
    memcpy(scratch, value, (size_t)count * sizeof *value);
    return sample_median(scratch, count);
}

/* The relative standard deviation of repetitions around their point's median, pooled over the points: a single point
 * has too few to tell what is far off. */
static double pooled_spread(int64_t count, const bmf_fit_point *point)
{
    int64_t all = 0, used = 0, max = 0;
    for (int64_t k = 0; k < count; k++) {
        all += point[k].repeats;
        max = point[k].repeats > max ? point[k].repeats : max;
    }
    double *deviation = allocate(all * (int64_t)sizeof *deviation);
    double *scratch = allocate((all > max ? all : max) * (int64_t)sizeof *scratch);
    for (int64_t k = 0; k < count; k++) {
        const bmf_fit_point *at = &point[k];
        double middle = median_of(at->seconds, at->repeats, scratch);
        if (at->repeats < 3 || middle <= 0.0)
            continue;
        double degrees = sqrt((double)at->repeats / (double)(at->repeats - 1));
        for (int64_t j = 0; j < at->repeats; j++)
            deviation[used++] = fabs(at->seconds[j] / middle - 1.0) * degrees;
    }
    double spread = used > 0 ? normal_per_mad * median_of(deviation, used, scratch) : 0.0;
    spread = fmax(spread, min_spread);
    free(scratch);
    free(deviation);
    return spread;
}

static void weigh_point(bmf_fit_point *at, double spread)
{
    double *scratch = allocate(at->repeats * (int64_t)sizeof *scratch);
    double middle = median_of(at->seconds, at->repeats, scratch);
    free(scratch);
    for (int round = 0; round < HUBER_ROUNDS; round++) {
        double limit = huber_limit * spread * middle;
        at->sum = at->centre = 0.0;
        for (int64_t j = 0; j < at->repeats; j++) {
            double off = fabs(at->seconds[j] - middle);
            at->weight[j] = off > limit && off > 0.0 ? fmax(limit / off, 1e-9) : 1.0;
            at->sum += at->weight[j];
            at->centre += at->weight[j] * at->seconds[j];
        }
        at->centre /= at->sum;
        middle = at->centre;
    }
}

void fit_prepare(int64_t count, bmf_fit_point *point)
{
    double spread = pooled_spread(count, point);
    for (int64_t k = 0; k < count; k++)
        weigh_point(&point[k], spread);
}

/* ---- the equations ---- */

typedef struct equations {
    int64_t count;
    const bmf_fit_point *point;
    int terms, term[BMF_TERMS];
    double largest;          /* centre */
    double scale[BMF_TERMS]; /* of the columns, so that they are of one size */
    double *size;            /* by point: the time its weight follows from */
    double *trust;           /* by point: 1, or less for one that is far off the equation */
    double *design;          /* by points: the columns, scaled */
    double *time, *weight;   /* by point */
    double solution[BMF_TERMS], covariance[BMF_TERMS * BMF_TERMS], condition;
} equations;

static void open_equations(equations *s, int64_t count, const bmf_fit_point *point, bmf_form form)
{
    *s = (equations){.count = count, .point = point};
    s->terms = form_terms(form, s->term);
    s->design = allocate_array(count * s->terms, (int64_t)sizeof *s->design);
    s->time = allocate_array(count, (int64_t)sizeof *s->time);
    s->weight = allocate_array(count, (int64_t)sizeof *s->weight);
    s->size = allocate_array(count, (int64_t)sizeof *s->size);
    s->trust = allocate_array(count, (int64_t)sizeof *s->trust);
    for (int64_t i = 0; i < count; i++) {
        double basis[BMF_TERMS];
        form_basis(form, point[i].p, point[i].d, basis);
        for (int j = 0; j < s->terms; j++) {
            s->design[i * s->terms + j] = basis[s->term[j]];
            s->scale[j] = fmax(s->scale[j], fabs(basis[s->term[j]]));
        }
        s->time[i] = point[i].centre;
        s->largest = fmax(s->largest, point[i].centre);
    }
    for (int j = 0; j < s->terms; j++) {
        s->scale[j] = s->scale[j] > 0.0 ? s->scale[j] : 1.0;
        for (int64_t i = 0; i < count; i++)
            s->design[i * s->terms + j] /= s->scale[j];
    }
}

static void close_equations(equations *s)
{
    free(s->trust);
    free(s->size);
    free(s->weight);
    free(s->time);
    free(s->design);
}

static double value_at(const equations *s, int64_t i)
{
    double value = 0.0;
    for (int j = 0; j < s->terms; j++)
        value += s->design[i * s->terms + j] * s->solution[j];
    return value;
}

/* The equation at a point, but no less than a part of what was measured there. */
static double fitted(const equations *s, int64_t i)
{
    const double value = value_at(s, i);
    double min = fmax(min_fit * s->point[i].centre, 1e-6 * s->largest);
    return fmax(value, min > 0.0 ? min : 1e-12);
}

static double missed(const equations *s, int64_t i)
{
    return (s->point[i].centre - value_at(s, i)) / fitted(s, i);
}

/* Trusts points less that the others contradict: all repetitions of a point may have been disturbed. */
static void judge_points(equations *s)
{
    double *off = allocate(2 * s->count * (int64_t)sizeof *off);
    for (int64_t i = 0; i < s->count; i++)
        off[i] = fabs(missed(s, i));
    double scatter = fmax(normal_per_mad * median_of(off, s->count, off + s->count), min_scatter);
    for (int64_t i = 0; i < s->count; i++) {
        double times = off[i] / (far_off * scatter);
        s->trust[i] = times > 1.0 ? fmax(1.0 / (times * times), 1e-9) : 1.0;
    }
    free(off);
}

/* Weights swing from round to round where an equation nears zero: a point that is fitted too low weighs too much, is
 * fitted well, and weighs too little again. The geometric mean of the rounds settles. The first weights follow from the
 * times, so that points that were disturbed, which last longer, do not lead. */
static int solve(equations *s)
{
    bmf_least_squares sums = {.rows = s->count,
                              .columns = s->terms,
                              .design = s->design,
                              .weight = s->weight,
                              .value = s->time,
                              .solution = s->solution,
                              .covariance = s->covariance};
    bool solved = true;
    for (int64_t i = 0; i < s->count; i++) {
        s->size[i] = fmax(s->point[i].centre, fitted(s, i));
        s->trust[i] = 1.0;
    }
    for (int round = 0; round < ROUNDS && solved; round++) {
        for (int64_t i = 0; i < s->count; i++) {
            if (round > 0)
                s->size[i] = sqrt(s->size[i] * fitted(s, i));
            s->weight[i] = s->trust[i] * s->point[i].sum / (s->size[i] * s->size[i]);
        }
        solved = least_squares_solve(&sums);
        if (solved && s->count > s->terms + SPARE_POINTS)
            judge_points(s);
    }
    s->condition = sums.condition;
    return solved ? BMF_OK
                  : bmf_fail(NULL, BMF_ERROR_INTERNAL, "a fit failed: %lld points for %d terms, or not all are finite",
                             (long long)s->count, s->terms);
}

/* ---- errors ---- */

/* Sums over the points that are trusted, relative to the fit. */
typedef struct sums {
    double points, weights, repeats;
    double within;  /* of repetitions around their point's centre, those far off no further than the limit */
    double between; /* of the centres around the equation */
    double log_fit; /* of all points */
} sums;

static sums add_up(const equations *s)
{
    sums all = {0};
    for (int64_t i = 0; i < s->count; i++) {
        const bmf_fit_point *at = &s->point[i];
        double fit = fitted(s, i), miss = missed(s, i);
        all.log_fit += 2.0 * log(fit);
        if (s->trust[i] < 1.0)
            continue;
        for (int64_t j = 0; j < at->repeats; j++) {
            double off = at->weight[j] * (at->seconds[j] - at->centre) / fit;
            all.within += off * off;
        }
        all.points += 1.0;
        all.weights += at->sum;
        all.repeats += (double)at->repeats;
        all.between += at->sum * miss * miss;
    }
    return all;
}

/* -2 log likelihood of the points' means. Their variance is what the points show, but at least what the spread of
 * the repetitions explains: few points may lie on a curve by chance. A point far off costs what it did at the limit. */
static double deviance_of(const equations *s, const sums *all, double within)
{
    double count = (double)s->count, relative = all->between / all->weights * all->points;
    double variance = fmax(relative / all->points, fmax(within * all->points / all->weights, 1e-12));
    return count * log(variance) + relative / variance + (count - all->points) * far_off * far_off + all->log_fit;
}

/* Relative distances of the repetitions of trusted points from the equation, ordered; returns how many. The caller
 * frees. */
static int64_t distances(const equations *s, double **ordered)
{
    int64_t all = 0, k = 0;
    for (int64_t i = 0; i < s->count; i++)
        all += s->trust[i] < 1.0 ? 0 : s->point[i].repeats;
    *ordered = allocate(all * (int64_t)sizeof **ordered);
    for (int64_t i = 0; i < s->count; i++) {
        double fit = fitted(s, i), value = s->point[i].centre - missed(s, i) * fit;
        for (int64_t j = 0; j < s->point[i].repeats && s->trust[i] == 1.0; j++)
            (*ordered)[k++] = fabs(s->point[i].seconds[j] - value) / fit;
    }
    sort_reals(*ordered, all);
    return all;
}

/* Widens the noise until the interval holds 95 % of the observations, if it holds less than 90 %: timing noise has
 * longer tails than the normal distribution. */
static void cover(const equations *s, bmf_fit *fit)
{
    double *ordered, quantile = student_quantile(0.975, fit->freedom);
    int64_t all = distances(s, &ordered), inside = 0;
    while (inside < all && ordered[inside] <= quantile * fit->noise * (1.0 + 1e-9))
        inside++;
    if ((double)inside < min_coverage * (double)all) {
        int64_t last = (int64_t)ceil(0.95 * (double)all) - 1;
        fit->noise = ordered[last] / quantile;
        inside = last + 1;
    }
    fit->coverage = (double)inside / (double)all;
    free(ordered);
}

static void find_errors(const equations *s, bmf_fit *fit)
{
    sums all = add_up(s);
    double count = all.points, terms = s->terms;
    double within_freedom = all.repeats - count, all_freedom = all.repeats - terms;
    double within = within_freedom > 0.0 ? all.within / within_freedom : 0.0;
    fit->deviance = deviance_of(s, &all, within);
    fit->far_off = s->count - (int64_t)all.points;
    fit->chi_freedom = within > 0.0 ? count - terms : 0.0;
    fit->chi_square = fit->chi_freedom > 0.0 ? all.between / within : NAN;
    fit->q = fit->chi_freedom > 0.0 ? chi_square_above(fit->chi_square, fit->chi_freedom) : NAN;
    double variance = all_freedom > 0.0 ? (all.within + all.between) / all_freedom : 0.0, scale = variance;
    fit->freedom = all_freedom > 0.0 ? all_freedom : 1.0;
    fit->noise = sqrt(variance);
    if (fit->chi_freedom > 0.0 && fit->q < significant_misfit) {
        scale = fmax(variance, all.between / fit->chi_freedom);
        fit->freedom = fit->chi_freedom;
    }
    cover(s, fit);
    for (int a = 0; a < s->terms; a++) {
        fit->coefficient[s->term[a]] = s->solution[a] / s->scale[a];
        for (int b = 0; b < s->terms; b++)
            fit->covariance[s->term[a]][s->term[b]] =
                s->covariance[a * s->terms + b] * scale / (s->scale[a] * s->scale[b]);
    }
}

int fit_form(int64_t count, const bmf_fit_point *point, bmf_form form, bmf_fit *fit)
{
    equations s;
    *fit = (bmf_fit){.form = form};
    open_equations(&s, count, point, form);
    int status = solve(&s);
    if (status == BMF_OK) {
        fit->condition = s.condition;
        find_errors(&s, fit);
    }
    close_equations(&s);
    return status;
}
