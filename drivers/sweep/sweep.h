/* The commands below `bmf sweep`, and what a run of a program gives. */
#ifndef BMF_DRIVERS_SWEEP_H
#define BMF_DRIVERS_SWEEP_H

#include "drivers/command/command.h"
#include "drivers/command/launch.h"
#include "predict/sweep/sweep.h"

extern const bmf_driver sweep_run_command, sweep_show_command, sweep_compare_command;

enum { BMF_LAUNCH_PHASES = 64 };

/* What one run said: phases in order, the total last. */
typedef struct bmf_launched {
    int phases;
    char name[BMF_LAUNCH_PHASES][BMF_SWEEP_NAME];
    double seconds[BMF_LAUNCH_PHASES];
    char reason[BMF_SWEEP_TEXT]; /* of a failure, one line */
} bmf_launched;

/* Runs the command and reads its times from what it prints; false and a reason if it failed. */
bool launch_program(char *const *word, bmf_launched *launched);
/* Runs a command whose output is one JSON object of `bmf predict`; its time is the total. */
bool launch_prediction(char *const *word, bmf_launched *launched);

#endif
