/* The cluster backend: this rank's part for real, with MPI and OpenMP, on the wall clock. */
#include "runtime/cluster/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/backend/wait.h"

/* Every rank knows the smallest key; the message comes from its rank. */
int cluster_settle(bmf_context *ctx, int64_t first)
{
    if (first < failure_heard) {
        const int root = failure_rank(first);
        MPI_Request request;
        if (root == ctx->rank)
            failure_restore_message(ctx);
        MPI_Ibcast(ctx->message, BMF_MESSAGE_SIZE, MPI_CHAR, root, ctx->comm, &request);
        wait_all(ctx, 1, &request);
    }
    return failure_settled(ctx, first);
}

int64_t cluster_collective_begin(const bmf_context *ctx)
{
    return ctx->run ? context_now(ctx) : 0;
}

void cluster_collective_end(bmf_context *ctx, const char *what, int64_t begin)
{
    if (!ctx->run)
        return;
    const int64_t end = context_now(ctx);
    const uint16_t name = (uint16_t)run_name(ctx->run, what);
    for (int64_t p = ctx->first_processor; p < ctx->first_processor + ctx->local_processors; p++)
        cluster_event(ctx, BMF_EVENT_COLLECTIVE, p, begin, end, 0, -1, 0, name);
}

static int cluster_agree(bmf_context *ctx, int status)
{
    if (status != BMF_OK)
        failure_note(ctx, status);
    const int64_t begin = cluster_collective_begin(ctx);
    int64_t mine = failure_key(ctx), first = mine;
    MPI_Request request;
    if (ctx->ranks > 1) {
        MPI_Iallreduce(&mine, &first, 1, MPI_INT64_T, MPI_MIN, ctx->comm, &request);
        wait_all(ctx, 1, &request);
    }
    status = cluster_settle(ctx, first);
    cluster_collective_end(ctx, backend_agreement, begin);
    return status;
}

static void cluster_barrier(bmf_context *ctx)
{
    const int64_t begin = cluster_collective_begin(ctx);
    context_meet(ctx);
    cluster_collective_end(ctx, backend_barrier, begin);
}

/* The root's key travels before the data. */
static int cluster_bcast(bmf_context *ctx, int64_t processor, void *data, int64_t bytes)
{
    const int root = bmf_rank_of(ctx, processor);
    const int64_t key_bytes = (int64_t)sizeof(int64_t), all = key_bytes + bytes;
    int64_t key = failure_key(ctx);
    const int64_t begin = cluster_collective_begin(ctx);
    if (ctx->ranks == 1) {
        const int status = cluster_settle(ctx, key);
        cluster_collective_end(ctx, backend_broadcast, begin);
        return status;
    }
    char *packed = allocate(all);
    if (ctx->rank == root) {
        memcpy(packed, &key, sizeof key);
        memcpy(packed + key_bytes, data, (size_t)bytes);
    }
    for (int64_t done = 0; done < all;) {
        const int64_t piece = wire_piece(all - done);
        MPI_Request request;
        MPI_Ibcast(packed + done, (int)piece, MPI_CHAR, root, ctx->comm, &request);
        wait_all(ctx, 1, &request);
        done += piece;
    }
    memcpy(&key, packed, sizeof key);
    if (key == failure_none)
        memcpy(data, packed + key_bytes, (size_t)bytes);
    free(packed);
    cluster_collective_end(ctx, backend_broadcast, begin);
    return key == failure_none ? BMF_OK : cluster_agree(ctx, BMF_OK);
}

/* Every rank's key and values of `counts` ranks, or `count` of each, in `all`, without the keys; the smallest key. */
static int64_t gather_records(bmf_context *ctx, const int64_t *values, int64_t count, const int64_t *counts,
                              int64_t *all)
{
    int *sizes = allocate(2 * ctx->ranks * (int64_t)sizeof(int)), *offsets = sizes + ctx->ranks, total = 0;
    for (int r = 0; r < ctx->ranks; r++) {
        sizes[r] = (int)(1 + (counts ? counts[r] : count));
        offsets[r] = total;
        total += sizes[r];
    }
    int64_t *mine = allocate((1 + count) * (int64_t)sizeof *mine),
            *records = allocate(total * (int64_t)sizeof *records);
    int64_t first = failure_none;
    MPI_Request request;
    mine[0] = failure_key(ctx);
    memcpy(mine + 1, values, (size_t)count * sizeof *mine);
    if (counts)
        MPI_Iallgatherv(mine, sizes[ctx->rank], MPI_INT64_T, records, sizes, offsets, MPI_INT64_T, ctx->comm, &request);
    else
        MPI_Iallgather(mine, sizes[0], MPI_INT64_T, records, sizes[0], MPI_INT64_T, ctx->comm, &request);
    wait_all(ctx, 1, &request);
    for (int r = 0; r < ctx->ranks; r++) {
        first = records[offsets[r]] < first ? records[offsets[r]] : first;
        memcpy(all, records + offsets[r] + 1, (size_t)(sizes[r] - 1) * sizeof *all);
        all += sizes[r] - 1;
    }
    free(sizes), free(mine), free(records);
    return first;
}

static int cluster_allgather(bmf_context *ctx, const int64_t *values, int64_t count, const int64_t *counts,
                             int64_t *all)
{
    const int64_t begin = cluster_collective_begin(ctx);
    const int status = cluster_settle(ctx, gather_records(ctx, values, count, counts, all));
    cluster_collective_end(ctx, backend_allgather, begin);
    return status;
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
    .allgather = cluster_allgather,
    .agree = cluster_agree,
    .destroy = cluster_destroy,
    .now = cluster_now,
    .resize = cluster_start,
    .barrier = cluster_barrier,
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
    if (kind != BMF_EVENT_KERNEL && kind > BMF_EVENT_SKELETON)
        host_fresh_bytes();
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
        const int sent = ctx->sends_marks ? 0 : piece;
        MPI_Isend((const char *)data + done, sent, MPI_CHAR, rank, tag, ctx->comm, flight_slot(flight));
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
