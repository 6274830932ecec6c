/* Physical limits of memory.
 *
 * Method: every thread reads, writes or copies one contiguous share of the array, cut at cache lines, with the widest
 * vectors the processor has (chosen at run time); other architectures take plain C loops and the C library. Streams of
 * whole 64-byte lines go past the caches. Cost: one pass over the arrays.
 * Source: J. McCalpin's STREAM for the idea of counting bytes; the bytes of write-allocates are not counted here.
 */
#include "bench/limits.h"

#include <omp.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define BENCH_X86 1
#else
#define BENCH_X86 0
#endif

enum { LINE = 64, UNROLL = 8, PREFETCH_BYTES = 2048 };

/* Keeps the sums alive: the compiler must not drop loops whose result nobody reads. */
static volatile int64_t sink;

typedef struct bench_share {
    const char *source;
    char *target;
    int64_t bytes;
} bench_share;

static int64_t sum_words(const char *source, int64_t bytes)
{
    int64_t sum[UNROLL] = {0}, total = 0, i = 0;
    for (; i + UNROLL * 8 <= bytes; i += UNROLL * 8)
        for (int k = 0; k < UNROLL; k++) {
            int64_t word;
            memcpy(&word, source + i + 8 * k, 8);
            sum[k] ^= word;
        }
    for (; i < bytes; i++)
        total ^= source[i];
    for (int k = 0; k < UNROLL; k++)
        total ^= sum[k];
    return total;
}

#if BENCH_X86

/* The loops for vectors of one width, 64 or 32 bytes. Loads may be unaligned, the target of a streaming store is
 * aligned. */
#define BENCH_VECTOR_READ(width_name, features, vector, zero, load, add, store_unaligned)                              \
    __attribute__((target(features))) static int64_t read_##width_name(const char *source, int64_t bytes, bool ahead)  \
    {                                                                                                                  \
        const int64_t step = UNROLL * (int64_t)sizeof(vector);                                                         \
        vector sum[UNROLL];                                                                                            \
        int64_t i = 0, word[sizeof(vector) / 8], total = 0;                                                            \
        for (int k = 0; k < UNROLL; k++)                                                                               \
            sum[k] = zero();                                                                                           \
        for (; i + step <= bytes; i += step) {                                                                         \
            if (ahead)                                                                                                 \
                for (int64_t line = 0; line < step; line += LINE)                                                      \
                    _mm_prefetch(source + i + line + PREFETCH_BYTES, _MM_HINT_T0);                                     \
            for (int k = 0; k < UNROLL; k++)                                                                           \
                sum[k] = add(sum[k], load((const void *)(source + i + k * (int64_t)sizeof(vector))));                  \
        }                                                                                                              \
        for (int k = 1; k < UNROLL; k++)                                                                               \
            sum[0] = add(sum[0], sum[k]);                                                                              \
        store_unaligned((void *)word, sum[0]);                                                                         \
        for (size_t k = 0; k < sizeof(vector) / 8; k++)                                                                \
            total ^= word[k];                                                                                          \
        return total ^ sum_words(source + i, bytes - i);                                                               \
    }

#define BENCH_VECTOR_WRITE(width_name, features, vector, load, stream, splat)                                          \
    __attribute__((target(features))) static int64_t copy_##width_name(char *target, const char *source,               \
                                                                       int64_t bytes)                                  \
    {                                                                                                                  \
        const int64_t step = 4 * (int64_t)sizeof(vector);                                                              \
        int64_t i = 0;                                                                                                 \
        for (; i + step <= bytes; i += step)                                                                           \
            for (int k = 0; k < 4; k++) {                                                                              \
                const int64_t at = i + k * (int64_t)sizeof(vector);                                                    \
                stream((void *)(target + at), load((const void *)(source + at)));                                      \
            }                                                                                                          \
        _mm_sfence();                                                                                                  \
        return i;                                                                                                      \
    }                                                                                                                  \
    __attribute__((target(features))) static int64_t write_##width_name(char *target, int64_t bytes)                   \
    {                                                                                                                  \
        const int64_t step = 4 * (int64_t)sizeof(vector);                                                              \
        int64_t i = 0;                                                                                                 \
        for (; i + step <= bytes; i += step)                                                                           \
            for (int k = 0; k < 4; k++)                                                                                \
                stream((void *)(target + i + k * (int64_t)sizeof(vector)), splat(1));                                  \
        _mm_sfence();                                                                                                  \
        return i;                                                                                                      \
    }

