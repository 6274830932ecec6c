/* Partitions: which processor holds which elements of a list.
 *
 * A list has `parts` parts; part k holds elements [start[k], start[k+1]) and lives on one processor:
 *   placed       one part, on processor `base`
 *   distributed  part k on processor base + sum over levels of digit_l(k) << stride_l, where the digits of k are
 *                taken in the mixed radix count_0, count_1, ... (the last varies fastest)
 * Each nested split (document 000, 5.3.4) adds a level. Levels must not overlap: the span of the inner levels is
 * smaller than the outer stride. So processors increase strictly with k, and what a rank owns (a contiguous block of
 * processors) is a contiguous range of parts and of elements.
 *
 * start[] is complete on every rank (parts + 1 values, non-decreasing, start[0] = 0, start[parts] = length).
 * Partitions are immutable and shared by reference count; lists made from each other share them.
 */
#ifndef BMF_PARTITION_H
#define BMF_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/context/status.h"

enum { BMF_MAX_LEVELS = 8 };

typedef struct bmf_level {
    int64_t count; /* processors at this level */
    int stride;    /* log2 of the distance between neighbours */
} bmf_level;

typedef struct bmf_partition {
    int references;
    int64_t base;                    /* processor of part 0 */
    int levels;                      /* 0: placed */
    bmf_level level[BMF_MAX_LEVELS]; /* outermost first */
    int64_t parts;                   /* product of the counts; 1 if placed */
    int64_t *start;                  /* parts + 1 element numbers */
    int64_t local_first;             /* first part on this rank */
    int64_t local_parts;             /* parts on this rank, possibly 0 */
} bmf_partition;

/* Sizes of the document's split (document 000, 5.3.1): part k of `parts` starts where the first k parts of
 * ceil(rest / parts left) each end: the first length mod parts parts hold one element more. */
int64_t bmf_split_start(int64_t length, int64_t parts, int64_t k);

/* Creates a partition; start (parts + 1 values) is copied, or NULL for the document's even split of `length`
 * elements. Not collective, but every rank must pass the same. Errors: no processors, levels that overlap, or a
 * processor beyond the context's. */
int bmf_partition_create(bmf_context *ctx, int64_t base, int levels, const bmf_level *level, int64_t length,
                         const int64_t *start, bmf_partition **partition);
/* The usual ones: everything on one processor; an even split over all processors of the context. */
int bmf_partition_placed(bmf_context *ctx, int64_t processor, int64_t length, bmf_partition **partition);
int bmf_partition_even(bmf_context *ctx, int64_t length, bmf_partition **partition);
/* The same processors with other lengths. */
int bmf_partition_resized(bmf_context *ctx, const bmf_partition *like, const int64_t *start, bmf_partition **partition);

bmf_partition *bmf_partition_retain(bmf_partition *partition);
void bmf_partition_release(bmf_partition *partition);

/* Processor of part k. */
int64_t bmf_partition_processor(const bmf_partition *partition, int64_t k);
/* The first part on `processor` or behind it, at most parts: binary search, because processors rise with the parts. */
int64_t bmf_partition_part_from(const bmf_partition *partition, int64_t processor);
/* Elements of the part on a processor, 0 if it has none. */
int64_t bmf_partition_length_on(const bmf_partition *partition, int64_t processor);
/* Part that holds element i, 0 <= i < length: binary search over start[]; empty parts never match. */
int64_t bmf_partition_part_of(const bmf_partition *partition, int64_t i);
static inline int64_t bmf_partition_length(const bmf_partition *partition)
{
    return partition->start[partition->parts];
}
static inline int64_t bmf_partition_local_begin(const bmf_partition *partition)
{
    return partition->start[partition->local_first];
}
static inline int64_t bmf_partition_local_end(const bmf_partition *partition)
{
    return partition->start[partition->local_first + partition->local_parts];
}
/* Same processors and same part lengths. */
bool bmf_partition_equal(const bmf_partition *a, const bmf_partition *b);
/* In words, for messages: "10 elements on 4 processors (0, 2, .. 6)". Returns text. */
char *bmf_partition_print(const bmf_partition *partition, char *text, size_t size);
const char *bmf_partition_broken(const bmf_context *ctx, const bmf_partition *partition);

#endif
