/* B_Matmul: the product of two matrices, lists of rows of equal length. */
#include "skeletons/language/evaluate/matrix.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/types/checker.h"

/* The type of a matrix's elements; NULL: it is none of numbers. */
static const bmf_type *number_of(const bmf_type *matrix)
{
    if (matrix->kind != BMF_LIST && matrix->kind != BMF_NOTHING)
        return NULL;
    const bmf_type *row = checker_element(matrix);
    if (row->kind != BMF_LIST && row->kind != BMF_NOTHING)
        return NULL;
    const bmf_type *number = checker_element(row);
    const bool is = number->kind == BMF_INT || number->kind == BMF_REAL || number->kind == BMF_NOTHING;
    return is ? number : NULL;
}

static bmf_expression *fail(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    char words[2][BMF_TYPE_WORDS];
    if (!checker_is_pair(in))
        return checker_needs(checker, expression, "two lists of rows of numbers", in);
    return checker_fail(checker, expression->span, "%s needs two placed lists of rows of numbers, found %s and %s%s",
                        checker_keyword(expression), checker_words(in->component[0], words[0]),
                        checker_words(in->component[1], words[1]),
                        bmf_type_holds_distributed(in) ? "; P_Map multiplies the parts of a distributed one" : "");
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_NOTHING)
        return checker_operation_node(checker, expression, in, in, in);
    const bmf_type *a = checker_is_pair(in) ? number_of(in->component[0]) : NULL;
    const bmf_type *b = a ? number_of(in->component[1]) : NULL;
    if (!b)
        return fail(checker, expression, in);
    const bmf_type *number = bmf_type_join(a, b);
    const bmf_type *matrix = bmf_type_list(bmf_type_list(number->kind == BMF_NOTHING ? &bmf_type_int : number));
    return checker_operation_node(checker, expression, in, bmf_type_pair(matrix, matrix), matrix);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    return evaluate_matmul(evaluator, expression, frame, x, out);
}

const bmf_operation_descriptor bmf_operation_matmul = {
    .keyword = "B_Matmul",
    .signature = BMF_SIGNATURE_LISTS,
    .failure = BMF_FAILS_ALWAYS,
    .check = check,
    .evaluate = evaluate,
};
