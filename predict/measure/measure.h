/* Measuring data sheets: the time of every building block over group sizes and element counts, all repetitions kept.
 *
 * What is timed is what the caller of an operation waits: from a common start until the last process of the group
 * returns (for point-to-point operations, until the process in question does). docs/sheets.md says how each is
 * measured. Only predict/ and runtime/ call MPI.
 *
 * Where every rank of a group has a core of its own the MPI operations are the blocking calls themselves. Where ranks
 * outnumber the cores of a host, they are the non-blocking calls and bmf's own waiting (runtime/backend/wait.h),
 * which is what bmf's programs do; such times say something about the program, not about the machine. */
#ifndef BMF_MEASURE_H
#define BMF_MEASURE_H

#include <signal.h>
#include <stdio.h>

#include "predict/sheet/samples.h"
#include "bmf/context.h"

typedef enum bmf_measure_clock {
    BMF_MEASURE_BARRIER, /* a repetition starts when the process leaves a barrier */
    BMF_MEASURE_AGREED   /* at a moment all processes agreed upon before */
} bmf_measure_clock;
/* "barrier", "agreed"; and back: false for other names. */
const char *measure_clock_name(bmf_measure_clock clock);
bool measure_clock_find(const char *name, bmf_measure_clock *clock);

enum { BMF_MEASURE_REPEATS = 20, BMF_MEASURE_SECONDS = 45 };

typedef struct bmf_measure_options {
    const char *output;     /* the RAW file */
    const char *version;    /* of bmf, for its header */
    const char *operations; /* names of operations and families with commas; NULL: all */
    int64_t min_elements;   /* sizes below are left out; default 1 */
    int64_t max_elements;   /* 0: what each operation has for default */
    int factor;             /* between sizes, >= 2; 0: 2, or more if there is no time for so many sizes */
    int repeats;            /* of every point, if there is time; 0: BMF_MEASURE_REPEATS */
    double seconds;         /* planned for all together; 0: BMF_MEASURE_SECONDS */
    int threads;            /* 0: those of the context; OpenMP constructs then get the cores of the host */
    bool cached;            /* the same buffers in every repetition, instead of memory that no cache holds */
    bool resume;            /* add to the file what is missing in it */
    bmf_measure_clock clock;
    const volatile sig_atomic_t *stop; /* not 0: end soon and keep what is there; may be NULL */
    /* Called on rank 0 now and then; may be NULL. done: 0 .. 1; seconds_left: 0 while unknown. */
    void (*progress)(void *state, double done, double seconds_left, const char *what);
    void *progress_state;
} bmf_measure_options;

/* What was done; the same on every rank. */
typedef struct bmf_measure_summary {
    int64_t points;      /* in the file */
    int64_t repetitions; /* in the file */
    int64_t resumed;     /* of the points, how many were complete before */
    int64_t skipped;     /* operations */
    int64_t left_out;    /* points: no time, no memory, or they failed */
    int64_t disturbed;   /* new repetitions in which the system gave a core to another process: is the machine quiet? */
    double seconds;
    bool interrupted;    /* the file can be resumed */
    bool oversubscribed; /* more ranks than cores */
} bmf_measure_summary;

/* Measures and writes the file, after every pass over all points anew, so that at most a pass is lost when the process
 * dies. Collective. Errors: BMF_ERROR_ARGUMENT (an unknown operation: lists near names; a number out of range),
 * BMF_ERROR_FILE, BMF_ERROR_MEMORY. */
int measure_sheet(bmf_context *ctx, const bmf_measure_options *options, bmf_measure_summary *summary);

/* Prints every operation with its family and what is measured. Not collective. */
void measure_list(FILE *stream);

#endif
