/* B_While (p) (f): f applied again as long as p holds. */
#include <string.h>

#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const bmf_type *loop = in;
    for (int step = 0; step < BMF_MAX_WIDENINGS; step++) {
        bmf_expression *body = checker_infer(checker, expression->child[1], loop);
        if (!body)
            return NULL;
        const bmf_type *wider =
            checker_join(checker, expression->child[1]->span, "the body of B_While must make the type it is applied to",
                         loop, body->out);
        if (!wider || !checker_may_hold(checker, expression, wider))
            return NULL;
        if (wider != loop) {
            loop = wider;
            continue;
        }
        bmf_expression *typed[2] = {checker_predicate(checker, expression, expression->child[0], loop, false),
                                    checker_convert(checker, body, loop)};
        bmf_expression *node = checker_node(checker, expression, 2, typed);
        return checker_convert_argument(checker, checker_finish(checker, node, loop, loop), in);
    }
    return checker_fail(checker, expression->child[1]->span,
                        "the body of B_While makes a larger type each time it is applied");
}

static void places(bmf_survey *survey, const bmf_expression *loop, int64_t base, const bmf_places *in, bmf_places *out)
{
    bmf_places before;
    *out = *in;
    do { /* ends: places only come from the argument, from splits and from maps over those */
        before = *out;
        survey_places(survey, loop->child[0], base, out);
        *out = survey_join(*out, survey_places(survey, loop->child[1], base, out));
    } while (memcmp(&before, out, sizeof before) != 0);
}

static bool may_fail(const bmf_expression *loop)
{
    (void)loop;
    return true; /* may not end */
}

const bmf_expression_form bmf_form_loop = {
    .keyword = "B_While",
    .min_operands = 2,
    .max_operands = 2,
    .check = check,
    .repeats = true,
    .places = places,
    .is_scalar = true,
    .is_kernel = true,
    .may_fail = may_fail,
    .decides = expression_decides,
    .evaluate = evaluate_while,
};
