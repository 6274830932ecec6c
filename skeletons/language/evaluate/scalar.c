/* Scalar expressions over a batch: every instance is one element of a block kernel.
 *
 * When all instances have the same argument, it is computed once and stays the same for all. A block of them, of one
 * scalar each, is computed by the calling thread, without a stream, unless a trace tells of it: counters and conditions
 * of loops. */
#include "skeletons/language/streams/stream.h"
#include "skeletons/language/batches/operations.h"

static bool is_at_once(const bmf_evaluator *evaluator, bmf_expression *inner, int64_t count)
{
    int from[BMF_MAX_LEAVES];
    return count <= BMF_BLOCK && !evaluator->ctx->run && inner->out->components == 0 && !inner->repeats &&
           inner->kind != BMF_EXPRESSION_ID && !scalar_is_selection(scalar_of_expression(inner), from);
}

/* The elements of at most one block. */
static int compute_at_once(bmf_evaluator *evaluator, bmf_expression *inner, const bmf_frame *frame, const bmf_value *x,
                           int64_t count, bmf_value *out)
{
    const bmf_scalar *scalar = scalar_of_expression(inner);
    bmf_slice in[BMF_MAX_LEAVES], to[BMF_MAX_LEAVES];
    bmf_failure failure;
    BMF_TRY(value_create(evaluator->ctx, inner->out, count, out));
    value_slices(x, 0, in);
    value_slices(out, 0, to);
    bmf_scalar_room *room = scalar_room_open(scalar);
    const bool failed = scalar_run(scalar, room, count, in, to, &failure) != 0;
    scalar_room_close(room);
    if (!failed)
        return BMF_OK;
    value_free(out);
    return frame_fail(evaluator, frame, &failure);
}

static int compute_stream(bmf_evaluator *evaluator, bmf_expression *inner, const bmf_frame *frame, const bmf_value *x,
                          int64_t count, bmf_value *out)
{
    bmf_stream_source source;
    stream_open_plain(evaluator, inner, frame, x, &source);
    source.count = count;
    const int status = stream_map(&source, out);
    stream_close(&source);
    return status;
}

int evaluate_scalar(bmf_evaluator *evaluator, bmf_expression *scalar, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_expression *inner = scalar->kind == BMF_EXPRESSION_SCALAR ? scalar->child[0] : scalar;
    const int64_t count = x->count;
    if (count == 0) {
        value_free(x);
        return value_empty(evaluator->ctx, scalar->out, 0, out);
    }
    const bool once = count > 1 && value_is_broadcast(x);
    const int64_t computed = once ? 1 : count;
    const int status = (is_at_once(evaluator, inner, computed) ? compute_at_once : compute_stream)(
        evaluator, inner, frame, x, computed, out);
    value_free(x);
    if (status == BMF_OK && once)
        value_broadcast(out, count);
    return status;
}
