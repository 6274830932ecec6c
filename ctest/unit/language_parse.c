/* Programs: what parses to which tree, what prints back, and the place and words of every kind of mistake. Lines and
 * columns of the mistakes are counted by hand. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "skeletons/language/front/lexer.h"
#include "skeletons/language/front/parse.h"
#include "skeletons/language/operations/operation.h"

typedef struct program {
    bmf_texts texts;
    bmf_expressions *arena;
    bmf_library library;
    bmf_parsed parsed;
} program;

static int open_bytes(program *p, const char *bytes, int64_t size)
{
    *p = (program){.arena = expressions_create()};
    int text = texts_add(&p->texts, "p.bmf", bytes, size);
    return parse_program(NULL, &p->texts, text, p->arena, &p->library, &p->parsed);
}

static int open_program(program *p, const char *bytes)
{
    return open_bytes(p, bytes, (int64_t)strlen(bytes));
}

static void close_program(program *p)
{
    library_free(&p->library);
    expressions_free(p->arena);
    texts_free(&p->texts);
}

/* Pairs of a program as somebody writes it and as it is printed. */
static const char *const printed[][2] = {
    {"B_Id", "B_Id"},
    {"b_ID", "B_Id"},
    {"((B_Id))", "B_Id"},
    {"B_Comp (B_Id) ($f)", "B_Id . $f"},
    {"B_Id . $f . B_Id", "B_Id . $f . B_Id"},
    {"B_Id . ($f . B_Id)", "B_Id . $f . B_Id"},
    {"(B_Id . $f) . B_Id", "(B_Id . $f) . B_Id"},
    {"B_Con (B_Int -9223372036854775808)", "B_Con (B_Int -9223372036854775808)"},
    {"B_Con (B_Int 9223372036854775807)", "B_Con (B_Int 9223372036854775807)"},
    {"B_Con (B_Int +7)", "B_Con (B_Int 7)"},
    {"B_Con (B_Real 3)", "B_Con (B_Real 3.0)"},
    {"B_Con (B_Real 100000000000000000000)", "B_Con (B_Real 1e+20)"},
    {"B_Con (B_Real -2.50e-3)", "B_Con (B_Real -0.0025)"},
    {"B_Con (B_Real 1E3)", "B_Con (B_Real 1000.0)"},
    {"B_Con (B_Real -inf)", "B_Con (B_Real -inf)"},
    {"B_Con (B_Real nan)", "B_Con (B_Real nan)"},
    {"B_Con (b_real -0.0)", "B_Con (B_Real -0.0)"},
    {"B_Con (B_True)", "B_Con (B_True)"},
    {"B_con (b_false)", "B_Con (B_False)"},
    {"B_AllTup [B_Id]", "B_Alltup [B_Id]"},
    {"B_Alltup [B_Id,B_Id . B_Id,$x]", "B_Alltup [B_Id, B_Id . B_Id, $x]"},
    {"B_Allvec []", "B_Allvec []"},
    {"B_Record [ x ,y_2]. B_Id", "B_Record [x, y_2] . B_Id"},
    {"b_field(x). B_WITH [B]", "B_Field (x) . B_With [B]"},
    {"B_AllVec [ $a , $b ]", "B_Allvec [$a, $b]"},
    {"B_OP (B_Plus)", "B_Op (B_Plus)"},
    {"B_Op (B_Dist1)", "B_Op (B_Distl)"},
    {"B_Op(B_Conc)", "B_Op (B_Conc)"},
    {"B_Op (B_Int)", "B_Op (B_Int)"},
    {"B_Addr (B_Num 2) (B_Num 3)", "B_Addr (B_Num 2) (B_Num 3)"},
    {"B_Addr (B_Num 32) (B_Num 32)", "B_Addr (B_Num 32) (B_Num 32)"},
    {"B_Map ($f)", "B_Map ($f)"},
    {"P_Map (B_Map ($f))", "P_Map (B_Map ($f))"},
    {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))", "B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))"},
    {"P_Reduce (B_Op (B_Conc))", "P_Reduce (B_Op (B_Conc))"},
    {"B_Scan (B_Op (B_Max))", "B_Scan (B_Op (B_Max))"},
    {"P_Scan (B_Op (B_Max)) ($d)", "P_Scan (B_Op (B_Max)) ($d)"},
    {"B_Zip", "B_Zip"},
    {"P_Zip . B_Id", "P_Zip . B_Id"},
    {"P_Zip (B_Op (B_Min))", "P_Zip (B_Op (B_Min))"},
    {"B_Split (B_Num 4)", "B_Split (B_Num 4)"},
    {"B_Shift (B_Num -4)", "B_Shift (B_Num -4)"},
    {"P_Stencil (B_Num 1) (B_Num 2) (B_Id)", "P_Stencil (B_Num 1) (B_Num 2) (B_Id)"},
    {"p_shift (B_Num 4) (B_Id)", "P_Shift (B_Num 4) (B_Id)"},
    {"B_Stencil (B_Num 2) (B_Id)", "B_Stencil (B_Num 2) (B_Id)"},
    {"P_Blocks (B_Num 2) (B_Num 3)", "P_Blocks (B_Num 2) (B_Num 3)"},
    {"B_Blocks(B_Num 2)(B_Num 0)(B_Procs)", "B_Blocks (B_Num 2) (B_Num 0) (B_Procs)"},
    {"P_Join . B_Join (B_Num 1) (B_Num 2)", "P_Join . B_Join (B_Num 1) (B_Num 2)"},
    {"P_Stencil (B_Num 2) (B_Id) (B_Con (B_Int 1))", "P_Stencil (B_Num 2) (B_Id) (B_Con (B_Int 1))"},
    {"P_Reduce_by_key (B_Id) (B_Con (B_Int 1))", "P_Reduce_by_key (B_Id) (B_Con (B_Int 1))"},
    {"P_Sort_by (B_Id) . B_Group (B_Id)", "P_Sort_by (B_Id) . B_Group (B_Id)"},
    {"P_Group (B_Id) . P_Unique", "P_Group (B_Id) . P_Unique"},
    {"P_Split (B_Num 4)", "P_Split (B_Num 4) (B_Num 0)"},
    {"P_Split (B_Num 4) (B_Num 2)", "P_Split (B_Num 4) (B_Num 2)"},
    {"B_Filter ($p)", "B_Filter ($p)"},
    {"B_If ($p) ($f) ($g)", "B_If ($p) ($f) ($g)"},
    {"B_While ($p) ($f)", "B_While ($p) ($f)"},
    {"P_Distl . P_Dist1 . P_Project", "P_Distl . P_Distl . P_Project"},
    {"# a comment\n\tB_Id # . B_Id\r\n . # more\n$f", "B_Id . $f"},
    {"\xef\xbb\xbf"
     "B_Id",
     "B_Id"},
};

