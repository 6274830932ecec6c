/* Statements and expressions of equations.
 *
 * Method: recursive descent with one token of look-ahead; an expression's nodes lie behind each other, children before
 * their parents. Precedence from loose to tight: a ? b : c, comparisons, + and -, * and /, signs, ^ (from the right).
 * Cost: O(bytes); the stack grows with the nesting, which is limited. */
#include <stdlib.h>
#include <string.h>

#include "predict/equations/equations_private.h"
#include "runtime/base/array.h"
#include "runtime/base/text.h"

typedef bmf_equation_parser parser;

static const bmf_text *text_of(const parser *p)
{
    return &p->equations->texts.text[p->text];
}

void equation_advance(parser *p)
{
    p->token = equation_token(text_of(p), p->token.end);
}

static bmf_span span_of(const parser *p, bmf_equation_token token)
{
    return (bmf_span){p->text, token.begin, token.end};
}

bool equation_is_word(const parser *p, bmf_equation_token token, const char *word)
{
    const int64_t size = (int64_t)strlen(word);
    return token.kind == BMF_EQUATION_WORD && token.end - token.begin == size &&
           memcmp(text_of(p)->bytes + token.begin, word, (size_t)size) == 0;
}

bool equation_ends_statement(int kind)
{
    return kind == BMF_EQUATION_END || kind == '\n' || kind == ';';
}

/* "found 'x'": the token for messages. */
int equation_fail_expected(const parser *p, const char *expected)
{
    const bmf_equation_token t = p->token;
    const int64_t size = t.end - t.begin;
    const bmf_span span = span_of(p, t);
    if (t.kind == BMF_EQUATION_END || t.kind == '\n')
        return equation_fail(p->equations, span, BMF_ERROR_FILE, "expected %s, found the end of the line", expected);
    return equation_fail(p->equations, span, BMF_ERROR_FILE, "expected %s, found '%.*s%s'", expected,
                         size > 40 ? 40 : (int)size, text_of(p)->bytes + t.begin, size > 40 ? ".." : "");
}

static int expect(parser *p, int kind, const char *expected)
{
    if (p->token.kind != kind)
        return equation_fail_expected(p, expected);
    equation_advance(p);
    return BMF_OK;
}

/* The name that the token is; BMF_ERROR_FILE if it is too long. */
static int read_name(parser *p, int32_t *name)
{
    const int64_t size = p->token.end - p->token.begin;
    if (p->token.kind != BMF_EQUATION_WORD)
        return equation_fail_expected(p, "a name");
    if (size >= BMF_EQUATION_NAME)
        return equation_fail(p->equations, span_of(p, p->token), BMF_ERROR_FILE, "a name has at most %d letters",
                             BMF_EQUATION_NAME - 1);
    *name = equation_name(p->equations, text_of(p)->bytes + p->token.begin, size);
    return BMF_OK;
}

/* ---- expressions ---- */

static int64_t add_node(parser *p, bmf_equation_node node)
{
    bmf_equations *e = p->equations;
    *ARRAY_APPEND(e->node, e->nodes, e->node_capacity) = node;
    return e->nodes - 1;
}

/* A node with up to three children, in order. */
static int64_t add_operation(parser *p, bmf_operation_code operation, bmf_span span, int children, const int64_t *child)
{
    for (int k = 0; k < children; k++)
        p->equations->node[child[k]].next = k + 1 < children ? child[k + 1] : -1;
    return add_node(p, (bmf_equation_node){
                           .operation = operation, .span = span, .children = children, .first = child[0], .next = -1});
}

static int parse_number(parser *p, int64_t *node)
{
    bmf_equation_node made = {.operation = BMF_OP_CONSTANT, .span = span_of(p, p->token), .first = -1, .next = -1};
    const int64_t size = p->token.end - p->token.begin;
    const char *bytes = text_of(p)->bytes + p->token.begin,
               *wrong = equation_number(bytes, size, &made.value, &made.is_time);
    if (wrong)
        return equation_fail(p->equations, made.span, BMF_ERROR_FILE, "'%.*s%s' %s", size > 40 ? 40 : (int)size, bytes,
                             size > 40 ? ".." : "", wrong);
    equation_advance(p);
    *node = add_node(p, made);
    return BMF_OK;
}

/* The arguments of a call, up to its closing parenthesis. */
static int parse_arguments(parser *p, bmf_equation_node *call)
{
    int64_t last = -1, argument;
    equation_advance(p);
    if (p->token.kind == ')') {
        equation_advance(p);
        return BMF_OK;
    }
    for (;;) {
        BMF_TRY(equation_parse_expression(p, &argument));
        if (last < 0)
            call->first = argument;
        else
            p->equations->node[last].next = argument;
        last = argument;
        call->children++;
        if (p->token.kind != ',')
            return expect(p, ')', "',' or ')'");
        equation_advance(p);
    }
}

