/* The parser of .npy headers: what it takes, what it refuses and says, and that no damaged header upsets it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "runtime/files/format.h"
#include "runtime/files/npy_private.h"

static bool parse(const char *text, size_t size, bmf_npy_header *header, char why[256])
{
    char *tight = malloc(size > 0 ? size : 1); /* no byte more, so that sanitizers see every step too far */
    assert_non_null(tight);
    memcpy(tight, text, size);
    why[0] = '\0';
    bool taken = npy_parse_text(tight, (int64_t)size, header, why, 256);
    free(tight);
    return taken;
}

static void takes(const char *text, const bmf_type *scalar, int dimensions, int64_t rows, int64_t columns)
{
    bmf_npy_header header = {0};
    char why[256];
    if (!parse(text, strlen(text), &header, why))
        fail_msg("%s: refused: %s", text, why);
    assert_ptr_equal(header.scalar, scalar);
    assert_int_equal(header.dimensions, dimensions);
    assert_int_equal(header.shape[0], rows);
    assert_int_equal(header.shape[1], columns);
}

static void refuses(const char *text, const char *reason)
{
    bmf_npy_header header;
    char why[256];
    if (parse(text, strlen(text), &header, why))
        fail_msg("%s: taken", text);
    if (!strstr(why, reason))
        fail_msg("%s: the reason should say `%s`, but says `%s`", text, reason, why);
}

static void headers_as_numpy_writes_them(void **state)
{
    (void)state;
    takes("{'descr': '<f8', 'fortran_order': False, 'shape': (10,), }      \n", &bmf_type_real, 1, 10, 1);
    takes("{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }\n", &bmf_type_int, 2, 3, 4);
    takes("{'descr': '|b1', 'fortran_order': True, 'shape': (7,), }\n", &bmf_type_bool, 1, 7, 1);
    takes("{'descr': '<i4', 'fortran_order': False, 'shape': (7,), }\n", &bmf_type_int32, 1, 7, 1);
    takes("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }\n", &bmf_type_float, 2, 3, 5);
    takes("{'descr': '<c16', 'fortran_order': False, 'shape': (2,), }\n", &bmf_type_complex, 1, 2, 1);
    takes("{'descr': '<i8', 'fortran_order': False, 'shape': (0,), }\n", &bmf_type_int, 1, 0, 1);
    takes("{'descr': '<i8', 'fortran_order': False, 'shape': (5, 0), }\n", &bmf_type_int, 2, 5, 0);
}

static void other_ways_to_say_the_same(void **state)
{
    (void)state;
    takes("{'shape': (3, 4), 'fortran_order': False, 'descr': '<i8'}", &bmf_type_int, 2, 3, 4);
    takes("{\"fortran_order\":False,\"descr\":\"=f8\",\"shape\":(10,)}", &bmf_type_real, 1, 10, 1);
    takes("  { 'shape' :\t( 3 ,4 , ) ,\n 'descr':'=b1' , 'fortran_order' : False , } \n\n", &bmf_type_bool, 2, 3, 4);
    takes("{\"fortran_order\":False,\"descr\":\"=f4\",\"shape\":(10,)}", &bmf_type_float, 1, 10, 1);
    takes("{\"fortran_order\":False,\"descr\":\"=c16\",\"shape\":(10,)}", &bmf_type_complex, 1, 10, 1);
    takes("{'descr': '<i8', 'fortran_order': False, 'shape': (10L, 2L), }", &bmf_type_int, 2, 10, 2);
    takes("{'descr': '|b1', 'fortran_order': False, 'shape': (9223372036854775807,), }", &bmf_type_bool, 1, INT64_MAX,
          1);
}

/* clang-format off */
#define TAKEN \
    "'<i8' (int64), '<i4' (int32), '<f8' (float64), '<f4' (float32), '<c16' (complex128) and '|b1' (bool)"
/* clang-format on */
#define SAYS(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

