/* What the parts of the recorder share. It is a library of its own that is loaded before MPI (LD_PRELOAD) or linked
 * with a program: it defines MPI's functions, notes what each call was and how long it took, and calls the PMPI_ ones.
 *
 * One thread records: the one that initialised MPI. A rank's events go to a mapped file, its part
 * (runtime/trace/part_format.h), which rank 0 makes a trace of in MPI_Finalize. */
#ifndef BMF_RECORD_RECORD_H
#define BMF_RECORD_RECORD_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "predict/record/functions.h"
#include "runtime/trace/part_format.h"

#define RECORD_EXPORT                __attribute__((visibility("default")))
#define RECORD_ENUM(operation, name) OPERATION_##operation,
typedef enum bmf_operation {
    RECORD_OTHER(RECORD_ENUM) RECORD_POINT(RECORD_ENUM) RECORD_REQUEST(RECORD_ENUM) RECORD_COLLECTIVE(RECORD_ENUM)
        RECORD_COMMUNICATOR(RECORD_ENUM) OPERATIONS
} bmf_operation;

/* ---- whether and when (state.c) ---- */

typedef struct bmf_recorder {
    bool open;   /* between MPI_Init and MPI_Finalize, with a part to write to */
    bool on;     /* and not switched off */
    bool inside; /* a recorded call is going on: calls that it makes itself do not count */
    bool polite, cpu_clock, sums, sites;
    bool virtual; /* on virtual clocks (virtual.h) */
    bool untimed; /* what was computed does not matter: the same events whatever it took */
    int32_t rank, ranks;
    int64_t last, last_cpu;  /* end of the last call */
    int64_t lost;            /* nanoseconds since then in which the recorder wrote to its file */
    uint32_t node, instance; /* the phase */
    int64_t posts, rounds;   /* receives posted, requests made so far */
} bmf_recorder;
extern bmf_recorder rec;

/* A call that is going on. */
typedef struct bmf_call {
    int64_t begin; /* -1: it is not recorded */
    uint16_t name;
    const char *operation; /* NULL: not one of MPI's calls */
} bmf_call;

/* Ends the computing before a call, if it is to be recorded. */
bmf_call record_enter(const char *name, void *address);
/* Lets the next computing begin: now, or at `end`. */
void record_leave(const bmf_call *c, int64_t end);
#define ENTER(operation) record_enter(operation_names[OPERATION_##operation], __builtin_return_address(0))
/* For calls of a kind that come one by one, with their name. */
#define ENTER_NAMED(name) record_enter(name, __builtin_return_address(0))
extern const char *const operation_names[OPERATIONS];

/* Switches on or off; a program that does so leaves gaps. */
void record_switch(bool on);
/* After MPI_Init, before MPI_Finalize, before the end without it. */
void record_open(void);
void record_close(void);
void record_abandon(part_state state);

/* ---- clock (clock.c): nanoseconds since all ranks were there ---- */

void clock_open(MPI_Comm world, MPI_Comm host);
/* Seconds in a second that this host's clock has run ahead of rank 0's since clock_open. Collective. */
double clock_drift(MPI_Comm world, MPI_Comm host);
int64_t clock_now(void);
int64_t clock_processor(void); /* of this thread */

/* ---- the part (part.c) ---- */

bool part_open(const char *directory, const part_header *header, int64_t memory_bytes);
/* Removes a part that was opened, or that could not be opened completely. */
void part_discard(const char *directory);
void part_close(part_state state);
void part_note_drift(double drift);
void part_add(const part_record *record);
/* A definition with a text or list behind it. */
void part_define(const part_record *record, const void *tail, int64_t bytes);
/* The number of a text among this rank's names; 0 if there is no more room. */
uint16_t part_name(const char *text);
uint32_t part_node(uint32_t parent, const char *text);
void part_fact(const char *key, const char *value);
/* The same for a text that does not move: found by its address. */
uint16_t part_name_of_call(const char *text);
void part_note_call(uint16_t name);

/* ---- events (events.c) ---- */

typedef struct bmf_event_facts {
    bmf_event_kind kind;
    int32_t peer, tag;
    int64_t amount, number;
    uint32_t group, flags, round;
} bmf_event_facts;

/* Adds an event of this call, from its begin to `end`, or without length at its end. */
void event_add(const bmf_call *c, int64_t begin, int64_t end, const bmf_event_facts *facts);
/* A try that found nothing; such tries one after the other are one event. */
void event_add_try(const bmf_call *c, int64_t end);
/* Before the phase changes and at the end: adds what waits to be lengthened. */
void events_flush(void);

/* ---- phases (marks.c) ---- */

void phase_begin(const char *name);
void phase_end(void);

/* ---- communicators (groups.c) ---- */

typedef struct bmf_communicator {
    MPI_Comm handle;
    uint32_t group;     /* number in the part */
    uint64_t id;        /* equal on all members */
    int32_t rank, size; /* this rank in it */
    int32_t *world;     /* by rank: in MPI_COMM_WORLD; NULL: the same */
    int64_t calls;      /* collectives so far */
    bool said;          /* to the predicting process */
    struct bmf_communicator *next;
} bmf_communicator;

void groups_open(void);
/* NULL: an intercommunicator, or one that came from where this library does not look. */
bmf_communicator *group_of(MPI_Comm comm);
/* Enters a communicator that call `number` on `parent` made; MPI_COMM_NULL is fine. */
void group_made(const bmf_communicator *parent, int64_t number, MPI_Comm made);
/* Enters one that only its members know of: they agree on an id. Collective over it. */
void group_made_alone(MPI_Comm made);
void group_freed(MPI_Comm comm);
void group_named(MPI_Comm comm);
static inline int32_t group_world(const bmf_communicator *c, int rank)
{
    return rank < 0 || rank >= c->size ? -1 : c->world ? c->world[rank] : rank;
}

