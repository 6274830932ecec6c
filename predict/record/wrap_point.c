/* Sends, receives and probes. Each macro makes the function with counts of int and the one with MPI_Count (_c). */
#include "predict/record/virtual.h"

/* ---- blocking sends ---- */

#define SEND_FUNCTION(NAME, STARTED, OPERATION, COUNT, C)                                                              \
    RECORD_EXPORT int MPI_##NAME##C(const void *buffer, COUNT count, MPI_Datatype type, int dest, int tag,             \
                                    MPI_Comm comm)                                                                     \
    {                                                                                                                  \
        const bmf_call c = ENTER(OPERATION);                                                                           \
        MPI_Request request;                                                                                           \
        const int result = rec.virtual && c.begin >= 0 ? virtual_send(buffer, count, type, dest, tag, comm)            \
                           : rec.polite                                                                                \
                               ? polite_wait(PMPI_##STARTED##C(buffer, count, type, dest, tag, comm, &request),        \
                                             &request, MPI_STATUS_IGNORE)                                              \
                               : PMPI_##NAME##C(buffer, count, type, dest, tag, comm);                                 \
        if (c.begin >= 0)                                                                                              \
            record_send(&c, bytes_of(count, type), dest, tag, comm);                                                   \
        return result;                                                                                                 \
    }
#define SENDS(COUNT, C)                                                                                                \
    SEND_FUNCTION(Send, Isend, SEND, COUNT, C)                                                                         \
    SEND_FUNCTION(Ssend, Issend, SSEND, COUNT, C)                                                                      \
    SEND_FUNCTION(Rsend, Irsend, RSEND, COUNT, C)                                                                      \
    SEND_FUNCTION(Bsend, Ibsend, BSEND, COUNT, C)
SENDS(int, )
SENDS(MPI_Count, _c)

/* ---- nonblocking and persistent ones ---- */

#define START_SEND_FUNCTION(NAME, OPERATION, COUNT, C)                                                                 \
    RECORD_EXPORT int MPI_##NAME##C(const void *buffer, COUNT count, MPI_Datatype type, int dest, int tag,             \
                                    MPI_Comm comm, MPI_Request *request)                                               \
    {                                                                                                                  \
        const bmf_call c = ENTER(OPERATION);                                                                           \
        const int result = rec.virtual && c.begin >= 0                                                                 \
                               ? virtual_isend(buffer, count, type, dest, tag, comm, request)                          \
                               : PMPI_##NAME##C(buffer, count, type, dest, tag, comm, request);                        \
        if (c.begin >= 0)                                                                                              \
            record_start_send(&c, bytes_of(count, type), dest, tag, comm, *request);                                   \
        return result;                                                                                                 \
    }
#define PREPARE_SEND_FUNCTION(NAME, COUNT, C)                                                                          \
    RECORD_EXPORT int MPI_##NAME##_init##C(const void *buffer, COUNT count, MPI_Datatype type, int dest, int tag,      \
                                           MPI_Comm comm, MPI_Request *request)                                        \
    {                                                                                                                  \
        const int result = PMPI_##NAME##_init##C(buffer, count, type, dest, tag, comm, request);                       \
        if (result == MPI_SUCCESS)                                                                                     \
            record_prepared(REQUEST_SEND, bytes_of(count, type), dest, tag, comm, *request);                           \
        virtual_note_buffer(*request, buffer, count, type, comm);                                                      \
        return result;                                                                                                 \
    }
#define STARTED_SENDS(COUNT, C)                                                                                        \
    START_SEND_FUNCTION(Isend, ISEND, COUNT, C)                                                                        \
    START_SEND_FUNCTION(Issend, ISSEND, COUNT, C)                                                                      \
    START_SEND_FUNCTION(Irsend, IRSEND, COUNT, C)                                                                      \
    START_SEND_FUNCTION(Ibsend, IBSEND, COUNT, C)                                                                      \
    PREPARE_SEND_FUNCTION(Send, COUNT, C)                                                                              \
    PREPARE_SEND_FUNCTION(Ssend, COUNT, C)                                                                             \
    PREPARE_SEND_FUNCTION(Rsend, COUNT, C)                                                                             \
    PREPARE_SEND_FUNCTION(Bsend, COUNT, C)
