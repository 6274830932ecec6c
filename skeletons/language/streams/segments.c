/* Folds and scans of many short segments by the fixed tree; see segments.h.
 *
 * Method: the tree of a segment of n elements is cut into nodes of 64, 32, 16, .. elements by n's binary digits. Nodes
 * are unrolled expressions, whose operations the processor overlaps with those of the next segment. Mispredicted
 * branches would cost more than the elements do, so the small digits have none: a node that is not there is taken from
 * a block of identities, which change no bit (-0.0 for sums). Scans go in nodes of 8 with the counter of complete
 * nodes on a stack. Whole nodes of 512 elements of long lists are folded and scanned in vectors, without a store
 * between the levels of the tree.
 * Cost: about n + 16 operations for a fold, 2 n for a scan. */
#include "skeletons/language/streams/segments.h"

#include <math.h>
#include <string.h>

#include "bmf/kernel.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#include <immintrin.h>
#endif

enum { PAGE = 4096, LINE = 64, NODE_AHEAD = 2048 };
enum { NODE = 64, NODE_LEVELS = 6, STEP = 8, STEP_LEVELS = 9 };

/* ---- the operators: a op b; *bad becomes nonzero if an int overflows ---- */

BMF_INLINE int64_t int_bits(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

BMF_INLINE double bits_real(int64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define SEGMENT_JOIN_(name, part) name##_##part
#define SEGMENT_JOIN(name, part)  SEGMENT_JOIN_(name, part)
#define SEGMENT_NAME(part)        SEGMENT_JOIN(SEGMENT, part)

#define SIMPLE(name, type, expression)                                                                                 \
    BMF_INLINE type name(type a, type b, uint64_t *bad)                                                                \
    {                                                                                                                  \
        (void)bad;                                                                                                     \
        return (type)(expression);                                                                                     \
    }

SIMPLE(plus_real, double, a + b)
SIMPLE(times_real, double, a *b)
/* of equal ones -0.0 is the smaller; NaN if either is */
SIMPLE(max_real, double, a > b ? a : b > a ? b : a == b ? bits_real(int_bits(a) & int_bits(b)) : (double)NAN)
SIMPLE(min_real, double, a < b ? a : b < a ? b : a == b ? bits_real(int_bits(a) | int_bits(b)) : (double)NAN)
SIMPLE(max_int, int64_t, a > b ? a : b)
SIMPLE(min_int, int64_t, a < b ? a : b)
SIMPLE(and_bool, uint8_t, a &b)
SIMPLE(or_bool, uint8_t, a | b)

BMF_INLINE int64_t plus_int(int64_t a, int64_t b, uint64_t *bad)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b, sum = x + y;
    *bad |= ((x ^ sum) & (y ^ sum)) >> 63;
    return (int64_t)sum;
}

BMF_INLINE int64_t times_int(int64_t a, int64_t b, uint64_t *bad)
{
    int64_t product;
    *bad |= __builtin_mul_overflow(a, b, &product);
    return product;
}

/* ---- folds and scans ---- */

/* x if bit is set, otherwise the identities; without a branch. */
BMF_INLINE const void *choose(uint64_t bit, const void *x, const void *identities)
{
    uintptr_t mask = (uintptr_t)0 - (uintptr_t)bit;
    return (const void *)(((uintptr_t)x & mask) | ((uintptr_t)identities & ~mask));
}

/* Asks for what stands a page behind a segment: the machine's own reading ahead stops at pages. */
BMF_INLINE void read_ahead(const void *x, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += LINE)
        __builtin_prefetch((const void *)((uintptr_t)x + PAGE + at));
}

/* The same for a whole node, whose elements take as long as memory does. */
BMF_INLINE void read_rows_ahead(const void *row)
{
    for (int k = 0; k < 8; k++)
        __builtin_prefetch((const char *)row + NODE_AHEAD + k * LINE);
}

/* ---- whole nodes ---- */

/* Eight neighbours at a time; passed by address, because how they are passed by value depends on the machine. */
typedef double eight_reals __attribute__((vector_size(64)));
typedef int64_t eight_ints __attribute__((vector_size(64)));
typedef uint64_t eight_words __attribute__((vector_size(64)));
typedef double loose_reals __attribute__((vector_size(64), aligned(8), may_alias)); /* as they stand in lists */
typedef int64_t loose_ints __attribute__((vector_size(64), aligned(8), may_alias));

BMF_INLINE void plus_reals(const eight_reals *a, const eight_reals *b, eight_ints *bad, eight_reals *out)
{
    (void)bad;
    *out = *a + *b;
}

