/* Batches from and to columns of the runtime. Offsets and data are shared; only views are packed and strides other
 * than a column's are made plain. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/batches/operations.h"

static void adopt(bmf_column *column, bmf_value *out)
{
    static const int64_t no_offsets[1] = {0};
    *out = (bmf_value){.type = column->type, .count = column->count, .buffer = column->buffer, .data = column->data};
    if (column->type->components == 0)
        out->stride = column->stride;
    if (column->type->kind == BMF_LIST) {
        out->begin = column->offsets ? column->offsets : no_offsets;
        out->end = out->begin + 1;
        out->step = 1;
        out->packed = true;
    }
    if (column->type->components > 0) {
        out->child = allocate_clear(column->type->components, (int64_t)sizeof *out->child);
        for (int k = 0; k < column->type->components; k++)
            adopt(&column->child[k], &out->child[k]);
    }
    free(column->child);
    *column = (bmf_column){0};
}

void value_from_column(bmf_column *column, bmf_value *out)
{
    adopt(column, out);
}

/* The type of columns for it: empty lists of nothing are of ints. */
static const bmf_type *column_type(const bmf_type *type)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    if (type->kind == BMF_NOTHING)
        return bmf_type_intern(&bmf_type_int);
    for (int k = 0; k < type->components; k++)
        component[k] = column_type(type->component[k]);
    if (type->kind == BMF_TUPLE)
        return bmf_type_tuple(type->components, component);
    return type->kind == BMF_LIST ? bmf_type_list(component[0]) : bmf_type_intern(type);
}

static int share_offsets(bmf_context *ctx, const bmf_value *list, bmf_column *column)
{
    if (list->buffer) {
        column->buffer = buffer_retain(list->buffer);
        column->offsets = (int64_t *)list->begin;
        return BMF_OK;
    }
    column->buffer = buffer_create((int64_t)sizeof(int64_t));
    if (!column->buffer)
        return fail_no_memory(ctx, 1);
    column->offsets = column->buffer->data;
    column->offsets[0] = 0;
    return BMF_OK;
}

/* A scalar leaf as a column has it: each behind the other, or one for all. */
static int share_scalars(bmf_context *ctx, bmf_value *value, bmf_column *column)
{
    if (value->stride != 0 || value->count == 0)
        BMF_TRY(value_plain(ctx, value));
    column->buffer = buffer_retain(value->buffer);
    column->data = value->data;
    column->stride = value->type->kind == BMF_NOTHING ? column->type->size : value->stride;
    return BMF_OK;
}

/* value may be changed on the way. */
static int share_column(bmf_context *ctx, bmf_value *value, bmf_column *column)
{
    *column = (bmf_column){.type = column_type(value->type), .count = value->count};
    if (value->type->components == 0)
        return share_scalars(ctx, value, column);
    if (value->type->kind == BMF_LIST) {
        BMF_TRY(value_pack(ctx, value));
        BMF_TRY(share_offsets(ctx, value, column));
    }
    column->child = calloc((size_t)value->type->components, sizeof *column->child);
    if (!column->child)
        return fail_no_memory(ctx, value->type->components);
    for (int k = 0; k < value->type->components; k++)
        BMF_TRY(share_column(ctx, &value->child[k], &column->child[k]));
    return BMF_OK;
}

int value_to_column(bmf_context *ctx, const bmf_value *value, bmf_column *column)
{
    bmf_value copy;
    bmf_column made;
    value_share(value, &copy);
    int status = share_column(ctx, &copy, &made);
    value_free(&copy);
    if (status == BMF_OK)
        *column = made;
    else
        column_free(&made);
    return status;
}
