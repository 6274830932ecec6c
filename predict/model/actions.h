/* What the processors of a run do, in their order and without times: what the simulator runs.
 *
 * Made by the model backend while a program runs, or from a recorded trace. Every processor has a list of actions; the
 * sends and receives of a message know each other by its number. Computing carries its cost; messages do not: that is
 * the network's.
 *
 * Many processors do the same, and a round of messages says itself what its senders and receivers do. So a log is a row
 * of entries, each of which stands for many actions behind each other, and an action is stored once for all processors
 * that do it. Actions are numbered one by one all the same; who wants them one by one asks for the list (actions_list).
 * Not thread-safe. Memory: 48 bytes a stored action, 8 a member of a family, 40 a message; of the list, 48 an action.
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
    int64_t message;   /* SEND, RECEIVE: its number; POST, WAIT: the round's number; COMPUTE: 1 if it is a file;
                        * OVERHEAD: 1 if it is of first calls */
    int32_t processor;
    uint32_t scope;   /* innermost region or call it belongs to */
    uint32_t round;   /* number inside the call, for structural ids */
    uint16_t name;    /* COMPUTE, BARRIER: of the kernel or the operation, in the run's names */
    uint8_t kind;     /* bmf_action_kind */
    uint8_t equation; /* COMPUTE: which equation's error is shared, 0: none */
} bmf_action;

typedef struct bmf_scheduled_message {
    int32_t from, to; /* from != to: copies on one processor are no messages */
    int64_t bytes;
    int64_t round;     /* of the run; those of a round are adjacent */
    int64_t next;      /* of the same round to the same receiver, -1 */
    int64_t next_sent; /* of the same round by the same sender, -1 */
} bmf_scheduled_message;

/* Stored actions [begin, begin + count), which a processor does behind each other. */
typedef struct bmf_action_slice {
    int64_t begin, count;
} bmf_action_slice;

/* One of a family: a processor that does what a slice says. */
typedef struct bmf_member {
    int32_t processor;
    int32_t slice; /* counted from the family's first */
} bmf_member;

/* What an entry of a log stands for, in this order: */
typedef enum bmf_entry_kind {
    BMF_ENTRY_ACTIONS,     /* stored actions, as they are */
    BMF_ENTRY_FAMILY,      /* of all members, one after the other, computing that is stored without its processor */
    BMF_ENTRY_ALL,         /* of all processors a stored action */
    BMF_ENTRY_ROUND_BEGIN, /* a POST of every receiver, by the first message of each, and all SENDs */
    BMF_ENTRY_ROUND_END,   /* all RECEIVEs, and a WAIT of every sender, by the first message of each */
} bmf_entry_kind;

typedef struct bmf_actions_entry {
    int64_t first, count;  /* actions: the number of the first, and how many they are */
    int64_t begin, end;    /* ACTIONS: stored ones; FAMILY: members; ALL: one that is stored; rounds: messages */
    int64_t number;        /* FAMILY: the first slice; rounds: the round's */
    uint32_t scope, round; /* of rounds: innermost region or call; number inside the call */
    uint8_t kind;          /* bmf_entry_kind */
    bool waits_are_events; /* ROUND_END */
} bmf_actions_entry;

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

/* All actions one by one, made when somebody asks. */
typedef struct bmf_actions_list {
    bmf_action *action;
    int64_t count, capacity;
    int64_t entry; /* those before are in it as wholes */
} bmf_actions_list;

/* What is being added where not one by one. */
typedef struct bmf_actions_adding {
    bool to_slice, to_family;
    int64_t slice, member; /* the family's first */
    bool waits;            /* an action of the family, for what it moves */
    bmf_action action;
    bmf_action_bytes bytes;
    bmf_thread_shares shares;
} bmf_actions_adding;

typedef struct bmf_actions {
    int64_t processors;
    int64_t count; /* of actions */
    int64_t entries, entry_capacity;
    bmf_actions_entry *entry; /* in the order of recording */
    int64_t stored_count, stored_capacity;
    bmf_action *stored;
    int64_t slices, slice_capacity;
    bmf_action_slice *slice;
    int64_t members, member_capacity;
    bmf_member *member;
    int64_t start;           /* the first action that is no loading */
    bool keeps_bytes;        /* set before anything is recorded: of kernels what they move is kept, too */
    bmf_action_bytes *bytes; /* by stored action */
    int64_t bytes_capacity;
    bool keeps_shares;         /* the same: how threads share a kernel */
    bmf_thread_shares *shares; /* by stored action */
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
    int64_t *last_received, *last_sent; /* working memory by processor: the last message to it, and by it */
    bmf_actions_adding adding;
    bmf_actions_list list;
} bmf_actions;

