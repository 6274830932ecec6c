/* f . g, B_Comp (f) (g): child[0] is applied last; the parser makes two children, the checker flattens. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/print.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"

/* f . g . h; a composition that is applied last, or in between, needs brackets. */
static void print(const bmf_expression *comp, FILE *out)
{
    for (int k = 0; k < comp->children; k++) {
        bool brackets = comp->child[k]->kind == BMF_EXPRESSION_COMP && k < comp->children - 1;
        fputs(k > 0 ? " . " : "", out);
        fputs(brackets ? "(" : "", out);
        print_expression(comp->child[k], out);
        fputs(brackets ? ")" : "", out);
    }
    if (comp->children == 0)
        fputs("B_Id", out);
}

static void places(bmf_survey *survey, const bmf_expression *comp, int64_t base, const bmf_places *in, bmf_places *out)
{
    bmf_places at = *in;
    for (int k = comp->children - 1; k >= 0; k--)
        at = survey_places(survey, comp->child[k], base, &at);
    *out = at;
}

static bool is_independent(const bmf_expression *comp)
{
    return expression_is_independent(comp->child[comp->children - 1]);
}

const bmf_expression_form bmf_form_composition = {
    .keyword = "B_Comp",
    .min_operands = 2,
    .max_operands = 2,
    .print = print,
    .layout = BMF_LAYOUT_CHAIN,
    .check = checker_composition,
    .places = places,
    .is_scalar = true,
    .is_kernel = true,
    .is_structural = true,
    .is_independent = is_independent,
    .evaluate = evaluate_composition,
};
