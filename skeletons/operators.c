/* Ready-made operators.
 *
 * max and min of reals and floats are exact and commute to the last bit, so that any order gives the same: a NaN makes
 * the result NaN, and -0.0 is smaller than 0.0, which compare equal: their bits are joined. */

/* On scalars nothing can be fused by mistake. */
#define BMF_VECTORISE_OPERATOR BMF_VECTORISE
#include "bmf/operators.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { FREE = BMF_COMMUTATIVE | BMF_EXACT };

/* Wraps instead of being undefined. */
#define WRAP(a, op, b)   ((int64_t)((uint64_t)(a)op(uint64_t)(b)))
#define WRAP32(a, op, b) ((int32_t)((uint32_t)(a)op(uint32_t)(b)))

/* larger_TYPE and smaller_TYPE; `word` is an integer of the type's size. */
#define DEFINE_EXTREMES(type, word)                                                                                    \
    static inline word bits_of_##type(type x)                                                                          \
    {                                                                                                                  \
        word bits;                                                                                                     \
        memcpy(&bits, &x, sizeof bits);                                                                                \
        return bits;                                                                                                   \
    }                                                                                                                  \
    static inline type from_bits_##type(word bits)                                                                     \
    {                                                                                                                  \
        type x;                                                                                                        \
        memcpy(&x, &bits, sizeof x);                                                                                   \
        return x;                                                                                                      \
    }                                                                                                                  \
    static inline type unless_nan_##type(type a, type b, type result)                                                  \
    {                                                                                                                  \
        return ((a != a) | (b != b)) ? (type)NAN : result;                                                             \
    }                                                                                                                  \
    static inline type larger_##type(type a, type b)                                                                   \
    {                                                                                                                  \
        type either = from_bits_##type(bits_of_##type(a) & bits_of_##type(b)), other = a > b ? a : b;                  \
        return unless_nan_##type(a, b, a == b ? either : other);                                                       \
    }                                                                                                                  \
    static inline type smaller_##type(type a, type b)                                                                  \
    {                                                                                                                  \
        type either = from_bits_##type(bits_of_##type(a) | bits_of_##type(b)), other = a < b ? a : b;                  \
        return unless_nan_##type(a, b, a == b ? either : other);                                                       \
    }

DEFINE_EXTREMES(double, int64_t)
DEFINE_EXTREMES(float, int32_t)

/* GCC 12 makes one rounding of the product and the sum or difference around it where it vectorises a complex product,
 * also with -ffp-contract=off; not across a barrier. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_assoc_barrier)
#define ROUNDED(x) __builtin_assoc_barrier(x)
#endif
#endif
#ifndef ROUNDED
#define ROUNDED(x) (x)
#endif

/* C's own product asks every result for NaN, which does not vectorise. */
static inline double _Complex product(double _Complex a, double _Complex b)
{
    const double ac = creal(a) * creal(b), bd = cimag(a) * cimag(b);
    const double ad = creal(a) * cimag(b), bc = cimag(a) * creal(b);
    return __builtin_complex(ROUNDED(ac) - ROUNDED(bd), ROUNDED(ad) + ROUNDED(bc));
}

/* A public operator from the functions that BMF_FOLD_KERNEL_FLAGS makes. */
#define OPERATOR(name, type, a, b, expression, identity_value, flag_bits)                                              \
    BMF_FOLD_KERNEL_FLAGS(name, type, a, b, expression, identity_value, flag_bits)                                     \
    const bmf_operator bmf_##name = BMF_OPERATOR_VALUE_(name, type, &name##_identity, flag_bits);

OPERATOR(plus_real, double, a, b, a + b, 0.0, BMF_COMMUTATIVE)
OPERATOR(times_real, double, a, b, a *b, 1.0, BMF_COMMUTATIVE)
OPERATOR(max_real, double, a, b, larger_double(a, b), -INFINITY, FREE)
OPERATOR(min_real, double, a, b, smaller_double(a, b), INFINITY, FREE)
OPERATOR(plus_int, int64_t, a, b, WRAP(a, +, b), 0, FREE)
OPERATOR(times_int, int64_t, a, b, WRAP(a, *, b), 1, FREE)
OPERATOR(max_int, int64_t, a, b, a > b ? a : b, INT64_MIN, FREE)
OPERATOR(min_int, int64_t, a, b, a < b ? a : b, INT64_MAX, FREE)
OPERATOR(plus_float, float, a, b, a + b, 0.0F, BMF_COMMUTATIVE)
OPERATOR(times_float, float, a, b, a *b, 1.0F, BMF_COMMUTATIVE)
OPERATOR(max_float, float, a, b, larger_float(a, b), -INFINITY, FREE)
OPERATOR(min_float, float, a, b, smaller_float(a, b), INFINITY, FREE)
OPERATOR(plus_int32, int32_t, a, b, WRAP32(a, +, b), 0, FREE)
OPERATOR(times_int32, int32_t, a, b, WRAP32(a, *, b), 1, FREE)
OPERATOR(max_int32, int32_t, a, b, a > b ? a : b, INT32_MIN, FREE)
OPERATOR(min_int32, int32_t, a, b, a < b ? a : b, INT32_MAX, FREE)
OPERATOR(plus_complex, double _Complex, a, b, a + b, 0.0, BMF_COMMUTATIVE)
OPERATOR(times_complex, double _Complex, a, b, product(a, b), 1.0, BMF_COMMUTATIVE)
OPERATOR(and, _Bool, a, b, a &&b, 1, FREE)
OPERATOR(or, _Bool, a, b, a || b, 0, FREE)
