/* From the traces of a calibration to a machine file.
 *
 * Runs from which nothing can be learnt are refused: computing that does not grow with the size, and sizes whose runs
 * differ by more than --max-spread, the median distance from their median. What is accepted is fitted as `bmf sheet
 * kernels` does it; what runs of one size and sessions have in common is told apart from the noise of single times. */
#include <gsl/gsl_statistics.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/calibrate/calibrate.h"
#include "drivers/machine/machine.h"
#include "predict/kernels/kernels.h"
#include "predict/sheet/sheet.h"
#include "runtime/base/allocate.h"

static const double min_growth = 1.2;                 /* of computing, from the smallest to the largest size */
static const double known = 0.05;                     /* of a median: its relative standard error */
static const double standard_error = 1.4826 * 1.2533; /* of a median of normal noise, times the root of how many, by the
                                                         median distance */

/* ---- whether there is something to learn ---- */

/* The runs of one size. */
typedef struct seen {
    double middle, spread;   /* of their computing: the median, and the median distance from it, relative */
    const double *computing; /* of each run */
} seen;

static seen look_at(const bmf_calibration *c, const bmf_calibration_setting *s, int size)
{
    seen found = {.computing = s->computing + size * c->most};
    double *value = allocate_array(s->runs, (int64_t)sizeof *value);
    memcpy(value, found.computing, (size_t)s->runs * sizeof *value);
    found.middle = gsl_stats_median(value, 1, (size_t)s->runs);
    for (int64_t k = 0; k < s->runs; k++)
        value[k] = fabs(value[k] - found.middle);
    found.spread = found.middle > 0.0 ? gsl_stats_median(value, 1, (size_t)s->runs) / found.middle : 0.0;
    free(value);
    return found;
}

bool calibration_settled(const bmf_calibration *c, const bmf_calibration_setting *s)
{
    for (int k = 0; k < c->sizes; k++)
        if (standard_error * look_at(c, s, k).spread > known * sqrt((double)s->runs))
            return false;
    return true;
}

/* Names the runs that are as far from the median as the typical one or farther, and removes them. */
static int refuse_noise(const bmf_calibration *c, const bmf_calibration_setting *s, int size, const seen *found)
{
    char named[BMF_SHEET_TEXT] = "", of[48] = "";
    if (c->settings > 1)
        snprintf(of, sizeof of, " on %" PRId64 " x %" PRId64, s->trial.ranks, s->trial.threads);
    for (int64_t k = 0; k < s->runs; k++) {
        const double times = found->computing[k] / found->middle;
        const size_t used = strlen(named);
        char path[PATH_MAX];
        if (fabs(times - 1.0) < found->spread * (1.0 - 1e-9))
            continue;
        calibration_trace(c, s, size, k, path);
        unlink(path);
        if (used + 40 < sizeof named)
            snprintf(named + used, sizeof named - used, "%s%" PRId64 " (%.2f times the median)", used ? ", " : "",
                     k + 1, times);
    }
    return bmf_fail(
        NULL, BMF_ERROR_USAGE,
        "the runs with %.15g elements%s differ by %.0f %%, too much to learn from: run %s; on a quiet machine "
        "the same command repeats these and keeps the others; --allow-noise learns from all",
        c->size[size], of, 100.0 * found->spread, named);
}

static int judge(const bmf_calibration *c, const bmf_calibration_setting *s, const seen *found)
{
    const int last = c->sizes - 1;
    if (!(found[last].middle >= min_growth * found[0].middle))
        return bmf_fail(NULL, BMF_ERROR_USAGE,
                        "computing takes %.3g s with %.15g elements and %.3g s with %.15g: nothing grows that could be "
                        "learnt; give larger sizes",
                        found[0].middle, c->size[0], found[last].middle, c->size[last]);
    for (int k = last - 1; k <= last; k++)
        if (!c->o->allow_noise && 100.0 * found[k].spread > (double)c->o->max_spread)
            return refuse_noise(c, s, k, &found[k]);
    return BMF_OK;
}

