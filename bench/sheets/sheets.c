/* bmf-bench sheets: does a data sheet of this machine predict what was not measured for it?
 *
 * Method: all operations are measured at small sizes and fitted; the predictions for larger ones are written down; only
 * then those are measured. A second measurement of the small sizes shows whether the coefficients can be trusted. The
 * first rank fits and judges. Cost: three measurements of --seconds each. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/commands.h"
#include "bench/measure.h"
#include "bench/sheets/sheets.h"
#include "predict/measure/measure.h"
#include "runtime/backend/backend.h"
#include "runtime/base/output_file.h"
#include "drivers/command/mpirun.h"

enum { DEFAULT_ELEMENTS = 1 << 20, DEFAULT_HELD_OUT = 4, DEFAULT_SECONDS = 40, FACTOR = 2, PATH = 4096 };
static const double MEDIAN_BAR = 0.10, P90_BAR = 0.20, COVERAGE_LOW = 0.90, COVERAGE_HIGH = 0.99, REPEAT_BAR = 0.80,
                    REPEAT_ERRORS = 2;

typedef struct options {
    int64_t elements, held_out; /* largest fitted; how many times larger the largest predicted */
    int seconds;
    const char *operations, *keep;
    bool json;
} options;

typedef struct findings {
    char directory[PATH];
    char *temporary; /* the same on the first rank, if nothing is to be kept */
    bmf_sheet *sheet;
    bmf_samples *held_out, *second;
    sheets_errors all, of_family[BMF_FAMILIES];
    sheets_repeat *repeat;
    int64_t repeats, agree;
    bool oversubscribed;
} findings;

/* ---- measuring ---- */

static void show_progress(void *state, double done, double seconds_left, const char *what)
{
    fprintf(stderr, "\r\033[K%s: %.0f %%, about %.0f s left: %s", (const char *)state, 100 * done, seconds_left, what);
    fflush(stderr);
}

static const char *path_of(const findings *f, const char *name, char path[PATH])
{
    snprintf(path, PATH, "%.3900s/%s", f->directory, name);
    return path;
}

static int measure(bmf_context *ctx, const options *o, findings *f, const char *name, bool held_out)
{
    char path[PATH], what[64];
    bmf_measure_summary summary;
    snprintf(what, sizeof what, "%s", name);
    const bmf_measure_options m = {.output = path_of(f, name, path),
                                   .version = "bmf-bench",
                                   .operations = o->operations,
                                   .min_elements = held_out ? o->elements + 1 : 0,
                                   .max_elements = held_out ? o->elements * o->held_out : o->elements,
                                   .factor = FACTOR,
                                   .seconds = o->seconds,
                                   .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
                                   .progress_state = what};
    BMF_TRY(measure_sheet(ctx, &m, &summary));
    f->oversubscribed = summary.oversubscribed;
    return BMF_OK;
}

static int read_samples(const findings *f, const char *name, bmf_samples **samples)
{
    char path[PATH];
    return samples_read(path_of(f, name, path), true, samples);
}

/* The first rank's part between the measurements. */
static int fit_and_predict(const options *o, findings *f)
{
    char path[PATH];
    bmf_samples *small;
    BMF_TRY(read_samples(f, "small.raw", &small));
    int status = sheet_fit(small, &f->sheet);
    samples_free(small);
    BMF_TRY(status);
    BMF_TRY(sheet_write(f->sheet, path_of(f, "small.sheet", path)));
    return bench_sheets_write_predictions(f->sheet, o->elements + 1, o->elements * o->held_out, FACTOR,
                                          path_of(f, "predictions.txt", path));
}

static int judge(findings *f)
{
    BMF_TRY(read_samples(f, "large.raw", &f->held_out));
    BMF_TRY(read_samples(f, "second.raw", &f->second));
    BMF_TRY(bench_sheets_judge(f->sheet, f->held_out, BMF_FAMILIES, &f->all));
    for (int family = 0; family < BMF_FAMILIES; family++)
        BMF_TRY(bench_sheets_judge(f->sheet, f->held_out, family, &f->of_family[family]));
    f->repeats = bench_sheets_repeat_all(f->sheet, f->second, &f->repeat);
    for (int64_t k = 0; k < f->repeats; k++)
        f->agree += f->repeat[k].errors <= REPEAT_ERRORS;
    return BMF_OK;
}

/* Runs a step on the first rank; its text is the process-wide one. */
static int on_root(bmf_context *ctx, int status)
{
    if (status != BMF_OK)
        bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
    return bmf_agree(ctx, status);
}

