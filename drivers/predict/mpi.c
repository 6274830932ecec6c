/* Predicting any MPI program: it runs with the recorder, on virtual clocks where something in it depends on times, and
 * what was recorded is replayed on the machine. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drivers/command/mpirun.h"
#include "drivers/predict/predict.h"
#include "drivers/predict/process.h"
#include "drivers/sweep/sweep.h"
#include "predict/replay/online.h"
#include "runtime/base/allocate.h"
#include "runtime/base/output_file.h"
#include "runtime/base/text.h"
#include "runtime/trace/virtual_clock.h"

/* One run of the program. */
typedef struct virtual_run {
    const bmf_predict_options *options;
    int32_t ranks;
    bmf_network *network;
    bmf_recorded_options replay;
    char *directory;
    char trace[PATH_MAX], path[PATH_MAX]; /* path: of the socket */
    online_connection connection;
    pid_t child;
    int status;
    char reason[1024];
} virtual_run;

const char *const compute_names[] = {"measured", "steps", "zero"};

const char *predict_compute_name(int number, const char **about)
{
    static const char *const text[] = {"processor time that was measured here, divided by the machine's power",
                                       "what the program says by bmf_compute, --step seconds each", "nothing"};
    *about = number < 3 ? text[number] : NULL;
    return number < 3 ? compute_names[number] : NULL;
}

/* ---- the connection ---- */

static int open_socket(virtual_run *r)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (snprintf(address.sun_path, sizeof address.sun_path, "%s", r->path) >= (int)sizeof address.sun_path)
        return bmf_fail(NULL, BMF_ERROR_FILE, "the name '%s' is too long for a socket: set TMPDIR", r->path);
    r->connection.listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (r->connection.listening < 0 ||
        bind(r->connection.listening, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(r->connection.listening, r->ranks) != 0)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot listen at '%s': %s", r->path, strerror(errno));
    return BMF_OK;
}

