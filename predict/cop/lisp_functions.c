/* The functions of the language that know nothing of meshes: numbers and lists. Integers are exact: overflow is an
 * error, and so is a division with a rest. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/lisp_private.h"

typedef const bmf_lisp_value value;

/* The parameters of a builtin. */
#define BUILTIN(name) static int name(bmf_lisp *lisp, void *host, int64_t count, value *const *argument, value **out)

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

BUILTIN(negation)
{
    (void)host, (void)count;
    *out = lisp_boolean(lisp, !argument[0]);
    return BMF_OK;
}

BUILTIN(equal)
{
    (void)host, (void)count;
    *out = lisp_boolean(lisp, lisp_equal(argument[0], argument[1]));
    return BMF_OK;
}

/* ---- lists ---- */

static int need_list(const bmf_lisp *lisp, value *list)
{
    char text[80];
    if (!list || list->kind == BMF_LISP_CONS)
        return BMF_OK;
    return lisp_fail(lisp, "a list is wanted, not %s", lisp_text(list, text, sizeof text));
}

BUILTIN(cons)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[1]));
    return lisp_cons(lisp, argument[0], argument[1], out);
}

BUILTIN(car)
{
    (void)host, (void)count;
    *out = lisp_first(argument[0]);
    return need_list(lisp, argument[0]);
}

BUILTIN(cdr)
{
    (void)host, (void)count;
    *out = lisp_rest(argument[0]);
    return need_list(lisp, argument[0]);
}

BUILTIN(cadr)
{
    (void)host, (void)count;
    *out = lisp_first(lisp_rest(argument[0]));
    return need_list(lisp, argument[0]);
}

BUILTIN(list)
{
    (void)host;
    return lisp_list(lisp, count, argument, out);
}

BUILTIN(append)
{
    (void)host;
    int64_t length = 0, n = 0;
    for (int64_t k = 0; k < count; k++) {
        BMF_TRY(need_list(lisp, argument[k]));
        length += lisp_length(argument[k]);
    }
    value **element = lisp_allocate(lisp, (length + 1) * (int64_t)sizeof(value *));
    for (int64_t k = 0; k < count; k++)
        for (value *rest = argument[k]; rest; rest = lisp_rest(rest))
            element[n++] = rest->cons.first;
    return lisp_list(lisp, length, element, out);
}

BUILTIN(reverse)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[0]));
    *out = NULL;
    for (value *rest = argument[0]; rest; rest = lisp_rest(rest))
        BMF_TRY(lisp_cons(lisp, rest->cons.first, *out, out));
    return BMF_OK;
}

BUILTIN(length)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[0]));
    *out = lisp_integer(lisp, lisp_length(argument[0]));
    return BMF_OK;
}

static int nth_rest(bmf_lisp *lisp, value *const *argument, value **out)
{
    int64_t n = 0;
    BMF_TRY(lisp_take_integer(lisp, argument[0], "the place", &n));
    BMF_TRY(need_list(lisp, argument[1]));
    if (n < 0)
        return lisp_fail(lisp, "there is no place %" PRId64, n);
    for (*out = argument[1]; n > 0 && *out; n--)
        *out = lisp_rest(*out);
    return BMF_OK;
}

BUILTIN(nth)
{
    (void)host, (void)count;
    BMF_TRY(nth_rest(lisp, argument, out));
    *out = lisp_first(*out);
    return BMF_OK;
}

BUILTIN(nthcdr)
{
    (void)host, (void)count;
    return nth_rest(lisp, argument, out);
}

BUILTIN(member)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[1]));
    for (*out = argument[1]; *out && !lisp_equal((*out)->cons.first, argument[0]); *out = lisp_rest(*out))
        ;
    return BMF_OK;
}

BUILTIN(assoc)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[1]));
    *out = NULL;
    for (value *rest = argument[1]; rest && !*out; rest = lisp_rest(rest))
        if (lisp_is(rest->cons.first, BMF_LISP_CONS) && lisp_equal(lisp_first(rest->cons.first), argument[0]))
            *out = rest->cons.first;
    return BMF_OK;
}

