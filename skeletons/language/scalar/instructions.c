/* The instructions of compiled scalar expressions: one loop each over a block.
 *
 * Method: the loops are compiled for several vector widths and have no branches inside. Operations on ints that
 * overflow compute the wrapped result of every element and gather in one word whether any failed; who failed first is
 * looked for only then (scalar_fails_at). Products are checked by their factors' ranges first, which holds for
 * most; division of ints up to 2^52 is done in reals, where the rounded quotient of two such ints never reaches the
 * next int, so that cutting it off is exact. An operand that is one value for all elements has loops of its own, so
 * that constants never fill blocks.
 * Cost: one pass over the operands; products out of the range and long division a second, scalar one. */
#include <math.h>
#include <string.h>

#include "bmf/random.h"
#include "skeletons/language/scalar/code.h"

/* No operand is the result of another element. clang has no word for it that is not also an order to vectorise. */
#ifdef __clang__
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define EACH_ELEMENT INDEPENDENT for (int64_t i = 0; i < count; i++)

/* A loop: A, B, C say how operands are read (x[i], or x0 of a uniform one). */
#define LOOP(name, form, R, A_TYPE, B_TYPE, C_TYPE, A, B, C)                                                           \
    BMF_VECTORISE static int name##_##form(int64_t count, const void *a_, const void *b_, const void *c_, void *d_)    \
    {                                                                                                                  \
        const A_TYPE *a = a_, a0 = *a;                                                                                 \
        const B_TYPE *b = b_, b0 = *b;                                                                                 \
        const C_TYPE *c = c_, c0 = *c;                                                                                 \
        R *d = d_;                                                                                                     \
        uint64_t failed = 0;                                                                                           \
        (void)a0, (void)b0, (void)c0;                                                                                  \
        EACH_ELEMENT d[i] = name##_element(A, B, C, &failed);                                                          \
        return failed >> 63 != 0;                                                                                      \
    }
#define ELEMENT(name, R, A_TYPE, B_TYPE, C_TYPE, expression)                                                           \
    BMF_INLINE R name##_element(A_TYPE a, B_TYPE b, C_TYPE c, uint64_t *failed)                                        \
    {                                                                                                                  \
        (void)a, (void)b, (void)c, (void)failed;                                                                       \
        return (R)(expression);                                                                                        \
    }

#define UNARY(name, R, T, expression)                                                                                  \
    ELEMENT(name, R, T, T, T, expression)                                                                              \
    LOOP(name, v, R, T, T, T, a[i], a[i], a[i])
#define BINARY(name, R, T, expression)                                                                                 \
    ELEMENT(name, R, T, T, T, expression)                                                                              \
    LOOP(name, vv, R, T, T, T, a[i], b[i], a[i])                                                                       \
    LOOP(name, uv, R, T, T, T, a0, b[i], a0)                                                                           \
    LOOP(name, vu, R, T, T, T, a[i], b0, a[i])
#define TERNARY(name, R, A_TYPE, T, expression)                                                                        \
    ELEMENT(name, R, A_TYPE, T, T, expression)                                                                         \
    LOOP(name, vvv, R, A_TYPE, T, T, a[i], b[i], c[i])                                                                 \
    LOOP(name, uvv, R, A_TYPE, T, T, a0, b[i], c[i])                                                                   \
    LOOP(name, vuv, R, A_TYPE, T, T, a[i], b0, c[i])                                                                   \
    LOOP(name, uuv, R, A_TYPE, T, T, a0, b0, c[i])                                                                     \
    LOOP(name, vvu, R, A_TYPE, T, T, a[i], b[i], c0)                                                                   \
    LOOP(name, uvu, R, A_TYPE, T, T, a0, b[i], c0)                                                                     \
    LOOP(name, vuu, R, A_TYPE, T, T, a[i], b0, c0)

/* Rows of the table; see bmf_scalar_operation.run. Combinations that cannot occur repeat a neighbour. */
#define RUN_UNARY(name)                                                                                                \
    {                                                                                                                  \
        name##_v, name##_v, name##_v, name##_v, name##_v, name##_v, name##_v, name##_v                                 \
    }