static void what_bmf_does_not_take(void **state)
{
    (void)state;
    refuses(SAYS("'<f2'", "False", "(10,)"), "dtype '<f2'; bmf takes " TAKEN);
    refuses(SAYS("'<i2'", "False", "(10,)"), "dtype '<i2'");
    refuses(SAYS("'<u4'", "False", "(10,)"), "dtype '<u4'");
    refuses(SAYS("'|i4'", "False", "(10,)"), "dtype '|i4'");
    refuses(SAYS("'<'", "False", "(10,)"), "dtype '<'");
    refuses(SAYS("''", "False", "(10,)"), "dtype ''");
    refuses(SAYS("'>f4'", "False", "(10,)"), "big-endian dtype '>f4'");
    refuses(SAYS("'>c16'", "False", "(10,)"), "big-endian dtype '>c16'");
    refuses(SAYS("'>f8'", "False", "(10,)"), "big-endian dtype '>f8'");
    refuses(SAYS("'>i8'", "False", "(10,)"), "big-endian dtype '>i8'");
    refuses(SAYS("'<c8'", "False", "(10,)"), "dtype '<c8'");
    refuses(SAYS("'<c16'", "False", "(1152921504606846976,)"), "more bytes than fit 64 bits");
    refuses(SAYS("'|O'", "False", "(10,)"), "dtype '|O'");
    refuses(SAYS("[('x', '<f8'), ('y', '<i8', (2,))]", "False", "(10,)"), "dtype '[('x', '<f8'), ('y', '<i8', (2,))]'");
    refuses(SAYS("'<f8'", "True", "(3, 4)"), "Fortran order");
    refuses(SAYS("'<f8'", "False", "()"), "an array of 0 dimensions");
    refuses(SAYS("'<f8'", "False", "(1, 2, 3)"), "an array of 3 dimensions");
    refuses(SAYS("'<f8'", "False", "(-1,)"), "a negative length, -1");
    refuses(SAYS("'<f8'", "False", "(3, -4)"), "a negative length, -4");
    refuses(SAYS("'<f8'", "False", "(9223372036854775808,)"), "does not fit 64 bits");
    refuses(SAYS("'<f8'", "False", "(9223372036854775807,)"), "more bytes than fit 64 bits");
    refuses(SAYS("'<f8'", "False", "(4294967296, 4294967296)"), "more bytes than fit 64 bits");
    refuses(SAYS("'<f8'", "False", "(0, 9223372036854775807)"), "more bytes than fit 64 bits");
}

static void what_is_no_header(void **state)
{
    (void)state;
    refuses("", "it ends where `{` should come");
    refuses("[1, 2]", "expected `{` before `[1, 2]`");
    refuses("{}", "it does not say 'descr'");
    refuses("{'descr': '<f8', 'shape': (1,)}", "it does not say 'fortran_order'");
    refuses("{'descr': '<f8', 'fortran_order': False}", "it does not say 'shape'");
    refuses("{'descr': '<f8', 'descr': '<f8'}", "repeated key 'descr'");
    refuses("{'descr': '<f8', 'order': 1}", "unknown key 'order'");
    refuses("{'descr' '<f8'}", "expected a colon before `'<f8'}`");
    refuses("{'descr': '<f8' 'shape': (1,)}", "expected a comma or `}` before");
    refuses("{descr: '<f8'}", "expected a string before");
    refuses("{'descr': '<f8", "expected a string that ends before");
    refuses("{, }", "expected a string before");
    refuses("{'fortran_order': 0}", "expected True or False before `0}`");
    refuses("{'fortran_order': Falsely}", "expected True or False before");
    refuses("{'shape': 10}", "expected a shape");
    refuses("{'shape': (1 2)}", "expected a comma or `)` before `2)}`");
    refuses("{'shape': (,)}", "expected a length before");
    refuses("{'shape': (1.5,)}", "expected a comma or `)` before");
    refuses(SAYS("'<f8'", "False", "(10,)") " more", "expected the end of the header before `more`");
}

static void reasons_are_one_line(void **state)
{
    (void)state;
    bmf_npy_header header;
    char why[256];
    const char *text = SAYS("'a\nb\x1b[0m'", "False", "(10,)");
    assert_false(parse(text, strlen(text), &header, why));
    assert_string_equal(why, "dtype 'a?b?[0m'; bmf takes " TAKEN);
}

