/* The algorithms skeletons choose from: how each makes its schedule, and what it is estimated to cost.
 *
 * An algorithm describes itself in its file and has a line in BMF_ALGORITHM_LIST; nothing else knows it by name. */
#ifndef BMF_ALGORITHMS_H
#define BMF_ALGORITHMS_H

#include <stdbool.h>

#include "runtime/schedule/schedule.h"

typedef struct bmf_cost_model {
    double latency;  /* seconds per message */
    double per_byte; /* seconds per byte */
} bmf_cost_model;

/* What a schedule is made for. */
typedef struct bmf_schedule_request {
    const bmf_group *group;
    /* Bytes of a message with items [first, first + count), or of the value they were combined to; distl: of the value,
     * asked for as item 0. NULL: only senders know. */
    int64_t (*bytes)(const void *state, int64_t first, int64_t count);
    const void *state;
    const bmf_cost_model *cost; /* may be NULL unless it is for distl */
} bmf_schedule_request;

static inline int64_t request_bytes(const bmf_schedule_request *request, int64_t first, int64_t count)
{
    return request->bytes ? request->bytes(request->state, first, count) : BMF_BYTES_UNKNOWN;
}

/* How the values of messages join those of their receivers, in reductions and scans. */
typedef enum bmf_joining {
    BMF_JOIN_NONE,     /* nothing is joined: items travel as they are */
    BMF_JOIN_ADJACENT, /* a value covers the items next to those the receiver has, on either side, or all items */
    BMF_JOIN_EACH,     /* every item's value comes by itself, in the order of items */
    BMF_JOIN_BEFORE,   /* a value covers the items right before those the receiver has */
    BMF_JOIN_UP_DOWN   /* in the first half of the rounds adjacent; in the second, a value covers all items before */
} bmf_joining;

typedef struct bmf_algorithm {
    const char *skeleton; /* the one it serves: "reduce" */
    const char *name;     /* "levels" */
    /* Adds the messages of one group to the schedule, from round first_round on (groups may share rounds). What
     * message.first and count say is in the algorithm's file. */
    void (*generate)(bmf_schedule *schedule, int first_round, const bmf_schedule_request *request);
    /* Seconds for a group of at least two items; bytes: of the whole (split, gather) or of one value. A reduction to
     * item 0 includes the broadcast of the total. */
    double (*estimate)(const bmf_cost_model *cost, int64_t count, double bytes);
    bmf_joining joining;
    bool to_first; /* reductions: only item 0 ends with the total */
} bmf_algorithm;

/* X(name): algorithm_NAME. Those of one skeleton are adjacent; of equally cheap ones the first is chosen. */
#define BMF_ALGORITHM_LIST(X)                                                                                          \
    X(split_tree)                                                                                                      \
    X(split_direct)                                                                                                    \
    X(gather_levels)                                                                                                   \
    X(gather_direct)                                                                                                   \
    X(reduce_levels)                                                                                                   \
    X(reduce_doubling)                                                                                                 \
    X(reduce_allgather)                                                                                                \
    X(scan_levels)                                                                                                     \
    X(scan_tree)                                                                                                       \
    X(scan_allgather)                                                                                                  \
    X(distl_tree)                                                                                                      \
    X(distl_pipeline)                                                                                                  \
    X(distl_scatter_allgather)

#define BMF_ALGORITHM_DECLARE(name) extern const bmf_algorithm algorithm_##name;
BMF_ALGORITHM_LIST(BMF_ALGORITHM_DECLARE)
#undef BMF_ALGORITHM_DECLARE

#define BMF_ALGORITHM_NUMBER(name) BMF_ALGORITHM_##name,
enum { BMF_ALGORITHM_LIST(BMF_ALGORITHM_NUMBER) BMF_ALGORITHMS }; /* how many there are */
#undef BMF_ALGORITHM_NUMBER

/* All of them, then NULL. */
extern const bmf_algorithm *const algorithms[];

/* The algorithm of a skeleton with that name, or NULL; with name NULL, the skeleton's first. */
const bmf_algorithm *algorithm_find(const char *skeleton, const char *name);
/* The estimate, for any count from 1 on. */
double algorithm_estimate(const bmf_algorithm *algorithm, const bmf_cost_model *cost, int64_t count, double bytes);

/* Ways of skeletons that are more than a schedule: they can be forced as algorithms are, but skeletons estimate
 * themselves what they cost. X(skeleton, name); those of one skeleton are adjacent. */
#define BMF_METHOD_LIST(X)                                                                                             \
    X(reduce_by_key, tables)                                                                                           \
    X(reduce_by_key, owners)                                                                                           \
    X(sort, whole)                                                                                                     \
    X(sort, stages)

typedef struct bmf_method {
    const char *skeleton, *name;
} bmf_method;

#define BMF_METHOD_NUMBER(skeleton, name) BMF_METHOD_##skeleton##_##name,
enum { BMF_METHOD_LIST(BMF_METHOD_NUMBER) BMF_METHODS };
#undef BMF_METHOD_NUMBER

extern const bmf_method skeleton_methods[BMF_METHODS];
/* The method of a skeleton with that name, or NULL; with name NULL, the skeleton's first. */
const bmf_method *method_find(const char *skeleton, const char *name);

/* What several of them are made of. */
void schedule_reduce_levels(bmf_schedule *schedule, int first_round, const bmf_schedule_request *request);
/* The chain with a given number of segments, and the number that makes it cheapest, at least 1. Never more segments
 * than bytes. */
void schedule_distl_pipeline(bmf_schedule *schedule, int first_round, const bmf_group *group, int64_t bytes,
                             int64_t segments);
int64_t schedule_pipeline_segments(const bmf_cost_model *cost, int64_t count, int64_t bytes);

#endif
