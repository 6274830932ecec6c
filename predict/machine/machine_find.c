/* Where a machine file is: as it is named, or, for a name without a slash, among the installed example machines.
 *
 * Method: of NAME and NAME.machine the first file in the directory of BMF_MACHINES, then in the one that lies beside
 * the running program's (so that an installation may be moved, and a build tree works), then in the one it was built
 * for.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "predict/machine/machine.h"
#include "runtime/base/allocate.h"

enum { DIRECTORIES = 3, LISTED = 600 };

static const char extension[] = ".machine";

static bool is_file(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && !S_ISDIR(found.st_mode);
}

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(allocate((int64_t)size), text, size);
}

/* The directory beside that of the running program; false if the system does not say where it is. */
static bool beside_program(char directory[PATH_MAX])
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = 0;
    *strrchr(program, '/') = 0;
    return snprintf(directory, PATH_MAX, "%s/%s", program, BMF_MACHINES_FROM_BIN) < PATH_MAX;
}

/* The places to look in, at most DIRECTORIES; returns how many. */
static int list_directories(char directory[DIRECTORIES][PATH_MAX])
{
    const char *chosen = getenv("BMF_MACHINES");
    int count = 0;
    if (chosen && chosen[0])
        count += snprintf(directory[count], PATH_MAX, "%s", chosen) < PATH_MAX;
    count += beside_program(directory[count]);
    count += snprintf(directory[count], PATH_MAX, "%s", BMF_MACHINES_INSTALLED) < PATH_MAX;
    return count;
}

/* NAME or NAME.machine in the directory. */
static bool is_in(const char *directory, const char *name, char path[PATH_MAX])
{
    if (snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX && is_file(path))
        return true;
    return snprintf(path, PATH_MAX, "%s/%s%s", directory, name, extension) < PATH_MAX && is_file(path);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_machine(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), tail = sizeof extension - 1;
    return length > tail && strcmp(entry->d_name + length - tail, extension) == 0;
}

int64_t machine_installed(char ***name)
{
    char directory[DIRECTORIES][PATH_MAX];
    const int directories = list_directories(directory);
    struct dirent **entry = NULL;
    int count = 0;
    for (int k = 0; k < directories && count <= 0; k++) {
        free(entry);
        entry = NULL;
        count = scandir(directory[k], &entry, is_machine, compare_names);
    }
    count = count < 0 ? 0 : count;
    *name = allocate(count * (int64_t)sizeof **name);
    for (int k = 0; k < count; k++) {
        (*name)[k] = copy(entry[k]->d_name);
        (*name)[k][strlen(entry[k]->d_name) - sizeof extension + 1] = 0;
        free(entry[k]);
    }
    free(entry);
    return count;
}

/* "; installed: ideal, .." or nothing. */
static void list_installed(char text[LISTED])
{
    char **name;
    const int64_t count = machine_installed(&name);
    int used = 0;
    text[0] = 0;
    for (int64_t k = 0; k < count; k++) {
        if (used < LISTED - 1)
            used += snprintf(text + used, (size_t)(LISTED - used), "%s%s", k ? ", " : "; installed: ", name[k]);
        free(name[k]);
    }
    free(name);
}

int machine_find(const char *name, char **path)
{
    char directory[DIRECTORIES][PATH_MAX], found[PATH_MAX], listed[LISTED];
    struct stat status;
    if (is_file(name)) {
        *path = copy(name);
        return BMF_OK;
    }
    int reason = stat(name, &status) == 0 ? EISDIR : errno;
    if (!name[0] || strchr(name, '/'))
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot read machine '%.200s': %s", name, strerror(reason));
    int directories = list_directories(directory);
    for (int k = 0; k < directories; k++)
        if (is_in(directory[k], name, found)) {
            char plain[PATH_MAX];
            *path = copy(realpath(found, plain) ? plain : found);
            return BMF_OK;
        }
    list_installed(listed);
    return bmf_fail(NULL, BMF_ERROR_FILE, "there is no machine '%.200s', neither here nor installed%s", name, listed);
}
