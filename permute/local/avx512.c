/* The engine for processors with AVX-512: a register is a cache line.
 *
 * Method: permute/local/network.h with two-register lane permutations; a run is streamed line by line, a whole line by
 * one store. Cost: rank + 1 permutations, a load and a store per line. Lanes of 1 byte need VBMI. */
#include "permute/local/engine.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <string.h>

enum { LINE = ENGINE_LINE };

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))

#define KERNEL_TARGET    TARGET
#define KERNEL_VECTOR    __m512i
#define KERNEL_SELECTION __m512i
#define LOAD(p)          _mm512_loadu_si512((const void *)(p))
#define PREFETCH(p)      _mm_prefetch(p, _MM_HINT_T1)
#define STORE(p, v)      _mm512_store_si512((void *)(p), v)

#define KERNEL(name)                name##_8
#define SELECTION(bytes, lane_bits) _mm512_loadu_si512((const void *)(bytes))
#define SELECT(a, b, s)             _mm512_permutex2var_epi8(a, s, b)
#define LANES_8                                                                                                        \
    _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40,    \
                    39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,    \
                    15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define ADD_LANE(v, lane, element_bits)                                                                                \
    _mm512_permutexvar_epi8(_mm512_xor_si512(LANES_8, _mm512_set1_epi8((char)(lane))), v)
#include "permute/local/network_kernel.h"
#undef KERNEL
#undef SELECTION
#undef SELECT
#undef ADD_LANE

#define KERNEL(name)                name##_16
#define SELECTION(bytes, lane_bits) _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(bytes)))
#define SELECT(a, b, s)             _mm512_permutex2var_epi16(a, s, b)
#define LANES_16                                                                                                       \
    _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7,  \
                     6, 5, 4, 3, 2, 1, 0)
#define ADD_LANE(v, lane, element_bits)                                                                                \
    _mm512_permutexvar_epi16(_mm512_xor_si512(LANES_16, _mm512_set1_epi16((short)(lane))), v)
#include "permute/local/network_kernel.h"
#undef KERNEL
#undef SELECTION
#undef SELECT
#undef ADD_LANE

#define KERNEL(name)                name##_32
#define SELECTION(bytes, lane_bits) _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)(bytes)))
#define SELECT(a, b, s)             _mm512_permutex2var_epi32(a, s, b)
#define LANES_32                    _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define ADD_LANE(v, lane, element_bits)                                                                                \
    _mm512_permutexvar_epi32(_mm512_xor_si512(LANES_32, _mm512_set1_epi32((int)(lane))), v)
#include "permute/local/network_kernel.h"
#undef KERNEL
#undef SELECTION
#undef SELECT
#undef ADD_LANE

#define KERNEL(name)                name##_64
#define SELECTION(bytes, lane_bits) _mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)(bytes)))
#define SELECT(a, b, s)             _mm512_permutex2var_epi64(a, s, b)
#define LANES_64                    _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0)
#define ADD_LANE(v, lane, element_bits)                                                                                \
    _mm512_permutexvar_epi64(_mm512_xor_si512(LANES_64, _mm512_set1_epi64((long long)(lane))), v)
#include "permute/local/network_kernel.h"

TARGET static void fetch(char *to, const char *from, size_t bytes, const char *ahead)
{
    size_t i = 0;
    for (; i + LINE <= bytes; i += LINE) {
        _mm_prefetch(ahead + i, _MM_HINT_T1);
        _mm512_storeu_si512((void *)(to + i), _mm512_loadu_si512((const void *)(from + i)));
    }
    memcpy(to + i, from + i, bytes - i);
}

TARGET static void stream(char *to, const char *from, size_t bytes)
{
    size_t i = engine_head(to, bytes);
    memcpy(to, from, i);
    for (; i + LINE <= bytes; i += LINE)
        _mm512_stream_si512((void *)(to + i), _mm512_loadu_si512((const void *)(from + i)));
    memcpy(to + i, from + i, bytes - i);
}

TARGET static void move(char *to, const char *from, size_t bytes, const char *ahead)
{
    size_t i = engine_head(to, bytes);
    memcpy(to, from, i);
    for (; i + LINE <= bytes; i += LINE) {
        _mm_prefetch(ahead + i, _MM_HINT_T1);
        _mm512_stream_si512((void *)(to + i), _mm512_loadu_si512((const void *)(from + i)));
    }
    memcpy(to + i, from + i, bytes - i);
}

/* The lines of elements of 3 or 6 bytes have 48 bytes in memory. */
enum { PACKED = LINE / 4 * 3 };
static const __mmask64 packed = (UINT64_C(1) << PACKED) - 1;

TARGET static void fetch_padded(char *to, const char *from, size_t bytes, const char *ahead, const bmf_padding *padding)
{
    const __m512i places = _mm512_loadu_si512(padding->packed_at);
    for (size_t i = 0; i < bytes; i += LINE, from += PACKED, ahead += PACKED) {
        _mm_prefetch(ahead, _MM_HINT_T1);
        const __m512i line = _mm512_maskz_loadu_epi8(packed, from);
        _mm512_storeu_si512((void *)(to + i), _mm512_permutexvar_epi8(places, line));
    }
}

TARGET static void pack(char *to, const char *from, size_t bytes, const bmf_padding *padding)
{
    const __m512i places = _mm512_loadu_si512(padding->padded_at);
    for (size_t i = 0; i < bytes; i += LINE, to += PACKED)
        _mm512_storeu_si512(to, _mm512_permutexvar_epi8(places, _mm512_loadu_si512((const void *)(from + i))));
}

static void finish(void)
{
    _mm_sfence();
}

const bmf_engine *engine_avx512(void)
{
    static const bmf_engine engine = {"avx512", 6,      true, {permute_8, permute_16, permute_32, permute_64},
                                      fetch,    stream, move, fetch_padded,
                                      pack,     finish};
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vbmi")
               ? &engine
               : NULL;
}

#else

const bmf_engine *engine_avx512(void)
{
    return NULL;
}

#endif
