/* Folds and scans of many short segments by the fixed tree; see stream_segments.h.
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

enum { PAGE = 4096, LINE = 64 };
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

#define SEGMENTS(name, type, op, identity, ...)                                                                        \
    static const type name##_identities[STEP] = {identity, identity, identity, identity,                               \
                                                 identity, identity, identity, identity};                              \
    BMF_INLINE type name##_4(const type *x, uint64_t *bad)                                                             \
    {                                                                                                                  \
        return op(op(x[0], x[1], bad), op(x[2], x[3], bad), bad);                                                      \
    }                                                                                                                  \
    BMF_INLINE type name##_8(const type *x, uint64_t *bad)                                                             \
    {                                                                                                                  \
        return op(name##_4(x, bad), name##_4(x + 4, bad), bad);                                                        \
    }                                                                                                                  \
    BMF_INLINE type name##_16(const type *x, uint64_t *bad)                                                            \
    {                                                                                                                  \
        return op(name##_8(x, bad), name##_8(x + 8, bad), bad);                                                        \
    }                                                                                                                  \
    BMF_INLINE type name##_32(const type *x, uint64_t *bad)                                                            \
    {                                                                                                                  \
        return op(name##_16(x, bad), name##_16(x + 16, bad), bad);                                                     \
    }                                                                                                                  \
    /* The complete nodes of 64, merged like the carries of a counter. */                                              \
    static type name##_nodes(const type *x, uint64_t nodes, uint64_t *bad)                                             \
    {                                                                                                                  \
        type node[NODE_LEVELS], total = identity;                                                                      \
        int depth = 0;                                                                                                 \
        for (uint64_t i = 0; i < nodes; i++, x += NODE) {                                                              \
            type value = op(name##_32(x, bad), name##_32(x + 32, bad), bad);                                           \
            for (uint64_t carry = i; carry & 1; carry >>= 1)                                                           \
                value = op(node[--depth], value, bad);                                                                 \
            node[depth++] = value;                                                                                     \
        }                                                                                                              \
        for (int k = 0; k < depth; k++)                                                                                \
            total = op(total, node[k], bad);                                                                           \
        return total;                                                                                                  \
    }                                                                                                                  \
    static bool name##_fold(const void *from, const int64_t *offset, int64_t segments, void *to)                       \
    {                                                                                                                  \
        const type *x = from, *none = name##_identities;                                                               \
        type *out = to;                                                                                                \
        uint64_t bad = 0;                                                                                              \
        for (int64_t s = 0; s < segments; s++) {                                                                       \
            uint64_t n = (uint64_t)(offset[s + 1] - offset[s]);                                                        \
            read_ahead(x, n * sizeof(type));                                                                           \
            type total = identity;                                                                                     \
            if (n >= NODE) {                                                                                           \
                total = name##_nodes(x, n / NODE, &bad);                                                               \
                x += n / NODE * NODE;                                                                                  \
            }                                                                                                          \
            if (n & 32) {                                                                                              \
                total = op(total, name##_32(x, &bad), &bad);                                                           \
                x += 32;                                                                                               \
            }                                                                                                          \
            if (n & 16) {                                                                                              \
                total = op(total, name##_16(x, &bad), &bad);                                                           \
                x += 16;                                                                                               \
            }                                                                                                          \
            const type *eight = choose(n >> 3 & 1, x, none);                                                           \
            x += n & 8;                                                                                                \
            const type *four = choose(n >> 2 & 1, x, none);                                                            \
            x += n & 4;                                                                                                \
            const type *two = choose(n >> 1 & 1, x, none);                                                             \
            x += n & 2;                                                                                                \
            const type *one = choose(n & 1, x, none);                                                                  \
            x += n & 1;                                                                                                \
            total = op(total, name##_8(eight, &bad), &bad);                                                            \
            total = op(total, name##_4(four, &bad), &bad);                                                             \
            total = op(total, op(two[0], two[1], &bad), &bad);                                                         \
            out[s] = op(total, one[0], &bad);                                                                          \
        }                                                                                                              \
        return bad == 0;                                                                                               \
    }                                                                                                                  \
    /* The last elements of a segment, fewer than 8: before is the fold of all others. */                              \
    BMF_INLINE void name##_rest(const type *x, uint64_t n, type before, type *y, uint64_t *bad)                        \
    {                                                                                                                  \
        if (n & 4) {                                                                                                   \
            type x0 = x[0], x2 = x[2], first = op(x0, x[1], bad), four = op(first, op(x2, x[3], bad), bad);            \
            y[0] = op(before, x0, bad);                                                                                \
            y[1] = op(before, first, bad);                                                                             \
            y[2] = op(y[1], x2, bad);                                                                                  \
            y[3] = before = op(before, four, bad);                                                                     \
            x += 4;                                                                                                    \
            y += 4;                                                                                                    \
        }                                                                                                              \
        if (n & 2) {                                                                                                   \
            type x0 = x[0];                                                                                            \
            type pair = op(x0, x[1], bad);                                                                             \
            y[0] = op(before, x0, bad);                                                                                \
            y[1] = before = op(before, pair, bad);                                                                     \
            x += 2;                                                                                                    \
            y += 2;                                                                                                    \
        }                                                                                                              \
        if (n & 1)                                                                                                     \
            y[0] = op(before, x[0], bad);                                                                              \
    }                                                                                                                  \
    static bool name##_scan(const void *from, const int64_t *offset, int64_t segments, void *to)                       \
    {                                                                                                                  \
        const type *x = from;                                                                                          \
        type *y = to;                                                                                                  \
        uint64_t bad = 0;                                                                                              \
        for (int64_t s = 0; s < segments; s++) {                                                                       \
            uint64_t n = (uint64_t)(offset[s + 1] - offset[s]), steps = n / STEP;                                      \
            type node[STEP_LEVELS], prefix[STEP_LEVELS + 1] = {identity}, before = identity;                           \
            int depth = 0;                                                                                             \
            for (uint64_t i = 0; i < steps; i++, x += STEP, y += STEP) {                                               \
                type x0 = x[0], x2 = x[2], x4 = x[4], x6 = x[6];                                                       \
                type a = op(x0, x[1], &bad), b = op(x2, x[3], &bad), c = op(x4, x[5], &bad), d = op(x6, x[7], &bad),   \
                     four = op(a, b, &bad), value = op(four, op(c, d, &bad), &bad);                                    \
                type y1 = op(before, a, &bad), y3 = op(before, four, &bad), y5 = op(y3, c, &bad);                      \
                y[0] = op(before, x0, &bad);                                                                           \
                y[1] = y1;                                                                                             \
                y[2] = op(y1, x2, &bad);                                                                               \
                y[3] = y3;                                                                                             \
                y[4] = op(y3, x4, &bad);                                                                               \
                y[5] = y5;                                                                                             \
                y[6] = op(y5, x6, &bad);                                                                               \
                for (uint64_t carry = i; carry & 1; carry >>= 1)                                                       \
                    value = op(node[--depth], value, &bad);                                                            \
                node[depth] = value;                                                                                   \
                before = op(prefix[depth], value, &bad);                                                               \
                prefix[++depth] = before;                                                                              \
                y[7] = before;                                                                                         \
            }                                                                                                          \
            name##_rest(x, n % STEP, before, y, &bad);                                                                 \
            x += n % STEP;                                                                                             \
            y += n % STEP;                                                                                             \
        }                                                                                                              \
        return bad == 0;                                                                                               \
    }                                                                                                                  \
    static const bmf_segment_functions name##_segments = {name##_fold, name##_scan, __VA_ARGS__};

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
        const eight_ints even = {0, 2, 4, 6, 8, 10, 12, 14}, odd = {1, 3, 5, 7, 9, 11, 13, 15};                        \
        vector first = __builtin_shuffle(*a, *b, even), second = __builtin_shuffle(*a, *b, odd);                       \
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
        for (int k = 0; k < 8; k++)                                                                                    \
            name##_eight(rows + 8 * k, &bad, &node[k]);                                                                \
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

/* A whole node is scanned in eight blocks of eight rows of eight. Turned round, a block has its rows side by side, so
 * that all rows are scanned at once; only the folds before the rows are found one after the other. */
#define SCAN_NODE(name, type, vector, loose, pairwise, op, identity)                                                   \
    BMF_INLINE void name##_turn(vector v[8])                                                                           \
    {                                                                                                                  \
        const eight_ints low = {0, 8, 2, 10, 4, 12, 6, 14}, high = {1, 9, 3, 11, 5, 13, 7, 15};                        \
        const eight_ints near = {0, 1, 8, 9, 4, 5, 12, 13}, far = {2, 3, 10, 11, 6, 7, 14, 15};                        \
        const eight_ints left = {0, 1, 2, 3, 8, 9, 10, 11}, right = {4, 5, 6, 7, 12, 13, 14, 15};                      \
        vector a[8], b[8];                                                                                             \
        for (int k = 0; k < 8; k += 2) {                                                                               \
            a[k] = __builtin_shuffle(v[k], v[k + 1], low);                                                             \
            a[k + 1] = __builtin_shuffle(v[k], v[k + 1], high);                                                        \
        }                                                                                                              \
        for (int k = 0; k < 8; k += 4)                                                                                 \
            for (int j = k; j < k + 2; j++) {                                                                          \
                b[j] = __builtin_shuffle(a[j], a[j + 2], near);                                                        \
                b[j + 2] = __builtin_shuffle(a[j], a[j + 2], far);                                                     \
            }                                                                                                          \
        for (int k = 0; k < 4; k++) {                                                                                  \
            v[k] = __builtin_shuffle(b[k], b[k + 4], left);                                                            \
            v[k + 4] = __builtin_shuffle(b[k], b[k + 4], right);                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    /* The folds before each of eight rows, whose own are w, behind p[0]; returns that of all rows. */                 \
    BMF_INLINE type name##_rows(const type w[8], type p[8], uint64_t *failed)                                          \
    {                                                                                                                  \
        type s01 = op(w[0], w[1], failed), s23 = op(w[2], w[3], failed), s45 = op(w[4], w[5], failed);                 \
        type half = op(s01, s23, failed), rest = op(s45, op(w[6], w[7], failed), failed);                              \
        p[1] = op(p[0], w[0], failed);                                                                                 \
        p[2] = op(p[0], s01, failed);                                                                                  \
        p[3] = op(p[2], w[2], failed);                                                                                 \
        p[4] = op(p[0], half, failed);                                                                                 \
        p[5] = op(p[4], w[4], failed);                                                                                 \
        p[6] = op(p[4], s45, failed);                                                                                  \
        p[7] = op(p[6], w[6], failed);                                                                                 \
        return op(half, rest, failed);                                                                                 \
    }                                                                                                                  \
    BMF_VECTORISE static bool name##_scan_node(const void *x, const void *before, void *out, void *value)              \
    {                                                                                                                  \
        const loose *from = x;                                                                                         \
        loose *to = out;                                                                                               \
        type node[4], prefix[5], p[9], w[8];                                                                           \
        eight_ints bad = {0};                                                                                          \
        uint64_t failed = 0;                                                                                           \
        int depth = 0;                                                                                                 \
        prefix[0] = before ? *(const type *)before : (type)identity;                                                   \
        for (int k = 0; k < 8; k++, from += 8, to += 8) {                                                              \
            vector t[8], a, b, c, d, ab, cd, sums, fold, next;                                                         \
            for (int j = 0; j < 8; j++)                                                                                \
                t[j] = from[j];                                                                                        \
            name##_turn(t);                                                                                            \
            pairwise(&t[0], &t[1], &bad, &a);                                                                          \
            pairwise(&t[2], &t[3], &bad, &b);                                                                          \
            pairwise(&t[4], &t[5], &bad, &c);                                                                          \
            pairwise(&t[6], &t[7], &bad, &d);                                                                          \
            pairwise(&a, &b, &bad, &ab);                                                                               \
            pairwise(&c, &d, &bad, &cd);                                                                               \
            pairwise(&ab, &cd, &bad, &sums);                                                                           \
            memcpy(w, &sums, sizeof w);                                                                                \
            p[0] = prefix[depth];                                                                                      \
            type all = name##_rows(w, p, &failed);                                                                     \
            for (int carry = k; carry & 1; carry >>= 1)                                                                \
                all = op(node[--depth], all, &failed);                                                                 \
            node[depth] = all;                                                                                         \
            p[8] = op(prefix[depth], all, &failed);                                                                    \
            prefix[++depth] = p[8];                                                                                    \
            memcpy(&fold, p, sizeof fold);                                                                             \
            memcpy(&next, p + 1, sizeof next);                                                                         \
            pairwise(&fold, &t[0], &bad, &t[0]);                                                                       \
            pairwise(&fold, &a, &bad, &t[1]);                                                                          \
            pairwise(&t[1], &t[2], &bad, &t[2]);                                                                       \
            pairwise(&fold, &ab, &bad, &t[3]);                                                                         \
            pairwise(&t[3], &t[4], &bad, &t[4]);                                                                       \
            pairwise(&t[3], &c, &bad, &t[5]);                                                                          \
            pairwise(&t[5], &t[6], &bad, &t[6]);                                                                       \
            t[7] = next;                                                                                               \
            name##_turn(t);                                                                                            \
            for (int j = 0; j < 8; j++)                                                                                \
                to[j] = t[j];                                                                                          \
        }                                                                                                              \
        *(type *)value = node[0];                                                                                      \
        for (int k = 0; k < 8; k++)                                                                                    \
            failed |= (uint64_t)bad[k] >> 63;                                                                          \
        return failed == 0;                                                                                            \
    }

SCAN_NODE(sum_real, double, eight_reals, loose_reals, plus_reals, plus_real, -0.0)
SCAN_NODE(product_real, double, eight_reals, loose_reals, times_reals, times_real, 1.0)
SCAN_NODE(sum_int, int64_t, eight_ints, loose_ints, plus_ints, plus_int, 0)

BMF_VECTORISE void segment_sum_products(const double *x, const double *y, void *out)
{
    const loose_reals *left = (const loose_reals *)x, *right = (const loose_reals *)y;
    eight_reals node[8], product[8], top;
    eight_ints bad = {0};
    for (int k = 0; k < 8; k++) {
        for (int j = 0; j < 8; j++)
            product[j] = left[8 * k + j] * right[8 * k + j];
        sum_real_eight((const loose_reals *)product, &bad, &node[k]);
    }
    sum_real_eight((const loose_reals *)node, &bad, &top);
    *(double *)out = ((top[0] + top[1]) + (top[2] + top[3])) + ((top[4] + top[5]) + (top[6] + top[7]));
}

SEGMENTS(sum_real, double, plus_real, -0.0, sum_real_node, sum_real_scan_node)
SEGMENTS(product_real, double, times_real, 1.0, product_real_node, product_real_scan_node)
SEGMENTS(largest_real, double, max_real, -INFINITY, NULL, NULL)
SEGMENTS(smallest_real, double, min_real, INFINITY, NULL, NULL)
SEGMENTS(sum_int, int64_t, plus_int, 0, sum_int_node, sum_int_scan_node)
SEGMENTS(product_int, int64_t, times_int, 1, NULL, NULL)
SEGMENTS(largest_int, int64_t, max_int, INT64_MIN, NULL, NULL)
SEGMENTS(smallest_int, int64_t, min_int, INT64_MAX, NULL, NULL)
SEGMENTS(all_bool, uint8_t, and_bool, 1, NULL, NULL)
SEGMENTS(any_bool, uint8_t, or_bool, 0, NULL, NULL)

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
