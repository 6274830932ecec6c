/* Requests on virtual clocks.
 *
 * Method: sends are copied and go on by themselves, since when they are finished is a matter of simulated time; the
 * program gets a handle that only stands for them. Receives from any source, and those that could get a message which
 * an earlier receive from any source may take, are held: they are made when the predicting process has said which
 * message they are for, from its source and with its tag. Cost: a copy of every message that is sent. */
#include "predict/record/virtual.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

/* A receive that waits to be made. */
typedef struct held_receive {
    MPI_Request handle; /* the program's; MPI_REQUEST_NULL: of a blocking receive */
    uint32_t round;
    const bmf_communicator *of;
    int source, tag;
    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
    MPI_Comm comm;
    bool made;
    MPI_Request real;
} held_receive;

typedef struct pending_send {
    MPI_Request request;
    void *copy;
} pending_send;

static struct {
    held_receive *held;
    int64_t helds, held_capacity;
    pending_send *pending;
    int64_t pendings, pending_capacity;
    MPI_Comm self;
    MPI_Request never;   /* a receive that is never finished */
    int64_t collectives; /* nonblocking ones that are not finished: the others may wait for this rank's part */
    uint32_t *round;
    int64_t round_capacity;
    int *place; /* of rounds among the requests */
    int64_t place_capacity;
} state;

/* ---- sends ---- */

bool virtual_progress(void)
{
    int64_t kept = 0;
    int flag;
    if (state.collectives > 0) /* helps all of them along, since it is not finished itself */
        PMPI_Test(&state.never, &flag, MPI_STATUS_IGNORE);
    for (int64_t k = 0; k < state.pendings; k++) {
        pending_send p = state.pending[k];
        int done = 0;
        PMPI_Test(&p.request, &done, MPI_STATUS_IGNORE);
        if (done)
            free(p.copy);
        else
            state.pending[kept++] = p;
    }
    state.pendings = kept;
    return kept > 0 || state.collectives > 0;
}

void virtual_note_collective(void)
{
    state.collectives++;
}

void virtual_requests_open(void)
{
    PMPI_Comm_dup(MPI_COMM_SELF, &state.self);
    PMPI_Irecv(NULL, 0, MPI_BYTE, 0, 0, state.self, &state.never);
}

void virtual_requests_close(void)
{
    PMPI_Cancel(&state.never);
    PMPI_Wait(&state.never, MPI_STATUS_IGNORE);
    PMPI_Comm_free(&state.self);
}

int virtual_send(const void *buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    MPI_Count size = 0, at = 0;
    pending_send p;
    if (dest == MPI_PROC_NULL)
        return MPI_SUCCESS;
    virtual_progress();
    int result = PMPI_Pack_size_c(count, type, comm, &size);
    if (result != MPI_SUCCESS)
        return result;
    p.copy = allocate(size > 0 ? size : 1);
    result = PMPI_Pack_c(buffer, count, type, p.copy, size, &at, comm);
    if (result == MPI_SUCCESS)
        result = PMPI_Isend_c(p.copy, at, MPI_PACKED, dest, tag, comm, &p.request);
    if (result == MPI_SUCCESS)
        *ARRAY_APPEND(state.pending, state.pendings, state.pending_capacity) = p;
    else
        free(p.copy);
    return result;
}

/* A handle of its own that is never active. */
static MPI_Request stand_in(void)
{
    MPI_Request made;
    PMPI_Send_init(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, &made);
    return made;
}

int virtual_isend(const void *buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    const int result = virtual_send(buffer, count, type, dest, tag, comm);
    if (result == MPI_SUCCESS)
        *request = stand_in();
    return result;
}

/* ---- held receives ---- */

static bool competes(const held_receive *h, const bmf_communicator *of, int source, int tag)
{
    return !h->made && h->of == of &&
           (h->source == MPI_ANY_SOURCE || source == MPI_ANY_SOURCE || h->source == source) &&
           (h->tag == MPI_ANY_TAG || tag == MPI_ANY_TAG || h->tag == tag);
}

