/* Data as text: types that take shape while reading, mistakes and their places, printing and reading back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/front/parse.h"

static int parse_bytes(const char *bytes, int64_t size, const bmf_type **type, bmf_column *column)
{
    bmf_texts texts = {0};
    int text = texts_add(&texts, "d.bmfdata", bytes, size);
    int status = data_parse(NULL, &texts, (bmf_span){text, 0, size}, type, column);
    texts_free(&texts);
    return status;
}

static char *printed(const bmf_column *column)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(data_print(column, 0, stream), 0);
    fclose(stream);
    return text;
}

/* What is written, its type, how it prints. */
static const char *const data[][3] = {
    {"1", "int", "1"},
    {"-9223372036854775808", "int", "-9223372036854775808"},
    {"9223372036854775807", "int", "9223372036854775807"},
    {"+12", "int", "12"},
    {"-0", "int", "0"},
    {"007", "int", "7"},
    {"1.5", "real", "1.5"},
    {"1.", "real", "1.0"},
    {"3e2", "real", "300.0"},
    {"-1E-3", "real", "-0.001"},
    {"1e300", "real", "1e+300"},
    {"-0.0", "real", "-0.0"},
    {"0e99999999999999", "real", "0.0"},
    {"1e-99999999999999", "real", "0.0"},
    {"inf", "real", "inf"},
    {"-INF", "real", "-inf"},
    {"NaN", "real", "nan"},
    {"true", "bool", "true"},
    {"b_false", "bool", "false"},
    {"  # comment ] \n [ 1 ,\t2\r\n, 3 ] # end", "[int]", "[1, 2, 3]"},
    {"[1,2,3]", "[int]", "[1, 2, 3]"},
    {"[1, 2.5, -3]", "[real]", "[1.0, 2.5, -3.0]"},
    {"[1.5, 2]", "[real]", "[1.5, 2.0]"},
    {"[nan, 1]", "[real]", "[nan, 1.0]"},
    {"[true,false,B_True]", "[bool]", "[true, false, true]"},
    {"[]", "[?]", "[]"},
    {"[[], []]", "[[?]]", "[[], []]"},
    {"[[], [1], []]", "[[int]]", "[[], [1], []]"},
    {"[[[]], [], [[], [true]]]", "[[[bool]]]", "[[[]], [], [[], [true]]]"},
    {"[[1, 2], [3.5], []]", "[[real]]", "[[1.0, 2.0], [3.5], []]"},
    {"{1, 2.5, true}", "{int, real, bool}", "{1, 2.5, true}"},
    {"{[]}", "{[?]}", "{[]}"},
    {"[{1, 2}, {1.5, 3}]", "[{real, int}]", "[{1.0, 2}, {1.5, 3}]"},
    {"[{1, []}, {2, [{true, 1}]}]", "[{int, [{bool, int}]}]", "[{1, []}, {2, [{true, 1}]}]"},
    {"{{1}, {{[2, 3.0]}}}", "{{int}, {{[real]}}}", "{{1}, {{[2.0, 3.0]}}}"},
};

static void data_take_their_type_from_all_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof data / sizeof data[0]; i++) {
        const bmf_type *type;
        bmf_column column;
        char name[100];
        if (parse_bytes(data[i][0], (int64_t)strlen(data[i][0]), &type, &column) != BMF_OK)
            fail_msg("%s: %s", data[i][0], bmf_error_text(NULL));
        assert_null(column_broken(&column));
        assert_int_equal(column.count, 1);
        assert_string_equal(bmf_type_print(type, name, sizeof name), data[i][1]);
        assert_ptr_equal(bmf_type_intern(type), type);
        assert_null(strchr(bmf_type_print(column.type, name, sizeof name), '?'));
        char *text = printed(&column);
        assert_string_equal(text, data[i][2]);
        free(text);
        column_free(&column);
    }
}

typedef struct mistake {
    const char *text, *place, *words;
} mistake;

