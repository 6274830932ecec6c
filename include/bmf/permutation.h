/** @file
 * BMMC permutations: the element with address x moves to address y = A x + c over GF(2), A nonsingular (document 003,
 * 2.4). N = 2^bits elements. Everything a user can name: transpose, bit reversal, Gray code, .. and their products. */
#ifndef BMF_PERMUTATION_H
#define BMF_PERMUTATION_H

#include <stdio.h>

#include <bmf/export.h>
#include <bmf/bit_matrix.h>
#include <bmf/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** y = A x + c. */
typedef struct bmf_permutation {
    int bits;              /**< 0 .. BMF_MAX_BITS; equal to matrix.bits */
    bmf_bit_matrix matrix; /**< A, nonsingular */
    uint64_t complement;   /**< no bits beyond `bits` */
} bmf_permutation;

/** Where element x goes. */
static inline uint64_t bmf_permutation_apply(const bmf_permutation *p, uint64_t x)
{
    return bmf_bit_matrix_apply(&p->matrix, x) ^ p->complement;
}

/** From the most special to the most general. Complement: y = x + c. BPC: only permutes and complements address
 * bits. */
typedef enum bmf_permutation_class {
    BMF_CLASS_IDENTITY,
    BMF_CLASS_COMPLEMENT,
    BMF_CLASS_BPC,
    BMF_CLASS_BMMC
} bmf_permutation_class;
/** The most special class that holds the permutation. */
BMF_API bmf_permutation_class bmf_permutation_classify(const bmf_permutation *p);
/** "identity", "complement", "BPC", "BMMC". */
BMF_API const char *bmf_permutation_class_name(bmf_permutation_class class_);

/** First `first`, then `second`; same bits. The result may be an argument. */
BMF_API void bmf_permutation_compose(const bmf_permutation *second, const bmf_permutation *first,
                                     bmf_permutation *composition);
/** The one that moves every element back. The result may be the argument. */
BMF_API void bmf_permutation_inverse(const bmf_permutation *p, bmf_permutation *inverse);
/** The same function. */
BMF_API bool bmf_permutation_equal(const bmf_permutation *a, const bmf_permutation *b);

/* ---- constructors: complement 0; 0 <= bits <= 63 ---- */

/** Every element stays. */
BMF_API void bmf_permutation_identity(int bits, bmf_permutation *p);
/** Address bit j moves to bit bits - 1 - j. */
BMF_API void bmf_permutation_bit_reversal(int bits, bmf_permutation *p);
/** Address bit j moves to bit (j + by) mod bits; 0 <= by <= bits. A perfect shuffle is by = 1; the transposition of a
 * matrix stored by rows with 2^by rows is the same (document 003, 2.5). */
BMF_API void bmf_permutation_rotation(int bits, int by, bmf_permutation *p);
/** y_i = x_i + x_(i+1): Gray code. */
BMF_API void bmf_permutation_gray(int bits, bmf_permutation *p);
/** y_i = x_i + .. + x_(n-1), the inverse of bmf_permutation_gray. */
BMF_API void bmf_permutation_inverse_gray(int bits, bmf_permutation *p);
/** Document 003, 2.5: the address falls into four groups of bits, `a` bits from the least significant on, then b, then
 * c, then the rest; the groups of b and c bits change places. */
BMF_API void bmf_permutation_reblocking(int bits, int a, int b, int c, bmf_permutation *p);

/** From a SPEC of the command line: identity, bitrev, transpose:ROWBITS, gray, invgray, shuffle:K, reblock:A,B,C,D (A +
 * B + C + D = bits), random:SEED, randombpc:SEED, file:PATH. The complement is 0. Errors: BMF_ERROR_ARGUMENT;
 * BMF_ERROR_FILE names file, line and column; a singular matrix is refused with its rank. Not collective; the text goes
 * to ctx. */
BMF_API int bmf_permutation_parse(bmf_context *ctx, int bits, const char *spec, bmf_permutation *p);
/** Sets the complement from a hexadecimal number, with or without 0x. Error: BMF_ERROR_ARGUMENT. */
BMF_API int bmf_permutation_parse_complement(bmf_context *ctx, const char *text, bmf_permutation *p);
/** N lines of N characters 0 or 1, row i column j = a_ij, as file: reads them. */
BMF_API void bmf_permutation_print_matrix(const bmf_permutation *p, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
