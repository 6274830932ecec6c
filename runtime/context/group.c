/* Groups of ranks: a context of their own, opened with the options of another.
 *
 * Cost: one communicator split and what bmf_open_with costs. */
#include "runtime/context/group.h"

#include <string.h>

#include "bmf/mpi.h"
#include "runtime/context/private.h"

int group_open(bmf_context *ctx, int ranks, bmf_context **group)
{
    MPI_Comm comm;
    bmf_options options = bmf_options_init();
    *group = NULL;
    if (ranks < 1 || ranks > ctx->ranks)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a group of %d ranks cannot be made of %d", ranks, ctx->ranks);
    MPI_Comm_split(ctx->comm, ctx->rank < ranks ? 0 : MPI_UNDEFINED, ctx->rank, &comm);
    if (comm == MPI_COMM_NULL)
        return BMF_OK;
    options.ignore_environment = true;
    options.threads = ctx->threads;
    options.reassociate = !ctx->reproducible;
    options.program = ctx->program;
    int status = bmf_open_with(comm, &options, group);
    MPI_Comm_free(&comm);
    if (status != BMF_OK)
        return status;
    memcpy((*group)->forced, ctx->forced, sizeof ctx->forced);
    memcpy((*group)->method, ctx->method, sizeof ctx->method);
    (*group)->cost = ctx->cost;
    (*group)->sizes = ctx->sizes;
    costs_take(*group, cost_table_share(ctx->costs), ranks);
    (*group)->oversubscribed = (*group)->node_ranks > (*group)->node_cores;
    return BMF_OK;
}
