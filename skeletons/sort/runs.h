/* Runs of equal elements in sorted segments. Private to skeletons/sort. */
#ifndef BMF_SORT_RUNS_H
#define BMF_SORT_RUNS_H

#include "skeletons/sort/sorting.h"

typedef struct bmf_runs {
    int64_t count;
    int64_t *first;     /* count + 1 numbers of records: the first of every run, and how many there are in all */
    int64_t *begin;     /* segments + 1 numbers of runs: the first of every segment, and count */
    bmf_buffer *firsts; /* owns first */
} bmf_runs;

/* Of elements of the sorted list's type: 0.0 is equal to -0.0, and NaN to NaN. runs_close also after a failure. */
int runs_find(bmf_sorting *sorting, bmf_runs *runs);
void runs_close(bmf_runs *runs);

/* A partition on the same processors with as many elements in every part as it has runs. Collective; settles failures.
 */
int runs_partition(const bmf_sorting *sorting, const bmf_runs *runs, bmf_partition **out);

#endif
