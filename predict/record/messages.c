/* What calls mean, as events.
 *
 * A call that finishes several requests has as many events: the first is as long as the call, the others are at its end
 * and take no time, so that an operation's events add up to the time spent in it. */
#include "predict/record/record.h"
#include "predict/record/virtual.h"

int64_t bytes_of(int64_t count, MPI_Datatype type)
{
    MPI_Count size = 0;
    if (type == MPI_DATATYPE_NULL || count <= 0)
        return 0;
    PMPI_Type_size_x(type, &size);
    return size > 0 ? count * (int64_t)size : 0;
}

static int64_t status_bytes(const MPI_Status *status)
{
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    return bytes > 0 ? bytes : 0;
}

static uint32_t wildness(int source, int tag)
{
    return (source == MPI_ANY_SOURCE ? BMF_DETAIL_WILD_SOURCE : 0) | (tag == MPI_ANY_TAG ? BMF_DETAIL_WILD_TAG : 0);
}

static void add_wait(const bmf_call *c, int64_t begin, int64_t end, uint32_t round, uint32_t flags)
{
    event_add(c, begin, end,
              &(bmf_event_facts){
                  .kind = BMF_EVENT_WAIT, .peer = -1, .tag = -1, .number = -1, .round = round, .flags = flags});
}

static void add_send(const bmf_call *c, int64_t begin, int64_t end, int64_t bytes, int32_t peer, int tag,
                     const bmf_communicator *of, uint32_t round, uint32_t flags)
{
    event_add(c, begin, end,
              &(bmf_event_facts){.kind = BMF_EVENT_SEND,
                                 .peer = peer,
                                 .amount = bytes,
                                 .tag = tag,
                                 .group = of->group,
                                 .round = round,
                                 .flags = flags});
}

/* order: of its posting among all receives of this rank. */
static void add_receive(const bmf_call *c, int64_t begin, int64_t end, const MPI_Status *status,
                        const bmf_communicator *of, int64_t order, uint32_t round, uint32_t flags)
{
    event_add(c, begin, end,
              &(bmf_event_facts){.kind = BMF_EVENT_RECEIVE,
                                 .peer = group_world(of, status->MPI_SOURCE),
                                 .amount = status_bytes(status),
                                 .tag = status->MPI_TAG,
                                 .number = order,
                                 .group = of->group,
                                 .round = round,
                                 .flags = flags});
}

/* Time in a call that has nothing to do with another rank. */
static void alone(const bmf_call *c, uint32_t flags)
{
    if (rec.virtual && flags & BMF_DETAIL_OPAQUE)
        virtual_say_opaque(c->operation);
    const int64_t end = clock_now();
    add_wait(c, c->begin, end, 0, flags);
    record_leave(c, end);
}

void record_opaque(const bmf_call *c)
{
    alone(c, BMF_DETAIL_OPAQUE);
}

void record_local(const bmf_call *c)
{
    alone(c, 0);
}

void record_found_nothing(const bmf_call *c)
{
    const int64_t end = clock_now();
    event_add_try(c, end);
    record_leave(c, end);
}

void record_file(const bmf_call *c, int64_t bytes)
{
    const int64_t end = clock_now();
    if (rec.virtual)
        virtual_say_file(end - c->begin);
    event_add(c, c->begin, end,
              &(bmf_event_facts){.kind = BMF_EVENT_FILE, .peer = -1, .tag = -1, .amount = bytes, .number = -1});
    record_leave(c, end);
}

/* ---- messages ---- */

void record_send(const bmf_call *c, int64_t bytes, int dest, int tag, MPI_Comm comm)
{
    const bmf_communicator *of = group_of(comm);
    if (!of || dest == MPI_PROC_NULL) {
        alone(c, of ? 0 : BMF_DETAIL_OPAQUE);
        return;
    }
    const int64_t end = clock_now();
    if (rec.virtual)
        virtual_say_send(c->operation, of, group_world(of, dest), tag, bytes, 0, 0);
    add_send(c, c->begin, end, bytes, group_world(of, dest), tag, of, 0, 0);
    record_leave(c, end);
}

