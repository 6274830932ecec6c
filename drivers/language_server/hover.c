/* What stands at a place: a name with its type, a definition with the remarks above it, a built-in function with what
 * it does, an expression with its type.
 * Source: Language Server Protocol 3.17, "Hover Request". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/language_server/features.h"
#include "drivers/language_server/message.h"
#include "drivers/language_server/occurrences.h"
#include "drivers/language_server/position.h"
#include "skeletons/language/notation/describe.h"
#include "skeletons/language/notation/lexer.h"
#include "skeletons/language/notation/print.h"
#include "skeletons/language/notation/resolve.h"

enum { TYPE_BYTES = 1024 };

static json_t *hover(const inspection *of, bmf_span span, char *markdown)
{
    json_t *made = json_pack("{s:{s:s, s:o}, s:o}", "contents", "kind", "markdown", "value", message_text(markdown),
                             "range", position_range(inspection_text(of), span));
    free(markdown);
    return made ? made : json_null();
}

/* The remarks in the lines above a place, as text. */
static void print_remarks(const bmf_text *text, int64_t at, FILE *out)
{
    int64_t first = at, line;
    while (first > 0 && text->bytes[first - 1] != '\n')
        first--;
    const int64_t stop = first;
    for (line = first; line > 0; first = line) {
        for (line--; line > 0 && text->bytes[line - 1] != '\n';)
            line--;
        if (text->bytes[line] != '#')
            break;
    }
    for (line = first; line < stop;) {
        const char *begin = text->bytes + line, *end = memchr(begin, '\n', (size_t)(stop - line));
        const int64_t size = end ? end - begin : stop - line;
        const int64_t skip = size > 1 && begin[1] == ' ' ? 2 : 1;
        fprintf(out, "%.*s\n", (int)(size - skip), begin + skip);
        line += size + 1;
    }
}

/* "let f(a, b)" as it is written. */
static void print_head(const bmf_text *text, const bmf_definition *definition, FILE *out)
{
    int64_t end = definition->span.end;
    int depth = 0;
    notation_token token = notation_next(text, end);
    for (; definition->notation && token.kind != NOTATION_TOKEN_END; token = notation_next(text, token.end)) {
        depth += notation_is(text, token, "(") - notation_is(text, token, ")");
        if (depth == 0 && !notation_is(text, token, ")"))
            break;
        end = token.end;
    }
    fprintf(out, "%s%.*s", definition->notation ? "let " : "", (int)(end - definition->span.begin),
            text->bytes + definition->span.begin);
}

static json_t *hover_definition(const inspection *of, const bmf_definition *definition, bmf_span span)
{
    char *markdown = NULL, words[TYPE_BYTES];
    size_t size = 0;
    const bmf_text *text = &of->document.texts.text[definition->span.text];
    const bool constant = definition->notation && definition->parameters == 0;
    FILE *out = open_memstream(&markdown, &size);
    if (!out)
        return json_null();
    fputs("```bmf\n", out);
    print_head(text, definition, out);
    if (inspection_words(of, span, false, !constant, words, sizeof words))
        fprintf(out, " : %s", words);
    fputs("\n```\n", out);
    print_remarks(text, definition->span.begin, out);
    fclose(out);
    return hover(of, span, markdown);
}

/* The code, its type, and a sentence; any may be NULL. */
static json_t *hover_code(const inspection *of, bmf_span span, const char *code, const char *type, const char *about)
{
    char *markdown = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&markdown, &size);
    if (!out)
        return json_null();
    fprintf(out, "```bmf\n%s%s%s\n```\n%s%s", code, type ? " : " : "", type ? type : "", about ? about : "",
            about ? "\n" : "");
    fclose(out);
    return hover(of, span, markdown);
}

static const notation_builtin *builtin_at_place(const notation_place *place)
{
    if (place->node && place->node->builtin)
        return place->node->builtin;
    return place->name ? builtin_find(place->name, (int64_t)strlen(place->name)) : NULL;
}

/* What an expression is called that is neither a name nor a call. */
static const char *code_of_kind(const notation_node *node)
{
    switch (node->kind) {
    case NOTATION_TUPLE:
        return "{..}";
    case NOTATION_RECORD:
        return "{x: ..}";
    case NOTATION_UPDATE:
        return "{.. with x: ..}";
    case NOTATION_FIELD:
        return node->name;
    case NOTATION_LIST:
        return "[..]";
    case NOTATION_INDEX:
        return node->children > 1 && node->child[1]->kind == NOTATION_RANGE ? "xs[a ..< b]" : "xs[i]";
    case NOTATION_RANGE:
        return "a ..< b";
    case NOTATION_IF:
        return "if";
    case NOTATION_LET:
        return "let";
    case NOTATION_WHILE:
    case NOTATION_FOR:
        return "loop";
    case NOTATION_PROCS:
        return "procs";
    default:
        return NULL;
    }
}

