/* Batches: making, sharing, checking.
 *
 * Method: every function walks the type's tree. Offsets of no lists at all stand in a constant, so that packed lists
 * always have count + 1 of them. A failing constructor frees what it made.
 * Cost: O(size of the type), and O(count) where memory is filled. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/batches/operations.h"

static const int64_t no_offsets[1] = {0};

int fail_no_memory(bmf_context *ctx, int64_t count)
{
    return bmf_fail(ctx, BMF_ERROR_MEMORY, "out of memory for %" PRId64 " elements", count);
}

static bmf_value *new_children(int components)
{
    return allocate_clear(components, (int64_t)sizeof(bmf_value));
}

void value_free(bmf_value *value)
{
    if (value->child)
        for (int k = 0; k < value->type->components; k++)
            value_free(&value->child[k]);
    free(value->child);
    buffer_release(value->buffer);
    buffer_release(value->second);
    distribution_release(value->spread);
    *value = (bmf_value){0};
}

void value_move(bmf_value *from, bmf_value *to)
{
    *to = *from;
    *from = (bmf_value){0};
}

static int create_scalar(bmf_context *ctx, const bmf_type *type, int64_t count, bmf_value *out)
{
    *out = (bmf_value){.type = type, .count = count, .stride = type->size};
    if (count == 0)
        return BMF_OK;
    out->buffer = count <= INT64_MAX / type->size ? buffer_create(count * type->size) : NULL;
    if (!out->buffer)
        return fail_no_memory(ctx, count);
    out->data = out->buffer->data;
    return BMF_OK;
}

static int finish_components(bmf_value *made, int status, bmf_value *out)
{
    if (status == BMF_OK)
        *out = *made;
    else
        value_free(made);
    return status;
}

int value_create(bmf_context *ctx, const bmf_type *type, int64_t count, bmf_value *out)
{
    bmf_value made;
    if (type->kind != BMF_TUPLE) {
        BMF_TRY(create_scalar(ctx, type, count, &made));
        *out = made;
        return BMF_OK;
    }
    int status = BMF_OK;
    made = (bmf_value){.type = type, .count = count, .child = new_children(type->components)};
    for (int k = 0; k < type->components && status == BMF_OK; k++)
        status = value_create(ctx, type->component[k], count, &made.child[k]);
    return finish_components(&made, status, out);
}

void value_shorten(bmf_value *value, int64_t count)
{
    value->count = count;
    for (int k = 0; k < value->type->components; k++)
        value_shorten(&value->child[k], count);
    if (value->buffer) {
        buffer_shrink(&value->buffer, count * value->stride);
        value->data = value->buffer ? value->buffer->data : NULL;
    }
}

void value_create_list(int64_t count, bmf_buffer *offsets, bmf_value *child, bmf_value *out)
{
    bmf_value made = {.type = bmf_type_list(child->type), .count = count, .buffer = offsets, .step = 1, .packed = true};
    made.begin = offsets->data;
    made.end = made.begin + 1;
    made.child = new_children(1);
    value_move(child, made.child);
    *out = made;
}

void value_create_tuple(int components, bmf_value *component, bmf_value *out)
{
    const bmf_type *type[BMF_MAX_LEAVES];
    bmf_value made = {.count = component[0].count, .child = new_children(components)};
    for (int k = 0; k < components; k++) {
        type[k] = component[k].type;
        value_move(&component[k], &made.child[k]);
    }
    made.type = bmf_type_tuple(components, type);
    *out = made;
}

static int empty_list(bmf_context *ctx, int64_t count, bmf_value *made)
{
    made->begin = no_offsets;
    made->step = 1;
    made->packed = true;
    if (count > 0) {
        made->buffer = count < INT64_MAX / 16 ? buffer_create((count + 1) * (int64_t)sizeof(int64_t)) : NULL;
        if (!made->buffer)
            return fail_no_memory(ctx, count);
        made->begin = made->buffer->data;
        memset(made->buffer->data, 0, (size_t)(count + 1) * sizeof(int64_t));
    }
    made->end = made->begin + 1;
    return value_empty(ctx, made->type->component[0], 0, made->child);
}

static int empty_distributed(bmf_context *ctx, bmf_value *made)
{
    bmf_layout *nowhere = layout_create(ctx, 0, no_offsets);
    made->spread = distribution_create(0, no_offsets, nowhere);
    return value_empty(ctx, made->type->component[0], 0, made->child);
}

int value_empty(bmf_context *ctx, const bmf_type *type, int64_t count, bmf_value *out)
{
    bmf_value made = {.type = type, .count = count};
    if (type->components == 0)
        return create_scalar(ctx, type, type->kind == BMF_NOTHING ? 0 : count, out);
    int status = BMF_OK;
    made.child = new_children(type->components);
    if (type->kind == BMF_LIST)
        status = empty_list(ctx, count, &made);
    else if (type->kind == BMF_DISTRIBUTED)
        status = empty_distributed(ctx, &made);
    else
        for (int k = 0; k < type->components && status == BMF_OK; k++)
            status = value_empty(ctx, type->component[k], count, &made.child[k]);
    return finish_components(&made, status, out);
}

void value_default(bmf_context *ctx, const bmf_type *type, int64_t count, bmf_value *out)
{
    bmf_value made = {.type = type, .count = count, .begin = no_offsets, .end = no_offsets};
    if (count == 0 || type->components == 0) {
        require_memory(value_empty(ctx, type, count > 0, out), (int64_t)sizeof(int64_t));
        if (out->data)
            memset(out->data, 0, (size_t)type->size);
        out->count = count;
        out->stride = 0;
        return;
    }
    made.child = new_children(type->components);
    if (type->kind != BMF_LIST)
        made.begin = made.end = NULL;
    for (int k = 0; k < type->components; k++)
        value_default(ctx, type->component[k], type->kind == BMF_LIST ? 0 : count, &made.child[k]);
    *out = made;
}

int value_constant(bmf_context *ctx, const bmf_constant *constant, int64_t count, bmf_value *out)
{
    static const bmf_type *const type[] = {
        [BMF_INT] = &bmf_type_int, [BMF_REAL] = &bmf_type_real, [BMF_BOOL] = &bmf_type_bool};
    bmf_value made;
    BMF_TRY(create_scalar(ctx, bmf_type_intern(type[constant->kind]), count > 0 ? 1 : 0, &made));
    made.count = count;
    made.stride = 0;
    if (count > 0 && constant->kind == BMF_INT)
        *(int64_t *)made.data = constant->integer;
    else if (count > 0 && constant->kind == BMF_REAL)
        *(double *)made.data = constant->real;
    else if (count > 0)
        *(uint8_t *)made.data = constant->integer != 0;
    *out = made;
    return BMF_OK;
}

void value_share(const bmf_value *value, bmf_value *out)
{
    *out = *value;
    buffer_retain(out->buffer);
    buffer_retain(out->second);
    if (out->spread)
        distribution_retain(out->spread);
    if (!value->child)
        return;
    out->child = new_children(value->type->components);
    for (int k = 0; k < value->type->components; k++)
        value_share(&value->child[k], &out->child[k]);
}

bool value_unique(const bmf_value *value)
{
    if ((value->buffer && value->buffer->references != 1) || (value->second && value->second->references != 1))
        return false;
    if (value->type->kind == BMF_LIST && value->step == 0 && value->count > 0)
        return false;
    if (!value->child)
        return value->stride != 0 || value->count == 0;
    for (int k = 0; k < value->type->components; k++)
        if (!value_unique(&value->child[k]))
            return false;
    return true;
}

bool value_is_broadcast(const bmf_value *value)
{
    if (value->type->kind == BMF_LIST)
        return value->step == 0;
    if (value->type->kind != BMF_TUPLE)
        return value->type->components == 0 && value->stride == 0;
    for (int k = 0; k < value->type->components; k++)
        if (!value_is_broadcast(&value->child[k]))
            return false;
    return true;
}

void value_broadcast(bmf_value *value, int64_t count)
{
    value->count = count;
    value->stride = 0;
    value->step = 0;
    value->packed = false;
    if (value->type->kind == BMF_TUPLE)
        for (int k = 0; k < value->type->components; k++)
            value_broadcast(&value->child[k], count);
}

void value_like(const bmf_value *like, bmf_value *child, bmf_value *out)
{
    bmf_value made = *like;
    made.type = bmf_type_list(child->type);
    buffer_retain(made.buffer);
    buffer_retain(made.second);
    made.child = new_children(1);
    value_move(child, made.child);
    *out = made;
}

static int add_slices(const bmf_value *value, int64_t first, bmf_slice *slice)
{
    if (!value->child) {
        char *data = value->data; /* an empty batch has none to point into */
        slice[0] = (bmf_slice){data ? data + first * value->stride : NULL, value->stride};
        return 1;
    }
    int leaves = 0;
    for (int k = 0; k < value->type->components; k++)
        leaves += add_slices(&value->child[k], first, slice + leaves);
    return leaves;
}

