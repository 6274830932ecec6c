/* The functions of the language for numbers. Integers are exact: overflow is an error, and so is a division with a
 * rest. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/lisp_private.h"

typedef const bmf_lisp_value value;

/* ---- arithmetic ---- */

static int number_of(bmf_lisp *lisp, value *v, double *real)
{
    char text[80];
    *real = 0;
    if (lisp_is(v, BMF_LISP_REAL))
        *real = v->real;
    else if (lisp_is(v, BMF_LISP_INTEGER))
        *real = (double)v->integer;
    else
        return lisp_fail(lisp, "a number is wanted, not %s", lisp_text(v, text, sizeof text));
    return BMF_OK;
}

static int overflow(const bmf_lisp *lisp)
{
    return lisp_fail(lisp, "a number does not fit into 64 bits");
}

static int divide(const bmf_lisp *lisp, int64_t a, int64_t b, int64_t *quotient)
{
    if (b == 0)
        return lisp_fail(lisp, "a division by zero");
    if (a == INT64_MIN && b == -1)
        return overflow(lisp);
    *quotient = a / b;
    return BMF_OK;
}

static int integer_step(const bmf_lisp *lisp, char sign, int64_t a, int64_t b, int64_t *result)
{
    if (sign == '/') {
        BMF_TRY(divide(lisp, a, b, result));
        return a % b == 0 ? BMF_OK : lisp_fail(lisp, "%" PRId64 " / %" PRId64 " has a rest", a, b);
    }
    const bool bad = sign == '+'   ? __builtin_add_overflow(a, b, result)
                     : sign == '-' ? __builtin_sub_overflow(a, b, result)
                                   : __builtin_mul_overflow(a, b, result);
    return bad ? overflow(lisp) : BMF_OK;
}

static int real_step(const bmf_lisp *lisp, char sign, double a, double b, double *result)
{
    if (sign == '/' && b >= 0 && b <= 0)
        return lisp_fail(lisp, "a division by zero");
    *result = sign == '+' ? a + b : sign == '-' ? a - b : sign == '*' ? a * b : a / b;
    return *result > -1e300 && *result < 1e300 ? BMF_OK : lisp_fail(lisp, "a number beyond 1e300");
}

static int arithmetic(bmf_lisp *lisp, char sign, int64_t count, value *const *argument, value **out)
{
    bool whole = true;
    const int64_t neutral = sign == '*' || sign == '/';
    double real = (double)neutral, next = 0;
    int64_t integer = neutral;
    for (int64_t k = 0; k < count; k++) {
        BMF_TRY(number_of(lisp, argument[k], &next));
        whole &= argument[k]->kind == BMF_LISP_INTEGER;
    }
    const bool from_first = count > 1 && (sign == '-' || sign == '/');
    for (int64_t k = 0; k < count; k++)
        if (whole && k == 0 && from_first)
            integer = argument[0]->integer;
        else if (whole)
            BMF_TRY(integer_step(lisp, sign, integer, argument[k]->integer, &integer));
        else {
            BMF_TRY(number_of(lisp, argument[k], &next));
            if (k == 0 && from_first)
                real = next;
            else
                BMF_TRY(real_step(lisp, sign, real, next, &real));
        }
    *out = whole ? lisp_integer(lisp, integer) : lisp_real(lisp, real);
    return BMF_OK;
}

BUILTIN(add)
{
    (void)host;
    return arithmetic(lisp, '+', count, argument, out);
}

BUILTIN(subtract)
{
    (void)host;
    return arithmetic(lisp, '-', count, argument, out);
}

BUILTIN(multiply)
{
    (void)host;
    return arithmetic(lisp, '*', count, argument, out);
}

BUILTIN(divide_exactly)
{
    (void)host;
    return arithmetic(lisp, '/', count, argument, out);
}

typedef int integer_pair(const bmf_lisp *lisp, int64_t a, int64_t b, int64_t *result);

