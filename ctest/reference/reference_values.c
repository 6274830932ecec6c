/* Boxes of the naive evaluator, and its arithmetic: one bit, digit or case after the other. */
#include "ctest/reference/reference_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/random.h"
#include "runtime/base/allocate.h"

struct reference_block {
    struct reference_block *next;
    int64_t used;
    _Alignas(16) char bytes[];
};

enum { BLOCK_BYTES = 1 << 18 };

/* ---- boxes ---- */

void *naive_claim(reference_machine *m, int64_t size)
{
    size = (size + 15) / 16 * 16;
    if (!m->block || m->block->used + size > BLOCK_BYTES) {
        struct reference_block *block = allocate((int64_t)sizeof *block + (size > BLOCK_BYTES ? size : BLOCK_BYTES));
        block->next = m->block;
        block->used = 0;
        m->block = block;
    }
    m->block->used += size;
    return m->block->bytes + m->block->used - size;
}

void reference_free(reference_machine *m)
{
    while (m->block) {
        struct reference_block *next = m->block->next;
        free(m->block);
        m->block = next;
    }
}

value naive_fail(reference_machine *m, const char *why)
{
    m->failure = why;
    return NULL;
}

/* NULL when the budget is spent. */
reference_value *naive_box(reference_machine *m, bmf_type_kind kind, int64_t count)
{
    m->budget -= 1 + count;
    if (m->budget < 0)
        return NULL;
    reference_value *made = naive_claim(m, (int64_t)sizeof *made);
    *made = (reference_value){.kind = kind, .count = count};
    if (count > 0)
        made->item = naive_claim(m, count * (int64_t)sizeof *made->item);
    if (kind == BMF_DISTRIBUTED)
        made->processor = naive_claim(m, count * (int64_t)sizeof *made->processor);
    return made;
}

value naive_box_int(reference_machine *m, int64_t integer)
{
    reference_value *made = naive_box(m, BMF_INT, 0);
    if (made)
        made->integer = integer;
    return made;
}

value naive_box_bool(reference_machine *m, bool truth)
{
    reference_value *made = naive_box(m, BMF_BOOL, 0);
    if (made)
        made->integer = truth;
    return made;
}

value naive_box_real(reference_machine *m, double real)
{
    reference_value *made = naive_box(m, BMF_REAL, 0);
    if (made)
        made->real = real;
    return made;
}

value naive_box_pair(reference_machine *m, value a, value b)
{
    reference_value *made = naive_box(m, BMF_TUPLE, 2);
    if (!made)
        return NULL;
    made->item[0] = a;
    made->item[1] = b;
    return made;
}

/* A list of `count` items to be filled in, lying where those of `like` do. */
reference_value *naive_box_like(reference_machine *m, value like, int64_t count)
{
    reference_value *made = naive_box(m, like->kind, count);
    if (made && like->kind == BMF_DISTRIBUTED && count > 0)
        memcpy(made->processor, like->processor, (size_t)count * sizeof *made->processor);
    if (made) {
        made->dimensions = like->dimensions;
        memcpy(made->blocks, like->blocks, sizeof made->blocks);
    }
    return made;
}

/* Where item i of a list in a context on `place` is worked on. */
int64_t naive_place_of(value list, int64_t i, int64_t place)
{
    return list->kind == BMF_DISTRIBUTED ? list->processor[i] : place;
}

value naive_from_column(reference_machine *m, const bmf_column *column, int64_t i)
{
    const char *data = column->data ? (const char *)column->data + i * column->stride : NULL;
    if (column->type->kind == BMF_INT)
        return naive_box_int(m, *(const int64_t *)data);
    if (column->type->kind == BMF_REAL)
        return naive_box_real(m, *(const double *)data);
    if (column->type->kind == BMF_BOOL)
        return naive_box_bool(m, *data != 0);
    bool list = column->type->kind == BMF_LIST;
    int64_t begin = list ? column->offsets[i] : 0;
    int64_t count = list ? column->offsets[i + 1] - begin : column->type->components;
    reference_value *made = naive_box(m, column->type->kind, count);
    for (int64_t k = 0; k < count && made; k++) {
        made->item[k] =
            list ? naive_from_column(m, column->child, begin + k) : naive_from_column(m, &column->child[k], i);
        if (!made->item[k])
            return NULL;
    }
    return made;
}

/* ---- scalars ---- */

double naive_real_of(value x)
{
    return x->kind == BMF_REAL ? x->real : (double)x->integer;
}

/* One bit after the other. */
static value shift(reference_machine *m, bmf_operation operation, int64_t a, int64_t bits)
{
    if (bits < 0 || bits > 63)
        return naive_fail(m, "no number of bits");
    for (int64_t k = 0; k < bits; k++)
        if (operation == BMF_OPERATION_SHIFT_LEFT)
            a = (int64_t)((uint64_t)a * 2);
        else
            a = a / 2 - (a < 0 && a % 2 != 0);
    return naive_box_int(m, a);
}

