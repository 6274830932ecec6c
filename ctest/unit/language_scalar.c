/* Compiled scalar expressions against an interpreter that takes one element at a time.
 *
 * Method: random well-typed expressions over random elements, with the extremes of ints and reals among them; every
 * stride, results in columns of their own, over the inputs, and where the code leaves them; counts around the sizes of
 * blocks. Results must agree to the last bit (any NaN is as good as another), failures in element, kind, operands and
 * place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/reference/reference_scalar.h"
#include "ctest/support/testing.h"
#include "skeletons/language/scalar/scalar.h"

/* ---- random expressions ---- */

typedef struct maker {
    bmf_expressions *arena;
    uint64_t random;
    int budget; /* nodes still to be made */
    int loops;  /* loops around */
} maker;

static const bmf_type *const scalars[] = {&bmf_type_int, &bmf_type_real, &bmf_type_bool};

static int64_t below(maker *m, int64_t bound)
{
    return test_below(&m->random, bound);
}

static bmf_expression *node(maker *m, bmf_expression_kind kind, const bmf_type *in, const bmf_type *out, int children)
{
    bmf_expression *e = expression_create(m->arena, kind, (bmf_span){.text = -1}, children);
    e->in = in;
    e->out = out;
    m->budget--;
    return e;
}

static bmf_expression *node_of(maker *m, bmf_expression_kind kind, const bmf_type *in, const bmf_type *out,
                               bmf_expression *a, bmf_expression *b, bmf_expression *c)
{
    bmf_expression *child[3] = {a, b, c};
    bmf_expression *e = node(m, kind, in, out, c ? 3 : b ? 2 : a ? 1 : 0);
    for (int k = 0; k < e->children; k++)
        e->child[k] = child[k];
    return e;
}

static bmf_expression *compose(maker *m, bmf_expression *f, bmf_expression *g)
{
    return node_of(m, BMF_EXPRESSION_COMP, g->in, f->out, f, g, NULL);
}

static bmf_expression *tuple_of(maker *m, const bmf_type *in, bmf_expression *a, bmf_expression *b)
{
    return node_of(m, BMF_EXPRESSION_ALLTUP, in, bmf_type_pair(a->out, b->out), a, b, NULL);
}

static bmf_expression *operator_of(maker *m, bmf_operation operation, const bmf_type *in, const bmf_type *out)
{
    bmf_expression *e = node(m, BMF_EXPRESSION_OP, in, out, 0);
    e->operation = operation;
    return e;
}

static int64_t some_int(uint64_t *random, bool wild)
{
    static const int64_t special[] = {0,
                                      1,
                                      -1,
                                      2,
                                      INT64_MAX,
                                      INT64_MIN,
                                      INT64_MIN + 1,
                                      (int64_t)1 << 31,
                                      (int64_t)1 << 32,
                                      ((int64_t)1 << 52) - 1,
                                      (int64_t)1 << 52,
                                      ((int64_t)1 << 53) + 1,
                                      3037000500,
                                      -3037000500};
    if (!wild)
        return test_below(random, 19) - 9;
    switch (test_below(random, 4)) {
    case 0:
        return special[test_below(random, (int64_t)(sizeof special / sizeof *special))];
    case 1:
        return (int64_t)random_bits(random);
    case 2:
        return (int64_t)random_bits(random) >> 33;
    default:
        return test_below(random, 2001) - 1000;
    }
}

static double some_real(uint64_t *random, bool wild)
{
    static const double special[] = {0.0,
                                     -0.0,
                                     1.0,
                                     -1.0,
                                     INFINITY,
                                     -INFINITY,
                                     NAN,
                                     DBL_MAX,
                                     DBL_MIN,
                                     0x1p-1074,
                                     0x1p63,
                                     -0x1p63,
                                     0x1.fffffffffffffp62,
                                     0.1,
                                     4503599627370497.5};
    if (wild && test_below(random, 3) == 0)
        return special[test_below(random, (int64_t)(sizeof special / sizeof *special))];
    return (random_unit(random) - 0.5) * (wild ? 1e6 : 8.0);
}

static bmf_expression *some_constant(maker *m, const bmf_type *in, const bmf_type *out)
{
    bmf_expression *e = node(m, BMF_EXPRESSION_CON, in, out, 0);
    e->constant.kind = out->kind;
    if (out->kind == BMF_INT)
        e->constant.integer = some_int(&m->random, below(m, 8) == 0);
    else if (out->kind == BMF_REAL)
        e->constant.real = some_real(&m->random, below(m, 8) == 0);
    else
        e->constant.integer = below(m, 2);
    return e;
}

