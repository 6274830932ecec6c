/* bmf model: evaluates equations of a program's phases. */
#include "drivers/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "runtime/base/allocate.h"

/* ---- options ---- */

static int read_list(const char *text, const bmf_number_rule *rule, const char *what, void *field)
{
    return number_list_read(text, rule, field) ? 0 : usage_error("'%.100s' is no list of %s", text, what);
}

int model_read_processes(const char *text, void *field)
{
    static const bmf_number_rule rule = {.min = 1, .max = BMF_MAX_PROCESSORS, .whole = true};
    return read_list(text, &rule, "numbers of processes, like 1,2,4 or 1..32 (1, 2, 4, .. 32) or 1..32+1", field);
}

int model_read_all_processes(const char *text, void *field)
{
    static const bmf_number_rule rule = {.min = 1, .max = BMF_MAX_PROCESSORS, .whole = true, .every = true};
    return read_list(text, &rule, "numbers of processes, like 1..512 (all from 1 to 512) or 1,2,4", field);
}

int model_read_data(const char *text, void *field)
{
    static const bmf_number_rule rule = {.min = 1, .max = 1e15};
    return read_list(text, &rule, "sizes from 1 on, like 20,160 or 20..160 (20, 40, 80, 160)", field);
}

int model_read_steps(const char *text, void *field)
{
    static const bmf_number_rule rule = {.min = 0, .max = 1e12, .times = true};
    return read_list(text, &rule, "times, like 1us or 0.05us,0.5us", field);
}

/* ---- files ---- */

int open_equations(const char *name, bmf_model_options *o, bmf_equations **equations)
{
    const bmf_equation_settings settings = {.sheet = o->sheet,
                                            .sets = o->set.count,
                                            .set = o->set.text,
                                            .as_printed = o->as_printed,
                                            .whole_rows = o->whole_rows};
    if (o->as_printed && o->whole_rows)
        return usage_error("--as-printed and --whole-rows exclude each other: equations are printed with d/p");
    if (o->c.count == 0) {
        o->c = (bmf_number_list){1, allocate(sizeof *o->c.number)};
        o->c.number[0] = 1.0;
    }
    int status = equations_read(name, &settings, equations);
    if (status == BMF_OK && equations_phases(*equations) == 0) {
        status = bmf_fail(NULL, BMF_ERROR_FILE, "%s has nothing to evaluate: neither phase NAME(p,d,c) = .. nor ttotal",
                          equations_path(*equations));
        equations_free(*equations);
        *equations = NULL;
    }
    return report_status(NULL, status);
}

void close_equations(bmf_model_options *o, bmf_equations *equations)
{
    equations_free(equations);
    free(o->p.number);
    free(o->d.number);
    free(o->c.number);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *model_title(const bmf_equations *equations, char *text, size_t size)
{
    const char *machine = equations_machine(equations);
    snprintf(text, size, "%s%s%s", base_name(equations_path(equations)), machine[0] ? ", messages as in " : "",
             equations_have_errors(equations) ? machine : base_name(machine));
    return text;
}

double model_time_of_one(const bmf_equations *equations, double d, double c)
{
    const double one = 1.0;
    const int phases = equations_phases(equations);
    double *time = allocate_array(phases + 1, (int64_t)sizeof *time);
    const double total = equations_times(equations, 1, &one, &d, &c, time) == BMF_OK ? time[phases] : NAN;
    free(time);
    return total;
}

/* Whether everything can be evaluated, so that a table is printed whole or not at all. Statuses of equations_times. */
static int check_all_points(const bmf_equations *equations, const bmf_model_options *o)
{
    const int phases = equations_phases(equations);
    const int64_t n = o->p.count;
    double *time = allocate_array(n * (phases + 1), (int64_t)sizeof *time);
    double *d = allocate_array(n, (int64_t)sizeof *d), *c = allocate_array(n, (int64_t)sizeof *c);
    int status = BMF_OK;
    for (int64_t i = 0; i < o->d.count * o->c.count && status == BMF_OK; i++) {
        for (int64_t k = 0; k < n; k++) {
            d[k] = o->d.number[i / o->c.count];
            c[k] = o->c.number[i % o->c.count];
        }
        status = equations_times(equations, n, o->p.number, d, c, time);
    }
    free(time);
    free(d);
    free(c);
    return status;
}

int use_equations(const char *name, bmf_model_options *o, int (*use)(const bmf_equations *, const bmf_model_options *))
{
    bmf_equations *equations = NULL;
    int code = open_equations(name, o, &equations);
    if (code == 0)
        code = report_status(NULL, check_all_points(equations, o));
    if (code == 0)
        code = use(equations, o);
    close_equations(o, equations);
    return code;
}

/* ---- the group ---- */

static const bmf_driver *const commands[] = {&model_eval_command,
                                             &model_best_command,
                                             &model_plot_command,
                                             &model_check_command,
                                             &model_fit_command,
                                             &model_list_command,
                                             NULL};

const bmf_driver model_command = {
    .name = "model",
    .summary = "equations of a program's phases: evaluate, find the best p, plot, check, fit to recordings",
    .synopsis = "bmf model COMMAND ARGUMENT..",
    .about =
        "A file of equations says how long a program's phases take on p processes, with d rows of data and computing "
        "steps of c: the first answer to whether it is worth it in parallel, before the program exists. What messages "
        "cost comes from a data sheet or from another file. F is a file, or the bare name of an installed one.",
    .example = "bmf model eval life --sheet examples/sheets/cray-t3d.sheet -p 1..32 -d 20,160 -c 0.1us\n"
               "bmf model best mandel-comm -p 1..512 -d 160 -c 0.01us",
    .exit_code = "2 also for a mistake in a file of equations: one line with file, line and column.",
    .see = "bmf-sheet, bmf-predict",
    .commands = commands,
    .missing = "no command for models",
};
