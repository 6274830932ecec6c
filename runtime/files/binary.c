/* Items that lie in a file one after the other.
 *
 * Method: a scalar that columns hold as it is goes straight into its array; anything else through a block of 1 MiB,
 * from which every field is copied and converted. With the first index fastest, a rank's rows are one stretch for each
 * place in a row: these are read in turn, several at once where rows are few, and put where they belong.
 * Cost: every byte of the rows once; with the first index fastest, a call for each place of a row.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"
#include "runtime/files/bytes.h"
#include "runtime/files/format.h"

enum { BLOCK = 1 << 20 };

/* Where field k of the items goes. */
static char *field_of(const bmf_column *items, int k, const bmf_type **type, int64_t *stride)
{
    const bmf_column *column = items->type->kind == BMF_TUPLE ? &items->child[k] : items;
    *type = column->type;
    *stride = column->type->size;
    return column->data;
}

/* NumPy's own files hold 0 and 1; kernels rely on that. */
static int check_truths(bmf_context *ctx, const data_file *file, const uint8_t *truth, int64_t count, int64_t first)
{
    uint8_t bits = 0;
    for (int64_t i = 0; i < count; i++)
        bits |= truth[i];
    if (bits <= 1)
        return BMF_OK;
    int64_t i = 0;
    while (truth[i] <= 1)
        i++;
    return data_fail(ctx, file, "scalar %" PRId64 " is byte %d; a bool is 0 or 1", first + i, truth[i]);
}

/* Those beyond the largest int have become negative. */
static int check_unsigned(bmf_context *ctx, const data_file *file, const int64_t *value, int64_t count, int64_t first)
{
    for (int64_t i = 0; i < count; i++)
        if (value[i] < 0)
            return data_fail(ctx, file, "scalar %" PRId64 " is %" PRIu64 "; the largest int is %" PRId64, first + i,
                             (uint64_t)value[i], INT64_MAX);
    return BMF_OK;
}

int data_check_items(bmf_context *ctx, const data_file *file, const bmf_column *items, int64_t first)
{
    for (int k = 0; k < file->fields && items->type->kind != BMF_STRUCT; k++) {
        const bmf_type *type;
        int64_t stride;
        const char *data = field_of(items, k, &type, &stride);
        if (file->field[k].scalar == STORED_BOOL)
            BMF_TRY(check_truths(ctx, file, (const uint8_t *)data, items->count, first));
        if (file->field[k].scalar == STORED_UINT64 && type == &bmf_type_int)
            BMF_TRY(check_unsigned(ctx, file, (const int64_t *)data, items->count, first));
    }
    return BMF_OK;
}

static bool is_swapped(const data_file *file)
{
    bool swapped = false;
    for (int k = 0; k < file->fields; k++)
        swapped |= file->field[k].swapped;
    return swapped;
}

/* Structs in C have the bytes of the file, each scalar in the order of this machine. */
static void put_structs(const data_file *file, const char *block, const bmf_column *items, int64_t to, int64_t step,
                        int64_t count)
{
    const int64_t size = items->type->size;
    const bool swapped = is_swapped(file);
    for (int64_t i = 0; i < count; i++) {
        char *item = (char *)items->data + (to + i * step) * size;
        memcpy(item, block + i * size, (size_t)size);
        for (int k = 0; k < file->fields && swapped; k++)
            if (file->field[k].swapped)
                stored_swap(file->field[k].scalar, block + i * size + file->field[k].offset,
                            item + file->field[k].offset);
    }
}

void data_put_items(const data_file *file, const char *block, const bmf_column *items, int64_t to, int64_t step,
                    int64_t count)
{
    if (items->type->kind == BMF_STRUCT) {
        put_structs(file, block, items, to, step, count);
        return;
    }
    for (int k = 0; k < file->fields; k++) {
        const data_field *field = &file->field[k];
        const bmf_type *type;
        int64_t stride;
        char *data = field_of(items, k, &type, &stride);
        (field->swapped ? stored_load_swapped : stored_load)(field->scalar, block + field->offset, file->item_bytes,
                                                             type, data + to * stride, step * stride, count);
    }
}

bool data_join_binary(data_file *file)
{
    const int last = file->dimensions - 1, fields = (int)file->shape[last];
    if (file->fortran)
        return false;
    for (int k = 1; k < fields; k++) {
        file->field[k] = file->field[0];
        file->field[k].offset += k * file->item_bytes;
    }
    file->fields = fields;
    file->item_bytes *= fields;
    file->shape[last] = 1;
    file->dimensions = last;
    return true;
}

