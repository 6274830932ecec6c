/* Schedules: the only things that communicate. Rounds of messages between processors; pure data.
 *
 * A schedule is made by a generator (one algorithm per file, schedule_*.c) from a group of processors and sizes.
 * Every host of processors makes the same schedule but keeps only the messages from or to its own processors
 * [low, high); with the range [0, P) it is the whole, which is what plans print and the model backend runs.
 * Within a round messages stand in the same order on every host. A round's messages may all travel at once; a later
 * round may depend on an earlier one.
 */
#ifndef BMF_SCHEDULE_H
#define BMF_SCHEDULE_H

#include <stdint.h>
#include <stdio.h>

enum { BMF_BYTES_UNKNOWN = -1 }; /* only the sender knows the size */

typedef struct bmf_message {
    int64_t from, to;     /* processors */
    int64_t bytes;        /* payload, or BMF_BYTES_UNKNOWN */
    int64_t first, count; /* which items of the group it carries; what an item is, the generator says */
} bmf_message;

typedef struct bmf_round {
    bmf_message *message;
    int64_t count, capacity;
} bmf_round;

typedef struct bmf_schedule {
    const char *name;  /* of the algorithm; static storage */
    int64_t low, high; /* processors it is complete for */
    int rounds, capacity;
    bmf_round *round;
} bmf_schedule;

/* Item i of a group lives on processor base + (i << stride), 0 <= i < count. */
typedef struct bmf_group {
    int64_t base;
    int stride;
    int64_t count;
} bmf_group;

static inline int64_t group_processor(const bmf_group *group, int64_t item)
{
    return group->base + (item << group->stride);
}

bmf_schedule *schedule_create(const char *name, int64_t low, int64_t high);
void schedule_free(bmf_schedule *schedule);
/* Adds a message to round r (rounds up to r appear as needed) if it is from or to [low, high). Returns 0, or
 * BMF_ERROR_MEMORY. A message from a processor to itself is kept: it is a copy. */
int schedule_add(bmf_schedule *schedule, int r, bmf_message message);

/* Makes the schedule at least `rounds` long, so that every host counts the same rounds whatever it takes part in.
 * Returns 0 or BMF_ERROR_MEMORY. */
int schedule_extend(bmf_schedule *schedule, int rounds);

/* ---- generators. All add to `schedule` from round `first_round` on (several groups can share rounds) and return 0 or
 * BMF_ERROR_MEMORY. start: item k has start[k+1] - start[k] bytes (count + 1 values), or NULL: sizes unknown. ---- */

/* Document 000, 5.3.2: items 0..count-1 from item 0's processor to each; at every step the holder of a segment of n items sends
 * those from the largest power of two below n on. ceil(log2 count) rounds, count - 1 messages. */
int schedule_split_tree(bmf_schedule *schedule, int first_round, const bmf_group *group, const int64_t *start);
/* Every item straight from item 0's processor: 1 round, count - 1 messages, no byte twice. */
int schedule_split_direct(bmf_schedule *schedule, int first_round, const bmf_group *group, const int64_t *start);
/* Document 000, 5.6 with concatenation: the split tree backwards; and straight to item 0's processor. */
int schedule_gather_levels(bmf_schedule *schedule, int first_round, const bmf_group *group, const int64_t *start);
int schedule_gather_direct(bmf_schedule *schedule, int first_round, const bmf_group *group, const int64_t *start);

/* Document 000, 5.6: level l = 1, 2, ..: item i, a multiple of 2^l, gets the value of item i + 2^(l-1). The message's
 * items [first, first + count) are those the value covers; bytes(state, first, count) says its size.
 * ceil(log2 count) rounds, count - 1 messages. */
typedef int64_t bmf_bytes_function(const void *state, int64_t first, int64_t count);
int schedule_reduce_levels(bmf_schedule *schedule, int first_round, const bmf_group *group, bmf_bytes_function *bytes,
                           const void *state);
/* Recursive doubling so that every item's processor ends with the total; when count is not a power of two,
 * neighbours pair up first and are told last. ceil(log2 count) (+ 2) rounds. Items are kept in order. */
int schedule_reduce_doubling(bmf_schedule *schedule, int first_round, const bmf_group *group, bmf_bytes_function *bytes,
                             const void *state);
/* Everybody's value to everybody in one round: count (count - 1) messages. Serves reductions and scans (as the exclusive
 * scan of block totals). */