#define RUN_BINARY(name)                                                                                               \
    {                                                                                                                  \
        name##_vv, name##_uv, name##_vu, name##_vv, name##_vv, name##_uv, name##_vu, name##_vv                         \
    }
#define RUN_TERNARY(name)                                                                                              \
    {                                                                                                                  \
        name##_vvv, name##_uvv, name##_vuv, name##_uuv, name##_vvu, name##_uvu, name##_vuu, name##_vvv                 \
    }

/* ---- ints ---- */

#define WRAP(a, op, b) ((int64_t)((uint64_t)(a)op(uint64_t)(b)))

BMF_INLINE int64_t plus_checked(int64_t a, int64_t b, uint64_t *failed)
{
    const int64_t sum = WRAP(a, +, b);
    *failed |= (uint64_t)((a ^ sum) & (b ^ sum));
    return sum;
}

BMF_INLINE int64_t minus_checked(int64_t a, int64_t b, uint64_t *failed)
{
    const int64_t difference = WRAP(a, -, b);
    *failed |= (uint64_t)((a ^ b) & (a ^ difference));
    return difference;
}

/* The least int is the only one that is its own negative, but for 0. */
BMF_INLINE int64_t negated(int64_t a, uint64_t *failed)
{
    const int64_t negative = WRAP(0, -, a);
    *failed |= (uint64_t)(a & negative);
    return negative;
}

BINARY(add_int, int64_t, int64_t, plus_checked(a, b, failed))
BINARY(subtract_int, int64_t, int64_t, minus_checked(a, b, failed))
BINARY(max_int, int64_t, int64_t, a > b ? a : b)
BINARY(min_int, int64_t, int64_t, a < b ? a : b)
UNARY(negate_int, int64_t, int64_t, negated(a, failed))
BINARY(and_int, int64_t, int64_t, a &b)
BINARY(or_int, int64_t, int64_t, a | b)
BINARY(xor_int, int64_t, int64_t, a ^ b)

/* By 0 to 63 bits; any other number fails. */
BMF_INLINE uint64_t bits_to_shift(int64_t by, uint64_t *failed)
{
    *failed |= (uint64_t)by > 63 ? UINT64_MAX : 0;
    return (uint64_t)by & 63;
}
BINARY(shift_left, int64_t, int64_t, (uint64_t)a << bits_to_shift(b, failed))
BINARY(shift_right, int64_t, int64_t, a >> bits_to_shift(b, failed))
BINARY(equal_int, uint8_t, int64_t, a == b)
BINARY(less_int, uint8_t, int64_t, a < b)
BINARY(at_most_int, uint8_t, int64_t, a <= b)

BMF_INLINE int64_t absolute(int64_t a, uint64_t *failed)
{
    const uint64_t sign = (uint64_t)(a >> 63), positive = ((uint64_t)a ^ sign) - sign;
    *failed |= positive;
    return (int64_t)positive;
}
UNARY(absolute_int, int64_t, int64_t, absolute(a, failed))

/* Products element by element: what is left to do when the factors are large. */
static int multiply_long(int64_t count, const int64_t *a, int64_t a_step, const int64_t *b, int64_t *d)
{
    bool failed = false;
    for (int64_t i = 0; i < count; i++) {
        long long product;
        failed |= __builtin_mul_overflow((long long)a[i * a_step], (long long)b[i], &product);
        d[i] = product;
    }
    return failed;
}

/* Factors of 32 bits never overflow. */
BMF_VECTORISE static int multiply_int_vv(int64_t count, const void *a_, const void *b_, const void *c_, void *d_)
{
    const int64_t *a = a_, *b = b_;
    int64_t *d = d_;
    uint64_t large = 0;
    (void)c_;
    EACH_ELEMENT
    {
        large |= ((uint64_t)a[i] + 0x80000000U) | ((uint64_t)b[i] + 0x80000000U);
        d[i] = WRAP(a[i], *, b[i]);
    }
    return large >> 32 == 0 ? 0 : multiply_long(count, a, 1, b, d);
}

