/* What the files of the model backend share. Not for others. */
#ifndef BMF_MODEL_PRIVATE_H
#define BMF_MODEL_PRIVATE_H

#include "predict/model/kernel_times.h"
#include "predict/model/model.h"
#include "predict/model/thread_shares.h"
#include "runtime/backend/backend.h"

/* What computing costs: predict/model/model_costs.c. */
typedef struct bmf_model_costs bmf_model_costs;
bmf_model_costs *model_costs_create(const bmf_machine *machine, int64_t processors);
/* What the machine states and its sheet says of all computing of a run. */
void model_costs_spread(const bmf_machine *machine, bmf_actions *actions);
void model_costs_free(bmf_model_costs *costs);
typedef struct bmf_model_cost {
    double seconds, shared, own;
    int equation;
} bmf_model_cost;
/* A call of a kernel on one processor, or something else that a processor does. */
typedef struct bmf_model_call {
    const char *kernel;              /* the operation */
    const char *operations;          /* of one element, as in bmf_work; NULL: none */
    int64_t elements;                /* or bytes */
    const bmf_kernel_work *work;     /* what it does for all of them, or NULL */
    double measured;                 /* seconds that they took on this host's thread */
    const bmf_thread_shares *shares; /* how its threads share it; NULL: one of them does it */
} bmf_model_call;
/* Whether the machine has a sheet with the operation "CALL.WHAT", whose name (BMF_SAMPLE_NAME bytes) is returned. */
bool model_costs_know_overhead(const bmf_model_costs *costs, const char *call, const char *what, char *operation);
/* BMF_ERROR_ARGUMENT: the machine's sheet has no such kernel. */
int model_costs_find(bmf_model_costs *costs, bmf_context *ctx, const bmf_model_call *call, bmf_model_cost *cost);
/* No call with that work takes less: what the memory of a node needs for its ranks. */
double model_costs_bound(const bmf_model_costs *costs, const bmf_kernel_work *work);
/* Kernels that were timed here on one thread become those of the machine's ranks. */
void model_costs_share(const bmf_model_costs *costs, bmf_actions *actions);
/* The index-th remark, or NULL. */
const char *model_costs_remark(const bmf_model_costs *costs, int64_t index);

/* What ranks hand to MPI: predict/model/model_ranks.c. Messages of unknown size are counted with their real one;
 * segment_bytes: of the large ones, those of message i are [segments[i], segments[i + 1]). */
typedef enum bmf_model_sending { BMF_SENDING_KNOWN, BMF_SENDING_UNKNOWN, BMF_SENDING_SPARSE } bmf_model_sending;
void model_ranks_count(bmf_statistics *statistics, int64_t processors, int64_t ranks, bmf_model_sending sending,
                       const bmf_message *message, int64_t count, const int64_t *segments,
                       const int64_t *segment_bytes);

/* Recording, at once or, while processors are looked at one after the other, in the order in which they would have
 * worked side by side: predict/model/rank_emulation.c. amount is taken over. */
typedef struct bmf_model_kernel {
    uint16_t name;
    uint32_t round;
    int64_t processor, elements;
    uint32_t timed;          /* its number among the kernel times that are kept */
    bool prepared;           /* its preparation has a cost of its own */
    double moved, footprint; /* bytes */
    bmf_model_cost before, cost;
    bmf_thread_shares shares; /* where actions keep them */
} bmf_model_kernel;
void model_record_compute(bmf_model *model, const bmf_model_kernel *kernel);
void model_record_enter(bmf_model *model, uint32_t node, uint32_t instance, uint16_t place, bmf_event_kind kind);
void model_record_held(bmf_model *model, int64_t processor, int64_t bytes);
void model_record_leave(bmf_model *model, int64_t *amount);
void model_emulate_rank(bmf_context *ctx, bmf_rank_emulation_step step);
void model_emulate_like(bmf_context *ctx, int64_t processor, int64_t pass);
/* Kernels run for their values only. */
bool model_is_silent(const bmf_model *model);
typedef struct bmf_model_notes bmf_model_notes;
void model_notes_free(bmf_model_notes *notes);

/* What is copied around messages, where kernels are timed here: predict/model/copies.c. Inside of a call time is
 * counted but for what the backend itself takes: it says pause when it is entered (forget, before a kernel) and resume
 * when it is left. */
typedef struct bmf_copied_share {
    int64_t processor, bytes;
} bmf_copied_share;
typedef struct bmf_model_copies {
    bool inside, counting;   /* of a call; outside of the backend */
    int64_t since;           /* processor time since when it counts, in nanoseconds */
    double seconds;          /* not given to anybody yet */
    bmf_copied_share *share; /* who took part in the messages before; count: 0, there were none */
    int64_t count, capacity;
} bmf_model_copies;
void model_copies_enter(bmf_model *model);
/* operation: the outermost call. */
void model_copies_leave(bmf_model *model, bool operation);
void model_copies_pause(bmf_model *model);
void model_copies_forget(bmf_model *model);
void model_copies_resume(bmf_model *model);
/* A round's messages, before they are recorded, and behind it. */
void model_copies_send(bmf_model *model, const bmf_message *message, int64_t count);
void model_copies_received(bmf_model *model, const bmf_message *message, int64_t count);
void model_copies_free(bmf_model *model);

