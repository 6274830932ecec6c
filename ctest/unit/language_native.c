/* Scalar expressions as native code over any number of elements: written past the caches, as bits, as counts.
 *
 * Method: random expressions that cannot fail, over reals with NaN, infinities and both zeros, ints and bools, others
 * that choose by comparisons with infinity, and one that needs more registers than there are; results are compared with
 * the same expression run for one element at a time, which is never native. Counts around the width of vectors; inputs
 * that are one value for all. Where there is no native code the functions must say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/support/testing.h"
#include "runtime/base/allocate.h"
#include "skeletons/language/scalar/scalar.h"
#include "skeletons/language/types/check.h"

enum { LEAVES = 12, MOST = 1200, TEXT = 1 << 20, EXPRESSIONS = 150 };

/* ---- expressions from texts ---- */

typedef struct program {
    bmf_texts texts;
    bmf_expressions *arena;
    bmf_library library;
    bmf_expression *expression;
} program;

static void compile(const char *text, const bmf_type *in, program *p)
{
    bmf_parsed parsed;
    *p = (program){.arena = expressions_create()};
    const int number = texts_add(&p->texts, "test", text, (int64_t)strlen(text));
    if (parse_program(NULL, &p->texts, number, p->arena, &p->library, &parsed) != BMF_OK ||
        check_types(NULL, &p->texts, p->arena, &p->library, parsed.expression, in, &p->expression) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
}

static void release(program *p)
{
    library_free(&p->library);
    expressions_free(p->arena);
    texts_free(&p->texts);
}

/* ---- random texts ---- */

typedef struct writer {
    char *end;
    uint64_t random;
    bmf_type_kind kind[LEAVES];
    int leaves;
} writer;

static void say(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->end += vsprintf(w->end, format, arguments);
    va_end(arguments);
}

static void write_leaf(writer *w, bmf_type_kind kind)
{
    static const char *const reals[] = {"0", "-0.0", "1.5", "3", "-2.25", "1e300", "0.1"};
    for (int tries = 0; tries < 6; tries++) {
        const int k = (int)test_below(&w->random, w->leaves);
        if (w->kind[k] == kind) {
            say(w, "B_Addr (B_Num %d) (B_Num %d)", k + 1, w->leaves);
            return;
        }
    }
    if (kind == BMF_REAL)
        say(w, "B_Con (B_Real %s)", reals[test_below(&w->random, 7)]);
    else if (kind == BMF_INT)
        say(w, "B_Con (B_Int %d)", (int)test_below(&w->random, 7) - 3);
    else
        say(w, "B_Con (%s)", test_below(&w->random, 2) ? "B_True" : "B_False");
}

static void write_some(writer *w, bmf_type_kind kind, int depth);

static void write_two(writer *w, const char *operation, bmf_type_kind kind, int depth)
{
    say(w, "B_Op (%s) . B_Alltup [", operation);
    write_some(w, kind, depth - 1);
    say(w, ", ");
    write_some(w, kind, depth - 1);
    say(w, "]");
}

static void write_one(writer *w, const char *operation, bmf_type_kind kind, int depth)
{
    say(w, "B_Op (%s) . ", operation);
    write_some(w, kind, depth - 1);
}

static void write_choice(writer *w, bmf_type_kind kind, int depth)
{
    say(w, "B_If (");
    write_some(w, BMF_BOOL, 1);
    say(w, ") (");
    write_some(w, kind, depth / 2);
    say(w, ") (");
    write_some(w, kind, depth / 2);
    say(w, ")");
}

static void write_some(writer *w, bmf_type_kind kind, int depth)
{
    static const char *const reals[] = {"B_Plus", "B_Minus", "B_Times", "B_Divide", "B_Max", "B_Min"};
    static const char *const one[] = {"B_Abs", "B_Uminus", "B_Sqrt"};
    static const char *const compared[] = {"B_Eq", "B_Lt", "B_Le", "B_Gt", "B_Ge"};
    const int64_t choice = test_below(&w->random, 10);
    if (depth <= 0)
        write_leaf(w, kind);
    else if (choice == 0)
        write_choice(w, kind, depth);
    else if (kind == BMF_REAL && choice == 1)
        write_one(w, "B_Real", BMF_INT, depth);
    else if (kind == BMF_REAL && choice < 4)
        write_one(w, one[test_below(&w->random, 3)], BMF_REAL, depth);
    else if (kind == BMF_REAL)
        write_two(w, reals[test_below(&w->random, 6)], BMF_REAL, depth);
    else if (kind == BMF_INT)
        write_two(w, test_below(&w->random, 2) ? "B_Max" : "B_Min", BMF_INT, depth);
    else if (choice < 3)
        write_two(w, test_below(&w->random, 2) ? "B_And" : "B_Or", BMF_BOOL, depth);
    else if (choice == 3)
        write_one(w, "B_Neg", BMF_BOOL, depth);
    else
        write_two(w, compared[test_below(&w->random, 5)], test_below(&w->random, 4) ? BMF_REAL : BMF_INT, depth);
}

/* ---- columns ---- */

typedef struct columns {
    int count;
    bmf_type_kind kind[BMF_MAX_LEAVES];
    bmf_slice slice[BMF_MAX_LEAVES];
} columns;

static int64_t size_of(bmf_type_kind kind)
{
    return kind == BMF_BOOL ? 1 : 8;
}

static void make_columns(const bmf_type *type, columns *c)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    c->count = bmf_type_leaves(type, leaf);
    for (int k = 0; k < c->count; k++) {
        c->kind[k] = leaf[k]->kind;
        c->slice[k] = (bmf_slice){allocate((MOST + 1) * 8 + 1024), leaf[k]->size};
    }
}

