/* What the schedule generators share: which items of a group are local, and which pairs of items touch them.
 * Private to runtime. */
#ifndef BMF_SCHEDULE_RANGE_H
#define BMF_SCHEDULE_RANGE_H

#include "runtime/schedule/schedule.h"

/* Items [begin, end). */
typedef struct item_range {
    int64_t begin, end;
} item_range;

static inline int ceil_log2(int64_t n)
{
    int log = 0;
    while ((int64_t)1 << log < n)
        log++;
    return log;
}

static inline int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The first item on processor `limit` or behind it, at most count. */
static inline int64_t items_below(const bmf_group *group, int64_t limit)
{
    if (limit <= group->base)
        return 0;
    return min64(((limit - group->base - 1) >> group->log2_stride) + 1, group->count);
}

/* The items on the schedule's processors. */
static inline item_range local_items(const bmf_schedule *schedule, const bmf_group *group)
{
    item_range local = {items_below(group, schedule->low), items_below(group, schedule->high)};
    return local;
}

/* All i >= 0 with i + distance < count for which i or i + distance is local, as up to two ranges in order. */
static inline int pair_ranges(item_range local, int64_t distance, int64_t count, item_range range[2])
{
    if (local.begin >= local.end)
        return 0;
    item_range lower = {max64(local.begin - distance, 0), max64(local.end - distance, 0)};
    item_range upper = {local.begin, min64(local.end, count - distance)};
    if (lower.end >= upper.begin) {
        range[0] = (item_range){lower.begin, max64(lower.end, upper.end)};
        return 1;
    }
    range[0] = lower;
    range[1] = upper;
    return 2;
}

#endif
