/* Scalar expressions over a batch: every instance is one element of a block kernel.
 *
 * When all instances have the same argument, it is computed once and stays the same for all. */
#include "skeletons/language/streams/stream.h"
#include "skeletons/language/batches/operations.h"

int evaluate_scalar(bmf_evaluator *evaluator, bmf_expression *scalar, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_expression *inner = scalar->kind == BMF_EXPRESSION_SCALAR ? scalar->child[0] : scalar;
    bmf_stream_source source;
    int64_t count = x->count;
    if (count == 0) {
        value_free(x);
        return value_empty(evaluator->ctx, scalar->out, 0, out);
    }
    bool once = count > 1 && value_is_broadcast(x);
    stream_open_plain(evaluator, inner, frame, x, &source);
    if (once)
        source.count = 1;
    int status = stream_map(&source, out);
    stream_close(&source);
    value_free(x);
    if (status == BMF_OK && once)
        value_broadcast(out, count);
    return status;
}
