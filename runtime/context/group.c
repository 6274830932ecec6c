/* Groups of ranks: a context of their own.
 *
 * Method: a copy of the context with its own communicator, cut and backend state; options and cost model are shared.
 * Cost: one communicator split and one allgather of 8 bytes. */
#include "runtime/context/group.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/context/private.h"

/* What belongs to one context only starts empty. */
static bmf_context *create(const bmf_context *ctx, MPI_Comm comm)
{
    bmf_context *group = allocate_clear(1, (int64_t)sizeof *group);
    *group = *ctx;
    group->comm = comm;
    group->exit_comm = MPI_COMM_NULL;
    group->backend_state = NULL;
    group->initialised_mpi = false;
    group->plan = NULL;
    group->message[0] = '\0';
    group->statistics = (bmf_statistics){0};
    group->run = NULL;
    group->trace_path = NULL;
    group->machine_path = NULL;
    group->depth = 0;
    group->instances = NULL;
    group->instances_capacity = 0;
    return group;
}

int group_open(bmf_context *ctx, int ranks, bmf_context **group)
{
    MPI_Comm comm;
    if (ranks < 1 || ranks > ctx->ranks)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a group of %d ranks cannot be made of %d", ranks, ctx->ranks);
    MPI_Comm_split(ctx->comm, ctx->rank < ranks ? 0 : MPI_UNDEFINED, ctx->rank, &comm);
    *group = comm == MPI_COMM_NULL ? NULL : create(ctx, comm);
    if (!*group)
        return BMF_OK;
    (*group)->ranks = ranks;
    (*group)->processors = ranks;
    find_neighbours(*group);
    divide_processors(*group);
    return cluster_start(*group);
}

void group_close(bmf_context *group)
{
    if (!group)
        return;
    group->backend->destroy(group);
    MPI_Comm_free(&group->comm);
    run_free(group->run);
    free(group->instances);
    free(group);
}
