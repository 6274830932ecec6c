/* What the files of the Cowichan benchmark share. */
#ifndef BENCH_COWICHAN_H
#define BENCH_COWICHAN_H

#include "examples/cowichan/skeletons/versions.h"
#include "skeletons/language/program.h"

/* ---- the versions in the language ---- */

/* A program of examples/cowichan/ with its argument, a file that this makes in `directory` from the input of plain MPI.
 * Collective; a status. */
int language_open(bmf_context *ctx, const char *sources, const char *directory, const struct version *version,
                  const struct run *run, const struct input *input, bmf_program *program);
/* Runs it once and compares its value with the results of plain MPI; sums may differ in the last bits. Collective. */
int language_verify(bmf_context *ctx, bmf_program *program, const struct version *version, const struct run *run,
                    const struct matrix plain[RESULTS]);
/* Runs it; *seconds: from its argument, which is distributed, to its value, which is not gathered. Collective. */
int language_run(bmf_context *ctx, bmf_program *program, double *seconds);

/* ---- lines of code ---- */

/* Lines that are neither empty nor remarks: of a C file up to a line that begins with `end` (NULL: all), or of a
 * program of the language; 0 if it cannot be read. Not collective. */
int count_lines(const char *path, const char *end);

#endif
