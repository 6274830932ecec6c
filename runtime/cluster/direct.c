/* Copying directly between ranks of a host; see the header.
 *
 * Method: each end sends the other a note of where its segments are in its shared memory
 * (runtime/base/shared_memory.h), and whether it can map the other's. What both can reach is cut into pieces; either
 * end takes the next piece from a common counter and copies it, so that both cores work, one that comes late leaves the
 * work to the other, and a message is copied once. A second counter says how many bytes have arrived. The rest goes
 * through MPI. The counters are the receiver's; it uses the line again once the sender has left it. After a failure the
 * note itself is the mark.
 * Cost: one MPI message each way; each byte is read once and written once. */
#include "runtime/cluster/direct.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/copy_nontemporal.h"
#include "runtime/base/search.h"

/* Of messages beyond CACHED_BYTES nothing would be left in the caches. */
enum { PIECE = 1 << 18, PIECES_AT_ONCE = 4, CACHED_BYTES = 1 << 22, DIRECT_TAGS = 1 << 12 };

/* In the receiver's memory. */
typedef struct counters {
    _Atomic int64_t next; /* piece */
    _Atomic int64_t done; /* bytes */
    atomic_int left;      /* by the sender */
} counters;

/* One way. */
typedef struct direction {
    bmf_segment *segment; /* here */
    int64_t count, capacity;
    char **there;   /* the same in the other rank's memory; NULL: MPI moves it */
    int64_t *piece; /* the number of each segment's first piece: count + 1 values */
    int64_t bytes;  /* in pieces */
    counters *counters;
    bmf_requests flight;
} direction;

enum { OUT, IN };

struct bmf_direct {
    int peer, tag; /* of what MPI moves: notes of several rounds may be read in any order */
    direction way[2];
    int64_t
        *note[2]; /* whether it sends marks, whether it can map the other's memory, the counters for IN, the segments
                         of OUT and of IN */
    MPI_Request request[2];
    bool told; /* the other's note is here */
    bool received, sent, is_marked;
};

enum { NOTE_MARK, NOTE_MAPS, NOTE_COUNTERS, NOTE_SEGMENTS };

/* Counters of messages that were received, until their senders have left them. */
static struct {
    counters **line;
    int64_t count, capacity;
} used;

/* ---- notes ---- */

bool direct_takes(const bmf_context *ctx, const bmf_message *message, int peer)
{
    if (ctx->channel > 0) /* its rounds are in no common order, which direct copies count on */
        return false;
    return message->bytes >= BMF_DIRECT_LIMIT && ctx->shared_memory[peer].space != 0;
}

bmf_direct *direct_create(int peer)
{
    bmf_direct *direct = allocate_clear(1, (int64_t)sizeof *direct);
    direct->peer = peer;
    return direct;
}

void direct_add(bmf_direct *direct, bool sending, const bmf_segment *segment)
{
    direction *way = &direct->way[sending ? OUT : IN];
    *ARRAY_APPEND(way->segment, way->count, way->capacity) = *segment;
}

static counters *take_counters(void)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < used.count; k++) {
        if (atomic_load_explicit(&used.line[k]->left, memory_order_acquire))
            shared_memory_give_line(used.line[k]);
        else
            used.line[kept++] = used.line[k];
    }
    used.count = kept;
    return shared_memory_take_line();
}

static int64_t note_bytes(const bmf_direct *direct)
{
    return (NOTE_SEGMENTS + direct->way[OUT].count + direct->way[IN].count) * (int64_t)sizeof(int64_t);
}

void direct_start(bmf_context *ctx, bmf_direct *direct)
{
    bmf_cluster *cluster = ctx->backend_state;
    const int bytes = (int)note_bytes(direct);
    int64_t *note = direct->note[OUT] = allocate(2 * bytes), *place = note + NOTE_SEGMENTS;
    direct->note[IN] = (int64_t *)(void *)((char *)note + bytes);
    direct->tag = BMF_TAG_DIRECT + (int)(cluster->direct_rounds[direct->peer]++ % DIRECT_TAGS);
    direct->way[IN].counters = direct->way[IN].count > 0 ? take_counters() : NULL;
    note[NOTE_MARK] = ctx->sends_marks;
    note[NOTE_MAPS] = shared_memory_of(&ctx->shared_memory[direct->peer], 1) != NULL;
    note[NOTE_COUNTERS] = shared_memory_offset(direct->way[IN].counters, (int64_t)sizeof(counters));
    for (int w = OUT; w <= IN; w++)
        for (int64_t k = 0; k < direct->way[w].count; k++)
            *place++ = shared_memory_offset(direct->way[w].segment[k].data, direct->way[w].segment[k].bytes);
    atomic_thread_fence(memory_order_seq_cst); /* streamed stores too must be there before the note is */
    MPI_Irecv(direct->note[IN], bytes, MPI_BYTE, direct->peer, BMF_TAG_NOTE, ctx->comm, &direct->request[IN]);
    MPI_Isend(note, bytes, MPI_BYTE, direct->peer, BMF_TAG_NOTE, ctx->comm, &direct->request[OUT]);
}

