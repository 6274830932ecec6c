/* The commands below `bmf model`, and what they share: which equations, at which points. */
#ifndef BMF_DRIVERS_MODEL_H
#define BMF_DRIVERS_MODEL_H

#include "drivers/command/command.h"
#include "drivers/command/number_list.h"
#include "predict/equations/equations.h"

extern const bmf_driver model_eval_command, model_best_command, model_plot_command, model_check_command,
    model_fit_command, model_list_command;

typedef struct bmf_model_options {
    const char *sheet, *output;
    bmf_strings set;
    bmf_number_list p, d, c; /* c in microseconds */
    int axis, family;        /* of plots: bmf_model_axis; family -1: not said */
    bool as_printed, whole_rows, phases, json, speed_up;
} bmf_model_options;

typedef enum bmf_model_axis { BMF_MODEL_P, BMF_MODEL_D, BMF_MODEL_C } bmf_model_axis;

/* ---- options: rows of the tables ---- */

int model_read_processes(const char *text, void *field);     /* 1..8 is 1, 2, 4, 8 */
int model_read_all_processes(const char *text, void *field); /* 1..8 is 1, 2, .. 8 */
int model_read_data(const char *text, void *field);
int model_read_steps(const char *text, void *field);

#define BMF_MODEL_MACHINE_OPTIONS                                                                                      \
    BMF_OPTION("sheet", "S", BMF_TEXT(bmf_model_options, sheet),                                                       \
               "what messages cost: a data sheet, with its errors, or a file of equations such as now-1996; default: " \
               "what F includes"),                                                                                     \
        BMF_OPTION("set", "NAME=X", BMF_LIST(bmf_model_options, set),                                                  \
                   "another value of a parameter; may be given several times"),                                        \
        BMF_OPTION("as-printed", NULL, BMF_FLAG(bmf_model_options, as_printed),                                        \
                   "equations as they stand: collectives of one process take what their equation says, not nothing"),  \
        BMF_OPTION("whole-rows", NULL, BMF_FLAG(bmf_model_options, whole_rows),                                        \
                   "rows(d,p) is ceil(d/p) instead of d/p: 20 rows keep 20 of 32 processes busy")
#define BMF_MODEL_POINT_OPTIONS(processes, help)                                                                       \
    BMF_OPTION("procs", "LIST", BMF_OTHER(bmf_model_options, p, processes), help, .letter = 'p',                       \
               .missing = "on how many processes? give -p LIST"),                                                      \
        BMF_OPTION("data", "LIST", BMF_OTHER(bmf_model_options, d, model_read_data),                                   \
                   "sizes d of the problem: 20,160, or 20..160 (20, 40, 80, 160)", .letter = 'd',                      \
                   .missing = "for which sizes? give -d LIST"),                                                        \
        BMF_OPTION("step", "LIST", BMF_OTHER(bmf_model_options, c, model_read_steps),                                  \
                   "times of a computing step: 1us, or 0.05us,0.5us; without a unit microseconds; default: 1us",       \
                   .letter = 'c')

/* ---- what they do ---- */

/* Reads the file; with phases that can be evaluated. 0, or the exit code after a message. */
int open_equations(const char *name, bmf_model_options *options, bmf_equations **equations);
/* Frees the lists. */
void close_equations(bmf_model_options *options, bmf_equations *equations);
/* Reads the file, checks that everything can be evaluated, and calls `use`. An exit code. */
int use_equations(const char *name, bmf_model_options *options,
                  int (*use)(const bmf_equations *equations, const bmf_model_options *options));
/* "life.model, messages as in now-1996.model": what is evaluated; text may be NULL-terminated at size. Returns text. */
const char *model_title(const bmf_equations *equations, char *text, size_t size);
/* The total at one process, NaN if it cannot be had. */
double model_time_of_one(const bmf_equations *equations, double d, double c);

#endif
