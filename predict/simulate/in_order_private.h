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
    ORDERED_COMPUTE, /* what: how many of the computations, behind those of the step of this kind before */
    ORDERED_POST,    /* the first message that it is ready for; only where some wait for their receivers */
    ORDERED_SEND,    /* the message */
    ORDERED_RECEIVE, /* the first message of those that are taken together */
    ORDERED_WAIT,    /* the first message that is waited for */
    ORDERED_LOADED,  /* all meet before the program's start; what: the action of the first processor */
    ORDERED_MEET,    /* the same afterwards */
} ordered_kind;

typedef struct ordered_step {
    int64_t what;
    int32_t processor;
    int32_t kind; /* ordered_kind */
} ordered_step;

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
    ordered_step *step;
    int64_t steps, step_capacity;
    bmf_computations computations; /* step by step */
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

void in_order_states_free(bmf_in_order *o);

#endif
