/* The in-memory engine against y = A x + c by its definition: every 3-bit matrix with every complement, random ones to
 * 20 bits, every class of element sizes, every engine this processor has, threads 1 to 4, any alignment; out of place
 * and in place. Nothing beside the elements may be touched. And the algebra of tiles by enumeration. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "bmf/permute.h"
#include "permute/local/walk.h"

enum { ENGINES = 3, GUARD = 128, GUARD_BYTE = 0x5a, MAX_BYTES = 1 << 22 };

static const bmf_engine *engine_at(int e)
{
    return e == 0 ? engine_avx512() : e == 1 ? engine_avx2() : engine_portable();
}

/* Where every element goes, entry by entry of the matrix. */
static uint64_t *places_of(const bmf_permutation *p)
{
    uint64_t *place = malloc(sizeof *place << p->bits);
    assert_non_null(place);
    place[0] = p->complement;
    for (uint64_t x = 1; x < UINT64_C(1) << p->bits; x++) {
        const int j = __builtin_ctzll(x);
        uint64_t column = 0;
        for (int i = 0; i < p->bits; i++)
            column |= (uint64_t)bmf_bit_matrix_at(&p->matrix, i, j) << i;
        place[x] = place[x & (x - 1)] ^ column;
    }
    return place;
}

static unsigned char *guarded(size_t bytes)
{
    unsigned char *data = aligned_alloc(64, (bytes + 3 * GUARD) / 64 * 64);
    assert_non_null(data);
    memset(data, GUARD_BYTE, (bytes + 3 * GUARD) / 64 * 64);
    return data;
}

static void expect_guards(const unsigned char *data, size_t begin, size_t bytes)
{
    for (size_t i = 0; i < begin; i++)
        assert_int_equal(data[i], GUARD_BYTE);
    for (size_t i = begin + bytes; i < begin + bytes + GUARD / 2; i++)
        assert_int_equal(data[i], GUARD_BYTE);
}

/* One permutation of elements at `offset` bytes from a line, by one engine. */
static void expect_permuted(const bmf_engine *engine, const bmf_permutation *p, int64_t element_bytes, int threads,
                            size_t offset)
{
    const size_t size = (size_t)element_bytes, bytes = size << p->bits;
    uint64_t *place = places_of(p), seed = 3;
    unsigned char *source = guarded(bytes), *target = guarded(bytes), *expected = malloc(bytes);
    assert_non_null(expected);
    for (size_t i = 0; i < bytes; i++)
        source[offset + i] = (unsigned char)(i % 8 == 0 ? random_bits(&seed) : source[offset + i - 1] * 5u + 1);
    for (uint64_t x = 0; x < UINT64_C(1) << p->bits; x++)
        memcpy(expected + place[x] * size, source + offset + x * size, size);
    assert_int_equal(local_permute_with(engine, target + offset, source + offset, element_bytes, p, threads), BMF_OK);
    assert_memory_equal(target + offset, expected, bytes);
    expect_guards(target, offset, bytes);
    assert_int_equal(local_permute_in_place_with(engine, source + offset, element_bytes, p, threads), BMF_OK);
    assert_memory_equal(source + offset, expected, bytes);
    expect_guards(source, offset, bytes);
    free(place);
    free(source);
    free(target);
    free(expected);
}

static void expect_permuted_by_all(const bmf_permutation *p, int64_t element_bytes, int threads, size_t offset)
{
    for (int e = 0; e < ENGINES; e++)
        if (engine_at(e))
            expect_permuted(engine_at(e), p, element_bytes, threads, offset);
}

static void every_matrix_of_three_bits(void **state)
{
    (void)state;
    const int64_t size[] = {1, 2, 3, 4, 8, 16, 64, 100};
    int nonsingular = 0;
    for (unsigned code = 0; code < 1u << 9; code++) {
        bmf_permutation p = {.bits = 3, .matrix = {3, {code & 7, code >> 3 & 7, code >> 6}}};
        if (bmf_bit_matrix_rank(&p.matrix) < 3)
            continue;
        nonsingular++;
        for (p.complement = 0; p.complement < 8; p.complement++)
            expect_permuted_by_all(&p, size[(code + p.complement) % 8], 1 + (int)(code % 4), code % 3);
    }
    assert_int_equal(nonsingular, 7 * 6 * 4);
}

