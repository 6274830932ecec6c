/* What choices of algorithms lose against the best ones, from several series of measurements of the same sizes.
 *
 * A time of one series is off by what the host did meanwhile, and the best of several algorithms is often the one that
 * was lucky. So the best is told by the other series: in each, the loss is what the chosen algorithm takes more than
 * the one that is best in all others. The mean of the losses is not biased by luck, and their spread is its error. */
#ifndef BMF_JUDGE_SCHEDULES_H
#define BMF_JUDGE_SCHEDULES_H

#include "predict/measure/schedules.h"

typedef struct bmf_schedules_loss {
    double mean;      /* 0.05: the choice takes 5 % longer than the best */
    double low, high; /* 95 % interval of the mean; as wide as the mean in a single series */
} bmf_schedules_loss;

/* A size in all series. */
typedef struct bmf_judged_point {
    const bmf_schedules_point *point;    /* of the first series: what it is, and what was chosen */
    double seconds[BMF_MEASURE_WAYS];    /* the median over the series */
    bmf_schedules_loss costs, constants; /* of the choices of the table, and of fixed constants */
} bmf_judged_point;

typedef struct bmf_schedules_series {
    bmf_schedules_point *point;
    int64_t points, capacity;
} bmf_schedules_series;

/* The sizes that all series have; the caller frees *judged. Points stay those of the series. Returns how many. */
int64_t judge_schedules(int64_t series, const bmf_schedules_series *all, bmf_judged_point **judged);
/* More than 5 % behind: as measured, and for certain (the whole interval is). */
bool loss_is_behind(const bmf_schedules_loss *loss);
bool loss_persists(const bmf_schedules_loss *loss);

#endif
