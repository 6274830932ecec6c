/* split: a list, or every part of a distributed list, spread over more processors. Document 000, 5.3.
 *
 * Method: the partition gets one level more, with the document's part sizes; elements keep their numbers and move by
 * the split tree or directly. All groups of a nested split share the rounds. Messages and bytes: see skeletons.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/repartition.h"
#include "bmf/skeletons.h"

const bmf_skeleton_type skeleton_split = {
    .id = 1, .name = "split", .communication = BMF_COMMUNICATION_SPLIT, .keyword = "P_Split"};

/* Part k of the old partition becomes `parts` parts. */
static int split_partition(const bmf_list *xs, int64_t parts, int log2_stride, bmf_partition **made)
{
    bmf_context *ctx = xs->context;
    const bmf_partition *old = xs->partition;
    bmf_level level[BMF_MAX_LEVELS];
    char text[256];
    if (parts < 1 || log2_stride < 0) {
        bmf_fail(ctx, BMF_ERROR_ARGUMENT, "split over %" PRId64 " processors with stride 2^%d", parts, log2_stride);
        return BMF_ERROR_ARGUMENT;
    }
    if (old->levels == BMF_MAX_LEVELS) {
        bmf_fail(ctx, BMF_ERROR_SHAPE, "split: %s is nested %d deep already", bmf_list_print(xs, text, sizeof text),
                 BMF_MAX_LEVELS);
        return BMF_ERROR_SHAPE;
    }
    memcpy(level, old->level, sizeof level);
    level[old->levels] = (bmf_level){parts, log2_stride};
    if (old->levels == 0)
        return bmf_partition_create(ctx, old->base, 1, level, bmf_length(xs), NULL, made);
    /* Processors are checked before the starts are made: there may be too many of them to count. */
    bmf_partition *empty;
    BMF_TRY(bmf_partition_create(ctx, old->base, old->levels + 1, level, 0, NULL, &empty));
    int64_t *start = allocate((empty->parts + 1) * (int64_t)sizeof *start);
    for (int64_t k = 0; k < old->parts; k++)
        for (int64_t j = 0; j < parts; j++)
            start[k * parts + j] = old->start[k] + bmf_split_start(old->start[k + 1] - old->start[k], parts, j);
    start[empty->parts] = bmf_length(xs);
    int status = bmf_partition_resized(ctx, empty, start, made);
    bmf_partition_release(empty);
    free(start);
    return status;
}

int split_onto(const bmf_list *xs, int64_t parts, bmf_partition *target, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    if (parts == 1) {
        relabel_partition(xs, target, out);
        return BMF_OK;
    }
    bmf_groups groups = {target, type_element_bytes(xs->type)};
    bmf_call call = {
        .ctx = ctx,
        .skeleton = "split",
        .list = xs,
        .choice = {.skeleton = "split",
                   .count = parts,
                   .bytes = (double)bmf_length(xs) * element_guess(xs->type) / (double)xs->partition->parts},
        .generate = groups_generate,
        .state = &groups};
    bmf_schedule *schedule = plan_make(&call, NULL);
    int status = move_elements(ctx, 1, &(bmf_move_source){xs, 0}, target, schedule, out);
    schedule_free(schedule);
    return status;
}

int bmf_split(const bmf_list *xs, int64_t parts, int log2_stride, bmf_list **out)
{
    bmf_partition *target;
    BMF_TRY(split_partition(xs, parts, log2_stride, &target));
    skeleton_begin(xs->context, &skeleton_split, "split");
    const int status = split_onto(xs, parts, target, out);
    skeleton_end(xs->context, target, status);
    bmf_partition_release(target);
    return status;
}
