/* What the files share that run programs. */
#ifndef BMF_COP_RUN_PRIVATE_H
#define BMF_COP_RUN_PRIVATE_H

#include "predict/cop/nodes.h"
#include "predict/cop/operands.h"
#include "predict/cop/run.h"

/* Words of one writer for its readers: a ring. Place p of the stream is word[p mod size]. */
typedef struct bmf_cop_channel {
    uint32_t *word;
    int64_t size;
} bmf_cop_channel;

/* The messages of a collect's instance. */
typedef struct bmf_cop_collecting {
    int64_t written, read; /* words, those on their way counted as written */
    int64_t writer;        /* of the last one */
} bmf_cop_collecting;

/* An operator of the plan while it runs; the last ones are barriers of phases and networks of online
 * routing. */
typedef struct bmf_cop_running {
    const bmf_cop_operator *op;
    const bmf_cop_candidate *candidate;
    int chosen;                  /* which of the operator's candidates */
    int64_t phase, first_stream; /* in which it begins */
    int64_t last_phase;          /* the same, or where it ends */
    int64_t first_channel;       /* of a plug-in's streams */
    int64_t words;               /* of a message */
    int64_t sync_words;          /* of one more before the phase is left; 0: none */
    int64_t *pause;              /* by node: cycles until the last words have left its router */
    int64_t longest_pause;       /* of all nodes */
    int64_t way;                 /* cycles, at most, between two nodes' last words of one message */
    int64_t *instance, *number;  /* by node of the mesh: which instance, and its number there; -1: not in it */
    bmf_cop_loads loads;
    bmf_cop_collecting *collecting; /* by instance */
    int64_t *closed_from;           /* of a barrier in the routers, by node: the cycle from which all its ends are */
} bmf_cop_running;

/* Words that come to a node and are meant for others. */
typedef struct bmf_cop_discard {
    int64_t op, channel, begin, words; /* the next place in the channel; how many there are */
    int reg;
} bmf_cop_discard;

typedef struct bmf_cop_node {
    struct bmf_cop_run *run;
    int64_t node, phase;       /* phase -1: the loader */
    int64_t last_load;         /* operator; -1: none */
    int64_t calling;           /* the operator that is being carried out; -1: none */
    int64_t logged[BMF_TIMES]; /* cycles that have been told */
    bmf_coroutine *coroutine;
    bmf_cop_services services;
    int64_t not_before;        /* when the words of the phase have passed */
    double fraction;           /* of a cycle that computing has not been charged */
    int64_t *moved;            /* by channel: words so far */
    int64_t *loads;            /* by operator */
    int64_t *calls;            /* by operator: reads or writes of gather and spread */
    int32_t **operand, *given; /* by operator; of the load that is being made */
    bool *begins;              /* by operator: the node's VFSMs of the operator's chains read the processor */
    bool *is_loaded;           /* by operator: since the node came into the phase */
    bool is_syncing;           /* messages have sync_words */
    int64_t *resident;         /* by block of the router's memory: the phase in it */
    int64_t clear_from;        /* when all others have left the phases that ended by barriers */
    int64_t discards;
    bmf_cop_discard discard[BMF_SCHEDULED_REGISTERS];
    char *work; /* of calls that combine */
    int64_t space;
    int exit_code;
} bmf_cop_node;

typedef struct bmf_cop_run {
    const bmf_cop_plan *plan;
    bmf_cop_phase **phase;
    int64_t phases, nodes, operators;
    int64_t channels; /* BMF_COP_BANKS for each operator and node, then those of plug-ins */
    bmf_cop_running *running;
    bmf_cop_node *node;
    bmf_cop_channel *channel;
    bmf_scheduled_machine *machine;
    bmf_scheduled_machine **image;                /* by phase: what its routers hold */
    int64_t *block;                               /* by phase */
    uint8_t (*reserved)[BMF_SCHEDULED_PIPELINES]; /* by operator and node, of those that go on: the first VFSM */
    bool *passes;                                 /* by phase and node: it only passes words on */
    bmf_processor_script *script;
    bmf_scheduled_simulation *simulation;
    struct bmf_cop_online *online; /* NULL: no operator is by messages (online.h) */
    bool is_prompt;                /* processors access their routers every cycle */
    int64_t access;                /* cycles of an access that writes */
    bmf_cop_body *body;
    void *body_state;
    const bmf_cop_log *log; /* NULL: none */
    int status;
} bmf_cop_run;

