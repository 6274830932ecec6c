/* Marks and the elements that they keep, against loops that go one by one.
 *
 * Method: random marks that are dense, sparse, all or none; every number of elements up to a few words and some up to a
 * block; every size that has code of its own and others; contiguous elements and broadcast ones. What stands in front
 * of the result, and what stands more than the slack behind it, must stay. Each way of doing it that this processor has
 * is tested, not only the one that would be taken: hence the included sources.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ctest/support/testing.h"
#include "skeletons/engine/compress.c"
#include "skeletons/engine/marks.c"

enum { WORDS = BMF_BLOCK / 64, LARGEST = 72, GUARD = 64 };

static const int64_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 32, 64, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* A way to keep elements; returns NULL if it does not apply. */
typedef char *keep_function(int64_t count, const uint64_t *word, const bmf_slice *from, int64_t size, char *to);

#if VECTORS
static char *keep_512(int64_t count, const uint64_t *word, const bmf_slice *from, int64_t size, char *to)
{
    if (!__builtin_cpu_supports("avx512f") || from->stride != size)
        return NULL;
    return compress_512(count, word, from->data, size, to);
}
static char *keep_avx2(int64_t count, const uint64_t *word, const bmf_slice *from, int64_t size, char *to)
{
    if (!__builtin_cpu_supports("avx2") || from->stride != size || count % 64 != 0)
        return NULL;
    return compress_avx2(count / 64, word, from->data, size, to);
}
#endif
static char *keep_plain(int64_t count, const uint64_t *word, const bmf_slice *from, int64_t size, char *to)
{
    return from->stride == size ? compress_plain(count, word, from, size, to) : NULL;
}

static keep_function *const ways[] = {compress, compress_any, keep_plain,
#if VECTORS
                                      keep_512, keep_avx2
#endif
};
enum { WAYS = sizeof ways / sizeof *ways };

static void random_marks(uint64_t *state, int64_t count, uint8_t *mark)
{
    const int64_t kind = test_below(state, 5), of = kind == 2 ? 20 : 2;
    for (int64_t i = 0; i < count; i++)
        mark[i] = (uint8_t)(kind == 0 ? 0 : kind == 1 ? 1 + test_below(state, 255) : test_below(state, of) == 0);
}

/* The first elements of `from`, none behind them readable, so that tools see what is read too much. */
static char *copy_exactly(const char *from, int64_t bytes)
{
    char *copy = malloc((size_t)bytes + 1);
    memcpy(copy, from, (size_t)bytes);
    return copy;
}

static void check_way(int way, int64_t count, const uint8_t *mark, int64_t size, bool broadcast, const char *elements)
{
    char expected[BMF_BLOCK * LARGEST], *end = expected, *x = copy_exactly(elements, broadcast ? size : count * size);
    static char room[GUARD + BMF_BLOCK * LARGEST + BMF_COMPRESS_SLACK + GUARD];
    uint64_t word[WORDS];
    const bmf_slice from = {x, broadcast ? 0 : size};
    marks_pack(count, mark, word);
    for (int64_t i = 0; i < count; i++)
        if (mark[i]) {
            memcpy(end, x + i * from.stride, (size_t)size);
            end += size;
        }
    memset(room, 0x5a, (size_t)(GUARD + count * size + BMF_COMPRESS_SLACK + GUARD));
    char *got = ways[way](count, word, &from, size, room + GUARD);
    free(x);
    if (!got)
        return;
    assert_int_equal(got - (room + GUARD), end - expected);
    assert_memory_equal(room + GUARD, expected, (size_t)(end - expected));
    for (int64_t k = 0; k < GUARD; k++) {
        assert_int_equal(room[k], 0x5a);
        assert_int_equal(room[GUARD + count * size + BMF_COMPRESS_SLACK + k], 0x5a);
    }
}

static void what_is_marked_is_kept_in_order(void **unused)
{
    (void)unused;
    uint64_t state = 12;
    uint8_t mark[BMF_BLOCK];
    static char x[BMF_BLOCK * LARGEST];
    for (size_t i = 0; i < sizeof x; i++)
        x[i] = (char)test_below(&state, 256);
    for (int round = 0; round < 60; round++) {
        const int64_t kind = test_below(&state, 3), count = kind == 0   ? test_below(&state, 200)
                                                            : kind == 1 ? 64 * (1 + test_below(&state, WORDS))
                                                                        : 1 + test_below(&state, BMF_BLOCK);
        random_marks(&state, count, mark);
        for (int way = 0; way < WAYS; way++)
            for (int k = 0; k < SIZES; k++)
                for (int broadcast = 0; broadcast < 2; broadcast++)
                    check_way(way, count, mark, sizes[k], broadcast, x);
    }
}

static void check_bits(int64_t count, const uint8_t *mark, const uint64_t *word)
{
    for (int64_t i = 0; i < (count + 63) / 64 * 64; i++)
        assert_int_equal(word[i / 64] >> (i % 64) & 1, i < count && mark[i] != 0);
}

static void marks_become_bits(void **unused)
{
    (void)unused;
    uint64_t state = 13;
    uint8_t mark[BMF_BLOCK];
    uint64_t word[WORDS];
    for (int round = 0; round < 2000; round++) {
        const int64_t count = test_below(&state, BMF_BLOCK + 1), words = count / 64;
        random_marks(&state, count, mark);
        marks_pack(count, mark, word);
        check_bits(count, mark, word);
        pack_plain(words, mark, word);
        check_bits(64 * words, mark, word);
#if VECTORS
        if (__builtin_cpu_supports("avx2")) {
            pack_avx2(words, mark, word);
            check_bits(64 * words, mark, word);
        }
#endif
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_marked_is_kept_in_order),
        cmocka_unit_test(marks_become_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