void record_receive(const bmf_call *c, const MPI_Status *status, int source, int tag, MPI_Comm comm)
{
    const bmf_communicator *of = group_of(comm);
    if (!of || source == MPI_PROC_NULL) {
        alone(c, of ? 0 : BMF_DETAIL_OPAQUE);
        return;
    }
    const int64_t end = clock_now();
    add_receive(c, c->begin, end, status, of, rec.posts++, 0, wildness(source, tag));
    record_leave(c, end);
}

void record_matched(const bmf_call *c, const MPI_Status *status, MPI_Message message)
{
    bmf_request facts;
    if (!message_take(message, &facts) || !facts.of) {
        alone(c, BMF_DETAIL_OPAQUE);
        return;
    }
    const int64_t end = clock_now();
    if (rec.virtual)
        virtual_say_finish(c->operation, 1, &facts.round);
    add_receive(c, c->begin, end, status, facts.of, facts.order, 0, facts.flags);
    record_leave(c, end);
}

void record_found(const bmf_call *c, bool found)
{
    if (found)
        alone(c, BMF_DETAIL_CHOICE);
    else
        record_found_nothing(c);
}

void record_exchange(const bmf_call *c, const bmf_exchange_call *x, const MPI_Status *status)
{
    const bmf_communicator *of = group_of(x->comm);
    if (!of) {
        record_opaque(c);
        return;
    }
    const int64_t end = clock_now();
    const uint32_t round = (uint32_t)++rec.rounds;
    const bool sends = x->dest != MPI_PROC_NULL, receives = x->source != MPI_PROC_NULL;
    if (sends)
        add_send(c, c->begin, c->begin, x->bytes, group_world(of, x->dest), x->send_tag, of, round,
                 BMF_DETAIL_NONBLOCKING);
    if (receives)
        add_receive(c, c->begin, end, status, of, rec.posts++, 0, wildness(x->source, x->tag));
    add_wait(c, receives ? end : c->begin, end, sends ? round : 0, 0);
    record_leave(c, end);
}

/* ---- requests ---- */

static bmf_request new_request(MPI_Request handle, bmf_request_kind kind, const bmf_communicator *of)
{
    return (bmf_request){.handle = handle, .kind = kind, .of = of, .active = true, .round = (uint32_t)++rec.rounds};
}

/* A nonblocking call on an unknown communicator: its wait is not understood either. */
static void start_opaque(const bmf_call *c, MPI_Request handle)
{
    const bmf_request r = new_request(handle, REQUEST_OTHER, NULL);
    request_add(&r);
    record_opaque(c);
}

static void emit_send(const bmf_call *c, int64_t begin, int64_t end, const bmf_request *r)
{
    if (r->peer == MPI_PROC_NULL) {
        add_wait(c, begin, end, 0, 0);
        return;
    }
    if (rec.virtual)
        virtual_say_send(c->operation, r->of, group_world(r->of, r->peer), r->tag, r->bytes, r->round,
                         VIRTUAL_NONBLOCKING);
    add_send(c, begin, end, r->bytes, group_world(r->of, r->peer), r->tag, r->of, r->round, BMF_DETAIL_NONBLOCKING);
}

static void emit_post(const bmf_call *c, int64_t begin, int64_t end, const bmf_request *r)
{
    if (rec.virtual && !r->matched)
        virtual_say_post(c->operation, r);
    event_add(c, begin, end,
              &(bmf_event_facts){.kind = BMF_EVENT_WAIT,
                                 .peer = r->peer < 0 ? -1 : group_world(r->of, r->peer),
                                 .tag = r->tag < 0 ? -1 : r->tag,
                                 .number = -1,
                                 .group = r->of->group,
                                 .round = r->round,
                                 .flags = BMF_DETAIL_POST | r->flags});
}

static void emit_collective(const bmf_call *c, int64_t begin, int64_t end, const bmf_request *r)
{
    if (rec.virtual)
        virtual_say_collective_request(c->operation, r);
    event_add(c, begin, end,
              &(bmf_event_facts){.kind = BMF_EVENT_COLLECTIVE,
                                 .peer = group_world(r->of, r->root),
                                 .amount = r->bytes,
                                 .tag = -1,
                                 .number = r->order,
                                 .group = r->of->group,
                                 .round = r->round,
                                 .flags = BMF_DETAIL_NONBLOCKING});
}