static int find_out(bmf_context *ctx, const options *o, findings *f)
{
    const bool root = bmf_is_root(ctx);
    BMF_TRY(measure(ctx, o, f, "small.raw", false));
    BMF_TRY(on_root(ctx, root ? fit_and_predict(o, f) : BMF_OK));
    BMF_TRY(measure(ctx, o, f, "large.raw", true));
    BMF_TRY(measure(ctx, o, f, "second.raw", false));
    if (root && isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    return on_root(ctx, root ? judge(f) : BMF_OK);
}

/* ---- report ---- */

static const char *verdict(bool met)
{
    return met ? "" : "  MISSED";
}

static void print_errors(const char *what, const sheets_errors *e)
{
    if (e->points > 0)
        printf("%-16s %6lld %8.1f %8.1f %8.1f %8.2f %9.1f %8.1f %8.1f\n", what, (long long)e->points, 100 * e->median,
               100 * e->p90, 100 * e->max, e->bias, 100 * e->coverage, 100 * e->width, 100 * e->spread);
}

static void print_differing(const findings *f)
{
    static const char term[] = "csk";
    for (int64_t k = 0; k < f->repeats; k++) {
        const sheets_repeat *r = &f->repeat[k];
        char form[BMF_FORM_TEXT];
        if (r->errors <= REPEAT_ERRORS)
            continue;
        printf("  %-20s p %d-%d d %lld-%lld  %-16s %c: %.4g, then %.4g (%.1f errors); time x %.2f\n",
               r->entry->operation, r->entry->p_low, r->entry->p_high, (long long)r->entry->d_low,
               (long long)r->entry->d_high, form_text(r->entry->form, form, sizeof form), term[r->worst],
               r->entry->coefficient[r->worst], r->second[r->worst], r->errors, r->ratio);
    }
}

static void print_text(const bmf_context *ctx, const options *o, const findings *f)
{
    const double agree = (double)f->agree / (double)(f->repeats > 0 ? f->repeats : 1);
    printf("%s; %d ranks, %d threads; fitted up to %lld elements, predicted up to %lld\n\n", f->sheet->title,
           ctx->ranks, ctx->threads, (long long)o->elements, (long long)(o->elements * o->held_out));
    printf("%-16s %6s %8s %8s %8s %8s %9s %8s %8s\n", "", "", "median", "p90", "largest", "bias", "coverage", "width",
           "spread");
    printf("%-16s %6s %8s %8s %8s %8s %9s %8s %8s\n", "held out", "points", "%", "%", "%", "", "%", "%", "%");
    for (int family = 0; family < BMF_FAMILIES; family++)
        print_errors(family_name((bmf_family)family), &f->of_family[family]);
    print_errors("all", &f->all);
    printf("\nmedian error    %.3f (bar %.2f)%s\n", f->all.median, MEDIAN_BAR, verdict(f->all.median <= MEDIAN_BAR));
    printf("90th percentile %.3f (bar %.2f)%s\n", f->all.p90, P90_BAR, verdict(f->all.p90 <= P90_BAR));
    printf("coverage        %.3f (bar %.2f to %.2f)%s\n", f->all.coverage, COVERAGE_LOW, COVERAGE_HIGH,
           verdict(f->all.coverage >= COVERAGE_LOW && f->all.coverage <= COVERAGE_HIGH));
    printf("second measurement: %lld of %lld entries within %.0f standard errors: %.3f (bar %.2f)%s\n",
           (long long)f->agree, (long long)f->repeats, REPEAT_ERRORS, agree, REPEAT_BAR, verdict(agree >= REPEAT_BAR));
    if (f->agree < f->repeats)
        printf("the others, and how the time in the middle of their range changed:\n");
    print_differing(f);
    if (f->oversubscribed)
        printf("\nMore ranks than cores: these times are not valid for comparisons.\n");
}

static json_t *errors_of(const sheets_errors *e)
{
    return json_pack("{s:I, s:f, s:f, s:f, s:f, s:I, s:f, s:f, s:f}", "points", (json_int_t)e->points, "median_error",
                     e->median, "p90_error", e->p90, "max_error", e->max, "bias", e->bias, "observations",
                     (json_int_t)e->observations, "coverage", e->coverage, "median_width", e->width, "median_spread",
                     e->spread);
}

static json_t *repeat_of(const sheets_repeat *r)
{
    static const char *const term[] = {"c", "s", "k"};
    return json_pack("{s:s, s:i, s:i, s:I, s:I, s:s, s:f, s:f, s:f, s:f}", "operation", r->entry->operation, "p_low",
                     r->entry->p_low, "p_high", r->entry->p_high, "d_low", (json_int_t)r->entry->d_low, "d_high",
                     (json_int_t)r->entry->d_high, "coefficient", term[r->worst], "first",
                     r->entry->coefficient[r->worst], "second", r->second[r->worst], "errors", r->errors, "time_ratio",
                     r->ratio);
}

static int print_json(const bmf_context *ctx, const options *o, const findings *f)
{
    json_t *families = json_object(), *differ = json_array();
    for (int family = 0; family < BMF_FAMILIES; family++)
        if (f->of_family[family].points > 0)
            json_object_set_new(families, family_name((bmf_family)family), errors_of(&f->of_family[family]));
    for (int64_t k = 0; k < f->repeats; k++)
        if (f->repeat[k].errors > REPEAT_ERRORS)
            json_array_append_new(differ, repeat_of(&f->repeat[k]));
    json_t *object = json_pack("{s:s, s:s, s:i, s:i, s:b, s:I, s:I, s:o, s:o, s:I, s:I, s:f, s:o}", "benchmark",
                               "sheets", "machine", f->sheet->title, "ranks", ctx->ranks, "threads", ctx->threads,
                               "crowded", f->oversubscribed, "fitted_elements", (json_int_t)o->elements,
                               "predicted_elements", (json_int_t)(o->elements * o->held_out), "held_out",
                               errors_of(&f->all), "families", families, "entries", (json_int_t)f->repeats,
                               "entries_within_2_errors", (json_int_t)f->agree, "share_within_2_errors",
                               (double)f->agree / (double)(f->repeats > 0 ? f->repeats : 1), "differing", differ);
    return json_print(object, BMF_JSON_INDENT);
}

/* ---- running ---- */

static int make_directory(bmf_context *ctx, const options *o, findings *f)
{
    int status = BMF_OK;
    if (bmf_is_root(ctx)) {
        const bool kept = o->keep && (mkdir(o->keep, 0777) == 0 || errno == EEXIST);
        if (!o->keep)
            f->temporary = temporary_directory_create("bmf-sheets");
        const char *made = o->keep ? o->keep : f->temporary;
        snprintf(f->directory, sizeof f->directory, "%s", made ? made : "");
        if (!kept && !f->temporary)
            status = bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot create: %s", made ? made : "a temporary directory",
                              strerror(errno));
    }
    BMF_TRY(bmf_agree(ctx, status));
    return ctx->backend->bcast(ctx, 0, f->directory, sizeof f->directory);
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    int code = 0;
    (void)operands;
    findings *f = calloc(1, sizeof *f);
    int status = bmf_agree(ctx, f ? BMF_OK : bmf_fail(ctx, BMF_ERROR_MEMORY, "out of memory"));
    if (status == BMF_OK)
        status = make_directory(ctx, o, f);
    if (status == BMF_OK)
        status = find_out(ctx, o, f);
    if (status != BMF_OK)
        code = report_status(ctx, status);
    else if (bmf_is_root(ctx) && o->json)
        code = print_json(ctx, o, f);
    else if (bmf_is_root(ctx))
        print_text(ctx, o, f);
    if (f) {
        temporary_directory_remove(f->temporary);
        sheet_free(f->sheet);
        samples_free(f->held_out);
        samples_free(f->second);
        free(f->repeat);
        free(f);
    }
    return code;
}