static bool must_hold(const bmf_communicator *of, int source, int tag)
{
    if (!of || source == MPI_PROC_NULL)
        return false;
    if (source == MPI_ANY_SOURCE)
        return true;
    for (int64_t k = 0; k < state.helds; k++)
        if (competes(&state.held[k], of, source, tag))
            return true;
    return false;
}

static held_receive *held_by_handle(MPI_Request handle)
{
    for (int64_t k = 0; k < state.helds; k++)
        if (state.held[k].handle == handle)
            return &state.held[k];
    return NULL;
}

static void hold(const held_receive *h)
{
    *ARRAY_APPEND(state.held, state.helds, state.held_capacity) = *h;
    PMPI_Type_dup(h->type, &state.held[state.helds - 1].type); /* the program may free its own */
}

static void drop(held_receive *h)
{
    PMPI_Type_free(&h->type);
    const int64_t at = h - state.held;
    memmove(h, h + 1, (size_t)(--state.helds - at) * sizeof *h);
}

static int rank_of(const bmf_communicator *of, int32_t world)
{
    for (int32_t k = 0; k < of->size; k++)
        if (group_world(of, k) == world)
            return k;
    return MPI_PROC_NULL;
}

/* Makes the receives that have been settled, in that order. */
static void make_receives(const bmf_virtual_choice *choice, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        for (int64_t j = 0; j < state.helds; j++) {
            held_receive *h = &state.held[j];
            if (h->made || h->round != choice[k].round)
                continue;
            PMPI_Irecv_c(h->buffer, h->count, h->type, rank_of(h->of, choice[k].source), choice[k].tag, h->comm,
                         &h->real);
            h->made = true;
            break;
        }
}

/* Asks a question, and makes the receives that its answer settles. */
static const bmf_virtual_choice *ask(const bmf_virtual_action *action, const bmf_communicator *of,
                                     const uint32_t *round, int64_t rounds, bmf_virtual_answer *answer)
{
    const bmf_virtual_choice *choice = virtual_ask(action, of, round, rounds * (int64_t)sizeof *round, answer);
    make_receives(choice, answer->count - answer->finished);
    return choice + answer->count - answer->finished;
}

int virtual_irecv(void *buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    const bmf_communicator *of = group_of(comm);
    if (!must_hold(of, source, tag))
        return PMPI_Irecv_c(buffer, count, type, source, tag, comm, request);
    *request = stand_in();
    hold(&(held_receive){.handle = *request,
                         .of = of,
                         .source = source,
                         .tag = tag,
                         .buffer = buffer,
                         .count = count,
                         .type = type,
                         .comm = comm});
    return MPI_SUCCESS;
}

static void say_receive(bmf_virtual_kind kind, const char *name, const bmf_communicator *of, int source, int tag,
                        uint32_t round, bool is_held)
{
    bmf_virtual_action action = virtual_action(kind, name);
    action.peer = source < 0 ? -1 : group_world(of, source);
    action.tag = tag < 0 ? -1 : tag;
    action.round = round;
    action.flags = is_held ? VIRTUAL_HELD : 0;
    virtual_say(&action, of, NULL, 0);
}

void virtual_say_post(const char *name, const bmf_request *r)
{
    held_receive *h = held_by_handle(r->handle);
    if (r->peer == MPI_PROC_NULL)
        return;
    if (h)
        h->round = r->round;
    say_receive(VIRTUAL_POST, name, r->of, r->peer, r->tag, r->round, h);
}