static int parse_named(parser *p, int64_t *node)
{
    bmf_equation_node made = {.operation = BMF_OP_NAME, .span = span_of(p, p->token), .first = -1, .next = -1};
    BMF_TRY(read_name(p, &made.name));
    equation_advance(p);
    made.called = p->token.kind == '(';
    if (made.called)
        BMF_TRY(parse_arguments(p, &made));
    *node = add_node(p, made);
    return BMF_OK;
}

static int parse_primary(parser *p, int64_t *node)
{
    if (p->token.kind == BMF_EQUATION_NUMBER)
        return parse_number(p, node);
    if (p->token.kind == BMF_EQUATION_WORD)
        return parse_named(p, node);
    if (p->token.kind != '(')
        return equation_fail_expected(p, "a number, a name or '('");
    equation_advance(p);
    BMF_TRY(equation_parse_expression(p, node));
    return expect(p, ')', "')'");
}

static int parse_sign(parser *p, int64_t *node);

/* The exponent may have a sign, and is a power itself: 2^-3^2 is 2^(-(3^2)). */
static int parse_power(parser *p, int64_t *node)
{
    int64_t pair[2];
    BMF_TRY(parse_primary(p, &pair[0]));
    *node = pair[0];
    if (p->token.kind != '^')
        return BMF_OK;
    const bmf_span span = span_of(p, p->token);
    equation_advance(p);
    BMF_TRY(parse_sign(p, &pair[1]));
    *node = add_operation(p, BMF_OP_POWER, span, 2, pair);
    return BMF_OK;
}

static int parse_sign_inside(parser *p, int64_t *node)
{
    const bmf_equation_token sign = p->token;
    if (sign.kind != '-' && sign.kind != '+')
        return parse_power(p, node);
    equation_advance(p);
    BMF_TRY(parse_sign(p, node));
    if (sign.kind == '-')
        *node = add_operation(p, BMF_OP_NEGATE, span_of(p, sign), 1, node);
    return BMF_OK;
}

/* All nesting goes through here. */
static int parse_sign(parser *p, int64_t *node)
{
    if (++p->nesting > BMF_EQUATION_NESTING)
        return equation_fail(p->equations, span_of(p, p->token), BMF_ERROR_FILE, "nested deeper than %d levels",
                             BMF_EQUATION_NESTING);
    BMF_TRY(parse_sign_inside(p, node));
    p->nesting--;
    return BMF_OK;
}

/* Operators of one precedence, from the left. */
typedef struct binary {
    int token;
    bmf_operation_code operation;
    bool turned; /* operands in the other order */
} binary;

static const binary products[] = {{'*', BMF_OP_MULTIPLY, false}, {'/', BMF_OP_DIVIDE, false}, {0}};
static const binary sums[] = {{'+', BMF_OP_ADD, false}, {'-', BMF_OP_SUBTRACT, false}, {0}};
static const binary comparisons[] = {{'<', BMF_OP_LESS, false},
                                     {'>', BMF_OP_LESS, true},
                                     {BMF_EQUATION_LE, BMF_OP_LESS_EQUAL, false},
                                     {BMF_EQUATION_GE, BMF_OP_LESS_EQUAL, true},
                                     {BMF_EQUATION_EQ, BMF_OP_EQUAL, false},
                                     {BMF_EQUATION_NE, BMF_OP_NOT_EQUAL, false},
                                     {0}};

static const binary *find_binary(const binary *table, int token)
{
    for (; table->token; table++)
        if (table->token == token)
            return table;
    return NULL;
}

static int parse_binary(parser *p, const binary *table, int (*operand)(parser *, int64_t *), int64_t *node)
{
    const binary *found;
    BMF_TRY(operand(p, node));
    while ((found = find_binary(table, p->token.kind)) != NULL) {
        const bmf_span span = span_of(p, p->token);
        int64_t pair[2] = {*node, -1};
        equation_advance(p);
        BMF_TRY(operand(p, &pair[1]));
        if (found->turned) {
            pair[0] = pair[1];
            pair[1] = *node;
        }
        *node = add_operation(p, found->operation, span, 2, pair);
    }
    return BMF_OK;
}

static int parse_product(parser *p, int64_t *node)
{
    return parse_binary(p, products, parse_sign, node);
}

static int parse_sum(parser *p, int64_t *node)
{
    return parse_binary(p, sums, parse_product, node);
}

