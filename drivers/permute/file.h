/* bmf permute --in --out: the elements or rows of a .npy file, which need not fit into memory. */
#ifndef BMF_PERMUTE_FILE_H
#define BMF_PERMUTE_FILE_H

#include "bmf/context.h"

typedef struct bmf_file_permutation {
    const char *in, *out;
    const char *work; /* directory for what a later run goes on with; NULL: none */
    const char *matrix, *complement;
    int64_t memory, block; /* bytes; 0: chosen */
    bool rows, copy, plan, json;
} bmf_file_permutation;

/* Plans, runs and prints. Collective. A bmf status with its message in ctx. */
int permute_file(bmf_context *ctx, const bmf_file_permutation *wanted);

#endif