static void free_columns(columns *c)
{
    for (int k = 0; k < c->count; k++)
        free(c->slice[k].data);
}

/* What is special is frequent or rare. */
static void fill(columns *c, uint64_t *random)
{
    static const double special[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1e308, 0x1p-1074};
    const int64_t seldom = test_below(random, 2) ? 8 : 500;
    for (int k = 0; k < c->count; k++)
        for (int64_t i = 0; i <= MOST; i++) {
            const double usual = (double)(test_below(random, 41) - 20) * 0.25;
            const int64_t number = test_below(random, 9) - 4;
            if (c->kind[k] == BMF_REAL)
                ((double *)c->slice[k].data)[i] = test_below(random, seldom) ? usual : special[test_below(random, 7)];
            else if (c->kind[k] == BMF_INT)
                ((int64_t *)c->slice[k].data)[i] = number;
            else
                ((uint8_t *)c->slice[k].data)[i] = number > 0;
        }
}

static bool same(bmf_type_kind kind, const void *a, const void *b)
{
    double x, y;
    if (memcmp(a, b, (size_t)size_of(kind)) == 0)
        return true;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return kind == BMF_REAL && isnan(x) && isnan(y);
}

/* One element at a time. */
static void expect(const program *p, int64_t count, const columns *in, const columns *out)
{
    bmf_scalar_room *room = scalar_room_open(scalar_of_expression(p->expression));
    for (int64_t i = 0; i < count; i++) {
        bmf_slice from[BMF_MAX_LEAVES], to[BMF_MAX_LEAVES];
        bmf_failure failure;
        for (int k = 0; k < in->count; k++)
            from[k] = (bmf_slice){(char *)in->slice[k].data + i * in->slice[k].stride, in->slice[k].stride};
        for (int k = 0; k < out->count; k++)
            to[k] = (bmf_slice){(char *)out->slice[k].data + i * out->slice[k].stride, out->slice[k].stride};
        assert_int_equal(scalar_run(scalar_of_expression(p->expression), room, 1, from, to, &failure), 0);
    }
    scalar_room_close(room);
}

/* ---- trials ---- */

static int64_t written, computed, marked, counted; /* trials in which there was native code */

