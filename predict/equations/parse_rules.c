/* Statements of rules. Every expression becomes a definition without a name, of the arguments d, p, r, k, j and i, so
 * that names in it are resolved like all others. Cost: O(bytes). */
#include <stdlib.h>
#include <string.h>

#include "predict/equations/equations_private.h"
#include "runtime/base/array.h"

typedef bmf_equation_parser parser;

static const char *const words[] = {"program", "ranks", "region", "repeat", "end", "work", "steps", "call"};
enum { PROGRAM, RANKS, REGION, REPEAT, END, WORK, STEPS, CALL, WORDS };

static const char *const call_words[RULE_CALLS] = {"send", "receive", "post", "wait", "collective"};
static const char *const arguments[] = {"d", "p", "r", "k", "j", "i"};
enum { ARGUMENTS = sizeof arguments / sizeof arguments[0], RULE_DEPTH = 64 };

static int word_of(const parser *p)
{
    int word = 0;
    while (word < WORDS && !equation_is_word(p, p->token, words[word]))
        word++;
    return word;
}

/* NAME(.. and NAME = .. are definitions, whatever the name. */
bool is_rule(const parser *p, bmf_equation_token next)
{
    return p->depth == 0 && word_of(p) < WORDS && next.kind != '=' &&
           (next.kind != '(' || equation_is_word(p, p->token, "ranks") || equation_is_word(p, p->token, "repeat") ||
            equation_is_word(p, p->token, "work") || equation_is_word(p, p->token, "steps"));
}

/* An expression that becomes a definition of its own. */
static int parse_value(parser *p, int32_t *value)
{
    bmf_equations *e = p->equations;
    bmf_definition made = {.kind = BMF_DEFINED_RULE,
                           .name = equation_name(e, "", 0),
                           .arguments = ARGUMENTS,
                           .used = true,
                           .span = {p->text, p->token.begin, p->token.end}};
    for (int k = 0; k < ARGUMENTS; k++)
        made.argument[k] = equation_name(e, arguments[k], 1);
    made.begin = e->nodes;
    p->nesting = 0;
    BMF_TRY(equation_parse_expression(p, &made.body));
    made.end = e->nodes;
    *ARRAY_APPEND(e->definition, e->definitions, e->definition_capacity) = made;
    *value = e->definitions - 1;
    return BMF_OK;
}

static int expect_comma(parser *p)
{
    if (p->token.kind != ',')
        return equation_fail_expected(p, "','");
    equation_advance(p);
    return BMF_OK;
}

static bool take_word(parser *p, const char *word)
{
    const bool found = equation_is_word(p, p->token, word);
    if (found)
        equation_advance(p);
    return found;
}

/* C [, K of F] [error A, B, C] [noise N] */
static int parse_work(parser *p, bmf_rule *rule)
{
    BMF_TRY(parse_value(p, &rule->value[RULE_CONSTANT]));
    if (p->token.kind == ',') {
        equation_advance(p);
        BMF_TRY(parse_value(p, &rule->value[RULE_FACTOR]));
        if (!take_word(p, "of"))
            return equation_fail_expected(p, "of");
        BMF_TRY(parse_value(p, &rule->value[RULE_FUNCTION]));
    }
    if (take_word(p, "error")) {
        BMF_TRY(parse_value(p, &rule->value[RULE_CONSTANT_ERROR]));
        BMF_TRY(expect_comma(p));
        BMF_TRY(parse_value(p, &rule->value[RULE_FACTOR_ERROR]));
        BMF_TRY(expect_comma(p));
        BMF_TRY(parse_value(p, &rule->value[RULE_CORRELATION]));
    }
    return take_word(p, "noise") ? parse_value(p, &rule->value[RULE_NOISE]) : BMF_OK;
}

/* One word of a call, with what follows it. */
static int parse_call_word(parser *p, bmf_rule *rule)
{
    static const struct {
        const char *word;
        int value;
        unsigned flag;
    } known[] = {{"to", RULE_PEER, 0},        {"from", RULE_PEER, 0},      {"root", RULE_PEER, 0},
                 {"bytes", RULE_BYTES, 0},    {"tag", RULE_TAG, 0},        {"request", RULE_REQUEST, 0},
                 {"group", RULE_GROUP, 0},    {"starts", -1, RULE_STARTS}, {"together", -1, RULE_TOGETHER},
                 {"anytag", -1, RULE_ANY_TAG}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (!take_word(p, known[k].word))
            continue;
        rule->flags |= known[k].flag;
        return known[k].value < 0 ? BMF_OK : parse_value(p, &rule->value[known[k].value]);
    }
    return equation_fail_expected(p, "to, from, root, bytes, tag, request, group, starts, together or anytag");
}