BMF_INLINE void times_reals(const eight_reals *a, const eight_reals *b, eight_ints *bad, eight_reals *out)
{
    (void)bad;
    *out = *a * *b;
}

BMF_INLINE void plus_ints(const eight_ints *a, const eight_ints *b, eight_ints *bad, eight_ints *out)
{
    eight_ints sum = (eight_ints)((eight_words)*a + (eight_words)*b);
    *bad |= (*a ^ sum) & (*b ^ sum);
    *out = sum;
}

/* The elements two by two: those of a, then those of b. Eight vectors become one in three such levels, and eight of
 * these one again: nodes of 64 elements. */
#define WHOLE_NODE(name, type, vector, loose, pairwise, op)                                                            \
    BMF_INLINE void name##_pairs(const vector *a, const vector *b, eight_ints *bad, vector *out)                       \
    {                                                                                                                  \
        vector first = __builtin_shufflevector(*a, *b, 0, 2, 4, 6, 8, 10, 12, 14);                                     \
        vector second = __builtin_shufflevector(*a, *b, 1, 3, 5, 7, 9, 11, 13, 15);                                    \
        pairwise(&first, &second, bad, out);                                                                           \
    }                                                                                                                  \
    BMF_INLINE void name##_eight(const loose *v, eight_ints *bad, vector *out)                                         \
    {                                                                                                                  \
        vector p[4], q[2];                                                                                             \
        for (int k = 0; k < 4; k++) {                                                                                  \
            const vector left = v[2 * k], right = v[2 * k + 1];                                                        \
            name##_pairs(&left, &right, bad, &p[k]);                                                                   \
        }                                                                                                              \
        name##_pairs(&p[0], &p[1], bad, &q[0]);                                                                        \
        name##_pairs(&p[2], &p[3], bad, &q[1]);                                                                        \
        name##_pairs(&q[0], &q[1], bad, out);                                                                          \
    }                                                                                                                  \
    BMF_VECTORISE static bool name##_node(const void *x, void *out)                                                    \
    {                                                                                                                  \
        const loose *rows = x;                                                                                         \
        eight_ints bad = {0};                                                                                          \
        vector node[8], top;                                                                                           \
        uint64_t failed = 0;                                                                                           \
        type last[8];                                                                                                  \
        for (int k = 0; k < 8; k++) {                                                                                  \
            read_rows_ahead(rows + 8 * k);                                                                             \
            name##_eight(rows + 8 * k, &bad, &node[k]);                                                                \
        }                                                                                                              \
        name##_eight((const loose *)node, &bad, &top);                                                                 \
        memcpy(last, &top, sizeof last);                                                                               \
        *(type *)out = op(op(op(last[0], last[1], &failed), op(last[2], last[3], &failed), &failed),                   \
                          op(op(last[4], last[5], &failed), op(last[6], last[7], &failed), &failed), &failed);         \
        for (int k = 0; k < 8; k++)                                                                                    \
            failed |= (uint64_t)bad[k] >> 63;                                                                          \
        return failed == 0;                                                                                            \
    }

WHOLE_NODE(sum_real, double, eight_reals, loose_reals, plus_reals, plus_real)
WHOLE_NODE(product_real, double, eight_reals, loose_reals, times_reals, times_real)
WHOLE_NODE(sum_int, int64_t, eight_ints, loose_ints, plus_ints, plus_int)

/* ---- extremes of reals, which are the same in every order: loops in vectors ---- */

BMF_INLINE double largest_of_two(double a, double b)
{
    return a > b ? a : b;
}

BMF_INLINE double smallest_of_two(double a, double b)
{
    return a < b ? a : b;
}

#define SEGMENT_PRAGMA(text) _Pragma(#text)

/* The processor's own maximum, but for NaN (the value is NaN if there is one) and for zeros (0.0 is larger than -0.0),
 * which are looked at again if the extreme is one. */