/* One factor for all: the others' range without overflow is known. */
BMF_VECTORISE static int multiply_int_uv(int64_t count, const void *a_, const void *b_, const void *c_, void *d_)
{
    const int64_t factor = *(const int64_t *)a_, *b = b_;
    int64_t *d = d_;
    uint64_t outside = 0;
    (void)c_;
    if (factor == 0 || factor == -1)
        return multiply_long(count, &factor, 0, b, d);
    const int64_t one = INT64_MAX / factor, other = INT64_MIN / factor;
    const int64_t min = one < other ? one : other, max = one < other ? other : one;
    EACH_ELEMENT
    {
        outside |= (uint64_t)(b[i] < min) | (uint64_t)(b[i] > max);
        d[i] = WRAP(b[i], *, factor);
    }
    return outside != 0;
}

static int multiply_int_vu(int64_t count, const void *a, const void *b, const void *c, void *d)
{
    return multiply_int_uv(count, b, a, c, d);
}

/* Whether all dividends are within 2^52 and no divisor is 0. */
BMF_VECTORISE static bool divides_in_reals(int64_t count, const int64_t *a, const int64_t *b, int64_t b_step)
{
    uint64_t large = 0, zero = 0;
    if (b_step == 0) {
        EACH_ELEMENT large |= (uint64_t)a[i] + ((uint64_t)1 << 52);
        zero = *b == 0;
    } else {
        EACH_ELEMENT
        {
            large |= (uint64_t)a[i] + ((uint64_t)1 << 52);
            zero |= b[i] == 0;
        }
    }
    return large >> 53 == 0 && zero == 0;
}

/* Division of any ints; where it fails, any result. */
static int divide_long(int64_t count, const int64_t *a, int64_t a_step, const int64_t *b, int64_t b_step,
                       bool remainder, int64_t *d)
{
    bool failed = false;
    for (int64_t i = 0; i < count; i++) {
        const int64_t dividend = a[i * a_step], divisor = b[i * b_step];
        const bool zero = divisor == 0, overflow = dividend == INT64_MIN && divisor == -1;
        const int64_t by = (zero | overflow) ? 1 : divisor;
        failed |= zero | (overflow & !remainder);
        d[i] = remainder ? dividend % by : dividend / by;
    }
    return failed;
}

#define QUOTIENT(a, b) ((int64_t)((double)(a) / (double)(b)))

BMF_VECTORISE static int divide_int_vv(int64_t count, const void *a_, const void *b_, const void *c_, void *d_)
{
    const int64_t *a = a_, *b = b_;
    int64_t *d = d_;
    (void)c_;
    if (!divides_in_reals(count, a, b, 1))
        return divide_long(count, a, 1, b, 1, false, d);
    EACH_ELEMENT d[i] = QUOTIENT(a[i], b[i]);
    return 0;
}

BMF_VECTORISE static int divide_int_vu(int64_t count, const void *a_, const void *b_, const void *c_, void *d_)
{
    const int64_t *a = a_, *b = b_, divisor = *b;
    int64_t *d = d_;
    (void)c_;
    if (!divides_in_reals(count, a, b, 0))
        return divide_long(count, a, 1, b, 0, false, d);
    EACH_ELEMENT d[i] = QUOTIENT(a[i], divisor);
    return 0;
}

static int divide_int_uv(int64_t count, const void *a, const void *b, const void *c, void *d)
{
    (void)c;
    return divide_long(count, a, 0, b, 1, false, d);
}

BMF_VECTORISE static int modulo_int_vv(int64_t count, const void *a_, const void *b_, const void *c_, void *d_)
{
    const int64_t *a = a_, *b = b_;
    int64_t *d = d_;
    (void)c_;
    if (!divides_in_reals(count, a, b, 1))
        return divide_long(count, a, 1, b, 1, true, d);
    EACH_ELEMENT d[i] = WRAP(a[i], -, (uint64_t)QUOTIENT(a[i], b[i]) * (uint64_t)b[i]);
    return 0;
}

BMF_VECTORISE static int modulo_int_vu(int64_t count, const void *a_, const void *b_, const void *c_, void *d_)
{
    const int64_t *a = a_, *b = b_, divisor = *b;
    int64_t *d = d_;
    (void)c_;
    if (!divides_in_reals(count, a, b, 0))
        return divide_long(count, a, 1, b, 0, true, d);
    EACH_ELEMENT d[i] = WRAP(a[i], -, (uint64_t)QUOTIENT(a[i], divisor) * (uint64_t)divisor);
    return 0;
}

