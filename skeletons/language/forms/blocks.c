/* B_Blocks (B_Num r) (B_Num c), P_Blocks ..: a matrix, a list of rows of equal length, in the r x c blocks of a grid;
 * with three numbers a list of such. P_Blocks puts block (i, j) on processor i c + j from that of the instance on; it
 * also takes rows in parts, and blocks of other grids. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/grid.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

#include "runtime/data/type.h"

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    return grid_parse(p, keyword, false);
}

/* Some number is 0: it is chosen when the program runs. */
static bool is_open(const bmf_expression *blocks)
{
    bool open = false;
    for (int d = 0; d < blocks->numbers; d++)
        open = open || blocks->number[d] == 0;
    return open;
}

/* Rows in parts, or the blocks of a grid with as many dimensions, become blocks. */
static bmf_expression *check_parts(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const int dimensions = expression->numbers;
    int64_t blocks[TYPE_DIMENSIONS];
    const int before = type_grid(in, blocks);
    if (!expression->parallel)
        return checker_needs(checker, expression, "a placed list (P_Map (B_Blocks ..) cuts the parts)", in);
    if ((before > 0 && before != dimensions) || !grid_fits(in->component[0], dimensions))
        return checker_needs(checker, expression, grid_words(dimensions), in);
    if (!checker_may_hold(checker, expression, in))
        return NULL;
    bmf_expression *node = checker_node(checker, expression, 0, NULL);
    node->on_grid = node->on_grid || before > 0;
    return checker_finish(checker, node, in,
                          type_with_grid(bmf_type_distributed(in->component[0]), dimensions, expression->number));
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const int dimensions = expression->numbers;
    if (!grid_check(checker, expression, expression->parallel))
        return NULL;
    if (is_open(expression) && checker->inside > 0)
        return checker_fail(checker, expression->span,
                            "%s chooses a grid of all processors, so inside a map or an operator it needs its numbers",
                            checker_keyword(expression));
    if (in->kind == BMF_DISTRIBUTED)
        return check_parts(checker, expression, in);
    if (!grid_fits(in, dimensions))
        return checker_needs(checker, expression, grid_words(dimensions), in);
    const bmf_type *out = in;
    if (in->kind != BMF_NOTHING)
        out = expression->parallel ? type_with_grid(bmf_type_distributed(in), dimensions, expression->number)
                                   : bmf_type_list(in);
    return checker_finish(checker, checker_node(checker, expression, 0, NULL), in, out);
}

/* As it was written: that is what makes lists distributed. */
static bool is_parallel(const bmf_expression *blocks, const bmf_type *in)
{
    (void)in;
    return blocks->parallel;
}

static void places(bmf_survey *survey, const bmf_expression *blocks, int64_t base, const bmf_places *in,
                   bmf_places *out)
{
    *out = blocks->parallel ? survey_spread(survey, base + grid_blocks(blocks) - 1) : *in;
}

static bool may_fail(const bmf_expression *blocks)
{
    (void)blocks;
    return true; /* of rows of unequal lengths */
}

const bmf_expression_form bmf_form_blocks = {
    .keyword = "B_Blocks",
    .parallel = "P_Blocks",
    .parse = parse,
    .print = grid_print,
    .equal = grid_equal,
    .check = check,
    .is_parallel = is_parallel,
    .places = places,
    .may_fail = may_fail,
    .evaluate = evaluate_blocks,
    .evaluate_parallel = evaluate_parallel_blocks,
    .skeleton = &skeleton_split,
};
