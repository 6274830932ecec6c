/* The notation: what translates to which core, the way back, and the formatter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/reference/random_language.h"
#include "ctest/support/testing.h"
#include "runtime/backend/backend.h"
#include "skeletons/language/notation/core.h"
#include "skeletons/language/notation/format.h"
#include "skeletons/language/notation/lexer.h"
#include "skeletons/language/notation/print.h"
#include "skeletons/language/notation/source.h"

typedef struct program {
    bmf_texts texts;
    bmf_expressions *arena;
    bmf_library library;
    bmf_parsed parsed;
} program;

static int open_program(program *p, const char *text)
{
    *p = (program){.arena = expressions_create(), .texts.processors = 4};
    texts_add(&p->texts, "p.bmf", text, (int64_t)strlen(text));
    return source_parse(NULL, &p->texts, 1, p->arena, &p->library, &p->parsed);
}

static void close_program(program *p)
{
    library_free(&p->library);
    expressions_free(p->arena);
    texts_free(&p->texts);
}

/* Definitions and the expression of a program, each on a line. */
static char *core_of(const char *text)
{
    char *core = NULL;
    size_t size = 0;
    program p;
    if (open_program(&p, text) != BMF_OK)
        fail_msg("%s\n%s", text, bmf_error_text(NULL));
    FILE *out = open_memstream(&core, &size);
    for (int k = 0; k < p.library.count; k++) {
        char *line = expression_print(p.library.definition[k].expression, -1);
        fprintf(out, "$%s = %s\n", p.library.definition[k].name, line);
        free(line);
    }
    char *line = expression_print(p.parsed.expression, -1);
    fprintf(out, "%s", line);
    free(line);
    fclose(out);
    close_program(&p);
    return core;
}

