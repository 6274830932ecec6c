/* Random programs of the notation: the core's value is that of a naive evaluator of the notation itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/reference/random_notation.h"
#include "ctest/reference/reference_language.h"
#include "ctest/support/testing.h"
#include "runtime/backend/backend.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/notation/format.h"
#include "skeletons/language/notation/source.h"
#include "skeletons/language/types/check.h"

enum { PROGRAMS = 10000 };

static bool same(const value *a, const reference_value *b)
{
    if (a->kind == INT || a->kind == BOOL)
        return b->integer == a->number[0] && b->kind == (a->kind == INT ? BMF_INT : BMF_BOOL);
    const bool two = a->kind == PAIR || a->kind == POINT;
    bool equal = b->count == (two ? 2 : a->count);
    for (int k = 0; k < b->count && equal; k++)
        equal = b->item[k]->integer == (two ? a->number[k] : a->item[k]);
    return equal;
}

static void fail_program(uint64_t seed, const char *why, const char *text)
{
    fprintf(stderr, "seed %llu: %s\n%s\n", (unsigned long long)seed, why, text);
    fail();
}

static void compare(uint64_t seed, const char *text, const value *expected)
{
    bmf_texts texts = {.processors = 4};
    bmf_library library = {0};
    bmf_parsed parsed;
    bmf_expressions *arena = expressions_create();
    bmf_expression *checked;
    bmf_column column = {0};
    const bmf_type *type;
    const reference_value *found;
    reference_machine machine = {.processors = 4, .budget = 1000000};
    texts_add(&texts, "p.bmf", text, (int64_t)strlen(text));
    int status = source_parse(NULL, &texts, 1, arena, &library, &parsed);
    if (status == BMF_OK)
        status = data_parse(NULL, &texts, parsed.data, &type, &column);
    if (status == BMF_OK)
        status = check_types(NULL, &texts, arena, &library, parsed.expression, type, &checked);
    if (status != BMF_OK)
        fail_program(seed, bmf_error_text(NULL), text);
    const reference_outcome outcome = reference_evaluate(&machine, checked, &column, &found);
    if (outcome == REFERENCE_FAILURE)
        fail_program(seed, machine.failure, text);
    if (outcome == REFERENCE_VALUE && !same(expected, found))
        fail_program(seed, "another value", text);
    reference_free(&machine);
    column_free(&column);
    library_free(&library);
    expressions_free(arena);
    texts_free(&texts);
}

static void check_format(uint64_t seed, const char *text)
{
    bmf_texts texts = {0};
    texts_add(&texts, "p.bmf", text, (int64_t)strlen(text));
    char *once = notation_format(&texts.text[0]);
    texts_add(&texts, "p.bmf", once, (int64_t)strlen(once));
    char *twice = notation_format(&texts.text[1]);
    if (strcmp(once, twice) != 0)
        fail_program(seed, "formatting twice changes", once);
    free(once);
    free(twice);
    texts_free(&texts);
}

static void test_random(void **state)
{
    (void)state;
    program p = {.term = malloc(MAX_TERMS * sizeof(term))};
    int64_t compared = 0;
    for (uint64_t seed = 0; seed < test_cases(PROGRAMS); seed++) {
        value expected;
        generate_program(&p, seed);
        const int64_t argument = program_below(&p, 20);
        const bool known = program_value_of(&p, argument, &expected);
        char *text = program_text(&p, argument);
        check_format(seed, text);
        if (known) {
            compare(seed, text, &expected);
            compared++;
        }
        free(text);
    }
    free(p.term);
    assert_true(compared > (int64_t)test_cases(PROGRAMS) * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
