/* B_Join (B_Num r) (B_Num c), P_Join (B_Num r) (B_Num c), P_Join: the whole of the blocks of a grid, as B_Blocks and
 * P_Blocks cut it. Without numbers the grid is the one that the distributed list is on. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/grid.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

#include "runtime/data/type.h"

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    return grid_parse(p, keyword, true);
}

static bmf_expression *fail_without_grid(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    char words[BMF_TYPE_WORDS];
    return checker_fail(checker, expression->span,
                        "%s needs blocks of a grid, P{..}[..], or the numbers of the grid, found %s",
                        checker_keyword(expression), checker_words(in, words));
}

/* The numbers that the type knows where the form has none; they must not be others. */
static bool find_grid(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in, bmf_expression *join)
{
    int64_t blocks[TYPE_DIMENSIONS] = {0};
    const int dimensions = type_grid(in, blocks);
    if (expression->numbers == 0 && dimensions == 0)
        return fail_without_grid(checker, expression, in);
    bool same = dimensions == 0 || expression->numbers == 0 || dimensions == expression->numbers;
    for (int d = 0; d < expression->numbers; d++)
        same = same && (blocks[d] == 0 || expression->number[d] == 0 || blocks[d] == expression->number[d]);
    if (!same)
        return checker_needs(checker, expression, "blocks of the grid that its numbers say", in);
    join->numbers = expression->numbers > 0 ? expression->numbers : dimensions;
    for (int d = 0; d < dimensions; d++)
        join->number[d] = blocks[d] > 0 ? blocks[d] : join->number[d];
    return true;
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    bmf_expression *join = checker_node(checker, expression, 0, NULL);
    if (in->kind == BMF_NOTHING)
        return checker_finish(checker, join, in, in);
    if (!type_is_list(in))
        return checker_needs(checker, expression, "the blocks of a grid", in);
    if (!find_grid(checker, expression, in, join))
        return NULL;
    if (!grid_check(checker, join, in->kind == BMF_DISTRIBUTED))
        return NULL;
    if (!grid_fits(in->component[0], join->numbers))
        return checker_needs(
            checker, expression,
            join->numbers == 2 ? "blocks that are lists of lists" : "blocks that are lists of lists of lists", in);
    return checker_finish(checker, join, in, in->component[0]);
}

/* On the instance's processor. */
static void places(bmf_survey *survey, const bmf_expression *join, int64_t base, const bmf_places *in, bmf_places *out)
{
    (void)survey, (void)join, (void)base, (void)in;
    *out = (bmf_places){{0}};
}

static bool may_fail(const bmf_expression *join)
{
    (void)join;
    return true; /* of blocks that do not fit each other */
}

const bmf_expression_form bmf_form_join = {
    .keyword = "B_Join",
    .parallel = "P_Join",
    .parse = parse,
    .print = grid_print,
    .equal = grid_equal,
    .check = check,
    .is_parallel = expression_takes_distributed,
    .places = places,
    .may_fail = may_fail,
    .evaluate = evaluate_join,
    .evaluate_parallel = evaluate_parallel_join,
    .skeleton = &skeleton_gather,
};
