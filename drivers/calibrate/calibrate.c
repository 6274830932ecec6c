/* bmf calibrate: one command that learns what a program costs here.
 *
 * Method: the program is run on parts of its argument, 1/64 to 1/4 of it, in turns: every size once, then every size
 * again, so that a machine that slows down for a while slows all sizes; and so for every number of ranks and threads.
 * Each repetition takes another part of the argument, so that costs which depend on the data are in the spread. All
 * runs are traced; the traces are kept until the machine file is written, so that a calibration that was interrupted
 * goes on where it was. */
#define _GNU_SOURCE
#include "drivers/calibrate/calibrate.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drivers/command/mpirun.h"
#include "drivers/commands.h"
#include "predict/machine/machine.h"
#include "runtime/backend/clock.h"
#include "runtime/base/allocate.h"
#include "runtime/base/directory_lock.h"
#include "runtime/base/hash.h"
#include "runtime/base/output_file.h"
#include "runtime/base/progress.h"
#include "runtime/files/npy_part.h"
#include "skeletons/language/argument.h"

enum { PARTS = 5, LARGEST_PART = 4, MIN_ROWS = 16, MIN_SIZES = 3 };

static const bmf_calibrate_options defaults = {.max_spread = 50};

/* Runs of a size where none are given: so many, and more while the median of some size is not known, for a while. */
enum { USUAL_REPEATS = 5, MOST_REPEATS = 20, MOST_SECONDS = 60 };

/* ---- sizes ---- */

/* Square arrays are cut to squares, so that a program of matrices gets matrices. */
static bool is_square(const bmf_npy_header *header)
{
    return header->dimensions == 2 && header->shape[0] == header->shape[1] && header->shape[0] > 1;
}

/* Parts are cut out of .npy files whose items lie as in memory; of any other data file one is made. */
static int find_rows(bmf_calibration *c, const char *temporary)
{
    const char *name = c->o->trial.argument;
    bmf_argument argument = {0};
    char program[PATH_MAX];
    snprintf(c->rows, sizeof c->rows, "%.4000s", name);
    if (!argument_named(name, &argument))
        return BMF_OK;
    const int status = argument_find(NULL, &argument);
    const bool plain = status == BMF_OK && npy_repeats(&argument.file);
    argument_free(&argument);
    if (status != BMF_OK || plain)
        return status;
    snprintf(program, sizeof program, "%.4000s/rows.bmf", temporary);
    snprintf(c->rows, sizeof c->rows, "%.4000s/rows.npy", temporary);
    return trial_copy_argument(&c->o->trial, program, c->rows);
}

/* 1/64, 1/32, .. 1/4 of the elements: of the rows, or of squares. */
static int find_parts(bmf_calibration *c)
{
    const bmf_trial *trial = &c->o->trial;
    BMF_TRY(npy_find_header(NULL, c->rows, &c->header));
    const double rows = (double)c->header.shape[0];
    c->sizes = PARTS;
    c->size = allocate(PARTS * (int64_t)sizeof *c->size);
    for (int k = 0; k < PARTS; k++) {
        const double part = exp2(k - (PARTS - 1)) / LARGEST_PART;
        c->size[k] = floor(rows * (is_square(&c->header) ? sqrt(part) : part));
    }
    if (c->size[0] < MIN_ROWS * (double)trial->ranks) /* the most ranks */
        return bmf_fail(NULL, BMF_ERROR_USAGE,
                        "%s: too small to learn from: a 64th of it is %.0f %s, and %" PRId64 " ranks need %.0f",
                        trial->argument, c->size[0], c->header.dimensions == 2 ? "rows" : "elements", trial->ranks,
                        MIN_ROWS * (double)trial->ranks);
    return BMF_OK;
}

static void take_sizes(bmf_calibration *c)
{
    const bmf_number_list *given = &c->o->sizes;
    c->sizes = (int)given->count;
    c->size = allocate(given->count * (int64_t)sizeof *c->size);
    memcpy(c->size, given->number, (size_t)given->count * sizeof *c->size);
    gsl_sort(c->size, 1, (size_t)c->sizes);
}

