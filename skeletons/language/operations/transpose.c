/* B_Transpose: the columns of a list of rows of equal length, as rows. P_Transpose: of all parts together; of the
 * blocks of a grid r x c the blocks of a grid c x r. */
#include "skeletons/language/evaluate/matrix.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/operations/operation.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/skeleton_types.h"

#include "runtime/data/type.h"

static bool is_matrix(const bmf_type *type)
{
    return type->kind == BMF_NOTHING || (type->kind == BMF_LIST && checker_is_list(type->component[0]) &&
                                         !bmf_type_holds_distributed(type->component[0]));
}

/* Rows in parts stay that; blocks change places. */
static bmf_expression *check_parts(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    int64_t blocks[TYPE_DIMENSIONS];
    const int dimensions = type_grid(in, blocks);
    if (!is_matrix(in->component[0]))
        return checker_needs(checker, expression, "a list of lists of equal length, or a distributed list of such", in);
    if (!checker_may_hold(checker, expression, in))
        return NULL;
    const bmf_type *out = in;
    if (dimensions > 0) {
        const int64_t rows = blocks[0];
        blocks[0] = blocks[1];
        blocks[1] = rows;
        out = type_with_grid(in, dimensions, blocks);
    }
    bmf_expression *node = checker_operation_node(checker, expression, in, in, out);
    if (node)
        node->on_grid = node->on_grid || dimensions > 0;
    return node;
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_DISTRIBUTED)
        return check_parts(checker, expression, in);
    if (!is_matrix(in))
        return checker_needs(checker, expression, "a list of lists of equal length", in);
    return checker_operation_node(checker, expression, in, in, in);
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                    bmf_value *out)
{
    return evaluate_transpose(evaluator, expression, frame, x, out);
}

const bmf_operation_descriptor bmf_operation_transpose = {
    .keyword = "B_Transpose",
    .parallel = "P_Transpose",
    .signature = BMF_SIGNATURE_LISTS,
    .failure = BMF_FAILS_ALWAYS,
    .check = check,
    .is_parallel = expression_takes_distributed,
    .evaluate = evaluate,
    .evaluate_parallel = evaluate_parallel_transpose,
    .skeleton = &skeleton_transpose,
};
