/* Where installed files are; see the header. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bmf/status.h"
#include "predict/config/installed.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

enum { DIRECTORIES = 6, LISTED = 600 };

static bool is_file(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && !S_ISDIR(found.st_mode);
}

/* The directory beside that of the running program; false if the system does not say where it is. */
static bool beside_program(const bmf_installed *kind, char directory[PATH_MAX])
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = 0;
    *strrchr(program, '/') = 0;
    return snprintf(directory, PATH_MAX, "%s/%s/%s", program, BMF_SHARE_FROM_BIN, kind->folder) < PATH_MAX;
}

/* Cuts the last part of a path off; false if there is none. */
static bool cut_last(char path[PATH_MAX])
{
    char *slash = strrchr(path, '/');
    if (!slash)
        return false;
    *slash = 0;
    return true;
}

/* The directory one or two above that of the library (or program) which has the kind's texts: lib/ or lib/TRIPLET/. */
static bool beside_library(const bmf_installed *kind, int above, char directory[PATH_MAX])
{
    Dl_info about;
    char library[PATH_MAX];
    bool found = dladdr(kind->folder, &about) && about.dli_fname && realpath(about.dli_fname, library);
    for (int k = 0; found && k <= above; k++)
        found = cut_last(library);
    return found && snprintf(directory, PATH_MAX, "%s/share/bmf/%s", library, kind->folder) < PATH_MAX;
}

/* The directory beside that of the first bmf in PATH. */
static bool beside_command(const bmf_installed *kind, char directory[PATH_MAX])
{
    const char *at = getenv("PATH");
    char command[PATH_MAX], plain[PATH_MAX];
    while (at && *at) {
        const int length = (int)strcspn(at, ":");
        if (length > 0 && snprintf(command, PATH_MAX, "%.*s/bmf", length, at) < PATH_MAX && is_file(command) &&
            access(command, X_OK) == 0 && realpath(command, plain) && cut_last(plain))
            return snprintf(directory, PATH_MAX, "%s/%s/%s", plain, BMF_SHARE_FROM_BIN, kind->folder) < PATH_MAX;
        at += length + (at[length] == ':');
    }
    return false;
}

/* The places to look in, at most DIRECTORIES; returns how many. */
static int list_directories(const bmf_installed *kind, char directory[DIRECTORIES][PATH_MAX])
{
    const char *chosen = getenv(kind->environment);
    int count = 0;
    if (chosen && chosen[0])
        count += snprintf(directory[count], PATH_MAX, "%s", chosen) < PATH_MAX;
    count += beside_program(kind, directory[count]);
    count += beside_library(kind, 1, directory[count]);
    count += beside_library(kind, 2, directory[count]);
    count += beside_command(kind, directory[count]);
    count += snprintf(directory[count], PATH_MAX, "%s/%s", BMF_SHARE_INSTALLED, kind->folder) < PATH_MAX;
    return count;
}

/* NAME or NAME.EXTENSION in the directory. */
static bool is_in(const bmf_installed *kind, const char *directory, const char *name, char path[PATH_MAX])
{
    if (snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX && is_file(path))
        return true;
    return snprintf(path, PATH_MAX, "%s/%s%s", directory, name, kind->extension) < PATH_MAX && is_file(path);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_of_kind(const bmf_installed *kind, const char *name)
{
    const size_t length = strlen(name), tail = strlen(kind->extension);
    return length > tail && strcmp(name + length - tail, kind->extension) == 0;
}

/* The bare names in one directory; returns how many. */
static int64_t names_in(const bmf_installed *kind, const char *directory, char ***name)
{
    struct dirent **entry = NULL;
    int64_t kept = 0;
    const int count = scandir(directory, &entry, NULL, compare_names);
    *name = allocate_array(count > 0 ? count : 0, (int64_t)sizeof **name);
    for (int k = 0; k < count; k++) {
        if (is_of_kind(kind, entry[k]->d_name)) {
            (*name)[kept] = text_copy(entry[k]->d_name);
            (*name)[kept++][strlen(entry[k]->d_name) - strlen(kind->extension)] = 0;
        }
        free(entry[k]);
    }
    free(entry);
    return kept;
}

int64_t installed_names(const bmf_installed *kind, char ***name)
{
    char directory[DIRECTORIES][PATH_MAX];
    const int directories = list_directories(kind, directory);
    int64_t count = names_in(kind, directory[0], name);
    for (int k = 1; k < directories && count == 0; k++) {
        free(*name);
        count = names_in(kind, directory[k], name);
    }
    return count;
}

/* "; installed: ideal, .." or nothing. */
static void list_installed(const bmf_installed *kind, char text[LISTED])
{
    char **name;
    const int64_t count = installed_names(kind, &name);
    int used = 0;
    text[0] = 0;
    for (int64_t k = 0; k < count; k++) {
        if (used < LISTED - 1)
            used += snprintf(text + used, (size_t)(LISTED - used), "%s%s", k ? ", " : "; installed: ", name[k]);
        free(name[k]);
    }
    free(name);
}

int installed_find(const bmf_installed *kind, const char *name, char **path)
{
    char directory[DIRECTORIES][PATH_MAX], found[PATH_MAX], listed[LISTED];
    struct stat status;
    if (is_file(name)) {
        *path = text_copy(name);
        return BMF_OK;
    }
    int reason = stat(name, &status) == 0 ? EISDIR : errno;
    if (!name[0] || strchr(name, '/'))
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot read %s '%.200s': %s", kind->what, name, strerror(reason));
    int directories = list_directories(kind, directory);
    for (int k = 0; k < directories; k++)
        if (is_in(kind, directory[k], name, found)) {
            char plain[PATH_MAX];
            *path = text_copy(realpath(found, plain) ? plain : found);
            return BMF_OK;
        }
    list_installed(kind, listed);
    return bmf_fail(NULL, BMF_ERROR_FILE, "there is no %s '%.200s', neither here nor installed%s", kind->what, name,
                    listed);
}
