/* Ragged exchange; see parcels.h.
 *
 * Method: a message's parcels go out as the few contiguous pieces they lie in, or are joined to one when those are too
 * many. A received message is one buffer, cut into parcels by their sizes after the round.
 * Cost: 8 bytes more than the data for each parcel of elements with inner lists; one copy when a message's parcels lie
 * in more than BMF_MAX_SEGMENTS pieces. */
#include "skeletons/engine/parcels.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/array.h"
#include "runtime/base/search.h"
#include "skeletons/engine/move.h"

typedef struct bmf_arrival {
    char *at;
    int64_t first, end; /* parcels */
} bmf_arrival;

/* Bytes of the size that stands before what a parcel carries. */
static int64_t header_bytes(const bmf_parcels *parcels)
{
    return parcels->element_bytes == BMF_BYTES_UNKNOWN ? (int64_t)sizeof(int64_t) : 0;
}

void parcels_open(bmf_parcels *parcels, bmf_context *ctx, const bmf_type *type, int64_t count)
{
    *parcels = (bmf_parcels){.ctx = ctx, .count = count};
    parcels->element_bytes = bmf_type_is_fixed(type) ? type_element_bytes(type) : BMF_BYTES_UNKNOWN;
    parcels->parcel = allocate_clear(count + 1, (int64_t)sizeof *parcels->parcel);
}

void parcels_close(bmf_parcels *parcels)
{
    for (int64_t b = 0; b < parcels->buffers; b++)
        free(parcels->buffer[b]);
    free(parcels->buffer);
    free(parcels->arrival);
    free(parcels->parcel);
    *parcels = (bmf_parcels){0};
}

int64_t parcels_find(const bmf_parcels *parcels, int64_t element)
{
    return parcels->start ? first_not_below(parcels->start, parcels->count, element) : element;
}

const char *parcel_data(const bmf_parcels *parcels, int64_t p)
{
    return parcels->parcel[p].at + header_bytes(parcels);
}

/* ---- packing ---- */

char *parcels_reserve(bmf_parcels *parcels, int64_t bytes)
{
    char *buffer = allocate(bytes);
    *ARRAY_APPEND(parcels->buffer, parcels->buffers, parcels->capacity) = buffer;
    return buffer;
}

int64_t parcel_bytes(const bmf_parcels *parcels, const bmf_column *column, int64_t begin, int64_t end)
{
    return header_bytes(parcels) + column_packed_bytes(column, begin, end);
}

void parcels_pack_at(bmf_parcels *parcels, int64_t p, const bmf_column *column, int64_t begin, int64_t end, char *at,
                     int64_t bytes)
{
    const int64_t header = header_bytes(parcels), payload = bytes - header;
    memcpy(at, &payload, (size_t)header);
    column_pack(column, begin, end, at + header);
    parcels->parcel[p] = (bmf_parcel){at, bytes};
}

void parcels_pack(bmf_parcels *parcels, int64_t p, const bmf_column *column, int64_t begin, int64_t end)
{
    int64_t bytes = parcel_bytes(parcels, column, begin, end);
    parcels_pack_at(parcels, p, column, begin, end, parcels_reserve(parcels, bytes), bytes);
}

void parcels_copy(bmf_parcels *parcels, int64_t from, int64_t to)
{
    parcels->parcel[to] = parcels->parcel[from];
}

/* ---- one round ---- */

/* Contiguous pieces of packed parcels as segments; returns their number, which may be more than fit. */
static int64_t list_segments(const bmf_parcels *parcels, int64_t first, int64_t end, bmf_segment *segment)
{
    int64_t segments = 0;
    const char *expected = NULL;
    for (int64_t p = first; p < end; p++) {
        const bmf_parcel *next = &parcels->parcel[p];
        if (next->at != expected && segments++ < BMF_MAX_SEGMENTS)
            segment[segments - 1] = (bmf_segment){next->at, 0};
        if (segments <= BMF_MAX_SEGMENTS)
            segment[segments - 1].bytes += next->bytes;
        expected = next->at + next->bytes;
    }
    return segments;
}

