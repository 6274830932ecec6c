/* Messages that follow each other: how long each keeps the way out of a host, the way in, or both.
 *
 * Method: a train of messages of d elements, all posted at once; gapout: from the first rank to the others in turn,
 * gapin: from the others in turn to the first, gapring: from every rank to the next of a ring. A receiver notes when
 * half of its messages are there, and when all are: the second half takes no advantage of what a link passes at once
 * after a pause, and of no first latency. A repetition's result is the time of one message at the host in question, as
 * the slowest receiver sees it; no two clocks are compared. Trains have TRAIN_BYTES together, but FEWEST messages for
 * each receiver at least and MOST at most.
 * Cost: a train. Source: the gap of LogP, D. Culler and others, PPoPP 1993, measured by saturation as there. */
#include <stdlib.h>

#include "predict/measure/measure_private.h"
#include "runtime/backend/clock.h"
#include "runtime/backend/wait.h"
#include "runtime/base/allocate.h"

enum { TAG = 3, FEWEST = 8, MOST = 256, TRAIN_BYTES = 256 << 10 };

typedef enum gap_kind { OUT, IN, RING } gap_kind;

typedef struct gaps {
    int sends, receives; /* messages of this rank */
    MPI_Request *request;
    int *index;
    char *from, *to;
} gaps;

/* Messages that each receiver gets, or in gapin each sender sends. */
static int train(int64_t elements)
{
    const int64_t wanted = TRAIN_BYTES / (elements * MEASURE_WORD);
    return (int)(wanted < FEWEST ? FEWEST : wanted > MOST ? MOST : wanted);
}

static void count_messages(const measure_site *site, gaps *g)
{
    const bool first = site->ctx->rank == 0;
    const int each = train(site->elements), others = site->ctx->ranks - 1;
    const gap_kind kind = (gap_kind)site->operation->which;
    if (kind == RING) {
        g->sends = g->receives = each;
        return;
    }
    const int many = first ? each * others : 0, one = first ? 0 : each;
    g->sends = kind == OUT ? many : one;
    g->receives = kind == OUT ? one : many;
}

/* The k-th message's other end. */
static int receiver_of(const measure_site *site, int k)
{
    const bmf_context *ctx = site->ctx;
    switch ((gap_kind)site->operation->which) {
    case OUT:
        return 1 + k % (ctx->ranks - 1);
    case IN:
        return 0;
    default:
        return (ctx->rank + 1) % ctx->ranks;
    }
}

static int sender_of(const measure_site *site, int k)
{
    const bmf_context *ctx = site->ctx;
    switch ((gap_kind)site->operation->which) {
    case OUT:
        return 0;
    case IN:
        return 1 + k % (ctx->ranks - 1);
    default:
        return (ctx->rank + ctx->ranks - 1) % ctx->ranks;
    }
}

/* Everybody sends one piece again and again, and receives each message at a place of its own. */
static int64_t bytes_received(const measure_site *site, const gaps *g)
{
    return g->receives * site->elements * MEASURE_WORD;
}

static int open_gaps(measure_site *site)
{
    gaps *g = site->state = allocate_clear(1, (int64_t)sizeof *g);
    count_messages(site, g);
    g->request = allocate((g->sends + g->receives) * (int64_t)sizeof(MPI_Request));
    g->index = allocate(g->receives * (int64_t)sizeof(int));
    return measure_memory_reserve(site, site->elements * MEASURE_WORD, bytes_received(site, g));
}

static int before_gaps(measure_site *site)
{
    gaps *g = site->state;
    g->from = measure_memory_take(site, site->elements * MEASURE_WORD);
    g->to = measure_memory_take(site, bytes_received(site, g));
    for (int k = 0; k < g->receives; k++)
        MPI_Irecv(g->to + k * site->elements * MEASURE_WORD, (int)site->elements, MPI_INT64_T, sender_of(site, k), TAG,
                  site->ctx->comm, &g->request[g->sends + k]);
    return BMF_OK;
}

/* Of the messages that this rank receives: how many are there, and from when on they count. */
typedef struct progress {
    int there, first;
    int64_t begin, end;
} progress;

/* Looks once; messages that come while others are posted are not to be taken for some that came at once. */
static void look(const gaps *g, progress *p)
{
    int some = 0;
    if (p->there == g->receives)
        return;
    MPI_Testsome(g->receives, g->request + g->sends, &some, g->index, MPI_STATUSES_IGNORE);
    if (some <= 0)
        return;
    p->there += some;
    p->end = monotonic_ns();
    if (p->begin == 0 && p->there >= g->receives / 2) {
        p->begin = p->end;
        p->first = p->there;
    }
}

/* Ranks that share the first one's port see only a part of its messages. */
static double messages_for_one(const measure_site *site)
{
    return site->operation->which == OUT ? site->ctx->ranks - 1 : 1;
}

/* All came at once: the system had kept them. Then the whole train is what is known. */
static double seconds_of(const measure_site *site, const gaps *g, const progress *p)
{
    const bool at_once = p->first == g->receives;
    const int64_t begin = at_once ? site->begin : p->begin;
    const int messages = at_once ? g->receives : g->receives - p->first;
    return 1e-9 * (double)(p->end - begin) / (messages * messages_for_one(site));
}

static int run_gaps(measure_site *site)
{
    const gaps *g = site->state;
    progress p = {0};
    int tries = 0;
    for (int k = 0; k < g->sends; k++) {
        MPI_Isend(g->from, (int)site->elements, MPI_INT64_T, receiver_of(site, k), TAG, site->ctx->comm,
                  &g->request[k]);
        look(g, &p);
    }
    while (p.there < g->receives) {
        const int before = p.there;
        look(g, &p);
        tries = p.there > before ? 0 : tries;
        wait_step(site->ctx, &tries);
    }
    wait_all(site->ctx, g->sends, g->request);
    site->seconds = g->receives > 0 ? seconds_of(site, g, &p) : MEASURE_SILENT;
    return BMF_OK;
}

static void close_gaps(measure_site *site)
{
    gaps *g = site->state;
    free(g->request);
    free(g->index);
    free(g);
}

static int64_t trains(int ranks)
{
    return 1 + FEWEST * (int64_t)ranks;
}

#define GAP(name, kind, least, meaning)                                                                                \
    {                                                                                                                  \
        name, BMF_FAMILY_LINK, meaning, kind, least, 1, 1 << 17, false, false, trains, open_gaps, before_gaps,         \
            run_gaps, NULL, close_gaps                                                                                 \
    }

static const measure_operation operations[] = {
    GAP("gapout", OUT, 2, "each of many messages of d elements from the first rank to the others in turn"),
    GAP("gapin", IN, 3, "each of many messages of d elements from the others in turn to the first rank"),
    GAP("gapring", RING, 2, "each of many messages of d elements from every rank of a ring to the next"),
};

const measure_table measure_gaps_table = {operations, sizeof operations / sizeof operations[0]};
