/* Expressions of the notation.
 *
 * Method: recursive descent, infix operators by precedence climbing. Brackets, let, if, loop and functions count as
 * nesting, and the depth of the tree is limited as that of the core is; so whoever walks it may recurse. */
#include "skeletons/language/notation/parser.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/array.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/front/fields.h"
#include "skeletons/language/notation/foreign.h"

typedef struct nodes {
    notation_node **node;
    int count, capacity;
} nodes;

/* A node of these children; its span begins at `begin` and ends with the token before this one. */
static notation_node *make(notation_parser *p, notation_kind kind, int64_t begin, bmf_span word, int children,
                           notation_node *const *child)
{
    notation_node *node = notation_create(p->arena, kind, notation_since(p, begin), children);
    node->word = word;
    for (int k = 0; k < children; k++) {
        node->child[k] = child[k];
        node->depth = child[k]->depth >= node->depth ? child[k]->depth + 1 : node->depth;
    }
    if (node->depth > BMF_MAX_DEPTH / 2)
        return notation_fail(p, word, "expressions are nested more than %d deep", BMF_MAX_DEPTH / 2);
    return node;
}

static notation_node *call(notation_parser *p, const notation_builtin *builtin, int64_t begin, bmf_span word,
                           int children, notation_node *const *child)
{
    notation_node *node = make(p, NOTATION_CALL, begin, word, children, child);
    if (!node)
        return NULL;
    node->builtin = builtin;
    node->name = builtin->name;
    return node;
}

/* The infix operator that the token is, or NULL. */
static const notation_builtin *infix_at(const notation_parser *p)
{
    if (p->token.kind != NOTATION_TOKEN_WORD && p->token.kind != NOTATION_TOKEN_MARK)
        return NULL;
    const notation_builtin *found = builtin_find(p->text->bytes + p->token.begin, p->token.end - p->token.begin);
    return found && found->level != NOTATION_LEVEL_NONE && found->role != NOTATION_UNARY ? found : NULL;
}

/* ---- literals ---- */

static notation_node *parse_number(notation_parser *p, int64_t begin)
{
    char found[64];
    bmf_constant constant;
    const char *bytes = p->text->bytes + begin;
    const int64_t size = p->token.end - begin;
    const char *wrong = number_read(bytes, size, false, &constant);
    if (wrong)
        return notation_fail(p, (bmf_span){p->number, begin, p->token.end}, "%s %s",
                             notation_token_print(p->text, p->token, found), wrong);
    notation_advance(p);
    notation_node *node = make(p, NOTATION_CONSTANT, begin, notation_since(p, begin), 0, NULL);
    node->constant = constant;
    return node;
}

/* true, false, inf, nan; NULL without a message if it is none. */
static notation_node *parse_word_constant(notation_parser *p, int64_t begin)
{
    bmf_constant constant = {.kind = BMF_BOOL};
    if (notation_at(p, "true"))
        constant.integer = 1;
    else if (notation_at(p, "inf") || notation_at(p, "nan"))
        number_read(p->text->bytes + begin, p->token.end - begin, true, &constant);
    else if (!notation_at(p, "false"))
        return NULL;
    notation_advance(p);
    notation_node *node = make(p, NOTATION_CONSTANT, begin, notation_since(p, begin), 0, NULL);
    node->constant = constant;
    return node;
}

/* ---- arguments and brackets ---- */

static bool enter(notation_parser *p)
{
    if (++p->depth <= NOTATION_MAX_NESTING)
        return true;
    notation_fail(p, notation_span(p, p->token), "expressions are nested more than %d deep", NOTATION_MAX_NESTING);
    return false;
}

static notation_node *parse_operator(notation_parser *p, const notation_builtin *builtin)
{
    const notation_token token = p->token;
    notation_advance(p);
    notation_node *node = make(p, NOTATION_OPERATOR, token.begin, notation_span(p, token), 0, NULL);
    node->builtin = builtin;
    node->name = builtin->name;
    return node;
}

