/* Waiting that leaves the cores to others, in place of MPICH's. */
#include "predict/record/virtual.h"
#include "runtime/base/pause.h"

void polite_pause(int *tries)
{
    if (rec.virtual && *tries >= PAUSE_BEFORE_SLEEP)
        virtual_flush();
    pause_between_tries(tries);
}

int polite_wait(int started, MPI_Request *request, MPI_Status *status)
{
    int done = 0, tries = 0, result = started;
    while (result == MPI_SUCCESS && !done) {
        result = PMPI_Test(request, &done, status);
        if (!done)
            polite_pause(&tries);
    }
    return result;
}

int polite_waitall(int count, MPI_Request *request, MPI_Status *status)
{
    int done = 0, tries = 0, result = MPI_SUCCESS;
    while (result == MPI_SUCCESS && !done) {
        result = PMPI_Testall(count, request, &done, status);
        if (!done)
            polite_pause(&tries);
    }
    return result;
}

void polite_barrier(MPI_Comm comm)
{
    MPI_Request request;
    polite_wait(PMPI_Ibarrier(comm, &request), &request, MPI_STATUS_IGNORE);
}

void polite_bcast(void *buffer, int bytes, int root, MPI_Comm comm)
{
    MPI_Request request;
    polite_wait(PMPI_Ibcast(buffer, bytes, MPI_BYTE, root, comm, &request), &request, MPI_STATUS_IGNORE);
}

int polite_allreduce(int own, MPI_Op op, MPI_Comm comm)
{
    MPI_Request request;
    int of_all = own;
    polite_wait(PMPI_Iallreduce(&own, &of_all, 1, MPI_INT, op, comm, &request), &request, MPI_STATUS_IGNORE);
    return of_all;
}

void polite_dup(MPI_Comm comm, MPI_Comm *made)
{
    MPI_Request request;
    polite_wait(PMPI_Comm_idup(comm, made, &request), &request, MPI_STATUS_IGNORE);
}
