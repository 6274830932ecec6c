/* Programs and libraries as `bmf core` and `bmf notation` read them. */
#include "drivers/notation/document.h"

#include <stdlib.h>
#include <string.h>

#include "drivers/program_options.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"
#include "skeletons/language/notation/lexer.h"
#include "skeletons/language/notation/source.h"

/* main is a reserved word, so a text in the notation that has it is a program. */
static bool has_main(const bmf_text *text)
{
    notation_token token = notation_next(text, 0);
    while (token.kind != NOTATION_TOKEN_END && !notation_is(text, token, "main"))
        token = notation_next(text, token.end);
    return token.kind != NOTATION_TOKEN_END;
}

/* The file itself: definitions alone are a library. */
static int parse_file(document *s, notation_text *parsed)
{
    bmf_expressions *scratch = expressions_create();
    bmf_library none = {0};
    if (s->notation) {
        expressions_free(scratch);
        const int status =
            notation_parse(NULL, &s->texts, s->text, has_main(&s->texts.text[s->text]), s->arena, &s->library, parsed);
        s->main = parsed->main.span.begin;
        return status;
    }
    bmf_text_failures *failures = s->texts.failures;
    s->texts.failures = NULL; /* it may be no library */
    const bool library = parse_library(NULL, &s->texts, s->text, scratch, &none) == BMF_OK && none.count > 0;
    s->texts.failures = failures;
    library_free(&none);
    expressions_free(scratch);
    if (library)
        return parse_library(NULL, &s->texts, s->text, s->arena, &s->library);
    BMF_TRY(parse_program(NULL, &s->texts, s->text, s->arena, &s->library, &s->parsed));
    s->main = s->parsed.expression->span.begin;
    return BMF_OK;
}

static int parse_all(document *s, notation_text *parsed)
{
    for (int k = 0; k < s->text; k++) {
        if (source_is_notation(&s->texts, k))
            BMF_TRY(notation_parse(NULL, &s->texts, k, false, s->arena, &s->library, &parsed[k]));
        else
            BMF_TRY(parse_library(NULL, &s->texts, k, s->arena, &s->library));
    }
    int status = parse_file(s, &parsed[s->text]);
    for (int k = 0; k <= s->text && (status == BMF_OK || s->texts.failures); k++) {
        const int translated = notation_translate(NULL, &s->texts, s->arena, &s->library, &parsed[k], &s->parsed);
        status = status == BMF_OK ? translated : status;
    }
    BMF_TRY(status);
    return library_check(NULL, &s->texts, &s->library, s->parsed.expression);
}

static int read_library(document *d, const char *name, int *text)
{
    char *path = library_path(name);
    const int status = texts_read(&d->texts, NULL, path, text);
    free(path);
    return status;
}

static int read_libraries(const bmf_strings *libraries, document *d)
{
    int text = 0;
    for (int k = 0; k < libraries->count; k++)
        BMF_TRY(read_library(d, libraries->text[k], &text));
    return BMF_OK;
}

/* The last text is the file's. */
static int parse_opened(document *d)
{
    d->text = d->texts.count - 1;
    d->notation = source_is_notation(&d->texts, d->text);
    d->syntax = allocate_clear(d->texts.count, sizeof *d->syntax);
    return parse_all(d, d->syntax);
}

int document_open(const char *path, const bmf_strings *libraries, document *opened)
{
    *opened = (document){.arena = expressions_create()};
    BMF_TRY(read_libraries(libraries, opened));
    BMF_TRY(texts_read(&opened->texts, NULL, path, &opened->text));
    return parse_opened(opened);
}

int document_open_text(const char *name, const char *bytes, int64_t size, const bmf_strings *libraries,
                       bmf_text_failures *failures, document *opened)
{
    *opened = (document){.arena = expressions_create(), .texts.failures = failures};
    const int status = read_libraries(libraries, opened);
    opened->text = texts_add(&opened->texts, name, bytes, size);
    return status == BMF_OK ? parse_opened(opened) : status;
}

int document_syntax(bmf_texts *texts, int text)
{
    bmf_expressions *arena = expressions_create();
    bmf_library library = {0};
    notation_text parsed;
    if (!source_is_notation(texts, text)) {
        expressions_free(arena);
        return text_fail(texts, NULL, (bmf_span){text, 0, 0}, BMF_ERROR_USAGE,
                         "this is core language; bmf notation FILE prints the notation of it");
    }
    int status = notation_parse(NULL, texts, text, false, arena, &library, &parsed);
    if (parsed.has_main || status != BMF_OK) {
        notation_text_free(&parsed);
        library.count = 0;
        library_free(&library);
        status = notation_parse(NULL, texts, text, true, arena, &library, &parsed);
    }
    notation_text_free(&parsed);
    library_free(&library);
    expressions_free(arena);
    return status;
}

void document_close(document *opened)
{
    for (int k = 0; opened->syntax && k < opened->texts.count; k++)
        notation_text_free(&opened->syntax[k]);
    free(opened->syntax);
    library_free(&opened->library);
    if (opened->arena)
        expressions_free(opened->arena);
    texts_free(&opened->texts);
}

/* ---- remarks ---- */

/* The begin of the line before the one that begins at `at`. */
static int64_t line_before(const bmf_text *text, int64_t at)
{
    at--;
    while (at > 0 && text->bytes[at - 1] != '\n')
        at--;
    return at;
}

static char first_of_line(const bmf_text *text, int64_t at)
{
    while (text->bytes[at] == ' ' || text->bytes[at] == '\t' || text->bytes[at] == '\r')
        at++;
    return text->bytes[at];
}

void document_print_remarks(const document *from, int64_t at, bool first)
{
    const bmf_text *text = &from->texts.text[from->text];
    while (at > 0 && text->bytes[at - 1] != '\n')
        at--;
    int64_t begin = at;
    for (int64_t line = at; line > 0;) {
        line = line_before(text, line);
        const char c = first_of_line(text, line);
        if (c != '#' && c != '\n')
            break;
        if (c == '#' || first)
            begin = line;
    }
    bool blank = false;
    for (int64_t line = begin; line < at; line++) {
        const char *end = memchr(text->bytes + line, '\n', (size_t)(at - line));
        if (first_of_line(text, line) == '#')
            printf("%s%.*s\n", blank ? "\n" : "", (int)(end - (text->bytes + line)), text->bytes + line);
        blank = first_of_line(text, line) == '\n';
        line = end - text->bytes;
    }
    if (blank && begin < at)
        putchar('\n');
}

void document_print_data(const document *from)
{
    const bmf_span data = from->parsed.data;
    const char *bytes = from->texts.text[data.text].bytes;
    int64_t begin = data.begin, end = data.end;
    while (begin < end && strchr(" \t\r\n\v\f", bytes[begin]))
        begin++;
    while (end > begin && strchr(" \t\r\n\v\f", bytes[end - 1]))
        end--;
    fwrite(bytes + begin, 1, (size_t)(end - begin), stdout);
    putchar('\n');
}
