/* The parts of `bmf predict --compare`: one program on several machines. */
#ifndef BMF_DRIVERS_PREDICT_COMPARE_H
#define BMF_DRIVERS_PREDICT_COMPARE_H

#include "drivers/predict/predict.h"

enum { COMPARED_MAX = BMF_WORD_LIST_MAX + 1 };

/* One machine: the first one is what the others are compared with. */
typedef struct bmf_compared {
    bmf_predict_options options; /* with the machine, and those of the numbers of processors that it has */
    const char *label;           /* the machine's name, or what it was asked for by if another one is called so, too */
    bmf_predicted *run;          /* by number of processors */
} bmf_compared;

typedef struct bmf_machine_comparison {
    const bmf_predict_options *options; /* as they were given */
    int64_t count;
    bmf_compared of[COMPARED_MAX];
} bmf_machine_comparison;

/* How many times as fast a machine is as the first one on equally many processors, with the 95 % interval of one run on
 * each; NAN where one of them has not so many. */
typedef struct bmf_machine_ratio {
    double ratio, low, high;
} bmf_machine_ratio;
bmf_machine_ratio compared_ratio(const bmf_machine_comparison *c, int64_t machine, int64_t processors);
/* The run with so many processors, or NULL. */
const bmf_predicted *compared_run(const bmf_machine_comparison *c, int64_t machine, int64_t processors);

/* What it says in words, a line for each; the caller frees. */
char *compared_words(const bmf_machine_comparison *c);
void compared_print(const bmf_machine_comparison *c);
json_t *compared_object(const bmf_machine_comparison *c);
int compared_write_page(const bmf_machine_comparison *c, const char *path);

#endif
