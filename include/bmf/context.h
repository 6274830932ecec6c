/** @file
 * The context: ranks, threads, processors, options, counters. Opened first and closed last. Most programs have one; a
 * program with a communicator of its own opens its contexts with bmf_open_with of bmf/mpi.h. */
#ifndef BMF_CONTEXT_H
#define BMF_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <bmf/export.h>
#include <bmf/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a context is opened with. Filled by the program, beginning with bmf_options_init(); what stays 0 or NULL is
 * taken from the environment variable in brackets, or else has its default. Members are only ever added, at the end.
 * An argument in argv, if argv is given, wins over a member, and a member over the environment. */
typedef struct bmf_options {
    size_t size;             /**< of the struct in the program: set by bmf_options_init */
    int64_t processors;      /**< of the machine [BMF_PROCS]; default: the number of ranks */
    int threads;             /**< per rank [BMF_THREADS]; default OMP_NUM_THREADS, else cores / ranks on the node */
    bool reassociate;        /**< faster, not reproducible reductions [BMF_FREE=1]; see bmf_set_reproducible */
    bool ignore_environment; /**< no BMF_* variable counts */
    const char *trace;    /**< file for a trace, written by bmf_close [BMF_TRACE]; contexts that are open at once take
                             * different ones */
    const char *schedule; /**< algorithms to force, as in bmf_set_schedule: "split=direct,scan=levels" [BMF_SCHEDULE] */
    FILE *plan;           /**< rank 0 prints the plan of every skeleton call there [BMF_PLAN=1: standard error] */
    const char *machine;  /**< predict the run on the machine of this file [BMF_MACHINE]; one rank */
    int64_t ranks;        /**< then: ranks whose messages are counted [BMF_RANKS]; default: as many as processors */
    const char *program;  /**< as traces call it; default: the last part of argv[0], or "program" */
    int *argc;            /**< with argv: a command line to take --bmf-* arguments out of, as bmf_open does */
    char ***argv;         /**< see argc */
    const char *costs;    /**< choose algorithms by the measured times of this file [BMF_COSTS]; rank 0 reads it */
} bmf_options;

/** Options that ask for nothing. Not collective. */
static inline bmf_options bmf_options_init(void)
{
    bmf_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    return options;
}

/** Opens a context on all ranks. Collective over MPI_COMM_WORLD; initialises MPI unless the program did. The same as
 * bmf_open_with on MPI_COMM_WORLD with argc and argv as the only options.
 *
 * Takes these options out of argc, argv (environment variable in brackets; the option wins):
 *   --bmf-procs P        [BMF_PROCS]        processors of the machine, >= 1; default: the number of ranks
 *   --bmf-threads T      [BMF_THREADS]      threads per rank; default OMP_NUM_THREADS, else cores / ranks on the node
 *   --bmf-trace FILE     [BMF_TRACE]        record a trace and write it at bmf_close
 *   --bmf-schedule LIST  [BMF_SCHEDULE]     force algorithms: "split=direct,scan=levels"; see docs/schedules.md
 *   --bmf-costs FILE     [BMF_COSTS]        choose algorithms by the measured times of this table (`bmf sheet
 *                                           schedules`), or `host`: of the one that `bmf calibrate --schedules` keeps
 *                                           of this host; default: by fixed constants
 *   --bmf-plan           [BMF_PLAN=1]       rank 0 prints the plan of every skeleton call on standard error
 *   --bmf-free           [BMF_FREE=1]       faster, not reproducible reductions (bmf_set_reproducible)
 *   --bmf-machine M      [BMF_MACHINE]      predict the run on the machine of file M; one process,
 *                                           --bmf-procs processors
 *   --bmf-machine-set L  [BMF_MACHINE_SET]  then: values of that file that are to be others, with commas between them:
 *                                           "network.latency_us=0.5,compute.power*2"
 *   --bmf-ranks R        [BMF_RANKS]        then: ranks whose messages are counted; default: as many as processors
 * Everything after an argument "--" is left alone. With BMF_DEBUG=1 in the environment every call of the program is
 * checked (docs/checked.md). Errors: BMF_ERROR_USAGE; *ctx is then NULL on every rank. */
BMF_API int bmf_open(int *argc, char ***argv, bmf_context **ctx);

/** Writes the trace if one was asked for and frees the context; finalises MPI if bmf initialised it and no other
 * context is open. Collective. All its lists must have been freed. NULL is allowed and nothing. Returns an exit code
 * (0, or that of a trace that could not be written), so that main can end with `return bmf_close(ctx);`. */