static int modulo_int_uv(int64_t count, const void *a, const void *b, const void *c, void *d)
{
    (void)c;
    return divide_long(count, a, 0, b, 1, true, d);
}

/* ---- reals ---- */

BMF_INLINE uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

BMF_INLINE double real_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* NaN if any is NaN; -0.0 is smaller than 0.0, so equal numbers join their sign bits. */
BMF_INLINE double larger(double a, double b)
{
    const double other = a > b ? a : b, either = real_of(bits_of(a) & bits_of(b));
    return ((a != a) | (b != b)) ? (double)NAN : a == b ? either : other;
}

BMF_INLINE double smaller(double a, double b)
{
    const double other = a < b ? a : b, either = real_of(bits_of(a) | bits_of(b));
    return ((a != a) | (b != b)) ? (double)NAN : a == b ? either : other;
}

BINARY(add_real, double, double, a + b)
BINARY(subtract_real, double, double, a - b)
BINARY(multiply_real, double, double, a *b)
BINARY(divide_real, double, double, a / b)
BINARY(modulo_real, double, double, fmod(a, b))
BINARY(max_real, double, double, larger(a, b))
BINARY(min_real, double, double, smaller(a, b))
UNARY(negate_real, double, double, -a)
UNARY(absolute_real, double, double, real_of(bits_of(a) & (UINT64_MAX >> 1)))
UNARY(square_root, double, double, sqrt(a)) /* compiled to leave errno alone, which keeps it in vectors */
UNARY(exponential, double, double, exp(a))
UNARY(logarithm, double, double, log(a))
UNARY(sine, double, double, sin(a))
UNARY(cosine, double, double, cos(a))
UNARY(tangent, double, double, tan(a))
BINARY(power, double, double, pow(a, b))
BINARY(angle, double, double, atan2(a, b))
UNARY(floor, double, double, floor(a))
UNARY(ceiling, double, double, ceil(a))
UNARY(round, double, double, rint(a)) /* to nearest, ties to even: nobody changes the rounding mode */
BINARY(random, double, int64_t, bmf_random(a, b))
BINARY(equal_real, uint8_t, double, a == b)
BINARY(less_real, uint8_t, double, a < b)
BINARY(at_most_real, uint8_t, double, a <= b)
TERNARY(multiply_add, double, double, double, a *b + c)
TERNARY(multiply_subtract, double, double, double, a *b - c)
TERNARY(subtract_product, double, double, double, c - a * b)
TERNARY(add_add, double, double, double, a + b + c)
TERNARY(subtract_add, double, double, double, a - b + c)
TERNARY(add_multiply, double, double, double, (a + b) * c)
TERNARY(subtract_multiply, double, double, double, (a - b) * c)
TERNARY(multiply_multiply, double, double, double, a *b *c)

/* ---- bools, conversions, choices ---- */

/* 2^63, the first real beyond the ints; NaN compares false. */
BMF_INLINE int64_t truncated(double a, uint64_t *failed)
{
    const bool fits = (a >= -0x1p63) & (a < 0x1p63);
    *failed |= fits ? 0 : UINT64_MAX;
    return (int64_t)(fits ? a : 0.0);
}

BINARY(equal_bool, uint8_t, uint8_t, a == b)
BINARY(and, uint8_t, uint8_t, a &b)
BINARY(or, uint8_t, uint8_t, a | b)
UNARY(not, uint8_t, uint8_t, a ^ 1)
UNARY(int_to_real, double, int64_t, (double)a)
UNARY(real_to_int, int64_t, double, truncated(a, failed))
UNARY(bool_to_int, int64_t, uint8_t, a)
UNARY(bool_to_real, double, uint8_t, a)
TERNARY(select_word, uint64_t, uint8_t, uint64_t, a ? b : c)
TERNARY(select_byte, uint8_t, uint8_t, uint8_t, a ? b : c)
UNARY(copy_word, uint64_t, uint64_t, a)
UNARY(copy_byte, uint8_t, uint8_t, a)

/* ---- the table ---- */

