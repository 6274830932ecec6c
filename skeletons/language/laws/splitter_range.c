/* Which ints a value may be: what is needed to know how much of a split list is looked at.
 *
 * Method: intervals, from constants through what takes and makes indices: minima, maxima, sums, differences, lists of
 * the first numbers, elements of lists, tuples. Of everything else nothing is known. An operation that overflows fails,
 * so that its value need not be in an interval. */
#include "skeletons/language/laws/splitter.h"

static splitter_value range(int64_t least, int64_t most)
{
    return (splitter_value){.ranged = least != INT64_MIN || most != INT64_MAX, .least = least, .most = most};
}

static int64_t least_of(const splitter_value *of)
{
    return of->ranged ? of->least : INT64_MIN;
}

static int64_t most_of(const splitter_value *of)
{
    return of->ranged ? of->most : INT64_MAX;
}

splitter_value splitter_range_of_both(const splitter_value *a, const splitter_value *b)
{
    const int64_t least[2] = {least_of(a), least_of(b)}, most[2] = {most_of(a), most_of(b)};
    return range(least[least[1] < least[0]], most[most[1] > most[0]]);
}

static splitter_value range_of_sum(const splitter_value *a, const splitter_value *b, bool minus)
{
    int64_t least, most;
    if (!a->ranged || !b->ranged)
        return (splitter_value){0};
    if (minus ? __builtin_sub_overflow(a->least, b->most, &least) : __builtin_add_overflow(a->least, b->least, &least))
        return (splitter_value){0};
    if (minus ? __builtin_sub_overflow(a->most, b->least, &most) : __builtin_add_overflow(a->most, b->most, &most))
        return (splitter_value){0};
    return range(least, most);
}

static splitter_value range_of_operation(bmf_operation operation, const splitter_value *of)
{
    const splitter_value a = splitter_part(of, 0), b = splitter_part(of, 1);
    const int64_t least[2] = {least_of(&a), least_of(&b)}, most[2] = {most_of(&a), most_of(&b)};
    switch (operation) {
    case BMF_OPERATION_MIN:
        return range(least[least[1] < least[0]], most[most[1] < most[0]]);
    case BMF_OPERATION_MAX:
        return range(least[least[1] > least[0]], most[most[1] > most[0]]);
    case BMF_OPERATION_PLUS:
    case BMF_OPERATION_MINUS:
        return range_of_sum(&a, &b, operation == BMF_OPERATION_MINUS);
    case BMF_OPERATION_LENGTH:
        return of->counted ? range(of->length, of->length) : range(0, INT64_MAX);
    case BMF_OPERATION_IOTA:
        return range(0, most_of(of) > 0 ? most_of(of) - 1 : 0);
    case BMF_OPERATION_INDEX:
    case BMF_OPERATION_PROJECT:
    case BMF_OPERATION_SLICE:
        return range(least[0], most[0]);
    default:
        return (splitter_value){0};
    }
}

splitter_value splitter_range_after(const bmf_expression *part, const splitter_value *of)
{
    switch (part->kind) {
    case BMF_EXPRESSION_ID:
    case BMF_EXPRESSION_CONVERT:
        return of->shape == SPLITTER_WHOLE ? *of : (splitter_value){0};
    case BMF_EXPRESSION_FILTER:
        return of->shape == SPLITTER_WHOLE && of->ranged ? range(of->least, of->most) : (splitter_value){0};
    case BMF_EXPRESSION_ADDR:
        return splitter_part(of, (int)part->number[0] - 1);
    case BMF_EXPRESSION_CON:
        return part->constant.kind == BMF_INT ? range(part->constant.integer, part->constant.integer)
                                              : (splitter_value){0};
    case BMF_EXPRESSION_OP:
        return range_of_operation(part->operation, of);
    default:
        return (splitter_value){0};
    }
}
