/* COP programs: the Lisp against values worked out by hand, subsets and instances against their definitions, extents
 * against document 004's Figure 6-2, and every kind of mistake against its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bmf/status.h"
#include "predict/cop/program.h"

static bmf_cop_settings settings_for(const char *size)
{
    bmf_cop_settings settings = {.length = 24};
    assert_int_equal(mesh_parse(size, false, &settings.mesh), BMF_OK);
    return settings;
}

static bmf_cop_program *parse(const char *text, const char *size)
{
    const bmf_cop_settings settings = settings_for(size);
    bmf_cop_program *program = NULL;
    if (cop_parse(text, (int64_t)strlen(text), "test.cop", &settings, &program) != BMF_OK)
        fail_msg("%s: %s", text, bmf_error_text(NULL));
    return program;
}

/* ---- Lisp ---- */

static void lisp_values(void **state)
{
    static const struct {
        const char *form, *value;
    } cases[] = {{"(+ 1 2 3)", "6"},
                 {"(- 5)", "-5"},
                 {"(/ 12 2 3)", "2"},
                 {"(= (* 0.5 4) 2)", "t"},
                 {"(mod -7 3)", "2"},
                 {"(rem -7 3)", "-1"},
                 {"(quotient -7 2)", "-3"},
                 {"(ash 3 4)", "48"},
                 {"(ash -9 -1)", "-5"},
                 {"(logxor 5 3)", "6"},
                 {"(logand)", "-1"},
                 {"(max 3 9 4)", "9"},
                 {"(max 9007199254740992 9007199254740993)", "9007199254740993"},
                 {"(min 9007199254740993 9007199254740992)", "9007199254740992"},
                 {"(= 9007199254740992 9007199254740993)", "nil"},
                 {"(< 9007199254740992 9007199254740993)", "t"},
                 {"(< 1 2 3)", "t"},
                 {"(<= 1 3 2)", "nil"},
                 {"(if nil 1 2)", "2"},
                 {"(cond ((= 1 2) 3) (else 4))", "4"},
                 {"(case 3 ((1 2) 'a) ((3 4) 'b))", "b"},
                 {"(let ((x 1) (y 2)) (+ x y))", "3"},
                 {"(let* ((x 1) (y (+ x 1))) (* x y))", "2"},
                 {"(letrec ((f (lambda (n) (if (zerop n) 1 (* n (f (- n 1))))))) (f 10))", "3628800"},
                 {"(begin (define (twice f x) (f (f x))) (twice (lambda (y) (* y y)) 3))", "81"},
                 {"(do ((i 0 (+ i 1)) (s 0 (+ s i))) ((= i 5) s))", "10"},
                 {"(let ((s 0)) (dolist (x '(1 2 3)) (set! s (+ s x))) s)", "6"},
                 {"(let ((s 0)) (dotimes (k 4) (set! s (+ s k))) s)", "6"},
                 {"(append '(1) nil '(2 3))", "(1 2 3)"},
                 {"(reverse '(1 (2 3) 4))", "(4 (2 3) 1)"},
                 {"(nth 1 '(a b c))", "b"},
                 {"(nthcdr 2 '(a b c))", "(c)"},
                 {"(member 2 '(1 2 3))", "(2 3)"},
                 {"(assoc 'b '((a 1) (b 2)))", "(b 2)"},
                 {"(map + '(1 2 3) '(10 20))", "(11 22)"},
                 {"(filter evenp '(1 2 3 4))", "(2 4)"},
                 {"(reduce + '(1 2 3 4))", "10"},
                 {"(apply max '(3 1 4))", "4"},
                 {"(let ((x 3)) `(1 ,x ,@(list 4 5)))", "(1 3 4 5)"},
                 {"(and 1 2)", "2"},
                 {"(or nil 3)", "3"},
                 {"(unless (= 1 1) 2)", "nil"},
                 {"(step 0 4 15)", "(0 4 8 12)"},
                 {"(count 3 4)", "(3 4 5 6)"},
                 {"(coord 1 2)", "9"},
                 {"(coords 9)", "(1 2 0)"},
                 {"cols", "((0 4 8 12) (1 5 9 13) (2 6 10 14) (3 7 11 15))"},
                 {"(length rows)", "4"},
                 {"*xsize*", "4"}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        /* in a program of its own, whose label says whether it is what it must be */
        char text[300];
        snprintf(text, sizeof text, "(if (equal %s '%s) (broadcast 'same 0) (broadcast 'other 0))", cases[k].form,
                 cases[k].value);
        bmf_cop_program *one = parse(text, "4x4");
        if (strcmp(one->op[0]->label, "same") != 0)
            fail_msg("%s is not %s", cases[k].form, cases[k].value);
        cop_free(one);
    }
}