const bmf_scalar_operation scalar_operations[BMF_SCALAR_OPCODE_COUNT] = {
    [BMF_SCALAR_ADD_INT] = {"add int", 2, 1, BMF_INT, BMF_INT, true, RUN_BINARY(add_int)},
    [BMF_SCALAR_SUBTRACT_INT] = {"subtract int", 2, 1, BMF_INT, BMF_INT, true, RUN_BINARY(subtract_int)},
    [BMF_SCALAR_MULTIPLY_INT] = {"multiply int", 2, 2, BMF_INT, BMF_INT, true, RUN_BINARY(multiply_int)},
    [BMF_SCALAR_DIVIDE_INT] = {"divide int", 2, 6, BMF_INT, BMF_INT, true, RUN_BINARY(divide_int)},
    [BMF_SCALAR_MODULO_INT] = {"modulo int", 2, 8, BMF_INT, BMF_INT, true, RUN_BINARY(modulo_int)},
    [BMF_SCALAR_MAX_INT] = {"max int", 2, 1, BMF_INT, BMF_INT, false, RUN_BINARY(max_int)},
    [BMF_SCALAR_MIN_INT] = {"min int", 2, 1, BMF_INT, BMF_INT, false, RUN_BINARY(min_int)},
    [BMF_SCALAR_NEGATE_INT] = {"negate int", 1, 1, BMF_INT, BMF_INT, true, RUN_UNARY(negate_int)},
    [BMF_SCALAR_ABSOLUTE_INT] = {"absolute int", 1, 1, BMF_INT, BMF_INT, true, RUN_UNARY(absolute_int)},
    [BMF_SCALAR_AND_INT] = {"and int", 2, 1, BMF_INT, BMF_INT, false, RUN_BINARY(and_int)},
    [BMF_SCALAR_OR_INT] = {"or int", 2, 1, BMF_INT, BMF_INT, false, RUN_BINARY(or_int)},
    [BMF_SCALAR_XOR_INT] = {"xor int", 2, 1, BMF_INT, BMF_INT, false, RUN_BINARY(xor_int)},
    [BMF_SCALAR_SHIFT_LEFT] = {"shift left", 2, 1, BMF_INT, BMF_INT, true, RUN_BINARY(shift_left)},
    [BMF_SCALAR_SHIFT_RIGHT] = {"shift right", 2, 1, BMF_INT, BMF_INT, true, RUN_BINARY(shift_right)},
    [BMF_SCALAR_EQUAL_INT] = {"equal int", 2, 1, BMF_INT, BMF_BOOL, false, RUN_BINARY(equal_int)},
    [BMF_SCALAR_LESS_INT] = {"less int", 2, 1, BMF_INT, BMF_BOOL, false, RUN_BINARY(less_int)},
    [BMF_SCALAR_AT_MOST_INT] = {"at most int", 2, 1, BMF_INT, BMF_BOOL, false, RUN_BINARY(at_most_int)},
    [BMF_SCALAR_ADD_REAL] = {"add real", 2, 1, BMF_REAL, BMF_REAL, false, RUN_BINARY(add_real)},
    [BMF_SCALAR_SUBTRACT_REAL] = {"subtract real", 2, 1, BMF_REAL, BMF_REAL, false, RUN_BINARY(subtract_real)},
    [BMF_SCALAR_MULTIPLY_REAL] = {"multiply real", 2, 1, BMF_REAL, BMF_REAL, false, RUN_BINARY(multiply_real)},
    [BMF_SCALAR_DIVIDE_REAL] = {"divide real", 2, 4, BMF_REAL, BMF_REAL, false, RUN_BINARY(divide_real)},
    [BMF_SCALAR_MODULO_REAL] = {"modulo real", 2, 40, BMF_REAL, BMF_REAL, false, RUN_BINARY(modulo_real)},
    [BMF_SCALAR_MAX_REAL] = {"max real", 2, 2, BMF_REAL, BMF_REAL, false, RUN_BINARY(max_real)},
    [BMF_SCALAR_MIN_REAL] = {"min real", 2, 2, BMF_REAL, BMF_REAL, false, RUN_BINARY(min_real)},
    [BMF_SCALAR_NEGATE_REAL] = {"negate real", 1, 1, BMF_REAL, BMF_REAL, false, RUN_UNARY(negate_real)},
    [BMF_SCALAR_ABSOLUTE_REAL] = {"absolute real", 1, 1, BMF_REAL, BMF_REAL, false, RUN_UNARY(absolute_real)},
    [BMF_SCALAR_SQUARE_ROOT] = {"square root", 1, 8, BMF_REAL, BMF_REAL, false, RUN_UNARY(square_root)},
    [BMF_SCALAR_EXPONENTIAL] = {"exponential", 1, 40, BMF_REAL, BMF_REAL, false, RUN_UNARY(exponential)},
    [BMF_SCALAR_LOGARITHM] = {"logarithm", 1, 40, BMF_REAL, BMF_REAL, false, RUN_UNARY(logarithm)},
    [BMF_SCALAR_SINE] = {"sine", 1, 40, BMF_REAL, BMF_REAL, false, RUN_UNARY(sine)},
    [BMF_SCALAR_COSINE] = {"cosine", 1, 40, BMF_REAL, BMF_REAL, false, RUN_UNARY(cosine)},
    [BMF_SCALAR_TANGENT] = {"tangent", 1, 60, BMF_REAL, BMF_REAL, false, RUN_UNARY(tangent)},
    [BMF_SCALAR_POWER] = {"power", 2, 80, BMF_REAL, BMF_REAL, false, RUN_BINARY(power)},
    [BMF_SCALAR_ANGLE] = {"angle", 2, 80, BMF_REAL, BMF_REAL, false, RUN_BINARY(angle)},
    [BMF_SCALAR_FLOOR] = {"floor", 1, 1, BMF_REAL, BMF_REAL, false, RUN_UNARY(floor)},
    [BMF_SCALAR_CEILING] = {"ceiling", 1, 1, BMF_REAL, BMF_REAL, false, RUN_UNARY(ceiling)},
    [BMF_SCALAR_ROUND] = {"round", 1, 1, BMF_REAL, BMF_REAL, false, RUN_UNARY(round)},
    [BMF_SCALAR_RANDOM] = {"random", 2, 40, BMF_INT, BMF_REAL, false, RUN_BINARY(random)},
    [BMF_SCALAR_EQUAL_REAL] = {"equal real", 2, 1, BMF_REAL, BMF_BOOL, false, RUN_BINARY(equal_real)},
    [BMF_SCALAR_LESS_REAL] = {"less real", 2, 1, BMF_REAL, BMF_BOOL, false, RUN_BINARY(less_real)},
    [BMF_SCALAR_AT_MOST_REAL] = {"at most real", 2, 1, BMF_REAL, BMF_BOOL, false, RUN_BINARY(at_most_real)},
    [BMF_SCALAR_EQUAL_BOOL] = {"equal bool", 2, 1, BMF_BOOL, BMF_BOOL, false, RUN_BINARY(equal_bool)},
    [BMF_SCALAR_AND] = {"and", 2, 1, BMF_BOOL, BMF_BOOL, false, RUN_BINARY(and)},
    [BMF_SCALAR_OR] = {"or", 2, 1, BMF_BOOL, BMF_BOOL, false, RUN_BINARY(or)},
    [BMF_SCALAR_NOT] = {"not", 1, 1, BMF_BOOL, BMF_BOOL, false, RUN_UNARY(not )},
    [BMF_SCALAR_INT_TO_REAL] = {"int to real", 1, 1, BMF_INT, BMF_REAL, false, RUN_UNARY(int_to_real)},
    [BMF_SCALAR_REAL_TO_INT] = {"real to int", 1, 2, BMF_REAL, BMF_INT, true, RUN_UNARY(real_to_int)},
    [BMF_SCALAR_BOOL_TO_INT] = {"bool to int", 1, 1, BMF_BOOL, BMF_INT, false, RUN_UNARY(bool_to_int)},
    [BMF_SCALAR_BOOL_TO_REAL] = {"bool to real", 1, 1, BMF_BOOL, BMF_REAL, false, RUN_UNARY(bool_to_real)},
    [BMF_SCALAR_MULTIPLY_ADD] = {"a * b + c", 3, 2, BMF_REAL, BMF_REAL, false, RUN_TERNARY(multiply_add)},
    [BMF_SCALAR_MULTIPLY_SUBTRACT] = {"a * b - c", 3, 2, BMF_REAL, BMF_REAL, false, RUN_TERNARY(multiply_subtract)},
    [BMF_SCALAR_SUBTRACT_PRODUCT] = {"c - a * b", 3, 2, BMF_REAL, BMF_REAL, false, RUN_TERNARY(subtract_product)},
    [BMF_SCALAR_ADD_ADD] = {"a + b + c", 3, 2, BMF_REAL, BMF_REAL, false, RUN_TERNARY(add_add)},
    [BMF_SCALAR_SUBTRACT_ADD] = {"a - b + c", 3, 2, BMF_REAL, BMF_REAL, false, RUN_TERNARY(subtract_add)},
    [BMF_SCALAR_ADD_MULTIPLY] = {"(a + b) * c", 3, 2, BMF_REAL, BMF_REAL, false, RUN_TERNARY(add_multiply)},
    [BMF_SCALAR_SUBTRACT_MULTIPLY] = {"(a - b) * c", 3, 2, BMF_REAL, BMF_REAL, false, RUN_TERNARY(subtract_multiply)},
    [BMF_SCALAR_MULTIPLY_MULTIPLY] = {"a * b * c", 3, 2, BMF_REAL, BMF_REAL, false, RUN_TERNARY(multiply_multiply)},
    [BMF_SCALAR_SELECT_WORD] = {"select", 3, 1, BMF_INT, BMF_INT, false, RUN_TERNARY(select_word)},
    [BMF_SCALAR_SELECT_BYTE] = {"select", 3, 1, BMF_BOOL, BMF_BOOL, false, RUN_TERNARY(select_byte)},
    [BMF_SCALAR_COPY_WORD] = {"copy", 1, 1, BMF_INT, BMF_INT, false, RUN_UNARY(copy_word)},
    [BMF_SCALAR_COPY_BYTE] = {"copy", 1, 1, BMF_BOOL, BMF_BOOL, false, RUN_UNARY(copy_byte)},
    [BMF_SCALAR_CHOICE] = {.name = "choice"},
    [BMF_SCALAR_LOOP] = {.name = "loop"},
};

