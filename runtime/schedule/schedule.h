/* Schedules: the only things that communicate. Rounds of messages between processors; pure data.
 *
 * A schedule is made by an algorithm (runtime/schedule/algorithms.h) from a group of processors and sizes.
 * Every host of processors makes the same schedule but keeps only the messages from or to its own processors
 * [low, high); with the range [0, P) it is the whole, which is what plans print and the model backend runs.
 * Within a round messages are in the same order on every host. A round's messages may all travel at once; a later
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
    int broadcast; /* reductions: the first of the rounds that bring the total from one processor to all; -1: none */
} bmf_schedule;

/* Item i of a group lives on processor base + (i << log2_stride), 0 <= i < count. */
typedef struct bmf_group {
    int64_t base;
    int log2_stride;
    int64_t count;
} bmf_group;

static inline int64_t group_processor(const bmf_group *group, int64_t item)
{
    return group->base + (item << group->log2_stride);
}

bmf_schedule *schedule_create(const char *name, int64_t low, int64_t high);
void schedule_free(bmf_schedule *schedule);
/* Adds a message to round r (rounds up to r appear as needed) if it is from or to [low, high). A
 * message from a processor to itself is kept: it is a copy. */
void schedule_add(bmf_schedule *schedule, int r, bmf_message message);

/* Makes the schedule at least `rounds` long, so that every host counts the same rounds whatever it takes part in. */
void schedule_extend(bmf_schedule *schedule, int rounds);

/* Adds round first_round: from one cut of the same elements to another. For every overlap of source part
 * [from_start[i], from_start[i+1]) on from_processor[i] with target part j, one message; element_bytes each. first,
 * count: elements. */
void schedule_redistribute(bmf_schedule *schedule, int first_round, int64_t from_parts, const int64_t *from_processor,
                           const int64_t *from_start, int64_t to_parts, const int64_t *to_processor,
                           const int64_t *to_start, int64_t element_bytes);

/* Total messages between different processors, and their bytes (unknown sizes count 0). Copies count nothing. */
void schedule_count_totals(const bmf_schedule *schedule, int64_t *messages, int64_t *bytes);
/* Prints name, and per round: messages, bytes, largest message, and up to `examples` messages as 0 -> 4 (16 B). */
void schedule_print(const bmf_schedule *schedule, int examples, FILE *stream);
/* The same of rounds [begin, end) alone, under another name. */
void schedule_print_rounds(const bmf_schedule *schedule, const char *name, int begin, int end, int examples,
                           FILE *stream);

#endif
