/* Scalar expressions over a batch: every context is one element of a block kernel.
 *
 * When all contexts have the same argument, it is computed once and stays the same for all. */
#include "skeletons/language/streams/stream.h"
#include "skeletons/language/batches/value_private.h"

int bmf_evaluate_scalar(bmf_evaluation *machine, bmf_expression *scalar, const bmf_frame *frame, bmf_value *x,
                        bmf_value *out)
{
    bmf_expression *inner = scalar->kind == BMF_EXPRESSION_SCALAR ? scalar->child[0] : scalar;
    bmf_stream_source source;
    int64_t count = x->count;
    if (count == 0) {
        bmf_value_free(x);
        return bmf_value_empty(machine->ctx, scalar->out, 0, out);
    }
    bool once = count > 1 && bmf_value_is_broadcast(x);
    int status = bmf_stream_open_plain(machine, inner, frame, x, &source);
    if (status == BMF_OK) {
        if (once)
            source.count = 1;
        status = bmf_stream_map(&source, out);
        bmf_stream_close(&source);
    }
    bmf_value_free(x);
    if (status == BMF_OK && once)
        bmf_value_broadcast(out, count);
    return status;
}
