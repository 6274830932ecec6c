/* The parts of `bmf choose`. */
#ifndef BMF_DRIVERS_CHOOSE_H
#define BMF_DRIVERS_CHOOSE_H

#include <jansson.h>

#include "drivers/predict/predict.h"
#include "predict/choose/choose.h"
#include "predict/model/measurements.h"

enum { CHOOSE_MACHINES = 64, CHOOSE_CHANGES = CHOOSE_MACHINES /* as many words as a list may have */ };

/* A list of words with commas between them. */
typedef struct choose_words {
    int64_t count;
    char *text; /* all of them, each with its NUL */
    char *word[CHOOSE_MACHINES];
} choose_words;

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
} choose_scale;

typedef struct choose_options {
    bmf_predict_options predict; /* of one machine, filled for each */
    choose_words machines, changes;
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
} choose_study;

/* offers.c: predicts everything that is asked for. */
int choose_predict(choose_study *study);
/* The chosen offer on changed machines. */
int choose_predict_changes(choose_study *study);
/* scale.c: the machine's times at all sizes, and what size an efficiency needs. */
int choose_predict_sizes(choose_study *study);
/* The size at which so many processors have that efficiency, by interpolation; NAN: none of those that were asked for.
 * */
double choose_isoefficient(const choose_study *study, int64_t machine, int64_t processors, double efficiency);
/* Time at a size that grows with the processors: NAN: beyond those asked for. */
double choose_weak(const choose_study *study, int64_t machine, int64_t processors);
/* The exponent k of size ~ processors^k that keeps the efficiency; NAN: not known. */
double choose_exponent(const choose_study *study, int64_t machine);

/* words.c: answers in words, the same for the page; each line ends with a line feed. The caller frees. */
char *choose_answer(const choose_study *study);
/* Why the time no longer falls, machine by machine. The caller frees. */
char *choose_why(const choose_study *study);
void choose_print(const choose_study *study);
/* A time, in minutes, hours or days if it is long; "0.021 USD"; "1.2 GB". Each returns text. */
const char *choose_time_text(double seconds, char *text, size_t size);
const char *money_text(double amount, const char *currency, char *text, size_t size);
const char *memory_text(double bytes, char *text, size_t size);
const char *choose_currency(const choose_study *study);

json_t *choose_object(const choose_study *study);
/* page.c */
int choose_write_page(const choose_study *study, const char *path);

#endif
