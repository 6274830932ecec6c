/* The same values at a wider type: ints as reals, in tuples and lists; no values at all at any type.
 *
 * Lists keep their begins and ends; views that leave out elements are packed first, so that nothing is converted that
 * nobody reads. Cost: one pass over each leaf that changes. */
#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/operations.h"

typedef struct convert_state {
    const bmf_value *from;
    double *to;
} convert_state;

static void convert_some(void *state, int64_t begin, int64_t end)
{
    const convert_state *s = state;
    const char *data = s->from->data;
    int64_t stride = s->from->stride;
    for (int64_t i = begin; i < end; i++)
        s->to[i] = (double)*(const int64_t *)(data + i * stride);
}

static int convert_ints(const bmf_pass *pass, const bmf_value *x, bmf_value *out)
{
    bool once = x->stride == 0 && x->count > 0;
    int64_t count = once ? 1 : x->count;
    bmf_value made;
    BMF_TRY(value_create(pass->ctx, bmf_type_intern(&bmf_type_real), count, &made));
    convert_state state = {x, made.data};
    int status = BMF_OK;
    if (once) /* a pass is for every instance of its frame */
        convert_some(&state, 0, 1);
    else
        status = pass_run(pass, count, convert_some, &state);
    if (status != BMF_OK) {
        value_free(&made);
        return status;
    }
    if (once)
        value_broadcast(&made, x->count);
    *out = made;
    return BMF_OK;
}

static int convert(const bmf_pass *pass, const bmf_type *to, int64_t count, bmf_value *x, bmf_value *out);

static int convert_components(const bmf_pass *pass, const bmf_type *to, int64_t count, bmf_value *x, bmf_value *out)
{
    bmf_value component[BMF_MAX_LEAVES] = {{0}};
    int status = BMF_OK;
    for (int k = 0; k < to->components && status == BMF_OK; k++)
        status = convert(pass, to->component[k], count, &x->child[k], &component[k]);
    if (status == BMF_OK) {
        value_create_tuple(to->components, component, out);
        return BMF_OK;
    }
    for (int k = 0; k < to->components; k++)
        value_free(&component[k]);
    return status;
}

/* The elements of lists; the processors of inner ones are not told apart. */
static int convert_elements(const bmf_pass *pass, const bmf_type *to, bmf_value *x, bmf_value *out)
{
    bmf_pass inner = {.ctx = pass->ctx};
    bmf_value child;
    int64_t used = 0;
    for (int64_t i = 0; x->type->kind == BMF_LIST && !x->packed && i < x->count && used < x->child[0].count; i++)
        used += value_length(x, i);
    if (x->type->kind == BMF_LIST && !x->packed && used < x->child[0].count)
        BMF_TRY(value_pack(pass->ctx, x));
    const int64_t count =
        x->type->kind == BMF_DISTRIBUTED ? x->spread->offsets[x->spread->instances] : x->child[0].count;
    BMF_TRY(convert(&inner, to->component[0], count, &x->child[0], &child));
    value_free(&x->child[0]);
    value_move(&child, &x->child[0]);
    x->type = to;
    value_move(x, out);
    return BMF_OK;
}

/* What has no values: elements of an empty list literal, which stand as ints, whatever they go with; and on a rank that
 * has failed and goes on, what `count` instances would have. */
static int convert_nothing(bmf_context *ctx, const bmf_type *to, int64_t count, bmf_value *out)
{
    if (!ctx->sends_marks)
        return value_empty(ctx, to, 0, out);
    value_default(ctx, to, count, out);
    return BMF_OK;
}

/* x stays the caller's to free, whatever is left of it. */
static int convert(const bmf_pass *pass, const bmf_type *to, int64_t count, bmf_value *x, bmf_value *out)
{
    if (x->type == to) {
        value_move(x, out);
        return BMF_OK;
    }
    if (x->type->kind == BMF_NOTHING || (x->type->components == 0 && x->count == 0))
        return convert_nothing(pass->ctx, to, count, out);
    if (to->components == 0)
        return convert_ints(pass, x, out);
    return to->kind == BMF_TUPLE ? convert_components(pass, to, count, x, out) : convert_elements(pass, to, x, out);
}

int evaluate_convert(bmf_evaluator *evaluator, const bmf_type *to, const bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_pass pass;
    pass_open(evaluator, frame, "convert", NULL, &pass);
    int status = convert(&pass, to, frame->count, x, out);
    pass_close(&pass);
    value_free(x);
    return status;
}