/* Where the other rank's segments of a direction are, as it sees it OUT or IN. */
static const int64_t *their_places(const bmf_direct *direct, int way)
{
    return direct->note[IN] + NOTE_SEGMENTS + (way == IN ? 0 : direct->way[IN].count);
}

/* Cuts what both ends can reach into pieces, and leaves the rest to MPI. */
static void divide(bmf_context *ctx, const bmf_direct *direct, int w, direction *way, char *base)
{
    const int64_t *mine = direct->note[OUT] + NOTE_SEGMENTS + (w == OUT ? 0 : direct->way[OUT].count);
    const int64_t *theirs = their_places(direct, w);
    const bool marked = direct->note[w][NOTE_MARK];
    way->there = allocate(way->count * (int64_t)sizeof *way->there);
    way->piece = allocate((way->count + 1) * (int64_t)sizeof *way->piece);
    way->piece[0] = 0;
    for (int64_t k = 0; k < way->count; k++) {
        const bmf_segment *segment = &way->segment[k];
        const bool reached = base && way->counters && mine[k] >= 0 && theirs[k] >= 0, copied = reached && !marked;
        way->there[k] = copied ? base + theirs[k] : NULL;
        way->piece[k + 1] = way->piece[k] + (copied ? (segment->bytes + PIECE - 1) / PIECE : 0);
        way->bytes += copied ? segment->bytes : 0;
        if (w == OUT && (reached || marked))
            wire_count(&ctx->statistics, segment->bytes);
        else if (w == OUT)
            flight_send(ctx, &way->flight, segment->data, segment->bytes, direct->peer, direct->tag);
        else if (!reached && !marked)
            flight_receive(ctx, &way->flight, segment->data, segment->bytes, direct->peer, direct->tag);
    }
}

/* The end of what this rank needs of the other's memory. */
static int64_t end_there(const bmf_direct *direct)
{
    int64_t end = direct->note[IN][NOTE_COUNTERS] + (int64_t)sizeof(counters);
    for (int w = OUT; w <= IN; w++)
        for (int64_t k = 0; k < direct->way[w].count; k++) {
            const int64_t at = their_places(direct, w)[k] + direct->way[w].segment[k].bytes;
            end = at > end ? at : end;
        }
    return end;
}

static void hear_mark(bmf_context *ctx, bmf_direct *direct)
{
    direct->is_marked = true;
    failure_hear(ctx);
}

/* The other's note is here. */
static void read_note(bmf_context *ctx, bmf_direct *direct)
{
    const bool both = direct->note[OUT][NOTE_MAPS] && direct->note[IN][NOTE_MAPS];
    char *base = both ? shared_memory_of(&ctx->shared_memory[direct->peer], end_there(direct)) : NULL;
    const int64_t counters_there = direct->note[IN][NOTE_COUNTERS];
    if (both && !base) /* the other rank relies on it */
        out_of_memory(end_there(direct), "of addresses for the memory of another rank");
    if (base && counters_there >= 0)
        direct->way[OUT].counters = (counters *)(void *)(base + counters_there);
    for (int w = OUT; w <= IN; w++)
        divide(ctx, direct, w, &direct->way[w], base);
    direct->told = true;
    if (direct->note[IN][NOTE_MARK] && direct->way[IN].count > 0)
        hear_mark(ctx, direct);
}

/* ---- copying ---- */

/* A piece of a direction; both ends number them alike. */
static void copy_piece(const direction *way, bool sending, int64_t piece)
{
    const int64_t k = SEARCH_FIRST(s, 0, way->count, way->piece[s + 1] > piece);
    const int64_t begin = (piece - way->piece[k]) * PIECE, rest = way->segment[k].bytes - begin;
    const int64_t bytes = rest < PIECE ? rest : PIECE;
    char *here = (char *)way->segment[k].data + begin, *there = way->there[k] + begin;
    if (way->bytes > CACHED_BYTES)
        copy_nontemporal(sending ? there : here, sending ? here : there, bytes);
    else
        memcpy(sending ? there : here, sending ? here : there, (size_t)bytes);
    atomic_thread_fence(memory_order_seq_cst); /* streamed stores are not ordered otherwise */
    atomic_fetch_add_explicit(&way->counters->done, bytes, memory_order_release);
}

