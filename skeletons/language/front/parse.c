/* The parser.
 *
 * Method: recursive descent with one token of lookahead. A function that parses a part returns NULL when it has failed; the
 * message has been stored by then. Brackets count as nesting and stop at BMF_MAX_NESTING; a composition f . g . h is read in
 * a loop and built from its end, and its links count towards BMF_MAX_DEPTH, so whoever walks a parsed tree may recurse.
 * Cost: O(tokens), and a comparison with every known name for each definition.
 * Source: document 000, appendix A, and docs/language.md. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/front/parse.h"
#include "skeletons/language/front/lexer.h"

enum { MAX_STRIDE = 62 };

typedef struct parser {
    bmf_context *ctx;
    const bmf_texts *texts;
    const bmf_text *text;
    int number; /* of the text */
    bmf_expressions *arena;
    bmf_token token, next;
    int64_t last_end; /* of the token before `token` */
    int nesting, depth;
    int status;
} parser;

typedef struct parts {
    bmf_expression **part;
    int count, capacity;
} parts;

static bmf_expression *parse_expression(parser *p);

static void advance(parser *p)
{
    p->last_end = p->token.end;
    p->token = p->next;
    p->next = token_next(p->text, p->next.end);
}

static bmf_span span_of(const parser *p, bmf_token token)
{
    return (bmf_span){p->number, token.begin, token.end};
}

/* From a token to the end of what was read last. */
static bmf_span span_since(const parser *p, bmf_token first)
{
    return (bmf_span){p->number, first.begin, p->last_end};
}