/* An expression, or an operator before ',' or ')'. */
static notation_node *parse_argument(notation_parser *p)
{
    const notation_builtin *infix = infix_at(p);
    if (notation_at(p, "not"))
        infix = builtin_find("not", 3);
    if (!infix)
        return notation_expression(p);
    const notation_token after = notation_next(p->text, p->token.end);
    if (notation_is(p->text, after, ",") || notation_is(p->text, after, ")"))
        return parse_operator(p, infix);
    if (notation_at(p, "-") || notation_at(p, "not"))
        return notation_expression(p);
    return notation_fail(p, notation_span(p, after), "',' expected after the operator %s", infix->name);
}

/* Expressions up to the closing bracket. */
static bool parse_list(notation_parser *p, const char *close, bool arguments, nodes *list)
{
    if (!enter(p))
        return false;
    while (!notation_at(p, close) || list->count > 0) {
        notation_node *node = arguments ? parse_argument(p) : notation_expression(p);
        if (!node)
            return false;
        *ARRAY_APPEND(list->node, list->count, list->capacity) = node;
        if (!notation_take(p, ","))
            break;
    }
    p->depth--;
    if (notation_at(p, close))
        return notation_take(p, close);
    if (notation_at(p, "for"))
        return notation_fail(p, notation_span(p, p->token), "a list that is made of another is map(x -> .., xs)");
    char what[32] = "',' or '";
    strcat(strcat(what, close), "'");
    return notation_fail_expected(p, what);
}

static notation_node *parse_brackets(notation_parser *p)
{
    const int64_t begin = p->token.begin;
    notation_advance(p);
    if (notation_at(p, ")"))
        return notation_fail(p, notation_since(p, begin), "an expression expected between the brackets");
    if (!enter(p))
        return NULL;
    notation_node *inside = notation_expression(p);
    p->depth--;
    if (inside && notation_at(p, ","))
        return notation_fail(p, notation_span(p, p->token), "a tuple is written {a, b}");
    return inside && notation_expect(p, ")") ? inside : NULL;
}

/* An expression inside of brackets. */
static notation_node *parse_inside(notation_parser *p)
{
    if (!enter(p))
        return NULL;
    notation_node *node = notation_expression(p);
    p->depth--;
    return node;
}

/* x: exp, .. '}' behind the nodes that are in the list already. */
static bool parse_fields(notation_parser *p, char fields[FIELDS_BYTES], nodes *list)
{
    do {
        const notation_token token = p->token;
        const char *name = notation_name(p, "the name of a field");
        if (!name)
            return false;
        const char *fault = fields_add(fields, name, (int64_t)strlen(name));
        if (fault)
            return notation_fail(p, notation_span(p, token), "the field %.60s %s", name, fault);
        if (!notation_at(p, ":"))
            return notation_fail_expected(p, "':' (fields of a record are written x: exp)");
        notation_advance(p);
        notation_node *value = parse_inside(p);
        if (!value)
            return false;
        *ARRAY_APPEND(list->node, list->count, list->capacity) = value;
    } while (notation_take(p, ","));
    return notation_take(p, "}") || notation_fail_expected(p, "',' or '}'");
}

/* {x: a, y: b}, or with a record before it {r with x: a, y: b} */
static notation_node *parse_record(notation_parser *p, int64_t begin, notation_node *record)
{
    char fields[FIELDS_BYTES] = "";
    nodes list = {0};
    notation_node *made = NULL;
    if (record)
        *ARRAY_APPEND(list.node, list.count, list.capacity) = record;
    if (parse_fields(p, fields, &list)) {
        if (notation_at(p, "->"))
            notation_fail(p, notation_since(p, begin),
                          "a pattern takes components in their order, {a, b} -> ..; the fields of a record r are r.x");
        else if (list.count > BMF_MAX_LEAVES)
            notation_fail(p, notation_since(p, begin), "at most %d fields are replaced at once", BMF_MAX_LEAVES - 1);
        else
            made = make(p, record ? NOTATION_UPDATE : NOTATION_RECORD, begin, notation_since(p, begin), list.count,
                        list.node);
    }
    if (made)
        made->name = expressions_text(p->arena, fields, (int64_t)strlen(fields));
    free(list.node);
    return made;
}

