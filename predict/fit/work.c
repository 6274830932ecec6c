/* What computing takes: c + k f, with f one of the functions of d, p and the rank that integers.c has, or none.
 *
 * Method: every rank of a recording is a point, with the turns of its loops as repetitions; each form is fitted as a
 * line over f by the weighted least squares of data sheets (predict/sheet/fit.h). A line that would fall below zero is
 * continued in proportion to f: the constant form of the times divided by f. Of forms that the times cannot tell from
 * the likeliest one the simplest counts. Cost: a fit for each function.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/fit/fit_private.h"
#include "predict/sheet/fit.h"

enum { MAX_REPEATS = 24, MIN_VALUES = 3 };

static const double least_time = 1e-9; /* clocks say whole nanoseconds */
static const double normal_per_median = 1.4826;

static const bmf_fit_basis *basis_of(const char *text)
{
    for (int k = 0; k < fit_bases; k++)
        if (strcmp(fit_basis[k].text, text) == 0)
            return &fit_basis[k];
    return NULL;
}

typedef struct points {
    int64_t count;
    bmf_fit_point *point;
    const bmf_observation **at; /* by point */
    double *seconds, *weight;
} points;

static bool is_same_point(const bmf_observation *a, const bmf_observation *b)
{
    return a->recording == b->recording && a->r == b->r;
}

static int64_t end_of_point(const bmf_observations *of, int64_t begin)
{
    int64_t end = begin + 1;
    while (end < of->count && is_same_point(&of->point[begin], &of->point[end]))
        end++;
    return end;
}

static points make_points(const bmf_observations *of)
{
    points p = {.point = allocate_clear(of->count, (int64_t)sizeof *p.point),
                .at = allocate_array(of->count, (int64_t)sizeof *p.at),
                .seconds = allocate_array(of->count, (int64_t)sizeof *p.seconds),
                .weight = allocate_array(of->count, (int64_t)sizeof *p.weight)};
    int64_t used = 0;
    for (int64_t begin = 0, end; begin < of->count; begin = end) {
        end = end_of_point(of, begin);
        const int64_t step = (end - begin + MAX_REPEATS - 1) / MAX_REPEATS;
        bmf_fit_point *made = &p.point[p.count];
        *made = (bmf_fit_point){.p = 1.0, .seconds = p.seconds + used, .weight = p.weight + used};
        for (int64_t k = begin; k < end; k += step, made->repeats++)
            p.seconds[used++] = fmax(of->point[k].value, least_time);
        p.at[p.count++] = &of->point[begin];
    }
    fit_prepare(p.count, p.point);
    return p;
}

static void points_free(points *p)
{
    free(p->point);
    free(p->at);
    free(p->seconds);
    free(p->weight);
}

static bmf_work make_work(const bmf_fit *fit, const char *of, bool proportional)
{
    const double *c = fit->coefficient, var_c = fit->covariance[0][0], var_k = fit->covariance[2][2];
    bmf_work made = {.of = of};
    if (proportional) {
        made.k = 1e6 * c[0];
        made.error_k = 1e6 * sqrt(fmax(var_c, 0.0));
        return made;
    }
    made.c = 1e6 * c[0];
    made.k = of[0] ? 1e6 * c[2] : 0.0;
    made.error_c = 1e6 * sqrt(fmax(var_c, 0.0));
    made.error_k = of[0] ? 1e6 * sqrt(fmax(var_k, 0.0)) : 0.0;
    if (made.error_c > 0.0 && made.error_k > 0.0)
        made.correlation = fmax(-1.0, fmin(1.0, 1e12 * fit->covariance[0][2] / (made.error_c * made.error_k)));
    return made;
}

/* Whether the function takes a few positive values at the points. */
static bool set_sizes(points *p, const bmf_fit_basis *basis)
{
    double seen[MIN_VALUES];
    int values = 0;
    for (int64_t k = 0; k < p->count; k++) {
        p->point[k].d = basis->value(p->at[k]);
        if (!(p->point[k].d > 0.0))
            return false;
        bool known = values == MIN_VALUES;
        for (int j = 0; j < values; j++)
            known = known || seen[j] == p->point[k].d;
        if (!known)
            seen[values++] = p->point[k].d;
    }
    return values == MIN_VALUES;
}

/* In proportion to the function alone: deviance of the times themselves. */
static bool fit_proportion(const points *p, bmf_fit *fit)
{
    points scaled = {.point = allocate_array(p->count, (int64_t)sizeof *scaled.point)};
    int64_t used = 0, all = 0;
    double logarithms = 0.0;
    for (int64_t k = 0; k < p->count; k++)
        all += p->point[k].repeats;
    scaled.seconds = allocate_array(all, (int64_t)sizeof *scaled.seconds);
    scaled.weight = allocate_array(all, (int64_t)sizeof *scaled.weight);
    for (int64_t k = 0; k < p->count; k++) {
        scaled.point[k] = p->point[k];
        scaled.point[k].seconds = scaled.seconds + used;
        scaled.point[k].weight = scaled.weight + used;
        logarithms += 2.0 * log(p->point[k].d);
        for (int64_t j = 0; j < p->point[k].repeats; j++)
            scaled.seconds[used++] = p->point[k].seconds[j] / p->point[k].d;
    }
    fit_prepare(p->count, scaled.point);
    const bool right = fit_form(p->count, scaled.point, (bmf_form){BMF_STARTUP_NONE, BMF_SIZE_NONE}, fit) == 0;
    fit->deviance += logarithms;
    points_free(&scaled);
    return right;
}

