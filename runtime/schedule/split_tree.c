/* Split by a tree.
 *
 * Method: the holder of a segment of n items sends those from the largest power of two below n on to the processor
 * of the first of them; both then go on with their own segments in the next round. Segments without local items are
 * not looked into. message.first, count: the items of the sent segment.
 * Cost: ceil(log2 count) rounds, count - 1 messages; an item travels at most ceil(log2 count) times. Making it takes
 * O(own messages + log count).
 * Source: document 000, 5.3.2. */
#include "runtime/schedule/cost.h"

typedef struct split {
    bmf_schedule *schedule;
    const bmf_group *group;
    const bmf_schedule_request *request;
    item_range local;
} split;

static void split_segment(const split *all, int round, int64_t first, int64_t count)
{
    if (count <= 1 || first + count <= all->local.begin || first >= all->local.end)
        return;
    int64_t front = (int64_t)1 << (ceil_log2(count) - 1);
    int64_t middle = first + front, end = first + count;
    bmf_message message = {.from = group_processor(all->group, first),
                           .to = group_processor(all->group, middle),
                           .bytes = request_bytes(all->request, middle, end - middle),
                           .first = middle,
                           .count = end - middle};
    schedule_add(all->schedule, round, message);
    split_segment(all, round + 1, first, front);
    split_segment(all, round + 1, middle, end - middle);
}

static void generate(bmf_schedule *schedule, int first_round, const bmf_schedule_request *request)
{
    const bmf_group *group = request->group;
    split all = {schedule, group, request, local_items(schedule, group)};
    schedule_extend(schedule, first_round + ceil_log2(group->count));
    split_segment(&all, first_round, 0, group->count);
}

static double estimate(const bmf_cost_model *cost, int64_t count, double bytes)
{
    return halving_seconds(cost, count, bytes);
}

const bmf_algorithm algorithm_split_tree = {
    .skeleton = "split", .name = "tree", .generate = generate, .estimate = estimate};
