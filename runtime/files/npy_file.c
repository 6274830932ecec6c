/* .npy files for programs in C: headers that bmf_npy_header can describe. What is in the files is read and written as
 * that of other formats is (files.c, write.c).
 *
 * Method: rank 0 reads and judges the header and tells the others what it says. Cost: one broadcast of five words.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"
#include "runtime/files/format.h"
#include "runtime/files/npy_part.h"
#include "runtime/files/npy_private.h"

/* ---- the header, on rank 0 ---- */

static int bad_file(bmf_context *ctx, const char *path, const char *why)
{
    return bmf_fail(ctx, BMF_ERROR_FILE, "%s: %s", path, why);
}

static int read_text(bmf_context *ctx, const char *path, int file, int64_t offset, int64_t size, bmf_npy_header *header)
{
    char why[BMF_MESSAGE_SIZE] = "", *text = allocate(size);
    int64_t found = data_read_at(file, text, size, offset);
    int status = BMF_OK;
    if (found < 0)
        status = bad_file(ctx, path, strerror(errno));
    else if (found < size)
        status = bmf_fail(ctx, BMF_ERROR_FILE, "%s: truncated header: %" PRId64 " bytes expected, %" PRId64 " found",
                          path, offset + size, offset + found);
    else if (!npy_parse_text(text, size, header, why, sizeof why))
        status = bad_file(ctx, path, why);
    free(text);
    header->data_offset = offset + size;
    return status;
}

static int check_size(bmf_context *ctx, const char *path, const bmf_npy_header *header, int64_t file_size)
{
    int64_t expected = npy_data_bytes(header), found = file_size - header->data_offset;
    if (found >= expected)
        return BMF_OK;
    return bmf_fail(ctx, BMF_ERROR_FILE, "%s: truncated data: %" PRId64 " bytes expected, %" PRId64 " found", path,
                    expected, found);
}

static int read_open_file(bmf_context *ctx, const char *path, int file, int64_t file_size, bmf_npy_header *header)
{
    unsigned char prefix[BMF_NPY_PREFIX];
    char why[BMF_MESSAGE_SIZE] = "";
    int64_t text_size, found = data_read_at(file, prefix, sizeof prefix, 0);
    if (found < 0)
        return bad_file(ctx, path, strerror(errno));
    int64_t offset = npy_parse_prefix(prefix, found, &text_size, why, sizeof why);
    if (offset < 0)
        return bad_file(ctx, path, why);
    BMF_TRY(read_text(ctx, path, file, offset, text_size, header));
    return check_size(ctx, path, header, file_size);
}

int npy_find_header(bmf_context *ctx, const char *path, bmf_npy_header *header)
{
    struct stat about;
    if (stat(path, &about) != 0) /* before open, which would wait for ever on a pipe */
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return bad_file(ctx, path, S_ISDIR(about.st_mode) ? "is a directory" : "is not a regular file");
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    int status = read_open_file(ctx, path, file, about.st_size, header);
    close(file);
    return status;
}

int bmf_npy_header_read(bmf_context *ctx, const char *path, bmf_npy_header *header)
{
    bmf_npy_header found = {.scalar = &bmf_type_int};
    if (ctx->rank == 0)
        BMF_TRY(failure_defer(ctx, npy_find_header(ctx, path, &found)));
    if (!found.scalar) /* of a file that was refused */
        found.scalar = &bmf_type_int;
    int64_t shared[] = {found.scalar->kind, found.dimensions, found.shape[0], found.shape[1], found.data_offset};
    BMF_TRY(ctx->backend->bcast(ctx, 0, shared, sizeof shared));
    const bmf_type *scalar = type_of_kind((bmf_type_kind)shared[0]);
    *header = (bmf_npy_header){scalar, (int)shared[1], {shared[2], shared[3]}, shared[4]};
    return BMF_OK;
}

/* ---- the data ---- */

int bmf_npy_read_as(bmf_context *ctx, const char *path, const bmf_type *scalar, bmf_partition *partition,
                    bmf_list **list)
{
    data_file file;
    data_file_npy(path, &file);
    return data_file_read(ctx, &file, scalar, partition, list);
}

int bmf_npy_read_parts(bmf_context *ctx, const char *path, bmf_partition *partition, bmf_list **list)
{
    return bmf_npy_read_as(ctx, path, NULL, partition, list);
}

int bmf_npy_read(bmf_context *ctx, const char *path, bmf_list **list)
{
    return bmf_npy_read_as(ctx, path, NULL, NULL, list);
}

int bmf_npy_write(const bmf_list *list, const char *path)
{
    data_file file;
    data_file_npy(path, &file);
    return data_file_write(list, &file);
}
