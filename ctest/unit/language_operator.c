/* Operators made of scalar expressions: the ready-made ones, checked sums and products of ints, compiled code.
 *
 * Method: fold and scan of ints are compared with the definition of the fixed tree, computed node by node, over small,
 * large and overflowing elements; compiled operators with the same function written in C, at different strides, in
 * place, and from several threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ctest/support/testing.h"
#include "skeletons/language/types/check.h"
#include "skeletons/language/scalar/scalar.h"
#include "bmf/operators.h"

/* ---- expressions from texts ---- */

typedef struct program {
    bmf_texts texts;
    bmf_expressions *arena;
    bmf_library library;
    bmf_expression *expression;
} program;

static program *compile(const char *text, const bmf_type *in)
{
    program *p = calloc(1, sizeof *p);
    bmf_parsed parsed;
    p->arena = expressions_create();
    const int number = texts_add(&p->texts, "test", text, (int64_t)strlen(text));
    if (parse_program(NULL, &p->texts, number, p->arena, &p->library, &parsed) != BMF_OK ||
        check_types(NULL, &p->texts, p->arena, &p->library, parsed.expression, in, &p->expression) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    return p;
}

static void release(program *p)
{
    library_free(&p->library);
    expressions_free(p->arena);
    texts_free(&p->texts);
    free(p);
}

static program *pair_program(const char *text, const bmf_type *type)
{
    return compile(text, bmf_type_pair(type, type));
}

/* ---- the fixed tree, by its definition ---- */

typedef struct tree {
    bool times;
    const int64_t *x;
    bool overflows; /* anywhere so far */
} tree;

/* Wrapped, so that one failure does not make others. */
static int64_t apply(tree *t, int64_t a, int64_t b)
{
    long long result;
    t->overflows |= t->times ? __builtin_mul_overflow((long long)a, (long long)b, &result)
                             : __builtin_add_overflow((long long)a, (long long)b, &result);
    return result;
}

static int64_t node(tree *t, int64_t begin, int64_t width)
{
    if (width == 1)
        return t->x[begin];
    const int64_t left = node(t, begin, width / 2);
    return apply(t, left, node(t, begin + width / 2, width / 2));
}

/* prefix op the nodes of [0, m), largest first. */
static int64_t fold_to(tree *t, int64_t m, const int64_t *prefix)
{
    int64_t value = prefix ? *prefix : 0, done = 0;
    bool any = prefix;
    for (int64_t width = BMF_BLOCK; width > 0; width /= 2) {
        if (!(m & width))
            continue;
        const int64_t next = node(t, done, width);
        value = any ? apply(t, value, next) : next;
        any = true;
        done += width;
    }
    return value;
}

/* Magnitudes of the elements: nothing can overflow, sums of a few can,
 * everything does. */
static int64_t draw(uint64_t *random, int kind, bool times)
{
    const int64_t small = test_below(random, 3) - 1;
    switch (kind) {
    case 0:
        return times ? small : test_below(random, 2001) - 1000;
    case 1: /* one that is large among many that are not */
        return test_below(random, 64) == 0 ? (int64_t)random_bits(random) >> 2 : small;
    case 2:
        return times ? (test_below(random, 100) == 0 ? 3 : 1) : (int64_t)random_bits(random) >> 9;
    default:
        return (int64_t)random_bits(random) >> 1;
    }
}

static bool takes_failure(const bmf_scalar_operator *operation)
{
    bmf_failure failure;
    const bool failed = scalar_operator_failure(operation, &failure);
    if (failed)
        assert_int_equal(failure.kind, BMF_FAILURE_OVERFLOW);
    return failed;
}

static void check_fold(program *p, bool times, int64_t count, const int64_t *x)
{
    bmf_scalar_operator *operation = scalar_operator_create(p->expression, 1);
    const bmf_operator *op = scalar_operator_get(operation);
    int64_t levels[BMF_BLOCK];
    tree t = {.times = times, .x = x};
    const int64_t expected = fold_to(&t, count, NULL);
    op->fold(op->context, count, x, levels);
    assert_int_equal(takes_failure(operation), t.overflows);
    if (!t.overflows && count > 1)
        assert_true(levels[count - 2] == expected);
    scalar_operator_free(operation);
}

/* Scans after a fold that did not fail. */
static void check_scan(program *p, bool times, int64_t count, const int64_t *x, const int64_t *prefix, bool inclusive)
{
    bmf_scalar_operator *operation = scalar_operator_create(p->expression, 1);
    const bmf_operator *op = scalar_operator_get(operation);
    int64_t levels[BMF_BLOCK], out[BMF_BLOCK], scratch[2 * BMF_BLOCK], expected[BMF_BLOCK + 1];
    tree t = {.times = times, .x = x};
    op->fold(op->context, count, x, levels);
    for (int64_t m = prefix ? 0 : 1; m < count; m++)
        expected[m] = fold_to(&t, m, prefix);
    const bool overflows = t.overflows;
    expected[count] = fold_to(&t, count, prefix);
    memcpy(out, x, (size_t)count * sizeof *x);
    op->scan(op->context, count, out, levels, prefix, inclusive ? &expected[count] : NULL, out, scratch);
    assert_int_equal(takes_failure(operation), overflows);
    for (int64_t m = inclusive ? 1 : prefix ? 0 : 1; m < count + inclusive && !overflows; m++)
        assert_true(out[m - inclusive] == expected[m]);
    scalar_operator_free(operation);
}

static void ints_are_checked(void **unused)
{
    uint64_t random = 1;
    int64_t x[BMF_BLOCK];
    (void)unused;
    for (int trial = 0; trial < 400; trial++) {
        const bool times = trial % 2;
        program *p = pair_program(times ? "B_Op (B_Times)" : "B_Op (B_Plus)", &bmf_type_int);
        const int64_t count = (int64_t)1 << test_below(&random, trial % 20 == 0 ? 11 : 7);
        for (int64_t i = 0; i < count; i++)
            x[i] = draw(&random, trial / 2 % 4, times);
        tree t = {.times = times, .x = x};
        const int64_t prefix = draw(&random, (int)test_below(&random, 4), times);
        check_fold(p, times, count, x);
        fold_to(&t, count, NULL);
        for (int form = 0; form < 4 && !t.overflows; form++)
            check_scan(p, times, count, x, form & 1 ? &prefix : NULL, form & 2);
        release(p);
    }
}

static void ints_combine_at_any_stride(void **unused)
{
    program *p = pair_program("B_Op (B_Plus)", &bmf_type_int);
    bmf_scalar_operator *operation = scalar_operator_create(p->expression, 1);
    const bmf_operator *op = scalar_operator_get(operation);
    enum { PAIRS = 700 };
    int64_t x[2 * PAIRS];
    bmf_failure failure;
    (void)unused;
    assert_true(op->may_fail);
    for (int64_t i = 0; i < 2 * PAIRS; i++)
        x[i] = i;
    const bmf_slice in[2] = {{x, 16}, {x + 1, 16}}, out = {x, 16};
    assert_int_equal(op->combine(op->context, PAIRS, in, &out), 0);
    for (int64_t i = 0; i < PAIRS; i++)
        assert_int_equal(x[2 * i], 4 * i + 1);
    assert_false(scalar_operator_failure(operation, &failure));
    x[2 * 600] = INT64_MAX;
    assert_int_not_equal(op->combine(op->context, PAIRS, in, &out), 0);
    assert_true(scalar_operator_failure(operation, &failure));
    assert_int_equal(failure.kind, BMF_FAILURE_OVERFLOW);
    assert_true(failure.value[0] == INT64_MAX && failure.value[1] == 1201);
    assert_int_equal(failure.expression->operation, BMF_OPERATION_PLUS);
    scalar_operator_free(operation);
    release(p);
}

static void ready_made_operators_are_taken(void **unused)
{
    static const struct {
        const char *text;
        const bmf_type *type;
        const bmf_operator *same;
    } rows[] = {{"B_Op (B_Plus)", &bmf_type_real, &bmf_plus_real}, {"B_Op (B_Times)", &bmf_type_real, &bmf_times_real},
                {"B_Op (B_Max)", &bmf_type_real, &bmf_max_real},   {"B_Op (B_Min)", &bmf_type_real, &bmf_min_real},
                {"B_Op (B_Max)", &bmf_type_int, &bmf_max_int},     {"B_Op (B_Min)", &bmf_type_int, &bmf_min_int},
                {"B_Op (B_And)", &bmf_type_bool, &bmf_and},        {"B_Op (B_Or)", &bmf_type_bool, &bmf_or}};
    (void)unused;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        program *p = pair_program(rows[k].text, rows[k].type);
        bmf_scalar_operator *operation = scalar_operator_create(p->expression, 2);
        const bmf_operator *op = scalar_operator_get(operation);
        assert_true(op->fold == rows[k].same->fold && op->scan == rows[k].same->scan &&
                    op->flags == rows[k].same->flags);
        assert_true(bmf_type_equal(op->type, rows[k].type) && !op->may_fail);
        scalar_operator_free(operation);
        release(p);
    }
}