static void programs_print_as_they_mean(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        program p;
        if (open_program(&p, printed[i][0]) != BMF_OK)
            fail_msg("%s: %s", printed[i][0], bmf_error_text(NULL));
        char *text = expression_print(p.parsed.expression, -1);
        assert_string_equal(text, printed[i][1]);
        assert_false(p.parsed.has_data);
        free(text);
        close_program(&p);
    }
}

static void assert_parses_to(const char *text, const bmf_expression *expected)
{
    program again;
    if (open_program(&again, text) != BMF_OK)
        fail_msg("%s: %s", text, bmf_error_text(NULL));
    assert_true(expression_equal(again.parsed.expression, expected));
    close_program(&again);
}

static void what_is_printed_parses_to_an_equal_tree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        program p;
        assert_int_equal(open_program(&p, printed[i][0]), BMF_OK);
        assert_parses_to(printed[i][1], p.parsed.expression);
        close_program(&p);
    }
}

static void different_programs_differ(void **state)
{
    (void)state;
    static const char *const different[] = {"B_Id",
                                            "$a",
                                            "$A",
                                            "B_Map ($a)",
                                            "P_Map ($a)",
                                            "B_Id . $a",
                                            "$a . B_Id",
                                            "B_Con (B_Int 1)",
                                            "B_Con (B_Int 2)",
                                            "B_Con (B_Real 1)",
                                            "B_Con (B_Real 0.0)",
                                            "B_Con (B_Real -0.0)",
                                            "B_Con (B_True)",
                                            "B_Con (B_False)",
                                            "B_Zip",
                                            "B_Zip ($a)",
                                            "B_Op (B_Distl)",
                                            "P_Distl",
                                            "B_Op (B_Plus)",
                                            "B_Split (B_Num 1)",
                                            "B_Split (B_Num 2)",
                                            "P_Split (B_Num 2) (B_Num 1)",
                                            "B_Alltup [$a]",
                                            "B_Allvec [$a]",
                                            "B_Allvec [$a, $a]",
                                            "B_Reduce ($a)",
                                            "B_Reduce ($a) ($a)",
                                            "(B_Id . $a) . $a",
                                            "B_Id . ($a . $a)"};
    enum { COUNT = sizeof different / sizeof different[0] };
    program p[COUNT];
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(open_program(&p[i], different[i]), BMF_OK);
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++)
            assert_int_equal(expression_equal(p[i].parsed.expression, p[j].parsed.expression), i == j);
    for (int i = 0; i < COUNT; i++)
        close_program(&p[i]);
}

