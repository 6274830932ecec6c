/* Running on virtual clocks for `bmf predict --mpi`: what the rank does is said to the predicting process, and what
 * depends on times is asked (runtime/trace/virtual_clock.h). */
#ifndef BMF_RECORD_VIRTUAL_H
#define BMF_RECORD_VIRTUAL_H

#include "predict/record/record.h"
#include "runtime/trace/virtual_clock.h"

/* ---- saying and asking (virtual.c) ---- */

/* If the environment names a socket; ends the program if nobody is there. */
void virtual_open(void);
void virtual_close(void);
bmf_virtual_action virtual_action(bmf_virtual_kind kind, const char *name);
/* Hands over what has been said: at once, or if the predicting process waits to hear more. */
void virtual_flush(void);
void virtual_flush_if_wanted(void);
/* The action, about a communicator if `of` is not NULL, with `bytes` of a list behind it. */
void virtual_say(const bmf_virtual_action *action, const bmf_communicator *of, const void *list, int64_t bytes);
/* Says what it asks and waits; the choices stay until the next question. The time that this takes is no computing. */
const bmf_virtual_choice *virtual_ask(const bmf_virtual_action *action, const bmf_communicator *of, const void *list,
                                      int64_t bytes, bmf_virtual_answer *answer);

/* Computing that ends with a call: nanoseconds since the last one, or steps. */
void virtual_say_computing(int64_t nanoseconds, int64_t steps);
void virtual_say_send(const char *name, const bmf_communicator *of, int32_t to, int tag, int64_t bytes, uint32_t round,
                      uint32_t flags);
/* Before a blocking call (round 0), or of a request. One that may wait inside of MPI flushes first. */
void virtual_say_collective(const char *name, int64_t bytes, int root, MPI_Comm comm);
void virtual_say_collective_request(const char *name, const bmf_request *r);
/* Its members alone know of the communicator that they are about to make. */
void virtual_say_members(const char *name, MPI_Comm comm, MPI_Group group, int tag);
void virtual_say_finish(const char *name, int64_t count, const uint32_t *round);
void virtual_say_file(int64_t nanoseconds);
/* Before a collective call on a file, or one that opens it. */
void virtual_say_file_collective(const char *name, MPI_File file);
void virtual_say_file_opening(const char *name, MPI_Comm comm);
/* The prediction ends here. */
void virtual_say_opaque(const char *name);
double virtual_clock(void);

/* ---- requests (virtual_request.c): in place of the calls of that name; statuses are never MPI_STATUS_IGNORE ---- */

int virtual_send(const void *buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int virtual_isend(const void *buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                  MPI_Request *request);
int virtual_recv(const char *name, void *buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Status *status);
int virtual_irecv(void *buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request);
int virtual_sendrecv(const char *name, const void *sent, MPI_Count send_count, MPI_Datatype send_type, int dest,
                     int send_tag, void *received, MPI_Count count, MPI_Datatype type, int source, int tag,
                     MPI_Comm comm, MPI_Status *status);
/* Says the post of a receive that has been started. */
void virtual_say_post(const char *name, const bmf_request *r);
int virtual_start(int count, MPI_Request *requests);
/* What a persistent request is going to send or receive. */
void virtual_note_buffer(MPI_Request handle, const void *buffer, MPI_Count count, MPI_Datatype type, MPI_Comm comm);
int virtual_waitall(const char *name, int count, MPI_Request *requests, MPI_Status *statuses);
/* Which are finished, by flags of virtual_clock.h; `finished` MPI_UNDEFINED: there are none to wait for. Statuses are
 * in the order of indices. */
int virtual_finish(const char *name, uint32_t flags, int count, MPI_Request *requests, int *finished, int *indices,
                   MPI_Status *statuses);
/* flags: VIRTUAL_WAITS; with `message`, a matched probe. */
int virtual_probe(const char *name, uint32_t flags, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                  MPI_Status *status);
/* While waiting for the predicting process: sends and collectives that others wait for go on. False: there are none. */
bool virtual_progress(void);
void virtual_requests_open(void);
void virtual_requests_close(void);
/* A nonblocking collective begins. */
void virtual_note_collective(void);
void status_empty(MPI_Status *status);

#endif