static const mistake mistakes[] = {
    {"", "1:1", "data expected, found the end of the text"},
    {"# 1\n", "2:1", "data expected, found the end of the text"},
    {"[", "1:2", "data expected, found the end of the text"},
    {"[1", "1:3", "',' or ']' for the '[' at 1:1 expected, found the end of the text"},
    {"[1,", "1:4", "data expected, found the end of the text"},
    {"[1,]", "1:4", "data expected, found ']'"},
    {"[,1]", "1:2", "data expected, found ','"},
    {"[1 2]", "1:4", "',' or ']' for the '[' at 1:1 expected, found 2"},
    {"[1}", "1:3", "',' or ']' for the '[' at 1:1 expected, found '}'"},
    {"{1]", "1:3", "',' or '}' for the '{' at 1:1 expected, found ']'"},
    {"{}", "1:1", "a tuple has at least one component"},
    {"{1,}", "1:4", "data expected, found '}'"},
    {"1 2", "1:3", "the end of the data expected, found 2"},
    {"[1]]", "1:4", "the end of the data expected, found ']'"},
    {"(1)", "1:1", "data expected, found '('"},
    {"hello", "1:1", "data expected, found hello"},
    {"$x", "1:1", "data expected, found $x"},
    {"[1, x]", "1:5", "data expected, found x"},
    {"[1, \n  @]", "2:3", "data expected, found '@'"},
    {"[1, \xff]", "1:5", "data expected, found the byte 0xff"},
    {".5", "1:1", "data expected, found '.'"},
    {"12abc", "1:1", "12abc is no number"},
    {"0x10", "1:1", "0x10 is no number"},
    {"1.2.3", "1:1", "1.2.3 is no number"},
    {"-", "1:1", "- is no number"},
    {"--1", "1:1", "-"},
    {"1e+", "1:1", "1e+ is no number"},
    {"[1, 9223372036854775808]", "1:5", "9223372036854775808 does not fit a 64-bit int"},
    {"-9223372036854775809", "1:1", "-9223372036854775809 does not fit a 64-bit int"},
    {"[1.5, 100000000000000000000000000]", "1:7", "does not fit a 64-bit int"},
    {"1e309", "1:1", "1e309 does not fit a real"},
    {"[1, true]", "1:5", "found bool after int"},
    {"[true, 1.5]", "1:8", "found real after bool"},
    {"[1, [2.5]]", "1:5", "found [real] after int"},
    {"[[1], 2]", "1:7", "found int after [int]"},
    {"[[1, 2], [true]]", "1:11", "found bool after int"},
    {"[{1, 2}, [3]]", "1:10", "found [int] after {int, int}"},
    {"[{1}, 2]", "1:7", "found int after {int}"},
    {"[{1, 2}, {1, 2, 3}]", "1:10", "a tuple of more components after one of 2"},
    {"[{1, 2}, {1}]", "1:10", "a tuple of fewer components after one of 2"},
    {"[{1, 2}, {1, [true]}]", "1:14", "found [bool] after int"},
    {"[1, [2, x]]", "1:9", "data expected, found x"},
};

static void assert_mistake(int status, const mistake *m)
{
    char start[64];
    snprintf(start, sizeof start, "d.bmfdata:%s: ", m->place);
    const char *text = bmf_error_text(NULL);
    if (status == BMF_OK || strncmp(text, start, strlen(start)) != 0 || !strstr(text, m->words))
        fail_msg("\"%s\": expected %s .. %s, found %s", m->text, start, m->words, status == BMF_OK ? "none" : text);
    assert_int_equal(bmf_exit_code(status), 2);
}

static void mistakes_are_found_where_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        const bmf_type *type;
        bmf_column column;
        assert_mistake(parse_bytes(mistakes[i].text, (int64_t)strlen(mistakes[i].text), &type, &column), &mistakes[i]);
    }
    const mistake zero = {"[1\\0]", "1:3", "found the byte 0x00"};
    const bmf_type *type;
    bmf_column column;
    assert_mistake(parse_bytes("[1\0]", 4, &type, &column), &zero);
}