/* A chain of alternately bracketed parts that does not fit in one line. */
static void broken_lines_are_short_and_parse_back(void **state)
{
    (void)state;
    char text[4000] = "B_Alltup [$first";
    for (int k = 0; k < 12; k++)
        strcat(text, ", B_Map (B_If ($a_condition_with_a_name) (B_Op (B_Plus) . B_Alltup [B_Id, B_Con (B_Int 3)]) "
                     "(B_Reduce (B_Op (B_Plus) . $quite_a_long_name) (B_Con (B_Int 0)) . ($a . $b) . $c))");
    strcat(text, "]");
    program p;
    assert_int_equal(open_program(&p, text), BMF_OK);
    for (int indent = 0; indent <= 8; indent += 4) {
        char *broken = expression_print(p.parsed.expression, indent);
        for (const char *line = broken, *end; line; line = end ? end + 1 : NULL) {
            end = strchr(line, '\n');
            assert_in_range(end ? (size_t)(end - line) : strlen(line), 1, 100);
            assert_int_equal(strspn(line, " ") >= (size_t)indent, 1);
        }
        assert_non_null(strchr(broken, '\n'));
        assert_parses_to(broken, p.parsed.expression);
        free(broken);
    }
    close_program(&p);
}

static void spans_cover_keyword_and_operands(void **state)
{
    (void)state;
    program p;
    assert_int_equal(open_program(&p, "B_Map (B_Id) . (B_Op (B_Abs))  [1]"), BMF_OK);
    const bmf_expression *comp = p.parsed.expression;
    assert_int_equal(comp->kind, BMF_EXPRESSION_COMP);
    assert_int_equal(comp->span.begin, 0);
    assert_int_equal(comp->span.end, 29);
    assert_int_equal(comp->child[0]->span.end, 12);
    assert_int_equal(comp->child[0]->child[0]->span.begin, 7);
    assert_int_equal(comp->child[0]->child[0]->span.end, 11);
    assert_int_equal(comp->child[1]->span.begin, 22); /* of an operation its name alone */
    assert_int_equal(comp->child[1]->span.end, 27);
    assert_true(p.parsed.has_data);
    assert_int_equal(p.parsed.data.begin, 31);
    assert_int_equal(p.parsed.data.end, 34);
    close_program(&p);
}

