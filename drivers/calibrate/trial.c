/* Starting a program, and what its trace says. */
#define _GNU_SOURCE
#include "drivers/calibrate/trial.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/command/launch.h"
#include "drivers/command/mpirun.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/text.h"

int64_t usable_cores(void)
{
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

int trial_complete(bmf_trial *trial)
{
    const int64_t cores = usable_cores(), threads = trial->threads > 0 ? trial->threads : 1;
    if (trial->launch && !strstr(trial->launch, "{p}"))
        return usage_error("--launch needs {p}, the number of ranks");
    if (trial->ranks == 0)
        trial->ranks = cores > threads ? cores / threads : 1;
    return 0;
}

/* What starts the ranks, with its {t} replaced; to be freed. */
static char *starter(const bmf_trial *trial, int64_t ranks)
{
    const int64_t threads = trial->threads > 0 ? trial->threads : 1;
    const bool fit = ranks * threads <= usable_cores();
    char number[24], *made;
    snprintf(number, sizeof number, "%" PRId64, threads);
    if (!trial->launch && (!fit || threads == 1))
        return text_copy(fit ? BMF_MPIRUN_NAME " -bind-to core -n {p}" : BMF_MPIRUN_NAME " -n {p}");
    char *const text[] = {
        (char *)(uintptr_t)(trial->launch ? trial->launch : BMF_MPIRUN_NAME " " BMF_BIND_THREADS " -n {p}"), NULL};
    char **word = launch_replaced(text, trial->launch ? "{t}" : "THREADS", number);
    made = text_copy(word[0]);
    launch_words_free(word);
    return made;
}

/* ---- commands ---- */

static const char *own_program(void)
{
    static char path[PATH_MAX] = "bmf";
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 3] = '\0';
    return path;
}

typedef struct words {
    const char **word;
    int64_t count, capacity;
} words;

static void add(words *w, const char *text)
{
    *ARRAY_APPEND(w->word, w->count, w->capacity) = text;
}

static void add_program(words *w, const bmf_trial *trial, const char *argument)
{
    add(w, trial->path);
    for (int k = 0; k < trial->library.count; k++) {
        add(w, "--library");
        add(w, trial->library.text[k]);
    }
    if (argument) {
        add(w, "--arg");
        add(w, argument);
    }
}

/* The last line that is an object, or NULL. */
static json_t *find_object(char *text)
{
    json_t *found = NULL;
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        json_t *root = line[0] == '{' ? json_loads(line, 0, NULL) : NULL;
        if (!root)
            continue;
        json_decref(found);
        found = root;
    }
    return found;
}

static void set_threads(int64_t threads)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRId64, threads);
    setenv("BMF_THREADS", number, 1);
}

/* Runs a command of these words; what it prints, or NULL with its last line as the message. */
static char *run_words(const char *launch, const words *w, int64_t ranks, double n, const char *what)
{
    int outcome, failure;
    char **command = launch_words(launch, (char *const *)(const void *)w->word, ranks, n);
    char *text = launch_run(command, &outcome, &failure);
    if (!launch_succeeded(outcome, failure)) {
        char reason[BMF_LAUNCH_REASON];
        launch_reason(command, text, outcome, failure, reason);
        bmf_fail(NULL, BMF_ERROR_USAGE, "%s: %s", what, reason);
        free(text);
        text = NULL;
    }
    launch_words_free(command);
    return text;
}

int trial_run(const bmf_trial *trial, const char *argument, double n, const char *trace, bmf_trial_run *run)
{
    words w = {0};
    char what[PATH_MAX];
    if (trial->path) {
        add(&w, own_program());
        add(&w, "run");
        add_program(&w, trial, argument ? argument : trial->argument);
        add(&w, "--json");
    } else {
        for (int k = 0; trial->command[k]; k++)
            add(&w, trial->command[k]);
    }
    add(&w, NULL);
    snprintf(what, sizeof what, "%s with %.15g elements", trial->path ? trial->path : trial->command[0], n);
    char *launch = starter(trial, trial->ranks);
    setenv("BMF_TRACE", trace, 1);
    if (trial->threads > 0)
        set_threads(trial->threads);
    char *text = run_words(launch, &w, trial->ranks, n, what);
    unsetenv("BMF_TRACE");
    free(launch);
    free(w.word);
    if (!text)
        return BMF_ERROR_USAGE;
    json_t *object = trial->path ? find_object(text) : NULL;
    const json_t *seconds = json_object_get(object, "seconds");
    int status = trial_read(trace, run);
    if (status == BMF_OK && json_is_number(seconds))
        run->seconds = json_number_value(seconds);
    json_decref(object);
    free(text);
    return status;
}

