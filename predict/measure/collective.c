/* Collective operations of MPI on the first p ranks, root 0, sums of int64.
 *
 * Method: the blocking call where every rank has a core, otherwise the non-blocking call and waiting that backs off
 * (predict/measure/measure.h). d is the count argument; in allgatherv, alltoallv and reduce_scatter all counts are d.
 * Source: document 001, 3.4. */
#include <stdlib.h>

#include "predict/measure/measure_private.h"
#include "runtime/base/allocate.h"

typedef enum collective_kind {
    BCAST,
    REDUCE,
    ALLREDUCE,
    GATHER,
    ALLGATHER,
    SCATTER,
    ALLTOALL,
    ALLGATHERV,
    ALLTOALLV,
    SCAN,
    EXSCAN,
    REDUCE_SCATTER
} collective_kind;

typedef struct collective {
    void *from, *to;
    int *counts, *offsets; /* of every rank */
} collective;

/* How many times d elements a rank sends, and receives, at most. */
static int sent(collective_kind kind, int ranks)
{
    return kind == SCATTER || kind == ALLTOALL || kind == ALLTOALLV || kind == REDUCE_SCATTER ? ranks : 1;
}

static int received(collective_kind kind, int ranks)
{
    const bool many =
        kind == GATHER || kind == ALLGATHER || kind == ALLGATHERV || kind == ALLTOALL || kind == ALLTOALLV;
    return many ? ranks : 1;
}

static void run_blocking(const measure_site *site, const collective *c, collective_kind kind)
{
    MPI_Comm comm = site->ctx->comm;
    const int d = (int)site->elements;
    switch (kind) {
    case BCAST:
        MPI_Bcast(c->from, d, MPI_INT64_T, 0, comm);
        break;
    case REDUCE:
        MPI_Reduce(c->from, c->to, d, MPI_INT64_T, MPI_SUM, 0, comm);
        break;
    case ALLREDUCE:
        MPI_Allreduce(c->from, c->to, d, MPI_INT64_T, MPI_SUM, comm);
        break;
    case GATHER:
        MPI_Gather(c->from, d, MPI_INT64_T, c->to, d, MPI_INT64_T, 0, comm);
        break;
    case ALLGATHER:
        MPI_Allgather(c->from, d, MPI_INT64_T, c->to, d, MPI_INT64_T, comm);
        break;
    case SCATTER:
        MPI_Scatter(c->from, d, MPI_INT64_T, c->to, d, MPI_INT64_T, 0, comm);
        break;
    case ALLTOALL:
        MPI_Alltoall(c->from, d, MPI_INT64_T, c->to, d, MPI_INT64_T, comm);
        break;
    case ALLGATHERV:
        MPI_Allgatherv(c->from, d, MPI_INT64_T, c->to, c->counts, c->offsets, MPI_INT64_T, comm);
        break;
    case ALLTOALLV:
        MPI_Alltoallv(c->from, c->counts, c->offsets, MPI_INT64_T, c->to, c->counts, c->offsets, MPI_INT64_T, comm);
        break;
    case SCAN:
        MPI_Scan(c->from, c->to, d, MPI_INT64_T, MPI_SUM, comm);
        break;
    case EXSCAN:
        MPI_Exscan(c->from, c->to, d, MPI_INT64_T, MPI_SUM, comm);
        break;
    case REDUCE_SCATTER:
        MPI_Reduce_scatter(c->from, c->to, c->counts, MPI_INT64_T, MPI_SUM, comm);
        break;
    }
}

