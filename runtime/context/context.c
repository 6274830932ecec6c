/* The context: what it knows, and what can be changed while it is open. */
#include "bmf/context.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/text.h"
#include "runtime/context/private.h"
#include "runtime/backend/host.h"
#include "runtime/backend/wait.h"

int64_t context_now(const bmf_context *ctx)
{
    return monotonic_ns() - ctx->epoch;
}

double bmf_seconds(const bmf_context *ctx)
{
    return (double)ctx->backend->now((bmf_context *)ctx, -1) * 1e-9;
}

int bmf_max_seconds(bmf_context *ctx, double seconds, double *slowest)
{
    int64_t mine = (int64_t)(seconds * 1e9), *all = allocate(ctx->ranks * (int64_t)sizeof *all), largest = 0;
    int status = ctx->backend->allgather(ctx, &mine, 1, NULL, all);
    for (int k = 0; status == BMF_OK && k < ctx->ranks; k++)
        largest = all[k] > largest ? all[k] : largest;
    free(all);
    *slowest = (double)largest * 1e-9;
    return status;
}

void divide_processors(bmf_context *ctx)
{
    ctx->first_processor = bmf_first_processor(ctx, ctx->rank);
    ctx->local_processors = bmf_first_processor(ctx, ctx->rank + 1) - ctx->first_processor;
}

void name_program(bmf_context *ctx, const char *path)
{
    const char *slash = strrchr(path, '/');
    free(ctx->program);
    ctx->program = text_copy(slash ? slash + 1 : path);
    if (!ctx->run)
        return;
    free(ctx->run->program);
    ctx->run->program = text_copy(ctx->program);
}

int bmf_rank(const bmf_context *ctx)
{
    return ctx->rank;
}

int bmf_ranks(const bmf_context *ctx)
{
    return ctx->ranks;
}

bool bmf_is_root(const bmf_context *ctx)
{
    return ctx->rank == 0;
}

int bmf_threads(const bmf_context *ctx)
{
    return ctx->threads;
}

int64_t bmf_processors(const bmf_context *ctx)
{
    return ctx->processors;
}

int64_t bmf_first_processor(const bmf_context *ctx, int rank)
{
    int64_t share = ctx->processors / ctx->ranks, rest = ctx->processors % ctx->ranks;
    return rank * share + (rank < rest ? rank : rest);
}

int64_t block_of(int64_t processors, int64_t blocks, int64_t processor)
{
    int64_t share = processors / blocks, rest = processors % blocks, large = rest * (share + 1);
    return processor < large ? processor / (share + 1) : rest + (processor - large) / share;
}

int bmf_rank_of(const bmf_context *ctx, int64_t processor)
{
    return (int)block_of(ctx->processors, ctx->ranks, processor);
}

int bmf_set_processors(bmf_context *ctx, int64_t processors)
{
    if (processors < 1 || processors > BMF_MAX_PROCESSORS)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a machine has 1 to %d processors, not %lld", BMF_MAX_PROCESSORS,
                        (long long)processors);
    if (ctx->run && ctx->run->nodes > 1)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                        "the number of processors of a run that is being traced is fixed; use --bmf-procs %lld instead",
                        (long long)processors);
    ctx->processors = processors;
    divide_processors(ctx);
    if (ctx->run) {
        bmf_trace_run *bare = ctx->run;
        ctx->run = run_create(bare->program, bare->machine, (int32_t)processors, ctx->ranks, ctx->threads);
        run_free(bare);
    }
    return ctx->backend->resize(ctx);
}

void bmf_set_reproducible(bmf_context *ctx, bool reproducible)
{
    ctx->reproducible = reproducible;
}

bool bmf_is_reproducible(const bmf_context *ctx)
{
    return ctx->reproducible;
}

void bmf_set_plan_stream(bmf_context *ctx, FILE *stream)
{
    ctx->plan = ctx->rank == 0 ? stream : NULL;
}

bmf_statistics bmf_local_statistics(const bmf_context *ctx)
{
    return ctx->statistics;
}

int bmf_total_statistics(bmf_context *ctx, bmf_statistics *total)
{
    const bmf_statistics *s = &ctx->statistics;
    int64_t mine[4] = {s->messages, s->bytes, s->rank_messages, s->rank_bytes}, sum[4] = {0};
    int64_t *all = allocate(4 * ctx->ranks * (int64_t)sizeof *all);
    int status = ctx->backend->allgather(ctx, mine, 4, NULL, all);
    for (int64_t i = 0; status == BMF_OK && i < 4 * ctx->ranks; i++)
        sum[i % 4] += all[i];
    free(all);
    if (status == BMF_OK)
        *total = (bmf_statistics){sum[0], sum[1], sum[2], sum[3]};
    return status;
}

void bmf_barrier(bmf_context *ctx)
{
    ctx->backend->barrier(ctx);
}

void context_meet(bmf_context *ctx)
{
    MPI_Request request;
    MPI_Ibarrier(ctx->comm, &request);
    wait_all(ctx, 1, &request);
}

void program_start(bmf_context *ctx)
{
    if (ctx->backend->start)
        ctx->backend->start(ctx);
    else
        context_meet(ctx);
    host_fresh_bytes();
}
