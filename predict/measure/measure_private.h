/* What the files of measuring share.
 *
 * An operation is measured at a point (p, d) by a group of p ranks:
 *
 *     open                     makes buffers and lists
 *     before, START, run, after   once for every repetition; only `run` is timed, from START on
 *     close                    frees what open made
 *
 * START is a barrier or an agreed moment (clock.c). Every member of the group calls all of them.
 */
#ifndef BMF_MEASURE_PRIVATE_H
#define BMF_MEASURE_PRIVATE_H

#include <mpi.h>

#include "predict/measure/measure.h"
#include "runtime/backend/backend.h"

enum { MEASURE_WORD = 8 };                                      /* bytes of an element: an int64 or a real */
enum { MEASURE_BEYOND_CACHES = -1, MEASURE_TWICE_CACHES = -2 }; /* for `max`: four times the largest cache, or twice */

typedef struct measure_memory measure_memory;
typedef struct measure_operation measure_operation;

/* Where and how a point is measured; one for every member of the group. */
typedef struct measure_site {
    bmf_context *ctx; /* of the group */
    const measure_operation *operation;
    int64_t elements;
    int team; /* threads of an OpenMP construct */
    bool cached;
    int repetition; /* number since open, from 0 */
    measure_memory *memory;
    const char *directory; /* for files */
    void *state;           /* of the operation, from open */
    int64_t begin;         /* START on this rank's monotonic clock, in ns */
    long interruptions;    /* measure_interruptions at START */
    double seconds; /* run sets it: what this rank reports, MEASURE_SILENT if nothing. Otherwise the time from START
                             until run returns */
} measure_site;

static const double MEASURE_SILENT = -1;

struct measure_operation {
    const char *name;
    bmf_family family;
    const char *meaning;
    int which;          /* for files that serve several operations with the same functions */
    int min_ranks;      /* of the group: 1, 2 or 3 */
    int64_t min, max;   /* elements, inclusive; most is a default that an option replaces; both 0: there is no size */
    bool powers_of_two; /* of ranks and elements */
    bool one_series;    /* no buffers, or always the same: fresh and cached are one */
    /* Elements of memory that a rank needs at most, for each of d; NULL: 2. Points that need too much are left out. */
    int64_t (*memory)(int ranks);
    /* All return a bmf status, all but open the same one on every member; any may be NULL but run. */
    int (*open)(measure_site *site);
    int (*before)(measure_site *site);
    int (*run)(measure_site *site);
    int (*after)(measure_site *site);
    void (*close)(measure_site *site);
};

/* ---- the operations: one table for every file ---- */

typedef struct measure_table {
    const measure_operation *operation;
    int count;
} measure_table;
extern const measure_table measure_pair_table, measure_gaps_table, measure_congested_table, measure_collective_table,
    measure_barrier_table, measure_skeleton_table, measure_moving_table, measure_permute_table, measure_kernel_table,
    measure_openmp_table, measure_file_table, measure_memory_table;

enum { MEASURE_MAX_OPERATIONS = 160 };
/* What the operation `first` reports, before anything else is sent. Collective. */
void measure_first_message(bmf_context *ctx);
/* All in the order of a sheet; returns their number. */
int measure_operations(const measure_operation *operation[MEASURE_MAX_OPERATIONS]);
/* Whether the list (NULL: all) names the operation or its family. */
bool measure_is_listed(const char *list, const measure_operation *operation);
/* Checks the names of a list; errors as measure_sheet. Not collective. */
int measure_check_list(bmf_context *ctx, const char *list);

/* ---- points and the time they take ---- */

/* Repetitions are spread over passes through all points, so that they do not share the machine's mood; each pass begins
 * with one that does not count. MEASURE_FEWEST: repetitions of a point that is measured at all. */
enum { MEASURE_PASSES = 10, MEASURE_FEWEST = 3 };

typedef struct measure_point {
    const measure_operation *operation;
    int ranks; /* of the group that measures it */
    int32_t p; /* as the sheet counts it: ranks, threads, or 1 */
    int64_t elements;
    int step; /* number of the size in its operation and group, from 0; they stand one after the other */
    bool cached;
    bool tried;
    double cost; /* seconds of one repetition with all that belongs to it */
    bool left_out;
    int count;       /* repetitions that are there */
    int wanted;      /* those included */
    int planned;     /* wanted and not there when the time was shared */
    double *seconds; /* room for plan->repeats, or count if there are more */
} measure_point;

