/* What schedules cost: closed forms to choose an algorithm by.
 *
 * Method: a round costs one latency, plus a quarter of a latency for every further message through the busiest
 * processor (the part of a latency in which a processor itself is busy, so that it cannot overlap), plus the bytes
 * through that processor's busier direction. Rounds add up. The forms below are that sum for the generated schedules
 * with even sizes; reduce_levels includes the distl tree that tells the total to all, as bmf_reduce needs it.
 * Cost: constant time. Source: own; the model is Hockney's with LogP's overhead as a fixed share. */
#include <math.h>

#include "runtime/schedule/range.h"

static const double busy_share = 0.25;
enum { MOST_SEGMENTS = 1 << 20 };

typedef struct algorithm_names {
    const char *skeleton, *name;
} algorithm_names;

static const algorithm_names names[BMF_ALGORITHMS] = {
    [BMF_SPLIT_TREE] = {"split", "tree"},
    [BMF_SPLIT_DIRECT] = {"split", "direct"},
    [BMF_GATHER_LEVELS] = {"gather", "levels"},
    [BMF_GATHER_DIRECT] = {"gather", "direct"},
    [BMF_REDUCE_LEVELS] = {"reduce", "levels"},
    [BMF_REDUCE_DOUBLING] = {"reduce", "doubling"},
    [BMF_REDUCE_EVERYBODY] = {"reduce", "everybody"},
    [BMF_SCAN_LEVELS] = {"scan", "levels"},
    [BMF_SCAN_TREE] = {"scan", "tree"},
    [BMF_SCAN_EVERYBODY] = {"scan", "everybody"},
    [BMF_DISTL_TREE] = {"distl", "tree"},
    [BMF_DISTL_PIPELINE] = {"distl", "pipeline"},
    [BMF_DISTL_SCATTER_ALLGATHER] = {"distl", "scatter_allgather"},
};

const char *algorithm_skeleton(bmf_algorithm algorithm)
{
    return names[algorithm].skeleton;
}

const char *bmf_algorithm_name(bmf_algorithm algorithm)
{
    return names[algorithm].name;
}

/* One round in which the busiest processor moves `messages` of `bytes` together. */
static double round_seconds(const bmf_cost_model *cost, double messages, double bytes)
{
    return cost->latency * (1 + busy_share * (messages - 1)) + cost->per_byte * bytes;
}

/* Rounds with one message of the same bytes per processor. */
static double rounds_seconds(const bmf_cost_model *cost, double rounds, double bytes)
{
    return rounds * round_seconds(cost, 1, bytes);
}

static double doubling_rounds(int64_t count)
{
    int levels = ceil_log2(count);
    return (int64_t)1 << levels == count ? levels : levels + 1;
}

static double pipeline_seconds(const bmf_cost_model *cost, int64_t count, double bytes)
{
    double segments = (double)schedule_pipeline_segments(cost, count, (int64_t)bytes);
    return rounds_seconds(cost, (double)count - 2 + segments, bytes / segments);
}

double schedule_estimate(bmf_algorithm algorithm, const bmf_cost_model *cost, int64_t count, double bytes)
{
    if (count <= 1)
        return 0;
    double items = (double)count, others = items - 1, levels = ceil_log2(count);
    double scatter = levels * cost->latency + cost->per_byte * bytes * others / items;
    switch (algorithm) {
    case BMF_SPLIT_TREE:
    case BMF_GATHER_LEVELS:
        return scatter;
    case BMF_SPLIT_DIRECT:
    case BMF_GATHER_DIRECT:
        return round_seconds(cost, others, bytes * others / items);
    case BMF_REDUCE_LEVELS:
    case BMF_SCAN_TREE:
        return rounds_seconds(cost, 2 * levels, bytes);
    case BMF_REDUCE_DOUBLING:
        return rounds_seconds(cost, doubling_rounds(count), bytes);
    case BMF_REDUCE_EVERYBODY:
    case BMF_SCAN_EVERYBODY:
        return round_seconds(cost, others, bytes * others);
    case BMF_SCAN_LEVELS:
    case BMF_DISTL_TREE:
        return rounds_seconds(cost, levels, bytes);
    case BMF_DISTL_PIPELINE:
        return pipeline_seconds(cost, count, bytes);
    case BMF_DISTL_SCATTER_ALLGATHER:
        return scatter + rounds_seconds(cost, others, bytes / items);
    case BMF_ALGORITHMS:
        break;
    }
    return INFINITY;
}

/* d/ds (count - 2 + s) (latency + per_byte bytes / s) = 0. */
int64_t schedule_pipeline_segments(const bmf_cost_model *cost, int64_t count, int64_t bytes)
{
    if (count <= 2 || bytes <= 1 || cost->per_byte <= 0)
        return 1;
    double most_segments = (double)least(bytes, MOST_SEGMENTS);
    double best = sqrt((double)(count - 2) * cost->per_byte * (double)bytes / cost->latency);
    return most(1, (int64_t)fmin(best + 0.5, most_segments));
}
