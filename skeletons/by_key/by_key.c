/* reduce_by_key: for every key the reduction of the values that have it.
 *
 * Method: blocks of elements are folded into tables of all keys (run.c, fold.c); the tables of a block are joined by
 * the fixed tree over the blocks' numbers, first those of a processor, then those of all, by the schedules of
 * reductions, at the first processor; from there every processor gets its part of the results. Blocks are eight times
 * as long as tables, so that joining costs little; one that is cut is folded where it begins (late.c).
 * Cost: n (8 + w) bytes read once; a table has w bytes a key. Messages: see bmf/skeletons.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/skeletons.h"
#include "runtime/base/allocate.h"
#include "skeletons/by_key/tables.h"
#include "skeletons/engine/records.h"
#include "skeletons/engine/reduction.h"
#include "skeletons/engine/repartition.h"
#include "skeletons/skeleton_types.h"

const bmf_skeleton_type skeleton_reduce_by_key = {
    .id = 42, .name = "reduce_by_key", .communication = BMF_COMMUNICATION_REDUCE};

/* Blocks that begin in each part, or its elements. */
static int number_nodes(bmf_by_key *by)
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
    const int status = number_nodes(by);
    if (status != BMF_OK)
        by_key_close(by);
    return status;
}

static int refuse_key(const bmf_by_key *by)
{
    const bmf_column *column = &by->keys->column;
    const int64_t local = by->bad - bmf_partition_local_begin(by->keys->partition);
    const int64_t key = *(const int64_t *)((const char *)column->data + local * column->stride);
    return bmf_fail(by->ctx, BMF_ERROR_INDEX,
                    "reduce_by_key: key %" PRId64 " at position %" PRId64 " is not one of 0 to %" PRId64, key, by->bad,
                    by->count - 1);
}

/* A key out of range as a failure of this rank; the others hear of it. */
static int defer_bad(const bmf_by_key *by, int status)
{
    if (status == BMF_OK && by->bad >= 0)
        status = refuse_key(by);
    return failure_defer(by->ctx, status);
}

static int bring_together(bmf_by_key *by, char *results)
{
    bmf_reduction_rounds rounds;
    reduction_open(&rounds, &by->partials, "reduce_by_key", by->values, true, results);
    const int status = reduction_run(&rounds, true);
    reduction_close(&rounds);
    return status;
}

int by_key_reduce(bmf_by_key *by, char *results)
{
    if (bmf_length(by->values) == 0) {
        by_key_clear_table(by, results);
        return BMF_OK;
    }
    if (by->values->partition->parts == 1) {
        plan_title(by->ctx, "reduce_by_key", by->values);
        BMF_TRY(defer_bad(by, by_key_fold(by, results)));
        return agree_if(by->ctx, true, BMF_OK);
    }
    BMF_TRY(by_key_bring_late(by));
    BMF_TRY(defer_bad(by, by_key_fold(by, results)));
    return bring_together(by, results);
}

static int spread(const bmf_by_key *by, const bmf_list *placed, bmf_list **out)
{
    const bmf_partition *partition = by->values->partition;
    int64_t *start = allocate((partition->parts + 1) * (int64_t)sizeof *start);
    bmf_partition *even;
    for (int64_t k = 0; k <= partition->parts; k++)
        start[k] =
            by->count / partition->parts * k + (k < by->count % partition->parts ? k : by->count % partition->parts);
    int status = bmf_partition_resized(by->ctx, partition, start, &even);
    free(start);
    if (status != BMF_OK)
        return status;
    skeleton_begin(by->ctx, &skeleton_redistribute, "redistribute");
    if (partition->parts == 1)
        relabel_partition(placed, even, out);
    else
        status = repartition("redistribute", 1, &(bmf_move_source){placed, 0}, even, out);
    status = skeleton_end(by->ctx, even, status);
    bmf_partition_release(even);
    return status;
}

/* Whether a table can be made where the elements of a column stand. */
static bool holds_table(const bmf_by_key *by, const bmf_column *column)
{
    bmf_slice leaf[BMF_MAX_LEAVES];
    if (column->count != by->count || !column->buffer || column->buffer->size < by->table.record)
        return false;
    column_slices(column, 0, leaf);
    return tree_is_plain(&by->entry, leaf) && by->entry.record == by->entry.leaf_size[0];
}

/* Results into a list on the first processor: if records are its elements, made where they stay. */
static int fill_placed(bmf_by_key *by, bmf_list *placed)
{
    if (holds_table(by, &placed->column))
        return by_key_reduce(by, placed->column.data);
    char *results = allocate(by->table.record);
    const int status = by_key_reduce(by, results);
    if (status == BMF_OK)
        records_to_column(results, placed->column.count, &placed->column, by->ctx->threads);
    free(results);
    return status;
}

static int reduce_by_key(bmf_by_key *by, bmf_list **out)
{
    bmf_partition *first;
    bmf_list *placed = NULL;
    BMF_TRY(bmf_partition_placed(by->ctx, by->values->partition->base, by->count, &first));
    int status = bmf_list_create(by->ctx, by->op->type, first, &placed);
    bmf_partition_release(first);
    if (status == BMF_OK)
        status = fill_placed(by, placed);
    if (status == BMF_OK)
        status = spread(by, placed, out);
    bmf_list_free(placed);
    return status;
}

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

int by_key_fits(bmf_context *ctx, int64_t processor, const bmf_type *type, int64_t count)
{
    bmf_partition *partition;
    BMF_TRY(bmf_partition_placed(ctx, processor, count, &partition));
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
    BMF_TRY(by_key_fits(ctx, values->partition->base, op->type, count));
    BMF_TRY(by_key_open(&by, keys, values, count, op));
    skeleton_begin(ctx, &skeleton_reduce_by_key, "reduce_by_key %s", op->name);
    const int status = skeleton_end(ctx, values->partition, reduce_by_key(&by, out));
    by_key_close(&by);
    return status;
}
