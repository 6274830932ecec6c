/* Sets of bit vectors over GF(2), as permutations need them; bmf/bit_matrix.h has the matrices. A vector of n bits is a
 * word: bit i is component i. Addition is exclusive or everywhere. Nothing here communicates or allocates. */
#ifndef BMF_GF2_H
#define BMF_GF2_H

#include "bmf/bit_matrix.h"

/* The word whose `bits` lowest bits are set; 0 <= bits <= 63. */
static inline uint64_t low_bits(int bits)
{
    return (UINT64_C(1) << bits) - 1;
}

/* The sum of the columns that x selects; x has no bit beyond the last column. Cost: one step per bit set in x. */
static inline uint64_t columns_apply(const uint64_t *column, uint64_t x)
{
    uint64_t y = 0;
    for (; x; x &= x - 1)
        y ^= column[__builtin_ctzll(x)];
    return y;
}

/* ---- spans: the sums of some words ---- */

/* A basis in echelon form: vector[k] is 0 or the one with highest bit k; no vector has the highest bit of another one.
 * Every vector is also known as a sum of the words that were added: bit j of combination[k] stands for the j-th one. */
typedef struct bmf_span {
    int dimension, added;
    uint64_t vector[64], combination[64];
} bmf_span;

void span_clear(bmf_span *span);
/* Adds a word (at most 64 in all). Returns true if it was independent of those before. */
bool span_add(bmf_span *span, uint64_t word);
/* What is left of the word after subtracting what it shares with the span: 0 if it lies in it, and the same for all
 * words of a coset. combination (may be NULL): which added words were subtracted. */
uint64_t span_reduce(const bmf_span *span, uint64_t word, uint64_t *combination);
/* The vectors in increasing order; returns the dimension. They are the smallest basis: run k of 2^k sums of the first k
 * is increasing. */
int span_basis(const bmf_span *span, uint64_t basis[64]);
/* Coordinates of a word of the span in such a basis: its bits at the highest bits of the vectors. Of another word they
 * are those of what makes its bits there 0. */
uint64_t basis_coordinates(const uint64_t *basis, int dimension, uint64_t word);
/* Rank of `count` words. */
int words_rank(const uint64_t *word, int count);
/* A basis of {x : the sum of the columns x selects is 0}, in echelon form and increasing order; returns its size. */
int columns_kernel(const uint64_t *column, int columns, uint64_t basis[64]);

#endif