bmf_failure_kind scalar_fails_at(bmf_scalar_opcode opcode, const void *a_, const void *b_)
{
    int64_t a, b;
    long long ignored;
    double real;
    memcpy(&a, a_, sizeof a);
    memcpy(&b, b_, sizeof b);
    memcpy(&real, a_, sizeof real);
    bool overflow = false;
    switch (opcode) {
    case BMF_SCALAR_ADD_INT:
        overflow = __builtin_add_overflow(a, b, &ignored);
        break;
    case BMF_SCALAR_SUBTRACT_INT:
        overflow = __builtin_sub_overflow(a, b, &ignored);
        break;
    case BMF_SCALAR_MULTIPLY_INT:
        overflow = __builtin_mul_overflow(a, b, &ignored);
        break;
    case BMF_SCALAR_NEGATE_INT:
    case BMF_SCALAR_ABSOLUTE_INT:
        overflow = a == INT64_MIN;
        break;
    case BMF_SCALAR_DIVIDE_INT:
        overflow = a == INT64_MIN && b == -1;
        return b == 0 ? BMF_FAILURE_DIVISION : overflow ? BMF_FAILURE_OVERFLOW : BMF_FAILURE_NONE;
    case BMF_SCALAR_SHIFT_LEFT:
    case BMF_SCALAR_SHIFT_RIGHT:
        return b < 0 || b > 63 ? BMF_FAILURE_SHIFT : BMF_FAILURE_NONE;
    case BMF_SCALAR_MODULO_INT:
        return b == 0 ? BMF_FAILURE_DIVISION : BMF_FAILURE_NONE;
    case BMF_SCALAR_REAL_TO_INT:
        return real >= -0x1p63 && real < 0x1p63 ? BMF_FAILURE_NONE : BMF_FAILURE_CONVERSION;
    default:
        break;
    }
    return overflow ? BMF_FAILURE_OVERFLOW : BMF_FAILURE_NONE;
}

