/* Sweeps: times of a program's phases at many numbers of processes p and sizes n, measured or predicted.
 *
 * A file is text, one line a point, repetition and phase, the total last:
 *
 *     bmf sweep 1
 *     program ./life --n {n}
 *     launch mpirun.mpich -n {p}
 *     units seconds
 *     time measured p 4 n 160 repeat 1 phase compute 0.00123
 *     time measured p 4 n 160 repeat 1 phase total 0.0021
 *     fail measured p 8 n 160 repeat 1 ended with exit code 1: no memory
 *     complete 2
 *
 * `complete N` with the number of time lines is the last one; a file without it was interrupted. A repetition without
 * its total is left out. Files of document 001's experimenter (2.4) are read and written as well: blocks of `# p n` and
 * lines `PHASE SECONDS`, the last being the total.
 *
 * Nothing here is collective; messages go to the process-wide slot and name file and line. */
#ifndef BMF_SWEEP_H
#define BMF_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

enum { BMF_SWEEP_NAME = 48, BMF_SWEEP_TEXT = 512 };

typedef enum bmf_sweep_kind { BMF_SWEEP_MEASURED, BMF_SWEEP_MACHINE, BMF_SWEEP_MODEL } bmf_sweep_kind;
enum { BMF_SWEEP_KINDS = BMF_SWEEP_MODEL + 1 };

/* measured; machine: predicted by running on a machine file; model: by equations. Static storage. */
const char *sweep_kind_name(bmf_sweep_kind kind);

typedef struct bmf_sweep_time {
    bmf_sweep_kind kind;
    int64_t p;
    double n;
    int32_t repeat;             /* from 1 */
    char phase[BMF_SWEEP_NAME]; /* "total" for the whole */
    double seconds;
} bmf_sweep_time;

typedef struct bmf_sweep_failure {
    bmf_sweep_kind kind;
    int64_t p;
    double n;
    int32_t repeat;
    char reason[BMF_SWEEP_TEXT]; /* one line */
} bmf_sweep_failure;

typedef struct bmf_sweep {
    char program[BMF_SWEEP_TEXT], launch[BMF_SWEEP_TEXT];
    int64_t times, failures;
    bmf_sweep_time *time; /* in the order of the file */
    bmf_sweep_failure *failure;
    bool complete;
} bmf_sweep;

/* Reads a file of either kind. BMF_ERROR_FILE. The caller frees. */
int sweep_read(const char *path, bmf_sweep **sweep);
void sweep_free(bmf_sweep *sweep); /* NULL is fine */
/* Whether the sweep has a total at that point. */
bool sweep_has(const bmf_sweep *sweep, bmf_sweep_kind kind, int64_t p, double n, int32_t repeat);

/* ---- writing ---- */

/* A file being written: every line is flushed as soon as it is known. */
typedef struct bmf_sweep_file bmf_sweep_file;

/* Starts a file with the times of `from`, which may be NULL; its failures are left out. A file that is there is
 * replaced in one step. BMF_ERROR_FILE. */
int sweep_create(const char *path, const char *program, const char *launch, const bmf_sweep *from,
                 bmf_sweep_file **file);
int sweep_append(bmf_sweep_file *file, const bmf_sweep_time *time);
int sweep_append_failure(bmf_sweep_file *file, const bmf_sweep_failure *failure);
/* complete: writes the last line. Closes and frees in any case; NULL is fine. */
int sweep_close(bmf_sweep_file *file, bool complete);
/* The document's blocks, medians of what has the kind. */
int sweep_write_blocks(const bmf_sweep *sweep, bmf_sweep_kind kind, const char *path);

/* ---- points ---- */

/* All repetitions of one phase at one point. */
typedef struct bmf_sweep_point {
    bmf_sweep_kind kind;
    const char *phase;
    int64_t p;
    double n;
    int64_t repeats;
    double least, median, most;
    double speed_up; /* median on one process over this one; NaN if that is not there */
} bmf_sweep_point;

/* Ordered by kind, phase (in the order of the file, the total last), n, p. Returns how many; the caller frees. Cost:
 * O(n log n). */
int64_t sweep_points(const bmf_sweep *sweep, bmf_sweep_point **point);
/* The point, or NULL. */
const bmf_sweep_point *sweep_find_point(const bmf_sweep_point *point, int64_t points, bmf_sweep_kind kind,
                                        const char *phase, int64_t p, double n);

#endif
