/* The parser.
 *
 * Method: recursive descent with one token of lookahead. A function that parses a part returns NULL when it has
 * failed; the message has been stored by then. Brackets count as nesting and stop at BMF_MAX_NESTING; a composition f
 * . g . h is read in a loop and built from its end, and its links count towards BMF_MAX_DEPTH, so whoever walks a
 * parsed tree may recurse.
 * Cost: O(tokens), and a comparison with every known name for each definition.
 * Source: document 000, appendix A, and docs/language.md. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/fields.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/front/type_parse.h"

typedef struct parts {
    bmf_expression **part;
    int count, capacity;
} parts;

void parser_advance(bmf_parser *p)
{
    p->last_end = p->token.end;
    p->token = p->next;
    p->next = token_next(p->text, p->next.end);
}

bmf_span parser_span(const bmf_parser *p, bmf_token token)
{
    return (bmf_span){p->number, token.begin, token.end};
}

/* From a token to the end of what was read last. */
bmf_span parser_span_since(const bmf_parser *p, bmf_token first)
{
    return (bmf_span){p->number, first.begin, p->last_end};
}

/* Stores a message that points at a token; returns NULL. */
void *parser_fail(bmf_parser *p, bmf_token token, const char *format, ...)
{
    char message[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    p->status = text_fail(p->texts, p->ctx, parser_span(p, token), BMF_ERROR_USAGE, "%s", message);
    return NULL;
}

void *parser_fail_expected(bmf_parser *p, const char *what)
{
    char found[64];
    return parser_fail(p, p->token, "%s expected, found %s", what, token_print(p->text, p->token, found));
}

static bool expect(bmf_parser *p, int kind, const char *what)
{
    if (p->token.kind != kind) {
        parser_fail_expected(p, what);
        return false;
    }
    parser_advance(p);
    return true;
}

/* Opens a bracket; `what` is for messages. Every bracket that was opened successfully is closed by close_bracket. */
bool parser_open(bmf_parser *p, int kind, const char *what)
{
    if (p->token.kind == kind && p->nesting == BMF_MAX_NESTING) {
        parser_fail(p, p->token, "brackets are nested more than %d deep", BMF_MAX_NESTING);
        return false;
    }
    if (!expect(p, kind, what))
        return false;
    p->nesting++;
    p->depth++;
    return true;
}

bool parser_close(bmf_parser *p, int kind, bmf_token opened)
{
    char found[64];
    int64_t line, column;
    if (p->token.kind != kind) {
        text_place(p->text, opened.begin, &line, &column);
        parser_fail(p, p->token, "'%c' expected, found %s; it closes the '%c' at %" PRId64 ":%" PRId64, kind,
                    token_print(p->text, p->token, found), p->text->bytes[opened.begin], line, column);
        return false;
    }
    p->nesting--;
    p->depth--;
    parser_advance(p);
    return true;
}

static void add_part(parts *list, bmf_expression *part)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? list->capacity * 2 : 16;
        list->part = reallocate(list->part, list->capacity * (int64_t)sizeof *list->part,
                                capacity * (int64_t)sizeof *list->part);
        list->capacity = capacity;
    }
    list->part[list->count++] = part;
}

/* '(' expression ')' */
bmf_expression *parser_operand(bmf_parser *p)
{
    bmf_token opened = p->token;
    if (!parser_open(p, '(', "'('"))
        return NULL;
    bmf_expression *operand = parser_expression(p);
    return operand && parser_close(p, ')', opened) ? operand : NULL;
}

/* '(' B_Num n ')' with n from `least` to `most`; `range` says so in messages. With procs also '(' B_Procs ')'. */
static bool parse_number(bmf_parser *p, bool procs, int64_t least, int64_t most, const char *range, int64_t *number)
{
    bmf_token opened = p->token;
    bmf_constant constant;
    if (!parser_open(p, '(', "'(' and B_Num"))
        return false;
    if (procs && token_is(p->text, p->token, "B_Procs")) {
        *number = p->texts->processors > 0 ? p->texts->processors : 1;
        parser_advance(p);
        return parser_close(p, ')', opened);
    }
    if (!token_is(p->text, p->token, "B_Num")) {
        parser_fail_expected(p, procs ? "B_Num or B_Procs" : "B_Num");
        return false;
    }
    parser_advance(p);
    if (p->token.kind != BMF_TOKEN_NUMBER) {
        parser_fail_expected(p, "a whole number");
        return false;
    }
    const char *bytes = p->text->bytes + p->token.begin;
    const char *wrong = number_read(bytes, p->token.end - p->token.begin, false, &constant);
    if (!wrong && (constant.kind != BMF_INT || constant.integer < least || constant.integer > most))
        wrong = range;
    if (wrong) {
        char found[64];
        parser_fail(p, p->token, "%s %s", token_print(p->text, p->token, found), wrong);
        return false;
    }
    *number = constant.integer;
    parser_advance(p);
    return parser_close(p, ')', opened);
}

