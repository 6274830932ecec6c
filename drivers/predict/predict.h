/* The parts of `bmf predict`: one prediction of a program of the language, or of a C program. */
#ifndef BMF_DRIVERS_PREDICT_H
#define BMF_DRIVERS_PREDICT_H

#include <jansson.h>

#include "drivers/command/number_list.h"
#include "drivers/command/word_list.h"
#include "drivers/program_options.h"
#include "predict/machine/machine.h"
#include "predict/model/actions.h"
#include "predict/model/kernel_times.h"
#include "predict/simulate/simulate.h"
#include "runtime/trace/trace.h"

/* The numbers of processors that are asked for. */
typedef struct bmf_processor_list {
    int64_t count, *number;
} bmf_processor_list;

typedef struct bmf_predict_options {
    const char *path;           /* of a program of the language */
    bmf_driver_options program; /* its options */
    char **command;             /* or a C program with its arguments, NULL at the end; NULL: none */
    const char *machine_path, *trace, *measured, *html;
    bmf_word_list compared; /* other machines */
    const char *kernels;    /* a sheet of kernels that the machine's computing takes, or NULL */
    char *kernels_change;   /* what it changes in the machine's file; to be freed */
    bmf_machine *machine;
    bmf_processor_list processors;
    bool shown;              /* what the C program prints was seen, for another number of processors */
    int64_t ranks;           /* of the run that rank_messages and rank_bytes are for; 0: as many as processors */
    int64_t samples;         /* 0: as many as are cheap */
    int64_t repeats;         /* of runs whose kernels are timed here; 0: until their median is known */
    double measuring;        /* seconds of these runs, once there are a few; 0: 3 */
    double hurried;          /* seconds after which none of these runs is begun, however few there were; 0: never */
    int64_t elements;        /* of the argument, whose rows are repeated; 0: as many as there are */
    uint64_t growing;        /* arguments that have as many, by bits; 0: the first */
    struct bmf_sizes *sizes; /* by which ways are chosen, as of a larger argument (runtime/context/sizes.h); or NULL */
    double give_up_seconds;  /* on the machine, and */
    int64_t give_up_actions; /* after which a program of the language is given up; 0: never */
    bmf_kernel_times *times; /* of a program of the language, kept with those of others, or NULL */
    bool first_calls;        /* there is room for them in what is recorded (actions_set_first_calls) */
    bmf_loop_rounds *loops;  /* of it: counted, or cut short; or NULL */
    bool reassociate, json;
    bool every;            /* processor is evaluated, also where many do the same */
    bool mpi;              /* the command is any MPI program */
    bool recorded_sources; /* and what its receives from any source got in the real run counts */
    int compute, sources;  /* bmf_replay_compute; sources: 1, if recorded */
    int bound;             /* 0 least, 1 mean, 2 most; -1: an interval */
    double step;           /* seconds */
    const char *launch;
    bmf_strings set; /* of a file of equations with rules */
    int64_t changes; /* of the machine's file */
    bmf_machine_change change[BMF_MAX_STRINGS + 2];
    int64_t threads;         /* of a rank, which a processor is; 0: as the machine's file says */
    char threads_change[32]; /* what that changes in it */
    const char *schedule;    /* --bmf-schedule, or NULL */
    char *swept;             /* the name of what is swept, NULL: nothing; to be freed */
    bmf_number_list sweep;   /* its values */
} bmf_predict_options;

/* What is said about one number of processors. */
typedef struct bmf_predicted {
    int64_t processors;
    double seconds, low, high; /* the median of what one run may take, and its 95 % interval */
    double best;               /* without any noise */
    double files;              /* seconds of reading files before that; in C programs they are in the others */
    bmf_prediction prediction; /* the samples of that */
    double measured_error;     /* relative standard error of what was timed here; NAN: nothing was, or too few runs */
    int64_t runs;              /* of the program, if its kernels are timed here */
    int64_t held;              /* bytes that all processors of a program of the language held together, at most */
    int64_t alike;             /* how often a processor did as another one, and was not evaluated itself */
    int64_t unlike;            /* the most processors that were evaluated one by one */
    int64_t messages, bytes, rank_messages, rank_bytes; /* of ranks: -1, not known */
    bool given_up; /* seconds, low and best are what it had taken until then, high is infinite */
    int64_t remarks;
    char **remark; /* what lies outside the domain of an equation */
    /* only when asked for: */
    bmf_trace_run *run, *ideal; /* the trace, and that of the same actions on the ideal network (NULL for C programs) */
    int64_t loads;
    struct bmf_link_load *load;
} bmf_predicted;