static int parse_comparison(parser *p, int64_t *node)
{
    return parse_binary(p, comparisons, parse_sum, node);
}

static int parse_choice(parser *p, int64_t *node)
{
    int64_t part[3];
    BMF_TRY(parse_comparison(p, node));
    if (p->token.kind != '?')
        return BMF_OK;
    const bmf_span span = span_of(p, p->token);
    part[0] = *node;
    equation_advance(p);
    BMF_TRY(equation_parse_expression(p, &part[1]));
    BMF_TRY(expect(p, ':', "':' of a choice"));
    BMF_TRY(equation_parse_expression(p, &part[2]));
    *node = add_operation(p, BMF_OP_CHOOSE, span, 3, part);
    return BMF_OK;
}

int equation_parse_expression(parser *p, int64_t *node)
{
    if (++p->nesting > BMF_EQUATION_NESTING)
        return equation_fail(p->equations, span_of(p, p->token), BMF_ERROR_FILE, "nested deeper than %d levels",
                             BMF_EQUATION_NESTING);
    BMF_TRY(parse_choice(p, node));
    p->nesting--;
    return BMF_OK;
}

/* ---- definitions ---- */

static const char *name_text(const parser *p, int32_t name)
{
    return p->equations->name[name];
}

/* Of two with one name that is taken which stands in a file nearer to the one that was asked for. */
static int enter(bmf_equations *e, bmf_definition made)
{
    char place[BMF_SHEET_TEXT];
    const int32_t other = e->of_name[made.name];
    if (other >= 0 && e->definition[other].depth == made.depth)
        return equation_fail(e, made.span, BMF_ERROR_FILE, "%s is defined twice; the first time at %s",
                             e->name[made.name], equation_place(e, e->definition[other].span, place, sizeof place));
    made.hidden = other >= 0 && e->definition[other].depth < made.depth;
    if (other >= 0 && !made.hidden)
        e->definition[other].hidden = true;
    *ARRAY_APPEND(e->definition, e->definitions, e->definition_capacity) = made;
    if (!made.hidden)
        e->of_name[made.name] = e->definitions - 1;
    return BMF_OK;
}

void equations_add_constant(bmf_equations *e, int32_t name, double value, bool is_time)
{
    const int32_t other = e->of_name[name];
    bmf_definition made = {.kind = BMF_DEFINED_PARAMETER, .name = name, .begin = e->nodes, .body = e->nodes};
    made.span = other >= 0 ? e->definition[other].span : (bmf_span){-1, 0, 0};
    made.depth = other >= 0 ? e->definition[other].depth : 0;
    if (other >= 0)
        e->definition[other].hidden = true;
    *ARRAY_APPEND(e->node, e->nodes, e->node_capacity) = (bmf_equation_node){
        .operation = BMF_OP_CONSTANT, .value = value, .is_time = is_time, .span = made.span, .first = -1, .next = -1};
    made.end = e->nodes;
    *ARRAY_APPEND(e->definition, e->definitions, e->definition_capacity) = made;
    e->of_name[name] = e->definitions - 1;
}

/* One more argument of a function or phase. */
static int add_argument(parser *p, bmf_definition *made)
{
    int32_t name;
    const bmf_span span = span_of(p, p->token);
    BMF_TRY(read_name(p, &name));
    const char *text = name_text(p, name);
    if (made->arguments == BMF_EQUATION_ARGUMENTS)
        return equation_fail(p->equations, span, BMF_ERROR_FILE, "a function has at most %d arguments",
                             BMF_EQUATION_ARGUMENTS);
    for (int k = 0; k < made->arguments; k++)
        if (made->argument[k] == name)
            return equation_fail(p->equations, span, BMF_ERROR_FILE, "two arguments are called %s", text);
    if (made->kind == BMF_DEFINED_PHASE && (strlen(text) != 1 || !strchr("pdc", text[0])))
        return equation_fail(p->equations, span, BMF_ERROR_FILE,
                             "the arguments of a phase are p (processes), d (data) and c (a computing step), not %s",
                             text);
    made->argument[made->arguments++] = name;
    equation_advance(p);
    return BMF_OK;
}

static int parse_argument_names(parser *p, bmf_definition *made)
{
    if (p->token.kind != '(')
        return BMF_OK;
    do {
        equation_advance(p);
        BMF_TRY(add_argument(p, made));
    } while (p->token.kind == ',');
    return expect(p, ')', "',' or ')'");
}

