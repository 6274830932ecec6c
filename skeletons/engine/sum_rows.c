/* Scans of rows by the ready-made sums of reals and ints; see sum_rows.h.
 *
 * Method: of a row x0 .. x7 behind the prefix p, where t = (x0 + x1) + (x2 + x3), the exclusive scan by the tree is
 *
 *   p   p   p           p           p + t   p + t   p + t         p + t          first the upper half,
 *           + (x0 + x1) + (x0 + x1)                 + (x4 + x5)   + (x4 + x5)    then the upper half of each half,
 *       + x0            + x2                + x4                  + x6           then the odd lanes
 *
 * Cost: 5 additions and 3 shuffles for 8 elements, one more shuffle for the inclusive scan. Source: Blelloch, "Prefix
 * sums and their applications" (1990), within a register. */
#include "skeletons/engine/sum_rows.h"

#include "bmf/operators.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#include <immintrin.h>

/* Lanes that have something before them in the row, in each half of it, in each pair. */
enum { UPPER_HALF = 0xF0, UPPER_PAIRS = 0xCC, ODD = 0xAA };
#define AVX512 __attribute__((target("avx512f"), always_inline)) static inline

AVX512 __m512d pairs_of_reals(__m512d even, __m512d odd)
{
    return _mm512_add_pd(even, odd);
}
AVX512 __m512d add_reals(__m512d a, __mmask8 lanes, __m512d b)
{
    return _mm512_mask_add_pd(a, lanes, a, b);
}
AVX512 __m512d pairs_of_ints(__m512d even, __m512d odd)
{
    return _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(even), _mm512_castpd_si512(odd)));
}
AVX512 __m512d add_ints(__m512d a, __mmask8 lanes, __m512d b)
{
    const __m512i x = _mm512_castpd_si512(a);
    return _mm512_castsi512_pd(_mm512_mask_add_epi64(x, lanes, x, _mm512_castpd_si512(b)));
}

/* The lanes are words of 8 bytes, whatever they mean. */
#define DEFINE_SUM_ROWS(kind)                                                                                          \
    AVX512 __m512d scan_of_##kind(__m512d x, __m512d prefix)                                                           \
    {                                                                                                                  \
        const __m512d even = _mm512_movedup_pd(x), odd = _mm512_permute_pd(x, 0xFF);                                   \
        const __m512d pair = pairs_of_##kind(even, odd);                                                               \
        const __m512d first = _mm512_permutex_pd(pair, 0);                                                             \
        const __m512d four = _mm512_permutexvar_pd(_mm512_set1_epi64(2), pairs_of_##kind(first, pair));                \
        return add_##kind(add_##kind(add_##kind(prefix, UPPER_HALF, four), UPPER_PAIRS, first), ODD, even);            \
    }                                                                                                                  \
    __attribute__((target("avx512f"))) static void sum_rows_of_##kind(int64_t rows, const void *x, const void *prefix, \
                                                                      bool inclusive, bool past_caches, void *out)     \
    {                                                                                                                  \
        const double *from = x, *before = prefix;                                                                      \
        double *to = out;                                                                                              \
        for (int64_t r = 0; r < rows; r++, from += BMF_COLUMNS, to += BMF_COLUMNS) {                                   \
            __m512d scan = scan_of_##kind(_mm512_loadu_pd(from), _mm512_set1_pd(before[r]));                           \
            if (inclusive)                                                                                             \
                scan = _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(_mm512_set1_pd(before[r + 1])),     \
                                                               _mm512_castpd_si512(scan), 1));                         \
            if (past_caches)                                                                                           \
                _mm512_stream_pd(to, scan);                                                                            \
            else                                                                                                       \
                _mm512_store_pd(to, scan);                                                                             \
        }                                                                                                              \
    }
DEFINE_SUM_ROWS(reals)
DEFINE_SUM_ROWS(ints)

bmf_sum_rows *sum_rows_of(const bmf_operator *op)
{
    if (!__builtin_cpu_supports("avx512f"))
        return NULL;
    return op == &bmf_plus_real ? sum_rows_of_reals : op == &bmf_plus_int ? sum_rows_of_ints : NULL;
}
#else
bmf_sum_rows *sum_rows_of(const bmf_operator *op)
{
    (void)op;
    return NULL;
}
#endif
