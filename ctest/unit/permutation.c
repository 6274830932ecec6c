/* BMMC permutations: named ones against their arithmetic meaning, composition and inverse point by point, SPECs and
 * matrix files with their errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "bmf/permutation.h"
#include "permute/gf2.h"

static bmf_permutation parsed(int bits, const char *spec)
{
    bmf_permutation p;
    assert_int_equal(bmf_permutation_parse(NULL, bits, spec, &p), BMF_OK);
    return p;
}

static void refused(int bits, const char *spec, int status, const char *part)
{
    bmf_permutation p;
    assert_int_equal(bmf_permutation_parse(NULL, bits, spec, &p), status);
    if (!strstr(bmf_error_text(NULL), part))
        fail_msg("'%s': '%s' does not say '%s'", spec, bmf_error_text(NULL), part);
}

static void named_ones(void **state)
{
    (void)state;
    for (int bits = 0; bits <= 10; bits++) {
        bmf_permutation identity = parsed(bits, "identity"), reversal = parsed(bits, "bitrev");
        bmf_permutation gray = parsed(bits, "gray"), back = parsed(bits, "invgray");
        for (uint64_t x = 0; x < UINT64_C(1) << bits; x++) {
            uint64_t reversed = 0;
            for (int j = 0; j < bits; j++)
                reversed = reversed << 1 | (x >> j & 1);
            assert_int_equal(bmf_permutation_apply(&identity, x), x);
            assert_int_equal(bmf_permutation_apply(&reversal, x), reversed);
            assert_int_equal(bmf_permutation_apply(&gray, x), x ^ x >> 1);
            assert_int_equal(bmf_permutation_apply(&back, x ^ x >> 1), x);
        }
    }
}

/* A matrix of 2^rows rows, stored by rows, becomes its transpose; K perfect shuffles move card i to i 2^K mod (N - 1).
 */
static void transposes_and_shuffles(void **state)
{
    (void)state;
    for (int bits = 0; bits <= 8; bits++)
        for (int rows = 0; rows <= bits; rows++) {
            char spec[32];
            snprintf(spec, sizeof spec, "transpose:%d", rows);
            bmf_permutation transpose = parsed(bits, spec);
            snprintf(spec, sizeof spec, "shuffle:%d", rows);
            bmf_permutation shuffle = parsed(bits, spec);
            uint64_t columns = UINT64_C(1) << (bits - rows), n = UINT64_C(1) << bits;
            for (uint64_t x = 0; x < n; x++) {
                uint64_t i = x / columns, j = x % columns;
                assert_int_equal(bmf_permutation_apply(&transpose, x), (j << rows) + i);
                if (x < n - 1)
                    assert_int_equal(bmf_permutation_apply(&shuffle, x), (x << rows) % (n - 1));
            }
        }
}

/* reblock:A,B,C,D swaps two dimensions of an array with 2^D x 2^C x 2^B x 2^A elements. */
static void reblocking(void **state)
{
    (void)state;
    bmf_permutation p = parsed(8, "reblock:1,2,3,2");
    for (uint64_t x = 0; x < 256; x++) {
        uint64_t a = x % 2, b = x / 2 % 4, c = x / 8 % 8, d = x / 64;
        assert_int_equal(bmf_permutation_apply(&p, x), a + 2 * c + 16 * b + 64 * d);
    }
}

static void composition_and_inverse(void **state)
{
    uint64_t seed = 23;
    (void)state;
    for (int bits = 0; bits <= BMF_MAX_BITS; bits++) {
        bmf_permutation p = {.bits = bits}, q = {.bits = bits}, both, inverse;
        bmf_bit_matrix_random(bits, &seed, &p.matrix);
        bmf_bit_matrix_random(bits, &seed, &q.matrix);
        p.complement = random_bits(&seed) & low_bits(bits);
        q.complement = random_bits(&seed) & low_bits(bits);
        bmf_permutation_compose(&q, &p, &both);
        bmf_permutation_inverse(&p, &inverse);
        for (int times = 0; times < 20; times++) {
            uint64_t x = random_bits(&seed) & low_bits(bits), y = bmf_permutation_apply(&p, x);
            assert_int_equal(bmf_permutation_apply(&both, x), bmf_permutation_apply(&q, y));
            assert_int_equal(bmf_permutation_apply(&inverse, y), x);
        }
        bmf_permutation_compose(&inverse, &p, &p);
        assert_int_equal(bmf_permutation_classify(&p), BMF_CLASS_IDENTITY);
        bmf_permutation_inverse(&q, &inverse);
        bmf_permutation_inverse(&inverse, &inverse);
        assert_true(bmf_permutation_equal(&inverse, &q));
    }
}

static void classes(void **state)
{
    (void)state;
    bmf_permutation p = parsed(6, "identity");
    assert_int_equal(bmf_permutation_classify(&p), BMF_CLASS_IDENTITY);
    p.complement = 5;
    assert_int_equal(bmf_permutation_classify(&p), BMF_CLASS_COMPLEMENT);
    p = parsed(6, "randombpc:3");
    assert_int_equal(bmf_permutation_classify(&p), BMF_CLASS_BPC);
    p = parsed(6, "gray");
    assert_int_equal(bmf_permutation_classify(&p), BMF_CLASS_BMMC);
}