bool parser_number(bmf_parser *p, bool split, int64_t *number)
{
    return parse_number(p, split, 0, INT64_MAX, "is no whole number from 0 on", number);
}

bool parser_places(bmf_parser *p, int64_t *number)
{
    return parse_number(p, false, -BMF_MAX_PLACES, BMF_MAX_PLACES, "is no whole number from -2^40 to 2^40", number);
}

static bool parse_parts(bmf_parser *p, const bmf_keyword *keyword, int limit, parts *list)
{
    bmf_token opened = p->token;
    if (!parser_open(p, '[', "'['"))
        return false;
    while (p->token.kind != ']' || list->count > 0) {
        if (limit > 0 && list->count == limit) {
            parser_fail(p, p->token, "%s takes at most %d expressions", keyword->text, limit);
            return false;
        }
        bmf_expression *part = parser_expression(p);
        if (!part)
            return false;
        add_part(list, part);
        if (p->token.kind != ',')
            break;
        parser_advance(p);
    }
    if (limit > 0 && list->count == 0) {
        parser_fail(p, p->token, "%s needs at least one expression", keyword->text);
        return false;
    }
    return parser_close(p, ']', opened);
}

bmf_expression *parser_list(bmf_parser *p, const bmf_keyword *keyword, int limit)
{
    bmf_token first = p->token;
    parts list = {0};
    bmf_expression *made = NULL;
    parser_advance(p);
    if (parse_parts(p, keyword, limit, &list)) {
        made = expression_create(p->arena, keyword->kind, parser_span_since(p, first), list.count);
        if (list.count > 0)
            memcpy(made->child, list.part, (size_t)list.count * sizeof *list.part);
    }
    free(list.part);
    return made;
}

/* Adds the name that the token is; false after a message. */
static bool parse_field(bmf_parser *p, char fields[FIELDS_BYTES])
{
    char found[64];
    if (p->token.kind != BMF_TOKEN_WORD) {
        parser_fail_expected(p, "the name of a field");
        return false;
    }
    const char *fault = fields_add(fields, p->text->bytes + p->token.begin, p->token.end - p->token.begin);
    if (fault)
        parser_fail(p, p->token, "the field %s %s", token_print(p->text, p->token, found), fault);
    else
        parser_advance(p);
    return !fault;
}

bmf_expression *parser_fields(bmf_parser *p, const bmf_keyword *keyword, int open, int close, int limit)
{
    const bmf_token first = p->token;
    char fields[FIELDS_BYTES] = "", what[4] = {'\'', (char)open, '\'', '\0'};
    int count = 0;
    parser_advance(p);
    const bmf_token opened = p->token;
    if (!parser_open(p, open, what))
        return NULL;
    do {
        if (count > 0)
            parser_advance(p);
        if (!parse_field(p, fields))
            return NULL;
    } while (++count < limit && p->token.kind == ',');
    if (!parser_close(p, close, opened))
        return NULL;
    bmf_expression *made = expression_create(p->arena, keyword->kind, parser_span_since(p, first), 0);
    made->name = expressions_text(p->arena, fields, (int64_t)strlen(fields));
    return made;
}

static bmf_expression *parse_name(bmf_parser *p)
{
    bmf_token token = p->token;
    if (token.end - token.begin == 1)
        return parser_fail(p, token, "a name of letters, digits and _ belongs behind $");
    bmf_expression *name = expression_create(p->arena, BMF_EXPRESSION_NAME, parser_span(p, token), 0);
    name->name = expressions_text(p->arena, p->text->bytes + token.begin + 1, token.end - token.begin - 1);
    parser_advance(p);
    return name;
}

