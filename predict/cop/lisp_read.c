/* Reads the texts of COP programs. Method: recursive descent, with a limit to nesting; every list cell knows where its
 * element stands. Cost: linear. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/lisp_private.h"
#include "runtime/base/text.h"

enum { NESTING = 200, NAME = 128, STRING = 1024 };

typedef struct reader {
    bmf_lisp *lisp;
    const char *at, *end, *line_start;
    int line, depth;
} reader;

static bmf_lisp_place here(const reader *r)
{
    return (bmf_lisp_place){r->line, (int)(r->at - r->line_start) + 1};
}

static void skip_blanks(reader *r)
{
    for (; r->at < r->end; r->at++)
        if (*r->at == '\n') {
            r->line++;
            r->line_start = r->at + 1;
        } else if (*r->at == ';') {
            while (r->at + 1 < r->end && r->at[1] != '\n')
                r->at++;
        } else if (!isspace((unsigned char)*r->at)) {
            return;
        }
}

static bool ends_name(char c)
{
    return isspace((unsigned char)c) || (c != '\0' && strchr("()'`,;\"", c));
}

static int read_value(reader *r, const bmf_lisp_value **value);

/* (NAME x) for 'x and its like. */
static int read_quoted(reader *r, const char *name, int length, const bmf_lisp_value **value)
{
    const bmf_lisp_value *quoted;
    r->at += length;
    BMF_TRY(read_value(r, &quoted));
    BMF_TRY(lisp_cons(r->lisp, quoted, NULL, value));
    return lisp_cons(r->lisp, lisp_symbol_value(r->lisp, name), *value, value);
}

static int read_list(reader *r, const bmf_lisp_value **list)
{
    const bmf_lisp_place opened = here(r);
    bmf_lisp_value *last = NULL;
    *list = NULL;
    r->at++;
    for (;;) {
        skip_blanks(r);
        if (r->at == r->end)
            return lisp_fail_at(r->lisp, opened, "this parenthesis is never closed");
        if (*r->at == ')') {
            r->at++;
            return BMF_OK;
        }
        const bmf_lisp_place place = here(r);
        const bmf_lisp_value *element, *cell;
        BMF_TRY(read_value(r, &element));
        lisp_set_place(r->lisp, place);
        BMF_TRY(lisp_cons(r->lisp, element, NULL, &cell));
        if (last)
            last->cons.rest = cell;
        else
            *list = cell;
        last = (bmf_lisp_value *)(uintptr_t)cell;
    }
}

static int read_string(reader *r, const bmf_lisp_value **value)
{
    const bmf_lisp_place opened = here(r);
    const char *begin = ++r->at;
    while (r->at < r->end && *r->at != '"' && *r->at != '\n')
        r->at++;
    const int64_t size = r->at - begin;
    if (r->at == r->end || *r->at == '\n')
        return lisp_fail_at(r->lisp, opened, "this string has no end in its line");
    if (size > STRING)
        return lisp_fail_at(r->lisp, opened, "a string of more than %d bytes", STRING);
    r->at++;
    char *text = lisp_allocate(r->lisp, size + 1);
    memcpy(text, begin, (size_t)size);
    text_make_printable(text);
    bmf_lisp_value *string = lisp_new(r->lisp, BMF_LISP_STRING);
    string->text = text;
    *value = string;
    return BMF_OK;
}

/* A number if it is one, otherwise a symbol. */
static int make_atom(reader *r, const char *text, const bmf_lisp_value **value)
{
    char *end;
    const char first = text[text[0] == '-' || text[0] == '+'];
    if (isdigit((unsigned char)first) || (first == '.' && isdigit((unsigned char)strchr(text, '.')[1]))) {
        errno = 0;
        const int64_t integer = strtoll(text, &end, 10);
        if (*end == '\0' && errno == ERANGE)
            return lisp_fail(r->lisp, "%s does not fit into 64 bits", text);
        if (*end == '\0') {
            *value = lisp_integer(r->lisp, integer);
            return BMF_OK;
        }
        const double real = strtod(text, &end);
        if (*end != '\0' || !(real > -1e300 && real < 1e300) || strpbrk(text, "xXpP"))
            return lisp_fail(r->lisp, "'%s' is no number", text);
        *value = lisp_real(r->lisp, real);
        return BMF_OK;
    }
    *value = strcmp(text, "nil") == 0 ? NULL : lisp_symbol_value(r->lisp, text);
    return BMF_OK;
}

static int read_atom(reader *r, const bmf_lisp_value **value)
{
    char text[NAME + 1];
    int64_t size = 0;
    lisp_set_place(r->lisp, here(r));
    while (r->at < r->end && !ends_name(*r->at)) {
        if (iscntrl((unsigned char)*r->at))
            return lisp_fail(r->lisp, "a control character");
        if (size == NAME)
            return lisp_fail(r->lisp, "a word of more than %d bytes", NAME);
        text[size++] = *r->at++;
    }
    text[size] = '\0';
    return make_atom(r, text, value);
}

static int read_value(reader *r, const bmf_lisp_value **value)
{
    skip_blanks(r);
    lisp_set_place(r->lisp, here(r));
    if (r->at == r->end)
        return lisp_fail(r->lisp, "the text ends where a value is wanted");
    if (++r->depth > NESTING)
        return lisp_fail(r->lisp, "parentheses nested deeper than %d", NESTING);
    int status;
    switch (*r->at) {
    case '(':
        status = read_list(r, value);
        break;
    case ')':
        status = lisp_fail(r->lisp, "a parenthesis is closed that was not opened");
        break;
    case '\'':
        status = read_quoted(r, "quote", 1, value);
        break;
    case '`':
        status = read_quoted(r, "quasiquote", 1, value);
        break;
    case ',':
        status = r->at + 1 < r->end && r->at[1] == '@' ? read_quoted(r, "unquote-splicing", 2, value)
                                                       : read_quoted(r, "unquote", 1, value);
        break;
    case '"':
        status = read_string(r, value);
        break;
    default:
        status = read_atom(r, value);
    }
    r->depth--;
    return status;
}

int lisp_read(bmf_lisp *lisp, const char *text, int64_t size, int first_line, const bmf_lisp_value **forms)
{
    reader r = {lisp, text, text + size, text, first_line, 0};
    bmf_lisp_value *last = NULL;
    *forms = NULL;
    lisp->place = (bmf_lisp_place){first_line, 1};
    for (skip_blanks(&r); r.at < r.end; skip_blanks(&r)) {
        const bmf_lisp_place place = here(&r);
        const bmf_lisp_value *form, *cell;
        BMF_TRY(read_value(&r, &form));
        lisp_set_place(lisp, place);
        BMF_TRY(lisp_cons(lisp, form, NULL, &cell));
        if (last)
            last->cons.rest = cell;
        else
            *forms = cell;
        last = (bmf_lisp_value *)(uintptr_t)cell;
    }
    return BMF_OK;
}
