/* One round of messages whose receivers know their senders.
 *
 * Messages between two ranks are grouped: the small ones travel together in one MPI message, every large one goes
 * straight from and to the caller's memory, segment by segment, by MPI or, between ranks that can map each other's
 * memory, directly (runtime/cluster/direct.h). Both sides see the same messages in the same order and so group alike.
 * Messages of unknown size all travel together behind a header of their sizes.
 * After a failure (runtime/context/failure.h) the same MPI messages are sent, but empty: those are the marks. What came
 * as a mark is not unpacked.
 * Receives are posted before sends, or looked for where sizes are unknown; one wait that backs off ends the round. A
 * round may be left under way; it is unpacked and recorded only when it is ended, so that its events do not cut into
 * those of what is computed meanwhile. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/search.h"
#include "runtime/cluster/direct.h"
#include "runtime/backend/wait.h"

/* Remote messages of a round in one direction, ordered by peer rank and then as in the round. */
typedef struct remote {
    const bmf_message *message;
    int peer;
} remote;

/* What one peer gets or sends: messages [first, first + count), packed part in `packed`. */
typedef struct peer_group {
    int peer;
    int64_t first, count;
    int64_t packed_bytes;
    char *packed;
    int request_first, request_count; /* requests in the flight that end this group */
    int open_requests;
    bool is_marked;     /* the peer sent marks */
    bool finished;      /* receiving: unpacked */
    bmf_direct *direct; /* that carries long messages of the group, or NULL */
} peer_group;

typedef struct side {
    remote *remote;
    int64_t count;
    peer_group *group;
    int64_t groups;
} side;

static int by_peer(const void *a, const void *b)
{
    const remote *x = a, *y = b;
    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    return x->message < y->message ? -1 : x->message > y->message;
}

/* Picks the remote messages of one direction and groups them. */
static side make_side(const bmf_context *ctx, const bmf_round *round, bool sending)
{
    side made = {0};
    bool sorted = true;
    for (int64_t i = 0; i < round->count; i++) {
        const bmf_message *m = &round->message[i];
        made.count += is_local(ctx, sending ? m->from : m->to) && !is_local(ctx, sending ? m->to : m->from);
    }
    if (made.count == 0)
        return made;
    made.remote = allocate(made.count * (int64_t)sizeof(remote));
    made.group = allocate_clear(made.count, (int64_t)sizeof(peer_group));
    for (int64_t i = 0, n = 0; i < round->count; i++) {
        const bmf_message *m = &round->message[i];
        int64_t here = sending ? m->from : m->to, there = sending ? m->to : m->from;
        if (!is_local(ctx, here) || is_local(ctx, there))
            continue;
        made.remote[n] = (remote){m, bmf_rank_of(ctx, there)};
        sorted = sorted && (n == 0 || made.remote[n - 1].peer <= made.remote[n].peer);
        n++;
    }
    if (!sorted)
        qsort(made.remote, (size_t)made.count, sizeof(remote), by_peer);
    for (int64_t i = 0; i < made.count; i++) {
        const bmf_message *m = made.remote[i].message;
        peer_group *group = made.groups ? &made.group[made.groups - 1] : NULL;
        if (!group || group->peer != made.remote[i].peer) {
            group = &made.group[made.groups++];
            *group = (peer_group){.peer = made.remote[i].peer, .first = i};
        }
        group->count++;
        if (wire_packs(m) && m->bytes > 0)
            group->packed_bytes += m->bytes;
    }
    return made;
}

/* The k-th group in the order of posting: every rank begins with the next higher one, so that they do not all begin
 * with the lowest. */
static peer_group *in_turn(const bmf_context *ctx, const side *made, int64_t k)
{
    const int64_t first = SEARCH_FIRST(g, 0, made->groups, made->group[g].peer >= ctx->rank);
    return &made->group[(first + k) % made->groups];
}

static void free_side(side *made)
{
    for (int64_t g = 0; g < made->groups; g++)
        free(made->group[g].packed);
    free(made->group);
    free(made->remote);
}

static int64_t segments_bytes(const bmf_segment *segment, int segments)
{
    int64_t bytes = 0;
    for (int s = 0; s < segments; s++)
        bytes += segment[s].bytes;
    return bytes;
}

static char *copy_out(char *to, const bmf_segment *segment, int segments)
{
    for (int s = 0; s < segments; s++) {
        memcpy(to, segment[s].data, (size_t)segment[s].bytes);
        to += segment[s].bytes;
    }
    return to;
}

