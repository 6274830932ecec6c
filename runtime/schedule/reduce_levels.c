/* Reduce level by level.
 *
 * Method: in round l = 0, 1, .. item i, a multiple of 2^(l+1), gets the value of item i + 2^l, if there is one; that
 * value covers items [i + 2^l, min(i + 2^(l+1), count)), which message.first and count say. Neighbouring ranges meet
 * in order, so the operator need not commute.
 * Cost: ceil(log2 count) rounds, count - 1 messages (8, 4, 2, 1 for 16 items). Making it takes
 * O(own messages + log count).
 * Source: document 000, 5.6. */
#include "runtime/schedule/cost.h"

static void add_level(bmf_schedule *schedule, int first_round, int level, const bmf_group *group, item_range local,
                      const bmf_schedule_request *request)
{
    int64_t distance = (int64_t)1 << level, step = 2 * distance;
    item_range range[2];
    int ranges = pair_ranges(local, distance, group->count, range);
    for (int k = 0; k < ranges; k++)
        for (int64_t i = (range[k].begin + step - 1) / step * step; i < range[k].end; i += step) {
            int64_t first = i + distance;
            if (first >= group->count)
                break;
            int64_t count = min64(distance, group->count - first);
            bmf_message message = {.from = group_processor(group, first),
                                   .to = group_processor(group, i),
                                   .bytes = request_bytes(request, first, count),
                                   .first = first,
                                   .count = count};
            schedule_add(schedule, first_round + level, message);
        }
}

void schedule_reduce_levels(bmf_schedule *schedule, int first_round, const bmf_schedule_request *request)
{
    const bmf_group *group = request->group;
    item_range local = local_items(schedule, group);
    int levels = ceil_log2(group->count);
    schedule_extend(schedule, first_round + levels);
    for (int level = 0; level < levels; level++)
        add_level(schedule, first_round, level, group, local, request);
}

/* With the broadcast of the total by the distl tree. */
static double estimate(const bmf_cost_model *cost, int64_t count, double bytes)
{
    return rounds_seconds(cost, 2 * ceil_log2(count), bytes);
}

const bmf_algorithm algorithm_reduce_levels = {.skeleton = "reduce",
                                               .name = "levels",
                                               .generate = schedule_reduce_levels,
                                               .estimate = estimate,
                                               .joining = BMF_JOIN_ADJACENT,
                                               .to_first = true};
