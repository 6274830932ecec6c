/* What a partition is inside: bmf/partition.h is the public part. */
#ifndef BMF_DATA_PARTITION_H
#define BMF_DATA_PARTITION_H

#include "bmf/partition.h"

struct bmf_partition {
    int references;
    int64_t base;                    /* processor of part 0 */
    int levels;                      /* 0: placed */
    bmf_level level[BMF_MAX_LEVELS]; /* outermost first */
    int64_t parts;                   /* product of the counts; 1 if placed */
    int64_t *start;                  /* parts + 1 element numbers, complete on every rank */
    int64_t local_first;             /* first part on this rank */
    int64_t local_parts;             /* parts on this rank, possibly 0 */
};

/* Gathers a value of every part on this rank to all ranks: all has parts of them. Collective; settles failures. */
int partition_allgather(bmf_context *ctx, const bmf_partition *partition, const int64_t *values, int64_t *all);
/* The same of size[k] values of part k; NULL: one each. */
int partition_allgather_sized(bmf_context *ctx, const bmf_partition *partition, const int64_t *size,
                              const int64_t *values, int64_t *all);

/* Checks the invariants (debug builds call it at every creation); NULL, or what is broken. */
const char *partition_broken(const bmf_context *ctx, const bmf_partition *partition);

#endif
