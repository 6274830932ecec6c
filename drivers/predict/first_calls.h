/* What a run of a program of the language takes beyond its kernels with warm memory, where these are timed here: its
 * first calls, in fresh memory, and what is done between kernels.
 *
 * Method: the program is really run, several times, on one rank in processes of their own, as `bmf run` does; the
 * median, less what is predicted for one processor with warm memory, are its first calls. Each processor has them once,
 * at the beginning. What touches code for the first time every processor does itself, in a fraction of a millisecond;
 * what is more than that grows with the data and is shared. A run with two processors on that rank takes
 * longer, because they combine results; each of several processors is charged that difference, up to the same fraction
 * of a millisecond. What is beyond it is copies of messages, which the network's times are for.
 * Cost: twice three starts of the program, and up to nine as long as no second is over, and up to six predictions for
 * one processor, for each number of threads. Beside runs of a second first calls are nothing, and not looked for. */
#ifndef BMF_DRIVERS_FIRST_CALLS_H
#define BMF_DRIVERS_FIRST_CALLS_H

#include "drivers/predict/predict.h"

/* On ranks of so many threads. */
typedef struct bmf_first_calls {
    int64_t threads;
    double alone;  /* seconds of a run on one processor */
    double beside; /* more of each that has others beside it */
    double error;  /* relative, of one run */
} bmf_first_calls;

/* Of the options only the program, its argument and laws count. What cannot be run takes nothing: a prediction says
 * why it cannot. */
void first_calls_measure(const bmf_predict_options *options, int64_t threads, bmf_first_calls *calls);
/* Seconds of each of so many processors. */
double first_calls_each(const bmf_first_calls *calls, int64_t processors);

#endif
