/* concatenate: xs, then ys, evenly over the processors of xs.
 *
 * Method: the elements of ys are numbered on from those of xs; both lists are recut to the even split in one round. */
#include <string.h>

#include "skeletons/engine/repartition.h"
#include "bmf/skeletons.h"

const bmf_skeleton_type skeleton_concatenate = {
    .id = 17, .name = "concatenate", .communication = BMF_COMMUNICATION_PERMUTE};

int bmf_concatenate(const bmf_list *xs, const bmf_list *ys, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    const bmf_partition *old = xs->partition;
    bmf_partition *target;
    char first[128], second[128];
    if (xs->type != ys->type)
        return bmf_fail(ctx, BMF_ERROR_TYPE, "concatenate: a list of %s and one of %s",
                        bmf_type_print(xs->type, first, sizeof first), bmf_type_print(ys->type, second, sizeof second));
    BMF_TRY(
        bmf_partition_create(ctx, old->base, old->levels, old->level, bmf_length(xs) + bmf_length(ys), NULL, &target));
    bmf_move_source source[BMF_MOVE_SOURCES] = {{xs, 0}, {ys, bmf_length(xs)}};
    skeleton_begin(ctx, &skeleton_concatenate, "concatenate");
    int status = repartition("concatenate", BMF_MOVE_SOURCES, source, target, out);
    skeleton_end(ctx, target, status);
    bmf_partition_release(target);
    return status;
}