/* The repeat-th part of a size: another place in the argument each time. */
static int cut_part(const bmf_calibration *c, int size, int64_t repeat, const char *to)
{
    const int64_t rows = (int64_t)c->size[size], all = c->header.shape[0];
    const int64_t places = c->repeats > 1 ? c->repeats - 1 : 1;
    const int64_t first = is_square(&c->header) ? 0 : (all - rows) / places * (repeat % (places + 1));
    const int64_t columns = is_square(&c->header) ? rows : c->header.shape[1];
    return npy_copy_part(c->rows, &c->header, first, rows, columns, to);
}

/* ---- what belongs to which calibration ---- */

static uint64_t add_file(uint64_t hash, const char *path)
{
    struct stat about = {0};
    stat(path, &about);
    hash = hash_bytes(hash, path, strlen(path));
    hash = hash_add(hash, (uint64_t)about.st_size);
    hash = hash_add(hash, (uint64_t)about.st_mtim.tv_sec);
    return hash_add(hash, (uint64_t)about.st_mtim.tv_nsec);
}

/* The file, and what of it is meant. */
static uint64_t add_argument(uint64_t hash, const char *name)
{
    bmf_argument argument = {0};
    if (!argument_named(name, &argument))
        return add_file(hash, name);
    hash = add_file(hash_bytes(hash, name, strlen(name)), argument.file.path);
    argument_free(&argument);
    return hash;
}

static uint64_t find_key(const bmf_calibrate_options *o, const bmf_trial *trial)
{
    const char *threads = getenv("BMF_THREADS");
    char number[24];
    uint64_t hash = hash_text(trial->launch ? trial->launch : "");
    snprintf(number, sizeof number, "%" PRId64, trial->threads);
    if (trial->threads > 0)
        threads = number;
    if (o->trial.path)
        hash = add_file(hash, o->trial.path);
    for (int k = 0; k < o->trial.library.count; k++)
        hash = add_file(hash, o->trial.library.text[k]);
    if (o->trial.argument)
        hash = add_argument(hash, o->trial.argument);
    for (int k = 0; o->trial.command && o->trial.command[k]; k++)
        hash = hash_add(hash, hash_text(o->trial.command[k]));
    hash = hash_add(hash, hash_text(threads ? threads : ""));
    hash = hash_add(hash, o->schedules > 0);
    return hash_add(hash, (uint64_t)trial->ranks);
}

void calibration_trace(const bmf_calibration *c, const bmf_calibration_setting *s, int size, int64_t repeat, char *path)
{
    snprintf(path, PATH_MAX, "%.4000s/%016" PRIx64 "-%.15g-%" PRId64 ".trace", c->directory, s->key, c->size[size],
             repeat);
}

/* ---- running ---- */

/* A trace that is there was written by a run that succeeded, because traces appear whole or not at all. */
static int run_once(const bmf_calibration *c, const bmf_calibration_setting *s, int size, int64_t repeat,
                    const char *part)
{
    char trace[PATH_MAX];
    bmf_trial_run run;
    calibration_trace(c, s, size, repeat, trace);
    if (access(trace, R_OK) == 0) {
        BMF_TRY(trial_read(trace, &run));
    } else {
        if (s->trial.argument)
            BMF_TRY(cut_part(c, size, repeat, part));
        BMF_TRY(trial_run(&s->trial, s->trial.argument ? part : NULL, c->size[size], trace, &run));
    }
    s->computing[size * c->most + repeat] = run.computing;
    return BMF_OK;
}

/* The runs of earlier sessions must have left their traces: a run of today cannot stand for one of another time. */
static int check_sessions(const bmf_calibration *c, const bmf_calibration_setting *s)
{
    for (int64_t repeat = 0; repeat < s->runs - c->repeats; repeat++)
        for (int size = 0; size < c->sizes; size++) {
            char trace[PATH_MAX];
            calibration_trace(c, s, size, repeat, trace);
            if (access(trace, R_OK) != 0)
                return bmf_fail(NULL, BMF_ERROR_USAGE,
                                "%s lacks runs of session %" PRId64 " with %.15g elements; begin with --session 1",
                                c->directory, repeat / c->repeats + 1, c->size[size]);
        }
    return BMF_OK;
}

static bool is_adaptive(const bmf_calibration *c)
{
    return c->o->repeats == 0 && c->o->session == 0;
}

