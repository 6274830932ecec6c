/* Reduce or scan after an allgather: every item's value on every processor, combined there (a scan: those before it).
 *
 * Method: item i's processor sends its value to every other one. message.first: i; count: 1.
 * Cost: 1 round, count (count - 1) messages: best for few processors and short values. Making it takes
 * O(own messages + count).
 * Source: own. */
#include "runtime/schedule/cost.h"

static void generate(bmf_schedule *schedule, int first_round, const bmf_schedule_request *request)
{
    const bmf_group *group = request->group;
    item_range local = local_items(schedule, group), all = {0, group->count};
    if (group->count > 1)
        schedule_extend(schedule, first_round + 1);
    if (local.begin >= local.end)
        return;
    for (int64_t i = 0; i < group->count; i++) {
        item_range to = i >= local.begin && i < local.end ? all : local;
        bmf_message message = {
            .from = group_processor(group, i), .bytes = request_bytes(request, i, 1), .first = i, .count = 1};
        for (int64_t j = to.begin; j < to.end; j++) {
            message.to = group_processor(group, j);
            if (i != j)
                schedule_add(schedule, first_round, message);
        }
    }
}

static double estimate(const bmf_cost_model *cost, int64_t count, double bytes)
{
    return round_seconds(cost, (double)count - 1, bytes * ((double)count - 1));
}

const bmf_algorithm algorithm_reduce_allgather = {
    .skeleton = "reduce", .name = "everybody", .generate = generate, .estimate = estimate, .joining = BMF_JOIN_EACH};

const bmf_algorithm algorithm_scan_allgather = {
    .skeleton = "scan", .name = "everybody", .generate = generate, .estimate = estimate, .joining = BMF_JOIN_EACH};
