/* Gather level by level.
 *
 * Method: the messages of the split tree turned round, in the order of the reduction with concatenation: in round
 * l = 0, 1, .. item i, a multiple of 2^(l+1), gets items [i + 2^l, i + 2^(l+1)) (cut at count) from the processor of
 * item i + 2^l. message.first, count: those items.
 * Cost: ceil(log2 count) rounds, count - 1 messages. Making it takes O(own messages + log count).
 * Source: document 000, 5.6. */
#include "runtime/schedule/cost.h"

static double estimate(const bmf_cost_model *cost, int64_t count, double bytes)
{
    return halving_seconds(cost, count, bytes);
}

/* The values of a reduction with concatenation are the items themselves. */
const bmf_algorithm algorithm_gather_levels = {
    .skeleton = "gather", .name = "levels", .generate = schedule_reduce_levels, .estimate = estimate};