/* One run on `processors`; with its trace and what a report needs if `traced`. Print nothing; messages go to the
 * process-wide slot. Collective over one process. The program of the language is loaded anew for every run. */
int predict_program(const bmf_predict_options *options, int64_t processors, bool traced, bmf_predicted *predicted);
/* The machine whose recordings serve all machines whose kernels are timed here, with ranks of one thread or of up to so
 * many; the caller frees. */
int predicted_host(int64_t threads, bmf_machine **host);
/* Several programs, each with its options and status; those whose kernels are timed here run in turns, so that a host
 * that is slower for a while is so for all. */
void predict_programs_in_turns(const bmf_predict_options *options, int programs, int64_t processors,
                               bmf_predicted *predicted, int *status);
/* Instead of timing it: takes what was recorded (model_actions, with their bytes) while the context lives. */
typedef int bmf_take_recording(bmf_context *ctx, const bmf_predicted *predicted, void *state);
int predict_program_recorded(const bmf_predict_options *options, int64_t processors, bmf_take_recording *take,
                             void *state, bmf_predicted *predicted);
int predict_executable(const bmf_predict_options *options, int64_t processors, bool traced, bmf_predicted *predicted);
int predict_mpi(const bmf_predict_options *options, int64_t processors, bool traced, bmf_predicted *predicted);
/* "1,2,4" or "1..1024" into a bmf_processor_list. 0, or the exit code of bad usage. */
int processors_read(const char *text, void *field);
/* All numbers of processors that are asked for, into o->processors.count members of run[]. */
int predict_all(const bmf_predict_options *options, bmf_predicted *run);
/* print.c */
void predicted_print(const bmf_predict_options *options, const bmf_predicted *run);
/* The program without its directory. */
const char *predicted_program(const bmf_predict_options *options);
/* Two lines and an empty one: the program, on what, what the times are of, and how long reading the argument takes in
 * the longest of the runs. */
void predicted_print_heading(const bmf_predict_options *options, const char *machine, double files);
/* What the times do not know: a host that is not quiet, costs that the machine states. error: the largest
 * measured_error. */
void predicted_print_error(double error);
void predicted_print_stated(const bmf_machine *machine);
json_t *predicted_object(const bmf_predict_options *options, const bmf_predicted *run);

/* compare.c: --compare M,.., read by the option table; whether it fits with the others: 0, or the exit code of bad
 * usage; predicts and prints all. */
int compare_read_machines(const char *text, void *field);
int compare_check(const bmf_predict_options *options);
int predict_compared(const bmf_predict_options *options);

/* elements.c: --elements N and --growing LIST, read by the option table; whether they, or the option that is named, fit
 * with the others: 0, or the exit code of bad usage. As predict_program, on arguments of that many rows. */
int elements_read(const char *text, void *field);
int elements_read_grown(const char *text, void *field);
int elements_check(const bmf_predict_options *options, const char *option);
int predict_elements(const bmf_predict_options *options, int64_t processors, bmf_predicted *predicted);
/* As predict_program_recorded, on that many rows: takes the least and the most that may be done, which are the same
 * actions where all counts follow from small sizes. predicted->held is of all rows; its messages are not. */
typedef int bmf_take_extended(bmf_context *ctx, const bmf_actions *least, const bmf_actions *most,
                              const bmf_predicted *predicted, void *state);
int predict_elements_recorded(const bmf_predict_options *options, int64_t processors, bmf_take_extended *take,
                              void *state, bmf_predicted *predicted);

/* sweep.c: --sweep NAME=LIST, read by the option table. */
int sweep_read_values(const char *text, void *field);
/* 0, or the exit code of bad usage. */
int sweep_check(const bmf_predict_options *options);
/* Predicts and prints all values. */
int sweep_predict(const bmf_predict_options *options);
/* model.c: a program of which the rules are known, by a file of equations. */
bool is_model(const char *path);
int predict_model(const bmf_predict_options *options, int64_t processors, bool traced, bmf_predicted *predicted);
/* By bmf_replay_compute. */
extern const char *const compute_names[];
bmf_choice_name predict_compute_name;
/* Whether kernels that are timed here need another run after `runs` in `seconds`. */
bool needs_another_run(const bmf_predict_options *options, int64_t runs, double seconds, double error);
/* Adds a copy of a remark. */
void predicted_remark(bmf_predicted *predicted, const char *text);
void predicted_free(bmf_predicted *predicted);

#endif
