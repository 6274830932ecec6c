/* Point-to-point operations between ranks 0 and 1, with nobody else at work.
 *
 * Method: both sides start together, after a rest. `send`, `recv`, .. report how long the caller is in the call.
 * recvmin delays the receiver to three times what a message takes, so that it has arrived as far as MPI lets it. A
 * non-blocking operation has three parts, measured in different repetitions: posting, waiting right after, and the
 * useful time that fits between the two, found by working in quanta and testing after each.
 * Source: document 001, 3.4 and appendix B (notes on using the data sheet). */
#include <math.h>
#include <stdlib.h>

#include "predict/measure/measure_private.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/clock.h"
#include "runtime/backend/wait.h"

enum { SENDER = 0, RECEIVER = 1, TAG = 1 };

typedef enum pair_kind {
    SEND,
    SSEND,
    RSEND,
    RECV,
    RECVMIN,
    ISEND1,
    ISEND2,
    ISENDOVERLAP,
    IRECV1,
    IRECV2,
    IRECVOVERLAP,
    SENDRECV,
    PINGPONG
} pair_kind;

typedef struct pair {
    void *buffer, *other; /* sent, or received; `other`: received in sendrecv and pingpong */
    MPI_Request request;  /* rsend: of the receive posted before */
    int64_t transit;      /* ns of a message */
} pair;

static const int64_t QUANTUM = 200, SLACK = 20000; /* ns */
/* The network rests before a repetition, this many times what a message takes, and at most so long: links that are
 * limited by a token bucket pass some work at once only after a pause. */
enum { REST = 16 };
static const int64_t LONGEST_REST = 2000000;

static int count_of(const measure_site *site)
{
    return (int)site->elements;
}

/* ---- calls, blocking or not ---- */

static void post_send(const measure_site *site, pair_kind kind, const void *data, MPI_Request *request)
{
    const int peer = 1 - site->ctx->rank, count = count_of(site);
    if (kind == SSEND)
        MPI_Issend(data, count, MPI_INT64_T, peer, TAG, site->ctx->comm, request);
    else if (kind == RSEND)
        MPI_Irsend(data, count, MPI_INT64_T, peer, TAG, site->ctx->comm, request);
    else
        MPI_Isend(data, count, MPI_INT64_T, peer, TAG, site->ctx->comm, request);
}

static void post_receive(const measure_site *site, void *data, MPI_Request *request)
{
    MPI_Irecv(data, count_of(site), MPI_INT64_T, 1 - site->ctx->rank, TAG, site->ctx->comm, request);
}

static void send(const measure_site *site, pair_kind kind, const void *data)
{
    const int peer = 1 - site->ctx->rank, count = count_of(site);
    if (site->ctx->oversubscribed) {
        MPI_Request request;
        post_send(site, kind, data, &request);
        measure_wait(site, &request);
    } else if (kind == SSEND) {
        MPI_Ssend(data, count, MPI_INT64_T, peer, TAG, site->ctx->comm);
    } else if (kind == RSEND) {
        MPI_Rsend(data, count, MPI_INT64_T, peer, TAG, site->ctx->comm);
    } else {
        MPI_Send(data, count, MPI_INT64_T, peer, TAG, site->ctx->comm);
    }
}

static void receive(const measure_site *site, void *data)
{
    if (site->ctx->oversubscribed) {
        MPI_Request request;
        post_receive(site, data, &request);
        measure_wait(site, &request);
    } else {
        MPI_Recv(data, count_of(site), MPI_INT64_T, 1 - site->ctx->rank, TAG, site->ctx->comm, MPI_STATUS_IGNORE);
    }
}

static void exchange(const measure_site *site, const pair *p)
{
    const int peer = 1 - site->ctx->rank, count = count_of(site);
    if (site->ctx->oversubscribed) {
        MPI_Request request[2];
        post_receive(site, p->other, &request[0]);
        post_send(site, SEND, p->buffer, &request[1]);
        wait_all(site->ctx, 2, request);
    } else {
        MPI_Sendrecv(p->buffer, count, MPI_INT64_T, peer, TAG, p->other, count, MPI_INT64_T, peer, TAG, site->ctx->comm,
                     MPI_STATUS_IGNORE);
    }
}