/* A form that was fitted; simpler ones have lower numbers. */
typedef struct form {
    double deviance;
    bmf_work work;
} form;

static int try_function(points *p, const bmf_fit_basis *basis, form made[2])
{
    bmf_fit fit;
    int forms = 0;
    if (!set_sizes(p, basis))
        return 0;
    if (fit_proportion(p, &fit))
        made[forms++] = (form){fit.deviance, make_work(&fit, basis->text, true)};
    if (fit_form(p->count, p->point, (bmf_form){BMF_STARTUP_NONE, BMF_SIZE_D}, &fit) == 0 &&
        fit.coefficient[0] >= 0.0 && fit.coefficient[2] > 0.0)
        made[forms++] = (form){fit.deviance, make_work(&fit, basis->text, false)};
    return forms;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The relative spread of single executions around the form: the median distance, as of normal noise, so that the few
 * that were interrupted do not lengthen all others. */
static double spread_of(const points *p, const bmf_work *work)
{
    int64_t all = 0, used = 0;
    const bmf_fit_basis *basis = basis_of(work->of);
    for (int64_t k = 0; k < p->count; k++)
        all += p->point[k].repeats;
    double *off = allocate_array(all + 1, (int64_t)sizeof *off);
    for (int64_t k = 0; k < p->count; k++) {
        const double fit = 1e-6 * (work->c + (basis ? work->k * basis->value(p->at[k]) : 0.0));
        for (int64_t j = 0; j < p->point[k].repeats && fit > 0.0; j++)
            off[used++] = fabs(p->point[k].seconds[j] / fit - 1.0);
    }
    qsort(off, (size_t)used, sizeof *off, by_size);
    const double spread = used > 0 ? normal_per_median * off[used / 2] : 0.0;
    free(off);
    return spread;
}

/* The simplest form that cannot be told from the likeliest. */
static bmf_work choose(const form *list, int forms)
{
    double best = INFINITY;
    int k = 0;
    for (int j = 0; j < forms; j++)
        best = fmin(best, list[j].deviance);
    while (k + 1 < forms && !(list[k].deviance <= best + BMF_FIT_TELLS_APART))
        k++;
    return list[k].work;
}

void fit_work(const bmf_observations *of, unsigned wanted, bmf_work *work)
{
    int sizes, processes, forms = 0;
    bmf_fit fit;
    *work = (bmf_work){.of = ""};
    if (of->count == 0)
        return;
    observations_vary(of, &sizes, &processes);
    const unsigned with =
        wanted & (BASIS_R | (sizes >= MIN_VALUES ? BASIS_D : 0) | (processes >= MIN_VALUES ? BASIS_P : 0));
    points p = make_points(of);
    form *list = allocate_array(1 + 2 * (int64_t)fit_bases, (int64_t)sizeof *list);
    if (fit_form(p.count, p.point, (bmf_form){BMF_STARTUP_NONE, BMF_SIZE_NONE}, &fit) == 0)
        list[forms++] = (form){fit.deviance, make_work(&fit, "", false)};
    for (int k = 0; k < fit_bases && forms > 0 && p.count > MIN_VALUES; k++)
        if ((fit_basis[k].with & ~with) == 0)
            forms += try_function(&p, &fit_basis[k], list + forms);
    if (forms > 0) {
        *work = choose(list, forms);
        work->noise = spread_of(&p, work);
    }
    free(list);
    points_free(&p);
}

/* The nearest form of what no form gives exactly: as for work, but of numbers. */
bool fit_nearly(const bmf_observations *of, unsigned with, bmf_rule_text *rule)
{
    bmf_work near;
    bmf_observations positive = {.count = of->count,
                                 .point = allocate_array(of->count, (int64_t)sizeof *positive.point)};
    for (int64_t k = 0; k < of->count; k++) {
        positive.point[k] = of->point[k];
        positive.point[k].value += 1.0; /* counts may be 0 */
    }
    fit_work(&positive, with, &near);
    free(positive.point);
    rule->exact = false;
    if (near.of[0])
        snprintf(rule->text, sizeof rule->text, "floor(max(0, %.9g + %.9g*%s - 0.5))", 1e-6 * near.c, 1e-6 * near.k,
                 near.of);
    else
        snprintf(rule->text, sizeof rule->text, "floor(max(0, %.9g - 0.5))", 1e-6 * near.c);
    return near.c > 0.0 || near.k > 0.0;
}
