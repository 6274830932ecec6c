/* Measuring the algorithms that runs choose between: every one of a skeleton at the same sizes, in turns, so that what
 * they take can be compared. Rows of a table of costs are made of it (runtime/schedule/cost_table.h), and a table is
 * judged by it: what is lost by its choices against the best there was. */
#ifndef BMF_MEASURE_SCHEDULES_H
#define BMF_MEASURE_SCHEDULES_H

#include "bmf/context.h"
#include "runtime/schedule/cost_table.h"

enum { BMF_MEASURE_WAYS = 4 };

typedef struct bmf_schedules_options {
    double seconds;                             /* planned for all together */
    int64_t most;                               /* processors at most */
    const char *skeletons;                      /* only these, with commas; NULL: all */
    bool between;                               /* at sizes between those that are measured otherwise */
    bmf_cost_table *costs;                      /* whose choices are asked for; may be NULL */
    void (*progress)(void *state, double done); /* on rank 0; may be NULL */
    void *progress_state;
} bmf_schedules_options;

/* All ways of a skeleton at one size; the same on every rank. */
typedef struct bmf_schedules_point {
    const char *skeleton;
    int64_t count, bytes; /* as of the rows of a table */
    int ways;
    const char *way[BMF_MEASURE_WAYS];
    double seconds[BMF_MEASURE_WAYS]; /* the lower quartile of the slowest ranks' times: what disturbs is left out */
    int by_costs, by_constants;       /* the way that the table chooses (-1: there is no table), and fixed constants */
    bool computed;                    /* the seconds are not measured, but follow from other numbers of items */
} bmf_schedules_point;

/* Measures, and calls `visit` for every point, on every rank; of a skeleton's in the order of items and bytes. Half of
 * the time is for where algorithms change places, unless sizes are to be those between; and numbers of items between
 * those that were measured have times that follow from what the algorithms do there. *message: what messages cost,
 * by which values were cut into segments; may be NULL. Changes the context's processors, forced algorithms and
 * costs, and leaves it with one processor for every rank. Collective. Errors: BMF_ERROR_ARGUMENT for a skeleton that
 * has no choice, and those of the skeletons. */
int measure_schedules(bmf_context *ctx, const bmf_schedules_options *options, bmf_cost_model *message,
                      void (*visit)(void *state, const bmf_schedules_point *point), void *state);

#endif