/* Behind '{': a record begins with name and ':'. */
static bool field_ahead(const notation_parser *p)
{
    return p->token.kind == NOTATION_TOKEN_WORD && notation_is(p->text, notation_next(p->text, p->token.end), ":");
}

/* Components behind the first one, which is in the list, or '}' if there is none. */
static bool parse_components(notation_parser *p, nodes *list)
{
    if (list->count == 0 || notation_take(p, ","))
        return parse_list(p, "}", false, list);
    return notation_take(p, "}") || notation_fail_expected(p, "',' or '}'");
}

static notation_node *parse_tuple(notation_parser *p)
{
    const int64_t begin = p->token.begin;
    nodes list = {0};
    notation_node *made = NULL;
    notation_advance(p);
    if (field_ahead(p))
        return parse_record(p, begin, NULL);
    notation_node *first = notation_at(p, "}") ? NULL : parse_inside(p);
    if (first && notation_take(p, "with"))
        return parse_record(p, begin, first);
    if (first)
        *ARRAY_APPEND(list.node, list.count, list.capacity) = first;
    if (p->status == BMF_OK && parse_components(p, &list)) {
        const bmf_span all = notation_since(p, begin);
        if (list.count == 0 || list.count > BMF_MAX_LEAVES)
            notation_fail(p, all, "a tuple has 1 to %d components", BMF_MAX_LEAVES);
        else
            made = make(p, NOTATION_TUPLE, begin, all, list.count, list.node);
    }
    free(list.node);
    return made;
}

static notation_node *parse_vector(notation_parser *p)
{
    const int64_t begin = p->token.begin;
    nodes list = {0};
    notation_node *made = NULL;
    notation_advance(p);
    if (parse_list(p, "]", false, &list))
        made = make(p, NOTATION_LIST, begin, notation_since(p, begin), list.count, list.node);
    free(list.node);
    return made;
}

/* ---- names and calls ---- */

/* The call of a name that has been read, with the arguments in brackets if there are any, and behind them `last`. */
static notation_node *parse_call(notation_parser *p, const char *name, notation_token token, notation_node *last)
{
    nodes list = {0};
    notation_node *made = NULL;
    if (!notation_take(p, "(") || parse_list(p, ")", true, &list)) {
        if (last)
            *ARRAY_APPEND(list.node, list.count, list.capacity) = last;
        made = make(p, NOTATION_CALL, last ? last->span.begin : token.begin, notation_span(p, token), list.count,
                    list.node);
    }
    free(list.node);
    if (!made)
        return NULL;
    made->name = name;
    made->piped = last;
    return made;
}

static notation_node *parse_name(notation_parser *p)
{
    const notation_token token = p->token;
    const char *meant = foreign_beginning(p->text->bytes + token.begin, token.end - token.begin);
    if (meant)
        return notation_fail(p, notation_span(p, token), "%s", meant);
    const char *name = notation_name(p, "an expression");
    if (!name)
        return NULL;
    if (notation_at(p, "("))
        return parse_call(p, name, token, NULL);
    notation_node *node = make(p, NOTATION_NAME, token.begin, notation_span(p, token), 0, NULL);
    node->name = name;
    return node;
}

static notation_node *parse_primary(notation_parser *p)
{
    const int64_t begin = p->token.begin;
    if (p->token.kind == NOTATION_TOKEN_NUMBER)
        return parse_number(p, begin);
    if (notation_at(p, "("))
        return parse_brackets(p);
    if (notation_at(p, "{"))
        return parse_tuple(p);
    if (notation_at(p, "["))
        return parse_vector(p);
    if (p->token.kind != NOTATION_TOKEN_WORD)
        return notation_fail_expected(p, "an expression");
    notation_node *constant = parse_word_constant(p, begin);
    if (constant)
        return constant;
    if (!notation_at(p, "procs"))
        return parse_name(p);
    notation_advance(p);
    return make(p, NOTATION_PROCS, begin, notation_since(p, begin), 0, NULL);
}

