/* How many ranks of how many threads a calibration runs.
 *
 * Method: every number of ranks with every number of threads, as far as there are cores for them; where --launch
 * starts them, wherever that may be, all. Without a list of ranks they are 1, 2, 4, .. and as many as there are cores
 * for, so that the sheet knows what ranks beside each other do to each other. */
#include <stdlib.h>

#include "drivers/calibrate/calibrate.h"
#include "runtime/base/allocate.h"

static bool has_cores(const bmf_calibrate_options *o, int64_t ranks, int64_t threads)
{
    return o->trial.launch || ranks * threads <= usable_cores();
}

static void add(bmf_calibration *c, int64_t ranks, int64_t threads)
{
    for (int k = 0; k < c->settings; k++)
        if (c->setting[k].trial.ranks == ranks && c->setting[k].trial.threads == threads)
            return;
    c->setting = reallocate_array(c->setting, c->settings, c->settings + 1, (int64_t)sizeof *c->setting);
    bmf_calibration_setting *made = &c->setting[c->settings++];
    *made = (bmf_calibration_setting){.trial = c->o->trial};
    made->trial.ranks = ranks;
    made->trial.threads = threads;
}

static void add_ranks(bmf_calibration *c, int64_t threads)
{
    const bmf_number_list *given = &c->o->ranks;
    const int64_t cores = usable_cores() / threads;
    for (int64_t k = 0; k < given->count; k++)
        if (c->o->threads.count == 0 || has_cores(c->o, (int64_t)given->number[k], threads))
            add(c, (int64_t)given->number[k], c->o->threads.count > 0 ? threads : 0);
    for (int64_t ranks = 1; given->count == 0 && ranks <= cores; ranks *= 2)
        add(c, ranks, threads);
    if (given->count == 0 && cores > 0)
        add(c, cores, threads);
}

static int by_threads(const void *a, const void *b)
{
    const bmf_calibration_setting *of_x = a, *of_y = b;
    const bmf_trial *x = &of_x->trial, *y = &of_y->trial;
    if (x->threads != y->threads)
        return x->threads < y->threads ? -1 : 1;
    return (x->ranks > y->ranks) - (x->ranks < y->ranks);
}

int calibration_settings(bmf_calibration *c)
{
    const bmf_calibrate_options *o = c->o;
    if (o->ranks.count == 0 && o->threads.count == 0)
        add(c, o->trial.ranks, 0);
    else if (o->threads.count == 0)
        add_ranks(c, 1);
    for (int64_t k = 0; k < o->threads.count; k++)
        add_ranks(c, (int64_t)o->threads.number[k]);
    if (c->settings == 0)
        return usage_error("--threads: %lld core%s are too few for any of these ranks and threads",
                           (long long)usable_cores(), usable_cores() == 1 ? "" : "s");
    qsort(c->setting, (size_t)c->settings, sizeof *c->setting, by_threads);
    return 0;
}
