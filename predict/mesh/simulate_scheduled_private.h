/* The state of a simulation, for the files that carry it out. */
#ifndef BMF_MESH_SIMULATE_SCHEDULED_PRIVATE_H
#define BMF_MESH_SIMULATE_SCHEDULED_PRIVATE_H

#include "predict/mesh/simulate_scheduled.h"

enum { PIPELINES = BMF_SCHEDULED_PIPELINES, REGISTERS = BMF_SCHEDULED_REGISTERS, RING = 4, ACCESSES = 2 * REGISTERS };
enum { NO_ACCESS = -1, COMMAND_ACCESS = ACCESSES, HANDLER_ACCESS };
enum { STREAM_SHIFT = 40 };
#define RAW_WORD   (UINT64_C(1) << 63)
#define PLACE_MASK ((INT64_C(1) << STREAM_SHIFT) - 1)

/* A word that goes into the write stage in the next cycle, with the VFSM that carries it. */
typedef struct inflight {
    bool valid, retry; /* retry: the word also stands in the VFSM's buffer */
    uint8_t vfsm, destination;
    uint64_t word;
} inflight;

typedef struct stage {
    uint8_t vfsm;
    bmf_annotation at;
} stage;

typedef struct processor {
    int64_t step, wake, busy_until;
    int64_t progress;     /* COMMANDS: words written */
    bool drained, asleep; /* DRAIN: the register was empty; asleep: in the heap */
    uint32_t pending;     /* TRANSFER: bit r: register r is to be written, 16 + r: read */
    uint32_t background;  /* of these, the ones that the step does not wait for */
    int turn;             /* where looking for the next access begins */
    int access;           /* in this cycle: bit number, COMMAND_ACCESS, HANDLER_ACCESS or NO_ACCESS */
    bool interrupted;     /* the handler took this cycle */
    bmf_handler_access handled;
    int64_t use[ACCESSES]; /* of the step, by access */
    int64_t time[BMF_TIMES];
    bmf_mesh_time counting;
    int64_t counted_from; /* -1: not counting */
} processor;

typedef struct node_state {
    uint32_t outbound_full, inbound_full, buffer_full[PIPELINES];
    inflight writing[2][PIPELINES]; /* by the parity of the cycle of their write stage */
    int base;                       /* first entry of the running block */
    int64_t unsteady_until;         /* up to then `ring` says what is in the stages; later the block does */
    stage ring[RING][PIPELINES];    /* by the cycle of the schedule stage */
    int64_t last_move;
    bool listed;
    processor cpu;
    uint64_t outbound[REGISTERS], inbound[REGISTERS], buffer[PIPELINES][BMF_SCHEDULED_VFSMS];
} node_state;

/* What a later period is compared with. */
typedef struct snapshot {
    int64_t cycle, hops, length, capacity;
    uint64_t *state;
    int64_t *done;              /* of all uses */
    int64_t (*time)[BMF_TIMES]; /* of all nodes */
    int64_t age, power;         /* Brent: compared so often; replaced after `power` times */
    bool taken;
} snapshot;

typedef struct sleeper {
    int64_t wake, node;
} sleeper;

#define HEAP(name)        sleepers_##name
#define HEAP_ELEMENT      sleeper
#define HEAP_BEFORE(a, b) ((a).wake < (b).wake)
#include "runtime/base/heap.h"

struct bmf_scheduled_simulation {
    bmf_scheduled_machine *machine;
    bmf_processor_script *script;
    bmf_simulation_settings settings;
    int64_t nodes, cycle, hops, carried_out, length, running; /* running: scripts that have not ended */
    int pipelines, slots;
    bool commanded; /* some router may be in another block than its neighbours */
    node_state *node;
    int64_t (*neighbour)[BMF_MESH_PORTS];
    int64_t *hot, hots, *next_hot, next_hots; /* nodes in which something can happen in this and in the next cycle */
    int64_t *unsteady, unsteadies;
    sleeper *heap;
    int64_t sleepers;
    snapshot saved;
    uint64_t *state; /* work space of snapshots */
    int64_t state_capacity, *first_use, uses, streams;
    const bmf_interrupt_handler *handler; /* NULL: none */
    bmf_script_feed *feed;                /* NULL: scripts are whole from the beginning */
    void *feed_state;
    int feed_status;
};

/* simulate_scheduled.c. Fails with the node that waits for ever. */
int scheduled_waits_for_ever(const bmf_scheduled_simulation *s);
void scheduled_wake(bmf_scheduled_simulation *s, int64_t node);
/* What is in a stage: of the VFSMs whose schedule stage was in `fetched`. */
stage scheduled_stage(const bmf_scheduled_simulation *s, int64_t node, int64_t fetched, int pipeline);

/* simulate_processor.c: chooses this cycle's access to the interface, from registers as the router left them; and
 * carries it out. */
void processor_choose(bmf_scheduled_simulation *s, int64_t node);
int processor_access(bmf_scheduled_simulation *s, int64_t node);
/* Has something to do in the next cycle, whatever the router does. */
bool processor_is_awake(const bmf_scheduled_simulation *s, int64_t node);
void processor_count(bmf_scheduled_simulation *s, int64_t node); /* its cycles up to now */

/* simulate_commands.c: a word at MEMADR; stages after changes; links that two nodes use in different phases. */
int scheduled_command(bmf_scheduled_simulation *s, int64_t node, int pipeline, uint64_t word);
void scheduled_advance_stages(bmf_scheduled_simulation *s);
int scheduled_check_links(const bmf_scheduled_simulation *s);

/* simulate_periods.c: at the start of a schedule: goes forward by as many whole periods as are alike. */
int scheduled_skip_periods(bmf_scheduled_simulation *s);

#endif
