/* Waiting for, testing, starting and freeing requests.
 *
 * The handles are noted before the call, which sets them to MPI_REQUEST_NULL, and the call gets statuses to fill where
 * the program wants none. */
#include <stdlib.h>
#include <string.h>

#include "predict/record/virtual.h"
#include "runtime/base/allocate.h"

/* Working memory of the call that is going on. */
static struct {
    int capacity;
    MPI_Request *handle;
    MPI_Status *status;
} scratch;

static void make_room(int count)
{
    if (count <= scratch.capacity)
        return;
    free(scratch.handle);
    free(scratch.status);
    scratch.capacity = 2 * count;
    scratch.handle = allocate_array(scratch.capacity, (int64_t)sizeof *scratch.handle);
    scratch.status = allocate_array(scratch.capacity, (int64_t)sizeof *scratch.status);
}

static MPI_Status *note_handles(int count, const MPI_Request *requests, MPI_Status *asked)
{
    make_room(count);
    if (count > 0)
        memcpy(scratch.handle, requests, (size_t)count * sizeof *requests);
    return asked == MPI_STATUSES_IGNORE ? scratch.status : asked;
}

/* Tests of one or all, on virtual clocks: statuses are by request. */
static int finish_virtually(const bmf_call *c, uint32_t flags, int count, MPI_Request *requests, int *flag,
                            MPI_Status *statuses)
{
    int finished, *index = allocate_array(count, (int64_t)sizeof *index);
    MPI_Status *got = allocate_array(count, (int64_t)sizeof *got);
    const int result = virtual_finish(c->operation, flags, count, requests, &finished, index, got);
    *flag = finished != 0;
    for (int k = 0; *flag && k < count; k++)
        status_empty(&statuses[k]);
    for (int k = 0; finished != MPI_UNDEFINED && k < finished; k++)
        statuses[index[k]] = got[k];
    free(index);
    free(got);
    return result;
}

static int any_virtually(const bmf_call *c, uint32_t flags, int count, MPI_Request *requests, int *index, int *flag,
                         MPI_Status *status)
{
    int finished;
    const int result = virtual_finish(c->operation, flags | VIRTUAL_ONE, count, requests, &finished, index, status);
    *flag = finished != 0;
    if (finished == MPI_UNDEFINED) {
        *index = MPI_UNDEFINED;
        status_empty(status);
    }
    return result;
}

/* ---- one ---- */

RECORD_EXPORT int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    const bmf_call c = ENTER(WAIT);
    if (c.begin < 0)
        return rec.polite ? polite_wait(MPI_SUCCESS, request, status) : PMPI_Wait(request, status);
    const MPI_Request handle = *request;
    MPI_Status own, *got = status_for(status, &own);
    const int result = rec.virtual  ? virtual_waitall(c.operation, 1, request, got)
                       : rec.polite ? polite_wait(MPI_SUCCESS, request, got)
                                    : PMPI_Wait(request, got);
    record_finished(&c, 1, &handle, got, 0);
    return result;
}

RECORD_EXPORT int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    const bmf_call c = ENTER(TEST);
    if (c.begin < 0)
        return PMPI_Test(request, flag, status);
    const MPI_Request handle = *request;
    MPI_Status own, *got = status_for(status, &own);
    const int result = rec.virtual ? finish_virtually(&c, VIRTUAL_ONE, 1, request, flag, got)
                                   : PMPI_Test(request, flag, got);
    if (*flag)
        record_finished(&c, 1, &handle, got, BMF_DETAIL_CHOICE);
    else
        record_found_nothing(&c);
    return result;
}

/* ---- all ---- */

RECORD_EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    const bmf_call c = ENTER(WAITALL);
    if (c.begin < 0)
        return rec.polite ? polite_waitall(count, requests, statuses) : PMPI_Waitall(count, requests, statuses);
    MPI_Status *got = note_handles(count, requests, statuses);
    const int result = rec.virtual  ? virtual_waitall(c.operation, count, requests, got)
                       : rec.polite ? polite_waitall(count, requests, got)
                                    : PMPI_Waitall(count, requests, got);
    record_finished(&c, count, scratch.handle, got, 0);
    return result;
}

RECORD_EXPORT int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    const bmf_call c = ENTER(TESTALL);
    if (c.begin < 0)
        return PMPI_Testall(count, requests, flag, statuses);
    MPI_Status *got = note_handles(count, requests, statuses);
    const int result = rec.virtual ? finish_virtually(&c, VIRTUAL_ALL, count, requests, flag, got)
                                   : PMPI_Testall(count, requests, flag, got);
    if (*flag)
        record_finished(&c, count, scratch.handle, got, BMF_DETAIL_CHOICE);
    else
        record_found_nothing(&c);
    return result;
}

/* ---- any ---- */

static void any_finished(const bmf_call *c, int index, const MPI_Status *status)
{
    if (index == MPI_UNDEFINED)
        record_local(c);
    else
        record_finished(c, 1, &scratch.handle[index], status, BMF_DETAIL_CHOICE);
}