/* A run of every size, when so many rounds are done. Runs take about as long as they have elements. */
static int run_round(const bmf_calibration *c, const bmf_calibration_setting *s, int64_t repeat, int64_t rounds_done,
                     const char *file, bmf_progress *progress)
{
    const double rounds = (double)(is_adaptive(c) ? c->most : c->repeats), before = (double)(s - c->setting);
    double all = 0.0, done = 0.0;
    for (int size = 0; size < c->sizes; size++)
        all += c->size[size];
    for (int size = 0; size < c->sizes; size++) {
        BMF_TRY(run_once(c, s, size, repeat, file));
        done += c->size[size];
        progress_tell(progress,
                      (before + ((double)rounds_done + (all > 0.0 ? done / all : 1.0)) / rounds) / (double)c->settings);
    }
    return BMF_OK;
}

/* Whether more runs would say more, and are not too many; traces of an earlier call are used in any case. */
static bool needs_more(const bmf_calibration *c, const bmf_calibration_setting *s, int64_t begin)
{
    char trace[PATH_MAX];
    if (s->runs >= c->most || !is_adaptive(c))
        return false;
    calibration_trace(c, s, 0, s->runs, trace);
    return access(trace, R_OK) == 0 ||
           (!calibration_settled(c, s) && monotonic_ns() - begin < MOST_SECONDS * INT64_C(1000000000));
}

static int run_setting(bmf_calibration *c, bmf_calibration_setting *s, const char *file, bmf_progress *progress)
{
    const int64_t begin = monotonic_ns(), first = s->runs - c->repeats;
    int status = check_sessions(c, s);
    for (int64_t repeat = 0; repeat < first && status == BMF_OK; repeat++)
        for (int size = 0; size < c->sizes && status == BMF_OK; size++)
            status = run_once(c, s, size, repeat, file);
    for (int64_t repeat = first; repeat < s->runs && status == BMF_OK; repeat++)
        status = run_round(c, s, repeat, repeat - first, file, progress);
    while (status == BMF_OK && needs_more(c, s, begin)) {
        status = run_round(c, s, s->runs, s->runs, file, progress);
        s->runs += status == BMF_OK;
    }
    return status;
}

static int run_all(bmf_calibration *c, const char *file)
{
    int status = BMF_OK;
    bmf_progress progress;
    progress_begin(&progress, "running");
    for (int k = 0; k < c->settings && status == BMF_OK; k++)
        status = run_setting(c, &c->setting[k], file, &progress);
    progress_end(&progress);
    return status;
}

/* The settings know what they run, and have room for what it takes. */
static void open_settings(bmf_calibration *c)
{
    for (int k = 0; k < c->settings; k++) {
        bmf_calibration_setting *s = &c->setting[k];
        s->key = find_key(c->o, &s->trial);
        s->runs = c->repeats * (c->o->session > 1 ? c->o->session : 1);
        s->computing = allocate_array(c->sizes * c->most, (int64_t)sizeof *s->computing);
    }
}

static void free_settings(bmf_calibration *c)
{
    for (int k = 0; k < c->settings; k++)
        free(c->setting[k].computing);
    free(c->setting);
}

/* The directory of the traces, taken from other calibrations, and one for parts of the argument. */
static int open_directories(bmf_calibration *c, int *lock, char **temporary)
{
    if (asprintf(&c->directory, "%s.runs", c->o->output) < 0)
        return bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory for a name");
    const int failure = directory_lock(c->directory, 0700, lock);
    if (failure)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot keep runs there: %s", c->directory,
                        failure == EBUSY ? "another calibration does" : strerror(failure));
    *temporary = temporary_directory_create("bmf-calibrate");
    return *temporary ? BMF_OK
                      : bmf_fail(NULL, BMF_ERROR_FILE, "cannot make a temporary directory: %s", strerror(errno));
}

/* Runs choose by the table from now on. */
static int use_schedules(const bmf_calibrate_options *o)
{
    char path[PATH_MAX];
    if (o->schedules == 0)
        return BMF_OK;
    calibration_beside(o->output, ".costs", path);
    BMF_TRY(schedules_table(&o->trial, o->schedules, path));
    setenv("BMF_COSTS", path, 1);
    return BMF_OK;
}

