/* The scheduled router as hardware: what its memories hold, and which schedules it can run.
 *
 * A node moves words by virtual finite state machines (VFSMs): each takes words from a source, keeps at most one, and
 * hands them to a destination. A pipeline runs one VFSM a cycle; which one, says the schedule, `length` entries that
 * all nodes run round and round in step. Source and destination of a VFSM are its annotation (document 004, Table 7.1).
 *
 *     cycle:   T         T+1          T+2    T+3
 *              schedule  instruction  read   write
 *
 * The write of slot t meets the read of slot t + 1, on the same node and on its neighbours: the reader says in the same
 * cycle whether it has space. From that follow the rules that scheduled_check checks:
 *
 *   1  a VFSM does not run in two slots in a row (its space depends on what it has just written);
 *   2  a pipeline touches the processor's interface once a cycle: no reader of it in the slot after a writer of it;
 *   3  a VFSM does not write into the buffer of the VFSM in the next slot of its pipeline;
 *   4  what is written to a neighbour in slot t is read there in slot t + 1, and nothing is read that is not written;
 * 5 every wire and every interface register serves one VFSM a cycle; as valid and accept share a wire, a link carries
 *      one word a cycle, in one direction (unless separate_wires);
 *   6  a fork takes what the VFSM in the slot before writes to a neighbour: its source is that one's destination.
 *
 * Rules hold round the end of the schedule. VFSMs that never keep a word (to NULL or MEMADR) are free of 1.
 * Source: document 004, 1.4 and 7.1; what it leaves open is decided in docs/numesh.md.
 */
#ifndef BMF_MESH_SCHEDULED_H
#define BMF_MESH_SCHEDULED_H

#include <stdio.h>

#include "predict/mesh/topology.h"

enum {
    BMF_SCHEDULED_ENTRIES = 128,  /* of the schedule memory */
    BMF_SCHEDULED_VFSMS = 32,     /* of a pipeline */
    BMF_SCHEDULED_REGISTERS = 16, /* of the interface, in both directions */
    BMF_SCHEDULED_PIPELINES = 4,  /* at most; the NuMesh has 2 */
    BMF_SCHEDULED_STAGES = 4
};

/* Sources and destinations. 0 .. 5 are the ports to neighbours. */
enum {
    BMF_PLACE_MEMADR = 6,    /* destination: commands to the router itself */
    BMF_PLACE_NOP = 8,       /* source without words; destination that takes none */
    BMF_PLACE_NULL = 13,     /* source that always has a word; destination that takes all and forgets them */
    BMF_PLACE_REGISTER = 16, /* + register of the processor's interface */
    BMF_PLACE_BUFFER = 32    /* + VFSM of the same pipeline: its buffer */
};

/* VFSMs with the same annotation in every pipeline and phase. */
enum { BMF_VFSM_NOP = 0, BMF_VFSM_REPROGRAM = 1, BMF_VFSM_FIRST = 2 };

static inline bool place_is_port(int place)
{
    return place < BMF_MESH_PORTS;
}
static inline bool place_is_register(int place)
{
    return place >= BMF_PLACE_REGISTER && place < BMF_PLACE_REGISTER + BMF_SCHEDULED_REGISTERS;
}
static inline bool place_is_buffer(int place)
{
    return place >= BMF_PLACE_BUFFER && place < BMF_PLACE_BUFFER + BMF_SCHEDULED_VFSMS;
}
/* "+x", "register 3", "buffer 7", "NOP", ..; returns text. */
enum { BMF_PLACE_TEXT = 24 };
const char *place_text(int place, char text[BMF_PLACE_TEXT]);

typedef struct bmf_annotation {
    uint8_t source, destination;
    bool copy; /* the type of its moves: it copies what the VFSM in the slot before writes to `source`, a fork */
} bmf_annotation;

typedef struct bmf_schedule_entry {
    uint8_t vfsm[BMF_SCHEDULED_PIPELINES];
    uint8_t next; /* the entry of the following cycle */
} bmf_schedule_entry;

/* The memories of one node's router. */
typedef struct bmf_scheduled_node {
    bmf_schedule_entry entry[BMF_SCHEDULED_ENTRIES];
    bmf_annotation annotation[BMF_SCHEDULED_PIPELINES][BMF_SCHEDULED_VFSMS];
    uint8_t pointer; /* the entry of cycle 0 */
} bmf_scheduled_node;

