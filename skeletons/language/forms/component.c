/* B_Addr (B_Num i) (B_Num n): component number[0] (from 1) of a tuple of number[1]. */
#include <inttypes.h>
#include <string.h>

#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/types/checker.h"

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    bmf_token first = p->token;
    int64_t number[2];
    (void)keyword;
    parser_advance(p);
    bmf_token which = p->token;
    if (!parser_number(p, false, &number[0]))
        return NULL;
    bmf_token of = p->token;
    if (!parser_number(p, false, &number[1]))
        return NULL;
    if (number[1] < 1 || number[1] > BMF_MAX_LEAVES)
        return parser_fail(p, of, "a tuple has 1 to %d components, not %" PRId64, BMF_MAX_LEAVES, number[1]);
    if (number[0] < 1 || number[0] > number[1])
        return parser_fail(p, which, "components of a tuple of %" PRId64 " are 1 to %" PRId64 ", not %" PRId64,
                           number[1], number[1], number[0]);
    bmf_expression *addr = expression_create(p->arena, BMF_EXPRESSION_ADDR, parser_span_since(p, first), 0);
    memcpy(addr->number, number, sizeof number);
    return addr;
}

static void print(const bmf_expression *addr, FILE *out)
{
    fprintf(out, "B_Addr (B_Num %" PRId64 ") (B_Num %" PRId64 ")", addr->number[0], addr->number[1]);
}

static bool equal(const bmf_expression *a, const bmf_expression *b)
{
    return a->number[0] == b->number[0] && a->number[1] == b->number[1];
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    char what[80];
    int64_t i = expression->number[0], n = expression->number[1];
    bool fits = in->kind == BMF_TUPLE && in->components == n && i >= 1 && i <= n;
    if (!fits && in->kind != BMF_NOTHING) {
        snprintf(what, sizeof what, "a tuple of %lld component%s", (long long)n, n == 1 ? "" : "s");
        return checker_needs(checker, expression, what, in);
    }
    return checker_finish(checker, checker_node(checker, expression, 0, NULL), in, fits ? in->component[i - 1] : in);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *address, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    (void)evaluator, (void)frame;
    value_move(&x->child[address->number[0] - 1], out);
    value_free(x);
    return BMF_OK;
}

const bmf_expression_form bmf_form_component = {
    .keyword = "B_Addr",
    .parse = parse,
    .print = print,
    .equal = equal,
    .check = check,
    .is_scalar = true,
    .is_structural = true,
    .evaluate = evaluate,
};
