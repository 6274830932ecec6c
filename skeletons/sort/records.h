/* Records of sorting, and kernels on them. Private to skeletons.
 *
 * A record is a key of 64 bits, alone or with a second word behind it that goes along. A segment is a part of a list on
 * this rank, or an inner list. */
#ifndef BMF_SORT_RECORDS_H
#define BMF_SORT_RECORDS_H

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
    void (*between)(void *state); /* called behind every kernel; or NULL */
    void *between_state;
} bmf_records;

/* Record number `record`, which is of the segment. */
static inline uint64_t *records_at(const bmf_records *records, int64_t segment, int64_t record)
{
    return records->room[records->where[segment]] + record * records->words;
}

/* Records of a worker: no more workers than have something to do. */
int64_t records_share(const bmf_records *records);

/* Pieces of the segments for records_compute, for every worker about as many records; part: the segment, begin and end:
 * numbers of records. The caller frees. */
void records_cut(const bmf_records *records, bmf_piece **piece, int64_t *pieces);

/* What happens to each record of a piece. */
typedef struct bmf_records_kernel {
    const char *name;
    bmf_kernel_work each;
    int (*run)(void *state, int64_t index, const bmf_piece *piece, int worker);
    bool dynamic; /* any worker takes any piece */
} bmf_records_kernel;

/* Computes the kernel on pieces of the records, as the next of their rounds. */
int records_compute(bmf_records *records, const bmf_records_kernel *kernel, const bmf_piece *piece, int64_t pieces,
                    void *state);

#endif