/* run.c. Ends the simulation with an error; does not return to the node's program. */
void run_fail(bmf_cop_node *n, int64_t op, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Gives way until the steps of the node's script are done. */
void run_steps(bmf_cop_node *n);

/* log.c: tells what a node's steps were, and a whole call. */
void log_steps(bmf_cop_node *n);
void log_call(const bmf_cop_node *n, int64_t op, int64_t begin);

/* changes.c: from phase to phase. */
int changes_prepare(bmf_cop_run *run);
void changes_begin(bmf_cop_node *n);
void changes_init(void *node);
void changes_fini(void *node);
/* At a load. */
void changes_for(bmf_cop_node *n, int64_t op);
/* An operator's message is over: its last words pass the routers for a while. */
void changes_note_end(bmf_cop_node *n, int64_t op);

/* discards.c: words that are meant for others are read as they come, beside whatever the node waits for, so that they
 * do not hold up their stream. Adds some, whose register has none. */
void discards_add(bmf_cop_node *n, const bmf_cop_discard *discard);
/* As uses behind `uses` others of a transfer; returns how many. */
int discards_list(const bmf_cop_node *n, bmf_interface_use *use);
/* After that transfer, whose uses of discards are these. */
void discards_note(bmf_cop_node *n, const bmf_interface_use *use);
/* Waits for all words of an operator, -1: of all operators. */
void discards_finish(bmf_cop_node *n, int64_t op);

/* chains.c: streams along a snake that begin where the program says. Programs the node's router for the operands of a
 * load, and takes care of what others send. */
bool chains_carry(const bmf_cop_running *r);
void chains_load(bmf_cop_node *n, int64_t op);
void chains_write(bmf_cop_node *n, int64_t op, const void *message);
/* The register in which words from `source` come. */
int chains_register(const bmf_cop_node *n, const bmf_cop_running *r, int64_t source);

/* collects.c: streams that go on in each other, towards one node. */
bool collects_carry(const bmf_cop_running *r);
void collects_write(bmf_cop_node *n, int64_t op, const void *message);
void collects_read(bmf_cop_node *n, int64_t op, void *message);

/* gates.c: barriers whose streams open each other. */
bool gates_carry(const bmf_cop_running *r);
void gates_call(bmf_cop_node *n, int64_t op);

/* relays.c: streams from neighbour to neighbour. Who is on the way of a message passes it on when it loads the
 * operator; the ends when they write and read. */
bool relays_carry(const bmf_cop_running *r);
void relays_load(bmf_cop_node *n, int64_t op);
void relays_write(bmf_cop_node *n, const bmf_cop_running *r, const void *message);
/* At the destination; also the part of any node in a message that synchronises. */
void relays_read(bmf_cop_node *n, const bmf_cop_running *r, void *message);

/* moves.c: what a node does for a call of an operator. */
typedef enum bmf_cop_order {
    BMF_COP_AS_READY,
    BMF_COP_IN_WINDOW,
    BMF_COP_WRITES_IN_TURN,
    BMF_COP_READ_FIRST
} bmf_cop_order;
enum { BMF_COP_BANKS = 2, BMF_COP_UP = 0, BMF_COP_DOWN = 1 };
/* Moves all words of the uses from their `begin` on. In turn: one access each, in the order of registers; as ready:
 * whatever is ready: a word that is written strictly after one that is read would wait for it all the way. */
void moves_transfer(bmf_cop_node *n, bmf_cop_order order, int uses, const bmf_interface_use *use);
const bmf_stream_route *moves_route(const bmf_cop_node *n, const bmf_cop_running *r, int64_t from, int64_t to);
/* Of one of the operator's streams, by its number among them. */
const bmf_stream_route *moves_stream_route(const bmf_cop_node *n, const bmf_cop_running *r, int64_t stream);
int moves_register_at(const bmf_stream_route *route, int64_t node);
int64_t moves_channel(const bmf_cop_node *n, const bmf_cop_running *r, int bank, int64_t writer);
void moves_put_message(bmf_cop_node *n, const bmf_cop_running *r, int64_t channel, const void *message);
void moves_get_message(const bmf_cop_node *n, const bmf_cop_running *r, int64_t channel, void *message);
/* Of a message, as it is now on its way. */
int64_t moves_words(const bmf_cop_node *n, const bmf_cop_running *r);
/* One more message of an operator, whatever its words. */
void moves_synchronise(bmf_cop_node *n, int64_t op);
/* The node of an operand, of the mesh. */
int64_t moves_operand(const bmf_cop_node *n, const bmf_cop_running *r, int which);
/* Of an instance's tree, by its number in the mesh: who has all values. */
int64_t moves_root(const bmf_cop_running *r, int64_t instance);
/* At a load, in the operator's phase. */
void moves_load(bmf_cop_node *n, int64_t op);
void moves_write(bmf_cop_node *n, int64_t op, const void *message);
void moves_read(bmf_cop_node *n, int64_t op, void *message);
void moves_call(bmf_cop_node *n, int64_t op, const void *in, void *out, bmf_cop_combine *combine);

#endif
