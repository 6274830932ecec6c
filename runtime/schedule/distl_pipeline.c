/* Distl along a chain.
 *
 * Method: the value is cut into segments; in round r item i passes segment r - i, which it got in the round before,
 * to item i + 1. More segments than bytes, or fewer than one, are not made. message.first: the segment's byte offset;
 * count: its bytes.
 * Cost: count + segments - 2 rounds, (count - 1) segments messages; for long values every processor moves the bytes
 * just once in and once out. Making it takes O(own messages + rounds).
 * Source: own; the classical pipelined chain. */
#include <math.h>

#include "runtime/schedule/cost.h"

enum { MAX_SEGMENTS = 1 << 20 };

/* Where segment k of `segments` starts. The product stays small: remainder and k are below segments. */
static int64_t segment_start(int64_t bytes, int64_t segments, int64_t k)
{
    return bytes / segments * k + bytes % segments * k / segments;
}

void schedule_distl_pipeline(bmf_schedule *schedule, int first_round, const bmf_group *group, int64_t bytes,
                             int64_t segments)
{
    item_range local = local_items(schedule, group);
    segments = max64(1, min64(segments, bytes));
    if (group->count <= 1)
        return;
    schedule_extend(schedule, first_round + (int)(group->count + segments - 2));
    if (local.begin >= local.end)
        return;
    for (int64_t i = max64(local.begin - 1, 0); i < min64(local.end, group->count - 1); i++)
        for (int64_t k = 0; k < segments; k++) {
            int64_t start = segment_start(bytes, segments, k), end = segment_start(bytes, segments, k + 1);
            bmf_message message = {.from = group_processor(group, i),
                                   .to = group_processor(group, i + 1),
                                   .bytes = end - start,
                                   .first = start,
                                   .count = end - start};
            schedule_add(schedule, first_round + (int)(i + k), message);
        }
}

/* d/ds (count - 2 + s) (latency + per_byte bytes / s) = 0. */
int64_t schedule_pipeline_segments(const bmf_cost_model *cost, int64_t count, int64_t bytes)
{
    if (count <= 2 || bytes <= 1 || cost->per_byte <= 0)
        return 1;
    double max_segments = (double)min64(bytes, MAX_SEGMENTS);
    double best = sqrt((double)(count - 2) * cost->per_byte * (double)bytes / cost->latency);
    return max64(1, (int64_t)fmin(best + 0.5, max_segments));
}

static void generate(bmf_schedule *schedule, int first_round, const bmf_schedule_request *request)
{
    int64_t bytes = request_bytes(request, 0, 1);
    schedule_distl_pipeline(schedule, first_round, request->group, bytes,
                            schedule_pipeline_segments(request->cost, request->group->count, bytes));
}

static double estimate(const bmf_cost_model *cost, int64_t count, double bytes)
{
    double segments = (double)schedule_pipeline_segments(cost, count, (int64_t)bytes);
    return rounds_seconds(cost, (double)count - 2 + segments, bytes / segments);
}

const bmf_algorithm algorithm_distl_pipeline = {
    .skeleton = "distl", .name = "pipeline", .generate = generate, .estimate = estimate};
