/* Records to columns and back, and one element standing for many.
 *
 * Method: leaf by leaf, one strided and one contiguous stream; a leaf as wide as the record is copied as a block.
 * Cost: one pass over the records per leaf, threads for large ones. Source: own. */
#include "skeletons/engine/records.h"
#include "skeletons/engine/scalar_size.h"

#include <string.h>

#include "runtime/data/partition.h"

enum { THREADED_ELEMENTS = 1 << 16 };

#define COPY_STRIDED(size)                                                                                             \
    for (int64_t i = 0; i < count; i++)                                                                                \
    memcpy(to + i * to_step, from + i * from_step, (size_t)(size))

/* Copies `count` values of `size` bytes, `from_step` and `to_step` bytes apart. */
static void copy_strided(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t size, int64_t count)
{
    if (to_step == size && from_step == size)
        memcpy(to, from, (size_t)(count * size));
    else
        WITH_SCALAR_SIZE(size, COPY_STRIDED);
}

static void copy_threaded(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t size, int64_t count,
                          int threads)
{
    int chunks = count >= THREADED_ELEMENTS ? threads : 1;
#pragma omp parallel for num_threads(chunks) schedule(static) if (chunks > 1)
    for (int c = 0; c < chunks; c++) {
        int64_t low = bmf_split_start(count, chunks, c), high = bmf_split_start(count, chunks, c + 1);
        copy_strided(to + low * to_step, to_step, from + low * from_step, from_step, size, high - low);
    }
}

void records_to_column(const void *records, int64_t count, const bmf_column *column, int threads)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    int64_t offset[BMF_MAX_LEAVES], record = bmf_type_record(column->type, offset);
    bmf_slice slice[BMF_MAX_LEAVES];
    int leaves = bmf_type_leaves(column->type, leaf);
    if (count == 0)
        return;
    column_slices(column, 0, slice);
    for (int k = 0; k < leaves; k++)
        copy_threaded(slice[k].data, leaf[k]->size, (const char *)records + offset[k], record, leaf[k]->size, count,
                      threads);
}

void column_to_records(const bmf_column *column, int64_t begin, int64_t count, void *records, int threads)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    int64_t offset[BMF_MAX_LEAVES], record = bmf_type_record(column->type, offset);
    bmf_slice slice[BMF_MAX_LEAVES];
    int leaves = bmf_type_leaves(column->type, leaf);
    if (count == 0)
        return;
    column_slices(column, begin, slice);
    for (int k = 0; k < leaves; k++)
        copy_threaded((char *)records + offset[k], record, slice[k].data, slice[k].stride, leaf[k]->size, count,
                      threads);
}

static void broadcast(bmf_column *column, int64_t count)
{
    column->count = count;
    column->stride = 0;
    for (int k = 0; k < column->type->components; k++)
        broadcast(&column->child[k], count);
}

static int copy_often(const bmf_column *one, int64_t count, bmf_column *column)
{
    bmf_column_builder *builder = column_builder_create(one->type);
    if (!builder)
        return BMF_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++)
        if (column_builder_copy(builder, one, 0, 1) != BMF_OK)
            break; /* finish says so too */
    return column_builder_finish(builder, column);
}

int column_repeat(bmf_column *one, int64_t count, bmf_column *column)
{
    int status = BMF_OK;
    if (bmf_type_is_fixed(one->type)) {
        *column = *one;
        *one = (bmf_column){0};
        broadcast(column, count);
        return BMF_OK;
    }
    status = copy_often(one, count, column);
    column_free(one);
    return status;
}