static int open_page(virtual_run *r)
{
    char path[PATH_MAX + sizeof VIRTUAL_PAGE];
    snprintf(path, sizeof path, "%s" VIRTUAL_PAGE, r->path);
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    void *memory = MAP_FAILED;
    int failure = file < 0 ? errno : posix_fallocate(file, 0, sizeof *r->connection.page);
    if (failure == 0) {
        memory = mmap(NULL, sizeof *r->connection.page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        failure = errno;
    }
    if (file >= 0)
        close(file);
    if (memory == MAP_FAILED)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot make '%s': %s", path, strerror(failure));
    r->connection.page = memory;
    return BMF_OK;
}

static void close_connection(virtual_run *r)
{
    if (r->connection.listening >= 0)
        close(r->connection.listening);
    if (r->connection.page)
        munmap(r->connection.page, sizeof *r->connection.page);
}

static bool is_running(void *state)
{
    const virtual_run *r = state;
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)r->child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

static void serve(void *state, pid_t child)
{
    virtual_run *r = state;
    r->child = child;
    r->status = online_serve(r->options->machine, r->network, &r->replay, r->ranks, &r->connection, is_running, state);
    if (r->status == BMF_OK)
        return;
    snprintf(r->reason, sizeof r->reason, "%s", bmf_error_text(NULL));
    kill(child, SIGTERM);
}

/* ---- the program ---- */

static void prepare(void *state)
{
    const virtual_run *r = state;
    if (!r->options->recorded_sources)
        setenv(VIRTUAL_SOCKET, r->path, 1);
    else
        unsetenv(VIRTUAL_SOCKET);
    setenv(VIRTUAL_COMPUTING, compute_names[r->options->compute], 1);
}

/* The words that start the program with the recorder. */
static char **make_command(const virtual_run *r)
{
    const bmf_predict_options *o = r->options;
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    int64_t words = 0;
    while (o->command[words])
        words++;
    const char **word = allocate_array(words + 8, (int64_t)sizeof *word);
    int64_t count = 0;
    word[count++] = own;
    word[count++] = "record";
    word[count++] = "-o";
    word[count++] = r->trace;
    word[count++] = "--polite";
    word[count++] = "--";
    for (int64_t k = 0; k < words; k++)
        word[count++] = o->command[k];
    word[count] = NULL;
    const char *launch = o->launch ? o->launch : BMF_MPIRUN_NAME " -n {p}";
    char **made = launch_words(launch, (char *const *)(uintptr_t)word, r->ranks, 0.0);
    free(word);
    return made;
}

static int run_program(virtual_run *r)
{
    char **command = make_command(r);
    const int status = process_run(&(bmf_process){.command = command,
                                                  .name = r->options->command[0],
                                                  .prepare = prepare,
                                                  .serve = r->options->recorded_sources ? NULL : serve,
                                                  .state = r});
    launch_words_free(command);
    if (r->status != BMF_OK)
        return bmf_fail(NULL, r->status == BMF_ERROR_ARGUMENT ? BMF_ERROR_KERNEL : r->status, "%s", r->reason);
    return status;
}

/* ---- the prediction ---- */

static void add_remarks(const virtual_run *r, const bmf_recorded_replay *counts, bmf_predicted *predicted)
{
    const bmf_network_type *type = r->network->type;
    char text[160];
    const char *said;
    for (int64_t k = 0; type->remark && (said = type->remark(r->network, k)); k++)
        predicted_remark(predicted, said);
    if (counts->wild == 0 || !r->options->recorded_sources)
        return;
    snprintf(text, sizeof text, "%lld receives were from any source: they have the sources of the real run",
             (long long)counts->wild);
    predicted_remark(predicted, text);
}

static int replay(virtual_run *r, bool traced, bmf_predicted *predicted)
{
    bmf_trace *trace;
    bmf_recorded_replay counts;
    BMF_TRY(bmf_trace_read(NULL, r->trace, &trace));
    int status = is_recorded(trace->run[0]) && trace->run[0]->lanes == r->ranks
                     ? BMF_OK
                     : bmf_fail(NULL, BMF_ERROR_USAGE, "the program ran with %d ranks, not %d: see --launch",
                                trace->run[0]->lanes, r->ranks);
    bmf_trace_run *run = NULL;
    if (status == BMF_OK)
        status = replay_recorded(trace->run[0], r->options->machine, r->network, &r->replay, &run, &counts);
    bmf_trace_free(trace);
    BMF_TRY(status);
    predicted->seconds = counts.time.median;
    predicted->prediction = counts.time;
    predicted->low = counts.time.low;
    predicted->high = counts.time.high;
    predicted->best = counts.time.seconds;
    predicted->measured_error = NAN;
    predicted->messages = predicted->rank_messages = counts.messages;
    predicted->bytes = predicted->rank_bytes = counts.bytes;
    add_remarks(r, &counts, predicted);
    if (traced)
        predicted->run = run;
    else
        run_free(run);
    return BMF_OK;
}

static int predict(virtual_run *r, bool traced, bmf_predicted *predicted)
{
    r->directory = temporary_directory_create("bmf-predict");
    if (!r->directory)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot make a temporary directory: %s", strerror(errno));
    snprintf(r->trace, sizeof r->trace, "%s/trace", r->directory);
    snprintf(r->path, sizeof r->path, "%s/socket", r->directory);
    BMF_TRY(open_socket(r));
    BMF_TRY(open_page(r));
    BMF_TRY(run_program(r));
    return replay(r, traced, predicted);
}

/* Bounds are those of coefficients with errors. */
static int check_bound(const bmf_predict_options *o, const bmf_network *network)
{
    static const char *const name[] = {"least", NULL, "most"};
    if (o->bound < 0 || !name[o->bound] || network->type->has_bounds)
        return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_USAGE,
                    "--bound %s needs a machine whose network is a data sheet, and that of machine '%s' is of type %s",
                    name[o->bound], o->machine->name, network->type->name);
}

int predict_mpi(const bmf_predict_options *options, int64_t processors, bool traced, bmf_predicted *predicted)
{
    static const int64_t sample[] = {BMF_SAMPLE_LEAST, 0, BMF_SAMPLE_MOST};
    virtual_run r = {.options = options, .ranks = (int32_t)processors, .connection = {.listening = -1}};
    *predicted = (bmf_predicted){.processors = processors};
    if (!BMF_HAS_RECORDER)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "%s", BMF_NO_RECORDER);
    BMF_TRY(machine_network(options->machine, processors, &r.network));
    r.replay = (bmf_recorded_options){.compute = (bmf_replay_compute)options->compute,
                                      .step = options->step,
                                      .probe = options->machine->probe,
                                      .bound = options->bound < 0 ? 0 : sample[options->bound],
                                      .exact = options->bound >= 0,
                                      .samples = options->samples};
    int status = check_bound(options, r.network);
    if (status == BMF_OK)
        status = predict(&r, traced, predicted);
    close_connection(&r);
    temporary_directory_remove(r.directory);
    r.network->type->destroy(r.network);
    process_obey_signal();
    return status;
}