/* The results at `offset` bytes behind a line of 64; what lies around them keeps its bytes. */
static bool try_values(bool (*make)(const bmf_scalar *, int64_t, const bmf_slice *, const bmf_slice *), int64_t offset,
                       const bmf_scalar *scalar, int64_t count, const columns *in, const columns *expected,
                       const char *text)
{
    columns got = *expected;
    char *room[BMF_MAX_LEAVES];
    for (int k = 0; k < got.count; k++) {
        room[k] = allocate((MOST + 1) * 8 + 1024);
        memset(room[k], 0x5a, (MOST + 1) * 8 + 1024);
        got.slice[k].data = room[k] + offset;
    }
    const bool made = make(scalar, count, in->slice, got.slice);
    for (int k = 0; made && k < got.count; k++) {
        const int64_t size = size_of(got.kind[k]);
        const char *a = got.slice[k].data, *b = expected->slice[k].data;
        for (int64_t i = 0; i < count; i++)
            if (!same(got.kind[k], a + i * size, b + i * size))
                fail_msg("result %d of element %lld of %lld differs\n%s", k, (long long)i, (long long)count, text);
        assert_int_equal(a[count * size], 0x5a);
        assert_true(offset == 0 || a[-1] == 0x5a);
    }
    for (int k = 0; k < got.count; k++)
        free(room[k]);
    return made;
}

static void try_counting(const bmf_scalar *scalar, int64_t count, const columns *in, const columns *expected)
{
    uint64_t word[MOST / 64 + 2];
    int64_t held[BMF_MAX_LEAVES];
    if (scalar_marks(scalar, count, in->slice, word)) {
        marked++;
        for (int64_t i = 0; i < (count + 63) / 64 * 64; i++)
            assert_int_equal(word[i / 64] >> (i % 64) & 1,
                             i < count ? ((const uint8_t *)expected->slice[0].data)[i] : 0);
    }
    if (scalar_count(scalar, count, in->slice, held)) {
        counted++;
        for (int k = 0; k < expected->count; k++) {
            int64_t sum = 0;
            for (int64_t i = 0; i < count; i++)
                sum += ((const uint8_t *)expected->slice[k].data)[i];
            assert_int_equal(held[k], sum);
        }
    }
}

static void try_text(const char *text, const bmf_type *type, uint64_t *random)
{
    static const int64_t counts[] = {1, 3, 4, 5, 6, 7, 8, 9, 63, 64, 65, 1000, MOST};
    program whole, single;
    columns in, expected;
    compile(text, type, &whole);
    compile(text, type, &single);
    const bmf_scalar *scalar = scalar_of_expression(whole.expression);
    make_columns(type, &in);
    make_columns(whole.expression->out, &expected);
    for (int k = 0; k < 4; k++) {
        const int64_t count = counts[test_below(random, (int64_t)(sizeof counts / sizeof *counts))];
        fill(&in, random);
        for (int i = 0; i < in.count; i++)
            in.slice[i].stride = test_below(random, 5) ? size_of(in.kind[i]) : 0;
        expect(&single, count, &in, &expected);
        written += try_values(scalar_write, 0, scalar, count, &in, &expected, text);
        computed += try_values(scalar_compute, 8 * test_below(random, 8), scalar, count, &in, &expected, text);
        try_counting(scalar, count, &in, &expected);
    }
    free_columns(&in);
    free_columns(&expected);
    release(&whole);
    release(&single);
}

/* Native code is there where the processor has it, and then for many of the expressions. */
static void must_be_native(int64_t trials)
{
    const char *jit = getenv("BMF_JIT");
    bool expected = !jit || strcmp(jit, "0") != 0;
#if defined(__x86_64__) && defined(__GNUC__)
    expected = expected && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
    expected = false;
#endif
    assert_true(expected ? trials > 0 : trials == 0);
}

static void random_expressions(void **unused)
{
    static const bmf_type *const scalars[] = {
        [BMF_INT] = &bmf_type_int, [BMF_REAL] = &bmf_type_real, [BMF_BOOL] = &bmf_type_bool};
    char *text = malloc(TEXT);
    (void)unused;
    for (int number = 0; number < EXPRESSIONS; number++) {
        writer w = {.end = text, .random = (uint64_t)number, .leaves = 2 + number % (LEAVES - 1)};
        const bmf_type *leaf[LEAVES];
        for (int k = 0; k < w.leaves; k++) {
            w.kind[k] =
                k == 0 ? BMF_REAL : (bmf_type_kind[]){BMF_REAL, BMF_REAL, BMF_INT, BMF_BOOL}[test_below(&w.random, 4)];
            leaf[k] = scalars[w.kind[k]];
        }
        const int results = 1 + (int)test_below(&w.random, 4);
        say(&w, "B_Alltup [");
        for (int k = 0; k < results; k++) {
            say(&w, k > 0 ? ", " : "");
            write_some(&w,
                       number % 2 ? BMF_BOOL : (bmf_type_kind[]){BMF_REAL, BMF_INT, BMF_BOOL}[test_below(&w.random, 3)],
                       2 + number % 5);
        }
        say(&w, "]");
        try_text(text, bmf_type_tuple(w.leaves, leaf), &w.random);
    }
    must_be_native(written);
    must_be_native(computed);
    must_be_native(marked);
    must_be_native(counted);
    free(text);
}

