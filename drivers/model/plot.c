/* bmf model plot: curves of times and speed-ups, and surfaces over p and d. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/model/model.h"
#include "predict/report/curves.h"
#include "runtime/base/allocate.h"

enum { STEPS = 120, CELLS = 48, MAX_CURVES = 7, AXES = 3 };

static const char *const axis_names[AXES] = {"p, processes", "d, data", "c, us of a computing step"};
static const char axis_letters[] = "pdc";

/* What is drawn: x and family are two of p, d and c, the third one is fixed. */
typedef struct plot {
    const bmf_equations *equations;
    const bmf_model_options *options;
    int x, family;
    double fixed[AXES];    /* the first value of each list */
    bmf_number_list steps; /* along x */
} plot;

static const bmf_number_list *list_of(const plot *p, int axis)
{
    const bmf_number_list *const lists[AXES] = {&p->options->p, &p->options->d, &p->options->c};
    return lists[axis];
}

/* ---- points ---- */

static void find_ends(const bmf_number_list *list, double *least, double *most)
{
    *least = *most = list->number[0];
    for (int64_t k = 1; k < list->count; k++) {
        *least = fmin(*least, list->number[k]);
        *most = fmax(*most, list->number[k]);
    }
}

/* At most `most_points` values from the least to the most of a list, evenly on a logarithmic axis; processes whole. */
static bmf_number_list spread(const bmf_number_list *list, bool whole, int64_t most_points)
{
    double least, most;
    bmf_number_list made = {.number = allocate_array(most_points, (int64_t)sizeof *made.number)};
    find_ends(list, &least, &most);
    for (int64_t k = 0; k < most_points; k++) {
        const double at = (double)k / (double)(most_points - 1);
        double value = least > 0.0 ? least * pow(most / least, at) : least + at * (most - least);
        value = k + 1 == most_points ? most : whole ? round(value) : value;
        if (made.count == 0 || value > made.number[made.count - 1])
            made.number[made.count++] = value;
    }
    return made;
}

static int estimate_at(const plot *p, const double at[AXES], bmf_equation_time *estimate)
{
    return equations_estimate(p->equations, at[BMF_MODEL_P], at[BMF_MODEL_D], at[BMF_MODEL_C], estimate);
}

/* ---- curves ---- */

/* One curve: the total, or the speed-up against one process, for one member of the family. */
static int make_curve(const plot *p, double member, bool speed_up, bmf_curve *curve)
{
    const int phases = equations_phases(p->equations);
    bmf_equation_time *estimate = allocate_array(phases + 1, (int64_t)sizeof *estimate);
    double at[AXES];
    int status = BMF_OK;
    memcpy(at, p->fixed, sizeof at);
    at[p->family] = member;
    *curve = curve_new(p->steps.count, equations_have_errors(p->equations));
    snprintf(curve->name, sizeof curve->name, "%c = %.4g%s", axis_letters[p->family], member,
             p->family == BMF_MODEL_C ? " us" : "");
    for (int64_t k = 0; k < p->steps.count && status == BMF_OK; k++) {
        at[p->x] = curve->x[k] = p->steps.number[k];
        const double one = speed_up ? model_time_of_one(p->equations, at[BMF_MODEL_D], at[BMF_MODEL_C]) : NAN;
        status = estimate_at(p, at, estimate);
        const bmf_equation_time *total = &estimate[phases];
        curve->y[k] = speed_up ? one / total->time : 1e-6 * total->time;
        if (curve->low) {
            curve->low[k] = speed_up ? one / total->high : 1e-6 * total->low;
            curve->high[k] = speed_up ? one / total->low : 1e-6 * total->high;
        }
    }
    free(estimate);
    return status;
}

static int make_chart(const plot *p, bool speed_up, bmf_chart *chart)
{
    const bmf_number_list *family = list_of(p, p->family);
    *chart = (bmf_chart){.title = speed_up ? "Speed-up" : "Time",
                         .x_name = axis_names[p->x],
                         .y_name = speed_up ? "speed-up" : "seconds",
                         .y_is_time = !speed_up};
    chart->curve = allocate_array(family->count, (int64_t)sizeof *chart->curve);
    int status = BMF_OK;
    for (int64_t k = 0; k < family->count && status == BMF_OK; k++)
        status = make_curve(p, family->number[k], speed_up, &chart->curve[chart->curves++]);
    return status;
}

