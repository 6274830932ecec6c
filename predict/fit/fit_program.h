/* From recordings of an MPI program at several sizes and numbers of processes to equations: what every rank does, how
 * often, with how many bytes and with whom, as functions of the size d, of p and of the rank.
 *
 * Method, a file a step:
 *   sequence.c    the events of a rank become calls in their order, with the computing before each
 *   structure.c   repetitions become loops; ranks that do the same up to counts and values have one structure, a role
 *   integers.c    counts, bytes and tags: the simplest form that is exact at all points
 *   partners.c    peers and roots: rank +- k, rank with a bit turned, neighbours on a grid, roots, owners of rows
 *   conditions.c  which ranks have which role
 *   work.c        computing: weighted least squares over forms in d, p and the rank, with errors
 *   write.c       the file of equations (docs/models.md)
 * What has no rule is named and refused: nothing here guesses.
 *
 * Source: document 001, sections 2 and 5 (structure from a profile, times from equations).
 */
#ifndef BMF_FIT_PROGRAM_H
#define BMF_FIT_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/trace/trace.h"

/* A recording with the value of the size. */
typedef struct bmf_recording {
    const bmf_trace_run *run;
    const char *path; /* for messages */
    double d;
} bmf_recording;

typedef struct bmf_fit_settings {
    const char *parameter; /* what the size is called */
    bool exact;            /* refuse counts and bytes that no form gives exactly */
} bmf_fit_settings;

typedef struct bmf_fitted_program bmf_fitted_program;

/* BMF_ERROR_ARGUMENT in one line: recordings of different programs, too few sizes, what has no rule. */
int program_fit(const bmf_recording *recording, int64_t recordings, const bmf_fit_settings *settings,
                bmf_fitted_program **program);
void fitted_program_free(bmf_fitted_program *program);
/* The text of the file of equations. */
void fitted_program_write(const bmf_fitted_program *program, FILE *stream);
/* Phases, roles, and how well work is known, for people. */
void fitted_program_describe(const bmf_fitted_program *program, bool phases, FILE *stream);

/* The recording's size: the value NAME that the program said, or an argument NAME=X, --NAME=X or --NAME X. */
bool recording_size(const bmf_trace_run *run, const char *name, double *d);

#endif
