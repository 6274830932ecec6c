/* The interpreter of scalar expressions; see reference_scalar.h. */
#include "ctest/reference/reference_scalar.h"

#include <math.h>
#include <string.h>

#include "bmf/random.h"

static double as_real(datum a)
{
    return a.kind == BMF_REAL ? a.real : (double)a.integer;
}

static bool fail_at(bmf_failure *failure, bmf_failure_kind kind, const bmf_expression *e, datum a, datum b)
{
    *failure = (bmf_failure){.kind = kind, .expression = e, .value = {a.integer, b.integer}, .real = a.real};
    return false;
}

static bool on_ints(const bmf_expression *e, datum a, datum b, datum *y, bmf_failure *failure)
{
    long long result = 0;
    bool overflow = false;
    switch (e->operation) {
    case BMF_OPERATION_PLUS:
        overflow = __builtin_add_overflow(a.integer, b.integer, &result);
        break;
    case BMF_OPERATION_MINUS:
        overflow = __builtin_sub_overflow(a.integer, b.integer, &result);
        break;
    case BMF_OPERATION_TIMES:
        overflow = __builtin_mul_overflow(a.integer, b.integer, &result);
        break;
    case BMF_OPERATION_BITAND:
        result = a.integer & b.integer;
        break;
    case BMF_OPERATION_BITOR:
        result = a.integer | b.integer;
        break;
    case BMF_OPERATION_BITXOR:
        result = a.integer ^ b.integer;
        break;
    case BMF_OPERATION_SHIFT_LEFT:
    case BMF_OPERATION_SHIFT_RIGHT:
        if (b.integer < 0 || b.integer > 63)
            return fail_at(failure, BMF_FAILURE_SHIFT, e, a, b);
        result = e->operation == BMF_OPERATION_SHIFT_LEFT ? (long long)((uint64_t)a.integer << b.integer)
                                                          : a.integer >> b.integer;
        break;
    case BMF_OPERATION_MAX:
        result = a.integer > b.integer ? a.integer : b.integer;
        break;
    case BMF_OPERATION_MIN:
        result = a.integer < b.integer ? a.integer : b.integer;
        break;
    default: /* divide, mod */
        if (b.integer == 0)
            return fail_at(failure, BMF_FAILURE_DIVISION, e, a, b);
        if (b.integer == -1)
            overflow = e->operation == BMF_OPERATION_DIVIDE && __builtin_sub_overflow(0, a.integer, &result);
        else
            result = e->operation == BMF_OPERATION_DIVIDE ? a.integer / b.integer : a.integer % b.integer;
    }
    *y = of_int(result);
    return !overflow || fail_at(failure, BMF_FAILURE_OVERFLOW, e, a, b);
}

/* Larger for MAX: -0.0 below 0.0, NaN above all. */
static double extreme(double a, double b, bool max)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == b)
        return (signbit(a) != 0) == max ? b : a;
    return (a > b) == max ? a : b;
}

static datum on_reals(bmf_operation operation, double a, double b)
{
    switch (operation) {
    case BMF_OPERATION_PLUS:
        return of_real(a + b);
    case BMF_OPERATION_MINUS:
        return of_real(a - b);
    case BMF_OPERATION_TIMES:
        return of_real(a * b);
    case BMF_OPERATION_DIVIDE:
        return of_real(a / b);
    case BMF_OPERATION_MOD:
        return of_real(fmod(a, b));
    case BMF_OPERATION_POW:
        return of_real(pow(a, b));
    case BMF_OPERATION_ATAN2:
        return of_real(atan2(a, b));
    default:
        return of_real(extreme(a, b, operation == BMF_OPERATION_MAX));
    }
}

static int order_of(datum a, datum b)
{
    if (a.kind != BMF_REAL && b.kind != BMF_REAL)
        return (a.integer > b.integer) - (a.integer < b.integer);
    const double x = as_real(a), y = as_real(b);
    return isnan(x) || isnan(y) ? 2 : (x > y) - (x < y);
}

static bool negate(const bmf_expression *e, datum a, datum *y, bmf_failure *failure)
{
    if (a.kind == BMF_REAL)
        *y = of_real(-a.real);
    else if (a.integer == INT64_MIN)
        return fail_at(failure, BMF_FAILURE_OVERFLOW, e, a, of_int(0));
    else
        *y = of_int(-a.integer);
    return true;
}

static bool to_int(const bmf_expression *e, datum a, datum *y, bmf_failure *failure)
{
    if (a.kind == BMF_REAL && !(a.real >= -9223372036854775808.0 && a.real < 9223372036854775808.0))
        return fail_at(failure, BMF_FAILURE_CONVERSION, e, a, of_int(0));
    *y = of_int(a.kind == BMF_REAL ? (int64_t)a.real : a.integer);
    return true;
}

