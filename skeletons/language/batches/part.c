/* Instances of a batch as a batch of their own, and such parts as a whole again, kept as they would be if the rest had
 * never been there: packed lists stay packed, at all depths.
 *
 * Cost: O(count) for the offsets of packed lists; elements are not copied for a part, and once for the whole. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/batches/operations.h"

static int part_of_packed(bmf_context *ctx, const bmf_value *list, int64_t first, int64_t count, bmf_value *out)
{
    int64_t begin = list->begin[first], end = list->begin[first + count];
    bmf_buffer *buffer = buffer_create((count + 1) * (int64_t)sizeof(int64_t));
    bmf_value child;
    if (!buffer)
        return fail_no_memory(ctx, count);
    for (int64_t i = 0; i <= count; i++)
        ((int64_t *)buffer->data)[i] = list->begin[first + i] - begin;
    int status = value_part(ctx, &list->child[0], begin, end - begin, &child);
    if (status == BMF_OK) {
        value_create_list(count, buffer, &child, out);
        return BMF_OK;
    }
    buffer_release(buffer);
    return status;
}

int value_part(bmf_context *ctx, const bmf_value *value, int64_t first, int64_t count, bmf_value *out)
{
    if (count == value->count) {
        value_share(value, out);
        return BMF_OK;
    }
    if (count > 0 && value->type->kind == BMF_LIST && value->packed)
        return part_of_packed(ctx, value, first, count, out);
    if (count == 0 || value->type->kind != BMF_TUPLE)
        return value_slice(ctx, value, first, count, out);
    bmf_value component[BMF_MAX_LEAVES];
    int components = value->type->components, made = 0, status = BMF_OK;
    for (; made < components && status == BMF_OK; made++)
        status = value_part(ctx, &value->child[made], first, count, &component[made]);
    if (status == BMF_OK) {
        value_create_tuple(components, component, out);
        return BMF_OK;
    }
    for (int k = 0; k < made - 1; k++)
        value_free(&component[k]);
    return status;
}

/* ---- parts as a whole ---- */

/* Component k of all parts; borrowed. */
static bmf_value *component_of(int64_t parts, const bmf_value *part, int k)
{
    bmf_value *of = allocate(parts * (int64_t)sizeof *of);
    for (int64_t i = 0; i < parts; i++)
        of[i] = part[i].child[k];
    return of;
}

static int unite_component(bmf_context *ctx, int64_t parts, const bmf_value *part, int k, bmf_value *out)
{
    bmf_value *of = component_of(parts, part, k);
    int status = value_unite(ctx, parts, of, out);
    free(of);
    return status;
}

static int unite_tuples(bmf_context *ctx, int64_t parts, const bmf_value *part, bmf_value *out)
{
    bmf_value component[BMF_MAX_LEAVES];
    int components = part[0].type->components, made = 0, status = BMF_OK;
    for (; made < components && status == BMF_OK; made++)
        status = unite_component(ctx, parts, part, made, &component[made]);
    if (status == BMF_OK) {
        value_create_tuple(components, component, out);
        return BMF_OK;
    }
    for (int k = 0; k < made - 1; k++)
        value_free(&component[k]);
    return status;
}

static int unite_packed(bmf_context *ctx, int64_t parts, const bmf_value *part, int64_t count, bmf_value *out)
{
    bmf_buffer *buffer = buffer_create((count + 1) * (int64_t)sizeof(int64_t));
    bmf_value child;
    if (!buffer)
        return fail_no_memory(ctx, count);
    int64_t *offsets = buffer->data;
    offsets[0] = 0;
    for (int64_t k = 0, n = 0; k < parts; k++)
        for (int64_t i = 0; i < part[k].count; i++, n++)
            offsets[n + 1] = offsets[n] + value_length(&part[k], i);
    int status = unite_component(ctx, parts, part, 0, &child);
    if (status == BMF_OK) {
        value_create_list(count, buffer, &child, out);
        return BMF_OK;
    }
    buffer_release(buffer);
    return status;
}

int value_unite(bmf_context *ctx, int64_t parts, const bmf_value *part, bmf_value *out)
{
    int64_t count = 0;
    bool packed = part[0].type->kind == BMF_LIST;
    for (int64_t k = 0; k < parts; k++) {
        count += part[k].count;
        packed = packed && part[k].packed;
    }
    if (parts == 1) {
        value_share(&part[0], out);
        return BMF_OK;
    }
    if (part[0].type->kind == BMF_TUPLE)
        return unite_tuples(ctx, parts, part, out);
    return packed ? unite_packed(ctx, parts, part, count, out) : value_concatenate(ctx, (int)parts, part, out);
}
