/* Columns: making, sharing, viewing, checking and packing them.
 *
 * Method: every function walks the type's tree; a node is a scalar or struct array, a tuple of columns, or offsets and
 * the flattened children. A failing constructor frees what it made and leaves an empty column behind.
 * Cost: create, share O(size of the type); view the same plus O(count) for inner lists; pack O(bytes).
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/data/column.h"
#include "bmf/status.h"

/* Gives a column its children records, all empty. */
static int claim_children(bmf_column *column)
{
    column->child = calloc((size_t)column->type->components, sizeof *column->child);
    return column->child ? BMF_OK : BMF_ERROR_MEMORY;
}

static int claim_offsets(bmf_column *column)
{
    if (column->count >= INT64_MAX / (int64_t)sizeof(int64_t))
        return BMF_ERROR_MEMORY;
    column->buffer = buffer_create((column->count + 1) * (int64_t)sizeof(int64_t));
    if (!column->buffer)
        return BMF_ERROR_MEMORY;
    column->offsets = column->buffer->data;
    column->offsets[0] = 0;
    return BMF_OK;
}

static int claim_data(bmf_column *column)
{
    column->stride = column->type->size;
    if (column->count == 0)
        return BMF_OK;
    if (column->count > INT64_MAX / column->type->size)
        return BMF_ERROR_MEMORY;
    column->buffer = buffer_create(column->count * column->type->size);
    column->data = column->buffer ? column->buffer->data : NULL;
    return column->buffer ? BMF_OK : BMF_ERROR_MEMORY;
}

static int fill_list(bmf_column *column, int64_t child_count)
{
    BMF_TRY(claim_offsets(column));
    BMF_TRY(claim_children(column));
    return column_create(column->type->component[0], child_count, column->child);
}

static int fill_tuple(bmf_column *column)
{
    BMF_TRY(claim_children(column));
    for (int k = 0; k < column->type->components; k++)
        BMF_TRY(column_create(column->type->component[k], column->count, &column->child[k]));
    return BMF_OK;
}

/* Frees a column under construction when it failed. */
static int finished(bmf_column *column, int status)
{
    if (status != BMF_OK)
        column_free(column);
    return status;
}

int column_create(const bmf_type *type, int64_t count, bmf_column *column)
{
    *column = (bmf_column){.type = bmf_type_intern(type), .count = count};
    if (type->kind == BMF_TUPLE)
        return finished(column, fill_tuple(column));
    if (type->kind == BMF_LIST) /* only an empty one has no offsets to be filled in by the caller */
        return finished(column, count == 0 ? fill_list(column, 0) : BMF_ERROR_TYPE);
    return finished(column, claim_data(column));
}

int column_create_list(const bmf_type *type, int64_t count, int64_t child_count, bmf_column *column)
{
    *column = (bmf_column){.type = bmf_type_intern(type), .count = count};
    return finished(column, fill_list(column, child_count));
}

void column_free(bmf_column *column)
{
    if (column->child)
        for (int k = 0; k < column->type->components; k++)
            if (column->child[k].type)
                column_free(&column->child[k]);
    free(column->child);
    buffer_release(column->buffer);
    *column = (bmf_column){0};
}

void column_shorten(bmf_column *column, int64_t count)
{
    column->count = count;
    for (int k = 0; k < column->type->components; k++)
        column_shorten(&column->child[k], count);
    if (column->buffer) {
        buffer_shrink(&column->buffer, count * column->stride);
        column->data = column->buffer ? column->buffer->data : NULL;
    }
}

int column_share(const bmf_column *column, bmf_column *copy)
{
    return column_view(column, 0, column->count, copy);
}

static int view_list(const bmf_column *column, int64_t begin, bmf_column *view)
{
    int64_t low = column->offsets[begin], high = column->offsets[begin + view->count];
    if (begin == 0) {
        view->buffer = buffer_retain(column->buffer);
        view->offsets = column->offsets;
    } else {
        BMF_TRY(claim_offsets(view));
        for (int64_t i = 0; i <= view->count; i++)
            view->offsets[i] = column->offsets[begin + i] - low;
    }
    BMF_TRY(claim_children(view));
    return column_view(&column->child[0], low, high - low, &view->child[0]);
}

static int view_tuple(const bmf_column *column, int64_t begin, bmf_column *view)
{
    BMF_TRY(claim_children(view));
    for (int k = 0; k < view->type->components; k++)
        BMF_TRY(column_view(&column->child[k], begin, view->count, &view->child[k]));
    return BMF_OK;
}

int column_view(const bmf_column *column, int64_t begin, int64_t count, bmf_column *view)
{
    *view = (bmf_column){.type = column->type, .count = count, .stride = column->stride};
    if (column->type->kind == BMF_LIST)
        return finished(view, view_list(column, begin, view));
    if (column->type->kind == BMF_TUPLE)
        return finished(view, view_tuple(column, begin, view));
    if (count > 0) {
        view->buffer = buffer_retain(column->buffer);
        view->data = (char *)column->data + begin * column->stride;
    }
    return BMF_OK;
}

