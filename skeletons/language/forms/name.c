/* $name: a definition. The checker puts the definition in its place. */
#include <string.h>

#include "skeletons/language/forms/form.h"
#include "skeletons/language/types/checker.h"

static void print(const bmf_expression *name, FILE *out)
{
    fprintf(out, "$%s", name->name);
}

static bool equal(const bmf_expression *a, const bmf_expression *b)
{
    return strcmp(a->name, b->name) == 0;
}

const bmf_expression_form bmf_form_name = {
    .keyword = "$",
    .print = print,
    .equal = equal,
    .check = checker_name,
};
