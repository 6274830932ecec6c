/* What the files of measuring schedules share. Private to predict/measure/. */
#ifndef BMF_SCHEDULES_PRIVATE_H
#define BMF_SCHEDULES_PRIVATE_H

#include "predict/measure/schedule_calls.h"

/* A point, and how it was measured. */
typedef struct schedule_measured {
    const schedule_call *call;
    bmf_schedules_point point; /* its seconds: the geometric means of all passes */
    int passes;
} schedule_measured;

typedef struct schedules_study {
    bmf_context *ctx;
    const bmf_schedules_options *o;
    int64_t began;       /* monotonic */
    double budget;       /* seconds for a point in one pass */
    bmf_cost_model cost; /* what messages cost, by which algorithms cut values into segments */
    int64_t processors;  /* that the context has */
    schedule_measured *measured;
    int64_t count, capacity;
} schedules_study;

/* One pass over all algorithms at one size: a new point, or better times of one that is there. *quickest: seconds of
 * the fastest; may be NULL. Collective. */
int schedules_measure(schedules_study *study, const schedule_call *call, int64_t count, int64_t bytes,
                      double *quickest);
/* Where two algorithms change places or are close, measures between and again, until `seconds` are over since the study
 * began. Collective. */
int schedules_refine(schedules_study *study, double seconds);
/* Adds points of a call for numbers of items between those of count[], which were measured at all sizes and increase;
 * 0: none. Points are in the order of schedules_sort. */
void schedules_fill(schedules_study *study, const schedule_call *call, int counts, const int64_t *count);
/* By call, items and bytes. */
void schedules_sort(schedules_study *study);
/* What is planned is done to this part. */
void schedules_tell(const schedules_study *study, double done);

#endif