static bool operate(const bmf_expression *e, datum a, datum b, datum *y, bmf_failure *failure)
{
    switch (e->operation) {
    case BMF_OPERATION_AND:
        *y = of_bool(a.integer && b.integer);
        return true;
    case BMF_OPERATION_OR:
        *y = of_bool(a.integer || b.integer);
        return true;
    case BMF_OPERATION_EQ:
        *y = of_bool(order_of(a, b) == 0);
        return true;
    case BMF_OPERATION_NE:
        *y = of_bool(order_of(a, b) != 0);
        return true;
    case BMF_OPERATION_NOT:
        *y = of_bool(!a.integer);
        return true;
    case BMF_OPERATION_RANDOM:
        *y = of_real(bmf_random(a.integer, b.integer));
        return true;
    case BMF_OPERATION_GT:
        *y = of_bool(order_of(a, b) == 1);
        return true;
    case BMF_OPERATION_LT:
        *y = of_bool(order_of(a, b) == -1);
        return true;
    case BMF_OPERATION_GE:
        *y = of_bool(order_of(a, b) == 0 || order_of(a, b) == 1);
        return true;
    case BMF_OPERATION_LE:
        *y = of_bool(order_of(a, b) == 0 || order_of(a, b) == -1);
        return true;
    case BMF_OPERATION_NEG:
        if (a.kind == BMF_BOOL) {
            *y = of_bool(!a.integer);
            return true;
        }
        return negate(e, a, y, failure);
    case BMF_OPERATION_UMINUS:
        return negate(e, a, y, failure);
    case BMF_OPERATION_ABS:
        if (a.kind == BMF_REAL ? signbit(a.real) : a.integer < 0)
            return negate(e, a, y, failure);
        *y = a;
        return true;
    case BMF_OPERATION_SQRT:
        *y = of_real(sqrt(as_real(a)));
        return true;
    case BMF_OPERATION_EXP:
        *y = of_real(exp(as_real(a)));
        return true;
    case BMF_OPERATION_LOG:
        *y = of_real(log(as_real(a)));
        return true;
    case BMF_OPERATION_SIN:
        *y = of_real(sin(as_real(a)));
        return true;
    case BMF_OPERATION_COS:
        *y = of_real(cos(as_real(a)));
        return true;
    case BMF_OPERATION_TAN:
        *y = of_real(tan(as_real(a)));
        return true;
    case BMF_OPERATION_FLOOR:
        *y = of_real(floor(as_real(a)));
        return true;
    case BMF_OPERATION_CEIL:
        *y = of_real(ceil(as_real(a)));
        return true;
    case BMF_OPERATION_ROUND:
        *y = of_real(nearbyint(as_real(a)));
        return true;
    case BMF_OPERATION_INT:
        return to_int(e, a, y, failure);
    case BMF_OPERATION_REAL:
        *y = of_real(as_real(a));
        return true;
    default:
        if (a.kind == BMF_INT && b.kind == BMF_INT && e->out->kind == BMF_INT)
            return on_ints(e, a, b, y, failure);
        *y = on_reals(e->operation, as_real(a), as_real(b));
        return true;
    }
}

bool reference_scalar(const bmf_expression *e, const element *x, element *y, bmf_failure *failure)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    element part;
    int first = 0;
    switch (e->kind) {
    case BMF_EXPRESSION_SCALAR:
        return reference_scalar(e->child[0], x, y, failure);
    case BMF_EXPRESSION_COMP:
        part = *x;
        for (int k = e->children - 1; k >= 0; k--) {
            if (!reference_scalar(e->child[k], &part, y, failure))
                return false;
            part = *y;
        }
        return true;
    case BMF_EXPRESSION_CON:
        *y = (element){e->out, 1, {{e->constant.kind, e->constant.integer, e->constant.real}}};
        return true;
    case BMF_EXPRESSION_ALLTUP:
        *y = (element){.type = e->out};
        for (int k = 0; k < e->children; k++) {
            if (!reference_scalar(e->child[k], x, &part, failure))
                return false;
            memcpy(y->leaf + y->leaves, part.leaf, (size_t)part.leaves * sizeof *part.leaf);
            y->leaves += part.leaves;
        }
        return true;
    case BMF_EXPRESSION_ADDR:
        for (int64_t k = 0; k < e->number[0] - 1; k++)
            first += bmf_type_leaves(x->type->component[k], leaf);
        part.type = e->out;
        part.leaves = bmf_type_leaves(e->out, leaf);
        memcpy(part.leaf, x->leaf + first, (size_t)part.leaves * sizeof *part.leaf);
        *y = part;
        return true;
    case BMF_EXPRESSION_OP:
        *y = (element){.type = e->out, .leaves = 1};
        return operate(e, x->leaf[0], x->leaf[x->leaves - 1], y->leaf, failure);
    case BMF_EXPRESSION_IF:
        return reference_scalar(e->child[0], x, &part, failure) &&
               reference_scalar(e->child[part.leaf[0].integer ? 1 : 2], x, y, failure);
    case BMF_EXPRESSION_WHILE:
        for (*y = *x;;) {
            if (!reference_scalar(e->child[0], y, &part, failure))
                return false;
            if (!part.leaf[0].integer)
                return true;
            if (!reference_scalar(e->child[1], y, &part, failure))
                return false;
            *y = part;
        }
    case BMF_EXPRESSION_CONVERT:
        *y = *x;
        y->type = e->out;
        bmf_type_leaves(e->out, leaf);
        for (int k = 0; k < y->leaves; k++)
            if (leaf[k]->kind == BMF_REAL)
                y->leaf[k] = of_real(as_real(x->leaf[k]));
        return true;
    default:
        *y = *x;
        return true;
    }
}