static void print_seen(const bmf_calibration *c, const bmf_calibration_setting *s, const seen *found)
{
    char of[80] = "";
    if (c->settings > 1)
        snprintf(of, sizeof of, " on %" PRId64 " rank%s of %" PRId64 " thread%s", s->trial.ranks,
                 s->trial.ranks == 1 ? "" : "s", s->trial.threads > 0 ? s->trial.threads : 1,
                 s->trial.threads > 1 ? "s" : "");
    printf("%16s %16s %10s   %" PRId64 " runs each%s\n", "elements", "computing, s", "varies by", s->runs, of);
    for (int k = 0; k < c->sizes; k++)
        printf("%16.15g %16.6g %8.1f %%\n", c->size[k], found[k].middle, 100.0 * found[k].spread);
}

static void print_spread(const bmf_run_spread *spread)
{
    if (spread->runs == 0)
        return;
    printf("\nruns of one size differ by %.1f %% in common", 100.0 * expm1(spread->run));
    if (spread->sessions > 1)
        printf(", and %d sessions by %.1f %%", spread->sessions, 100.0 * expm1(spread->session));
    else
        printf(", and other times of this machine by %.0f %%, which is assumed: --session learns it",
               100.0 * spread->session);
    puts(" (one standard deviation); the intervals of predictions contain that");
}

/* ---- the sheet ---- */

void calibration_beside(const char *output, const char *ending, char *path)
{
    const size_t length = strlen(output), cut = strlen(".machine");
    const bool has = length > cut && strcmp(output + length - cut, ".machine") == 0;
    snprintf(path, PATH_MAX, "%.*s%s", (int)(has ? length - cut : length), output, ending);
}

static int read_traces(const bmf_calibration *c, const bmf_calibration_setting *s, bmf_trace **file,
                       bmf_trace_run **run, int32_t *session)
{
    for (int size = 0; size < c->sizes; size++)
        for (int64_t k = 0; k < s->runs; k++) {
            const int64_t at = size * s->runs + k;
            char path[PATH_MAX];
            calibration_trace(c, s, size, k, path);
            BMF_TRY(bmf_trace_read(NULL, path, &file[at]));
            run[at] = file[at]->run[0];
            session[at] = c->o->session > 0 ? (int32_t)(k / c->repeats) : 0;
        }
    return BMF_OK;
}

/* Of settings [first, end), which have equally many threads. */
static int make_sheet(const bmf_calibration *c, int first, int end, const bmf_memory *memory, const char *path,
                      bmf_sheet **sheet)
{
    int64_t count = 0, read = 0;
    for (int k = first; k < end; k++)
        count += c->sizes * c->setting[k].runs;
    bmf_kernel_sheet made = {0};
    bmf_trace **file = allocate_clear(count, (int64_t)sizeof *file);
    bmf_trace_run **run = allocate_clear(count, (int64_t)sizeof *run);
    int32_t *session = allocate_clear(count, (int64_t)sizeof *session);
    int status = BMF_OK;
    for (int k = first; k < end && status == BMF_OK; k++) {
        status = read_traces(c, &c->setting[k], file + read, run + read, session + read);
        read += c->sizes * c->setting[k].runs;
    }
    if (status == BMF_OK)
        status = kernel_sheet((int)count, run, session, memory, &made);
    *sheet = made.sheet;
    if (status == BMF_OK)
        status = sheet_write(*sheet, path);
    for (int64_t k = 0; k < count; k++)
        bmf_trace_free(file[k]);
    free(session);
    free(file);
    free(run);
    return status;
}

/* Whether the program's own messages are in its sheet. */
static bool has_messages(const bmf_sheet *sheet)
{
    static const char *const needed[] = {"isend1", "isend2", "recv", "recvmin"};
    int64_t count;
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
        if (!sheet_find(sheet, needed[k], &count))
            return false;
    return true;
}

/* ---- the machine ---- */

/* What is learnt from settings with equally many threads. */
typedef struct learnt {
    int64_t threads;
    char path[PATH_MAX];
    bmf_sheet *sheet;
} learnt;

/* Of its ranks: what was asked for, or what the program took by itself. */
static int64_t threads_of(const learnt *all)
{
    const int64_t taken = all->sheet->header.threads;
    return all->threads > 0 ? all->threads : taken > 0 ? taken : 1;
}

