/* From samples to a sheet: one series per operation, one entry per range of p and d.
 *
 * Method: the samples of an operation (fresh and cached buffers apart) make a series. Groups of one process send
 * nothing and get an entry of their own; the others are cut into ranges of d (fit_select.c) and each range gets its
 * best form. What the data cannot tell is written into the entry: forms as good as the chosen one, a design that is
 * nearly singular, too few values of p or d.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/sheet/fit.h"
#include "predict/sheet/sheet_private.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

static const double ill_conditioned = 100.0;
enum { FEW_VALUES = 3 };

/* The samples of one operation, ordered by d, then p; of one process, or of more. */
typedef struct series {
    int64_t count;
    const bmf_sample **sample;
    bool alone; /* the operation has no other */
} series;

static int by_series(const void *a, const void *b)
{
    const bmf_sample *x = *(const bmf_sample *const *)a, *y = *(const bmf_sample *const *)b;
    int name = strcmp(x->operation, y->operation);
    if (name)
        return name;
    if (x->cached != y->cached)
        return x->cached ? 1 : -1;
    if ((x->p == 1) != (y->p == 1))
        return x->p == 1 ? -1 : 1;
    if (x->d != y->d)
        return x->d < y->d ? -1 : 1;
    return (x->p > y->p) - (x->p < y->p);
}

static bool same_operation(const bmf_sample *a, const bmf_sample *b)
{
    return strcmp(a->operation, b->operation) == 0 && a->cached == b->cached;
}

static bool same_series(const bmf_sample *a, const bmf_sample *b)
{
    return same_operation(a, b) && (a->p == 1) == (b->p == 1);
}

/* ---- points ---- */

static bmf_fit_point *make_points(const series *s)
{
    int64_t repeats = 0;
    for (int64_t k = 0; k < s->count; k++)
        repeats += s->sample[k]->repeats;
    bmf_fit_point *point = allocate_clear(s->count, sizeof *point);
    double *weight = allocate(repeats * (int64_t)sizeof *weight);
    for (int64_t k = 0; k < s->count; k++) {
        const bmf_sample *sample = s->sample[k];
        point[k] = (bmf_fit_point){.p = sample->p,
                                   .d = (double)sample->d,
                                   .repeats = sample->repeats,
                                   .seconds = sample->seconds,
                                   .weight = weight};
        weight += sample->repeats;
    }
    fit_prepare(s->count, point);
    return point;
}

static void free_points(bmf_fit_point *point)
{
    free(point[0].weight);
    free(point);
}

static void copy_points(bmf_sheet_entry *entry, int64_t count, const bmf_fit_point *point)
{
    entry->points = count;
    entry->point = allocate(count * (int64_t)sizeof *entry->point);
    for (int64_t k = 0; k < count; k++) {
        bmf_sheet_point at = {.p = (int32_t)point[k].p,
                              .d = (int64_t)point[k].d,
                              .repeats = (int32_t)point[k].repeats,
                              .typical = point[k].centre,
                              .min = point[k].seconds[0],
                              .max = point[k].seconds[0]};
        for (int64_t j = 1; j < point[k].repeats; j++) {
            at.min = fmin(at.min, point[k].seconds[j]);
            at.max = fmax(at.max, point[k].seconds[j]);
        }
        at.typical = fmin(fmax(at.typical, at.min), at.max); /* means round */
        entry->point[k] = at;
    }
}

/* ---- remarks ---- */

/* Distinct values of p, in words of at most three. Returns how many there are. */
static int distinct_p(int64_t count, const bmf_fit_point *point, double seen[FEW_VALUES])
{
    int distinct = 0;
    for (int64_t k = 0; k < count && distinct < FEW_VALUES; k++) {
        bool known = false;
        for (int j = 0; j < distinct; j++)
            known = known || seen[j] == point[k].p;
        if (!known)
            seen[distinct++] = point[k].p;
    }
    return distinct;
}

/* Times that fall as p or d grow are not those of the operation. */
static void remark_slopes(bmf_sheet_entry *entry)
{
    for (int k = 1; k < BMF_TERMS; k++)
        if (entry->coefficient[k] < -2.0 * sqrt(entry->covariance[k][k]))
            sheet_remark(entry->note, "the time falls as %s grows: was the machine quiet?", form_term[k].variable);
}

static void remark_design(bmf_sheet_entry *entry, const bmf_fit *fit, int64_t count, const bmf_fit_point *point)
{
    if (fit->far_off > 0)
        sheet_remark(entry->note, "%lld of %lld points are far off the equation and hardly count",
                     (long long)fit->far_off, (long long)count);
    double p[FEW_VALUES];
    int distinct = distinct_p(count, point, p);
    char words[BMF_SHEET_TEXT];
    if (distinct == 2)
        sheet_remark(
            entry->note,
            "ill-conditioned: p takes the values %g and %g only, which cannot tell %s apart; do not use it for "
            "other p",
            fmin(p[0], p[1]), fmax(p[0], p[1]), form_words(1, 1, " and ", words, sizeof words));
    if (entry->condition > ill_conditioned)
        sheet_remark(entry->note, "ill-conditioned: the columns are nearly dependent (condition %.2g)",
                     entry->condition);
    int term[BMF_TERMS];
    int terms = form_terms(entry->form, term);
    if (terms > 1 && count <= terms)
        sheet_remark(entry->note, "no points to spare: the equation goes through all of them");
}

/* ---- entries ---- */

