/* Judging data sheets: errors of predictions, and what a second measurement says.
 *
 * Method: a point's error is that of the prediction beside the median of its repetitions; an interval is meant for one
 * new observation, so coverage counts repetitions. A second measurement is fitted with the form and the range of the
 * first, because coefficients of different forms cannot be compared, and each coefficient's difference counts in
 * standard errors of the difference. Cost: milliseconds. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/sheets/sheets.h"
#include "predict/sheet/fit.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

static const char *name_of(const bmf_sample *sample, char text[BMF_SHEET_NAME])
{
    snprintf(text, BMF_SHEET_NAME, "%s%s", sample->operation, sample->cached ? ":cached" : "");
    return text;
}

static double *copy_sorted(const bmf_sample *sample, double *median)
{
    double *seconds = allocate(sample->repeats * (int64_t)sizeof *seconds);
    memcpy(seconds, sample->seconds, (size_t)sample->repeats * sizeof *seconds);
    *median = bench_median(sample->repeats, seconds);
    return seconds;
}

/* ---- held-out points ---- */

typedef struct tally {
    double *error, *width, *spread;
    int64_t inside;
    double bias;
} tally;

static double percentile(int64_t count, const double *sorted, double share)
{
    return sorted[(int64_t)floor(share * (double)(count - 1) + 0.5)];
}

/* Half of the distance between the quartiles, relative to the median. */
static double spread_of(int32_t repeats, const double *sorted, double median)
{
    return median > 0 ? 0.5 * (percentile(repeats, sorted, 0.75) - percentile(repeats, sorted, 0.25)) / median : 0;
}

static int judge_sample(const bmf_sheet *sheet, const bmf_sample *sample, tally *t, sheets_errors *e)
{
    char name[BMF_SHEET_NAME];
    bmf_estimate estimate;
    double median;
    BMF_TRY(sheet_evaluate(sheet, name_of(sample, name), sample->p, (double)sample->d, &estimate));
    double *sorted = copy_sorted(sample, &median);
    if (median > 0 && estimate.mean > 0) {
        t->error[e->points] = fabs(estimate.mean / median - 1);
        t->width[e->points] = (estimate.high - estimate.low) / estimate.mean;
        t->spread[e->points++] = spread_of(sample->repeats, sorted, median);
        t->bias += log(estimate.mean / median);
    }
    for (int32_t k = 0; k < sample->repeats; k++)
        t->inside += sorted[k] >= estimate.low && sorted[k] <= estimate.high;
    e->observations += sample->repeats;
    free(sorted);
    return BMF_OK;
}

static void summarise(tally *t, sheets_errors *e)
{
    if (e->points == 0)
        return;
    e->median = bench_median((int)e->points, t->error);
    e->p90 = percentile(e->points, t->error, 0.9);
    e->max = t->error[e->points - 1];
    e->bias = exp(t->bias / (double)e->points);
    e->coverage = (double)t->inside / (double)e->observations;
    e->width = bench_median((int)e->points, t->width);
    e->spread = bench_median((int)e->points, t->spread);
}

int bench_sheets_judge(const bmf_sheet *sheet, const bmf_samples *held_out, int family, sheets_errors *errors)
{
    double *memory = allocate(3 * (held_out->count + 1) * (int64_t)sizeof *memory);
    tally t = {.error = memory, .width = memory + held_out->count, .spread = memory + 2 * held_out->count};
    int status = BMF_OK;
    *errors = (sheets_errors){0};
    for (int64_t i = 0; i < held_out->count && status == BMF_OK; i++) {
        const bmf_sample *sample = &held_out->sample[i];
        if (sample->d > 0 && (family == BMF_FAMILIES || (int)sample->family == family))
            status = judge_sample(sheet, sample, &t, errors);
    }
    summarise(&t, errors);
    free(memory);
    return status;
}

/* ---- predictions on paper ---- */

/* The first size of an operation from `least` on; sizes grow by the factor from the smallest one measured. */
static int64_t first_size(const bmf_sheet_entry *entry, int64_t min, int factor)
{
    int64_t d = entry->d_low;
    while (d > 0 && d < min)
        d *= factor;
    return d;
}

static bool is_last_range(const bmf_sheet *sheet, int64_t k)
{
    const bmf_sheet_entry *entry = &sheet->entry[k], *next = entry + 1;
    return k + 1 == sheet->entries || strcmp(entry->operation, next->operation) != 0 || entry->p_low != next->p_low;
}