static const char *copy_in(const char *from, const bmf_segment *segment, int segments)
{
    for (int s = 0; s < segments; s++) {
        memcpy(segment[s].data, from, (size_t)segment[s].bytes);
        from += segment[s].bytes;
    }
    return from;
}

static void record_send(bmf_context *ctx, const bmf_message *m, int64_t begin, int64_t bytes, uint32_t number)
{
    cluster_count(ctx, m, bytes);
    if (ctx->run)
        cluster_event(ctx, BMF_EVENT_SEND, m->from, begin, context_now(ctx), bytes, m->to, number, 0);
}

static void record_receive(bmf_context *ctx, const bmf_message *m, int64_t begin, int64_t bytes, uint32_t number)
{
    if (ctx->run)
        cluster_event(ctx, BMF_EVENT_RECEIVE, m->to, begin, context_now(ctx), bytes, m->from, number, 0);
}

/* The sends' last wait, on the lanes that sent. */
static void record_wait(bmf_context *ctx, const side *sends, int64_t begin, uint32_t number)
{
    int64_t end = context_now(ctx), last = -1;
    for (int64_t i = 0; ctx->run && i < sends->count; i++) {
        int64_t lane = sends->remote[i].message->from;
        if (lane != last)
            cluster_event(ctx, BMF_EVENT_WAIT, lane, begin, end, 0, -1, number, 0);
        last = lane;
    }
}

/* What a peer sends in a round of unknown sizes. */
typedef enum unknown_state {
    UNKNOWN_EXPECTED,
    UNKNOWN_BEGINNING, /* on its way */
    UNKNOWN_REST,      /* on its way, if there is more */
    UNKNOWN_HERE,
    UNKNOWN_DONE /* unpacked */
} unknown_state;

typedef struct unknown_group {
    unknown_state state;
    char *packed;
    int first_bytes; /* that it begins with */
    bmf_requests flight;
} unknown_group;

struct bmf_exchange {
    uint32_t number;
    bmf_transfer transfer;
    side receives, sends;
    bmf_requests outgoing;
    /* of unknown sizes: one for each group that is received; otherwise NULL */
    unknown_group *unknown;
    int tag;
    /* of known sizes */
    bmf_requests incoming;
    int *group_of; /* of each incoming request */
    int *finished; /* room for as many */
    MPI_Status *status;
    bmf_direct **direct;
    int64_t directs, direct_capacity;
};

/* ---- sizes known ---- */

/* What is copied directly between this rank and another in this round. */
static bmf_direct *direct_with(bmf_exchange *x, peer_group *group)
{
    for (int64_t k = 0; k < x->receives.groups && !group->direct; k++)
        if (x->receives.group[k].peer == group->peer)
            group->direct = x->receives.group[k].direct;
    if (!group->direct)
        *ARRAY_APPEND(x->direct, x->directs, x->direct_capacity) = group->direct = direct_create(group->peer);
    return group->direct;
}

static void post_receives(bmf_context *ctx, bmf_exchange *x)
{
    bmf_segment segment[BMF_MAX_SEGMENTS];
    const bmf_transfer *transfer = &x->transfer;
    side *receives = &x->receives;
    bmf_requests *flight = &x->incoming;
    for (int64_t k = 0; k < receives->groups; k++) {
        peer_group *group = in_turn(ctx, receives, k);
        group->request_first = flight->count;
        if (group->packed_bytes > 0) {
            group->packed = allocate(group->packed_bytes);
            flight_receive(ctx, flight, group->packed, group->packed_bytes, group->peer, cluster_exchange_tag(ctx));
        }
        for (int64_t i = group->first; i < group->first + group->count; i++) {
            if (wire_packs(receives->remote[i].message))
                continue;
            const bool direct = direct_takes(ctx, receives->remote[i].message, group->peer);
            int segments = transfer->incoming(transfer->state, receives->remote[i].message, segment);
            for (int s = 0; s < segments; s++) {
                if (direct)
                    direct_add(direct_with(x, group), false, &segment[s]);
                else
                    flight_receive(ctx, flight, segment[s].data, segment[s].bytes, group->peer,
                                   cluster_exchange_tag(ctx));
            }
        }
        group->open_requests = group->request_count = flight->count - group->request_first;
    }
}

