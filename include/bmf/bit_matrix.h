/** @file
 * Square bit matrices over GF(2), up to 63 x 63.
 *
 * A vector of n bits is a word: bit i is component i, the least significant first. A matrix is stored by columns, a
 * column to a word (document 003, 4.3), so that A x is the exclusive or of the columns that x selects:
 *
 *                     column[0]  column[1] ..                 bits: n
 *   bit 0 of a word:    a_00       a_01   ..   row 0          bits >= n of every column are 0
 *   bit 1 of a word:    a_10       a_11   ..   row 1
 *
 * Addition is exclusive or everywhere. Nothing here communicates or allocates. */
#ifndef BMF_BIT_MATRIX_H
#define BMF_BIT_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include <bmf/export.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BMF_MAX_BITS = 63 };

/** A square matrix, see above. */
typedef struct bmf_bit_matrix {
    int bits;                      /**< rows and columns, 0 .. BMF_MAX_BITS */
    uint64_t column[BMF_MAX_BITS]; /**< bit i of column[j]: row i, column j */
} bmf_bit_matrix;

/** A x: the sum of the columns that x selects; x has no bit beyond the last column. Cost: one step per bit set in x. */
static inline uint64_t bmf_bit_matrix_apply(const bmf_bit_matrix *a, uint64_t x)
{
    uint64_t y = 0;
    for (; x; x &= x - 1)
        y ^= a->column[__builtin_ctzll(x)];
    return y;
}
/** The bit in a row and a column. */
static inline int bmf_bit_matrix_at(const bmf_bit_matrix *a, int row, int column)
{
    return (int)(a->column[column] >> row & 1);
}

/** The matrix with A x = x. */
BMF_API void bmf_bit_matrix_identity(int bits, bmf_bit_matrix *a);
/** product = a b (first b, then a). The result may be an argument. n^2 word operations. */
BMF_API void bmf_bit_matrix_product(const bmf_bit_matrix *a, const bmf_bit_matrix *b, bmf_bit_matrix *product);
/** Rows become columns. The result may be the argument. n^2 word operations. */
BMF_API void bmf_bit_matrix_transpose(const bmf_bit_matrix *a, bmf_bit_matrix *transpose);
/** Returns the rank; inverse is set only if that is a->bits. The result may be the argument. n^2 word operations. */
BMF_API int bmf_bit_matrix_inverse(const bmf_bit_matrix *a, bmf_bit_matrix *inverse);
/** Number of independent columns. n^2 word operations. */
BMF_API int bmf_bit_matrix_rank(const bmf_bit_matrix *a);
/** Same bits, same elements. */
BMF_API bool bmf_bit_matrix_equal(const bmf_bit_matrix *a, const bmf_bit_matrix *b);
/** Exactly one 1 in every row and column: it only permutes address bits (BPC). */
BMF_API bool bmf_bit_matrix_is_permutation(const bmf_bit_matrix *a);
/** True for the matrix with A x = x. */
BMF_API bool bmf_bit_matrix_is_identity(const bmf_bit_matrix *a);

/** Uniformly among the nonsingular matrices (3.5 tries on average).
 * `state` is that of the sequence: the same numbers everywhere for the same starting state. */
BMF_API void bmf_bit_matrix_random(int bits, uint64_t *state, bmf_bit_matrix *a);
/** Uniformly among the permutation matrices; state as in bmf_bit_matrix_random. */
BMF_API void bmf_bit_matrix_random_permutation(int bits, uint64_t *state, bmf_bit_matrix *a);

#ifdef __cplusplus
}
#endif
#endif
