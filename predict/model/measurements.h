/* Kernels that are run and timed here: their times over several runs of one program.
 *
 * A single time of a small kernel is noise. So the program is run several times. Programs are deterministic: every run
 * has the same actions, and each kernel has a time from each run. The first run warms memory and does not count if
 * there are more than two.
 *
 * Method: the time of an action is the median over the runs. Actions of the same kernel at the same place with equally
 * many elements do the same work, or work that depends on their data: their medians are drawn to that of all of them as
 * far as they differ by no more than the noise (an empirical Bayes estimate on the logarithmic scale), so that real
 * imbalance stays and noise does not become the critical path. The spread from run to run is told apart into what all
 * kernels of a run share and what each has of its own; both go into the interval of the next run.
 * Source: Efron and Morris, "Data analysis using Stein's estimator and its generalizations", JASA 70 (1975). Cost:
 * n log n over the times of all runs, whose memory is 8 bytes each, and 4 more a kernel while they are applied.
 */
#ifndef BMF_MEASUREMENTS_H
#define BMF_MEASUREMENTS_H

#include "predict/model/actions.h"

typedef struct bmf_measurements {
    uint64_t shape;  /* a hash of what is computed where; the same in every run */
    int64_t kernels; /* of a run, one for all processors that do as one that was timed */
    int64_t runs;
    double *seconds;         /* run by run */
    int64_t *copies;         /* by kernel: for how many it stands; NULL: each for itself */
    bmf_shares_seen *shares; /* by kernel, where actions keep how threads share them; of runs of this process */
} bmf_measurements;

/* The runs that say what is typical. */
enum { BMF_MEASURED_MIN = 4, BMF_MEASURED_MAX = 16 };

/* Adds the times of a run. False, and only this run is kept, if it computed something else than those before. */
bool measurements_add(bmf_measurements *all, const bmf_actions *actions);
/* The relative standard error of the median of a run's computing; infinite when there are too few runs to tell. */
double measurements_error(const bmf_measurements *all);
/* Gives the actions of the last run their typical times and errors, and how threads share them. Where they keep that
 * the times are those of one thread. unknown: the relative error of a single run. */
void measurements_apply(const bmf_measurements *all, bmf_actions *actions, double unknown);
/* Between processes: appends the last run to a file, and reads all runs of one; a file that is not there has none.
 * False: the file cannot be read or written, or is damaged. */
bool measurements_append(const bmf_measurements *all, const char *path);
bool measurements_read(bmf_measurements *all, const char *path);
void measurements_free(bmf_measurements *all);

#endif
