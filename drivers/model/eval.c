/* bmf model eval: times, intervals, speed-up and efficiency at chosen points. */
#include <math.h>
#include <stdlib.h>

#include "drivers/command/json.h"
#include "drivers/model/model.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/text.h"

/* One d and c, and the time of one process. */
typedef struct setting {
    const bmf_equations *equations;
    const bmf_model_options *options;
    double d, c, one;
    bmf_equation_time *estimate; /* of the phases and the total, at the point at hand */
    int64_t remarks, capacity;
    char **remark; /* of the whole table; with the point they are about */
} setting;

static double speed_up(const setting *s, double time)
{
    return time > 0.0 ? s->one / time : NAN;
}

/* ---- text ---- */

/* A phase that no operation of the sheet is part of has no interval. */
static const char *interval_text(const bmf_equation_time *of, bool is_total, char text[64])
{
    if (of->high > of->low)
        snprintf(text, 64, "%.6g .. %.6g", of->low, of->high);
    else
        snprintf(text, 64, "%s", is_total && !of->has_errors ? "not known" : "-");
    return text;
}

static const char *ratio_text(double value, char text[32])
{
    if (isfinite(value))
        snprintf(text, 32, "%.3f", value);
    else
        snprintf(text, 32, "-");
    return text;
}

static void print_head(const setting *s, bool first)
{
    printf("%sd = %.6g, c = %.6g us\n", first ? "" : "\n", s->d, s->c);
    printf("%10s %14s %27s %10s %10s\n", "processes", "time us", "95 % interval", "speed-up", "efficiency");
}

static void add_remark(setting *s, double p, const char *outside)
{
    char text[BMF_SHEET_TEXT + 80];
    snprintf(text, sizeof text, "p = %.6g, d = %.6g: %s", p, s->d, outside);
    *ARRAY_APPEND(s->remark, s->remarks, s->capacity) = text_copy(text);
}

static void print_point(setting *s, double p)
{
    const int phases = equations_phases(s->equations);
    const bmf_equation_time *total = &s->estimate[phases];
    char interval[64], ratio[2][32];
    const double gain = speed_up(s, total->time);
    printf("%10.10g %14.6g %27s %10s %10s%s\n", p, total->time, interval_text(total, true, interval),
           ratio_text(gain, ratio[0]), ratio_text(gain / p, ratio[1]), total->inside ? "" : " *");
    for (int k = 0; k < phases && s->options->phases; k++) {
        const bmf_equation_time *of = &s->estimate[k];
        printf("%10s %14.6g %27s %9.1f%%  %s\n", "", of->time, interval_text(of, false, interval),
               total->time > 0.0 ? 100.0 * of->time / total->time : 0.0, equations_phase(s->equations, k));
    }
    if (!total->inside)
        add_remark(s, p, total->outside);
}

static void print_remarks(setting *s)
{
    for (int64_t k = 0; k < s->remarks; k++) {
        printf("%s* %s\n", k == 0 ? "\n" : "", s->remark[k]);
        free(s->remark[k]);
    }
    free(s->remark);
}

/* ---- JSON ---- */

static json_t *time_object(const bmf_equation_time *of)
{
    return json_pack("{s:f, s:f, s:f}", "seconds", 1e-6 * of->time, "lo", 1e-6 * of->low, "hi", 1e-6 * of->high);
}

static json_t *point_object(const setting *s, double p)
{
    const int phases = equations_phases(s->equations);
    const bmf_equation_time *total = &s->estimate[phases];
    json_t *of_phases = json_array(), *point = time_object(total);
    for (int k = 0; k < phases; k++) {
        json_t *phase = time_object(&s->estimate[k]);
        json_object_set_new(phase, "name", json_text(equations_phase(s->equations, k)));
        json_object_set_new(phase, "share", json_finite(total->time > 0.0 ? s->estimate[k].time / total->time : NAN));
        json_array_append_new(of_phases, phase);
    }
    json_t *rest = json_pack("{s:f, s:f, s:f, s:o, s:o, s:b, s:b, s:s, s:o}", "p", p, "d", s->d, "c", 1e-6 * s->c,
                             "speed_up", json_finite(speed_up(s, total->time)), "efficiency",
                             json_finite(speed_up(s, total->time) / p), "has_errors", total->has_errors, "in_domain",
                             total->inside, "outside", total->outside, "phases", of_phases);
    json_object_update(point, rest);
    json_decref(rest);
    return point;
}