RECORD_EXPORT int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    const bmf_call c = ENTER(WAITANY);
    if (c.begin < 0)
        return PMPI_Waitany(count, requests, index, status);
    MPI_Status own, *got = status_for(status, &own);
    note_handles(count, requests, MPI_STATUSES_IGNORE);
    int result = MPI_SUCCESS, done = !rec.polite, tries = 0;
    if (done)
        result = PMPI_Waitany(count, requests, index, got);
    else if (rec.virtual)
        result = any_virtually(&c, VIRTUAL_WAITS, count, requests, index, &done, got);
    while (!done && result == MPI_SUCCESS) {
        result = PMPI_Testany(count, requests, index, &done, got);
        if (!done)
            polite_pause(&tries);
    }
    any_finished(&c, *index, got);
    return result;
}

RECORD_EXPORT int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    const bmf_call c = ENTER(TESTANY);
    if (c.begin < 0)
        return PMPI_Testany(count, requests, index, flag, status);
    MPI_Status own, *got = status_for(status, &own);
    note_handles(count, requests, MPI_STATUSES_IGNORE);
    const int result = rec.virtual ? any_virtually(&c, 0, count, requests, index, flag, got)
                                   : PMPI_Testany(count, requests, index, flag, got);
    if (*flag)
        any_finished(&c, *index, got);
    else
        record_found_nothing(&c);
    return result;
}

/* ---- some ---- */

/* The handles of the finished ones, in the order of their statuses; indices increase in MPICH, but need not. */
static void some_finished(const bmf_call *c, int finished, const int *index, const MPI_Status *status)
{
    if (finished <= 0 || finished == MPI_UNDEFINED) {
        record_local(c);
        return;
    }
    MPI_Request *handle = allocate_array(finished, (int64_t)sizeof *handle);
    for (int k = 0; k < finished; k++)
        handle[k] = scratch.handle[index[k]];
    record_finished(c, finished, handle, status, BMF_DETAIL_CHOICE);
    free(handle);
}

RECORD_EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int *finished, int indices[], MPI_Status statuses[])
{
    const bmf_call c = ENTER(WAITSOME);
    if (c.begin < 0)
        return PMPI_Waitsome(count, requests, finished, indices, statuses);
    MPI_Status *got = note_handles(count, requests, statuses);
    int result = MPI_SUCCESS, tries = 0;
    *finished = 0;
    if (rec.virtual)
        result = virtual_finish(c.operation, VIRTUAL_WAITS, count, requests, finished, indices, got);
    else if (!rec.polite)
        result = PMPI_Waitsome(count, requests, finished, indices, got);
    while (*finished == 0 && result == MPI_SUCCESS) {
        result = PMPI_Testsome(count, requests, finished, indices, got);
        if (*finished == 0)
            polite_pause(&tries);
    }
    some_finished(&c, *finished, indices, got);
    return result;
}

RECORD_EXPORT int MPI_Testsome(int count, MPI_Request requests[], int *finished, int indices[], MPI_Status statuses[])
{
    const bmf_call c = ENTER(TESTSOME);
    if (c.begin < 0)
        return PMPI_Testsome(count, requests, finished, indices, statuses);
    MPI_Status *got = note_handles(count, requests, statuses);
    const int result = rec.virtual ? virtual_finish(c.operation, 0, count, requests, finished, indices, got)
                                   : PMPI_Testsome(count, requests, finished, indices, got);
    if (*finished != 0)
        some_finished(&c, *finished, indices, got);
    else
        record_found_nothing(&c);
    return result;
}

/* ---- others ---- */

RECORD_EXPORT int MPI_Start(MPI_Request *request)
{
    const bmf_call c = ENTER(START);
    const int result = rec.virtual && c.begin >= 0 ? virtual_start(1, request) : PMPI_Start(request);
    if (c.begin >= 0)
        record_started(&c, 1, request);
    return result;
}

RECORD_EXPORT int MPI_Startall(int count, MPI_Request requests[])
{
    const bmf_call c = ENTER(STARTALL);
    const int result = rec.virtual && c.begin >= 0 ? virtual_start(count, requests) : PMPI_Startall(count, requests);
    if (c.begin >= 0)
        record_started(&c, count, requests);
    return result;
}

/* It does not finish the request: the wait that does is an event of its own. */
RECORD_EXPORT int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    const bmf_call c = ENTER(REQUEST_GET_STATUS);
    const int result = PMPI_Request_get_status(request, flag, status);
    if (c.begin >= 0)
        record_found(&c, *flag);
    return result;
}

RECORD_EXPORT int MPI_Request_free(MPI_Request *request)
{
    request_freed(*request);
    return PMPI_Request_free(request);
}

RECORD_EXPORT int MPI_Cancel(MPI_Request *request)
{
    struct bmf_request *r = rec.open ? request_find(*request) : NULL;
    if (rec.virtual)
        virtual_say_opaque("cancel");
    if (r)
        r->cancelled = true;
    return PMPI_Cancel(request);
}
