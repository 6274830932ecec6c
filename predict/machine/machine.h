/* Machines: what a prediction is for. A machine file is libconfig text (docs/machines.md):
 *
 *     name = "decmpp-2048";
 *     processors = 2048;                        // most it has; left out: as many as asked for
 *     compute = { power = 0.004; };             // speed relative to the host
 *     network = { type = "edn"; ports = 128; .. };
 *     agreement_us = 0.0;                       // for all processors to agree on a status; left out: the network's
 *     bulk_synchronous = true;                  // operations, and levels of reductions and scans, begin on all at once
 *     choose = "machine";                       // schedules by this machine's costs; left out: as runs choose them
 *     schedules = "here.costs";                 // measured times of schedules (`bmf sheet schedules`), for both
 *     probe_us = 0.1;                           // a test or probe of MPI that finds nothing
 *     file_bytes_per_second = 1e9;              // of reading and writing files, by each processor
 *     threads = 4;                              // of a rank, which a processor of a program is; left out: 1
 *     relative_error = 0.3;                     // of costs that are stated and not measured; left out: 0.3
 *     node = { processors = 64; price_per_hour = 2.5; memory_gb = 256; };    // what one gets and pays for: node.h
 *
 * compute = { power = P; }                      kernels are run and timed here; a second here is 1 / P seconds there
 * compute = { sheet = "kernels.sheet"; power = P; sharing = S; }   from a kernel sheet (bmf sheet kernels), divided by
 *                                               P, as they are when S processors share a memory (default 1)
 *                                               memory_power and random_power say it of the sheet's memory
 *                                               threaded = ({ threads = 2; sheet = "two.kernels"; }, ..): of ranks with
 *                                               more threads; left out: what follows from the sheet
 * compute = { operations_us = { B_Plus = 1.0; other = 0.5; }; }   a virtual time for every operation on an element
 * compute = { zero = true; }                    computing costs nothing
 *
 * Every mistake (unknown keys, wrong types, negative costs, files that are not there) is one line with file and line
 * number. Nothing here is collective; messages go to the process-wide slot (ctx NULL).
 */
#ifndef BMF_MACHINE_H
#define BMF_MACHINE_H

#include "predict/config/config_values.h"
#include "predict/machine/node.h"
#include "predict/network/network.h"
#include "predict/sheet/sheet.h"
#include "bmf/status.h"
#include "runtime/schedule/cost_table.h"

enum { BMF_MAX_MACHINE_THREADS = 4096 };

typedef enum bmf_compute_cost {
    BMF_COMPUTE_MEASURED,
    BMF_COMPUTE_SHEET,
    BMF_COMPUTE_OPERATIONS,
    BMF_COMPUTE_ZERO
} bmf_compute_cost;

typedef struct bmf_machine {
    char *path, *directory; /* of the file */
    char *changes;          /* of values of the file, with commas between them (machine_read_changed); NULL: none */
    char *name;
    char *note;         /* "" or a remark of the file */
    int64_t processors; /* 0: any number */
    int64_t threads;    /* of a rank: a processor of a program is one */
    int64_t sharing;    /* ranks that compute beside each other, for sheets; 0: as many as a node has */
    bmf_compute_cost compute;
    double power;                           /* 1: as fast as the host (or the sheet) */
    bool power_stated;                      /* by the file */
    double memory_power, random_power;      /* of the memory that the sheet of kernels knows */
    bmf_sheet *kernels;                     /* BMF_COMPUTE_SHEET */
    int64_t kernels_threads;                /* of the ranks that it was learnt from */
    struct bmf_operation_costs *operations; /* BMF_COMPUTE_OPERATIONS */
    double agreement;                       /* seconds; NAN: ask the network */
    bool bulk_synchronous;                  /* every operation is complete before the next begins */
    bool chooses;                           /* algorithms by its own costs, not by those that runs assume */
    char *costs_path;                       /* of measured times of algorithms; NULL: none */
    bmf_cost_table *costs;                  /* its table */
    double probe;                           /* seconds */
    double file_bytes_per_second;           /* of one processor; 0: not stated */
    double relative_error;                  /* of stated costs: what is not measured with errors of its own */
    bmf_node node;                          /* what it is bought in */
    const bmf_network_type *network_type;
    config_t config; /* the file; network settings are in the group "network" */
} bmf_machine;

