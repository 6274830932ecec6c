/* Lists: a type, a partition and this rank's column.
 *
 * Method: a list holds one reference to its partition and owns its column. Lists that some rank cannot have are refused
 * by all ranks without a message: every rank knows the whole partition, and how much memory ranks may have. A rank that
 * has less left than that ends the program. Debug builds check every list that is made.
 * Cost: O(parts) to create; debug builds O(parts + inner lists).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/handle.h"
#include "runtime/backend/backend.h"
#include "runtime/context/held.h"
#include "runtime/data/list.h"

/* The first rank that cannot have its elements; -1: all can. Sets *count to its elements. */
static int rank_without_memory(const bmf_context *ctx, const bmf_partition *partition, int64_t element_bytes,
                               int64_t *count)
{
    const int64_t most = element_bytes > 0 ? ctx->memory_limit / element_bytes : INT64_MAX;
    int64_t begin = 0;
    if (bmf_partition_length(partition) <= most)
        return -1;
    for (int r = 0; r < ctx->ranks; r++) {
        const int64_t part = bmf_partition_part_from(partition, bmf_first_processor(ctx, r + 1));
        *count = partition->start[part] - begin;
        if (*count > most)
            return r;
        begin = partition->start[part];
    }
    return -1;
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

int list_fits(bmf_context *ctx, const bmf_type *type, const bmf_partition *partition)
{
    const int64_t bytes = fixed_bytes(type);
    int64_t count;
    const int rank = rank_without_memory(ctx, partition, bytes, &count);
    return rank < 0
               ? BMF_OK
               : bmf_fail(ctx, BMF_ERROR_MEMORY, "out of memory: %" PRId64 " elements of %" PRId64 " bytes on rank %d",
                          count, bytes, rank);
}

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
    BMF_TRY(list_fits(ctx, type, partition));
    const int64_t count = bmf_partition_local_end(partition) - bmf_partition_local_begin(partition);
    bmf_column column;
    require_memory(column_create(type, count, &column), count * fixed_bytes(type));
    list_adopt(ctx, partition, &column, list);
    return BMF_OK;
}

/* Its parts, as runs of elements on processors. */
static void hold_list(const bmf_list *list)
{
    const bmf_partition *partition = list->partition;
    const int64_t first = bmf_partition_local_begin(partition);
    bmf_held_run *run = allocate_array(partition->local_parts, (int64_t)sizeof *run);
    for (int64_t k = 0; k < partition->local_parts; k++) {
        const int64_t part = partition->local_first + k;
        run[k] = (bmf_held_run){bmf_partition_processor(partition, part), partition->start[part + 1] - first};
    }
    hold_begin(list->context);
    hold_column(list->context, &list->column, partition->local_parts, run);
    hold_end(list->context);
    free(run);
}

void list_adopt(bmf_context *ctx, bmf_partition *partition, bmf_column *column, bmf_list **list)
{
    bmf_list *made = allocate(sizeof *made);
    *made = (bmf_list){ctx, column->type, bmf_partition_retain(partition), *column};
    *column = (bmf_column){0};
    check(ctx, made);
    if (holds_memory(ctx))
        hold_list(made);
    *list = made;
}

void bmf_list_free(bmf_list *list)
{
    if (!list)
        return;
    column_free(&list->column);
    bmf_partition_release(list->partition);
    handle_free(list);
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
