/* reduce_by_key: for every key the reduction of the values that have it.
 *
 * Method: blocks of elements are folded into tables, and tables joined by the fixed tree over the blocks' numbers, at
 * the first processor (first.c) or at those that will have the results (owners.c); then results are moved, if that is
 * not where they are wanted.
 * Cost: n (8 + w) bytes read once; a table has w bytes a key. Messages: see bmf/skeletons.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/skeletons.h"
#include "runtime/base/allocate.h"
#include "skeletons/by_key/methods.h"
#include "skeletons/engine/records.h"
#include "skeletons/engine/repartition.h"
#include "skeletons/skeleton_types.h"

const bmf_skeleton_type skeleton_reduce_by_key = {
    .id = 42, .name = "reduce_by_key", .communication = BMF_COMMUNICATION_REDUCE};

int by_key_number_nodes(bmf_by_key *by)
{
    const bmf_partition *partition = by->values->partition;
    if (by->table.exact) {
        by->nodes = bmf_partition_retain(by->values->partition);
        return BMF_OK;
    }
    int64_t *start = allocate((partition->parts + 1) * (int64_t)sizeof *start);
    for (int64_t k = 0; k <= partition->parts; k++)
        start[k] = (partition->start[k] + by->block - 1) / by->block;
    const int status = bmf_partition_resized(by->ctx, partition, start, &by->nodes);
    free(start);
    return status;
}

int by_key_open(bmf_by_key *by, const bmf_list *keys, const bmf_list *values, int64_t count, const bmf_operator *op)
{
    BMF_TRY(by_key_open_alone(by, values->context, values->type, count, op));
    by->keys = keys;
    by->values = values;
    by->block = by_key_block(count, bmf_length(values));
    const int status = by_key_number_nodes(by);
    if (status != BMF_OK)
        by_key_close(by);
    return status;
}

int by_key_refuse_bad(const bmf_by_key *by)
{
    const bmf_column *column = &by->keys->column;
    const int64_t local = by->bad - bmf_partition_local_begin(by->keys->partition);
    const int64_t key = *(const int64_t *)((const char *)column->data + local * column->stride);
    return bmf_fail(by->ctx, BMF_ERROR_INDEX,
                    "reduce_by_key: key %" PRId64 " at position %" PRId64 " is not one of 0 to %" PRId64, key, by->bad,
                    by->count - 1);
}

/* ---- results ---- */

/* So many results split evenly over the processors of a list. */
static int even_partition(bmf_context *ctx, const bmf_partition *like, int64_t count, bmf_partition **even)
{
    int64_t *start = allocate((like->parts + 1) * (int64_t)sizeof *start);
    for (int64_t k = 0; k <= like->parts; k++)
        start[k] = bmf_split_start(count, like->parts, k);
    const int status = bmf_partition_resized(ctx, like, start, even);
    free(start);
    return status;
}

/* Whether entries can be made where the elements of a column stand; bytes: they take. */
static bool holds_entries(const bmf_by_key *by, const bmf_column *column, int64_t bytes)
{
    bmf_slice leaf[BMF_MAX_LEAVES];
    if (!column->buffer || column->buffer->size < bytes)
        return false;
    column_slices(column, 0, leaf);
    return tree_is_plain(&by->entry, leaf) && by->entry.record == by->entry.leaf_size[0];
}

/* Makes the elements of a list of results here: all on the first processor, or, even, at their owners. */
static int fill(bmf_by_key *by, bool owners, bmf_list *made)
{
    const int64_t bytes = owners ? made->column.count * by->entry.record : by->table.record;
    const bool in_place = holds_entries(by, &made->column, bytes);
    char *results = in_place ? made->column.data : allocate(bytes + 1);
    int status = BMF_OK;
    if (bmf_length(by->values) == 0)
        by_key_clear_entries(by, made->column.count, results);
    else
        status = owners ? by_key_at_owners(by, made->partition, results) : by_key_at_first(by, results);
    if (status == BMF_OK && !in_place)
        records_to_column(results, made->column.count, &made->column, by->ctx->threads);
    if (!in_place)
        free(results);
    return status;
}

