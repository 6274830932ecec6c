/* What users hold: contexts, lists, partitions, plans and traces, by address, and those they have freed.
 *
 * Method: a hash table of addresses. Freed memory is kept until 2^16 more handles have been freed, so that a use after
 * free meets an address that nothing else has. Cost: expected one look at the table; the memory of 2^16 freed handles
 * without what they held. Any thread may call. */
#ifndef BMF_REGISTRY_H
#define BMF_REGISTRY_H

#include "checked/checked.h"

typedef struct bmf_handle {
    const void *address;
    bmf_handle_kind kind;
    bool alive;
    int64_t number;       /* of a list or plan: among those of its context, from 1, the same on every rank */
    int64_t context;      /* the number of its context; -1: none */
    int64_t processors;   /* of the machine it was made for */
    const char *made_by;  /* a public function */
    const char *freed_by; /* likewise */
} bmf_handle;

/* A context that was opened, closed or not. */
typedef struct bmf_checked_context {
    bmf_context *ctx;
    bool open;
    pthread_t thread;     /* that opened it */
    int64_t peers;        /* the oldest context on the same ranks that was open when this one was opened */
    int64_t number;       /* among those on the same ranks, from 1 */
    int64_t lists, plans; /* made in it */
    int64_t regions;      /* that are open */
} bmf_checked_context;

/* From here on free_handle keeps what it is given. */
void registry_start(void);

/* A handle that a call has made, or that is known already. */
void registry_add(bmf_handle_kind kind, const void *address, int64_t context, const char *made_by);
/* False: no handle was ever at this address. */
bool registry_find(const void *address, bmf_handle *found);
/* Lists and plans of a context that are not freed; one of them in *left. */
int64_t registry_left(int64_t context, bmf_handle *left);

/* Enters a context that a call has opened. */
void registry_open(bmf_context *ctx, const char *made_by);
/* By number, from 0, < registry_contexts(). Stays where it is. */
bmf_checked_context *registry_context(int64_t number);
int64_t registry_contexts(void);
/* The oldest open context on the same ranks as this open one: all of them send their questions there, so that calls
 * in different contexts meet. */
const bmf_checked_context *registry_peer(const bmf_checked_context *context);
/* The only open context, or -1 if there is none or several. */
int64_t registry_only_context(void);

const char *handle_kind_name(bmf_handle_kind kind);

#endif