int virtual_recv(const char *name, void *buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Status *status)
{
    const bmf_communicator *of = group_of(comm);
    MPI_Request request;
    const bool is_held = must_hold(of, source, tag);
    if (of && source != MPI_PROC_NULL) {
        say_receive(VIRTUAL_RECEIVE, name, of, source, tag, 0, is_held);
        if (!is_held)
            virtual_flush_if_wanted();
    }
    if (!is_held)
        return polite_wait(PMPI_Irecv_c(buffer, count, type, source, tag, comm, &request), &request, status);
    hold(&(held_receive){.handle = MPI_REQUEST_NULL,
                         .of = of,
                         .source = source,
                         .tag = tag,
                         .buffer = buffer,
                         .count = count,
                         .type = type,
                         .comm = comm});
    bmf_virtual_answer answer;
    const bmf_virtual_action done = virtual_action(VIRTUAL_ASK_DONE, name);
    ask(&done, NULL, NULL, 0, &answer);
    held_receive *h = held_by_handle(MPI_REQUEST_NULL);
    request = h->real;
    drop(h);
    return polite_wait(MPI_SUCCESS, &request, status);
}

/* The message is said before the receive is waited for; its request has number 0. */
int virtual_sendrecv(const char *name, const void *sent, MPI_Count send_count, MPI_Datatype send_type, int dest,
                     int send_tag, void *received, MPI_Count count, MPI_Datatype type, int source, int tag,
                     MPI_Comm comm, MPI_Status *status)
{
    const bmf_communicator *of = group_of(comm);
    const uint32_t round = 0;
    const bool sends = of && dest != MPI_PROC_NULL;
    if (sends)
        virtual_say_send(name, of, group_world(of, dest), send_tag, bytes_of(send_count, send_type), round,
                         VIRTUAL_NONBLOCKING);
    int result = virtual_send(sent, send_count, send_type, dest, send_tag, comm);
    if (result == MPI_SUCCESS)
        result = virtual_recv(name, received, count, type, source, tag, comm, status);
    if (sends)
        virtual_say_finish(name, 1, &round);
    return result;
}

/* ---- persistent requests ---- */

void virtual_note_buffer(MPI_Request handle, const void *buffer, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    bmf_request *r = request_find(handle);
    if (!r)
        return;
    r->buffer = (void *)(uintptr_t)buffer;
    r->count = count;
    r->type = type;
    r->comm = comm;
}

static int start_one(MPI_Request *request)
{
    const bmf_request *r = request_find(*request);
    if (!r || (r->kind != REQUEST_SEND && r->kind != REQUEST_RECEIVE))
        return PMPI_Start(request);
    if (r->kind == REQUEST_SEND)
        return virtual_send(r->buffer, r->count, r->type, r->peer, r->tag, r->comm);
    if (!must_hold(r->of, r->peer, r->tag))
        return PMPI_Start(request);
    hold(&(held_receive){.handle = *request,
                         .of = r->of,
                         .source = r->peer,
                         .tag = r->tag,
                         .buffer = r->buffer,
                         .count = r->count,
                         .type = r->type,
                         .comm = r->comm});
    return MPI_SUCCESS;
}

int virtual_start(int count, MPI_Request *requests)
{
    int result = MPI_SUCCESS;
    for (int k = 0; k < count && result == MPI_SUCCESS; k++)
        result = start_one(&requests[k]);
    return result;
}

/* ---- finishing ---- */

void status_empty(MPI_Status *status)
{
    memset(status, 0, sizeof *status);
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    PMPI_Status_set_cancelled(status, 0);
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
}

/* Finishes a request that is finished in simulated time: what it waits for has been sent, or is on its way. */
static int finish_really(MPI_Request *request, MPI_Status *status)
{
    const bmf_request *r = request_find(*request);
    held_receive *h = r ? held_by_handle(*request) : NULL;
    int result = MPI_SUCCESS;
    state.collectives -= r && r->kind == REQUEST_COLLECTIVE;
    if (!h && !(r && r->kind == REQUEST_SEND))
        return polite_wait(MPI_SUCCESS, request, status);
    if (h) {
        MPI_Request real = h->real;
        drop(h);
        result = polite_wait(MPI_SUCCESS, &real, status);
    } else {
        status_empty(status);
    }
    if (!r->persistent)
        PMPI_Request_free(request);
    return result;
}

static bool is_active(const bmf_request *r)
{
    return r && (!r->persistent || r->active);
}

