/* Tiles of a BMMC permutation: subspaces that whole runs fall into on both sides.
 *
 * Method: the high parts of A E and of A^-1 E have the dimension of the lower left block of A, each; bases of them
 * number the runs of a tile. Cost: O(n^2) word operations, once per permutation. Source: Cormen, Sundquist and
 * Wisniewski's blocks of A (document 003, 2.4), applied to cache lines and runs instead of disk blocks; the nested
 * order of tiles is our own. */
#include "permute/local/tiling.h"

/* The span of the high parts of the first run_bits columns of a. */
static void span_of_runs(const bmf_bit_matrix *a, int run_bits, bmf_span *span)
{
    span_clear(span);
    for (int j = 0; j < run_bits; j++)
        span_add(span, a->column[j] >> run_bits << run_bits);
}

int tiling_rank(const bmf_bit_matrix *a, int run_bits)
{
    uint64_t high[BMF_MAX_BITS];
    for (int j = 0; j < run_bits; j++)
        high[j] = a->column[j] >> run_bits;
    return words_rank(high, run_bits);
}

static void make_inside(const bmf_bit_matrix *a, bmf_tiling *t)
{
    t->inside.bits = t->run_bits + t->rank;
    for (int j = 0; j < t->inside.bits; j++) {
        const uint64_t x = j < t->run_bits ? UINT64_C(1) << j : t->source_run[j - t->run_bits];
        const uint64_t y = bmf_bit_matrix_apply(a, x);
        const uint64_t run = basis_coordinates(t->target_run, t->rank, y >> t->run_bits << t->run_bits);
        t->inside.column[j] = (y & low_bits(t->run_bits)) | run << t->run_bits;
    }
}

static void make_steps(const bmf_bit_matrix *a, const bmf_bit_matrix *inverse, bmf_tiling_order order, bmf_tiling *t)
{
    bmf_span reached;
    span_clear(&reached);
    for (int i = 0; i < t->rank; i++)
        span_add(&reached, t->source_run[i]);
    for (int k = t->run_bits; k < a->bits; k++) {
        const uint64_t candidate[2] = {UINT64_C(1) << k, inverse->column[k] >> t->run_bits << t->run_bits};
        for (int c = 0; c < (order == TILING_NESTED ? 2 : 1); c++) {
            const uint64_t rest = span_reduce(&reached, candidate[c], NULL);
            if (rest == 0)
                continue;
            span_add(&reached, rest);
            t->source_step[t->steps] = candidate[c];
            t->target_step[t->steps++] = bmf_bit_matrix_apply(a, candidate[c]);
        }
    }
}

void tiling_make(const bmf_bit_matrix *a, int run_bits, bmf_tiling_order order, bmf_tiling *tiling)
{
    bmf_bit_matrix inverse;
    bmf_span source, target;
    uint64_t basis[64];
    bmf_bit_matrix_inverse(a, &inverse);
    span_of_runs(&inverse, run_bits, &source);
    span_of_runs(a, run_bits, &target);
    *tiling = (bmf_tiling){.run_bits = run_bits, .rank = target.dimension};
    span_basis(&source, basis);
    for (int i = 0; i < tiling->rank; i++)
        tiling->source_run[i] = basis[i];
    span_basis(&target, basis);
    for (int i = 0; i < tiling->rank; i++)
        tiling->target_run[i] = basis[i];
    make_inside(a, tiling);
    make_steps(a, &inverse, order, tiling);
}
