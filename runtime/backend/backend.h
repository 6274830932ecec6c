/* The backend interface: who executes kernels and schedules.
 *
 * A skeleton turns its call into work (kernel pieces) and rounds of messages and hands them to ctx->backend. It runs
 * as one host process per block of processors [first_processor, first_processor + local_processors): on the cluster a
 * rank, in the model the one process with all of them. Skeletons must not call MPI.
 */
#ifndef BMF_BACKEND_H
#define BMF_BACKEND_H

#include <mpi.h>
#include <string.h>

#include "runtime/base/shared_memory.h"
#include "runtime/data/column.h"
#include "bmf/context.h"
#include "runtime/context/failure.h"
#include "runtime/data/partition.h"
#include "runtime/schedule/algorithms.h"
#include "runtime/schedule/cost_table.h"
#include "runtime/trace/skeleton_type.h"
#include "runtime/trace/trace.h"

/* A piece of work: elements [begin, end) (global numbers) of one part, for one worker. */
typedef struct bmf_piece {
    int64_t part, processor;
    int64_t begin, end;
    int worker; /* 0 .. threads - 1; non-decreasing over an array of pieces */
} bmf_piece;

/* One kernel call over pieces. run is called once for every piece, from worker threads at once; it returns 0 or the
 * user's failure code. The result of piece i does not depend on the order. */
typedef struct bmf_work {
    const char *kernel; /* name in traces and kernel sheets */
    /* What an element takes, with a space behind each: "B_Plus B_Times "; NULL: the kernel itself, or nobody asked
     * (ctx->names_operations). */
    const char *operations;
    uint32_t round; /* tells the kernel calls of one skeleton call apart, for structural ids */
    const bmf_piece *piece;
    int64_t pieces;
    bool dynamic;         /* workers take the next piece in order as they get free, ignoring piece.worker */
    bmf_kernel_work each; /* what is done for every element */
    /* Adds what a piece does besides, which depends on the data; after the pieces have run. May be NULL. */
    void (*count)(const void *counted, int64_t index, const bmf_piece *piece, bmf_kernel_work *work);
    const void *counted;
    int (*run)(void *state, int64_t index, const bmf_piece *piece, int worker);
    void *state;
} bmf_work;

enum { BMF_MAX_SEGMENTS = BMF_MAX_LEAVES + 2 };
typedef struct bmf_segment {
    void *data;
    int64_t bytes;
} bmf_segment;

/* Where a round's messages come from and go to. Both return the number of segments (0 .. BMF_MAX_SEGMENTS) whose bytes
 * add up to the message's. `incoming` gets the real size; it may allocate. Memory stays valid until the call ends.
 * Messages whose `from` and `to` are both local are copied segment by segment. */
typedef struct bmf_transfer {
    int (*outgoing)(void *state, const bmf_message *message, bmf_segment *segment);
    int (*incoming)(void *state, const bmf_message *message, bmf_segment *segment);
    void *state;
} bmf_transfer;

/* A round whose messages are on their way. */
typedef struct bmf_exchange bmf_exchange;

typedef enum bmf_rank_emulation_step {
    BMF_EMULATE_BEGIN,
    BMF_EMULATE_NEXT,  /* the next processor */
    BMF_EMULATE_BATCH, /* all at once, for their values: nothing is recorded until the next step */
    BMF_EMULATE_END,
    BMF_EMULATE_CANCEL /* the end, and nothing of it has happened */
} bmf_rank_emulation_step;

/* How far a run was. */
typedef struct bmf_run_mark {
    int64_t actions, messages, rounds; /* that were recorded */
    int64_t elements;                  /* that kernels had computed */
    bmf_statistics statistics;
} bmf_run_mark;

