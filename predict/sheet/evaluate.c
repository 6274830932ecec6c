/* Times from equations, with their errors.
 *
 * Method: mean = x'b with x the basis values at (p, d) and b the coefficients; variance of the mean x'Cx, of one
 * observation around it (noise * mean)^2; the 95 % interval of a new observation takes the t quantile of the root of
 * their sum and of what a run has in common. A sum of operations adds the x of each entry before it takes x'Cx, because
 * an entry's error is the same error every time. Cost: constant; a sum keeps 4 numbers per entry of the sheet.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/sheet/sheet_private.h"
#include "predict/statistics/distribution.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

static const double poor_q = 0.01, poor_misfit = 0.10;

/* ---- which entry ---- */

/* How many times p lies beyond the range, 1 inside. */
static double beyond(const bmf_sheet_entry *entry, double p)
{
    if (entry->p_low == 0)
        return 1.0;
    return p < entry->p_low ? entry->p_low / p : p > entry->p_high ? p / entry->p_high : 1.0;
}

/* Ranges of d of one range of p follow each other. Sizes between two of them belong to the upper one: a protocol
 * changes right above the last size that still used the old one. */
const bmf_sheet_entry *entry_choose(const bmf_sheet_entry *entry, int64_t count, double p, double d)
{
    double nearest = INFINITY;
    for (int64_t k = 0; k < count; k++)
        nearest = fmin(nearest, beyond(&entry[k], p));
    const bmf_sheet_entry *chosen = NULL;
    for (int64_t k = 0; k < count; k++) {
        if (beyond(&entry[k], p) > nearest)
            continue;
        if (chosen && d <= (double)chosen->d_high)
            break;
        chosen = &entry[k];
    }
    return chosen;
}

static bool holds_p(const bmf_sheet_entry *entry, int64_t count, double p, int32_t *low, int32_t *high)
{
    bool inside = false;
    *low = entry->p_low;
    *high = entry->p_high;
    for (int64_t k = 0; k < count; k++) {
        *low = entry[k].p_low < *low ? entry[k].p_low : *low;
        *high = entry[k].p_high > *high ? entry[k].p_high : *high;
        inside = inside || beyond(&entry[k], p) <= 1.0;
    }
    return inside;
}

void entry_domain(const bmf_sheet_entry *entry, int64_t count, double p, double d, bmf_estimate *estimate)
{
    int32_t p_low, p_high;
    int64_t d_low = INT64_MAX, d_high = 0;
    estimate->outside[0] = 0;
    if (!holds_p(entry, count, p, &p_low, &p_high))
        sheet_remark(estimate->outside, "p is outside what was measured, %d to %d", p_low, p_high);
    for (int64_t k = 0; k < count; k++) {
        d_low = entry[k].d_low < d_low ? entry[k].d_low : d_low;
        d_high = entry[k].d_high > d_high ? entry[k].d_high : d_high;
    }
    if (entry->form.size != BMF_SIZE_NONE && (d < (double)d_low || d > (double)d_high))
        sheet_remark(estimate->outside, "d is outside what was measured, %lld to %lld", (long long)d_low,
                     (long long)d_high);
    if (estimate->mean < 0.0)
        sheet_remark(estimate->outside, "the equation gives a negative time here");
    estimate->inside = estimate->outside[0] == 0;
}

/* ---- one operation ---- */

static double quadratic(const bmf_sheet_entry *entry, const double basis[BMF_TERMS])
{
    double sum = 0.0;
    for (int a = 0; a < BMF_TERMS; a++)
        for (int b = 0; b < BMF_TERMS; b++)
            sum += basis[a] * entry->covariance[a][b] * basis[b];
    return fmax(sum, 0.0);
}

/* Standard error of the form beyond the sizes that it was fitted to. */
static double form_error(const bmf_sheet_entry *entry, double d, double mean)
{
    if (!(entry->form_error > 0.0) || d <= (double)entry->d_high || entry->d_high <= 0)
        return 0.0;
    return entry->form_error * log2(d / (double)entry->d_high) * fmax(mean, 0.0);
}

/* Relative, of what all its times in a run share. */
static double run_noise(const bmf_sheet_entry *entry)
{
    return sqrt(expm1(entry->run_noise * entry->run_noise + entry->common * entry->common));
}

/* How much of that is common to all computing. */
static double common_share(const bmf_sheet_entry *entry)
{
    const double own = entry->run_noise * entry->run_noise, common = entry->common * entry->common;
    return common > 0.0 ? common / (own + common) : 0.0;
}

/* Fills the interval from mean, variances and freedom. */
static void find_interval(bmf_estimate *e)
{
    double half = 0.0;
    if (e->has_errors)
        half =
            student_quantile(0.975, e->freedom) * sqrt(e->coefficient_variance + e->run_variance + e->noise_variance);
    e->low = fmin(e->mean, fmax(e->mean - half, 0.0)); /* a time is not negative */
    e->high = e->mean + half;
}