static void definitions_precede_the_program(void **state)
{
    (void)state;
    program p;
    assert_int_equal(open_program(&p, "$f = B_Id\n$g = $f . $f $h=$g\n($h) . $f {1}"), BMF_OK);
    assert_int_equal(p.library.count, 3);
    assert_string_equal(p.library.definition[1].name, "g");
    assert_int_equal(p.library.definition[1].span.begin, 10);
    assert_int_equal(p.library.definition[1].span.end, 12);
    assert_int_equal(library_find(&p.library, "h")->expression->kind, BMF_EXPRESSION_NAME);
    assert_null(library_find(&p.library, "H"));
    assert_int_equal(library_check(NULL, &p.texts, &p.library, p.parsed.expression), BMF_OK);
    assert_true(p.parsed.has_data);
    close_program(&p);
}

typedef struct mistake {
    const char *text, *place, *words;
} mistake;

static const mistake mistakes[] = {
    {"", "1:1", "an expression expected, found the end of the text"},
    {" \n# only a comment\n", "3:1", "an expression expected, found the end of the text"},
    {"B_Map", "1:6", "'(' expected, found the end of the text"},
    {"B_Map (", "1:8", "an expression expected, found the end of the text"},
    {"B_Map (B_Id", "1:12", "')' expected, found the end of the text; it closes the '(' at 1:7"},
    {"B_Map\n(B_Id]", "2:6", "')' expected, found ']'; it closes the '(' at 2:1"},
    {"B_Map [B_Id]", "1:7", "'(' expected, found '['"},
    {"B_Map ()", "1:8", "an expression expected, found ')'"},
    {"B_Map (1)", "1:8", "an expression expected, found 1"},
    {"B_Comp (B_Id)", "1:14", "'(' expected"},
    {"B_If (B_Id) (B_Id) 3", "1:20", "'(' expected, found 3"},
    {"B_While (B_Id) B_Id", "1:16", "'(' expected, found B_Id"},
    {"B_Id .", "1:7", "an expression expected, found the end of the text"},
    {"B_Id . . B_Id", "1:8", "an expression expected, found '.'"},
    {". B_Id", "1:1", "an expression expected, found '.'"},
    {"B_Id )", "1:6", "data or the end of the program expected, found ')'"},
    {"B_Id (1)", "1:6", "data or the end of the program expected, found '('"},
    {"B_Id , 1", "1:6", "data or the end of the program expected, found ','"},
    {"B_Id $f", "1:6", "does a '.' belong before it?"},
    {"B_Id B_Id 1", "1:6", "does a '.' belong before it?"},
    {"B_Id = 3", "1:6", "data or the end of the program expected, found '='"},
    {"$f =", "1:5", "an expression expected, found the end of the text"},
    {"$f = 3", "1:6", "an expression expected, found 3"},
    {"$ B_Id", "1:1", "a name of letters, digits and _ belongs behind $"},
    {"B_Map ($)", "1:8", "a name of letters, digits and _ belongs behind $"},
    {"$f = B_Id $f = B_Id B_Id", "1:11", "$f is defined twice; first at p.bmf:1:1"},
    {"\n$f = B_Id", "2:10", "an expression expected, found the end of the text"},
    {"B_Redcue (B_Id)", "1:1", "unknown keyword B_Redcue; is B_Reduce meant?"},
    {"hello", "1:1", "unknown keyword hello"},
    {"P_Filter (B_Id)", "1:1", "unknown keyword P_Filter; is B_Filter meant?"},
    {"B_Plus", "1:1", "B_Plus is an operation: write B_Op (B_Plus)"},
    {"B_Map (b_sqrt)", "1:8", "b_sqrt is an operation: write B_Op (B_Sqrt)"},
    {"B_Int 3", "1:1", "write B_Op (B_Int) for the conversion, B_Con (B_Int ..) for a constant"},
    {"B_True", "1:1", "an expression expected, found B_True"},
    {"B_Num 3", "1:1", "an expression expected, found B_Num"},
    {"B_Op (B_Map)", "1:7", "an operation such as B_Plus expected, found B_Map"},
    {"B_Op (B_Pluss)", "1:7", "an operation expected, found B_Pluss; is B_Plus meant?"},
    {"B_Op (3)", "1:7", "an operation such as B_Plus expected, found 3"},
    {"B_Op B_Plus", "1:6", "'(' expected, found B_Plus"},
    {"B_Op (B_Plus", "1:13", "')' expected"},
    {"B_Con 3", "1:7", "'(' expected, found 3"},
    {"B_Con (3)", "1:8", "B_Int, B_Real, B_True or B_False expected, found 3"},
    {"B_Con (B_Int 2.5)", "1:14", "2.5 is no int; write B_Real"},
    {"B_Con (B_Int x)", "1:14", "a whole number expected, found x"},
    {"B_Con (B_Int inf)", "1:14", "a whole number expected, found inf"},
    {"B_Con (B_Int -inf)", "1:14", "-inf is no int"},
    {"B_Con (B_Real B_Id)", "1:15", "a number expected, found B_Id"},
    {"B_Con (B_Real)", "1:14", "a number expected, found ')'"},
    {"B_Con (B_Int 9223372036854775808)", "1:14", "9223372036854775808 does not fit a 64-bit int"},
    {"B_Con (B_Int -9223372036854775809)", "1:14", "does not fit a 64-bit int"},
    {"B_Con (B_Real 1e400)", "1:15", "1e400 does not fit a real"},
    {"B_Con (B_Int 12abc)", "1:14", "12abc is no number"},
    {"B_Con (B_Int -)", "1:14", "- is no number"},
    {"B_Con (B_Real 1.2.3)", "1:15", "1.2.3 is no number"},
    {"B_Con (B_Real 1e)", "1:15", "1e is no number"},
    {"B_Con (B_Int 1 2)", "1:16", "')' expected, found 2"},
    {"B_Con (B_True 1)", "1:15", "')' expected, found 1"},
    {"B_Alltup []", "1:11", "B_Alltup needs at least one expression"},
    {"B_Alltup (B_Id)", "1:10", "'[' expected, found '('"},
    {"B_Alltup [B_Id", "1:15", "']' expected, found the end of the text; it closes the '[' at 1:10"},
    {"B_Allvec [B_Id,]", "1:16", "an expression expected, found ']'"},
    {"B_Allvec [B_Id B_Id]", "1:16", "']' expected, found B_Id"},
    {"B_Allvec [B_Id; B_Id]", "1:15", "']' expected, found ';'"},
    {"B_Addr (1) (2)", "1:9", "B_Num expected, found 1"},
    {"B_Addr (B_Num 0) (B_Num 2)", "1:8", "components of a tuple of 2 are 1 to 2, not 0"},
    {"B_Addr (B_Num 3) (B_Num 2)", "1:8", "components of a tuple of 2 are 1 to 2, not 3"},
    {"B_Addr (B_Num 1) (B_Num 33)", "1:18", "a tuple has 1 to 32 components, not 33"},
    {"B_Addr (B_Num 1)", "1:17", "'(' and B_Num expected"},
    {"B_Addr (B_Num -1) (B_Num 2)", "1:15", "-1 is no whole number from 0 on"},
    {"B_Split (B_Num 1.5)", "1:16", "1.5 is no whole number from 0 on"},
    {"B_Split (B_Num x)", "1:16", "a whole number expected, found x"},
    {"B_Split (B_Num 99999999999999999999)", "1:16", "does not fit a 64-bit int"},
    {"B_Split 3", "1:9", "'(' and B_Num expected, found 3"},
    {"B_Split (B_Num 3) (B_Num 1)", "1:19", "data or the end of the program expected, found '('"},
    {"P_Split (B_Num 3) (B_Id)", "1:20", "B_Num or B_Procs expected, found B_Id"},
    {"B_Addr (B_Procs) (B_Num 2)", "1:9", "B_Num expected, found B_Procs"},
    {"B_Stencil (B_Num 1) (B_Num 0) (B_Id)", "1:1", "B_Stencil reaches 1 or more points to each side, found 0"},
    {"B_Shift (B_Num 1.5)", "1:16", "1.5 is no whole number from -2^40 to 2^40"},
    {"B_Shift (B_Num -1099511627777)", "1:16", "-1099511627777 is no whole number from -2^40 to 2^40"},
    {"B_Shift (B_Procs)", "1:10", "B_Num expected, found B_Procs"},
    {"B_Shift (B_Num 1) (B_Id) (B_Id)", "1:26", "data or the end of the program expected, found '('"},
    {"B_Stencil (B_Num 1)", "1:20", "'(' expected, found the end of the text"},
    {"P_Blocks (B_Num 1)", "1:19", "'(' and B_Num expected, found the end of the text"},
    {"P_Blocks (B_Num 1) (B_Id)", "1:21", "B_Num or B_Procs expected, found B_Id"},
    {"B_Join (B_Num 1) 5", "1:18", "'(' and B_Num expected, found 5"},
    {"B_Stencil (B_Id)", "1:12", "B_Num expected, found B_Id"},
    {"B_Reduce_by_key (B_Op (B_Plus)) {2, []}", "1:33", "'(' expected, found '{'"},
    {"B_Sort_by {1}", "1:11", "'(' expected, found '{'"},
    {"P_Split (B_Num 3) (B_Num 63)", "1:19", "at most 62"},
    {"P_Distl (B_Id)", "1:9", "data or the end of the program expected, found '('"},
    {"B_Id @", "1:6", "found '@'"},
    {"\xc3\xa4", "1:1", "found the byte 0xc3"},
    {"B_Id . \xff", "1:8", "found the byte 0xff"},
    {"# \xc3\xa4\xc3\xb6\nB_Map (\x01)", "2:8", "found the byte 0x01"},
};

