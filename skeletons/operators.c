/* Ready-made operators.
 *
 * max and min of reals are exact and commute to the last bit, so that any order gives the same: a NaN makes the result
 * NaN, and -0.0 is smaller than 0.0, which compare equal: their bits are joined. */
#include "bmf/operators.h"

#include <math.h>
#include <string.h>

enum { FREE = BMF_COMMUTATIVE | BMF_EXACT };

/* Wraps instead of being undefined. */
#define WRAP(a, op, b) ((int64_t)((uint64_t)(a)op(uint64_t)(b)))

static inline int64_t bits_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double real_of(int64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double unless_nan(double a, double b, double result)
{
    return (a != a) | (b != b) ? NAN : result;
}

static inline double larger(double a, double b)
{
    double either = real_of(bits_of(a) & bits_of(b)), other = a > b ? a : b;
    return unless_nan(a, b, a == b ? either : other);
}

static inline double smaller(double a, double b)
{
    double either = real_of(bits_of(a) | bits_of(b)), other = a < b ? a : b;
    return unless_nan(a, b, a == b ? either : other);
}

/* A public operator from the functions that BMF_FOLD_KERNEL_FLAGS makes. */
#define OPERATOR(name, type, a, b, expression, identity_value, flag_bits)                                              \
    BMF_FOLD_KERNEL_FLAGS(name, type, a, b, expression, identity_value, flag_bits)                                     \
    const bmf_operator bmf_##name = {                                                                                  \
        #name, &name##_type,     name##_combine, name##_fold, name##_scan,         name##_quick,                       \
        0,     &name##_identity, flag_bits,      false,       BMF_OPERATOR_VERSION};

OPERATOR(plus_real, double, a, b, a + b, 0.0, BMF_COMMUTATIVE)
OPERATOR(times_real, double, a, b, a *b, 1.0, BMF_COMMUTATIVE)
OPERATOR(max_real, double, a, b, larger(a, b), -INFINITY, FREE)
OPERATOR(min_real, double, a, b, smaller(a, b), INFINITY, FREE)
OPERATOR(plus_int, int64_t, a, b, WRAP(a, +, b), 0, FREE)
OPERATOR(times_int, int64_t, a, b, WRAP(a, *, b), 1, FREE)
OPERATOR(max_int, int64_t, a, b, a > b ? a : b, INT64_MIN, FREE)
OPERATOR(min_int, int64_t, a, b, a < b ? a : b, INT64_MAX, FREE)
OPERATOR(and, _Bool, a, b, a &&b, 1, FREE)
OPERATOR(or, _Bool, a, b, a || b, 0, FREE)