/* ---- instances ---- */

static void subsets_have_relative_numbers(void **state)
{
    (void)state;
    bmf_cop_program *program = parse("(subset cols (broadcast 'b 1))", "3x4");
    const bmf_cop_operator *op = program->op[0];
    assert_int_equal(op->instances, 3);
    for (int64_t i = 0; i < 3; i++) {
        assert_int_equal(op->instance[i].nodes, 4);
        for (int64_t k = 0; k < 4; k++)
            assert_int_equal(op->instance[i].node[k], i + 3 * k);
        assert_int_equal(op->instance[i].operand[0].value, 1);
    }
    cop_free(program);
    program = parse("(subset '((2 3 6 7)) (subset '((3 0)) (stream 's 0 1)))", "4x4");
    assert_int_equal(program->op[0]->instance[0].node[0], 7);
    assert_int_equal(program->op[0]->instance[0].node[1], 2);
    cop_free(program);
}

static void doall_makes_instances(void **state)
{
    (void)state;
    bmf_cop_program *program = parse("(doall ((i (all *nodes*))) (stream 'xor i (logxor i 1)))", "4x2");
    assert_int_equal(program->operators, 1);
    assert_int_equal(program->op[0]->instances, 8);
    for (int64_t i = 0; i < 8; i++) {
        assert_int_equal(program->op[0]->instance[i].operand[0].value, i);
        assert_int_equal(program->op[0]->instance[i].operand[1].value, i ^ 1);
    }
    cop_free(program);
}

static void compounds_are_permutations(void **state)
{
    (void)state;
    bmf_cop_program *program = parse("(transpose 't (make-1d 'x) (make-1d 'z))", "3x3x3");
    const int64_t *target = program->op[0]->instance[0].operand[0].values;
    for (int64_t x = 0; x < 3; x++)
        for (int64_t y = 0; y < 3; y++)
            for (int64_t z = 0; z < 3; z++)
                assert_int_equal(target[x + 3 * y + 9 * z], y + 3 * z + 9 * x);
    cop_free(program);
    program = parse("(bitreverse 'r)", "4x4");
    static const int64_t reversed[] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
    for (int64_t n = 0; n < 16; n++)
        assert_int_equal(program->op[0]->instance[0].operand[0].values[n], reversed[n]);
    cop_free(program);
    program = parse("(define-op (both l) (call-op broadcast l 0)) (both 'b :m 7)", "4x4");
    assert_int_equal(program->op[0]->words, 7);
    cop_free(program);
    program = parse("(grid '(r l d u) 1 1)", "3x2");
    assert_int_equal(program->operators, 4);
    assert_int_equal(program->op[0]->instances, 4);
    assert_int_equal(program->op[2]->instances, 3);
    cop_free(program);
}

/* ---- extents: document 004, Figure 6-2 and 6.1 ---- */

static void extents_of_the_figure(void **state)
{
    static const char a[] = "(subset '((1 5 9 13)) (cshift 'a 0))", b[] = "(subset '((0 4 8 12)) (broadcast 'b 3))",
                      wide_b[] = "(subset '((0 1 2 3)) (broadcast 'b 3))",
                      c[] = "(subset '((2 3 6 7 10 11 14 15)) (stream 'c (runtime) (runtime)))",
                      wide_c[] = "(subset '((1 2 3 6 7 10 11 14 15)) (stream 'c (runtime) (runtime)))";
    static const struct {
        const char *group, *part[3], *tree;
    } cases[] = {{"parallel", {a, b, c}, "disjoint(a, b, c)"},
                 {"parallel", {a, b, wide_c}, "disjoint(b, parallel(a, c))"},
                 {"parallel", {a, wide_b, c}, "parallel(a, b, c)"},
                 {"sequential", {a, b, c}, "disjoint(a, b, c)"},
                 {"sequential", {a, wide_c, b}, "sequential(a, disjoint(c, b))"},
                 {"sequential", {a, wide_b, c}, "sequential(a, b, c)"}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[500], tree[200];
        snprintf(text, sizeof text, "(%s %s %s %s)", cases[k].group, cases[k].part[0], cases[k].part[1],
                 cases[k].part[2]);
        bmf_cop_program *program = parse(text, "4x4");
        assert_string_equal(cop_tree_text(program->root, tree, sizeof tree), cases[k].tree);
        cop_free(program);
    }
}

/* ---- mistakes ---- */