/* Sums of ints may overflow in one order and not in another, so no order but
 * the tree's will do. */
static void sums_of_ints_are_not_exact(void **unused)
{
    program *p = pair_program("B_Op (B_Plus)", &bmf_type_int);
    bmf_scalar_operator *operation = scalar_operator_create(p->expression, 1);
    (void)unused;
    assert_false(scalar_operator_get(operation)->flags & BMF_EXACT);
    scalar_operator_free(operation);
    release(p);
}

/* ---- compiled operators ---- */

/* Lines y = a x + b, one after the other: {a, b} then {c, d} is {a c, c b + d}.
 * Associative, and the order matters. */
#define LINE "B_Addr (B_Num 1) (B_Num 2)"
#define THEN "B_Addr (B_Num 2) (B_Num 2)"
static const char then_text[] = "$a = B_Addr (B_Num 1) (B_Num 2) . " LINE " $b = B_Addr (B_Num 2) (B_Num 2) . " LINE
                                " $c = B_Addr (B_Num 1) (B_Num 2) . " THEN " $d = B_Addr (B_Num 2) (B_Num 2) . " THEN
                                " B_Alltup [B_Op (B_Times) . B_Alltup [$a, $c], B_Op (B_Plus) . B_Alltup "
                                "[B_Op (B_Times) . B_Alltup [$c, $b], $d]]";

