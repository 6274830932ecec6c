/* Distl by a tree.
 *
 * Method: the split tree, except that every message carries the whole value. message.first: 0; count: its bytes.
 * Cost: ceil(log2 count) rounds, count - 1 messages of the value's bytes. Making it takes O(own messages + log count).
 * Source: document 000, 5.4. */
#include "runtime/schedule/cost.h"

typedef struct distl {
    bmf_schedule *schedule;
    const bmf_group *group;
    int64_t bytes;
    item_range local;
} distl;

static void broadcast_segment(const distl *all, int round, int64_t first, int64_t count)
{
    if (count <= 1 || first + count <= all->local.begin || first >= all->local.end)
        return;
    int64_t front = (int64_t)1 << (ceil_log2(count) - 1);
    bmf_message message = {.from = group_processor(all->group, first),
                           .to = group_processor(all->group, first + front),
                           .bytes = all->bytes,
                           .first = 0,
                           .count = all->bytes};
    schedule_add(all->schedule, round, message);
    broadcast_segment(all, round + 1, first, front);
    broadcast_segment(all, round + 1, first + front, count - front);
}

static void generate(bmf_schedule *schedule, int first_round, const bmf_schedule_request *request)
{
    const bmf_group *group = request->group;
    distl all = {schedule, group, request_bytes(request, 0, 1), local_items(schedule, group)};
    schedule_extend(schedule, first_round + ceil_log2(group->count));
    broadcast_segment(&all, first_round, 0, group->count);
}

static double estimate(const bmf_cost_model *cost, int64_t count, double bytes)
{
    return rounds_seconds(cost, ceil_log2(count), bytes);
}

const bmf_algorithm algorithm_distl_tree = {
    .skeleton = "distl", .name = "tree", .generate = generate, .estimate = estimate};
