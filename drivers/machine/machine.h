/* The commands below `bmf machine`. */
#ifndef BMF_DRIVERS_MACHINE_H
#define BMF_DRIVERS_MACHINE_H

#include <stdio.h>

#include "drivers/command/command.h"

extern const bmf_driver machine_show_command, machine_check_command, machine_list_command, machine_make_command;

/* A sheet of kernels of ranks with so many threads. */
typedef struct bmf_threaded_kernels {
    int64_t threads;
    const char *path;
} bmf_threaded_kernels;

/* What a machine file is made of. */
typedef struct bmf_machine_making {
    const char *sheet;     /* of messages; NULL: they cost nothing, for one processor */
    const char *inside;    /* NULL, or a sheet of messages inside a node; then `sheet` is of those between nodes */
    const char *dvm;       /* instead of sheets: a parameter file of the Predictor of DVM programs */
    bmf_strings osu;       /* instead of sheets: output of osu_latency, osu_bw or IMB's PingPong */
    const char *schedules; /* NULL, or the table of costs by which runs choose algorithms */
    const char *kernels;   /* NULL: kernels are run and timed where the prediction is made */
    const struct bmf_threaded_kernels *threaded; /* the same of ranks with more threads */
    int64_t threaded_count;
    int64_t node;                /* processors of a node; 0: nothing is said of nodes */
    const char *probe, *target;  /* figures of the host and of the machine; NULL: kernels take what they take here */
    const char *out, *name;      /* name NULL: the sheet's title, or "dvm" */
    int64_t processors, sharing; /* 0: not said */
    int64_t per_node;            /* processors of a node, with `inside` */
    bool congested, single_ports;
} bmf_machine_making;

/* Writes the file; nothing is written unless the machine is right. */
int machine_make(const bmf_machine_making *making);
/* Messages of nodes with several processors: seconds, bytes a second. */
typedef struct bmf_machine_levels {
    double latency, bandwidth, node_latency, node_bandwidth, send, receive;
    double relative_error; /* of the times in between */
} bmf_machine_levels;
/* From the sheets of messages between nodes and inside one. BMF_ERROR_FILE. */
int machine_find_levels(const bmf_machine_making *making, bmf_machine_levels *levels);
void machine_put_levels(FILE *to, const bmf_machine_making *making, const bmf_machine_levels *levels);
/* The text of a machine that a parameter file of the Predictor describes, which the caller frees. */
int machine_make_dvm(const bmf_machine_making *making, char **text);
/* The text of a machine whose network other benchmarks measured. BMF_ERROR_FILE names file and line. */
int machine_make_osu(const bmf_machine_making *making, char **text);
/* How many times as fast as the host another machine is. */
typedef struct bmf_machine_powers {
    double computing, memory, random;
    double relative_error; /* of a kernel of which nothing else is known */
} bmf_machine_powers;

/* From what bmf-bench machine --json wrote here and there. Unless kernels' work is known, computing is what holds for
 * a kernel that both computes and moves. BMF_ERROR_FILE. */
int machine_read_powers(const char *here, const char *there, bool work_is_known, bmf_machine_powers *powers);
/* A text in quotes, as machine files have it. */
void machine_put_text(FILE *to, const char *text);

#endif
