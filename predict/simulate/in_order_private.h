/* Runs in the order of their recording: what samples share. Private to predict/simulate/in_order*.c. */
#ifndef BMF_IN_ORDER_PRIVATE_H
#define BMF_IN_ORDER_PRIVATE_H

#include "predict/simulate/computations.h"
#include "predict/simulate/in_order.h"

/* A message, by its place among all that are sent. */
typedef struct ordered_message {
    int32_t from, to;
    int32_t next;      /* of its round to the same receiver, -1 */
    int32_t next_sent; /* of its round by the same sender, -1 */
    int32_t times;     /* which of the different ones */
    int64_t bytes;
} ordered_message;

typedef enum ordered_kind {
    ORDERED_COMPUTE, /* stored actions, each of its processor */
    ORDERED_FAMILY,  /* members, and what their slices say */
    ORDERED_ALL,     /* a stored overhead of every processor */
    ORDERED_POST,    /* first messages that receivers are ready for; only where some wait for their receivers */
    ORDERED_SEND,    /* messages */
    ORDERED_RECEIVE, /* first messages of those that are taken together */
    ORDERED_WAIT,    /* first messages of those that are waited for */
    ORDERED_PAIRS,   /* messages, each of which is sent, received and waited for before the next one */
    ORDERED_LOADED,  /* all meet before the program's start */
    ORDERED_MEET,    /* the same afterwards */
} ordered_kind;

/* What is done behind each other, of one kind. */
typedef struct ordered_part {
    ordered_kind kind;
    bool listed;         /* POST, RECEIVE, WAIT: begin and end count items, otherwise messages */
    bool own;            /* LOADED, MEET: every processor has a stored action of its own, from `begin` on */
    int64_t begin, end;  /* stored actions, members, messages or items */
    int64_t slice;       /* FAMILY: the first */
    int64_t action;      /* computing: the number of the first action; its computations are numbered from there on */
    int64_t computation; /* and the place of the first among those whose seconds are kept */
} ordered_part;

/* The messages of all ports of one direction, as they were recorded: those of port k are message[start[k]] to
 * message[start[k + 1] - 1]. */
typedef struct port_messages {
    int64_t *start;
    int32_t *message;
} port_messages;

typedef struct in_order_run_state in_order_run_state;

struct bmf_in_order {
    const bmf_actions *actions;
    bmf_network *network;
    int64_t sharing, ports;
    ordered_part *part;
    int64_t parts, part_capacity;
    int64_t leading; /* parts before anything is sent: the same in all passes of a sample */
    int32_t *item;   /* messages, by their places */
    int64_t items, item_capacity;
    bmf_computations computations;
    int64_t computed, kept; /* computations; those behind the leading parts */
    ordered_message *message;
    int64_t messages;
    bmf_simple_message *times; /* the different ones */
    int64_t different, times_capacity;
    bool meets;      /* some messages wait for their receivers */
    int64_t longest; /* the most messages at a port, or to a processor */
    port_messages out, in;
    in_order_run_state **state; /* by thread; NULL where there was none yet */
    int64_t states;
};

static inline const bmf_simple_message *ordered_times(const bmf_in_order *o, int32_t message)
{
    return &o->times[o->message[message].times];
}

/* The port of one direction that a message passes. */
static inline int64_t ordered_port(const bmf_in_order *o, int32_t message, bool out)
{
    const ordered_message *of = &o->message[message];
    return (out ? of->from : of->to) / o->sharing;
}

static inline bool ordered_computing(ordered_kind kind)
{
    return kind == ORDERED_COMPUTE || kind == ORDERED_FAMILY || kind == ORDERED_ALL;
}

/* in_order_parts.c: whether actions stand in such an order, and then what is done. times: by message as recorded, which
 * of the different ones it takes. */
bool in_order_make_parts(bmf_in_order *o, const int32_t *times);
void in_order_states_free(bmf_in_order *o);

#endif
