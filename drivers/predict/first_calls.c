/* First calls of programs of the language; see first_calls.h. */
#define _GNU_SOURCE
#include "drivers/predict/first_calls.h"

#include <gsl/gsl_statistics.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/command/launch.h"
#include "runtime/base/array.h"
#include "runtime/base/launcher.h"

enum { FEWEST_RUNS = 3, MOST_RUNS = 9, WARM_RUNS = 6, THREADS_TEXT = 24 };

/* The most that a processor touches for the first time whatever its share of the data is. */
static const double own_part = 3e-4;
/* Seconds after which no other run is begun, and of a run beside which first calls are nothing. */
static const double enough = 1.0;

double first_calls_each(const bmf_first_calls *calls, int64_t processors)
{
    const double own = fmin(calls->alone, own_part);
    return own + (calls->alone - own) / (double)processors + (processors > 1 ? calls->beside : 0.0);
}

/* ---- running ---- */

typedef struct words {
    const char **word;
    int64_t count, capacity;
} words;

static void add(words *w, const char *text)
{
    *ARRAY_APPEND(w->word, w->count, w->capacity) = text;
}

static void add_all(words *w, const char *option, const bmf_strings *texts)
{
    for (int k = 0; k < texts->count; k++) {
        add(w, option);
        add(w, texts->text[k]);
    }
}

/* The words of a run on one rank, but for the program that runs. */
static void add_run(words *w, const bmf_predict_options *options, const char *threads, const char *processors)
{
    add(w, "run");
    add(w, options->path);
    add_all(w, "--library", &options->program.library);
    add_all(w, "--arg", &options->program.argument);
    if (options->reassociate)
        add(w, "--free");
    if (options->schedule) {
        add(w, "--bmf-schedule");
        add(w, options->schedule);
    }
    add(w, "--bmf-threads");
    add(w, threads);
    add(w, "--procs");
    add(w, processors);
    add(w, "--json");
    add(w, NULL);
}

/* What follows `"seconds": ` in what it prints; NAN: it failed. */
static double run_once(char *const *word)
{
    static const char key[] = "\"seconds\": ";
    int outcome, failure;
    char *text = launch_run(word, &outcome, &failure);
    const char *said = launch_succeeded(outcome, failure) ? strstr(text, key) : NULL;
    const double seconds = said ? strtod(said + strlen(key), NULL) : NAN;
    free(text);
    return seconds;
}

/* The cores of all places. Where threads are bound (OMP_PROC_BIND) this one is to one of them, and so would be all of
 * a process that it starts. */
static bool find_cores(cpu_set_t *cores)
{
    CPU_ZERO(cores);
    for (int place = 0; place < omp_get_num_places(); place++) {
        int core[CPU_SETSIZE];
        const int count = omp_get_place_num_procs(place);
        if (count > CPU_SETSIZE)
            return false;
        omp_get_place_proc_ids(place, core);
        for (int k = 0; k < count; k++)
            CPU_SET((size_t)core[k], cores);
    }
    return CPU_COUNT(cores) > 0;
}

/* Seconds of the runs; returns how many, 0: one failed. */
static int run_all(char *const *word, double seconds[MOST_RUNS])
{
    cpu_set_t before, all;
    int runs = 0;
    const double since = omp_get_wtime();
    const bool bound = sched_getaffinity(0, sizeof before, &before) == 0 && find_cores(&all);
    if (bound)
        sched_setaffinity(0, sizeof all, &all);
    while (runs < FEWEST_RUNS || (runs < MOST_RUNS && omp_get_wtime() - since < enough)) {
        seconds[runs] = run_once(word);
        if (isnan(seconds[runs++])) {
            runs = 0;
            break;
        }
    }
    if (bound)
        sched_setaffinity(0, sizeof before, &before);
    return runs;
}

/* The median of runs of their own processes and what they differ by; NAN: one failed. */
static double run_fresh(const bmf_predict_options *options, int64_t threads, const char *processors, double *error)
{
    char own[PATH_MAX] = "bmf", number[THREADS_TEXT];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 3] = '\0';
    words w = {0};
    double seconds[MOST_RUNS];
    add(&w, own);
    snprintf(number, sizeof number, "%" PRId64, threads);
    unsetenv("BMF_TRACE"); /* these runs are nobody's, */
    launcher_leave();      /* and have MPI for themselves: it is open here, and may have left its variables again */
    add_run(&w, options, number, processors);
    const int runs = run_all((char *const *)(const void *)w.word, seconds);
    free(w.word);
    if (runs == 0)
        return NAN;
    double work[MOST_RUNS];
    *error = gsl_stats_mad(seconds, 1, (size_t)runs, work);
    return gsl_stats_median(seconds, 1, (size_t)runs);
}

/* ---- with warm memory ---- */

/* One processor, a rank of so many threads, on this host; NAN: it cannot be predicted. */
static double predict_warm(const bmf_predict_options *options, int64_t threads)
{
    bmf_predict_options o = *options;
    bmf_predicted predicted = {0};
    if (predicted_host(threads, &o.machine) != BMF_OK)
        return NAN;
    o.repeats = WARM_RUNS;
    o.hurried = enough; /* long runs have no first calls that matter */
    o.first_calls = false;
    const int status = predict_program(&o, 1, false, &predicted);
    const double seconds = status == BMF_OK ? predicted.best : NAN;
    predicted_free(&predicted);
    machine_free(o.machine);
    return seconds;
}

void first_calls_measure(const bmf_predict_options *options, int64_t threads, bmf_first_calls *calls)
{
    double spread = 0.0, other = 0.0;
    *calls = (bmf_first_calls){.threads = threads};
    const double warm = predict_warm(options, threads);
    const double alone = !(warm < enough) ? NAN : run_fresh(options, threads, "1", &spread);
    if (isnan(alone) || alone <= warm)
        return;
    const double beside = run_fresh(options, threads, "2", &other);
    calls->alone = alone - warm;
    calls->beside = isnan(beside) ? 0.0 : fmin(fmax(beside - alone, 0.0), own_part); /* beyond are copies of messages */
    calls->error = spread / calls->alone;
}
