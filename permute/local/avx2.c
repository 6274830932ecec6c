/* The engine for processors with AVX2: registers of 16 bytes, so that lanes of every size move by byte shuffles.
 *
 * Method: permute/local/network.h. A lane selection of two registers is a byte shuffle of each, which leaves zeros
 * where the other one is selected, and an "or". Cost: 3 rank + 2 operations, a load and a store per register, 4
 * registers per line. Wider registers would not help: their byte shuffles do not cross halves. */
#include "permute/local/engine.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <string.h>

enum { LINE = ENGINE_LINE, HALF = 32 };

#define KERNEL_TARGET    __attribute__((target("avx2")))
#define KERNEL_VECTOR    __m128i
#define KERNEL_SELECTION byte_selection
#define LOAD(p)          _mm_load_si128((const void *)(p))
#define STORE(p, v)      _mm_store_si128((void *)(p), v)
#define PREFETCH(p)      /* tiles are in the cache: a line has several registers */

typedef struct byte_selection {
    __m128i low, high; /* bytes of the first and of the second register; 128 and more: none */
} byte_selection;

/* From lanes to bytes: lane l becomes the bytes l 2^element_bits and following. */
KERNEL_TARGET static inline byte_selection byte_selection_of(const uint8_t *lanes, int lane_bits)
{
    const int element_bits = 4 - lane_bits;
    uint8_t byte[16];
    for (int i = 0; i < 16; i++)
        byte[i] = (uint8_t)(lanes[i >> element_bits] << element_bits | (i & ((1 << element_bits) - 1)));
    const __m128i both = _mm_loadu_si128((const void *)byte);
    return (byte_selection){_mm_add_epi8(both, _mm_set1_epi8(112)), _mm_sub_epi8(both, _mm_set1_epi8(16))};
}

#define SELECTION(lanes, lane_bits) byte_selection_of(lanes, lane_bits)
#define SELECT(a, b, s)             _mm_or_si128(_mm_shuffle_epi8(a, (s).low), _mm_shuffle_epi8(b, (s).high))
#define BYTES                       _mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define ADD_LANE(v, lane, element_bits)                                                                                \
    _mm_shuffle_epi8(v, _mm_xor_si128(BYTES, _mm_set1_epi8((char)((lane) << (element_bits)))))
#define KERNEL(name) name##_any
#include "permute/local/network_kernel.h"

KERNEL_TARGET static void fetch(char *to, const char *from, size_t bytes, const char *ahead)
{
    size_t i = 0;
    for (; i + LINE <= bytes; i += LINE) {
        const __m256i first = _mm256_loadu_si256((const void *)(from + i));
        const __m256i second = _mm256_loadu_si256((const void *)(from + i + HALF));
        _mm_prefetch(ahead + i, _MM_HINT_T1);
        _mm256_storeu_si256((void *)(to + i), first);
        _mm256_storeu_si256((void *)(to + i + HALF), second);
    }
    memcpy(to + i, from + i, bytes - i);
}

KERNEL_TARGET static inline void stream_line(char *to, const char *from)
{
    _mm256_stream_si256((void *)to, _mm256_loadu_si256((const void *)from));
    _mm256_stream_si256((void *)(to + HALF), _mm256_loadu_si256((const void *)(from + HALF)));
}

KERNEL_TARGET static void stream(char *to, const char *from, size_t bytes)
{
    size_t i = engine_head(to, bytes);
    memcpy(to, from, i);
    for (; i + LINE <= bytes; i += LINE)
        stream_line(to + i, from + i);
    memcpy(to + i, from + i, bytes - i);
}

KERNEL_TARGET static void move(char *to, const char *from, size_t bytes, const char *ahead)
{
    size_t i = engine_head(to, bytes);
    memcpy(to, from, i);
    for (; i + LINE <= bytes; i += LINE) {
        _mm_prefetch(ahead + i, _MM_HINT_T1);
        stream_line(to + i, from + i);
    }
    memcpy(to + i, from + i, bytes - i);
}

/* Registers of elements of 3 or 6 bytes have 12 bytes in memory. */
enum { REGISTER = 16, PACKED = REGISTER / 4 * 3 };

/* Reads no further than 12 bytes. */
KERNEL_TARGET static inline __m128i load_packed(const char *from)
{
    int32_t last;
    memcpy(&last, from + 8, sizeof last);
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const void *)from), _mm_cvtsi32_si128(last));
}

KERNEL_TARGET static void fetch_padded(char *to, const char *from, size_t bytes, const char *ahead,
                                       const bmf_padding *padding)
{
    const __m128i places = _mm_loadu_si128((const void *)padding->packed_at);
    for (size_t i = 0; i < bytes; i += REGISTER, from += PACKED, ahead += PACKED) {
        if (i % LINE == 0)
            _mm_prefetch(ahead, _MM_HINT_T1);
        _mm_storeu_si128((void *)(to + i), _mm_shuffle_epi8(load_packed(from), places));
    }
}

KERNEL_TARGET static void pack(char *to, const char *from, size_t bytes, const bmf_padding *padding)
{
    const __m128i places = _mm_loadu_si128((const void *)padding->padded_at);
    for (size_t i = 0; i < bytes; i += REGISTER, to += PACKED)
        _mm_storeu_si128((void *)to, _mm_shuffle_epi8(_mm_loadu_si128((const void *)(from + i)), places));
}

static void finish(void)
{
    _mm_sfence();
}

const bmf_engine *engine_avx2(void)
{
    static const bmf_engine engine = {"avx2", 4,      false, {permute_any, permute_any, permute_any, permute_any},
                                      fetch,  stream, move,  fetch_padded,
                                      pack,   finish};
    return __builtin_cpu_supports("avx2") ? &engine : NULL;
}

#else

const bmf_engine *engine_avx2(void)
{
    return NULL;
}

#endif
