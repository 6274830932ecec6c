/* Distl along a chain.
 *
 * Method: the value is cut into segments; in round r item i passes segment r - i, which it got in the round before,
 * to item i + 1. More segments than bytes, or fewer than one, are not made. message.first: the segment's byte offset;
 * count: its bytes.
 * Cost: count + segments - 2 rounds, (count - 1) segments messages; for long values every processor moves the bytes
 * just once in and once out. Making it takes O(own messages + rounds).
 * Source: own; the classical pipelined chain. */
#include "runtime/schedule/range.h"
#include "bmf/status.h"

/* Where segment k of `segments` starts. The product stays small: remainder and k are below segments. */
static int64_t segment_start(int64_t bytes, int64_t segments, int64_t k)
{
    return bytes / segments * k + bytes % segments * k / segments;
}

int schedule_distl_pipeline(bmf_schedule *schedule, int first_round, const bmf_group *group, int64_t bytes,
                            int64_t segments)
{
    item_range local = local_items(schedule, group);
    segments = most(1, least(segments, bytes));
    if (group->count <= 1)
        return BMF_OK;
    BMF_TRY(schedule_extend(schedule, first_round + (int)(group->count + segments - 2)));
    if (local.begin >= local.end)
        return BMF_OK;
    for (int64_t i = most(local.begin - 1, 0); i < least(local.end, group->count - 1); i++)
        for (int64_t k = 0; k < segments; k++) {
            int64_t start = segment_start(bytes, segments, k), end = segment_start(bytes, segments, k + 1);
            bmf_message message = {.from = group_processor(group, i),
                                   .to = group_processor(group, i + 1),
                                   .bytes = end - start,
                                   .first = start,
                                   .count = end - start};
            BMF_TRY(schedule_add(schedule, first_round + (int)(i + k), message));
        }
    return BMF_OK;
}