/* ---- all points ---- */

static int evaluate_setting(setting *s, json_t *points, bool first)
{
    const bmf_number_list *p = &s->options->p;
    s->one = model_time_of_one(s->equations, s->d, s->c);
    if (!points)
        print_head(s, first);
    for (int64_t k = 0; k < p->count; k++) {
        BMF_TRY(equations_estimate(s->equations, p->number[k], s->d, s->c, s->estimate));
        if (points)
            json_array_append_new(points, point_object(s, p->number[k]));
        else
            print_point(s, p->number[k]);
    }
    return BMF_OK;
}

static int evaluate_all(setting *s, json_t *points)
{
    const bmf_model_options *o = s->options;
    for (int64_t i = 0; i < o->d.count; i++)
        for (int64_t j = 0; j < o->c.count; j++) {
            s->d = o->d.number[i];
            s->c = o->c.number[j];
            BMF_TRY(evaluate_setting(s, points, i + j == 0));
        }
    return BMF_OK;
}

static int print_all(setting *s)
{
    char title[512];
    const bmf_equations *equations = s->equations;
    json_t *points = s->options->json ? json_array() : NULL;
    if (!points)
        printf("%s\n\n", model_title(equations, title, sizeof title));
    const int status = evaluate_all(s, points);
    print_remarks(s);
    if (status != BMF_OK || !points) {
        json_decref(points);
        return report_status(NULL, status);
    }
    return json_print(json_pack("{s:o, s:o, s:o}", "model", json_text(equations_path(equations)), "machine",
                                json_text(equations_machine(equations)), "points", points),
                      BMF_JSON_LINE);
}

static int evaluate(const bmf_equations *equations, const bmf_model_options *o)
{
    setting s = {.equations = equations, .options = o};
    s.estimate = allocate_array(equations_phases(equations) + 1, (int64_t)sizeof *s.estimate);
    const int code = print_all(&s);
    free(s.estimate);
    return code;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    (void)ctx;
    return use_equations(operands->text[0], values, evaluate);
}

static const bmf_option table[] = {
    BMF_MODEL_POINT_OPTIONS(model_read_processes,
                            "numbers of processes: 1,2,4, or 1..32 (1, 2, 4, .. 32), or 1..32+1 (all)"),
    BMF_MODEL_MACHINE_OPTIONS,
    BMF_OPTION("phases", NULL, BMF_FLAG(bmf_model_options, phases), "each phase's time and share of the total, too"),
    BMF_OPTION(
        "json", NULL, BMF_FLAG(bmf_model_options, json),
        "print one JSON object: model, machine, and points, a list of {p, d, c, seconds, lo, hi, speed_up, "
        "efficiency, has_errors, in_domain, outside, phases}; phases have name, seconds, lo, hi, share; times in "
        "seconds"),
    BMF_OPTION_END};

const bmf_driver model_eval_command = {
    .name = "eval",
    .summary = "times, speed-up and efficiency by a program's equations",
    .synopsis = "bmf model eval F -p LIST -d LIST [-c LIST] [--sheet S] [--set NAME=X].. [--phases] [OPTION]..",
    .about =
        "Evaluates the equations of F at every p, d and c: the time, the interval that holds the time of a run in 95 "
        "of "
        "100 cases as far as the sheet knows its errors (an operation that is used a thousand times errs once), the "
        "speed-up against one process and the efficiency. An asterisk marks what lies outside the sheet.",
    .example = "bmf model eval life --sheet cray-t3d -p 1..32 -d 20,160 -c 0.05us,1us --phases",
    .see = "bmf-sheet",
    .options = table,
    BMF_ONE_OPERAND("no file of equations", "more than one file of equations"),
    .size = sizeof(bmf_model_options),
    .run = run};
