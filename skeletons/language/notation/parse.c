/* The parser's tokens and messages, and definitions.
 *
 * Method: recursive descent with one token of lookahead. What is no notation is met by the words of the language that
 * the writer seems to come from. */
#include "skeletons/language/notation/parser.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/base/array.h"
#include "skeletons/language/front/type_parse.h"
#include "skeletons/language/notation/foreign.h"

/* ---- tokens ---- */

void notation_advance(notation_parser *p)
{
    p->last = p->token;
    p->token = notation_next(p->text, p->token.end);
}

bool notation_at(const notation_parser *p, const char *what)
{
    return notation_is(p->text, p->token, what);
}

bool notation_take(notation_parser *p, const char *what)
{
    const bool is = notation_at(p, what);
    if (is)
        notation_advance(p);
    return is;
}

bmf_span notation_span(const notation_parser *p, notation_token token)
{
    return (bmf_span){p->number, token.begin, token.end};
}

bmf_span notation_since(const notation_parser *p, int64_t begin)
{
    return (bmf_span){p->number, begin, p->last.end};
}

/* ---- messages ---- */

void *notation_fail(notation_parser *p, bmf_span span, const char *format, ...)
{
    char message[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    p->status = text_fail(p->texts, p->ctx, span, BMF_ERROR_USAGE, "%s", message);
    return NULL;
}

static const char *meant_by(const notation_parser *p, notation_token token)
{
    return token.kind == NOTATION_TOKEN_WORD ? foreign_word(p->text->bytes + token.begin, token.end - token.begin)
                                             : NULL;
}

static bool is_core(const notation_parser *p)
{
    const char *word = p->text->bytes + p->token.begin;
    return p->token.kind == NOTATION_TOKEN_WORD && p->token.end - p->token.begin > 2 &&
           (strncasecmp(word, "B_", 2) == 0 || strncasecmp(word, "P_", 2) == 0);
}

static const char core_message[] =
    "this is core language; a text is one or the other (bmf core FILE prints the core of this one)";

/* x += 1: the operator and = are two tokens. */
static const char *foreign_assignment(const notation_parser *p)
{
    const bool beside = p->last.kind == NOTATION_TOKEN_MARK && p->last.end == p->token.begin && notation_at(p, "=");
    return beside ? foreign_mark(p->text->bytes + p->last.begin, p->text->size - p->last.begin) : NULL;
}

/* A primary begins here, on the line of the name before: f x. */
static bool is_juxtaposition(const notation_parser *p)
{
    const int64_t between = p->token.begin - p->last.end;
    return p->last.kind == NOTATION_TOKEN_WORD && p->last.end > p->last.begin &&
           !notation_is_reserved(p->text->bytes + p->last.begin, p->last.end - p->last.begin) &&
           !memchr(p->text->bytes + p->last.end, '\n', (size_t)between) &&
           (p->token.kind == NOTATION_TOKEN_NUMBER ||
            (p->token.kind == NOTATION_TOKEN_WORD &&
             !notation_is_reserved(p->text->bytes + p->token.begin, p->token.end - p->token.begin)));
}

void *notation_fail_expected(notation_parser *p, const char *what)
{
    char found[64];
    const bmf_span here = notation_span(p, p->token);
    const char *word = meant_by(p, p->last);
    if (word && p->token.begin - p->last.end <= 1)
        return notation_fail(p, notation_span(p, p->last), "%s", word);
    if (is_core(p))
        return notation_fail(p, here, "%s", core_message);
    const char *mark = p->token.kind == NOTATION_TOKEN_BAD || p->token.kind == NOTATION_TOKEN_MARK
                           ? foreign_mark(p->text->bytes + p->token.begin, p->text->size - p->token.begin)
                           : NULL;
    const char *assignment = foreign_assignment(p);
    if (assignment || mark)
        return notation_fail(p, here, "%s", assignment ? assignment : mark);
    notation_token_print(p->text, p->token, found);
    if (is_juxtaposition(p)) {
        char function[64];
        notation_token_print(p->text, p->last, function);
        return notation_fail(p, here, "%s expected, found %s; a call is written %s(%s)", what, found, function, found);
    }
    return notation_fail(p, here, "%s expected, found %s", what, found);
}

bool notation_expect(notation_parser *p, const char *what)
{
    char quoted[16];
    if (notation_take(p, what))
        return true;
    snprintf(quoted, sizeof quoted, what[0] >= 'a' && what[0] <= 'z' ? "%s" : "'%s'", what);
    notation_fail_expected(p, quoted);
    return false;
}

const char *notation_name(notation_parser *p, const char *what)
{
    const char *word = p->text->bytes + p->token.begin;
    const int64_t size = p->token.end - p->token.begin;
    char found[64];
    if (p->token.kind != NOTATION_TOKEN_WORD)
        return notation_fail_expected(p, what);
    if (is_core(p))
        return notation_fail(p, notation_span(p, p->token), "%s", core_message);
    if (notation_is_reserved(word, size))
        return notation_fail(p, notation_span(p, p->token), "%s expected, found %s, which is a word of the notation",
                             what, notation_token_print(p->text, p->token, found));
    notation_advance(p);
    return expressions_text(p->arena, word, size);
}

/* ---- patterns ---- */

static notation_pattern *parse_pattern(notation_parser *p);

static void *fail_colon(notation_parser *p, bool inside)
{
    return notation_fail(
        p, notation_span(p, p->token), "%s",
        inside ? "a pattern takes components in their order, {a, b}; the fields of a record r are r.x, r.y"
               : "types are written at the parameters of main only; all others follow from them");
}

static notation_pattern *parse_tuple_pattern(notation_parser *p)
{
    notation_pattern *part[BMF_MAX_LEAVES];
    const int64_t begin = p->token.begin;
    int parts = 0;
    notation_advance(p);
    if (++p->depth > NOTATION_MAX_NESTING)
        return notation_fail(p, notation_span(p, p->last), "brackets are nested more than %d deep",
                             NOTATION_MAX_NESTING);
    do {
        if (parts == BMF_MAX_LEAVES)
            return notation_fail(p, notation_span(p, p->token), "a tuple has at most %d components", BMF_MAX_LEAVES);
        part[parts] = parse_pattern(p);
        if (!part[parts++])
            return NULL;
        if (notation_at(p, ":"))
            return fail_colon(p, true);
    } while (notation_take(p, ","));
    p->depth--;
    if (!notation_expect(p, "}"))
        return NULL;
    notation_pattern *pattern = notation_pattern_create(p->arena, NULL, notation_since(p, begin), parts);
    memcpy(pattern->part, part, (size_t)parts * sizeof *part);
    return pattern;
}

/* Whatever stands behind it. */
static notation_pattern *parse_pattern(notation_parser *p)
{
    const notation_token first = p->token;
    if (notation_at(p, "{"))
        return parse_tuple_pattern(p);
    if (notation_at(p, "("))
        return notation_fail(p, notation_span(p, first), "a pattern of several names is written {a, b}");
    if (notation_at(p, "["))
        return notation_fail(p, notation_span(p, first),
                             "a list has no pattern; its elements are xs[0], xs[1], .., its parts functions of it");
    const char *name = notation_name(p, "a name or {..}");
    return name ? notation_pattern_create(p->arena, strcmp(name, "_") == 0 ? NULL : name, notation_span(p, first), 0)
                : NULL;
}

notation_pattern *notation_parse_pattern(notation_parser *p)
{
    notation_pattern *pattern = parse_pattern(p);
    return pattern && notation_at(p, ":") ? fail_colon(p, false) : pattern;
}

/* How often a pattern binds a name; *last: where it does so last. */
static int count_name(const notation_pattern *pattern, const char *name, bmf_span *last)
{
    int count = pattern->name && strcmp(pattern->name, name) == 0;
    if (count > 0)
        *last = pattern->span;
    for (int k = 0; k < pattern->parts; k++)
        count += count_name(pattern->part[k], name, last);
    return count;
}

static bool check_names(notation_parser *p, const notation_pattern *all, const notation_pattern *pattern)
{
    bmf_span last = pattern->span;
    if (pattern->name && count_name(all, pattern->name, &last) > 1)
        return notation_fail(p, last, "%.60s stands twice in the pattern", pattern->name);
    for (int k = 0; k < pattern->parts; k++)
        if (!check_names(p, all, pattern->part[k]))
            return false;
    return true;
}

bool notation_check_pattern(notation_parser *p, const notation_pattern *pattern)
{
    return check_names(p, pattern, pattern);
}

/* ---- definitions ---- */

/* [ ':' type ] behind a parameter of main. */
static bool parse_declared(notation_parser *p, const notation_pattern *parameter, bmf_declared *declared)
{
    *declared = (bmf_declared){.name = parameter->name};
    if (!notation_at(p, ":"))
        return true;
    declared->span = notation_span(p, p->token);
    declared->type = type_parse(p->ctx, p->texts, p->number, p->token.end, &declared->span.end);
    if (!declared->type) {
        p->status = BMF_ERROR_USAGE;
        return false;
    }
    p->last = (notation_token){NOTATION_TOKEN_MARK, declared->span.begin, declared->span.end};
    p->token = notation_next(p->text, declared->span.end);
    return true;
}

/* int x, as in C. */
static bool is_type_first(const notation_parser *p)
{
    static const char *const types[] = {"int", "real", "bool", "float", "double", "long"};
    bool is = false;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        is = is || notation_at(p, types[k]);
    return is && notation_next(p->text, p->token.end).kind == NOTATION_TOKEN_WORD;
}

/* '(' pattern, .. ')' */
static bool parse_parameters(notation_parser *p, notation_definition *definition)
{
    const int64_t begin = p->token.begin;
    const bool is_main = strcmp(definition->name, "main") == 0; /* a reserved word */
    notation_pattern *part[BMF_MAX_LEAVES];
    bmf_declared declared[BMF_MAX_LEAVES];
    notation_advance(p);
    if (notation_at(p, ")"))
        return notation_fail(p, notation_since(p, begin),
                             "a function has at least one parameter; without any, %.60s is a constant: %.60s = ..",
                             definition->name, definition->name);
    do {
        if (definition->parameters == BMF_MAX_LEAVES)
            return notation_fail(p, notation_span(p, p->token), "a function has at most %d parameters", BMF_MAX_LEAVES);
        const int k = definition->parameters;
        if (is_type_first(p))
            return notation_fail(p, notation_span(p, p->token),
                                 "the type of a parameter stands behind it: main(x: int)");
        part[k] = is_main ? parse_pattern(p) : notation_parse_pattern(p);
        if (!part[k] || (is_main && !parse_declared(p, part[k], &declared[k])))
            return false;
        definition->parameters++;
    } while (notation_take(p, ","));
    if (!notation_expect(p, ")"))
        return false;
    if (is_main) {
        const size_t size = (size_t)definition->parameters * sizeof *declared;
        definition->declared = memcpy(expressions_bytes(p->arena, (int64_t)size), declared, size);
    }
    definition->pattern = part[0];
    if (definition->parameters > 1) {
        definition->pattern = notation_pattern_create(p->arena, NULL, notation_since(p, begin), definition->parameters);
        memcpy(definition->pattern->part, part, (size_t)definition->parameters * sizeof *part);
    }
    definition->pattern->function = definition->name;
    return notation_check_pattern(p, definition->pattern);
}

/* [ params ] '=' */
static bool parse_head(notation_parser *p, notation_definition *definition)
{
    if (notation_at(p, "(") && !parse_parameters(p, definition))
        return false;
    if (p->token.kind == NOTATION_TOKEN_WORD && !notation_at(p, "in"))
        return notation_fail(p, notation_span(p, p->token),
                             "'=' expected; parameters stand in brackets: let %.60s(x) = ..", definition->name);
    if (notation_at(p, "->"))
        return notation_fail(p, notation_span(p, p->token), "a definition is written let %.60s(x) = ..",
                             definition->name);
    return notation_expect(p, "=");
}

/* [ params ] '=' exp, behind the name */
static bool parse_body(notation_parser *p, notation_definition *definition)
{
    if (!parse_head(p, definition)) {
        definition->parameters = PARAMETERS_UNKNOWN;
        return false;
    }
    definition->body = notation_expression(p);
    return definition->body;
}

static bool fail_redefinition(notation_parser *p, const bmf_definition *first, bmf_span name)
{
    int64_t line, column;
    const bmf_text *text = &p->texts->text[first->span.text];
    text_place(text, first->span.begin, &line, &column);
    return notation_fail(p, name, "%.60s is defined twice; first at %.120s:%" PRId64 ":%" PRId64, first->name,
                         text->name, line, column);
}

static bool parse_definition(notation_parser *p, bmf_library *library, notation_text *parsed)
{
    notation_definition made = {0};
    notation_advance(p);
    made.span = notation_span(p, p->token);
    if (notation_at(p, "main"))
        return notation_fail(p, made.span, "main is written without let: main(xs) = ..");
    if (notation_at(p, "{"))
        return notation_fail(p, made.span, "a definition has one name; patterns stand in let {a, b} = e in ..");
    if (p->token.kind == NOTATION_TOKEN_WORD &&
        builtin_find(p->text->bytes + made.span.begin, made.span.end - made.span.begin))
        return notation_fail(p, made.span, "%.*s is built in; choose another name",
                             (int)(made.span.end - made.span.begin), p->text->bytes + made.span.begin);
    made.name = notation_name(p, "a name");
    if (!made.name)
        return false;
    const bmf_definition *first = library_find(library, made.name);
    if (first)
        return fail_redefinition(p, first, made.span);
    const bool whole = parse_body(p, &made);
    library_add(library, (bmf_definition){
                             .name = made.name, .span = made.span, .notation = true, .parameters = made.parameters});
    *ARRAY_APPEND(parsed->definition, parsed->count, parsed->capacity) = made;
    return whole;
}

/* What may follow a definition or main: `what`. */
static bool fail_behind(notation_parser *p, const char *what)
{
    if (notation_at(p, "in"))
        return notation_fail(p, notation_span(p, p->token), "a definition has no in; what follows it is the next one");
    if (notation_at(p, "where"))
        return notation_fail(p, notation_span(p, p->token), "there is no where; write let x = e in .. before");
    if (notation_at(p, "else") || notation_at(p, "then"))
        return notation_fail_expected(p, "if before it");
    return notation_fail_expected(p, what);
}

static bool parse_main(notation_parser *p, notation_text *parsed)
{
    parsed->has_main = true;
    parsed->main = (notation_definition){.name = "main", .span = notation_span(p, p->token)};
    notation_advance(p);
    if (!parse_body(p, &parsed->main))
        return false;
    if (notation_at(p, "default")) {
        const bmf_span word = notation_span(p, p->token);
        if (parsed->main.parameters == 0)
            return notation_fail(p, word, "main has no parameters that a default could be for");
        parsed->has_data = true;
        parsed->data = (bmf_span){p->number, p->token.end, p->text->size};
        p->token =
            (notation_token){NOTATION_TOKEN_END, p->text->size, p->text->size}; /* the data have their own parser */
        return true;
    }
    if (notation_at(p, "let") || notation_at(p, "main"))
        return notation_fail(p, notation_span(p, p->token), "main is the last definition; this belongs before it");
    return p->token.kind == NOTATION_TOKEN_END || fail_behind(p, "the end of the text or default");
}

/* A definition or main, or the end of the text; true if another definition may follow. */
static bool parse_next(notation_parser *p, bool program, bmf_library *library, notation_text *parsed)
{
    if (notation_at(p, "let"))
        return parse_definition(p, library, parsed);
    if (!program && notation_at(p, "main"))
        notation_fail(p, notation_span(p, p->token), "a library has definitions only; main belongs into the program");
    else if (notation_at(p, "main"))
        parse_main(p, parsed);
    else if (p->token.kind != NOTATION_TOKEN_END)
        fail_behind(p, program ? "a definition (let) or main" : "a definition (let)");
    else if (program && p->status == BMF_OK)
        notation_fail(p, notation_span(p, p->token), "the program has no main; it ends with main(xs) = ..");
    return false;
}

/* Behind an error, where failures are kept: goes to the next line that begins with let or main, behind `begin`, where
 * what has the error began. The line of the error itself may be such a line. */
static bool recover(notation_parser *p, int64_t begin)
{
    int64_t at = p->token.begin;
    if (!p->texts->failures || p->token.kind == NOTATION_TOKEN_END)
        return false;
    while (at > begin + 1 && p->text->bytes[at - 1] != '\n')
        at--;
    p->depth = 0;
    for (p->token = notation_next(p->text, at); p->token.kind != NOTATION_TOKEN_END; notation_advance(p))
        if (p->token.begin > begin && p->text->bytes[p->token.begin - 1] == '\n' &&
            (notation_at(p, "let") || notation_at(p, "main")))
            return true;
    return false;
}

static void parse_text(notation_parser *p, bool program, bmf_library *library, notation_text *parsed)
{
    int64_t begin;
    do
        begin = p->token.begin;
    while (parse_next(p, program, library, parsed) || recover(p, begin));
}

int notation_parse(bmf_context *ctx, const bmf_texts *texts, int text, bool program, bmf_expressions *arena,
                   bmf_library *library, notation_text *parsed)
{
    notation_parser p = {.ctx = ctx, .texts = texts, .text = &texts->text[text], .number = text, .arena = arena};
    const int definitions = library->count;
    *parsed = (notation_text){.text = text};
    p.token = notation_next(p.text, 0);
    parse_text(&p, program, library, parsed);
    if (p.status != BMF_OK && !texts->failures)
        library->count = definitions;
    return p.status;
}

void notation_text_free(notation_text *parsed)
{
    free(parsed->definition);
    *parsed = (notation_text){0};
}

const char *notation_parameter(const notation_text *parsed, int k)
{
    const notation_definition *main = &parsed->main;
    const notation_pattern *pattern = main->parameters > 1 ? main->pattern->part[k] : main->pattern;
    return pattern->name;
}