int trial_copy_argument(const bmf_trial *trial, const char *program, const char *to)
{
    words w = {0};
    char what[PATH_MAX];
    FILE *file = fopen(program, "w");
    const bool written = file && fputs("B_Id\n", file) >= 0;
    if (!file || fclose(file) != 0 || !written)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot write: %s", program, strerror(errno));
    add(&w, own_program());
    add(&w, "run");
    add(&w, program);
    add(&w, "--arg");
    add(&w, trial->argument);
    add(&w, "--out");
    add(&w, to);
    add(&w, NULL);
    snprintf(what, sizeof what, "%s", trial->argument);
    char *launch = starter(trial, trial->ranks), *text = run_words(launch, &w, trial->ranks, 0.0, what);
    free(launch);
    free(w.word);
    if (!text)
        return BMF_ERROR_USAGE;
    free(text);
    return BMF_OK;
}

int trial_bmf(const bmf_trial *trial, int64_t ranks, const char *const *argument, const char *what, char **text)
{
    words w = {0};
    char message[128];
    add(&w, own_program());
    for (; *argument; argument++)
        add(&w, *argument);
    add(&w, NULL);
    snprintf(message, sizeof message, "the %.60s cannot be measured", what);
    char *launch = starter(trial, ranks);
    *text = run_words(launch, &w, ranks, 0.0, message);
    free(launch);
    free(w.word);
    return *text ? BMF_OK : BMF_ERROR_USAGE;
}

json_t *trial_predict(const bmf_trial *trial, const char *machine)
{
    words w = {0};
    char ranks[24], threads[24];
    snprintf(ranks, sizeof ranks, "%" PRId64, trial->ranks);
    add(&w, own_program());
    add(&w, "predict");
    add(&w, "--machine");
    add(&w, machine);
    add(&w, "--procs");
    add(&w, ranks);
    if (trial->threads > 0) {
        snprintf(threads, sizeof threads, "%" PRId64, trial->threads);
        add(&w, "--threads");
        add(&w, threads);
    }
    add(&w, "--json");
    if (trial->path)
        add_program(&w, trial, trial->argument);
    else
        add(&w, "--");
    for (int k = 0; !trial->path && trial->command[k]; k++)
        add(&w, trial->command[k]);
    add(&w, NULL);
    char *text = run_words("", &w, trial->ranks, 0.0, "the prediction");
    free(w.word);
    if (!text)
        return NULL;
    json_t *object = find_object(text), *run = json_array_get(json_object_get(object, "runs"), 0);
    json_incref(run);
    json_decref(object);
    free(text);
    if (!run)
        bmf_fail(NULL, BMF_ERROR_USAGE, "the prediction says nothing");
    return run;
}

/* ---- traces ---- */

static void add_event(bmf_trial_run *run, const bmf_event *event, double *files)
{
    const double seconds = 1e-9 * (double)(event->end - event->begin);
    run->seconds = fmax(run->seconds, 1e-9 * (double)event->end);
    if (event->kind == BMF_EVENT_KERNEL)
        run->computing += seconds;
    if (event->kind == BMF_EVENT_FILE)
        files[event->lane] += seconds;
    if (event->kind == BMF_EVENT_SEND && event->peer != event->lane) {
        run->messages++;
        run->bytes += event->amount;
    }
}

int trial_read(const char *path, bmf_trial_run *run)
{
    bmf_trace *trace;
    *run = (bmf_trial_run){0};
    BMF_TRY(bmf_trace_read(NULL, path, &trace));
    const bmf_trace_run *first = trace->run[0];
    double *files = allocate_clear(first->lanes, (int64_t)sizeof *files);
    for (int64_t k = 0; k < first->events; k++)
        add_event(run, &first->event[k], files);
    for (int32_t lane = 0; lane < first->lanes; lane++)
        run->files = fmax(run->files, files[lane]);
    run->computing /= first->lanes > 0 ? first->lanes : 1;
    free(files);
    bmf_trace_free(trace);
    return BMF_OK;
}
