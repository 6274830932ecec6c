/* Waiting that leaves the cores to others, in place of MPICH's. */
#include <stdlib.h>

#include "predict/record/virtual.h"
#include "runtime/base/allocate.h"
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

/* Not by MPI_Isendrecv, whose status in MPICH 4.0.2 says the length that was asked for, not that which came. */
int polite_sendrecv(const bmf_exchange_buffers *b, const bmf_exchange_call *x, MPI_Status *status)
{
    MPI_Request send, receive;
    int result = PMPI_Irecv_c(b->received, b->count, b->type, x->source, x->tag, x->comm, &receive);
    if (result == MPI_SUCCESS)
        result = PMPI_Isend_c(b->sent, b->send_count, b->send_type, x->dest, x->send_tag, x->comm, &send);
    if (result == MPI_SUCCESS)
        result = polite_wait(MPI_SUCCESS, &receive, status);
    return result == MPI_SUCCESS ? polite_wait(MPI_SUCCESS, &send, MPI_STATUS_IGNORE) : result;
}

int polite_sendrecv_replace(const bmf_exchange_buffers *b, const bmf_exchange_call *x, MPI_Status *status)
{
    MPI_Count size = 0, packed = 0;
    int result = PMPI_Pack_size_c(b->count, b->type, x->comm, &size);
    if (result != MPI_SUCCESS)
        return result;
    void *copy = allocate(size > 0 ? size : 1);
    result = PMPI_Pack_c(b->received, b->count, b->type, copy, size, &packed, x->comm);
    if (result == MPI_SUCCESS)
        result = polite_sendrecv(&(bmf_exchange_buffers){copy, packed, MPI_PACKED, b->received, b->count, b->type}, x,
                                 status);
    free(copy);
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