bmf_actions *actions_create(int64_t processors, bmf_trace_run *names);
void actions_free(bmf_actions *actions);

/* All actions, those of processors as they follow each other: actions->count of them. Valid until more are added or
 * forgotten. Cost: 48 bytes an action, once. */
const bmf_action *actions_list(const bmf_actions *actions);
/* The stored actions were changed. */
void actions_forget_list(bmf_actions *actions);
/* All become stored actions: as they are listed. */
void actions_spread_out(bmf_actions *actions);
/* Another log, `to`, with the entries and messages of this one, which must outlive it, and stored actions, their
 * bytes and their shares of its own, which may be changed; freed by actions_unshare. */
void actions_share(const bmf_actions *from, bmf_actions *to);
void actions_unshare(bmf_actions *to);
/* By stored action: for how many actions it stands. The caller frees. */
int64_t *actions_copies(const bmf_actions *actions);
/* Whether two logs have the same entries, families and rounds; their stored actions and messages' bytes may differ. */
bool actions_same_shape(const bmf_actions *a, const bmf_actions *b);

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
/* Where kernels are timed here: kernels, and what is copied around messages. */
static inline bool is_timed_action(const bmf_action *action)
{
    return (action->kind == BMF_ACTION_COMPUTE && action->message == 0) ||
           (action->kind == BMF_ACTION_OVERHEAD && action->amount > 0);
}
static inline bool is_first_calls(const bmf_action *action)
{
    return action->kind == BMF_ACTION_OVERHEAD && action->message == 1;
}
void actions_overhead(bmf_actions *actions, int64_t processor, double seconds, double shared, double own, int equation);
/* The same of copying that many bytes, timed here. */
void actions_copy(bmf_actions *actions, int64_t processor, int64_t bytes, double seconds);
/* What is computed until the end (kernels, files, overheads) is stored once where only the processor differs. */
void actions_family_begin(bmf_actions *actions);
void actions_family_end(bmf_actions *actions);
/* What is computed until the end is a slice, for families, and not done by anybody yet. Returns its number. */
void actions_slice_begin(bmf_actions *actions);
int64_t actions_slice_end(bmf_actions *actions);
/* Keeps members, for any number of families; returns the first. */
int64_t actions_keep_members(bmf_actions *actions, const bmf_member *member, int64_t count);
/* Kept members do what slices say, that of slice 0 what `slice` says. */
void actions_add_family(bmf_actions *actions, int64_t first, int64_t count, int64_t slice);
/* A round in two halves: its sends, and (perhaps after computing) its receives and waits. Messages from a processor to
 * itself are left out. Returns the round's number. */
int64_t actions_round_begin(bmf_actions *actions, uint32_t round, const bmf_message *message, int64_t count);
void actions_round_end(bmf_actions *actions, uint32_t round, int64_t number);
/* The same for sparse rounds: waiting for the sends leaves no events, as `deliver` on the cluster, which ends with all
 * meeting. */
void actions_round_end_sparse(bmf_actions *actions, uint32_t round, int64_t number);
/* An overhead of every processor. */
void actions_overhead_of_all(bmf_actions *actions, double seconds, double shared, double own, int equation);
/* The same of what they do once, before all else: nothing, until all such actions are set. */
void actions_first_calls(bmf_actions *actions);
void actions_set_first_calls(bmf_actions *actions, double seconds, double own);
/* A collective operation of that name; name 0: it is no event. seconds NAN: the network's time for an agreement. */
void actions_barrier(bmf_actions *actions, uint16_t name, double seconds);

/* From here on the processor holds so many bytes. */
void actions_hold(bmf_actions *actions, int64_t processor, int64_t bytes);
/* The same from the action with that number on. */
void actions_hold_from(bmf_actions *actions, int64_t processor, int64_t position, int64_t bytes);
/* What processors hold at the end of others is what they begin with. */
void actions_hold_as(bmf_actions *actions, const bmf_actions *before);

/* The program itself begins here, for all together: what came before was loading. */
void actions_start(bmf_actions *actions);

/* All from these numbers on, a whole number of rounds, once more behind the last, so many times; without what
 * processors hold. The calls that they belong to stay the same, and so do the stored actions: only messages and entries
 * of the log are added. */
void actions_repeat(bmf_actions *actions, int64_t action, int64_t message, int64_t round, int64_t times);

/* Messages and bytes between processors. */
void actions_totals(const bmf_actions *actions, int64_t *messages, int64_t *bytes);

#endif
