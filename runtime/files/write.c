/* Writing data files.
 *
 * Method: rank 0 makes the file under a private name (runtime/base/output_file.h) up to its items and tells the others,
 * every rank writes its own at their place, and rank 0 completes the file and gives it its name when all have
 * succeeded, or removes it. Ranks agree after each of the three steps. A broadcast column is written from one block
 * filled with its value, structures through blocks.
 * Cost: n w bytes to the file, each by one rank, and synced; two broadcasts and two allreduces of a word, for lists of
 * lists an allgather and one value per rank for each depth more, for checksums another.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "bmf/files.h"
#include "runtime/backend/backend.h"
#include "runtime/backend/shared_path.h"
#include "runtime/base/allocate.h"
#include "runtime/files/bytes.h"
#include "runtime/files/format.h"

enum { BLOCK = 4 << 20 };

const bmf_skeleton_type skeleton_write = {.id = 33, .name = "write", .communication = BMF_COMMUNICATION_OTHER};

/* ---- what to write ---- */

/* Agrees on the length of the lists in a column, the first of which is number `first` of the whole; the first that
 * differs from number 0 is an error. 0 if there are none. */
static int agree_on_length(bmf_context *ctx, const bmf_column *lists, int64_t first, const char *format,
                           int64_t *length)
{
    const int64_t *offsets = lists->offsets;
    int64_t mine = lists->count > 0 ? offsets[1] - offsets[0] : -1;
    int64_t *all = allocate(ctx->ranks * (int64_t)sizeof *all);
    int status = ctx->backend->allgather(ctx, &mine, 1, NULL, all);
    *length = 0;
    for (int r = ctx->ranks - 1; r >= 0; r--)
        *length = all[r] >= 0 ? all[r] : *length;
    free(all);
    BMF_TRY(status);
    for (int64_t i = 0; i < lists->count && status == BMF_OK; i++)
        if (offsets[i + 1] - offsets[i] != *length)
            status = bmf_fail(ctx, BMF_ERROR_SHAPE,
                              "a %s file needs rows of equal length: row %" PRId64 " has %" PRId64
                              " elements, row 0 has %" PRId64,
                              format, first + i, offsets[i + 1] - offsets[i], *length);
    return bmf_agree(ctx, status);
}

static bool describe_fields(const bmf_type *item, data_file *file)
{
    const bmf_type *const *component = item->kind == BMF_TUPLE ? item->component : &item;
    file->fields = item->kind == BMF_TUPLE ? item->components : 1;
    file->item_bytes = 0;
    for (int k = 0; k < file->fields; k++) {
        const bmf_stored_scalar scalar = component[k]->kind < BMF_STRUCT ? stored_of(component[k]) : STORED_SCALARS;
        if (scalar == STORED_SCALARS)
            return false;
        file->field[k].scalar = scalar;
        file->field[k].offset = file->item_bytes;
        file->item_bytes += stored_size(scalar);
    }
    return true;
}

/* Also finds the column of the items. */
static int describe(const bmf_list *list, data_file *file, const bmf_column **items)
{
    bmf_context *ctx = list->context;
    const char *format = data_format_of(file)->name;
    const bmf_type *item = list->type;
    for (file->dimensions = 1; item->kind == BMF_LIST; file->dimensions++)
        item = item->component[0];
    if (file->dimensions > DATA_DIMENSIONS || !describe_fields(item, file)) {
        char text[128];
        return bmf_fail(ctx, BMF_ERROR_TYPE,
                        "cannot write %s as %s: it takes lists of int, int32, real, float, complex or bool, of tuples "
                        "of them, and lists of such lists",
                        bmf_type_print(bmf_type_list(list->type), text, sizeof text), format);
    }
    *items = &list->column;
    file->fortran = false;
    file->shape[0] = bmf_length(list);
    int64_t first = bmf_partition_local_begin(list->partition);
    for (int d = 1; d < file->dimensions; d++) {
        BMF_TRY(agree_on_length(ctx, *items, first, format, &file->shape[d]));
        *items = &(*items)->child[0];
        first *= file->shape[d];
    }
    return BMF_OK;
}

/* ---- the items ---- */

/* Items [first, first + count) as they lie in the file. */
static void pack_items(const data_file *file, const bmf_column *items, int64_t first, int64_t count, char *to)
{
    for (int k = 0; k < file->fields; k++) {
        const bmf_column *column = items->type->kind == BMF_TUPLE ? &items->child[k] : items;
        stored_load(file->field[k].scalar, (const char *)column->data + first * column->stride, column->stride,
                    column->type, to + file->field[k].offset, file->item_bytes, count);
    }
}

static uint32_t check_bytes(uint32_t check, const char *bytes, int64_t count)
{
    for (int64_t done = 0, part; done < count; done += part) {
        part = count - done < INT32_MAX ? count - done : INT32_MAX;
        check = (uint32_t)crc32(check, (const Bytef *)bytes + done, (uInt)part);
    }
    return check;
}