static void post_sends(bmf_context *ctx, bmf_exchange *x)
{
    bmf_segment segment[BMF_MAX_SEGMENTS];
    const bmf_transfer *transfer = &x->transfer;
    side *sends = &x->sends;
    bmf_requests *flight = &x->outgoing;
    for (int64_t k = 0; k < sends->groups; k++) {
        peer_group *group = in_turn(ctx, sends, k);
        group->packed = allocate(group->packed_bytes);
        char *to = group->packed;
        for (int64_t i = group->first; i < group->first + group->count; i++) {
            const bmf_message *m = sends->remote[i].message;
            int64_t begin = ctx->run ? context_now(ctx) : 0;
            if (!wire_packs(m))
                continue;
            if (!ctx->sends_marks)
                to = copy_out(to, segment, transfer->outgoing(transfer->state, m, segment));
            record_send(ctx, m, begin, m->bytes, x->number);
        }
        flight_send(ctx, flight, group->packed, group->packed_bytes, group->peer, cluster_exchange_tag(ctx));
        for (int64_t i = group->first; i < group->first + group->count; i++) {
            const bmf_message *m = sends->remote[i].message;
            int64_t begin = ctx->run ? context_now(ctx) : 0;
            if (wire_packs(m))
                continue;
            const bool direct = direct_takes(ctx, m, group->peer);
            int segments = transfer->outgoing(transfer->state, m, segment);
            for (int s = 0; s < segments; s++) {
                if (direct)
                    direct_add(direct_with(x, group), true, &segment[s]);
                else
                    flight_send(ctx, flight, segment[s].data, segment[s].bytes, group->peer, cluster_exchange_tag(ctx));
            }
            record_send(ctx, m, begin, m->bytes, x->number);
        }
    }
}

/* Unpacks and records what one peer sent, if everything is here. */
static void finish_group(bmf_context *ctx, bmf_exchange *x, peer_group *group, int64_t waiting_since)
{
    bmf_segment segment[BMF_MAX_SEGMENTS];
    const bmf_transfer *transfer = &x->transfer;
    const char *from = group->packed;
    if (group->finished || group->open_requests > 0 || (group->direct && !direct_received(group->direct)))
        return;
    group->is_marked = group->is_marked || (group->direct && direct_is_marked(group->direct));
    for (int64_t i = group->first; i < group->first + group->count; i++) {
        const bmf_message *m = x->receives.remote[i].message;
        if (wire_packs(m) && !group->is_marked)
            from = copy_in(from, segment, transfer->incoming(transfer->state, m, segment));
        record_receive(ctx, m, waiting_since, m->bytes, x->number);
    }
    group->finished = true;
}

static void begin_known(bmf_context *ctx, bmf_exchange *x)
{
    post_receives(ctx, x);
    post_sends(ctx, x);
    for (int64_t k = 0; k < x->directs; k++)
        direct_start(ctx, x->direct[k]);
    x->group_of = allocate(2 * x->incoming.count * (int64_t)sizeof(int));
    x->finished = x->group_of + x->incoming.count;
    x->status = allocate(x->incoming.count * (int64_t)sizeof *x->status);
    for (int64_t g = 0; g < x->receives.groups; g++) {
        const peer_group *group = &x->receives.group[g];
        for (int k = 0; k < group->request_count; k++)
            x->group_of[group->request_first + k] = (int)g;
    }
}

/* The k-th of the incoming requests that have just finished. */
static void note_arrival(bmf_context *ctx, bmf_exchange *x, int k)
{
    peer_group *group = &x->receives.group[x->group_of[x->finished[k]]];
    int bytes;
    MPI_Get_count(&x->status[k], MPI_CHAR, &bytes);
    group->open_requests--;
    if (bytes == 0) {
        group->is_marked = true;
        failure_hear(ctx);
    }
}

/* Goes on without waiting. True: something was done; *open: whether there is more to come. */
static bool progress_known(bmf_context *ctx, bmf_exchange *x, bool copies, bool *open)
{
    int count = 0, sent = 1;
    bool moved = false;
    MPI_Testsome(x->incoming.count, x->incoming.request, &count, x->finished, x->status);
    *open = count != MPI_UNDEFINED;
    for (int k = 0; k < count; k++)
        note_arrival(ctx, x, k);
    for (int64_t k = 0; k < x->directs; k++) {
        moved |= direct_progress(ctx, x->direct[k], copies);
        *open = *open || !direct_received(x->direct[k]) || !direct_sent(x->direct[k]);
    }
    if (!*open)
        MPI_Testall(x->outgoing.count, x->outgoing.request, &sent, MPI_STATUSES_IGNORE);
    *open = *open || !sent;
    return moved || count > 0;
}

