/* Copying past the caches.
 *
 * An ordinary store first reads the line it writes to: a third of the traffic of a copy. Streaming stores write
 * whole lines without reading them. Lines at both ends that the copy does not fill are written as usual. */
#include "runtime/base/copy_nontemporal.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#include <immintrin.h>

__attribute__((target("avx512f"))) static void stream_lines_512(char *to, const char *from, int64_t lines)
{
    for (int64_t i = 0; i < lines; i++)
        _mm512_stream_si512((__m512i *)(void *)(to + 64 * i), _mm512_loadu_si512(from + 64 * i));
}

__attribute__((target("avx2"))) static void stream_lines_256(char *to, const char *from, int64_t lines)
{
    for (int64_t i = 0; i < 2 * lines; i++)
        _mm256_stream_si256((__m256i *)(void *)(to + 32 * i),
                            _mm256_loadu_si256((const __m256i *)(const void *)(from + 32 * i)));
}

static void stream_lines_128(char *to, const char *from, int64_t lines)
{
    for (int64_t i = 0; i < 4 * lines; i++)
        _mm_stream_si128((__m128i *)(void *)(to + 16 * i),
                         _mm_loadu_si128((const __m128i *)(const void *)(from + 16 * i)));
}

static void stream_lines(char *to, const char *from, int64_t lines)
{
    if (__builtin_cpu_supports("avx512f"))
        stream_lines_512(to, from, lines);
    else if (__builtin_cpu_supports("avx2"))
        stream_lines_256(to, from, lines);
    else
        stream_lines_128(to, from, lines);
}
#else
static void stream_lines(char *to, const char *from, int64_t lines)
{
    memcpy(to, from, (size_t)lines * 64);
}
#endif

/* The bytes at an end, fewer than a line's. */
static void copy_end(char *to, const char *from, int64_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, (size_t)bytes);
}

void copy_nontemporal(void *to, const void *from, int64_t bytes)
{
    char *target = to;
    const char *source = from;
    int64_t head = (int64_t)(-(uintptr_t)target & 63);
    if (head > bytes)
        head = bytes;
    copy_end(target, source, head);
    int64_t lines = (bytes - head) / 64;
    stream_lines(target + head, source + head, lines);
    int64_t done = head + lines * 64;
    copy_end(target + done, source + done, bytes - done);
}
