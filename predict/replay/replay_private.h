/* The parts of replay; private to predict/model. */
#ifndef BMF_REPLAY_PRIVATE_H
#define BMF_REPLAY_PRIVATE_H

#include "predict/model/model_private.h"
#include "predict/replay/replay.h"

/* A call or region that all lanes entered; scope 0 is the program. */
typedef struct replay_scope {
    uint32_t node, instance;
    int64_t parent;   /* index of a scope before this one */
    int64_t children; /* so far, while they are numbered */
    int64_t ordinal;  /* among its parent's children */
    int64_t *event;   /* by lane; NULL for the program */
} replay_scope;

typedef struct replay_scopes {
    const bmf_trace_run *run;
    int64_t count;
    replay_scope *scope; /* parents before children, in the order of the program */
    int64_t *child;      /* scope s's children, in order: child[first_child[s] .. first_child[s + 1]) */
    int64_t *first_child;
    int64_t *events; /* memory of all `event` */
    int64_t *by_id;  /* scopes by (node, instance) */
} replay_scopes;

int replay_scopes_read(const bmf_trace_run *run, replay_scopes *scopes);
void replay_scopes_free(replay_scopes *scopes);
/* The scope with that id, -1: none. */
int64_t replay_scopes_find(const replay_scopes *scopes, uint32_t node, uint32_t instance);
/* Calls visit when a scope is entered or left, in the order of the program, whose end comes last, until it returns
 * something else than BMF_OK, which is returned. */
int replay_scopes_walk(const replay_scopes *scopes, int (*visit)(void *state, int64_t scope, bool leaves), void *state);
/* How many of the scope's children ended before the event on its lane. */
int64_t replay_scopes_before(const replay_scopes *scopes, int64_t scope, const bmf_event *event);

/* An event that is not a scope, and where it is. */
typedef struct replay_leaf {
    const bmf_event *event;
    int64_t scope, segment; /* segment k: after k of the scope's children */
    int64_t pass;           /* SEND, RECEIVE, WAIT: how often the sender had come to this round before */
    int64_t message;        /* SEND, RECEIVE: its number in the actions */
    int64_t round;          /* SEND, RECEIVE, WAIT: its number in the actions, -1: a wait for nothing */
} replay_leaf;

/* All leaves in the order of (scope, segment, event), their rounds told apart. The caller frees. quickest: nanoseconds
 * of the quickest message between two ranks, from the begin of its send to the end of its receive; INT64_MAX: there is
 * none. */
int replay_leaves(const replay_scopes *scopes, replay_leaf **leaf, int64_t *leaves, int64_t *quickest);
/* Adds the messages of the leaves of one segment, round by round, and tells the leaves their numbers. */
void replay_number(replay_leaf *leaf, int64_t leaves, bmf_actions *actions);

/* "call 'main/scan plus' (instance 3)" */
const char *replay_place(const bmf_trace_run *run, uint32_t node, uint32_t instance, char *text, size_t size);

#endif
