/* place and spread: lists from a C array of records. No messages.
 *
 * Method: every host copies its own elements from the records into columns. Cost: 2 n w bytes of memory. */
#include "runtime/backend/backend.h"
#include "skeletons/engine/records.h"
#include "bmf/skeletons.h"
#include "runtime/data/list.h"

const bmf_skeleton_type skeleton_place = {.id = 29, .name = "place", .communication = BMF_COMMUNICATION_OTHER};
const bmf_skeleton_type skeleton_spread = {.id = 30, .name = "spread", .communication = BMF_COMMUNICATION_OTHER};

/* A list on `partition`, filled from the records of its first local element on. */
static int fill(bmf_context *ctx, const bmf_skeleton_type *skeleton, const bmf_type *type, bmf_partition *partition,
                const void *data, bool whole, bmf_list **out)
{
    bmf_list *made;
    skeleton_begin(ctx, skeleton, "%s", skeleton->name);
    int status = bmf_list_create(ctx, type, partition, &made);
    if (status == BMF_OK && made->column.count > 0) {
        int64_t offset[BMF_MAX_LEAVES], record = bmf_type_record(type, offset);
        int64_t begin = whole ? bmf_partition_local_begin(partition) : 0;
        records_to_column((const char *)data + begin * record, made->column.count, &made->column, ctx->threads);
    }
    if (status == BMF_OK)
        *out = made;
    return skeleton_end(ctx, partition, status);
}

int bmf_place(bmf_context *ctx, int64_t processor, const bmf_type *type, int64_t n, const void *data, bmf_list **out)
{
    bmf_partition *partition;
    BMF_TRY(bmf_partition_placed(ctx, processor, n, &partition));
    int status = fill(ctx, &skeleton_place, type, partition, data, false, out);
    bmf_partition_release(partition);
    return status;
}

int bmf_spread(bmf_context *ctx, const bmf_type *type, int64_t n, const void *data, bmf_list **out)
{
    bmf_partition *partition;
    BMF_TRY(bmf_partition_even(ctx, n, &partition));
    int status = fill(ctx, &skeleton_spread, type, partition, data, true, out);
    bmf_partition_release(partition);
    return status;
}
