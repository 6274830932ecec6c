/* A sparse round: nobody knows who will send.
 *
 * Method: non-blocking consensus (Hoefler, Siebert, Lumsdaine, "Scalable communication protocols for dynamic sparse
 * data exchange", PPoPP 2010). Every rank sends its messages synchronously, takes what arrives, and enters a
 * non-blocking reduction once its own sends were received; when that ends nothing can be under way. What is reduced are
 * the keys of failures (runtime/context/failure.h), which are thereby settled; a rank that has failed sends nothing.
 * Ranks begin with the one behind them, and receive from several at once, so that none waits for a slow link alone.
 * Cost: one MPI message per pair of ranks that have something to say, plus one allreduce of 8 bytes.
 *
 * Wire format for one pair: { int64 count, count records {from, to, bytes, first, count} } then the payloads.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/cluster/cluster.h"
#include "runtime/backend/wait.h"

enum { MOST_ARRIVALS = 8 }; /* that are received at once, each with a buffer of its own */
static const int64_t record_bytes = BMF_PARCEL_VALUES * (int64_t)sizeof(int64_t);

/* One pair's messages on the way out. */
typedef struct parcel {
    int peer;
    int64_t count, bytes, header;
    bmf_buffer *buffer; /* pooled: fresh pages for every delivery would cost more than the message */
    char *data, *end;
} parcel;

/* One pair's messages on the way in: the first piece, and then, if its header says so, the rest. */
typedef struct arrival {
    int peer;
    int64_t first, bytes; /* of the first piece; of all, 0: not known yet */
    bmf_buffer *buffer;
    char *data;
    bmf_requests flight;
} arrival;

/* A sparse round of this rank. */
typedef struct delivery {
    bmf_context *ctx;
    uint32_t number; /* of the round */
    int tag;
    const bmf_transfer *transfer;
    parcel *parcels; /* by rank */
    bmf_requests outgoing;
    arrival *arrival; /* on their way at once */
    int64_t arrivals, arrival_capacity;
    int64_t waiting_since;
} delivery;

/* Sizes of all parcels, by rank. */
static parcel *make_parcels(const bmf_context *ctx, const bmf_round *sends)
{
    parcel *parcels = allocate_clear(ctx->ranks, (int64_t)sizeof *parcels);
    for (int64_t i = 0; i < sends->count; i++) {
        const bmf_message *m = &sends->message[i];
        if (is_local(ctx, m->to))
            continue;
        parcel *p = &parcels[bmf_rank_of(ctx, m->to)];
        p->count++;
        p->bytes += m->bytes;
    }
    for (int r = 0; r < ctx->ranks; r++) {
        parcel *p = &parcels[r];
        p->peer = r;
        if (p->count == 0)
            continue;
        p->header = wire_parcel_header(p->count);
        p->bytes += p->header;
        p->buffer = working_buffer(p->bytes);
        p->data = p->buffer->data;
        memcpy(p->data, &p->count, sizeof p->count);
        p->end = p->data + p->header;
        p->count = 0;
    }
    return parcels;
}

static void fill_parcels(bmf_context *ctx, const bmf_round *sends, parcel *parcels, uint32_t number,
                         const bmf_transfer *transfer)
{
    bmf_segment segment[BMF_MAX_SEGMENTS];
    for (int64_t i = 0; i < sends->count; i++) {
        const bmf_message *m = &sends->message[i];
        if (is_local(ctx, m->to))
            continue;
        int64_t begin = ctx->run ? context_now(ctx) : 0;
        parcel *p = &parcels[bmf_rank_of(ctx, m->to)];
        int64_t record[BMF_PARCEL_VALUES] = {m->from, m->to, m->bytes, m->first, m->count};
        memcpy(p->data + sizeof(int64_t) + p->count++ * record_bytes, record, sizeof record);
        int segments = transfer->outgoing(transfer->state, m, segment);
        for (int s = 0; s < segments; s++) {
            memcpy(p->end, segment[s].data, (size_t)segment[s].bytes);
            p->end += segment[s].bytes;
        }
        cluster_count(ctx, m, m->bytes);
        if (ctx->run)
            cluster_event(ctx, BMF_EVENT_SEND, m->from, begin, context_now(ctx), m->bytes, m->to, number, 0);
    }
}

