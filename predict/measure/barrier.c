/* Operations whose cost depends on the number of processes only: barrier, and splitting a communicator in two.
 *
 * Method: as collective operations. MPI has no non-blocking split: where ranks outnumber cores comm_split spins.
 * Source: document 001, 3.4. */
#include <stdlib.h>

#include "predict/measure/measure_private.h"
#include "runtime/base/allocate.h"

typedef enum barrier_kind { BARRIER, COMM_SPLIT } barrier_kind;

static int open_barrier(measure_site *site)
{
    MPI_Comm *part = site->state = allocate((int64_t)sizeof *part);
    *part = MPI_COMM_NULL;
    return BMF_OK;
}

static int run_barrier(measure_site *site)
{
    const bmf_context *ctx = site->ctx;
    MPI_Request request;
    if (site->operation->which == COMM_SPLIT) {
        MPI_Comm_split(ctx->comm, ctx->rank % 2, ctx->rank, site->state);
    } else if (ctx->oversubscribed) {
        MPI_Ibarrier(ctx->comm, &request);
        measure_wait(site, &request);
    } else {
        MPI_Barrier(ctx->comm);
    }
    return BMF_OK;
}

static int after_barrier(measure_site *site)
{
    MPI_Comm *part = site->state;
    if (*part != MPI_COMM_NULL)
        MPI_Comm_free(part);
    return BMF_OK;
}

static void close_barrier(measure_site *site)
{
    free(site->state);
}

static const measure_operation operations[] = {
    {"barrier", BMF_FAMILY_BARRIER, "MPI_Barrier", BARRIER, 2, 0, 0, false, true, NULL, open_barrier, NULL, run_barrier,
     after_barrier, close_barrier},
    {"comm_split", BMF_FAMILY_BARRIER, "MPI_Comm_split into two halves, the even and the odd ranks", COMM_SPLIT, 2, 0,
     0, false, true, NULL, open_barrier, NULL, run_barrier, after_barrier, close_barrier},
};

const measure_table measure_barrier_table = {operations, sizeof operations / sizeof operations[0]};