/* Every prefix of a text that is complete only at its end is a mistake, and none is read beyond its end. */
static void no_part_of_a_datum_is_a_datum(void **state)
{
    (void)state;
    const char whole[] = "[{1, [true, false], 2.5e1}, {-3, [], inf}]";
    for (int64_t size = 0; size < (int64_t)sizeof whole - 1; size++) {
        const bmf_type *type;
        bmf_column column;
        char *part = malloc((size_t)size + 1); /* of just this size, for the tools that watch memory */
        memcpy(part, whole, (size_t)size);
        assert_int_not_equal(parse_bytes(part, size, &type, &column), BMF_OK);
        free(part);
    }
}

static void a_span_ends_where_it_says(void **state)
{
    (void)state;
    bmf_texts texts = {0};
    const bmf_type *type;
    bmf_column column;
    texts_add(&texts, "p.bmf", "B_Id [1, 2] [3]", 15);
    assert_int_equal(data_parse(NULL, &texts, (bmf_span){0, 5, 11}, &type, &column), BMF_OK);
    assert_int_equal(column.child[0].count, 2);
    column_free(&column);
    assert_int_not_equal(data_parse(NULL, &texts, (bmf_span){0, 5, 15}, &type, &column), BMF_OK);
    texts_free(&texts);
}

static int parse_nested(const char *open, const char *close, int count)
{
    const bmf_type *type;
    bmf_column column;
    char *text = malloc((size_t)count * 2 + 2), *at = text;
    for (int k = 0; k < count; k++)
        at = stpcpy(at, open);
    at = stpcpy(at, "1");
    for (int k = 0; k < count; k++)
        at = stpcpy(at, close);
    int status = parse_bytes(text, at - text, &type, &column);
    if (status == BMF_OK)
        column_free(&column);
    free(text);
    return status;
}

static void nesting_is_limited(void **state)
{
    (void)state;
    assert_int_equal(parse_nested("[", "]", BMF_MAX_NESTING), BMF_OK);
    assert_int_equal(parse_nested("{", "}", BMF_MAX_NESTING), BMF_OK);
    assert_int_equal(parse_nested("[", "]", BMF_MAX_NESTING + 1), BMF_ERROR_USAGE);
    assert_int_equal(parse_nested("{", "}", 10000), BMF_ERROR_USAGE);
    assert_int_equal(parse_nested("[", "", 10000), BMF_ERROR_USAGE);
    assert_non_null(strstr(bmf_error_text(NULL), "d.bmfdata:1:201: brackets are nested more than 200 deep"));
}

static void tuples_have_at_most_32_components(void **state)
{
    (void)state;
    char text[200] = "{1";
    const bmf_type *type;
    bmf_column column;
    for (int k = 2; k <= 32; k++)
        strcat(text, ",1");
    strcat(text, "}");
    assert_int_equal(parse_bytes(text, (int64_t)strlen(text), &type, &column), BMF_OK);
    assert_int_equal(type->components, 32);
    column_free(&column);
    text[strlen(text) - 1] = '\0';
    strcat(text, ",1}");
    assert_int_equal(parse_bytes(text, (int64_t)strlen(text), &type, &column), BMF_ERROR_USAGE);
}

/* Reals of random bits, of random digits, and neighbours of powers of two and ten. */
static double random_real(uint64_t *random)
{
    double real;
    uint64_t bits = random_bits(random);
    switch (test_below(random, 4)) {
    case 0:
        memcpy(&real, &bits, sizeof real);
        return real;
    case 1:
        return (double)test_below(random, 1000000) / 1000;
    case 2:
        return (random_unit(random) - 0.5) * pow(10, (double)test_below(random, 40) - 20);
    default:
        return nextafter(pow(test_below(random, 2) == 0 ? 2 : 10, (double)test_below(random, 600) - 300),
                         test_below(random, 2) == 0 ? 0.0 : HUGE_VAL);
    }
}

