/* B_Record [x, y]: a tuple with these names of its components. */
#include <string.h>

#include "skeletons/language/forms/form.h"
#include "skeletons/language/forms/record.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/types/checker.h"

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    return parser_fields(p, keyword, '[', ']', BMF_MAX_LEAVES);
}

void record_print(const bmf_expression *expression, FILE *out)
{
    int size;
    const char *field = field_in(expression->name, 0, &size);
    fprintf(out, "%s [", expression_keyword(expression));
    for (int k = 0; field; field = field_in(expression->name, ++k, &size))
        fprintf(out, "%s%.*s", k > 0 ? ", " : "", size, field);
    fputc(']', out);
}

bool record_equal(const bmf_expression *a, const bmf_expression *b)
{
    return strcmp(a->name, b->name) == 0;
}

/* What runs has no names, so the value is the argument. */
static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const int fields = fields_count(expression->name);
    char what[80];
    bmf_expression *same = expression_create(checker->arena, BMF_EXPRESSION_ID, expression->span, 0);
    if (in->kind == BMF_NOTHING)
        return checker_finish(checker, same, in, in);
    if (in->kind != BMF_TUPLE || in->components != fields) {
        snprintf(what, sizeof what, "a tuple of %d component%s", fields, fields == 1 ? "" : "s");
        return checker_needs(checker, expression, what, in);
    }
    return checker_finish(checker, same, in, type_with_fields(in, expression->name));
}

const bmf_expression_form bmf_form_record = {
    .keyword = "B_Record",
    .parse = parse,
    .print = record_print,
    .layout = BMF_LAYOUT_LINE,
    .equal = record_equal,
    .check = check,
};
