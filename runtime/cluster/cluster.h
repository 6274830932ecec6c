/* The cluster backend's parts; private to runtime. */
#ifndef BMF_CLUSTER_H
#define BMF_CLUSTER_H

#include "runtime/backend/host.h"
#include "runtime/context/private.h"
#include "runtime/backend/wire.h"

typedef struct bmf_cluster {
    int64_t *lane_clock; /* local_processors values: the end of the last event on each lane, in ns; only when tracing */
    int64_t lanes;
    int sparse_tag;         /* alternates, so that a fast rank's next delivery is not taken for this one */
    int64_t *direct_rounds; /* by rank: rounds with messages that are copied directly */
} bmf_cluster;

/* Tags on the context's communicator. */
enum {
    BMF_TAG_EXCHANGE = 1,
    BMF_TAG_REST = 2,
    BMF_TAG_SPARSE = 3, /* and 4 */
    BMF_TAG_NOTE = 5,
    BMF_TAG_CHANNEL = 16, /* plus a channel from 1 on */
    BMF_TAG_DIRECT = 4096 /* and as many more */
};

static inline int cluster_exchange_tag(const bmf_context *ctx)
{
    return ctx->channel > 0 ? BMF_TAG_CHANNEL + ctx->channel : BMF_TAG_EXCHANGE;
}

int cluster_compute(bmf_context *ctx, const bmf_work *work);
int cluster_exchange(bmf_context *ctx, const bmf_round *round, uint32_t round_number, const bmf_transfer *transfer);
int cluster_exchange_begin(bmf_context *ctx, const bmf_round *round, uint32_t round_number,
                           const bmf_transfer *transfer, bmf_exchange **under_way);
bool cluster_exchange_progress(bmf_context *ctx, bmf_exchange *under_way);
int cluster_exchange_end(bmf_context *ctx, bmf_exchange *under_way);
int cluster_exchange_sparse(bmf_context *ctx, const bmf_round *sends, uint32_t round_number,
                            const bmf_transfer *transfer);

/* Records an event on a lane of this rank, starting no earlier than the lane's last event ended. */
void cluster_event(bmf_context *ctx, bmf_event_kind kind, int64_t lane, int64_t begin, int64_t end, int64_t amount,
                   int64_t peer, uint32_t round_number, uint16_t name);

/* A collective operation of all ranks is an event on every lane of this rank; what: one of backend.h's names. */
int64_t cluster_collective_begin(const bmf_context *ctx);
void cluster_collective_end(bmf_context *ctx, const char *what, int64_t begin);

/* Counts a message between processors if it is one. */
static inline void cluster_count(bmf_context *ctx, const bmf_message *message, int64_t bytes)
{
    if (message->from != message->to) {
        ctx->statistics.messages++;
        ctx->statistics.bytes += bytes;
    }
}

/* Requests in flight: posts sends and receives of any length, split as needed. A rank that sends marks sends as many
 * pieces, but without data; a piece is never empty otherwise. */
typedef struct bmf_requests {
    MPI_Request *request;
    int count, capacity;
} bmf_requests;
void flight_send(bmf_context *ctx, bmf_requests *flight, const void *data, int64_t bytes, int rank, int tag);
void flight_receive(bmf_context *ctx, bmf_requests *flight, void *data, int64_t bytes, int rank, int tag);
/* Adds one request slot and returns it. */
MPI_Request *flight_slot(bmf_requests *flight);
void flight_free(bmf_requests *flight);

/* Copies a message whose both ends are here. */
void cluster_copy(bmf_context *ctx, const bmf_message *message, uint32_t round_number, const bmf_transfer *transfer);

#endif