static void post(const measure_site *site, const collective *c, collective_kind kind, MPI_Request *request)
{
    MPI_Comm comm = site->ctx->comm;
    const int d = (int)site->elements;
    switch (kind) {
    case BCAST:
        MPI_Ibcast(c->from, d, MPI_INT64_T, 0, comm, request);
        break;
    case REDUCE:
        MPI_Ireduce(c->from, c->to, d, MPI_INT64_T, MPI_SUM, 0, comm, request);
        break;
    case ALLREDUCE:
        MPI_Iallreduce(c->from, c->to, d, MPI_INT64_T, MPI_SUM, comm, request);
        break;
    case GATHER:
        MPI_Igather(c->from, d, MPI_INT64_T, c->to, d, MPI_INT64_T, 0, comm, request);
        break;
    case ALLGATHER:
        MPI_Iallgather(c->from, d, MPI_INT64_T, c->to, d, MPI_INT64_T, comm, request);
        break;
    case SCATTER:
        MPI_Iscatter(c->from, d, MPI_INT64_T, c->to, d, MPI_INT64_T, 0, comm, request);
        break;
    case ALLTOALL:
        MPI_Ialltoall(c->from, d, MPI_INT64_T, c->to, d, MPI_INT64_T, comm, request);
        break;
    case ALLGATHERV:
        MPI_Iallgatherv(c->from, d, MPI_INT64_T, c->to, c->counts, c->offsets, MPI_INT64_T, comm, request);
        break;
    case ALLTOALLV:
        MPI_Ialltoallv(c->from, c->counts, c->offsets, MPI_INT64_T, c->to, c->counts, c->offsets, MPI_INT64_T, comm,
                       request);
        break;
    case SCAN:
        MPI_Iscan(c->from, c->to, d, MPI_INT64_T, MPI_SUM, comm, request);
        break;
    case EXSCAN:
        MPI_Iexscan(c->from, c->to, d, MPI_INT64_T, MPI_SUM, comm, request);
        break;
    case REDUCE_SCATTER:
        MPI_Ireduce_scatter(c->from, c->to, c->counts, MPI_INT64_T, MPI_SUM, comm, request);
        break;
    }
}

static int open_collective(measure_site *site)
{
    const int ranks = site->ctx->ranks;
    const collective_kind kind = (collective_kind)site->operation->which;
    collective *c = site->state = allocate_clear(1, (int64_t)sizeof *c);
    c->counts = allocate(2 * ranks * (int64_t)sizeof(int));
    c->offsets = c->counts + ranks;
    for (int k = 0; k < ranks; k++) {
        c->counts[k] = (int)site->elements;
        c->offsets[k] = k * (int)site->elements;
    }
    return measure_memory_reserve(site, sent(kind, ranks) * site->elements * MEASURE_WORD,
                                  received(kind, ranks) * site->elements * MEASURE_WORD);
}

static int before_collective(measure_site *site)
{
    const int ranks = site->ctx->ranks;
    const collective_kind kind = (collective_kind)site->operation->which;
    collective *c = site->state;
    c->from = measure_memory_take(site, sent(kind, ranks) * site->elements * MEASURE_WORD);
    c->to = measure_memory_take(site, received(kind, ranks) * site->elements * MEASURE_WORD);
    return BMF_OK;
}

static int run_collective(measure_site *site)
{
    const collective_kind kind = (collective_kind)site->operation->which;
    MPI_Request request;
    if (!site->ctx->oversubscribed) {
        run_blocking(site, site->state, kind);
    } else {
        post(site, site->state, kind, &request);
        measure_wait(site, &request);
    }
    return BMF_OK;
}

static void close_collective(measure_site *site)
{
    collective *c = site->state;
    free(c->counts);
    free(c);
}

/* Buffers of all counts on both sides: more than any operation needs. */
static int64_t many_buffers(int ranks)
{
    return 2 * (int64_t)ranks;
}

#define COLLECTIVE(name, kind, meaning)                                                                                \
    {                                                                                                                  \
        name, BMF_FAMILY_COLLECTIVE, meaning, kind, 2, 1, 1 << 20, false, false, many_buffers, open_collective,        \
            before_collective, run_collective, NULL, close_collective                                                  \
    }

static const measure_operation operations[] = {
    COLLECTIVE("bcast", BCAST, "MPI_Bcast of d elements"),
    COLLECTIVE("reduce", REDUCE, "MPI_Reduce, sums of d elements"),
    COLLECTIVE("allreduce", ALLREDUCE, "MPI_Allreduce, sums of d elements"),
    COLLECTIVE("gather", GATHER, "MPI_Gather of d elements from each"),
    COLLECTIVE("allgather", ALLGATHER, "MPI_Allgather of d elements from each"),
    COLLECTIVE("scatter", SCATTER, "MPI_Scatter of d elements to each"),
    COLLECTIVE("alltoall", ALLTOALL, "MPI_Alltoall of d elements from each to each"),
    COLLECTIVE("allgatherv", ALLGATHERV, "MPI_Allgatherv, d elements from each"),
    COLLECTIVE("alltoallv", ALLTOALLV, "MPI_Alltoallv, d elements from each to each"),
    COLLECTIVE("scan", SCAN, "MPI_Scan, sums of d elements"),
    COLLECTIVE("exscan", EXSCAN, "MPI_Exscan, sums of d elements"),
    COLLECTIVE("reduce_scatter", REDUCE_SCATTER, "MPI_Reduce_scatter, sums of d elements for each"),
};

const measure_table measure_collective_table = {operations, sizeof operations / sizeof operations[0]};