static int of_integers(bmf_lisp *lisp, integer_pair *operation, value *const *argument, value **out)
{
    int64_t a = 0, b = 0, result = 0;
    BMF_TRY(lisp_take_integer(lisp, argument[0], "the first argument", &a));
    BMF_TRY(lisp_take_integer(lisp, argument[1], "the second argument", &b));
    BMF_TRY(operation(lisp, a, b, &result));
    *out = lisp_integer(lisp, result);
    return BMF_OK;
}

/* The sign of the dividend. */
static int remainder_of(const bmf_lisp *lisp, int64_t a, int64_t b, int64_t *result)
{
    if (b == -1) {
        *result = 0;
        return BMF_OK;
    }
    BMF_TRY(divide(lisp, a, b, result));
    *result = a % b;
    return BMF_OK;
}

/* The sign of the divisor. */
static int modulo(const bmf_lisp *lisp, int64_t a, int64_t b, int64_t *result)
{
    BMF_TRY(remainder_of(lisp, a, b, result));
    if (*result != 0 && (*result < 0) != (b < 0))
        *result += b;
    return BMF_OK;
}

static int shift(const bmf_lisp *lisp, int64_t a, int64_t by, int64_t *result)
{
    if (by < 0)
        *result = a >> (by < -63 ? 63 : -by);
    else if (a != 0 && (by > 62 || __builtin_mul_overflow(a, INT64_C(1) << by, result)))
        return overflow(lisp);
    else if (a == 0)
        *result = 0;
    return BMF_OK;
}

BUILTIN(quotient)
{
    (void)host, (void)count;
    return of_integers(lisp, divide, argument, out);
}

BUILTIN(rem)
{
    (void)host, (void)count;
    return of_integers(lisp, remainder_of, argument, out);
}

BUILTIN(mod)
{
    (void)host, (void)count;
    return of_integers(lisp, modulo, argument, out);
}

BUILTIN(ash)
{
    (void)host, (void)count;
    return of_integers(lisp, shift, argument, out);
}

static int bits(bmf_lisp *lisp, char operation, int64_t count, value *const *argument, value **out)
{
    int64_t result = operation == '&' ? -1 : 0, next = 0;
    for (int64_t k = 0; k < count; k++) {
        BMF_TRY(lisp_take_integer(lisp, argument[k], "an argument", &next));
        result = operation == '&' ? result & next : operation == '|' ? result | next : result ^ next;
    }
    *out = lisp_integer(lisp, result);
    return BMF_OK;
}

BUILTIN(logand)
{
    (void)host;
    return bits(lisp, '&', count, argument, out);
}

BUILTIN(logior)
{
    (void)host;
    return bits(lisp, '|', count, argument, out);
}

BUILTIN(logxor)
{
    (void)host;
    return bits(lisp, '^', count, argument, out);
}

BUILTIN(absolute)
{
    (void)host, (void)count;
    double real = 0;
    BMF_TRY(number_of(lisp, argument[0], &real));
    if (real >= 0)
        *out = argument[0];
    else
        return arithmetic(lisp, '-', 1, argument, out);
    return BMF_OK;
}

/* -1, 0 or 1 as a < b, a = b or a > b; integers are compared exactly. */
static int order_of(bmf_lisp *lisp, value *a, value *b, int *order)
{
    double x = 0, y = 0;
    BMF_TRY(number_of(lisp, a, &x));
    BMF_TRY(number_of(lisp, b, &y));
    const bool whole = a->kind == BMF_LISP_INTEGER && b->kind == BMF_LISP_INTEGER;
    *order = whole ? (a->integer > b->integer) - (a->integer < b->integer) : (x > y) - (x < y);
    return BMF_OK;
}

static int extreme(bmf_lisp *lisp, int sign, int64_t count, value *const *argument, value **out)
{
    int order = 0;
    BMF_TRY(order_of(lisp, argument[0], argument[0], &order));
    *out = argument[0];
    for (int64_t k = 1; k < count; k++) {
        BMF_TRY(order_of(lisp, argument[k], *out, &order));
        if (order == sign)
            *out = argument[k];
    }
    return BMF_OK;
}

