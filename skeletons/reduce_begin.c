/* Reductions that go on while the program does other things. Document 002, 3.8.
 *
 * Method: beginning folds and sends the first round; whoever tests or waits ends the round that is under way and begins
 * the next. Every reduction has a channel of its own, so that several can be under way and proceed in any order. In
 * traces all that overlap are one call, from the first that begins to the last that ends, because messages leave and
 * arrive in one call there; each has numbers of rounds of its own.
 * Cost: that of bmf_reduce; what lies between the beginning and the end hides the first round, and the others as far as
 * it is interrupted by tests. */
#include <stdlib.h>
#include <string.h>

#include "bmf/skeletons.h"
#include "runtime/base/allocate.h"
#include "skeletons/engine/reduction.h"

const bmf_skeleton_type skeleton_reduce_begin = {
    .id = 37, .name = "reduce_begin", .communication = BMF_COMMUNICATION_REDUCE, .to_one = true};

enum {
    CHANNELS = 1024, /* more than can be under way */
    NUMBERS = 256    /* of rounds and kernels of one reduction */
};

struct bmf_reduction {
    bmf_context *ctx;
    bmf_tree tree;
    bmf_partition *partition;
    int channel;
    bool empty, open; /* open: a round is under way */
    bmf_partials partials;
    bmf_reduction_rounds rounds;
};

/* ---- the call that traces show ---- */

static void enter(bmf_context *ctx)
{
    if (ctx->under_way++ > 0)
        return;
    skeleton_begin(ctx, &skeleton_reduce_begin, "reduce_begin");
    ctx->reductions_depth = ctx->depth;
}

static void leave(bmf_context *ctx)
{
    if (--ctx->under_way == 0 && ctx->depth == ctx->reductions_depth)
        skeleton_end(ctx, NULL, BMF_OK);
}

/* ---- rounds ---- */

static int begin_next(bmf_reduction *r)
{
    bmf_context *ctx = r->ctx;
    if (!reduction_has_rounds(&r->rounds))
        return BMF_OK;
    ctx->channel = r->channel;
    const int status = reduction_round_begin(&r->rounds);
    ctx->channel = 0;
    r->open = status == BMF_OK;
    return status;
}

static int end_round(bmf_reduction *r)
{
    r->open = false;
    BMF_TRY(reduction_round_end(&r->rounds));
    return begin_next(r);
}

static void free_reduction(bmf_reduction *r)
{
    if (!r->empty) {
        reduction_close(&r->rounds);
        partials_free(&r->partials);
    }
    tree_close(&r->tree);
    bmf_partition_release(r->partition);
    free(r);
}

/* ---- the skeleton ---- */

static int check_operator(const bmf_list *xs, const bmf_operator *op)
{
    if (op->may_fail)
        return bmf_fail(xs->context, BMF_ERROR_ARGUMENT, "reduce_begin: operator %s may fail; bmf_reduce takes it",
                        op->name);
    if (xs->context->under_way >= BMF_MAX_UNDER_WAY)
        return bmf_fail(xs->context, BMF_ERROR_ARGUMENT, "reduce_begin: %d reductions are under way already",
                        BMF_MAX_UNDER_WAY);
    if (bmf_length(xs) == 0 && !op->identity)
        return bmf_fail(xs->context, BMF_ERROR_SHAPE,
                        "reduce_begin of an empty list needs an operator with an identity; %s has none", op->name);
    return BMF_OK;
}

static int begin(bmf_reduction *r, const bmf_list *xs, const bmf_source *source)
{
    const uint32_t number = (uint32_t)(r->ctx->reductions % CHANNELS) * NUMBERS;
    r->channel = 1 + (int)(r->ctx->reductions++ % CHANNELS);
    enter(r->ctx);
    r->empty = bmf_length(xs) == 0;
    if (r->empty)
        return BMF_OK;
    const int status =
        partials_fold_numbered(&r->partials, r->ctx, &r->tree, r->partition, source, r->tree.op->name, true, number);
    if (status != BMF_OK) {
        r->empty = true;
        leave(r->ctx);
        return status;
    }
    reduction_open(&r->rounds, &r->partials, "reduce_begin", xs, false, NULL);
    return begin_next(r);
}

int bmf_reduce_begin(const bmf_list *xs, const bmf_operator *op, bmf_reduction **reduction)
{
    bmf_source source;
    BMF_TRY(check_operator(xs, op));
    BMF_TRY(source_open(&source, "reduce_begin", xs, NULL, NULL));
    bmf_reduction *r = allocate_clear(1, (int64_t)sizeof *r);
    r->ctx = xs->context;
    int status = tree_open_reduction(&r->tree, r->ctx, "reduce_begin", op, source.type);
    if (status != BMF_OK) {
        free(r);
        source_close(&source);
        return status;
    }
    r->partition = bmf_partition_retain(xs->partition);
    status = begin(r, xs, &source);
    source_close(&source);
    if (status == BMF_OK)
        *reduction = r;
    else
        free_reduction(r);
    return status;
}

int bmf_reduction_test(bmf_reduction *reduction, bool *done)
{
    bmf_reduction *r = reduction;
    int status = BMF_OK;
    if (r->open && backend_exchange_progress(r->ctx, r->rounds.under_way))
        status = end_round(r);
    *done = r->empty || !r->open;
    return status;
}

int bmf_reduction_wait(bmf_reduction *reduction, void *value)
{
    bmf_reduction *r = reduction;
    bmf_context *ctx = r->ctx;
    int status = BMF_OK;
    while (status == BMF_OK && r->open)
        status = end_round(r);
    if (status == BMF_OK && !r->empty)
        status = reduction_finish(&r->rounds, false);
    if (status == BMF_OK)
        memcpy(value, r->empty ? (const char *)r->tree.op->identity : r->rounds.value, (size_t)r->tree.record);
    leave(ctx);
    free_reduction(r);
    return status;
}
