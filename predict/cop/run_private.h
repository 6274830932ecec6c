/* What the files share that run programs. */
#ifndef BMF_COP_RUN_PRIVATE_H
#define BMF_COP_RUN_PRIVATE_H

#include "predict/cop/nodes.h"
#include "predict/cop/run.h"

/* Words of one writer for its readers: a ring. Place p of the stream is word[p mod size]. */
typedef struct bmf_cop_channel {
    uint32_t *word;
    int64_t size;
} bmf_cop_channel;

/* An operator of the plan while it runs; the last ones are the barriers of phases. */
typedef struct bmf_cop_running {
    const bmf_cop_operator *op;
    const bmf_cop_candidate *candidate;
    int64_t phase, first_stream;
    int64_t *instance, *number; /* by node of the mesh: which instance, and its number there; -1: not in it */
    int64_t loads_capacity;     /* of every instance: operands of all loads, to compare those of all nodes */
    int64_t *loads;             /* by instance */
    int32_t (**operand)[BMF_COP_OPERANDS];
} bmf_cop_running;

typedef struct bmf_cop_node {
    struct bmf_cop_run *run;
    int64_t node, phase; /* phase -1: the loader */
    int64_t last_load;   /* operator; -1: none */
    bmf_coroutine *coroutine;
    bmf_cop_services services;
    int64_t not_before; /* when the words of the phase have passed */
    double fraction;    /* of a cycle that computing has not been charged */
    int64_t *moved;     /* by channel: words so far */
    int64_t *loads;     /* by operator */
    int64_t *calls;     /* by operator: reads or writes of gather and spread */
    int32_t (*operand)[BMF_COP_OPERANDS];
    char *work; /* of calls that combine */
    int64_t space;
    int exit_code;
} bmf_cop_node;

typedef struct bmf_cop_run {
    const bmf_cop_plan *plan;
    bmf_cop_phase **phase;
    double *pause; /* by phase */
    int64_t phases, nodes, operators;
    bmf_cop_running *running;
    bmf_cop_node *node;
    bmf_cop_channel *channel;
    bmf_scheduled_machine *machine;
    bmf_processor_script *script;
    bmf_scheduled_simulation *simulation;
    bmf_cop_body *body;
    void *body_state;
    int status;
} bmf_cop_run;

/* run.c. Ends the simulation with an error; does not return to the node's program. */
void run_fail(bmf_cop_node *n, int64_t op, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Gives way until the steps of the node's script are done. */
void run_steps(bmf_cop_node *n);

/* moves.c: what a node does for a call of an operator. */
void moves_write(bmf_cop_node *n, int64_t op, const void *message);
void moves_read(bmf_cop_node *n, int64_t op, void *message);
void moves_call(bmf_cop_node *n, int64_t op, const void *in, void *out, bmf_cop_combine *combine);

#endif
