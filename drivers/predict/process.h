/* Programs that `bmf predict` runs. */
#ifndef BMF_DRIVERS_PREDICT_PROCESS_H
#define BMF_DRIVERS_PREDICT_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct bmf_process {
    char **command;                          /* NULL at the end */
    const char *name;                        /* of the program, for messages */
    void (*prepare)(void *state);            /* in the new process: sets its environment */
    void (*serve)(void *state, pid_t child); /* works while it runs; NULL: nothing */
    void *state;
    bool silent; /* what it prints is not wanted */
} bmf_process;

/* Runs the program and waits for it. BMF_ERROR_USAGE: it cannot be run, or ended with exit code 2; BMF_ERROR_KERNEL: it
 * failed in another way. */
int process_run(const bmf_process *process);
/* Whether a signal has come meanwhile. */
bool process_was_signalled(void);
/* Ends this process by the signal that asked for it meanwhile, if one did: to be called when all is cleaned up. */
void process_obey_signal(void);

#endif
