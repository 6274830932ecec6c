/* Failures of ranks: noting, hearing, settling. Cost: constant; one copy of a message. */
#include "runtime/context/failure.h"

#include <string.h>

#include "runtime/context/private.h"

/* A key holds 31 bits of the step, 24 of the rank, 8 of the status. */
enum { STATUS_BITS = 8, RANK_BITS = 24 };
static const int64_t largest_step = ((int64_t)1 << 31) - 2;

void failure_note(bmf_context *ctx, int status)
{
    const int64_t step = ctx->step < largest_step ? ctx->step : largest_step;
    if (ctx->failure != failure_none)
        return;
    ctx->failure = step << (RANK_BITS + STATUS_BITS) | (int64_t)ctx->rank << STATUS_BITS | status;
    ctx->sends_marks = true;
    memcpy(ctx->failure_message, ctx->message, sizeof ctx->failure_message);
}

int failure_defer(bmf_context *ctx, int status)
{
    if (status == BMF_OK || ctx->ranks == 1)
        return status;
    failure_note(ctx, status);
    return BMF_OK;
}

void failure_hear(bmf_context *ctx)
{
    ctx->sends_marks = true;
}

int64_t failure_key(const bmf_context *ctx)
{
    return ctx->failure == failure_none && ctx->sends_marks ? failure_heard : ctx->failure;
}

int failure_rank(int64_t key)
{
    return (int)(key >> STATUS_BITS & (((int64_t)1 << RANK_BITS) - 1));
}

void failure_restore_message(bmf_context *ctx)
{
    memcpy(ctx->message, ctx->failure_message, sizeof ctx->message);
}

int failure_settled(bmf_context *ctx, int64_t first)
{
    ctx->failure = failure_none;
    ctx->sends_marks = false;
    if (first == failure_none)
        return BMF_OK;
    ctx->settled = true;
    remember_failed(ctx);
    if (first == failure_heard)
        return bmf_fail(ctx, BMF_ERROR_INTERNAL, "ranks heard of a failure that no rank had");
    return (int)(first & (((int64_t)1 << STATUS_BITS) - 1));
}

int failure_settle_alone(bmf_context *ctx)
{
    if (ctx->failure != failure_none)
        failure_restore_message(ctx);
    return failure_settled(ctx, failure_key(ctx));
}
