/* Sorted runs that come one after the other, merged while the next ones are on their way. Private to skeletons/sort. */
#ifndef BMF_SORT_ARRIVALS_H
#define BMF_SORT_ARRIVALS_H

#include "runtime/base/memory.h"
#include "skeletons/sort/records.h"

/* Runs of the same stages, a sorted run for each part of this rank: run k is start[k + 1] - start[k] records. */
typedef struct bmf_run_set {
    bmf_buffer *buffer[2]; /* owned; NULL: the records are somebody else's */
    uint64_t *room[2];
    int64_t *start; /* owned: parts + 1 numbers of records */
    uint8_t *where; /* owned: in which room a run is */
    int64_t stages; /* whose runs have been merged */
} bmf_run_set;

/* All that has come so far: sets of which each has at least as many stages as the one behind it. */
typedef struct bmf_arrivals {
    bmf_records *records; /* of which only context, parts, words, rounds and `between` matter */
    bmf_run_set *set;
    int64_t sets, capacity;
} bmf_arrivals;

/* A set without records: counts and places are for the caller to fill. */
bmf_run_set run_set_create(const bmf_records *records);
void run_set_free(bmf_run_set *set);
/* The set as records of their own, on the rounds of the others; take its round back. */
bmf_records run_set_records(const bmf_run_set *set, const bmf_records *records);

/* Takes the set over, and merges sets of as many stages, two at a time. */
int arrivals_add(bmf_arrivals *arrivals, bmf_run_set *set);
/* Merges all to one set. */
int arrivals_join(bmf_arrivals *arrivals);
void arrivals_close(bmf_arrivals *arrivals);

#endif
