/* B_Con (..): the same int, real or bool for every argument. */
#include <inttypes.h>
#include <string.h>

#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/types/checker.h"

/* The number behind B_Int or B_Real. */
static bool parse_typed_number(bmf_parser *p, bmf_type_kind kind, bmf_constant *constant)
{
    char found[64];
    const char *bytes = p->text->bytes + p->token.begin;
    bool special = token_is(p->text, p->token, "inf") || token_is(p->text, p->token, "nan");
    if (p->token.kind != BMF_TOKEN_NUMBER && !(special && kind == BMF_REAL)) {
        parser_fail_expected(p, kind == BMF_INT ? "a whole number" : "a number");
        return false;
    }
    const char *wrong = number_read(bytes, p->token.end - p->token.begin, kind == BMF_REAL, constant);
    if (!wrong && constant->kind != kind)
        wrong = "is no int; write B_Real";
    if (wrong) {
        parser_fail(p, p->token, "%s %s", token_print(p->text, p->token, found), wrong);
        return false;
    }
    parser_advance(p);
    return true;
}

static bool parse_constant(bmf_parser *p, bmf_constant *constant)
{
    bool yes = token_is(p->text, p->token, "B_True") || token_is(p->text, p->token, "true");
    bool no = token_is(p->text, p->token, "B_False") || token_is(p->text, p->token, "false");
    bool whole = token_is(p->text, p->token, "B_Int");
    if (yes || no)
        *constant = (bmf_constant){.kind = BMF_BOOL, .integer = yes};
    else if (!whole && !token_is(p->text, p->token, "B_Real")) {
        parser_fail_expected(p, "B_Int, B_Real, B_True or B_False");
        return false;
    }
    parser_advance(p);
    return yes || no || parse_typed_number(p, whole ? BMF_INT : BMF_REAL, constant);
}

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    bmf_token first = p->token;
    bmf_constant constant;
    (void)keyword;
    parser_advance(p);
    bmf_token opened = p->token;
    if (!parser_open(p, '(', "'('") || !parse_constant(p, &constant) || !parser_close(p, ')', opened))
        return NULL;
    bmf_expression *con = expression_create(p->arena, BMF_EXPRESSION_CON, parser_span_since(p, first), 0);
    con->constant = constant;
    return con;
}

static void print(const bmf_expression *con, FILE *out)
{
    char text[32];
    const bmf_constant *constant = &con->constant;
    if (constant->kind == BMF_INT)
        fprintf(out, "B_Con (B_Int %" PRId64 ")", constant->integer);
    else if (constant->kind == BMF_REAL)
        fprintf(out, "B_Con (B_Real %s)", real_print(constant->real, text));
    else
        fputs(constant->integer != 0 ? "B_Con (B_True)" : "B_Con (B_False)", out);
}

static bool equal(const bmf_expression *a, const bmf_expression *b)
{
    const bmf_constant *x = &a->constant, *y = &b->constant;
    if (x->kind != y->kind)
        return false;
    return x->kind == BMF_REAL ? memcmp(&x->real, &y->real, sizeof x->real) == 0 : x->integer == y->integer;
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    static const bmf_type *const type[] = {
        [BMF_INT] = &bmf_type_int, [BMF_REAL] = &bmf_type_real, [BMF_BOOL] = &bmf_type_bool};
    return checker_finish(checker, checker_node(checker, expression, 0, NULL), in, type[expression->constant.kind]);
}

static bool is_independent(const bmf_expression *con)
{
    (void)con;
    return true;
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *con, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    value_free(x);
    return value_constant(evaluator->ctx, &con->constant, frame->count, out);
}

const bmf_expression_form bmf_form_constant = {
    .keyword = "B_Con",
    .parse = parse,
    .print = print,
    .equal = equal,
    .check = check,
    .is_scalar = true,
    .is_structural = true,
    .is_independent = is_independent,
    .evaluate = evaluate,
};