static void mistakes_have_places(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"(broadcast 'b", "test.cop:1:1: this parenthesis is never closed"},
        {")", "test.cop:1:1: a parenthesis is closed"},
        {"(brodcast 'b 0)", "test.cop:1:2: 'brodcast' is not known; near names: broadcast"},
        {"\n (broadcast 'b 0 :mm 3)", "test.cop:2:3: ':mm' is no option; near names: :m"},
        {"(broadcast 'b 16)", "is node 16, outside the subset of 16"},
        {"(subset '((0 1 0)) (broadcast 'b 0))", "node 0 is in the subset twice"},
        {"(subset '((0 99)) (broadcast 'b 0))", "node 99 is outside the mesh of 16 nodes"},
        {"(doall ((i '(0 1))) (stream 's 2 i))", "two instances of 's' are written by node 2"},
        {"(broadcast 'b 0) (broadcast 'b 1)", "the label 'b' is used in two contexts, also in line 1"},
        {"(spread 's (runtime))", "the source of spread 's' cannot be known at run time only"},
        {"(stream 's (runtime :dynamic t) 0)", "the source of stream 's' cannot be dynamic"},
        {"(cshift 'c (runtime :distributed t))", "cannot be distributed"},
        {"(broadcast 'b 0 :m 0)", ":m is 0"},
        {"(allreduce 'r nil)", "allreduce 'r' needs a function"},
        {"(allreduce 'r)", "allreduce 'r' needs a function"},
        {"(permute 'p '(0 1 2))", "has 3 targets for 16 nodes"},
        {"(broadcast 'b 0 :type float64* :m 3)", "messages of 3 words do not hold whole elements"},
        {"(broadcast 'b-c 0)", "the label 'b-c' is no name in C"},
        {"(broadcast 'b (/ 7 2))", "7 / 2 has a rest"},
        {"(define (f n) (f (+ n 1))) (f 0)", "deeper than 2000"},
        {"(do ((i 0 (+ i 1))) (nil) i)", "does not end within 10000000 steps"},
        {"(do ((x 1 (list x)) (y 1 (list y))) ((equal (list x) y)))", "lists inside each other deeper than 2000"},
        {"(let ((x (broadcast 'a 0))) (dotimes (k 9000) (set! x (optional x))) x)",
         "groups inside each other deeper than 2000"},
        {"(let ((x (broadcast 'a 0))) (dotimes (k 60) (set! x (sequential x x))) x)",
         "groups of more than 1000000 operators in all"},
        {"(+ 9223372036854775807 1)", "does not fit into 64 bits"},
        {"(parallel (broadcast 'a 0) (sequential (broadcast 'b 0) (broadcast 'c 0)) (broadcast 'd 0))",
         "sequential(b, c) is in a parallel group, has operators in sequence, and is not the last"},
        {"", "the program has no operators"}};
    const bmf_cop_settings settings = settings_for("4x4");
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bmf_cop_program *program = NULL;
        const char *text = cases[k].text;
        assert_int_equal(cop_parse(text, (int64_t)strlen(text), "test.cop", &settings, &program), BMF_ERROR_FILE);
        if (!strstr(bmf_error_text(NULL), cases[k].says) || strncmp(bmf_error_text(NULL), "test.cop:", 9) != 0)
            fail_msg("%s: '%s' does not say '%s'", text, bmf_error_text(NULL), cases[k].says);
    }
}

static void text_in_c_programs(void **state)
{
    static const char good[] = "\n;/*\n(broadcast 'b 0)\n(broadcast 'c 9)\n*/\nint x = ')';\n";
    const bmf_cop_settings settings = settings_for("2x2");
    bmf_cop_program *program = NULL;
    (void)state;
    assert_int_equal(cop_parse(good, (int64_t)strlen(good), "p.c", &settings, &program), BMF_ERROR_FILE);
    assert_non_null(strstr(bmf_error_text(NULL), "p.c:4:2: the source of broadcast 'c'"));
    assert_int_equal(cop_parse("int x;", 6, "p.c", &settings, &program), BMF_ERROR_FILE);
    assert_non_null(strstr(bmf_error_text(NULL), "p.c:1:1: a C program begins with its COP text"));
    assert_int_equal(cop_parse("(a\0b)", 5, "p.cop", &settings, &program), BMF_ERROR_FILE);
    assert_string_equal(bmf_error_text(NULL), "p.cop:1:2: a control character");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lisp_values),           cmocka_unit_test(subsets_have_relative_numbers),
        cmocka_unit_test(doall_makes_instances), cmocka_unit_test(compounds_are_permutations),
        cmocka_unit_test(extents_of_the_figure), cmocka_unit_test(mistakes_have_places),
        cmocka_unit_test(text_in_c_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
