/* Arguments as a program declares them.
 *
 * Method: the type that was found is compared with the declared one. Where they differ as ints and reals do, a file is
 * read by the declared type, and values from text are converted.
 * Cost: nothing for files; for text a pass over the ints that become reals. */
#include "skeletons/language/argument_declared.h"

#include <stdlib.h>
#include <string.h>

#include "skeletons/language/front/data.h"
#include "skeletons/language/front/type_parse.h"

/* ---- types ---- */

const bmf_type *declared_argument(const bmf_parsed *parsed)
{
    const bmf_type *type[BMF_MAX_LEAVES];
    bool any = false;
    for (int k = 0; k < parsed->parameters; k++) {
        type[k] = parsed->declared[k].type ? parsed->declared[k].type : &bmf_type_nothing;
        any = any || parsed->declared[k].type;
    }
    if (!any)
        return NULL;
    return parsed->parameters > 1 ? bmf_type_tuple(parsed->parameters, type) : type[0];
}

static bool is_whole(const bmf_type *type)
{
    bool whole = type->kind != BMF_NOTHING;
    for (int k = 0; k < type->components && whole; k++)
        whole = is_whole(type->component[k]);
    return whole;
}

const bmf_type *declared_whole(const bmf_parsed *parsed)
{
    const bmf_type *type = declared_argument(parsed);
    return type && is_whole(type) ? type : NULL;
}

/* What values of the found type become, with names of fields from where there are any; NULL: they cannot be of the
 * declared one. */
static const bmf_type *declared_as(const bmf_type *declared, const bmf_type *found)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    if (declared->kind == BMF_NOTHING)
        return found;
    if (found->kind == BMF_NOTHING || (declared->kind == BMF_REAL && found->kind == BMF_INT))
        return declared;
    if (declared->kind != found->kind || declared->components != found->components ||
        (declared->name && found->name && strcmp(declared->name, found->name) != 0))
        return NULL;
    for (int k = 0; k < declared->components; k++) {
        component[k] = declared_as(declared->component[k], found->component[k]);
        if (!component[k])
            return NULL;
    }
    return bmf_type_intern(&(bmf_type){.kind = declared->kind,
                                       .name = declared->name ? declared->name : found->name,
                                       .components = declared->components,
                                       .component = declared->components > 0 ? component : NULL});
}

static const bmf_type *innermost(const bmf_type *type, int *depth)
{
    for (*depth = 0; type->kind == BMF_LIST; ++*depth)
        type = type->component[0];
    return type;
}

/* ---- files ---- */

/* The rows of the file's array may be what the declared type has tuples for. */
static void take_rows_as_tuples(const bmf_type *declared, bmf_argument *argument)
{
    int depth;
    const bmf_type *item = innermost(declared, &depth);
    if (item->kind == BMF_TUPLE && depth + 1 == argument->file.dimensions &&
        data_file_join(&argument->file, item->components))
        argument_set_type(argument);
}

/* ---- values from text ---- */

/* Lists without elements, which have any type, and ints that become reals. */
static int widen_scalars(const bmf_type *to, bmf_column *column)
{
    bmf_column made;
    BMF_TRY(column_create(to, column->count, &made));
    for (int64_t i = 0; i < column->count; i++)
        ((double *)made.data)[i] = (double)*(const int64_t *)((const char *)column->data + i * column->stride);
    column_free(column);
    *column = made;
    return BMF_OK;
}

static int widen(const bmf_type *to, bmf_column *column)
{
    if (column->type == to)
        return BMF_OK;
    if (column->type->components == 0)
        return widen_scalars(to, column);
    for (int k = 0; k < to->components; k++)
        BMF_TRY(widen(to->component[k], &column->child[k]));
    column->type = to;
    return BMF_OK;
}

/* ---- one argument ---- */

static int fail(bmf_context *ctx, const bmf_texts *texts, const bmf_declared *declared, const char *given,
                const bmf_type *found)
{
    char is[256];
    char *wanted = type_print(declared->type);
    bmf_type_print(found, is, sizeof is);
    const int status = text_fail(
        texts, ctx, declared->span, BMF_ERROR_TYPE, "%.60s is declared to be %.250s, found %s%s%.200s",
        declared->name ? declared->name : "the argument", wanted, is, given ? " in " : "", given ? given : "");
    free(wanted);
    return status;
}

static int declare(bmf_context *ctx, const bmf_texts *texts, const bmf_declared *declared, const char *given,
                   bmf_argument *argument)
{
    int depth;
    if (!declared->type)
        return BMF_OK;
    if (argument->is_file)
        take_rows_as_tuples(declared->type, argument);
    const bmf_type *type = declared_as(declared->type, argument->type);
    if (!type)
        return fail(ctx, texts, declared, given, argument->type);
    argument->type = type;
    if (argument->is_file)
        argument->item = type_without_fields(innermost(type, &depth));
    return argument->column.type ? widen(type_without_fields(type), &argument->column) : BMF_OK;
}

/* One argument for several parameters is the tuple of them. */
static int declare_all(bmf_context *ctx, const bmf_texts *texts, const bmf_parsed *parsed, const char *given,
                       bmf_argument *argument)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    if (argument->type->kind != BMF_TUPLE || argument->type->components != parsed->parameters)
        return BMF_OK;
    for (int k = 0; k < parsed->parameters; k++) {
        const bmf_declared *declared = &parsed->declared[k];
        const bmf_type *found = argument->type->component[k];
        component[k] = declared->type ? declared_as(declared->type, found) : found;
        if (!component[k])
            return fail(ctx, texts, declared, given, found);
    }
    const bmf_declared all = {.type = bmf_type_tuple(parsed->parameters, component), .span = parsed->declared[0].span};
    return declare(ctx, texts, &all, given, argument);
}

/* What the program declares of argument k of several. */
static bmf_declared declared_at(const bmf_parsed *parsed, int k, int arguments)
{
    if (parsed->parameters == arguments)
        return parsed->declared[k];
    bmf_declared all = parsed->declared[0], none = {0};
    if (parsed->parameters > 1 || !all.type || all.type->kind != BMF_TUPLE || all.type->components != arguments)
        return none; /* too many or too few: to be said as errors of patterns are */
    all.type = all.type->component[k];
    return all;
}

int arguments_declare(bmf_context *ctx, const bmf_texts *texts, const bmf_parsed *parsed, const char *const *given,
                      bmf_argument *argument, int arguments)
{
    int status = BMF_OK;
    if (!declared_argument(parsed))
        return BMF_OK;
    if (arguments == 1 && parsed->parameters > 1)
        return declare_all(ctx, texts, parsed, given ? given[0] : NULL, argument);
    for (int k = 0; k < arguments && status == BMF_OK; k++) {
        const bmf_declared declared = declared_at(parsed, k, arguments);
        status = declare(ctx, texts, &declared, given ? given[k] : NULL, &argument[k]);
    }
    return status;
}
