/* What a program is applied to.
 *
 * Method: what the expression does with the argument, or with each component of the tuple, says how a file is wanted
 * (argument_uses.h). Split: every rank reads its parts, and the split is left out of the expression, or moves them to
 * the blocks of a grid; the length of a file is known without reading it. Otherwise rank 0 reads it whole.
 * Cost: the bytes of a rank's parts. */
#include "skeletons/language/argument.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/argument_uses.h"
#include "skeletons/language/front/fields.h"
#include "skeletons/language/parallel/parallel.h"

/* ---- files ---- */

bool argument_named(const char *name, bmf_argument *argument)
{
    argument->is_file = data_file_named(name, &argument->file);
    return argument->is_file;
}

bool argument_is_data(const char *given)
{
    const char *digits = given + (*given == '-');
    char *end;
    if (*given == '[' || *given == '{')
        return true;
    if (!isdigit((unsigned char)*digits))
        return false;
    strtod(given, &end);
    return *end == '\0';
}

/* A record, if all scalars of an item have names that fields can have. */
static const bmf_type *named_item(const data_file *file, const bmf_type *item)
{
    char fields[FIELDS_BYTES] = "";
    bool named = item->kind == BMF_TUPLE;
    for (int k = 0; k < file->fields && named; k++)
        named = !fields_add(fields, file->field[k].name, (int64_t)strlen(file->field[k].name));
    return named ? type_with_fields(item, fields) : item;
}

void argument_set_type(bmf_argument *argument)
{
    argument->item = data_file_element(&argument->file, true);
    argument->type = bmf_type_list(data_file_type(&argument->file, named_item(&argument->file, argument->item)));
}

int argument_find(bmf_context *ctx, bmf_argument *argument)
{
    BMF_TRY(data_file_find(ctx, &argument->file));
    for (int k = 0; k < argument->file.fields; k++)
        if (argument->file.field[k].scalar == STORED_COMPLEX128)
            return bmf_fail(ctx, BMF_ERROR_TYPE,
                            "%s: complex numbers (complex128); the language has int, real and bool",
                            argument->file.path);
    argument_set_type(argument);
    return BMF_OK;
}

void argument_take(bmf_argument *argument, const void *bytes)
{
    data_file_take(&argument->file, bytes);
    argument_set_type(argument);
}

void argument_free(bmf_argument *argument)
{
    column_free(&argument->column);
    data_file_free(&argument->file);
    *argument = (bmf_argument){0};
}

/* ---- values ---- */

/* One instance on rank 0. */
static int placed_text(bmf_context *ctx, bmf_argument *argument, bmf_value *value)
{
    if (!bmf_is_root(ctx))
        return value_empty(ctx, argument->type, 0, value);
    bmf_column column = argument->column;
    argument->column = (bmf_column){0};
    value_from_column(&column, value);
    return BMF_OK;
}

/* This rank's part of the file; default values if it cannot be read. */
static int read_part(bmf_context *ctx, const bmf_argument *argument, bmf_partition *partition, bmf_value *parts)
{
    bmf_list *list = NULL;
    const int status = data_file_read_part(ctx, &argument->file, argument->item, partition, &list);
    if (status == BMF_OK)
        require_memory(value_from_parts(list, parts), partition->local_parts);
    else
        value_default(ctx, argument->type, partition->local_parts, parts);
    bmf_list_free(list);
    return failure_defer(ctx, status);
}

static int placed_file(bmf_context *ctx, const bmf_argument *argument, bmf_value *value)
{
    bmf_partition *partition;
    BMF_TRY(bmf_partition_placed(ctx, 0, argument->file.shape[0], &partition));
    const int status = read_part(ctx, argument, partition, value);
    bmf_partition_release(partition);
    return status;
}

/* What the split would make of the file, each rank reading its parts. */
static int split_file(bmf_context *ctx, const bmf_argument *argument, const bmf_level *level, bmf_value *value)
{
    bmf_partition *partition;
    bmf_value parts;
    BMF_TRY(bmf_partition_create(ctx, 0, 1, level, argument->file.shape[0], NULL, &partition));
    const int status = read_part(ctx, argument, partition, &parts);
    int64_t *processor = allocate(partition->parts * (int64_t)sizeof *processor);
    int64_t offsets[2] = {0, partition->parts};
    for (int64_t k = 0; k < partition->parts; k++)
        processor[k] = bmf_partition_processor(partition, k);
    bmf_layout *layout = layout_create(ctx, partition->parts, processor);
    value_distribute(bmf_is_root(ctx) ? 1 : 0, distribution_create(1, offsets, layout), &parts, value);
    lengths_keep(partition, value);
    free(processor);
    bmf_partition_release(partition);
    return status;
}

/* level: how a file is split, or NULL. */
static int open_one(bmf_context *ctx, bmf_argument *argument, const bmf_level *level, bmf_value *value)
{
    if (argument->is_file)
        return level ? split_file(ctx, argument, level, value) : placed_file(ctx, argument, value);
    require_memory(placed_text(ctx, argument, value), 0);
    return BMF_OK;
}

/* ---- all of them ---- */

int arguments_open(bmf_context *ctx, bmf_expressions *arena, bmf_argument *argument, int arguments,
                   bmf_expression **expression, bmf_value *value)
{
    argument_uses uses = {.components = arguments, .processors = bmf_processors(ctx)};
    const bmf_type *type[BMF_MAX_LEAVES] = {NULL};
    bmf_value part[BMF_MAX_LEAVES];
    int status = BMF_OK;
    for (int k = 0; k < arguments; k++) {
        uses.may_split[k] = argument[k].is_file;
        uses.length[k] = argument[k].is_file ? argument[k].file.shape[0] : 0;
    }
    argument_uses_find(&uses, *expression);
    for (int k = 0; k < arguments; k++)
        type[k] = uses.whole[k] ? argument[k].type : bmf_type_distributed(argument[k].type);
    *expression =
        argument_uses_apply(&uses, arena, *expression, arguments == 1 ? type[0] : bmf_type_tuple(arguments, type));
    for (int k = 0; k < arguments; k++) {
        const int opened = open_one(ctx, &argument[k], uses.whole[k] ? NULL : &uses.level[k], &part[k]);
        if (opened != BMF_OK && ctx->ranks > 1)
            return opened; /* agreed: partitions of the same shape are refused everywhere */
        status = status == BMF_OK ? opened : status;
    }
    if (arguments == 1)
        value_move(&part[0], value);
    else
        value_create_tuple(arguments, part, value);
    return status;
}