static void assert_mistake(int status, const mistake *m)
{
    char start[64];
    snprintf(start, sizeof start, "p.bmf:%s: ", m->place);
    const char *text = bmf_error_text(NULL);
    if (status == BMF_OK || strncmp(text, start, strlen(start)) != 0 || !strstr(text, m->words))
        fail_msg("\"%s\": expected %s .. %s, found %s", m->text, start, m->words, status == BMF_OK ? "none" : text);
    assert_int_equal(bmf_exit_code(status), 2);
}

static void mistakes_are_found_where_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        program p;
        assert_mistake(open_program(&p, mistakes[i].text), &mistakes[i]);
        assert_int_equal(p.library.count, 0);
        close_program(&p);
    }
}

static void a_zero_byte_is_no_text(void **state)
{
    (void)state;
    program p;
    const mistake m = {"B_Id\\0", "1:5", "found the byte 0x00"};
    assert_mistake(open_bytes(&p, "B_Id\0B_Id", 9), &m);
    close_program(&p);
}

static const mistake library_mistakes[] = {
    {"$a", "1:1", "$a is not defined"},
    {"$Increment = B_Id $increment2", "1:19", "$increment2 is not defined; is $Increment meant?"},
    {"$a = B_Map ($b) B_Id", "1:13", "$b is not defined; is $a meant?"},
    {"$a = $a B_Id", "1:6", "a definition uses itself: $a -> $a"},
    {"$a = $b\n$b = B_Map ($c)\n$c = B_Alltup [B_Id, $a]\nB_Id", "3:22",
     "a definition uses itself: $a -> $b -> $c -> $a"},
    {"$x = $b\n$b = $c\n$c = $b\n$x", "3:6", "a definition uses itself: $b -> $c -> $b"},
};

