/* The parts of `bmf choose`. */
#ifndef BMF_DRIVERS_CHOOSE_H
#define BMF_DRIVERS_CHOOSE_H

#include <jansson.h>

#include "drivers/command/word_list.h"
#include "drivers/predict/predict.h"
#include "predict/choose/choose.h"
#include "predict/choose/regions.h"
#include "predict/model/measurements.h"
#include "runtime/convert/output.h"

enum { CHOOSE_MACHINES = BMF_WORD_LIST_MAX, CHOOSE_CHANGES = BMF_WORD_LIST_MAX };

/* A change of the machine, and how much faster the chosen offer would be. */
typedef struct choose_change {
    const char *text;
    double seconds, ratio; /* ratio: before / after; NAN: it cannot be made, and why says so */
    double cost;
    char *why;
} choose_change;

/* One point of a study of sizes: on a machine, with so many processors, at a size. */
typedef struct choose_scale {
    int64_t machine, processors;
    double size, seconds;
    double memory; /* bytes of a node; NAN: not known */
} choose_scale;

typedef struct choose_options {
    bmf_predict_options predict; /* of one machine, filled for each */
    bmf_word_list machines, changes;
    bool usual_changes; /* none were asked for: those that the machine has */
    bmf_wish wish;
    int64_t runs;
    char *scaled; /* the name of the size, or NULL */
    bmf_number_list sizes;
    double efficiency; /* that sizes are to keep */
    const char *html;
    bool json;
} choose_options;

typedef struct choose_study {
    const choose_options *options;
    const char *program; /* without its directory */
    bmf_machine *machine[CHOOSE_MACHINES];
    int64_t machines;
    bmf_offer *offer; /* machine by machine, in the order of processors */
    int64_t offers;
    char **remark; /* of predictions, once each */
    int64_t remarks;
    bmf_decision choice;
    int64_t chosen; /* the offer that is recommended, -1: none */
    choose_change change[CHOOSE_CHANGES];
    int64_t changes;
    choose_scale *scale;
    int64_t scales;
    bmf_regions region[CHOOSE_MACHINES]; /* by machine: its parts over the processors */
} choose_study;

/* offers.c: predicts everything that is asked for. */
int choose_predict(choose_study *study);
/* The machine whose recordings serve all machines whose kernels are timed here; the caller frees. */
int choose_host(bmf_machine **host);
/* "OF: TEXT", once. */
void choose_add_remark(choose_study *study, const char *of, const char *text);
/* What a node holds: its processors' shares of all that was held, or more if a kernel of one needs it. */
double choose_node_bytes(const bmf_actions *actions, const bmf_predicted *predicted, const bmf_machine *machine);
/* The chosen offer on changed machines. */
int choose_predict_changes(choose_study *study);
/* command.c: programs that are predicted one by one: files of equations, programs in C and MPI programs. In the
 * arguments of the last two {NAME} is what --set NAME=X says, of several the last one. */
bool choose_is_alone(const choose_options *options);
/* Whether every name that is set stands in the program's arguments. 0, or the exit code of bad usage. */
int choose_check_names(const choose_options *options);
int choose_predict_alone(const bmf_predict_options *options, int64_t processors, bool traced, bmf_predicted *predicted);
/* Where the time of such a run goes, into the offer's parts; predicted: with its trace. */
int choose_alone_parts(const choose_study *study, const bmf_machine *machine, const bmf_predicted *predicted,
                       bmf_offer *offer);
/* Bytes that the fullest node holds at most; NAN: the run does not say. */
double choose_alone_memory(const bmf_predicted *predicted, const bmf_machine *machine);

/* scale.c: the machine's times at all sizes, and what size an efficiency needs. */
int choose_predict_sizes(choose_study *study);
/* rows.c: the same for a program of the language, whose sizes are rows of its argument. */
int choose_predict_rows(choose_study *study);
/* The largest of the sizes that the machine's nodes hold; NAN: not known, 0: none. */
double choose_largest_fitting(const choose_study *study, int64_t machine, int64_t processors);
/* The size at which so many processors have that efficiency, by interpolation; NAN: none of those that were asked for.
 * */
double choose_isoefficient(const choose_study *study, int64_t machine, int64_t processors, double efficiency);
/* Time at a size that grows with the processors: NAN: beyond those asked for. */
double choose_weak(const choose_study *study, int64_t machine, int64_t processors);
/* The exponent k of size ~ processors^k that keeps the efficiency; NAN: not known. */
double choose_exponent(const choose_study *study, int64_t machine);

/* words.c: answers in words, the same for the page; each line ends with a line feed. The caller frees. */
char *choose_answer(const choose_study *study);
/* Why the time no longer falls, machine by machine, and which of the parts is to blame. The caller frees. */
char *choose_why(const choose_study *study);
void choose_print(const choose_study *study);
/* A time, in minutes, hours or days if it is long; "0.021 USD"; "1.2 GB". Each returns text. */
const char *choose_time_text(double seconds, char *text, size_t size);
const char *money_text(double amount, const char *currency, char *text, size_t size);
const char *memory_text(double bytes, char *text, size_t size);
const char *choose_currency(const choose_study *study);

/* parts.c: what parts of the program take on more and more processors. */
void choose_put_worst_part(FILE *to, const choose_study *study, int64_t machine);
void choose_print_parts(const choose_study *study);
json_t *choose_parts_array(const choose_study *study);
void choose_put_parts(bmf_output *out, const choose_study *study);

json_t *choose_object(const choose_study *study);
/* page.c */
int choose_write_page(const choose_study *study, const char *path);

#endif
