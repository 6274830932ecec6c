/* Moving marked elements together; see compress.h.
 *
 * Method: a vector of elements is compressed in a register and stored whole; the next one overwrites what is too much.
 * (Compressing straight into memory is a slow sequence of microinstructions on AMD Zen 4.) AVX-512 has an instruction
 * for it, from 8 bytes down to 1, and elements of 16 and 32 bytes are pairs and quadruples of 8; AVX2 takes a
 * permutation from a table, 4 elements of 8 bytes or 8 of 4 or 1 at a time. Otherwise every element is stored and the
 * end moves on by its bit, without a branch; and elements of other sizes are copied one by one.
 * Cost: one load, one permutation and one store a vector of elements. */
#include "skeletons/engine/compress.h"

#include <string.h>

#include "skeletons/engine/scalar_size.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#include <immintrin.h>
#define VECTORS 1
#else
#define VECTORS 0
#endif

/* Bytes of an element that is stored whether it is kept or not. */
enum { LARGEST_STORED = 16 };

/* ---- any processor ---- */

#define KEEP_ONE_BY_ONE(bytes)                                                                                         \
    for (; bits; bits &= bits - 1, to += (bytes))                                                                      \
    memcpy(to, x + __builtin_ctzll(bits) * from->stride, (size_t)(bytes))

/* Elements of any size and stride. */
static char *compress_any(int64_t count, const uint64_t *word, const bmf_slice *from, int64_t size, char *to)
{
    const char *x = from->data;
    for (int64_t i = 0; i < count; i += 64, x += 64 * from->stride) {
        uint64_t bits = word[i / 64];
        WITH_SCALAR_SIZE(size, KEEP_ONE_BY_ONE);
    }
    return to;
}

/* Contiguous elements of a constant size: at most 64. */
#define STORE_ALL(bytes)                                                                                               \
    for (int64_t k = 0; k < here; to += (int64_t)(bits >> k & 1) * (bytes), x += (bytes), k++)                         \
    memcpy(to, x, (size_t)(bytes))

static char *compress_plain(int64_t count, const uint64_t *word, const bmf_slice *from, int64_t size, char *to)
{
    const char *x = from->data;
    for (int64_t i = 0; i < count; i += 64) {
        uint64_t bits = word[i / 64];
        int64_t here = count - i < 64 ? count - i : 64;
        if (bits == 0)
            x += here * size;
        else
            WITH_SCALAR_SIZE(size, STORE_ALL);
    }
    return to;
}

#if VECTORS

/* ---- AVX-512 ---- */

/* `lanes` elements of `lane` bits at a time; loads are masked, so nothing behind the last marked element is read. What
 * is a block further on is asked for meanwhile: otherwise memory would idle (measured: 0.5 of the limit, not 0.8). */
#define COMPRESS_512(lane, lanes, mask, features, ones)                                                                \
    __attribute__((target(features))) static char *compress_512_##lane(int64_t count, const uint64_t *word,            \
                                                                       const char *x, char *to)                        \
    {                                                                                                                  \
        const int64_t block = count * (lane) / 8;                                                                      \
        for (int64_t i = 0; i < count; i += 64)                                                                        \
            for (int k = 0; k < 64; k += (lanes), x += 64) {                                                           \
                const mask keep = (mask)(word[i / 64] >> k);                                                           \
                _mm_prefetch(x + block, _MM_HINT_T0);                                                                  \
                const __m512i all = _mm512_maskz_loadu_epi##lane(keep, x);                                             \
                _mm512_storeu_si512(to, _mm512_maskz_compress_epi##lane(keep, all));                                   \
                to += ones(keep) * (lane) / 8;                                                                         \
            }                                                                                                          \
        return to;                                                                                                     \
    }

COMPRESS_512(64, 8, __mmask8, "avx512f,popcnt", __builtin_popcount)
COMPRESS_512(32, 16, __mmask16, "avx512f,popcnt", __builtin_popcount)
COMPRESS_512(16, 32, __mmask32, "avx512f,avx512bw,avx512vbmi2,popcnt", __builtin_popcount)
COMPRESS_512(8, 64, __mmask64, "avx512f,avx512bw,avx512vbmi2,popcnt", __builtin_popcountll)

/* Elements of 16 or 32 bytes: bit k of an element's mask stands for 2 or 4 words of 8 bytes. */
#define COMPRESS_512_WORDS(size, lanes, spread, times)                                                                 \
    __attribute__((target("avx512f,popcnt,bmi2"))) static char *compress_512_words_##size(                             \
        int64_t count, const uint64_t *word, const char *x, char *to)                                                  \
    {                                                                                                                  \
        const int64_t block = count * (size);                                                                          \
        for (int64_t i = 0; i < count; i += 64)                                                                        \
            for (int k = 0; k < 64; k += (lanes), x += 64) {                                                           \
                const __mmask8 keep = (__mmask8)(_pdep_u32((uint32_t)(word[i / 64] >> k), spread) * (times));          \
                _mm_prefetch(x + block, _MM_HINT_T0);                                                                  \
                const __m512i all = _mm512_maskz_loadu_epi64(keep, x);                                                 \
                _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(keep, all));                                       \
                to += 8 * __builtin_popcount(keep);                                                                    \
            }                                                                                                          \
        return to;                                                                                                     \
    }

