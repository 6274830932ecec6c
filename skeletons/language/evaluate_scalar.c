/* Scalar expressions over a batch: every context is one element of a block kernel.
 *
 * When all contexts have the same argument, it is computed once and stays the same for all. */
#include "runtime/allocate.h"
#include "skeletons/language/stream.h"

static bool is_broadcast(const bmf_value *value)
{
    bool same = true;
    if (value->type->kind != BMF_TUPLE)
        return value->stride == 0;
    for (int c = 0; c < value->type->components && same; c++)
        same = is_broadcast(&value->child[c]);
    return same;
}

/* The result for one context becomes that for `count`. */
static void broadcast(bmf_value *value, int64_t count)
{
    value->count = count;
    value->stride = 0;
    for (int c = 0; value->type->kind == BMF_TUPLE && c < value->type->components; c++)
        broadcast(&value->child[c], count);
}

int bmf_evaluate_scalar(bmf_machine *machine, bmf_expression *scalar, const bmf_frame *frame, bmf_value *x,
                        bmf_value *out)
{
    bmf_expression *inner = scalar->kind == BMF_EXPRESSION_SCALAR ? scalar->child[0] : scalar;
    bmf_stream_source source;
    int64_t count = x->count;
    if (count == 0) {
        bmf_value_free(x);
        return bmf_value_empty(machine->ctx, scalar->out, 0, out);
    }
    bool once = count > 1 && is_broadcast(x);
    int status = bmf_stream_open_plain(machine, inner, frame, x, &source);
    if (status == BMF_OK) {
        if (once)
            source.count = 1;
        status = bmf_stream_map(&source, out);
        bmf_stream_close(&source);
    }
    bmf_value_free(x);
    if (status == BMF_OK && once)
        broadcast(out, count);
    return status;
}