static void free_chart(bmf_chart *chart)
{
    for (int64_t k = 0; k < chart->curves; k++)
        curve_free(&chart->curve[k]);
    free(chart->curve);
}

/* ---- surfaces ---- */

/* Times over p and d, and the speed-up of every d against one process. */
static int make_surfaces(const plot *p, bmf_surface surface[2])
{
    bmf_number_list columns = spread(&p->options->p, true, CELLS), rows = spread(&p->options->d, false, CELLS);
    const int64_t n = columns.count * rows.count;
    const int phases = equations_phases(p->equations);
    double *at[AXES], *time = allocate_array(n * (phases + 1), (int64_t)sizeof *time);
    for (int k = 0; k < AXES; k++)
        at[k] = allocate_array(n, (int64_t)sizeof *at[k]);
    for (int64_t k = 0; k < n; k++) {
        at[BMF_MODEL_P][k] = columns.number[k % columns.count];
        at[BMF_MODEL_D][k] = rows.number[k / columns.count];
        at[BMF_MODEL_C][k] = p->fixed[BMF_MODEL_C];
    }
    const int status = equations_times(p->equations, n, at[BMF_MODEL_P], at[BMF_MODEL_D], at[BMF_MODEL_C], time);
    for (int s = 0; s < 2; s++) {
        surface[s] = surface_new(columns.count, columns.number, rows.count, rows.number);
        surface[s].x_name = axis_names[BMF_MODEL_P];
        surface[s].y_name = axis_names[BMF_MODEL_D];
        surface[s].title = s == 0 ? "Predicted time" : "Predicted speed-up";
        surface[s].value_name = s == 0 ? "time" : "speed-up";
        surface[s].is_time = s == 0;
    }
    for (int64_t k = 0; k < n && status == BMF_OK; k++) {
        const double total = time[phases * n + k];
        surface[0].value[k] = 1e-6 * total;
        surface[1].value[k] = model_time_of_one(p->equations, at[BMF_MODEL_D][k], p->fixed[BMF_MODEL_C]) / total;
    }
    for (int k = 0; k < AXES; k++)
        free(at[k]);
    free(time);
    free(columns.number);
    free(rows.number);
    return status;
}

/* ---- files ---- */

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

static int write_file(const char *path, const bmf_surface_page *page, bool speed_up)
{
    bmf_output out;
    char prefix[256];
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    int status = output_open(NULL, &out, path);
    if (status == BMF_OK && ends_in(path, ".svg")) {
        curves_put_svg(&out, &page->chart[speed_up]);
    } else if (status == BMF_OK && ends_in(path, ".html")) {
        curves_put_page(&out, page);
    } else if (status == BMF_OK) {
        snprintf(prefix, sizeof prefix, "%.*s", (int)strlen(base) - 3, base);
        curves_put_gnuplot(&out, page, prefix);
    }
    return output_close(NULL, &out, status);
}

static int draw(const plot *p)
{
    char title[512], subtitle[200];
    bmf_chart chart[2] = {{0}};
    bmf_surface surface[2] = {{0}};
    const bool is_surface = p->options->p.count > 1 && p->options->d.count > 1;
    int status = make_chart(p, false, &chart[0]);
    if (status == BMF_OK)
        status = make_chart(p, true, &chart[1]);
    if (status == BMF_OK && is_surface)
        status = make_surfaces(p, surface);
    const int third = 3 - p->x - p->family;
    if (third == BMF_MODEL_C || !is_surface)
        snprintf(subtitle, sizeof subtitle, "%c = %.6g%s", axis_letters[third], p->fixed[third],
                 third == BMF_MODEL_C ? " us" : "");
    else
        snprintf(subtitle, sizeof subtitle, "curves: %c = %.6g; surfaces: c = %.6g us", axis_letters[third],
                 p->fixed[third], p->fixed[BMF_MODEL_C]);
    const bmf_surface_page page = {.title = model_title(p->equations, title, sizeof title),
                                   .subtitle = subtitle,
                                   .charts = 2,
                                   .chart = chart,
                                   .surfaces = is_surface ? 2 : 0,
                                   .surface = surface};
    if (ends_in(p->options->output, ".svg"))
        chart[0].title = chart[1].title = page.title;
    if (status == BMF_OK)
        status = write_file(p->options->output, &page, p->options->speed_up);
    for (int k = 0; k < 2; k++) {
        free_chart(&chart[k]);
        surface_free(&surface[k]);
    }
    return status;
}