/* Stores a message that points at a token; returns NULL. */
__attribute__((format(printf, 3, 4))) static void *fail(parser *p, bmf_token token, const char *format, ...)
{
    char message[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    p->status = text_fail(p->texts, p->ctx, span_of(p, token), BMF_ERROR_USAGE, "%s", message);
    return NULL;
}

static void *fail_expected(parser *p, const char *what)
{
    char found[64];
    return fail(p, p->token, "%s expected, found %s", what, token_print(p->text, p->token, found));
}

static bool expect(parser *p, int kind, const char *what)
{
    if (p->token.kind != kind) {
        fail_expected(p, what);
        return false;
    }
    advance(p);
    return true;
}

/* Opens a bracket; `what` is for messages. Every bracket that was opened successfully is closed by close_bracket. */
static bool open_bracket(parser *p, int kind, const char *what)
{
    if (p->token.kind == kind && p->nesting == BMF_MAX_NESTING) {
        fail(p, p->token, "brackets are nested more than %d deep", BMF_MAX_NESTING);
        return false;
    }
    if (!expect(p, kind, what))
        return false;
    p->nesting++;
    p->depth++;
    return true;
}

static bool close_bracket(parser *p, int kind, bmf_token opened)
{
    char found[64];
    int64_t line, column;
    if (p->token.kind != kind) {
        text_place(p->text, opened.begin, &line, &column);
        fail(p, p->token, "'%c' expected, found %s; it closes the '%c' at %" PRId64 ":%" PRId64, kind,
             token_print(p->text, p->token, found), p->text->bytes[opened.begin], line, column);
        return false;
    }
    p->nesting--;
    p->depth--;
    advance(p);
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
static bmf_expression *parse_operand(parser *p)
{
    bmf_token opened = p->token;
    if (!open_bracket(p, '(', "'('"))
        return NULL;
    bmf_expression *operand = parse_expression(p);
    return operand && close_bracket(p, ')', opened) ? operand : NULL;
}

/* '(' B_Num n ')'; for splits also '(' B_Procs ')': as many as there are processors */
static bool parse_number(parser *p, bool split, int64_t *number)
{
    bmf_token opened = p->token;
    bmf_constant constant;
    if (!open_bracket(p, '(', "'(' and B_Num"))
        return false;
    if (split && token_is(p->text, p->token, "B_Procs")) {
        *number = p->texts->processors > 0 ? p->texts->processors : 1;
        advance(p);
        return close_bracket(p, ')', opened);
    }
    if (!token_is(p->text, p->token, "B_Num")) {
        fail_expected(p, split ? "B_Num or B_Procs" : "B_Num");
        return false;
    }
    advance(p);
    if (p->token.kind != BMF_TOKEN_NUMBER) {
        fail_expected(p, "a whole number");
        return false;
    }
    const char *bytes = p->text->bytes + p->token.begin;
    const char *wrong = number_read(bytes, p->token.end - p->token.begin, false, &constant);
    if (!wrong && (constant.kind != BMF_INT || constant.integer < 0))
        wrong = "is no whole number from 0 on";
    if (wrong) {
        char found[64];
        fail(p, p->token, "%s %s", token_print(p->text, p->token, found), wrong);
        return false;
    }
    *number = constant.integer;
    advance(p);
    return close_bracket(p, ')', opened);
}

/* Keyword and operands in brackets: at least `least`, at most `most`. */
static bmf_expression *parse_form(parser *p, const bmf_keyword *keyword, int least, int most)
{
    bmf_token first = p->token;
    bmf_expression *operand[3];
    int operands = 0;
    advance(p);
    while (operands < least || (operands < most && p->token.kind == '(')) {
        operand[operands] = parse_operand(p);
        if (!operand[operands++])
            return NULL;
    }
    bmf_expression *form = expression_create(p->arena, keyword->kind, span_since(p, first), operands);
    form->parallel = keyword->parallel;
    form->operation = keyword->operation;
    if (operands > 0)
        memcpy(form->child, operand, (size_t)operands * sizeof *operand);
    return form;
}

static bmf_expression *parse_split(parser *p, const bmf_keyword *keyword)
{
    bmf_token first = p->token;
    int64_t number[2] = {0, 0};
    advance(p);
    if (!parse_number(p, true, &number[0]))
        return NULL;
    bmf_token second = p->token;
    if (keyword->parallel && p->token.kind == '(' && !parse_number(p, true, &number[1]))
        return NULL;
    if (number[1] > MAX_STRIDE)
        return fail(p, second, "the second number of P_Split is the logarithm of the stride: at most %d", MAX_STRIDE);
    bmf_expression *split = expression_create(p->arena, BMF_EXPRESSION_SPLIT, span_since(p, first), 0);
    split->parallel = keyword->parallel;
    memcpy(split->number, number, sizeof number);
    return split;
}

static bmf_expression *parse_addr(parser *p)
{
    bmf_token first = p->token;
    int64_t number[2];
    advance(p);
    bmf_token which = p->token;
    if (!parse_number(p, false, &number[0]))
        return NULL;
    bmf_token of = p->token;
    if (!parse_number(p, false, &number[1]))
        return NULL;
    if (number[1] < 1 || number[1] > BMF_MAX_LEAVES)
        return fail(p, of, "a tuple has 1 to %d components, not %" PRId64, BMF_MAX_LEAVES, number[1]);
    if (number[0] < 1 || number[0] > number[1])
        return fail(p, which, "components of a tuple of %" PRId64 " are 1 to %" PRId64 ", not %" PRId64, number[1],
                    number[1], number[0]);
    bmf_expression *addr = expression_create(p->arena, BMF_EXPRESSION_ADDR, span_since(p, first), 0);
    memcpy(addr->number, number, sizeof number);
    return addr;
}

/* The number behind B_Int or B_Real. */
static bool parse_typed_number(parser *p, bmf_type_kind kind, bmf_constant *constant)
{
    char found[64];
    const char *bytes = p->text->bytes + p->token.begin;
    bool special = token_is(p->text, p->token, "inf") || token_is(p->text, p->token, "nan");
    if (p->token.kind != BMF_TOKEN_NUMBER && !(special && kind == BMF_REAL)) {
        fail_expected(p, kind == BMF_INT ? "a whole number" : "a number");
        return false;
    }
    const char *wrong = number_read(bytes, p->token.end - p->token.begin, kind == BMF_REAL, constant);
    if (!wrong && constant->kind != kind)
        wrong = "is no int; write B_Real";
    if (wrong) {
        fail(p, p->token, "%s %s", token_print(p->text, p->token, found), wrong);
        return false;
    }
    advance(p);
    return true;
}

static bool parse_constant(parser *p, bmf_constant *constant)
{
    bool yes = token_is(p->text, p->token, "B_True") || token_is(p->text, p->token, "true");
    bool no = token_is(p->text, p->token, "B_False") || token_is(p->text, p->token, "false");
    bool whole = token_is(p->text, p->token, "B_Int");
    if (yes || no)
        *constant = (bmf_constant){.kind = BMF_BOOL, .integer = yes};
    else if (!whole && !token_is(p->text, p->token, "B_Real")) {
        fail_expected(p, "B_Int, B_Real, B_True or B_False");
        return false;
    }
    advance(p);
    return yes || no || parse_typed_number(p, whole ? BMF_INT : BMF_REAL, constant);
}

static bmf_expression *parse_con(parser *p)
{
    bmf_token first = p->token;
    bmf_constant constant;
    advance(p);
    bmf_token opened = p->token;
    if (!open_bracket(p, '(', "'('") || !parse_constant(p, &constant) || !close_bracket(p, ')', opened))
        return NULL;
    bmf_expression *con = expression_create(p->arena, BMF_EXPRESSION_CON, span_since(p, first), 0);
    con->constant = constant;
    return con;
}

static bmf_expression *parse_op(parser *p)
{
    advance(p);
    bmf_token opened = p->token;
    if (!open_bracket(p, '(', "'('"))
        return NULL;
    const bmf_keyword *keyword = keyword_of(p->text, p->token);
    if (keyword->role != BMF_KEYWORD_OPERATION) {
        const char *near = p->token.kind == BMF_TOKEN_WORD && keyword->role == BMF_KEYWORD_NONE
                               ? keyword_near(p->text, p->token)
                               : NULL;
        char found[64];
        token_print(p->text, p->token, found);
        return near ? fail(p, p->token, "an operation expected, found %s; is %s meant?", found, near)
                    : fail(p, p->token, "an operation such as B_Plus expected, found %s", found);
    }
    bmf_span span = span_of(p, p->token); /* messages mark B_Length, not B_Op (B_Length) */
    advance(p);
    if (!close_bracket(p, ')', opened))
        return NULL;
    bmf_expression *op = expression_create(p->arena, BMF_EXPRESSION_OP, span, 0);
    op->operation = keyword->operation;
    return op;
}

/* B_Alltup [e, ..] and B_Allvec [e, ..]. */
static bool parse_list(parser *p, bmf_expression_kind kind, parts *list)
{
    bmf_token opened = p->token;
    if (!open_bracket(p, '[', "'['"))
        return false;
    if (p->token.kind != ']') {
        for (;;) {
            if (kind == BMF_EXPRESSION_ALLTUP && list->count == BMF_MAX_LEAVES) {
                fail(p, p->token, "B_Alltup takes at most %d expressions", BMF_MAX_LEAVES);
                return false;
            }
            bmf_expression *part = parse_expression(p);
            if (!part)
                return false;
            add_part(list, part);
            if (p->token.kind != ',')
                break;
            advance(p);
        }
    } else if (kind == BMF_EXPRESSION_ALLTUP) {
        fail(p, p->token, "B_Alltup needs at least one expression");
        return false;
    }
    return close_bracket(p, ']', opened);
}

static bmf_expression *parse_all(parser *p, bmf_expression_kind kind)
{
    bmf_token first = p->token;
    parts list = {0};
    bmf_expression *all = NULL;
    advance(p);
    if (parse_list(p, kind, &list)) {
        all = expression_create(p->arena, kind, span_since(p, first), list.count);
        if (list.count > 0)
            memcpy(all->child, list.part, (size_t)list.count * sizeof *list.part);
    }
    free(list.part);
    return all;
}

static bmf_expression *parse_name(parser *p)
{
    bmf_token token = p->token;
    if (token.end - token.begin == 1)
        return fail(p, token, "a name of letters, digits and _ belongs behind $");
    bmf_expression *name = expression_create(p->arena, BMF_EXPRESSION_NAME, span_of(p, token), 0);
    name->name = expressions_text(p->arena, p->text->bytes + token.begin + 1, token.end - token.begin - 1);
    advance(p);
    return name;
}

static bmf_expression *parse_keyword(parser *p, const bmf_keyword *keyword)
{
    switch (keyword->kind) {
    case BMF_EXPRESSION_COMP:
    case BMF_EXPRESSION_WHILE:
        return parse_form(p, keyword, 2, 2);
    case BMF_EXPRESSION_MAP:
    case BMF_EXPRESSION_FILTER:
        return parse_form(p, keyword, 1, 1);
    case BMF_EXPRESSION_REDUCE:
    case BMF_EXPRESSION_SCAN:
        return parse_form(p, keyword, 1, 2);
    case BMF_EXPRESSION_ZIP:
        return parse_form(p, keyword, 0, 1);
    case BMF_EXPRESSION_IF:
        return parse_form(p, keyword, 3, 3);
    case BMF_EXPRESSION_CON:
        return parse_con(p);
    case BMF_EXPRESSION_ALLTUP:
    case BMF_EXPRESSION_ALLVEC:
        return parse_all(p, keyword->kind);
    case BMF_EXPRESSION_ADDR:
        return parse_addr(p);
    case BMF_EXPRESSION_SPLIT:
        return parse_split(p, keyword);
    case BMF_EXPRESSION_OP:
        return keyword->parallel ? parse_form(p, keyword, 0, 0) : parse_op(p);
    default:
        return parse_form(p, keyword, 0, 0);
    }
}

/* A word that begins no expression. */
static void *fail_word(parser *p, const bmf_keyword *keyword)
{
    char found[64];
    token_print(p->text, p->token, found);
    bool converts = keyword->role == BMF_KEYWORD_OPERATION &&
                    (keyword->operation == BMF_OPERATION_INT || keyword->operation == BMF_OPERATION_REAL);
    if (converts)
        return fail(p, p->token,
                    "%s is no expression: write B_Op (%s) for the conversion, B_Con (%s ..) for a constant", found,
                    keyword->text, keyword->text);
    if (keyword->role == BMF_KEYWORD_OPERATION)
        return fail(p, p->token, "%s is an operation: write B_Op (%s)", found, keyword->text);
    if (keyword->role == BMF_KEYWORD_OTHER)
        return fail_expected(p, "an expression");
    const char *near = keyword_near(p->text, p->token);
    return near ? fail(p, p->token, "unknown keyword %s; is %s meant?", found, near)
                : fail(p, p->token, "unknown keyword %s", found);
}

static bmf_expression *parse_primary(parser *p)
{
    if (p->token.kind == '(')
        return parse_operand(p);
    if (p->token.kind == BMF_TOKEN_NAME)
        return parse_name(p);
    if (p->token.kind != BMF_TOKEN_WORD)
        return fail_expected(p, "an expression");
    const bmf_keyword *keyword = keyword_of(p->text, p->token);
    return keyword->role == BMF_KEYWORD_FORM ? parse_keyword(p, keyword) : fail_word(p, keyword);
}

/* f . g . h = f . (g . h) */
static bmf_expression *compose(parser *p, const parts *list)
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

static bool parse_composition(parser *p, parts *list)
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
            fail(p, p->token, "compositions and brackets are nested more than %d deep", BMF_MAX_DEPTH);
            return false;
        }
        p->depth++;
        advance(p);
    }
    p->depth = outside;
    return true;
}

