/* Cormen's 1-permutable sets: the worked example of document 003, 4.1, and for every small matrix the definition: each
 * set has one record on and one record for every device, and the sets together every record once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "permute/gf2.h"
#include "permute/one_permutable.h"

/* Bits in the document's order, the least significant first. */
static uint64_t bits_of(const char *text)
{
    uint64_t word = 0;
    for (int k = 0; text[k]; k++)
        word |= (uint64_t)(text[k] - '0') << k;
    return word;
}

static bmf_permutation of_rows(int bits, const char *const *row)
{
    bmf_permutation p = {.bits = bits, .matrix.bits = bits};
    for (int i = 0; i < bits; i++)
        for (int j = 0; j < bits; j++)
            p.matrix.column[j] |= (uint64_t)(row[i][j] - '0') << i;
    return p;
}

static void the_documents_example(void **state)
{
    static const char *const row[] = {"01110", "00011", "01100", "11001", "10010"};
    static const uint64_t r[] = {0, 2, 1, 3, 4, 6, 5, 7};
    static const char *const x[] = {"00000", "10010", "01000", "11010", "01101", "11111", "00101", "10111"};
    static const char *const y[] = {"00000", "11010", "10110", "01100", "01000", "10010", "11110", "00100"};
    static const char *const q_inverse[] = {"001", "101", "111"};
    bmf_permutation p = of_rows(5, row), inverse = of_rows(3, q_inverse);
    bmf_one_permutable set;
    (void)state;
    one_permutable_make(&p, 0, 3, &set);
    assert_int_equal(set.s, bits_of("01011"));
    assert_int_equal(set.t, bits_of("10100"));
    assert_int_equal(set.u, bits_of("01000"));
    assert_int_equal(set.v, 0);
    assert_true(bmf_bit_matrix_equal(&set.q_inverse, &inverse.matrix));
    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(one_permutable_r(&set, i), r[i]);
        assert_int_equal(one_permutable_source(&set, i, 0), bits_of(x[i]));
        assert_int_equal(bmf_permutation_apply(&p, bits_of(x[i])), bits_of(y[i]));
    }
}

static void expect_one_permutable(const bmf_permutation *p, int first, int device_bits)
{
    bmf_one_permutable set;
    uint64_t devices = UINT64_C(1) << device_bits, covered[4] = {0};
    one_permutable_make(p, first, device_bits, &set);
    assert_int_equal(__builtin_popcountll(set.s), device_bits);
    assert_int_equal(set.s ^ set.t ^ set.v, low_bits(p->bits));
    for (uint64_t j = 0; j < UINT64_C(1) << (p->bits - device_bits); j++) {
        uint64_t from = 0, to = 0;
        for (uint64_t i = 0; i < devices; i++) {
            uint64_t x = one_permutable_source(&set, i, j), y = bmf_permutation_apply(p, x);
            from |= UINT64_C(1) << (x >> first & (devices - 1));
            to |= UINT64_C(1) << (y >> first & (devices - 1));
            assert_int_equal(covered[x / 64] >> x % 64 & 1, 0);
            covered[x / 64] |= UINT64_C(1) << x % 64;
        }
        assert_int_equal(__builtin_popcountll(from), devices);
        assert_int_equal(__builtin_popcountll(to), devices);
    }
}

static void every_small_matrix(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 512; code++) {
        bmf_permutation p = {.bits = 3, .matrix = {3, {code & 7, code >> 3 & 7, code >> 6}}};
        if (bmf_bit_matrix_rank(&p.matrix) < 3)
            continue;
        for (p.complement = 0; p.complement < 8; p.complement++)
            for (int device_bits = 0; device_bits <= 3; device_bits++)
                for (int first = 0; first + device_bits <= 3; first++)
                    expect_one_permutable(&p, first, device_bits);
    }
}

static void random_matrices(void **state)
{
    uint64_t seed = 8;
    (void)state;
    for (int bits = 1; bits <= 8; bits++)
        for (int times = 0; times < 40; times++) {
            int device_bits = (int)test_below(&seed, bits < 6 ? bits + 1 : 7);
            bmf_permutation p = {.bits = bits, .complement = random_bits(&seed) & low_bits(bits)};
            bmf_bit_matrix_random(bits, &seed, &p.matrix);
            expect_one_permutable(&p, 0, device_bits);
            expect_one_permutable(&p, bits - device_bits, device_bits);
        }
}

/* Document 003, 4.4: with G from one numbering of processors to another, G A G^-1 and G c permute the renumbered
 * records alike. Here clusters of 4 x 4 processors in a grid of 8 x 16: bits of row and column change places. */
static void clusters_of_processors(void **state)
{
    static const uint64_t grid_bit[] = {0, 1, 4, 5,
                                        2, 3, 6}; /* of column, column, row, .. inside and between clusters */
    uint64_t seed = 31;
    bmf_permutation g = {.bits = 8, .matrix.bits = 8}, inverse, p = {.bits = 8}, renumbered;
    (void)state;
    g.matrix.column[0] = 1; /* one bit of memory */
    for (int j = 0; j < 7; j++)
        g.matrix.column[1 + grid_bit[j]] = UINT64_C(2) << j;
    bmf_permutation_inverse(&g, &inverse);
    for (int times = 0; times < 20; times++) {
        bmf_bit_matrix_random(8, &seed, &p.matrix);
        p.complement = random_bits(&seed) & 255;
        bmf_permutation_compose(&p, &inverse, &renumbered);
        bmf_permutation_compose(&g, &renumbered, &renumbered);
        assert_int_equal(renumbered.complement, bmf_permutation_apply(&g, p.complement));
        for (uint64_t x = 0; x < 256; x++)
            assert_int_equal(bmf_permutation_apply(&renumbered, bmf_permutation_apply(&g, x)),
                             bmf_permutation_apply(&g, bmf_permutation_apply(&p, x)));
        expect_one_permutable(&renumbered, 5, 3); /* 8 clusters */
        expect_one_permutable(&renumbered, 2, 6);
    }
}

/* Wisniewski's columns: the first of every maximal independent set, so no column is a sum of earlier ones. */
static void basis_columns(void **state)
{
    uint64_t seed = 77;
    (void)state;
    for (int times = 0; times < 200; times++) {
        bmf_bit_matrix a;
        int bits = 1 + (int)test_below(&seed, BMF_MAX_BITS), d = (int)test_below(&seed, bits + 1), first = bits - d;
        uint64_t rows[BMF_MAX_BITS], expected = 0;
        bmf_bit_matrix_random(bits, &seed, &a);
        for (int j = 0; j < bits; j++) {
            rows[j] = a.column[j] >> first;
            if (words_rank(rows, j + 1) > words_rank(rows, j))
                expected |= UINT64_C(1) << j;
        }
        assert_int_equal(device_basis_columns(&a, first, d), expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_documents_example), cmocka_unit_test(every_small_matrix),
                                       cmocka_unit_test(random_matrices), cmocka_unit_test(clusters_of_processors),
                                       cmocka_unit_test(basis_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