/* Processors of a node: what is here, or where --launch starts ranks what has run there. */
static int64_t node_processors(const bmf_calibration *c, const learnt *fewest)
{
    int64_t most = c->o->trial.launch ? 1 : usable_cores();
    for (int k = 0; k < c->settings; k++) {
        const bmf_trial *trial = &c->setting[k].trial;
        const int64_t used = trial->ranks * (trial->threads > 0 ? trial->threads : threads_of(fewest));
        most = used > most ? used : most;
    }
    return most;
}

/* Messages as they were in the program's own runs, or as they are measured between two ranks. */
static int write_machine(const bmf_calibration *c, const learnt *all, int64_t count)
{
    char messages[PATH_MAX], costs[PATH_MAX];
    const bool own = has_messages(all[0].sheet), alone = c->o->trial.ranks == 1 && all[count - 1].threads <= 1;
    bmf_threaded_kernels *threaded = allocate_array(count, (int64_t)sizeof *threaded);
    int status = BMF_OK;
    for (int64_t k = 1; k < count; k++)
        threaded[k - 1] = (bmf_threaded_kernels){all[k].threads, all[k].path};
    calibration_beside(c->o->output, ".messages", messages);
    if (!own && !alone)
        status = messages_sheet(&c->o->trial, c->directory, messages);
    calibration_beside(c->o->output, ".costs", costs);
    const bmf_machine_making making = {.schedules = c->o->schedules > 0 ? costs : NULL,
                                       .sheet = alone ? NULL
                                                : own ? all[0].path
                                                      : messages,
                                       .kernels = all[0].path,
                                       .threaded = threaded,
                                       .threaded_count = count - 1,
                                       .node = node_processors(c, &all[0]),
                                       .out = c->o->output,
                                       .name = "here",
                                       .processors = alone ? threads_of(&all[0]) : 0};
    if (status == BMF_OK)
        status = machine_make(&making);
    free(threaded);
    return status;
}

/* ---- all of it ---- */

static int judge_all(const bmf_calibration *c, seen *found)
{
    for (int k = 0; k < c->settings; k++) {
        for (int size = 0; size < c->sizes; size++)
            found[k * c->sizes + size] = look_at(c, &c->setting[k], size);
        BMF_TRY(judge(c, &c->setting[k], &found[k * c->sizes]));
    }
    return BMF_OK;
}

/* A sheet for each number of threads; the fewest come first. */
static int make_sheets(const bmf_calibration *c, const bmf_memory *memory, learnt *all, int64_t *count)
{
    for (int first = 0, end; first < c->settings; first = end) {
        learnt *made = &all[(*count)++];
        char ending[40] = ".kernels";
        made->threads = c->setting[first].trial.threads;
        for (end = first + 1; end < c->settings && c->setting[end].trial.threads == made->threads;)
            end++;
        if (first > 0)
            snprintf(ending, sizeof ending, "-%" PRId64 "-threads.kernels", made->threads);
        calibration_beside(c->o->output, ending, made->path);
        BMF_TRY(make_sheet(c, first, end, memory, made->path, &made->sheet));
    }
    return BMF_OK;
}

int calibration_learn(const bmf_calibration *c)
{
    bmf_sheet *memory = NULL;
    int64_t count = 0;
    learnt *all = allocate_clear(c->settings, (int64_t)sizeof *all);
    seen *found = allocate_clear((int64_t)c->settings * c->sizes, (int64_t)sizeof *found);
    int status = judge_all(c, found);
    if (status == BMF_OK)
        status = c->o->memory ? sheet_read(c->o->memory, &memory) : memory_sheet(&c->o->trial, c->directory, &memory);
    if (status == BMF_OK)
        status = make_sheets(c, &memory->memory, all, &count);
    if (status == BMF_OK)
        status = write_machine(c, all, count);
    for (int k = 0; k < c->settings && status == BMF_OK; k++)
        print_seen(c, &c->setting[k], &found[k * c->sizes]);
    for (int64_t k = 0; k < count; k++) {
        if (status == BMF_OK) {
            print_spread(&all[k].sheet->spread);
            printf("\n%s: %lld equations; %s\n", all[k].path, (long long)all[k].sheet->entries, c->o->output);
        }
        sheet_free(all[k].sheet);
    }
    sheet_free(memory);
    free(found);
    free(all);
    return status;
}
