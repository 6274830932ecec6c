/* How long the lists are that lie on processors as the elements of one distributed list: what all ranks know of it.
 *
 * Method: ranks tell each other once, and the distributed list keeps the numbers as long as nothing is done to it that
 * may change them, so that steps which keep the lengths agree about nothing. Whether it has them follows from what was
 * done to it alone: it is the same on every rank.
 * Cost: one collective call, of 8 bytes a list; none where the numbers are known. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/forms/stencil.h"
#include "skeletons/language/parallel/parallel.h"

void lengths_keep(const bmf_partition *partition, bmf_value *distributed)
{
    const int64_t bytes = (partition->parts + 1) * (int64_t)sizeof *partition->start;
    bmf_buffer *starts = buffer_create(bytes);
    require_memory(starts ? BMF_OK : BMF_ERROR_MEMORY, bytes);
    memcpy(starts->data, partition->start, (size_t)bytes);
    distributed->buffer = starts;
}

int lengths_tell(bmf_context *ctx, const bmf_distribution *spread, const bmf_value *lists, bmf_buffer **starts)
{
    const int64_t parts = spread->elements->count, bytes = (parts + 1) * (int64_t)sizeof(int64_t);
    int64_t *length = allocate((lists->count + 1) * (int64_t)sizeof *length);
    bmf_buffer *made = buffer_create(bytes);
    require_memory(made ? BMF_OK : BMF_ERROR_MEMORY, bytes);
    for (int64_t k = 0; k < lists->count; k++)
        length[k] = value_length(lists, k);
    int64_t *start = made->data;
    start[0] = 0;
    const int status = layout_allgather(ctx, spread->elements, 1, length, start + 1);
    for (int64_t k = 0; k < parts; k++)
        start[k + 1] += start[k];
    free(length);
    if (status == BMF_OK)
        *starts = made;
    else
        buffer_release(made);
    return status;
}

int lengths_partition(bmf_context *ctx, const bmf_distribution *spread, const bmf_buffer *starts,
                      bmf_partition **partition)
{
    const int64_t *processor = spread->elements->processor, *start = starts->data;
    bmf_level level = {.count = spread->elements->count};
    while (level.count > 1 && processor[0] + ((int64_t)1 << level.log2_stride) < processor[1])
        level.log2_stride++;
    return bmf_partition_create(ctx, processor[0], 1, &level, start[level.count], start, partition);
}

bool keeps_lengths(const bmf_expression *expression, int levels)
{
    const bool list = expression->in->kind == BMF_LIST;
    switch (expression->kind) {
    case BMF_EXPRESSION_ID:
    case BMF_EXPRESSION_CONVERT:
        return true;
    case BMF_EXPRESSION_MAP:
        return list && (levels == 1 || keeps_lengths(expression->child[0], levels - 1));
    case BMF_EXPRESSION_SHIFT:
        return list && levels == 1;
    case BMF_EXPRESSION_STENCIL:
        return list && levels <= stencil_dimensions(expression);
    case BMF_EXPRESSION_STREAM:
        return list && levels == 1 && expression->head == BMF_HEAD_LIST && expression->tail == BMF_TAIL_LIST;
    case BMF_EXPRESSION_COMP:
        for (int k = 0; k < expression->children; k++)
            if (!keeps_lengths(expression->child[k], levels))
                return false;
        return true;
    default:
        return false;
    }
}
