/* Functions of elements and their neighbours, of placed lists and of one list in parts on several processors.
 *
 * Method: what stands around the lists is taken from their other ends, or brought from other parts
 * (parallel/around.c); then windows are made of elements (windows.c), or of points of rows (plane.c).
 * Cost: that of windows; between processors 2 messages a part, if parts have as many elements as windows reach. */
#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/evaluate/windows.h"
#include "skeletons/language/parallel/parallel.h"

static bool is_ring(const bmf_expression *stencil)
{
    return stencil->children == 1;
}

static int evaluate_around(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, const bmf_value *handed,
                           const bmf_value *lists, const bmf_around *around, bmf_value *out)
{
    return (stencil->number[1] > 0 ? planes_evaluate : windows_evaluate)(evaluator, stencil, frame, handed, lists,
                                                                         around, out);
}

int evaluate_stencil(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    const bool pair = x->type->kind == BMF_TUPLE;
    bmf_value *lists = pair ? &x->child[1] : x;
    bmf_around around = {0};
    int status = value_pack_for(evaluator, frame, "pack", lists);
    if (status == BMF_OK)
        status = around_lists(evaluator, lists, stencil->number[0], is_ring(stencil), &around);
    if (status == BMF_OK)
        status = evaluate_around(evaluator, stencil, frame, pair ? &x->child[0] : NULL, lists, &around, out);
    around_free(&around);
    value_free(x);
    return status;
}

/* Of the parts on this rank, which goes on with default values if it fails. */
static int evaluate_each(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, const bmf_value *handed,
                         const bmf_value *lists, const bmf_around *around, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    if (!ctx->sends_marks) {
        const int status = evaluate_around(evaluator, stencil, frame, handed, lists, around, out);
        if (status == BMF_OK || failure_defer(ctx, status) != BMF_OK)
            return status;
    }
    value_default(ctx, stencil->out->component[0], lists->count, out);
    return BMF_OK;
}

/* What stands around the lists, which are packed. */
static int look_around(bmf_evaluator *evaluator, const bmf_expression *stencil, const bmf_distribution *spread,
                       const bmf_buffer *starts, const bmf_value *lists, bmf_around *around)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_partition *partition;
    bmf_column column;
    BMF_TRY(lengths_partition(ctx, spread, starts, &partition));
    require_memory(value_to_column(ctx, &lists->child[0], &column), lists->count);
    const int status =
        around_parts(evaluator, stencil, partition, &column, stencil->number[0], is_ring(stencil), around);
    column_free(&column);
    bmf_partition_release(partition);
    return status;
}

/* parts: lists, or pairs of what is handed on to one and the list. *starts: how long all are; if NULL it is told. */
static int evaluate_parts(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, bmf_distribution *spread,
                          bmf_value *parts, bmf_buffer **starts, bmf_value *out)
{
    const bool pair = parts->type->kind == BMF_TUPLE;
    bmf_value *lists = pair ? &parts->child[1] : parts;
    bmf_frame inner;
    bmf_around around = {0};
    require_memory(value_pack(evaluator->ctx, lists), lists->count);
    if (!*starts)
        BMF_TRY(lengths_tell(evaluator->ctx, spread, lists, starts));
    int status = look_around(evaluator, stencil, spread, *starts, lists, &around);
    if (status == BMF_OK) {
        frame_open_spread(frame, stencil, spread, &inner);
        status = evaluate_each(evaluator, stencil, &inner, pair ? &parts->child[0] : NULL, lists, &around, out);
        frame_close(&inner);
    }
    around_free(&around);
    return status;
}

int evaluate_parallel_stencil(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, bmf_value *x,
                              bmf_value *out)
{
    if (distribution_is_empty(x->spread))
        return distribute_nothing(evaluator, stencil, x, out);
    bmf_distribution *spread = distribution_retain(x->spread);
    bmf_buffer *starts = buffer_retain(x->buffer);
    const int64_t count = x->count;
    bmf_value parts, made;
    value_move(&x->child[0], &parts);
    value_free(x);
    operation_begin(evaluator, stencil);
    const int status = evaluate_parts(evaluator, stencil, frame, spread, &parts, &starts, &made);
    value_free(&parts);
    if (status == BMF_OK) {
        value_distribute(count, spread, &made, out);
        out->buffer = starts;
    } else {
        distribution_release(spread);
        buffer_release(starts);
    }
    return operation_end(evaluator, status);
}