typedef struct measure_plan {
    measure_point *point;
    int64_t count, capacity;
    int repeats;
} measure_plan;

/* What a plan depends on beside the options; the same on every rank. */
typedef struct measure_limits {
    int ranks, team;     /* team: most threads of an OpenMP construct */
    bool oversubscribed; /* more ranks than cores: only groups of powers of two, because everything takes long */
    int64_t memory;      /* bytes for a rank */
    int64_t caches;      /* words that are beyond the largest cache */
} measure_limits;

/* Why an operation cannot be measured at all, or NULL. */
const char *measure_unsupported_reason(const measure_operation *operation, const measure_limits *limits);
/* The points of all listed operations that can be measured. Not collective, but the same on every rank. */
void measure_plan_create(const bmf_measure_options *options, const measure_limits *limits, measure_plan *plan);
void measure_plan_free(measure_plan *plan);
/* Sets what is wanted of every point so that the missing repetitions take about `seconds`: short ones get all they
 * want, the others about the same time each. If even the fewest take longer, the most expensive points are left out. */
void measure_plan_share(measure_plan *plan, double seconds);
/* How many repetitions of a point belong to a pass. */
int measure_plan_repetitions(const measure_point *point, int pass);
/* Seconds that the passes from `pass` on will take, and the points from `first` on of this one. */
double measure_plan_left(const measure_plan *plan, int pass, int64_t first);

/* ---- starting ---- */

typedef struct measure_starter {
    bmf_measure_clock clock;
    int64_t offset; /* rank 0's clock minus this rank's */
    int64_t margin; /* agreed: ns between telling and starting */
    bool late;      /* a start since the last widening had passed before this rank knew of it */
} measure_starter;

measure_starter measure_starter_create(bmf_context *ctx, bmf_measure_clock clock);
/* After a rank was late: doubles the margin, or returns false when it is as large as it may be. All ranks must call
 * it equally often. */
bool measure_starter_widen(measure_starter *starter);
/* Lets all members start together; sets site->begin. Collective over the group. */
void measure_start(measure_starter *starter, measure_site *site);
/* How often the system has taken the core away from this thread. */
long measure_interruptions(void);
/* Seconds since START. */
double measure_elapsed(const measure_site *site);
/* Passes time without calling MPI: spins, or sleeps where ranks share cores. */
void measure_delay(const measure_site *site, int64_t ns);

/* ---- memory ---- */

measure_memory *measure_memory_create(void);
void measure_memory_free(measure_memory *memory);
/* Makes room for two pieces of these sizes in every repetition; for `open`. BMF_OK or BMF_ERROR_MEMORY. */
int measure_memory_reserve(measure_site *site, int64_t first_bytes, int64_t second_bytes);
/* Begins a repetition: memory taken before may be handed out again. */
void measure_memory_rewind(measure_site *site);
/* `bytes` of mapped memory, aligned to a page, valid until the next rewind. Fresh: in no cache; cached: the same as in
 * the repetition before, read just now. Contents: whatever was there. At most what was reserved for one repetition. */
void *measure_memory_take(measure_site *site, int64_t bytes);
/* Takes memory out of all caches of the host (x86; elsewhere does nothing). */
void measure_flush(const void *data, int64_t bytes);

/* ---- calls that wait as the group must ---- */

void measure_wait(const measure_site *site, MPI_Request *request);

/* ---- the file ---- */

typedef struct measure_record {
    const bmf_measure_options *options;
    bmf_samples_header header;
    bmf_samples *old; /* what the file held before; on the first rank, when resuming */
} measure_record;

/* When resuming: the factor between sizes of the file that is there. Otherwise 0. Collective. */
int measure_record_factor(bmf_context *ctx, const bmf_measure_options *options, int *factor);
/* Fills the header and, when resuming, reads the file and puts its repetitions into the plan (all of them on the first
 * rank, their numbers everywhere). Collective. */
int measure_record_open(bmf_context *ctx, const bmf_measure_options *options, measure_plan *plan,
                        measure_record *record);
/* Writes header, samples and skips to the file, which appears whole or not at all. Collective; rank 0 writes. */
int measure_record_save(bmf_context *ctx, const measure_record *record, const measure_plan *plan,
                        const measure_limits *limits, bool complete);
void measure_record_close(measure_record *record);

#endif