/* The shortest list decides how often the function is called. */
static int map_lists(bmf_lisp *lisp, bool splice, int64_t count, value *const *argument, value **out)
{
    int64_t shortest = INT64_MAX;
    const int64_t size = (int64_t)sizeof(value *);
    value **rest = lisp_allocate(lisp, count * size), **call = lisp_allocate(lisp, count * size);
    for (int64_t k = 1; k < count; k++) {
        BMF_TRY(need_list(lisp, argument[k]));
        rest[k] = argument[k];
        shortest = lisp_length(argument[k]) < shortest ? lisp_length(argument[k]) : shortest;
    }
    value **result = lisp_allocate(lisp, (shortest + 1) * size);
    for (int64_t n = 0; n < shortest; n++) {
        for (int64_t k = 1; k < count; k++) {
            call[k - 1] = rest[k]->cons.first;
            rest[k] = rest[k]->cons.rest;
        }
        BMF_TRY(lisp_apply(lisp, argument[0], count - 1, call, &result[n]));
    }
    return splice ? append(lisp, NULL, shortest, result, out) : lisp_list(lisp, shortest, result, out);
}

BUILTIN(map)
{
    (void)host;
    return map_lists(lisp, false, count, argument, out);
}

BUILTIN(mapcan)
{
    (void)host;
    return map_lists(lisp, true, count, argument, out);
}

BUILTIN(filter)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[1]));
    const int64_t length_of = lisp_length(argument[1]);
    value **kept = lisp_allocate(lisp, (length_of + 1) * (int64_t)sizeof(value *)), *keep;
    int64_t n = 0;
    for (value *rest = argument[1]; rest; rest = lisp_rest(rest)) {
        BMF_TRY(lisp_apply(lisp, argument[0], 1, &rest->cons.first, &keep));
        if (keep)
            kept[n++] = rest->cons.first;
    }
    return lisp_list(lisp, n, kept, out);
}

BUILTIN(reduce)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[1]));
    *out = lisp_first(argument[1]);
    for (value *rest = lisp_rest(argument[1]); rest; rest = lisp_rest(rest)) {
        value *const pair[2] = {*out, rest->cons.first};
        BMF_TRY(lisp_apply(lisp, argument[0], 2, pair, out));
    }
    return BMF_OK;
}

BUILTIN(apply)
{
    (void)host, (void)count;
    BMF_TRY(need_list(lisp, argument[1]));
    const int64_t n = lisp_length(argument[1]);
    value **element = lisp_allocate(lisp, (n + 1) * (int64_t)sizeof(value *)), *rest = argument[1];
    for (int64_t k = 0; k < n; k++, rest = rest->cons.rest)
        element[k] = rest->cons.first;
    return lisp_apply(lisp, argument[0], n, element, out);
}

BUILTIN(is_list)
{
    (void)host, (void)count;
    *out = lisp_boolean(lisp, !argument[0] || argument[0]->kind == BMF_LISP_CONS);
    return BMF_OK;
}

BUILTIN(print)
{
    char text[2000];
    (void)lisp, (void)host, (void)count;
    fprintf(stderr, "%s\n", lisp_text(argument[0], text, sizeof text));
    *out = argument[0];
    return BMF_OK;
}

void lisp_define_functions(bmf_lisp *lisp)
{
    static const struct {
        const char *name;
        int min, max;
        bmf_lisp_builtin *builtin;
    } function[] = {{"+", 0, BMF_LISP_ANY, add},
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
                    {"logior", 0, BMF_LISP_ANY, logior},
                    {"not", 1, 1, negation},
                    {"null", 1, 1, negation},
                    {"eq", 2, 2, equal},
                    {"equal", 2, 2, equal},
                    {"cons", 2, 2, cons},
                    {"car", 1, 1, car},
                    {"cdr", 1, 1, cdr},
                    {"cadr", 1, 1, cadr},
                    {"list", 0, BMF_LISP_ANY, list},
                    {"append", 0, BMF_LISP_ANY, append},
                    {"reverse", 1, 1, reverse},
                    {"length", 1, 1, length},
                    {"nth", 2, 2, nth},
                    {"nthcdr", 2, 2, nthcdr},
                    {"member", 2, 2, member},
                    {"assoc", 2, 2, assoc},
                    {"map", 2, BMF_LISP_ANY, map},
                    {"mapcar", 2, BMF_LISP_ANY, map},
                    {"mapcan", 2, BMF_LISP_ANY, mapcan},
                    {"filter", 2, 2, filter},
                    {"fold", 2, 2, reduce},
                    {"apply", 2, 2, apply},
                    {"list?", 1, 1, is_list},
                    {"print", 1, 1, print}};
    for (size_t k = 0; k < sizeof function / sizeof *function; k++)
        lisp_define_builtin(lisp, function[k].name, function[k].min, function[k].max, function[k].builtin);
}