typedef struct bmf_backend {
    const char *name;
    /* Runs all pieces; records one kernel event per processor. Returns 0, or BMF_ERROR_KERNEL with a message that names
     * kernel, code, processor and elements (not yet agreed among ranks). */
    int (*compute)(bmf_context *ctx, const bmf_work *work);
    /* Executes one round. Every message's size is known to both sides, or BMF_BYTES_UNKNOWN to both (the sender's
     * `outgoing` then decides). Collective among the processors concerned. A host that sends marks (ctx->sends_marks)
     * sends nothing else; one that receives a mark begins to do so, and `incoming` may not be called for what did not
     * come. */
    int (*exchange)(bmf_context *ctx, const bmf_round *round, uint32_t round_number, const bmf_transfer *transfer);
    /* The same in two halves, to compute while messages are on their way. The round, what transfer points to and all
     * segments stay as they are until the end; received ones are complete only then. Rounds that are under way at once
     * begin in the same order everywhere, unless they have channels of their own (ctx->channel); with one of unknown
     * sizes no other is. progress lets messages proceed: to be called now and then while computing, by the thread that
     * began; it returns whether the end would not wait. All three NULL: the backend cannot, see
     * backend_exchange_begin. */
    int (*exchange_begin)(bmf_context *ctx, const bmf_round *round, uint32_t round_number, const bmf_transfer *transfer,
                          bmf_exchange **under_way);
    bool (*exchange_progress)(bmf_context *ctx, bmf_exchange *under_way);
    int (*exchange_end)(bmf_context *ctx, bmf_exchange *under_way);
    /* A sparse round: `sends` holds only messages from local processors, with sizes; the receivers' side is unknown.
     * Calls incoming for every message that arrives. Collective over all hosts, and settles (see below). Silent
     * partners cost nothing but one allreduce. Messages from one processor to another keep their order. */
    int (*exchange_sparse)(bmf_context *ctx, const bmf_round *sends, uint32_t round_number,
                           const bmf_transfer *transfer);
    /* The calls from here to agree are collective over all hosts, and settle: each returns the same status everywhere,
     * BMF_OK or that of the first failure of those that hosts have noted (runtime/context/failure.h). Bookkeeping, not
     * messages of the machine.
     *
     * Makes `bytes` of data at the host of `processor` known at every host. Failures of which that host has not heard
     * stay unsettled. */
    int (*bcast)(bmf_context *ctx, int64_t processor, void *data, int64_t bytes);
    /* Gathers every host's `count` int64 values in host order to every host. counts: of all hosts, the same at every
     * one; NULL: all are `count`. */
    int (*allgather)(bmf_context *ctx, const int64_t *values, int64_t count, const int64_t *counts, int64_t *all);
    /* bmf_agree: notes the status if it is a failure. */
    int (*agree)(bmf_context *ctx, int status);
    void (*destroy)(bmf_context *ctx);
    /* Nanoseconds since the start of the run on a processor's clock; processor -1: on the one that is furthest. */
    int64_t (*now)(bmf_context *ctx, int64_t processor);
    /* ctx->processors and the local ones have changed, and so has an empty ctx->run. */
    int (*resize)(bmf_context *ctx);
    /* bmf_barrier. */
    void (*barrier)(bmf_context *ctx);

    /* ---- of backends that model another machine; NULL or false on the cluster ---- */

    /* A region or call was entered, ctx->position[ctx->depth], or is being left; instead of the events that are
     * recorded otherwise. The partition may be NULL. */
    void (*enter)(bmf_context *ctx, bmf_event_kind kind);
    void (*leave)(bmf_context *ctx, const bmf_partition *partition);
    /* A file of the partition's elements, of so many bytes each, was read or written here in that time, every processor
     * its part; instead of events. */
    void (*file)(bmf_context *ctx, const bmf_partition *partition, int64_t element_bytes, int64_t nanoseconds);
    /* From here on the processor holds so many bytes (runtime/context/held.h); instead of records. */
    void (*held)(bmf_context *ctx, int64_t processor, int64_t bytes);
    /* Where a round of a loop begins, for `repeat`. False: it cannot be repeated from here. */
    bool (*mark)(bmf_context *ctx, bmf_run_mark *mark);
    /* What was done since then is done so many times more, without doing it. An error as of `expect`. */
    int (*repeat)(bmf_context *ctx, const bmf_run_mark *since, int64_t times);
    /* So many messages are about to be made: an error, known to all, where that is too much to go on with. */
    int (*expect)(bmf_context *ctx, int64_t messages);
    /* The program itself begins here: everything before was loading. */
    void (*start)(bmf_context *ctx);
    /* Called once by bmf_close, instead of writing the trace. */
    int (*finish)(bmf_context *ctx);
    /* Processors represent ranks of their own: what ranks do between two operations that communicate is done
     * for the processors of the host one after the other, so that nothing depends on what others have. Called before
     * the first processor, before each of them, and after the last; the same calls are entered for each. */
    void (*emulate_rank)(bmf_context *ctx, bmf_rank_emulation_step step);
    /* Instead of the next processor's step: this one does what the pass-th (from 0) since the beginning has done. */
    void (*emulate_like)(bmf_context *ctx, int64_t processor, int64_t pass);
} bmf_backend;