static void libraries_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof library_mistakes / sizeof library_mistakes[0]; i++) {
        program p;
        assert_int_equal(open_program(&p, library_mistakes[i].text), BMF_OK);
        assert_mistake(library_check(NULL, &p.texts, &p.library, p.parsed.expression), &library_mistakes[i]);
        close_program(&p);
    }
}

static void library_files_hold_definitions_only(void **state)
{
    (void)state;
    bmf_texts texts = {0};
    bmf_library library = {0};
    bmf_expressions *arena = expressions_create();
    int first = texts_add(&texts, "lib.bmf", "$a = B_Id\n  $b = $a . $a", 24);
    int second = texts_add(&texts, "p.bmf", "$c = B_Id\n$b = B_Id", 19);
    int third = texts_add(&texts, "p.bmf", "$d = B_Id 3", 11);
    assert_int_equal(parse_library(NULL, &texts, first, arena, &library), BMF_OK);
    assert_int_equal(library.count, 2);
    const mistake twice = {"", "2:1", "$b is defined twice; first at lib.bmf:2:3"};
    assert_mistake(parse_library(NULL, &texts, second, arena, &library), &twice);
    assert_int_equal(library.count, 2);
    const mistake data = {"", "1:11", "a definition, $name = expression, expected, found 3"};
    assert_mistake(parse_library(NULL, &texts, third, arena, &library), &data);
    library_free(&library);
    expressions_free(arena);
    texts_free(&texts);
}

