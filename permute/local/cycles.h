/* Moving whole tiles in the cycles of a permutation that maps tiles to tiles. Private to permute/local/. */
#ifndef BMF_LOCAL_CYCLES_H
#define BMF_LOCAL_CYCLES_H

#include "permute/local/plan.h"

typedef struct bmf_cycles bmf_cycles;

/* The plan must outlive it, and its target_run span its source_run. NULL when there is no memory. */
bmf_cycles *cycles_create(const bmf_local_plan *plan, int threads);
void cycles_free(bmf_cycles *cycles);

/* Moves everything to its place, with the threads of cycles_create. scratch: that of
 * the pipeline for each. */
void cycles_follow(bmf_cycles *cycles, char *data, char *const *scratch);

#endif
