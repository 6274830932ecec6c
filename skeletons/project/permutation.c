/* project along a BMMC permutation: recognised from the index list and handed to permute.
 *
 * Method: if the list has as many indices as xs has elements, 2^n, and both stand evenly on 2^p processors,
 * permute/detect.h says for one read of the list whether index[i] = A i + c. Then element x = A i + c goes to i: the
 * inverse permutation, run by its plan. No requests are sent, and messages and bytes are the plan's
 * (docs/permutations.md). Lists shorter than SHORTEST are not looked at: asking costs more than it can save. */
#include "permute/detect.h"
#include "permute/exchange/exchange.h"
#include "skeletons/engine/move.h"
#include "skeletons/project/project.h"

enum { SHORTEST = 1 << 12 };

/* Every processor in order, with the parts of the even split. */
static bool is_even(const bmf_context *ctx, const bmf_partition *partition)
{
    int64_t length = bmf_partition_length(partition);
    if (partition->parts != ctx->processors)
        return false;
    for (int64_t k = 0; k < partition->parts; k++)
        if (partition->start[k] != bmf_split_start(length, partition->parts, k) ||
            bmf_partition_processor(partition, k) != k)
            return false;
    return true;
}

/* log2 of the length if the lists could be a permutation that permute has a plan for; otherwise -1. Same on every rank.
 */
static int candidate_bits(const bmf_list *xs, const bmf_list *indices)
{
    bmf_permutation p;
    int64_t length = bmf_length(xs);
    if (length < SHORTEST || length != bmf_length(indices) || (length & (length - 1)) != 0 ||
        !bmf_type_is_fixed(xs->type))
        return -1;
    p.bits = __builtin_ctzll((uint64_t)length);
    return bmf_permute_processor_bits(&p, xs->context->processors) >= 0 && is_even(xs->context, xs->partition) &&
                   is_even(xs->context, indices->partition)
               ? p.bits
               : -1;
}

/* Leaves that stand element by element; broadcast values (stride 0) are better left where they are. */
static int leaves_of(const bmf_list *list, bmf_slice slice[BMF_MAX_LEAVES], int64_t bytes[BMF_MAX_LEAVES])
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    int leaves = bmf_type_leaves(list->type, leaf);
    column_slices(&list->column, 0, slice);
    for (int k = 0; k < leaves; k++) {
        bytes[k] = leaf[k]->size;
        if (slice[k].stride != bytes[k])
            return 0;
    }
    return leaves;
}

static int permute(const bmf_list *xs, const bmf_permutation *p, int leaves, const int64_t *bytes,
                   const bmf_slice *slice, bmf_list *made)
{
    bmf_context *ctx = xs->context;
    bmf_slice result[BMF_MAX_LEAVES];
    const void *source[BMF_MAX_LEAVES];
    void *target[BMF_MAX_LEAVES];
    bmf_permute_plan *plan;
    column_slices(&made->column, 0, result);
    for (int k = 0; k < leaves; k++) {
        source[k] = slice[k].data;
        target[k] = result[k].data;
    }
    BMF_TRY(bmf_permute_plan_create(ctx, p, leaves, bytes, BMF_PERMUTE_AUTO, &plan));
    if (plan_wanted(ctx))
        bmf_permute_plan_print(plan, ctx->plan);
    int status = bmf_permute_execute(ctx, plan, source, target);
    bmf_permute_plan_free(plan);
    return status;
}

int project_permutation(const bmf_list *xs, const bmf_list *indices, bool *done, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    bmf_slice slice[BMF_MAX_LEAVES];
    int64_t bytes[BMF_MAX_LEAVES];
    bmf_permutation p;
    bmf_list *made;
    int bits = candidate_bits(xs, indices), leaves;
    *done = false;
    if (bits < 0 || (leaves = leaves_of(xs, slice, bytes)) == 0 || indices->column.stride == 0)
        return BMF_OK;
    BMF_TRY(detect_permutation(ctx, indices->column.data, bmf_partition_local_begin(indices->partition),
                               indices->column.count, bits, &p, done));
    if (!*done)
        return BMF_OK;
    bmf_permutation_inverse(&p, &p);
    BMF_TRY(bmf_list_create(ctx, xs->type, indices->partition, &made));
    int status = permute(xs, &p, leaves, bytes, slice, made);
    if (status == BMF_OK)
        *out = made;
    else
        bmf_list_free(made);
    return status;
}
