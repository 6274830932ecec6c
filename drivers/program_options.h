/* The options that `bmf run`, `bmf check` and `bmf plan` share. */
#ifndef BMF_PROGRAM_OPTIONS_H
#define BMF_PROGRAM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "skeletons/language/program.h"

enum { BMF_MAX_LIBRARIES = 64 };

typedef struct bmf_driver_options {
    const char *command; /* "run" */
    bmf_program_options program;
    const char *library[BMF_MAX_LIBRARIES];
    int64_t processors; /* 0: as many as ranks, and as the program needs */
    const char *out;    /* run: a .npy file for the result */
    bool json, stats, free_association, help;
} bmf_driver_options;

/* Reads argv of a command; rank 0 prints what is wrong. Returns 0 or 2. --trace FILE and --free were taken out before by
 * bmf_open_program. */
int bmf_read_program_options(const char *command, int argc, char **argv, bmf_driver_options *options);

/* Opens the context, with --trace F for --bmf-trace F and --free for --bmf-free. */
int bmf_open_program(int *argc, char ***argv, bmf_context **ctx);

/* Loads, and makes the machine large enough. Collective. Errors: also fewer --procs than the program's splits need. */
int bmf_load_program(bmf_context *ctx, const bmf_driver_options *options, bmf_program *program);

/* Rank 0 prints the context's message unless the status is BMF_OK. Returns the exit code. */
int bmf_report_program(bmf_context *ctx, int status);

#endif
