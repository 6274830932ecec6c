/* Marks of filters; see marks.h.
 *
 * Cost: about one operation for eight marks to count, for a vector of them to pack. */
#include "skeletons/engine/marks.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* The sum of at most 255 times 8 bytes of 0 or 1: eight counters in a word. */
BMF_VECTORISE static int64_t count_words(int64_t words, const uint8_t *mark)
{
    uint64_t counters = 0, sum = 0;
    for (int64_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, mark + 8 * i, sizeof word);
        counters += word;
    }
    for (; counters > 0; counters >>= 8)
        sum += counters & 255;
    return (int64_t)sum;
}

int64_t marks_count(int64_t count, const uint8_t *mark)
{
    int64_t words = count / 8, kept = words > 0 ? count_words(words, mark) : 0;
    for (int64_t i = 8 * words; i < count; i++)
        kept += mark[i];
    return kept;
}

/* Eight bytes become eight bits: 1 where they are not 0. */
static uint64_t pack_eight(const uint8_t *mark)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t bytes;
    memcpy(&bytes, mark, sizeof bytes);
    bytes = (((bytes & low) + low) | bytes) >> 7 & UINT64_C(0x0101010101010101);
    return bytes * UINT64_C(0x0102040810204080) >> 56;
}

static void pack_plain(int64_t words, const uint8_t *mark, uint64_t *word)
{
    for (int64_t i = 0; i < words; i++) {
        word[i] = 0;
        for (int k = 0; k < 8; k++)
            word[i] |= pack_eight(mark + 64 * i + 8 * k) << (8 * k);
    }
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target("avx512bw"))) static void pack_512(int64_t words, const uint8_t *mark, uint64_t *word)
{
    for (int64_t i = 0; i < words; i++) {
        const __m512i bytes = _mm512_loadu_si512(mark + 64 * i);
        word[i] = _mm512_test_epi8_mask(bytes, bytes);
    }
}

__attribute__((target("avx2"))) static void pack_avx2(int64_t words, const uint8_t *mark, uint64_t *word)
{
    const __m256i zero = _mm256_setzero_si256();
    for (int64_t i = 0; i < words; i++) {
        const __m256i *bytes = (const __m256i *)(const void *)(mark + 64 * i);
        const uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(bytes), zero));
        const uint32_t high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(bytes + 1), zero));
        word[i] = ~((uint64_t)high << 32 | low);
    }
}

static void pack_words(int64_t words, const uint8_t *mark, uint64_t *word)
{
    if (__builtin_cpu_supports("avx512bw"))
        pack_512(words, mark, word);
    else if (__builtin_cpu_supports("avx2"))
        pack_avx2(words, mark, word);
    else
        pack_plain(words, mark, word);
}
#else
static void pack_words(int64_t words, const uint8_t *mark, uint64_t *word)
{
    pack_plain(words, mark, word);
}
#endif

void marks_pack(int64_t count, const uint8_t *mark, uint64_t *word)
{
    const int64_t whole = count / 64 * 64;
    pack_words(count / 64, mark, word);
    if (whole < count) {
        uint64_t bits = 0;
        for (int64_t k = whole; k < count; k++)
            bits |= (uint64_t)(mark[k] != 0) << (k - whole);
        word[whole / 64] = bits;
    }
}
