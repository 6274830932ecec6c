/* Ready-made operators. max and min of reals are exact; a NaN among the elements may or may not show. */
#include "skeletons/operators.h"

#include <math.h>

enum { FREE = BMF_COMMUTATIVE | BMF_EXACT };

/* Wraps instead of being undefined. */
#define WRAP(a, op, b) ((int64_t)((uint64_t)(a)op(uint64_t)(b)))

/* A public operator from the functions that BMF_FOLD_KERNEL_FLAGS makes. */
#define OPERATOR(name, type, a, b, expression, identity_value, flag_bits)                                            \
    BMF_FOLD_KERNEL_FLAGS(name, type, a, b, expression, identity_value, flag_bits)                                    \
    const bmf_operator bmf_##name = {#name,        &name##_type, name##_combine,   name##_fold, name##_scan,          \
                                     name##_quick, 0,            &name##_identity, flag_bits,   false};

OPERATOR(plus_real, double, a, b, a + b, 0.0, BMF_COMMUTATIVE)
OPERATOR(times_real, double, a, b, a *b, 1.0, BMF_COMMUTATIVE)
OPERATOR(max_real, double, a, b, a > b ? a : b, -INFINITY, FREE)
OPERATOR(min_real, double, a, b, a < b ? a : b, INFINITY, FREE)
OPERATOR(plus_int, int64_t, a, b, WRAP(a, +, b), 0, FREE)
OPERATOR(times_int, int64_t, a, b, WRAP(a, *, b), 1, FREE)
OPERATOR(max_int, int64_t, a, b, a > b ? a : b, INT64_MIN, FREE)
OPERATOR(min_int, int64_t, a, b, a < b ? a : b, INT64_MAX, FREE)
OPERATOR(and, _Bool, a, b, a &&b, 1, FREE)
OPERATOR(or, _Bool, a, b, a || b, 0, FREE)