/* One of the indices of a list of lists: an element, a range, or _ for all. */
static notation_node *parse_one_index(notation_parser *p)
{
    const notation_token token = p->token;
    const notation_token next = notation_next(p->text, token.end);
    if (!notation_at(p, "_") || !(notation_is(p->text, next, ",") || notation_is(p->text, next, "]")))
        return parse_inside(p);
    notation_advance(p);
    return make(p, NOTATION_ALL, token.begin, notation_span(p, token), 0, NULL);
}

/* exp '[' index { ',' index } ']' */
static notation_node *parse_index(notation_parser *p, notation_node *node)
{
    const int64_t begin = p->token.begin;
    notation_node *child[1 + NOTATION_MOST_INDICES] = {node};
    int children = 1;
    do {
        notation_advance(p);
        if (children > NOTATION_MOST_INDICES)
            return notation_fail(p, notation_span(p, p->token), "a list of lists takes at most %d indices",
                                 NOTATION_MOST_INDICES);
        child[children] = parse_one_index(p);
        if (!child[children++])
            return NULL;
    } while (notation_at(p, ","));
    if (notation_at(p, ":"))
        return notation_fail(p, notation_span(p, p->token), "a slice is written xs[a ..< b], all of a list _");
    if (!notation_expect(p, "]"))
        return NULL;
    return make(p, NOTATION_INDEX, node->span.begin, notation_since(p, begin), children, child);
}

static notation_node *parse_field(notation_parser *p, notation_node *node)
{
    const notation_token dot = p->token;
    notation_advance(p);
    const notation_token token = p->token;
    const char *name = notation_name(p, "the name of a field");
    if (!name)
        return NULL;
    if (notation_at(p, "("))
        return notation_fail(p, notation_span(p, dot), "names have no dots; write %.60s(..), or .. |> %.60s(..)", name,
                             name);
    const char *fault = field_fault(name, (int64_t)strlen(name));
    if (fault)
        return notation_fail(p, notation_span(p, token), "%.60s %s", name, fault);
    notation_node *field = make(p, NOTATION_FIELD, node->span.begin, notation_span(p, token), 1, &node);
    if (field)
        field->name = name;
    return field;
}

/* primary { '[' indices ']' | '.' name } */
static notation_node *parse_postfix(notation_parser *p)
{
    notation_node *node = parse_primary(p);
    while (node) {
        const bool names = notation_next(p->text, p->token.end).kind == NOTATION_TOKEN_WORD;
        if (notation_at(p, "["))
            node = parse_index(p, node);
        else if (notation_at(p, ".") && names)
            node = parse_field(p, node);
        else
            break;
    }
    return node;
}

/* ---- operators ---- */

static notation_node *parse_infix(notation_parser *p, int level);
static notation_node *parse_unary(notation_parser *p);

/* postfix [ '**' unary ]: a ** b ** c is a ** (b ** c), -a ** b is -(a ** b) */
static notation_node *parse_power(notation_parser *p)
{
    notation_node *both[2] = {parse_postfix(p)};
    if (!both[0] || !notation_at(p, "**"))
        return both[0];
    const bmf_span word = notation_span(p, p->token);
    notation_advance(p);
    if (!enter(p))
        return NULL;
    both[1] = parse_unary(p);
    p->depth--;
    return both[1] ? call(p, builtin_of_operation(BMF_OPERATION_POW), both[0]->span.begin, word, 2, both) : NULL;
}

static notation_node *parse_unary(notation_parser *p)
{
    const notation_token minus = p->token;
    if (!notation_at(p, "-"))
        return parse_power(p);
    notation_advance(p);
    if (p->token.kind == NOTATION_TOKEN_NUMBER && p->token.begin == minus.end &&
        !notation_is(p->text, notation_next(p->text, p->token.end), "**"))
        return parse_number(p, minus.begin);
    if (notation_at(p, "inf") && p->token.begin == minus.end) {
        notation_node *infinite = parse_word_constant(p, p->token.begin);
        infinite->constant.real = -infinite->constant.real;
        infinite->span.begin = infinite->word.begin = minus.begin;
        return infinite;
    }
    if (!enter(p))
        return NULL;
    notation_node *operand = parse_unary(p);
    p->depth--;
    return operand
               ? call(p, builtin_of_operation(BMF_OPERATION_UMINUS), minus.begin, notation_span(p, minus), 1, &operand)
               : NULL;
}