void entry_evaluate(const bmf_sheet_entry *entry, double p, double d, bmf_estimate *estimate)
{
    double basis[BMF_TERMS];
    *estimate = (bmf_estimate){.entry = entry, .has_errors = entry->has_errors, .freedom = INFINITY};
    form_basis(entry->form, p, d, basis);
    for (int k = 0; k < BMF_TERMS; k++) {
        double error = entry->has_errors ? sqrt(entry->covariance[k][k]) : 0.0;
        estimate->mean += entry->coefficient[k] * basis[k];
        estimate->min += (entry->coefficient[k] - error) * basis[k];
        estimate->max += (entry->coefficient[k] + error) * basis[k];
    }
    if (entry->has_errors) {
        double noise = isnan(entry->noise) ? 0.0 : entry->noise * fmax(estimate->mean, 0.0);
        const double form = form_error(entry, d, estimate->mean);
        estimate->coefficient_variance = quadratic(entry, basis) + form * form;
        estimate->noise_variance = noise * noise;
        estimate->run_variance = run_noise(entry) * run_noise(entry) * estimate->mean * estimate->mean;
        estimate->freedom = isnan(entry->freedom) ? 1e6 : entry->freedom;
    }
    find_interval(estimate);
    entry_domain(entry, 1, p, d, estimate);
}

double entry_misfit(const bmf_sheet_entry *entry)
{
    double sum = 0.0;
    for (int64_t k = 0; k < entry->points; k++) {
        const bmf_sheet_point *at = &entry->point[k];
        bmf_estimate estimate;
        entry_evaluate(entry, at->p, (double)at->d, &estimate);
        double off = estimate.mean - at->typical;
        sum += at->typical > 0.0 ? off * off / (at->typical * at->typical) : 0.0;
    }
    return entry->points > 0 ? sqrt(sum / (double)entry->points) : NAN;
}

bool entry_is_poor(const bmf_sheet_entry *entry)
{
    return entry->q < poor_q && entry_misfit(entry) > poor_misfit;
}

/* ---- sums ---- */

typedef struct part {
    double basis[BMF_TERMS], noise_variance;
    double form, run; /* sums of the errors of the form, and of what a run has in common */
    bool used;
} part;

struct bmf_cost {
    const bmf_sheet *sheet;
    part *part; /* by entry */
    double min, max;
    bool inside, has_errors;
    char outside[BMF_SHEET_TEXT]; /* of the first operation that was outside */
};

bmf_cost *cost_new(const bmf_sheet *sheet)
{
    bmf_cost *cost = allocate(sizeof *cost);
    *cost = (bmf_cost){
        .sheet = sheet, .part = allocate_clear(sheet->entries, sizeof *cost->part), .inside = true, .has_errors = true};
    return cost;
}

int cost_add(bmf_cost *cost, const char *operation, double p, double d, double times)
{
    bmf_estimate one;
    if (!isfinite(times))
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "an operation is not done %g times", times);
    BMF_TRY(sheet_evaluate(cost->sheet, operation, p, d, &one));
    part *at = &cost->part[one.entry - cost->sheet->entry];
    double basis[BMF_TERMS];
    form_basis(one.entry->form, p, d, basis);
    for (int k = 0; k < BMF_TERMS; k++)
        at->basis[k] += times * basis[k];
    at->noise_variance += fabs(times) * one.noise_variance;
    at->form += times * form_error(one.entry, d, one.mean);
    at->run += times * sqrt(one.run_variance);
    at->used = at->used || times != 0.0;
    cost->min += times * (times > 0.0 ? one.min : one.max);
    cost->max += times * (times > 0.0 ? one.max : one.min);
    cost->has_errors = cost->has_errors && one.has_errors;
    if (cost->inside && !one.inside)
        snprintf(cost->outside, sizeof cost->outside, "%.60s: %.190s", operation, one.outside);
    cost->inside = cost->inside && one.inside;
    return BMF_OK;
}

void cost_sum(const bmf_cost *cost, bmf_estimate *estimate)
{
    double spread = 0.0; /* sum of variance^2 / freedom */
    double common = 0.0; /* standard error of what all computing of a run shares */
    *estimate = (bmf_estimate){.min = cost->min, .max = cost->max, .inside = cost->inside};
    memcpy(estimate->outside, cost->outside, sizeof cost->outside);
    for (int64_t k = 0; k < cost->sheet->entries; k++) {
        const bmf_sheet_entry *entry = &cost->sheet->entry[k];
        const part *at = &cost->part[k];
        if (!at->used)
            continue;
        for (int j = 0; j < BMF_TERMS; j++)
            estimate->mean += at->basis[j] * entry->coefficient[j];
        if (!entry->has_errors)
            continue;
        double coefficients = quadratic(entry, at->basis) + at->form * at->form,
               variance = coefficients + at->run * at->run + at->noise_variance;
        estimate->coefficient_variance += coefficients;
        estimate->noise_variance += at->noise_variance;
        common += at->run * sqrt(common_share(entry));
        estimate->run_variance += at->run * at->run * (1.0 - common_share(entry));
        spread += variance * variance / (isnan(entry->freedom) ? 1e6 : entry->freedom);
    }
    estimate->run_variance += common * common;
    double variance = estimate->coefficient_variance + estimate->run_variance + estimate->noise_variance;
    estimate->has_errors = cost->has_errors;
    estimate->freedom = cost->has_errors && spread > 0.0 ? variance * variance / spread : 1e6;
    find_interval(estimate);
}

void estimate_move(bmf_estimate *estimate, double mean)
{
    estimate->mean = mean;
    find_interval(estimate);
}

void cost_free(bmf_cost *cost)
{
    if (cost)
        free(cost->part);
    free(cost);
}