static bmf_expression *parse_expression(parser *p)
{
    parts list = {0};
    bmf_expression *expression = parse_composition(p, &list) ? compose(p, &list) : NULL;
    free(list.part);
    return expression;
}

static void *fail_redefinition(parser *p, const bmf_definition *first, bmf_token name)
{
    int64_t line, column;
    const bmf_text *text = &p->texts->text[first->span.text];
    text_place(text, first->span.begin, &line, &column);
    return fail(p, name, "$%.60s is defined twice; first at %.120s:%" PRId64 ":%" PRId64, first->name, text->name, line,
                column);
}

static bool add_definition(parser *p, bmf_library *library, bmf_expression *name)
{
    const bmf_definition *first = library_find(library, name->name);
    if (first) {
        fail_redefinition(p, first, (bmf_token){BMF_TOKEN_NAME, name->span.begin, name->span.end});
        return false;
    }
    if (library->count == library->capacity) {
        int capacity = library->capacity > 0 ? library->capacity * 2 : 16;
        library->definition = reallocate(library->definition, library->capacity * (int64_t)sizeof *library->definition,
                                         capacity * (int64_t)sizeof *library->definition);
        library->capacity = capacity;
    }
    library->definition[library->count++] = (bmf_definition){name->name, name->span, NULL};
    return true;
}