COMPRESS_512_WORDS(16, 4, 0x55, 3)
COMPRESS_512_WORDS(32, 2, 0x11, 15)

/* Returns NULL if there is nothing for this size here. */
static char *compress_512(int64_t count, const uint64_t *word, const char *x, int64_t size, char *to)
{
    switch (size) {
    case 8:
        return compress_512_64(count, word, x, to);
    case 4:
        return compress_512_32(count, word, x, to);
    case 16:
        return __builtin_cpu_supports("bmi2") ? compress_512_words_16(count, word, x, to) : NULL;
    case 32:
        return __builtin_cpu_supports("bmi2") ? compress_512_words_32(count, word, x, to) : NULL;
    case 1:
        return __builtin_cpu_supports("avx512vbmi2") ? compress_512_8(count, word, x, to) : NULL;
    case 2:
        return __builtin_cpu_supports("avx512vbmi2") ? compress_512_16(count, word, x, to) : NULL;
    default:
        return NULL;
    }
}

/* ---- AVX2 ---- */

/* Byte j of ORDER(m) is the number of the j-th bit of m that is set, for m < 16; numbers from `first` on. */
#define ORDER_1(m, first) ((m)&1 ? (uint64_t)(first) : 0)
#define ORDER_2(m, first) (ORDER_1(m, first) | ((m) >> 1 & 1 ? (uint64_t)((first) + 1) << 8 * ((m)&1) : 0))
#define ORDER_3(m, first)                                                                                              \
    (ORDER_2(m, first) | ((m) >> 2 & 1 ? (uint64_t)((first) + 2) << 8 * (((m)&1) + ((m) >> 1 & 1)) : 0))
#define ONES_3(m)       (((m)&1) + ((m) >> 1 & 1) + ((m) >> 2 & 1))
#define ORDER(m, first) (ORDER_3(m, first) | ((m) >> 3 & 1 ? (uint64_t)((first) + 3) << 8 * ONES_3(m) : 0))
#define ORDERS(first)                                                                                                  \
    {                                                                                                                  \
        ORDER(0, first), ORDER(1, first), ORDER(2, first), ORDER(3, first), ORDER(4, first), ORDER(5, first),          \
            ORDER(6, first), ORDER(7, first), ORDER(8, first), ORDER(9, first), ORDER(10, first), ORDER(11, first),    \
            ORDER(12, first), ORDER(13, first), ORDER(14, first), ORDER(15, first)                                     \
    }
static const uint64_t order_low[16] = ORDERS(0), order_high[16] = ORDERS(4);

/* The numbers of the bits of a byte that are set, in the bytes of a word. */
BMF_INLINE uint64_t order_of(unsigned byte)
{
    const unsigned low = byte & 15;
    return order_low[low] | order_high[byte >> 4] << 8 * __builtin_popcount(low);
}

__attribute__((target("avx2"))) static __m256i load_order(uint64_t order)
{
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)order));
}

