/* bmf permute --describe: what document 003 computes about a permutation. */
#ifndef BMF_DRIVERS_PERMUTE_DESCRIBE_H
#define BMF_DRIVERS_PERMUTE_DESCRIBE_H

#include <stdbool.h>
#include <stdint.h>

#include "bmf/permutation.h"

typedef struct bmf_permute_description {
    const char *machine; /* NULL: none */
    int64_t processors;  /* devices; 0: those of the machine, or of the context */
    bool disks;          /* devices are numbered by the lowest address bits, not by the highest */
    bool json;
} bmf_permute_description;

/* Prints it. Of one process. A bmf status with its message in ctx. */
int permute_describe(bmf_context *ctx, const bmf_permute_description *wanted, const bmf_permutation *p);

#endif
