/* What the times of one run have in common, told apart from what each has of its own.
 *
 * A host is not equally fast in every run: other programs, its clock, where memory came to lie. Such a factor does not
 * average out over the many events of a run, so that the interval of a whole run depends on it alone. The logarithm of
 * a time over what its operation usually takes is
 *
 *     session + run + operation in this run + event
 *
 * each normal with a variance of its own, independent. The first two are of all computing of a run; messages and
 * collective operations, which depend on more than this host, have the last two. Runs are compared with runs of the
 * same size only: what an equation is off by at a size is the error of the equation, not of a run.
 *
 * Method: the analysis of variance of a nested random-effects model. Within a run, the squares of events around their
 * mean give the variance of events. R, the logarithm of an operation's total time in a run over its usual total, less
 * the mean over the runs of that size and session, has the variance run + operation + event sum w^2, w the shares of
 * the events; T, the mean of all R of a run weighted by the shares of time, has run + sum s^2 (operation + event sum
 * w^2). The two together give run and operation. Where one operation takes nearly all the time they cannot be told
 * apart, and all of it is the run's. Means of sessions vary by session + the variance of T over the number of runs.
 * Components below 0 are 0. Times off by more than 4 robust standard deviations count as if they were that far off.
 * Source: Searle, Casella and McCulloch, "Variance Components" (1992), chapters 3 and 5; degrees of freedom by
 * Satterthwaite, Biometrics Bulletin 2 (1946). Cost: n log n over the times.
 */
#ifndef BMF_RUN_EFFECTS_H
#define BMF_RUN_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bmf_run_time {
    int32_t session, size, run, operation; /* size: a number for all runs of about the same size; runs have one size
                                              and one session, and their numbers differ over all of them */
    bool computing;                        /* no message or collective operation */
    double seconds, usual;                 /* usual: any function of the operation and its amount, > 0 */
} bmf_run_time;

/* Standard deviations of logarithms. */
typedef struct bmf_operation_effects {
    double run;   /* what all times of this operation in a run share, beside what all operations do */
    double event; /* of one time */
    int64_t times;
} bmf_operation_effects;

typedef struct bmf_run_effects {
    double run, session;
    double freedom; /* degrees of freedom of run and session together; 0: no size was run twice */
    int64_t runs, sessions;
    int64_t operations;
    bmf_operation_effects *operation; /* 0 <= operation < operations; 0, 0 where nothing is known */
} bmf_run_effects;

/* The times are put into another order. The caller frees the result. */
void run_effects_find(int64_t count, bmf_run_time *time, bmf_run_effects *found);
void run_effects_free(bmf_run_effects *effects);

/* What the standard deviation of a normal number has to be so that 95 % of the next ones are within 1.96 of it, where
 * `deviation` was seen with that many degrees of freedom. */
double run_effects_widened(double deviation, double freedom);

#endif