/* The first piece is synchronous, so that its end says it was received; the rest follows on another tag. */
static void send_parcel(bmf_context *ctx, const parcel *p, int tag, bmf_requests *flight)
{
    int64_t first = wire_piece(p->bytes);
    MPI_Issend(p->data, (int)first, MPI_CHAR, p->peer, tag, ctx->comm, flight_slot(flight));
    wire_count(&ctx->statistics, first);
    flight_send(ctx, flight, p->data + first, p->bytes - first, p->peer, BMF_TAG_REST);
}

/* Total bytes of a parcel from its first piece. A header that does not fit one piece would need 26 million messages
 * between one pair of ranks. */
static int64_t parcel_bytes(const char *data)
{
    int64_t count, total = (int64_t)sizeof(int64_t);
    memcpy(&count, data, sizeof count);
    for (int64_t i = 0; i < count; i++) {
        int64_t record[BMF_PARCEL_VALUES];
        memcpy(record, data + sizeof(int64_t) + i * record_bytes, sizeof record);
        total += record_bytes + record[2];
    }
    return total;
}

/* Begins to receive what somebody has sent, if there is something. */
static bool take_arrival(delivery *d)
{
    MPI_Message found;
    MPI_Status status;
    int arrived, first;
    MPI_Improbe(MPI_ANY_SOURCE, d->tag, d->ctx->comm, &arrived, &found, &status);
    if (!arrived)
        return false;
    MPI_Get_count(&status, MPI_CHAR, &first);
    arrival *taken = ARRAY_APPEND(d->arrival, d->arrivals, d->arrival_capacity);
    *taken = (arrival){.peer = status.MPI_SOURCE, .first = first, .buffer = working_buffer(first)};
    taken->data = taken->buffer->data;
    MPI_Imrecv(taken->data, first, MPI_CHAR, &found, flight_slot(&taken->flight));
    return true;
}

/* Behind the first piece: the header says whether there is more, which goes to a buffer for all. */
static void receive_rest(bmf_context *ctx, arrival *taken)
{
    taken->bytes = parcel_bytes(taken->data);
    if (taken->bytes == taken->first)
        return;
    bmf_buffer *whole = working_buffer(taken->bytes);
    memcpy(whole->data, taken->data, (size_t)taken->first);
    buffer_release(taken->buffer);
    taken->buffer = whole;
    taken->data = whole->data;
    flight_free(&taken->flight);
    taken->flight = (bmf_requests){0};
    flight_receive(ctx, &taken->flight, taken->data + taken->first, taken->bytes - taken->first, taken->peer,
                   BMF_TAG_REST);
}

static bool has_arrived(bmf_context *ctx, arrival *taken)
{
    int all;
    MPI_Testall(taken->flight.count, taken->flight.request, &all, MPI_STATUSES_IGNORE);
    if (!all || taken->bytes > 0)
        return all;
    receive_rest(ctx, taken);
    return taken->bytes == taken->first;
}