/* Worked out by hand from the rules of docs/language.md. */
static const char *const translated[][2] = {
    {"main(x) = x", "B_Id"},
    {"main = 2", "B_Con (B_Int 2)"},
    {"main = -2.5", "B_Con (B_Real -2.5)"},
    {"main = -inf", "B_Con (B_Real -inf)"},
    {"main = true", "B_Con (B_True)"},
    {"main(a, b) = a + b", "B_Op (B_Plus)"},
    {"main(a, b) = b - a", "B_Op (B_Minus) . B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) (B_Num 2)]"},
    {"main(x) = -x", "B_Op (B_Uminus)"},
    {"main(x) = -(2)", "B_Op (B_Uminus) . B_Con (B_Int 2)"},
    {"main(x) = x -1", "B_Op (B_Minus) . B_Alltup [B_Id, B_Con (B_Int 1)]"},
    {"main(a, b) = a != b", "B_Op (B_Ne)"},
    {"main(a, b) = not a == b", "B_Op (B_Not) . B_Op (B_Eq)"},
    {"main(a, b) = -a ** b", "B_Op (B_Uminus) . B_Op (B_Pow)"},
    {"main(a, b) = max(a, b)", "B_Op (B_Max)"},
    {"main(xs, i) = xs[i]", "B_Op (B_Index)"},
    {"main(xs, ys) = xs ++ ys", "B_Op (B_Conc)"},
    {"main(n) = 0 ..< n", "B_Op (B_Iota)"},
    {"main(n) = 2 ..< n", "B_Map (B_Op (B_Plus) . B_Alltup [B_Id, B_Con (B_Int 2)]) . B_Op (B_Iota) . "
                          "B_Op (B_Minus) . B_Alltup [B_Id, B_Con (B_Int 2)]"},
    {"main(x) = {x, [x, 1]}", "B_Alltup [B_Id, B_Allvec [B_Id, B_Con (B_Int 1)]]"},
    {"main(a, b, c) = {{a, b, c}, b}", "B_Alltup [B_Id, B_Addr (B_Num 2) (B_Num 3)]"},
    {"main({a, {b, c}}) = {b, c}", "B_Addr (B_Num 2) (B_Num 2)"},
    {"main(x) = if x > 0 then x else 0",
     "B_If (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 0)]) (B_Id) (B_Con (B_Int 0))"},
    {"let f(x) = x * x\nmain(x) = f(f(x))", "$f = B_Op (B_Times) . B_Alltup [B_Id, B_Id]\n$f . $f"},
    {"let c = 3\nmain(x) = x + c", "$c = B_Con (B_Int 3)\nB_Op (B_Plus) . B_Alltup [B_Id, $c]"},
    {"main(x) = let y = sqrt(x) in y + y", "B_Op (B_Plus) . B_Alltup [B_Id, B_Id] . B_Op (B_Sqrt)"},
    {"main(x) = let y = sqrt(x) in x + y", "B_Op (B_Plus) . B_Alltup [B_Id, B_Op (B_Sqrt)]"},
    {"main(x, y) = let x = y in x", "B_Addr (B_Num 2) (B_Num 2)"},
    {"main(xs) = map(x -> x + 1, xs)", "B_Map (B_Op (B_Plus) . B_Alltup [B_Id, B_Con (B_Int 1)])"},
    {"main(xs) = xs |> map(sqrt) |> reduce(+)", "B_Reduce (B_Op (B_Plus)) . B_Map (B_Op (B_Sqrt))"},
    {"main(xs, m) = map(x -> x - m, xs)",
     "B_Map (B_Op (B_Minus) . B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) (B_Num 2)]) . B_Op (B_Distl) . "
     "B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) (B_Num 2)]"},
    {"main(m, xs) = map(x -> {m, x}, xs)", "B_Op (B_Distl)"},
    {"main(m, xs) = length(filter(x -> m < x, xs))", "B_Op (B_Length) . B_Filter (B_Op (B_Lt)) . B_Op (B_Distl)"},
    {"main(m, xs) = xs |> filter(x -> m < x) |> map({a, b} -> b) |> length",
     "B_Op (B_Length) . B_Map (B_Addr (B_Num 2) (B_Num 2)) . B_Map (B_Addr (B_Num 2) (B_Num 2)) . B_Filter (B_Op "
     "(B_Lt)) . B_Op (B_Distl)"},
    {"main(m, xs) = filter(x -> m < x, xs)",
     "B_Map (B_Addr (B_Num 2) (B_Num 2)) . B_Filter (B_Op (B_Lt)) . B_Op (B_Distl)"},
    {"main(xs, ys) = zip(xs, ys)", "B_Zip"},
    {"main(xs, ys) = zip(*, xs, ys)", "B_Zip (B_Op (B_Times))"},
    {"main(a, xs) = zip({x, y} -> a * x + y, xs, xs)",
     "B_Map (B_Op (B_Plus) . B_Alltup [B_Op (B_Times) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 1) "
     "(B_Num 2) . B_Addr (B_Num 2) (B_Num 2)], B_Addr (B_Num 2) (B_Num 2) . B_Addr (B_Num 2) (B_Num 2)]) . B_Op "
     "(B_Distl) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Zip . B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 2) "
     "(B_Num 2)]]"},
    {"main(xs) = reduce(max, 0, xs)", "B_Reduce (B_Op (B_Max)) (B_Con (B_Int 0))"},
    {"main(xs) = scan(+, xs)", "B_Scan (B_Op (B_Plus))"},
    {"main(xs) = reduce({a, b} -> a * b, xs)", "B_Reduce (B_Op (B_Times))"},
    {"main(xs) = split(procs, xs)", "P_Split (B_Procs) (B_Num 0)"},
    {"main(xs) = split(4, 2, xs)", "P_Split (B_Num 4) (B_Num 2)"},
    {"main(xs) = cut(3, xs)", "B_Split (B_Num 3)"},
    {"main(m) = split({2, procs}, m)", "P_Blocks (B_Num 2) (B_Procs)"},
    {"main(m) = split({_, 3, _}, m)", "P_Blocks (B_Num 0) (B_Num 3) (B_Num 0)"},
    {"main(m) = m |> cut({2, 3}) |> join({2, 3})", "B_Join (B_Num 2) (B_Num 3) . B_Blocks (B_Num 2) (B_Num 3)"},
    {"main(m) = join(m)", "B_Join"},
    {"main(n) = loop k = n while k > 1 do k / 2",
     "B_While (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 1)]) (B_Op (B_Divide) . B_Alltup [B_Id, B_Con (B_Int 2)])"},
    {"main(x) = loop y = x for i < 10 do y + y",
     "B_Addr (B_Num 2) (B_Num 2) . B_While (B_Op (B_Lt) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Con (B_Int 10)]) "
     "(B_Alltup [B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Con (B_Int 1)], B_Op (B_Plus) . B_Alltup "
     "[B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 2) (B_Num 2)]]) . B_Alltup [B_Con (B_Int 0), B_Id]"},
    {"main(a, x) = loop y = x while y < a do y + a",
     "B_Addr (B_Num 2) (B_Num 2) . B_While (B_Op (B_Lt) . B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) "
     "(B_Num 2)]) (B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr "
     "(B_Num 1) (B_Num 2)]])"},
    {"main(a, b) = {x: a, y: b}", "B_Record [x, y]"},
    {"main(a, b) = {y: b, x: a}",
     "B_Record [y, x] . B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) (B_Num 2)]"},
    {"main(p: {x: real, y: [int]}) = p.x", "B_Field (x)"},
    {"main(a: real, _: bool, {b, c}: {int, _}) = {a, c}",
     "B_Alltup [B_Addr (B_Num 1) (B_Num 3), B_Addr (B_Num 2) (B_Num 2) . B_Addr (B_Num 3) (B_Num 3)]"},
    {"main(p) = p.x", "B_Field (x)"},
    {"main(p) = p.x.y[0].z", "B_Field (z) . B_Op (B_Index) . B_Alltup [B_Field (y) . B_Field (x), B_Con (B_Int 0)]"},
    {"main(p) = {p with x: 1, y: p.z}", "B_With [x, y] . B_Alltup [B_Id, B_Con (B_Int 1), B_Field (z)]"},
    {"main(ps) = ps |> map(p -> {p with x: -p.x})",
     "B_Map (B_With [x] . B_Alltup [B_Id, B_Op (B_Uminus) . B_Field (x)])"},
    {"main(q, ps) = map(p -> p.x + q.x, ps)",
     "B_Map (B_Op (B_Plus) . B_Alltup [B_Field (x) . B_Addr (B_Num 2) (B_Num 2), B_Field (x) . B_Addr (B_Num 1) "
     "(B_Num 2)]) . B_Op (B_Distl)"},
};

