/* How records of a file larger than memory are permuted: the fewest passes over the file.
 *
 * M = 2^memory_bits records fit the memory for one tile, B = 2^block_bits consecutive records are moved between file
 * and memory at once. gamma is the lower left block of A, (n - lg B) x lg B (document 003, 2.4). A permutation can be
 * done in one pass, tile by tile, iff rank gamma <= lg(M / B): permute/local/tiling.h with a block as the run.
 *
 * The rank of gamma is at most additive in products of permutations, so max(1, ceil(rank gamma / lg(M / B))) passes are
 * necessary. They are sufficient: see plan.c. Cormen's bound has one more pass, because his passes read a memory full
 * of blocks that lie together; files can be read anywhere.
 *
 * Internal. Nothing here communicates or allocates. */
#ifndef BMF_EXTERNAL_PLAN_H
#define BMF_EXTERNAL_PLAN_H

#include <stdbool.h>

#include "bmf/permutation.h"

enum {
    EXTERNAL_MAX_PASSES = 32, /* a rank is at most half of BMF_MAX_BITS */
    EXTERNAL_ACCESS_BYTES = 16 << 10
};

typedef struct bmf_external_pass {
    bmf_permutation permutation;
    int run_bits;  /* 2^run_bits >= B consecutive records are read and written at once */
    int tile_bits; /* of 2^tile_bits <= M records in memory */
} bmf_external_pass;

typedef struct bmf_external_plan {
    bmf_permutation permutation; /* of all passes together */
    int64_t record_bytes;
    int memory_bits, block_bits;
    int rank; /* of gamma */
    int passes;
    bmf_external_pass pass[EXTERNAL_MAX_PASSES];
} bmf_external_plan;

/* memory_bytes hold two tiles: the records as they were read, and as they will be written. block_bytes > 0: B has at
 * least so many bytes, and is the largest with which the passes are the fewest. 0: the B with the least estimated time,
 * where an access takes as long as moving EXTERNAL_ACCESS_BYTES. False: several blocks do not fit. */
bool external_plan_make(const bmf_permutation *p, int64_t record_bytes, int64_t memory_bytes, int64_t block_bytes,
                        bmf_external_plan *plan);

/* The passes that are necessary, with gamma's rank and lg(M / B); -1: M = B, and no number is enough. */
int external_least_passes(int rank, int window_bits);

#endif