/* Keyword and operands in brackets. */
bmf_expression *parser_operands(bmf_parser *p, const bmf_keyword *keyword)
{
    const bmf_expression_form *form = form_of_kind(keyword->kind);
    bmf_token first = p->token;
    bmf_expression *operand[BMF_MAX_OPERANDS];
    int operands = 0;
    parser_advance(p);
    while (operands < form->min_operands || (operands < form->max_operands && p->token.kind == '(')) {
        operand[operands] = parser_operand(p);
        if (!operand[operands++])
            return NULL;
    }
    bmf_expression *made = expression_create(p->arena, keyword->kind, parser_span_since(p, first), operands);
    made->parallel = keyword->parallel;
    made->operation = keyword->operation;
    if (operands > 0)
        memcpy(made->child, operand, (size_t)operands * sizeof *operand);
    return made;
}

static bmf_expression *parse_keyword(bmf_parser *p, const bmf_keyword *keyword)
{
    const bmf_expression_form *form = form_of_kind(keyword->kind);
    return form->parse ? form->parse(p, keyword) : parser_operands(p, keyword);
}

/* A word that begins no expression. */
static void *fail_word(bmf_parser *p, const bmf_keyword *keyword)
{
    char found[64];
    token_print(p->text, p->token, found);
    bool converts = keyword->role == BMF_KEYWORD_OPERATION &&
                    (keyword->operation == BMF_OPERATION_INT || keyword->operation == BMF_OPERATION_REAL);
    if (converts)
        return parser_fail(p, p->token,
                           "%s is no expression: write B_Op (%s) for the conversion, B_Con (%s ..) for a constant",
                           found, keyword->text, keyword->text);
    if (keyword->role == BMF_KEYWORD_OPERATION)
        return parser_fail(p, p->token, "%s is an operation: write B_Op (%s)", found, keyword->text);
    if (keyword->role == BMF_KEYWORD_OTHER)
        return parser_fail_expected(p, "an expression");
    const char *near = keyword_near(p->text, p->token);
    if (!near && token_next(p->text, 0).begin == p->token.begin)
        return parser_fail(p, p->token, "unknown keyword %s; a program in the notation begins with let or main", found);
    return near ? parser_fail(p, p->token, "unknown keyword %s; is %s meant?", found, near)
                : parser_fail(p, p->token, "unknown keyword %s", found);
}

static bmf_expression *parse_primary(bmf_parser *p)
{
    if (p->token.kind == '(')
        return parser_operand(p);
    if (p->token.kind == BMF_TOKEN_NAME)
        return parse_name(p);
    if (p->token.kind != BMF_TOKEN_WORD)
        return parser_fail_expected(p, "an expression");
    bmf_keyword keyword = keyword_of(p->text, p->token);
    return keyword.role == BMF_KEYWORD_FORM ? parse_keyword(p, &keyword) : fail_word(p, &keyword);
}

/* f . g . h = f . (g . h) */
static bmf_expression *compose(bmf_parser *p, const parts *list)
{
    bmf_expression *composed = list->part[list->count - 1];
    for (int k = list->count - 2; k >= 0; k--) {
        bmf_span span = {p->number, list->part[k]->span.begin, p->last_end};
        bmf_expression *comp = expression_create(p->arena, BMF_EXPRESSION_COMP, span, 2);
        comp->child[0] = list->part[k];
        comp->child[1] = composed;
        composed = comp;
    }
    return composed;
}

static bool parse_composition(bmf_parser *p, parts *list)
{
    int outside = p->depth;
    for (;;) {
        bmf_expression *primary = parse_primary(p);
        if (!primary)
            return false;
        add_part(list, primary);
        if (p->token.kind != '.')
            break;
        if (p->depth == BMF_MAX_DEPTH) {
            parser_fail(p, p->token, "compositions and brackets are nested more than %d deep", BMF_MAX_DEPTH);
            return false;
        }
        p->depth++;
        parser_advance(p);
    }
    p->depth = outside;
    return true;
}

bmf_expression *parser_expression(bmf_parser *p)
{
    parts list = {0};
    bmf_expression *expression = parse_composition(p, &list) ? compose(p, &list) : NULL;
    free(list.part);
    return expression;
}

static void *fail_redefinition(bmf_parser *p, const bmf_definition *first, bmf_token name)
{
    int64_t line, column;
    const bmf_text *text = &p->texts->text[first->span.text];
    text_place(text, first->span.begin, &line, &column);
    return parser_fail(p, name, "$%.60s is defined twice; first at %.120s:%" PRId64 ":%" PRId64, first->name,
                       text->name, line, column);
}

