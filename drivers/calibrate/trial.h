/* Runs of one program for `bmf calibrate` and `bmf validate`. */
#ifndef BMF_DRIVERS_TRIAL_H
#define BMF_DRIVERS_TRIAL_H

#include "drivers/command/command.h"
#include "runtime/trace/trace.h"

/* A program and how it is started: one of the language, or a command. */
typedef struct bmf_trial {
    const char *path;       /* of a program of the language, or NULL */
    bmf_strings library;    /* its files of definitions */
    const char *argument;   /* its .npy file, or NULL */
    char *const *command;   /* a program linked with bmf and its arguments, NULL at the end; or NULL */
    const char *launch;     /* what starts `ranks` processes; {p} is their number, {t} that of a rank's threads; NULL:
                             * mpirun, each bound to as many cores as it has threads unless these are too few */
    int64_t ranks, threads; /* threads: of a rank; 0: BMF_THREADS, or as bmf chooses */
} bmf_trial;

/* Where nothing was given: as many ranks as this process has cores for. 0, or the exit code of bad usage. */
int trial_complete(bmf_trial *trial);
/* Cores that this process may use. */
int64_t usable_cores(void);

/* What one traced run took. */
typedef struct bmf_trial_run {
    double seconds;   /* from the argument to the value; of a command the whole run */
    double computing; /* of all kernels, on the mean processor */
    double files;     /* reading and writing files, on the slowest processor */
    int64_t messages, bytes;
} bmf_trial_run;

/* Runs it once, with {n} in a command replaced, on `argument` instead of its own unless that is NULL. trace: file to
 * write. Errors: BMF_ERROR_USAGE with the program's last line. */
int trial_run(const bmf_trial *trial, const char *argument, double n, const char *trace, bmf_trial_run *run);
/* What a trace says; seconds: of the whole run. */
int trial_read(const char *trace, bmf_trial_run *run);
/* Writes the argument's rows as a plain .npy file, whatever the format of its own; `program`: a file to write, that has
 * them as its value. Errors: BMF_ERROR_USAGE with the program's last line. */
int trial_copy_argument(const bmf_trial *trial, const char *program, const char *to);
/* `bmf ARGUMENT..` (NULL at the end) on so many ranks, started as the program is; *text: what it prints, to be freed.
 * Errors: BMF_ERROR_USAGE: "the WHAT cannot be measured: .." */
int trial_bmf(const bmf_trial *trial, int64_t ranks, const char *const *argument, const char *what, char **text);
/* `bmf predict` of the whole program, on as many processors as ranks, with as many threads: its JSON object's only
 * run, or NULL with a message. */
struct json_t *trial_predict(const bmf_trial *trial, const char *machine);

#endif