int schedule_everybody(bmf_schedule *schedule, int first_round, const bmf_group *group, bmf_bytes_function *bytes,
                       const void *state);
/* Document 000, 5.8: level l = 0, 1, ..: item i sends the value of its last 2^l items to item i + 2^l.
 * ceil(log2 count) rounds; 15, 14, 12, 8 messages for 16 items. */
int schedule_scan_levels(bmf_schedule *schedule, int first_round, const bmf_group *group, bmf_bytes_function *bytes,
                         const void *state);
/* Up and down a binary tree: 2 ceil(log2 count) rounds but only 2 (count - 1) messages. Going up, messages are exactly
 * those of reduce_levels; going down (from round first_round + ceil(log2 count) on) item i's holder of the prefix
 * [0, i) sends the prefix [0, i + 2^l) to item i + 2^l. */
int schedule_scan_tree(bmf_schedule *schedule, int first_round, const bmf_group *group, bmf_bytes_function *bytes,
                       const void *state);

/* Document 000, 5.4: one value of `bytes` from item 0's processor to all, by the split tree. In all three, message.first
 * is the byte offset of the piece and message.count its bytes. */
int schedule_distl_tree(bmf_schedule *schedule, int first_round, const bmf_group *group, int64_t bytes);
/* A chain: the value in `segments` pieces, each passed on while the next arrives. count + segments - 2 rounds.
 * Never more segments than bytes. */
int schedule_distl_pipeline(bmf_schedule *schedule, int first_round, const bmf_group *group, int64_t bytes,
                            int64_t segments);
/* van de Geijn: split the value's bytes by a tree, then pass the pieces round a ring. log2 count + count - 1 rounds,
 * 2 bytes (count - 1) / count per processor. */
int schedule_distl_scatter_allgather(bmf_schedule *schedule, int first_round, const bmf_group *group, int64_t bytes);

/* From one cut of the same elements to another: for every overlap of source part [from_start[i], from_start[i+1]) on
 * from_processor[i] with target part j, one message; element_bytes each. first, count: elements. 1 round. */
int schedule_redistribute(bmf_schedule *schedule, int first_round, int64_t from_parts, const int64_t *from_processor,
                          const int64_t *from_start, int64_t to_parts, const int64_t *to_processor,
                          const int64_t *to_start, int64_t element_bytes);

/* ---- costs ---- */

typedef struct bmf_cost_model {
    double latency;  /* seconds per message */
    double per_byte; /* seconds per byte */
} bmf_cost_model;

/* Estimated seconds of each algorithm for a group of `count` items; bytes: of the whole (split, gather) or of one value.
 * REDUCE_LEVELS includes telling the total to all. */
typedef enum bmf_algorithm {
    BMF_SPLIT_TREE,
    BMF_SPLIT_DIRECT,
    BMF_GATHER_LEVELS,
    BMF_GATHER_DIRECT,
    BMF_REDUCE_LEVELS,
    BMF_REDUCE_DOUBLING,
    BMF_REDUCE_EVERYBODY,
    BMF_SCAN_LEVELS,
    BMF_SCAN_TREE,
    BMF_SCAN_EVERYBODY,
    BMF_DISTL_TREE,
    BMF_DISTL_PIPELINE,
    BMF_DISTL_SCATTER_ALLGATHER,
    BMF_ALGORITHMS
} bmf_algorithm;
double schedule_estimate(bmf_algorithm algorithm, const bmf_cost_model *cost, int64_t count, double bytes);
/* Segments that make the pipeline cheapest, at least 1. */
int64_t schedule_pipeline_segments(const bmf_cost_model *cost, int64_t count, int64_t bytes);
/* The skeleton an algorithm serves ("split", "gather", "reduce", "scan", "distl") and its name ("tree", ..). */
const char *algorithm_skeleton(bmf_algorithm algorithm);
const char *bmf_algorithm_name(bmf_algorithm algorithm);

/* Total messages between different processors, and their bytes (unknown sizes count 0). Copies count nothing. */
void schedule_count_totals(const bmf_schedule *schedule, int64_t *messages, int64_t *bytes);
/* Prints name, and per round: messages, bytes, largest message, and up to `examples` messages as 0 -> 4 (16 B). */
void schedule_print(const bmf_schedule *schedule, int examples, FILE *stream);

#endif