/* ---- moving elements ---- */

/* Loops over words and bytes: T is uint64_t or uint8_t. memcpy, because the caller's elements have types of their
 * own. */
#define MOVES(T)                                                                                                       \
    BMF_VECTORISE static void gather_##T(int64_t count, const char *from, int64_t stride, T *to)                       \
    {                                                                                                                  \
        if (stride == 2 * (int64_t)sizeof(T)) /* every other one: the left or right operands of a fold */              \
            EACH_ELEMENT memcpy(to + i, from + 2 * i * (int64_t)sizeof(T), sizeof(T));                                 \
        else                                                                                                           \
            EACH_ELEMENT memcpy(to + i, from + i * stride, sizeof(T));                                                 \
    }                                                                                                                  \
    static void scatter_##T(int64_t count, const T *from, char *to, int64_t stride)                                    \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++)                                                                            \
            memcpy(to + i * stride, from + i, sizeof(T));                                                              \
    }                                                                                                                  \
    static void fill_##T(int64_t count, const T *value, char *to, int64_t stride)                                      \
    {                                                                                                                  \
        const T copy = *value;                                                                                         \
        for (int64_t i = 0; i < count; i++)                                                                            \
            memcpy(to + i * stride, &copy, sizeof(T));                                                                 \
    }                                                                                                                  \
    static void pick_##T(int64_t count, const T *from, const int32_t *index, T *to)                                    \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++)                                                                            \
            to[i] = from[index[i]];                                                                                    \
    }                                                                                                                  \
    static void put_##T(int64_t count, const T *from, bool uniform, const int32_t *index, const int32_t *place, T *to) \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++)                                                                            \
            to[place ? place[i] : i] = from[uniform ? 0 : index ? index[i] : i];                                       \
    }