/* Where the machine of that name is: the file itself, or, for a bare name such as "ideal", NAME or NAME.machine among
 * the installed example machines (docs/machines.md). BMF_ERROR_FILE. The caller frees *path. */
int machine_find(const char *name, char **path);
/* The bare names of the installed example machines, in order; returns how many. The caller frees each and *name. */
int64_t machine_installed(char ***name);
/* Reads and checks a machine file, including a trial construction of its network for its processors (or 2). A bare name
 * is looked for as machine_find does. BMF_ERROR_FILE or BMF_ERROR_ARGUMENT. The caller frees. */
int machine_read(const char *name, bmf_machine **machine);
/* The same with values of the file changed before it is understood, as if they had stood in it. BMF_ERROR_USAGE: a
 * change that names nothing, or no number. */
typedef struct bmf_machine_change {
    const char *text; /* "network.latency_us=0.5": what is so from now on (a number, a word or true and false); or, of
                       * numbers that are there, "network.latency_us*2", "compute.power/3" */
} bmf_machine_change;
int machine_read_changed(const char *name, const bmf_machine_change *change, int64_t changes, bmf_machine **machine);
/* The same with a list of changes with commas between them, or NULL. */
int machine_read_changed_list(const char *name, const char *list, bmf_machine **machine);
/* The same from text; path is used in messages, and its directory for paths in the text. */
int machine_parse(const char *text, const char *path, bmf_machine **machine);
void machine_free(bmf_machine *machine);
/* The relative error of its computing as a whole: that of a stated power or of a sheet without errors; 0 where kernels
 * have errors of their own or cost nothing. */
double machine_compute_error(const bmf_machine *machine);
/* Whether its file says how many threads ranks have; whether it has a sheet of kernels of ranks with so many. */
bool machine_states_threads(const bmf_machine *machine);
bool machine_has_learnt(const bmf_machine *machine, int64_t threads);
/* How many ranks it has; 0: any number. */
int64_t machine_ranks(const bmf_machine *machine);
/* What messages between two neighbours cost: the start, and a byte, from an empty and a large message on the idle
 * network. */
bmf_cost_model machine_message_costs(const bmf_machine *machine, int64_t processors);
/* Its network for that many processors. BMF_ERROR_ARGUMENT: more than the machine has. The caller destroys it by
 * network->type->destroy. */
int machine_network(const bmf_machine *machine, int64_t processors, bmf_network **network);

/* ---- for networks ---- */

/* "FILE:LINE: TEXT" into the process-wide slot; returns status. */
#define machine_fail(machine, at, status, ...) config_fail((machine)->path, (at), (status), __VA_ARGS__)
/* A number of the group, an int or a float, in [least, most]; least DBL_MIN: above 0; absent: `otherwise`, or an error
 * if that is NAN. */
int machine_number(const bmf_machine *machine, const config_setting_t *group, const char *key, double min, double max,
                   double otherwise, double *value);
/* The same for a key in microseconds, at least 0; otherwise and *seconds are in seconds. */
int machine_microseconds(const bmf_machine *machine, const config_setting_t *group, const char *key, double otherwise,
                         double *seconds);
int machine_integer(const bmf_machine *machine, const config_setting_t *group, const char *key, int64_t min,
                    int64_t max, int64_t otherwise, int64_t *value); /* otherwise INT64_MIN: required */
/* A word among `known` (NULL at the end); absent: `otherwise`. *index: its place. */
int machine_word(const bmf_machine *machine, const config_setting_t *group, const char *key, const char *const *known,
                 int otherwise, int *index);
/* A text, or NULL if absent; a path relative to the machine file, to be freed. */
int machine_text_value(const bmf_machine *machine, const config_setting_t *group, const char *key, const char **text);
int machine_path_value(const bmf_machine *machine, const config_setting_t *group, const char *key, char **path);
/* true or false; absent: `otherwise`. */
int machine_flag(const bmf_machine *machine, const config_setting_t *group, const char *key, bool otherwise,
                 bool *flag);
/* The sheet that the key names, NULL if absent; the caller frees it. */
int machine_sheet(const bmf_machine *machine, const config_setting_t *group, const char *key, bmf_sheet **sheet);
/* Whether the group has only these keys (NULL at the end): the message names near ones. Done already for the groups
 * `network` (its type's keys and "type") and `compute`; for groups inside. */
int machine_keys(const bmf_machine *machine, const config_setting_t *group, const char *const *known);

#endif
