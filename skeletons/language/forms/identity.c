/* B_Id: the argument itself. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/checker.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    return checker_finish(checker, checker_node(checker, expression, 0, NULL), in, in);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    (void)evaluator, (void)expression, (void)frame;
    value_move(x, out);
    return BMF_OK;
}

const bmf_expression_form bmf_form_identity = {
    .keyword = "B_Id",
    .check = check,
    .is_scalar = true,
    .is_structural = true,
    .evaluate = evaluate,
};