/* ---- sizes known to the senders only ---- */

/* Bytes that messages to one rank have to begin with: larger blocks take long to make. */
enum { FIRST_PACKED = 8 << 10 };

/* Header: the sizes of the group's messages, then their payloads. */
static int64_t pack_unknown(bmf_context *ctx, side *sends, peer_group *group, uint32_t number,
                            const bmf_transfer *transfer)
{
    bmf_segment segment[BMF_MAX_SEGMENTS];
    int64_t header = wire_sizes_header(group->count), total = header, capacity = header + FIRST_PACKED;
    group->packed = allocate(capacity);
    for (int64_t i = 0; i < group->count; i++) {
        const bmf_message *m = sends->remote[group->first + i].message;
        int64_t begin = ctx->run ? context_now(ctx) : 0;
        int segments = transfer->outgoing(transfer->state, m, segment);
        int64_t bytes = segments_bytes(segment, segments);
        if (total + bytes > capacity) {
            capacity = 2 * (total + bytes);
            group->packed = reallocate(group->packed, total, capacity);
        }
        memcpy(group->packed + i * (int64_t)sizeof(int64_t), &bytes, sizeof bytes);
        copy_out(group->packed + total, segment, segments);
        total += bytes;
        record_send(ctx, m, begin, bytes, number);
    }
    return total;
}

static bool test_all(bmf_requests *flight)
{
    int done = 1;
    MPI_Testall(flight->count, flight->request, &done, MPI_STATUSES_IGNORE);
    return done;
}

/* Receives what a message begins with, if it has arrived. */
static bool receive_beginning(bmf_context *ctx, unknown_group *group, int peer, int tag)
{
    MPI_Message found;
    MPI_Status status;
    int arrived;
    MPI_Improbe(peer, tag, ctx->comm, &arrived, &found, &status);
    if (!arrived)
        return false;
    MPI_Get_count(&status, MPI_CHAR, &group->first_bytes);
    group->packed = allocate(group->first_bytes);
    MPI_Imrecv(group->packed, group->first_bytes, MPI_CHAR, &found, flight_slot(&group->flight));
    return true;
}

/* The beginning, which has the sizes, is here: the rest is received. An empty one is a mark. */
static void receive_rest(bmf_context *ctx, unknown_group *group, int peer, int64_t messages, int tag)
{
    int64_t size, total = wire_sizes_header(messages);
    flight_free(&group->flight);
    group->flight = (bmf_requests){0};
    if (group->first_bytes == 0) {
        failure_hear(ctx);
        return;
    }
    for (int64_t i = 0; i < messages; i++) {
        memcpy(&size, group->packed + i * (int64_t)sizeof size, sizeof size);
        total += size;
    }
    if (total > group->first_bytes) {
        group->packed = reallocate(group->packed, group->first_bytes, total);
        flight_receive(ctx, &group->flight, group->packed + group->first_bytes, total - group->first_bytes, peer, tag);
    }
}

/* Goes on with what a peer sends, without waiting. True: something was done. */
static bool progress_group(bmf_context *ctx, bmf_exchange *x, int64_t g)
{
    unknown_group *group = &x->unknown[g];
    const peer_group *peer = &x->receives.group[g];
    switch (group->state) {
    case UNKNOWN_EXPECTED:
        if (!receive_beginning(ctx, group, peer->peer, x->tag))
            return false;
        group->state = UNKNOWN_BEGINNING;
        return true;
    case UNKNOWN_BEGINNING:
        if (!test_all(&group->flight))
            return false;
        receive_rest(ctx, group, peer->peer, peer->count, x->tag);
        group->state = UNKNOWN_REST;
        return true;
    case UNKNOWN_REST:
        if (!test_all(&group->flight))
            return false;
        group->state = UNKNOWN_HERE;
        return true;
    default:
        return false;
    }
}

/* As progress, for a round of unknown sizes. */
static bool progress_unknown(bmf_context *ctx, bmf_exchange *x, bool *open)
{
    bool moved = false;
    *open = false;
    for (int64_t g = 0; g < x->receives.groups; g++) {
        moved |= progress_group(ctx, x, g);
        *open = *open || x->unknown[g].state < UNKNOWN_HERE;
    }
    if (!*open)
        *open = !test_all(&x->outgoing);
    return moved;
}