static void set_domain(bmf_sheet_entry *entry, int64_t count, const bmf_fit_point *point, bool alone)
{
    entry->p_low = INT32_MAX;
    entry->d_low = INT64_MAX;
    for (int64_t k = 0; k < count; k++) {
        int32_t p = (int32_t)point[k].p;
        int64_t d = (int64_t)point[k].d;
        entry->p_low = p < entry->p_low ? p : entry->p_low;
        entry->p_high = p > entry->p_high ? p : entry->p_high;
        entry->d_low = d < entry->d_low ? d : entry->d_low;
        entry->d_high = d > entry->d_high ? d : entry->d_high;
    }
    /* A message between two processes, or work of one, costs the same in a group of any size, as far as is known. */
    bool any = alone && (entry->family == BMF_FAMILY_PAIR || entry->family == BMF_FAMILY_LOCAL);
    if (any && entry->p_low == entry->p_high)
        entry->p_low = entry->p_high = 0;
}

static void describe(bmf_sheet_entry *entry, const bmf_sample *sample)
{
    snprintf(entry->operation, sizeof entry->operation, "%s%s", sample->operation, sample->cached ? ":cached" : "");
    entry->family = sample->family;
    entry->element_bytes = sample->element_bytes;
    entry->threads = sample->threads;
}

static void set_alternatives(bmf_sheet_entry *entry, int fits, const bmf_fit *fit)
{
    entry->has_runner_up = fits > 1;
    if (fits > 1) {
        entry->runner_up = fit[1].form;
        entry->runner_up_margin = fmax(fit[1].deviance - fit[0].deviance, 0.0); /* ties keep their order */
    }
    for (int k = 1; k < fits && fit[k].deviance - fit[0].deviance < BMF_FIT_TELLS_APART; k++)
        entry->alternative[entry->alternatives++] = fit[k].form;
}

static void set_equation(bmf_sheet_entry *entry, const bmf_fit *fit)
{
    entry->form = fit->form;
    memcpy(entry->coefficient, fit->coefficient, sizeof fit->coefficient);
    memcpy(entry->covariance, fit->covariance, sizeof fit->covariance);
    entry->has_errors = true;
    entry->noise = fit->noise;
    entry->freedom = fit->freedom;
    entry->coverage = fit->coverage;
    entry->chi_square = fit->chi_square;
    entry->chi_freedom = fit->chi_freedom;
    entry->q = fit->q;
    entry->condition = fit->condition;
}

/* One range of d. */
static int fit_range(bmf_sheet *sheet, int64_t *places, const series *s, int64_t count, const bmf_fit_point *point)
{
    bmf_fit fit[BMF_FITS];
    int fits = fit_forms(count, point, fit);
    if (fits == 0)
        return bmf_fail(NULL, BMF_ERROR_INTERNAL, "no form fits '%s'", s->sample[0]->operation);
    bmf_sheet_entry *entry = sheet_add(sheet, places);
    describe(entry, s->sample[0]);
    set_domain(entry, count, point, s->alone);
    set_equation(entry, &fit[0]);
    set_alternatives(entry, fits, fit);
    remark_design(entry, &fit[0], count, point);
    remark_slopes(entry);
    copy_points(entry, count, point);
    return BMF_OK;
}

static bool has_one_p(int64_t count, const bmf_fit_point *point)
{
    for (int64_t k = 1; k < count; k++)
        if (point[k].p != point[0].p)
            return false;
    return true;
}

/* The ranges of one operation; beyond the last of them the form may be another. */
static int fit_series(bmf_sheet *sheet, int64_t *places, const series *s)
{
    bmf_fit_point *point = make_points(s);
    double size[BMF_FIT_RANGES];
    int ranges = fit_ranges(s->count, point, size), status = BMF_OK;
    int64_t begin = 0;
    for (int k = 0; k < ranges && status == BMF_OK; k++) {
        int64_t end = begin;
        while (end < s->count && point[end].d <= size[k])
            end++;
        status = fit_range(sheet, places, s, end - begin, point + begin);
        begin = end;
    }
    if (status == BMF_OK && has_one_p(s->count, point))
        sheet->entry[sheet->entries - 1].form_error = fit_form_error(s->count, point);
    free_points(point);
    return status;
}

int sheet_fit(const bmf_samples *samples, bmf_sheet **made)
{
    bmf_sheet *sheet = allocate_clear(1, sizeof *sheet);
    int64_t places = 0, skips = samples->skips * (int64_t)sizeof *sheet->skip;
    sheet->header = samples->header;
    snprintf(sheet->title, sizeof sheet->title, "%s", samples->header.machine);
    sheet->skips = samples->skips;
    sheet->skip = allocate(skips);
    if (skips > 0)
        memcpy(sheet->skip, samples->skip, (size_t)skips);
    const bmf_sample **order = allocate(samples->count * (int64_t)sizeof *order);
    for (int64_t k = 0; k < samples->count; k++)
        order[k] = &samples->sample[k];
    qsort(order, (size_t)samples->count, sizeof *order, by_series);
    int status = samples->count > 0 ? BMF_OK : bmf_fail(NULL, BMF_ERROR_FILE, "there are no samples to fit");
    for (int64_t begin = 0, end; begin < samples->count && status == BMF_OK; begin = end) {
        for (end = begin + 1; end < samples->count && same_series(order[begin], order[end]);)
            end++;
        const bool alone = (begin == 0 || !same_operation(order[begin - 1], order[begin])) &&
                           (end == samples->count || !same_operation(order[end], order[begin]));
        status = fit_series(sheet, &places, &(series){end - begin, order + begin, alone});
    }
    free(order);
    if (status != BMF_OK) {
        sheet_free(sheet);
        return status;
    }
    sheet_order(sheet);
    sheet_fit_memory(samples, &sheet->memory);
    *made = sheet;
    return BMF_OK;
}