/* Three-bit matrices on the top and the bottom address bits of a larger one: lanes, runs and tiles of every rank. */
static void three_bits_among_more(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 1u << 9; code += 3)
        for (int spread = 0; spread < 2; spread++) {
            const uint64_t small[3] = {code & 7, code >> 3 & 7, code >> 6};
            const int at[3] = {0, spread ? 4 : 1, spread ? 10 : 2};
            bmf_permutation p;
            bmf_permutation_identity(11, &p);
            for (int j = 0; j < 3; j++) {
                p.matrix.column[at[j]] = 0;
                for (int i = 0; i < 3; i++)
                    p.matrix.column[at[j]] |= (small[j] >> i & 1) << at[i];
            }
            p.complement = code % 5;
            if (bmf_bit_matrix_rank(&p.matrix) == p.bits)
                expect_permuted_by_all(&p, INT64_C(1) << code % 5, 1, 0);
        }
}

static void random_permutation(uint64_t *seed, int bits, bool bpc, bmf_permutation *p)
{
    *p = (bmf_permutation){.bits = bits};
    if (bpc)
        bmf_bit_matrix_random_permutation(bits, seed, &p->matrix);
    else
        bmf_bit_matrix_random(bits, seed, &p->matrix);
    p->complement = random_bits(seed) & (random_bits(seed) & 1 ? low_bits(bits) : 0);
}

static void every_element_size(void **state)
{
    (void)state;
    const int64_t size[] = {1,  2,  3,  4,   5,   6,   7,    8,    12,   16,   24,
                            32, 48, 64, 100, 128, 512, 1000, 1024, 2048, 4095, 4096};
    uint64_t seed = 1;
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (int bits = 0; bits <= 12 && size[k] << bits <= MAX_BYTES / 8; bits++) {
            bmf_permutation p;
            random_permutation(&seed, bits, bits % 2, &p);
            expect_permuted_by_all(&p, size[k], 1 + bits % 4, bits % 3 == 0 ? (size_t)(bits * 7 % 64) : 0);
        }
}

static void random_ones_to_twenty_bits(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int bits = 13; bits <= 20; bits++)
        for (int element_bits = 0; element_bits <= 4 && bits + element_bits <= 22; element_bits++) {
            bmf_permutation p;
            random_permutation(&seed, bits, element_bits % 2, &p);
            expect_permuted(engine_at(element_bits % ENGINES) ? engine_at(element_bits % ENGINES) : NULL, &p,
                            INT64_C(1) << element_bits, 1 + bits % 4, bits % 5 == 0 ? 8 : 0);
            expect_permuted(NULL, &p, INT64_C(1) << element_bits, 1 + bits % 4, 0);
        }
}

/* Several tiles with several turns on every engine: lags, cuts, both passes in place. */
static void every_engine_on_large_ones(void **state)
{
    (void)state;
    const int64_t size[] = {1, 2, 3, 4, 6, 8, 12, 24, 48};
    uint64_t seed = 7;
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (int bpc = 0; bpc < 2; bpc++) {
            int bits = 0;
            while (size[k] << (bits + 1) <= MAX_BYTES / 4)
                bits++;
            bmf_permutation p;
            random_permutation(&seed, bits, bpc, &p);
            expect_permuted_by_all(&p, size[k], 1 + (int)(k % 4), bpc ? 0 : k * 5 % 64);
        }
}

/* Those with names, large enough for several threads and for every way through in_place.c. */
static void named_ones(void **state)
{
    (void)state;
    for (int name = 0; name < 8; name++)
        for (int threads = 1; threads <= 4; threads++) {
            const int bits = 17;
            bmf_permutation p;
            switch (name) {
            case 0:
                bmf_permutation_identity(bits, &p);
                break;
            case 1:
                bmf_permutation_bit_reversal(bits, &p);
                break;
            case 2:
                bmf_permutation_rotation(bits, 8, &p);
                break;
            case 3:
                bmf_permutation_gray(bits, &p);
                break;
            case 4:
                bmf_permutation_inverse_gray(bits, &p);
                break;
            case 5:
                bmf_permutation_rotation(bits, 1, &p);
                break;
            case 6:
                bmf_permutation_reblocking(bits, 9, 4, 4, &p);
                break;
            default:
                bmf_permutation_identity(bits, &p);
                p.complement = low_bits(bits);
            }
            expect_permuted(NULL, &p, 8, threads, 0);
            expect_permuted(NULL, &p, 12, threads, 4);
        }
}

