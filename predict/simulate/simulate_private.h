/* The simulator's parts; private to predict/model. */
#ifndef BMF_SIMULATE_PRIVATE_H
#define BMF_SIMULATE_PRIVATE_H

#include "predict/model/actions_private.h"
#include "predict/simulate/simulate.h"

enum { BMF_CHANCE_EQUATIONS = 256, BMF_CHANCE_DEVIATIONS = 64 };

/* Of an equation in a sample: what all its uses share, and what was last asked for. */
typedef struct bmf_equation_chance {
    double normal, shared_factor, run_factor;
    float shared; /* of this shared_factor is; 0: not yet */
} bmf_equation_chance;

/* The deviation of a logarithm that goes with a relative error. */
typedef struct bmf_own_chance {
    double deviation;
    float own; /* 0: none yet */
} bmf_own_chance;

typedef struct bmf_chances {
    const bmf_actions *actions;
    int64_t sample;
    unsigned still;
    double meeting_noise;
    bmf_equation_chance equation[BMF_CHANCE_EQUATIONS];
    uint64_t calls;                            /* normal_stream of single calls */
    bmf_own_chance own[BMF_CHANCE_DEVIATIONS]; /* of calls, by a hash of the error */
} bmf_chances;

/* Messages with neighbouring numbers share a block of memory. */
enum { FLIGHT_BLOCK = 1024 };

typedef enum flight_known {
    FLIGHT_SENT = 1,
    FLIGHT_ARRIVED = 2,    /* complete */
    FLIGHT_UNFINISHED = 4, /* its sender counts it among those whose `done` is not known */
} flight_known;

typedef struct flight {
    bmf_transit transit; /* first: networks hand it back */
    int64_t number;
    unsigned known; /* of flight_known */
} flight;

typedef struct flight_block {
    flight *flight; /* NULL: none of them was touched, or all were received */
    int64_t received;
} flight_block;

/* Sends of one processor in one round, until it has waited for them. */
typedef struct open_round {
    int64_t round, unfinished;
    double done;  /* the latest that is known */
    int32_t next; /* of the same processor, or of those that are not in use; -1 */
} open_round;

typedef enum blocking {
    BLOCKED_NOT,   /* in the heap, or at the end of what was recorded */
    BLOCKED_SEND,  /* message->free is not known */
    BLOCKED_ROUND, /* the others of a collective round have not come yet */
    BLOCKED_RECEIVE,
    BLOCKED_WAIT,
    BLOCKED_BARRIER,
} blocking;

typedef struct processor {
    double clock;
    double idle;
    int64_t at;      /* next action, -1: none */
    int64_t last;    /* last action of its list */
    int64_t awaited; /* BLOCKED_SEND, BLOCKED_RECEIVE: the action whose message it needs; BLOCKED_WAIT: the round */
    int32_t open;    /* rounds whose sends it has not waited for, -1 */
    blocking blocked_on;
} processor;

/* What happens first is first: children of i are 4 i + 1 .. 4 i + 4. */
typedef struct queued {
    double time;
    int64_t processor;
} queued;

/* A message that a processor is about to take. */
typedef struct taken {
    double arrived;
    int64_t from, action;
    flight *flight;
} taken;

struct recorder;

struct bmf_simulator {
    const bmf_actions *actions;
    const bmf_action *action; /* their list, as far as it is linked */
    bmf_network *network;
    const bmf_network_type *type;
    int64_t sample;
    double compute_factor; /* of all computing in this sample */
    bmf_chances chances;
    double agreement; /* seconds of a meeting that does not say */
    int status;       /* the first failure */
    double now;       /* time of the last call into the network, -1: none */
    processor *processor;
    int64_t linked; /* actions that are in the processors' lists */
    int64_t *next;  /* by action: the next of its processor, -1 */
    int64_t next_capacity;
    queued *heap;
    int64_t heap_count;
    flight_block *block;
    int64_t blocks;
    flight *spare;     /* blocks that were given back, each pointing to the next by its first message's state */
    open_round *round; /* pool */
    int32_t rounds, round_capacity, round_spare;
    taken *taken; /* working memory */
    int64_t taken_capacity;
    double loading;   /* seconds until the program's start */
    int64_t barrier;  /* processors that have come to the meeting */
    int64_t meetings; /* so far */
    double barrier_clock;
    /* collective networks: by round */
    int64_t *missing, missing_capacity; /* minus the messages that have not come; 0: nobody has come, or all */
    bmf_transit **together;             /* working memory */
    int64_t together_capacity;
    struct recorder *recorder;
};

/* ---- transit.c ---- */
flight *flight_of(bmf_simulator *s, int64_t message);
/* The message was received; when its whole block was, its memory may be used for others. Until as many calls of
 * received as of keep have come it is kept anyway. */
