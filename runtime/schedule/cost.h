/* What the estimates of algorithms share.
 *
 * Method: a round costs one latency, plus a quarter of a latency for every further message through the busiest
 * processor (the part of a latency in which a processor itself is busy, so that it cannot overlap), plus the bytes
 * through that processor's busier direction. Rounds add up. The estimates are that sum, in closed form, for the
 * generated schedules with even sizes.
 * Cost: constant time. Source: own; the model is Hockney's with LogP's overhead as a fixed share. */
#ifndef BMF_SCHEDULE_COST_H
#define BMF_SCHEDULE_COST_H

#include "runtime/schedule/algorithms.h"
#include "runtime/schedule/range.h"

/* One round in which the busiest processor moves `messages` of `bytes` together. */
static inline double round_seconds(const bmf_cost_model *cost, double messages, double bytes)
{
    static const double busy_share = 0.25;
    return cost->latency * (1 + busy_share * (messages - 1)) + cost->per_byte * bytes;
}

/* Rounds with one message of the same bytes per processor. */
static inline double rounds_seconds(const bmf_cost_model *cost, double rounds, double bytes)
{
    return rounds * round_seconds(cost, 1, bytes);
}

/* Items of `bytes` together spread by a tree that halves them, or brought together. */
static inline double halving_seconds(const bmf_cost_model *cost, int64_t count, double bytes)
{
    return ceil_log2(count) * cost->latency + cost->per_byte * bytes * ((double)count - 1) / (double)count;
}

/* One processor exchanges every item but its own with the others in one round. */
static inline double direct_seconds(const bmf_cost_model *cost, int64_t count, double bytes)
{
    double others = (double)count - 1;
    return round_seconds(cost, others, bytes * others / (double)count);
}

#endif
