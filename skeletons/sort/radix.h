/* Sorting segments of records where they are, all threads together. Private to skeletons. */
#ifndef BMF_SORT_RADIX_H
#define BMF_SORT_RADIX_H

#include "skeletons/sort/records.h"

/* Every segment for itself, stable: records that lie in room[where[segment]] come out ascending by key in
 * room[where[segment]], which may have changed. */
int records_sort(bmf_records *records);

/* Sorts count records of two words by merging, stable, in this thread; returns 0 if the result is in `x`, 1 if it is in
 * `other`, which has room for as many. */
int records_merge_sort(uint64_t *x, uint64_t *other, int64_t count);

#endif