static const bmf_option table[] = {
    BMF_OPTION("elements", "N", BMF_WHOLE(options, elements, 1, INT_MAX / 64), "largest size that is fitted"),
    BMF_OPTION("held-out", "H", BMF_WHOLE(options, held_out, 1, 64), "predict up to H times that"),
    BMF_OPTION("seconds", "S", BMF_WHOLE(options, seconds, 1, 100000), "for each of the three measurements"),
    BMF_OPTION("ops", "LIST", BMF_TEXT(options, operations), "operations and families, as in `bmf sheet measure`"),
    BMF_OPTION("keep", "DIR", BMF_TEXT(options, keep), "leave RAW files, sheet and predictions there"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "one JSON object instead of the tables"),
    BMF_OPTION_END};

static const options defaults = {
    .elements = DEFAULT_ELEMENTS, .held_out = DEFAULT_HELD_OUT, .seconds = DEFAULT_SECONDS};

const bmf_driver bench_sheets = {
    .name = "sheets",
    .summary = "data sheets: do they predict what was not measured, and can they be measured again",
    .synopsis = BMF_MPIRUN_NAME " -n RANKS bmf-bench sheets [OPTION]..",
    .about =
        "Measures a data sheet of this machine at small sizes, writes down what it predicts for larger ones, measures "
        "those, and prints how far the predictions are off and how many observations their 95 % intervals cover. Then "
        "measures the small sizes again and compares the coefficients in standard errors.",
    .example = BMF_MPIRUN_NAME " -n 2 -bind-to core bmf-bench sheets --json",
    .note =
        "Bars: median error 0.10, 90th percentile 0.20, coverage 0.90 to 0.99; 0.80 of the entries within 2 standard "
        "errors. A missed bar is marked, and is no failure.",
    .options = table,
    .parallel = true,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};