static void unpack_arrival(const delivery *d, arrival *taken)
{
    bmf_context *ctx = d->ctx;
    int64_t count;
    memcpy(&count, taken->data, sizeof count);
    const char *payload = taken->data + wire_parcel_header(count);
    for (int64_t i = 0; i < count; i++) {
        bmf_segment segment[BMF_MAX_SEGMENTS];
        int64_t record[BMF_PARCEL_VALUES];
        memcpy(record, taken->data + sizeof(int64_t) + i * record_bytes, sizeof record);
        bmf_message m = {record[0], record[1], record[2], record[3], record[4]};
        int segments = d->transfer->incoming(d->transfer->state, &m, segment);
        for (int s = 0; s < segments; s++) {
            memcpy(segment[s].data, payload, (size_t)segment[s].bytes);
            payload += segment[s].bytes;
        }
        if (ctx->run)
            cluster_event(ctx, BMF_EVENT_RECEIVE, m.to, d->waiting_since, context_now(ctx), m.bytes, m.from, d->number,
                          0);
    }
    buffer_release(taken->buffer);
    flight_free(&taken->flight);
}

/* Unpacks what has arrived; returns whether there was anything new. */
static bool receive_some(delivery *d)
{
    bool any = d->arrivals < MOST_ARRIVALS && take_arrival(d);
    for (int64_t k = 0; k < d->arrivals;)
        if (has_arrived(d->ctx, &d->arrival[k])) {
            unpack_arrival(d, &d->arrival[k]);
            d->arrival[k] = d->arrival[--d->arrivals];
            any = true;
        } else {
            k++;
        }
    return any;
}

/* Sends, to the ranks behind this one first: if all began with the same one, its link would be what all wait for. */
static void send_parcels(delivery *d)
{
    const int ranks = d->ctx->ranks;
    for (int k = 1; k < ranks; k++) {
        const parcel *p = &d->parcels[(d->ctx->rank + k) % ranks];
        if (p->data)
            send_parcel(d->ctx, p, d->tag, &d->outgoing);
    }
}

int cluster_exchange_sparse(bmf_context *ctx, const bmf_round *sends, uint32_t number, const bmf_transfer *transfer)
{
    static const bmf_round nothing = {0};
    bmf_cluster *cluster = ctx->backend_state;
    int64_t key = failure_key(ctx), first = key;
    if (ctx->sends_marks)
        sends = &nothing;
    for (int64_t i = 0; i < sends->count; i++)
        if (is_local(ctx, sends->message[i].to))
            cluster_copy(ctx, &sends->message[i], number, transfer);
    int64_t settling_since = cluster_collective_begin(ctx);
    if (ctx->ranks == 1) {
        const int status = cluster_settle(ctx, first);
        cluster_collective_end(ctx, backend_agreement, settling_since);
        return status;
    }
    delivery d = {.ctx = ctx, .number = number, .tag = BMF_TAG_SPARSE + cluster->sparse_tag, .transfer = transfer};
    cluster->sparse_tag ^= 1;
    d.parcels = make_parcels(ctx, sends);
    fill_parcels(ctx, sends, d.parcels, number, transfer);
    send_parcels(&d);
    d.waiting_since = ctx->run ? context_now(ctx) : 0;
    MPI_Request settling = MPI_REQUEST_NULL;
    bool is_settling = false;
    for (int done = 0, tries = 0; !done || d.arrivals > 0;) {
        int sent = 0;
        if (receive_some(&d)) {
            tries = 0;
            continue;
        }
        if (is_settling && !done) {
            MPI_Test(&settling, &done, MPI_STATUS_IGNORE);
        } else if (!done) {
            MPI_Testall(d.outgoing.count, d.outgoing.request, &sent, MPI_STATUSES_IGNORE);
            if (sent) {
                settling_since = cluster_collective_begin(ctx);
                MPI_Iallreduce(&key, &first, 1, MPI_INT64_T, MPI_MIN, ctx->comm, &settling);
                is_settling = true;
            }
        }
        if (!done || d.arrivals > 0)
            wait_step(ctx, &tries);
    }
    for (int r = 0; r < ctx->ranks; r++)
        buffer_release(d.parcels[r].buffer);
    free(d.parcels);
    free(d.arrival);
    flight_free(&d.outgoing);
    const int status = cluster_settle(ctx, first);
    cluster_collective_end(ctx, backend_agreement, settling_since);
    return status;
}
