/* Lists: a type, a partition and this rank's column.
 *
 * Method: a list holds one reference to its partition and owns its column. Ranks agree on the outcome of a big
 * allocation, because any of them may run out of memory; for small ones the allreduce would cost more than the list.
 * Whether an allocation is big is decided from what every rank knows. Debug builds check every list that is made.
 * Cost: O(parts) to create; debug builds O(parts + inner lists).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

enum { AGREED_BYTES = 1 << 20 };

/* At least the bytes the busiest rank allocates, the same number on every rank: no rank has more than
 * ceil(processors / ranks) parts. */
static int64_t busiest_bytes(const bmf_context *ctx, const bmf_partition *partition, int64_t element_bytes)
{
    int64_t largest = 0;
    for (int64_t k = 0; k < partition->parts; k++) {
        int64_t part = partition->start[k + 1] - partition->start[k];
        largest = part > largest ? part : largest;
    }
    int64_t parts = (ctx->processors + ctx->ranks - 1) / ctx->ranks, bytes, whole;
    if (__builtin_mul_overflow(bmf_partition_length(partition), element_bytes, &whole))
        return INT64_MAX;
    if (__builtin_mul_overflow(largest * element_bytes, parts, &bytes))
        return whole;
    return bytes < whole ? bytes : whole;
}

static int64_t fixed_bytes(const bmf_type *type)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    int leaves = bmf_type_leaves(type, leaf);
    int64_t bytes = 0;
    for (int k = 0; k < leaves; k++)
        bytes += leaf[k]->size;
    return bytes;
}

#ifndef NDEBUG
static void check(bmf_context *ctx, const bmf_list *list)
{
    const char *broken = partition_broken(ctx, list->partition);
    if (!broken)
        broken = column_broken(&list->column);
    if (!broken &&
        list->column.count != bmf_partition_local_end(list->partition) - bmf_partition_local_begin(list->partition))
        broken = "a list's column has not as many elements as its partition says";
    if (!broken)
        return;
    fprintf(stderr, "bmf: broken list: %s\n", broken);
    abort();
}
#else
static void check(bmf_context *ctx, const bmf_list *list)
{
    (void)ctx;
    (void)list;
}
#endif

int bmf_list_create(bmf_context *ctx, const bmf_type *type, bmf_partition *partition, bmf_list **list)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    char text[128];
    if (!bmf_type_is_fixed(type))
        return bmf_fail(ctx, BMF_ERROR_TYPE, "a list of %s cannot be made before its inner lists are known",
                        bmf_type_print(type, text, sizeof text));
    if (bmf_type_leaves(type, leaf) < 0)
        return bmf_fail(ctx, BMF_ERROR_TYPE, "an element of %s has more than %d scalars",
                        bmf_type_print(type, text, sizeof text), BMF_MAX_LEAVES);
    int64_t count = bmf_partition_local_end(partition) - bmf_partition_local_begin(partition);
    int64_t bytes = fixed_bytes(type);
    bmf_column column;
    int status = column_create(type, count, &column);
    bool agreed = busiest_bytes(ctx, partition, bytes) >= AGREED_BYTES;
    if (status != BMF_OK && !agreed) /* nobody else will notice */
        out_of_memory(count * bytes, "for a list");
    if (status != BMF_OK)
        bmf_fail(ctx, status, "out of memory: %" PRId64 " elements of %" PRId64 " bytes on rank %d", count, bytes,
                 ctx->rank);
    if (agreed)
        status = bmf_agree(ctx, status);
    if (status != BMF_OK) {
        column_free(&column);
        return status;
    }
    list_adopt(ctx, partition, &column, list);
    return BMF_OK;
}

void list_adopt(bmf_context *ctx, bmf_partition *partition, bmf_column *column, bmf_list **list)
{
    bmf_list *made = allocate(sizeof *made);
    *made = (bmf_list){ctx, column->type, bmf_partition_retain(partition), *column};
    *column = (bmf_column){0};
    check(ctx, made);
    *list = made;
}

void bmf_list_free(bmf_list *list)
{
    if (!list)
        return;
    column_free(&list->column);
    bmf_partition_release(list->partition);
    free(list);
}

int64_t bmf_length(const bmf_list *list)
{
    return bmf_partition_length(list->partition);
}

bmf_context *bmf_list_context(const bmf_list *list)
{
    return list->context;
}

const bmf_type *bmf_list_type(const bmf_list *list)
{
    return list->type;
}

bmf_partition *bmf_list_partition(const bmf_list *list)
{
    return list->partition;
}

int64_t bmf_list_local_begin(const bmf_list *list)
{
    return bmf_partition_local_begin(list->partition);
}

int64_t bmf_list_local_end(const bmf_list *list)
{
    return bmf_partition_local_end(list->partition);
}

/* Where one leaf of the elements, or of the inner lists' elements, stands. */
static bmf_slice leaf_slice(const bmf_list *list, int leaf)
{
    bmf_slice slice[BMF_MAX_LEAVES];
    const bmf_column *column = &list->column;
    column_slices(column->type->kind == BMF_LIST ? column->child : column, 0, slice);
    return slice[leaf];
}

const void *bmf_list_data(const bmf_list *list, int leaf, int64_t *stride)
{
    bmf_slice slice = leaf_slice(list, leaf);
    *stride = slice.stride;
    return slice.data;
}

void *bmf_list_data_writable(bmf_list *list, int leaf)
{
    bmf_list_make_writable(list);
    return leaf_slice(list, leaf).data;
}

const int64_t *bmf_list_offsets(const bmf_list *list)
{
    return list->column.type->kind == BMF_LIST ? list->column.offsets : NULL;
}

char *bmf_list_print(const bmf_list *list, char *text, size_t size)
{
    char partition[128];
    bmf_type_print(bmf_type_list(list->type), text, size);
    size_t used = strlen(text);
    snprintf(text + used, size - used, ", %s", bmf_partition_print(list->partition, partition, sizeof partition));
    return text;
}

void bmf_list_make_writable(bmf_list *list)
{
    bmf_column copy;
    if (column_unique(&list->column))
        return;
    bmf_column_builder *builder = column_builder_create(list->type);
    if (column_builder_copy(builder, &list->column, 0, list->column.count) != BMF_OK ||
        column_builder_finish(builder, &copy) != BMF_OK)
        out_of_memory(column_packed_bytes(&list->column, 0, list->column.count), "for a list");
    column_free(&list->column);
    list->column = copy;
}