/* Significant digits of a printed real. */
static int digits_of(const char *text)
{
    char digit[40];
    int count = 0, first = 0;
    for (; *text != '\0' && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9')
            digit[count++] = *text;
    while (count > 1 && digit[count - 1] == '0')
        count--;
    while (first < count - 1 && digit[first] == '0')
        first++;
    return count - first;
}

static void reals_read_back_and_are_shortest(void **state)
{
    (void)state;
    uint64_t random = 17;
    for (int i = 0; i < 10000; i++) {
        char text[32], shorter[40];
        double real = random_real(&random);
        real_print(real, text);
        if (isnan(real)) {
            assert_string_equal(text, "nan");
            continue;
        }
        double back = strtod(text, NULL);
        if (memcmp(&back, &real, sizeof real) != 0)
            fail_msg("%a printed as %s", real, text);
        if (isinf(real))
            continue;
        assert_true(strpbrk(text, ".e"));
        int digits = digits_of(text);
        snprintf(shorter, sizeof shorter, "%.*e", digits > 1 ? digits - 2 : 0, real);
        if (digits > 1 && strtod(shorter, NULL) == real)
            fail_msg("%s is longer than %s", text, shorter);
    }
}

static void reals_look_as_people_write_them(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } looks[] = {{3, "3.0"},
                 {0.1, "0.1"},
                 {-2.5, "-2.5"},
                 {1e15, "1000000000000000.0"},
                 {1e16, "1e+16"},
                 {1e-4, "0.0001"},
                 {1e-5, "1e-05"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {5e-324, "5e-324"},
                 {1e22, "1e+22"},
                 {123456.789, "123456.789"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"},
                 {0, "0.0"},
                 {100, "100.0"},
                 {1e100, "1e+100"},
                 {2.2250738585072014e-308, "2.2250738585072014e-308"}};
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        char text[32];
        assert_string_equal(real_print(looks[i].value, text), looks[i].text);
    }
}

static bool same_column(const bmf_column *a, const bmf_column *b)
{
    int64_t size = column_packed_bytes(a, 0, a->count);
    if (a->type != b->type || a->count != b->count || column_packed_bytes(b, 0, b->count) != size)
        return false;
    char *first = malloc((size_t)size + 1), *second = malloc((size_t)size + 1);
    column_pack(a, 0, a->count, first);
    column_pack(b, 0, b->count, second);
    bool same = memcmp(first, second, (size_t)size) == 0;
    free(first);
    free(second);
    return same;
}

static void random_value(uint64_t *random, const bmf_type *type, FILE *stream)
{
    char text[32];
    int64_t elements = test_below(random, 5);
    switch (type->kind) {
    case BMF_INT:
        fprintf(stream, "%lld", (long long)random_bits(random));
        break;
    case BMF_REAL:
        fputs(real_print(random_unit(random) * 1e3, text), stream);
        break;
    case BMF_BOOL:
        fputs(test_below(random, 2) == 0 ? "true" : "false", stream);
        break;
    case BMF_TUPLE:
        for (int k = 0; k < type->components; k++) {
            fputs(k == 0 ? "{" : ", ", stream);
            random_value(random, type->component[k], stream);
        }
        fputc('}', stream);
        break;
    default:
        fputc('[', stream);
        for (int64_t k = 0; k < elements; k++) {
            fputs(k == 0 ? "" : ", ", stream);
            random_value(random, type->component[0], stream);
        }
        fputc(']', stream);
    }
}

static const bmf_type *random_type(uint64_t *random, int depth)
{
    const bmf_type *component[3];
    int64_t kind = test_below(random, depth == 0 ? 3 : 6);
    if (kind < 3)
        return ((const bmf_type *const[]){&bmf_type_int, &bmf_type_real, &bmf_type_bool})[kind];
    for (int k = 0; k < 3; k++)
        component[k] = random_type(random, depth - 1);
    return kind == 3 ? bmf_type_tuple(1 + (int)test_below(random, 3), component) : bmf_type_list(component[0]);
}

/* Prints exactly as it was written, and reads back as the same column. */
static void random_data_survive(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 500; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        random_value(&random, random_type(&random, 4), stream);
        fclose(stream);
        const bmf_type *type, *type_again;
        bmf_column column, again;
        assert_int_equal(parse_bytes(text, (int64_t)size, &type, &column), BMF_OK);
        char *back = printed(&column);
        assert_string_equal(back, text);
        assert_int_equal(parse_bytes(back, (int64_t)size, &type_again, &again), BMF_OK);
        assert_ptr_equal(type, type_again);
        assert_true(same_column(&column, &again));
        column_free(&column);
        column_free(&again);
        free(text);
        free(back);
    }
}