/* A way to a component of the wanted type, or NULL. */
static bmf_expression *some_component(maker *m, const bmf_type *in, const bmf_type *out)
{
    if (in == out)
        return node(m, BMF_EXPRESSION_ID, in, out, 0);
    const int start = in->components > 0 ? (int)below(m, in->components) : 0;
    for (int k = 0; k < in->components; k++) {
        const int which = (start + k) % in->components;
        bmf_expression *rest = some_component(m, in->component[which], out);
        if (!rest)
            continue;
        bmf_expression *e = node(m, BMF_EXPRESSION_ADDR, in, in->component[which], 0);
        e->number[0] = which + 1;
        e->number[1] = in->components;
        return compose(m, rest, e);
    }
    return NULL;
}

static const bmf_type *some_type(maker *m, int depth)
{
    const bmf_type *component[3];
    if (depth == 0 || below(m, 2) == 0)
        return scalars[below(m, 3)];
    const int components = (int)below(m, 3) + 1;
    for (int k = 0; k < components; k++)
        component[k] = some_type(m, depth - 1);
    return bmf_type_tuple(components, component);
}

static bmf_expression *some(maker *m, const bmf_type *in, const bmf_type *out);

static bmf_expression *binary(maker *m, bmf_operation operation, const bmf_type *in, const bmf_type *a,
                              const bmf_type *b, const bmf_type *out)
{
    bmf_expression *first = some(m, in, a);
    bmf_expression *pair = tuple_of(m, in, first, below(m, 6) == 0 && a == b ? first : some(m, in, b));
    return compose(m, operator_of(m, operation, pair->out, out), pair);
}

static bmf_expression *unary(maker *m, bmf_operation operation, const bmf_type *in, const bmf_type *a,
                             const bmf_type *out)
{
    return compose(m, operator_of(m, operation, a, out), some(m, in, a));
}

static bmf_expression *some_comparison(maker *m, const bmf_type *in)
{
    const bmf_type *number[] = {&bmf_type_int, &bmf_type_real};
    const bmf_operation comparison[] = {BMF_OPERATION_EQ, BMF_OPERATION_GT, BMF_OPERATION_LT,
                                        BMF_OPERATION_GE, BMF_OPERATION_LE, BMF_OPERATION_NE};
    switch (below(m, 5)) {
    case 0:
        return binary(m, below(m, 2) ? BMF_OPERATION_AND : BMF_OPERATION_OR, in, &bmf_type_bool, &bmf_type_bool,
                      &bmf_type_bool);
    case 1:
        return unary(m, below(m, 2) ? BMF_OPERATION_NEG : BMF_OPERATION_NOT, in, &bmf_type_bool, &bmf_type_bool);
    case 2:
        return binary(m, below(m, 2) ? BMF_OPERATION_EQ : BMF_OPERATION_NE, in, &bmf_type_bool, &bmf_type_bool,
                      &bmf_type_bool);
    default:
        return binary(m, comparison[below(m, 6)], in, number[below(m, 2)], number[below(m, 2)], &bmf_type_bool);
    }
}

static bmf_expression *some_arithmetic(maker *m, const bmf_type *in, const bmf_type *out)
{
    const bmf_operation two[] = {BMF_OPERATION_PLUS,   BMF_OPERATION_MINUS, BMF_OPERATION_TIMES, BMF_OPERATION_PLUS,
                                 BMF_OPERATION_MINUS,  BMF_OPERATION_TIMES, BMF_OPERATION_MAX,   BMF_OPERATION_MIN,
                                 BMF_OPERATION_DIVIDE, BMF_OPERATION_MOD};
    const bmf_operation one[] = {BMF_OPERATION_UMINUS, BMF_OPERATION_NEG, BMF_OPERATION_ABS};
    const bmf_operation function[] = {BMF_OPERATION_SQRT, BMF_OPERATION_EXP,  BMF_OPERATION_LOG, BMF_OPERATION_SIN,
                                      BMF_OPERATION_COS,  BMF_OPERATION_REAL, BMF_OPERATION_TAN, BMF_OPERATION_FLOOR,
                                      BMF_OPERATION_CEIL, BMF_OPERATION_ROUND};
    const bmf_operation bits[] = {BMF_OPERATION_BITAND, BMF_OPERATION_BITOR, BMF_OPERATION_BITXOR,
                                  BMF_OPERATION_SHIFT_LEFT, BMF_OPERATION_SHIFT_RIGHT};
    const int64_t kind = below(m, 11);
    if (kind == 0)
        return unary(m, one[below(m, 3)], in, out, out);
    if (kind == 1 && out->kind == BMF_REAL)
        return unary(m, function[below(m, 10)], in, below(m, 3) ? &bmf_type_real : &bmf_type_int, out);
    if (kind == 1)
        return unary(m, BMF_OPERATION_INT, in, scalars[below(m, 3)], out);
    if (kind == 3 && out->kind == BMF_INT)
        return binary(m, bits[below(m, 5)], in, out, out, out);
    if (kind == 3 && below(m, 3) == 0)
        return binary(m, BMF_OPERATION_RANDOM, in, &bmf_type_int, &bmf_type_int, out);
    if (kind == 3)
        return binary(m, below(m, 2) ? BMF_OPERATION_POW : BMF_OPERATION_ATAN2, in, out, out, out);
    if (kind == 2 && out->kind == BMF_REAL) {
        bmf_expression *converted = node(m, BMF_EXPRESSION_CONVERT, &bmf_type_int, &bmf_type_real, 0);
        return compose(m, converted, some(m, in, &bmf_type_int));
    }
    const bmf_type *mixed = out->kind == BMF_REAL && below(m, 4) == 0 ? &bmf_type_int : out;
    return below(m, 2) ? binary(m, two[below(m, 10)], in, out, mixed, out)
                       : binary(m, two[below(m, 10)], in, mixed, out, out);
}

