/* Predicting a C program that is linked with the library: it is started with the machine in its environment, and leaves
 * its prediction in a file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drivers/predict/predict.h"
#include "runtime/base/allocate.h"

/* What the program is told, and where its answers are. */
typedef struct exchange {
    char prediction[64], trace[64]; /* paths of temporary files */
} exchange;

static int make_file(char *path, size_t size)
{
    snprintf(path, size, "/tmp/bmf-predict-XXXXXX");
    int file = mkstemp(path);
    if (file < 0)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot make a file in /tmp: %s", strerror(errno));
    close(file);
    return BMF_OK;
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
    set_number("BMF_PROCS", processors);
    if (options->ranks > 0)
        set_number("BMF_RANKS", options->ranks);
    if (traced)
        setenv("BMF_TRACE", files->trace, 1);
    else
        unsetenv("BMF_TRACE");
}

/* The new process; only comes back if the program cannot be run, and then says why. */
static void become_program(const bmf_predict_options *options, int64_t processors, bool traced, const exchange *files,
                           int failed)
{
    set_environment(options, processors, traced, files);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(options->command[0], options->command);
    const int failure = errno;
    _exit(write(failed, &failure, sizeof failure) > 0 ? 127 : 126);
}

/* Runs the program; returns the errno with which it could not be started, or 0 and its outcome. */
static int run_program(const bmf_predict_options *options, int64_t processors, bool traced, const exchange *files,
                       int *outcome)
{
    int failure = 0, failed[2]; /* a pipe that starting the program closes */
    struct sigaction ignored = {.sa_handler = SIG_IGN}, usual;
    if (pipe2(failed, O_CLOEXEC) != 0)
        return errno;
    sigaction(SIGINT, &ignored, &usual); /* Ctrl-C ends the program; this process goes on and removes the files */
    const pid_t child = fork();
    if (child == 0) {
        sigaction(SIGINT, &usual, NULL);
        become_program(options, processors, traced, files, failed[1]);
    }
    if (child < 0)
        failure = errno;
    close(failed[1]);
    if (child > 0 && read(failed[0], &failure, sizeof failure) < 0)
        failure = errno;
    close(failed[0]);
    while (child > 0 && waitpid(child, outcome, 0) < 0 && errno == EINTR) {
    }
    sigaction(SIGINT, &usual, NULL);
    return failure;
}

/* Starts the program and waits; its output goes to standard error, so that standard output has the prediction alone. */
static int run_child(const bmf_predict_options *options, int64_t processors, bool traced, const exchange *files)
{
    int outcome = 0;
    fflush(NULL);
    const int failure = run_program(options, processors, traced, files, &outcome);
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

static int read_prediction(const bmf_predict_options *options, const char *path, bmf_predicted *predicted)
{
    json_error_t error;
    json_int_t messages, bytes, rank_messages, rank_bytes;
    json_t *remarks = NULL, *remark, *root = json_load_file(path, 0, &error);
    size_t index;
    if (!root || json_unpack(root, "{s:F, s:F, s:F, s:I, s:I, s:I, s:I, s:o}", "seconds", &predicted->seconds, "low",
                             &predicted->low, "high", &predicted->high, "messages", &messages, "bytes", &bytes,
                             "rank_messages", &rank_messages, "rank_bytes", &rank_bytes, "remarks", &remarks) != 0) {
        json_decref(root);
        return bmf_fail(NULL, BMF_ERROR_USAGE,
                        "'%s' predicted nothing; is it linked with bmf, and does it call bmf_close?",
                        options->command[0]);
    }
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

int predict_executable(const bmf_predict_options *options, int64_t processors, bool traced, bmf_predicted *predicted)
{
    exchange files;
    bmf_network *network;
    *predicted = (bmf_predicted){.processors = processors};
    /* The program would find that out, too; but then it is said twice. */
    BMF_TRY(machine_network(options->machine, processors, &network));
    network->type->destroy(network);
    BMF_TRY(make_file(files.prediction, sizeof files.prediction));
    int status = make_file(files.trace, sizeof files.trace);
    if (status == BMF_OK) {
        status = run_child(options, processors, traced, &files);
        if (status == BMF_OK)
            status = read_prediction(options, files.prediction, predicted);
        if (status == BMF_OK && traced)
            status = read_run(files.trace, predicted);
        unlink(files.trace);
    }
    unlink(files.prediction);
    return status;
}
