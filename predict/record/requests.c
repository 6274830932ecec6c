/* What outstanding requests will finish.
 *
 * Method: a hash table of chains by handle. MPICH gives the same handle to all sends that were finished when they
 * started, so that several requests may have one: they are found oldest first.
 */
#include <stdlib.h>

#include "predict/record/record.h"
#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"

enum { CHAINS = 4096 };

typedef struct chain {
    bmf_request *first, *last;
} chain;

static struct {
    chain chain[CHAINS];
    bmf_request *spare;
} requests;

static chain *chain_of(MPI_Request handle)
{
    return &requests.chain[hash_word((uint64_t)(uint32_t)handle) % CHAINS];
}

bmf_request *request_add(const bmf_request *facts)
{
    if (facts->handle == MPI_REQUEST_NULL)
        return NULL;
    bmf_request *r = requests.spare;
    if (r)
        requests.spare = r->next;
    else
        r = allocate((int64_t)sizeof *r);
    *r = *facts;
    r->next = NULL;
    chain *c = chain_of(r->handle);
    *(c->first ? &c->last->next : &c->first) = r;
    c->last = r;
    return r;
}

bmf_request *request_find(MPI_Request handle)
{
    bmf_request *r = chain_of(handle)->first;
    while (r && r->handle != handle)
        r = r->next;
    return r;
}

void request_remove(bmf_request *r)
{
    chain *c = chain_of(r->handle);
    bmf_request *before = NULL;
    for (bmf_request *at = c->first; at != r; at = at->next)
        before = at;
    *(before ? &before->next : &c->first) = r->next;
    if (c->last == r)
        c->last = before;
    r->next = requests.spare;
    requests.spare = r;
}

void request_freed(MPI_Request handle)
{
    bmf_request *r = rec.open ? request_find(handle) : NULL;
    if (r)
        request_remove(r);
}

void requests_forget(void)
{
    for (int k = 0; k < CHAINS; k++)
        for (bmf_request *r = requests.chain[k].first, *next; r; r = next) {
            next = r->next;
            if (!r->persistent)
                request_remove(r);
            r->active = false;
        }
}

/* ---- matched probes ---- */

typedef struct matched {
    MPI_Message message;
    bmf_request facts;
    struct matched *next;
} matched;

static matched *outstanding;

void message_add(MPI_Message message, const MPI_Status *status, int source, int tag, MPI_Comm comm)
{
    if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC)
        return;
    matched *m = allocate((int64_t)sizeof *m);
    const uint32_t wild =
        (source == MPI_ANY_SOURCE ? BMF_DETAIL_WILD_SOURCE : 0) | (tag == MPI_ANY_TAG ? BMF_DETAIL_WILD_TAG : 0);
    *m = (matched){.message = message,
                   .facts = {.of = group_of(comm),
                             .peer = status->MPI_SOURCE,
                             .tag = status->MPI_TAG,
                             .flags = wild | BMF_DETAIL_CHOICE,
                             .order = rec.posts++,
                             .round = rec.virtual ? (uint32_t)rec.rounds : 0},
                   .next = outstanding};
    outstanding = m;
}

bool message_take(MPI_Message message, bmf_request *facts)
{
    for (matched **at = &outstanding; *at; at = &(*at)->next)
        if ((*at)->message == message) {
            matched *m = *at;
            *facts = m->facts;
            *at = m->next;
            free(m);
            return true;
        }
    return false;
}