/* The rounds of the active requests, and their places. */
static int64_t note_rounds(int count, const MPI_Request *requests)
{
    int64_t rounds = 0, places = 0;
    for (int k = 0; k < count; k++) {
        const bmf_request *r = requests[k] == MPI_REQUEST_NULL ? NULL : request_find(requests[k]);
        if (requests[k] == MPI_REQUEST_NULL || (r && !is_active(r)))
            continue;
        const bool simulated = r && r->kind != REQUEST_OTHER &&
                               (r->kind == REQUEST_BOTH || r->peer != MPI_PROC_NULL || r->kind == REQUEST_COLLECTIVE);
        *ARRAY_APPEND(state.round, rounds, state.round_capacity) = simulated ? r->round : VIRTUAL_NO_ROUND;
        *ARRAY_APPEND(state.place, places, state.place_capacity) = k;
    }
    return rounds;
}

int virtual_waitall(const char *name, int count, MPI_Request *requests, MPI_Status *statuses)
{
    const int64_t rounds = note_rounds(count, requests);
    bool is_held = false;
    int result = MPI_SUCCESS;
    for (int k = 0; k < count && !is_held; k++) {
        const held_receive *h = requests[k] == MPI_REQUEST_NULL ? NULL : held_by_handle(requests[k]);
        is_held = h && !h->made;
    }
    virtual_say_finish(name, rounds, state.round);
    if (is_held) {
        bmf_virtual_answer answer;
        const bmf_virtual_action done = virtual_action(VIRTUAL_ASK_DONE, name);
        ask(&done, NULL, NULL, 0, &answer);
    }
    for (int k = 0; k < count && result == MPI_SUCCESS; k++)
        result = finish_really(&requests[k], &statuses[k]);
    return result;
}

int virtual_finish(const char *name, uint32_t flags, int count, MPI_Request *requests, int *finished, int *indices,
                   MPI_Status *statuses)
{
    const int64_t rounds = note_rounds(count, requests);
    int result = MPI_SUCCESS;
    *finished = MPI_UNDEFINED;
    if (rounds == 0)
        return MPI_SUCCESS;
    bmf_virtual_answer answer;
    bmf_virtual_action action = virtual_action(VIRTUAL_ASK_FINISH, name);
    action.flags = flags;
    action.amount = rounds;
    const bmf_virtual_choice *choice = ask(&action, NULL, state.round, rounds, &answer);
    *finished = answer.finished;
    for (int k = 0; k < answer.finished; k++)
        indices[k] = state.place[choice[k].round];
    for (int k = 0; k < *finished && result == MPI_SUCCESS; k++)
        result = finish_really(&requests[indices[k]], &statuses[k]);
    return result;
}

/* ---- probes ---- */

int virtual_probe(const char *name, uint32_t flags, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                  MPI_Status *status)
{
    const bmf_communicator *of = group_of(comm);
    bmf_virtual_answer answer;
    if (!of || source == MPI_PROC_NULL)
        return message ? PMPI_Improbe(source, tag, comm, flag, message, status)
                       : PMPI_Iprobe(source, tag, comm, flag, status);
    bmf_virtual_action action = virtual_action(VIRTUAL_ASK_PROBE, name);
    action.peer = source < 0 ? -1 : group_world(of, source);
    action.tag = tag < 0 ? -1 : tag;
    action.flags = flags | (message ? VIRTUAL_MATCHED : 0);
    action.round = message ? (uint32_t)++rec.rounds : 0;
    ask(&action, of, NULL, 0, &answer);
    *flag = 0;
    int result = MPI_SUCCESS, tries = 0;
    while (answer.found && !*flag && result == MPI_SUCCESS) {
        const int from = rank_of(of, answer.source);
        result = message ? PMPI_Improbe(from, answer.tag, comm, flag, message, status)
                         : PMPI_Iprobe(from, answer.tag, comm, flag, status);
        if (!*flag)
            polite_pause(&tries);
    }
    return result;
}
