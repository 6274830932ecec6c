/* The fewest passes of a permutation over a file; see plan.h.
 *
 * Method: let E be the span of the lg B low unit vectors, W = A^-1 E, and K their intersection, of dimension lg B - g,
 * g = rank gamma. Vectors e_1 .. e_g extend a basis of K to one of E, and w_1 .. w_g to one of W; all together they are
 * independent. The involution S that exchanges e_i and w_i for i <= r, and keeps the other vectors of a basis of the
 * whole space, has S^-1 E = K + <w_1 .. w_r, e_(r+1) .. e_g>, which meets E in lg B - r dimensions and W in
 * lg B - (g - r). So S has a gamma of rank r and A S^-1 one of rank g - r: S is the first pass, with r <= lg(M / B),
 * and the rest is treated alike. Ranks are spread evenly, so that every pass can have blocks larger than B.
 * Cost: O(n^3) word operations a pass.
 * Source: T. H. Cormen, T. Sundquist, L. F. Wisniewski, "Asymptotically tight bounds for performing BMMC permutations
 * on parallel disk systems", SIAM J. Comput. 28 (1998): ranks and the lower bound; the factors are our own. */
#include "permute/external/plan.h"

#include "permute/gf2.h"
#include "permute/local/tiling.h"

int external_least_passes(int rank, int window_bits)
{
    if (rank == 0)
        return 1;
    return window_bits > 0 ? (rank + window_bits - 1) / window_bits : -1;
}

/* ---- factors ---- */

/* Adds those of the vectors to `span` that are not in it yet, and lists them. A span takes 64 words at most. */
static int extend(bmf_span *span, const uint64_t *vector, int count, uint64_t *added)
{
    int n = 0;
    for (int k = 0; k < count; k++)
        if (span_reduce(span, vector[k], NULL) != 0) {
            span_add(span, vector[k]);
            added[n++] = vector[k];
        }
    return n;
}

/* A basis of K: the x in E with A x in E. */
static int intersection(const bmf_bit_matrix *a, int block_bits, uint64_t basis[64])
{
    uint64_t high[BMF_MAX_BITS];
    for (int j = 0; j < block_bits; j++)
        high[j] = a->column[j] >> block_bits;
    return columns_kernel(high, block_bits, basis);
}

/* The involution S for the first `exchanged` pairs. */
static void exchange_pairs(const bmf_bit_matrix *a, int block_bits, int exchanged, bmf_bit_matrix *s)
{
    bmf_bit_matrix inverse, unit, image = {.bits = a->bits}, basis = {.bits = a->bits}, basis_inverse;
    uint64_t kernel[64] = {0}, e[BMF_MAX_BITS] = {0}, w[BMF_MAX_BITS] = {0}, rest[BMF_MAX_BITS] = {0};
    bmf_span span;
    bmf_bit_matrix_inverse(a, &inverse);
    bmf_bit_matrix_identity(a->bits, &unit);
    span_clear(&span);
    const int common = extend(&span, kernel, intersection(a, block_bits, kernel), basis.column);
    const int g = extend(&span, unit.column, block_bits, e);
    extend(&span, inverse.column, block_bits, w);
    const int others = extend(&span, unit.column + block_bits, a->bits - block_bits, rest);
    int n = common;
    for (int k = 0; k < g; k++, n += 2) {
        basis.column[n] = e[k];
        basis.column[n + 1] = w[k];
    }
    for (int k = 0; k < others; k++)
        basis.column[n + k] = rest[k];
    image = basis;
    for (int k = 0; k < exchanged; k++) {
        image.column[common + 2 * k] = w[k];
        image.column[common + 2 * k + 1] = e[k];
    }
    bmf_bit_matrix_inverse(&basis, &basis_inverse);
    bmf_bit_matrix_product(&image, &basis_inverse, s);
}

/* ---- passes ---- */

/* The longest runs whose tiles fit. */
static void size_pass(bmf_external_pass *pass, int memory_bits)
{
    const bmf_bit_matrix *a = &pass->permutation.matrix;
    int run = 0;
    for (int k = 1; k <= a->bits && k <= memory_bits; k++)
        if (k + tiling_rank(a, k) <= memory_bits)
            run = k;
    pass->run_bits = run;
    pass->tile_bits = run + tiling_rank(a, run);
}

static void make_passes(bmf_external_plan *plan)
{
    bmf_bit_matrix left = plan->permutation.matrix;
    for (int k = 0; k < plan->passes; k++) {
        const int passes_left = plan->passes - k, rank = tiling_rank(&left, plan->block_bits);
        bmf_external_pass *pass = &plan->pass[k];
        pass->permutation = (bmf_permutation){.bits = left.bits, .matrix = left};
        if (passes_left > 1) {
            exchange_pairs(&left, plan->block_bits, (rank + passes_left - 1) / passes_left, &pass->permutation.matrix);
            bmf_bit_matrix_product(&left, &pass->permutation.matrix, &left); /* an involution is its own inverse */
        } else {
            pass->permutation.complement = plan->permutation.complement;
        }
        size_pass(pass, plan->memory_bits);
    }
}

/* The time of all passes, in units of moving the whole file without accesses. */
static double estimate(int passes, int block_bits, int64_t record_bytes)
{
    return passes * (1.0 + EXTERNAL_ACCESS_BYTES / ((double)record_bytes * (double)(UINT64_C(1) << block_bits)));
}

bool external_plan_make(const bmf_permutation *p, int64_t record_bytes, int64_t memory_bytes, int64_t block_bytes,
                        bmf_external_plan *plan)
{
    int memory_bits = 0, first = 0;
    while (memory_bits < p->bits && 2 * record_bytes <= (memory_bytes >> (memory_bits + 1)))
        memory_bits++;
    while (first < p->bits && (record_bytes << first) < block_bytes)
        first++;
    *plan = (bmf_external_plan){.permutation = *p, .record_bytes = record_bytes, .memory_bits = memory_bits};
    if (2 * record_bytes > memory_bytes)
        return false;
    double least = 0.0;
    for (int k = first; k <= memory_bits; k++) {
        const int rank = tiling_rank(&p->matrix, k), passes = external_least_passes(rank, memory_bits - k);
        const double time = block_bytes > 0 ? passes : estimate(passes, k, record_bytes);
        if (passes < 0 || (plan->passes > 0 && time > least))
            continue;
        least = time;
        plan->block_bits = k;
        plan->rank = rank;
        plan->passes = passes;
    }
    make_passes(plan);
    return plan->passes > 0;
}
