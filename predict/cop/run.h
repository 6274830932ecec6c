/* Runs programs on the simulated mesh: every node is a coroutine that gives way at every access to its router, so that
 * all nodes advance in the clock of the routers, cycle by cycle exactly (predict/mesh/simulate_scheduled.h). Words that
 * arrive are those that were written, not stand-ins.
 *
 * A node's program calls services: load, write, read, call, delay. Loading an operator of another phase changes the
 * router's phase, after the pause that the plan found, with the cycles counted as `psync`. Phases that do not fit into
 * the routers' memories together take each other's place (`router`).
 * Not collective; needs no MPI. */
#ifndef BMF_COP_RUN_H
#define BMF_COP_RUN_H

#include "predict/cop/emitted_services.h"
#include "predict/cop/plan.h"
#include "predict/mesh/dynamic.h"
#include "predict/mesh/simulate_scheduled.h"

/* Combines two messages of an operator; out may be one of them. */
typedef void bmf_cop_combine(const void *a, const void *b, void *out);

/* What a node's program calls, also in the text that cop_emit writes. */
typedef cop_services bmf_cop_services;

/* What every node runs; returns its exit code. */
typedef int bmf_cop_body(void *state, const bmf_cop_services *services);

typedef struct bmf_cop_times {
    int64_t cycles; /* until the last node was through */
    int64_t nodes;
    int64_t (*time)[BMF_TIMES]; /* by node */
    int exit_code;              /* the first that is not 0 */
} bmf_cop_times;

/* Something that a node did, told when it is over, node by node in the order of time. */
typedef enum bmf_cop_event_kind {
    BMF_COP_DID_CALL, /* a whole write, read or call of an operator, around others; it may have taken no time */
    BMF_COP_DID_TIME, /* computing, waiting or changing: `time` says which */
    BMF_COP_DID_WRITE,
    BMF_COP_DID_READ
} bmf_cop_event_kind;

typedef struct bmf_cop_event {
    bmf_cop_event_kind kind;
    bmf_mesh_time time;
    int64_t node, begin, end; /* cycles */
    const bmf_cop_operator *op;
    int64_t peer, number, bytes; /* WRITE, READ: of a message; number among those of its writer */
} bmf_cop_event;

typedef struct bmf_cop_log {
    void (*event)(void *state, const bmf_cop_event *event);
    void *state;
} bmf_cop_log;

/* The plan must have been routed. log: NULL, or who is told what nodes do. in_phase: routers are in the first phase at
 * cycle 0, and nothing is loaded. Errors: BMF_ERROR_KERNEL with node, operator and cycle: what programs do wrong at
 * run time; BMF_ERROR_ARGUMENT: phases that do not fit together. The caller frees times->time. */
int cop_run(const bmf_cop_plan *plan, const bmf_simulation_settings *simulation, bool in_phase, bmf_cop_body *body,
            void *state, const bmf_cop_log *log, bmf_cop_times *times);

/* The same on dynamic routers: a plan by messages, which has no schedules. Errors: also more messages that may wait for
 * a node at the same time than it has addresses. */
int cop_run_messages(const bmf_cop_plan *plan, const bmf_dynamic_settings *settings, bmf_cop_body *body, void *state,
                     const bmf_cop_log *log, bmf_cop_times *times);

/* Whether cop_run can carry the implementation out. */
bool cop_can_run(const bmf_cop_implementation *implementation);

/* Every operator once, in the order of the program, with operands 0 for those known at run time: for kernels. state:
 * the plan. */
int cop_kernel(void *state, const bmf_cop_services *services);

#endif
