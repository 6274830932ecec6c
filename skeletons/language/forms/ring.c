/* B_Ring: in place of an edge of B_Stencil, where the other end stands beyond it. It is no function. */
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/checker.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    (void)in;
    return checker_fail(checker, expression->span, "%s is no function: it stands for edges, in B_Stencil itself",
                        checker_keyword(expression));
}

const bmf_expression_form bmf_form_ring = {.keyword = "B_Ring", .check = check};