typedef struct line {
    double a, b;
} line;

static line then(line first, line second)
{
    const double product = second.a * first.b;
    return (line){first.a * second.a, product + second.b};
}

static bool same_line(line x, line y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

static void compiled_operators_combine(void **unused)
{
    enum { LINES = 3000 };
    const bmf_type *type = bmf_type_pair(&bmf_type_real, &bmf_type_real);
    program *p = pair_program(then_text, type);
    bmf_scalar_operator *operation = scalar_operator_create(p->expression, 2);
    const bmf_operator *op = scalar_operator_get(operation);
    line *x = calloc(2 * LINES, sizeof *x), *first = calloc(LINES, sizeof *first);
    uint64_t random = 3;
    int wrong = 0;
    (void)unused;
    assert_true(bmf_type_equal(op->type, type) && !op->may_fail && op->flags == 0);
    for (int64_t i = 0; i < 2 * LINES; i++)
        x[i] = (line){random_unit(&random), random_unit(&random)};
        /* records side by side; the result over the first operand, by several
     * threads more than there are workers */
#pragma omp parallel for num_threads(4) schedule(static) reduction(+ : wrong)
    for (int64_t part = 0; part < 6; part++) {
        line *from = x + part * LINES / 3;
        line *kept = first + part * LINES / 6;
        const int64_t count = LINES / 6;
        const bmf_slice in[4] = {{&from[0].a, 32}, {&from[0].b, 32}, {&from[1].a, 32}, {&from[1].b, 32}};
        for (int64_t i = 0; i < count; i++)
            kept[i] = then(from[2 * i], from[2 * i + 1]);
        wrong += op->combine(op->context, count, in, in);
        for (int64_t i = 0; i < count; i++)
            wrong += !same_line(from[2 * i], kept[i]);
    }
    assert_int_equal(wrong, 0);
    free(x);
    free(first);
    scalar_operator_free(operation);
    release(p);
}

static void compiled_operators_fail(void **unused)
{
    program *p = pair_program("B_Op (B_Divide) . B_Alltup [B_Addr (B_Num 2) "
                              "(B_Num 2), B_Addr (B_Num 1) (B_Num 2)]",
                              &bmf_type_int);
    bmf_scalar_operator *operation = scalar_operator_create(p->expression, 1);
    const bmf_operator *op = scalar_operator_get(operation);
    int64_t a[3] = {2, 0, 1}, b[3] = {10, 7, 3}, y[3];
    const bmf_slice in[2] = {{a, 8}, {b, 8}}, out = {y, 8};
    bmf_failure failure;
    (void)unused;
    assert_true(op->may_fail);
    assert_int_equal(op->combine(op->context, 1, in, &out), 0);
    assert_int_equal(y[0], 5);
    assert_int_not_equal(op->combine(op->context, 3, in, &out), 0);
    assert_true(scalar_operator_failure(operation, &failure));
    assert_int_equal(failure.kind, BMF_FAILURE_DIVISION);
    assert_true(failure.value[0] == 7 && failure.value[1] == 0);
    scalar_operator_free(operation);
    release(p);
}

/* ---- code ---- */

static void selections_are_recognised(void **unused)
{
    const bmf_type *in = bmf_type_pair(&bmf_type_int, bmf_type_pair(&bmf_type_real, &bmf_type_bool));
    program *p = compile("B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) (B_Num 2)]", in);
    program *q = compile("B_Op (B_Abs) . B_Addr (B_Num 1) (B_Num 2)", in);
    int source[BMF_MAX_LEAVES];
    (void)unused;
    assert_true(scalar_is_selection(scalar_of_expression(p->expression), source));
    assert_true(source[0] == 1 && source[1] == 2 && source[2] == 0);
    assert_false(scalar_is_selection(scalar_of_expression(q->expression), source));
    release(p);
    release(q);
}

/* $n uses $n-1 twice: the tree it stands for has 2^60 leaves, the code 60
 * instructions. */
static void names_are_compiled_once(void **unused)
{
    enum { NAMES = 60 };
    char text[NAMES * 80], *end = text;
    end += sprintf(end, "$n0 = B_Id ");
    for (int k = 1; k <= NAMES; k++)
        end += sprintf(end, "$n%d = B_Op (B_Plus) . B_Alltup [$n%d, $n%d] ", k, k - 1, k - 1);
    sprintf(end, "$n%d", NAMES);
    program *p = compile(text, &bmf_type_real);
    const bmf_scalar *scalar = scalar_of_expression(p->expression);
    bmf_scalar_room *room = scalar_room_open(scalar);
    double x = 3.0, y;
    const bmf_slice in = {&x, 8};
    bmf_slice out = {&y, 8};
    bmf_failure failure;
    (void)unused;
    assert_int_equal(scalar_run(scalar, room, 1, &in, &out, &failure), 0);
    assert_true(y == 3.0 * (double)((int64_t)1 << NAMES));
    scalar_room_close(room);
    release(p);
}

/* Bits of quotients, down to the smallest reals and up to the largest. */
static void powers_of_two_divide_exactly(void **unused)
{
    static const char *const divisors[] = {
        "4", "-0.5", "1e0", "3", "0", "8.98846567431158e307", "4.450147717014403e-308"};
    static const double by[] = {4.0, -0.5, 1.0, 3.0, 0.0, 0x1p1023, 0x1p-1021};
    double x[] = {1.0, -3.7, 0x1p-1074, 0x1.8p-1073, 0x1.fffffffffffffp-1022, -0x1p-1022, 0x1.fffffffffffffp1023,
                  0.0, -0.0};
    enum { COUNT = sizeof x / sizeof *x };
    (void)unused;
    for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
        char text[100];
        snprintf(text, sizeof text, "B_Op (B_Divide) . B_Alltup [B_Id, B_Con (B_Real %s)]", divisors[k]);
        program *p = compile(text, &bmf_type_real);
        bmf_scalar_room *room = scalar_room_open(scalar_of_expression(p->expression));
        double y[COUNT];
        const bmf_slice in = {x, 8};
        bmf_slice out = {y, 8};
        bmf_failure failure;
        assert_int_equal(scalar_run(scalar_of_expression(p->expression), room, COUNT, &in, &out, &failure), 0);
        for (int i = 0; i < COUNT; i++) {
            const double expected = x[i] / by[k];
            assert_true(memcmp(&y[i], &expected, sizeof expected) == 0 || (y[i] != y[i] && expected != expected));
        }
        scalar_room_close(room);
        release(p);
    }
}

static void code_is_listed(void **unused)
{
    const bmf_type *in = bmf_type_pair(&bmf_type_real, &bmf_type_int);
    program *p = compile("B_Op (B_Times) . B_Alltup [B_Op (B_Plus) . B_Id, "
                         "B_Addr (B_Num 1) (B_Num 2)]",
                         in);
    char *text = scalar_print(scalar_of_expression(p->expression));
    (void)unused;
    assert_non_null(strstr(text, "{real, int} -> real"));
    assert_non_null(strstr(text, "int to real(in1)"));
    assert_non_null(strstr(text, "(a + b) * c(in0, "));
    free(text);
    release(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ints_are_checked),
                                       cmocka_unit_test(ints_combine_at_any_stride),
                                       cmocka_unit_test(ready_made_operators_are_taken),
                                       cmocka_unit_test(sums_of_ints_are_not_exact),
                                       cmocka_unit_test(compiled_operators_combine),
                                       cmocka_unit_test(compiled_operators_fail),
                                       cmocka_unit_test(selections_are_recognised),
                                       cmocka_unit_test(names_are_compiled_once),
                                       cmocka_unit_test(powers_of_two_divide_exactly),
                                       cmocka_unit_test(code_is_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
