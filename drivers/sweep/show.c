/* bmf sweep show: least, median and most time of every point, speed-ups, files and pictures of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/sweep/sweep.h"
#include "predict/report/curves.h"
#include "predict/sheet/text.h"
#include "runtime/base/allocate.h"

enum { MAX_SIZES = 7 };

typedef struct options {
    const char *html, *csv, *gnuplot, *blocks;
} options;

/* A sweep with its points. */
typedef struct shown {
    const bmf_sweep *sweep;
    int64_t points;
    bmf_sweep_point *point;
} shown;

/* ---- text ---- */

static void print_points(const shown *s)
{
    char time[3][32], gain[32];
    for (int64_t k = 0; k < s->points; k++) {
        const bmf_sweep_point *at = &s->point[k], *before = k > 0 ? &s->point[k - 1] : NULL;
        if (!before || before->kind != at->kind || strcmp(before->phase, at->phase) != 0)
            printf("%s%s, %s\n%8s %10s %12s %12s %12s %8s %6s\n", k ? "\n" : "", at->phase, sweep_kind_name(at->kind),
                   "p", "n", "least", "median", "most", "speed-up", "runs");
        snprintf(gain, sizeof gain, isfinite(at->speed_up) ? "%.3f" : "-", at->speed_up);
        printf("%8lld %10.6g %12s %12s %12s %8s %6lld\n", (long long)at->p, at->n,
               time_text(at->least, time[0], sizeof time[0]), time_text(at->median, time[1], sizeof time[1]),
               time_text(at->most, time[2], sizeof time[2]), gain, (long long)at->repeats);
    }
    for (int64_t k = 0; k < s->sweep->failures; k++) {
        const bmf_sweep_failure *f = &s->sweep->failure[k];
        printf("%sfailed: %s p %lld n %.6g, repetition %d: %s\n", k ? "" : "\n", sweep_kind_name(f->kind),
               (long long)f->p, f->n, f->repeat, f->reason);
    }
    if (!s->sweep->complete)
        puts("\nnot complete: `bmf sweep --resume` goes on with it");
}

/* ---- files ---- */

