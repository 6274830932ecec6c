/* What the parts of compare_runs share; private to predict/report. */
#ifndef BMF_COMPARE_PRIVATE_H
#define BMF_COMPARE_PRIVATE_H

#include "predict/report/compare.h"

/* Two runs, and which nodes of them are the same. */
typedef struct bmf_both {
    const bmf_trace_run *run[2]; /* measured, predicted */
    const uint32_t *known[2];    /* by node: its node in the measured run, UINT32_MAX if it has none */
} bmf_both;

/* By event of the measured run: its match in the predicted run, or -1. To be freed. */
int64_t *compare_matches(const bmf_both *both);

/* |predicted / measured - 1|; 0 if both are 0. */
double relative_error(int64_t measured, int64_t predicted);

/* Sets median and p90 (the values of that rank) of ratio[g] from the errors whose group is g; events counts them. The
 * order of errors is lost. */
void ratio_quantiles(int64_t errors, const int64_t *group, const double *error, int64_t groups, bmf_ratio *ratio);

#endif