/* With masks for the last elements of a list, where the processor has them: most lists are as short as a few vectors.
 * Its extreme takes the right operand if either is NaN. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define EXTREME_512(name, extreme)                                                                                     \
    __attribute__((target("avx512f"))) static void name##_fold_512(const double *x, const int64_t *offset,             \
                                                                   int64_t segments, double start, double *out)        \
    {                                                                                                                  \
        for (int64_t s = 0; s < segments; s++) {                                                                       \
            const uint64_t n = (uint64_t)(offset[s + 1] - offset[s]), whole = n & ~UINT64_C(7);                        \
            const __mmask8 rest = (__mmask8)((1U << (n & 7)) - 1);                                                     \
            const __m512d last = _mm512_mask_loadu_pd(_mm512_set1_pd(start), rest, x + whole);                         \
            __m512d value = _mm512_##extreme##_pd(last, _mm512_set1_pd(start));                                        \
            __mmask8 unordered = _mm512_cmp_pd_mask(last, last, _CMP_UNORD_Q);                                         \
            read_ahead(x, n * sizeof *x);                                                                              \
            for (uint64_t i = 0; i < whole; i += 8) {                                                                  \
                const __m512d here = _mm512_loadu_pd(x + i);                                                           \
                value = _mm512_##extreme##_pd(here, value);                                                            \
                unordered |= _mm512_cmp_pd_mask(here, here, _CMP_UNORD_Q);                                             \
            }                                                                                                          \
            out[s] = _mm512_reduce_##extreme##_pd(value);                                                              \
            if (unordered)                                                                                             \
                out[s] = (double)NAN;                                                                                  \
            else if (out[s] == 0)                                                                                      \
                out[s] = name##_of_zeros(x, n, out[s]);                                                                \
            x += n;                                                                                                    \
        }                                                                                                              \
    }
#define HAS_512 __builtin_cpu_supports("avx512f")
#else
#define EXTREME_512(name, extreme)                                                                                     \
    static void name##_fold_512(const double *x, const int64_t *offset, int64_t segments, double start, double *out)   \
    {                                                                                                                  \
        (void)x, (void)offset, (void)segments, (void)start, (void)out;                                                 \
    }
#define HAS_512 false
#endif

#define EXTREME(name, extreme, op, start)                                                                              \
    static double name##_of_zeros(const double *x, uint64_t n, double value)                                           \
    {                                                                                                                  \
        uint64_t bad = 0;                                                                                              \
        for (uint64_t i = 0; i < n; i++)                                                                               \
            if (x[i] == 0)                                                                                             \
                value = op(value, x[i], &bad);                                                                         \
        return value;                                                                                                  \
    }                                                                                                                  \
    BMF_INLINE double name##_of_list(const double *x, uint64_t n)                                                      \
    {                                                                                                                  \
        double value = start;                                                                                          \
        int64_t unordered = 0;                                                                                         \
        SEGMENT_PRAGMA(omp simd reduction(extreme : value) reduction(| : unordered))                                   \
        for (uint64_t i = 0; i < n; i++) {                                                                             \
            value = name##_of_two(x[i], value);                                                                        \
            unordered |= x[i] != x[i];                                                                                 \
        }                                                                                                              \
        return unordered ? (double)NAN : value == 0 ? name##_of_zeros(x, n, value) : value;                            \
    }                                                                                                                  \
    EXTREME_512(name, extreme)                                                                                         \
    BMF_VECTORISE static void name##_fold_any(const double *x, const int64_t *offset, int64_t segments, double *out)   \
    {                                                                                                                  \
        for (int64_t s = 0; s < segments; s++) {                                                                       \
            const uint64_t n = (uint64_t)(offset[s + 1] - offset[s]);                                                  \
            read_ahead(x, n * sizeof *x);                                                                              \
            out[s] = name##_of_list(x, n);                                                                             \
            x += n;                                                                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    static bool name##_fold_vectors(const void *x, const int64_t *offset, int64_t segments, void *out)                 \
    {                                                                                                                  \
        if (HAS_512)                                                                                                   \
            name##_fold_512(x, offset, segments, start, out);                                                          \
        else                                                                                                           \
            name##_fold_any(x, offset, segments, out);                                                                 \
        return true;                                                                                                   \
    }

EXTREME(largest, max, max_real, -(double)INFINITY)
EXTREME(smallest, min, min_real, (double)INFINITY)

#define SEGMENT  sum_real
#define TYPE     double
#define VECTOR   eight_reals
#define LOOSE    loose_reals
#define OP       plus_real
#define PAIRWISE plus_reals
#define IDENTITY -0.0
#include "skeletons/language/streams/segments_scan_node.h"

#define SEGMENT  product_real
#define TYPE     double
#define VECTOR   eight_reals
#define LOOSE    loose_reals
#define OP       times_real
#define PAIRWISE times_reals
#define IDENTITY 1.0
#include "skeletons/language/streams/segments_scan_node.h"

#define SEGMENT  sum_int
#define TYPE     int64_t
#define VECTOR   eight_ints
#define LOOSE    loose_ints
#define OP       plus_int
#define PAIRWISE plus_ints
#define IDENTITY 0
#include "skeletons/language/streams/segments_scan_node.h"

BMF_VECTORISE void segment_sum_products(const double *x, const double *y, void *out)
{
    const loose_reals *left = (const loose_reals *)x, *right = (const loose_reals *)y;
    eight_reals node[8], product[8], top;
    eight_ints bad = {0};
    for (int k = 0; k < 8; k++) {
        read_rows_ahead(left + 8 * k);
        read_rows_ahead(right + 8 * k);
        for (int j = 0; j < 8; j++)
            product[j] = left[8 * k + j] * right[8 * k + j];
        sum_real_eight((const loose_reals *)product, &bad, &node[k]);
    }
    sum_real_eight((const loose_reals *)node, &bad, &top);
    *(double *)out = ((top[0] + top[1]) + (top[2] + top[3])) + ((top[4] + top[5]) + (top[6] + top[7]));
}

#define SEGMENT        sum_real
#define TYPE           double
#define OP             plus_real
#define IDENTITY       -0.0
#define NODE_FUNCTIONS sum_real_node, sum_real_scan_node
#include "skeletons/language/streams/segments_short.h"

#define SEGMENT        product_real
#define TYPE           double
#define OP             times_real
#define IDENTITY       1.0
#define NODE_FUNCTIONS product_real_node, product_real_scan_node
#include "skeletons/language/streams/segments_short.h"

#define SEGMENT        largest_real
#define TYPE           double
#define OP             max_real
#define IDENTITY       -INFINITY
#define FOLD           largest_fold_vectors
#define NODE_FUNCTIONS NULL, NULL
#include "skeletons/language/streams/segments_short.h"

#define SEGMENT        smallest_real
#define TYPE           double
#define OP             min_real
#define IDENTITY       INFINITY
#define FOLD           smallest_fold_vectors
#define NODE_FUNCTIONS NULL, NULL
#include "skeletons/language/streams/segments_short.h"

#define SEGMENT        sum_int
#define TYPE           int64_t
#define OP             plus_int
#define IDENTITY       0
#define NODE_FUNCTIONS sum_int_node, sum_int_scan_node
#include "skeletons/language/streams/segments_short.h"

#define SEGMENT        product_int
#define TYPE           int64_t
#define OP             times_int
#define IDENTITY       1
#define NODE_FUNCTIONS NULL, NULL
#include "skeletons/language/streams/segments_short.h"

#define SEGMENT        largest_int
#define TYPE           int64_t
#define OP             max_int
#define IDENTITY       INT64_MIN
#define NODE_FUNCTIONS NULL, NULL
#include "skeletons/language/streams/segments_short.h"

#define SEGMENT        smallest_int
#define TYPE           int64_t
#define OP             min_int
#define IDENTITY       INT64_MAX
#define NODE_FUNCTIONS NULL, NULL
#include "skeletons/language/streams/segments_short.h"

#define SEGMENT        all_bool
#define TYPE           uint8_t
#define OP             and_bool
#define IDENTITY       1
#define NODE_FUNCTIONS NULL, NULL
#include "skeletons/language/streams/segments_short.h"

#define SEGMENT        any_bool
#define TYPE           uint8_t
#define OP             or_bool
#define IDENTITY       0
#define NODE_FUNCTIONS NULL, NULL
#include "skeletons/language/streams/segments_short.h"

const bmf_segment_functions *segment_functions_of(const bmf_expression *operation, const bmf_type *type)
{
    static const bmf_segment_functions *const known[BMF_OPERATIONS][BMF_BOOL + 1] = {
        [BMF_OPERATION_PLUS] = {[BMF_REAL] = &sum_real_segments, [BMF_INT] = &sum_int_segments},
        [BMF_OPERATION_TIMES] = {[BMF_REAL] = &product_real_segments, [BMF_INT] = &product_int_segments},
        [BMF_OPERATION_MAX] = {[BMF_REAL] = &largest_real_segments, [BMF_INT] = &largest_int_segments},
        [BMF_OPERATION_MIN] = {[BMF_REAL] = &smallest_real_segments, [BMF_INT] = &smallest_int_segments},
        [BMF_OPERATION_AND] = {[BMF_BOOL] = &all_bool_segments},
        [BMF_OPERATION_OR] = {[BMF_BOOL] = &any_bool_segments},
    };
    return operation->kind == BMF_EXPRESSION_OP && type->kind <= BMF_BOOL ? known[operation->operation][type->kind]
                                                                          : NULL;
}
