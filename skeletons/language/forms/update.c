/* B_With [x, y]: of {r, a, b} the record r with a and b in the place of its fields x and y. */
#include "skeletons/language/forms/form.h"
#include "skeletons/language/forms/record.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/types/checker.h"

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    return parser_fields(p, keyword, '[', ']', BMF_MAX_LEAVES - 1);
}

/* value[k]: what component k of the record becomes, NULL if it stays; false after a message. */
static bool find_values(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in,
                        bmf_expression *value[BMF_MAX_LEAVES])
{
    int size;
    const char *field = field_in(expression->name, 0, &size);
    for (int k = 0; field; field = field_in(expression->name, ++k, &size)) {
        const int place = record_place(checker, expression, in->component[0], field, size);
        if (place < 0)
            return false;
        value[place] = record_component(checker, expression, k + 1, in);
    }
    return true;
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const int fields = fields_count(expression->name);
    bmf_expression *value[BMF_MAX_LEAVES] = {NULL};
    const bmf_type *type[BMF_MAX_LEAVES];
    char what[80];
    if (in->kind != BMF_TUPLE || in->components != fields + 1) {
        snprintf(what, sizeof what, "a record and %d value%s", fields, fields == 1 ? "" : "s");
        return in->kind == BMF_NOTHING
                   ? checker_finish(checker, expression_create(checker->arena, BMF_EXPRESSION_ID, expression->span, 0),
                                    in, in)
                   : checker_needs(checker, expression, what, in);
    }
    const bmf_type *record = in->component[0];
    if (record->kind == BMF_NOTHING)
        return record_component(checker, expression, 0, in);
    if (!find_values(checker, expression, in, value))
        return NULL;
    for (int k = 0; k < record->components; k++) {
        bmf_expression *both[2] = {value[k]};
        if (!value[k]) {
            both[0] = record_component(checker, expression, k, record);
            both[1] = record_component(checker, expression, 0, in);
            value[k] = both[0] && both[1] ? expression_compose(checker->arena, expression->span, 2, both) : NULL;
        }
        if (!value[k])
            return NULL;
        type[k] = value[k]->out;
    }
    bmf_expression *all =
        expression_create(checker->arena, BMF_EXPRESSION_ALLTUP, expression->span, record->components);
    for (int k = 0; k < record->components; k++)
        all->child[k] = value[k];
    return checker_finish(checker, all, in, type_with_fields(bmf_type_tuple(record->components, type), record->name));
}

const bmf_expression_form bmf_form_update = {
    .keyword = "B_With",
    .parse = parse,
    .print = record_print,
    .layout = BMF_LAYOUT_LINE,
    .equal = record_equal,
    .check = check,
};
