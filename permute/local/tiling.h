/* Tiles of a BMMC permutation at one granularity: the algebra shared by the walk through memory, where a run is some
 * hundred bytes, and by the kernel inside the cache, where it is a vector. Private to permute/local/.
 *
 * Split an address into run_bits low bits and the rest: a run is 2^run_bits consecutive elements. Let E be the span of
 * the low unit vectors and T = E + A^-1 E, of dimension run_bits + rank. A coset of T is a tile: 2^rank whole source
 * runs that fill 2^rank whole target runs, and nothing else. rank is that of the lower left block of A, hence at most
 * run_bits. Inside a tile elements have local addresses: (run, offset), the offset in the low run_bits bits.
 *
 *   source address of local address (i, u) in the tile at x     x ^ (sum of source_run that i selects) ^ u
 *   target address of local address (j, v) in the tile at y     high(y) ^ (sum of target_run that j selects) ^ v
 *   (j, v) = inside (i, u) ^ (0, low(y)),  y = A x + c
 *
 * where x has no low bits. `inside` is the same for every tile; only low(y) changes.
 *
 * The tiles are the sums of source_step. In nested order they are subspaces T_k = span(e_0 .. e_(k-1)) +
 * A^-1 span(e_0 .. e_(k-1)), so that the lines, then the pages, then the huge pages of both sides are finished before
 * others begin; in the order of the source span(e_0 .. e_(k-1)), so that each of the runs that a tile reads is read to
 * the end of a longer run first. In Gray order one step costs one exclusive or on either side. */
#ifndef BMF_LOCAL_TILING_H
#define BMF_LOCAL_TILING_H

#include "bmf/permutation.h"
#include "permute/gf2.h"

typedef struct bmf_tiling {
    int run_bits, rank, steps;                                     /* run_bits + rank + steps = bits */
    uint64_t source_run[BMF_MAX_BITS], target_run[BMF_MAX_BITS];   /* rank of each; their low bits are 0 */
    uint64_t source_step[BMF_MAX_BITS], target_step[BMF_MAX_BITS]; /* steps of each; target_step = A source_step */
    bmf_bit_matrix inside;                                         /* run_bits + rank bits */
} bmf_tiling;

/* The rank a tiling with this run_bits has: cheap, to choose run_bits. */
int tiling_rank(const bmf_bit_matrix *a, int run_bits);

typedef enum bmf_tiling_order { TILING_NESTED, TILING_BY_SOURCE } bmf_tiling_order;

/* 0 <= run_bits <= a->bits. O(n^2) word operations. */
void tiling_make(const bmf_bit_matrix *a, int run_bits, bmf_tiling_order order, bmf_tiling *tiling);

/* The difference of the source addresses of a tile's local addresses 0 and `local`. */
static inline uint64_t tiling_source(const bmf_tiling *tiling, uint64_t local)
{
    return columns_apply(tiling->source_run, local >> tiling->run_bits) ^ (local & low_bits(tiling->run_bits));
}

/* The number of the step from tile q to tile q + 1 in Gray order, and the sum of steps that reaches tile q from 0. */
static inline int tiling_step(uint64_t q)
{
    return __builtin_ctzll(q + 1);
}
static inline uint64_t tiling_begin(const uint64_t *step, uint64_t q)
{
    return columns_apply(step, q ^ q >> 1);
}

#endif