/* A linear map of one long cycle on everything but 0: multiplication by x modulo x^18 + x^7 + 1, which is primitive. */
static void long_cycles_in_place(void **state)
{
    (void)state;
    const int bits = 18;
    bmf_permutation p = {.bits = bits, .matrix.bits = bits};
    for (int j = 0; j < bits; j++)
        p.matrix.column[j] = j + 1 < bits ? UINT64_C(2) << j : 1 | 1 << 7;
    for (int threads = 1; threads <= 4; threads++)
        expect_permuted(NULL, &p, 2 << threads, threads, 0);
    /* the same on runs as wholes: one cycle of tiles */
    bmf_permutation blocks = {.bits = bits, .matrix.bits = bits};
    for (int j = 0; j < bits; j++)
        blocks.matrix.column[j] = j < 8          ? UINT64_C(1) << j
                                  : j + 1 < bits ? UINT64_C(2) << j
                                                 : 1 << 8 | 1 << 11; /* x^10 + x^3 + 1 */
    for (int threads = 1; threads <= 4; threads++)
        expect_permuted(NULL, &blocks, 8, threads, 0);
}

/* Every address lies in one tile, whole runs do so on both sides, and `inside` tells where it goes. */
static void expect_tiles(const bmf_permutation *p, int run_bits, bmf_tiling_order order)
{
    bmf_tiling t;
    tiling_make(&p->matrix, run_bits, order, &t);
    assert_int_equal(t.rank, tiling_rank(&p->matrix, run_bits));
    assert_int_equal(t.run_bits + t.rank + t.steps, p->bits);
    uint64_t *place = places_of(p);
    char *seen = calloc(UINT64_C(1) << p->bits, 1);
    assert_non_null(seen);
    const uint64_t low = low_bits(run_bits);
    for (uint64_t q = 0; q < UINT64_C(1) << t.steps; q++) {
        const uint64_t x = tiling_begin(t.source_step, q);
        const uint64_t y = tiling_begin(t.target_step, q) ^ p->complement;
        assert_int_equal(x & low, 0);
        assert_int_equal(y, place[x]);
        for (uint64_t local = 0; local < UINT64_C(1) << (run_bits + t.rank); local++) {
            const uint64_t from = x ^ columns_apply(t.source_run, local >> run_bits) ^ (local & low);
            const uint64_t to = bmf_bit_matrix_apply(&t.inside, local) ^ (y & low);
            assert_int_equal(place[from], (y & ~low) ^ columns_apply(t.target_run, to >> run_bits) ^ (to & low));
            assert_int_equal(seen[from]++, 0);
        }
    }
    free(place);
    free(seen);
}

static void tiles_cover_everything(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int bits = 0; bits <= 10; bits++)
        for (int run_bits = 0; run_bits <= bits; run_bits++)
            for (int bpc = 0; bpc < 2; bpc++) {
                bmf_permutation p;
                random_permutation(&seed, bits, bpc, &p);
                expect_tiles(&p, run_bits, TILING_NESTED);
                expect_tiles(&p, run_bits, TILING_BY_SOURCE);
            }
}

static void the_naive_loop_agrees(void **state)
{
    (void)state;
    uint64_t seed = 6, source[1 << 9], target[1 << 9];
    bmf_permutation p;
    random_permutation(&seed, 9, false, &p);
    uint64_t *place = places_of(&p);
    for (uint64_t x = 0; x < 1 << 9; x++)
        source[x] = x * x + 1;
    bmf_local_permute_naive(target, source, 8, &p);
    for (uint64_t x = 0; x < 1 << 9; x++)
        assert_int_equal(target[place[x]], x * x + 1);
    free(place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_cover_everything),     cmocka_unit_test(the_naive_loop_agrees),
        cmocka_unit_test(every_matrix_of_three_bits), cmocka_unit_test(three_bits_among_more),
        cmocka_unit_test(every_element_size),         cmocka_unit_test(random_ones_to_twenty_bits),
        cmocka_unit_test(every_engine_on_large_ones), cmocka_unit_test(named_ones),
        cmocka_unit_test(long_cycles_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
