/* Files about this host in the user's cache directory; see the header. */
#include "runtime/context/host_file.h"

#include <ctype.h>
#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bmf/status.h"

const char host_file_costs[] = ".costs";

enum { NAME = 512, ABOVE = PATH_MAX - 1024 };

/* HOST-MPI with nothing that a file's name should not have. */
static void find_name(char name[NAME])
{
    char host[256] = "host", library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    gethostname(host, sizeof host - 1);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    snprintf(name, NAME, "%s-%.60s", host, library);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.')
            *c = '-';
}

static void find_above(char above[ABOVE])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        snprintf(above, ABOVE, "%s", cache);
    else
        snprintf(above, ABOVE, "%.*s/.cache", ABOVE - 16, home ? home : "");
}

void host_file_path(const char *ending, char path[PATH_MAX])
{
    char above[ABOVE], name[NAME];
    find_above(above);
    find_name(name);
    snprintf(path, PATH_MAX, "%s/bmf/%s%.100s", above, name, ending);
}

/* Directories in which others may look, and only this user write. */
static bool make_directory(const char *path)
{
    return mkdir(path, 0755) == 0 || errno == EEXIST;
}

int host_file_make(const char *ending, char path[PATH_MAX])
{
    char above[ABOVE], directory[PATH_MAX];
    find_above(above);
    snprintf(directory, sizeof directory, "%s/bmf", above);
    host_file_path(ending, path);
    if (make_directory(above) && make_directory(directory) && access(directory, W_OK | X_OK) == 0)
        return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot keep what is measured there: %s (XDG_CACHE_HOME names another)",
                    directory, strerror(errno));
}
