/* Split directly.
 *
 * Method: item 0's processor sends every other item straight to its processor. message.first: the item; count: 1.
 * Cost: 1 round, count - 1 messages, every byte moves once, but one processor sends all messages. Making it takes
 * O(own messages).
 * Source: own; the limit of document 000, 5.3 for networks where every processor is as far as any other. */
#include "runtime/schedule/cost.h"

static void generate(bmf_schedule *schedule, int first_round, const bmf_schedule_request *request)
{
    const bmf_group *group = request->group;
    item_range local = local_items(schedule, group);
    if (group->count > 1)
        schedule_extend(schedule, first_round + 1);
    if (local.begin == 0 && local.end > 0)
        local.end = group->count;
    for (int64_t i = max64(local.begin, 1); i < local.end; i++) {
        bmf_message message = {.from = group->base,
                               .to = group_processor(group, i),
                               .bytes = request_bytes(request, i, 1),
                               .first = i,
                               .count = 1};
        schedule_add(schedule, first_round, message);
    }
}

static double estimate(const bmf_cost_model *cost, int64_t count, double bytes)
{
    return direct_seconds(cost, count, bytes);
}

const bmf_algorithm algorithm_split_direct = {
    .skeleton = "split", .name = "direct", .generate = generate, .estimate = estimate};
