/* Several reductions, or several counts, of one list, in one pass: the tuple of their values. The rewriter makes it. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/print.h"
#include "skeletons/language/types/checker.h"

static void print(const bmf_expression *made, FILE *out)
{
    for (int k = 0; k < made->children; k++) {
        fputs(k == 0 ? "<" : ", ", out);
        print_expression(made->child[k], out);
    }
    fputc('>', out);
}

const bmf_expression_form bmf_form_streams = {
    .keyword = "<streams>",
    .print = print,
    .layout = BMF_LAYOUT_LINE,
    .check = checker_made,
    .evaluate = evaluate_streams,
};