BUILTIN(minimum)
{
    (void)host;
    return extreme(lisp, -1, count, argument, out);
}

BUILTIN(maximum)
{
    (void)host;
    return extreme(lisp, 1, count, argument, out);
}

/* ---- comparisons ---- */

static int compare(bmf_lisp *lisp, bool less, bool equal, bool greater, int64_t count, value *const *argument,
                   value **out)
{
    bool all = true;
    int order = 0;
    for (int64_t k = 1; k < count; k++) {
        BMF_TRY(order_of(lisp, argument[k - 1], argument[k], &order));
        all &= order < 0 ? less : order > 0 ? greater : equal;
    }
    *out = lisp_boolean(lisp, all);
    return BMF_OK;
}

BUILTIN(is_equal_number)
{
    (void)host;
    return compare(lisp, false, true, false, count, argument, out);
}

BUILTIN(is_other_number)
{
    (void)host;
    return compare(lisp, true, false, true, count, argument, out);
}

BUILTIN(is_less)
{
    (void)host;
    return compare(lisp, true, false, false, count, argument, out);
}

BUILTIN(is_at_most)
{
    (void)host;
    return compare(lisp, true, true, false, count, argument, out);
}

BUILTIN(is_greater)
{
    (void)host;
    return compare(lisp, false, false, true, count, argument, out);
}

BUILTIN(is_at_least)
{
    (void)host;
    return compare(lisp, false, true, true, count, argument, out);
}

BUILTIN(is_zero)
{
    (void)host, (void)count;
    double real = 0;
    BMF_TRY(number_of(lisp, argument[0], &real));
    *out = lisp_boolean(lisp, real >= 0 && real <= 0);
    return BMF_OK;
}

static int parity(bmf_lisp *lisp, int64_t odd, value *const *argument, value **out)
{
    int64_t number = 0;
    BMF_TRY(lisp_take_integer(lisp, argument[0], "the argument", &number));
    *out = lisp_boolean(lisp, (number & 1) == odd);
    return BMF_OK;
}

BUILTIN(is_even)
{
    (void)host, (void)count;
    return parity(lisp, 0, argument, out);
}

BUILTIN(is_odd)
{
    (void)host, (void)count;
    return parity(lisp, 1, argument, out);
}

void lisp_define_numbers(bmf_lisp *lisp)
{
    static const bmf_lisp_entry entry[] = {{"+", 0, BMF_LISP_ANY, add},
                                           {"-", 1, BMF_LISP_ANY, subtract},
                                           {"*", 0, BMF_LISP_ANY, multiply},
                                           {"/", 2, BMF_LISP_ANY, divide_exactly},
                                           {"quotient", 2, 2, quotient},
                                           {"mod", 2, 2, mod},
                                           {"rem", 2, 2, rem},
                                           {"ash", 2, 2, ash},
                                           {"abs", 1, 1, absolute},
                                           {"min", 1, BMF_LISP_ANY, minimum},
                                           {"max", 1, BMF_LISP_ANY, maximum},
                                           {"=", 1, BMF_LISP_ANY, is_equal_number},
                                           {"/=", 2, 2, is_other_number},
                                           {"<", 1, BMF_LISP_ANY, is_less},
                                           {"<=", 1, BMF_LISP_ANY, is_at_most},
                                           {">", 1, BMF_LISP_ANY, is_greater},
                                           {">=", 1, BMF_LISP_ANY, is_at_least},
                                           {"zerop", 1, 1, is_zero},
                                           {"evenp", 1, 1, is_even},
                                           {"oddp", 1, 1, is_odd},
                                           {"logxor", 0, BMF_LISP_ANY, logxor},
                                           {"logand", 0, BMF_LISP_ANY, logand},
                                           {"logior", 0, BMF_LISP_ANY, logior}};
    lisp_define_entries(lisp, sizeof entry / sizeof *entry, entry);
}
