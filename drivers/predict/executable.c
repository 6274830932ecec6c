/* Predicting a C program that is linked with the library: it is started with the machine in its environment, and leaves
 * its prediction in a file. */
#define _GNU_SOURCE
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "drivers/predict/predict.h"
#include "drivers/predict/process.h"
#include "runtime/base/allocate.h"
#include "runtime/base/output_file.h"

/* What the program is told, and where its answers are: files in a directory of this user's. */
typedef struct exchange {
    char *directory;
    char *prediction, *trace, *measurements;
} exchange;

static char *path_in(const char *directory, const char *name)
{
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = allocate((int64_t)size);
    snprintf(path, size, "%s/%s", directory, name);
    return path;
}

static int open_exchange(exchange *files)
{
    *files = (exchange){.directory = temporary_directory_create("bmf-predict")};
    if (!files->directory)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot make a temporary directory: %s", strerror(errno));
    files->prediction = path_in(files->directory, "prediction");
    files->trace = path_in(files->directory, "trace");
    files->measurements = path_in(files->directory, "measurements");
    return BMF_OK;
}

static void close_exchange(exchange *files)
{
    free(files->prediction);
    free(files->trace);
    free(files->measurements);
    temporary_directory_remove(files->directory);
}

static void set_number(const char *name, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    setenv(name, text, 1);
}

static void set_environment(const bmf_predict_options *options, int64_t processors, bool traced, const exchange *files)
{
    if (options->schedule)
        setenv("BMF_SCHEDULE", options->schedule, 1);
    setenv("BMF_MACHINE", options->machine->path, 1);
    if (options->machine->changes)
        setenv("BMF_MACHINE_SET", options->machine->changes, 1);
    else
        unsetenv("BMF_MACHINE_SET");
    setenv("BMF_PREDICTION", files->prediction, 1);
    setenv("BMF_MEASUREMENTS", files->measurements, 1);
    set_number("BMF_PROCS", processors);
    if (options->ranks > 0)
        set_number("BMF_RANKS", options->ranks);
    if (traced)
        setenv("BMF_TRACE", files->trace, 1);
    else
        unsetenv("BMF_TRACE");
}

/* What the new process is told. */
typedef struct told {
    const bmf_predict_options *options;
    int64_t processors;
    bool traced;
    const exchange *files;
} told;

static void prepare(void *state)
{
    const told *t = state;
    set_environment(t->options, t->processors, t->traced, t->files);
}

/* Starts the program and waits. What it prints is for standard error, the first time. */
static int run_child(const bmf_predict_options *options, const bmf_predicted *predicted, bool traced,
                     const exchange *files)
{
    told t = {options, predicted->processors, traced, files};
    return process_run(&(bmf_process){.command = options->command,
                                      .name = options->command[0],
                                      .prepare = prepare,
                                      .state = &t,
                                      .silent = options->shown || predicted->runs > 0});
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A program that was linked with an older library does not say them. */
static void read_samples(const json_t *root, bmf_prediction *made)
{
    const json_t *samples = json_object_get(root, "samples"), *sample;
    const struct {
        const char *name;
        double *to;
    } share[] = {{"run_share", &made->run_share}, {"event_share", &made->event_share}, {"fit_share", &made->fit_share}};
    size_t index;
    *made = (bmf_prediction){0};
    json_array_foreach(samples, index, sample) if (index < BMF_PREDICTION_KEPT) made->sample[made->samples++] =
        json_number_value(sample);
    for (size_t k = 0; k < sizeof share / sizeof *share; k++) {
        const json_t *value = json_object_get(root, share[k].name);
        *share[k].to = json_is_number(value) ? json_number_value(value) : NAN;
    }
}

static int read_prediction(const bmf_predict_options *options, const char *path, bmf_predicted *predicted)
{
    json_error_t error;
    json_int_t messages, bytes, rank_messages, rank_bytes;
    json_t *remarks = NULL, *remark, *measured = NULL, *root = json_load_file(path, 0, &error);
    size_t index;
    if (!root || json_unpack(root, "{s:F, s:F, s:F, s:F, s:o, s:I, s:I, s:I, s:I, s:o}", "seconds", &predicted->seconds,
                             "low", &predicted->low, "high", &predicted->high, "best", &predicted->best,
                             "measured_error", &measured, "messages", &messages, "bytes", &bytes, "rank_messages",
                             &rank_messages, "rank_bytes", &rank_bytes, "remarks", &remarks) != 0) {
        json_decref(root);
        return bmf_fail(NULL, BMF_ERROR_USAGE,
                        "'%s' predicted nothing; is it linked with bmf, and does it call bmf_close?",
                        options->command[0]);
    }
    if (!(predicted->seconds >= 0 && predicted->low >= 0 && predicted->high >= predicted->low) ||
        !isfinite(predicted->seconds) || !isfinite(predicted->high)) {
        json_decref(root);
        return bmf_fail(NULL, BMF_ERROR_USAGE, "'%s' predicted %g s, between %g and %g: no times", options->command[0],
                        predicted->seconds, predicted->low, predicted->high);
    }
    predicted->measured_error = json_is_number(measured) ? json_number_value(measured) : NAN;
    predicted->messages = messages;
    predicted->bytes = bytes;
    predicted->rank_messages = rank_messages;
    predicted->rank_bytes = rank_bytes;
    read_samples(root, &predicted->prediction);
    json_array_foreach(remarks, index, remark) predicted_remark(predicted, json_string_value(remark));
    json_decref(root);
    return BMF_OK;
}

/* Takes the predicted run out of the file. */
static int read_run(const char *path, bmf_predicted *predicted)
{
    bmf_trace *trace;
    BMF_TRY(bmf_trace_read(NULL, path, &trace));
    predicted->run = trace->run[--trace->runs];
    bmf_trace_free(trace);
    return BMF_OK;
}

/* Runs the program until what it measures is known; every run has the times of those before. */
static int run_all(const bmf_predict_options *options, bool traced, const exchange *files, bmf_predicted *predicted)
{
    const double since = seconds_now();
    do {
        const int64_t processors = predicted->processors, runs = predicted->runs;
        BMF_TRY(run_child(options, predicted, traced, files));
        predicted_free(predicted);
        *predicted = (bmf_predicted){.processors = processors, .runs = runs};
        BMF_TRY(read_prediction(options, files->prediction, predicted));
        predicted->runs++;
    } while (options->machine->compute == BMF_COMPUTE_MEASURED && !process_was_signalled() &&
             needs_another_run(options, predicted->runs, seconds_now() - since, predicted->measured_error));
    return BMF_OK;
}

int predict_executable(const bmf_predict_options *options, int64_t processors, bool traced, bmf_predicted *predicted)
{
    exchange files;
    bmf_network *network;
    *predicted = (bmf_predicted){.processors = processors};
    /* The program would find that out, too; but then it is said twice. */
    BMF_TRY(machine_network(options->machine, processors, &network));
    network->type->destroy(network);
    int status = open_exchange(&files);
    if (status == BMF_OK) {
        status = run_all(options, traced, &files, predicted);
        if (status == BMF_OK && traced)
            status = read_run(files.trace, predicted);
    }
    close_exchange(&files);
    process_obey_signal();
    return status;
}