/* Eight elements of 4 bytes. */
__attribute__((target("avx2,popcnt"))) static char *compress_avx2_4(int64_t words, const uint64_t *word, const char *x,
                                                                    char *to)
{
    for (int64_t i = 0; i < words; i++)
        for (int k = 0; k < 64; k += 8, x += 32) {
            const unsigned keep = (unsigned)(word[i] >> k) & 255;
            _mm_prefetch(x + 256 * words, _MM_HINT_T0);
            const __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)x);
            _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32(all, load_order(order_of(keep))));
            to += 4 * __builtin_popcount(keep);
        }
    return to;
}

/* Four elements of 8 bytes: twice an element's number, and that and one. */
__attribute__((target("avx2,popcnt"))) static char *compress_avx2_8(int64_t words, const uint64_t *word, const char *x,
                                                                    char *to)
{
    for (int64_t i = 0; i < words; i++)
        for (int k = 0; k < 64; k += 4, x += 32) {
            const unsigned keep = (unsigned)(word[i] >> k) & 15;
            _mm_prefetch(x + 512 * words, _MM_HINT_T0);
            const __m256i number = _mm256_cvtepu8_epi64(_mm_cvtsi64_si128((int64_t)order_low[keep]));
            const __m256i pair =
                _mm256_add_epi64(_mm256_or_si256(_mm256_slli_epi64(number, 1), _mm256_slli_epi64(number, 33)),
                                 _mm256_set1_epi64x(INT64_C(1) << 32));
            const __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)x);
            _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32(all, pair));
            to += 8 * __builtin_popcount(keep);
        }
    return to;
}

/* Eight elements of 1 byte. */
__attribute__((target("avx2,popcnt"))) static char *compress_avx2_1(int64_t words, const uint64_t *word, const char *x,
                                                                    char *to)
{
    for (int64_t i = 0; i < words; i++)
        for (int k = 0; k < 64; k += 8, x += 8) {
            const unsigned keep = (unsigned)(word[i] >> k) & 255;
            const __m128i all = _mm_loadl_epi64((const __m128i *)(const void *)x);
            _mm_storel_epi64((__m128i *)(void *)to, _mm_shuffle_epi8(all, _mm_cvtsi64_si128((int64_t)order_of(keep))));
            to += __builtin_popcount(keep);
        }
    return to;
}

/* Whole words only; returns NULL if there is nothing for this size here. */
static char *compress_avx2(int64_t words, const uint64_t *word, const char *x, int64_t size, char *to)
{
    switch (size) {
    case 8:
        return compress_avx2_8(words, word, x, to);
    case 4:
        return compress_avx2_4(words, word, x, to);
    case 1:
        return compress_avx2_1(words, word, x, to);
    default:
        return NULL;
    }
}

/* The elements that vectors can move; returns the end of what they kept, or NULL. */
static char *compress_vectors(int64_t count, const uint64_t *word, const char *x, int64_t size, char *to, int64_t *done)
{
    char *end = NULL;
    *done = count;
    if (__builtin_cpu_supports("avx512f"))
        end = compress_512(count, word, x, size, to);
    if (!end && __builtin_cpu_supports("avx2")) {
        *done = count / 64 * 64;
        end = compress_avx2(count / 64, word, x, size, to);
    }
    return end;
}

#else

static char *compress_vectors(int64_t count, const uint64_t *word, const char *x, int64_t size, char *to, int64_t *done)
{
    (void)count, (void)word, (void)x, (void)size, (void)to, (void)done;
    return NULL;
}

#endif

char *compress(int64_t count, const uint64_t *word, const bmf_slice *from, int64_t size, char *to)
{
    int64_t done;
    if (from->stride != size)
        return compress_any(count, word, from, size, to);
    char *end = compress_vectors(count, word, from->data, size, to, &done);
    if (!end)
        return size <= LARGEST_STORED ? compress_plain(count, word, from, size, to)
                                      : compress_any(count, word, from, size, to);
    const bmf_slice rest = {(char *)from->data + done * size, size};
    return compress_plain(count - done, word + done / 64, &rest, size, end);
}
