/* B_Conc: two placed lists as one. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/types/checker.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_NOTHING)
        return checker_operation_node(checker, expression, in, in, in);
    if (!checker_is_pair(in))
        return checker_needs(checker, expression, "two lists", in);
    char words[2][BMF_TYPE_WORDS];
    const bmf_type *a = in->component[0], *b = in->component[1];
    if (!checker_is_list(a) || !checker_is_list(b))
        return checker_needs(checker, expression, "two lists", in);
    if (bmf_type_holds_distributed(in))
        return checker_needs(checker, expression, "placed lists (P_Reduce gathers a distributed one)", in);
    const bmf_type *both = bmf_type_join(checker_element(a), checker_element(b));
    if (!both)
        return checker_fail(checker, expression->span, "%s needs two lists of one type, found %s and %s",
                            checker_keyword(expression), checker_words(a, words[0]), checker_words(b, words[1]));
    both = bmf_type_list(both);
    return checker_operation_node(checker, expression, in, bmf_type_pair(both, both), both);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    (void)expression;
    return evaluate_concatenation(evaluator, frame, x, out);
}

const bmf_operation_descriptor bmf_operation_concatenate = {
    .keyword = "B_Conc",
    .signature = BMF_SIGNATURE_LISTS,
    .check = check,
    .evaluate = evaluate,
};