/* What the collective operations of backends are called in traces, as kernels by their names. */
extern const char backend_agreement[], backend_broadcast[], backend_allgather[], backend_barrier[];

enum { BMF_MESSAGE_SIZE = 1024, BMF_NODE_DEPTH = 64, BMF_MOST_REPRESENTATIVES = 16 };

/* Instances of every trace node, and the stack of open nodes. */
typedef struct bmf_position {
    uint32_t node, instance;
    uint16_t place; /* of the call in the source: a name of the run, "file:line"; 0: not known */
    int64_t begin;  /* host clock when it was entered */
} bmf_position;

/* The last choice of a skeleton's algorithm. */
typedef struct bmf_chosen {
    int64_t count;
    double bytes;
    bool to_first;
    const bmf_algorithm *algorithm; /* NULL: none yet */
} bmf_chosen;

struct bmf_context {
    bmf_context *next; /* open context of the process */
    MPI_Comm comm;
    int rank, ranks;
    bool whole_world;                     /* every rank of MPI_COMM_WORLD is in it */
    int node_ranks, node_cores;           /* ranks on this host and cores they may use */
    int sharing_ranks;                    /* those that use these cores, with ranks outside the context */
    bool oversubscribed;                  /* ranks outnumber cores: waiting sleeps */
    bmf_shared_memory_key *shared_memory; /* by rank: that can be mapped here */
    int threads;
    int64_t processors;
    int64_t first_processor, local_processors;
    const bmf_backend *backend;
    void *backend_state;
    bool reproducible;
    bool parts_are_ranks;    /* every local part is cut for all threads, as that of a rank with these would be */
    bool names_operations;   /* the backend wants to know of which operations kernels are made */
    int64_t representatives; /* processors that are emulated for all of their class; 0: each is (rank_emulation.c) */
    int64_t alike;           /* processors for which others stood, so far */
    int64_t unlike;          /* the most that were emulated one by one all the same */
    bool sends_marks; /* this rank has failed or heard of a failure that is not settled (runtime/context/failure.h) */
    int64_t failure;  /* the key of its own first failure, or failure_none */
    bool settled;     /* a failure has been settled; set back by whoever wants to know */
    int64_t step;     /* how far the program is, the same on every rank: tells which failure is the first */
    char failure_message[BMF_MESSAGE_SIZE];
    int64_t memory_limit;                        /* bytes that no rank can have more of */
    const bmf_algorithm *forced[BMF_ALGORITHMS]; /* by the number of a skeleton's first algorithm; or NULL */
    const bmf_method *method[BMF_METHODS];       /* the same of methods */
    bmf_cost_model cost;                         /* by which algorithms are chosen */
    bmf_cost_model assumed_cost;       /* of a run on this host, where a prediction chooses by others; otherwise 0 */
    bmf_cost_table *costs;             /* measured times, by which algorithms are chosen where it has them; or NULL */
    int64_t costs_ranks;               /* as on so many ranks */
    struct bmf_sizes *sizes;           /* runtime/context/sizes.h: choices are for a larger argument; or NULL */
    bmf_chosen chosen[BMF_ALGORITHMS]; /* by the number of a skeleton's first algorithm */
    int64_t times_chosen[BMF_ALGORITHMS];
    FILE *plan;
    char message[BMF_MESSAGE_SIZE];
    bmf_statistics statistics;
    int64_t epoch; /* monotonic clock at the start of the run, in this host's clock */
    int channel;   /* of rounds that are begun: those of one channel begin in the same order everywhere; usually 0 */
    int64_t reductions;              /* that were ever begun (bmf_reduce_begin) */
    int under_way, reductions_depth; /* reductions that are, and ctx->depth of the call they all belong to */
    char *program;                   /* as traces call it */
    bmf_trace_run *run;              /* NULL: not tracing */
    char *trace_path;
    char *costs_path;       /* --bmf-costs, or NULL */
    char *machine_path;     /* --bmf-machine, or NULL */
    char *machine_changes;  /* --bmf-machine-set, or NULL */
    int64_t imitated_ranks; /* --bmf-ranks, or 0 */
    bmf_position position[BMF_NODE_DEPTH];
    struct bmf_held *held; /* runtime/context/held.c; NULL: nothing yet */
    const char *place;     /* of what is entered next, "file:line:column"; NULL: that of the call in C, if any */
    int depth;
    uint32_t *instances; /* by node: how often it was entered */
    uint32_t instances_capacity;
};