static void test_translation(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof translated / sizeof translated[0]; k++) {
        char *core = core_of(translated[k][0]);
        if (strcmp(core, translated[k][1]) != 0)
            fail_msg("%s\n  expected: %s\n  found:    %s", translated[k][0], translated[k][1], core);
        free(core);
    }
}

/* Brackets that are needed stay, others go. */
static const char *const precedence[][2] = {
    {"a + b * c", "a + (b * c)"},
    {"a - b - c", "(a - b) - c"},
    {"a and b or c and d", "(a and b) or (c and d)"},
    {"not a and b", "(not a) and b"},
    {"a + b < c * d", "(a + b) < (c * d)"},
    {"xs ++ ys == zs", "(xs ++ ys) == zs"},
    {"-a * b", "(-a) * b"},
    {"-xs[a]", "-(xs[a])"},
    {"a ..< b + c |> map(sqrt)", "map(sqrt, a ..< (b + c))"},
    {"if a then b else c + d", "if a then b else (c + d)"},
    {"let e = a in e + b |> sqrt", "let e = a in sqrt(e + b)"},
    {"a mod b / c", "(a mod b) / c"},
    {"-a.x ** b.y", "-((a.x) ** (b.y))"},
    {"xs[0].x.y", "((xs[0]).x).y"},
    {"{let e = a in e with x: b}", "{(let e = a in e) with x: b}"},
    {"{if a then b else c with x: d}", "{(if a then b else c) with x: d}"},
    {"{x: a |> sqrt, y: b}", "{x: (sqrt(a)), y: (b)}"},
};

