/* Records of unsorted parts into buckets, one for each part of the result. Private to skeletons/sort. */
#ifndef BMF_SORT_BUCKETS_H
#define BMF_SORT_BUCKETS_H

#include "skeletons/sort/crossing.h"

enum { BUCKETS_MOST = 64 };

/* Bucket p + k + 1 of part p is of stage k, the last one, that of the part itself, of stage parts - 1. */
typedef struct bmf_buckets {
    bmf_crossing *crossing;
    int64_t parts, local; /* parts of all, at most BUCKETS_MOST, and of this rank */
    int64_t *count;       /* by part and bucket, of all parts: its records */
    int64_t *start;       /* by stage and local part: the bucket's first record in room 1; and the end */
} bmf_buckets;

void buckets_open(bmf_buckets *buckets, bmf_crossing *crossing);
void buckets_close(bmf_buckets *buckets);

/* Which bucket a part has in a stage. */
static inline int64_t buckets_of_stage(const bmf_buckets *buckets, int64_t part, int64_t stage)
{
    return (part + stage + 1) % buckets->parts;
}

/* Chooses the cuts and moves the records from room 0 to room 1. Messages: those of crossing_cut, and an allgather of
 * 8 bytes for each pair of parts. Collective; settles failures. */
int buckets_fill(bmf_buckets *buckets);

#endif