MOVES(uint64_t)
MOVES(uint8_t)

void scalar_gather(int64_t size, int64_t count, const void *from, int64_t stride, void *to)
{
    if (stride == size)
        memcpy(to, from, (size_t)(count * size));
    else if (size == 8)
        gather_uint64_t(count, from, stride, to);
    else
        gather_uint8_t(count, from, stride, to);
}

void scalar_scatter(int64_t size, int64_t count, const void *from, void *to, int64_t stride)
{
    if (stride == size)
        memcpy(to, from, (size_t)(count * size));
    else if (size == 8)
        scatter_uint64_t(count, from, to, stride);
    else
        scatter_uint8_t(count, from, to, stride);
}

void scalar_fill(int64_t size, int64_t count, const void *value, void *to, int64_t stride)
{
    if (size == 8)
        fill_uint64_t(count, value, to, stride);
    else
        fill_uint8_t(count, value, to, stride);
}

void scalar_pick(int64_t size, int64_t count, const void *from, const int32_t *index, void *to)
{
    if (size == 8)
        pick_uint64_t(count, from, index, to);
    else
        pick_uint8_t(count, from, index, to);
}

void scalar_put(int64_t size, int64_t count, const void *from, bool uniform, const int32_t *index, const int32_t *place,
                void *to)
{
    if (size == 8)
        put_uint64_t(count, from, uniform, index, place, to);
    else
        put_uint8_t(count, from, uniform, index, place, to);
}

BMF_VECTORISE int64_t scalar_true(int64_t count, const uint8_t *mask)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += mask[i];
    return sum;
}

int64_t scalar_index(int64_t count, const uint8_t *mask, uint8_t which, int32_t *index)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        index[found] = (int32_t)i;
        found += mask[i] == which;
    }
    return found;
}

/* How many are alive and may not stay; step 0: holds is the same for all. */
BMF_VECTORISE static int64_t count_leaving(int64_t count, const uint8_t *holds, int64_t step, const uint8_t *alive)
{
    int64_t leaving = 0;
    if (step == 0)
        return scalar_true(count, alive);
    for (int64_t i = 0; i < count; i++)
        leaving += alive[i] & (holds[i] ^ 1);
    return leaving;
}

int64_t scalar_leave(int64_t count, const uint8_t *holds, int64_t step, uint8_t *alive, int32_t *index)
{
    const int64_t leaving = count_leaving(count, holds, step, alive);
    for (int64_t i = 0, found = 0; found < leaving; i++) {
        const uint8_t stays = alive[i] & holds[i * step];
        index[found] = (int32_t)i;
        found += alive[i] != stays;
        alive[i] = stays;
    }
    return leaving;
}
