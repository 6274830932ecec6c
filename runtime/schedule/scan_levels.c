/* Scan level by level.
 *
 * Method: in round l = 0, 1, .. item i sends the value of its last 2^l items, [max(0, i - 2^l + 1), i], to item
 * i + 2^l, if there is one. message.first, count: those items.
 * Cost: ceil(log2 count) rounds, count - 2^l messages in round l (15, 14, 12, 8 for 16 items). Making it takes
 * O(own messages + log count).
 * Source: document 000, 5.8. */
#include "runtime/schedule/cost.h"

static void add_level(bmf_schedule *schedule, int first_round, int level, const bmf_group *group, item_range local,
                      const bmf_schedule_request *request)
{
    int64_t distance = (int64_t)1 << level;
    item_range range[2];
    int ranges = pair_ranges(local, distance, group->count, range);
    for (int k = 0; k < ranges; k++)
        for (int64_t i = range[k].begin; i < range[k].end && i + distance < group->count; i++) {
            int64_t first = max64(0, i - distance + 1), count = i + 1 - first;
            bmf_message message = {.from = group_processor(group, i),
                                   .to = group_processor(group, i + distance),
                                   .bytes = request_bytes(request, first, count),
                                   .first = first,
                                   .count = count};
            schedule_add(schedule, first_round + level, message);
        }
}

static void generate(bmf_schedule *schedule, int first_round, const bmf_schedule_request *request)
{
    const bmf_group *group = request->group;
    item_range local = local_items(schedule, group);
    int levels = ceil_log2(group->count);
    schedule_extend(schedule, first_round + levels);
    for (int level = 0; level < levels; level++)
        add_level(schedule, first_round, level, group, local, request);
}

static double estimate(const bmf_cost_model *cost, int64_t count, double bytes)
{
    return rounds_seconds(cost, ceil_log2(count), bytes);
}

const bmf_algorithm algorithm_scan_levels = {
    .skeleton = "scan", .name = "levels", .generate = generate, .estimate = estimate, .joining = BMF_JOIN_BEFORE};