/* ---- parts of non-blocking operations ---- */

/* Useful time until the request is done: all time that is not spent in MPI_Test. */
static double overlap(const measure_site *site, MPI_Request *request)
{
    int64_t useful = 0;
    int done = 0, tries = 0;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    while (!done) {
        const int64_t begin = monotonic_ns();
        while (monotonic_ns() - begin < QUANTUM)
            ;
        wait_step(site->ctx, &tries);
        useful += monotonic_ns() - begin;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    return 1e-9 * (double)useful;
}

/* Posts by `post`, and reports the part: 0 posting, 1 waiting, 2 overlap. */
static void time_parts(measure_site *site, MPI_Request *request, int part, double posted)
{
    if (part == 2) {
        site->seconds = overlap(site, request);
        return;
    }
    const int64_t begin = monotonic_ns();
    measure_wait(site, request);
    site->seconds = part == 0 ? posted : 1e-9 * (double)(monotonic_ns() - begin);
}

static void time_isend(measure_site *site, const pair *p, int part)
{
    MPI_Request request;
    const int64_t begin = monotonic_ns();
    post_send(site, SEND, p->buffer, &request);
    time_parts(site, &request, part, 1e-9 * (double)(monotonic_ns() - begin));
}

static void time_irecv(measure_site *site, const pair *p, int part)
{
    MPI_Request request;
    const int64_t begin = monotonic_ns();
    post_receive(site, p->buffer, &request);
    time_parts(site, &request, part, 1e-9 * (double)(monotonic_ns() - begin));
}

/* ---- the two sides ---- */

static void run_sender(measure_site *site, const pair *p, pair_kind kind)
{
    switch (kind) {
    case ISEND1:
    case ISEND2:
    case ISENDOVERLAP:
        time_isend(site, p, (int)kind - ISEND1);
        return;
    case RECV:
    case RECVMIN:
    case IRECV1:
    case IRECV2:
    case IRECVOVERLAP:
        send(site, SEND, p->buffer);
        site->seconds = MEASURE_SILENT;
        return;
    default:
        send(site, kind, p->buffer);
    }
}

static void run_receiver(measure_site *site, pair *p, pair_kind kind)
{
    int64_t begin;
    switch (kind) {
    case IRECV1:
    case IRECV2:
    case IRECVOVERLAP:
        time_irecv(site, p, (int)kind - IRECV1);
        return;
    case RECV:
        receive(site, p->buffer);
        return;
    case RECVMIN:
        measure_delay(site, 3 * p->transit + SLACK);
        begin = monotonic_ns();
        receive(site, p->buffer);
        site->seconds = 1e-9 * (double)(monotonic_ns() - begin);
        return;
    case RSEND:
        measure_wait(site, &p->request);
        break;
    default:
        receive(site, p->buffer);
    }
    site->seconds = MEASURE_SILENT;
}

static void run_pingpong(measure_site *site, const pair *p)
{
    if (site->ctx->rank == SENDER) {
        send(site, SEND, p->buffer);
        receive(site, p->other);
    } else {
        receive(site, p->other);
        send(site, SEND, p->buffer);
        site->seconds = MEASURE_SILENT;
    }
}

/* ---- the first message of a process ----
 *
 * It is there once: what is reported again and again is how much longer than the next one it took. */

static double first_message; /* seconds; one way */

static double ping_pong(bmf_context *ctx)
{
    int64_t word = 0;
    MPI_Request request;
    const int64_t begin = monotonic_ns();
    for (int turn = 0; turn < 2; turn++) {
        if (turn == ctx->rank)
            MPI_Isend(&word, 1, MPI_INT64_T, 1 - ctx->rank, TAG, ctx->comm, &request);
        else
            MPI_Irecv(&word, 1, MPI_INT64_T, 1 - ctx->rank, TAG, ctx->comm, &request);
        wait_all(ctx, 1, &request);
    }
    return 1e-9 * (double)(monotonic_ns() - begin);
}

void measure_first_message(bmf_context *ctx)
{
    static bool measured; /* once a process, on all ranks */
    if (measured)
        return;
    measured = true;
    bmf_barrier(ctx);
    if (ctx->ranks < 2 || ctx->rank > 1)
        return;
    const double first = ping_pong(ctx), second = ping_pong(ctx);
    first_message = fmax(first - second, 0.0) / 2.0;
}

static int run_first(measure_site *site)
{
    site->seconds = site->ctx->rank == SENDER ? first_message : MEASURE_SILENT;
    return BMF_OK;
}

/* ---- the operation ---- */

static void take(measure_site *site, pair *p)
{
    p->buffer = measure_memory_take(site, site->elements * MEASURE_WORD);
    p->other = measure_memory_take(site, site->elements * MEASURE_WORD);
}

/* How long a message takes, with buffers in the caches or not as in the repetitions to come. */
static void find_transit(measure_site *site, pair *p)
{
    for (int k = 0; k < 2; k++) {
        take(site, p);
        bmf_barrier(site->ctx);
        const int64_t begin = monotonic_ns();
        if (site->ctx->rank == SENDER)
            send(site, SEND, p->buffer);
        else
            receive(site, p->buffer);
        p->transit = monotonic_ns() - begin;
        measure_memory_rewind(site);
    }
}

static int open_pair(measure_site *site)
{
    site->state = allocate_clear(1, (int64_t)sizeof(pair));
    return measure_memory_reserve(site, site->elements * MEASURE_WORD, site->elements * MEASURE_WORD);
}

static int before_pair(measure_site *site)
{
    pair *p = site->state;
    if (site->repetition == 0) {
        find_transit(site, p);
        measure_memory_rewind(site);
    }
    measure_delay(site, REST * p->transit < LONGEST_REST ? REST * p->transit : LONGEST_REST);
    take(site, p);
    if (site->operation->which == RSEND && site->ctx->rank == RECEIVER)
        post_receive(site, p->buffer, &p->request);
    return BMF_OK;
}

static int run_pair(measure_site *site)
{
    pair *p = site->state;
    const pair_kind kind = (pair_kind)site->operation->which;
    if (kind == SENDRECV)
        exchange(site, p);
    else if (kind == PINGPONG)
        run_pingpong(site, p);
    else if (site->ctx->rank == SENDER)
        run_sender(site, p, kind);
    else
        run_receiver(site, p, kind);
    return BMF_OK;
}

static void close_pair(measure_site *site)
{
    free(site->state);
}

#define PAIR(name, kind, meaning)                                                                                      \
    {                                                                                                                  \
        name, BMF_FAMILY_PAIR, meaning, kind, 2, 1, 1 << 20, false, false, NULL, open_pair, before_pair, run_pair,     \
            NULL, close_pair                                                                                           \
    }

static const measure_operation operations[] = {
    PAIR("send", SEND, "time of the sender in MPI_Send; the receive starts at the same moment"),
    PAIR("ssend", SSEND, "time of the sender in MPI_Ssend; the receive starts at the same moment"),
    PAIR("rsend", RSEND, "time of the sender in MPI_Rsend; the receive was posted before"),
    PAIR("recv", RECV, "time of the receiver in MPI_Recv; the send starts at the same moment"),
    PAIR("recvmin", RECVMIN, "time of the receiver in MPI_Recv when the message has arrived"),
    PAIR("isend1", ISEND1, "posting MPI_Isend"),
    PAIR("isend2", ISEND2, "waiting for MPI_Isend right after posting it"),
    PAIR("isendoverlap", ISENDOVERLAP, "useful time between posting and completion of MPI_Isend"),
    PAIR("irecv1", IRECV1, "posting MPI_Irecv; the send starts at the same moment"),
    PAIR("irecv2", IRECV2, "waiting for MPI_Irecv right after posting it; the send starts at the same moment"),
    PAIR("irecvoverlap", IRECVOVERLAP, "useful time between posting and completion of MPI_Irecv"),
    PAIR("sendrecv", SENDRECV, "MPI_Sendrecv on both sides at once; d elements each way"),
    PAIR("pingpong", PINGPONG, "a message there and one back; d elements each way"),
    {"first", BMF_FAMILY_PAIR, "what the first message of a process takes longer than the next one", 0, 2, 0, 0, false,
     true, NULL, NULL, NULL, run_first, NULL, NULL},
};

const measure_table measure_pair_table = {operations, sizeof operations / sizeof operations[0]};
