/* Phases: messages that share a schedule, every message a stream of its own; planned once, run as often as wanted. */
#ifndef BMF_MESH_PHASE_H
#define BMF_MESH_PHASE_H

#include "predict/mesh/pattern.h"
#include "predict/mesh/simulate_scheduled.h"
#include "predict/mesh/streams.h"

typedef struct bmf_mesh_phase {
    int64_t messages, *message; /* numbers in the list that was planned; stream k of the routes carries message[k] */
    bmf_stream_routes *routes;
    bmf_scheduled_machine *machine; /* with the schedule in block 1 */
} bmf_mesh_phase;

typedef struct bmf_mesh_plan {
    bmf_scheduled_hardware hardware;
    int64_t phases, capacity;
    bmf_mesh_phase *phase;
} bmf_mesh_plan;

/* Plans messages in their order, as many in a phase as find registers and slots. Bandwidths: what a message requests,
 * or in proportion to its words. leaves: also the last phase can be left. Errors: BMF_ERROR_ARGUMENT: a message that is
 * none for this mesh, or that does not fit by itself. The caller frees. */
int mesh_plan_make(const bmf_scheduled_hardware *hardware, bool leaves, int64_t messages,
                   const bmf_mesh_message *message, bmf_mesh_plan **plan);
void mesh_plan_free(bmf_mesh_plan *plan);
/* Builds a phase from routes that were found before, which it takes over, and the numbers of their messages. */
int mesh_phase_restore(bmf_stream_routes *routes, int64_t messages, const int64_t *message, bmf_mesh_phase *phase);
void mesh_phase_free(bmf_mesh_phase *phase);

/* How a phase is run. */
typedef struct bmf_phase_setting {
    bmf_simulation_settings simulation;
    bool in_order; /* processors access registers strictly in turn */
    const int64_t
        *start; /* by node: when its processor comes to the phase; NULL: all at 0, with routers already in it */
    bool load;  /* with start: its schedule must be loaded first */
} bmf_phase_setting;

/* What happened; cycles. The caller frees the arrays by phase_times_free. */
typedef struct bmf_phase_times {
    int64_t cycles;      /* until the last processor was through */
    int64_t hops;        /* words over links */
    int64_t carried_out; /* cycles that were not skipped */
    int64_t *written;    /* by message of the phase: its last word left the processor */
    int64_t *read;       /* by destination, of all messages one after the other: its last word reached the processor */
    int64_t *last_move;  /* by node: its router moved a word; -1: never */
    int64_t (*time)[BMF_TIMES]; /* by node */
} bmf_phase_times;

int mesh_phase_run(const bmf_mesh_phase *phase, const bmf_mesh_message *message, const bmf_phase_setting *setting,
                   bmf_phase_times *times);
void phase_times_free(bmf_phase_times *times);

/* Draws the schedules that the scheduled router (scheduled_run.c) makes for traffic, phase by phase: of one node, or of
 * all if node is below 0. value: of its parameters. Errors: those of planning. */
int mesh_draw_schedules(const bmf_mesh *mesh, const bmf_mesh_traffic *traffic, const double *value, int64_t node,
                        FILE *stream);

#endif
