/* Copying past the caches.
 *
 * An ordinary store first reads the line it writes to: a third of the traffic of a copy. Streaming stores write
 * whole lines without reading them. Lines at both ends that the copy does not fill are written as usual. */
#include "runtime/base/copy_nontemporal.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target("avx512f"))) static void stream_lines_512(char *to, const char *from, int64_t lines)
{
    for (int64_t i = 0; i < lines; i++)
        _mm512_stream_si512((__m512i *)(void *)(to + 64 * i), _mm512_loadu_si512(from + 64 * i));
}
#define BMF_HAVE_512 __builtin_cpu_supports("avx512f")
#else
#define BMF_HAVE_512 0
static void stream_lines_512(char *to, const char *from, int64_t lines)
{
    memcpy(to, from, (size_t)lines * 64);
}
#endif

static void stream_lines(char *to, const char *from, int64_t lines)
{
    if (BMF_HAVE_512) {
        stream_lines_512(to, from, lines);
        return;
    }
    for (int64_t i = 0; i < 4 * lines; i++)
        _mm_stream_si128((__m128i *)(void *)(to + 16 * i),
                         _mm_loadu_si128((const __m128i *)(const void *)(from + 16 * i)));
}
#else
static void stream_lines(char *to, const char *from, int64_t lines)
{
    memcpy(to, from, (size_t)lines * 64);
}
#endif

void copy_nontemporal(void *to, const void *from, int64_t bytes)
{
    char *target = to;
    const char *source = from;
    int64_t head = (int64_t)(-(uintptr_t)target & 63);
    if (head > bytes)
        head = bytes;
    memcpy(target, source, (size_t)head);
    int64_t lines = (bytes - head) / 64;
    stream_lines(target + head, source + head, lines);
    int64_t done = head + lines * 64;
    memcpy(target + done, source + done, (size_t)(bytes - done));
}