static void test_precedence(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof precedence / sizeof precedence[0]; k++) {
        char text[2][200];
        for (int i = 0; i < 2; i++)
            snprintf(text[i], sizeof text[i], "main(a, b, c, d, xs, ys, zs) = %s", precedence[k][i]);
        char *first = core_of(text[0]), *second = core_of(text[1]);
        if (strcmp(first, second) != 0)
            fail_msg("%s and %s: %s and %s", precedence[k][0], precedence[k][1], first, second);
        free(first);
        free(second);
    }
}

/* ---- the way back ---- */

/* Core to notation to core: the same but for core_normal. */
static void assert_round_trip(const bmf_expression *expression, bmf_expressions *arena, uint64_t seed)
{
    char *text = NULL;
    size_t size = 0;
    program p;
    notation_definition made;
    notation_raise(arena, NULL, "main", expression, &made);
    FILE *out = open_memstream(&text, &size);
    notation_print_definition(&made, out);
    fclose(out);
    if (open_program(&p, text) != BMF_OK) {
        fprintf(stderr, "seed %llu: %s\n%s\n", (unsigned long long)seed, bmf_error_text(NULL), text);
        fail();
    }
    const bmf_expression *normal = core_normal(arena, expression);
    if (!expression_equal(normal, p.parsed.expression)) {
        char *wanted = expression_print(normal, -1), *found = expression_print(p.parsed.expression, -1);
        fprintf(stderr, "seed %llu:\n%s\nwanted %s\nfound  %s\n", (unsigned long long)seed, text, wanted, found);
        fail();
    }
    close_program(&p);
    free(text);
}

static void test_round_trip(void **state)
{
    (void)state;
    enum { PROGRAMS = 10000 }; /* 3 seconds */
    for (uint64_t seed = 0; seed < test_cases(PROGRAMS); seed++) {
        bmf_expressions *arena = expressions_create();
        bmf_expression *expression;
        const bmf_type *type;
        bmf_column argument;
        bmf_random_program(seed, arena, &expression, &type, &argument);
        assert_round_trip(expression, arena, seed);
        column_free(&argument);
        expressions_free(arena);
    }
}

/* ---- the formatter ---- */

static const char *const formatted[][2] = {
    {"main( xs )=reduce( +,xs)", "main(xs) = reduce(+, xs)\n"},
    {"let f(x)=x*x # square  \n\n\n\nmain=f( -1 )", "let f(x) = x * x  # square\n\nmain = f(-1)\n"},
    {"# head\nlet a = 1\nmain =\nlet x = a in\nx+1", "# head\nlet a = 1\nmain =\n    let x = a in\n    x + 1\n"},
    {"main(xs) =\nxs\n|> map(x->\nx+1)\n|> reduce(+)",
     "main(xs) =\n    xs\n        |> map(x ->\n        x + 1)\n        |> reduce(+)\n"},
    {"main(xs) = xs [ 0 ] - - 1", "main(xs) = xs[0] - -1\n"},
    {"main(x) = if x>0 then(x)else[x][0]default 1", "main(x) = if x > 0 then (x) else [x][0] default 1\n"},
    {"main = 1 # end", "main = 1  # end\n"},
    {"main( p )={ x :p . x,y: -p.y }", "main(p) = {x: p.x, y: -p.y}\n"},
    {"main(p)={p with x :1,\ny:2}default{x:1,y:2}", "main(p) = {p with x: 1,\n        y: 2} default {x:1,y:2}\n"},
    {"main(ps) = ps[0] .x [1]", "main(ps) = ps[0].x[1]\n"},
};

static void test_format(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof formatted / sizeof formatted[0]; k++) {
        bmf_texts texts = {0};
        texts_add(&texts, "p.bmf", formatted[k][0], (int64_t)strlen(formatted[k][0]));
        char *once = notation_format(&texts.text[0]);
        assert_string_equal(once, formatted[k][1]);
        texts_add(&texts, "p.bmf", once, (int64_t)strlen(once));
        char *twice = notation_format(&texts.text[1]);
        assert_string_equal(twice, once);
        free(once);
        free(twice);
        texts_free(&texts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_translation),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
