/* Files that appear whole or not at all; see output_file.h.
 *
 * Method: open with O_CREAT | O_EXCL | O_NOFOLLOW under a random name, fsync, rename, fsync of the directory. */
#define _GNU_SOURCE
#include "runtime/base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/allocate.h"

enum { MAX_LINKS = 40, MAX_TRIES = 100, SUFFIX = sizeof ".XXXXXXXX.part" - 1, MAX_REMOVED = 64 };

/* ---- what a signal handler removes ---- */

static char *_Atomic removed[MAX_REMOVED];

static void remember(char *path)
{
    for (int k = 0; k < MAX_REMOVED; k++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&removed[k], &none, path))
            return;
    }
}

static void forget(char *path)
{
    for (int k = 0; k < MAX_REMOVED; k++) {
        char *same = path;
        if (atomic_compare_exchange_strong(&removed[k], &same, NULL))
            return;
    }
}

void output_files_remove(void)
{
    for (int k = 0; k < MAX_REMOVED; k++) {
        const char *path = removed[k];
        if (path)
            unlink(path);
    }
}

/* ---- names ---- */

static char *copy_text(const char *text)
{
    int64_t size = (int64_t)strlen(text) + 1;
    return memcpy(allocate(size), text, (size_t)size);
}

static char *join_path(const char *directory, const char *name)
{
    size_t size = strlen(directory) + strlen(name) + 2;
    char *joined = allocate((int64_t)size);
    snprintf(joined, size, "%s/%s", directory, name);
    return joined;
}

/* The directory of a path, as dirname says, to be freed. */
static char *directory_of(const char *path)
{
    char *copy = copy_text(path);
    char *directory = copy_text(dirname(copy));
    free(copy);
    return directory;
}

/* One step: where the link at `path` leads, to be freed; NULL: it is none, with errno 0, or errno says why. */
static char *read_link(const char *path)
{
    char to[PATH_MAX + 1];
    ssize_t length = readlink(path, to, sizeof to - 1);
    if (length < 0) {
        errno = errno == EINVAL || errno == ENOENT ? 0 : errno;
        return NULL;
    }
    to[length] = '\0';
    if (to[0] == '/')
        return copy_text(to);
    char *directory = directory_of(path), *found = join_path(directory, to);
    free(directory);
    return found;
}

static bool begins_with(const char *path, const char *start)
{
    return strncmp(path, start, strlen(start)) == 0;
}

/* Names of open files of a process: replacing the file behind one would not reach who reads it. */
static bool is_descriptor(const char *path)
{
    return begins_with(path, "/proc/") || begins_with(path, "/dev/fd/");
}

/* The path behind all links, also where nothing is yet, to be freed. Stops at the names of open files. */
static int resolve(const char *path, char **resolved)
{
    *resolved = copy_text(path);
    for (int k = 0; k < MAX_LINKS; k++) {
        char *next = is_descriptor(*resolved) ? NULL : read_link(*resolved);
        if (!next)
            return is_descriptor(*resolved) ? 0 : errno;
        free(*resolved);
        *resolved = next;
    }
    return ELOOP;
}

/* TARGET.XXXXXXXX.part, with the name cut where it would be too long; to be freed. */
static int private_name(const char *target, char **name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    unsigned char random[8];
    char suffix[SUFFIX + 1] = ".XXXXXXXX.part";
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return errno;
    for (size_t k = 0; k < sizeof random; k++)
        suffix[1 + k] = letters[random[k] % 32];
    size_t length = strlen(target);
    const char *slash = strrchr(target, '/');
    size_t before = slash ? (size_t)(slash - target) + 1 : 0;
    if (length - before > NAME_MAX - SUFFIX && length - before <= NAME_MAX)
        length = before + NAME_MAX - SUFFIX;
    *name = allocate((int64_t)length + SUFFIX + 1);
    memcpy(*name, target, length);
    memcpy(*name + length, suffix, SUFFIX + 1);
    return 0;
}

/* ---- opening ---- */

