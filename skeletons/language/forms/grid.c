/* Numbers of grids: reading, printing, checking. */
#include "skeletons/language/forms/grid.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/data/type.h"
#include "skeletons/language/front/parser.h"

_Static_assert((int)BMF_NUMBERS == (int)TYPE_DIMENSIONS, "a number for each dimension of a grid");

static const int64_t max_blocks = (int64_t)1 << 40;

bmf_expression *grid_parse(bmf_parser *p, const bmf_keyword *keyword, bool may_lack)
{
    const bmf_token first = p->token;
    int64_t number[BMF_NUMBERS] = {0};
    bool processors[BMF_NUMBERS] = {false};
    int numbers = 0;
    parser_advance(p);
    while (numbers < BMF_NUMBERS && (p->token.kind == '(' || (numbers < 2 && !(may_lack && numbers == 0)))) {
        processors[numbers] = token_is(p->text, p->next, "B_Procs");
        if (!parser_number(p, true, &number[numbers++]))
            return NULL;
    }
    bmf_expression *form = expression_create(p->arena, keyword->kind, parser_span_since(p, first), 0);
    form->parallel = keyword->parallel;
    form->numbers = numbers;
    memcpy(form->number, number, sizeof number);
    memcpy(form->processors, processors, sizeof processors);
    return form;
}

void grid_print(const bmf_expression *form, FILE *out)
{
    fputs(expression_keyword(form), out);
    for (int d = 0; d < form->numbers; d++)
        if (form->processors[d])
            fputs(" (B_Procs)", out);
        else
            fprintf(out, " (B_Num %" PRId64 ")", form->number[d]);
}

bool grid_equal(const bmf_expression *a, const bmf_expression *b)
{
    return a->numbers == b->numbers && memcmp(a->number, b->number, (size_t)a->numbers * sizeof a->number[0]) == 0;
}

int64_t grid_blocks(const bmf_expression *form)
{
    int64_t blocks = 1;
    for (int d = 0; d < form->numbers; d++)
        if (form->number[d] > 0 && (__builtin_mul_overflow(blocks, form->number[d], &blocks) || blocks > max_blocks))
            return 0;
    return blocks;
}

bool grid_check(bmf_checker *checker, const bmf_expression *form, bool may_be)
{
    for (int d = 0; d < form->numbers; d++)
        if (form->number[d] < (may_be ? 0 : 1)) {
            checker_fail(checker, form->span, "%s needs at least 1 block in each dimension, found %" PRId64,
                         checker_keyword(form), form->number[d]);
            return false;
        }
    if (grid_blocks(form) > 0)
        return true;
    checker_fail(checker, form->span, "%s makes at most 2^40 blocks", checker_keyword(form));
    return false;
}

bool grid_fits(const bmf_type *type, int dimensions)
{
    for (int d = 0; d < dimensions && type->kind != BMF_NOTHING; d++) {
        if (type->kind != BMF_LIST)
            return false;
        type = type->component[0];
    }
    return !bmf_type_holds_distributed(type);
}

const char *grid_words(int dimensions)
{
    return dimensions == 2 ? "a list of lists of equal length" : "a list of lists of lists of equal length";
}
