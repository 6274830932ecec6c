/* The same value at another type: ints to reals, empty lists to any list. Made by the checker. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/types/checker.h"

static void print(const bmf_expression *made, FILE *out)
{
    char type[200];
    fprintf(out, "<convert to %s>", made->out ? bmf_type_print(made->out, type, sizeof type) : "?");
}

/* What it converts to is what it means. */
static bool equal(const bmf_expression *a, const bmf_expression *b)
{
    return a->out == b->out;
}

/* Seen only again, by the rewriter, at another type. */
static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (bmf_type_join(in, expression->out) != expression->out)
        return checker_fail(checker, expression->span, "no conversion");
    bmf_expression *identity = expression_create(checker->arena, BMF_EXPRESSION_ID, expression->span, 0);
    return checker_convert(checker, checker_finish(checker, identity, in, in), expression->out);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *made, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    return evaluate_convert(evaluator, made->out, frame, x, out);
}

const bmf_expression_form bmf_form_conversion = {
    .keyword = "<convert>",
    .print = print,
    .layout = BMF_LAYOUT_LINE,
    .equal = equal,
    .check = check,
    .is_scalar = true,
    .evaluate = evaluate,
};