/* ---- choices at edges ---- */

/* Whether leaves are beyond an edge, where infinity stands; or other such questions. */
static void write_condition(writer *w, int depth)
{
    static const char *const compared[] = {"B_Eq", "B_Lt", "B_Le", "B_Gt", "B_Ge"};
    static const char *const edges[] = {"inf", "inf", "inf", "-inf", "-inf", "1.5"};
    const int64_t choice = test_below(&w->random, depth > 0 ? 8 : 1);
    const char *const edge = edges[test_below(&w->random, 6)];
    if (choice == 7) {
        say(w, "B_Op (B_Neg) . ");
        write_condition(w, depth - 1);
    } else if (choice > 0) {
        say(w, "B_Op (%s) . B_Alltup [", choice < 5 ? "B_Or" : "B_And");
        write_condition(w, depth - 1);
        say(w, ", ");
        write_condition(w, depth - 1);
        say(w, "]");
    } else {
        const bool first = test_below(&w->random, 2);
        say(w, "B_Op (%s) . B_Alltup [", compared[test_below(&w->random, 2) ? 0 : test_below(&w->random, 5)]);
        say(w, first ? "B_Con (B_Real %s), " : "", edge);
        write_leaf(w, BMF_REAL);
        say(w, first ? "]" : ", B_Con (B_Real %s)]", edge);
    }
}

/* Of all leaves, in this order: operations that a result is not finite after, and a few others. */
static void write_sum(writer *w)
{
    static const char *const operations[] = {"B_Plus",  "B_Plus",  "B_Plus",   "B_Plus", "B_Minus",
                                             "B_Times", "B_Times", "B_Divide", "B_Max"};
    for (int k = 1; k < w->leaves; k++)
        say(w, "B_Op (%s) . B_Alltup [", operations[test_below(&w->random, 9)]);
    for (int k = 0; k < w->leaves; k++)
        say(w, k == 0 ? "B_Addr (B_Num %d) (B_Num %d)" : ", B_Addr (B_Num %d) (B_Num %d)]", k + 1, w->leaves);
}

static void write_edges(writer *w, int choices)
{
    const bool swapped = test_below(&w->random, 3) == 0;
    if (choices == 0) {
        write_sum(w);
        return;
    }
    say(w, "B_If (");
    write_condition(w, 3);
    say(w, ") (");
    swapped ? write_edges(w, choices - 1) : write_leaf(w, BMF_REAL);
    say(w, ") (");
    swapped ? write_leaf(w, BMF_REAL) : write_edges(w, choices - 1);
    say(w, ")");
}

/* Comparisons with infinity that need not be made where a result is finite. */
static void choices_at_edges(void **unused)
{
    char *text = malloc(TEXT);
    const int64_t before = written;
    (void)unused;
    for (int number = 0; number < 2 * EXPRESSIONS; number++) {
        writer w = {.end = text, .random = (uint64_t)number, .leaves = 2 + number % 7};
        const bmf_type *leaf[LEAVES];
        for (int k = 0; k < w.leaves; k++) {
            w.kind[k] = BMF_REAL;
            leaf[k] = &bmf_type_real;
        }
        const int results = 1 + number % 2;
        say(&w, "B_Alltup [");
        for (int k = 0; k < results; k++) {
            say(&w, k > 0 ? ", " : "");
            write_edges(&w, 1 + (int)test_below(&w.random, 3));
        }
        say(&w, "]");
        try_text(text, bmf_type_tuple(w.leaves, leaf), &w.random);
    }
    must_be_native(written - before);
    free(text);
}