value naive_int_arithmetic(reference_machine *m, bmf_operation operation, int64_t a, int64_t b)
{
    int64_t r = 0;
    bool overflow = false;
    if ((operation == BMF_OPERATION_DIVIDE || operation == BMF_OPERATION_MOD) && b == 0)
        return naive_fail(m, "division by zero");
    switch (operation) {
    case BMF_OPERATION_PLUS:
        overflow = __builtin_add_overflow(a, b, &r);
        break;
    case BMF_OPERATION_MINUS:
        overflow = __builtin_sub_overflow(a, b, &r);
        break;
    case BMF_OPERATION_TIMES:
        overflow = __builtin_mul_overflow(a, b, &r);
        break;
    case BMF_OPERATION_DIVIDE:
        overflow = a == INT64_MIN && b == -1;
        r = overflow ? 0 : a / b;
        break;
    case BMF_OPERATION_MOD:
        r = b == -1 ? 0 : a % b;
        break;
    case BMF_OPERATION_BITAND:
        r = a & b;
        break;
    case BMF_OPERATION_BITOR:
        r = a | b;
        break;
    case BMF_OPERATION_BITXOR:
        r = a ^ b;
        break;
    case BMF_OPERATION_SHIFT_LEFT:
    case BMF_OPERATION_SHIFT_RIGHT:
        return shift(m, operation, a, b);
    case BMF_OPERATION_MAX:
        r = a > b ? a : b;
        break;
    default:
        r = a < b ? a : b;
    }
    return overflow ? naive_fail(m, "overflow") : naive_box_int(m, r);
}

/* NaN if one of them is; -0.0 is less than 0.0. */
static double larger(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (double)NAN;
    if (a == b)
        return signbit(a) ? b : a;
    return a > b ? a : b;
}

value naive_real_arithmetic(reference_machine *m, bmf_operation operation, double a, double b)
{
    switch (operation) {
    case BMF_OPERATION_PLUS:
        return naive_box_real(m, a + b);
    case BMF_OPERATION_MINUS:
        return naive_box_real(m, a - b);
    case BMF_OPERATION_TIMES:
        return naive_box_real(m, a * b);
    case BMF_OPERATION_DIVIDE:
        return naive_box_real(m, a / b);
    case BMF_OPERATION_MOD:
        return naive_box_real(m, fmod(a, b));
    case BMF_OPERATION_POW:
        return naive_box_real(m, pow(a, b));
    case BMF_OPERATION_ATAN2:
        return naive_box_real(m, atan2(a, b));
    case BMF_OPERATION_MAX:
        return naive_box_real(m, larger(a, b));
    default:
        return naive_box_real(m, -larger(-a, -b));
    }
}

value naive_compare(reference_machine *m, bmf_operation operation, value a, value b)
{
    bool real = a->kind == BMF_REAL || b->kind == BMF_REAL;
    double x = naive_real_of(a), y = naive_real_of(b);
    bool less = real ? x < y : a->integer < b->integer;
    bool equal = real ? x == y : a->integer == b->integer;
    bool greater = real ? x > y : a->integer > b->integer;
    switch (operation) {
    case BMF_OPERATION_EQ:
        return naive_box_bool(m, equal);
    case BMF_OPERATION_NE:
        return naive_box_bool(m, !equal);
    case BMF_OPERATION_LT:
        return naive_box_bool(m, less);
    case BMF_OPERATION_GT:
        return naive_box_bool(m, greater);
    case BMF_OPERATION_LE:
        return naive_box_bool(m, less || equal);
    default:
        return naive_box_bool(m, greater || equal);
    }
}

static value to_int(reference_machine *m, value x)
{
    if (x->kind != BMF_REAL)
        return naive_box_int(m, x->integer);
    double whole = trunc(x->real);
    return whole >= -0x1p63 && whole < 0x1p63 ? naive_box_int(m, (int64_t)whole) : naive_fail(m, "no int64");
}

value naive_unary(reference_machine *m, bmf_operation operation, value x)
{
    switch (operation) {
    case BMF_OPERATION_NEG:
        if (x->kind == BMF_BOOL)
            return naive_box_bool(m, x->integer == 0);
        /* fall through */
    case BMF_OPERATION_UMINUS:
        return x->kind == BMF_REAL ? naive_box_real(m, -x->real)
                                   : naive_int_arithmetic(m, BMF_OPERATION_MINUS, 0, x->integer);
    case BMF_OPERATION_ABS:
        if (x->kind == BMF_REAL)
            return naive_box_real(m, fabs(x->real));
        return x->integer < 0 ? naive_int_arithmetic(m, BMF_OPERATION_MINUS, 0, x->integer) : x;
    case BMF_OPERATION_SQRT:
        return naive_box_real(m, sqrt(naive_real_of(x)));
    case BMF_OPERATION_EXP:
        return naive_box_real(m, exp(naive_real_of(x)));
    case BMF_OPERATION_LOG:
        return naive_box_real(m, log(naive_real_of(x)));
    case BMF_OPERATION_SIN:
        return naive_box_real(m, sin(naive_real_of(x)));
    case BMF_OPERATION_COS:
        return naive_box_real(m, cos(naive_real_of(x)));
    case BMF_OPERATION_TAN:
        return naive_box_real(m, tan(naive_real_of(x)));
    case BMF_OPERATION_FLOOR:
        return naive_box_real(m, floor(naive_real_of(x)));
    case BMF_OPERATION_CEIL:
        return naive_box_real(m, ceil(naive_real_of(x)));
    case BMF_OPERATION_ROUND:
        return naive_box_real(m, nearbyint(naive_real_of(x)));
    case BMF_OPERATION_NOT:
        return naive_box_bool(m, x->integer == 0);
    case BMF_OPERATION_INT:
        return to_int(m, x);
    default:
        return naive_box_real(m, naive_real_of(x));
    }
}
