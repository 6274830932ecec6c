/* Weighted least squares for one form; method and source in the header. */
#include "predict/sheet/fit.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    gsl_sort(scratch, 1, (size_t)count);
    return gsl_stats_median_from_sorted_data(scratch, 1, (size_t)count);
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
    gsl_matrix *design, *covariance;
    gsl_vector *time, *weight, *solution;
    gsl_multifit_linear_workspace *workspace;
} equations;

static void open_equations(equations *s, int64_t count, const bmf_fit_point *point, bmf_form form)
{
    *s = (equations){.count = count, .point = point};
    s->terms = form_terms(form, s->term);
    size_t rows = (size_t)count, columns = (size_t)s->terms;
    s->design = gsl_matrix_alloc(rows, columns);
    s->covariance = gsl_matrix_alloc(columns, columns);
    s->time = gsl_vector_alloc(rows);
    s->weight = gsl_vector_alloc(rows);
    s->solution = gsl_vector_alloc(columns);
    s->workspace = gsl_multifit_linear_alloc(rows, columns);
    s->size = allocate(count * (int64_t)sizeof *s->size);
    s->trust = allocate(count * (int64_t)sizeof *s->trust);
    for (size_t i = 0; i < rows; i++) {
        double basis[BMF_TERMS];
        form_basis(form, point[i].p, point[i].d, basis);
        for (size_t j = 0; j < columns; j++) {
            double value = basis[s->term[j]];
            gsl_matrix_set(s->design, i, j, value);
            s->scale[j] = fmax(s->scale[j], fabs(value));
        }
        gsl_vector_set(s->time, i, point[i].centre);
        s->largest = fmax(s->largest, point[i].centre);
    }
    for (size_t j = 0; j < columns; j++) {
        s->scale[j] = s->scale[j] > 0.0 ? s->scale[j] : 1.0;
        gsl_vector_view column = gsl_matrix_column(s->design, j);
        gsl_vector_scale(&column.vector, 1.0 / s->scale[j]);
    }
}

static void close_equations(equations *s)
{
    free(s->trust);
    free(s->size);
    gsl_multifit_linear_free(s->workspace);
    gsl_vector_free(s->solution);
    gsl_vector_free(s->weight);
    gsl_vector_free(s->time);
    gsl_matrix_free(s->covariance);
    gsl_matrix_free(s->design);
}

/* The equation at a point, but no less than a part of what was measured there. */
static double fitted(const equations *s, int64_t i)
{
    double value = 0.0;
    for (size_t j = 0; j < (size_t)s->terms; j++)
        value += gsl_matrix_get(s->design, (size_t)i, j) * gsl_vector_get(s->solution, j);
    double min = fmax(min_fit * s->point[i].centre, 1e-6 * s->largest);
    return fmax(value, min > 0.0 ? min : 1e-12);
}

static double missed(const equations *s, int64_t i)
{
    double value = 0.0;
    for (size_t j = 0; j < (size_t)s->terms; j++)
        value += gsl_matrix_get(s->design, (size_t)i, j) * gsl_vector_get(s->solution, j);
    return (s->point[i].centre - value) / fitted(s, i);
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
    int error = GSL_SUCCESS;
    gsl_vector_set_zero(s->solution);
    for (int64_t i = 0; i < s->count; i++) {
        s->size[i] = fmax(s->point[i].centre, fitted(s, i));
        s->trust[i] = 1.0;
    }
    for (int round = 0; round < ROUNDS && !error; round++) {
        double chi_square;
        for (int64_t i = 0; i < s->count; i++) {
            if (round > 0)
                s->size[i] = sqrt(s->size[i] * fitted(s, i));
            gsl_vector_set(s->weight, (size_t)i, s->trust[i] * s->point[i].sum / (s->size[i] * s->size[i]));
        }
        error =
            gsl_multifit_wlinear(s->design, s->weight, s->time, s->solution, s->covariance, &chi_square, s->workspace);
        if (!error && s->count > s->terms + SPARE_POINTS)
            judge_points(s);
    }
    return error ? bmf_fail(NULL, BMF_ERROR_INTERNAL, "a fit failed: %s", gsl_strerror(error)) : BMF_OK;
}

/* The ratio of the largest to the smallest singular value of the weighted design with columns of length 1. */
static double condition_of(const equations *s)
{
    size_t rows = (size_t)s->count, columns = (size_t)s->terms;
    if (rows < columns)
        return INFINITY;
    gsl_matrix *u = gsl_matrix_alloc(rows, columns), *v = gsl_matrix_alloc(columns, columns);
    gsl_vector *singular = gsl_vector_alloc(columns), *work = gsl_vector_alloc(columns);
    for (size_t j = 0; j < columns; j++) {
        double length = 0.0;
        for (size_t i = 0; i < rows; i++) {
            double value = gsl_matrix_get(s->design, i, j) * sqrt(gsl_vector_get(s->weight, i));
            gsl_matrix_set(u, i, j, value);
            length = hypot(length, value);
        }
        gsl_vector_view column = gsl_matrix_column(u, j);
        gsl_vector_scale(&column.vector, length > 0.0 ? 1.0 / length : 1.0);
    }
    gsl_linalg_SV_decomp(u, v, singular, work);
    double largest = gsl_vector_get(singular, 0), smallest = gsl_vector_get(singular, columns - 1);
    gsl_vector_free(work);
    gsl_vector_free(singular);
    gsl_matrix_free(v);
    gsl_matrix_free(u);
    return smallest > 0.0 ? largest / smallest : INFINITY;
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
    gsl_sort(*ordered, 1, (size_t)all);
    return all;
}

/* Widens the noise until the interval holds 95 % of the observations, if it holds less than 90 %: timing noise has
 * longer tails than the normal distribution. */
static void cover(const equations *s, bmf_fit *fit)
{
    double *ordered, quantile = gsl_cdf_tdist_Pinv(0.975, fit->freedom);
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
    fit->q = fit->chi_freedom > 0.0 ? gsl_cdf_chisq_Q(fit->chi_square, fit->chi_freedom) : NAN;
    double variance = all_freedom > 0.0 ? (all.within + all.between) / all_freedom : 0.0, scale = variance;
    fit->freedom = all_freedom > 0.0 ? all_freedom : 1.0;
    fit->noise = sqrt(variance);
    if (fit->chi_freedom > 0.0 && fit->q < significant_misfit) {
        scale = fmax(variance, all.between / fit->chi_freedom);
        fit->freedom = fit->chi_freedom;
    }
    cover(s, fit);
    for (int a = 0; a < s->terms; a++) {
        fit->coefficient[s->term[a]] = gsl_vector_get(s->solution, (size_t)a) / s->scale[a];
        for (int b = 0; b < s->terms; b++)
            fit->covariance[s->term[a]][s->term[b]] =
                gsl_matrix_get(s->covariance, (size_t)a, (size_t)b) * scale / (s->scale[a] * s->scale[b]);
    }
}

int fit_form(int64_t count, const bmf_fit_point *point, bmf_form form, bmf_fit *fit)
{
    equations s;
    *fit = (bmf_fit){.form = form};
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    open_equations(&s, count, point, form);
    int status = solve(&s);
    if (status == BMF_OK) {
        fit->condition = condition_of(&s);
        find_errors(&s, fit);
    }
    close_equations(&s);
    gsl_set_error_handler(handler);
    return status;
}
