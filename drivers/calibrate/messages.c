/* What messages cost between two ranks of this host, and what its memory is like: measured once for a host, an MPI
 * library, and (of the memory) a number of ranks.
 *
 * The sheets are kept as $XDG_CACHE_HOME/bmf/HOST-MPI.sheet and HOST-MPI-memory-RANKS.sheet (or ~/.cache/bmf/..);
 * removing one measures again. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drivers/calibrate/calibrate.h"
#include "drivers/command/launch.h"
#include "predict/sheet/sheet.h"

/* Directories in which others may look, and only this user write. */
static bool make_directory(const char *path)
{
    return mkdir(path, 0755) == 0 || errno == EEXIST;
}

static int find_directory(char directory[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char above[PATH_MAX - 8];
    if (cache && cache[0] == '/')
        snprintf(above, sizeof above, "%s", cache);
    else
        snprintf(above, sizeof above, "%s/.cache", home ? home : "");
    snprintf(directory, PATH_MAX, "%s/bmf", above);
    if (make_directory(above) && make_directory(directory) && access(directory, W_OK | X_OK) == 0)
        return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot keep measured messages there: %s (XDG_CACHE_HOME names another)",
                    directory, strerror(errno));
}

/* HOST-MPI with nothing that a file's name should not have. */
static void find_name(char *name, size_t size)
{
    char host[256] = "host", library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    gethostname(host, sizeof host - 1);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    snprintf(name, size, "%s-%.60s", host, library);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.')
            *c = '-';
}

/* What is measured: operations, seconds to plan for, ranks, a word for files and messages. */
typedef struct wanted {
    const char *operations, *seconds, *word;
    int64_t ranks;
} wanted;

static int measure(const bmf_trial *trial, const wanted *w, const char *directory, const char *to)
{
    char raw[PATH_MAX], self[PATH_MAX] = "bmf";
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 3] = '\0';
    snprintf(raw, sizeof raw, "%.4000s/%s.raw", directory, w->word);
    char *const program[] = {self, "sheet", "measure",  "--ops", (char *)w->operations, "--seconds", (char *)w->seconds,
                             "-o", raw,     "--resume", NULL};
    int outcome, failure;
    char **word = launch_words(trial->launch, program, w->ranks, 0.0), reason[BMF_LAUNCH_REASON];
    char *text = launch_run(word, &outcome, &failure);
    const bool right = launch_succeeded(outcome, failure);
    if (!right)
        launch_reason(word, text, outcome, failure, reason);
    free(text);
    launch_words_free(word);
    if (!right)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "the %s cannot be measured: %s", w->word, reason);
    bmf_samples *samples;
    bmf_sheet *sheet;
    BMF_TRY(samples_read(raw, false, &samples));
    int status = sheet_fit(samples, &sheet);
    samples_free(samples);
    BMF_TRY(status);
    status = sheet_write(sheet, to);
    sheet_free(sheet);
    return status;
}

/* The sheet of that kind, from the cache, where it comes to be if it is not there. */
static int find_sheet(const bmf_trial *trial, const wanted *w, const char *ending, const char *directory,
                      bmf_sheet **sheet)
{
    char cache[PATH_MAX], name[512], kept[PATH_MAX];
    BMF_TRY(find_directory(cache));
    find_name(name, sizeof name);
    snprintf(kept, sizeof kept, "%.3500s/%s%s.sheet", cache, name, ending);
    if (access(kept, R_OK) != 0)
        BMF_TRY(measure(trial, w, directory, kept));
    return sheet_read(kept, sheet);
}

int messages_sheet(const bmf_trial *trial, const char *directory, const char *path)
{
    static const wanted messages = {"point-to-point,allreduce", "20", "messages", 2};
    bmf_sheet *sheet;
    BMF_TRY(find_sheet(trial, &messages, "", directory, &sheet));
    const int status = sheet_write(sheet, path);
    sheet_free(sheet);
    return status;
}

int memory_sheet(const bmf_trial *trial, const char *directory, bmf_sheet **sheet)
{
    const wanted memory = {"memory", "25", "memory", trial->ranks};
    char ending[40];
    snprintf(ending, sizeof ending, "-memory-%lld", (long long)trial->ranks);
    return find_sheet(trial, &memory, ending, directory, sheet);
}
