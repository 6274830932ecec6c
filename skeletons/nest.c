/* flatten, lengths, nest: inner lists and one long list. No messages; the new part lengths are collected.
 *
 * Method: a list column is offsets and the flattened children, so flatten shares the children, lengths subtracts
 * neighbouring offsets and nest adds lengths up. Cost: O(number of inner lists) for lengths and nest. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/pairing.h"
#include "bmf/skeletons.h"

const bmf_skeleton_type skeleton_lengths = {.id = 14, .name = "lengths", .communication = BMF_COMMUNICATION_GATHER};
const bmf_skeleton_type skeleton_flatten = {.id = 24, .name = "flatten", .communication = BMF_COMMUNICATION_OTHER};
const bmf_skeleton_type skeleton_nest = {.id = 25, .name = "nest", .communication = BMF_COMMUNICATION_OTHER};

static int check_nested(const bmf_list *xss, const char *skeleton)
{
    char text[128];
    if (xss->type->kind == BMF_LIST)
        return BMF_OK;
    return bmf_fail(xss->context, BMF_ERROR_TYPE, "%s: the elements, %s, are no lists", skeleton,
                    bmf_type_print(xss->type, text, sizeof text));
}

/* The partition of the children: every host tells the lengths of its parts. */
static int children_partition(const bmf_list *xss, bmf_partition **made)
{
    bmf_context *ctx = xss->context;
    const bmf_partition *old = xss->partition;
    const int64_t *offsets = xss->column.offsets, begin = bmf_partition_local_begin(old);
    int64_t *mine = allocate(old->local_parts * (int64_t)sizeof *mine);
    int64_t *start = allocate((old->parts + 1) * (int64_t)sizeof *start);
    for (int64_t k = 0; k < old->local_parts; k++) {
        const int64_t *part = old->start + old->local_first + k;
        mine[k] = offsets[part[1] - begin] - offsets[part[0] - begin];
    }
    start[0] = 0;
    int status = partition_allgather(ctx, old, mine, start + 1);
    for (int64_t k = 0; k < old->parts && status == BMF_OK; k++)
        start[k + 1] += start[k];
    if (status == BMF_OK)
        status = bmf_partition_resized(ctx, old, start, made);
    free(mine);
    free(start);
    return status;
}

static int flatten(const bmf_list *xss, bmf_list **out)
{
    bmf_column column;
    bmf_partition *partition;
    share_column(&xss->column.child[0], &column);
    int status = children_partition(xss, &partition);
    if (status != BMF_OK) {
        column_free(&column);
        return status;
    }
    list_adopt(xss->context, partition, &column, out);
    bmf_partition_release(partition);
    return status;
}

int bmf_flatten(const bmf_list *xss, bmf_list **out)
{
    BMF_TRY(check_nested(xss, "flatten"));
    skeleton_begin(xss->context, &skeleton_flatten, "flatten");
    int status = flatten(xss, out);
    return skeleton_end(xss->context, xss->partition, status);
}

int bmf_lengths(const bmf_list *xss, bmf_list **out)
{
    bmf_list *made;
    BMF_TRY(check_nested(xss, "lengths"));
    skeleton_begin(xss->context, &skeleton_lengths, "lengths");
    int status = bmf_list_create(xss->context, &bmf_type_int, xss->partition, &made);
    if (status == BMF_OK) {
        int64_t *length = made->column.data;
        for (int64_t i = 0; i < xss->column.count; i++)
            length[i] = xss->column.offsets[i + 1] - xss->column.offsets[i];
        *out = made;
    }
    return skeleton_end(xss->context, xss->partition, status);
}

/* ---- nest ---- */

static int check_processors(const bmf_list *xs, const bmf_list *lengths)
{
    const bmf_partition *a = xs->partition, *b = lengths->partition;
    char first[256], second[256];
    bool same = a->parts == b->parts;
    for (int64_t k = 0; k < a->parts && same; k++)
        same = bmf_partition_processor(a, k) == bmf_partition_processor(b, k);
    if (same)
        return BMF_OK;
    return bmf_fail(xs->context, BMF_ERROR_SHAPE, "nest: %s and the lengths, %s, are on different processors",
                    bmf_list_print(xs, first, sizeof first), bmf_list_print(lengths, second, sizeof second));
}

static int64_t length_at(const bmf_column *lengths, int64_t i)
{
    return *(const int64_t *)((const char *)lengths->data + i * lengths->stride);
}

/* Fills the offsets of one part's inner lists, which must end where the part of xs ends. */
static int add_lengths(const bmf_list *xs, const bmf_list *lengths, int64_t k, int64_t *offsets)
{
    const bmf_partition *outer = lengths->partition, *inner = xs->partition;
    int64_t begin = outer->start[k] - bmf_partition_local_begin(outer);
    int64_t end = outer->start[k + 1] - bmf_partition_local_begin(outer);
    int64_t size = inner->start[k + 1] - inner->start[k], left = size;
    for (int64_t i = begin; i < end; i++) {
        int64_t length = length_at(&lengths->column, i);
        if (length < 0)
            return bmf_fail(xs->context, BMF_ERROR_SHAPE,
                            "nest: length %" PRId64 " at position %" PRId64 " is negative", length,
                            i + bmf_partition_local_begin(outer));
        if (length > left)
            return bmf_fail(xs->context, BMF_ERROR_SHAPE,
                            "nest: the lengths on part %" PRId64 " are more than its %" PRId64 " elements", k, size);
        left -= length;
        offsets[i + 1] = offsets[i] + length;
    }
    if (left > 0)
        return bmf_fail(xs->context, BMF_ERROR_SHAPE,
                        "nest: the lengths on part %" PRId64 " add up to %" PRId64 " of its %" PRId64 " elements", k,
                        size - left, size);
    return BMF_OK;
}

static int fill_offsets(const bmf_list *xs, const bmf_list *lengths, bmf_column *column)
{
    const bmf_partition *outer = lengths->partition;
    int64_t count = lengths->column.count;
    *column = (bmf_column){.type = bmf_type_list(xs->type), .count = count};
    column->buffer = buffer_create((count + 1) * (int64_t)sizeof(int64_t));
    if (!column->buffer)
        return bmf_fail(xs->context, BMF_ERROR_MEMORY, "out of memory: %" PRId64 " inner lists", count);
    column->offsets = column->buffer->data;
    column->offsets[0] = 0;
    column->child = allocate_clear(1, (int64_t)sizeof *column->child);
    for (int64_t k = outer->local_first; k < outer->local_first + outer->local_parts; k++)
        BMF_TRY(add_lengths(xs, lengths, k, column->offsets));
    return column_share(&xs->column, &column->child[0]);
}

static int nest(const bmf_list *xs, const bmf_list *lengths, bmf_list **out)
{
    bmf_column column;
    int status = bmf_agree(xs->context, fill_offsets(xs, lengths, &column));
    if (status == BMF_OK)
        list_adopt(xs->context, lengths->partition, &column, out);
    else
        column_free(&column);
    return status;
}

int bmf_nest(const bmf_list *xs, const bmf_list *lengths, bmf_list **out)
{
    char text[128];
    if (lengths->type->kind != BMF_INT)
        return bmf_fail(xs->context, BMF_ERROR_TYPE, "nest: lengths are int, not %s",
                        bmf_type_print(lengths->type, text, sizeof text));
    BMF_TRY(check_processors(xs, lengths));
    skeleton_begin(xs->context, &skeleton_nest, "nest");
    int status = nest(xs, lengths, out);
    return skeleton_end(xs->context, lengths->partition, status);
}