/* Sixty products and as many comparisons are needed twice, first in one order and then in the other. */
static void more_values_than_registers(void **unused)
{
    enum { VALUES = 60 };
    const bmf_type *leaf[LEAVES];
    writer w = {.random = 5, .leaves = LEAVES};
    char *text = malloc(TEXT);
    (void)unused;
    w.end = text;
    for (int k = 0; k < LEAVES; k++)
        leaf[k] = &bmf_type_real;
    for (int k = 0; k < VALUES; k++) {
        const int a = 1 + k % LEAVES, b = 1 + (k / LEAVES + k) % LEAVES;
        say(&w, "$v%d = B_Op (B_Times) . B_Alltup [B_Addr (B_Num %d) (B_Num %d), B_Addr (B_Num %d) (B_Num %d)] ", k, a,
            LEAVES, b, LEAVES);
        say(&w, "$b%d = B_Op (B_Lt) . B_Alltup [$v%d, B_Addr (B_Num %d) (B_Num %d)] ", k, k, b, LEAVES);
    }
    say(&w, "$s0 = $v0 $t%d = $v%d $o0 = $b0 $a%d = $b%d ", VALUES, VALUES - 1, VALUES, VALUES - 1);
    for (int k = 1; k < VALUES; k++) {
        say(&w, "$s%d = B_Op (B_Plus) . B_Alltup [$s%d, $v%d] ", k, k - 1, k);
        say(&w, "$o%d = B_Op (B_Eq) . B_Alltup [$o%d, $b%d] ", k, k - 1, k);
    }
    for (int k = VALUES - 1; k >= 0; k--) {
        say(&w, "$t%d = B_Op (B_Minus) . B_Alltup [$v%d, $t%d] ", k, k, k + 1);
        say(&w, "$a%d = B_Op (B_Eq) . B_Alltup [$b%d, $a%d] ", k, k, k + 1);
    }
    say(&w, "B_Alltup [$s%d, $o%d, $t0, $a0]", VALUES - 1, VALUES - 1);
    const int64_t before = written;
    for (int k = 0; k < 10; k++)
        try_text(text, bmf_type_tuple(LEAVES, leaf), &w.random);
    must_be_native(written - before);
    free(text);
}

/* Constants enough to fill all registers, and in a branch of a loop the operations that take the most of them. */
static void guarded_remainders_in_a_loop(void **unused)
{
    static const char *const operations[] = {"B_Plus", "B_Minus", "B_Mod", "B_Mod", "B_Divide"};
    static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43};
    char *text = malloc(TEXT), *chain = malloc(TEXT), *longer = malloc(TEXT);
    (void)unused;
    for (uint64_t number = 0; number < 60; number++) {
        writer w = {.end = text, .random = number};
        strcpy(chain, "B_Id");
        for (int64_t length = 8 + test_below(&w.random, 24); length > 0; length--) {
            sprintf(longer, "B_Op (%s) . B_Alltup [%s, B_Con (B_Int %d)]", operations[test_below(&w.random, 5)], chain,
                    primes[test_below(&w.random, 14)]);
            char *shorter = chain;
            chain = longer;
            longer = shorter;
        }
        say(&w,
            "B_While (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 50)]) "
            "(B_If (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 90)]) (%s) (B_Con (B_Int 1)))",
            chain);
        program whole, single;
        compile(text, &bmf_type_int, &whole);
        compile(text, &bmf_type_int, &single);
        int64_t in[MOST], got[MOST], expected[MOST];
        for (int k = 0; k < MOST; k++)
            in[k] = test_below(&w.random, 2000) - 1000;
        const columns from = {1, {BMF_INT}, {{in, 8}}}, to = {1, {BMF_INT}, {{expected, 8}}};
        expect(&single, MOST, &from, &to);
        bmf_scalar_room *room = scalar_room_open(scalar_of_expression(whole.expression));
        bmf_slice result = {got, 8};
        bmf_failure failure;
        assert_int_equal(scalar_run(scalar_of_expression(whole.expression), room, MOST, from.slice, &result, &failure),
                         0);
        if (memcmp(got, expected, sizeof got) != 0)
            fail_msg("chain %d differs\n%s", (int)number, text);
        scalar_room_close(room);
        release(&whole);
        release(&single);
    }
    free(text);
    free(chain);
    free(longer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_expressions), cmocka_unit_test(choices_at_edges),
                                       cmocka_unit_test(more_values_than_registers),
                                       cmocka_unit_test(guarded_remainders_in_a_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
