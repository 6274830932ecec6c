/* What messages cost between two ranks of this host: measured once for a host and an MPI library.
 *
 * The sheet is kept as $XDG_CACHE_HOME/bmf/HOST-MPI.sheet (or ~/.cache/bmf/..); removing it measures again. */
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

static int measure(const bmf_trial *trial, const char *directory, const char *to)
{
    char raw[PATH_MAX], self[PATH_MAX] = "bmf";
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 3] = '\0';
    snprintf(raw, sizeof raw, "%.4000s/messages.raw", directory);
    char *const program[] = {self, "sheet", "measure",  "--ops", "point-to-point,allreduce", "--seconds", "20",
                             "-o", raw,     "--resume", NULL};
    int outcome, failure;
    char **word = launch_words(trial->launch, program, 2, 0.0), reason[BMF_LAUNCH_REASON];
    char *text = launch_run(word, &outcome, &failure);
    const bool right = launch_succeeded(outcome, failure);
    if (!right)
        launch_reason(word, text, outcome, failure, reason);
    free(text);
    launch_words_free(word);
    if (!right)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "messages cannot be measured: %s", reason);
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

int messages_sheet(const bmf_trial *trial, const char *directory, const char *path)
{
    char cache[PATH_MAX], name[512], kept[PATH_MAX];
    bmf_sheet *sheet;
    BMF_TRY(find_directory(cache));
    find_name(name, sizeof name);
    snprintf(kept, sizeof kept, "%.3500s/%s.sheet", cache, name);
    if (access(kept, R_OK) != 0)
        BMF_TRY(measure(trial, directory, kept));
    BMF_TRY(sheet_read(kept, &sheet));
    const int status = sheet_write(sheet, path);
    sheet_free(sheet);
    return status;
}
