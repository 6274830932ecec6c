/* What the parts of the replay of MPI programs share, recorded or running; private to predict/replay. */
#ifndef BMF_REPLAY_RECORDED_PRIVATE_H
#define BMF_REPLAY_RECORDED_PRIVATE_H

#include <math.h>

#include "predict/network/network.h"
#include "predict/replay/recorded.h"

typedef struct bmf_recorded_message {
    bmf_transit transit;
    bool sent, complete, posted;
    bool taken;         /* of a running program: a receive is for it */
    int32_t waiting[2]; /* lanes that stand still for it: the sender, the receiver; -1: none */
    int32_t tag;        /* of a running program: its tag and group */
    uint32_t group;
} bmf_recorded_message;

/* A receive of a running program, whose message may not be known yet. */
typedef struct bmf_recorded_receive {
    int64_t message; /* -1: not known */
    int32_t waiting; /* the lane that stands still for it; -1: none */
    int32_t lane, source, tag;
    uint32_t group, round;
    bool held;   /* the rank is told what it is for */
    bool posted; /* `at` is when */
    double at;
} bmf_recorded_receive;

/* One call of a collective operation by all its group. */
typedef struct bmf_recorded_collective {
    const char *operation; /* "allreduce", of nonblocking calls too */
    uint32_t group;
    const int32_t *member;                  /* lanes by rank in the group */
    int32_t members, called, arrived, root; /* called: as far as is known; root: in the group, -1: none */
    int64_t bytes;                          /* the largest of any member */
    double latest, seconds;                 /* seconds NAN: it is messages */
    int64_t message, messages;              /* its messages, by round */
    int32_t waiting;                        /* the first of its lanes that wait, a chain by `next`; -1: none */
} bmf_recorded_collective;

/* What a lane does, one after the other. */
typedef enum bmf_step_kind {
    BMF_STEP_SECONDS, /* computing, files */
    BMF_STEP_BEGIN,   /* of event `index` */
    BMF_STEP_END,
    BMF_STEP_POST, /* message `index`: */
    BMF_STEP_SEND,
    BMF_STEP_RECEIVE, /* and `more` behind it that one call waits for */
    BMF_STEP_SENT,
    BMF_STEP_JOIN, /* collective `index`: */
    BMF_STEP_LEAVE,
    /* of running programs: */
    BMF_STEP_POST_OPEN, /* receive `index`: */
    BMF_STEP_RECEIVE_OPEN,
    BMF_STEP_ROUNDS, /* the messages of collective `index`, once all have called it */
    BMF_STEP_STOP,   /* the rank waits for an answer */
} bmf_step_kind;

typedef struct bmf_recorded_step {
    double seconds;
    int64_t index;
    uint16_t kind; /* bmf_step_kind */
    uint16_t call; /* of a running program: the number of its name */
    int32_t more;
} bmf_recorded_step;

typedef struct bmf_recorded_lane {
    bmf_recorded_step *step;
    int64_t steps, capacity, at;
    double clock;
    int32_t next; /* in a chain of lanes that wait for one collective, -1 at the end */
    bool going;   /* it is carrying out steps */
} bmf_recorded_lane;

typedef struct waiting_lane {
    double clock;
    int32_t lane;
} waiting_lane;

typedef struct bmf_recorded_program {
    const bmf_trace_run *run; /* NULL: it is running */
    const bmf_machine *machine;
    bmf_network *network;
    const bmf_recorded_options *options;
    int32_t lanes;
    bmf_recorded_lane *lane;
    waiting_lane *heap; /* lanes that wait for their turn */
    int64_t waiting;
    int64_t messages, blocks;
    bmf_recorded_message **block; /* messages stay where they are */
    int64_t receives, receive_capacity;
    bmf_recorded_receive *receive;
    int64_t collectives, collective_capacity;
    bmf_recorded_collective *collective;
    int64_t *of_event;     /* by event: its message or collective, -1: none */
    double *begin, *end;   /* by event */
    double compute_factor; /* of all computing in this sample */
    double *sum, *squares; /* by event: of its lengths in the samples so far; NULL: none were drawn */
    int64_t drawn;
    int64_t wild;
    /* of running programs: something of a lane has changed, which may decide what it waits for */
    void (*changed)(struct bmf_recorded_program *p, int64_t lane);
    void *online;
} bmf_recorded_program;

enum { MESSAGE_BLOCK = 1024 };

static inline bmf_recorded_message *message_at(const bmf_recorded_program *p, int64_t m)
{
    return &p->block[m / MESSAGE_BLOCK][m % MESSAGE_BLOCK];
}

/* recorded_match.c: finds messages and collectives, and what each event is of. */
int recorded_match(bmf_recorded_program *p);
int64_t recorded_add_message(bmf_recorded_program *p, int64_t from, int64_t to, int64_t bytes, int64_t round);
/* How a send was called, by the call's name. */
bmf_send_mode recorded_send_mode(const char *name, bool nonblocking);
/* The operation of a collective call, without the letter of a nonblocking one. */
const char *recorded_operation(const char *name, bool nonblocking);
int32_t recorded_rank_in_group(const int32_t *member, int32_t members, int32_t lane);

/* recorded.c: seconds of computing. */
double recorded_computing(const bmf_recorded_program *p, int64_t nanoseconds, int64_t steps);

/* recorded_rounds.c: the messages of a collective whose time is not known, by round. */
void recorded_make_rounds(bmf_recorded_program *p, bmf_recorded_collective *c);
/* Asks the network for its time, or makes the messages. */
void recorded_ask_network(bmf_recorded_program *p, bmf_recorded_collective *c);
/* Calls `add_step` with the steps of one lane in such messages. */
void recorded_add_rounds(const bmf_recorded_program *p, const bmf_recorded_collective *c, int32_t lane,
                         void (*add_step)(void *state, bmf_step_kind kind, int64_t message), void *state);

/* recorded_run.c: carrying out steps. */
void recorded_add_step(bmf_recorded_lane *lane, bmf_step_kind kind, int64_t index, double seconds);
void recorded_start(bmf_recorded_program *p, int64_t sample);
/* Asks the network for a collective's time in this sample; NAN: it is messages. */
double recorded_collective_seconds(const bmf_recorded_program *p, const bmf_recorded_collective *c);
/* Lets a lane go on until it has to wait, or has no more steps. */
void recorded_go_on(bmf_recorded_program *p, int32_t lane);
/* The time of what comes next in the order of time; INFINITY: nothing. */
double recorded_next(const bmf_recorded_program *p);
void recorded_take_next(bmf_recorded_program *p);
void recorded_known(bmf_recorded_program *p, bmf_recorded_receive *r, int64_t message);
/* Carries out all steps, after recorded_start. */
int recorded_run(bmf_recorded_program *p, double *seconds);
/* recorded_samples.c: the run that was asked for, and the interval; begin and end are those of the former. */
int recorded_predict(bmf_recorded_program *p, bmf_prediction *prediction);
/* The 95 % interval of an event that takes so many seconds without noise. */
void recorded_event_interval(const bmf_recorded_program *p, int64_t event, double seconds, double *low, double *high);
void recorded_free(bmf_recorded_program *p);

#endif