static bool goes_straight(const data_file *file, const bmf_column *items)
{
    if (is_swapped(file))
        return false;
    return items->type->kind == BMF_STRUCT ||
           (file->fields == 1 && items->type->kind != BMF_TUPLE && stored_of(items->type) == file->field[0].scalar &&
            file->item_bytes == items->type->size);
}

/* Items [first, first + items->count) of the file. */
static int read_items(bmf_context *ctx, const data_file *file, MPI_File from, int64_t first, const bmf_column *items)
{
    const int64_t size = file->item_bytes, per_block = size < BLOCK ? BLOCK / size : 1;
    if (goes_straight(file, items))
        return bytes_read(ctx, file->path, from, file->offset + first * size, items->data, items->count * size);
    char *block = allocate(per_block * size);
    int status = BMF_OK;
    for (int64_t i = 0; i < items->count && status == BMF_OK; i += per_block) {
        const int64_t count = items->count - i < per_block ? items->count - i : per_block;
        status = bytes_read(ctx, file->path, from, file->offset + (first + i) * size, block, count * size);
        if (status == BMF_OK)
            data_put_items(file, block, items, i, 1, count);
    }
    free(block);
    return status;
}

/* The place in a row, with the last index fastest, of the column-major place `from`. */
static int64_t row_place(const data_file *file, int64_t from)
{
    int64_t place = 0, index[DATA_DIMENSIONS] = {0};
    for (int d = 1; d < file->dimensions; d++) {
        index[d] = from % file->shape[d];
        from /= file->shape[d];
    }
    for (int d = 1; d < file->dimensions; d++)
        place = place * file->shape[d] + index[d];
    return place;
}

/* The rows [first, first + rows): of every place in a row one stretch, in blocks. */
static int read_stretches(bmf_context *ctx, const data_file *file, MPI_File from, int64_t first, int64_t rows,
                          const bmf_column *items)
{
    const int64_t size = file->item_bytes, width = data_file_width(file), all = file->shape[0];
    const int64_t room = BLOCK / size > 0 ? BLOCK / size : 1;
    /* Whole columns of the file are next to each other: read several, if most of them is this rank's. */
    const int64_t joined = all <= room && all <= 2 * rows ? room / all : 1;
    char *block = allocate((room > all * joined ? room : all * joined) * size);
    int status = BMF_OK;
    for (int64_t place = 0; place < width && status == BMF_OK; place += joined) {
        const int64_t places = width - place < joined ? width - place : joined;
        if (joined > 1) {
            status = bytes_read(ctx, file->path, from, file->offset + place * all * size, block, places * all * size);
            for (int64_t k = 0; k < places && status == BMF_OK; k++)
                data_put_items(file, block + (k * all + first) * size, items, row_place(file, place + k), width, rows);
            continue;
        }
        for (int64_t i = 0; i < rows && status == BMF_OK; i += room) {
            const int64_t count = rows - i < room ? rows - i : room;
            status =
                bytes_read(ctx, file->path, from, file->offset + (place * all + first + i) * size, block, count * size);
            if (status == BMF_OK)
                data_put_items(file, block, items, i * width + row_place(file, place), width, count);
        }
    }
    free(block);
    return status;
}

int data_read_binary(bmf_context *ctx, const data_file *file, int64_t first, int64_t rows, bmf_column *items)
{
    if (items->count == 0)
        return BMF_OK;
    MPI_File from;
    const int64_t width = data_file_width(file);
    BMF_TRY(bytes_open(ctx, file->path, MPI_MODE_RDONLY, &from));
    const int status = file->fortran && width > 1 ? read_stretches(ctx, file, from, first, rows, items)
                                                  : read_items(ctx, file, from, first * width, items);
    MPI_File_close(&from);
    BMF_TRY(status);
    return data_check_items(ctx, file, items, first * width);
}

int data_read_memory(bmf_context *ctx, const data_file *file, const char *bytes, int64_t first, int64_t rows,
                     bmf_column *items)
{
    const int64_t width = data_file_width(file), size = file->item_bytes;
    if (!file->fortran || width == 1)
        data_put_items(file, bytes, items, 0, 1, items->count);
    else
        for (int64_t place = 0; place < width; place++)
            data_put_items(file, bytes + (place * file->shape[0] + first) * size, items, row_place(file, place), width,
                           rows);
    return data_check_items(ctx, file, items, first * width);
}