static bool copy_some(const direction *way, bool sending)
{
    const int64_t pieces = way->piece[way->count];
    for (int n = 0; n < PIECES_AT_ONCE; n++) {
        const int64_t piece = atomic_fetch_add_explicit(&way->counters->next, 1, memory_order_relaxed);
        if (piece >= pieces)
            return n > 0;
        copy_piece(way, sending, piece);
    }
    return true;
}

static bool copy_way(const bmf_context *ctx, const direction *way, bool sending)
{
    int copied = 0;
    if (way->bytes == 0 || atomic_load_explicit(&way->counters->next, memory_order_relaxed) >= way->piece[way->count])
        return false;
#pragma omp parallel num_threads(ctx->threads) reduction(|| : copied) if (ctx->threads > 1)
    copied = copy_some(way, sending);
    return copied;
}

/* ---- the end of a direction ---- */

/* Marks among what MPI moved: the other rank may have heard of a failure after it sent its note. */
static void look_for_marks(bmf_context *ctx, bmf_direct *direct, int requests, const MPI_Status *status)
{
    for (int k = 0; k < requests; k++) {
        int bytes;
        MPI_Get_count(&status[k], MPI_BYTE, &bytes);
        if (bytes == 0)
            hear_mark(ctx, direct);
    }
}

static bool all_moved(bmf_context *ctx, bmf_direct *direct, int w)
{
    direction *way = &direct->way[w];
    const int requests = way->flight.count;
    int moved = 1;
    if (requests > 0) {
        MPI_Status *status = allocate(requests * (int64_t)sizeof *status);
        MPI_Testall(requests, way->flight.request, &moved, status);
        if (moved && w == IN)
            look_for_marks(ctx, direct, requests, status);
        way->flight.count = moved ? 0 : requests;
        free(status);
    }
    return moved && (way->bytes == 0 || atomic_load_explicit(&way->counters->done, memory_order_acquire) == way->bytes);
}

static bool finish_sending(bmf_context *ctx, bmf_direct *direct)
{
    direction *way = &direct->way[OUT];
    int left = 1;
    if (direct->sent || !all_moved(ctx, direct, OUT))
        return false;
    MPI_Test(&direct->request[OUT], &left, MPI_STATUS_IGNORE);
    direct->sent = left;
    if (left && way->bytes > 0)
        atomic_store_explicit(&way->counters->left, 1, memory_order_release);
    return left;
}

static bool finish_receiving(bmf_context *ctx, bmf_direct *direct)
{
    direction *way = &direct->way[IN];
    if (direct->received || !all_moved(ctx, direct, IN))
        return false;
    if (way->bytes > 0)
        *ARRAY_APPEND(used.line, used.count, used.capacity) = way->counters;
    else if (way->counters)
        shared_memory_give_line(way->counters);
    direct->received = true;
    return true;
}

bool direct_progress(bmf_context *ctx, bmf_direct *direct, bool copies)
{
    if (!direct->told) {
        int here;
        MPI_Test(&direct->request[IN], &here, MPI_STATUS_IGNORE);
        if (!here)
            return false;
        read_note(ctx, direct);
    }
    const bool copied = copies && ((!direct->received && copy_way(ctx, &direct->way[IN], false)) ||
                                   (!direct->sent && copy_way(ctx, &direct->way[OUT], true)));
    const bool received = finish_receiving(ctx, direct), sent = finish_sending(ctx, direct);
    return copied || received || sent;
}

bool direct_received(const bmf_direct *direct)
{
    return direct->received;
}

bool direct_sent(const bmf_direct *direct)
{
    return direct->sent;
}

bool direct_is_marked(const bmf_direct *direct)
{
    return direct->is_marked;
}

void direct_free(bmf_direct *direct)
{
    for (int w = OUT; w <= IN; w++) {
        free(direct->way[w].segment);
        free(direct->way[w].there);
        free(direct->way[w].piece);
        flight_free(&direct->way[w].flight);
    }
    free(direct->note[OUT]);
    free(direct);
}
