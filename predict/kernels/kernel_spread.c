/* What runs have in common, for a sheet of kernels and messages.
 *
 * Method: runs are of one size if the largest kernels of both have about as many elements. An operation's usual time is
 * its equation's. The components are those of predict/sheet/run_effects.h; what is common to runs, and to an operation
 * in a run, leaves the noise of its entries, so that nothing is counted twice.
 * Cost: n log n over the times.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/kernels/kernels_private.h"
#include "predict/sheet/run_effects.h"
#include "predict/sheet/sheet_private.h"
#include "runtime/base/allocate.h"

/* Logarithm: what runs of one session say nothing of. Machines differ by 1 to 15 % from one hour to the next. */
static const double assumed_session = 0.05;

static const double same_size = 1.1; /* runs whose largest kernels differ by less are of one size */

typedef struct run_size {
    int32_t run, ranks;
    int64_t largest;
} run_size;

/* ---- sizes ---- */

static int by_size(const void *a, const void *b)
{
    const run_size *x = a, *y = b;
    if (x->ranks != y->ranks)
        return x->ranks < y->ranks ? -1 : 1;
    return (x->largest > y->largest) - (x->largest < y->largest);
}

static void find_sizes(int runs, bmf_trace_run *const *run, bmf_run_sizes *sizes)
{
    run_size *all = allocate_clear(runs, (int64_t)sizeof *all);
    int32_t number = 0;
    sizes->number = allocate_array(runs, (int64_t)sizeof *sizes->number);
    sizes->largest = allocate_clear(runs, (int64_t)sizeof *sizes->largest);
    for (int k = 0; k < runs; k++) {
        all[k] = (run_size){.run = k, .ranks = run[k]->ranks};
        for (int64_t e = 0; e < run[k]->events; e++)
            if (run[k]->event[e].kind == BMF_EVENT_KERNEL && run[k]->event[e].amount > all[k].largest)
                all[k].largest = run[k]->event[e].amount;
    }
    qsort(all, (size_t)runs, sizeof *all, by_size);
    for (int k = 0, first = 0; k < runs; k++) {
        if (all[k].ranks != all[first].ranks || (double)all[k].largest > same_size * (double)all[first].largest) {
            first = k;
            number++;
        }
        sizes->number[all[k].run] = number;
        sizes->largest[number] = (double)all[k].largest;
    }
    sizes->count = number + 1;
    free(all);
}

/* ---- times ---- */

static bool ends_in(const char *operation, const char *what)
{
    const size_t length = strlen(operation), end = strlen(what);
    return length >= end && strcmp(operation + length - end, what) == 0;
}

/* The equation's time, or where that has come below zero that of the nearest size. */
static double usual_seconds(const bmf_sheet_entry *entry, int64_t count, const bmf_kernel_time *time)
{
    const bmf_sheet_entry *chosen = entry_choose(entry, count, time->p, (double)time->d);
    bmf_estimate estimate;
    entry_evaluate(chosen, time->p, (double)time->d, &estimate);
    if (estimate.mean > 0.0)
        return estimate.mean;
    for (int64_t k = 0; k < chosen->points; k++)
        if (chosen->point[k].d >= time->d)
            return chosen->point[k].typical;
    return time->seconds;
}

/* Takes what is shared out of a relative standard deviation; no less is left than single times show. */
static void leave_events(double *noise, const bmf_operation_effects *effects, double common)
{
    if (!isfinite(*noise))
        return;
    const double shared = effects->run * effects->run + common * common, event = effects->event * effects->event;
    *noise = sqrt(expm1(fmax(log1p(*noise * *noise) - shared, event)));
}

static void share_out(const bmf_run_effects *found, int32_t operation, bool computing, bmf_sheet_entry *entry,
                      int64_t entries)
{
    const bmf_operation_effects *effects = &found->operation[operation];
    const double common = computing ? hypot(found->run, found->session) : 0.0;
    for (int64_t k = 0; k < entries; k++) {
        leave_events(&entry[k].noise, effects, common);
        entry[k].run_noise = effects->run;
    }
    if (entry->mechanism)
        leave_events(&entry->mechanism->noise, effects, common);
}

void kernel_spread(int runs, bmf_trace_run *const *run, const int32_t *session, const bmf_kernel_times *all,
                   bmf_sheet *sheet)
{
    bmf_run_sizes sizes;
    int32_t operation = 0;
    bmf_run_time *time = allocate_array(all->count, (int64_t)sizeof *time);
    int64_t *first = allocate_array(all->count + 1, (int64_t)sizeof *first), entries;
    bmf_run_effects found;
    find_sizes(runs, run, &sizes);
    for (int64_t k = 0; k < all->count; k++) {
        const bmf_kernel_time *from = &all->time[k];
        const bmf_sheet_entry *entry = sheet_find(sheet, from->operation, &entries);
        if (k == 0 || strcmp(from->operation, all->time[k - 1].operation) != 0)
            first[operation++] = k;
        time[k] = (bmf_run_time){.session = session ? session[from->run] : 0,
                                 .size = sizes.number[from->run],
                                 .run = from->run,
                                 .operation = operation - 1,
                                 .computing = from->family == BMF_FAMILY_LOCAL && !ends_in(from->operation, "file"),
                                 .seconds = from->seconds,
                                 .usual = entry ? usual_seconds(entry, entries, from) : from->seconds};
    }
    run_effects_find(all->count, time, &found);
    first[operation] = all->count;
    for (int32_t k = 0; k < operation; k++) {
        const bmf_kernel_time *of = &all->time[first[k]];
        bmf_sheet_entry *entry = (bmf_sheet_entry *)sheet_find(sheet, of->operation, &entries);
        if (entry && found.freedom > 0.0)
            share_out(&found, k, of->family == BMF_FAMILY_LOCAL, entry, entries);
        if (entries == 1 && of->family == BMF_FAMILY_LOCAL)
            kernel_growth(of, first[k + 1] - first[k], &sizes, entry);
    }
    if (found.freedom > 0.0)
        sheet->spread = (bmf_run_spread){found.run, found.sessions > 1 ? found.session : assumed_session, found.freedom,
                                         (int32_t)found.runs, (int32_t)found.sessions};
    sheet_share_spread(sheet);
    run_effects_free(&found);
    free(first);
    free(time);
    free(sizes.number);
    free(sizes.largest);
}