/* not binds as relations do: not a == b is not (a == b). */
static notation_node *parse_not(notation_parser *p, int level)
{
    const notation_token word = p->token;
    if (level > NOTATION_LEVEL_RELATION)
        return notation_fail(p, notation_span(p, word), "not needs brackets here: (not ..)");
    notation_advance(p);
    if (!enter(p))
        return NULL;
    notation_node *operand = parse_infix(p, NOTATION_LEVEL_RELATION);
    p->depth--;
    return operand ? call(p, builtin_find("not", 3), word.begin, notation_span(p, word), 1, &operand) : NULL;
}

static notation_node *parse_infix(notation_parser *p, int level)
{
    notation_node *left = notation_at(p, "not") ? parse_not(p, level) : parse_unary(p);
    const notation_builtin *infix;
    bool related = false;
    while (left && (infix = infix_at(p)) && infix->level >= level) {
        const bmf_span word = notation_span(p, p->token);
        if (related && infix->level == NOTATION_LEVEL_RELATION)
            return notation_fail(p, word, "comparisons do not chain: write a < b and b < c");
        related = infix->level == NOTATION_LEVEL_RELATION;
        notation_advance(p);
        notation_node *both[2] = {left, parse_infix(p, infix->level + 1)};
        left = both[1] ? call(p, infix, left->span.begin, word, 2, both) : NULL;
    }
    return left;
}

/* ---- pipelines ---- */

static notation_node *parse_range(notation_parser *p)
{
    notation_node *both[2] = {parse_infix(p, NOTATION_LEVEL_OR)};
    if (!both[0] || !notation_at(p, "..<"))
        return both[0];
    const bmf_span word = notation_span(p, p->token);
    notation_advance(p);
    both[1] = parse_infix(p, NOTATION_LEVEL_OR);
    return both[1] ? make(p, NOTATION_RANGE, both[0]->span.begin, word, 2, both) : NULL;
}

static notation_node *parse_pipeline(notation_parser *p)
{
    notation_node *node = parse_range(p);
    while (node && notation_take(p, "|>")) {
        const notation_token token = p->token;
        const char *name = notation_name(p, "a function's name");
        node = name ? parse_call(p, name, token, node) : NULL;
    }
    return node;
}

/* ---- let, if, loop, functions ---- */

static notation_node *parse_let(notation_parser *p)
{
    const notation_token word = p->token;
    notation_node *child[2];
    notation_advance(p);
    if (p->token.kind == NOTATION_TOKEN_WORD && notation_is(p->text, notation_next(p->text, p->token.end), "("))
        return notation_fail(p, notation_span(p, p->token),
                             "functions are defined at the top: let f(x) = .. before the definition that uses them");
    notation_pattern *pattern = notation_parse_pattern(p);
    if (!pattern || !notation_check_pattern(p, pattern) || !notation_expect(p, "="))
        return NULL;
    child[0] = notation_expression(p);
    if (!child[0])
        return NULL;
    if (!notation_at(p, "in"))
        return notation_fail_expected(p, "in (let x = e in ..)");
    notation_advance(p);
    child[1] = notation_expression(p);
    notation_node *node = child[1] ? make(p, NOTATION_LET, word.begin, notation_span(p, word), 2, child) : NULL;
    if (node)
        node->pattern = pattern;
    return node;
}

static notation_node *parse_if(notation_parser *p)
{
    const notation_token word = p->token;
    notation_node *child[3];
    notation_advance(p);
    child[0] = notation_expression(p);
    if (!child[0] || !notation_expect(p, "then"))
        return NULL;
    child[1] = notation_expression(p);
    if (!child[1])
        return NULL;
    if (!notation_at(p, "else"))
        return notation_fail_expected(p, "else (an if has a value either way)");
    notation_advance(p);
    child[2] = notation_expression(p);
    return child[2] ? make(p, NOTATION_IF, word.begin, notation_span(p, word), 3, child) : NULL;
}

