/* Distl by a tree.
 *
 * Method: the split tree, except that every message carries the whole value. message.first: 0; count: its bytes.
 * Cost: ceil(log2 count) rounds, count - 1 messages of the value's bytes. Making it takes O(own messages + log count).
 * Source: document 000, 5.4. */
#include "runtime/schedule/range.h"
#include "bmf/status.h"

typedef struct distl {
    bmf_schedule *schedule;
    const bmf_group *group;
    int64_t bytes;
    item_range local;
} distl;

static int tell_segment(const distl *all, int round, int64_t first, int64_t count)
{
    if (count <= 1 || first + count <= all->local.begin || first >= all->local.end)
        return BMF_OK;
    int64_t front = (int64_t)1 << (ceil_log2(count) - 1);
    bmf_message message = {.from = group_processor(all->group, first),
                           .to = group_processor(all->group, first + front),
                           .bytes = all->bytes,
                           .first = 0,
                           .count = all->bytes};
    BMF_TRY(schedule_add(all->schedule, round, message));
    BMF_TRY(tell_segment(all, round + 1, first, front));
    return tell_segment(all, round + 1, first + front, count - front);
}

int schedule_distl_tree(bmf_schedule *schedule, int first_round, const bmf_group *group, int64_t bytes)
{
    distl all = {schedule, group, bytes, local_items(schedule, group)};
    BMF_TRY(schedule_extend(schedule, first_round + ceil_log2(group->count)));
    return tell_segment(&all, first_round, 0, group->count);
}
