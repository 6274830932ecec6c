/* Records that cross from processor to processor: what the ways of sorting across have in common. Private to
 * skeletons/sort. */
#ifndef BMF_SORT_CROSSING_H
#define BMF_SORT_CROSSING_H

#include "runtime/base/memory.h"
#include "runtime/data/partition.h"
#include "skeletons/sort/records.h"

/* A stretch of one bucket in a part, here or on its way. */
typedef struct bucket_run {
    int64_t from, to; /* parts */
    const uint64_t *record;
    int64_t count;
    bmf_buffer *buffer; /* what arrived; NULL: what stays on its processor */
} bucket_run;

/* Part b of the result is bucket b: the records from cut b up to cut b + 1. */
typedef struct bmf_crossing {
    bmf_records *records;
    const bmf_partition *partition;
    const bmf_type *type; /* of the elements */
    bool together;        /* equal ones come to one part */
    int64_t bytes;        /* of a record on its way */
    uint64_t *cut;        /* of bucket b > 0: the least record, {key, element number} at 2 b */
    bucket_run *run;      /* what is here for parts of this rank */
    int64_t runs, run_capacity;
} bmf_crossing;

/* Records of a part in their order, by regular rank. */
typedef struct bmf_sampling {
    /* Record {key, element number} of that rank in a local part. */
    void (*sample)(const void *state, int64_t part, int64_t rank, uint64_t record[2]);
    const void *state;
    bool in_place; /* the record of rank r is element r of the part */
} bmf_sampling;

/* Chooses the cuts, from the samples of all parts. Collective; settles failures. Messages: an allgather of the
 * samples, 8 bytes each if they are in place, otherwise 16: about 256 for each part, less than twice as many in all;
 * long parts have more of them. */
int crossing_cut(bmf_crossing *crossing, const bmf_sampling *sampling);

static inline bool crossing_is_narrow(const bmf_crossing *crossing)
{
    return crossing->bytes < 8 * crossing->records->words;
}

/* Whether the record of a key and an element number comes before the bucket. */
static inline bool is_before(const bmf_crossing *crossing, uint64_t key, int64_t element, int64_t bucket)
{
    const uint64_t *cut = crossing->cut + 2 * bucket;
    return key < cut[0] || (key == cut[0] && (uint64_t)element < cut[1]);
}

/* Which bucket the record belongs to, by bisection. */
int64_t crossing_bucket(const bmf_crossing *crossing, uint64_t key, int64_t element);

/* A run that will have arrived from one processor at another: returns room for its bytes, which the crossing owns. */
void *crossing_arrival(bmf_crossing *crossing, const bmf_message *message);

/* A room where none of the segments are makes place for what arrives. */
void crossing_release_idle(const uint8_t *where, int64_t segments, bmf_buffer *room[2]);

/* When all runs are here: makes the partition of the result, and its records of the runs, in rooms of their own, which
 * take the place of the others. Collective; settles failures. */
int crossing_receive(bmf_crossing *crossing, bmf_buffer *room[2], bmf_partition **target);

/* Releases cuts and runs. */
void crossing_close(bmf_crossing *crossing);

#endif
