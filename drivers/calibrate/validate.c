/* bmf validate: predicts, writes it down, runs, compares.
 *
 * The prediction is in the file, with a hash of the machine file and its sheet of kernels, before the first run starts.
 * The first run warms files and memory and does not count; it is traced, for messages and bytes. */
#include <gsl/gsl_statistics.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/calibrate/trial.h"
#include "drivers/command/json.h"
#include "drivers/command/mpirun.h"
#include "drivers/commands.h"
#include "drivers/runs.h"
#include "predict/machine/machine.h"
#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"
#include "runtime/base/output_file.h"
#include "runtime/base/progress.h"
#include "runtime/convert/output.h"

typedef struct options {
    bmf_trial trial;
    const char *machine, *output;
    int64_t repeats;
    bool json;
} options;

static const options defaults = {.repeats = 5};

typedef struct validation {
    const options *o;
    double seconds, low, high; /* predicted */
    int64_t messages, bytes;
    double *measured; /* of every run */
    double middle, spread, files;
    bool same_messages;
} validation;

/* ---- predicting ---- */

static int hash_file(const char *path, uint64_t *hash)
{
    char block[4096];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot open", path);
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        *hash = hash_bytes(*hash, block, got);
    fclose(file);
    return BMF_OK;
}

/* Of the machine file and its sheet of kernels. */
static int hash_machine(const bmf_machine *machine, uint64_t *hash)
{
    *hash = HASH_START;
    BMF_TRY(hash_file(machine->path, hash));
    for (int64_t k = 0; machine->kernels && k < machine->kernels->entries; k++) {
        const bmf_sheet_entry *entry = &machine->kernels->entry[k];
        *hash = hash_bytes(*hash, entry->operation, strlen(entry->operation));
        *hash = hash_bytes(*hash, entry->coefficient, sizeof entry->coefficient);
    }
    return BMF_OK;
}

static int predict(validation *v, json_t **run)
{
    json_int_t messages = 0, bytes = 0;
    *run = trial_predict(&v->o->trial, v->o->machine);
    if (!*run)
        return BMF_ERROR_USAGE;
    json_unpack(*run, "{s:F, s:F, s:F, s:I, s:I}", "seconds", &v->seconds, "lo", &v->low, "hi", &v->high, "messages",
                &messages, "bytes", &bytes);
    v->messages = messages;
    v->bytes = bytes;
    return BMF_OK;
}

/* The file, with what is known so far; none if nobody asked for it. */
static int write_down(const validation *v, json_t *root)
{
    bmf_output out;
    if (!v->o->output)
        return BMF_OK;
    char *text = json_dumps(root, JSON_INDENT(1));
    int status = output_open(NULL, &out, v->o->output);
    if (status == BMF_OK && text)
        output_text(&out, text);
    status = output_close(NULL, &out, status);
    free(text);
    return status;
}

/* ---- measuring ---- */

static void sum_up(validation *v)
{
    const int64_t count = v->o->repeats;
    double *sorted = allocate(count * (int64_t)sizeof *sorted);
    memcpy(sorted, v->measured, (size_t)count * sizeof *sorted);
    v->middle = gsl_stats_median(sorted, 1, (size_t)count);
    const double mean = gsl_stats_mean(sorted, 1, (size_t)count);
    v->spread = count > 1 && mean > 0.0 ? gsl_stats_sd_m(sorted, 1, (size_t)count, mean) / mean : 0.0;
    free(sorted);
}

static int run_repeatedly(validation *v, const char *trace, bmf_progress *progress)
{
    bmf_trial_run run;
    for (int64_t k = -1; k < v->o->repeats; k++) {
        progress_tell(progress, (double)(k + 1) / (double)(v->o->repeats + 1));
        BMF_TRY(trial_run(&v->o->trial, NULL, 0.0, trace, &run));
        if (k >= 0)
            v->measured[k] = run.seconds;
    }
    v->files = run.files;
    v->same_messages = run.messages == v->messages && run.bytes == v->bytes;
    sum_up(v);
    return BMF_OK;
}

static int measure(validation *v, const char *trace)
{
    bmf_progress progress;
    progress_begin(&progress, "running");
    const int status = run_repeatedly(v, trace, &progress);
    progress_end(&progress);
    return status;
}

/* ---- what is said ---- */

static int64_t inside(const validation *v)
{
    int64_t count = 0;
    for (int64_t k = 0; k < v->o->repeats; k++)
        count += v->measured[k] >= v->low && v->measured[k] <= v->high;
    return count;
}

static void print_text(const validation *v)
{
    char predicted[BMF_NUMBER_TEXT], low[BMF_NUMBER_TEXT], high[BMF_NUMBER_TEXT], measured[BMF_NUMBER_TEXT],
        files[BMF_NUMBER_TEXT];
    printf("predicted   %s, 95 %% of runs from %s to %s\n", text_seconds(v->seconds, predicted),
           text_seconds(v->low, low), text_seconds(v->high, high));
    printf("measured    %s, the median of %" PRId64 " runs, which vary by %.1f %%\n", text_seconds(v->middle, measured),
           v->o->repeats, 100.0 * v->spread);
    printf("error       %+.1f %%\n", v->middle > 0.0 ? 100.0 * (v->seconds / v->middle - 1.0) : NAN);
    printf("inside      %" PRId64 " of %" PRId64 "\n", inside(v), v->o->repeats);
    printf("messages    %s\n", v->same_messages ? "and bytes as predicted" : "or bytes are not those predicted");
    if (v->files > 0.0)
        printf("not in it   %s of reading and writing files\n", text_seconds(v->files, files));
}

