/* Reading .npy files.
 *
 * Method: rank 0 reads and judges the header and tells the others what it says; then every rank reads the bytes of its
 * own part, which are contiguous because its elements are. A row of a 2-D file is an inner list, so only offsets are
 * added. Errors are settled twice: with the header and after the data.
 * Cost: n w bytes from the file, each by one rank; one broadcast of six words and one allreduce of a word.
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
#include "runtime/data/list.h"
#include "runtime/npy/part.h"
#include "runtime/npy/private.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes of .npy data go straight into columns");

/* ---- the header, on rank 0 ---- */

static int bad_file(bmf_context *ctx, const char *path, const char *why)
{
    return bmf_fail(ctx, BMF_ERROR_FILE, "%s: %s", path, why);
}

/* Reads up to `count` bytes; returns how many there were, or -1. */
static int64_t read_at(int file, void *to, int64_t count, int64_t offset)
{
    int64_t done = 0;
    while (done < count) {
        ssize_t moved = pread(file, (char *)to + done, (size_t)(count - done), offset + done);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved < 0)
            return -1;
        if (moved == 0)
            break;
        done += moved;
    }
    return done;
}

static int read_text(bmf_context *ctx, const char *path, int file, int64_t offset, int64_t size, bmf_npy_header *header)
{
    char why[BMF_MESSAGE_SIZE] = "", *text = allocate(size);
    int64_t found = read_at(file, text, size, offset);
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
    int64_t text_size, found = read_at(file, prefix, sizeof prefix, 0);
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

/* The local column with offsets set and the scalars undefined. */
static int create_column(bmf_context *ctx, const bmf_npy_header *header, const bmf_type *scalar, int64_t count,
                         bmf_column *column)
{
    bool nested = header->dimensions == 2;
    int status = nested ? column_create_list(bmf_type_list(scalar), count, count * header->shape[1], column)
                        : column_create(scalar, count, column);
    if (status != BMF_OK)
        return bmf_fail(ctx, status, "out of memory: no %" PRId64 " rows of %" PRId64 " bytes on rank %d", count,
                        header->shape[1] * scalar->size, ctx->rank);
    for (int64_t i = 0; nested && i <= count; i++)
        column->offsets[i] = i * header->shape[1];
    return BMF_OK;
}

/* NumPy's own files hold 0 and 1; kernels rely on that. */
static int check_truths(bmf_context *ctx, const char *path, const bmf_column *scalars, int64_t first)
{
    const uint8_t *truth = scalars->data;
    uint8_t bits = 0;
    for (int64_t i = 0; i < scalars->count; i++)
        bits |= truth[i];
    if (bits <= 1)
        return BMF_OK;
    int64_t i = 0;
    while (truth[i] <= 1)
        i++;
    return bmf_fail(ctx, BMF_ERROR_FILE, "%s: scalar %" PRId64 " is byte %d; a bool is 0 or 1", path, first + i,
                    truth[i]);
}

/* Reads scalars [first, first + scalars->count) of the file, narrow ones to the end of the column, which they then fill
 * from its beginning. */
static int read_scalars(bmf_context *ctx, const char *path, const bmf_npy_header *header, int64_t first,
                        bmf_column *scalars)
{
    if (scalars->count == 0)
        return BMF_OK;
    MPI_File file;
    int64_t size = header->scalar->size, room = scalars->count * (scalars->type->size - size);
    BMF_TRY(npy_open(ctx, path, MPI_MODE_RDONLY, &file));
    int status = npy_read_bytes(ctx, path, file, header->data_offset + first * size, (char *)scalars->data + room,
                                scalars->count * size);
    MPI_File_close(&file);
    BMF_TRY(status);
    npy_convert(header->scalar, scalars->type, scalars->data, scalars->count);
    return header->scalar == &bmf_type_bool ? check_truths(ctx, path, scalars, first) : BMF_OK;
}

int npy_read_part(bmf_context *ctx, const char *path, const bmf_npy_header *header, const bmf_type *scalar,
                  bmf_partition *partition, bmf_list **list)
{
    int64_t begin = bmf_partition_local_begin(partition), count = bmf_partition_local_end(partition) - begin;
    int64_t started = context_now(ctx);
    bmf_column column;
    int status = create_column(ctx, header, scalar, count, &column);
    if (status == BMF_OK)
        status = read_scalars(ctx, path, header, begin * header->shape[1],
                              header->dimensions == 2 ? &column.child[0] : &column);
    if (status != BMF_OK) {
        column_free(&column);
        return status;
    }
    npy_record(ctx, partition, header->shape[1] * header->scalar->size, started);
    list_adopt(ctx, partition, &column, list);
    return BMF_OK;
}

const bmf_skeleton_type skeleton_read = {.id = 32, .name = "read", .communication = BMF_COMMUNICATION_OTHER};

/* scalar may be NULL: that of the file. */
static int read_onto(bmf_context *ctx, const char *path, const bmf_npy_header *header, const bmf_type *scalar,
                     bmf_partition *partition, bmf_list **list)
{
    char text[128];
    scalar = scalar ? bmf_type_intern(scalar) : header->scalar;
    if (!npy_converts(header->scalar, scalar))
        return bmf_fail(ctx, BMF_ERROR_TYPE, "%s: cannot read %s as %s", path, npy_dtype_name(header->scalar),
                        bmf_type_print(scalar, text, sizeof text));
    if (header->shape[0] != bmf_partition_length(partition))
        return bmf_fail(ctx, BMF_ERROR_SHAPE, "%s: %" PRId64 " elements for a partition of %" PRId64, path,
                        header->shape[0], bmf_partition_length(partition));
    bmf_list *part = NULL;
    skeleton_begin(ctx, &skeleton_read, "read");
    const int status = bmf_agree(ctx, npy_read_part(ctx, path, header, scalar, partition, &part));
    if (status == BMF_OK)
        *list = part;
    else
        bmf_list_free(part);
    return skeleton_end(ctx, partition, status);
}

int bmf_npy_read_as(bmf_context *ctx, const char *path, const bmf_type *scalar, bmf_partition *partition,
                    bmf_list **list)
{
    bmf_npy_header header;
    BMF_TRY(bmf_npy_header_read(ctx, path, &header));
    if (partition)
        return read_onto(ctx, path, &header, scalar, partition, list);
    BMF_TRY(bmf_partition_even(ctx, header.shape[0], &partition));
    int status = read_onto(ctx, path, &header, scalar, partition, list);
    bmf_partition_release(partition);
    return status;
}

int bmf_npy_read_parts(bmf_context *ctx, const char *path, bmf_partition *partition, bmf_list **list)
{
    return bmf_npy_read_as(ctx, path, NULL, partition, list);
}

int bmf_npy_read(bmf_context *ctx, const char *path, bmf_list **list)
{
    return bmf_npy_read_as(ctx, path, NULL, NULL, list);
}
