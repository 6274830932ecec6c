/* Simulates a mesh of scheduled routers and their processors, exactly to the cycle.
 *
 * Registers of the interface hold one word in each direction. Within a cycle all routers see registers and buffers as
 * they were at its start, except that a VFSM may read in a cycle what the VFSM of the slot before writes into its own
 * buffer in that cycle (a delay of one cycle). Then every processor may access one register, as its router left it: so
 * a register can pass a word every cycle.
 *
 * A processor runs a script: steps one after the other, one access to the interface a time. Words carry the number of
 * their stream and their place in it; every word that is read is compared with the one that must come next. */
#ifndef BMF_MESH_SIMULATE_SCHEDULED_H
#define BMF_MESH_SIMULATE_SCHEDULED_H

#include "predict/mesh/scheduled.h"

/* What a processor's cycles went into (document 004, Table 8.1). */
typedef enum bmf_mesh_time {
    BMF_TIME_CPU,
    BMF_TIME_WRITE,
    BMF_TIME_READ,
    BMF_TIME_PSYNC,
    BMF_TIME_ROUTER,
    BMF_TIME_REPROGRAM,
    BMF_TIMES
} bmf_mesh_time;
extern const char *const mesh_time_name[BMF_TIMES]; /* "cpu", "write", .. */

/* Words of one stream through one register. */
typedef struct bmf_interface_use {
    int reg;        /* 0 .. 15 */
    bool reads;     /* the processor reads them */
    int64_t stream; /* 0 .. 2^22 - 1 */
    int64_t words;
    /* set by the simulation: */
    int64_t done;        /* words so far */
    int64_t first, last; /* cycles of the first and the last of them; -1: none yet */
    int64_t begin;       /* place in the stream of its first word */
} bmf_interface_use;

typedef enum bmf_step_kind {
    BMF_STEP_WAIT,     /* `cycles` */
    BMF_STEP_UNTIL,    /* the clock is at least `cycles` */
    BMF_STEP_TRANSFER, /* all uses together: each time the next in turn that is ready; in_order: ready or not */
    BMF_STEP_COMMANDS, /* words to a register */
    BMF_STEP_DRAIN,    /* wait until the router has taken what is in a register, and `cycles` more; until it has taken
                        * it, read what uses are ready */
    BMF_STEP_HANDLED   /* wait until the interrupt handler says so; all uses are background */
} bmf_step_kind;

typedef struct simulator_resume {
    bmf_step_kind kind;
    bmf_mesh_time time; /* what its cycles are counted as; TRANSFER: writing or reading, whatever it does */
    int64_t cycles;
    int reg;
    bool in_order;
    bool reads_first;     /* in_order: a turn begins with reading, so that what was read is written on */
    int64_t window;       /* TRANSFER of a written and a read use: neither is so many words ahead; 0: no limit */
    int64_t first, count; /* TRANSFER, DRAIN: of the processor's uses; COMMANDS: of its words */
    int64_t background;   /* so many uses, the last ones, DRAIN: all, are read when a word is there and nothing else is
                           * ready; the step ends without them */
    int64_t begun, ended; /* cycles, set by the simulation; -1: not yet. The next step begins in cycle `ended` */
} simulator_resume;

typedef struct bmf_processor_script {
    int64_t steps, uses, words;
    simulator_resume *step;
    bmf_interface_use *use;
    uint64_t *word;
} bmf_processor_script;

/* Scripts for all nodes of a machine; empty. The caller frees. */
bmf_processor_script *scripts_create(const bmf_mesh *mesh);
void scripts_free(const bmf_mesh *mesh, bmf_processor_script *script);
/* Leaves no steps, uses and words; their memory stays. */
void script_clear(bmf_processor_script *script);
/* Adds a step. transfer: uses are copied, no two with the same register and direction. commands: words are copied. */
void script_wait(bmf_processor_script *script, bmf_mesh_time time, int64_t cycles);
void script_until(bmf_processor_script *script, bmf_mesh_time time, int64_t cycle);
void script_transfer(bmf_processor_script *script, bool in_order, int64_t uses, const bmf_interface_use *use);
void script_commands(bmf_processor_script *script, bmf_mesh_time time, int reg, int64_t words, const uint64_t *word);
void script_drain(bmf_processor_script *script, bmf_mesh_time time, int reg, int64_t cycles);
/* The same, reading meanwhile. */
void script_drain_beside(bmf_processor_script *script, bmf_mesh_time time, int reg, int64_t uses,
                         const bmf_interface_use *use);
void script_handled(bmf_processor_script *script, bmf_mesh_time time, int64_t uses, const bmf_interface_use *use);
/* The steps of a change to the schedule in another block: the command, waiting for its being taken, and for the words
 * that are in the router's pipelines. */
void script_change_phase(bmf_processor_script *script, const bmf_scheduled_hardware *hardware, int from_block,
                         int to_block);

/* The steps that load a block of `machine` into a router in the loader phase: annotations of the VFSMs that it uses,
 * and its entries. */
