/* Fuzz target of the language's front end: any bytes, once as a program and once as data.
 *
 * A program is parsed, its names are checked, it is typed for several arguments, printed and parsed again: the trees
 * must be equal. Data are parsed, printed and parsed again: the columns must be equal. Whatever fails must say so in a
 * message of at most BMF_MESSAGE_SIZE bytes.
 *
 * For libFuzzer, in a build directory of its own:
 *     cmake -S . -B build/fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Asan -DBMF_FUZZ=ON
 *     cmake --build build/fuzz --target language_fuzz
 *     build/fuzz/bin/language_fuzz -max_len=600 -dict=ctest/fuzz/language.dict -max_total_time=300 DIRECTORY
 *         ctest/fuzz/corpus/language
 *
 * ctest/fuzz/run_files.c runs the same on files; so a kept corpus is a test of every build. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/fuzz/fuzz.h"
#include "runtime/backend/backend.h"
#include "skeletons/language/types/check.h"
#include "skeletons/language/front/data.h"

static void demand_message(int status)
{
    const char *text = bmf_error_text(NULL);
    demand(status > BMF_OK && bmf_exit_code(status) == 2, "the status of a failure");
    demand(strncmp(text, "input:", 6) == 0, "a message names its text");
    demand(strlen(text) < BMF_MESSAGE_SIZE && strstr(text, "| ") && strchr(text, '^'), "a message shows its place");
}

static bool same_column(const bmf_column *a, const bmf_column *b)
{
    int64_t size = column_packed_bytes(a, 0, 1);
    if (a->type != b->type || column_packed_bytes(b, 0, 1) != size)
        return false;
    char *first = malloc((size_t)size + 1), *second = malloc((size_t)size + 1);
    column_pack(a, 0, 1, first);
    column_pack(b, 0, 1, second);
    bool same = memcmp(first, second, (size_t)size) == 0;
    free(first);
    free(second);
    return same;
}

static void print_data(const bmf_column *column, const bmf_type *type)
{
    char *text = NULL;
    size_t size = 0;
    const bmf_type *type_again;
    bmf_column again;
    bmf_texts texts = {0};
    FILE *stream = open_memstream(&text, &size);
    demand(data_print_as(column, type, 0, stream) == 0, "data print");
    fclose(stream);
    texts_add(&texts, "input", text, (int64_t)size);
    demand(data_parse(NULL, &texts, (bmf_span){0, 0, (int64_t)size}, &type_again, &again) == BMF_OK,
           "printed data parse");
    demand(type_again == type && same_column(column, &again), "printed data are the same");
    column_free(&again);
    texts_free(&texts);
    free(text);
}

/* Returns the type of the data, or NULL. */
static const bmf_type *try_data(const bmf_texts *texts, bmf_span span)
{
    const bmf_type *type;
    bmf_column column;
    int status = data_parse(NULL, texts, span, &type, &column);
    if (status != BMF_OK) {
        demand_message(status);
        return NULL;
    }
    demand(!column_broken(&column) && column.count == 1, "parsed data are a column of one element");
    print_data(&column, type);
    column_free(&column);
    return type;
}

static void print_program(const bmf_expression *expression, int indent)
{
    bmf_texts texts = {0};
    bmf_library library = {0};
    bmf_expressions *arena = expressions_create();
    bmf_parsed again;
    char *text = expression_print(expression, indent);
    texts_add(&texts, "input", text, (int64_t)strlen(text));
    demand(parse_program(NULL, &texts, 0, arena, &library, &again) == BMF_OK, "a printed program parses");
    demand(!again.has_data && expression_equal(expression, again.expression), "a printed program is the same");
    free(text);
    library_free(&library);
    expressions_free(arena);
    texts_free(&texts);
}

static void try_type(const bmf_texts *texts, bmf_expressions *arena, const bmf_library *library,
                     const bmf_expression *expression, const bmf_type *argument)
{
    bmf_expression *checked = NULL;
    int status = check_types(NULL, texts, arena, library, expression, argument, &checked);
    if (status != BMF_OK)
        demand_message(status);
    else
        demand(checked && checked->in == type_without_fields(argument) && checked->out, "a checked program has types");
}

static void try_program(const bmf_texts *texts)
{
    bmf_library library = {0};
    bmf_expressions *arena = expressions_create();
    bmf_parsed parsed;
    const bmf_type *numbers = bmf_type_list(&bmf_type_real);
    const bmf_type *argument[] = {&bmf_type_int, numbers, bmf_type_list(numbers), bmf_type_pair(numbers, numbers),
                                  NULL};
    int status = parse_program(NULL, texts, 0, arena, &library, &parsed);
    if (status == BMF_OK) {
        print_program(parsed.expression, -1);
        print_program(parsed.expression, 4);
        argument[4] = parsed.has_data ? try_data(texts, parsed.data) : NULL;
        status = library_check(NULL, texts, &library, parsed.expression);
    }
    if (status != BMF_OK)
        demand_message(status);
    else
        for (int k = 0; k < 5; k++)
            if (argument[k])
                try_type(texts, arena, &library, parsed.expression, argument[k]);
    library_free(&library);
    expressions_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bmf_texts texts = {0};
    texts_add(&texts, "input", (const char *)bytes, (int64_t)size);
    try_program(&texts);
    try_data(&texts, (bmf_span){0, 0, (int64_t)size});
    texts_free(&texts);
    return 0;
}
