/* Doing one part of a permutation in memory: the elements whose target (or source) addresses have given highest bits.
 * Private to permute/.
 *
 * A tile (permute/local/tiling.h) is done as a whole, so its elements must be in the same part: the numbers of parts
 * that tiles mix say which highest bits can be told apart. */
#ifndef BMF_LOCAL_PART_H
#define BMF_LOCAL_PART_H

#include "permute/local/plan.h"

typedef struct bmf_local_part {
    int run_bits;                 /* of local_mixed */
    int top;                      /* the number of highest bits */
    bool by_target;               /* of the target, or of the source */
    uint64_t number;              /* their value */
    uint64_t share, shares;       /* share number `share` of `shares` equal ones of the part, 0 <= share < shares */
    void (*between)(void *state); /* called now and then by the calling thread; or NULL */
    void *state;
} bmf_local_part;

/* Adds to `mixed` the differences between the values of the highest `top` bits that are found in one tile. Returns
 * run_bits, by which the same tiles are made again, if any complement of p has no bits that this p's has not. */
int local_mixed(const bmf_permutation *p, int64_t element_bytes, int top, bool by_target, bmf_span *mixed);

/* A part, where source (if not by_target) or target (if by_target) is the memory of this part only. No tile may mix
 * values of the highest bits. Errors: BMF_ERROR_MEMORY. */
int local_permute_part(void *target, const void *source, int64_t element_bytes, const bmf_permutation *p,
                       const bmf_local_part *part, int threads);

/* Leaves only the part's tiles in the plan. */
void local_restrict(bmf_local_plan *plan, const bmf_local_part *part);

#endif