/* All ranks wait for each other; no event of traces. */
void context_meet(bmf_context *ctx);

/* Between the two nothing is recorded: what is done for a run but is no part of it. */
bmf_trace_run *recording_pause(bmf_context *ctx);
void recording_resume(bmf_context *ctx, bmf_trace_run *run);

/* Nanoseconds on the monotonic clock since ctx->epoch. */
int64_t context_now(const bmf_context *ctx);

/* ---- what skeletons use ---- */

static inline int backend_compute(bmf_context *ctx, const bmf_work *work)
{
    return ctx->backend->compute(ctx, work);
}
/* exchange_begin and its companions, with any backend: one that cannot does everything at the beginning, and *under_way
 * is NULL. */
static inline int backend_exchange_begin(bmf_context *ctx, const bmf_round *round, uint32_t round_number,
                                         const bmf_transfer *transfer, bmf_exchange **under_way)
{
    *under_way = NULL;
    return ctx->backend->exchange_begin ? ctx->backend->exchange_begin(ctx, round, round_number, transfer, under_way)
                                        : ctx->backend->exchange(ctx, round, round_number, transfer);
}
static inline bool backend_exchange_progress(bmf_context *ctx, bmf_exchange *under_way)
{
    return !under_way || ctx->backend->exchange_progress(ctx, under_way);
}
static inline int backend_exchange_end(bmf_context *ctx, bmf_exchange *under_way)
{
    return under_way ? ctx->backend->exchange_end(ctx, under_way) : BMF_OK;
}
static inline bool is_local(const bmf_context *ctx, int64_t processor)
{
    return processor >= ctx->first_processor && processor < ctx->first_processor + ctx->local_processors;
}

/* Into how many even shares what this host does is cut for workers: one for each thread, of each rank that is here. */
static inline int64_t work_shares(const bmf_context *ctx)
{
    return ctx->threads * (ctx->parts_are_ranks ? ctx->local_processors : 1);
}

/* Cuts this host's elements of a partition into pieces: every worker gets a contiguous run of about the same number of
 * elements, cut at part boundaries and, inside a part, at multiples of grain (global numbers). The caller frees. */
void pieces_create(bmf_context *ctx, const bmf_partition *partition, int64_t grain, bmf_piece **piece, int64_t *pieces);
/* The same cut every `grain` elements, for dynamic work. */
void pieces_create_dynamic(bmf_context *ctx, const bmf_partition *partition, int64_t grain, bmf_piece **piece,
                           int64_t *pieces);