/* `count` times open, then middle, then `count` times close. */
static char *nested(const char *open, const char *middle, const char *close, int count)
{
    size_t size = (strlen(open) + strlen(close)) * (size_t)count + strlen(middle) + 1;
    char *text = malloc(size), *at = text;
    for (int k = 0; k < count; k++)
        at = stpcpy(at, open);
    at = stpcpy(at, middle);
    for (int k = 0; k < count; k++)
        at = stpcpy(at, close);
    return text;
}

static void assert_nesting(const char *open, const char *middle, const char *close, int count, bool fits)
{
    program p;
    char *text = nested(open, middle, close, count);
    int status = open_program(&p, text);
    if (status == BMF_OK)
        status = library_check(NULL, &p.texts, &p.library, p.parsed.expression);
    assert_int_equal(status, fits ? BMF_OK : BMF_ERROR_USAGE);
    if (fits) {
        char *line = expression_print(p.parsed.expression, 0);
        assert_parses_to(line, p.parsed.expression);
        free(line);
    } else {
        assert_non_null(strstr(bmf_error_text(NULL), "deep"));
    }
    close_program(&p);
    free(text);
}

static void nesting_is_limited(void **state)
{
    (void)state;
    assert_nesting("(", "B_Id", ")", BMF_MAX_NESTING, true);
    assert_nesting("(", "B_Id", ")", BMF_MAX_NESTING + 1, false);
    assert_nesting("B_Map (", "B_Id", ")", BMF_MAX_NESTING, true);
    assert_nesting("(", "", "", 10000, false);
    assert_nesting("B_Map (", "B_Id", ")", 10000, false);
    assert_nesting("B_Allvec [", "B_Id", "]", 10000, false);
    assert_nesting("B_Id . ", "B_Id", "", BMF_MAX_DEPTH, true);
    assert_nesting("B_Id . ", "B_Id", "", BMF_MAX_DEPTH + 1, false);
    assert_nesting("B_Id . ", "B_Id", "", 1000000, false);
}

/* $n0 = B_Id, $n1 = FORM ($n0), .. : `count` definitions, each of which uses the one before it. */
static int check_tower(const char *format, int count)
{
    program p;
    char *text = malloc((size_t)count * 80 + 20), *at = text;
    at += sprintf(at, "$n0 = B_Id\n");
    for (int k = 1; k < count; k++) {
        at += sprintf(at, "$n%d = ", k);
        at += sprintf(at, format, k - 1, k - 1);
        at += sprintf(at, "\n");
    }
    sprintf(at, "B_Id");
    assert_int_equal(open_program(&p, text), BMF_OK);
    int status = library_check(NULL, &p.texts, &p.library, p.parsed.expression);
    close_program(&p);
    free(text);
    return status;
}

static void definitions_do_not_explode(void **state)
{
    (void)state;
    assert_int_equal(check_tower("B_Map ($n%d)", 100), BMF_OK);
    assert_int_equal(check_tower("B_Map ($n%d)", 5000), BMF_ERROR_USAGE);
    assert_non_null(strstr(bmf_error_text(NULL), "nested more than 1000 deep"));
    assert_int_equal(check_tower("$n%d . $n%d", 15), BMF_OK);
    assert_int_equal(check_tower("$n%d . $n%d", 64), BMF_ERROR_USAGE);
    assert_non_null(strstr(bmf_error_text(NULL), "more than 1000000 parts"));
}