int value_slices(const bmf_value *value, int64_t first, bmf_slice slice[BMF_MAX_LEAVES])
{
    return add_slices(value, first, slice);
}

/* ---- checks ---- */

static const char *broken_scalar(const bmf_value *value)
{
    if (value->child || value->begin)
        return "a batch of scalars has children or lists";
    if (value->count == 0)
        return NULL;
    if (value->type->kind == BMF_NOTHING)
        return "there are values of type nothing";
    if (!value->data || !value->buffer)
        return "a batch of scalars has no data";
    const char *low = value->buffer->data, *data = value->data;
    if (data < low || data + (value->count - 1) * value->stride + value->type->size > low + value->buffer->size)
        return "a batch of scalars reaches beyond its buffer";
    return NULL;
}

static const char *broken_packed(const bmf_value *list)
{
    if (list->step != 1 || list->end != list->begin + 1)
        return "packed lists have no offsets";
    if (list->begin[0] != 0 || list->begin[list->count] != list->child[0].count)
        return "packed lists do not cover their elements";
    return NULL;
}

static const char *broken_list(const bmf_value *list)
{
    if (!list->begin || !list->end)
        return list->count == 0 && !list->packed ? NULL : "a batch of lists has no begins or ends";
    for (int64_t i = 0; i < list->count; i++) {
        int64_t begin = list->begin[i * list->step], end = list->end[i * list->step];
        if (begin < 0 || begin > end || end > list->child[0].count)
            return "a list reaches beyond its elements";
    }
    return list->packed ? broken_packed(list) : NULL;
}

static const char *broken_distributed(const bmf_value *value)
{
    if (!value->spread)
        return "a batch of distributed lists does not say where they are";
    return value->spread->elements->local_count == value->child[0].count
               ? NULL
               : "distributed elements of this rank are missing";
}

const char *value_broken(const bmf_value *value)
{
    const char *broken = NULL;
    if (!value->type || bmf_type_intern(value->type) != value->type)
        return "a batch's type is not interned";
    if (value->count < 0)
        return "a batch has a negative count";
    if (value->type->components == 0)
        return broken_scalar(value);
    if (!value->child)
        return "a batch of tuples or lists has no children";
    for (int k = 0; k < value->type->components && !broken; k++) {
        const bmf_value *child = &value->child[k];
        if (child->type != value->type->component[k])
            broken = "a batch's child has another type than its parent says";
        else if (value->type->kind == BMF_TUPLE && child->count != value->count)
            broken = "the components of tuples have different counts";
        else
            broken = value_broken(child);
    }
    if (!broken && value->type->kind == BMF_LIST)
        broken = broken_list(value);
    if (!broken && value->type->kind == BMF_DISTRIBUTED)
        broken = broken_distributed(value);
    return broken;
}
