/* Types as programs write them.
 *
 * Method: recursive descent with one token of lookahead. Words of other languages are met by what is meant. */
#include "skeletons/language/front/type_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/front/fields.h"
#include "skeletons/language/front/lexer.h"
#include "skeletons/language/front/parse.h"

typedef struct type_parser {
    bmf_context *ctx;
    const bmf_texts *texts;
    const bmf_text *text;
    int number; /* of the text */
    bmf_token token, last;
    int nesting;
} type_parser;

static const struct {
    const char *word;
    const bmf_type *type;
} scalars[] = {{"int", &bmf_type_int}, {"real", &bmf_type_real}, {"bool", &bmf_type_bool}, {"_", &bmf_type_nothing}};

static const char *const foreign[][2] = {
    {"float", "real"},  {"float64", "real"},   {"double", "real"},   {"f64", "real"},       {"integer", "int"},
    {"int64", "int"},   {"long", "int"},       {"i64", "int"},       {"boolean", "bool"},   {"array", "[real]"},
    {"list", "[real]"}, {"ndarray", "[real]"}, {"vector", "[real]"}, {"matrix", "[[real]]"}};

static void advance(type_parser *p)
{
    p->last = p->token;
    p->token = token_next(p->text, p->token.end);
}

static bool is_word(const type_parser *p, const char *word)
{
    const int64_t size = p->token.end - p->token.begin;
    return p->token.kind == BMF_TOKEN_WORD && (int64_t)strlen(word) == size &&
           memcmp(p->text->bytes + p->token.begin, word, (size_t)size) == 0;
}

__attribute__((format(printf, 2, 3))) static void *fail(const type_parser *p, const char *format, ...)
{
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_fail(p->texts, p->ctx, (bmf_span){p->number, p->token.begin, p->token.end}, BMF_ERROR_USAGE, "%s", message);
    return NULL;
}

static void *fail_expected(const type_parser *p, const char *what)
{
    char found[64];
    return fail(p, "%s expected, found %s", what, token_print(p->text, p->token, found));
}

static const bmf_type *parse_type(type_parser *p);

static const bmf_type *parse_scalar(type_parser *p)
{
    for (size_t k = 0; k < sizeof scalars / sizeof scalars[0]; k++)
        if (is_word(p, scalars[k].word)) {
            advance(p);
            return p->token.kind == '[' ? fail(p, "a list of %s is written [%s]", scalars[k].word, scalars[k].word)
                                        : scalars[k].type;
        }
    for (size_t k = 0; k < sizeof foreign / sizeof foreign[0]; k++)
        if (is_word(p, foreign[k][0]))
            return fail(p, "there is no type %s; is %s meant?", foreign[k][0], foreign[k][1]);
    return fail_expected(p, "a type, such as int, real, bool, [real] or {int, real},");
}

static const bmf_type *parse_list(type_parser *p)
{
    advance(p);
    const bmf_type *element = parse_type(p);
    if (!element)
        return NULL;
    if (p->token.kind != ']')
        return fail_expected(p, "']'");
    advance(p);
    return bmf_type_list(element);
}

/* name ':' in front of a component. */
static bool parse_field(type_parser *p, char fields[FIELDS_BYTES])
{
    const char *name = p->text->bytes + p->token.begin;
    const int64_t size = p->token.end - p->token.begin;
    if (p->token.kind != BMF_TOKEN_WORD || token_next(p->text, p->token.end).kind != ':')
        return fail_expected(p, "a field, name: type,");
    const char *fault = fields_add(fields, name, size);
    if (fault)
        return fail(p, "the field %.*s %s", size > 60 ? 60 : (int)size, name, fault);
    advance(p);
    advance(p);
    return true;
}

/* A record if its first component has a name, and so all have. */
static const bmf_type *parse_tuple(type_parser *p)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    char fields[FIELDS_BYTES] = "";
    int components = 0;
    advance(p);
    const bool named = p->token.kind == BMF_TOKEN_WORD && token_next(p->text, p->token.end).kind == ':';
    for (;;) {
        if (components == BMF_MAX_LEAVES)
            return fail(p, "a tuple has at most %d components", BMF_MAX_LEAVES);
        if (named && !parse_field(p, fields))
            return NULL;
        component[components] = parse_type(p);
        if (!component[components++])
            return NULL;
        if (p->token.kind != ',')
            break;
        advance(p);
    }
    if (p->token.kind != '}')
        return fail_expected(p, "',' or '}'");
    advance(p);
    const bmf_type *tuple = bmf_type_tuple(components, component);
    return named ? type_with_fields(tuple, fields) : tuple;
}

static const bmf_type *parse_type(type_parser *p)
{
    if (++p->nesting > BMF_MAX_NESTING)
        return fail(p, "brackets are nested more than %d deep", BMF_MAX_NESTING);
    const bmf_type *type = p->token.kind == '['   ? parse_list(p)
                           : p->token.kind == '{' ? parse_tuple(p)
                                                  : parse_scalar(p);
    p->nesting--;
    return type;
}

char *type_print(const bmf_type *type)
{
    enum { MOST_BYTES = 1 << 16 };
    char *text = allocate(MOST_BYTES);
    bmf_type_print(type, text, MOST_BYTES);
    for (char *at = text; (at = strchr(at, '?'));)
        *at = '_';
    return text;
}

const bmf_type *type_parse(bmf_context *ctx, const bmf_texts *texts, int text, int64_t at, int64_t *end)
{
    type_parser p = {.ctx = ctx, .texts = texts, .text = &texts->text[text], .number = text};
    p.token = token_next(p.text, at);
    const bmf_type *type = parse_type(&p);
    *end = p.last.end;
    return type;
}
