/* The parts of `bmf parallelise`. */
#ifndef BMF_DRIVERS_PARALLELISE_H
#define BMF_DRIVERS_PARALLELISE_H

#include "drivers/predict/predict.h"
#include "skeletons/language/laws/parallelise.h"

typedef struct parallelise_options {
    bmf_predict_options predict;
    const char *out;
    bool json;
} parallelise_options;

/* A program that was looked at. */
typedef struct candidate {
    uint64_t chosen;         /* points at which lists are split */
    bmf_processor_grid grid; /* or none */
    char *text;
    double seconds, low, high;
    double measured_error; /* relative standard error of what was timed for them; 0: nothing was, or it is not known */
    bmf_prediction prediction; /* their samples */
    int64_t messages, bytes;
    bool expanded;
    bool rough;              /* its time: it was predicted with few runs and samples */
    bool given_up;           /* it takes longer than its seconds, and was not run to its end */
    bmf_splitting splitting; /* what made it; its operators are not valid any more */
} candidate;

/* Names behind whose definitions `# associative` stands; the texts are allocated. */
typedef struct stated_names {
    int count;
    char *name[BMF_MAX_STATED];
} stated_names;

/* stated.c: reads them from the program and its libraries. BMF_ERROR_USAGE: too many. */
int stated_read(const parallelise_options *options, stated_names *names);
void stated_free(stated_names *names);
/* Tests an operator that is said to be associative on random arguments of its type. BMF_ERROR_USAGE with a
 * counterexample. source: the operator as text. */
int stated_test(const parallelise_options *options, const char *name, const char *source, const bmf_type *argument);

typedef struct search {
    const parallelise_options *options;
    bmf_context *ctx;
    bmf_program serial;   /* loaded in that context */
    bmf_strings argument; /* of its candidates */
    stated_names stated;
    bool tested[BMF_MAX_STATED]; /* of these */
    bmf_kernel_times *times;     /* of all programs that were looked at */
    bmf_loop_rounds loops;       /* of the serial program */
    uint64_t useless;            /* places inside of maps where splitting alone costs more than it saves */
    int count;
    candidate *candidate; /* behind search_all: the fastest first */
} search;

/* ---- candidate.c ---- */

/* Reads the serial program. */
int search_load(search *s);
/* Also of one that was not, or in part, loaded. */
void search_free(search *s);
/* The program's text, for its chosen points and grid; allocated. Tests operators that are said to be associative. */
int candidate_make(search *s, candidate *made);
/* The serial program's time, roughly; its loops are counted. It comes before all others. */
int candidate_predict_serial(search *s, candidate *c);
/* Its time, roughly: in few runs, in which loops of many rounds go round a few times. It is given up when it takes
 * longer than `most` seconds, or its actions are too many to go on. */
int candidate_predict(search *s, candidate *c, double most);
/* The times of several: all rounds, in as many runs as it takes. status: of each. */
void candidates_make_sure(search *s, int count, candidate *const *c, int *status);
/* Runs a text of the language on its data and returns what it prints; the caller frees. */
int parallelise_run_text(const char *text, char **printed);

/* ---- search.c ---- */

/* Fills the list of candidates. */
int search_all(search *s);

#endif