void script_load(bmf_processor_script *script, const bmf_scheduled_machine *machine, int64_t node, int block);

/* 10 and 2 cycles of a processor of 1 GHz, of routers of 2 GHz. */
enum { ONLINE_INTERRUPT = 20, ONLINE_WORD = 4 };

typedef struct bmf_simulation_settings {
    int read_cycles, write_cycles;     /* of the processor, for one access; 0: 1 */
    int interrupt_cycles, word_cycles; /* of online routing: for a message, for a word in or out; 0: the usual ones */
    bool every_cycle;                  /* never skip: for comparisons */
} bmf_simulation_settings;

typedef struct bmf_scheduled_simulation bmf_scheduled_simulation;

/* Machine and scripts are borrowed; the machine's memories change when commands change them. Blocks must be as
 * scheduled_create makes them and pass scheduled_check; commands that break that are errors. */
bmf_scheduled_simulation *scheduled_simulation_create(bmf_scheduled_machine *machine, bmf_processor_script *script,
                                                      const bmf_simulation_settings *settings);
void scheduled_simulation_free(bmf_scheduled_simulation *simulation);
/* Another way to feed processors: when a node has no step left, `feed` empties its script (script_clear) and adds more,
 * with at most one transfer a time; *ended: the node has ended. Its errors end the simulation. streams: numbers of
 * streams are below that. To be called before the first cycle, with empty scripts. */
typedef int bmf_script_feed(void *state, int64_t node, bool *ended);
void scheduled_simulation_feed(bmf_scheduled_simulation *simulation, bmf_script_feed *feed, void *state,
                               int64_t streams);
/* Interrupts: a handler that takes cycles from a node's processor, whatever its script is at, also when it has ended.
 * Computing (WAIT) takes as many cycles longer. Registers are given as the router left them, bit r for register r. */
typedef struct bmf_handler_access {
    int reg; /* -1: none */
    bool reads;
    int64_t stream, place; /* of the word: what it must be, or is */
} bmf_handler_access;

typedef struct bmf_interrupt_handler {
    /* Takes this cycle, if it has something to do in it. */
    bool (*take)(void *state, int64_t node, uint32_t inbound_full, uint32_t outbound_full, bmf_handler_access *access);
    /* Whether it would take the next cycle. */
    bool (*wants)(void *state, int64_t node, uint32_t inbound_full, uint32_t outbound_full);
    /* Whether the node's HANDLED step goes on. */
    bool (*goes_on)(void *state, int64_t node);
    void *state;
} bmf_interrupt_handler;
/* To be called before the first cycle; the handler is borrowed. */
void scheduled_simulation_interrupt(bmf_scheduled_simulation *simulation, const bmf_interrupt_handler *handler);
/* One cycle. Errors as scheduled_simulation_run. */
int scheduled_simulation_step(bmf_scheduled_simulation *simulation);
/* Until all scripts have ended. Errors, with node and cycle: BMF_ERROR_ARGUMENT: processors that wait for ever;
 * commands that are none; two ends of a link that both read it, so that each takes the other's accept for a valid word,
 * or both write it; a VFSM in two cycles in a row after a change of phases; a word that is not the stream's next
 * one. */
int scheduled_simulation_run(bmf_scheduled_simulation *simulation);

bool scheduled_simulation_ended(const bmf_scheduled_simulation *simulation);
int64_t scheduled_simulation_cycle(const bmf_scheduled_simulation *simulation);
/* Cycles until the last script ended, words over links, and cycles that were really carried out, so far. */
int64_t scheduled_simulation_length(const bmf_scheduled_simulation *simulation);
int64_t scheduled_simulation_hops(const bmf_scheduled_simulation *simulation);
int64_t scheduled_simulation_carried_out(const bmf_scheduled_simulation *simulation);
/* The last cycle in which this node's router moved a word; -1: never. */
int64_t scheduled_simulation_last_move(const bmf_scheduled_simulation *simulation, int64_t node);
/* Cycles of a processor by what they went into. */
void scheduled_simulation_times(const bmf_scheduled_simulation *simulation, int64_t node, int64_t time[BMF_TIMES]);

/* What a node holds between two cycles. Words: their stream in the upper 23 bits, their place in the lower 40; those of
 * commands have the highest bit set. */
typedef struct bmf_scheduled_view {
    uint32_t outbound_full, inbound_full; /* bit r: register r */
    uint64_t outbound[BMF_SCHEDULED_REGISTERS], inbound[BMF_SCHEDULED_REGISTERS];
    uint32_t buffer_full[BMF_SCHEDULED_PIPELINES];
    uint64_t buffer[BMF_SCHEDULED_PIPELINES][BMF_SCHEDULED_VFSMS];
    int64_t step; /* of the script */
} bmf_scheduled_view;
void scheduled_simulation_view(const bmf_scheduled_simulation *simulation, int64_t node, bmf_scheduled_view *view);

#endif