BMF_API int bmf_close(bmf_context *ctx);

/** Number of this rank, from 0. Not collective. */
BMF_API int bmf_rank(const bmf_context *ctx);
/** Number of ranks. Not collective. */
BMF_API int bmf_ranks(const bmf_context *ctx);
/** True on rank 0. Not collective. */
BMF_API bool bmf_is_root(const bmf_context *ctx);
/** Threads of this rank. Not collective. */
BMF_API int bmf_threads(const bmf_context *ctx);
/** Processors of the machine: lists are spread over them. Not collective. */
BMF_API int64_t bmf_processors(const bmf_context *ctx);

/** Rank of a processor, and the first processor of a rank: the first P mod R ranks have ceil(P/R) processors, the
 * others floor(P/R), in order. bmf_first_processor(ctx, R) = P. Not collective. */
BMF_API int bmf_rank_of(const bmf_context *ctx, int64_t processor);
/** The first processor of a rank; see bmf_rank_of. Not collective. */
BMF_API int64_t bmf_first_processor(const bmf_context *ctx, int rank);

/** The largest machine. */
enum { BMF_MAX_PROCESSORS = 1 << 30 };

/** Another number of processors for lists made from now on; lists made before must not be used again.
 * Collective. Errors, before anything has changed: BMF_ERROR_ARGUMENT if processors is not from 1 to
 * BMF_MAX_PROCESSORS, or after the first skeleton of a traced run. */
BMF_API int bmf_set_processors(bmf_context *ctx, int64_t processors);

/** Reductions and scans are reproducible by default: the same bits for every number of ranks, threads and processors.
 * false: the faster, free mode. Collective (same value everywhere). */
BMF_API void bmf_set_reproducible(bmf_context *ctx, bool reproducible);
/** What bmf_set_reproducible has set; at first true. Not collective. */
BMF_API bool bmf_is_reproducible(const bmf_context *ctx);

/** Forces the algorithm of a skeleton by name, or lets the cost estimate choose again (algorithm NULL). Collective.
 * Errors: BMF_ERROR_ARGUMENT for unknown names (lists the known ones). */
BMF_API int bmf_set_schedule(bmf_context *ctx, const char *skeleton, const char *algorithm);

/** Plans of later skeleton calls are printed by rank 0 to stream; NULL stops it. Collective. */
BMF_API void bmf_set_plan_stream(bmf_context *ctx, FILE *stream);

/** Communication since bmf_open. `messages` and `bytes` count between different processors, this rank's sends only;
 * rank_messages and rank_bytes what this rank sent to other ranks, by MPI or, on one host, by copying directly. */
typedef struct bmf_statistics {
    int64_t messages;      /**< between different processors, sent by this rank */
    int64_t bytes;         /**< of those messages */
    int64_t rank_messages; /**< between ranks, sent by this one */
    int64_t rank_bytes;    /**< of those */
} bmf_statistics;
/** This rank's communication since bmf_open. Not collective. */
BMF_API bmf_statistics bmf_local_statistics(const bmf_context *ctx);
/** The sums over all ranks, on every rank. Collective; one allgather. */
BMF_API int bmf_total_statistics(bmf_context *ctx, bmf_statistics *total);

/** Seconds since bmf_open on this rank's clock; in a prediction, on the latest of all processors' clocks. Not
 * collective. */
BMF_API double bmf_seconds(const bmf_context *ctx);
/** The largest of all ranks' values (to the nanosecond), on every rank. Collective; no messages of the machine. */
BMF_API int bmf_max_seconds(bmf_context *ctx, double seconds, double *slowest);

/** Waits until every rank is here. Collective. */
BMF_API void bmf_barrier(bmf_context *ctx);

/** Named parts of a program, for traces: skeleton calls between begin and end belong to the region. They nest. The
 * name is a short constant text. Collective. */
BMF_API void bmf_region_begin(bmf_context *ctx, const char *name);
/** The same for one value of an expression, such as the step of a loop: each is an interval of its own, called
 * NAME[KEY]. Document 002, 2.1. Memory: a few hundred bytes for every key of a trace. Collective (same key
 * everywhere). */
BMF_API void bmf_region_begin_keyed(bmf_context *ctx, const char *name, int64_t key);
/** Ends the innermost region, which bmf_region_begin opened under this name. Collective. */
BMF_API void bmf_region_end(bmf_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
