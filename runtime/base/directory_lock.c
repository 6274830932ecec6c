/* A directory that one process at a time works in. */
#define _GNU_SOURCE
#include "runtime/base/directory_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TRIES = 100 };

/* The process that had it before may have removed it between mkdir and flock. */
static bool is_still_there(int lock, const char *path)
{
    struct stat held, there;
    return fstat(lock, &held) == 0 && lstat(path, &there) == 0 && held.st_ino == there.st_ino &&
           held.st_dev == there.st_dev;
}

/* ENOENT although it was made: it was removed meanwhile. */
static int try_lock(const char *path, mode_t mode, bool *made, int *lock)
{
    *made = mkdir(path, mode) == 0 || errno == EEXIST;
    if (!*made)
        return errno;
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*lock < 0)
        return errno;
    if (flock(*lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return EBUSY;
    return is_still_there(*lock, path) ? 0 : ENOENT;
}

int directory_lock(const char *path, mode_t mode, int *lock)
{
    int failure = ENOENT;
    bool made = true;
    *lock = -1;
    for (int tries = 0; tries < MAX_TRIES && made && failure == ENOENT; tries++) {
        directory_unlock(*lock);
        *lock = -1;
        failure = try_lock(path, mode, &made, lock);
    }
    return failure;
}

void directory_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
