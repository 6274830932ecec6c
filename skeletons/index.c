/* index and to_array: elements where every rank's C code can see them.
 *
 * Method: index shares one record from its owner; to_array collects every host's records, rounded up to whole words.
 * Bookkeeping, not messages of the machine. Cost: w, and n w bytes to every rank. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"
#include "skeletons/engine/records.h"
#include "bmf/skeletons.h"
#include "runtime/data/list.h"

const bmf_skeleton_type skeleton_index = {
    .id = 12, .name = "index", .communication = BMF_COMMUNICATION_PROJECT, .keyword = "B_Index"};
const bmf_skeleton_type skeleton_to_array = {.id = 13, .name = "to_array", .communication = BMF_COMMUNICATION_GATHER};

static int check_fixed(const bmf_list *xs, const char *skeleton)
{
    char text[128];
    if (bmf_type_is_fixed(xs->type))
        return BMF_OK;
    return bmf_fail(xs->context, BMF_ERROR_TYPE, "%s: %s has inner lists, which have no record", skeleton,
                    bmf_type_print(xs->type, text, sizeof text));
}

int bmf_index(const bmf_list *xs, int64_t i, void *value)
{
    bmf_context *ctx = xs->context;
    BMF_TRY(check_fixed(xs, "index"));
    if (i < 0 || i >= bmf_length(xs))
        return bmf_fail(ctx, BMF_ERROR_INDEX, "index %" PRId64 " is outside a list of %" PRId64 " elements", i,
                        bmf_length(xs));
    int64_t offset[BMF_MAX_LEAVES], record = bmf_type_record(xs->type, offset);
    int64_t processor = bmf_partition_processor(xs->partition, bmf_partition_part_of(xs->partition, i));
    skeleton_begin(ctx, &skeleton_index, "index");
    char *shared = allocate_clear(1, record);
    if (is_local(ctx, processor))
        column_to_records(&xs->column, i - bmf_partition_local_begin(xs->partition), 1, shared, 1);
    int status = ctx->backend->bcast(ctx, processor, shared, record);
    if (status == BMF_OK)
        memcpy(value, shared, (size_t)record);
    free(shared);
    return skeleton_end(ctx, NULL, status);
}

/* Number of elements on all hosts before `rank`. */
static int64_t elements_before(const bmf_context *ctx, const bmf_partition *partition, int rank)
{
    return partition->start[bmf_partition_part_from(partition, bmf_first_processor(ctx, rank))];
}

static int64_t words_for(int64_t bytes)
{
    return (bytes + (int64_t)sizeof(int64_t) - 1) / (int64_t)sizeof(int64_t);
}

/* Every host's records start on a word of their own. */
static int collect_records(const bmf_list *xs, int64_t record, char *records)
{
    bmf_context *ctx = xs->context;
    int64_t all_words = 0, mine = words_for(xs->column.count * record);
    int64_t *counts = allocate(ctx->ranks * (int64_t)sizeof *counts);
    for (int r = 0; r < ctx->ranks; r++) {
        counts[r] =
            words_for((elements_before(ctx, xs->partition, r + 1) - elements_before(ctx, xs->partition, r)) * record);
        all_words += counts[r];
    }
    int64_t *words = allocate_clear(mine, (int64_t)sizeof *words);
    int64_t *all = allocate(all_words * (int64_t)sizeof *all), *next = all;
    column_to_records(&xs->column, 0, xs->column.count, words, ctx->threads);
    int status = ctx->backend->allgather(ctx, words, mine, counts, all);
    for (int r = 0; r < ctx->ranks && status == BMF_OK; r++) {
        int64_t begin = elements_before(ctx, xs->partition, r), end = elements_before(ctx, xs->partition, r + 1);
        memcpy(records + begin * record, next, (size_t)((end - begin) * record));
        next += words_for((end - begin) * record);
    }
    free(counts);
    free(words);
    free(all);
    return status;
}

int bmf_to_array(const bmf_list *xs, void *data)
{
    BMF_TRY(check_fixed(xs, "to_array"));
    if (bmf_length(xs) == 0)
        return BMF_OK;
    int64_t offset[BMF_MAX_LEAVES], record = bmf_type_record(xs->type, offset);
    skeleton_begin(xs->context, &skeleton_to_array, "to_array");
    int status = collect_records(xs, record, data);
    return skeleton_end(xs->context, xs->partition, status);
}