/* ---- the command ---- */

static const char *axis_name(int number, const char **about)
{
    static const char *const names[] = {"p", "d", "c", NULL};
    *about = NULL;
    return names[number];
}

/* What the table cannot say. 0, or the exit code of bad usage. */
static int check_options(const plot *p)
{
    const char *path = p->options->output;
    const int third = 3 - p->x - p->family;
    if (!ends_in(path, ".svg") && !ends_in(path, ".html") && !ends_in(path, ".gp"))
        return usage_error("'%s' ends neither in .svg nor in .html nor in .gp", path);
    if (p->x == p->family)
        return usage_error("--x and --family are both %c", axis_letters[p->x]);
    if (list_of(p, p->x)->count < 2)
        return usage_error("an axis needs at least two values of %c", axis_letters[p->x]);
    if (list_of(p, p->family)->count > MAX_CURVES)
        return usage_error("%lld values of %c are too many curves; at most %d", (long long)list_of(p, p->family)->count,
                           axis_letters[p->family], MAX_CURVES);
    if (third != BMF_MODEL_P && list_of(p, third)->count > 1)
        return usage_error("%c has %lld values, but is neither --x nor --family", axis_letters[third],
                           (long long)list_of(p, third)->count);
    return 0;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    bmf_model_options *o = values;
    bmf_equations *equations = NULL;
    int code = open_equations(operands->text[0], o, &equations);
    plot p = {.equations = equations, .options = o, .x = o->axis, .family = o->family};
    if (p.family < 0)
        p.family = p.x == BMF_MODEL_D ? BMF_MODEL_C : BMF_MODEL_D;
    if (code == 0)
        code = check_options(&p);
    if (code == 0) {
        for (int k = 0; k < AXES; k++)
            p.fixed[k] = list_of(&p, k)->number[0];
        p.steps = spread(list_of(&p, p.x), p.x == BMF_MODEL_P, STEPS);
        code = report_status(ctx, draw(&p));
    }
    free(p.steps.number);
    close_equations(o, equations);
    return code;
}

static const bmf_model_options defaults = {.axis = BMF_MODEL_P, .family = -1};

static const bmf_option table[] = {
    BMF_MODEL_POINT_OPTIONS(model_read_processes, "numbers of processes: 1..64, or 1,4,16"),
    BMF_OPTION("x", "AXIS", BMF_CHOICE(bmf_model_options, axis, axis_name), "what is along the axis"),
    BMF_OPTION("family", "AXIS", BMF_CHOICE(bmf_model_options, family, axis_name),
               "what has a curve for each of its values; default: d, or c if d is along the axis"),
    BMF_OPTION("speed-up", NULL, BMF_FLAG(bmf_model_options, speed_up), "F.svg shows speed-ups instead of times"),
    BMF_OPTION("output", "F", BMF_TEXT(bmf_model_options, output),
               "F.svg: curves; F.html: a page with curves and surfaces; F.gp: a GNUplot script of all of them",
               .letter = 'o', .missing = "no picture to write; use -o F.svg, F.html or F.gp"),
    BMF_MODEL_MACHINE_OPTIONS,
    BMF_OPTION_END};

const bmf_driver model_plot_command = {
    .name = "plot",
    .summary = "curves and surfaces of a program's equations",
    .synopsis = "bmf model plot F -p LIST -d LIST [-c LIST] [--x AXIS] [--family AXIS] -o F.svg|F.html|F.gp [OPTION]..",
    .about = "Draws the time along one of p, d and c, with a curve for each value of another one; the band is the 95 % "
             "interval where the sheet knows its errors. A page has the speed-ups, too, and times and speed-ups over p "
             "and d as heat maps and as surfaces in space, if p and d have more than one value.",
    .example = "bmf model plot winnow -p 1..64 -d 20..640 -o winnow.html\n"
               "bmf model plot life -p 1..32 -d 160 -c 0.05us,0.5us --family c --speed-up -o life.svg",
    .options = table,
    BMF_ONE_OPERAND("no file of equations", "more than one file of equations"),
    .defaults = &defaults,
    .size = sizeof(bmf_model_options),
    .run = run};
