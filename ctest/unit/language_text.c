/* Texts: lines and columns, and messages that point at a place. The expected messages are written out in full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/backend/backend.h"
#include "skeletons/language/front/text.h"

static int64_t line_of(const char *bytes, int64_t at, int64_t *column)
{
    int64_t line;
    bmf_text text = {.bytes = (char *)(uintptr_t)bytes, .size = (int64_t)strlen(bytes)};
    text_place(&text, at, &line, column);
    return line;
}

static void places_count_lines_and_characters(void **state)
{
    (void)state;
    int64_t column;
    assert_int_equal(line_of("ab\ncd", 0, &column), 1);
    assert_int_equal(column, 1);
    assert_int_equal(line_of("ab\ncd", 2, &column), 1);
    assert_int_equal(column, 3);
    assert_int_equal(line_of("ab\ncd", 4, &column), 2);
    assert_int_equal(column, 2);
    assert_int_equal(line_of("ab\n\n", 4, &column), 3);
    assert_int_equal(column, 1);
    assert_int_equal(line_of("\xc3\xa4\xe2\x82\xac\xf0\x9d\x84\x9ex", 9, &column), 1);
    assert_int_equal(column, 4);
    assert_int_equal(line_of("\xff\xc3", 2, &column), 1);
    assert_int_equal(column, 3);
    assert_int_equal(line_of("", 0, &column), 1);
    assert_int_equal(column, 1);
    assert_int_equal(line_of("a", 100, &column), 1);
    assert_int_equal(column, 2);
}

/* The message for bytes [begin, end) of a text. */
static const char *message(const char *bytes, int64_t size, int64_t begin, int64_t end)
{
    bmf_texts texts = {0};
    int text = texts_add(&texts, "p.bmf", bytes, size);
    assert_int_equal(text_fail(&texts, NULL, (bmf_span){text, begin, end}, BMF_ERROR_TYPE, "no %s", "good"),
                     BMF_ERROR_TYPE);
    texts_free(&texts);
    return bmf_error_text(NULL);
}

static void carets_stand_under_the_place(void **state)
{
    (void)state;
    assert_string_equal(message("one\ntwo three\nfour", 18, 8, 13),
                        "p.bmf:2:5: no good\n    2 | two three\n      |     ^~~~~");
    assert_string_equal(message("abc", 3, 1, 1), "p.bmf:1:2: no good\n    1 | abc\n      |  ^");
    assert_string_equal(message("abc", 3, 3, 3), "p.bmf:1:4: no good\n    1 | abc\n      |    ^");
    assert_string_equal(message("", 0, 0, 0), "p.bmf:1:1: no good\n    1 | \n      | ^");
    assert_string_equal(message("a\tb", 3, 2, 3), "p.bmf:1:3: no good\n    1 | a b\n      |   ^");
    assert_string_equal(message("a\xff\x01\0b", 5, 4, 5), "p.bmf:1:5: no good\n    1 | a???b\n      |     ^");
    assert_string_equal(message("\xc3\xa4 b", 4, 3, 4), "p.bmf:1:3: no good\n    1 | \xc3\xa4 b\n      |   ^");
    assert_string_equal(message("x\x1b[1m", 5, 0, 1), "p.bmf:1:1: no good\n    1 | x?[1m\n      | ^");
    assert_string_equal(message("f (\ng", 5, 2, 5), "p.bmf:1:3: no good\n    1 | f (\n      |   ^~");
}

static void nowhere_gives_the_message_alone(void **state)
{
    (void)state;
    bmf_texts texts = {0};
    text_fail(&texts, NULL, (bmf_span){-1, 0, 0}, BMF_ERROR_TYPE, "alone");
    assert_string_equal(bmf_error_text(NULL), "alone");
}

/* The source line and the caret line of a message. */
static void split_message(const char *text, const char **source, int64_t *source_size, const char **caret)
{
    const char *first = strchr(text, '\n');
    const char *second = strchr(first + 1, '\n');
    *source = first + 9;
    *source_size = second - *source;
    *caret = second + 9;
}

static void long_lines_are_cut_around_the_caret(void **state)
{
    (void)state;
    const int64_t size = 1000000;
    char *bytes = malloc((size_t)size);
    memset(bytes, 'a', (size_t)size);
    for (int64_t at = 0; at < size; at += 99991) {
        const char *source, *caret;
        int64_t shown;
        bytes[at] = '!';
        split_message(message(bytes, size, at, size), &source, &shown, &caret);
        bytes[at] = 'a';
        int64_t mark = strchr(caret, '^') - caret;
        assert_in_range(shown, 1, 100);
        assert_int_equal(source[mark], '!');
        assert_in_range(strlen(caret), mark + 1, 100);
    }
    free(bytes);
}

static void whatever_the_bytes_the_caret_is_shown(void **state)
{
    (void)state;
    static const unsigned char odd[] = {0x80, 0xbf, 0xc3, 0xe2, 0xf0, 0x00, 0x1b, 'a'};
    char bytes[1000];
    for (size_t k = 0; k < sizeof odd; k++)
        for (int64_t at = 0; at <= 1000; at += 37) {
            memset(bytes, odd[k], sizeof bytes);
            const char *text = message(bytes, sizeof bytes, at, at + 5);
            assert_in_range(strlen(text), 1, BMF_MESSAGE_SIZE - 1);
            assert_non_null(strchr(strchr(text, '\n') + 1, '^'));
        }
}

static void long_names_and_messages_are_cut(void **state)
{
    (void)state;
    char name[2001], long_message[2001];
    memset(name, 'n', 2000);
    memset(long_message, 'm', 2000);
    memcpy(name + 1990, "/file.bmf", 10);
    long_message[2000] = '\0';
    bmf_texts texts = {0};
    texts_add(&texts, name, "source", 6);
    text_fail(&texts, NULL, (bmf_span){0, 0, 6}, BMF_ERROR_TYPE, "%s", long_message);
    const char *text = bmf_error_text(NULL);
    assert_non_null(strstr(text, "/file.bmf:1:1: mmm"));
    assert_non_null(strstr(text, "\n    1 | source\n      | ^~~~~~"));
    texts_free(&texts);
}

static void files_are_read_and_missing_ones_named(void **state)
{
    (void)state;
    bmf_texts texts = {0};
    int text = -1;
    char path[] = "/tmp/unit_language_textXXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *stream = fdopen(file, "wb");
    for (int k = 0; k < 100000; k++)
        fputs("B_Id\n", stream);
    fclose(stream);
    assert_int_equal(texts_read(&texts, NULL, path, &text), BMF_OK);
    assert_int_equal(texts.text[text].size, 500000);
    assert_memory_equal(texts.text[text].bytes + 499995, "B_Id\n", 6);
    assert_string_equal(texts.text[text].name, path);
    remove(path);
    assert_int_equal(texts_read(&texts, NULL, path, &text), BMF_ERROR_FILE);
    assert_non_null(strstr(bmf_error_text(NULL), path));
    assert_int_equal(texts_read(&texts, NULL, "/", &text), BMF_ERROR_FILE);
    texts_free(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_count_lines_and_characters),     cmocka_unit_test(carets_stand_under_the_place),
        cmocka_unit_test(nowhere_gives_the_message_alone),       cmocka_unit_test(long_lines_are_cut_around_the_caret),
        cmocka_unit_test(whatever_the_bytes_the_caret_is_shown), cmocka_unit_test(long_names_and_messages_are_cut),
        cmocka_unit_test(files_are_read_and_missing_ones_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
