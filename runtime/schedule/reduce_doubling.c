/* Reduce by recursive doubling: every item's processor ends with the total.
 *
 * Method: let k be the largest power of two <= count and e = count - k. If e > 0, a first round folds item 2j + 1
 * into item 2j for j < e; then k items 0, 2, .., 2e - 2, 2e, 2e + 1, .. are active, numbered in order. In log2 k
 * rounds active a and a XOR 2^t exchange values, which cover neighbouring ranges of items, so the operator need not
 * commute. If e > 0, a last round sends item 2j + 1 the total. Within a round the messages of a pair stand together,
 * pairs in order. message.first, count: the items the value covers.
 * Cost: log2 k (+ 2) rounds, k log2 k + 2 e messages. Making it takes O(own messages + log count).
 * Source: Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in MPICH, IJHPCA 19
 * (2005), section on reductions to all. */
#include "runtime/schedule/cost.h"

typedef struct doubling {
    bmf_schedule *schedule;
    const bmf_group *group;
    const bmf_schedule_request *request;
    int64_t active, extra;
    item_range local;
} doubling;

/* The item of an active number; of the number behind the last one: count. */
static int64_t item_of(const doubling *all, int64_t number)
{
    return number < all->extra ? 2 * number : number + all->extra;
}

/* The first active number whose item is `item` or behind it. */
static int64_t number_at(const doubling *all, int64_t item)
{
    return item < 2 * all->extra ? (item + 1) / 2 : item - all->extra;
}

static void send_value(const doubling *all, int round, int64_t from, int64_t to, item_range covered)
{
    int64_t count = covered.end - covered.begin;
    bmf_message message = {.from = group_processor(all->group, from),
                           .to = group_processor(all->group, to),
                           .bytes = request_bytes(all->request, covered.begin, count),
                           .first = covered.begin,
                           .count = count};
    schedule_add(all->schedule, round, message);
}

static void fold_in(const doubling *all, int round)
{
    for (int64_t j = all->local.begin / 2; j < all->extra && 2 * j < all->local.end; j++)
        send_value(all, round, 2 * j + 1, 2 * j, (item_range){2 * j + 1, 2 * j + 2});
}

static void fold_out(const doubling *all, int round)
{
    for (int64_t j = all->local.begin / 2; j < all->extra && 2 * j < all->local.end; j++)
        send_value(all, round, 2 * j, 2 * j + 1, (item_range){0, all->group->count});
}

static void exchange_pair(const doubling *all, int round, int64_t number, int64_t distance)
{
    int64_t begin = number / (2 * distance) * (2 * distance);
    int64_t middle = item_of(all, begin + distance);
    int64_t lower = item_of(all, number), upper = item_of(all, number + distance);
    send_value(all, round, lower, upper, (item_range){item_of(all, begin), middle});
    send_value(all, round, upper, lower, (item_range){middle, item_of(all, begin + 2 * distance)});
}

static void exchange_round(const doubling *all, int round, int64_t distance)
{
    item_range numbers = {number_at(all, all->local.begin), number_at(all, all->local.end)}, range[2];
    int ranges = pair_ranges(numbers, distance, all->active, range);
    for (int k = 0; k < ranges; k++)
        for (int64_t number = range[k].begin; number < range[k].end; number++)
            if (number & distance)
                number |= distance - 1; /* upper halves are the lower ones' partners */
            else
                exchange_pair(all, round, number, distance);
}

static void generate(bmf_schedule *schedule, int first_round, const bmf_schedule_request *request)
{
    const bmf_group *group = request->group;
    int64_t active = 1;
    while (2 * active <= group->count)
        active *= 2;
    doubling all = {schedule, group, request, active, group->count - active, local_items(schedule, group)};
    int doublings = ceil_log2(active), round = first_round;
    schedule_extend(schedule, first_round + doublings + (all.extra ? 2 : 0));
    if (all.extra)
        fold_in(&all, round++);
    for (int64_t distance = 1; distance < active; distance *= 2)
        exchange_round(&all, round++, distance);
    if (all.extra)
        fold_out(&all, round);
}

static double estimate(const bmf_cost_model *cost, int64_t count, double bytes)
{
    int levels = ceil_log2(count);
    return rounds_seconds(cost, (int64_t)1 << levels == count ? levels : levels + 1, bytes);
}

const bmf_algorithm algorithm_reduce_doubling = {
    .skeleton = "reduce", .name = "doubling", .generate = generate, .estimate = estimate, .joining = BMF_JOIN_ADJACENT};
