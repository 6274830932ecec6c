/* Reading and writing one .npy file in parallel, every rank its part of d words.
 *
 * Method: bmf_npy_read and bmf_npy_write, as programs use them, in the directory of the RAW file. Fresh: before
 * reading, the first rank asks the operating system to forget the file's pages (where it can; the file was written back
 * when it was made). Writing ends when the system has the data, not when the disk has them, and includes creating the
 * file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "predict/measure/lists.h"
#include "runtime/base/allocate.h"

typedef enum file_kind { READ, WRITE } file_kind;

/* The file, in a directory of its own, so that nobody can have prepared its name. */
static char *path_of(const measure_site *site)
{
    const measure_lists *s = site->state;
    return s->data;
}

static int make_path(measure_site *site)
{
    static const char name[] = "/list.npy";
    bmf_context *ctx = site->ctx;
    measure_lists *s = site->state;
    const size_t size = strlen(site->directory) + 64;
    char *path = s->data = allocate_clear(1, (int64_t)size);
    int status = BMF_OK;
    if (ctx->rank == 0) {
        snprintf(path, size - sizeof name, "%s/bmf-measure-XXXXXX", site->directory);
        if (!mkdtemp(path)) {
            status = bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot make a directory in it: %s", site->directory,
                              strerror(errno));
            path[0] = '\0';
        } else {
            strcat(path, name);
        }
    }
    BMF_TRY(bmf_agree(ctx, status));
    return ctx->backend->bcast(ctx, 0, path, (int64_t)size);
}

static void remove_file(const measure_site *site)
{
    char *path = path_of(site);
    if (site->ctx->rank != 0 || !path[0])
        return;
    remove(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
}

/* Lets the system write the file back, or forget what it has of it. */
static int for_pages(const measure_site *site, bool forget)
{
    const char *path = path_of(site);
    int status = BMF_OK;
    if (site->ctx->rank != 0)
        return BMF_OK;
    const int file = open(path, O_RDONLY);
    if (file < 0 || (!forget && fsync(file) != 0))
        status = bmf_fail(site->ctx, BMF_ERROR_FILE, "%s: %s", path, strerror(errno));
    else if (forget)
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    if (file >= 0)
        close(file);
    return status;
}

static int open_file(measure_site *site)
{
    BMF_TRY(measure_open_reals(site));
    measure_lists *s = site->state;
    BMF_TRY(make_path(site));
    if (site->operation->which == WRITE)
        return BMF_OK;
    BMF_TRY(bmf_npy_write(s->xs, path_of(site)));
    return site->cached ? BMF_OK : for_pages(site, false);
}

static int before_file(measure_site *site)
{
    if (site->operation->which == WRITE) {
        if (site->ctx->rank == 0)
            remove(path_of(site));
        return measure_before_lists(site);
    }
    return site->cached ? BMF_OK : bmf_agree(site->ctx, for_pages(site, true));
}

static int run_read(measure_site *site)
{
    measure_lists *s = site->state;
    return bmf_npy_read(site->ctx, path_of(site), &s->out);
}

static int run_write(measure_site *site)
{
    measure_lists *s = site->state;
    return bmf_npy_write(s->xs, path_of(site));
}

static void close_file(measure_site *site)
{
    const measure_lists *s = site->state;
    if (s && s->data)
        remove_file(site);
    measure_close_lists(site);
}

static const measure_operation operations[] = {
    {"file_read", BMF_FAMILY_FILE, "a .npy file of p d reals, every rank its part", READ, 1, 1, 1 << 20, false, false,
     measure_few_lists, open_file, before_file, run_read, measure_after_lists, close_file},
    {"file_write", BMF_FAMILY_FILE, "a .npy file of p d reals written, every rank its part, until the disk has it",
     WRITE, 1, 1, 1 << 20, false, false, measure_few_lists, open_file, before_file, run_write, measure_after_lists,
     close_file},
};

const measure_table measure_file_table = {operations, sizeof operations / sizeof operations[0]};