/* Unpacks and records what a peer has sent, if it is here. */
static void finish_unknown(bmf_context *ctx, bmf_exchange *x, int64_t g, int64_t waiting_since)
{
    unknown_group *group = &x->unknown[g];
    const peer_group *peer = &x->receives.group[g];
    if (group->state != UNKNOWN_HERE)
        return;
    const char *from = group->packed + wire_sizes_header(peer->count);
    for (int64_t i = 0; i < peer->count && group->first_bytes > 0; i++) {
        bmf_segment segment[BMF_MAX_SEGMENTS];
        bmf_message sized = *x->receives.remote[peer->first + i].message;
        memcpy(&sized.bytes, group->packed + i * (int64_t)sizeof sized.bytes, sizeof sized.bytes);
        from = copy_in(from, segment, x->transfer.incoming(x->transfer.state, &sized, segment));
        record_receive(ctx, &sized, waiting_since, sized.bytes, x->number);
    }
    flight_free(&group->flight);
    free(group->packed);
    group->state = UNKNOWN_DONE;
}

static void begin_unknown(bmf_context *ctx, bmf_exchange *x)
{
    x->tag = cluster_exchange_tag(ctx);
    x->unknown = allocate_clear(x->receives.groups + 1, (int64_t)sizeof *x->unknown);
    for (int64_t g = 0; g < x->sends.groups; g++) {
        peer_group *group = &x->sends.group[g];
        const int64_t bytes = ctx->sends_marks ? 1 : pack_unknown(ctx, &x->sends, group, x->number, &x->transfer);
        flight_send(ctx, &x->outgoing, group->packed, bytes, group->peer, x->tag);
    }
}

/* ---- both ---- */

/* Messages that stay on this rank. */
static void copy_local(bmf_context *ctx, const bmf_round *round, uint32_t number, const bmf_transfer *transfer)
{
    for (int64_t i = 0; i < round->count && !ctx->sends_marks; i++)
        if (is_local(ctx, round->message[i].from) && is_local(ctx, round->message[i].to))
            cluster_copy(ctx, &round->message[i], number, transfer);
}

int cluster_exchange_begin(bmf_context *ctx, const bmf_round *round, uint32_t number, const bmf_transfer *transfer,
                           bmf_exchange **under_way)
{
    bmf_exchange *x = *under_way = allocate_clear(1, (int64_t)sizeof *x);
    x->number = number;
    x->transfer = *transfer;
    x->receives = make_side(ctx, round, false);
    x->sends = make_side(ctx, round, true);
    if (round->count > 0 && round->message[0].bytes == BMF_BYTES_UNKNOWN)
        begin_unknown(ctx, x);
    else
        begin_known(ctx, x);
    copy_local(ctx, round, number, transfer);
    return BMF_OK;
}

static bool progress(bmf_context *ctx, bmf_exchange *x, bool copies, bool *open)
{
    return x->unknown ? progress_unknown(ctx, x, open) : progress_known(ctx, x, copies, open);
}

bool cluster_exchange_progress(bmf_context *ctx, bmf_exchange *x)
{
    bool open;
    progress(ctx, x, false, &open);
    return !open;
}

static void free_exchange(bmf_exchange *x)
{
    for (int64_t k = 0; k < x->directs; k++)
        direct_free(x->direct[k]);
    free(x->direct);
    free(x->group_of);
    free(x->status);
    free(x->unknown);
    flight_free(&x->incoming);
    flight_free(&x->outgoing);
    free_side(&x->receives);
    free_side(&x->sends);
    free(x);
}

int cluster_exchange_end(bmf_context *ctx, bmf_exchange *x)
{
    int64_t waiting_since = ctx->run ? context_now(ctx) : 0;
    bool open = true;
    for (int tries = 0; open;) {
        if (progress(ctx, x, true, &open))
            tries = 0;
        else if (open)
            wait_step(ctx, &tries);
        for (int64_t g = 0; g < x->receives.groups; g++)
            if (x->unknown)
                finish_unknown(ctx, x, g, waiting_since);
            else
                finish_group(ctx, x, &x->receives.group[g], waiting_since);
    }
    record_wait(ctx, &x->sends, waiting_since, x->number);
    free_exchange(x);
    return BMF_OK;
}

int cluster_exchange(bmf_context *ctx, const bmf_round *round, uint32_t number, const bmf_transfer *transfer)
{
    bmf_exchange *under_way;
    BMF_TRY(cluster_exchange_begin(ctx, round, number, transfer, &under_way));
    return cluster_exchange_end(ctx, under_way);
}