int bench_sheets_write_predictions(const bmf_sheet *sheet, int64_t min, int64_t max, int factor, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot create: %s", path, strerror(errno));
    fputs("# operation p d seconds low high\n", file);
    for (int64_t k = 0; k < sheet->entries; k++) {
        const bmf_sheet_entry *entry = &sheet->entry[k];
        if (entry->d_high == 0 || !is_last_range(sheet, k))
            continue;
        for (int64_t d = first_size(entry, min, factor); d <= max; d *= factor)
            for (int p = entry->p_low; p <= entry->p_high; p++) {
                bmf_estimate estimate;
                entry_evaluate(entry, p > 0 ? p : 1, (double)d, &estimate);
                fprintf(file, "%s %d %lld %.9g %.9g %.9g\n", entry->operation, p, (long long)d, estimate.mean,
                        estimate.low, estimate.high);
            }
    }
    const bool written = ferror(file) == 0;
    if (fclose(file) != 0 || !written)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot write: %s", path, strerror(errno));
    return BMF_OK;
}

/* ---- a second measurement ---- */

static bool belongs(const bmf_sheet_entry *entry, const bmf_sample *sample)
{
    char name[BMF_SHEET_NAME];
    return strcmp(entry->operation, name_of(sample, name)) == 0 && sample->d >= entry->d_low &&
           sample->d <= entry->d_high &&
           (entry->p_low == 0 || (sample->p >= entry->p_low && sample->p <= entry->p_high));
}

/* The points of an entry among the samples; *weight is theirs, to be freed. */
static int64_t collect(const bmf_sheet_entry *entry, const bmf_samples *samples, bmf_fit_point *point, double **weight)
{
    int64_t points = 0, repeats = 0;
    for (int64_t i = 0; i < samples->count; i++)
        if (belongs(entry, &samples->sample[i])) {
            const bmf_sample *s = &samples->sample[i];
            point[points++] =
                (bmf_fit_point){.p = s->p, .d = (double)s->d, .repeats = s->repeats, .seconds = s->seconds};
            repeats += s->repeats;
        }
    double *at = *weight = allocate((repeats + 1) * (int64_t)sizeof *at);
    for (int64_t k = 0; k < points; k++) {
        point[k].weight = at;
        at += point[k].repeats;
    }
    return points;
}

static void compare(const bmf_sheet_entry *entry, const bmf_fit *fit, sheets_repeat *repeat)
{
    int term[BMF_TERMS];
    const int terms = form_terms(entry->form, term);
    for (int k = 0; k < terms; k++) {
        const int j = term[k];
        const double difference = fabs(fit->coefficient[j] - entry->coefficient[j]),
                     variance = fit->covariance[j][j] + entry->covariance[j][j];
        const double errors = difference == 0 ? 0 : difference / sqrt(variance);
        repeat->second[j] = fit->coefficient[j];
        if (errors > repeat->errors) {
            repeat->errors = errors;
            repeat->worst = j;
        }
    }
}

/* Second over first time in the middle of the range. */
static double ratio_of(const bmf_sheet_entry *entry, const bmf_fit *fit)
{
    double basis[BMF_TERMS], first = 0, second = 0;
    const double p = entry->p_high > 0 ? entry->p_high : 1;
    form_basis(entry->form, p, sqrt((double)entry->d_low * (double)entry->d_high), basis);
    for (int j = 0; j < BMF_TERMS; j++) {
        first += basis[j] * entry->coefficient[j];
        second += basis[j] * fit->coefficient[j];
    }
    return second / first;
}

static bool repeat_entry(const bmf_sheet_entry *entry, const bmf_samples *second, bmf_fit_point *point,
                         sheets_repeat *repeat)
{
    double *weight;
    int term[BMF_TERMS];
    bmf_fit fit;
    const int64_t points = collect(entry, second, point, &weight);
    bool made = points >= form_terms(entry->form, term);
    if (made) {
        fit_prepare(points, point);
        made = fit_form(points, point, entry->form, &fit) == BMF_OK;
    }
    *repeat = (sheets_repeat){.entry = entry};
    if (made) {
        compare(entry, &fit, repeat);
        repeat->ratio = ratio_of(entry, &fit);
    }
    free(weight);
    return made;
}

int64_t bench_sheets_repeat_all(const bmf_sheet *sheet, const bmf_samples *second, sheets_repeat **repeats)
{
    bmf_fit_point *point = allocate((second->count + 1) * (int64_t)sizeof *point);
    int64_t made = 0;
    *repeats = allocate((sheet->entries + 1) * (int64_t)sizeof **repeats);
    for (int64_t k = 0; k < sheet->entries; k++)
        made += repeat_entry(&sheet->entry[k], second, point, &(*repeats)[made]);
    free(point);
    return made;
}
