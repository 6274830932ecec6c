/* Columns under construction: packed pieces and pieces of columns are appended in order.
 *
 * Method: a tree of growing arrays in the shape of the type; each doubles when it is full. A list node keeps its
 * offsets, which start with 0. Once an append has run out of memory the builder stays failed.
 * Cost: O(bytes appended), amortised.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/data/column.h"
#include "bmf/status.h"

typedef struct node {
    const bmf_type *type;
    int64_t count;      /* elements so far */
    int64_t item;       /* bytes of an array entry; 0: tuples have no array */
    int64_t filled;     /* entries in the array: elements, or for lists offsets, one more */
    bmf_buffer *buffer; /* the array */
    struct node *child;
} node;

struct bmf_column_builder {
    node root;
    bool failed;
};

static void free_node(node *at)
{
    if (at->child)
        for (int k = 0; k < at->type->components; k++)
            free_node(&at->child[k]);
    free(at->child);
    buffer_release(at->buffer);
}

static int reserve(node *at, int64_t more)
{
    int64_t needed, bytes;
    if (__builtin_add_overflow(at->filled, more, &needed) || __builtin_mul_overflow(needed, at->item, &bytes))
        return BMF_ERROR_MEMORY;
    int64_t have = at->buffer ? at->buffer->size : 0;
    if (bytes <= have)
        return BMF_OK;
    bmf_buffer *larger = buffer_create(bytes > 2 * have ? bytes : 2 * have);
    if (!larger)
        return BMF_ERROR_MEMORY;
    if (have > 0)
        memcpy(larger->data, at->buffer->data, (size_t)(at->filled * at->item));
    buffer_release(at->buffer);
    at->buffer = larger;
    return BMF_OK;
}

/* The place behind the last entry; reserve has made room. */
static char *end_of(const node *at)
{
    return (char *)at->buffer->data + at->filled * at->item;
}

static int init_node(node *at, const bmf_type *type)
{
    *at = (node){.type = type};
    if (type->kind == BMF_LIST) {
        at->item = sizeof(int64_t);
        at->buffer = buffer_create(at->item);
        if (!at->buffer)
            return BMF_ERROR_MEMORY;
        *(int64_t *)at->buffer->data = 0;
        at->filled = 1;
    } else if (type->kind != BMF_TUPLE) {
        at->item = type->size;
        return BMF_OK;
    }
    at->child = calloc((size_t)type->components, sizeof *at->child);
    if (!at->child)
        return BMF_ERROR_MEMORY;
    for (int k = 0; k < type->components; k++)
        at->child[k].type = type->component[k]; /* so that a tree half made can be freed */
    for (int k = 0; k < type->components; k++)
        BMF_TRY(init_node(&at->child[k], type->component[k]));
    return BMF_OK;
}

bmf_column_builder *column_builder_create(const bmf_type *type)
{
    bmf_column_builder *builder = calloc(1, sizeof *builder);
    if (builder && init_node(&builder->root, bmf_type_intern(type)) != BMF_OK) {
        free_node(&builder->root);
        free(builder);
        return NULL;
    }
    return builder;
}

static const char *append_packed(node *at, const char *from, int64_t count);

static const char *append_packed_list(node *at, const char *from, int64_t count)
{
    int64_t *offsets = (int64_t *)at->buffer->data + at->filled - 1;
    int64_t first = offsets[0];
    for (int64_t i = 0; i < count; i++, from += sizeof(int64_t)) {
        int64_t length;
        memcpy(&length, from, sizeof length);
        offsets[i + 1] = offsets[i] + length;
    }
    at->filled += count;
    return append_packed(&at->child[0], from, offsets[count] - first);
}

static const char *append_packed(node *at, const char *from, int64_t count)
{
    at->count += count;
    if (at->type->kind == BMF_TUPLE) {
        for (int k = 0; k < at->type->components && from; k++)
            from = append_packed(&at->child[k], from, count);
        return from;
    }
    if (reserve(at, count) != BMF_OK)
        return NULL;
    if (at->type->kind == BMF_LIST)
        return append_packed_list(at, from, count);
    int64_t bytes = count * at->item;
    if (bytes > 0)
        memcpy(end_of(at), from, (size_t)bytes);
    at->filled += count;
    return from + bytes;
}

const char *column_builder_append(bmf_column_builder *builder, const char *from, int64_t count)
{
    const char *end = builder->failed ? NULL : append_packed(&builder->root, from, count);
    builder->failed = !end;
    return end;
}

static int copy_column(node *at, const bmf_column *column, int64_t begin, int64_t end);

static int copy_list(node *at, const bmf_column *column, int64_t begin, int64_t end)
{
    int64_t *offsets = (int64_t *)at->buffer->data + at->filled;
    int64_t shift = offsets[-1] - column->offsets[begin];
    for (int64_t i = begin; i < end; i++)
        *offsets++ = column->offsets[i + 1] + shift;
    at->filled += end - begin;
    return copy_column(&at->child[0], &column->child[0], column->offsets[begin], column->offsets[end]);
}

static int copy_column(node *at, const bmf_column *column, int64_t begin, int64_t end)
{
    at->count += end - begin;
    if (at->type->kind == BMF_TUPLE) {
        for (int k = 0; k < at->type->components; k++)
            BMF_TRY(copy_column(&at->child[k], &column->child[k], begin, end));
        return BMF_OK;
    }
    BMF_TRY(reserve(at, end - begin));
    if (at->type->kind == BMF_LIST)
        return copy_list(at, column, begin, end);
    if (begin < end)
        column_pack(column, begin, end, end_of(at));
    at->filled += end - begin;
    return BMF_OK;
}

int column_builder_copy(bmf_column_builder *builder, const bmf_column *column, int64_t begin, int64_t end)
{
    int status = builder->failed ? BMF_ERROR_MEMORY : copy_column(&builder->root, column, begin, end);
    builder->failed = status != BMF_OK;
    return status;
}

/* Hands a node's array over to a column. */
static int finish_node(node *at, bmf_column *column)
{
    *column = (bmf_column){.type = at->type, .count = at->count, .stride = at->type->size};
    if (at->filled > 0) {
        column->buffer = at->buffer;
        at->buffer = NULL;
        if (at->type->kind == BMF_LIST)
            column->offsets = column->buffer->data;
        else
            column->data = column->buffer->data;
    }
    if (!at->child)
        return BMF_OK;
    column->child = calloc((size_t)at->type->components, sizeof *column->child);
    if (!column->child)
        return BMF_ERROR_MEMORY;
    for (int k = 0; k < at->type->components; k++)
        BMF_TRY(finish_node(&at->child[k], &column->child[k]));
    return BMF_OK;
}

int column_builder_finish(bmf_column_builder *builder, bmf_column *column)
{
    *column = (bmf_column){0};
    int status = builder->failed ? BMF_ERROR_MEMORY : finish_node(&builder->root, column);
    if (status != BMF_OK)
        column_free(column);
    free_node(&builder->root);
    free(builder);
    return status;
}
