/* One time for all ranks of a trace.
 *
 * Ranks of one host read the same monotonic clock. For ranks of other hosts the offset to rank 0's clock is estimated
 * by Cristian's method ("Probabilistic clock synchronization", 1989): of several ping-pongs the quickest counts, and
 * the answer was read in its middle, give or take half of it. Cost: ROUNDS round trips per rank, one rank after the
 * other, only when hosts differ and a trace is recorded. */
#define _GNU_SOURCE
#include <time.h>

#include "runtime/context/private.h"
#include "runtime/backend/wait.h"

enum { CLOCK_ROUNDS = 16, CLOCK_TAG = 9 };

int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void send_time(bmf_context *ctx, int64_t time, int rank)
{
    MPI_Request request;
    MPI_Isend(&time, 1, MPI_INT64_T, rank, CLOCK_TAG, ctx->comm, &request);
    wait_all(ctx, 1, &request);
}

static int64_t receive_time(bmf_context *ctx, int rank)
{
    int64_t time = 0;
    MPI_Request request;
    MPI_Irecv(&time, 1, MPI_INT64_T, rank, CLOCK_TAG, ctx->comm, &request);
    wait_all(ctx, 1, &request);
    return time;
}

/* Rank 0 answers every other rank with the time on its clock. */
static void answer_all(bmf_context *ctx)
{
    for (int r = 1; r < ctx->ranks; r++)
        for (int k = 0; k < CLOCK_ROUNDS; k++) {
            receive_time(ctx, r);
            send_time(ctx, monotonic_ns(), r);
        }
}

/* Rank 0's clock minus this rank's. */
static int64_t ask_offset(bmf_context *ctx)
{
    int64_t quickest = INT64_MAX, offset = 0;
    for (int k = 0; k < CLOCK_ROUNDS; k++) {
        int64_t sent = monotonic_ns();
        send_time(ctx, sent, 0);
        int64_t answer = receive_time(ctx, 0), back = monotonic_ns();
        if (back - sent < quickest) {
            quickest = back - sent;
            offset = answer - (sent + back) / 2;
        }
    }
    return offset;
}

int64_t clock_offset(bmf_context *ctx)
{
    if (ctx->node_ranks == ctx->ranks)
        return 0;
    if (ctx->rank != 0)
        return ask_offset(ctx);
    answer_all(ctx);
    return 0;
}

void clock_start(bmf_context *ctx, int64_t started)
{
    const bool one_host = ctx->node_ranks == ctx->ranks;
    ctx->epoch = one_host ? started : monotonic_ns();
    if (one_host || !ctx->run)
        return;
    const int64_t offset = clock_offset(ctx);
    MPI_Request request;
    context_meet(ctx);
    int64_t epoch = monotonic_ns();
    MPI_Ibcast(&epoch, 1, MPI_INT64_T, 0, ctx->comm, &request);
    wait_all(ctx, 1, &request);
    ctx->epoch = epoch - offset;
}