/* ---- requests (requests.c) ---- */

typedef enum bmf_request_kind {
    REQUEST_SEND,
    REQUEST_RECEIVE,
    REQUEST_BOTH,
    REQUEST_COLLECTIVE,
    REQUEST_OTHER
} bmf_request_kind;

/* What a request will finish. */
typedef struct bmf_request {
    MPI_Request handle;
    bmf_request_kind kind;
    bool persistent, active, cancelled, matched; /* matched: by a probe */
    uint16_t name;                               /* of the call that starts a persistent one */
    const bmf_communicator *of;
    int32_t peer, tag; /* of a receive: as it was asked for */
    int64_t bytes, order;
    uint32_t round, flags;
    int32_t root;  /* of a collective; and the source of the receiving half of REQUEST_BOTH */
    MPI_Comm made; /* MPI_Comm_idup: where the new communicator is going to be */
    MPI_Comm *making;
    /* of persistent ones on virtual clocks: */
    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
    MPI_Comm comm;
    struct bmf_request *next;
} bmf_request;

/* Remembers a request; MPI_REQUEST_NULL is not kept. Requests with equal handles are found oldest first. */
bmf_request *request_add(const bmf_request *facts);
bmf_request *request_find(MPI_Request handle);
void request_remove(bmf_request *r);
/* By MPI_Request_free: whatever it would have finished is not seen. */
void request_freed(MPI_Request handle);
/* When recording is switched on again: what was finished in between is not known. */
void requests_forget(void);

/* ---- what calls mean (messages.c) ----
 *
 * These add the events of a call that has just returned, and let the computing after it begin. Peers are ranks in the
 * communicator, MPI_PROC_NULL and wildcards included. */

int64_t bytes_of(int64_t count, MPI_Datatype type);
/* Where a call puts the status that the program did not ask for. */
static inline MPI_Status *status_for(MPI_Status *asked, MPI_Status *own)
{
    return asked == MPI_STATUS_IGNORE ? own : asked;
}

void record_send(const bmf_call *c, int64_t bytes, int dest, int tag, MPI_Comm comm);
void record_receive(const bmf_call *c, const MPI_Status *status, int source, int tag, MPI_Comm comm);
void record_matched(const bmf_call *c, const MPI_Status *status, MPI_Message message);
/* A send and a receive at the same time. */
typedef struct bmf_exchange_call {
    int64_t bytes;
    int dest, send_tag, source, tag;
    MPI_Comm comm;
} bmf_exchange_call;
void record_exchange(const bmf_call *c, const bmf_exchange_call *x, const MPI_Status *status);
void record_start_exchange(const bmf_call *c, const bmf_exchange_call *x, MPI_Request handle);
void record_start_send(const bmf_call *c, int64_t bytes, int dest, int tag, MPI_Comm comm, MPI_Request handle);
void record_start_receive(const bmf_call *c, int source, int tag, MPI_Comm comm, MPI_Request handle);
void record_start_matched(const bmf_call *c, MPI_Message message, MPI_Request handle);
void record_found(const bmf_call *c, bool found);
void record_collective(const bmf_call *c, int64_t bytes, int root, MPI_Comm comm);
bmf_request *record_start_collective(const bmf_call *c, int64_t bytes, int root, MPI_Comm comm, MPI_Request handle);
/* A persistent request, which calls of MPI_Start start. */
void record_prepared(bmf_request_kind kind, int64_t bytes, int peer, int tag, MPI_Comm comm, MPI_Request handle);
void record_started(const bmf_call *c, int count, const MPI_Request *handles);
/* The requests that a call finished, by their handles before it; statuses as in MPI_Waitall. */
void record_finished(const bmf_call *c, int count, const MPI_Request *handles, const MPI_Status *statuses,
                     uint32_t flags);
void record_found_nothing(const bmf_call *c);
/* Only that it was called: its meaning is not recorded. */
void record_opaque(const bmf_call *c);
/* Something of this rank alone. */
void record_local(const bmf_call *c);
void record_file(const bmf_call *c, int64_t bytes);

/* Matched probes: which receive a message is for. */
void message_add(MPI_Message message, const MPI_Status *status, int source, int tag, MPI_Comm comm);
bool message_take(MPI_Message message, bmf_request *facts);

/* ---- polite waiting (polite.c) ---- */

/* Waits for a nonblocking call that stands for a blocking one; `started` is what it returned. */
int polite_wait(int started, MPI_Request *request, MPI_Status *status);
int polite_waitall(int count, MPI_Request *request, MPI_Status *status);
typedef struct bmf_exchange_buffers {
    const void *sent;
    MPI_Count send_count;
    MPI_Datatype send_type;
    void *received; /* what is replaced, too */
    MPI_Count count;
    MPI_Datatype type;
} bmf_exchange_buffers;
int polite_sendrecv(const bmf_exchange_buffers *b, const bmf_exchange_call *x, MPI_Status *status);
int polite_sendrecv_replace(const bmf_exchange_buffers *b, const bmf_exchange_call *x, MPI_Status *status);
void polite_pause(int *tries);
/* What the recorder itself says among ranks, who may outnumber cores. */
void polite_barrier(MPI_Comm comm);
void polite_bcast(void *buffer, int bytes, int root, MPI_Comm comm);
int polite_allreduce(int own, MPI_Op op, MPI_Comm comm);
void polite_dup(MPI_Comm comm, MPI_Comm *made);

#endif
