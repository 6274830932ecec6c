/* Which rounds make up a stage.
 *
 * Method: the blocks that a tile of packing mixes, and the slots that one of unpacking mixes, span a subspace of the
 * numbers of rounds (block, slot and round have the same number up to a constant). A basis of it comes first in the
 * order of rounds. Cost: O(n^3) word operations for every column. */
#include <stdlib.h>

#include "permute/local/part.h"
#include "permute/exchange/stages.h"
#include "permute/traffic.h"
#include "runtime/base/allocate.h"

/* Smaller stages are not worth the calls; elements in lines need no care at their ends. */
enum { MIN_STAGE_BYTES = 1 << 15, MIN_STAGE = 64 };

/* The packing or unpacking whose complement has every bit that any processor's has. */
static bmf_permutation with_any_complement(const bmf_traffic *traffic,
                                           bmf_permutation (*of)(const bmf_traffic *traffic, uint64_t processor))
{
    bmf_permutation p = of(traffic, 0);
    const uint64_t first = p.complement;
    for (int j = 0; j < traffic->processor_bits; j++)
        p.complement |= of(traffic, UINT64_C(1) << j).complement ^ first;
    return p;
}

static void find_mixed(const bmf_permute_plan *plan, bmf_stages *stages, bmf_span *mixed)
{
    const bmf_traffic *traffic = plan->traffic;
    const bmf_permutation pack = with_any_complement(traffic, traffic_packing);
    const bmf_permutation unpack = with_any_complement(traffic, traffic_unpacking);
    span_clear(mixed);
    for (int k = 0; k < plan->columns; k++) {
        if (traffic->packs)
            stages->pack_run_bits[k] = local_mixed(&pack, plan->column_bytes[k], traffic->rank, true, mixed);
        if (!traffic->direct)
            stages->unpack_run_bits[k] = local_mixed(&unpack, plan->column_bytes[k], traffic->rank, false, mixed);
    }
}

/* The mixed numbers first, then unit vectors. */
static void order_rounds(bmf_span *mixed, int rank, bmf_stages *stages)
{
    uint64_t basis[64];
    stages->bits = span_basis(mixed, basis);
    stages->round.bits = rank;
    for (int j = 0; j < stages->bits; j++)
        stages->round.column[j] = basis[j];
    for (int j = 0, next = stages->bits; j < rank; j++)
        if (span_reduce(mixed, UINT64_C(1) << j, NULL) != 0) {
            stages->round.column[next++] = UINT64_C(1) << j;
            span_add(mixed, UINT64_C(1) << j);
        }
    bmf_bit_matrix_inverse(&stages->round, &stages->number);
}

bmf_stages *stages_create(const bmf_permute_plan *plan, bool ordered)
{
    const bmf_traffic *traffic = plan->traffic;
    bmf_span mixed;
    if (traffic->rank == 0 || (!traffic->packs && traffic->direct))
        return NULL;
    bmf_stages *stages = allocate_clear(1, (int64_t)sizeof *stages);
    find_mixed(plan, stages, &mixed);
    order_rounds(&mixed, traffic->rank, stages);
    const int64_t elements = INT64_C(1) << (traffic->place_bits - traffic->rank + stages->bits);
    if (stages->bits < traffic->rank && (stages->bits == 0 || !ordered) && elements >= MIN_STAGE &&
        elements >= MIN_STAGE_BYTES / plan->element_bytes)
        return stages;
    free(stages);
    return NULL;
}
