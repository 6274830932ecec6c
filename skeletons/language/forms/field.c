/* B_Field (x): the component of a record that is called x. */
#include <string.h>

#include "runtime/base/edit_distance.h"
#include "runtime/base/near_names.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/forms/record.h"
#include "skeletons/language/front/parser.h"
#include "skeletons/language/notation/builtins.h"
#include "skeletons/language/types/checker.h"

static bmf_expression *parse(bmf_parser *p, const bmf_keyword *keyword)
{
    return parser_fields(p, keyword, '(', ')', 1);
}

static void print(const bmf_expression *field, FILE *out)
{
    fprintf(out, "B_Field (%s)", field->name);
}

/* ---- messages ---- */

static int fail_no_record(bmf_checker *checker, const bmf_expression *expression, const bmf_type *found,
                          const char *field, int size)
{
    char words[BMF_TYPE_WORDS];
    const bmf_type *element = type_is_list(found) ? found->component[0] : found;
    const bool of_elements = element != found && field_find(element->name, field, size) >= 0;
    checker_words(found, words);
    if (of_elements && checker_in_notation(checker, expression))
        checker_fail(checker, expression->span,
                     "%.*s is a field of the elements, not of their list %s; write map(x -> x.%.*s, xs)", size, field,
                     words, size, field);
    else if (builtin_find(field, size) && checker_in_notation(checker, expression))
        checker_fail(checker, expression->span, "%.*s is no field, and names have no dots; write %s", size, field,
                     builtin_find(field, size)->usage);
    else
        checker_fail(checker, expression->span, "%.*s is a field of records such as {%.*s: 1}, found %s%s", size, field,
                     size, field, words, found->kind == BMF_TUPLE ? ", whose components have no names" : "");
    return -1;
}

static int fail_unknown(bmf_checker *checker, const bmf_expression *expression, const bmf_type *record,
                        const char *field, int size)
{
    char words[BMF_TYPE_WORDS], name[BMF_MAX_LEAVES][FIELD_BYTES];
    near_names near = {.max = 1, .limit = size < 2 ? 0 : size < 4 ? 1 : 2};
    for (int k = 0; k < record->components; k++) {
        int length;
        const char *known = field_in(record->name, k, &length);
        memcpy(name[k], known, (size_t)length);
        name[k][length] = '\0';
        near_names_offer(&near, name[k], edit_distance_caseless(field, size, known, length));
    }
    checker_words(record, words);
    if (near.count > 0)
        checker_fail(checker, expression->span, "%.*s is no field of %s; is %s meant?", size, field, words,
                     near.name[0]);
    else
        checker_fail(checker, expression->span, "%.*s is no field of %s", size, field, words);
    return -1;
}

/* ---- types ---- */

int record_place(bmf_checker *checker, const bmf_expression *expression, const bmf_type *record, const char *field,
                 int size)
{
    if (record->kind != BMF_TUPLE || !record->name)
        return fail_no_record(checker, expression, record, field, size);
    const int place = field_find(record->name, field, size);
    return place >= 0 ? place : fail_unknown(checker, expression, record, field, size);
}

bmf_expression *record_component(bmf_checker *checker, const bmf_expression *expression, int place, const bmf_type *in)
{
    bmf_expression *component = expression_create(checker->arena, BMF_EXPRESSION_ADDR, expression->span, 0);
    component->number[0] = place + 1;
    component->number[1] = in->components;
    return checker_finish(checker, component, in, in->component[place]);
}

static bmf_expression *check(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (in->kind == BMF_NOTHING)
        return checker_finish(checker, expression_create(checker->arena, BMF_EXPRESSION_ID, expression->span, 0), in,
                              in);
    const int place = record_place(checker, expression, in, expression->name, (int)strlen(expression->name));
    return place < 0 ? NULL : record_component(checker, expression, place, in);
}

const bmf_expression_form bmf_form_field = {
    .keyword = "B_Field",
    .parse = parse,
    .print = print,
    .layout = BMF_LAYOUT_LINE,
    .equal = record_equal,
    .check = check,
};
