/* Predicting a C program that is linked with the library: it is started with the machine in its environment, and leaves
 * its prediction in a file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drivers/predict/predict.h"
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
    setenv("BMF_MACHINE", options->machine->path, 1);
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

/* The new process; only comes back if the program cannot be run, and then says why. What it prints is for standard
 * error, the first time. */
static void become_program(const bmf_predict_options *options, const bmf_predicted *predicted, bool traced,
                           const exchange *files, int failed)
{
    const int silence = predicted->runs > 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    set_environment(options, predicted->processors, traced, files);
    dup2(silence >= 0 ? silence : STDERR_FILENO, STDOUT_FILENO);
    if (silence >= 0)
        dup2(silence, STDERR_FILENO);
    execvp(options->command[0], options->command);
    const int failure = errno;
    _exit(write(failed, &failure, sizeof failure) > 0 ? 127 : 126);
}

/* ---- signals ----
 *
 * Ctrl-C reaches the program as well, which ends by it; this process goes on and cleans up. A SIGTERM or SIGHUP reaches
 * this process alone: it is passed on, and taken as meant once everything is cleaned up. One that comes again kills. */

static volatile sig_atomic_t received;
static volatile pid_t running; /* the program */

static void pass_on(int number)
{
    if (running > 0)
        kill(running, received ? SIGKILL : number);
    received = number;
}

enum { HANDLED = 3 };
static const int handled[HANDLED] = {SIGINT, SIGTERM, SIGHUP};

typedef struct signals {
    struct sigaction usual[HANDLED];
    sigset_t mask;
} signals;

/* Blocks them too, until the program is known. */
static void handle_signals(signals *before)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    for (int k = 0; k < HANDLED; k++) {
        struct sigaction action = {.sa_handler = handled[k] == SIGINT ? SIG_IGN : pass_on};
        sigaddset(&blocked, handled[k]);
        sigaction(handled[k], &action, &before->usual[k]);
    }
    sigprocmask(SIG_BLOCK, &blocked, &before->mask);
}

static void restore_signals(const signals *before)
{
    for (int k = 0; k < HANDLED; k++)
        sigaction(handled[k], &before->usual[k], NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* Ends this process by the signal that asked for it, if one did. */
static void obey_signal(void)
{
    if (received)
        raise(received);
}

/* Runs the program; returns the errno with which it could not be started, or 0 and its outcome. */
static int run_program(const bmf_predict_options *options, const bmf_predicted *predicted, bool traced,
                       const exchange *files, int *outcome)
{
    int failure = 0, failed[2]; /* a pipe that starting the program closes */
    signals before;
    if (pipe2(failed, O_CLOEXEC) != 0)
        return errno;
    handle_signals(&before);
    const pid_t child = fork();
    if (child == 0) {
        restore_signals(&before);
        signal(SIGPIPE, SIG_DFL); /* which this process ignores */
        become_program(options, predicted, traced, files, failed[1]);
    }
    if (child < 0)
        failure = errno;
    running = child;
    sigprocmask(SIG_SETMASK, &before.mask, NULL);
    close(failed[1]);
    while (child > 0 && read(failed[0], &failure, sizeof failure) < 0) {
        if (errno != EINTR) {
            failure = errno;
            break;
        }
    }
    close(failed[0]);
    while (child > 0 && waitpid(child, outcome, 0) < 0 && errno == EINTR) {
    }
    running = 0;
    restore_signals(&before);
    return failure;
}

/* Starts the program and waits; its output goes to standard error, so that standard output has the prediction alone. */
static int run_child(const bmf_predict_options *options, const bmf_predicted *predicted, bool traced,
                     const exchange *files)
{
    int outcome = 0;
    fflush(NULL);
    const int failure = run_program(options, predicted, traced, files, &outcome);
    if (failure != 0)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "cannot run '%s': %s", options->command[0], strerror(failure));
    if (WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0)
        return BMF_OK;
    if (WIFSIGNALED(outcome))
        return bmf_fail(NULL, BMF_ERROR_KERNEL, "'%s' was ended by signal %d", options->command[0], WTERMSIG(outcome));
    int code = WEXITSTATUS(outcome);
    return bmf_fail(NULL, code == 2 ? BMF_ERROR_USAGE : BMF_ERROR_KERNEL, "'%s' ended with exit code %d",
                    options->command[0], code);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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
    } while (options->machine->compute == BMF_COMPUTE_MEASURED && !received &&
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
    obey_signal();
    return status;
}