void flight_received(bmf_simulator *s, int64_t message);
void flight_keep(bmf_simulator *s, int64_t message);
void flights_clear(bmf_simulator *s);

/* ---- step.c ---- */
/* Carries out what the first processor of the heap is ready for, and all that follows at once. */
void simulator_resume(bmf_simulator *s);
/* A processor goes on, until it is ready for a call into the network (then it is in the heap) or stands. */
void step_on(bmf_simulator *s, int64_t processor);
/* For network->complete and network->freed. */
void step_complete(void *simulator, bmf_transit *message);
void step_freed(void *simulator, bmf_transit *message);
/* What all processors need to agree, as the network says or by messages of 8 bytes between neighbours. The network is
 * started for that, and left as it is. */
double step_agreement(bmf_network *network, int64_t sample);

/* ---- round.c ---- */
/* A processor has come to its sends of a round of a collective network. */
void round_join(bmf_simulator *s, int64_t processor);

/* ---- shared by them ---- */
/* The state of a message that is handed over now. */
flight *message_inject(bmf_simulator *s, const bmf_action *action, double now);
/* Its sender has learnt, or not, when its memory is free again. */
void step_count_done(bmf_simulator *s, processor *sender, flight *sent);
void step_fail(bmf_simulator *s, const bmf_transit *message, const char *what);

/* ---- interval.c ---- */
/* What all times of a sample are multiplied with: what a machine's stated errors and what a run has in common make of
 * computing, and what stated errors make of messages. */
typedef struct bmf_sample_factors {
    double compute, network;
} bmf_sample_factors;
/* Those of samples 1 to `count`; samples [salt] of other runs share what is stated and nothing else. still: of
 * bmf_chance. The caller frees. */
bmf_sample_factors *sample_factors(double compute_error, double run_deviation, double network_error, unsigned still,
                                   uint64_t salt, int64_t count);

/* ---- chance.c ---- */
/* A factor around 1 that is never negative: log-normal with mean 1 and relative standard deviation `relative`, at the
 * point `normal` of the normal distribution. */
double chance_factor(double relative, double normal);
/* A sample of what is uncertain; the network says what is to be still. */
void chances_begin(bmf_chances *chances, const bmf_actions *actions, const bmf_network *network, int64_t sample);
/* The seconds of a computation, the action with that number, in this sample, with all computing multiplied by a factor.
 */
double chances_seconds(bmf_chances *chances, double compute_factor, const bmf_action *action, int64_t number);
/* The same of many computations, to the bit: actions behind each other from number `first` on, of which stored[] says
 * what they are; at most BMF_COMPUTATION_BLOCK. The factors are found once a sample; their arrays are the caller's. */
struct bmf_computations;
struct bmf_computation_factors;
void chances_find_factors(bmf_chances *chances, double compute_factor, const struct bmf_computations *all,
                          struct bmf_computation_factors *factors);
void chances_draw(const bmf_chances *chances, const struct bmf_computations *all,
                  const struct bmf_computation_factors *factors, int64_t first, const int32_t *stored, int64_t count,
                  double *seconds);
/* The seconds that the k-th meeting takes in this sample, given those that are usual: the machine's, not the program's.
 */
double chances_meeting(const bmf_chances *chances, double seconds, int64_t k);

/* ---- record.c: nothing is called when not recording ---- */
/* Before an action of a lane: scopes that were entered or left since its last one. */
void record_scopes(bmf_simulator *s, int64_t processor, int64_t position);
void record_compute(bmf_simulator *s, const bmf_action *action, double begin, double end);
void record_send(bmf_simulator *s, const bmf_action *action, const bmf_transit *message, double begin, double end);
void record_receive(bmf_simulator *s, const bmf_action *action, const bmf_transit *message, double begin, double end);
void record_wait(bmf_simulator *s, const bmf_action *action, double begin, double end);
/* seconds: what the processors needed when the last one had come. */
void record_barrier(bmf_simulator *s, const bmf_action *action, double begin, double end, double seconds);
/* Instead of events only their lengths in seconds times `factor` are kept: of action k length[k], of scope s on lane p
 * length[actions + s * processors + p]. */
void record_lengths(bmf_simulator *s, float *length, double factor);
/* The places in such an array of the events that were recorded, in their order; the caller frees. */
int64_t *record_take_slots(bmf_simulator *s);
/* Forgets all events, because the run begins anew. */
void record_restart(bmf_simulator *s);
/* Reads the scopes that were recorded so far. */
void record_refresh(bmf_simulator *s);
void record_free(bmf_simulator *s);
/* No more events will come: what is known of all of them goes into the run. */
void record_finish(bmf_simulator *s);

#endif
