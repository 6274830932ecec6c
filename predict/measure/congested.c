/* Congested pairs: half of the group sends to the other half, all at once, in pairs of a random permutation.
 *
 * Method: a Fisher-Yates shuffle of the ranks, the same on all of them and another one in every repetition; with an odd
 * number the last one rests. The time is that of the slowest process. Cost: p / 2 messages of d elements.
 * Source: document 001, 3.4 (`allsend`). */
#include <stdlib.h>

#include "predict/measure/measure_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/random.h"

enum { TAG = 2 };

typedef struct congested {
    uint64_t random;
    int *order; /* of the ranks */
    int peer;   /* -1: rests */
    bool sends;
    void *buffer;
} congested;

static void shuffle(congested *c, int ranks)
{
    for (int k = ranks - 1; k > 0; k--) {
        const int j = (int)(random_bits(&c->random) % (uint64_t)(k + 1)), held = c->order[k];
        c->order[k] = c->order[j];
        c->order[j] = held;
    }
}

static void find_peer(congested *c, int rank, int ranks)
{
    const int half = ranks / 2;
    c->peer = -1;
    for (int k = 0; k < 2 * half; k++)
        if (c->order[k] == rank) {
            c->sends = k < half;
            c->peer = c->order[(k + half) % (2 * half)];
        }
}

static int open_congested(measure_site *site)
{
    congested *c = site->state = allocate_clear(1, (int64_t)sizeof *c);
    c->order = allocate(site->ctx->ranks * (int64_t)sizeof(int));
    for (int k = 0; k < site->ctx->ranks; k++)
        c->order[k] = k;
    c->random = (uint64_t)site->elements;
    return measure_memory_reserve(site, site->elements * MEASURE_WORD, 0);
}

static int before_congested(measure_site *site)
{
    congested *c = site->state;
    shuffle(c, site->ctx->ranks);
    find_peer(c, site->ctx->rank, site->ctx->ranks);
    c->buffer = measure_memory_take(site, site->elements * MEASURE_WORD);
    return BMF_OK;
}

static int run_congested(measure_site *site)
{
    const congested *c = site->state;
    const int count = (int)site->elements;
    MPI_Comm comm = site->ctx->comm;
    if (c->peer < 0) {
        site->seconds = MEASURE_SILENT;
    } else if (site->ctx->oversubscribed) {
        MPI_Request request;
        if (c->sends)
            MPI_Isend(c->buffer, count, MPI_INT64_T, c->peer, TAG, comm, &request);
        else
            MPI_Irecv(c->buffer, count, MPI_INT64_T, c->peer, TAG, comm, &request);
        measure_wait(site, &request);
    } else if (c->sends) {
        MPI_Send(c->buffer, count, MPI_INT64_T, c->peer, TAG, comm);
    } else {
        MPI_Recv(c->buffer, count, MPI_INT64_T, c->peer, TAG, comm, MPI_STATUS_IGNORE);
    }
    return BMF_OK;
}

static void close_congested(measure_site *site)
{
    congested *c = site->state;
    free(c->order);
    free(c);
}

static int64_t one_buffer(int ranks)
{
    (void)ranks;
    return 1;
}

static const measure_operation operations[] = {
    {"allsend", BMF_FAMILY_COLLECTIVE, "half of the group sends d elements to the other half, pairs at random", 0, 2, 1,
     1 << 20, false, false, one_buffer, open_congested, before_congested, run_congested, NULL, close_congested},
};

const measure_table measure_congested_table = {operations, sizeof operations / sizeof operations[0]};