static int check_name(const parser *p, const bmf_definition *made)
{
    const char *name = name_text(p, made->name);
    if (predefined_find(name))
        return equation_fail(p->equations, made->span, BMF_ERROR_FILE, "%s is there already and cannot be defined anew",
                             name);
    if (made->kind == BMF_DEFINED_PHASE && strcmp(name, "total") == 0)
        return equation_fail(p->equations, made->span, BMF_ERROR_FILE,
                             "no phase can be called total: that is the sum of all phases");
    return BMF_OK;
}

/* NAME[(ARGUMENT, ..)] = EXPRESSION */
static int parse_definition(parser *p, bmf_definition_kind kind)
{
    bmf_definition made = {.kind = kind, .depth = p->depth, .span = span_of(p, p->token)};
    BMF_TRY(read_name(p, &made.name));
    BMF_TRY(check_name(p, &made));
    equation_advance(p);
    if (kind != BMF_DEFINED_PARAMETER)
        BMF_TRY(parse_argument_names(p, &made));
    BMF_TRY(expect(p, '=', "'='"));
    made.begin = p->equations->nodes;
    p->nesting = 0;
    BMF_TRY(equation_parse_expression(p, &made.body));
    made.end = p->equations->nodes;
    if (!equation_ends_statement(p->token.kind))
        return equation_fail_expected(p, "an operator or the end of the line");
    return enter(p->equations, made);
}

int equation_parse_string(parser *p, char **made)
{
    char name[BMF_SHEET_TEXT];
    const bmf_equation_token string = p->token;
    const int64_t size = string.end - string.begin - 2;
    const char *bytes = text_of(p)->bytes + string.begin;
    if (string.kind != BMF_EQUATION_STRING)
        return equation_fail_expected(p, "a text between quotes");
    if (string.end - string.begin < 2 || bytes[size + 1] != '"')
        return equation_fail(p->equations, span_of(p, string), BMF_ERROR_FILE, "the closing '\"' is missing");
    if (size >= (int64_t)sizeof name || memchr(bytes + 1, 0, (size_t)size))
        return equation_fail(p->equations, span_of(p, string), BMF_ERROR_FILE, "a text of more than %d bytes",
                             BMF_SHEET_TEXT - 1);
    memcpy(name, bytes + 1, (size_t)size);
    name[size] = 0;
    equation_advance(p);
    *made = text_copy(name);
    return BMF_OK;
}

static int parse_include(parser *p)
{
    char *name;
    const bmf_span span = span_of(p, p->token);
    BMF_TRY(equation_parse_string(p, &name));
    int status = name[0] ? BMF_OK : equation_fail(p->equations, span, BMF_ERROR_FILE, "no name of a file");
    if (status == BMF_OK && !equation_ends_statement(p->token.kind))
        status = equation_fail_expected(p, "the end of the line");
    if (status == BMF_OK)
        status = p->include(p->equations, span, name, p->depth);
    free(name);
    return status;
}

static int parse_statement(parser *p)
{
    const bmf_equation_token next = equation_token(text_of(p), p->token.end);
    if (p->token.kind != BMF_EQUATION_WORD)
        return equation_fail_expected(p, "a definition");
    const bool include = equation_is_word(p, p->token, "include") && next.kind == BMF_EQUATION_STRING;
    const bool param = equation_is_word(p, p->token, "param") && next.kind == BMF_EQUATION_WORD;
    const bool phase = equation_is_word(p, p->token, "phase") && next.kind == BMF_EQUATION_WORD;
    if (include || param || phase) {
        equation_advance(p);
        return include ? parse_include(p) : parse_definition(p, param ? BMF_DEFINED_PARAMETER : BMF_DEFINED_PHASE);
    }
    if (is_rule(p, next))
        return parse_rule(p);
    if (next.kind == '(' || next.kind == '=')
        return parse_definition(p, BMF_DEFINED_FUNCTION);
    const int64_t size = p->token.end - p->token.begin;
    return equation_fail(
        p->equations, span_of(p, p->token), BMF_ERROR_FILE,
        "unknown statement '%.*s'; a line is NAME(..) = .., param NAME = .., phase NAME(p,d,c) = .. or "
        "include \"FILE\"",
        size > 40 ? 40 : (int)size, text_of(p)->bytes + p->token.begin);
}

int equations_parse_text(bmf_equations *equations, int text, int depth, bmf_equation_include *include)
{
    parser p = {.equations = equations, .text = text, .depth = depth, .include = include};
    for (equation_advance(&p); p.token.kind != BMF_EQUATION_END;) {
        if (!equation_ends_statement(p.token.kind))
            BMF_TRY(parse_statement(&p));
        if (p.token.kind != BMF_EQUATION_END)
            equation_advance(&p);
    }
    return BMF_OK;
}
