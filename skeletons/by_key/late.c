/* Blocks that are cut between processors; see tables.h.
 *
 * Method: the elements of a part before the first block that begins there belong to the block of a part before it. They
 * are copied out of all parts, as a list of their own, which is then cut so that each part has those of its last block.
 * Cost: at most a block's elements a part, 8 + w bytes each, to the processor before it; where blocks are longer than
 * parts, farther. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/by_key/tables.h"
#include "skeletons/engine/repartition.h"
#include "skeletons/engine/scalar_size.h"
#include "skeletons/skeleton_types.h"

/* Elements of part k that belong to a block before it. */
static int64_t late_of(const bmf_by_key *by, int64_t part)
{
    const int64_t *start = by->values->partition->start;
    return by_key_block_from(by, start[part], start[part + 1]) - start[part];
}

/* They where they are, and where they go. */
static int cut(bmf_by_key *by, bmf_partition **here, bmf_partition **there)
{
    const bmf_partition *partition = by->values->partition;
    int64_t *from = allocate_clear(partition->parts + 1, (int64_t)sizeof *from);
    int64_t *to = allocate_clear(partition->parts + 1, (int64_t)sizeof *to);
    for (int64_t k = 0; k < partition->parts; k++) {
        const int64_t late = late_of(by, k);
        from[k + 1] = from[k] + late;
        if (late > 0)
            to[bmf_partition_part_of(partition, partition->start[k] / by->block * by->block) + 1] += late;
    }
    for (int64_t k = 0; k < partition->parts; k++)
        to[k + 1] += to[k];
    by->late.elements = to[partition->parts];
    int status = bmf_partition_resized(by->ctx, partition, from, here);
    if (status == BMF_OK) {
        status = bmf_partition_resized(by->ctx, partition, to, there);
        if (status != BMF_OK)
            bmf_partition_release(*here);
    }
    free(from);
    free(to);
    return status;
}

#define COPY_LATE(size)                                                                                                \
    for (int64_t i = 0; i < count; i++)                                                                                \
    memcpy(to + i * to_stride, from + i * from_stride, (size_t)(size))

static void copy_leaf(const bmf_slice *source, const bmf_slice *target, int64_t size, int64_t count)
{
    const int64_t from_stride = source->stride, to_stride = target->stride;
    const char *from = source->data;
    char *to = target->data;
    WITH_SCALAR_SIZE(size, COPY_LATE);
}

/* The elements of a list that leave their parts. */
static int copy(const bmf_by_key *by, const bmf_list *xs, bmf_partition *here, bmf_list **made)
{
    const bmf_partition *partition = xs->partition;
    const bmf_type *leaf[BMF_MAX_LEAVES];
    BMF_TRY(bmf_list_create(by->ctx, xs->type, here, made));
    const int leaves = bmf_type_leaves(xs->type, leaf);
    for (int64_t k = partition->local_first; k < partition->local_first + partition->local_parts; k++) {
        bmf_slice from[BMF_MAX_LEAVES], to[BMF_MAX_LEAVES];
        column_slices(&xs->column, partition->start[k] - bmf_partition_local_begin(partition), from);
        column_slices(&(*made)->column, here->start[k] - bmf_partition_local_begin(here), to);
        for (int l = 0; l < leaves; l++)
            copy_leaf(&from[l], &to[l], leaf[l]->size, late_of(by, k));
    }
    return BMF_OK;
}

static int move(const bmf_by_key *by, const bmf_list *xs, bmf_partition *here, bmf_partition *there, bmf_list **out)
{
    bmf_list *leaving = NULL;
    skeleton_begin(by->ctx, &skeleton_redistribute, "redistribute");
    int status = copy(by, xs, here, &leaving);
    if (status == BMF_OK)
        status = repartition("redistribute", 1, &(bmf_move_source){leaving, 0}, there, out);
    bmf_list_free(leaving);
    return skeleton_end(by->ctx, there, status);
}

/* Number of the first element here that leaves and whose key is out of range. */
static void look_at_keys(bmf_by_key *by)
{
    const bmf_partition *partition = by->keys->partition;
    const bmf_column *column = &by->keys->column;
    for (int64_t k = partition->local_first; k < partition->local_first + partition->local_parts; k++)
        for (int64_t i = partition->start[k]; i < partition->start[k] + late_of(by, k); i++) {
            const int64_t local = i - bmf_partition_local_begin(partition);
            const int64_t key = *(const int64_t *)((const char *)column->data + local * column->stride);
            if ((key < 0 || key >= by->count) && by->bad < 0)
                by->bad = i;
        }
}

int by_key_bring_late(bmf_by_key *by)
{
    bmf_partition *here, *there;
    if (by->table.exact)
        return BMF_OK;
    BMF_TRY(cut(by, &here, &there));
    int status = BMF_OK;
    if (by->late.elements > 0) {
        look_at_keys(by);
        status = move(by, by->keys, here, there, &by->late.keys);
        if (status == BMF_OK)
            status = move(by, by->values, here, there, &by->late.values);
    }
    bmf_partition_release(here);
    bmf_partition_release(there);
    return status;
}
