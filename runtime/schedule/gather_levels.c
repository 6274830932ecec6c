/* Gather level by level.
 *
 * Method: the messages of the split tree turned round, in the order of the reduction with concatenation: in round
 * l = 0, 1, .. item i, a multiple of 2^(l+1), gets items [i + 2^l, i + 2^(l+1)) (cut at count) from the processor of
 * item i + 2^l. message.first, count: those items.
 * Cost: ceil(log2 count) rounds, count - 1 messages. Making it takes O(own messages + log count).
 * Source: document 000, 5.6. */
#include "runtime/schedule/range.h"

typedef struct item_sizes {
    const int64_t *start;
} item_sizes;

static int64_t segment_bytes(const void *state, int64_t first, int64_t count)
{
    const item_sizes *sizes = state;
    return sizes->start ? sizes->start[first + count] - sizes->start[first] : BMF_BYTES_UNKNOWN;
}

int schedule_gather_levels(bmf_schedule *schedule, int first_round, const bmf_group *group, const int64_t *start)
{
    item_sizes sizes = {start};
    return schedule_reduce_levels(schedule, first_round, group, segment_bytes, &sizes);
}