static int parse_call(parser *p, bmf_rule *rule)
{
    int call = 0;
    while (call < RULE_CALLS && !equation_is_word(p, p->token, call_words[call]))
        call++;
    if (call == RULE_CALLS)
        return equation_fail_expected(p, "send, receive, post, wait or collective");
    rule->call = (bmf_rule_call)call;
    equation_advance(p);
    BMF_TRY(equation_parse_string(p, &rule->name));
    while (!equation_ends_statement(p->token.kind))
        BMF_TRY(parse_call_word(p, rule));
    if (rule->value[RULE_PEER] < 0 && rule->call <= RULE_RECEIVE)
        return equation_fail_expected(p, rule->call == RULE_SEND ? "to whom" : "from whom");
    if (rule->call == RULE_POST && !(rule->flags & RULE_STARTS))
        return equation_fail_expected(p, "starts: a post has a request");
    return BMF_OK;
}

/* program "NAME", "SIZE" */
static int parse_program(parser *p)
{
    bmf_equations *e = p->equations;
    if (e->program)
        return equation_fail_expected(p, "one program only");
    BMF_TRY(equation_parse_string(p, &e->program));
    BMF_TRY(expect_comma(p));
    return equation_parse_string(p, &e->size);
}

static int parse_rest(parser *p, int word, bmf_rule *rule)
{
    switch (word) {
    case RANKS:
    case REPEAT:
    case STEPS:
        rule->kind = word == RANKS ? RULE_RANKS : word == REPEAT ? RULE_REPEAT : RULE_STEPS;
        return parse_value(p, &rule->value[0]);
    case REGION:
        rule->kind = RULE_REGION;
        return equation_parse_string(p, &rule->name);
    case WORK:
        rule->kind = RULE_WORK;
        return parse_work(p, rule);
    case CALL:
        rule->kind = RULE_CALL;
        return parse_call(p, rule);
    default:
        rule->kind = RULE_END;
        return BMF_OK;
    }
}

int parse_rule(parser *p)
{
    bmf_equations *e = p->equations;
    const int word = word_of(p);
    bmf_rule made = {.place = p->token.begin};
    memset(made.value, -1, sizeof made.value);
    if (word != PROGRAM && !e->program)
        return equation_fail_expected(p, "program \"NAME\", \"SIZE\" before all rules");
    equation_advance(p);
    int status = word == PROGRAM ? parse_program(p) : parse_rest(p, word, &made);
    if (status == BMF_OK && !equation_ends_statement(p->token.kind))
        status = equation_fail_expected(p, "the end of the line");
    if (status != BMF_OK || word == PROGRAM) {
        free(made.name);
        return status;
    }
    *ARRAY_APPEND(e->rule, e->rules, e->rule_capacity) = made;
    return BMF_OK;
}

/* ---- all rules ---- */

int rules_check(const bmf_equations *e)
{
    int64_t open[RULE_DEPTH];
    int depth = 0;
    int64_t ranks = -1;
    for (int64_t k = 0; k < e->rules; k++) {
        bmf_rule *rule = &e->rule[k];
        if (rule->kind == RULE_RANKS ? depth > 0 : ranks < 0)
            return rule_fail(e, rule, BMF_ERROR_FILE,
                             depth > 0 ? "a loop before this has no end" : "rules begin with ranks");
        if (rule->kind == RULE_RANKS) {
            if (ranks >= 0)
                e->rule[ranks].end = k;
            ranks = k;
        } else if (rule->kind == RULE_REPEAT) {
            if (depth == RULE_DEPTH)
                return rule_fail(e, rule, BMF_ERROR_FILE, "more than %d loops inside each other", RULE_DEPTH);
            open[depth++] = k;
        } else if (rule->kind == RULE_END) {
            if (depth == 0)
                return rule_fail(e, rule, BMF_ERROR_FILE, "there is no loop to end");
            e->rule[open[--depth]].end = k;
        }
    }
    if (depth > 0)
        return rule_fail(e, &e->rule[open[depth - 1]], BMF_ERROR_FILE, "this loop has no end");
    if (ranks >= 0)
        e->rule[ranks].end = e->rules;
    return BMF_OK;
}