static int open_in_place(bmf_output_file *output)
{
    output->file = open(output->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    output->written = output->target;
    return output->file < 0 ? errno : 0;
}

/* old: the file that is going to be replaced, or NULL. */
static int open_beside(bmf_output_file *output, const struct stat *old)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const mode_t mode = old ? old->st_mode & 07777 : 0666;
    for (int k = 0; k < MAX_TRIES; k++) {
        char *name;
        int failure = private_name(output->target, &name);
        if (failure)
            return failure;
        output->file = open(name, flags, mode & 0666);
        if (output->file >= 0) {
            output->written = name;
            remember(name);
            /* The mode as it was, umask or not; the owner where root replaces another's file. */
            if (old && (fchown(output->file, old->st_uid, old->st_gid) != 0 || true) && fchmod(output->file, mode) != 0)
                return errno;
            return 0;
        }
        failure = errno;
        free(name);
        if (failure != EEXIST)
            return failure;
    }
    return EEXIST;
}

static int open_resolved(bmf_output_file *output, bool in_place)
{
    struct stat about;
    const bool is_there = stat(output->target, &about) == 0;
    if (!is_there)
        return errno == ENOENT ? open_beside(output, NULL) : errno;
    if (S_ISDIR(about.st_mode))
        return EISDIR;
    if (S_ISREG(about.st_mode) && !is_descriptor(output->target))
        return open_beside(output, &about);
    return in_place ? open_in_place(output) : ESPIPE;
}

static int open_output(bmf_output_file *output, const char *path, bool in_place)
{
    *output = (bmf_output_file){.file = -1};
    int failure = *path ? resolve(path, &output->target) : ENOENT;
    if (!failure)
        failure = open_resolved(output, in_place);
    if (failure)
        output_file_close(output, failure);
    return failure;
}

int output_file_open(bmf_output_file *output, const char *path)
{
    return open_output(output, path, true);
}

int output_file_open_regular(bmf_output_file *output, const char *path)
{
    return open_output(output, path, false);
}

/* Whether the target may be replaced by what is in the open file. */
static int check_target(const bmf_output_file *output)
{
    struct stat old, directory, written;
    char *parent = directory_of(output->target);
    const bool found = stat(parent, &directory) == 0;
    free(parent);
    if (!found || fstat(output->file, &written) != 0)
        return errno;
    if (directory.st_dev != written.st_dev)
        return EXDEV;
    if (stat(output->target, &old) != 0)
        return errno == ENOENT ? 0 : errno;
    if (S_ISDIR(old.st_mode))
        return EISDIR;
    if (!S_ISREG(old.st_mode))
        return ESPIPE;
    return fchmod(output->file, old.st_mode & 07777) == 0 ? 0 : errno;
}

int output_file_open_kept(bmf_output_file *output, const char *path, const char *written)
{
    *output = (bmf_output_file){.file = -1, .is_kept = true};
    int failure = *path ? resolve(path, &output->target) : ENOENT;
    if (!failure) {
        output->written = copy_text(written);
        output->file = open(written, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        failure = output->file < 0 ? errno : check_target(output);
    }
    if (failure)
        output_file_close(output, failure);
    return failure;
}

int output_directory_open(bmf_output_file *output, const char *path)
{
    struct stat about;
    *output = (bmf_output_file){.file = -1, .is_directory = true};
    if (lstat(path, &about) == 0)
        return EEXIST;
    output->target = copy_text(path);
    int failure = EEXIST;
    for (int k = 0; k < MAX_TRIES && failure == EEXIST; k++) {
        free(output->written);
        output->written = NULL;
        failure = private_name(path, &output->written);
        if (!failure && mkdir(output->written, 0777) != 0)
            failure = errno;
    }
    if (failure) { /* nothing was made that could be removed */
        free(output->written);
        output->written = NULL;
        output_file_close(output, failure);
    }
    return failure;
}

bool output_file_is_regular(const bmf_output_file *output)
{
    return output->written && output->written != output->target;
}

FILE *output_file_stream(bmf_output_file *output)
{
    if (!output->stream)
        output->stream = fdopen(output->file, "w");
    if (!output->stream)
        out_of_memory(BUFSIZ, "for a file's buffer");
    return output->stream;
}

/* ---- closing ---- */

static int close_file(bmf_output_file *output)
{
    return output->stream ? fclose(output->stream) : close(output->file);
}

/* What stdio has kept to itself. */
static int flush_stream(bmf_output_file *output)
{
    errno = 0;
    if (!output->stream || (fflush(output->stream) == 0 && !ferror(output->stream)))
        return 0;
    return errno ? errno : EIO;
}

/* Closes; afterwards a file that is not written in place is on the disk, under its private name. */
static int finish_writing(bmf_output_file *output, int failure)
{
    if (output->file < 0)
        return failure;
    if (!failure)
        failure = flush_stream(output);
    if (!failure && !output->unsynced && output_file_is_regular(output) && fsync(output->file) != 0)
        failure = errno;
    if (close_file(output) != 0 && !failure)
        failure = errno;
    output->file = -1;
    output->stream = NULL;
    return failure;
}

/* The new name is on the disk too, where the file system can say so. */
static void sync_directory(const char *target)
{
    char *directory = directory_of(target);
    int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        (void)fsync(file);
        close(file);
    }
    free(directory);
}

