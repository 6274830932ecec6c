/* What an algorithm's schedule does on some ranks, as terms of a sum that its time is fitted to: rounds, messages
 * between ranks by their size, and copies inside a rank by theirs.
 *
 * Times of two numbers of processors differ by what the schedules do, which is no power of the number: a tree of 10
 * processors on 2 ranks crosses from one to the other three times, one of 8 once. The size of a message
 * matters where the MPI library, or the path of long messages, changes its protocol.
 * Private to predict/measure/. */
#ifndef BMF_SCHEDULE_TERMS_H
#define BMF_SCHEDULE_TERMS_H

#include "runtime/schedule/algorithms.h"

enum { BMF_TERM_SIZES = 21 };

enum {
    BMF_TERM_CONSTANT,
    BMF_TERM_ROUNDS,
    BMF_TERM_CROSSED,                                    /* rounds with messages between ranks */
    BMF_TERM_EACH,                                       /* processors of a rank */
    BMF_TERM_BETWEEN,                                    /* messages between ranks by size, */
    BMF_TERM_INSIDE = BMF_TERM_BETWEEN + BMF_TERM_SIZES, /* and copies inside the rank with the most */
    BMF_TERMS = BMF_TERM_INSIDE + BMF_TERM_SIZES
};

/* Of a group of `count` processors in even blocks on `ranks`; bytes: of the whole list (split, gather) or of one value.
 * Cost: the messages of the schedule. */
void schedule_terms(const bmf_algorithm *algorithm, const bmf_cost_model *cost, int64_t ranks, int64_t count,
                    int64_t bytes, double term[BMF_TERMS]);

/* Coefficients, none below 0, with which the sums are as near to the times as can be, relative, in least squares.
 * Cost: BMF_TERMS^2 (rows + sweeps). */
void terms_fit(int64_t rows, double (*term)[BMF_TERMS], const double *seconds, double coefficient[BMF_TERMS]);

double terms_sum(const double term[BMF_TERMS], const double coefficient[BMF_TERMS]);

#endif
