/* Writing .npy files, version 1.0.
 *
 * Method: rank 0 makes the file under a private name (runtime/base/output_file.h) with the header and tells the others,
 * every rank writes its own part at its offset, and rank 0 gives the file its name when all have succeeded and it has
 * the right size, or removes it. Ranks agree after each of the three steps. A broadcast column is written from one
 * block filled with its value.
 * Cost: n w bytes to the file, each by one rank, and synced; a broadcast of the name and two allreduces of a word, for
 * lists of lists an allgather and one value per rank more.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/allocate.h"
#include "runtime/base/output_file.h"
#include "runtime/backend/backend.h"
#include "runtime/backend/shared_path.h"
#include "runtime/npy/part.h"
#include "runtime/npy/private.h"
#include "runtime/data/list.h"

enum { ALIGNMENT = 64 };
static const int64_t fill_block = (int64_t)4 << 20;

const bmf_skeleton_type skeleton_write = {.id = 33, .name = "write", .communication = BMF_COMMUNICATION_OTHER};

/* ---- what to write ---- */

/* Agrees on the length of the rows; the first that differs from row 0 is an error. 0 if there are no rows. */
static int agree_on_row_length(const bmf_list *list, int64_t *length)
{
    bmf_context *ctx = list->context;
    const int64_t *offsets = list->column.offsets;
    int64_t count = list->column.count, mine = count > 0 ? offsets[1] : -1;
    int64_t *all = allocate(ctx->ranks * (int64_t)sizeof *all);
    int status = ctx->backend->allgather(ctx, &mine, 1, NULL, all);
    *length = 0;
    for (int r = ctx->ranks - 1; r >= 0; r--)
        *length = all[r] >= 0 ? all[r] : *length;
    free(all);
    BMF_TRY(status);
    for (int64_t i = 0; i < count && status == BMF_OK; i++)
        if (offsets[i + 1] - offsets[i] != *length)
            status = bmf_fail(ctx, BMF_ERROR_SHAPE,
                              "a .npy file needs rows of equal length: row %" PRId64 " has %" PRId64
                              " elements, row 0 has %" PRId64,
                              bmf_partition_local_begin(list->partition) + i, offsets[i + 1] - offsets[i], *length);
    return bmf_agree(ctx, status);
}

static int describe(const bmf_list *list, bmf_npy_header *header)
{
    bool nested = list->type->kind == BMF_LIST;
    const bmf_type *scalar = nested ? list->type->component[0] : list->type;
    if (!npy_descr(scalar)) {
        char text[128];
        bmf_fail(list->context, BMF_ERROR_TYPE,
                 "cannot write %s as .npy: it takes lists of int, int32, real, float, complex or bool, and lists of "
                 "such lists",
                 bmf_type_print(bmf_type_list(list->type), text, sizeof text));
        return BMF_ERROR_TYPE;
    }
    *header = (bmf_npy_header){scalar, nested ? 2 : 1, {bmf_length(list), 1}, NPY_HEADER_SIZE};
    return nested ? agree_on_row_length(list, &header->shape[1]) : BMF_OK;
}

/* ---- the steps ---- */

/* The longest text, two lengths of 19 digits, leaves room for the newline in NPY_HEADER_SIZE bytes. */
void npy_print_header(const bmf_npy_header *header, char bytes[NPY_HEADER_SIZE])
{
    static const char prefix[] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, NPY_HEADER_SIZE - BMF_NPY_PREFIX_1, 0};
    _Static_assert(sizeof prefix == BMF_NPY_PREFIX_1 && NPY_HEADER_SIZE % ALIGNMENT == 0, "NumPy's own layout");
    char shape[64];
    if (header->dimensions == 1)
        snprintf(shape, sizeof shape, "%" PRId64 ",", header->shape[0]);
    else
        snprintf(shape, sizeof shape, "%" PRId64 ", %" PRId64, header->shape[0], header->shape[1]);
    memset(bytes, ' ', NPY_HEADER_SIZE);
    memcpy(bytes, prefix, sizeof prefix);
    int used = snprintf(bytes + sizeof prefix, NPY_HEADER_SIZE - sizeof prefix,
                        "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", npy_descr(header->scalar), shape);
    bytes[(int)sizeof prefix + used] = ' ';
    bytes[NPY_HEADER_SIZE - 1] = '\n';
}

