/* Functions of elements and their neighbours, of placed lists and of one list in parts on several processors.
 *
 * Method: what stands around the parts is brought from other parts (parallel/around.c) while that is computed which
 * does without it. Windows are made of elements (windows.c), or read where points lie (points.c): those of rows and
 * planes, and of long lists of scalars.
 * Cost: that of windows; between processors 2 messages a part, if parts have as many elements as windows reach. */
#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/parallel/parallel.h"
#include "skeletons/language/stencils/call.h"

static bool is_ring(const bmf_expression *stencil)
{
    return !stencil_edge(stencil, 0, 0);
}

stencil_call stencil_call_of(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame,
                             const bmf_value *argument)
{
    const bool pair = argument->type->kind == BMF_TUPLE;
    const bmf_value *lists = pair ? &argument->child[1] : argument;
    return (stencil_call){.evaluator = evaluator,
                          .expression = expression,
                          .frame = frame,
                          .handed = pair ? &argument->child[0] : NULL,
                          .lists = lists,
                          .of_points = stencil_dimensions(expression) > 1 || windows_are_points(expression, lists)};
}

/* ---- placed lists ---- */

static int evaluate_points(stencil_call *s, bmf_value *out)
{
    int status = points_open(&s->points, s->evaluator, s->expression, s->frame, s->handed, s->lists, NULL, NULL);
    if (status == BMF_OK)
        status = points_end(&s->points, NULL, out);
    points_close(&s->points);
    return status;
}

static int evaluate_windows(const stencil_call *s, bmf_value *out)
{
    bmf_around around = {0};
    int status = around_lists(s->evaluator, s->lists, s->expression->number[0], is_ring(s->expression), &around);
    if (status == BMF_OK)
        status = windows_evaluate(s->evaluator, s->expression, s->frame, s->handed, s->lists, &around, out);
    around_free(&around);
    return status;
}

int evaluate_stencil(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                     bmf_value *out)
{
    int status = value_pack_for(evaluator, frame, "pack", x->type->kind == BMF_TUPLE ? &x->child[1] : x);
    if (status == BMF_OK) {
        stencil_call s = stencil_call_of(evaluator, expression, frame, x);
        status = s.of_points ? evaluate_points(&s, out) : evaluate_windows(&s, out);
    }
    value_free(x);
    return status;
}

/* ---- parts ---- */

/* What the parts on this rank need no other part for. A rank that fails goes on with its messages. */
static int begin_parts(stencil_call *s, const bmf_around *around)
{
    if (!s->of_points || s->evaluator->ctx->sends_marks)
        return BMF_OK;
    BMF_TRY(points_open(&s->points, s->evaluator, s->expression, s->frame, s->handed, s->lists, around, NULL));
    return points_begin(&s->points, 0, 1, around_under_way(around));
}

static int end_parts(stencil_call *s, const bmf_around *around, bmf_value *out)
{
    if (s->of_points)
        return points_end(&s->points, around, out);
    return windows_evaluate(s->evaluator, s->expression, s->frame, s->handed, s->lists, around, out);
}

int stencil_end_parts(stencil_call *s, const bmf_around *around, int begun, bmf_value *out)
{
    bmf_context *ctx = s->evaluator->ctx;
    if (begun != BMF_OK || !ctx->sends_marks) {
        const int status = begun != BMF_OK ? begun : end_parts(s, around, out);
        if (status == BMF_OK || failure_defer(ctx, status) != BMF_OK)
            return status;
    }
    value_default(ctx, s->expression->out->component[0], s->lists->count, out);
    return BMF_OK;
}

/* The parts of a list, as `partition` and `column`. */
static int evaluate_partition(stencil_call *s, const bmf_partition *partition, const bmf_column *column, bmf_value *out)
{
    bmf_around around = {0};
    int status = around_begin(s->evaluator, s->expression, partition, column, s->expression->number[0],
                              is_ring(s->expression), &around);
    if (status == BMF_OK) {
        const int begun = begin_parts(s, &around);
        status = around_end(&around);
        if (status == BMF_OK)
            status = stencil_end_parts(s, &around, begun, out);
        if (s->of_points)
            points_close(&s->points);
    }
    around_free(&around);
    return status;
}

/* parts: lists, or pairs of what is handed on to one and the list. *starts: how long all are, or the sizes of blocks;
 * if NULL it is told. */
static int evaluate_parts(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame,
                          bmf_distribution *spread, bmf_value *parts, bmf_buffer **starts, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_value *lists = parts->type->kind == BMF_TUPLE ? &parts->child[1] : parts;
    bmf_frame inner;
    bmf_partition *partition;
    bmf_column column;
    require_memory(value_pack(ctx, lists), lists->count);
    if (expression->on_grid)
        return stencil_of_blocks(evaluator, expression, frame, spread, parts, starts, out);
    if (!*starts)
        BMF_TRY(lengths_tell(ctx, spread, lists, starts));
    BMF_TRY(lengths_partition(ctx, spread, *starts, &partition));
    require_memory(value_to_column(ctx, &lists->child[0], &column), lists->count);
    frame_open_spread(frame, expression, spread, &inner);
    stencil_call s = stencil_call_of(evaluator, expression, &inner, parts);
    const int status = evaluate_partition(&s, partition, &column, out);
    frame_close(&inner);
    column_free(&column);
    bmf_partition_release(partition);
    return status;
}

int evaluate_parallel_stencil(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                              bmf_value *out)
{
    if (distribution_is_empty(x->spread))
        return distribute_nothing(evaluator, expression, x, out);
    bmf_distribution *spread = distribution_retain(x->spread);
    bmf_buffer *starts = buffer_retain(x->buffer);
    const int64_t count = x->count;
    bmf_value parts, made;
    value_move(&x->child[0], &parts);
    value_free(x);
    operation_begin(evaluator, expression);
    const int status = evaluate_parts(evaluator, expression, frame, spread, &parts, &starts, &made);
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
