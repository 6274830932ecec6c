/* shift: every element moves k places on; what leaves at one end comes back at the other, or is replaced.
 *
 * Method: the result is two pieces of the list one after the other, or one and a run of values that are made where they
 * are to stand. Both are views of elements where they are, recut to the parts of the list in one round.
 * Cost: with parts of k elements or more, a message of |k| w bytes to every neighbour on one side; n w bytes copied.
 * Who sends what is known without asking. */
#include <stdlib.h>
#include <string.h>

#include "bmf/skeletons.h"
#include "runtime/base/allocate.h"
#include "skeletons/engine/repartition.h"

/* The processors of a partition with what they have of the elements [begin, end). */
static int clip(bmf_context *ctx, const bmf_partition *partition, int64_t begin, int64_t end, bmf_partition **made)
{
    int64_t *start = allocate((partition->parts + 1) * (int64_t)sizeof *start);
    for (int64_t k = 0; k <= partition->parts; k++) {
        const int64_t at = partition->start[k];
        start[k] = (at < begin ? begin : at > end ? end : at) - begin;
    }
    const int status = bmf_partition_resized(ctx, partition, start, made);
    free(start);
    return status;
}

/* Elements [begin, end) of a list, where they are. */
static int view(const bmf_list *xs, int64_t begin, int64_t end, bmf_list **made)
{
    bmf_partition *partition;
    bmf_column column;
    BMF_TRY(clip(xs->context, xs->partition, begin, end, &partition));
    const int64_t local = bmf_partition_local_begin(xs->partition);
    const int64_t count = bmf_partition_local_end(partition) - bmf_partition_local_begin(partition);
    const int64_t first = count > 0 ? begin + bmf_partition_local_begin(partition) - local : 0;
    const int status = column_view(&xs->column, first, count, &column);
    if (status == BMF_OK)
        list_adopt(xs->context, partition, &column, made);
    bmf_partition_release(partition);
    return status;
}

/* Values that are to stand at [begin, end). */
static int fill(const bmf_list *xs, int64_t begin, int64_t end, const void *value, bmf_list **made)
{
    int64_t offset[BMF_MAX_LEAVES];
    const bmf_type *leaf[BMF_MAX_LEAVES];
    bmf_slice slice[BMF_MAX_LEAVES];
    bmf_partition *partition;
    BMF_TRY(clip(xs->context, xs->partition, begin, end, &partition));
    const int status = bmf_list_create(xs->context, xs->type, partition, made);
    bmf_partition_release(partition);
    BMF_TRY(status);
    bmf_type_record(xs->type, offset);
    const int leaves = bmf_type_leaves(xs->type, leaf);
    column_slices(&(*made)->column, 0, slice);
    for (int k = 0; k < leaves; k++)
        for (int64_t i = 0; i < (*made)->column.count; i++)
            memcpy((char *)slice[k].data + i * slice[k].stride, (const char *)value + offset[k], (size_t)leaf[k]->size);
    return BMF_OK;
}

/* -length <= k <= length. beyond: |k| elements on what clip makes of [0, k), or of [length + k, length); NULL: the
 * elements come back at the other end. */
static int shift_with(const bmf_list *xs, int64_t k, const bmf_list *beyond, bmf_list **out)
{
    bmf_list *own = NULL, *other = NULL;
    const int64_t length = bmf_length(xs), cut = k > 0 ? length - k : -k;
    int status = k > 0 ? view(xs, 0, cut, &own) : view(xs, cut, length, &own);
    if (status == BMF_OK && !beyond)
        status = k > 0 ? view(xs, cut, length, &other) : view(xs, 0, cut, &other);
    if (status == BMF_OK) {
        const bmf_list *come = beyond ? beyond : other, *first = k > 0 ? come : own, *second = k > 0 ? own : come;
        const bmf_move_source source[BMF_MOVE_SOURCES] = {{first, 0}, {second, bmf_length(first)}};
        status = repartition("shift", BMF_MOVE_SOURCES, source, xs->partition, out);
    }
    bmf_list_free(own);
    bmf_list_free(other);
    return status;
}

static int shift(const bmf_list *xs, int64_t k, const void *beyond, bmf_list **out)
{
    bmf_list *values = NULL;
    const int64_t length = bmf_length(xs);
    if (!beyond)
        return shift_with(xs, length > 0 ? k % length : 0, NULL, out);
    k = k > length ? length : k < -length ? -length : k;
    int status = k > 0 ? fill(xs, 0, k, beyond, &values) : fill(xs, length + k, length, beyond, &values);
    if (status == BMF_OK)
        status = shift_with(xs, k, values, out);
    bmf_list_free(values);
    return status;
}

const bmf_skeleton_type skeleton_shift = {.id = 41, .name = "shift", .communication = BMF_COMMUNICATION_PERMUTE};

int bmf_shift(const bmf_list *xs, int64_t k, const void *beyond, bmf_list **out)
{
    char text[128];
    if (beyond && !bmf_type_is_fixed(xs->type))
        return bmf_fail(xs->context, BMF_ERROR_TYPE,
                        "shift: a value beyond the ends is for types without lists, not %s",
                        bmf_type_print(xs->type, text, sizeof text));
    skeleton_begin(xs->context, &skeleton_shift, "shift");
    return skeleton_end(xs->context, xs->partition, shift(xs, k, beyond, out));
}
