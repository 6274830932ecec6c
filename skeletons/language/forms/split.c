/* B_Split (B_Num n): the list in n parts. P_Split (B_Num n) (B_Num s): the parts on processors 2^s apart. */
#include <inttypes.h>
#include <string.h>

#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/types/places.h"
#include "skeletons/skeleton_types.h"

enum { MAX_STRIDE = 62 };

static const int64_t max_processors = (int64_t)1 << 40;

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    bmf_token first = p->token;
    int64_t number[2] = {0, 0};
    bool processors[2] = {false, false};
    parser_advance(p);
    processors[0] = token_is(p->text, p->next, "B_Procs");
    if (!parser_number(p, true, &number[0]))
        return NULL;
    bmf_token second = p->token;
    processors[1] = keyword->parallel && p->token.kind == '(' && token_is(p->text, p->next, "B_Procs");
    if (keyword->parallel && p->token.kind == '(' && !parser_number(p, true, &number[1]))
        return NULL;
    if (number[1] > MAX_STRIDE)
        return parser_fail(p, second, "the second number of P_Split is the logarithm of the stride: at most %d",
                           MAX_STRIDE);
    bmf_expression *split = expression_create(p->arena, BMF_EXPRESSION_SPLIT, parser_span_since(p, first), 0);
    split->parallel = keyword->parallel;
    memcpy(split->number, number, sizeof number);
    memcpy(split->processors, processors, sizeof processors);
    return split;
}

static void print_number(const bmf_expression *split, int k, FILE *out)
{
    if (split->processors[k])
        fputs(" (B_Procs)", out);
    else
        fprintf(out, " (B_Num %" PRId64 ")", split->number[k]);
}

static void print(const bmf_expression *split, FILE *out)
{
    fputs(expression_keyword(split), out);
    print_number(split, 0, out);
    if (split->parallel)
        print_number(split, 1, out);
}

static bool equal(const bmf_expression *a, const bmf_expression *b)
{
    return a->number[0] == b->number[0] && a->number[1] == b->number[1];
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    int64_t parts = expression->number[0], stride = expression->number[1];
    if (parts < 1)
        return checker_fail(checker, expression->span, "%s needs at least 1 part, found %lld",
                            checker_keyword(expression), (long long)parts);
    if (expression->parallel && (stride < 0 || stride > 40 || parts - 1 > (max_processors - 1) >> stride))
        return checker_fail(checker, expression->span,
                            "%s needs at most 2^40 processors, found %lld with stride 2^%lld",
                            checker_keyword(expression), (long long)parts, (long long)stride);
    if (in->kind == BMF_DISTRIBUTED)
        return checker_needs(checker, expression, "a placed list (P_Map (B_Split ..) splits the parts)", in);
    if (in->kind != BMF_LIST && in->kind != BMF_NOTHING)
        return checker_needs(checker, expression, "a list", in);
    if (in->kind == BMF_LIST && !checker_placed_elements(checker, expression, in))
        return NULL;
    const bmf_type *out = in;
    if (in->kind == BMF_LIST)
        out = expression->parallel ? bmf_type_distributed(in) : bmf_type_list(in);
    return checker_finish(checker, checker_node(checker, expression, 0, NULL), in, out);
}

/* As it was written: splitting is what makes lists distributed. */
static bool is_parallel(const bmf_expression *split, const bmf_type *in)
{
    (void)in;
    return split->parallel;
}

static void places(bmf_survey *survey, const bmf_expression *split, int64_t base, const bmf_places *in, bmf_places *out)
{
    *out = split->parallel ? survey_spread(survey, base + ((split->number[0] - 1) << split->number[1])) : *in;
}

static int evaluate(bmf_evaluator *evaluator, bmf_expression *split, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    (void)frame;
    return evaluate_split(evaluator, split, x, out);
}

const bmf_expression_form bmf_form_split = {
    .keyword = "B_Split",
    .parallel = "P_Split",
    .parse = parse,
    .print = print,
    .equal = equal,
    .check = check,
    .is_parallel = is_parallel,
    .places = places,
    .evaluate = evaluate,
    .evaluate_parallel = evaluate_parallel_split,
    .skeleton = &skeleton_split,
};