/* When a run is given up. */
typedef struct bmf_model_bound {
    bool set, reached;
    double seconds, loaded, taken; /* that it may take, took to load files, and took without that when it ended */
    int64_t actions, next;         /* that it may record; at so many its clocks are looked at again */
} bmf_model_bound;

struct bmf_model {
    const bmf_machine *machine;
    bmf_machine *owned; /* the same if the model frees it */
    int64_t ranks;      /* imitated; 0: as many as processors */
    bmf_network *network;
    bmf_actions *actions;
    bmf_simulator *simulator;   /* of clocks that are asked for while the program runs; NULL before the first */
    bmf_network *clock_network; /* its own */
    bool clockless;             /* they are 0 */
    int threads;                /* of this host, for kernels that are not timed */
    bmf_model_costs *costs;
    bool keeps_bytes;        /* of kernels, beside their actions, and how threads share them */
    bool first_calls;        /* begin the program */
    bool computed;           /* since the last round of messages */
    bmf_kernel_times *times; /* kept over many programs, or NULL; */
    uint32_t *timed;         /* then the numbers of what was timed here, in the order in which it is stored */
    int64_t timed_count, timed_capacity;
    int64_t timed_start;       /* what comes before belongs to loading */
    int64_t computed_elements; /* of all kernels so far */
    bmf_model_bound bound;
    bmf_model_copies copies;
    bmf_model_notes *notes; /* while processors are looked at one after the other, otherwise NULL */
    /* working memory of a kernel call, by processor; seconds are those measured */
    int64_t *elements;
    double *seconds;
    bmf_kernel_work *work;
    bmf_thread_shares *shares; /* NULL: ranks have one thread */
    int64_t *place;            /* the same */
    bool *listed;
};

static inline bmf_model *model_of(bmf_context *ctx)
{
    return ctx->backend_state;
}

/* The innermost call that is open, for sheets. */
const char *model_call(const bmf_context *ctx);
/* On a bulk synchronous machine (document 000, 5.3.3 and 5.5) all processors begin an operation together, when the one
 * before is complete, and the levels of one, which computing divides. What goes on on processors one after the other
 * (rank emulation) has no such places. */
void model_synchronise(const bmf_model *model);
/* The number of a time among those that are kept, for the next action that is recorded. */
uint32_t model_keep_time(bmf_model *model, const char *operation, int64_t elements, const bmf_kernel_work *work,
                         double seconds);
void model_note_timed(bmf_model *model, uint32_t number);
/* Marks and repetitions: predict/model/repeat.c. */
bool model_mark(bmf_context *ctx, bmf_run_mark *mark);
int model_repeat(bmf_context *ctx, const bmf_run_mark *since, int64_t times);
/* Before a round of so many messages: BMF_ERROR_KERNEL if the run is to be given up. */
int model_within_bound(bmf_context *ctx, int64_t messages);
/* The backend's functions for computing, model_compute.c, and for messages, model_exchange.c. */
int model_compute(bmf_context *ctx, const bmf_work *work);
int model_exchange(bmf_context *ctx, const bmf_round *round, uint32_t round_number, const bmf_transfer *transfer);
int model_exchange_begin(bmf_context *ctx, const bmf_round *round, uint32_t round_number, const bmf_transfer *transfer,
                         bmf_exchange **under_way);
bool model_exchange_progress(bmf_context *ctx, bmf_exchange *under_way);
int model_exchange_end(bmf_context *ctx, bmf_exchange *under_way);
int model_exchange_sparse(bmf_context *ctx, const bmf_round *sends, uint32_t round_number,
                          const bmf_transfer *transfer);

/* Actions on a network as a predicted run, sorted; names: its names and nodes. Errors: those of simulator_run,
 * BMF_ERROR_MEMORY; messages go to the process-wide slot. The caller frees. */
int trace_actions(const bmf_actions *actions, const bmf_trace_run *names, bmf_network *network, bmf_trace_run **run);
/* Ends a predicted run: the program itself as an event on every lane, until the last event or so many seconds; whole:
 * its interval, or NULL. */
int trace_finish(bmf_trace_run *run, double seconds, const bmf_prediction *whole);

/* Writes what bmf_close leaves behind: the predicted trace (--bmf-trace) and the prediction (BMF_PREDICTION). */
int model_write(bmf_context *ctx, bmf_model *model);

#endif
