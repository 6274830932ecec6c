/* Preloaded into plain MPI programs that run with more ranks than cores: the blocking calls that the Cowichan programs
 * make become non-blocking ones whose waiting sleeps between tries. MPICH's own waiting spins through the time slices
 * of the ranks it waits for. */
#define _GNU_SOURCE
#include <mpi.h>
#include <time.h>

static int waited(int started, MPI_Request *request, MPI_Status *status)
{
    int done = 0;
    for (int tries = 0; started == MPI_SUCCESS && !done; tries++) {
        started = PMPI_Test(request, &done, status);
        if (!done && tries > 20)
            nanosleep(&(struct timespec){0, 20000}, NULL);
    }
    return started;
}

/* POLITE(NAME, NON_BLOCKING, PARAMETERS, ARGUMENTS..): the arguments end with `&request`. */
#define POLITE(name, non_blocking, parameters, ...)                                                                    \
    int name parameters                                                                                                \
    {                                                                                                                  \
        MPI_Request request;                                                                                           \
        return waited(non_blocking(__VA_ARGS__, &request), &request, MPI_STATUS_IGNORE);                               \
    }

POLITE(MPI_Send, PMPI_Isend, (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm), buffer,
       count, type, to, tag, comm)
POLITE(MPI_Barrier, PMPI_Ibarrier, (MPI_Comm comm), comm)
POLITE(MPI_Bcast, PMPI_Ibcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm), buffer, count,
       type, root, comm)
POLITE(MPI_Reduce, PMPI_Ireduce,
       (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), in, out, count,
       type, op, root, comm)
POLITE(MPI_Allreduce, PMPI_Iallreduce,
       (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), in, out, count, type, op,
       comm)
POLITE(MPI_Allgather, PMPI_Iallgather,
       (const void *in, int count, MPI_Datatype type, void *out, int each, MPI_Datatype to, MPI_Comm comm), in, count,
       type, out, each, to, comm)
POLITE(MPI_Allgatherv, PMPI_Iallgatherv,
       (const void *in, int count, MPI_Datatype type, void *out, const int *counts, const int *places, MPI_Datatype to,
        MPI_Comm comm),
       in, count, type, out, counts, places, to, comm)
POLITE(MPI_Gatherv, PMPI_Igatherv,
       (const void *in, int count, MPI_Datatype type, void *out, const int *counts, const int *places, MPI_Datatype to,
        int root, MPI_Comm comm),
       in, count, type, out, counts, places, to, root, comm)
POLITE(MPI_Scatterv, PMPI_Iscatterv,
       (const void *in, const int *counts, const int *places, MPI_Datatype type, void *out, int count, MPI_Datatype to,
        int root, MPI_Comm comm),
       in, counts, places, type, out, count, to, root, comm)
POLITE(MPI_Alltoall, PMPI_Ialltoall,
       (const void *in, int count, MPI_Datatype type, void *out, int each, MPI_Datatype to, MPI_Comm comm), in, count,
       type, out, each, to, comm)
POLITE(MPI_Alltoallv, PMPI_Ialltoallv,
       (const void *in, const int *counts, const int *places, MPI_Datatype type, void *out, const int *each,
        const int *at, MPI_Datatype to, MPI_Comm comm),
       in, counts, places, type, out, each, at, to, comm)
POLITE(MPI_Alltoallw, PMPI_Ialltoallw,
       (const void *in, const int *counts, const int *places, const MPI_Datatype *types, void *out, const int *each,
        const int *at, const MPI_Datatype *to, MPI_Comm comm),
       in, counts, places, types, out, each, at, to, comm)

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    return waited(PMPI_Irecv(buffer, count, type, from, tag, comm, &request), &request, status);
}