/* addr 2 o while (count < limit and p) [count + 1, f] o [start, init]. */
static bmf_expression *some_loop(maker *m, const bmf_type *in, const bmf_type *out)
{
    const bmf_type *state = bmf_type_pair(&bmf_type_int, out);
    bmf_expression *first = node(m, BMF_EXPRESSION_ADDR, state, &bmf_type_int, 0);
    bmf_expression *second = node(m, BMF_EXPRESSION_ADDR, state, out, 0);
    bmf_expression *limit = some_constant(m, state, &bmf_type_int), *step = some_constant(m, state, &bmf_type_int);
    bmf_expression *three = some_constant(m, in, &bmf_type_int);
    first->number[0] = 1;
    second->number[0] = 2;
    first->number[1] = second->number[1] = 2;
    limit->constant.integer = below(m, 4);
    step->constant.integer = 1;
    three->constant.integer = 3;
    m->loops++;
    bmf_expression *pair = tuple_of(m, state, first, limit);
    bmf_expression *less = compose(m, operator_of(m, BMF_OPERATION_LT, pair->out, &bmf_type_bool), pair);
    if (below(m, 2)) {
        pair = tuple_of(m, state, less, some(m, state, &bmf_type_bool));
        less = compose(m, operator_of(m, BMF_OPERATION_AND, pair->out, &bmf_type_bool), pair);
    }
    pair = tuple_of(m, state, first, step);
    bmf_expression *count = compose(m, operator_of(m, BMF_OPERATION_PLUS, pair->out, &bmf_type_int), pair);
    bmf_expression *body = tuple_of(m, state, count, some(m, state, out));
    m->loops--;
    pair = tuple_of(m, in, some(m, in, &bmf_type_int), three);
    bmf_expression *start = compose(m, operator_of(m, BMF_OPERATION_MOD, pair->out, &bmf_type_int), pair);
    bmf_expression *initial = tuple_of(m, in, start, some(m, in, out));
    return compose(m, second, compose(m, node_of(m, BMF_EXPRESSION_WHILE, state, state, less, body, NULL), initial));
}

static bmf_expression *some_scalar(maker *m, const bmf_type *in, const bmf_type *out)
{
    return out->kind == BMF_BOOL ? some_comparison(m, in) : some_arithmetic(m, in, out);
}

static bmf_expression *some(maker *m, const bmf_type *in, const bmf_type *out)
{
    bmf_expression *e = NULL;
    const int64_t choice = below(m, 20);
    if (m->budget > 0 && choice == 0 && m->loops < 2)
        return some_loop(m, in, out);
    if (m->budget > 0 && choice <= 2) {
        bmf_expression *test = some(m, in, &bmf_type_bool), *yes = some(m, in, out);
        return node_of(m, BMF_EXPRESSION_IF, in, out, test, yes, some(m, in, out));
    }
    if (m->budget > 0 && choice == 3) {
        bmf_expression *inner = some(m, in, some_type(m, 2));
        return compose(m, some(m, inner->out, out), inner);
    }
    if (choice < 8 || (m->budget <= 0 && choice < 16))
        e = some_component(m, in, out);
    if (!e && out->kind == BMF_TUPLE) {
        e = node(m, BMF_EXPRESSION_ALLTUP, in, out, out->components);
        for (int k = 0; k < out->components; k++)
            e->child[k] = some(m, in, out->component[k]);
    }
    if (!e)
        e = m->budget > 0 && choice < 19 ? some_scalar(m, in, out) : some_constant(m, in, out);
    return e;
}

