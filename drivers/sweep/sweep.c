/* bmf sweep: runs a program at all points of p and n, measured and predicted. */
#include "drivers/sweep/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/command/mpirun.h"
#include "drivers/command/number_list.h"
#include "drivers/commands.h"
#include "predict/equations/equations.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

typedef struct options {
    bmf_number_list p, n;
    int repeats;
    const char *machine, *model, *sheet, *launch, *output;
    double step; /* c of the model, microseconds */
    bmf_strings set;
    bool resume;
} options;

static const options defaults = {.repeats = 3, .launch = BMF_MPIRUN_NAME " -n {p}", .step = 1.0};

typedef struct sweeping {
    const options *o;
    char *const *program;
    bmf_sweep *before; /* what a resumed file has; NULL: none */
    bmf_sweep_file *file;
    bmf_equations *equations;
    int64_t done, all, failures;
} sweeping;

/* ---- options ---- */

static int read_processes(const char *text, void *field)
{
    static const bmf_number_rule rule = {.min = 1, .max = INT32_MAX, .whole = true};
    return number_list_read(text, &rule, field)
               ? 0
               : usage_error("'%.100s' is no list of numbers of processes, like 1,2,4 or 1..8", text);
}

static int read_sizes(const char *text, void *field)
{
    static const bmf_number_rule rule = {.min = 0, .max = 1e15, .whole = true};
    return number_list_read(text, &rule, field)
               ? 0
               : usage_error("'%.100s' is no list of sizes, like 20,40,80 or 20..160 (20, 40, 80, 160)", text);
}

static bool has_mark(char *const *program, const char *launch, const char *mark)
{
    bool found = strstr(launch, mark);
    for (int k = 0; program[k] && !found; k++)
        found = strstr(program[k], mark);
    return found;
}

static int check_options(const options *o, const bmf_operands *operands)
{
    if (!operands->behind_hyphens || operands->count == 0)
        return usage_error("which program? give it with its arguments behind --");
    if (!has_mark(operands->text, o->launch, "{n}"))
        return usage_error("{n} stands nowhere in the program's arguments: every size would be the same run");
    if (!has_mark(operands->text, o->launch, "{p}"))
        return usage_error("{p} stands neither in --launch nor in the program's arguments");
    if (strpbrk(o->launch, "\n\r"))
        return usage_error("--launch is one line");
    return 0;
}

/* ---- points ---- */

static void show_progress(const sweeping *s, const char *kind, int64_t p, double n)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%lld of %lld: %s p %lld n %.6g \033[K", (long long)s->done + 1, (long long)s->all, kind,
                (long long)p, n);
}

static int store(sweeping *s, bmf_sweep_time at, const bmf_launched *l)
{
    for (int k = 0; k < l->phases; k++) {
        memcpy(at.phase, l->name[k], sizeof at.phase);
        at.seconds = l->seconds[k];
        BMF_TRY(sweep_append(s->file, &at));
    }
    return BMF_OK;
}

static int store_failure(sweeping *s, const bmf_sweep_time *at, const char *reason)
{
    bmf_sweep_failure made = {.kind = at->kind, .p = at->p, .n = at->n, .repeat = at->repeat};
    snprintf(made.reason, sizeof made.reason, "%s", reason);
    s->failures++;
    return sweep_append_failure(s->file, &made);
}

static bool run_measured(const sweeping *s, int64_t p, double n, bmf_launched *l)
{
    char **word = launch_words(s->o->launch, s->program, p, n);
    const bool right = launch_program(word, l);
    launch_words_free(word);
    return right;
}

/* By this program's own command, which runs the program on the machine's clocks. */
static bool run_machine(const sweeping *s, int64_t p, double n, bmf_launched *l)
{
    char prefix[1400], self[1024] = "bmf";
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 3] = 0;
    snprintf(prefix, sizeof prefix, "%s predict --machine %.150s --procs %lld --json --", self, s->o->machine,
             (long long)p);
    char **word = launch_words(prefix, s->program, p, n);
    const bool right = launch_prediction(word, l);
    launch_words_free(word);
    return right;
}