void record_start_send(const bmf_call *c, int64_t bytes, int dest, int tag, MPI_Comm comm, MPI_Request handle)
{
    const bmf_communicator *of = group_of(comm);
    if (!of) {
        start_opaque(c, handle);
        return;
    }
    const int64_t end = clock_now();
    bmf_request r = new_request(handle, REQUEST_SEND, of);
    r.peer = dest, r.tag = tag, r.bytes = bytes;
    request_add(&r);
    emit_send(c, c->begin, end, &r);
    record_leave(c, end);
}

void record_start_receive(const bmf_call *c, int source, int tag, MPI_Comm comm, MPI_Request handle)
{
    const bmf_communicator *of = group_of(comm);
    if (!of) {
        start_opaque(c, handle);
        return;
    }
    const int64_t end = clock_now();
    bmf_request r = new_request(handle, REQUEST_RECEIVE, of);
    r.peer = source, r.tag = tag, r.order = rec.posts++, r.flags = wildness(source, tag);
    request_add(&r);
    emit_post(c, c->begin, end, &r);
    record_leave(c, end);
}

void record_start_matched(const bmf_call *c, MPI_Message message, MPI_Request handle)
{
    bmf_request facts;
    if (!message_take(message, &facts) || !facts.of) {
        start_opaque(c, handle);
        return;
    }
    const int64_t end = clock_now();
    bmf_request r = new_request(handle, REQUEST_RECEIVE, facts.of);
    r.peer = facts.peer, r.tag = facts.tag, r.order = facts.order, r.flags = facts.flags, r.matched = true;
    r.round = rec.virtual ? facts.round : r.round;
    request_add(&r);
    emit_post(c, c->begin, end, &r);
    record_leave(c, end);
}

void record_start_exchange(const bmf_call *c, const bmf_exchange_call *x, MPI_Request handle)
{
    const bmf_communicator *of = group_of(x->comm);
    if (!of) {
        start_opaque(c, handle);
        return;
    }
    const int64_t end = clock_now();
    bmf_request r = new_request(handle, REQUEST_BOTH, of);
    r.peer = x->dest, r.tag = x->send_tag, r.bytes = x->bytes;
    emit_send(c, c->begin, c->begin, &r);
    r.peer = x->source, r.tag = x->tag, r.order = rec.posts++, r.flags = wildness(x->source, x->tag);
    emit_post(c, c->begin, end, &r);
    request_add(&r);
    record_leave(c, end);
}

/* ---- collectives ---- */

void record_collective(const bmf_call *c, int64_t bytes, int root, MPI_Comm comm)
{
    bmf_communicator *of = group_of(comm);
    if (!of) {
        record_opaque(c);
        return;
    }
    const int64_t end = clock_now();
    event_add(c, c->begin, end,
              &(bmf_event_facts){.kind = BMF_EVENT_COLLECTIVE,
                                 .peer = group_world(of, root),
                                 .amount = bytes,
                                 .tag = -1,
                                 .number = of->calls++,
                                 .group = of->group});
    record_leave(c, end);
}

bmf_request *record_start_collective(const bmf_call *c, int64_t bytes, int root, MPI_Comm comm, MPI_Request handle)
{
    bmf_communicator *of = group_of(comm);
    if (!of) {
        start_opaque(c, handle);
        return NULL;
    }
    const int64_t end = clock_now();
    bmf_request r = new_request(handle, REQUEST_COLLECTIVE, of);
    r.bytes = bytes, r.root = root, r.order = of->calls++;
    emit_collective(c, c->begin, end, &r);
    record_leave(c, end);
    return request_add(&r);
}

/* ---- persistent requests ---- */

void record_prepared(bmf_request_kind kind, int64_t bytes, int peer, int tag, MPI_Comm comm, MPI_Request handle)
{
    const bmf_communicator *of = rec.open ? group_of(comm) : NULL;
    if (!rec.open)
        return;
    bmf_request r = {.handle = handle,
                     .kind = of ? kind : REQUEST_OTHER,
                     .of = of,
                     .persistent = true,
                     .peer = peer,
                     .root = peer,
                     .tag = tag,
                     .bytes = bytes};
    if (kind == REQUEST_RECEIVE)
        r.flags = wildness(peer, tag);
    request_add(&r);
}