STARTED_SENDS(int, )
STARTED_SENDS(MPI_Count, _c)

/* ---- receives ---- */

#define RECEIVES(COUNT, C)                                                                                             \
    RECORD_EXPORT int MPI_Recv##C(void *buffer, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm,    \
                                  MPI_Status *status)                                                                  \
    {                                                                                                                  \
        const bmf_call c = ENTER(RECV);                                                                                \
        MPI_Status own, *got = c.begin >= 0 ? status_for(status, &own) : status;                                       \
        MPI_Request request;                                                                                           \
        const int result = rec.virtual && c.begin >= 0                                                                 \
                               ? virtual_recv(c.operation, buffer, count, type, source, tag, comm, got)                \
                           : rec.polite ? polite_wait(PMPI_Irecv##C(buffer, count, type, source, tag, comm, &request), \
                                                      &request, got)                                                   \
                                        : PMPI_Recv##C(buffer, count, type, source, tag, comm, got);                   \
        if (c.begin >= 0)                                                                                              \
            record_receive(&c, got, source, tag, comm);                                                                \
        return result;                                                                                                 \
    }                                                                                                                  \
    RECORD_EXPORT int MPI_Irecv##C(void *buffer, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm,   \
                                   MPI_Request *request)                                                               \
    {                                                                                                                  \
        const bmf_call c = ENTER(IRECV);                                                                               \
        const int result = rec.virtual && c.begin >= 0                                                                 \
                               ? virtual_irecv(buffer, count, type, source, tag, comm, request)                        \
                               : PMPI_Irecv##C(buffer, count, type, source, tag, comm, request);                       \
        if (c.begin >= 0)                                                                                              \
            record_start_receive(&c, source, tag, comm, *request);                                                     \
        return result;                                                                                                 \
    }                                                                                                                  \
    RECORD_EXPORT int MPI_Recv_init##C(void *buffer, COUNT count, MPI_Datatype type, int source, int tag,              \
                                       MPI_Comm comm, MPI_Request *request)                                            \
    {                                                                                                                  \
        const int result = PMPI_Recv_init##C(buffer, count, type, source, tag, comm, request);                         \
        if (result == MPI_SUCCESS)                                                                                     \
            record_prepared(REQUEST_RECEIVE, 0, source, tag, comm, *request);                                          \
        virtual_note_buffer(*request, buffer, count, type, comm);                                                      \
        return result;                                                                                                 \
    }                                                                                                                  \
    RECORD_EXPORT int MPI_Mrecv##C(void *buffer, COUNT count, MPI_Datatype type, MPI_Message *message,                 \
                                   MPI_Status *status)                                                                 \
    {                                                                                                                  \
        const bmf_call c = ENTER(MRECV);                                                                               \
        const MPI_Message matched = *message;                                                                          \
        MPI_Status own, *got = c.begin >= 0 ? status_for(status, &own) : status;                                       \
        MPI_Request request;                                                                                           \
        const int result = rec.polite                                                                                  \
                               ? polite_wait(PMPI_Imrecv##C(buffer, count, type, message, &request), &request, got)    \
                               : PMPI_Mrecv##C(buffer, count, type, message, got);                                     \
        if (c.begin >= 0)                                                                                              \
            record_matched(&c, got, matched);                                                                          \
        return result;                                                                                                 \
    }                                                                                                                  \
    RECORD_EXPORT int MPI_Imrecv##C(void *buffer, COUNT count, MPI_Datatype type, MPI_Message *message,                \
                                    MPI_Request *request)                                                              \
    {                                                                                                                  \
        const bmf_call c = ENTER(IMRECV);                                                                              \
        const MPI_Message matched = *message;                                                                          \
        const int result = PMPI_Imrecv##C(buffer, count, type, message, request);                                      \
        if (c.begin >= 0)                                                                                              \
            record_start_matched(&c, matched, *request);                                                               \
        return result;                                                                                                 \
    }
