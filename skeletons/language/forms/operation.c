/* B_Op (operation), P_Distl, P_Project: an operation of the table in operations/. */
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/types/checker.h"

static const bmf_operation_descriptor *descriptor_of(const bmf_expression *expression)
{
    return operation_descriptor(expression->operation);
}

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *form)
{
    if (form->parallel)
        return parser_operands(p, form);
    parser_advance(p);
    bmf_token opened = p->token;
    if (!parser_open(p, '(', "'('"))
        return NULL;
    const bmf_keyword keyword = keyword_of(p->text, p->token);
    if (keyword.role != BMF_KEYWORD_OPERATION) {
        const char *near = p->token.kind == BMF_TOKEN_WORD && keyword.role == BMF_KEYWORD_NONE
                               ? keyword_near(p->text, p->token)
                               : NULL;
        char found[64];
        token_print(p->text, p->token, found);
        return near ? parser_fail(p, p->token, "an operation expected, found %s; is %s meant?", found, near)
                    : parser_fail(p, p->token, "an operation such as B_Plus expected, found %s", found);
    }
    bmf_span span = parser_span(p, p->token); /* messages mark B_Length, not B_Op (B_Length) */
    parser_advance(p);
    if (!parser_close(p, ')', opened))
        return NULL;
    bmf_expression *op = expression_create(p->arena, BMF_EXPRESSION_OP, span, 0);
    op->operation = keyword.operation;
    return op;
}

static void print(const bmf_expression *operation, FILE *out)
{
    bool is_form = operation->parallel && descriptor_of(operation)->parallel;
    fprintf(out, is_form ? "%s" : "B_Op (%s)", expression_keyword(operation));
}

static bool equal(const bmf_expression *a, const bmf_expression *b)
{
    return a->operation == b->operation;
}

static bool is_parallel(const bmf_expression *expression, const bmf_type *in)
{
    const bmf_operation_descriptor *operation = descriptor_of(expression);
    return operation->is_parallel && operation->is_parallel(expression, in);
}

static bool may_fail(const bmf_expression *expression)
{
    switch (descriptor_of(expression)->failure) {
    case BMF_FAILS_OF_INTS:
        return expression->out->kind == BMF_INT;
    case BMF_FAILS_FROM_REALS:
        return expression->in->kind == BMF_REAL;
    case BMF_FAILS_ALWAYS:
        return true;
    default:
        return false;
    }
}

static bool decides(const bmf_expression *expression)
{
    return descriptor_of(expression)->decides;
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    int status = descriptor_of(expression)->evaluate(evaluator, expression, frame, x, out);
    value_free(x);
    return status;
}

static int evaluate_parallel(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                             bmf_value *out)
{
    return descriptor_of(expression)->evaluate_parallel(evaluator, expression, frame, x, out);
}

const bmf_expression_form bmf_form_operation = {
    .keyword = "B_Op",
    .parse = parse,
    .print = print,
    .equal = equal,
    .check = checker_operation,
    .is_parallel = is_parallel,
    .is_scalar = true,
    .is_kernel = true,
    .may_fail = may_fail,
    .decides = decides,
    .evaluate = evaluate,
    .evaluate_parallel = evaluate_parallel,
};
