/* Timing several things in turn.
 *
 * The machine drifts, by a factor of two and more when others use it. So things that are to be compared are never timed
 * one after the other, but in turn within each repeat, and medians over the repeats are compared. A time goes from a
 * common barrier until every rank is done.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>

#include "bmf/context.h"

/* Where the turns of one action lie. */
typedef struct bench_spread {
    double median, minimum, lower, upper; /* lower, upper: quartiles */
} bench_spread;

typedef struct bench_action {
    int (*before)(void *state); /* before every run, not timed; may be NULL. All three return a bmf status, */
    int (*run)(void *state);    /* the same on every rank */
    int (*after)(void *state);  /* after every run, not timed; may be NULL */
    void *state;
    bool any_order; /* results do not depend on which action runs first */
    bool brief;     /* shorter than the clock's and the barrier's noise: timed in batches */
    bool settles;   /* waits, untimed, until the threads of the action before sleep, then wakes its own by a run */
    double warm;    /* seconds of a call that was made before: long ones need no other to warm up; 0: none */
    double *turn;   /* room for the seconds of every turn, or NULL: not wanted */
    int64_t calls;  /* in a batch; bench_measure sets it, and */
    bool is_long;   /* a call takes seconds, beside which waking threads is nothing */
    bench_spread seconds; /* of one call */
} bench_action;

/* Runs every action once to warm up, then all in turn `repeats` times (every other time in reverse if all allow
 * any order), and fills calls, turn and seconds.
 * Collective. Stops at the first status that is not BMF_OK and returns it; BMF_ERROR_MEMORY. */
int bench_measure(bmf_context *ctx, int repeats, int actions, bench_action *action);

/* Each of count values becomes its maximum over all ranks. Collective; one allreduce. */
void bench_maximum(bmf_context *ctx, int count, double *values);

/* The median of count >= 1 values, which are sorted. */
double bench_median(int count, double *values);

/* The spread of count >= 1 values, which are sorted. */
bench_spread bench_spread_of(int count, double *values);

/* The spread of a[k] / b[k]: two actions beside each other turn by turn, so that a drift of the machine cancels. */
bench_spread bench_ratios(int count, const double *a, const double *b);

/* Keeps a line on standard error up to date with the time left, if that is a terminal and `show` is true (rank 0). */
typedef struct bench_progress {
    bool show;
    int total;
    double begin;
} bench_progress;
bench_progress bench_progress_begin(bool show, int total);
void bench_progress_show(const bench_progress *progress, int done, const char *what);
void bench_progress_end(const bench_progress *progress);

#endif
