/* Rounds in stages, so that packing and unpacking overlap with sending. Private to permute.
 *
 * Packing reads whole cache lines, and the elements of a line may go to several processors: such blocks must be packed
 * together; likewise received ones that meet in a line must be unpacked together. The numbers of rounds that belong
 * together so are a subspace; a stage is one of its cosets: 2^bits rounds. While one stage travels the next one is
 * packed and the one before is unpacked. */
#ifndef BMF_STAGES_H
#define BMF_STAGES_H

#include "permute/exchange/exchange.h"

typedef struct bmf_stages {
    int bits;
    bmf_bit_matrix round, number; /* position in the schedule -> number of the round (and block, and slot); and back */
    int pack_run_bits[BMF_MAX_LEAVES], unpack_run_bits[BMF_MAX_LEAVES]; /* permute/local/part.h, by column */
} bmf_stages;

/* NULL if one stage would be all, or too small to be worth it. The order of the rounds is that of stages->round, or any
 * other one if `ordered`. The caller frees it. Not collective; the same on every host. */
bmf_stages *stages_create(const bmf_permute_plan *plan, bool ordered);

#endif