static void add_measured(const validation *v, json_t *root)
{
    json_t *all = json_array();
    for (int64_t k = 0; k < v->o->repeats; k++)
        json_array_append_new(all, json_real(v->measured[k]));
    json_object_set_new(root, "measured", all);
    json_object_set_new(root, "median", json_finite(v->middle));
    json_object_set_new(root, "spread", json_finite(v->spread));
    json_object_set_new(root, "error", json_finite(v->seconds / v->middle - 1.0));
    json_object_set_new(root, "inside", json_integer(inside(v)));
    json_object_set_new(root, "messages_equal", json_boolean(v->same_messages));
    json_object_set_new(root, "files_seconds", json_finite(v->files));
}

static json_t *prediction_object(const validation *v, json_t *run, uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return json_pack("{s:o, s:o, s:s, s:I, s:I, s:O}", "program",
                     json_text(v->o->trial.path ? v->o->trial.path : v->o->trial.command[0]), "machine",
                     json_text(v->o->machine), "hash", text, "processors", (json_int_t)v->o->trial.ranks, "threads",
                     (json_int_t)(v->o->trial.threads > 0 ? v->o->trial.threads : 1), "predicted", run);
}

/* ---- all of it ---- */

static int predict_and_run(validation *v, const bmf_machine *machine, const char *trace, json_t **root)
{
    uint64_t hash;
    json_t *run = NULL;
    BMF_TRY(hash_machine(machine, &hash));
    BMF_TRY(predict(v, &run));
    *root = prediction_object(v, run, hash);
    json_decref(run);
    BMF_TRY(write_down(v, *root));
    BMF_TRY(measure(v, trace));
    add_measured(v, *root);
    return write_down(v, *root);
}

static int validate(const options *o)
{
    validation v = {.o = o, .measured = allocate_clear(o->repeats, (int64_t)sizeof(double))};
    bmf_machine *machine = NULL;
    json_t *root = NULL;
    char trace[PATH_MAX], *directory = NULL;
    int status = machine_read(o->machine, &machine);
    if (status == BMF_OK && machine->costs_path) /* the runs choose algorithms as the prediction does */
        setenv("BMF_COSTS", machine->costs_path, 1);
    if (status == BMF_OK && !(directory = temporary_directory_create("bmf-validate")))
        status = bmf_fail(NULL, BMF_ERROR_FILE, "cannot make a temporary directory");
    if (status == BMF_OK) {
        snprintf(trace, sizeof trace, "%.4000s/run.trace", directory);
        status = predict_and_run(&v, machine, trace, &root);
    }
    if (status == BMF_OK && o->json)
        json_print(json_incref(root), BMF_JSON_LINE);
    else if (status == BMF_OK)
        print_text(&v);
    temporary_directory_remove(directory);
    json_decref(root);
    machine_free(machine);
    free(v.measured);
    return status;
}

static int check(options *o, const bmf_operands *operands)
{
    if (operands->count == 0)
        return usage_error("which program? give a .bmf file, or a C program behind --");
    if (operands->behind_hyphens) {
        o->trial.command = operands->text;
        if (o->trial.argument || o->trial.library.count)
            return usage_error("--arg and --library are for programs of the language");
    } else {
        o->trial.path = operands->text[0];
        if (operands->count > 1)
            return usage_error("unexpected argument '%s'; a C program stands behind --", operands->text[1]);
    }
    return trial_complete(&o->trial);
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    options *o = values;
    int code = check(o, operands);
    if (code == 0)
        code = report_status(ctx, validate(o));
    return code ? code : finish_output();
}

static const bmf_option table[] = {
    BMF_OPTION("machine", "M", BMF_TEXT(options, machine), "a machine file, such as one of `bmf calibrate`",
               .missing = "which machine? give --machine M"),
    BMF_OPTION("arg", "FILE", BMF_TEXT(options, trial.argument), "as for `bmf run`"),
    BMF_OPTION("library", "FILE", BMF_LIST(options, trial.library), "as for `bmf run`"),
    BMF_OPTION("ranks", "R", BMF_WHOLE(options, trial.ranks, 1, BMF_MAX_PROCESSORS),
               "ranks of the runs, processors of the prediction; default: as many as there are cores for"),
    BMF_OPTION("threads", "T", BMF_WHOLE(options, trial.threads, 1, BMF_MAX_MACHINE_THREADS),
               "of each rank, here and in the prediction; default: BMF_THREADS, or 1 core a rank"),
    BMF_OPTION("launch", "COMMAND", BMF_TEXT(options, trial.launch),
               "starts the ranks, {p} of them, of {t} threads each; default: `" BMF_MPIRUN_NAME
               " -bind-to core -n {p}`, with as many cores as threads"),
    BMF_OPTION("repeats", "K", BMF_WHOLE(options, repeats, 1, 1000), "runs that count"),
    BMF_OPTION("output", "FILE", BMF_TEXT(options, output),
               "a JSON file: the prediction, written before the first run, and then the runs", .letter = 'o'),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "print that object instead of a text"),
    BMF_OPTION_END};

const bmf_driver validate_command = {
    .name = "validate",
    .summary = "predict a program, run it, and compare",
    .synopsis = "bmf validate PROG.bmf --machine M [OPTION]..\n"
                "bmf validate --machine M [OPTION].. -- PROGRAM [ARGUMENT]..",
    .about =
        "Predicts a program on the machine, writes the prediction down, runs the program here, and says how far the "
        "prediction was off and how many runs were inside its interval. The first run warms up and does not count.",
    .example = "bmf calibrate squares.bmf --arg numbers.npy -o here.machine\n"
               "bmf validate squares.bmf --machine here.machine --arg numbers.npy",
    .see = "bmf-calibrate, bmf-predict, bmf-compare",
    .options = table,
    .max_operands = BMF_ANY_NUMBER,
    .defaults = &defaults,
    .size = sizeof(options),
    .run = run};