static int calibrate(const bmf_calibrate_options *o)
{
    bmf_calibration c = {.o = o, .repeats = o->repeats > 0 ? o->repeats : USUAL_REPEATS};
    const int64_t runs = c.repeats * (o->session > 1 ? o->session : 1);
    char *temporary = NULL, part[PATH_MAX];
    int lock = -1, status = BMF_OK;
    c.most = runs > MOST_REPEATS ? runs : MOST_REPEATS;
    calibration_settings(&c);
    status = open_directories(&c, &lock, &temporary);
    if (status == BMF_OK && o->trial.argument)
        status = find_rows(&c, temporary);
    if (status == BMF_OK && o->trial.argument)
        status = find_parts(&c);
    else if (status == BMF_OK)
        take_sizes(&c);
    open_settings(&c);
    if (status == BMF_OK)
        status = use_schedules(o);
    if (status == BMF_OK) {
        snprintf(part, sizeof part, "%.4000s/part.npy", temporary);
        status = run_all(&c, part);
    }
    if (status == BMF_OK)
        status = calibration_learn(&c);
    if (status == BMF_OK && o->session == 0) {
        temporary_directory_remove(c.directory);
        c.directory = NULL;
    }
    directory_unlock(lock);
    temporary_directory_remove(temporary);
    free(c.directory);
    free_settings(&c);
    free(c.size);
    return status;
}

/* ---- options ---- */

static int read_ranks(const char *text, void *field)
{
    static const bmf_number_rule rule = {.min = 1, .max = BMF_MAX_PROCESSORS, .whole = true};
    return number_list_read(text, &rule, field)
               ? 0
               : usage_error("--ranks '%.100s' is no list of numbers from 1 on, like 2 or 1,2,4 or 1..16", text);
}

static int read_threads(const char *text, void *field)
{
    static const bmf_number_rule rule = {.min = 1, .max = BMF_MAX_MACHINE_THREADS, .whole = true};
    return number_list_read(text, &rule, field)
               ? 0
               : usage_error("--threads '%.100s' is no list of numbers from 1 to %d, like 1,2,4 or 1..16", text,
                             BMF_MAX_MACHINE_THREADS);
}

static int read_sizes(const char *text, void *field)
{
    static const bmf_number_rule rule = {.min = 1, .max = 1e15, .whole = true};
    return number_list_read(text, &rule, field)
               ? 0
               : usage_error("'%.100s' is no list of sizes, like 1000,2000,4000 or 1000..16000", text);
}

static int check(bmf_calibrate_options *o, const bmf_operands *operands)
{
    bool marked = false;
    if (operands->count == 0)
        return usage_error("which program? give a .bmf file, or a C program behind --");
    if (operands->behind_hyphens) {
        o->trial.command = operands->text;
        for (int k = 0; k < operands->count; k++)
            marked = marked || strstr(operands->text[k], "{n}");
        if (!marked || o->sizes.count < MIN_SIZES)
            return usage_error("a C program needs {n} in its arguments and --args N1,N2,N3 or more sizes for it");
        if (o->trial.argument || o->trial.library.count)
            return usage_error("--arg and --library are for programs of the language");
    } else {
        o->trial.path = operands->text[0];
        if (operands->count > 1)
            return usage_error("unexpected argument '%s'; a C program stands behind --", operands->text[1]);
        if (!o->trial.argument || o->sizes.count)
            return usage_error("a program of the language needs --arg FILE, parts of which it is run on");
        if (argument_is_data(o->trial.argument))
            return usage_error("--arg %s is data, of which there are no parts; calibrations need a data file",
                               o->trial.argument);
    }
    BMF_TRY(trial_complete(&o->trial));
    bmf_calibration c = {.o = o};
    const int code = calibration_settings(&c);
    for (int k = 0; code == 0 && o->ranks.count + o->threads.count > 0 && k < c.settings; k++)
        if (k == 0 || c.setting[k].trial.ranks > o->trial.ranks)
            o->trial.ranks = c.setting[k].trial.ranks;
    free_settings(&c);
    return code;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    bmf_calibrate_options *o = values;
    int code = check(o, operands);
    if (code == 0)
        code = report_status(ctx, calibrate(o));
    free(o->sizes.number);
    free(o->ranks.number);
    free(o->threads.number);
    return code ? code : finish_output();
}