/* while exp | for name < concat */
static bool parse_condition(notation_parser *p, notation_pattern **counter, notation_node **condition)
{
    *counter = NULL;
    if (notation_take(p, "while")) {
        *condition = notation_expression(p);
        return *condition;
    }
    if (!notation_take(p, "for"))
        return notation_fail_expected(p, "while or for");
    const notation_token token = p->token;
    const char *name = notation_name(p, "a name");
    if (!name)
        return false;
    *counter = notation_pattern_create(p->arena, name, notation_span(p, token), 0);
    if (notation_at(p, "in"))
        return notation_fail(p, notation_span(p, p->token), "a loop counts from 0: loop s = e for i < n do b");
    if (!notation_expect(p, "<"))
        return false;
    *condition = parse_infix(p, NOTATION_LEVEL_CONCAT);
    return *condition;
}

static notation_node *parse_loop(notation_parser *p)
{
    const notation_token word = p->token;
    notation_node *child[3];
    notation_pattern *counter;
    notation_advance(p);
    notation_pattern *pattern = notation_parse_pattern(p);
    if (!pattern || !notation_check_pattern(p, pattern) || !notation_expect(p, "="))
        return NULL;
    child[0] = notation_expression(p);
    if (!child[0] || !parse_condition(p, &counter, &child[1]) || !notation_expect(p, "do"))
        return NULL;
    child[2] = notation_expression(p);
    if (!child[2])
        return NULL;
    if (counter && notation_binds(pattern, counter->name))
        return notation_fail(p, counter->span, "%.60s stands twice in the pattern", counter->name);
    notation_node *node =
        make(p, counter ? NOTATION_FOR : NOTATION_WHILE, word.begin, notation_span(p, word), 3, child);
    if (node) {
        node->pattern = pattern;
        node->counter = counter;
    }
    return node;
}

/* The token behind the bracket that closes the one at `open`, or the end. */
static notation_token behind_bracket(const notation_parser *p, notation_token open)
{
    int depth = 0;
    notation_token token = open;
    for (; token.kind != NOTATION_TOKEN_END; token = notation_next(p->text, token.end)) {
        const char c = token.kind == NOTATION_TOKEN_MARK ? p->text->bytes[token.begin] : ' ';
        depth += c == '{' || c == '(';
        depth -= c == '}' || c == ')';
        const bool inside =
            token.kind == NOTATION_TOKEN_WORD || c == '{' || c == '(' || c == '}' || c == ')' || c == ',';
        if (depth == 0 || !inside)
            break;
    }
    return notation_next(p->text, token.end);
}

/* pattern '->' */
static bool function_ahead(const notation_parser *p)
{
    if (notation_at(p, "{") || notation_at(p, "("))
        return notation_is(p->text, behind_bracket(p, p->token), "->");
    return p->token.kind == NOTATION_TOKEN_WORD && notation_is(p->text, notation_next(p->text, p->token.end), "->");
}

static notation_node *parse_function(notation_parser *p)
{
    const int64_t begin = p->token.begin;
    if (notation_at(p, "("))
        return notation_fail(p, notation_span(p, p->token), "a function of several values is written {a, b} -> exp");
    notation_pattern *pattern = notation_parse_pattern(p);
    if (!pattern || !notation_check_pattern(p, pattern))
        return NULL;
    const notation_token arrow = p->token;
    notation_advance(p);
    notation_node *body = notation_expression(p);
    notation_node *node = body ? make(p, NOTATION_FUNCTION, begin, notation_span(p, arrow), 1, &body) : NULL;
    if (node)
        node->pattern = pattern;
    return node;
}

notation_node *notation_expression(notation_parser *p)
{
    if (!enter(p))
        return NULL;
    notation_node *node = notation_at(p, "let")    ? parse_let(p)
                          : notation_at(p, "if")   ? parse_if(p)
                          : notation_at(p, "loop") ? parse_loop(p)
                          : function_ahead(p)      ? parse_function(p)
                                                   : parse_pipeline(p);
    p->depth--;
    return node;
}