static void wrong_specs(void **state)
{
    (void)state;
    refused(8, "bitrevs", BMF_ERROR_ARGUMENT, "unknown permutation 'bitrevs'");
    refused(8, "", BMF_ERROR_ARGUMENT, "unknown permutation");
    refused(8, "transpose", BMF_ERROR_ARGUMENT, "takes 1 whole number");
    refused(8, "transpose:-1", BMF_ERROR_ARGUMENT, "takes 1 whole number");
    refused(8, "transpose:9", BMF_ERROR_ARGUMENT, "more than the 8 address bits");
    refused(8, "gray:1", BMF_ERROR_ARGUMENT, "takes 0 whole numbers");
    refused(8, "reblock:1,2,3", BMF_ERROR_ARGUMENT, "takes 4 whole numbers");
    refused(8, "reblock:1,2,3,3", BMF_ERROR_ARGUMENT, "8 address bits together");
    refused(8, "reblock:18446744073709551615,1,8,0", BMF_ERROR_ARGUMENT, "8 address bits together");
    refused(8, "random:99999999999999999999", BMF_ERROR_ARGUMENT, "takes 1 whole number");
    refused(64, "gray", BMF_ERROR_ARGUMENT, "0 to 63");
    refused(3, "file:/no such file", BMF_ERROR_FILE, "No such file");
}

static char path[64];

static const char *matrix_file(const char *text)
{
    static char spec[80];
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
    snprintf(spec, sizeof spec, "file:%s", path);
    return spec;
}

static void matrix_files(void **state)
{
    (void)state;
    bmf_permutation p = parsed(3, matrix_file("110\n010 \r\n111\n\n"));
    assert_int_equal(p.matrix.column[0], 5);
    assert_int_equal(p.matrix.column[1], 7);
    assert_int_equal(p.matrix.column[2], 4);
    refused(3, matrix_file("110\n0a0\n111\n"), BMF_ERROR_FILE, ":2:2: neither 0 nor 1");
    refused(3, matrix_file("110\n01\n111\n"), BMF_ERROR_FILE, ":2:3: the line is too short");
    refused(3, matrix_file("110\n0101\n111\n"), BMF_ERROR_FILE, ":2:4: the line is too long");
    refused(3, matrix_file("110\n010\n"), BMF_ERROR_FILE, ":3:1: too few lines");
    refused(3, matrix_file("110\n010\n111\n\n010\n"), BMF_ERROR_FILE, ":5:1: too many lines");
    refused(3, matrix_file("110\n010\n100\n"), BMF_ERROR_FILE, "its rank is 2, not 3");
    assert_int_equal(bmf_permutation_parse(NULL, 0, matrix_file(""), &p), BMF_OK);
}

static void printed_matrices_read_back(void **state)
{
    (void)state;
    bmf_permutation p = parsed(63, "random:5"), q;
    FILE *stream = fopen(path, "w");
    char spec[80];
    bmf_permutation_print_matrix(&p, stream);
    fclose(stream);
    snprintf(spec, sizeof spec, "file:%s", path);
    q = parsed(63, spec);
    assert_true(bmf_permutation_equal(&p, &q));
}

static void complements(void **state)
{
    (void)state;
    bmf_permutation p = parsed(6, "identity"), wide = parsed(63, "identity");
    assert_int_equal(bmf_permutation_parse_complement(NULL, "0x2A", &p), BMF_OK);
    assert_int_equal(p.complement, 42);
    assert_int_equal(bmf_permutation_parse_complement(NULL, "0000000000000000003f", &p), BMF_OK);
    assert_int_equal(p.complement, 63);
    assert_int_equal(bmf_permutation_parse_complement(NULL, "7fffffffffffffff", &wide), BMF_OK);
    assert_int_equal(wide.complement, INT64_MAX);
    assert_int_equal(bmf_permutation_parse_complement(NULL, "40", &p), BMF_ERROR_ARGUMENT);
    assert_int_equal(bmf_permutation_parse_complement(NULL, "10000000000000000", &p), BMF_ERROR_ARGUMENT);
    assert_int_equal(bmf_permutation_parse_complement(NULL, "", &p), BMF_ERROR_ARGUMENT);
    assert_int_equal(bmf_permutation_parse_complement(NULL, "0x", &p), BMF_ERROR_ARGUMENT);
    assert_int_equal(bmf_permutation_parse_complement(NULL, "12g", &p), BMF_ERROR_ARGUMENT);
    assert_int_equal(bmf_permutation_parse_complement(NULL, "-1", &p), BMF_ERROR_ARGUMENT);
    assert_int_equal(p.complement, 63);
}

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/bmf-matrix-%ld", (long)getpid());
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    remove(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(named_ones),   cmocka_unit_test(transposes_and_shuffles),
                                       cmocka_unit_test(reblocking),   cmocka_unit_test(composition_and_inverse),
                                       cmocka_unit_test(classes),      cmocka_unit_test(wrong_specs),
                                       cmocka_unit_test(matrix_files), cmocka_unit_test(printed_matrices_read_back),
                                       cmocka_unit_test(complements)};
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
