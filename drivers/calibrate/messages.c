/* What messages cost between two ranks of this host, and what its memory is like: measured once for a host, an MPI
 * library, and (of the memory) a number of ranks.
 *
 * The sheets are kept as HOST-MPI.sheet and HOST-MPI-memory-RANKS.sheet (runtime/context/host_file.h). What memory is
 * like is looked at again before it is used, at a few sizes in two seconds: a sheet made while the host was busy, or on
 * another host of the same name, would be in every prediction. */
#define _GNU_SOURCE
#include <gsl/gsl_statistics.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "drivers/calibrate/calibrate.h"
#include "predict/sheet/sheet.h"
#include "runtime/base/allocate.h"
#include "runtime/context/host_file.h"

enum { WORD = 8, FRESH_SECONDS = 600 };
static const double right_within = 1.25; /* times */
#define BEYOND_CACHES "16777216"         /* words */

/* What is measured: operations, seconds to plan for, a word for files and messages, and other options. */
enum { FIRST_OPTION = 9, MOST_OPTIONS = 6 };
typedef struct wanted {
    const char *operations, *seconds, *word;
    int64_t ranks;
    const char *option[MOST_OPTIONS + 1]; /* NULL at the end */
} wanted;

static int measure(const bmf_trial *trial, const wanted *w, const char *directory, bmf_samples **samples)
{
    char raw[PATH_MAX], *text;
    snprintf(raw, sizeof raw, "%.4000s/%s.raw", directory, w->word);
    const char *argument[] = {"sheet",    "measure", "--ops", w->operations, "--seconds", w->seconds, "-o", raw,
                              "--resume", NULL,      NULL,    NULL,          NULL,        NULL,       NULL, NULL};
    memcpy(argument + FIRST_OPTION, w->option, sizeof w->option);
    BMF_TRY(trial_bmf(trial, w->ranks, argument, w->word, &text));
    free(text);
    const int status = samples_read(raw, false, samples);
    if (status == BMF_OK)
        unlink(raw);
    return status;
}

static int make_sheet(const bmf_trial *trial, const wanted *w, const char *directory, const char *to)
{
    bmf_samples *samples;
    bmf_sheet *sheet;
    BMF_TRY(measure(trial, w, directory, &samples));
    int status = sheet_fit(samples, &sheet);
    samples_free(samples);
    BMF_TRY(status);
    status = sheet_write(sheet, to);
    sheet_free(sheet);
    return status;
}

static double median_factor(const bmf_samples *samples, const bmf_memory *memory, int64_t least)
{
    double *off = allocate_array(samples->count, (int64_t)sizeof *off);
    int64_t count = 0;
    for (int64_t k = 0; k < samples->count; k++) {
        const bmf_sample *sample = &samples->sample[k];
        const double bytes = (double)sample->d * WORD;
        const double now = gsl_stats_median(sample->seconds, 1, (size_t)sample->repeats) / bytes;
        if (sample->d >= least)
            off[count++] = fabs(log(now / memory_seconds(memory, BMF_MEMORY_READ, sample->p, bytes)));
    }
    const double median = count > 0 ? exp(gsl_stats_median(off, 1, (size_t)count)) : 1.0;
    free(off);
    return median;
}

/* How far the memory is from the curves now: the median factor over a few sizes, or over those beyond the caches. */
static int look_again(const bmf_trial *trial, const bmf_memory *memory, const char *directory, double *times)
{
    const wanted few = {"memory_read",
                        "3",
                        "memory-now",
                        trial->ranks,
                        {"--max-elements", BEYOND_CACHES, "--factor", "8", "--repeats", "5"}};
    bmf_samples *samples;
    BMF_TRY(measure(trial, &few, directory, &samples));
    *times = fmax(median_factor(samples, memory, 1), median_factor(samples, memory, atoll(BEYOND_CACHES)));
    samples_free(samples);
    return BMF_OK;
}

bool measured_lately(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && time(NULL) - about.st_mtime < FRESH_SECONDS;
}

/* The sheet of that kind, from the cache, where it comes to be if it is not there. */
static int find_sheet(const bmf_trial *trial, const wanted *w, const char *ending, const char *directory,
                      bmf_sheet **sheet)
{
    char kept[PATH_MAX];
    BMF_TRY(host_file_make(ending, kept));
    if (access(kept, R_OK) != 0)
        BMF_TRY(make_sheet(trial, w, directory, kept));
    BMF_TRY(sheet_read(kept, sheet));
    if ((*sheet)->memory.curves == 0 || measured_lately(kept))
        return BMF_OK;
    double times;
    BMF_TRY(look_again(trial, &(*sheet)->memory, directory, &times));
    if (times <= right_within)
        return BMF_OK;
    fprintf(stderr, "bmf: %s is %.1f times off by now: measuring memory anew\n", kept, times);
    sheet_free(*sheet);
    *sheet = NULL;
    BMF_TRY(make_sheet(trial, w, directory, kept));
    return sheet_read(kept, sheet);
}

int messages_sheet(const bmf_trial *trial, const char *directory, const char *path)
{
    static const wanted messages = {"point-to-point,allreduce", "20", "messages", 2, {NULL}};
    bmf_sheet *sheet;
    BMF_TRY(find_sheet(trial, &messages, ".sheet", directory, &sheet));
    const int status = sheet_write(sheet, path);
    sheet_free(sheet);
    return status;
}

int memory_sheet(const bmf_trial *trial, const char *directory, bmf_sheet **sheet)
{
    const wanted memory = {"memory", "25", "memory", trial->ranks, {NULL}};
    char ending[40];
    snprintf(ending, sizeof ending, "-memory-%lld.sheet", (long long)trial->ranks);
    return find_sheet(trial, &memory, ending, directory, sheet);
}
