/* Scan up and down a binary tree.
 *
 * Method: the rounds of reduce_levels, all of them, so that item 0 also gets the total; then for l = L - 1, .., 0
 * (L = ceil(log2 count)) item i, a multiple of 2^(l+1), sends the prefix of items [0, i + 2^l) to item i + 2^l, if
 * there is one. message.first, count: the items the value covers.
 * Cost: 2 L rounds, 2 (count - 1) messages: twice the depth of scan_levels with far fewer messages. Making it takes
 * O(own messages + log count).
 * Source: Blelloch, Prefix sums and their applications, CMU-CS-90-190 (1990), section 1.3. */
#include "runtime/schedule/cost.h"

static void add_down(bmf_schedule *schedule, int round, int level, const bmf_group *group, item_range local,
                     const bmf_schedule_request *request)
{
    int64_t distance = (int64_t)1 << level, step = 2 * distance;
    item_range range[2];
    int ranges = pair_ranges(local, distance, group->count, range);
    for (int k = 0; k < ranges; k++)
        for (int64_t i = (range[k].begin + step - 1) / step * step; i < range[k].end; i += step) {
            if (i + distance >= group->count)
                break;
            bmf_message message = {.from = group_processor(group, i),
                                   .to = group_processor(group, i + distance),
                                   .bytes = request_bytes(request, 0, i + distance),
                                   .first = 0,
                                   .count = i + distance};
            schedule_add(schedule, round, message);
        }
}

static void generate(bmf_schedule *schedule, int first_round, const bmf_schedule_request *request)
{
    const bmf_group *group = request->group;
    item_range local = local_items(schedule, group);
    int levels = ceil_log2(group->count);
    schedule_reduce_levels(schedule, first_round, request);
    schedule_extend(schedule, first_round + 2 * levels);
    for (int level = levels - 1; level >= 0; level--)
        add_down(schedule, first_round + 2 * levels - 1 - level, level, group, local, request);
}

static double estimate(const bmf_cost_model *cost, int64_t count, double bytes)
{
    return rounds_seconds(cost, 2 * ceil_log2(count), bytes);
}

const bmf_algorithm algorithm_scan_tree = {
    .skeleton = "scan", .name = "tree", .generate = generate, .estimate = estimate, .joining = BMF_JOIN_UP_DOWN};