static json_t *hover_node(const inspection *of, const notation_place *place)
{
    char words[TYPE_BYTES], code[64];
    const notation_node *node = place->node;
    const notation_builtin *builtin = builtin_at_place(place);
    const char *type = inspection_words(of, node->word, false, false, words, sizeof words);
    if (builtin)
        return hover_code(of, place->span, builtin->usage, type, notation_describe(builtin));
    const char *word = code_of_kind(node);
    if (word)
        return hover_code(of, place->span, word, type, notation_describe_word(word));
    if (node->kind != NOTATION_CONSTANT)
        return json_null();
    const int size = (int)(node->span.end - node->span.begin);
    snprintf(code, sizeof code, "%.*s", size < 60 ? size : 60, inspection_text(of)->bytes + node->span.begin);
    return hover_code(of, place->span, code, type, notation_describe_word(code));
}

/* Reserved words between expressions. */
static json_t *hover_word(const inspection *of, int64_t at)
{
    const bmf_text *text = inspection_text(of);
    notation_token token = notation_next(text, 0);
    while (token.kind != NOTATION_TOKEN_END && token.end <= at)
        token = notation_next(text, token.end);
    char word[16];
    const int64_t size = token.end - token.begin;
    if (token.kind != NOTATION_TOKEN_WORD || token.begin > at || size >= (int64_t)sizeof word)
        return json_null();
    memcpy(word, text->bytes + token.begin, (size_t)size);
    word[size] = '\0';
    const char *about = notation_describe_word(word);
    return about ? hover_code(of, (bmf_span){of->document.text, token.begin, token.end}, word, NULL, about)
                 : json_null();
}

/* No expression stands where a name is bound: its lists are as long as where it is used, if they are so everywhere. */
static void append_shape_of_uses(const inspection *of, int64_t at, char *words, size_t size)
{
    occurrences uses;
    char used[TYPE_BYTES] = "", other[TYPE_BYTES];
    bool same = true;
    occurrences_find(of, at, &uses);
    for (int k = 0; k < uses.count && same; k++) {
        snprintf(other, sizeof other, "%s", words);
        shapes_append(&of->shapes, uses.at[k], other, sizeof other);
        if (strcmp(other, words) == 0)
            continue;
        same = *used == '\0' || strcmp(other, used) == 0;
        memcpy(used, other, sizeof used);
    }
    if (same && *used)
        snprintf(words, size, "%s", used);
    occurrences_free(&uses);
}

static json_t *hover_notation(const inspection *of, const notation_text *syntax, int64_t at)
{
    notation_place place;
    char words[TYPE_BYTES];
    if (!notation_find(syntax, at, &place))
        return hover_word(of, at);
    if (place.bound) {
        const char *type = inspection_words(of, place.bound->span, true, false, words, sizeof words);
        if (type && place.span.begin == place.bound->span.begin)
            append_shape_of_uses(of, at, words, sizeof words);
        else if (type)
            shapes_append(&of->shapes, place.span, words, sizeof words);
        return hover_code(of, place.span, place.name, type, NULL);
    }
    const bmf_definition *definition = place.name ? library_find(&of->document.library, place.name) : NULL;
    if (definition)
        return hover_definition(of, definition, place.span);
    if (!place.node)
        return hover_word(of, at);
    if (at < place.span.begin || at >= place.span.end)
        return hover_word(of, at);
    return hover_node(of, &place);
}

/* The innermost expression of core language at a place. */
static json_t *hover_core(const inspection *of, int64_t at)
{
    char words[TYPE_BYTES];
    const inspection_type *found = NULL;
    bmf_span span;
    const char *name = feature_core_name(of, at, &span);
    const bmf_definition *definition = name ? library_find(&of->document.library, name) : NULL;
    if (definition)
        return hover_definition(of, definition, span);
    for (int k = 0; k < of->types; k++) {
        const inspection_type *type = &of->type[k];
        if (type->expression && type->expression->kind != BMF_EXPRESSION_COMP && type->span.begin <= at &&
            at < type->span.end && (!found || type->span.end - type->span.begin <= found->span.end - found->span.begin))
            found = type;
    }
    if (!found)
        return json_null();
    inspection_words(of, found->span, false, true, words, sizeof words);
    return hover_code(of, found->span, expression_keyword(found->expression), words, NULL);
}

json_t *feature_hover(const inspection *of, int64_t at)
{
    const notation_text *syntax = inspection_syntax(of);
    return syntax ? hover_notation(of, syntax, at) : hover_core(of, at);
}