/* Opens and closes a skeleton call in the trace; `text` is "scan plus". Every rank calls both in the same order.
 * Elements: the partition whose local part lengths are recorded, or NULL. Between them, kernels and messages belong to
 * the call. */
void skeleton_begin(bmf_context *ctx, const bmf_skeleton_type *skeleton, const char *text, ...)
    __attribute__((format(printf, 3, 4)));
int skeleton_end(bmf_context *ctx, const bmf_partition *partition, int status); /* returns status */

/* The region or call that is entered next stands here in the source, "file:line:column"; the text lives until then.
 * Calls without a place of their own have that of the call in C around them (bmf/places.h), or of the call that they
 * are part of. */
static inline void place_next(bmf_context *ctx, const char *place)
{
    ctx->place = place;
}

/* What an algorithm is chosen for. */
typedef struct bmf_choice {
    const char *skeleton; /* "reduce" */
    bool to_first;        /* only algorithms that bring the total to item 0 */
    int64_t count;        /* items */
    double bytes;         /* of the whole or of one value, as estimates want them */
} bmf_choice;

static inline bool is_candidate(const bmf_algorithm *algorithm, const bmf_choice *choice)
{
    return strcmp(algorithm->skeleton, choice->skeleton) == 0 && (algorithm->to_first || !choice->to_first);
}

/* By which contexts choose that were given nothing else. */
extern const bmf_cost_model fixed_costs;

/* The name of the method that a skeleton is to use, one of BMF_METHOD_LIST, or NULL: it chooses. */
const char *method_forced(const bmf_context *ctx, const char *skeleton);

/* The forced candidate, or the cheapest. */
const bmf_algorithm *choose_algorithm(bmf_context *ctx, const bmf_choice *choice);
/* What choices are made by: seconds of an algorithm, from the context's table of measured times (*measured) if that has
 * all algorithms of the skeleton, otherwise estimated. */
double choice_seconds(const bmf_context *ctx, const bmf_algorithm *algorithm, const bmf_choice *choice, bool *measured);

/* The text of a table of costs, which the caller frees. Not collective; BMF_ERROR_FILE, in the process-wide slot. */
int costs_load(const char *path, char **text, int64_t *size);
/* Reads the table of costs of that file on rank 0, and makes it that of the context on all ranks. Collective. Errors:
 * BMF_ERROR_FILE, also of a table with a mistake: "FILE:LINE: ..", on all ranks. */
int costs_read(bmf_context *ctx, const char *path);
/* The same with the text of a table that rank 0 has; status: that of making it there, other ranks give BMF_OK. */
int costs_share(bmf_context *ctx, int status, const char *name, const char *text, int64_t size);
/* Makes it the context's, for a run on so many ranks, which owns it from now on. NULL: none. */
void costs_take(bmf_context *ctx, bmf_cost_table *table, int64_t ranks);

/* Traces call the program by the last part of this path; otherwise it is the command's. */
void name_program(bmf_context *ctx, const char *path);

/* The program itself begins here; collective. Waits for all ranks, and forgets what a model took for loading. */
void program_start(bmf_context *ctx);

/* The block of a processor when processors are cut into contiguous blocks: the first P mod B blocks have ceil(P/B) of
 * them, the others floor(P/B). */
int64_t block_of(int64_t processors, int64_t blocks, int64_t processor);

/* The cluster backend: MPI + OpenMP, wall clock. */
extern const bmf_backend cluster_backend;

/* What --bmf-machine does, set by the library that can predict when a program is linked with it; otherwise NULL. Turns
 * an open context of one rank into one of the machine described in ctx->machine_path. */
extern int (*model_start_hook)(bmf_context *ctx);

/* Ends MPI when the last context is closed, if bmf initialised it: MPI_Finalize, unless the checked interface is on. */
extern int (*finalise_hook)(void);
/* Calls it if no context is open and bmf initialised MPI: where bmf_open has failed and the program is to end. A
 * process that ends without it may take the others down, and with them the exit code. Collective over
 * MPI_COMM_WORLD. */
void finalise_unless_open(void);

#endif
