/* P_Reduce: the elements of distributed lists combined on their instances' processors. Document 000, 5.6.
 *
 * Method: level by level (levels.c). Concatenation of one list goes through the gather of the skeletons in C, which
 * moves columns; where operations cost what a machine says, it is one on every level. */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/combine.h"
#include "skeletons/language/parallel/parallel.h"
#include "bmf/skeletons.h"

/* ---- concatenation of one list ---- */

int value_to_list(bmf_context *ctx, const bmf_distribution *spread, bmf_value *lists, bmf_list **list)
{
    bmf_column column = {0};
    bmf_buffer *starts = NULL;
    bmf_partition *partition = NULL;
    int status = value_pack(ctx, lists);
    if (status == BMF_OK)
        status = value_to_column(ctx, &lists->child[0], &column);
    require_memory(status, lists->count);
    status = lengths_tell(ctx, spread, lists, &starts);
    if (status == BMF_OK)
        status = lengths_partition(ctx, spread, starts, &partition);
    if (status == BMF_OK)
        list_adopt(ctx, partition, &column, list);
    else
        column_free(&column);
    if (partition)
        bmf_partition_release(partition);
    buffer_release(starts);
    value_free(lists);
    return status;
}

/* Elements with their processor's whole list: one list on the first processor. */
static int gather_one(bmf_evaluator *evaluator, const bmf_distribution *spread, bmf_value *lists, bmf_value *out)
{
    bmf_list *parts = NULL, *whole = NULL;
    BMF_TRY(value_to_list(evaluator->ctx, spread, lists, &parts));
    int status = bmf_gather(parts, &whole);
    bmf_list_free(parts);
    if (status == BMF_OK)
        status = value_from_parts(whole, out);
    bmf_list_free(whole);
    return status;
}

/* ---- all ---- */

/* total: of instances that have elements only. */
static int reduce_levels(bmf_evaluator *evaluator, bmf_expression *reduce, bmf_frame *frame, bmf_distribution *spread,
                         bmf_value *elements, bmf_value *total)
{
    bmf_frame inner;
    frame_open_spread(frame, reduce, spread, &inner);
    int status = distribution_combine(evaluator, reduce, false, spread, &inner, elements);
    if (status == BMF_OK)
        value_move(elements, total);
    frame_close(&inner);
    return status;
}

/* op {default, total} where there are elements, the default elsewhere. */
static int apply_default(bmf_evaluator *evaluator, bmf_expression *reduce, bmf_frame *frame,
                         const bmf_layout *instances, const bmf_distribution *spread, const bmf_value *defaults,
                         bmf_value *total, bmf_value *out)
{
    bmf_combination combination;
    BMF_TRY(combination_open(evaluator, defaults->count, &combination));
    for (int64_t n = 0; n < defaults->count; n++) {
        const int64_t *offset = spread->offsets + instances->local[n];
        if (offset[1] > offset[0])
            combination_add_pair(&combination, n, n);
        else
            combination_add_single(&combination, n);
    }
    int status = combination_apply(evaluator, reduce, frame, &combination, defaults, total, false, out);
    combination_close(&combination);
    return status;
}

static int check_no_empty_list(bmf_evaluator *evaluator, const bmf_expression *reduce, const bmf_distribution *spread)
{
    for (int64_t c = 0; c < spread->instances; c++)
        if (spread->offsets[c] == spread->offsets[c + 1])
            return text_fail(evaluator->texts, evaluator->ctx, reduce->span, BMF_ERROR_SHAPE,
                             "%s without a default of an empty list", expression_keyword(reduce));
    return BMF_OK;
}

static int reduce_spread(bmf_evaluator *evaluator, bmf_expression *reduce, bmf_frame *frame,
                         const bmf_layout *instances, bmf_distribution *spread, bmf_value *elements, bmf_value *total)
{
    bool whole = instances->count == 1 && spread->offsets[1] > 0;
    if (is_concatenation(reduce->child[0]) && whole && !evaluator->ctx->names_operations)
        return gather_one(evaluator, spread, elements, total);
    return reduce_levels(evaluator, reduce, frame, spread, elements, total);
}

int evaluate_parallel_reduce(bmf_evaluator *evaluator, bmf_expression *reduce, bmf_frame *frame, bmf_value *x,
                             bmf_value *out)
{
    bmf_value defaults = {0}, elements, total = {0};
    bmf_layout *instances;
    int status = frame_layout(evaluator, frame, &instances);
    if (status == BMF_OK && reduce->children == 1)
        status = check_no_empty_list(evaluator, reduce, x->spread);
    if (status == BMF_OK && reduce->children > 1)
        status = evaluate_default(evaluator, reduce, frame, x, &defaults);
    if (status != BMF_OK) {
        value_free(x);
        value_free(&defaults);
        return status;
    }
    bmf_distribution *spread = distribution_retain(x->spread);
    value_move(&x->child[0], &elements);
    value_free(x);
    operation_begin(evaluator, reduce);
    status = reduce_spread(evaluator, reduce, frame, instances, spread, &elements, &total);
    if (status == BMF_OK && reduce->children > 1)
        status = apply_default(evaluator, reduce, frame, instances, spread, &defaults, &total, out);
    else if (status == BMF_OK)
        value_move(&total, out);
    value_free(&elements), value_free(&total), value_free(&defaults);
    distribution_release(spread);
    return operation_end(evaluator, status);
}
