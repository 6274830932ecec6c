/* The files of a permutation of a file; see file_work.h.
 *
 * Method: rank 0 makes the files (runtime/base/output_file.h) and reserves their space, so that a disk that is too
 * small is noticed before hours of work; every rank opens them by their paths. A directory is locked as long as a run
 * uses it. */
#define _GNU_SOURCE
#include "drivers/permute/file_work.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/backend/backend.h"

static const char *const names[] = {"result", "between"};

/* A path in the directory, cut if it is too long: opening it fails then. */
static void path_in(const bmf_work_files *files, const char *name, char path[BMF_SHARED_PATH])
{
    snprintf(path, BMF_SHARED_PATH, "%s/%s", files->directory, name);
}

static int fail_with(const bmf_work_files *files, const char *path, const char *what, int failure)
{
    return bmf_fail(files->ctx, BMF_ERROR_FILE, "%s: cannot %s: %s", path, what, strerror(failure));
}

/* ---- on rank 0 ---- */

static int lock_directory(bmf_work_files *files)
{
    char path[BMF_SHARED_PATH];
    if (mkdir(files->directory, 0777) != 0 && errno != EEXIST)
        return fail_with(files, files->directory, "make this directory", errno);
    path_in(files, "lock", path);
    files->lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (files->lock < 0)
        return fail_with(files, path, "create", errno);
    if (flock(files->lock, LOCK_EX | LOCK_NB) != 0)
        return bmf_fail(files->ctx, BMF_ERROR_FILE, "%s: another run uses this directory", files->directory);
    return BMF_OK;
}

static int reserve(const bmf_work_files *files, int file)
{
    if (fallocate(file, 0, 0, files->bytes) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)
        return bmf_fail(files->ctx, BMF_ERROR_FILE, "%s: cannot reserve %" PRId64 " bytes: %s", files->out,
                        files->bytes, strerror(errno));
    return ftruncate(file, files->bytes) == 0 ? BMF_OK : fail_with(files, files->out, "write", errno);
}

static int make_file(bmf_work_files *files, int which)
{
    bmf_output_file *output = &files->output[which];
    char path[BMF_SHARED_PATH];
    if (files->directory)
        path_in(files, names[which], path);
    const int failure = files->directory ? output_file_open_kept(output, files->out, path)
                                         : output_file_open_regular(output, files->out);
    if (failure == EXDEV)
        return bmf_fail(files->ctx, BMF_ERROR_FILE, "%s: not on the file system of %s", files->directory, files->out);
    if (failure)
        return fail_with(files, files->out, "create", failure == ESPIPE ? EINVAL : failure);
    return reserve(files, output->file);
}

static int make_files(bmf_work_files *files)
{
    if (files->directory)
        BMF_TRY(lock_directory(files));
    for (int which = 0; which <= (int)files->has_between; which++)
        BMF_TRY(make_file(files, which));
    return BMF_OK;
}

/* ---- on every rank ---- */

static int open_file(bmf_work_files *files, int which)
{
    files->file[which] = open(files->path[which], O_RDWR | O_CLOEXEC);
    return files->file[which] < 0 ? fail_with(files, files->path[which], "open", errno) : BMF_OK;
}

int work_files_open(bmf_work_files *files)
{
    files->lock = files->file[0] = files->file[1] = -1;
    files->output[0] = files->output[1] = (bmf_output_file){.file = -1};
    int status = files->ctx->rank == 0 ? make_files(files) : BMF_OK;
    for (int which = 0; which <= (int)files->has_between; which++) {
        status = share_path(files->ctx, status, files->output[which].written, files->path[which]);
        BMF_TRY(status);
    }
    for (int which = 0; status == BMF_OK && which <= (int)files->has_between; which++)
        status = open_file(files, which);
    return bmf_agree(files->ctx, status);
}

static void journal_path(const bmf_work_files *files, int rank, char path[BMF_SHARED_PATH])
{
    char name[32];
    snprintf(name, sizeof name, "journal.%d", rank);
    path_in(files, name, path);
}

int work_files_read_journal(const bmf_work_files *files, bmf_external_journal *journal)
{
    char path[BMF_SHARED_PATH];
    journal_path(files, files->ctx->rank, path);
    return external_journal_read(files->ctx, path, journal);
}

int work_files_write_journal(const bmf_work_files *files, const bmf_external_journal *journal)
{
    char path[BMF_SHARED_PATH];
    journal_path(files, files->ctx->rank, path);
    return external_journal_write(files->ctx, path, journal);
}

/* ---- the end ---- */

static void close_files(bmf_work_files *files)
{
    for (int which = 0; which < 2; which++)
        if (files->file[which] >= 0)
            close(files->file[which]);
    files->file[0] = files->file[1] = -1;
}

/* With those that a kill left under their private names. */
static void remove_journals(const bmf_work_files *files)
{
    char path[BMF_SHARED_PATH];
    DIR *directory = opendir(files->directory);
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        if (strncmp(entry->d_name, "journal.", strlen("journal.")) == 0) {
            path_in(files, entry->d_name, path);
            unlink(path);
        }
    if (directory)
        closedir(directory);
}

static void remove_directory(bmf_work_files *files)
{
    char path[BMF_SHARED_PATH];
    remove_journals(files);
    path_in(files, "between", path);
    unlink(path);
    path_in(files, "lock", path);
    unlink(path);
    rmdir(files->directory); /* of what the user keeps there it is not ours to dispose */
}

static int commit(bmf_work_files *files)
{
    const int failure = output_file_close(&files->output[0], 0);
    if (failure)
        return fail_with(files, files->out, "write", failure);
    if (files->directory)
        remove_directory(files);
    return BMF_OK;
}

int work_files_commit(bmf_work_files *files)
{
    close_files(files);
    BMF_TRY(bmf_agree(files->ctx, BMF_OK));
    return bmf_agree(files->ctx, files->ctx->rank == 0 ? commit(files) : BMF_OK);
}

void work_files_close(bmf_work_files *files)
{
    close_files(files);
    output_file_close(&files->output[0], ECANCELED); /* nothing is open any more after success */
    output_file_close(&files->output[1], ECANCELED);
    if (files->lock >= 0)
        close(files->lock);
    files->lock = -1;
}