static bool run_model(const sweeping *s, int64_t p, double n, bmf_launched *l)
{
    const int phases = equations_phases(s->equations);
    const double processes = (double)p;
    double *time = allocate_array(phases + 1, (int64_t)sizeof *time);
    const bool right = equations_times(s->equations, 1, &processes, &n, &s->o->step, time) == BMF_OK;
    *l = (bmf_launched){0};
    if (!right)
        snprintf(l->reason, sizeof l->reason, "%.500s", bmf_error_text(NULL));
    for (int k = 0; k <= phases && right && l->phases < BMF_LAUNCH_PHASES; k++) {
        if (k < phases && l->phases == BMF_LAUNCH_PHASES - 1)
            continue;
        snprintf(l->name[l->phases], BMF_SWEEP_NAME, "%s", k < phases ? equations_phase(s->equations, k) : "total");
        l->seconds[l->phases++] = 1e-6 * time[k];
    }
    free(time);
    return right;
}

static int run_point(sweeping *s, bmf_sweep_kind kind, int64_t p, double n, int repeat)
{
    static bool (*const run[BMF_SWEEP_KINDS])(const sweeping *, int64_t, double,
                                              bmf_launched *) = {run_measured, run_machine, run_model};
    const bmf_sweep_time at = {.kind = kind, .p = p, .n = n, .repeat = repeat};
    int status = BMF_OK;
    show_progress(s, sweep_kind_name(kind), p, n);
    if (!s->before || !sweep_has(s->before, kind, p, n, repeat)) {
        bmf_launched *l = allocate(sizeof *l);
        status = run[kind](s, p, n, l) ? store(s, at, l) : store_failure(s, &at, l->reason);
        free(l);
    }
    s->done++;
    return status;
}

/* Repetitions outermost, so that what disturbs a while does not disturb one point only. */
static int run_points(sweeping *s)
{
    const options *o = s->o;
    const bool wanted[BMF_SWEEP_KINDS] = {true, o->machine, s->equations};
    for (int repeat = 1; repeat <= o->repeats; repeat++)
        for (int64_t i = 0; i < o->n.count; i++)
            for (int64_t j = 0; j < o->p.count; j++)
                for (int kind = 0; kind < BMF_SWEEP_KINDS; kind++)
                    if (wanted[kind] && (repeat == 1 || kind == BMF_SWEEP_MEASURED))
                        BMF_TRY(run_point(s, (bmf_sweep_kind)kind, (int64_t)o->p.number[j], o->n.number[i], repeat));
    return BMF_OK;
}

/* ---- the file ---- */

static char *join(char *const *word)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        out_of_memory(0, "for a command");
    for (int k = 0; word[k]; k++)
        fprintf(to, "%s%s", k ? " " : "", word[k]);
    fclose(to);
    text_make_printable(text);
    for (char *c = text; *c; c++)
        *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    return text;
}

/* *before: what is in the file that is resumed. */
static int open_file(sweeping *s, const char *program)
{
    const options *o = s->o;
    char cut[BMF_SWEEP_TEXT];
    snprintf(cut, sizeof cut, "%s", program);
    const bool there = access(o->output, F_OK) == 0;
    if (there && !o->resume)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "%s is there already; --resume goes on with it", o->output);
    if (there) {
        BMF_TRY(sweep_read(o->output, &s->before));
        if (strcmp(s->before->program, cut) != 0 || strcmp(s->before->launch, o->launch) != 0)
            return bmf_fail(NULL, BMF_ERROR_USAGE,
                            "%s is a sweep of '%.200s' by '%.100s'; it cannot be resumed with others", o->output,
                            s->before->program, s->before->launch);
    }
    return sweep_create(o->output, cut, o->launch, s->before, &s->file);
}

static int sweep(sweeping *s)
{
    const options *o = s->o;
    const int64_t kinds = o->repeats + (o->machine ? 1 : 0) + (s->equations ? 1 : 0);
    char *program = join(s->program);
    s->all = o->p.count * o->n.count * kinds;
    int status = open_file(s, program);
    free(program);
    if (status == BMF_OK)
        status = run_points(s);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    const int closed = sweep_close(s->file, status == BMF_OK && s->failures == 0);
    sweep_free(s->before);
    return status == BMF_OK ? closed : status;
}

static int read_model(sweeping *s)
{
    const options *o = s->o;
    const bmf_equation_settings settings = {.sheet = o->sheet, .sets = o->set.count, .set = o->set.text};
    if (!o->model)
        return BMF_OK;
    BMF_TRY(equations_read(o->model, &settings, &s->equations));
    return equations_phases(s->equations) > 0 ? BMF_OK : bmf_fail(NULL, BMF_ERROR_FILE, "%s has no phases", o->model);
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    options *o = values;
    sweeping s = {.o = o, .program = operands->text};
    int code = check_options(o, operands);
    if (code == 0)
        code = report_status(ctx, read_model(&s));
    if (code == 0)
        code = report_status(ctx, sweep(&s));
    if (code == 0 && s.failures > 0) {
        fprintf(stderr, "bmf: %lld of %lld runs failed; they are in %s, and --resume repeats them\n",
                (long long)s.failures, (long long)s.all, o->output);
        code = 1;
    }
    equations_free(s.equations);
    free(o->p.number);
    free(o->n.number);
    return code;
}