/* On rank 0: the file with its header, under the name that all write to. */
static int create_file(bmf_context *ctx, const char *path, bmf_output_file *output, const bmf_npy_header *header)
{
    char bytes[NPY_HEADER_SIZE];
    int failure = output_file_open_regular(output, path);
    if (failure == EISDIR)
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: is a directory", path);
    if (failure == ESPIPE)
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: is not a regular file", path);
    if (failure)
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot create: %s", path, strerror(failure));
    npy_print_header(header, bytes);
    if (write(output->file, bytes, NPY_HEADER_SIZE) != NPY_HEADER_SIZE)
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot write: %s", path, strerror(errno ? errno : ENOSPC));
    return BMF_OK;
}

/* Writes `count` scalars of one value at `offset`. */
static int write_broadcast(bmf_context *ctx, const char *path, MPI_File file, int64_t offset, const bmf_column *scalars)
{
    int64_t size = scalars->type->size, per_block = fill_block / size;
    int64_t block = scalars->count < per_block ? scalars->count : per_block;
    char *filled = allocate(block * size);
    int status = BMF_OK;
    column_pack(scalars, 0, block, filled);
    for (int64_t i = 0; i < scalars->count && status == BMF_OK; i += block) {
        int64_t count = scalars->count - i < block ? scalars->count - i : block;
        status = npy_write_bytes(ctx, path, file, offset + i * size, filled, count * size);
    }
    free(filled);
    return status;
}

/* Writes this rank's scalars into the file that is going to be `path`; `first` is the number of the first in the
 * file. */
static int write_scalars(bmf_context *ctx, const char *path, const char *written, int64_t first,
                         const bmf_column *scalars)
{
    if (scalars->count == 0)
        return BMF_OK;
    MPI_File file;
    int64_t size = scalars->type->size, offset = NPY_HEADER_SIZE + first * size;
    BMF_TRY(npy_open(ctx, written, MPI_MODE_WRONLY, &file));
    int status = scalars->stride == 0 ? write_broadcast(ctx, path, file, offset, scalars)
                                      : npy_write_bytes(ctx, path, file, offset, scalars->data, scalars->count * size);
    if (MPI_File_close(&file) != MPI_SUCCESS && status == BMF_OK)
        status = bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot close: is the disk full?", path);
    return status;
}

/* On rank 0, when all have written. */
static int complete_file(bmf_context *ctx, const char *path, bmf_output_file *output, const bmf_npy_header *header)
{
    struct stat about;
    int64_t expected = NPY_HEADER_SIZE + npy_data_bytes(header);
    if (fstat(output->file, &about) != 0)
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: %s", path, strerror(errno));
    if (about.st_size != expected)
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: %" PRId64 " bytes written, but it has %" PRId64, path, expected,
                        (int64_t)about.st_size);
    int failure = output_file_close(output, 0);
    return failure ? bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot write: %s", path, strerror(failure)) : BMF_OK;
}

static int write_parts(const bmf_list *list, const char *path, const bmf_npy_header *header, bmf_output_file *output)
{
    bmf_context *ctx = list->context;
    bool root = ctx->rank == 0;
    char written[BMF_SHARED_PATH];
    const bmf_column *scalars = header->dimensions == 2 ? &list->column.child[0] : &list->column;
    int status = root ? create_file(ctx, path, output, header) : BMF_OK;
    BMF_TRY(share_path(ctx, status, output->written, written));
    int64_t first = bmf_partition_local_begin(list->partition) * header->shape[1];
    BMF_TRY(bmf_agree(ctx, write_scalars(ctx, path, written, first, scalars)));
    return bmf_agree(ctx, root ? complete_file(ctx, path, output, header) : BMF_OK);
}

static int write_file(const bmf_list *list, const char *path, const bmf_npy_header *header)
{
    bmf_output_file output = {.file = -1};
    int64_t started = context_now(list->context);
    int status = write_parts(list, path, header, &output);
    output_file_close(&output, ECANCELED); /* nothing is open any more after success */
    if (status == BMF_OK)
        npy_record(list->context, list->partition, header->shape[1] * header->scalar->size, started);
    return status;
}

int bmf_npy_write(const bmf_list *list, const char *path)
{
    bmf_npy_header header = {0};
    BMF_TRY(describe(list, &header));
    skeleton_begin(list->context, &skeleton_write, "write");
    return skeleton_end(list->context, list->partition, write_file(list, path, &header));
}