static const bmf_option options[] = {
    BMF_OPTION("arg", "FILE", BMF_TEXT(bmf_calibrate_options, trial.argument),
               "the real argument, a data file; the program is run on a 64th to a quarter of its rows"),
    BMF_OPTION("args", "LIST", BMF_OTHER(bmf_calibrate_options, sizes, read_sizes),
               "sizes that stand for {n} in the arguments of a C program: 1000,2000,4000 or 1000..16000"),
    BMF_OPTION("library", "FILE", BMF_LIST(bmf_calibrate_options, trial.library), "as for `bmf run`"),
    BMF_OPTION("output", "M", BMF_TEXT(bmf_calibrate_options, output),
               "the machine file to write; its sheets stand beside it", .letter = 'o',
               .missing = "no machine file to write; use -o M"),
    BMF_OPTION("ranks", "LIST", BMF_OTHER(bmf_calibrate_options, ranks, read_ranks),
               "ranks of the runs, as 2 or 1,2,4; default: as many as cores, or with --threads 1, 2, 4, .. as many as "
               "there are cores for"),
    BMF_OPTION("threads", "LIST", BMF_OTHER(bmf_calibrate_options, threads, read_threads),
               "threads of each rank, as 1,2: for predictions of ranks with so many, and for `bmf choose`; default: "
               "BMF_THREADS, or 1 core a rank"),
    BMF_OPTION("launch", "COMMAND", BMF_TEXT(bmf_calibrate_options, trial.launch),
               "starts the ranks, {p} of them, of {t} threads each; default: `" BMF_MPIRUN_NAME
               " -bind-to core -n {p}`, with as many cores as threads"),
    BMF_OPTION("memory", "MSHEET", BMF_TEXT(bmf_calibrate_options, memory),
               "a sheet of `bmf sheet measure --ops memory` and `fit`; default: measured once and kept"),
    BMF_OPTION("schedules", "SECONDS", BMF_WHOLE(bmf_calibrate_options, schedules, 1, 3600),
               "measure in so many seconds (60 will do) which algorithms are fastest here, unless the user's cache has "
               "it for these ranks; the runs choose by it, and runs with --machine M, and with --bmf-costs host"),
    BMF_OPTION("repeats", "K", BMF_WHOLE(bmf_calibrate_options, repeats, 3, 100),
               "runs of every size; default: 5, and up to 20 until their median is known to 5 %, for a minute at most"),
    BMF_OPTION("max-spread", "PERCENT", BMF_WHOLE(bmf_calibrate_options, max_spread, 1, INT_MAX),
               "refuse to learn if the runs of one of the two largest sizes differ by more of their median"),
    BMF_OPTION("allow-noise", NULL, BMF_FLAG(bmf_calibrate_options, allow_noise),
               "learn from them all the same; intervals are as wide as that makes them"),
    BMF_OPTION(
        "session", "K", BMF_WHOLE(bmf_calibrate_options, session, 1, 1000),
        "the K-th of several calibrations at different times, from 1 on: what sessions differ by is learnt, too, "
        "from the runs of all so far, which stay in M.runs"),
    BMF_OPTION_END};

const bmf_driver calibrate_command = {
    .name = "calibrate",
    .summary = "learn what a program costs here, for predictions",
    .synopsis = "bmf calibrate PROG.bmf --arg FILE -o M [OPTION]..\n"
                "bmf calibrate --args LIST -o M [OPTION].. -- PROGRAM [ARGUMENT].. {n}",
    .about =
        "Runs a program on parts of its argument, or at several sizes, and writes a machine file from which `bmf "
        "predict` says what larger runs take on this machine. What the program's kernels and messages cost is learnt "
        "from the traces of these runs. If it sends no messages, those between two ranks are measured, once for a "
        "host, and kept in the user's cache directory; so is the machine's memory hierarchy. Traces are kept in M.runs "
        "until M is written: a calibration "
        "that was interrupted, or refused because the runs differed too much, goes on where it was.",
    .example = "bmf calibrate squares.bmf --arg numbers.npy -o here.machine\n"
               "bmf predict squares.bmf --machine here.machine --procs 2 --arg numbers.npy\n"
               "bmf calibrate --args 1000000..16000000 -o here.machine -- ./squares {n}\n"
               "bmf calibrate squares.bmf --arg numbers.npy --threads 1,2 -o here.machine\n"
               "bmf choose squares.bmf --arg numbers.npy --machine here.machine --procs 1,2",
    .see = "bmf-predict, bmf-validate, bmf-sheet",
    .options = options,
    .max_operands = BMF_ANY_NUMBER,
    .defaults = &defaults,
    .size = sizeof(bmf_calibrate_options),
    .run = run};