/* ---- blocks ---- */

/* BMF_TEST_EXPRESSIONS asks for more. */
enum { TEST_EXPRESSIONS = 60 };

/* A column of a test: elements `stride` bytes apart, in memory of exactly the size they need. */
typedef struct column {
    bmf_type_kind kind;
    bmf_slice slice;
    char *memory;
} column;

static int64_t size_of(bmf_type_kind kind)
{
    return kind == BMF_BOOL ? 1 : 8;
}

static void make_column(column *c, bmf_type_kind kind, int64_t stride, int64_t count)
{
    const int64_t bytes = count == 0 ? 0 : (count - 1) * stride + size_of(kind);
    c->kind = kind;
    c->memory = malloc((size_t)bytes + 1);
    memset(c->memory, 1, (size_t)bytes + 1);
    c->slice = (bmf_slice){c->memory, stride};
}

static void put(const bmf_slice *slice, int64_t i, datum value)
{
    char *at = (char *)slice->data + i * slice->stride;
    if (value.kind == BMF_INT)
        memcpy(at, &value.integer, 8);
    else if (value.kind == BMF_REAL)
        memcpy(at, &value.real, 8);
    else
        *at = (char)value.integer;
}

static datum get(const bmf_slice *slice, bmf_type_kind kind, int64_t i)
{
    const char *at = (const char *)slice->data + i * slice->stride;
    datum value = {.kind = kind};
    if (kind == BMF_INT)
        memcpy(&value.integer, at, 8);
    else if (kind == BMF_REAL)
        memcpy(&value.real, at, 8);
    else
        value.integer = *at;
    return value;
}

static bool same(datum a, datum b)
{
    if (a.kind != b.kind)
        return false;
    if (a.kind != BMF_REAL)
        return a.integer == b.integer;
    return (isnan(a.real) && isnan(b.real)) || memcmp(&a.real, &b.real, sizeof a.real) == 0;
}

typedef struct trial {
    bmf_expression *expression;
    int inputs, outputs;
    int64_t count;
    column in[BMF_MAX_LEAVES], out[BMF_MAX_LEAVES];
    element *expected;
    int64_t good; /* elements before the first failure */
    bmf_failure failure;
} trial;

static void fill_inputs(trial *t, uint64_t *random, bool wild)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    t->inputs = bmf_type_leaves(t->expression->in, leaf);
    for (int k = 0; k < t->inputs; k++) {
        const int64_t size = leaf[k]->size, choice = test_below(random, 6);
        make_column(&t->in[k], leaf[k]->kind, choice == 0 ? 0 : choice == 1 ? 2 * size : size, t->count);
        for (int64_t i = 0; i < t->count; i++) {
            datum value = of_bool(test_below(random, 2));
            if (leaf[k]->kind == BMF_INT)
                value = of_int(some_int(random, wild));
            else if (leaf[k]->kind == BMF_REAL)
                value = of_real(some_real(random, wild));
            put(&t->in[k].slice, i, value);
        }
    }
}

static void interpret_all(trial *t)
{
    t->expected = calloc((size_t)t->count + 1, sizeof *t->expected);
    for (t->good = 0; t->good < t->count; t->good++) {
        element x = {.type = t->expression->in, .leaves = t->inputs};
        for (int k = 0; k < t->inputs; k++)
            x.leaf[k] = get(&t->in[k].slice, t->in[k].kind, t->good);
        if (!reference_scalar(t->expression, &x, &t->expected[t->good], &t->failure))
            break;
    }
    t->failure.element = t->good;
}

/* Places for the results: none, columns, columns with gaps, over an input of the same kind. */
static void make_outputs(trial *t, uint64_t *random, bmf_slice *out)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bool taken[BMF_MAX_LEAVES] = {false};
    t->outputs = bmf_type_leaves(t->expression->out, leaf);
    for (int k = 0; k < t->outputs; k++) {
        const int64_t choice = test_below(random, 6);
        make_column(&t->out[k], leaf[k]->kind, choice == 1 ? 2 * leaf[k]->size : leaf[k]->size, t->count);
        out[k] = choice == 0 ? (bmf_slice){0} : t->out[k].slice;
        const int j = t->inputs > 0 ? (int)test_below(random, t->inputs) : 0;
        if (choice >= 3 && !taken[j] && t->in[j].kind == leaf[k]->kind && t->in[j].slice.stride > 0) {
            taken[j] = true;
            out[k] = t->in[j].slice;
        }
    }
}