/* { '$name' '=' exp } */
static bool parse_definitions(parser *p, bmf_library *library)
{
    while (p->token.kind == BMF_TOKEN_NAME && p->next.kind == '=') {
        bmf_expression *name = parse_name(p);
        if (!name || !add_definition(p, library, name))
            return false;
        advance(p);
        bmf_expression *expression = parse_expression(p);
        if (!expression)
            return false;
        library->definition[library->count - 1].expression = expression;
    }
    return true;
}

static parser open_parser(bmf_context *ctx, const bmf_texts *texts, int text, bmf_expressions *arena)
{
    parser p = {.ctx = ctx, .texts = texts, .text = &texts->text[text], .number = text, .arena = arena};
    p.token = token_next(p.text, 0);
    p.next = token_next(p.text, p.token.end);
    return p;
}

/* Takes back the definitions of a text that failed. */
static int finish(const parser *p, bmf_library *library, int definitions)
{
    if (p->status != BMF_OK)
        library->count = definitions;
    return p->status;
}

/* What follows a program's expression: data, or nothing. */
static void parse_end(parser *p, bmf_parsed *parsed)
{
    char found[64];
    const bmf_keyword *keyword = keyword_of(p->text, p->token);
    int kind = p->token.kind;
    bool truth = token_is(p->text, p->token, "B_True") || token_is(p->text, p->token, "B_False");
    if (kind == BMF_TOKEN_NAME || (kind == BMF_TOKEN_WORD && keyword->role != BMF_KEYWORD_NONE && !truth))
        fail(p, p->token, "data or the end of the program expected, found %s; does a '.' belong before it?",
             token_print(p->text, p->token, found));
    else if (kind != BMF_TOKEN_END && kind != BMF_TOKEN_WORD && kind != BMF_TOKEN_NUMBER && kind != '[' && kind != '{')
        fail_expected(p, "data or the end of the program");
    parsed->has_data = kind != BMF_TOKEN_END;
    parsed->data = (bmf_span){p->number, p->token.begin, p->text->size};
}

int parse_program(bmf_context *ctx, const bmf_texts *texts, int text, bmf_expressions *arena, bmf_library *library,
                  bmf_parsed *parsed)
{
    parser p = open_parser(ctx, texts, text, arena);
    int definitions = library->count;
    *parsed = (bmf_parsed){0};
    if (parse_definitions(&p, library))
        parsed->expression = parse_expression(&p);
    if (p.status == BMF_OK)
        parse_end(&p, parsed);
    return finish(&p, library, definitions);
}

int parse_library(bmf_context *ctx, const bmf_texts *texts, int text, bmf_expressions *arena, bmf_library *library)
{
    parser p = open_parser(ctx, texts, text, arena);
    int definitions = library->count;
    if (parse_definitions(&p, library) && p.token.kind != BMF_TOKEN_END)
        fail_expected(&p, "a definition, $name = expression,");
    return finish(&p, library, definitions);
}
