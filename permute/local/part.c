/* The tiles of one part of a permutation.
 *
 * Method: the highest bits of a tile's address are a linear function of its number. The steps from tile to tile that do
 * not change them, after elimination, lead through the part; an elimination that only ever adds earlier steps to later
 * ones leaves the order of pages alone. Cost: O(n^2) word operations. */
#include "permute/local/part.h"

static void add(bmf_span *span, uint64_t word)
{
    if (span_reduce(span, word, NULL) != 0) /* a span takes only so many words */
        span_add(span, word);
}

int local_mixed(const bmf_permutation *p, int64_t element_bytes, int top, bool by_target, bmf_span *mixed)
{
    int part_bits;
    const int run_bits = local_part_run_bits(p, element_bytes, &part_bits);
    const int max = run_bits > part_bits ? run_bits - part_bits : 0; /* an element's parts are in no two tiles */
    bmf_tiling tiling;
    tiling_make(&p->matrix, max, TILING_NESTED, &tiling);
    for (int j = 0; j < max; j++)
        add(mixed, (UINT64_C(1) << j) >> (p->bits - top));
    for (int j = 0; j < tiling.rank; j++)
        add(mixed, (by_target ? tiling.target_run[j] : tiling.source_run[j]) >> (p->bits - top));
    return run_bits;
}

void local_restrict(bmf_local_plan *plan, const bmf_local_part *part)
{
    bmf_tiling *t = &plan->tiling;
    const int below = plan->permutation.bits - part->top;
    const uint64_t *side = part->by_target ? t->target_step : t->source_step;
    uint64_t pivot_source[BMF_MAX_BITS], pivot_target[BMF_MAX_BITS], combination;
    bmf_span reached;
    int kept = 0;
    span_clear(&reached);
    for (int i = 0; i < t->steps; i++) {
        if (span_reduce(&reached, side[i] >> below, &combination) == 0) {
            t->source_step[kept] = t->source_step[i] ^ columns_apply(pivot_source, combination);
            t->target_step[kept++] = t->target_step[i] ^ columns_apply(pivot_target, combination);
        } else {
            pivot_source[reached.added] = t->source_step[i];
            pivot_target[reached.added] = t->target_step[i];
            span_add(&reached, side[i] >> below);
        }
    }
    const uint64_t origin = part->by_target ? plan->target_origin : plan->source_origin;
    span_reduce(&reached, origin >> below ^ part->number, &combination);
    plan->source_origin ^= columns_apply(pivot_source, combination);
    plan->target_origin ^= columns_apply(pivot_target, combination);
    if (part->by_target)
        plan->target_origin &= low_bits(below);
    else
        plan->source_origin &= low_bits(below);
    t->steps = kept;
    plan->tiles = UINT64_C(1) << kept;
}
