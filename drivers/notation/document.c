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
    const bool library = parse_library(NULL, &s->texts, s->text, scratch, &none) == BMF_OK && none.count > 0;
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
    BMF_TRY(parse_file(s, &parsed[s->text]));
    for (int k = 0; k <= s->text; k++)
        BMF_TRY(notation_translate(NULL, &s->texts, s->arena, &s->library, &parsed[k], &s->parsed));
    return library_check(NULL, &s->texts, &s->library, s->parsed.expression);
}

static int read_library(document *d, const char *name, int *text)
{
    char *path = library_path(name);
    const int status = texts_read(&d->texts, NULL, path, text);
    free(path);
    return status;
}

int document_open(const char *path, const bmf_strings *libraries, document *opened)
{
    *opened = (document){.arena = expressions_create()};
    int text = 0;
    for (int k = 0; k < libraries->count; k++)
        BMF_TRY(read_library(opened, libraries->text[k], &text));
    BMF_TRY(texts_read(&opened->texts, NULL, path, &opened->text));
    opened->notation = source_is_notation(&opened->texts, opened->text);
    notation_text *parsed = allocate_clear(opened->text + 1, sizeof *parsed);
    const int status = parse_all(opened, parsed);
    for (int k = 0; k <= opened->text; k++)
        notation_text_free(&parsed[k]);
    free(parsed);
    return status;
}

void document_close(document *opened)
{
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
