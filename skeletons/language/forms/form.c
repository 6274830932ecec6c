/* The table of forms. */
#include "skeletons/language/forms/form.h"

static const bmf_expression_form *const forms[] = {
#define FORM_ENTRY(kind, file) [BMF_EXPRESSION_##kind] = &bmf_form_##file,
    BMF_FORMS(FORM_ENTRY)
#undef FORM_ENTRY
};

const bmf_expression_form *form_of_kind(bmf_expression_kind kind)
{
    return forms[kind];
}

const bmf_expression_form *form_of(const bmf_expression *expression)
{
    return forms[expression->kind];
}
