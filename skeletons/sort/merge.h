/* Merging sorted runs of records, all threads together. Private to skeletons/sort. */
#ifndef BMF_SORT_MERGE_H
#define BMF_SORT_MERGE_H

#include "skeletons/sort/records.h"

/* A sorted run of records, anywhere in memory. */
typedef struct bmf_sorted_run {
    int64_t segment;
    const uint64_t *from;
    int64_t count;
} bmf_sorted_run;

/* How often the records are merged: ceil (log2 of the most runs of a segment), at least once. */
int merge_passes(int64_t runs, const bmf_sorted_run *run);

/* Makes every segment of its runs: by key, equal keys by the second word; equal records in the order of the runs. The
 * runs follow each other by segment, and are as many records as their segments have; `run` is changed. Passes go to
 * room `first`, where no run lies, and the other one in turns. */
int records_merge(bmf_records *records, int first, int64_t runs, bmf_sorted_run *run);

#endif