/* Columns that grow many times and change from int to real on the way. */
static void long_data_are_read(void **state)
{
    (void)state;
    enum { COUNT = 50000 };
    char *text = malloc(COUNT * 12 + 10), *at = text;
    const bmf_type *type;
    bmf_column column;
    *at++ = '[';
    for (int i = 0; i < COUNT; i++)
        at += sprintf(at, i == COUNT / 2 ? "[%d.5], " : "[%d], ", i);
    at += sprintf(at, "[]]");
    assert_int_equal(parse_bytes(text, at - text, &type, &column), BMF_OK);
    assert_null(column_broken(&column));
    assert_int_equal(column.child[0].count, COUNT + 1);
    const double *value = column.child[0].child[0].data;
    for (int i = 0; i < COUNT; i++)
        assert_true(value[i] == (i == COUNT / 2 ? i + 0.5 : i));
    column_free(&column);
    free(text);
}

static void types_join(void **state)
{
    (void)state;
    const bmf_type *i = &bmf_type_int, *r = &bmf_type_real, *b = &bmf_type_bool, *n = &bmf_type_nothing;
    assert_ptr_equal(bmf_type_join(i, i), i);
    assert_ptr_equal(bmf_type_join(i, r), r);
    assert_ptr_equal(bmf_type_join(r, i), r);
    assert_ptr_equal(bmf_type_join(n, b), b);
    assert_ptr_equal(bmf_type_join(b, n), b);
    assert_null(bmf_type_join(b, i));
    assert_null(bmf_type_join(i, bmf_type_list(i)));
    assert_ptr_equal(bmf_type_join(bmf_type_list(n), bmf_type_list(bmf_type_list(i))), bmf_type_list(bmf_type_list(i)));
    assert_ptr_equal(bmf_type_join(bmf_type_pair(i, r), bmf_type_pair(r, i)), bmf_type_pair(r, r));
    assert_null(bmf_type_join(bmf_type_pair(i, r), bmf_type_tuple(1, &i)));
    assert_null(bmf_type_join(bmf_type_pair(i, b), bmf_type_pair(i, i)));
    assert_ptr_equal(bmf_type_join(bmf_type_distributed(i), bmf_type_distributed(r)), bmf_type_distributed(r));
    assert_null(bmf_type_join(bmf_type_distributed(i), bmf_type_list(i)));
}

static void a_stream_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    const bmf_type *type;
    bmf_column column;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    setvbuf(full, NULL, _IONBF, 0);
    assert_int_equal(parse_bytes("[1, 2]", 6, &type, &column), BMF_OK);
    assert_int_equal(data_print(&column, 0, full), -1);
    fclose(full);
    column_free(&column);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_take_their_type_from_all_values),
        cmocka_unit_test(mistakes_are_found_where_they_are),
        cmocka_unit_test(no_part_of_a_datum_is_a_datum),
        cmocka_unit_test(a_span_ends_where_it_says),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(tuples_have_at_most_32_components),
        cmocka_unit_test(reals_read_back_and_are_shortest),
        cmocka_unit_test(reals_look_as_people_write_them),
        cmocka_unit_test(random_data_survive),
        cmocka_unit_test(long_data_are_read),
        cmocka_unit_test(types_join),
        cmocka_unit_test(a_stream_that_cannot_be_written_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