static int move(const bmf_by_key *by, const bmf_list *made, bmf_partition *target, bmf_list **out)
{
    skeleton_begin(by->ctx, &skeleton_redistribute, "redistribute");
    int status = BMF_OK;
    if (by->values->partition->parts == 1)
        relabel_partition(made, target, out);
    else
        status = repartition("redistribute", 1, &(bmf_move_source){made, 0}, target, out);
    return skeleton_end(by->ctx, target, status);
}

/* The list on the one partition or the other, wherever its elements are made. */
static int reduce_on(bmf_by_key *by, bool placed, bmf_partition *first, bmf_partition *even, bmf_list **out)
{
    bool owners;
    BMF_TRY(by_key_choose_way(by, placed, &owners));
    owners = owners || (!placed && bmf_length(by->values) == 0);
    bmf_partition *target = placed ? first : even, *where = owners ? even : first;
    bmf_list *made;
    BMF_TRY(bmf_list_create(by->ctx, by->op->type, where, &made));
    int status = fill(by, owners, made);
    if (status == BMF_OK && where != target)
        status = move(by, made, target, out);
    else if (status == BMF_OK)
        *out = made;
    if (status != BMF_OK || where != target)
        bmf_list_free(made);
    return status;
}

int by_key_reduce(bmf_by_key *by, bool placed, bmf_list **out)
{
    bmf_partition *first, *even;
    BMF_TRY(bmf_partition_placed(by->ctx, by->values->partition->base, by->count, &first));
    int status = even_partition(by->ctx, by->values->partition, by->count, &even);
    if (status == BMF_OK) {
        status = reduce_on(by, placed, first, even, out);
        bmf_partition_release(even);
    }
    bmf_partition_release(first);
    return status;
}

/* ---- the skeleton ---- */

static int check(const bmf_list *keys, const bmf_list *values, int64_t count, const bmf_operator *op)
{
    bmf_context *ctx = values->context;
    char first[256], second[256];
    if (keys->type->kind != BMF_INT)
        return bmf_fail(ctx, BMF_ERROR_TYPE, "reduce_by_key: keys are int, not %s",
                        bmf_type_print(keys->type, first, sizeof first));
    if (!bmf_partition_equal(keys->partition, values->partition))
        return bmf_fail(ctx, BMF_ERROR_SHAPE, "reduce_by_key: %s and %s do not conform",
                        bmf_list_print(keys, first, sizeof first), bmf_list_print(values, second, sizeof second));
    if (count < 0)
        return bmf_fail(ctx, BMF_ERROR_SHAPE, "reduce_by_key: %" PRId64 " keys", count);
    if (!op->identity)
        return bmf_fail(ctx, BMF_ERROR_SHAPE, "reduce_by_key needs an operator with an identity; %s has none",
                        op->name);
    return BMF_OK;
}

int by_key_fits(bmf_context *ctx, const bmf_partition *like, const bmf_type *type, int64_t count, bool placed)
{
    bmf_partition *partition;
    BMF_TRY(placed ? bmf_partition_placed(ctx, like->base, count, &partition)
                   : even_partition(ctx, like, count, &partition));
    const int status = list_fits(ctx, type, partition);
    bmf_partition_release(partition);
    return status;
}

int bmf_reduce_by_key(const bmf_list *keys, const bmf_list *values, int64_t count, const bmf_operator *op,
                      bmf_list **out)
{
    bmf_context *ctx = values->context;
    bmf_by_key by;
    BMF_TRY(check(keys, values, count, op));
    BMF_TRY(by_key_fits(ctx, values->partition, op->type, count, false));
    BMF_TRY(by_key_open(&by, keys, values, count, op));
    skeleton_begin(ctx, &skeleton_reduce_by_key, "reduce_by_key %s", op->name);
    const int status = skeleton_end(ctx, values->partition, by_key_reduce(&by, false, out));
    by_key_close(&by);
    return status;
}
