/* Arguments by name.
 *
 * Rank 0 reads the program for the names of its parameters; the others get the order. A name is letters, digits and _
 * before the first =. */
#include "skeletons/language/argument_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/backend.h"
#include "skeletons/language/notation/source.h"

/* Bytes of the NAME before =, or 0. */
static size_t name_size(const char *given)
{
    size_t size = 0;
    while (isalnum((unsigned char)given[size]) || given[size] == '_')
        size++;
    return given[size] == '=' && !isdigit((unsigned char)given[0]) ? size : 0;
}

static int parameter_named(const notation_text *program, const char *name, size_t size)
{
    for (int k = 0; k < program->main.parameters; k++) {
        const char *parameter = notation_parameter(program, k);
        if (parameter && strlen(parameter) == size && memcmp(parameter, name, size) == 0)
            return k;
    }
    return -1;
}

/* place[i]: the argument of parameter i. */
static int find_order(bmf_context *ctx, const notation_text *program, int arguments, const char *const *given,
                      int *place)
{
    const int parameters = program->main.parameters;
    int next = 0;
    for (int i = 0; i < BMF_MAX_LEAVES; i++)
        place[i] = -1;
    for (int k = 0; k < arguments; k++) {
        const size_t size = name_size(given[k]);
        if (size == 0)
            continue;
        const int i = parameter_named(program, given[k], size);
        if (i < 0)
            return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "--arg %.100s: main has no parameter %.*s", given[k],
                            size > 60 ? 60 : (int)size, given[k]);
        if (place[i] >= 0)
            return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "--arg %.100s: the parameter is given twice", given[k]);
        place[i] = k;
    }
    for (int k = 0; k < arguments; k++) {
        if (name_size(given[k]) > 0)
            continue;
        while (next < parameters && place[next] >= 0)
            next++;
        if (next == parameters)
            return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "--arg %.100s: main has only %d parameter%s", given[k], parameters,
                            parameters == 1 ? "" : "s");
        place[next] = k;
    }
    for (int i = 0; i < parameters; i++)
        if (place[i] < 0)
            return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "parameter %d of main, %.60s, has no --arg", i + 1,
                            notation_parameter(program, i) ? notation_parameter(program, i) : "a pattern");
    return BMF_OK;
}

static int read_order(bmf_context *ctx, const char *path, const char *text, int arguments, const char *const *given,
                      int *place)
{
    bmf_texts texts = {0};
    bmf_library library = {0};
    notation_text program = {0};
    bmf_expressions *arena = expressions_create();
    int number = 0, status = BMF_OK;
    if (text)
        texts_add(&texts, path, text, (int64_t)strlen(text));
    else
        status = texts_read(&texts, ctx, path, &number);
    if (status == BMF_OK && !source_is_notation(&texts, 0))
        status = bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                          "--arg NAME=FILE is for programs in the notation; parameters of the core have no names");
    if (status == BMF_OK)
        status = notation_parse(ctx, &texts, 0, true, arena, &library, &program);
    if (status == BMF_OK)
        status = find_order(ctx, &program, arguments, given, place);
    notation_text_free(&program);
    library_free(&library);
    expressions_free(arena);
    texts_free(&texts);
    return status;
}

int arguments_order(bmf_context *ctx, const char *path, const char *text, int arguments, const char *const *given,
                    const char **ordered)
{
    int place[BMF_MAX_LEAVES] = {0}, status = BMF_OK;
    bool named = false;
    for (int k = 0; k < arguments; k++) {
        ordered[k] = given[k];
        named = named || name_size(given[k]) > 0;
    }
    if (!named)
        return BMF_OK;
    if (bmf_is_root(ctx))
        status = read_order(ctx, path, text, arguments, given, place);
    if (bmf_ranks(ctx) > 1) {
        BMF_TRY(failure_defer(ctx, status));
        bmf_trace_run *run = recording_pause(ctx); /* loading is not the program */
        status = ctx->backend->bcast(ctx, 0, place, (int64_t)sizeof place);
        recording_resume(ctx, run);
    }
    for (int i = 0; i < arguments && status == BMF_OK; i++) {
        const size_t size = name_size(given[place[i]]);
        ordered[i] = given[place[i]] + (size > 0 ? size + 1 : 0);
    }
    return status;
}