static void put_csv(bmf_output *out, const shown *s)
{
    output_text(out, "kind,phase,p,n,runs,least,median,most,speed_up\n");
    for (int64_t k = 0; k < s->points; k++) {
        const bmf_sweep_point *at = &s->point[k];
        output_print(out, "%s,%s,%lld,%.17g,%lld,%.9g,%.9g,%.9g,", sweep_kind_name(at->kind), at->phase,
                     (long long)at->p, at->n, (long long)at->repeats, at->least, at->median, at->most);
        if (isfinite(at->speed_up))
            output_print(out, "%.6g", at->speed_up);
        output_text(out, "\n");
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The different p, or n, in order; to be freed. */
static int64_t list_values(const shown *s, bool of_p, double **value)
{
    int64_t count = 0;
    *value = allocate_array(s->points, (int64_t)sizeof **value);
    for (int64_t k = 0; k < s->points; k++)
        (*value)[k] = of_p ? (double)s->point[k].p : s->point[k].n;
    if (s->points > 0)
        qsort(*value, (size_t)s->points, sizeof **value, compare_numbers);
    for (int64_t k = 0; k < s->points; k++)
        if (count == 0 || (*value)[k] != (*value)[count - 1])
            (*value)[count++] = (*value)[k];
    return count;
}

static bool has(const shown *s, bmf_sweep_kind kind, const char *phase)
{
    for (int64_t k = 0; k < s->points; k++)
        if (s->point[k].kind == kind && strcmp(s->point[k].phase, phase) == 0)
            return true;
    return false;
}

/* The curve of one kind and size over p. */
static bmf_curve make_curve(const shown *s, const char *phase, bmf_sweep_kind kind, double n)
{
    bmf_curve made = curve_new(s->points, kind == BMF_SWEEP_MEASURED);
    made.count = 0;
    made.measured = kind == BMF_SWEEP_MEASURED;
    snprintf(made.name, sizeof made.name, "n = %.6g", n);
    for (int64_t k = 0; k < s->points; k++) {
        const bmf_sweep_point *at = &s->point[k];
        if (at->kind != kind || at->n != n || strcmp(at->phase, phase) != 0)
            continue;
        made.x[made.count] = (double)at->p;
        made.y[made.count] = at->median;
        if (made.low) {
            made.low[made.count] = at->least;
            made.high[made.count] = at->most;
        }
        made.count++;
    }
    return made;
}

static bmf_chart make_chart(const shown *s, const char *phase, const double *n, int64_t sizes)
{
    bmf_chart made = {.title = phase, .x_name = "p, processes", .y_name = "seconds", .y_is_time = true};
    const int64_t step = sizes > MAX_SIZES ? (sizes + MAX_SIZES - 1) / MAX_SIZES : 1;
    made.curve = allocate_array(BMF_SWEEP_KINDS * sizes, (int64_t)sizeof *made.curve);
    for (int kind = 0; kind < BMF_SWEEP_KINDS; kind++)
        for (int64_t k = 0; k < sizes && has(s, (bmf_sweep_kind)kind, phase); k += step)
            made.curve[made.curves++] = make_curve(s, phase, (bmf_sweep_kind)kind, n[k]);
    return made;
}

static bmf_surface make_surface(const shown *s, bmf_sweep_kind kind, const double *p, int64_t columns, const double *n,
                                int64_t rows)
{
    static const char *const titles[BMF_SWEEP_KINDS] = {"Measured time", "Predicted time (machine)",
                                                        "Predicted time (equations)"};
    bmf_surface made = surface_new(columns, p, rows, n);
    made.title = titles[kind];
    made.x_name = "p, processes";
    made.y_name = "n, size";
    made.value_name = "total time";
    made.is_time = true;
    for (int64_t k = 0; k < columns * rows; k++) {
        const bmf_sweep_point *at =
            sweep_find_point(s->point, s->points, kind, "total", (int64_t)p[k % columns], n[k / columns]);
        made.value[k] = at ? at->median : NAN;
    }
    return made;
}

/* Charts of all phases, and surfaces of the total for every kind. */
static void make_page(const shown *s, bmf_surface_page *page, bmf_chart *chart, bmf_surface *surface)
{
    double *p, *n;
    const int64_t columns = list_values(s, true, &p), rows = list_values(s, false, &n);
    for (int64_t k = 0; k < s->points; k++) {
        bool first = true;
        for (int64_t j = 0; j < page->charts; j++)
            first = first && strcmp(chart[j].title, s->point[k].phase) != 0;
        if (first)
            chart[page->charts++] = make_chart(s, s->point[k].phase, n, rows);
    }
    for (int kind = 0; kind < BMF_SWEEP_KINDS; kind++)
        if (has(s, (bmf_sweep_kind)kind, "total"))
            surface[page->surfaces++] = make_surface(s, (bmf_sweep_kind)kind, p, columns, n, rows);
    free(p);
    free(n);
}

static int write_file(const char *path, const shown *s, const bmf_surface_page *page, const options *o)
{
    bmf_output out;
    char prefix[256];
    const char *slash = strrchr(path, '/');
    int status = output_open(NULL, &out, path);
    if (status == BMF_OK && path == o->csv) {
        put_csv(&out, s);
    } else if (status == BMF_OK && path == o->html) {
        curves_put_page(&out, page);
    } else if (status == BMF_OK) {
        snprintf(prefix, sizeof prefix, "%s", slash ? slash + 1 : path);
        prefix[strcspn(prefix, ".")] = 0;
        curves_put_gnuplot(&out, page, prefix);
    }
    return output_close(NULL, &out, status);
}

static int write_files(const shown *s, const options *o)
{
    const char *const paths[] = {o->html, o->csv, o->gnuplot};
    bmf_surface surface[BMF_SWEEP_KINDS];
    bmf_chart *chart = allocate_array(s->points + 1, (int64_t)sizeof *chart);
    bmf_surface_page page = {.title = s->sweep->program[0] ? s->sweep->program : "Sweep",
                             .subtitle = "Points: measured, median with least and most. Lines: predicted.",
                             .chart = chart,
                             .surface = surface};
    int status = BMF_OK;
    make_page(s, &page, chart, surface);
    for (int k = 0; k < 3 && status == BMF_OK; k++)
        if (paths[k])
            status = write_file(paths[k], s, &page, o);
    for (int64_t k = 0; k < page.charts; k++) {
        for (int64_t j = 0; j < chart[k].curves; j++)
            curve_free(&chart[k].curve[j]);
        free(chart[k].curve);
    }
    for (int64_t k = 0; k < page.surfaces; k++)
        surface_free(&surface[k]);
    free(chart);
    if (status == BMF_OK && o->blocks)
        status = sweep_write_blocks(s->sweep, BMF_SWEEP_MEASURED, o->blocks);
    return status;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    bmf_sweep *sweep;
    int status = sweep_read(operands->text[0], &sweep);
    if (status != BMF_OK)
        return report_status(ctx, status);
    shown s = {.sweep = sweep};
    s.points = sweep_points(sweep, &s.point);
    if (o->html || o->csv || o->gnuplot || o->blocks)
        status = write_files(&s, o);
    else
        print_points(&s);
    free(s.point);
    sweep_free(sweep);
    return status == BMF_OK ? finish_output() : report_status(ctx, status);
}

static const bmf_option table[] = {
    BMF_OPTION("html", "F", BMF_TEXT(options, html),
               "write a page: curves of every phase, surfaces of the total, measured and predicted side by side"),
    BMF_OPTION("csv", "F", BMF_TEXT(options, csv), "write a table with commas"),
    BMF_OPTION("gp", "F", BMF_TEXT(options, gnuplot), "write a GNUplot script with the data in it"),
    BMF_OPTION("blocks", "F", BMF_TEXT(options, blocks),
               "write medians as blocks of `# p n` and `phase seconds`, as document 001 has them"),
    BMF_OPTION_END};

const bmf_driver sweep_show_command = {
    .name = "show",
    .summary = "least, median and most time of every point, and speed-ups",
    .synopsis = "bmf sweep show F [--html F] [--csv F] [--gp F] [--blocks F]",
    .about = "Prints for every phase, p and n the least, median and most time of all repetitions, and the speed-up of "
             "medians against one process; or writes files of them. Reads sweeps and the blocks of document 001.",
    .example = "bmf sweep show life.sweep --html life.html --csv life.csv",
    .options = table,
    BMF_ONE_OPERAND("no sweep", "more than one sweep"),
    .size = sizeof(options),
    .run = run};