static const char *listing(const trial *t)
{
    return scalar_print(scalar_of_expression(t->expression));
}

static bool same_operands(const bmf_failure *a, const bmf_failure *b)
{
    if (a->kind == BMF_FAILURE_CONVERSION)
        return same(of_real(a->real), of_real(b->real));
    const bool turned = a->value[0] == b->value[1] && a->value[1] == b->value[0];
    return turned || (a->value[0] == b->value[0] && a->value[1] == b->value[1]);
}

static void check_outcome(const trial *t, const bmf_slice *out, int code, const bmf_failure *failure, int number)
{
    if (code != (t->good < t->count) && t->count > 0)
        fail_msg("expression %d: code %d, but %lld of %lld elements are good\n%s", number, code, (long long)t->good,
                 (long long)t->count, listing(t));
    if (code != 0 &&
        (failure->element != t->good || failure->kind != t->failure.kind || !same_operands(failure, &t->failure) ||
         !expression_equal(failure->expression, t->failure.expression)))
        fail_msg("expression %d: failure %d of element %lld, expected %d of %lld\n%s", number, failure->kind,
                 (long long)failure->element, t->failure.kind, (long long)t->good, listing(t));
    for (int64_t i = 0; i < t->count && code == 0; i++)
        for (int k = 0; k < t->outputs; k++) {
            const datum got = get(&out[k], t->out[k].kind, i), expected = t->expected[i].leaf[k];
            if (!same(got, expected))
                fail_msg("expression %d: result %d of element %lld is %lld %.17g, expected %lld %.17g\n%s", number, k,
                         (long long)i, (long long)got.integer, got.real, (long long)expected.integer, expected.real,
                         listing(t));
        }
}

static void run_trial(bmf_expression *e, bmf_scalar_room *room, int64_t count, bool wild, uint64_t *random, int number)
{
    trial t = {.expression = e, .count = count};
    bmf_slice in[BMF_MAX_LEAVES], out[BMF_MAX_LEAVES];
    bmf_failure failure = {.kind = BMF_FAILURE_NONE};
    const bmf_scalar *scalar = scalar_of_expression(e);
    fill_inputs(&t, random, wild);
    interpret_all(&t);
    make_outputs(&t, random, out);
    for (int k = 0; k < t.inputs; k++)
        in[k] = t.in[k].slice;
    assert_int_equal(scalar_inputs(scalar), t.inputs);
    assert_int_equal(scalar_outputs(scalar), t.outputs);
    const int code = scalar_run(scalar, room, count, in, out, &failure);
    assert_true(code == 0 || scalar_may_fail(scalar));
    check_outcome(&t, out, code, &failure, number);
    for (int k = 0; k < t.inputs; k++)
        free(t.in[k].memory);
    for (int k = 0; k < t.outputs; k++)
        free(t.out[k].memory);
    free(t.expected);
}

static void random_expressions(void **unused)
{
    static const int64_t counts[] = {0, 1, 7, 64, 255, 256, 257, 600, BMF_BLOCK};
    (void)unused;
    const char *wanted = getenv("BMF_TEST_EXPRESSIONS");
    const int expressions = wanted ? atoi(wanted) : TEST_EXPRESSIONS;
    for (int number = 0; number < expressions; number++) {
        maker m = {.arena = expressions_create(), .random = (uint64_t)number, .budget = 6 + (number % 7) * 8};
        const bmf_type *in = some_type(&m, 2), *out = some_type(&m, 2);
        bmf_expression *e = some(&m, in, out);
        bmf_scalar_room *room[2] = {scalar_room_open(scalar_of_expression(e)), NULL};
        for (int k = 0; k < 8; k++) {
            if (k % 3 == 1) { /* with what those before have left there; and another one at the same time */
                scalar_room_close(room[0]);
                room[0] = scalar_room_open(scalar_of_expression(e));
                room[1] = room[1] ? room[1] : scalar_room_open(scalar_of_expression(e));
                assert_ptr_not_equal(room[0], room[1]);
                assert_int_equal(scalar_room_rounds(room[0]), 0);
            }
            run_trial(e, room[k > 4], counts[below(&m, (int64_t)(sizeof counts / sizeof *counts))], k % 3 == 2,
                      &m.random, number);
        }
        scalar_room_close(room[1]);
        scalar_room_close(room[0]);
        expressions_free(m.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_expressions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