static bool add_definition(bmf_parser *p, bmf_library *library, bmf_expression *name)
{
    const bmf_definition *first = library_find(library, name->name);
    if (first) {
        fail_redefinition(p, first, (bmf_token){BMF_TOKEN_NAME, name->span.begin, name->span.end});
        return false;
    }
    library_add(library, (bmf_definition){.name = name->name, .span = name->span});
    return true;
}

/* { '$name' '=' exp } */
static bool parse_definitions(bmf_parser *p, bmf_library *library)
{
    while (p->token.kind == BMF_TOKEN_NAME && p->next.kind == '=') {
        bmf_expression *name = parse_name(p);
        if (!name || !add_definition(p, library, name))
            return false;
        parser_advance(p);
        bmf_expression *expression = parser_expression(p);
        if (!expression)
            return false;
        library->definition[library->count - 1].expression = expression;
    }
    return true;
}

static bmf_parser open_parser(bmf_context *ctx, const bmf_texts *texts, int text, bmf_expressions *arena)
{
    bmf_parser p = {.ctx = ctx, .texts = texts, .text = &texts->text[text], .number = text, .arena = arena};
    p.token = token_next(p.text, 0);
    p.next = token_next(p.text, p.token.end);
    return p;
}

/* Takes back the definitions of a text that failed. */
static int finish(const bmf_parser *p, bmf_library *library, int definitions)
{
    if (p->status != BMF_OK)
        library->count = definitions;
    return p->status;
}

/* [ ':' type ] behind a program's expression. */
static bool parse_declared(bmf_parser *p, bmf_parsed *parsed)
{
    bmf_declared *declared = expressions_bytes(p->arena, sizeof *declared);
    *declared = (bmf_declared){.span = parser_span(p, p->token)};
    parsed->parameters = 1;
    parsed->declared = declared;
    if (p->token.kind != ':')
        return true;
    declared->type = type_parse(p->ctx, p->texts, p->number, p->token.end, &declared->span.end);
    if (!declared->type) {
        p->status = BMF_ERROR_USAGE;
        return false;
    }
    p->token = token_next(p->text, declared->span.end);
    p->next = token_next(p->text, p->token.end);
    return true;
}

/* What follows a program's expression and type: data, or nothing. */
static void parse_end(bmf_parser *p, bmf_parsed *parsed)
{
    char found[64];
    bmf_keyword keyword = keyword_of(p->text, p->token);
    int kind = p->token.kind;
    bool truth = token_is(p->text, p->token, "B_True") || token_is(p->text, p->token, "B_False");
    if (kind == BMF_TOKEN_NAME || (kind == BMF_TOKEN_WORD && keyword.role != BMF_KEYWORD_NONE && !truth))
        parser_fail(p, p->token, "data or the end of the program expected, found %s; does a '.' belong before it?",
                    token_print(p->text, p->token, found));
    else if (kind != BMF_TOKEN_END && kind != BMF_TOKEN_WORD && kind != BMF_TOKEN_NUMBER && kind != '[' && kind != '{')
        parser_fail_expected(p, "data or the end of the program");
    parsed->has_data = kind != BMF_TOKEN_END;
    parsed->data = (bmf_span){p->number, p->token.begin, p->text->size};
}

int parse_program(bmf_context *ctx, const bmf_texts *texts, int text, bmf_expressions *arena, bmf_library *library,
                  bmf_parsed *parsed)
{
    bmf_parser p = open_parser(ctx, texts, text, arena);
    int definitions = library->count;
    *parsed = (bmf_parsed){0};
    if (parse_definitions(&p, library))
        parsed->expression = parser_expression(&p);
    if (p.status == BMF_OK && parse_declared(&p, parsed))
        parse_end(&p, parsed);
    return finish(&p, library, definitions);
}

int parse_library(bmf_context *ctx, const bmf_texts *texts, int text, bmf_expressions *arena, bmf_library *library)
{
    bmf_parser p = open_parser(ctx, texts, text, arena);
    int definitions = library->count;
    if (parse_definitions(&p, library) && p.token.kind != BMF_TOKEN_END)
        parser_fail_expected(&p, "a definition, $name = expression,");
    return finish(&p, library, definitions);
}