RECEIVES(int, )
RECEIVES(MPI_Count, _c)

/* ---- both at once ---- */

#define EXCHANGES(COUNT, C)                                                                                            \
    RECORD_EXPORT int MPI_Sendrecv##C(const void *sent, COUNT send_count, MPI_Datatype send_type, int dest,            \
                                      int send_tag, void *received, COUNT count, MPI_Datatype type, int source,        \
                                      int tag, MPI_Comm comm, MPI_Status *status)                                      \
    {                                                                                                                  \
        const bmf_call c = ENTER(SENDRECV);                                                                            \
        const bmf_exchange_call x = {                                                                                  \
            c.begin >= 0 ? bytes_of(send_count, send_type) : 0, dest, send_tag, source, tag, comm};                    \
        const bmf_exchange_buffers b = {sent, send_count, send_type, received, count, type};                           \
        MPI_Status own, *got = c.begin >= 0 ? status_for(status, &own) : status;                                       \
        const int result = rec.virtual && c.begin >= 0                                                                 \
                               ? virtual_sendrecv(c.operation, sent, send_count, send_type, dest, send_tag, received,  \
                                                  count, type, source, tag, comm, got)                                 \
                           : rec.polite ? polite_sendrecv(&b, &x, got)                                                 \
                                        : PMPI_Sendrecv##C(sent, send_count, send_type, dest, send_tag, received,      \
                                                           count, type, source, tag, comm, got);                       \
        if (c.begin >= 0)                                                                                              \
            record_exchange(&c, &x, got);                                                                              \
        return result;                                                                                                 \
    }                                                                                                                  \
    RECORD_EXPORT int MPI_Sendrecv_replace##C(void *buffer, COUNT count, MPI_Datatype type, int dest, int send_tag,    \
                                              int source, int tag, MPI_Comm comm, MPI_Status *status)                  \
    {                                                                                                                  \
        const bmf_call c = ENTER(SENDRECV_REPLACE);                                                                    \
        const bmf_exchange_call x = {c.begin >= 0 ? bytes_of(count, type) : 0, dest, send_tag, source, tag, comm};     \
        const bmf_exchange_buffers b = {buffer, count, type, buffer, count, type};                                     \
        MPI_Status own, *got = c.begin >= 0 ? status_for(status, &own) : status;                                       \
        const int result = rec.virtual && c.begin >= 0                                                                 \
                               ? virtual_sendrecv(c.operation, buffer, count, type, dest, send_tag, buffer, count,     \
                                                  type, source, tag, comm, got)                                        \
                           : rec.polite ? polite_sendrecv_replace(&b, &x, got)                                         \
                                        : PMPI_Sendrecv_replace##C(buffer, count, type, dest, send_tag, source, tag,   \
                                                                   comm, got);                                         \
        if (c.begin >= 0)                                                                                              \
            record_exchange(&c, &x, got);                                                                              \
        return result;                                                                                                 \
    }                                                                                                                  \
    RECORD_EXPORT int MPI_Isendrecv##C(const void *sent, COUNT send_count, MPI_Datatype send_type, int dest,           \
                                       int send_tag, void *received, COUNT count, MPI_Datatype type, int source,       \
                                       int tag, MPI_Comm comm, MPI_Request *request)                                   \
    {                                                                                                                  \
        const bmf_call c = ENTER(ISENDRECV);                                                                           \
        int result = rec.virtual && c.begin >= 0                                                                       \
                         ? virtual_send(sent, send_count, send_type, dest, send_tag, comm)                             \
                         : PMPI_Isendrecv##C(sent, send_count, send_type, dest, send_tag, received, count, type,       \
                                             source, tag, comm, request);                                              \
        if (rec.virtual && c.begin >= 0 && result == MPI_SUCCESS)                                                      \
            result = virtual_irecv(received, count, type, source, tag, comm, request);                                 \
        if (c.begin >= 0)                                                                                              \
            record_start_exchange(                                                                                     \
                &c, &(bmf_exchange_call){bytes_of(send_count, send_type), dest, send_tag, source, tag, comm},          \
                *request);                                                                                             \
        return result;                                                                                                 \
    }                                                                                                                  \
    RECORD_EXPORT int MPI_Isendrecv_replace##C(void *buffer, COUNT count, MPI_Datatype type, int dest, int send_tag,   \
                                               int source, int tag, MPI_Comm comm, MPI_Request *request)               \
    {                                                                                                                  \
        const bmf_call c = ENTER(ISENDRECV_REPLACE);                                                                   \
        int result = rec.virtual && c.begin >= 0                                                                       \
                         ? virtual_send(buffer, count, type, dest, send_tag, comm)                                     \
                         : PMPI_Isendrecv_replace##C(buffer, count, type, dest, send_tag, source, tag, comm, request); \
        if (rec.virtual && c.begin >= 0 && result == MPI_SUCCESS)                                                      \
            result = virtual_irecv(buffer, count, type, source, tag, comm, request);                                   \
        if (c.begin >= 0)                                                                                              \
            record_start_exchange(&c, &(bmf_exchange_call){bytes_of(count, type), dest, send_tag, source, tag, comm},  \
                                  *request);                                                                           \
        return result;                                                                                                 \
    }
