/* Sorting segments of records where they are, all threads together. Private to skeletons.
 *
 * A record is a key of 64 bits, alone or with a second word behind it that goes along. A segment is a part of a list on
 * this rank, or an inner list. */
#ifndef BMF_SORT_RADIX_H
#define BMF_SORT_RADIX_H

#include "runtime/backend/backend.h"

typedef struct bmf_records {
    bmf_context *ctx;
    int64_t segments;
    int64_t *start;               /* segments + 1 numbers of records; the first is less than 8, usually 0 */
    int64_t *processor;           /* of every segment, which does not fall */
    int words;                    /* of a record: 1 or 2 */
    uint64_t *room[2];            /* places for all records each, aligned to 64 bytes; given by the caller */
    uint8_t *where;               /* by segment: in which of the two its records are */
    uint32_t round;               /* of kernel calls; counts on */
    void (*between)(void *state); /* records_sort calls it between two kernels; or NULL */
    void *between_state;
} bmf_records;

/* Record number `record`, which is of the segment. */
static inline uint64_t *records_at(const bmf_records *records, int64_t segment, int64_t record)
{
    return records->room[records->where[segment]] + record * records->words;
}

/* Records of a worker: no more workers than have something to do. */
int64_t records_share(const bmf_records *records);

/* Pieces of the segments for ctx->backend->compute, for every worker about as many records; part: the segment, begin
 * and end: numbers of records. The caller frees. */
void records_cut(const bmf_records *records, bmf_piece **piece, int64_t *pieces);

/* Every segment for itself, stable: records that lie in room[where[segment]] come out ascending by key in
 * room[where[segment]], which may have changed. */
int records_sort(bmf_records *records);

/* Sorts count records of two words by merging, stable, in this thread; returns 0 if the result is in `x`, 1 if it is in
 * `other`, which has room for as many. */
int records_merge_sort(uint64_t *x, uint64_t *other, int64_t count);

#endif