static void join(bmf_parcels *parcels, int64_t first, int64_t end)
{
    int64_t bytes = 0;
    for (int64_t p = first; p < end; p++)
        bytes += parcels->parcel[p].bytes;
    char *at = parcels_reserve(parcels, bytes);
    for (int64_t p = first; p < end; p++) {
        memcpy(at, parcels->parcel[p].at, (size_t)parcels->parcel[p].bytes);
        parcels->parcel[p].at = at;
        at += parcels->parcel[p].bytes;
    }
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    bmf_parcels *parcels = state;
    int64_t first = parcels_find(parcels, message->first);
    int64_t end = parcels_find(parcels, message->first + message->count);
    if (parcels->prepare && !parcels->prepare(parcels, message, first, end))
        return 0;
    int64_t segments = list_segments(parcels, first, end, segment);
    if (segments > BMF_MAX_SEGMENTS) {
        join(parcels, first, end);
        segments = list_segments(parcels, first, end, segment);
    }
    return (int)segments;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    bmf_parcels *parcels = state;
    if (is_local(parcels->ctx, message->from))
        return outgoing(state, message, segment); /* this rank has it already */
    if (message->bytes == 0)
        return 0;
    segment[0] = (bmf_segment){parcels_reserve(parcels, message->bytes), message->bytes};
    bmf_arrival arrival = {segment[0].data, parcels_find(parcels, message->first),
                           parcels_find(parcels, message->first + message->count)};
    *ARRAY_APPEND(parcels->arrival, parcels->arrivals, parcels->arrival_capacity) = arrival;
    return 1;
}

/* Of a parcel that has arrived, with its size. */
static int64_t arrived_bytes(const bmf_parcels *parcels, int64_t p, const char *at)
{
    int64_t payload;
    if (parcels->element_bytes != BMF_BYTES_UNKNOWN)
        return parcels->element_bytes * (parcels->start ? parcels->start[p + 1] - parcels->start[p] : 1);
    memcpy(&payload, at, sizeof payload);
    return header_bytes(parcels) + payload;
}

static void cut_arrivals(bmf_parcels *parcels)
{
    for (int64_t a = 0; a < parcels->arrivals; a++) {
        char *at = parcels->arrival[a].at;
        for (int64_t p = parcels->arrival[a].first; p < parcels->arrival[a].end; p++) {
            parcels->parcel[p] = (bmf_parcel){at, arrived_bytes(parcels, p, at)};
            at += parcels->parcel[p].bytes;
        }
    }
    parcels->arrivals = 0;
}

int parcels_exchange(bmf_parcels *parcels, const bmf_round *round, uint32_t number)
{
    bmf_transfer transfer = {outgoing, incoming, parcels};
    BMF_TRY(parcels->ctx->backend->exchange(parcels->ctx, round, number, &transfer));
    cut_arrivals(parcels);
    return BMF_OK;
}

int parcels_begin(bmf_parcels *parcels, const bmf_round *round, uint32_t number, bmf_exchange **under_way)
{
    bmf_transfer transfer = {outgoing, incoming, parcels};
    return backend_exchange_begin(parcels->ctx, round, number, &transfer, under_way);
}

int parcels_end(bmf_parcels *parcels, bmf_exchange *under_way)
{
    BMF_TRY(backend_exchange_end(parcels->ctx, under_way));
    cut_arrivals(parcels);
    return BMF_OK;
}

int parcels_deliver(bmf_parcels *parcels, const bmf_round *sends, uint32_t number)
{
    bmf_transfer transfer = {outgoing, incoming, parcels};
    BMF_TRY(parcels->ctx->backend->exchange_sparse(parcels->ctx, sends, number, &transfer));
    cut_arrivals(parcels);
    return BMF_OK;
}
