/* Distl by scattering and gathering.
 *
 * Method: the value's bytes are cut into count pieces, which the split tree spreads; then in count - 1 rounds item i
 * passes piece i - t (mod count) to item i + 1 in round t. Item 0 has everything already, so the ring stays open
 * there. message.first: the byte offset; count: the bytes.
 * Cost: ceil(log2 count) + count - 1 rounds, count - 1 + (count - 1)^2 messages, at most about twice the value's
 * bytes in and out of a processor. Making it takes O(own messages + log count).
 * Source: Barnett, Gupta, Payne, Shuler, van de Geijn, Watts, Interprocessor collective communication library,
 * SHPCC 1994. */
#include "runtime/schedule/cost.h"

typedef struct pieces {
    bmf_schedule *schedule;
    const bmf_group *group;
    int64_t bytes;
    item_range local;
} pieces;

static int64_t piece_start(const pieces *all, int64_t k)
{
    int64_t count = all->group->count;
    return all->bytes / count * k + all->bytes % count * k / count;
}

static void send_pieces(const pieces *all, int round, int64_t from, int64_t to, item_range piece)
{
    int64_t start = piece_start(all, piece.begin), end = piece_start(all, piece.end);
    bmf_message message = {.from = group_processor(all->group, from),
                           .to = group_processor(all->group, to),
                           .bytes = end - start,
                           .first = start,
                           .count = end - start};
    schedule_add(all->schedule, round, message);
}

static void scatter_segment(const pieces *all, int round, int64_t first, int64_t count)
{
    if (count <= 1 || first + count <= all->local.begin || first >= all->local.end)
        return;
    int64_t middle = first + ((int64_t)1 << (ceil_log2(count) - 1));
    send_pieces(all, round, first, middle, (item_range){middle, first + count});
    scatter_segment(all, round + 1, first, middle - first);
    scatter_segment(all, round + 1, middle, first + count - middle);
}

static void pass_round(const pieces *all, int round, int64_t turn)
{
    int64_t count = all->group->count;
    for (int64_t i = max64(all->local.begin - 1, 0); i < min64(all->local.end, count - 1); i++) {
        int64_t k = i >= turn ? i - turn : i - turn + count;
        send_pieces(all, round, i, i + 1, (item_range){k, k + 1});
    }
}

static void generate(bmf_schedule *schedule, int first_round, const bmf_schedule_request *request)
{
    const bmf_group *group = request->group;
    pieces all = {schedule, group, request_bytes(request, 0, 1), local_items(schedule, group)};
    int levels = ceil_log2(group->count), turns = (int)max64(group->count - 1, 0);
    schedule_extend(schedule, first_round + levels + turns);
    if (all.local.begin >= all.local.end)
        return;
    scatter_segment(&all, first_round, 0, group->count);
    for (int turn = 0; turn < turns; turn++)
        pass_round(&all, first_round + levels + turn, turn);
}

static double estimate(const bmf_cost_model *cost, int64_t count, double bytes)
{
    return halving_seconds(cost, count, bytes) + rounds_seconds(cost, (double)count - 1, bytes / (double)count);
}

const bmf_algorithm algorithm_distl_scatter_allgather = {
    .skeleton = "distl", .name = "scatter_allgather", .generate = generate, .estimate = estimate};