static int remove_entry(const char *path, const struct stat *about, int type, struct FTW *walk)
{
    (void)about, (void)type, (void)walk;
    return remove(path);
}

static void remove_directory(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_written(const bmf_output_file *output)
{
    if (output->is_kept)
        return;
    if (output->is_directory)
        remove_directory(output->written);
    else
        unlink(output->written);
}

static void release(bmf_output_file *output)
{
    if (output_file_is_regular(output)) {
        forget(output->written);
        free(output->written);
    }
    free(output->target);
    *output = (bmf_output_file){.file = -1};
}

/* Keeps what stands at a target under a private name, to be freed; NULL: the file system has no second names. */
static char *keep_old(const char *target)
{
    char *kept = NULL;
    if (private_name(target, &kept) == 0 && link(target, kept) == 0)
        return kept;
    free(kept);
    return NULL;
}

static int rename_from(bmf_output_file *output, int outputs, int k);

/* Renames output k and those behind it; if that fails, k's target is as it was before. */
static int rename_one(bmf_output_file *output, int outputs, int k)
{
    const char *target = output[k].target;
    const bool is_last = k + 1 == outputs, replaces = access(target, F_OK) == 0;
    char *kept = replaces && !is_last ? keep_old(target) : NULL;
    int failure = rename(output[k].written, target) == 0 ? 0 : errno;
    if (!failure && !is_last) {
        failure = rename_from(output, outputs, k + 1);
        if (failure && kept)
            (void)rename(kept, target);
        else if (failure && !replaces)
            unlink(target);
    }
    if (kept)
        unlink(kept); /* gone already if it was put back */
    free(kept);
    if (!failure && !output[k].unsynced)
        sync_directory(target);
    return failure;
}

static int rename_from(bmf_output_file *output, int outputs, int k)
{
    while (k < outputs && !output_file_is_regular(&output[k]))
        k++;
    return k < outputs ? rename_one(output, outputs, k) : 0;
}

int output_files_close(bmf_output_file *output, int outputs, int failure)
{
    for (int k = 0; k < outputs; k++)
        failure = finish_writing(&output[k], failure);
    if (!failure)
        failure = rename_from(output, outputs, 0);
    for (int k = 0; k < outputs; k++) {
        if (failure && output_file_is_regular(&output[k]))
            remove_written(&output[k]);
        release(&output[k]);
    }
    return failure;
}

int output_file_close(bmf_output_file *output, int failure)
{
    return output_files_close(output, 1, failure);
}

/* ---- temporary directories ---- */

char *temporary_directory_create(const char *name)
{
    const char *parent = getenv("TMPDIR");
    char *begin = join_path(parent && *parent ? parent : "/tmp", name), *path;
    size_t size = strlen(begin) + sizeof "-XXXXXX";
    path = allocate((int64_t)size);
    snprintf(path, size, "%s-XXXXXX", begin);
    free(begin);
    if (mkdtemp(path))
        return path;
    int failure = errno;
    free(path);
    errno = failure;
    return NULL;
}

void temporary_directory_remove(char *path)
{
    if (path)
        remove_directory(path);
    free(path);
}
