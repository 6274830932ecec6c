/* What the processors of a run do, in their order and without times: what the simulator runs.
 *
 * Made by the model backend while a program runs, or from a recorded trace. Every processor has a list of actions; the
 * sends and receives of a message know each other by its number. Computing carries its cost; messages do not: that is
 * the network's. Not thread-safe. Memory: 48 bytes an action, 40 a message.
 */
#ifndef BMF_ACTIONS_H
#define BMF_ACTIONS_H

#include "predict/model/thread_shares.h"
#include "runtime/schedule/schedule.h"
#include "runtime/trace/trace.h"

typedef enum bmf_action_kind {
    BMF_ACTION_COMPUTE,  /* `seconds` of a kernel; name, amount: elements */
    BMF_ACTION_POST,     /* the processor is ready for the receives of this round (they follow later in its list) */
    BMF_ACTION_SEND,     /* message */
    BMF_ACTION_RECEIVE,  /* message; the receives of a round are taken in the order of arrival */
    BMF_ACTION_WAIT,     /* for its sends of the round to be done */
    BMF_ACTION_OVERHEAD, /* `seconds` around messages (packing, schedules), which no event shows */
    BMF_ACTION_BARRIER,  /* all processors wait for each other, and `seconds` more */
} bmf_action_kind;

typedef struct bmf_action {
    double seconds;    /* COMPUTE, OVERHEAD, BARRIER: expected */
    float shared, own; /* relative standard errors: of the equation used (one for all its uses), of this call */
    int64_t amount;    /* COMPUTE: elements; OVERHEAD: bytes that were copied; POST: first message of its receives, see
                        * `next`; SEND, RECEIVE: the round's number; WAIT: 1 if it is an event of traces, else 0 */
    int64_t message;   /* SEND, RECEIVE: its number; POST, WAIT: the round's number; COMPUTE: 1 if it is a file */
    int32_t processor;
    uint32_t scope;   /* innermost region or call it belongs to */
    uint32_t round;   /* number inside the call, for structural ids */
    uint16_t name;    /* COMPUTE, BARRIER: of the kernel or the operation, in the run's names */
    uint8_t kind;     /* bmf_action_kind */
    uint8_t equation; /* COMPUTE: which equation's error is shared, 0: none */
} bmf_action;

typedef struct bmf_scheduled_message {
    int64_t from, to, bytes; /* from != to: copies on one processor are no messages */
    int64_t round;           /* of the run; those of a round are adjacent */
    int64_t next;            /* of the same round to the same receiver, -1 */
} bmf_scheduled_message;

/* What a kernel moves, beside its action. */
typedef struct bmf_action_bytes {
    float moved, footprint; /* bytes */
} bmf_action_bytes;

/* A region or skeleton call that was entered. Scope 0 is the program. */
typedef struct bmf_scope {
    uint32_t parent, node, instance;
    uint16_t kind;         /* BMF_EVENT_REGION or BMF_EVENT_SKELETON */
    uint16_t place;        /* in the source, of the run's names; 0: not known */
    int64_t *amount;       /* by processor, or NULL: 0 everywhere */
    int64_t entered, left; /* number of actions of the whole log before it was entered and left; left -1: open */
} bmf_scope;

/* Standard deviations of logarithms that a run has in common: of all its computing, and of all uses of an equation. */
typedef struct bmf_action_spread {
    double common;
    float equation[256];
} bmf_action_spread;

/* From the action with this number on a processor holds so many bytes. */
typedef struct bmf_actions_held {
    int64_t position, bytes;
    int64_t next; /* of the same processor, -1 */
} bmf_actions_held;

typedef struct bmf_actions {
    int64_t processors;
    int64_t count, capacity;
    bmf_action *action; /* in the order of recording */
    int64_t start;      /* the first one that is no loading */
    bool keeps_bytes;   /* set before anything is recorded: of kernels what they move is kept, too */
    bmf_action_bytes *bytes;
    int64_t bytes_capacity;
    bool keeps_shares; /* the same: how threads share a kernel */
    bmf_thread_shares *shares;
    int64_t shares_capacity;
    int64_t messages, message_capacity;
    bmf_scheduled_message *message;
    int64_t rounds;
    int64_t scopes, scope_capacity;
    bmf_scope *scope;
    int64_t helds, held_capacity;
    bmf_actions_held *held;
    int64_t *first_held, *last_held; /* by processor, -1: none; NULL: none of all */
    uint32_t open;                   /* innermost open scope */
    bmf_trace_run *names;            /* whose names and nodes are meant; not owned */
    double relative_error; /* of all computing at once, for a machine whose speed is stated and not measured */
    bmf_action_spread spread;
    int64_t *last_received,
        *last_waited; /* working memory by processor: the last message to it, the last round waited for */
} bmf_actions;

bmf_actions *actions_create(int64_t processors, bmf_trace_run *names);
void actions_free(bmf_actions *actions);

void actions_enter(bmf_actions *actions, uint32_t node, uint32_t instance, bmf_event_kind kind);
/* The place of the scope that was entered last. */
void actions_place(bmf_actions *actions, uint16_t place);
void actions_leave(bmf_actions *actions, int64_t *amount); /* amount is taken over; may be NULL */

void actions_compute(bmf_actions *actions, int64_t processor, uint16_t name, uint32_t round, int64_t elements,
                     double seconds, double shared, double own, int equation);
/* Where keeps_bytes is set: what the kernel of the last action moves. */
void actions_moved(bmf_actions *actions, double moved, double footprint);
/* Where keeps_shares is set: how threads would share the kernel of the last action. */
void actions_shared(bmf_actions *actions, const bmf_thread_shares *shares);
/* Reading or writing that many bytes of a file. */
void actions_file(bmf_actions *actions, int64_t processor, int64_t bytes, double seconds, double shared, double own,
                  int equation);
static inline bool is_file_action(const bmf_action *action)
{
    return action->kind == BMF_ACTION_COMPUTE && action->message == 1;
}
void actions_overhead(bmf_actions *actions, int64_t processor, double seconds, double shared, double own, int equation);
/* The same of copying that many bytes, timed here. */
void actions_copy(bmf_actions *actions, int64_t processor, int64_t bytes, double seconds);
/* A round in two halves: its sends, and (perhaps after computing) its receives and waits. Messages from a processor to
 * itself are left out. Returns the round's number. */
int64_t actions_round_begin(bmf_actions *actions, uint32_t round, const bmf_message *message, int64_t count);
void actions_round_end(bmf_actions *actions, uint32_t round, int64_t number);
/* The same for sparse rounds: waiting for the sends leaves no events, as `deliver` on the cluster, which ends with all
 * meeting. */
void actions_round_end_sparse(bmf_actions *actions, uint32_t round, int64_t number);
/* A collective operation of that name; name 0: it is no event. seconds NAN: the network's time for an agreement. */
void actions_barrier(bmf_actions *actions, uint16_t name, double seconds);

/* From here on the processor holds so many bytes. */
void actions_hold(bmf_actions *actions, int64_t processor, int64_t bytes);
/* What processors hold at the end of others is what they begin with. */
void actions_hold_as(bmf_actions *actions, const bmf_actions *before);

/* The program itself begins here, for all together: what came before was loading. */
void actions_start(bmf_actions *actions);

/* Messages and bytes between processors. */
void actions_totals(const bmf_actions *actions, int64_t *messages, int64_t *bytes);

#endif