bool column_unique(const bmf_column *column)
{
    if (column->buffer && column->buffer->references != 1)
        return false;
    if (!column->child)
        return column->stride != 0 || column->count == 0;
    for (int k = 0; k < column->type->components; k++)
        if (!column_unique(&column->child[k]))
            return false;
    return true;
}

static int add_slices(const bmf_column *column, int64_t first, bmf_slice *slice)
{
    if (!column->child) {
        /* an empty column has no data to point into */
        char *data = column->data;
        slice[0] = (bmf_slice){data ? data + first * column->stride : NULL, column->stride};
        return 1;
    }
    int leaves = 0;
    for (int k = 0; k < column->type->components; k++)
        leaves += add_slices(&column->child[k], first, slice + leaves);
    return leaves;
}

int column_slices(const bmf_column *column, int64_t first, bmf_slice slice[BMF_MAX_LEAVES])
{
    return add_slices(column, first, slice);
}

static const char *broken_data(const bmf_column *column)
{
    if (column->child || column->offsets)
        return "a scalar column has children or offsets";
    if (column->stride != 0 && column->stride != column->type->size)
        return "a column's stride is neither 0 nor its element's size";
    if (column->count == 0)
        return NULL;
    if (!column->data || !column->buffer)
        return "a column with elements has no data";
    const char *low = column->buffer->data, *data = column->data;
    if (data < low || data + (column->count - 1) * column->stride + column->type->size > low + column->buffer->size)
        return "a column reaches beyond its buffer";
    return NULL;
}

static const char *broken_offsets(const bmf_column *column)
{
    if (!column->offsets || !column->buffer)
        return "a list column has no offsets";
    if (column->offsets[0] != 0)
        return "a list column's first offset is not 0";
    for (int64_t i = 0; i < column->count; i++)
        if (column->offsets[i] > column->offsets[i + 1])
            return "a list column's offsets decrease";
    if (column->offsets[column->count] != column->child[0].count)
        return "a list column's last offset is not the number of its children";
    return NULL;
}

const char *column_broken(const bmf_column *column)
{
    if (!column->type || bmf_type_intern(column->type) != column->type)
        return "a column's type is not interned";
    if (column->count < 0)
        return "a column has a negative count";
    if (column->type->components == 0)
        return broken_data(column);
    if (!column->child)
        return "a tuple or list column has no children";
    const char *broken = column->type->kind == BMF_LIST ? broken_offsets(column) : NULL;
    for (int k = 0; k < column->type->components && !broken; k++) {
        const bmf_column *child = &column->child[k];
        if (child->type != column->type->component[k])
            broken = "a child column has another type than its parent says";
        else if (column->type->kind == BMF_TUPLE && child->count != column->count)
            broken = "a tuple's columns have different counts";
        else
            broken = column_broken(child);
    }
    return broken;
}

int64_t column_packed_bytes(const bmf_column *column, int64_t begin, int64_t end)
{
    if (column->type->kind == BMF_LIST)
        return (end - begin) * (int64_t)sizeof(int64_t) +
               column_packed_bytes(&column->child[0], column->offsets[begin], column->offsets[end]);
    if (column->type->kind != BMF_TUPLE)
        return (end - begin) * column->type->size;
    int64_t bytes = 0;
    for (int k = 0; k < column->type->components; k++)
        bytes += column_packed_bytes(&column->child[k], begin, end);
    return bytes;
}

static char *pack_data(const bmf_column *column, int64_t begin, int64_t end, char *to)
{
    size_t size = (size_t)column->type->size;
    if (begin == end)
        return to;
    if (column->stride != 0)
        return (char *)memcpy(to, (char *)column->data + begin * column->stride, (size_t)(end - begin) * size) +
               (size_t)(end - begin) * size;
    for (int64_t i = begin; i < end; i++, to += size)
        memcpy(to, column->data, size);
    return to;
}

static char *pack_list(const bmf_column *column, int64_t begin, int64_t end, char *to)
{
    for (int64_t i = begin; i < end; i++, to += sizeof(int64_t)) {
        int64_t length = column->offsets[i + 1] - column->offsets[i];
        memcpy(to, &length, sizeof length); /* bools before it leave it unaligned */
    }
    return column_pack(&column->child[0], column->offsets[begin], column->offsets[end], to);
}

char *column_pack(const bmf_column *column, int64_t begin, int64_t end, char *to)
{
    if (column->type->kind == BMF_LIST)
        return pack_list(column, begin, end, to);
    if (column->type->kind != BMF_TUPLE)
        return pack_data(column, begin, end, to);
    for (int k = 0; k < column->type->components; k++)
        to = column_pack(&column->child[k], begin, end, to);
    return to;
}
