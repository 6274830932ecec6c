/* The parts of `bmf choose`. */
#ifndef BMF_DRIVERS_CHOOSE_H
#define BMF_DRIVERS_CHOOSE_H

#include <jansson.h>

#include "drivers/command/word_list.h"
#include "drivers/predict/first_calls.h"
#include "drivers/predict/predict.h"
#include "predict/choose/choose.h"
#include "predict/choose/regions.h"
#include "predict/model/measurements.h"
#include "runtime/convert/output.h"

enum { CHOOSE_MACHINES = BMF_WORD_LIST_MAX, CHOOSE_CHANGES = BMF_WORD_LIST_MAX, CHOOSE_TEAMS = 32 };

/* A change of the machine, and how much faster the chosen offer would be. */
typedef struct choose_change {
    const char *text;
    double seconds, ratio; /* ratio: before / after; NAN: it cannot be made, and why says so */
    double cost;
    char *why;
} choose_change;

/* One point of a study of sizes: on a machine, with so many processors, at a size; of an offer that choose_is_plain. */
typedef struct choose_scale {
    int64_t machine, processors;
    double size, seconds;
    double memory; /* bytes of a node; NAN: not known */
} choose_scale;

typedef struct choose_options {
    bmf_predict_options predict; /* of one machine, filled for each */
    bmf_word_list machines, changes;
    bmf_number_list threads; /* of a rank; none: those that are usual on the machines */
    bool usual_changes;      /* none were asked for: those that the machine has */
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
    int64_t teams, team[CHOOSE_TEAMS]; /* numbers of threads of a rank, increasing */
    bmf_machine **threaded;            /* by machine and team: the machine for ranks of so many threads; NULL: none */
    bool first_calls;                  /* offers have them: those of first[firsts], by threads, increasing */
    int64_t firsts;
    bmf_first_calls first[CHOOSE_TEAMS];
    bmf_offer *offer; /* machine by machine, in the order of processors and then of threads */
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

/* The offer on a machine with the number-th number of processors and the team-th number of threads. */
static inline bmf_offer *choose_offer(const choose_study *study, int64_t machine, int64_t number, int64_t team)
{
    return &study->offer[(machine * study->options->predict.processors.count + number) * study->teams + team];
}

/* threads.c: --threads LIST, read by the option table. */
int choose_read_threads(const char *text, void *field);
/* Which numbers of threads are looked at, and the machines for ranks with so many. */
int choose_open_teams(choose_study *study);
void choose_close_teams(choose_study *study);
/* The machine of an offer, for ranks of so many threads. */
bmf_machine *choose_machine(const choose_study *study, const bmf_offer *offer);
/* Whether it has as few threads as any offer of its machine: of these the parts of the program and the growth of sizes
 * are told. */
bool choose_is_plain(const choose_study *study, const bmf_offer *offer);
bmf_offer *choose_plain(const choose_study *study, int64_t machine, int64_t number);
/* The fastest of the machine's offers with so many processors, whatever their threads; NULL: there is none. */
const bmf_offer *choose_best(const choose_study *study, int64_t machine, int64_t number);
/* Why there is no offer at all, but for memory. */
void choose_put_unoffered(FILE *to, const choose_study *study);
/* Whether ranks of more than one thread are looked at. */
bool choose_has_threads(const choose_study *study);
/* "8 ranks of 2 threads on NAME", or "8 processors of NAME" where no threads are looked at; and the command line that
 * starts them there, "" if there is none. The caller frees. */
const char *choose_ranks_text(const choose_study *study, const bmf_offer *offer, char *text, size_t size);
char *choose_command_line(const choose_study *study, const bmf_offer *offer);

/* first_calls.c: runs the program, where its kernels are timed here. */
void choose_measure_first_calls(choose_study *study);
/* Gives them to what was recorded, on a machine. */
void choose_set_first_calls(const choose_study *study, const bmf_machine *machine, const bmf_network *network,
                            bmf_actions *actions);

/* offers.c: predicts everything that is asked for. */
int choose_predict(choose_study *study);
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
/* The command with its names replaced, to be freed by launch_words_free. */
char **choose_words(const bmf_predict_options *options);
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