BENCH_VECTOR_READ(wide, "avx512f", __m512i, _mm512_setzero_si512, _mm512_loadu_si512, _mm512_add_epi64,
                  _mm512_storeu_si512)
BENCH_VECTOR_WRITE(wide, "avx512f", __m512i, _mm512_loadu_si512, _mm512_stream_si512, _mm512_set1_epi64)
BENCH_VECTOR_READ(narrow, "avx2", __m256i, _mm256_setzero_si256, _mm256_loadu_si256, _mm256_add_epi64,
                  _mm256_storeu_si256)
BENCH_VECTOR_WRITE(narrow, "avx2", __m256i, _mm256_loadu_si256, _mm256_stream_si256, _mm256_set1_epi64x)

static int64_t read_vectors(const char *source, int64_t bytes, bool ahead)
{
    if (__builtin_cpu_supports("avx512f"))
        return read_wide(source, bytes, ahead);
    if (__builtin_cpu_supports("avx2"))
        return read_narrow(source, bytes, ahead);
    return sum_words(source, bytes);
}

/* Streams as many whole steps as there are; returns the bytes done. */
static int64_t copy_vectors(char *target, const char *source, int64_t bytes)
{
    if ((uintptr_t)target % LINE != 0)
        return 0;
    if (__builtin_cpu_supports("avx512f"))
        return copy_wide(target, source, bytes);
    return __builtin_cpu_supports("avx2") ? copy_narrow(target, source, bytes) : 0;
}

static int64_t write_vectors(char *target, int64_t bytes)
{
    if ((uintptr_t)target % LINE != 0)
        return 0;
    if (__builtin_cpu_supports("avx512f"))
        return write_wide(target, bytes);
    return __builtin_cpu_supports("avx2") ? write_narrow(target, bytes) : 0;
}

#else

static int64_t read_vectors(const char *source, int64_t bytes, bool ahead)
{
    (void)ahead;
    return sum_words(source, bytes);
}

static int64_t copy_vectors(char *target, const char *source, int64_t bytes)
{
    (void)target;
    (void)source;
    (void)bytes;
    return 0;
}

static int64_t write_vectors(char *target, int64_t bytes)
{
    (void)target;
    (void)bytes;
    return 0;
}

#endif

static void run_read(int contestant, const bench_share *share)
{
    sink = read_vectors(share->source, share->bytes, contestant == 1);
}

static void run_write(int contestant, const bench_share *share)
{
    const int64_t done = contestant == 1 ? write_vectors(share->target, share->bytes) : 0;
    memset(share->target + done, 1, (size_t)(share->bytes - done));
}

static void run_copy(int contestant, const bench_share *share)
{
    const int64_t done = contestant == 1 ? copy_vectors(share->target, share->source, share->bytes) : 0;
    memcpy(share->target + done, share->source + done, (size_t)(share->bytes - done));
}

static bench_share share_of(const bench_arrays *arrays, int thread, int threads)
{
    const int64_t lines = arrays->bytes / LINE;
    const int64_t begin = lines * thread / threads * LINE;
    const int64_t end = thread + 1 == threads ? arrays->bytes : lines * (thread + 1) / threads * LINE;
    return (bench_share){arrays->source ? (const char *)arrays->source + begin : NULL,
                         arrays->target ? (char *)arrays->target + begin : NULL, end - begin};
}

void bench_limit_run(bench_limit limit, int contestant, const bench_arrays *arrays)
{
    static void (*const run[])(int, const bench_share *) = {
        [BENCH_READ] = run_read, [BENCH_WRITE] = run_write, [BENCH_COPY] = run_copy};
    if (limit == BENCH_NO_LIMIT || arrays->bytes == 0)
        return;
#pragma omp parallel num_threads(arrays->threads)
    {
        const bench_share share = share_of(arrays, omp_get_thread_num(), omp_get_num_threads());
        if (share.bytes > 0)
            run[limit](contestant, &share);
    }
}

int bench_limit_passes(bench_limit limit)
{
    return limit == BENCH_COPY ? 2 : 1;
}

const char *bench_limit_name(bench_limit limit)
{
    static const char *const name[] = {"none", "read", "write", "copy"};
    return name[limit];
}