static int write_items(bmf_context *ctx, const data_file *file, data_writing *writing, MPI_File to)
{
    const bmf_column *items = writing->rows;
    const bool checks = data_format_of(file)->checks;
    const int64_t size = file->item_bytes, offset = file->offset + writing->first * size;
    writing->bytes = items->count * size;
    if (items->type->kind != BMF_TUPLE && items->stride == size) {
        if (checks)
            writing->check = check_bytes(0, items->data, writing->bytes);
        return bytes_write(ctx, writing->path, to, offset, items->data, writing->bytes);
    }
    const int64_t per_block = BLOCK / size;
    char *block = allocate((items->count < per_block ? items->count : per_block) * size);
    int status = BMF_OK;
    for (int64_t i = 0; i < items->count && status == BMF_OK; i += per_block) {
        const int64_t count = items->count - i < per_block ? items->count - i : per_block;
        pack_items(file, items, i, count, block);
        if (checks)
            writing->check = check_bytes(writing->check, block, count * size);
        status = bytes_write(ctx, writing->path, to, offset + i * size, block, count * size);
    }
    free(block);
    return status;
}

static int write_binary(bmf_context *ctx, const data_file *file, data_writing *writing)
{
    if (writing->rows->count == 0)
        return BMF_OK;
    MPI_File to;
    BMF_TRY(bytes_open(ctx, writing->written, MPI_MODE_WRONLY, &to));
    int status = write_items(ctx, file, writing, to);
    if (MPI_File_close(&to) != MPI_SUCCESS && status == BMF_OK)
        status = data_fail(ctx, file, "cannot close: is the disk full?");
    return status;
}

/* ---- the steps ---- */

/* On rank 0: the file up to its items, under the name that all write to. */
static int create_file(bmf_context *ctx, data_file *file, bmf_output_file *output)
{
    const data_format *format = data_format_of(file);
    const int failure = output_file_open_regular(output, file->path);
    if (failure == EISDIR)
        return data_fail(ctx, file, "is a directory");
    if (failure == ESPIPE)
        return data_fail(ctx, file, "is not a regular file");
    if (failure)
        return data_fail(ctx, file, "cannot create: %s", strerror(failure));
    if (file->what && !format->what)
        return data_fail(ctx, file, "nothing is known behind the name of a %s file, not `:%s`", format->name,
                         file->what);
    return format->begin(ctx, output, file);
}

/* On rank 0, when all have written. */
static int complete_file(bmf_context *ctx, const data_file *file, bmf_output_file *output, const uint32_t *check,
                         const int64_t *bytes)
{
    const data_format *format = data_format_of(file);
    struct stat about;
    int64_t expected = file->offset;
    for (int r = 0; r < ctx->ranks; r++)
        expected += bytes[r];
    if (fstat(output->file, &about) != 0)
        return data_fail(ctx, file, "%s", strerror(errno));
    if (about.st_size < expected || (about.st_size != expected && !format->end))
        return data_fail(ctx, file, "%" PRId64 " bytes written, but it has %" PRId64, expected, (int64_t)about.st_size);
    if (format->end)
        BMF_TRY(format->end(ctx, output, file, check, bytes));
    const int failure = output_file_close(output, 0);
    return failure ? data_fail(ctx, file, "cannot write: %s", strerror(failure)) : BMF_OK;
}

static int write_parts(const bmf_list *list, data_file *file, const bmf_column *items, bmf_output_file *output)
{
    bmf_context *ctx = list->context;
    const data_format *format = data_format_of(file);
    const bool root = ctx->rank == 0;
    char written[BMF_SHARED_PATH];
    const int created = root ? create_file(ctx, file, output) : BMF_OK;
    BMF_TRY(share_path(ctx, created, output->written, written));
    data_file made = *file;
    BMF_TRY(ctx->backend->bcast(ctx, 0, &made, sizeof made));
    data_file_take(file, &made);
    data_writing writing = {.path = file->path,
                            .written = written,
                            .first = bmf_partition_local_begin(list->partition) * data_file_width(file),
                            .rows = items};
    BMF_TRY(failure_defer(ctx, (format->write ? format->write : write_binary)(ctx, file, &writing)));
    const int64_t mine[] = {writing.check, writing.bytes};
    int64_t *all = allocate_array(2 * (int64_t)ctx->ranks, sizeof *all),
            *bytes = allocate_array(ctx->ranks, sizeof *bytes);
    uint32_t *check = allocate_array(ctx->ranks, sizeof *check);
    int settled = ctx->backend->allgather(ctx, mine, 2, NULL, all);
    for (int r = 0; r < ctx->ranks; r++) {
        check[r] = (uint32_t)all[2 * r];
        bytes[r] = all[2 * r + 1];
    }
    if (settled == BMF_OK)
        settled = bmf_agree(ctx, root ? complete_file(ctx, file, output, check, bytes) : BMF_OK);
    free(all);
    free(bytes);
    free(check);
    return settled;
}

static int write_file(const bmf_list *list, data_file *file, const bmf_column *items)
{
    bmf_output_file output = {.file = -1};
    const int64_t started = context_now(list->context);
    const int status = write_parts(list, file, items, &output);
    output_file_close(&output, ECANCELED); /* nothing is open any more after success */
    if (status == BMF_OK)
        bytes_record(list->context, list->partition,
                     data_file_width(file) * (file->item_bytes > 0 ? file->item_bytes : 8 * file->fields), started);
    return status;
}

int data_file_write(const bmf_list *list, data_file *file)
{
    const bmf_column *items = NULL;
    int status = describe(list, file, &items);
    if (status == BMF_OK) {
        skeleton_begin(list->context, &skeleton_write, "write");
        status = skeleton_end(list->context, list->partition, write_file(list, file, items));
    }
    data_file_free(file);
    return status;
}
