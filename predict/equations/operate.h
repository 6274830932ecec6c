/* What the operations of equations do with numbers, in one place for constants, blocks and single points. */
#ifndef BMF_EQUATIONS_OPERATE_H
#define BMF_EQUATIONS_OPERATE_H

#include <math.h>

#include "predict/equations/equations_private.h"

/* X(operation, value of operands a, b and c) for all operations that only need numbers. */
#define BMF_NUMBER_OPERATIONS(X)                                                                                       \
    X(BMF_OP_ADD, a + b)                                                                                               \
    X(BMF_OP_SUBTRACT, a - b)                                                                                          \
    X(BMF_OP_MULTIPLY, a *b)                                                                                           \
    X(BMF_OP_DIVIDE, a / b)                                                                                            \
    X(BMF_OP_POWER, pow(a, b))                                                                                         \
    X(BMF_OP_NEGATE, -a)                                                                                               \
    X(BMF_OP_LESS, a < b ? 1.0 : 0.0)                                                                                  \
    X(BMF_OP_LESS_EQUAL, a <= b ? 1.0 : 0.0)                                                                           \
    X(BMF_OP_EQUAL, a == b ? 1.0 : 0.0)                                                                                \
    X(BMF_OP_NOT_EQUAL, a != b ? 1.0 : 0.0)                                                                            \
    X(BMF_OP_CHOOSE, a != 0.0 ? b : c)                                                                                 \
    X(BMF_OP_LOG, log(a))                                                                                              \
    X(BMF_OP_EXP, exp(a))                                                                                              \
    X(BMF_OP_SQRT, sqrt(a))                                                                                            \
    X(BMF_OP_CEIL, ceil(a))                                                                                            \
    X(BMF_OP_FLOOR, floor(a))                                                                                          \
    X(BMF_OP_MIN, a < b ? a : b)                                                                                       \
    X(BMF_OP_MAX, a > b ? a : b)

/* Of one point; not a number for operations that need more than numbers. */
static inline double operate(bmf_operation_code operation, double a, double b, double c)
{
    switch (operation) {
#define BMF_OPERATE(operation, value)                                                                                  \
    case operation:                                                                                                    \
        return value;
        BMF_NUMBER_OPERATIONS(BMF_OPERATE)
#undef BMF_OPERATE
    default:
        return NAN;
    }
}

#endif
