/* Call sites.
 *
 * Method: a site is where the call returns to, as an offset in its program or library; it is looked up once for each
 * name and address. Calls out of MPICH's Fortran library have their sites further up the stack. At the end one
 * addr2line a module says files and lines; without debugging information the offsets stay.
 */
#define _GNU_SOURCE
#include "predict/record/sites.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "predict/record/record.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"
#include "runtime/base/text.h"

enum { MAX_FRAMES = 12, SITE_TEXT = PATH_MAX + 512 };

typedef struct site {
    const char *name;
    void *address;
    uint16_t number;
} site;

static struct {
    bmf_table table;
    site *site;
    int64_t count, capacity;
} sites;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_mpi(const char *module)
{
    const char *name = base_name(module);
    return strncmp(name, "libmpi", 6) == 0 || strncmp(name, "libbmf-record", 13) == 0;
}

static bool is_site(const void *wanted, uint32_t number)
{
    const site *w = wanted;
    return sites.site[number].name == w->name && sites.site[number].address == w->address;
}

/* The first return address outside of MPI's own libraries. */
static void *outside(void *address)
{
    void *frame[MAX_FRAMES];
    Dl_info about;
    if (!dladdr(address, &about) || !about.dli_fname || !is_mpi(about.dli_fname))
        return address;
    const int frames = backtrace(frame, MAX_FRAMES);
    for (int k = 1; k < frames; k++)
        if (dladdr(frame[k], &about) && about.dli_fname && !is_mpi(about.dli_fname))
            return frame[k];
    return address;
}

/* One byte before the return address is inside of the call. */
static uint16_t new_name(const char *name, void *address)
{
    Dl_info about;
    char text[SITE_TEXT], module[PATH_MAX];
    if (!dladdr(address, &about) || !about.dli_fname)
        return part_name(name);
    const char *path = realpath(about.dli_fname, module) ? module : about.dli_fname;
    const uintptr_t offset = (uintptr_t)address - 1 - (uintptr_t)about.dli_fbase;
    snprintf(text, sizeof text, "%s %s+0x%lx", name, path, (unsigned long)offset);
    return part_name(text);
}

uint16_t site_name(const char *name, void *address)
{
    const site wanted = {.name = name, .address = outside(address)};
    const uint64_t hash = hash_word((uint64_t)(uintptr_t)name) ^ hash_word((uint64_t)(uintptr_t)wanted.address);
    table_make_room(&sites.table, sites.count + 1);
    const uint32_t number = table_find_or_add(&sites.table, hash, is_site, &wanted, (uint32_t)sites.count);
    if (number == sites.count) {
        *ARRAY_APPEND(sites.site, sites.count, sites.capacity) = wanted;
        sites.site[number].number = new_name(name, wanted.address);
    }
    return sites.site[number].number;
}

/* ---- files and lines ---- */

/* "life.c:42" of a module's offset, asked of addr2line. Right for
 * shared libraries and programs that are position-independent; others keep their offsets. */
static bool ask(const char *module, const char *offset, char *answer, size_t size)
{
    int pipe_of[2];
    pid_t child;
    char *arguments[] = {"addr2line", "-e", (char *)module, (char *)offset, NULL};
    posix_spawn_file_actions_t actions;
    if (pipe2(pipe_of, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_of[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const bool started = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(pipe_of[1]);
    FILE *stream = fdopen(pipe_of[0], "r");
    const bool answered = started && stream && fgets(answer, (int)size, stream);
    if (stream)
        fclose(stream);
    if (started)
        waitpid(child, NULL, 0);
    return answered && answer[0] != '?' && !strstr(answer, ":?");
}

static void resolve(char **name)
{
    char module[SITE_TEXT], line[SITE_TEXT], made[SITE_TEXT];
    const char *blank = strchr(*name, ' '), *plus = strrchr(*name, '+');
    if (!blank || !plus || plus < blank || blank[1] != '/')
        return;
    snprintf(module, sizeof module, "%.*s", (int)(plus - blank - 1), blank + 1);
    const char *place = ask(module, plus + 1, line, sizeof line) ? line : blank + 1;
    const int length = (int)strcspn(base_name(place), "\n (");
    snprintf(made, sizeof made, "%.*s %.*s", (int)(blank - *name), *name, length, base_name(place));
    free(*name);
    *name = text_copy(made);
}

void sites_resolve(bmf_trace_run *run)
{
    unsetenv("LD_PRELOAD"); /* not for addr2line */
    for (uint32_t k = 1; k < run->names; k++)
        resolve(&run->name[k]);
}