static void copies_have_their_own_children(void **state)
{
    (void)state;
    program p;
    assert_int_equal(open_program(&p, "B_Comp ($f) (B_Id)"), BMF_OK);
    bmf_expression *copy = expression_copy(p.arena, p.parsed.expression);
    assert_true(expression_equal(copy, p.parsed.expression));
    assert_ptr_equal(copy->child[0], p.parsed.expression->child[0]);
    copy->child[0] = copy->child[1];
    assert_false(expression_equal(copy, p.parsed.expression));
    close_program(&p);
}

/* The tables of forms and operations: every word is one keyword's, and it is found again without regard to case. */
static void every_keyword_is_found(void **state)
{
    (void)state;
    bmf_keyword keyword;
    int words = 0;
    for (int n = 0; keyword_at(n, &keyword); n++) {
        if (!keyword.text || keyword.text[1] != '_')
            continue;
        char lower[32];
        for (int k = 0; k <= (int)strlen(keyword.text); k++)
            lower[k] = (char)tolower((unsigned char)keyword.text[k]);
        const bmf_text text = {.bytes = lower, .size = (int64_t)strlen(lower)};
        bmf_keyword found = keyword_of(&text, token_next(&text, 0));
        assert_string_equal(found.text, keyword.text);
        assert_int_equal(found.role, keyword.role);
        assert_int_equal(found.kind, keyword.kind);
        assert_int_equal(found.operation, keyword.operation);
        words++;
    }
    assert_true(words >= 55);
}

/* The checker puts tuples and their components in the place of records. */
static bool is_of_records(int kind)
{
    return kind == BMF_EXPRESSION_RECORD || kind == BMF_EXPRESSION_FIELD || kind == BMF_EXPRESSION_WITH;
}

/* What every descriptor must say. */
static void every_form_and_operation_is_whole(void **state)
{
    (void)state;
    for (int k = 0; k < BMF_EXPRESSION_KINDS; k++) {
        const bmf_expression_form *form = form_of_kind((bmf_expression_kind)k);
        assert_non_null(form->keyword);
        assert_non_null(form->check);
        assert_true(form->evaluate || k == BMF_EXPRESSION_NAME || k == BMF_EXPRESSION_RING || is_of_records(k));
        assert_true(!form->parallel || (form->is_parallel && form->evaluate_parallel && form->places));
        assert_true(form->min_operands >= 0 && form->min_operands <= form->max_operands && form->max_operands <= 3);
        assert_true(!form->is_kernel || form->is_scalar);
    }
    for (int k = 0; k < BMF_OPERATIONS; k++) {
        const bmf_operation_descriptor *operation = operation_descriptor((bmf_operation)k);
        const bool of_lists = operation->signature == BMF_SIGNATURE_LISTS;
        assert_non_null(operation->keyword);
        assert_true(of_lists == !!operation->check && of_lists == !!operation->evaluate);
        assert_true(!operation->is_parallel == !operation->evaluate_parallel);
        assert_true(!operation->parallel || operation->is_parallel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_print_as_they_mean),
        cmocka_unit_test(what_is_printed_parses_to_an_equal_tree),
        cmocka_unit_test(different_programs_differ),
        cmocka_unit_test(broken_lines_are_short_and_parse_back),
        cmocka_unit_test(spans_cover_keyword_and_operands),
        cmocka_unit_test(definitions_precede_the_program),
        cmocka_unit_test(mistakes_are_found_where_they_are),
        cmocka_unit_test(a_zero_byte_is_no_text),
        cmocka_unit_test(libraries_are_checked),
        cmocka_unit_test(library_files_hold_definitions_only),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(definitions_do_not_explode),
        cmocka_unit_test(copies_have_their_own_children),
        cmocka_unit_test(every_keyword_is_found),
        cmocka_unit_test(every_form_and_operation_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
