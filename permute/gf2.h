/* Square bit matrices over GF(2), up to 63 x 63, and the few things about sets of bit vectors that permutations need.
 *
 * A vector of n bits is a word: bit i is component i, the least significant first. A matrix is stored by columns, a
 * column to a word (document 003, 4.3), so that A x is the exclusive or of the columns that x selects:
 *
 *                     column[0]  column[1] ..                 bits: n
 *   bit 0 of a word:    a_00       a_01   ..   row 0          bits >= n of every column are 0
 *   bit 1 of a word:    a_10       a_11   ..   row 1
 *
 * Addition is exclusive or everywhere. Nothing here communicates or allocates. */
#ifndef BMF_GF2_H
#define BMF_GF2_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BMF_MAX_BITS = 63 };

typedef struct bmf_bit_matrix {
    int bits;
    uint64_t column[BMF_MAX_BITS];
} bmf_bit_matrix;

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
static inline uint64_t bmf_bit_matrix_apply(const bmf_bit_matrix *a, uint64_t x)
{
    return columns_apply(a->column, x);
}
static inline int bmf_bit_matrix_at(const bmf_bit_matrix *a, int row, int column)
{
    return (int)(a->column[column] >> row & 1);
}

void bmf_bit_matrix_identity(int bits, bmf_bit_matrix *a);
/* product = a b (first b, then a); transpose. The result may be an argument. n^2 word operations. */
void bmf_bit_matrix_product(const bmf_bit_matrix *a, const bmf_bit_matrix *b, bmf_bit_matrix *product);
void bmf_bit_matrix_transpose(const bmf_bit_matrix *a, bmf_bit_matrix *transpose);
/* Returns the rank; inverse is set only if that is a->bits. The result may be the argument. n^2 word operations. */
int bmf_bit_matrix_inverse(const bmf_bit_matrix *a, bmf_bit_matrix *inverse);
int bmf_bit_matrix_rank(const bmf_bit_matrix *a);
bool bmf_bit_matrix_equal(const bmf_bit_matrix *a, const bmf_bit_matrix *b);
/* Exactly one 1 in every row and column: it only permutes address bits (BPC). */
bool bmf_bit_matrix_is_permutation(const bmf_bit_matrix *a);
bool bmf_bit_matrix_is_identity(const bmf_bit_matrix *a);

/* Uniformly among the nonsingular matrices (3.5 tries on average), and among the permutation matrices, by random_bits
 * (runtime/base/random.h): the same everywhere for the same starting state. */
void bmf_bit_matrix_random(int bits, uint64_t *state, bmf_bit_matrix *a);
void bmf_bit_matrix_random_permutation(int bits, uint64_t *state, bmf_bit_matrix *a);

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
/* Rank of `count` words. */
int words_rank(const uint64_t *word, int count);
/* A basis of {x : the sum of the columns x selects is 0}, in echelon form and increasing order; returns its size. */
int columns_kernel(const uint64_t *column, int columns, uint64_t basis[64]);

#ifdef __cplusplus
}
#endif
#endif