typedef struct bmf_scheduled_hardware {
    bmf_mesh mesh;
    int pipelines;                 /* 1 .. BMF_SCHEDULED_PIPELINES */
    int length;                    /* of a schedule; the memory is divided into blocks of that many entries */
    bool separate_wires;           /* links carry one word a cycle in each direction */
    int entries, vfsms, registers; /* of a node, of a pipeline, of an interface; 0: as many as there are */
} bmf_scheduled_hardware;

static inline int scheduled_entries(const bmf_scheduled_hardware *hardware)
{
    return hardware->entries > 0 ? hardware->entries : BMF_SCHEDULED_ENTRIES;
}
static inline int scheduled_vfsms(const bmf_scheduled_hardware *hardware)
{
    return hardware->vfsms > 0 ? hardware->vfsms : BMF_SCHEDULED_VFSMS;
}
static inline int scheduled_registers(const bmf_scheduled_hardware *hardware)
{
    return hardware->registers > 0 ? hardware->registers : BMF_SCHEDULED_REGISTERS;
}
/* BMF_ERROR_ARGUMENT: more than the routers have, so that it can be planned for, but not run. */
int scheduled_check_hardware(const bmf_scheduled_hardware *hardware);

/* Mesh, schedules and annotations of a whole machine. */
typedef struct bmf_scheduled_machine {
    bmf_scheduled_hardware hardware;
    bmf_scheduled_node *node; /* mesh.nodes */
} bmf_scheduled_machine;

/* Every block's entries lead round the block and run BMF_VFSM_NOP in every slot, except for block 0, the loader phase,
 * which runs BMF_VFSM_REPROGRAM in every slot and pipeline; pointers are at block 0. BMF_ERROR_ARGUMENT: a hardware
 * that cannot be. The caller frees. */
int scheduled_create(const bmf_scheduled_hardware *hardware, bmf_scheduled_machine **machine);
void scheduled_free(bmf_scheduled_machine *machine);
/* Whole blocks in the schedule memory. */
int scheduled_blocks(const bmf_scheduled_hardware *hardware);
/* The register that a pipeline's reprogramming VFSM reads. */
static inline int scheduled_command_register(int pipeline)
{
    return BMF_SCHEDULED_REGISTERS - 1 - pipeline;
}

/* Checks the rules above for one block. BMF_ERROR_ARGUMENT: the message names node, pipeline and slot. */
int scheduled_check(const bmf_scheduled_machine *machine, int block);

/* Puts the reprogramming VFSM into every slot of a block that is empty and may have it (document 004, 7.1.5). Returns
 * the lowest node whose pipeline 0 has no such slot, so that its phase could not be left, or -1. */
int64_t scheduled_fill_reprogram(bmf_scheduled_machine *machine, int block);

/* Draws a block: per node and pipeline a row of slots; with VFSMs, also their annotations. Nodes [first, last). */
void scheduled_print(const bmf_scheduled_machine *machine, int block, int64_t first, int64_t last, FILE *stream);

/* ---- commands to MEMADR, one word each ---- */

/* The document does not say how commands are laid out in words; these are ours, one word for one entry of a memory. */
typedef enum bmf_command_kind {
    BMF_COMMAND_ENTRY,      /* from pipeline 0: VFSMs of a schedule entry and its next entry */
    BMF_COMMAND_ANNOTATION, /* of a VFSM of the pipeline that carries the command */
    BMF_COMMAND_POINTER,    /* from pipeline 0: the schedule pointer's value */
    BMF_COMMAND_DELTA       /* from pipeline 0: added to the schedule pointer */
} bmf_command_kind;

typedef struct bmf_command {
    bmf_command_kind kind;
    int index;                /* ENTRY: which; ANNOTATION: which VFSM */
    bmf_schedule_entry entry; /* ENTRY */
    bmf_annotation annotation;
    int value; /* POINTER, DELTA */
} bmf_command;

uint64_t command_word(const bmf_command *command);
/* false: no command. */
bool command_decode(uint64_t word, bmf_command *command);

#endif