static const bmf_option table[] = {
    BMF_OPTION("procs", "LIST", BMF_OTHER(options, p, read_processes),
               "numbers of processes: 1,2,4 or 1..8 (1, 2, 4, 8)", .letter = 'p',
               .missing = "on how many processes? give -p LIST"),
    BMF_OPTION("sizes", "LIST", BMF_OTHER(options, n, read_sizes), "sizes, for {n}: 20,40 or 20..160 (20, 40, 80, 160)",
               .letter = 'n', .missing = "for which sizes? give -n LIST"),
    BMF_OPTION("repeat", "R", BMF_WHOLE(options, repeats, 1, 10000), "repetitions of every measured point"),
    BMF_OPTION("output", "F", BMF_TEXT(options, output), "the file to write", .letter = 'o',
               .missing = "no file to write; use -o F.sweep"),
    BMF_OPTION("resume", NULL, BMF_FLAG(options, resume),
               "go on with F: what it lacks is run, what failed is repeated"),
    BMF_OPTION("launch", "COMMAND", BMF_TEXT(options, launch), "what starts the program on {p} processes"),
    BMF_OPTION("machine", "M", BMF_TEXT(options, machine),
               "predict every point for this machine, too, as `bmf predict` does (programs linked with bmf)"),
    BMF_OPTION("model", "F", BMF_TEXT(options, model), "predict every point by these equations, too; d is n"),
    BMF_OPTION("sheet", "S", BMF_TEXT(options, sheet), "as for `bmf model eval`"),
    BMF_OPTION("set", "NAME=X", BMF_LIST(options, set), "as for `bmf model eval`"),
    BMF_OPTION("step", "US", BMF_REAL(options, step, 1e12), "the computing step c of the equations, in microseconds",
               .letter = 'c'),
    BMF_OPTION_END};

const bmf_driver sweep_run_command = {
    .name = "run",
    .summary = "run a program at many p and n; what `bmf sweep -p ..` does",
    .synopsis = "bmf sweep -p LIST -n LIST -o F [--repeat R] [--resume] [--machine M] [--model F] [OPTION]..\n"
                "  -- ./PROGRAM ARGUMENT.. {n}",
    .about =
        "Runs the program for every p and n, several times, and writes a line for every phase of every run. Times are "
        "what the program prints: a JSON object in one line with `seconds` and, for phases, `phases`, or lines with "
        "the "
        "words `seconds X` and `phase NAME X`; otherwise what passed from start to end. A run that fails is kept with "
        "its reason. Predictions by a machine file or by equations stand in the same file.",
    .example = "bmf sweep -p 1,2,4 -n 20,40,80,160 --repeat 3 --model life -o life.sweep -- ./life --n {n} --json",
    .exit_code = "1 also if a run of the program failed.",
    .options = table,
    .max_operands = BMF_ANY_NUMBER,
    .defaults = &defaults,
    .size = sizeof(options),
    .run = run};

static const bmf_driver *const commands[] = {&sweep_run_command, &sweep_show_command, &sweep_compare_command, NULL};

const bmf_driver sweep_command = {
    .name = "sweep",
    .summary = "run a program at many p and n, measured and predicted; show and compare such sweeps",
    .synopsis = "bmf sweep -p LIST -n LIST -o F [OPTION].. -- ./PROGRAM ARGUMENT.. {n}\n"
                "bmf sweep COMMAND ARGUMENT..",
    .about = "A sweep is a file of the times of a program's phases at many numbers of processes p and sizes n, with "
             "several repetitions, and with predictions beside them. Without the name of a command `run` is meant.",
    .example = "bmf sweep -p 1,2,4 -n 20..160 --model life -o life.sweep -- ./life --n {n} --json\n"
               "bmf sweep show life.sweep --html life.html\n"
               "bmf sweep compare monday.sweep tuesday.sweep",
    .exit_code = "1 also if a run of the program failed.",
    .see = "bmf-model, bmf-predict",
    .commands = commands,
    .usual = &sweep_run_command,
    .missing = "no command for sweeps",
};
