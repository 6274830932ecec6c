/* A scalar expression that runs as one block kernel: child[0]. Made by the rewriter. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/print.h"
#include "skeletons/language/types/checker.h"

static void print(const bmf_expression *made, FILE *out)
{
    fputc('<', out);
    print_expression(made->child[0], out);
    fputc('>', out);
}

const bmf_expression_form bmf_form_kernel = {
    .keyword = "<scalar>",
    .print = print,
    .layout = BMF_LAYOUT_LINE,
    .check = checker_made,
    .evaluate = evaluate_scalar,
};
