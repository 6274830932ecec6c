/* Bit matrices over GF(2) against their definition by single entries: every 3 x 3 matrix, and identities for random
 * ones of every size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "permute/gf2.h"

static bmf_bit_matrix small(int bits, unsigned code)
{
    bmf_bit_matrix a = {.bits = bits};
    for (int j = 0; j < bits; j++)
        a.column[j] = code >> (j * bits) & low_bits(bits);
    return a;
}

static bmf_bit_matrix any(int bits, uint64_t *seed)
{
    bmf_bit_matrix a = {.bits = bits};
    for (int j = 0; j < bits; j++)
        a.column[j] = random_bits(seed) & low_bits(bits);
    return a;
}

/* The rank by its definition: 2^rank different sums of columns. */
static int rank_by_counting(const bmf_bit_matrix *a)
{
    uint64_t seen = 0;
    for (uint64_t x = 0; x < UINT64_C(1) << a->bits; x++)
        seen |= UINT64_C(1) << bmf_bit_matrix_apply(a, x);
    return __builtin_ctz((unsigned)__builtin_popcountll(seen));
}

static void expect_product(const bmf_bit_matrix *a, const bmf_bit_matrix *b)
{
    bmf_bit_matrix product;
    bmf_bit_matrix_product(a, b, &product);
    for (int i = 0; i < a->bits; i++)
        for (int j = 0; j < a->bits; j++) {
            int sum = 0;
            for (int k = 0; k < a->bits; k++)
                sum ^= bmf_bit_matrix_at(a, i, k) & bmf_bit_matrix_at(b, k, j);
            assert_int_equal(bmf_bit_matrix_at(&product, i, j), sum);
        }
}

static void expect_inverse(const bmf_bit_matrix *a)
{
    bmf_bit_matrix inverse, product;
    assert_int_equal(bmf_bit_matrix_inverse(a, &inverse), a->bits);
    bmf_bit_matrix_product(a, &inverse, &product);
    assert_true(bmf_bit_matrix_is_identity(&product));
    bmf_bit_matrix_product(&inverse, a, &product);
    assert_true(bmf_bit_matrix_is_identity(&product));
}

static void all_small_matrices(void **state)
{
    int nonsingular = 0, permutations = 0;
    (void)state;
    for (unsigned code = 0; code < 512; code++) {
        bmf_bit_matrix a = small(3, code), b = small(3, (code * 37 + 11) % 512), t;
        int rank = rank_by_counting(&a);
        assert_int_equal(bmf_bit_matrix_rank(&a), rank);
        expect_product(&a, &b);
        bmf_bit_matrix_transpose(&a, &t);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                assert_int_equal(bmf_bit_matrix_at(&a, i, j), bmf_bit_matrix_at(&t, j, i));
        assert_int_equal(bmf_bit_matrix_inverse(&a, &t), rank);
        if (rank == 3)
            expect_inverse(&a);
        nonsingular += rank == 3;
        permutations += bmf_bit_matrix_is_permutation(&a);
    }
    assert_int_equal(nonsingular, 168); /* (8 - 1) (8 - 2) (8 - 4) */
    assert_int_equal(permutations, 6);
}

static void random_matrices_of_every_size(void **state)
{
    uint64_t seed = 4;
    (void)state;
    for (int bits = 0; bits <= BMF_MAX_BITS; bits++) {
        bmf_bit_matrix a, b = any(bits, &seed), c = any(bits, &seed), left, right, t;
        bmf_bit_matrix_random(bits, &seed, &a);
        assert_int_equal(bmf_bit_matrix_rank(&a), bits);
        expect_inverse(&a);
        bmf_bit_matrix_product(&a, &b, &left);
        bmf_bit_matrix_product(&left, &c, &left);
        bmf_bit_matrix_product(&b, &c, &right);
        bmf_bit_matrix_product(&a, &right, &right);
        assert_true(bmf_bit_matrix_equal(&left, &right));
        bmf_bit_matrix_transpose(&b, &t);
        assert_int_equal(bmf_bit_matrix_rank(&b), bmf_bit_matrix_rank(&t));
        bmf_bit_matrix_transpose(&t, &t);
        assert_true(bmf_bit_matrix_equal(&b, &t));
        bmf_bit_matrix_random_permutation(bits, &seed, &a);
        assert_true(bmf_bit_matrix_is_permutation(&a));
        bmf_bit_matrix_transpose(&a, &t);
        bmf_bit_matrix_product(&a, &t, &t);
        assert_true(bmf_bit_matrix_is_identity(&t));
    }
}

/* A span of random words: membership and cosets against the list of all sums, and combinations that add up. */
static void spans(void **state)
{
    uint64_t seed = 9;
    (void)state;
    for (int times = 0; times < 200; times++) {
        uint64_t word[5], sums = 0, basis[64], combination;
        int count = (int)test_below(&seed, 6);
        bmf_span span;
        span_clear(&span);
        for (int j = 0; j < count; j++) {
            word[j] = random_bits(&seed) & 63;
            span_add(&span, word[j]);
        }
        for (uint64_t x = 0; x < UINT64_C(1) << count; x++)
            sums |= UINT64_C(1) << columns_apply(word, x);
        assert_int_equal(1 << span.dimension, __builtin_popcountll(sums));
        assert_int_equal(span_basis(&span, basis), words_rank(word, count));
        for (uint64_t x = 0; x < 64; x++) {
            uint64_t rest = span_reduce(&span, x, &combination);
            assert_int_equal(rest == 0, sums >> x & 1);
            assert_int_equal(columns_apply(word, combination) ^ rest, x);
            for (uint64_t y = 0; y < 64; y++)
                if (sums >> (x ^ y) & 1)
                    assert_int_equal(rest, span_reduce(&span, y, NULL));
        }
        for (uint64_t j = 1; j < UINT64_C(1) << span.dimension; j++)
            assert_true(columns_apply(basis, j) > columns_apply(basis, j - 1));
    }
}

static void kernels(void **state)
{
    uint64_t seed = 17;
    (void)state;
    for (int times = 0; times < 200; times++) {
        uint64_t column[7], basis[64];
        int columns = (int)test_below(&seed, 8), zeros = 0;
        for (int j = 0; j < columns; j++)
            column[j] = random_bits(&seed) & 15;
        int dimension = columns_kernel(column, columns, basis);
        for (uint64_t x = 0; x < UINT64_C(1) << columns; x++)
            zeros += columns_apply(column, x) == 0;
        assert_int_equal(1 << dimension, zeros);
        assert_int_equal(words_rank(basis, dimension), dimension);
        for (int k = 0; k < dimension; k++)
            assert_int_equal(columns_apply(column, basis[k]), 0);
    }
}

/* Every nonsingular 2 x 2 matrix turns up about equally often: 600 of 3600, with 6 standard deviations of room. */
static void random_is_uniform(void **state)
{
    int count[16] = {0};
    uint64_t seed = 1;
    (void)state;
    for (int times = 0; times < 3600; times++) {
        bmf_bit_matrix a;
        bmf_bit_matrix_random(2, &seed, &a);
        count[a.column[0] | a.column[1] << 2]++;
    }
    for (unsigned code = 0; code < 16; code++) {
        bmf_bit_matrix a = small(2, code);
        if (rank_by_counting(&a) == 2)
            assert_in_range(count[code], 466, 734);
        else
            assert_int_equal(count[code], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_small_matrices),
                                       cmocka_unit_test(random_matrices_of_every_size), cmocka_unit_test(spans),
                                       cmocka_unit_test(kernels), cmocka_unit_test(random_is_uniform)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
