/* Sorting the parts of a list where they are, all threads together. Private to skeletons/sort.
 *
 * A record is a key of 64 bits, alone or with a second word behind it that goes along. */
#ifndef BMF_SORT_RADIX_H
#define BMF_SORT_RADIX_H

#include "runtime/backend/backend.h"

typedef struct bmf_records {
    bmf_context *ctx;
    const bmf_partition *partition;
    int words;         /* of a record: 1 or 2 */
    uint64_t *room[2]; /* places for this rank's records each, aligned to 64 bytes; given by the caller */
    uint8_t *where;    /* by local part: in which of the two its records are */
    uint32_t round;    /* of kernel calls; counts on */
} bmf_records;

/* Records of local part k, element numbers [first, ..). */
static inline uint64_t *records_at(const bmf_records *records, int64_t part, int64_t element)
{
    const bmf_partition *partition = records->partition;
    return records->room[records->where[part - partition->local_first]] +
           (element - bmf_partition_local_begin(partition)) * records->words;
}

/* Every part for itself, stable: records that lie in room[where[part]] come out ascending by key in room[where[part]],
 * which may have changed. */
int records_sort(bmf_records *records);

/* Sorts count records of two words by merging, stable, in this thread; returns 0 if the result is in `x`, 1 if it is in
 * `other`, which has room for as many. */
int records_merge_sort(uint64_t *x, uint64_t *other, int64_t count);

#endif
