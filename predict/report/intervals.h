/* Intervals: where a run's time went, region by region and call by call.
 *
 * Source: document 002, 2.2 and 2.3 (characteristics), and the POP hierarchy. Computed from one run of a trace,
 * measured or predicted, in whole nanoseconds, so that on every interval
 *     productive + lost = total,   lost = insufficient parallelism + communication + idle
 * hold exactly. The intervals of a run form the tree of its nodes (program, named regions and $name functions, skeleton
 * calls); instances of one node are added up, and can be asked for one by one. Cost: one pass over the sorted events.
 */
#ifndef BMF_INTERVALS_H
#define BMF_INTERVALS_H

#include "runtime/trace/trace.h"

/* Nanoseconds of one processor in one interval, or of all of them together. Formulas: docs/intervals.md. */
typedef struct bmf_characteristics {
    int64_t execution;     /* the processor's time in the interval; of all: the longest */
    int64_t total;         /* of all: execution times processors; of one: the longest execution */
    int64_t productive;    /* computing and files, without what is repeated */
    int64_t compute, file; /* kernels; files */
    int64_t insufficient;  /* insufficient parallelism: repeated, and idling while one processor computes alone */
    int64_t repeated;      /* the part of it inside compute: c processors combine the same data, (c - 1) / c of it */
    int64_t communication; /* sends, receives and waits */
    int64_t kind[BMF_COMMUNICATIONS]; /* communication by kind */
    int64_t idle;                     /* until the last processor ends, and time in which nothing is recorded */
    int64_t lost;                     /* insufficient + communication + idle */
    /* for information, contained in the above: */
    int64_t synchronisation; /* inside communication: waiting for a partner who came later to the round */
    int64_t variation;       /* from a processor's last event of a round to the last of all */
    int64_t imbalance;       /* the longest computing minus this one's */
    int64_t overlap;         /* computing between the first and the last event of a round of messages */
    int64_t kind_synchronisation[BMF_COMMUNICATIONS], kind_overlap[BMF_COMMUNICATIONS];
    int64_t kind_rounds[BMF_COMMUNICATIONS]; /* rounds of messages a processor took part in */
    int64_t messages, bytes;                 /* sent */
    /* receives inside communication: until their sender sends, until the message is there, taking it; only predictions
     * tell the last two apart: in measured runs all is transport */
    int64_t receive_waiting, receive_transport, receive_overhead;
} bmf_characteristics;

/* Efficiencies of an interval, 0 to 1; NAN where they are not known. */
typedef struct bmf_efficiencies {
    double efficiency;    /* productive / total: document 002's coefficient */
    double parallel;      /* POP: load_balance * communication */
    double load_balance;  /* mean of computing / longest */
    double communication; /* longest computing / execution = serialisation * transfer */
    double serialisation; /* longest computing / execution on the ideal network */
    double transfer;      /* execution on the ideal network / execution */
    double replication;   /* 1 - repeated / computing: efficiency = parallel * replication when there are no files */
} bmf_efficiencies;

/* Document 002, 2.1: of the user (regions, the program), or a call in which one processor computes, or several. */
typedef enum bmf_interval_type { BMF_INTERVAL_USER, BMF_INTERVAL_SEQUENTIAL, BMF_INTERVAL_PARALLEL } bmf_interval_type;

typedef struct bmf_interval {
    uint32_t node;     /* of the run; its parent and name are there */
    int32_t level;     /* 0: the program */
    int64_t instances; /* how often it was entered */
    int64_t parent;    /* index of the interval around it, -1 */
    bmf_interval_type type;
    int64_t operations[BMF_COMMUNICATIONS]; /* calls of a kind in it, itself included */
    int64_t first_place, places;            /* of its calls in the source, among those of all */
    bmf_characteristics all;
    bmf_characteristics min, max; /* every characteristic over the processors, each for itself */
    bmf_efficiencies efficiency;
} bmf_interval;

typedef struct bmf_intervals {
    const bmf_trace_run *run; /* borrowed */
    int32_t processors;
    int64_t count;
    bmf_interval *interval;    /* parents before children, in the order of first entry */
    uint32_t *place;           /* names of the run, "file:line": of every interval those of its entries, in the order
                                * in which they were first met */
    bmf_characteristics *each; /* interval i on processor p: each[i * processors + p]; NULL if that were more than
                                * BMF_INTERVALS_MEMORY bytes: ask intervals_each then */
    uint32_t node, instance;   /* of the one instance that was asked for; node UINT32_MAX: the whole run */
} bmf_intervals;

#define BMF_INTERVALS_MEMORY ((int64_t)512 << 20)

/* Of a whole run, which is sorted if it was not. ideal: the same run on the ideal network, or NULL (then serialisation
 * and transfer are NAN). BMF_ERROR_MEMORY, BMF_ERROR_ARGUMENT if ideal is another program. The caller frees. */
int intervals_create(bmf_trace_run *run, bmf_trace_run *ideal, bmf_intervals **intervals);
/* One instance of one node only, with everything below it. */
int intervals_instance(bmf_trace_run *run, bmf_trace_run *ideal, uint32_t node, uint32_t instance,
                       bmf_intervals **intervals);
/* The same run on the ideal network, by replay: what intervals_create wants as `ideal`. The run must outlive it.
 * Errors of replay_onto_machine: a run that lost events or whose messages lack an end cannot be replayed. The caller
 * frees. */
int intervals_ideal(bmf_trace_run *run, bmf_trace_run **ideal);
/* One interval on every processor: each[0 .. processors). From memory, or by another pass over the run. */
void intervals_each(const bmf_intervals *intervals, int64_t interval, bmf_characteristics *each);
/* By node: the place where it was first entered in the source, a name of the run; 0: not known. To be freed. */
uint32_t *first_places(const bmf_trace_run *run);
/* "user", "sequential", "parallel". */
const char *interval_type_name(bmf_interval_type type);
/* "split", "gather", ..: for people. */
const char *communication_name(bmf_communication kind);
void intervals_free(bmf_intervals *intervals);

#endif
