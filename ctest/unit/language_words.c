/* Word lists that stand elsewhere than in the language's own tables: colours for editors, and what is said about
 * built-in functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "skeletons/language/front/lexer.h"
#include "skeletons/language/notation/describe.h"

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool has_letters(const char *word)
{
    for (; *word; word++)
        if (!is_word(*word))
            return false;
    return true;
}

static char *read_source(const char *path)
{
    char name[4096], *text = NULL;
    size_t size = 0, room = 0;
    snprintf(name, sizeof name, "%s/%s", BMF_SOURCE_DIR, path);
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    for (int c; (c = getc(file)) != EOF;) {
        if (size + 2 > room) {
            room = 2 * room + 64;
            text = realloc(text, room);
            assert_non_null(text);
        }
        text[size++] = (char)c;
    }
    fclose(file);
    text[size] = '\0';
    return text;
}

/* The word stands in the text, with something else before and behind it (\b counts). */
static bool stands_in(const char *text, const char *word)
{
    const size_t size = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        const bool begins = at == text || !is_word(at[-1]) || (at - text >= 2 && at[-1] == 'b' && at[-2] == '\\');
        if (begins && !is_word(at[size]))
            return true;
    }
    return false;
}

static void demand_word(const char *path, const char *text, const char *word)
{
    if (!stands_in(text, word))
        fail_msg("%s does not know the word %s", path, word);
}

static void demand_notation(const char *path, const char *text)
{
    for (int k = 0; builtin_at(k); k++)
        if (has_letters(builtin_at(k)->name))
            demand_word(path, text, builtin_at(k)->name);
    for (int k = 0; notation_reserved_at(k); k++)
        demand_word(path, text, notation_reserved_at(k));
}

static const char vim[] = "share/vim/syntax/bmf.vim", textmate[] = "share/textmate/bmf.tmLanguage.json";

static void test_editors_know_all_words(void **state)
{
    (void)state;
    char *text = read_source(vim);
    bmf_keyword keyword;
    demand_notation(vim, text);
    for (int k = 0; keyword_at(k, &keyword); k++)
        if (keyword.text && has_letters(keyword.text))
            demand_word(vim, text, keyword.text);
    free(text);
    text = read_source(textmate); /* keywords of the core are a pattern there: [BP]_ and letters */
    assert_non_null(strstr(text, "[BP]_[A-Za-z0-9_]+"));
    demand_notation(textmate, text);
    free(text);
}

static bool is_known(const char *word)
{
    bmf_keyword keyword;
    const int64_t size = (int64_t)strlen(word);
    for (int k = 0; keyword_at(k, &keyword); k++)
        if (keyword.text && strcmp(keyword.text, word) == 0)
            return true;
    return notation_is_reserved(word, size) || builtin_find(word, size);
}

/* Lines "syntax keyword GROUP WORD.." */
static void test_vim_colours_nothing_else(void **state)
{
    (void)state;
    static const char start[] = "syntax keyword ";
    char *text = read_source(vim), *next = text;
    int words = 0;
    for (char *line = strsep(&next, "\n"); line; line = strsep(&next, "\n")) {
        if (strncmp(line, start, sizeof start - 1) != 0)
            continue;
        char *rest = line + sizeof start - 1;
        strsep(&rest, " ");
        for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " "), words++)
            if (!is_known(word))
                fail_msg("%s colours %s, which is no word of the language", vim, word);
    }
    assert_true(words > 80);
    free(text);
}

static void test_built_in_functions_are_described(void **state)
{
    (void)state;
    for (int k = 0; builtin_at(k); k++)
        if (!notation_describe(builtin_at(k)))
            fail_msg("%s has no sentence in skeletons/language/notation/describe.c", builtin_at(k)->name);
    for (int k = 0; notation_reserved_at(k); k++) {
        const char *word = notation_reserved_at(k);
        if (!notation_describe_word(word) && !builtin_find(word, (int64_t)strlen(word)))
            fail_msg("%s has no sentence in skeletons/language/notation/describe.c", word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_editors_know_all_words),
        cmocka_unit_test(test_vim_colours_nothing_else),
        cmocka_unit_test(test_built_in_functions_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
