/* A disk that is full, or fails, at a chosen place, for what a program writes under a private name.
 *
 * Preloaded into programs. From the moment in which the program opens a file TARGET.XXXXXXXX.part for writing, or makes
 * a directory of such a name,
 *   BMF_DISK_BYTES=N   no file grows beyond N bytes (RLIMIT_FSIZE, so that every way of writing meets it, stdio's too);
 *   BMF_DISK_FAILS=CALL:K   the K-th call of CALL (fsync, rename or link), counted from 1, fails with EIO.
 * BMF_DISK_NAMES=K makes the first K private names the same, so that a test can prepare them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static bool started;

/* RTLD_NEXT: the function that this one stands before. */
#define NEXT(function) (__extension__(__typeof__(&(function))) dlsym(RTLD_NEXT, #function))

static void limit_files(const char *path)
{
    const char *bytes = getenv("BMF_DISK_BYTES"), *end = strrchr(path, '.');
    if (started || !end || strcmp(end, ".part") != 0)
        return;
    started = true;
    if (!bytes)
        return;
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {strtoull(bytes, NULL, 10), RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
}

/* Whether this call of `name` is the one that fails. */
static bool fails(const char *name)
{
    static int calls;
    const char *chosen = getenv("BMF_DISK_FAILS");
    const size_t length = strlen(name);
    if (!started || !chosen || strncmp(chosen, name, length) != 0 || chosen[length] != ':' ||
        ++calls != atoi(chosen + length + 1))
        return false;
    errno = EIO;
    return true;
}

#define OPEN(function)                                                                                                 \
    int function(const char *path, int flags, ...)                                                                     \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;                             \
        va_end(arguments);                                                                                             \
        if ((flags & O_ACCMODE) != O_RDONLY)                                                                           \
            limit_files(path);                                                                                         \
        return NEXT(function)(path, flags, mode);                                                                      \
    }

OPEN(open)
OPEN(open64)

int mkdir(const char *path, mode_t mode)
{
    limit_files(path);
    return NEXT(mkdir)(path, mode);
}

int fsync(int file)
{
    return fails("fsync") ? -1 : NEXT(fsync)(file);
}

int rename(const char *from, const char *to)
{
    return fails("rename") ? -1 : NEXT(rename)(from, to);
}

int link(const char *from, const char *to)
{
    return fails("link") ? -1 : NEXT(link)(from, to);
}

ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    static int calls;
    const char *same = getenv("BMF_DISK_NAMES");
    const ssize_t got = NEXT(getrandom)(bytes, size, flags);
    if (same && size == 8 && ++calls <= atoi(same))
        memset(bytes, 0, size);
    return got;
}
