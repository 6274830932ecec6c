/* What a program is applied to.
 *
 * Method: the first operation of the expression, or what it does with each component of the tuple first, says how a
 * file is wanted. Split: every rank reads its parts, and the split is left out of the expression. Otherwise rank 0
 * reads it whole.
 * Cost: the bytes of a rank's parts. */
#include "skeletons/language/argument.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/parallel/parallel.h"

/* ---- files ---- */

bool argument_named(const char *name, bmf_argument *argument)
{
    argument->is_file = data_file_named(name, &argument->file);
    return argument->is_file;
}

static void set_type(bmf_argument *argument)
{
    argument->item = data_file_element(&argument->file, true);
    argument->type = bmf_type_list(data_file_type(&argument->file, argument->item));
}

int argument_find(bmf_context *ctx, bmf_argument *argument)
{
    BMF_TRY(data_file_find(ctx, &argument->file));
    for (int k = 0; k < argument->file.fields; k++)
        if (argument->file.field[k].scalar == STORED_COMPLEX128)
            return bmf_fail(ctx, BMF_ERROR_TYPE,
                            "%s: complex numbers (complex128); the language has int, real and bool",
                            argument->file.path);
    set_type(argument);
    return BMF_OK;
}

void argument_take(bmf_argument *argument, const void *bytes)
{
    data_file_take(&argument->file, bytes);
    set_type(argument);
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
static int split_file(bmf_context *ctx, const bmf_argument *argument, const bmf_expression *split, bmf_value *value)
{
    bmf_level level = {split->number[0], (int)split->number[1]};
    bmf_partition *partition;
    bmf_value parts;
    BMF_TRY(bmf_partition_create(ctx, 0, 1, &level, argument->file.shape[0], NULL, &partition));
    const int status = read_part(ctx, argument, partition, &parts);
    int64_t *processor = allocate(partition->parts * (int64_t)sizeof *processor);
    int64_t offsets[2] = {0, partition->parts};
    for (int64_t k = 0; k < partition->parts; k++)
        processor[k] = bmf_partition_processor(partition, k);
    bmf_layout *layout = layout_create(ctx, partition->parts, processor);
    value_distribute(bmf_is_root(ctx) ? 1 : 0, distribution_create(1, offsets, layout), &parts, value);
    free(processor);
    bmf_partition_release(partition);
    return status;
}

/* split: the one that the file goes through, or NULL. */
static int open_one(bmf_context *ctx, bmf_argument *argument, const bmf_expression *split, bmf_value *value)
{
    if (argument->is_file)
        return split ? split_file(ctx, argument, split, value) : placed_file(ctx, argument, value);
    require_memory(placed_text(ctx, argument, value), 0);
    return BMF_OK;
}

/* ---- one argument ---- */

/* The first operation if it is a split of the whole argument. */
static bmf_expression *first_split(bmf_expression *expression)
{
    while (expression->kind == BMF_EXPRESSION_COMP && expression->children > 0)
        expression = expression->child[expression->children - 1];
    bool splits = expression->kind == BMF_EXPRESSION_SPLIT && expression->parallel;
    return splits ? expression : NULL;
}

/* The expression without its first operation; NULL if there is nothing else. */
static bmf_expression *without_first(bmf_expressions *arena, bmf_expression *expression)
{
    if (expression->kind != BMF_EXPRESSION_COMP)
        return NULL;
    bmf_expression *rest = expression_copy(arena, expression);
    int last = rest->children - 1;
    bmf_expression *inner = without_first(arena, rest->child[last]);
    if (!inner)
        rest->children--;
    else
        rest->child[last] = inner;
    return rest->children > 0 ? rest : NULL;
}

static int open_single(bmf_context *ctx, bmf_expressions *arena, bmf_argument *argument, bmf_expression **expression,
                       bmf_value *value)
{
    const bmf_expression *split = argument->is_file ? first_split(*expression) : NULL;
    if (split)
        *expression = without_first(arena, *expression);
    return open_one(ctx, argument, split, value);
}

/* ---- several ---- */

/* How the components of the argument are used. */
typedef struct component_uses {
    int components;
    const bmf_expression *split[BMF_MAX_LEAVES]; /* the same wherever the component is used; NULL: not used yet */
    bool whole[BMF_MAX_LEAVES];                  /* or in another way */
} component_uses;

static void use_all(component_uses *uses)
{
    for (int k = 0; k < uses->components; k++)
        uses->whole[k] = true;
}

/* `next` is applied to component k; NULL: nothing is. */
static void use_component(component_uses *uses, int64_t k, const bmf_expression *next)
{
    const bmf_expression *before = uses->split[k];
    if (!next || next->kind != BMF_EXPRESSION_SPLIT || !next->parallel ||
        (before && memcmp(before->number, next->number, sizeof next->number) != 0))
        uses->whole[k] = true;
    else
        uses->split[k] = next;
}

/* The component that an expression of the whole argument takes, or -1. */
static int64_t component_of(const bmf_expression *expression)
{
    return expression->kind == BMF_EXPRESSION_ADDR ? expression->number[0] - 1 : -1;
}

/* What an expression that is applied to the whole argument does with it. */
static void find_uses(component_uses *uses, const bmf_expression *expression)
{
    if (component_of(expression) >= 0) {
        use_component(uses, component_of(expression), NULL);
    } else if (expression->kind == BMF_EXPRESSION_ALLTUP) {
        for (int k = 0; k < expression->children; k++)
            find_uses(uses, expression->child[k]);
    } else if (expression->kind == BMF_EXPRESSION_COMP && expression->children > 0) {
        const int last = expression->children - 1;
        const bmf_expression *first = expression->child[last];
        if (component_of(first) >= 0 && last > 0)
            use_component(uses, component_of(first), expression->child[last - 1]);
        else
            find_uses(uses, first);
    } else {
        use_all(uses);
    }
}

/* The expression for a tuple of type `in`, some of whose components are split already. */
static bmf_expression *without_splits(bmf_expressions *arena, const component_uses *uses, bmf_expression *expression,
                                      const bmf_type *in)
{
    bmf_expression *made = expression_copy(arena, expression);
    const int64_t component = component_of(expression);
    made->in = in;
    if (component >= 0) {
        made->out = in->component[component];
    } else if (made->kind == BMF_EXPRESSION_ALLTUP) {
        for (int k = 0; k < made->children; k++)
            made->child[k] = without_splits(arena, uses, made->child[k], in);
    } else if (made->kind == BMF_EXPRESSION_COMP && made->children > 0) {
        const int last = made->children - 1;
        const int64_t first = component_of(made->child[last]);
        made->child[last] = without_splits(arena, uses, made->child[last], in);
        if (first >= 0 && last > 0 && !uses->whole[first]) {
            made->child[last - 1] = made->child[last];
            made->children--;
        }
        if (made->children == 1)
            return made->child[0];
    }
    return made;
}

static int open_tuple(bmf_context *ctx, bmf_expressions *arena, bmf_argument *argument, int arguments,
                      bmf_expression **expression, bmf_value *value)
{
    component_uses uses = {.components = arguments};
    const bmf_type *type[BMF_MAX_LEAVES] = {NULL};
    bmf_value part[BMF_MAX_LEAVES];
    int status = BMF_OK;
    find_uses(&uses, *expression);
    for (int k = 0; k < arguments; k++) {
        uses.whole[k] |= !argument[k].is_file || !uses.split[k];
        type[k] = uses.whole[k] ? argument[k].type : uses.split[k]->out;
    }
    *expression = without_splits(arena, &uses, *expression, bmf_type_tuple(arguments, type));
    for (int k = 0; k < arguments; k++) {
        const int opened = open_one(ctx, &argument[k], uses.whole[k] ? NULL : uses.split[k], &part[k]);
        if (opened != BMF_OK && ctx->ranks > 1)
            return opened; /* agreed: partitions of the same shape are refused everywhere */
        status = status == BMF_OK ? opened : status;
    }
    value_create_tuple(arguments, part, value);
    return status;
}

int arguments_open(bmf_context *ctx, bmf_expressions *arena, bmf_argument *argument, int arguments,
                   bmf_expression **expression, bmf_value *value)
{
    return arguments == 1 ? open_single(ctx, arena, argument, expression, value)
                          : open_tuple(ctx, arena, argument, arguments, expression, value);
}
