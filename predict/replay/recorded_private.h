/* What the parts of the replay of recorded programs share; private to predict/replay. */
#ifndef BMF_REPLAY_RECORDED_PRIVATE_H
#define BMF_REPLAY_RECORDED_PRIVATE_H

#include "predict/network/network.h"
#include "predict/replay/recorded.h"

typedef struct bmf_recorded_message {
    bmf_transit transit;
    bool sent, complete, posted;
    int32_t waiting[2]; /* lanes that stand still for it: the sender, the receiver; -1: none */
} bmf_recorded_message;

/* One call of a collective operation by all its group. */
typedef struct bmf_recorded_collective {
    const char *operation; /* "allreduce", of nonblocking calls too */
    uint32_t group;
    int32_t members, arrived, root; /* root: in the group, -1: none */
    int64_t bytes;                  /* the largest of any member */
    double latest, seconds;         /* seconds NAN: it is messages */
    int64_t message, messages;      /* its messages, by round */
    int64_t waiting;                /* the first of its lanes that wait, as a chain in lane_next; -1: none */
} bmf_recorded_collective;

/* What a lane does, one after the other. */
typedef enum bmf_step_kind {
    BMF_STEP_SECONDS, /* computing, files */
    BMF_STEP_BEGIN,   /* of event `index` */
    BMF_STEP_END,
    BMF_STEP_POST, /* message `index`: */
    BMF_STEP_SEND,
    BMF_STEP_RECEIVE,
    BMF_STEP_SENT,
    BMF_STEP_JOIN, /* collective `index`: */
    BMF_STEP_LEAVE,
} bmf_step_kind;

typedef struct bmf_recorded_step {
    double seconds;
    int64_t index;
    bmf_step_kind kind;
} bmf_recorded_step;

typedef struct bmf_recorded_program {
    const bmf_trace_run *run;
    const bmf_machine *machine;
    bmf_network *network;
    int64_t messages, message_capacity;
    bmf_recorded_message *message;
    int64_t collectives;
    bmf_recorded_collective *collective;
    int64_t *of_event; /* by event: its message or collective, -1: none */
    int64_t steps, step_capacity;
    bmf_recorded_step *step;
    int64_t *first_step; /* lanes + 1 */
    int64_t wild;
} bmf_recorded_program;

/* Finds messages and collectives, and what each event is of. */
int recorded_match(bmf_recorded_program *p);
int64_t recorded_add_message(bmf_recorded_program *p, int64_t from, int64_t to, int64_t bytes, int64_t round);
/* Makes the messages of a collective whose time is not known, by round. */
void recorded_make_rounds(bmf_recorded_program *p, bmf_recorded_collective *c);
/* Carries out the steps: begins and ends of events, by event. */
int recorded_run(bmf_recorded_program *p, double *begin, double *end, double *seconds);

#endif
