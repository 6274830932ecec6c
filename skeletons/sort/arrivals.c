/* Merging what comes in stages; see arrivals.h.
 *
 * Method: sets of runs of the same number of stages are merged, as a binary counter carries; in the end, all that are
 * left.
 * Cost: log2 of the stages passes over the records, rounded up. */
#include "skeletons/sort/arrivals.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "skeletons/sort/merge.h"

bmf_run_set run_set_create(const bmf_records *records)
{
    return (bmf_run_set){.start = allocate_clear(records->segments + 1, (int64_t)sizeof(int64_t)),
                         .where = allocate_clear(records->segments, 1),
                         .stages = 1};
}

void run_set_free(bmf_run_set *set)
{
    for (int k = 0; k < 2; k++)
        buffer_release(set->buffer[k]);
    free(set->start);
    free(set->where);
    *set = (bmf_run_set){0};
}

bmf_records run_set_records(const bmf_run_set *set, const bmf_records *records)
{
    bmf_records view = *records;
    view.start = set->start;
    view.where = set->where;
    for (int k = 0; k < 2; k++)
        view.room[k] = set->room[k];
    return view;
}

static int64_t count_of(const bmf_run_set *set, int64_t part)
{
    return set->start[part + 1] - set->start[part];
}

/* Adds the set's run of a part, unless it is empty: it may have no place in memory. Returns how many runs there are. */
static int64_t add_run(const bmf_arrivals *arrivals, const bmf_run_set *set, int64_t part, bmf_sorted_run *run,
                       int64_t runs)
{
    if (count_of(set, part) == 0)
        return runs;
    run[runs] = (bmf_sorted_run){.segment = part,
                                 .from = set->room[set->where[part]] + set->start[part] * arrivals->records->words,
                                 .count = count_of(set, part)};
    return runs + 1;
}

/* The last two sets become one. */
static int merge_last(bmf_arrivals *arrivals)
{
    bmf_records *records = arrivals->records;
    const int64_t parts = records->segments;
    int64_t runs = 0;
    bmf_run_set *a = &arrivals->set[arrivals->sets - 2], *b = &arrivals->set[arrivals->sets - 1];
    bmf_run_set made = run_set_create(records);
    bmf_sorted_run *run = allocate(2 * parts * (int64_t)sizeof *run);
    for (int64_t k = 0; k < parts; k++) {
        runs = add_run(arrivals, a, k, run, runs);
        runs = add_run(arrivals, b, k, run, runs);
        made.start[k + 1] = made.start[k] + count_of(a, k) + count_of(b, k);
    }
    made.buffer[0] = working_buffer(made.start[parts] * 8 * records->words);
    made.room[0] = made.buffer[0]->data;
    made.stages = a->stages + b->stages;
    bmf_records view = run_set_records(&made, records);
    const int status = records_merge(&view, 0, runs, run);
    records->round = view.round;
    free(run);
    run_set_free(a);
    run_set_free(b);
    *a = made;
    arrivals->sets--;
    return status;
}

int arrivals_add(bmf_arrivals *arrivals, bmf_run_set *set)
{
    *(bmf_run_set *)ARRAY_APPEND(arrivals->set, arrivals->sets, arrivals->capacity) = *set;
    *set = (bmf_run_set){0};
    while (arrivals->sets > 1 && arrivals->set[arrivals->sets - 2].stages <= arrivals->set[arrivals->sets - 1].stages)
        BMF_TRY(merge_last(arrivals));
    return BMF_OK;
}

int arrivals_join(bmf_arrivals *arrivals)
{
    while (arrivals->sets > 1)
        BMF_TRY(merge_last(arrivals));
    return BMF_OK;
}

void arrivals_close(bmf_arrivals *arrivals)
{
    for (int64_t k = 0; k < arrivals->sets; k++)
        run_set_free(&arrivals->set[k]);
    free(arrivals->set);
}
