/* The cluster backend: this rank's part for real, with MPI and OpenMP, on the wall clock. */
#include "runtime/cluster/cluster.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/backend/wait.h"

/* Status and rank in one number whose maximum is the error of the lowest failing rank. */
static int cluster_agree(bmf_context *ctx, int status)
{
    enum { RANKS = 1 << 24 };
    int64_t mine = status == BMF_OK ? 0 : (int64_t)(RANKS - ctx->rank) * 256 + status, worst = 0;
    MPI_Request request;
    if (ctx->ranks == 1)
        return status;
    MPI_Iallreduce(&mine, &worst, 1, MPI_INT64_T, MPI_MAX, ctx->comm, &request);
    wait_all(ctx, 1, &request);
    if (worst == 0)
        return BMF_OK;
    MPI_Ibcast(ctx->message, BMF_MESSAGE_SIZE, MPI_CHAR, RANKS - (int)(worst / 256), ctx->comm, &request);
    wait_all(ctx, 1, &request);
    return (int)(worst % 256);
}

static int cluster_bcast(bmf_context *ctx, int64_t processor, void *data, int64_t bytes)
{
    int root = bmf_rank_of(ctx, processor);
    for (int64_t done = 0; ctx->ranks > 1 && done < bytes;) {
        MPI_Request request;
        int piece = (int)wire_piece(bytes - done);
        MPI_Ibcast((char *)data + done, piece, MPI_CHAR, root, ctx->comm, &request);
        wait_all(ctx, 1, &request);
        done += piece;
    }
    return BMF_OK;
}

static int cluster_allgatherv(bmf_context *ctx, const int64_t *values, int64_t count, int64_t *all, int64_t all_count)
{
    int *counts = allocate(2 * ctx->ranks * (int64_t)sizeof(int)), *offsets = counts + ctx->ranks;
    int mine = (int)count, offset = 0;
    MPI_Request request;
    MPI_Iallgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, ctx->comm, &request);
    wait_all(ctx, 1, &request);
    for (int r = 0; r < ctx->ranks; r++) {
        offsets[r] = offset;
        offset += counts[r];
    }
    if (offset != all_count) {
        free(counts);
        return bmf_fail(ctx, BMF_ERROR_INTERNAL, "collected %d values where %lld were expected", offset,
                        (long long)all_count);
    }
    MPI_Iallgatherv(values, mine, MPI_INT64_T, all, counts, offsets, MPI_INT64_T, ctx->comm, &request);
    wait_all(ctx, 1, &request);
    free(counts);
    return BMF_OK;
}

static int64_t cluster_now(bmf_context *ctx, int64_t processor)
{
    (void)processor;
    return context_now(ctx);
}

static void cluster_destroy(bmf_context *ctx)
{
    bmf_cluster *cluster = ctx->backend_state;
    free(cluster->lane_clock);
    free(cluster->direct_rounds);
    free(cluster);
    ctx->backend_state = NULL;
}

const bmf_backend cluster_backend = {
    .name = "cluster",
    .compute = cluster_compute,
    .exchange = cluster_exchange,
    .exchange_begin = cluster_exchange_begin,
    .exchange_progress = cluster_exchange_progress,
    .exchange_end = cluster_exchange_end,
    .exchange_sparse = cluster_exchange_sparse,
    .bcast = cluster_bcast,
    .allgatherv = cluster_allgatherv,
    .agree = cluster_agree,
    .destroy = cluster_destroy,
    .now = cluster_now,
    .resize = cluster_start,
};

int cluster_start(bmf_context *ctx)
{
    ctx->backend = &cluster_backend;
    if (!ctx->backend_state)
        ctx->backend_state = allocate_clear(1, (int64_t)sizeof(bmf_cluster));
    bmf_cluster *cluster = ctx->backend_state;
    free(cluster->lane_clock);
    if (!cluster->direct_rounds)
        cluster->direct_rounds = allocate_clear(ctx->ranks, (int64_t)sizeof(int64_t));
    cluster->lanes = ctx->local_processors;
    cluster->lane_clock = allocate_clear(cluster->lanes, (int64_t)sizeof(int64_t));
    return BMF_OK;
}

void cluster_event(bmf_context *ctx, bmf_event_kind kind, int64_t lane, int64_t begin, int64_t end, int64_t amount,
                   int64_t peer, uint32_t round_number, uint16_t name)
{
    bmf_cluster *cluster = ctx->backend_state;
    int64_t *clock = &cluster->lane_clock[lane - ctx->first_processor];
    const bmf_position *at = &ctx->position[ctx->depth < BMF_NODE_DEPTH ? ctx->depth : BMF_NODE_DEPTH - 1];
    begin = begin > *clock ? begin : *clock;
    end = end > begin ? end : begin;
    *clock = end;
    run_add(ctx->run, &(bmf_event){.begin = begin,
                                   .end = end,
                                   .amount = amount,
                                   .low = end - begin,
                                   .high = end - begin,
                                   .node = at->node,
                                   .instance = at->instance,
                                   .round = round_number,
                                   .lane = (int32_t)lane,
                                   .peer = (int32_t)peer,
                                   .kind = (uint16_t)kind,
                                   .name = name});
}

/* ---- requests in flight ---- */

MPI_Request *flight_slot(bmf_requests *flight)
{
    if (flight->count == flight->capacity) {
        int grown = flight->capacity ? 2 * flight->capacity : 16;
        flight->request = reallocate(flight->request, flight->count * (int64_t)sizeof(MPI_Request),
                                     grown * (int64_t)sizeof(MPI_Request));
        flight->capacity = grown;
    }
    flight->request[flight->count] = MPI_REQUEST_NULL;
    return &flight->request[flight->count++];
}

void flight_send(bmf_context *ctx, bmf_requests *flight, const void *data, int64_t bytes, int rank, int tag)
{
    for (int64_t done = 0; done < bytes;) {
        int piece = (int)wire_piece(bytes - done);
        MPI_Isend((const char *)data + done, piece, MPI_CHAR, rank, tag, ctx->comm, flight_slot(flight));
        done += piece;
    }
    wire_count(&ctx->statistics, bytes);
}

void flight_receive(bmf_context *ctx, bmf_requests *flight, void *data, int64_t bytes, int rank, int tag)
{
    for (int64_t done = 0; done < bytes;) {
        int piece = (int)wire_piece(bytes - done);
        MPI_Irecv((char *)data + done, piece, MPI_CHAR, rank, tag, ctx->comm, flight_slot(flight));
        done += piece;
    }
}

void flight_free(bmf_requests *flight)
{
    free(flight->request);
    *flight = (bmf_requests){0};
}

/* ---- messages that stay on this rank ---- */

void cluster_copy(bmf_context *ctx, const bmf_message *message, uint32_t round_number, const bmf_transfer *transfer)
{
    bmf_segment from[BMF_MAX_SEGMENTS];
    int segments;
    int64_t begin = ctx->run ? context_now(ctx) : 0, bytes = host_copy(transfer, message, from, &segments), middle;
    cluster_count(ctx, message, bytes);
    if (!ctx->run || message->from == message->to)
        return;
    middle = context_now(ctx);
    cluster_event(ctx, BMF_EVENT_SEND, message->from, begin, middle, bytes, message->to, round_number, 0);
    cluster_event(ctx, BMF_EVENT_RECEIVE, message->to, middle, middle, bytes, message->from, round_number, 0);
}