static void start_one(const bmf_call *c, int64_t begin, int64_t end, bmf_request *r)
{
    r->active = true;
    r->round = (uint32_t)++rec.rounds;
    if (r->kind == REQUEST_SEND) {
        emit_send(c, begin, end, r);
    } else if (r->kind == REQUEST_RECEIVE) {
        r->order = rec.posts++;
        emit_post(c, begin, end, r);
    } else if (r->kind == REQUEST_COLLECTIVE) {
        /* The communicator counts its collectives; the request only reads it otherwise. */
        r->order = group_of(r->of->handle)->calls++;
        emit_collective(c, begin, end, r);
    } else {
        add_wait(c, begin, end, 0, BMF_DETAIL_OPAQUE);
    }
}

void record_started(const bmf_call *c, int count, const MPI_Request *handles)
{
    const int64_t end = clock_now();
    for (int k = 0; k < count; k++) {
        bmf_request *r = request_find(handles[k]);
        const int64_t begin = k == 0 ? c->begin : end;
        if (r)
            start_one(c, begin, end, r);
        else
            add_wait(c, begin, end, 0, BMF_DETAIL_OPAQUE);
    }
    record_leave(c, end);
}

/* ---- finishing ---- */

static bool was_cancelled(const bmf_request *r, const MPI_Status *status)
{
    int flag = 0;
    if (r->cancelled)
        PMPI_Test_cancelled(status, &flag);
    return flag;
}

static void finish_receive(const bmf_call *c, int64_t begin, int64_t end, const bmf_request *r,
                           const MPI_Status *status, uint32_t flags)
{
    if (was_cancelled(r, status))
        add_wait(c, begin, end, r->round, BMF_DETAIL_CANCELLED);
    else if (r->peer == MPI_PROC_NULL)
        add_wait(c, begin, end, 0, 0);
    else
        add_receive(c, begin, end, status, r->of, r->order, r->round, r->flags | flags);
}

/* MPICH 4.0.2 says nothing in the status of MPI_Isendrecv: what was asked for is known. */
static void finish_both(const bmf_call *c, int64_t begin, int64_t end, const bmf_request *r, const MPI_Status *status,
                        uint32_t flags)
{
    MPI_Status known = *status;
    if (r->peer >= 0)
        known.MPI_SOURCE = r->peer;
    if (r->tag >= 0)
        known.MPI_TAG = r->tag;
    finish_receive(c, begin, end, r, &known, flags);
}

static void finish_one(const bmf_call *c, int64_t begin, int64_t end, bmf_request *r, const MPI_Status *status,
                       uint32_t flags)
{
    switch (r->kind) {
    case REQUEST_BOTH:
        finish_both(c, begin, end, r, status, flags);
        add_wait(c, end, end, r->round, flags);
        break;
    case REQUEST_RECEIVE:
        finish_receive(c, begin, end, r, status, flags);
        break;
    case REQUEST_SEND:
        add_wait(c, begin, end, r->peer == MPI_PROC_NULL ? 0 : r->round,
                 flags | (was_cancelled(r, status) ? BMF_DETAIL_CANCELLED : 0));
        break;
    case REQUEST_COLLECTIVE:
        add_wait(c, begin, end, r->round, flags);
        if (r->making)
            group_made(r->of, r->order, *r->making);
        break;
    case REQUEST_OTHER:
        add_wait(c, begin, end, 0, BMF_DETAIL_OPAQUE);
        break;
    }
    if (r->persistent)
        r->active = false;
    else
        request_remove(r);
}

void record_finished(const bmf_call *c, int count, const MPI_Request *handles, const MPI_Status *statuses,
                     uint32_t flags)
{
    const int64_t end = clock_now();
    int64_t begin = c->begin;
    for (int k = 0; k < count; k++) {
        bmf_request *r = handles[k] == MPI_REQUEST_NULL ? NULL : request_find(handles[k]);
        if (!r || (r->persistent && !r->active))
            continue;
        finish_one(c, begin, end, r, &statuses[k], flags);
        begin = end;
    }
    if (begin == c->begin)
        add_wait(c, begin, end, 0, 0);
    record_leave(c, end);
}
