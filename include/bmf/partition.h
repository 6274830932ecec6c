/** @file
 * Partitions: which processor holds which elements of a list.
 *
 * A list has `parts` parts; part k holds elements [start[k], start[k+1]) and lives on one processor:
 *   placed       one part, on processor `base`
 *   distributed  part k on processor base + sum over levels of digit_l(k) << log2_stride_l, where the digits of k are
 *                taken in the mixed radix count_0, count_1, ... (the last varies fastest)
 * Each nested split (document 000, 5.3.4) adds a level. Levels must not overlap: the span of the inner levels is
 * smaller than the outer stride. So processors increase strictly with k, and what a rank owns (a contiguous block of
 * processors) is a contiguous range of parts and of elements.
 *
 * Every rank knows the whole partition. Partitions are immutable and shared by reference count; lists made from each
 * other share them. Nothing here is collective. */
#ifndef BMF_PARTITION_H
#define BMF_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bmf/export.h>
#include <bmf/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of partitions. */
enum {
    BMF_MAX_LEVELS = 8 /**< of nested splits */
};

/** One level of nested splits. */
typedef struct bmf_level {
    int64_t count;   /**< processors at this level */
    int log2_stride; /**< log2 of the distance between neighbours */
} bmf_level;

/** A partition; opaque. */
typedef struct bmf_partition bmf_partition;

/** Sizes of the document's split (document 000, 5.3.1): part k of `parts` starts where the first k parts of
 * ceil(rest / parts left) each end: the first length mod parts parts hold one element more. */
BMF_API int64_t bmf_split_start(int64_t length, int64_t parts, int64_t k);

/** Creates a partition; start (parts + 1 values, non-decreasing, first 0, last the length) is copied, or NULL for the
 * document's even split of `length` elements. Every rank must pass the same. The caller releases it. Errors: no
 * processors, levels that overlap, or a processor beyond the context's. */
BMF_API int bmf_partition_create(bmf_context *ctx, int64_t base, int levels, const bmf_level *level, int64_t length,
                                 const int64_t *start, bmf_partition **partition);
/** Everything on one processor. */
BMF_API int bmf_partition_placed(bmf_context *ctx, int64_t processor, int64_t length, bmf_partition **partition);
/** An even split over all processors of the context. */
BMF_API int bmf_partition_even(bmf_context *ctx, int64_t length, bmf_partition **partition);
/** The same processors with other lengths: start as for bmf_partition_create. */
BMF_API int bmf_partition_resized(bmf_context *ctx, const bmf_partition *like, const int64_t *start,
                                  bmf_partition **partition);

/** One more owner; returns the partition. */
BMF_API bmf_partition *bmf_partition_retain(bmf_partition *partition);
/** One owner less; the last frees it. NULL is allowed. */
BMF_API void bmf_partition_release(bmf_partition *partition);

/** Number of parts, those of all ranks. */
BMF_API int64_t bmf_partition_parts(const bmf_partition *partition);
/** The first element of part k, 0 <= k <= parts; that of part `parts` is the length. */
BMF_API int64_t bmf_partition_start(const bmf_partition *partition, int64_t k);
/** Number of elements. */
BMF_API int64_t bmf_partition_length(const bmf_partition *partition);
/** Parts on this rank, possibly 0, and the first of them. */
BMF_API int64_t bmf_partition_local_parts(const bmf_partition *partition);
/** See bmf_partition_local_parts. */
BMF_API int64_t bmf_partition_local_first(const bmf_partition *partition);
/** This rank's elements: [local begin, local end). */
BMF_API int64_t bmf_partition_local_begin(const bmf_partition *partition);
/** See bmf_partition_local_begin. */
BMF_API int64_t bmf_partition_local_end(const bmf_partition *partition);
/** Processor of part k. */
BMF_API int64_t bmf_partition_processor(const bmf_partition *partition, int64_t k);
/** The first part on `processor` or behind it, at most parts: binary search, because processors rise with the parts. */
BMF_API int64_t bmf_partition_part_from(const bmf_partition *partition, int64_t processor);
/** Elements of the part on a processor, 0 if it has none. */
BMF_API int64_t bmf_partition_length_on(const bmf_partition *partition, int64_t processor);
/** Part that holds element i, 0 <= i < length: binary search over the starts; empty parts never match. */
BMF_API int64_t bmf_partition_part_of(const bmf_partition *partition, int64_t i);
/** Same processors and same part lengths. */
BMF_API bool bmf_partition_equal(const bmf_partition *a, const bmf_partition *b);
/** In words, for messages: "10 elements on 4 processors (0, 2, .. 6)". Returns text. */
BMF_API char *bmf_partition_print(const bmf_partition *partition, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
