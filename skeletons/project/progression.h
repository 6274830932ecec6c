/* Index lists in arithmetic progression; private to project.
 *
 * index[i] = (first + step i) mod length, length that of xs, with |step| (count - 1) <= length: reversals, rotations,
 * slices, strides, one element for all. Once all ranks know the two numbers, every one knows all indices. */
#ifndef BMF_PROJECT_PROGRESSION_H
#define BMF_PROJECT_PROGRESSION_H

#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

typedef struct bmf_progression {
    int64_t first, step;
    int64_t count, length; /* of the index list, of xs */
} bmf_progression;

/* Positions [begin, end) of the index list, whose elements follow each other in one part of xs. */
typedef struct bmf_progression_run {
    int64_t from, to; /* processors */
    int64_t begin, end;
} bmf_progression_run;

typedef struct bmf_progression_runs {
    bmf_progression_run *run;
    int64_t count, capacity;
} bmf_progression_runs;

/* Looks whether the index list is a progression. Collective, settles failures: one allgather of five words, and one
 * read of the list at most. The answer is the same on every rank and for every number of ranks. */
int progression_recognise(const bmf_list *xs, const bmf_list *indices, bmf_progression *found, bool *is);

/* Index number i. */
int64_t progression_at(const bmf_progression *progression, int64_t i);

/* The runs of elements that are here, and the runs that come here from processors of other ranks: by `from`, `to`,
 * begin. The caller frees run. */
void progression_runs(const bmf_context *ctx, const bmf_progression *progression, const bmf_partition *from,
                      const bmf_partition *to, bmf_progression_runs *runs);

#endif
