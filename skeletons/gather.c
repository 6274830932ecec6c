/* gather: the innermost split undone. Document 000, 5.6, reduction with concatenation.
 *
 * Method: the partition loses its innermost level; elements keep their numbers and move level by level or directly to
 * the first processor of their group. Messages and bytes: see skeletons.h. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/move.h"
#include "bmf/skeletons.h"

const bmf_skeleton_type skeleton_gather = {.id = 2, .name = "gather", .communication = BMF_COMMUNICATION_GATHER};

static int gather_partition(const bmf_list *xs, bmf_partition **made)
{
    bmf_context *ctx = xs->context;
    const bmf_partition *old = xs->partition;
    char text[256];
    if (old->levels == 0) {
        bmf_fail(ctx, BMF_ERROR_SHAPE, "gather: %s is not split", bmf_list_print(xs, text, sizeof text));
        return BMF_ERROR_SHAPE;
    }
    int64_t count = old->level[old->levels - 1].count, parts = old->parts / count;
    int64_t *start = allocate((parts + 1) * (int64_t)sizeof *start);
    for (int64_t k = 0; k <= parts; k++)
        start[k] = old->start[k * count];
    int status = bmf_partition_create(ctx, old->base, old->levels - 1, old->level, start[parts], start, made);
    free(start);
    return status;
}

static int move_parts(const bmf_list *xs, bmf_partition *target, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    bmf_groups groups = {xs->partition, type_element_bytes(xs->type)};
    bmf_call call = {.ctx = ctx,
                     .skeleton = "gather",
                     .list = xs,
                     .choice = {.skeleton = "gather",
                                .count = xs->partition->parts / target->parts,
                                .bytes = (double)bmf_length(xs) * element_guess(xs->type) / (double)target->parts},
                     .generate = groups_generate,
                     .state = &groups};
    bmf_schedule *schedule = plan_make(&call, NULL);
    int status = move_elements(ctx, 1, &(bmf_move_source){xs, 0}, target, schedule, out);
    schedule_free(schedule);
    return status;
}

int bmf_gather(const bmf_list *xs, bmf_list **out)
{
    bmf_partition *target;
    BMF_TRY(gather_partition(xs, &target));
    skeleton_begin(xs->context, &skeleton_gather, "gather");
    int status = move_parts(xs, target, out);
    skeleton_end(xs->context, target, status);
    bmf_partition_release(target);
    return status;
}
