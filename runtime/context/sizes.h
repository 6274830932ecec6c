/* Numbers by which a run chooses its ways, as they are for a larger argument than that of the run. A prediction for
 * more elements than there are runs the program on few of them, and has to choose as a run on all would. */
#ifndef BMF_CONTEXT_SIZES_H
#define BMF_CONTEXT_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "bmf/status.h"

typedef struct bmf_size_range {
    int64_t low, high;
} bmf_size_range;

typedef struct bmf_sizes {
    int64_t *seen; /* of this run, in the order of its choices */
    int64_t count, capacity;
    const bmf_size_range *grown; /* what they are for the larger argument; NULL: not known yet */
    int64_t known;
    const char *unsure; /* a skeleton whose algorithm differs between low and high, or NULL */
} bmf_sizes;

/* Whether choices are for a larger argument. */
bool sizes_are_grown(const bmf_context *ctx);
/* What `size` is for the larger argument; without one, itself. Called for the same numbers in the same order in all
 * runs of the program. */
bmf_size_range size_grown(bmf_context *ctx, int64_t size);

/* Fails because what is done cannot be said for the larger argument: "sort at FILE:3:5: WHY, so that .." */
int sizes_refuse(bmf_context *ctx, const char *skeleton, const char *why);

void sizes_free(bmf_sizes *sizes);

#endif