EXCHANGES(int, )
EXCHANGES(MPI_Count, _c)

/* ---- probes ---- */

RECORD_EXPORT int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    const bmf_call c = ENTER(IPROBE);
    const int result = rec.virtual && c.begin >= 0
                           ? virtual_probe(c.operation, 0, source, tag, comm, flag, NULL, status)
                           : PMPI_Iprobe(source, tag, comm, flag, status);
    if (c.begin >= 0)
        record_found(&c, *flag);
    return result;
}

RECORD_EXPORT int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    const bmf_call c = ENTER(PROBE);
    int result = MPI_SUCCESS, flag = !rec.polite, tries = 0;
    if (flag)
        result = PMPI_Probe(source, tag, comm, status);
    else if (rec.virtual && c.begin >= 0)
        result = virtual_probe(c.operation, VIRTUAL_WAITS, source, tag, comm, &flag, NULL, status);
    while (!flag && result == MPI_SUCCESS) {
        result = PMPI_Iprobe(source, tag, comm, &flag, status);
        if (!flag)
            polite_pause(&tries);
    }
    if (c.begin >= 0)
        record_found(&c, true);
    return result;
}

RECORD_EXPORT int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    const bmf_call c = ENTER(IMPROBE);
    MPI_Status own, *got = c.begin >= 0 ? status_for(status, &own) : status;
    const int result = rec.virtual && c.begin >= 0
                           ? virtual_probe(c.operation, 0, source, tag, comm, flag, message, got)
                           : PMPI_Improbe(source, tag, comm, flag, message, got);
    if (c.begin >= 0) {
        if (*flag)
            message_add(*message, got, source, tag, comm);
        record_found(&c, *flag);
    }
    return result;
}

RECORD_EXPORT int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    const bmf_call c = ENTER(MPROBE);
    MPI_Status own, *got = c.begin >= 0 ? status_for(status, &own) : status;
    int result = MPI_SUCCESS, flag = !rec.polite, tries = 0;
    if (flag)
        result = PMPI_Mprobe(source, tag, comm, message, got);
    else if (rec.virtual && c.begin >= 0)
        result = virtual_probe(c.operation, VIRTUAL_WAITS, source, tag, comm, &flag, message, got);
    while (!flag && result == MPI_SUCCESS) {
        result = PMPI_Improbe(source, tag, comm, &flag, message, got);
        if (!flag)
            polite_pause(&tries);
    }
    if (c.begin >= 0) {
        message_add(*message, got, source, tag, comm);
        record_found(&c, true);
    }
    return result;
}
