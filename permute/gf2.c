/* Bit matrices and spans over GF(2).
 *
 * Method: columns are words, so adding a column is one exclusive or; elimination takes n^2 word operations. An inverse
 * is found by bringing the columns to the identity and doing the same to an identity. */
#include <string.h>

#include "permute/gf2.h"
#include "runtime/base/random.h"

void bmf_bit_matrix_identity(int bits, bmf_bit_matrix *a)
{
    *a = (bmf_bit_matrix){.bits = bits};
    for (int j = 0; j < bits; j++)
        a->column[j] = UINT64_C(1) << j;
}

void bmf_bit_matrix_product(const bmf_bit_matrix *a, const bmf_bit_matrix *b, bmf_bit_matrix *product)
{
    bmf_bit_matrix made = {.bits = a->bits};
    for (int j = 0; j < a->bits; j++)
        made.column[j] = bmf_bit_matrix_apply(a, b->column[j]);
    *product = made;
}

void bmf_bit_matrix_transpose(const bmf_bit_matrix *a, bmf_bit_matrix *transpose)
{
    bmf_bit_matrix made = {.bits = a->bits};
    for (int j = 0; j < a->bits; j++)
        for (uint64_t rows = a->column[j]; rows; rows &= rows - 1)
            made.column[__builtin_ctzll(rows)] |= UINT64_C(1) << j;
    *transpose = made;
}

int bmf_bit_matrix_inverse(const bmf_bit_matrix *a, bmf_bit_matrix *inverse)
{
    bmf_span columns;
    bmf_bit_matrix made = {.bits = a->bits};
    span_clear(&columns);
    for (int j = 0; j < a->bits; j++)
        span_add(&columns, a->column[j]);
    if (columns.dimension < a->bits)
        return columns.dimension;
    for (int i = 0; i < a->bits; i++)
        span_reduce(&columns, UINT64_C(1) << i, &made.column[i]);
    *inverse = made;
    return a->bits;
}

int bmf_bit_matrix_rank(const bmf_bit_matrix *a)
{
    return words_rank(a->column, a->bits);
}

bool bmf_bit_matrix_equal(const bmf_bit_matrix *a, const bmf_bit_matrix *b)
{
    return a->bits == b->bits && memcmp(a->column, b->column, (size_t)a->bits * sizeof a->column[0]) == 0;
}

bool bmf_bit_matrix_is_permutation(const bmf_bit_matrix *a)
{
    uint64_t rows = 0;
    for (int j = 0; j < a->bits; j++) {
        uint64_t column = a->column[j];
        if (column == 0 || (column & (column - 1)) || (rows & column))
            return false;
        rows |= column;
    }
    return true;
}

bool bmf_bit_matrix_is_identity(const bmf_bit_matrix *a)
{
    for (int j = 0; j < a->bits; j++)
        if (a->column[j] != UINT64_C(1) << j)
            return false;
    return true;
}

void bmf_bit_matrix_random(int bits, uint64_t *state, bmf_bit_matrix *a)
{
    *a = (bmf_bit_matrix){.bits = bits};
    do {
        for (int j = 0; j < bits; j++)
            a->column[j] = random_bits(state) & low_bits(bits);
    } while (bmf_bit_matrix_rank(a) < bits);
}

/* Fisher and Yates: swaps every column with a random one before it. The modulus favours nothing that matters at 63. */
void bmf_bit_matrix_random_permutation(int bits, uint64_t *state, bmf_bit_matrix *a)
{
    bmf_bit_matrix_identity(bits, a);
    for (int j = bits - 1; j > 0; j--) {
        int k = (int)(random_bits(state) % (uint64_t)(j + 1));
        uint64_t column = a->column[j];
        a->column[j] = a->column[k];
        a->column[k] = column;
    }
}

/* ---- spans ---- */

void span_clear(bmf_span *span)
{
    *span = (bmf_span){0};
}

static int highest_bit(uint64_t word)
{
    return 63 - __builtin_clzll(word);
}

uint64_t span_reduce(const bmf_span *span, uint64_t word, uint64_t *combination)
{
    uint64_t used = 0;
    for (uint64_t open = word; open;) {
        int k = highest_bit(open);
        if (span->vector[k]) {
            word ^= span->vector[k];
            used ^= span->combination[k];
        }
        open = word & ((UINT64_C(1) << k) - 1);
    }
    if (combination)
        *combination = used;
    return word;
}

bool span_add(bmf_span *span, uint64_t word)
{
    uint64_t combination, rest = span_reduce(span, word, &combination);
    combination ^= UINT64_C(1) << span->added++;
    if (rest == 0)
        return false;
    int k = highest_bit(rest);
    for (int i = k + 1; i < 64; i++)
        if (span->vector[i] >> k & 1) {
            span->vector[i] ^= rest;
            span->combination[i] ^= combination;
        }
    span->vector[k] = rest;
    span->combination[k] = combination;
    span->dimension++;
    return true;
}

int span_basis(const bmf_span *span, uint64_t basis[64])
{
    int n = 0;
    for (int k = 0; k < 64; k++)
        if (span->vector[k])
            basis[n++] = span->vector[k];
    return n;
}

uint64_t basis_coordinates(const uint64_t *basis, int dimension, uint64_t word)
{
    uint64_t coordinate = 0;
    for (int i = 0; i < dimension; i++)
        coordinate |= (word >> highest_bit(basis[i]) & 1) << i;
    return coordinate;
}

int words_rank(const uint64_t *word, int count)
{
    uint64_t leader[64] = {0};
    int rank = 0;
    for (int j = 0; j < count; j++) {
        uint64_t rest = word[j];
        while (rest && leader[highest_bit(rest)])
            rest ^= leader[highest_bit(rest)];
        if (rest) {
            leader[highest_bit(rest)] = rest;
            rank++;
        }
    }
    return rank;
}

int columns_kernel(const uint64_t *column, int columns, uint64_t basis[64])
{
    bmf_span image, kernel;
    span_clear(&image);
    span_clear(&kernel);
    for (int j = 0; j < columns; j++) {
        uint64_t combination;
        if (span_reduce(&image, column[j], &combination) == 0)
            span_add(&kernel, combination ^ (UINT64_C(1) << j));
        span_add(&image, column[j]);
    }
    return span_basis(&kernel, basis);
}