static void every_cut_is_refused(void **state)
{
    (void)state;
    const char text[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (10, 20), }";
    for (size_t size = 0; size < sizeof text - 1; size++) {
        bmf_npy_header header;
        char why[256];
        assert_false(parse(text, size, &header, why));
        assert_non_null(strstr(why, "broken header: "));
    }
}

static void damaged_headers_are_taken_or_refused(void **state)
{
    (void)state;
    static const char text[] = "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (10, 20), }";
    static const char parts[] = "{}()[]'\",:-0L<f8TFe \n\0\x93";
    uint64_t seed = 12;
    for (int c = 0; c < 20000; c++) {
        char damaged[sizeof text];
        memcpy(damaged, text, sizeof text);
        for (int64_t k = 1 + test_below(&seed, 4); k > 0; k--)
            damaged[test_below(&seed, sizeof text - 1)] = parts[test_below(&seed, sizeof parts - 1)];
        bmf_npy_header header = {0};
        char why[256];
        size_t size = (size_t)test_below(&seed, sizeof text);
        if (parse(damaged, size, &header, why))
            assert_true(header.shape[0] >= 0 && header.shape[1] >= 0 && header.scalar);
        else
            assert_true(why[0] != '\0' && !strchr(why, '\n'));
    }
}

/* In every position of an item, and to every distance. */
static void narrow_scalars_become_wide(void **state)
{
    (void)state;
    enum { COUNT = 1000, ITEM = 13, OFFSET = 3 };
    char *items = malloc(COUNT * ITEM);
    int64_t ints[COUNT];
    double reals[2 * COUNT];
    for (int i = 0; i < COUNT; i++)
        memcpy(items + i * ITEM + OFFSET, &(int32_t){(int32_t)(i * 1000003LL - INT32_MAX)}, sizeof(int32_t));
    stored_load(STORED_INT32, items + OFFSET, ITEM, &bmf_type_int, ints, 8, COUNT);
    stored_load(STORED_INT32, items + OFFSET, ITEM, &bmf_type_real, reals, 16, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_true(ints[i] == (int32_t)(i * 1000003LL - INT32_MAX) && reals[2 * i] == (double)ints[i]);
    for (int i = 0; i < COUNT; i++)
        memcpy(items + i * ITEM + OFFSET, &(float){0.1F * (float)i}, sizeof(float));
    stored_load(STORED_FLOAT32, items + OFFSET, ITEM, &bmf_type_real, reals, 8, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_true(reals[i] == (double)(0.1F * (float)i));
    for (int i = 0; i < COUNT; i++)
        items[i * ITEM] = (char)(i % 251 - 125);
    stored_load(STORED_INT8, items, ITEM, &bmf_type_int, ints, 8, COUNT);
    stored_load(STORED_UINT8, items, ITEM, &bmf_type_real, reals, 8, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_true(ints[i] == i % 251 - 125 && reals[i] == (double)(uint8_t)(i % 251 - 125));
    free(items);
}

/* Every scalar, from bytes turned round one by one, at any distance, in more than one block. */
static void swapped_scalars_are_turned_round(void **state)
{
    (void)state;
    enum { COUNT = 1500, ITEM = 19, LONGEST = 16 };
    char *items = malloc(COUNT * ITEM), *expected = malloc(COUNT * LONGEST), *loaded = malloc(COUNT * LONGEST);
    uint64_t seed = 5;
    for (int k = 0; k < STORED_SCALARS; k++) {
        const bmf_stored_scalar scalar = (bmf_stored_scalar)k;
        const bmf_type *type = stored_type(scalar, true);
        const int64_t size = stored_size(scalar), half = scalar == STORED_COMPLEX128 ? 8 : size;
        char *right = malloc((size_t)(COUNT * size));
        for (int64_t i = 0; i < COUNT * size; i++)
            right[i] = (char)test_below(&seed, scalar == STORED_BOOL ? 2 : 120); /* no NaN, no uint64 above 2^63 */
        for (int64_t i = 0; i < COUNT; i++)
            for (int64_t byte = 0; byte < size; byte++)
                items[i * ITEM + byte / half * half + half - 1 - byte % half] = right[i * size + byte];
        stored_load(scalar, right, size, type, expected, type->size, COUNT);
        stored_load_swapped(scalar, items, ITEM, type, loaded, type->size, COUNT);
        assert_memory_equal(loaded, expected, (size_t)(COUNT * type->size));
        free(right);
    }
    free(items);
    free(expected);
    free(loaded);
}

static void numbers_are_only_widened(void **state)
{
    (void)state;
    for (int k = 0; k < STORED_SCALARS; k++) {
        const bmf_stored_scalar from = (bmf_stored_scalar)k;
        const bool whole = from <= STORED_UINT8, real = from == STORED_FLOAT64 || from == STORED_FLOAT32;
        assert_true(stored_converts(from, stored_type(from, false)) && stored_converts(from, stored_type(from, true)));
        assert_int_equal(stored_converts(from, &bmf_type_int), whole);
        assert_int_equal(stored_converts(from, &bmf_type_real), whole || real);
        assert_int_equal(stored_converts(from, &bmf_type_int32), from == STORED_INT32);
        assert_int_equal(stored_converts(from, &bmf_type_float), from == STORED_FLOAT32);
        assert_int_equal(stored_converts(from, &bmf_type_bool), from == STORED_BOOL);
        assert_int_equal(stored_converts(from, &bmf_type_complex), from == STORED_COMPLEX128);
    }
}

/* What data files take besides: fields says "word offset, .." and the bytes of an item. */
static void lays_out(const char *text, const char *fields, bool fortran, int dimensions, int64_t last)
{
    data_file file = {0};
    char why[256] = "", found[256] = "";
    if (!npy_parse_layout(text, (int64_t)strlen(text), &file, why, sizeof why))
        fail_msg("%s: refused: %s", text, why);
    for (int k = 0; k < file.fields; k++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s %d, ", file.field[k].swapped ? ">" : "",
                 stored_word(file.field[k].scalar), (int)file.field[k].offset);
    snprintf(found + strlen(found), sizeof found - strlen(found), "%d", (int)file.item_bytes);
    assert_string_equal(found, fields);
    assert_int_equal(file.fortran, fortran);
    assert_int_equal(file.dimensions, dimensions);
    assert_int_equal(file.shape[dimensions - 1], last);
}

static void does_not_lay_out(const char *text, const char *reason)
{
    data_file file = {0};
    char why[600] = "";
    assert_false(npy_parse_layout(text, (int64_t)strlen(text), &file, why, sizeof why));
    if (!strstr(why, reason))
        fail_msg("%s: the reason should say `%s`, but says `%s`", text, reason, why);
}

static void structures_orders_and_dimensions(void **state)
{
    (void)state;
    lays_out(SAYS("'<f8'", "False", "(3, 4)"), "float64 0, 8", false, 2, 4);
    lays_out(SAYS("'<f8'", "True", "(3, 4)"), "float64 0, 8", true, 2, 4);
    lays_out(SAYS("'<f8'", "True", "(3,)"), "float64 0, 8", false, 1, 3);
    lays_out(SAYS("'|u1'", "False", "(2, 3, 4, 5)"), "uint8 0, 1", false, 4, 5);
    lays_out(SAYS("[('x', '<f8'), ('y', '<i4')]", "False", "(7,)"), "float64 0, int32 8, 12", false, 1, 7);
    lays_out(SAYS("[('x', '|i1'), ('', '|V7'), ('y', '<f8', (2,)), ('', '|V1')]", "False", "(7,)"),
             "int8 0, float64 8, float64 16, 25", false, 1, 7);
    lays_out(SAYS("[('m', '<f4', (2, 2)),]", "False", "(7,)"), "float32 0, float32 4, float32 8, float32 12, 16", false,
             1, 7);
    lays_out(SAYS("'<u8'", "False", "(7,)"), "uint64 0, 8", false, 1, 7);
    lays_out(SAYS("'>c16'", "True", "(3, 4)"), ">complex128 0, 16", true, 2, 4);
    lays_out(SAYS("[('x', '>f4'), ('y', '<i4'), ('z', '>u8', (2,))]", "False", "(7,)"),
             ">float32 0, int32 4, >uint64 8, >uint64 16, 24", false, 1, 7);
    does_not_lay_out(SAYS("'>f2'", "False", "(7,)"), "dtype '>f2'; bmf takes '<i8' (int64), ");
    does_not_lay_out(SAYS("'>f2'", "False", "(7,)"), " and '|b1' (bool), in either order of bytes");
    does_not_lay_out(SAYS("'>float64'", "False", "(7,)"), "dtype '>float64'");
    does_not_lay_out(SAYS("[]", "False", "(7,)"), "without fields");
    does_not_lay_out(SAYS("[('x', '<f8')", "False", "(7,)"), "broken header");
    does_not_lay_out(SAYS("[('x', [('y', '<f8')])]", "False", "(7,)"), "('name', 'dtype')");
    does_not_lay_out(SAYS("[('x', '<f8', (33,))]", "False", "(7,)"), "more than 32 scalars");
    does_not_lay_out(SAYS("[('x', '|O')]", "False", "(7,)"), "dtype '|O'");
    does_not_lay_out(SAYS("'float64'", "False", "(7,)"), "dtype 'float64'");
    does_not_lay_out(SAYS("'<f8'", "False", "(1, 2, 3, 4, 5)"), "an array of 5 dimensions");
    does_not_lay_out(SAYS("'<f8'", "False", "(4294967296, 1, 4294967296)"), "more bytes than fit 64 bits");
}

static void prefix(const char *bytes, int64_t count, int64_t offset, int64_t size, const char *reason)
{
    char why[256] = "";
    int64_t text_size;
    assert_int_equal(npy_parse_prefix((const unsigned char *)bytes, count, &text_size, why, sizeof why), offset);
    if (offset >= 0)
        assert_int_equal(text_size, size);
    else
        assert_string_equal(why, reason);
}

static void prefixes_of_all_versions(void **state)
{
    (void)state;
    prefix("\x93NUMPY\x01\x00\x76\x00{'", 12, 10, 118, NULL);
    prefix("\x93NUMPY\x01\x00\x34\x12{'", 12, 10, 0x1234, NULL);
    prefix("\x93NUMPY\x02\x00\x74\x01\x02\x00", 12, 12, 0x20174, NULL);
    prefix("\x93NUMPY\x03\x00\x74\x00\x00\x00", 12, 12, 116, NULL);
    prefix("\x93NUMPY\x01\x00\x01\x00", 10, 10, 1, NULL);
    prefix("", 0, -1, 0, "not a .npy file: it is empty");
    prefix("PK\x03\x04........", 12, -1, 0, "not a .npy file");
    prefix("\x93NUMPX\x01\x00\x76\x00{'", 12, -1, 0, "not a .npy file");
    prefix("\x93NUM", 4, -1, 0, "truncated header: the file ends after 4 bytes");
    prefix("\x93NUMPY\x02\x00\x74\x00", 10, -1, 0, "truncated header: the file ends after 10 bytes");
    prefix("\x93NUMPY\x04\x00\x74\x00\x00\x00", 12, -1, 0, ".npy version 4.0; bmf takes 1.0, 2.0 and 3.0");
    prefix("\x93NUMPY\x01\x01\x74\x00\x00\x00", 12, -1, 0, ".npy version 1.1; bmf takes 1.0, 2.0 and 3.0");
    prefix("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12, -1, 0, "a header of 4294967295 bytes; bmf takes at most 1048576");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_as_numpy_writes_them),
        cmocka_unit_test(other_ways_to_say_the_same),
        cmocka_unit_test(what_bmf_does_not_take),
        cmocka_unit_test(what_is_no_header),
        cmocka_unit_test(reasons_are_one_line),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(damaged_headers_are_taken_or_refused),
        cmocka_unit_test(narrow_scalars_become_wide),
        cmocka_unit_test(swapped_scalars_are_turned_round),
        cmocka_unit_test(structures_orders_and_dimensions),
        cmocka_unit_test(numbers_are_only_widened),
        cmocka_unit_test(prefixes_of_all_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
