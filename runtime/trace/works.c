/* What the kernels of a run did: found by the id of their events, and read from files.
 *
 * Method: sorted by lane, node, instance and round; the k-th event with an id has the k-th record, but those of one id
 * do the same but for the data, so the first one answers. Cost: log n a search. */
#include "runtime/trace/works.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/array.h"

static int compare_ids(const bmf_trace_work *a, const bmf_trace_work *b)
{
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->instance != b->instance)
        return a->instance < b->instance ? -1 : 1;
    return (a->round > b->round) - (a->round < b->round);
}

static int by_id(const void *a, const void *b)
{
    return compare_ids(a, b);
}

void run_add_work(bmf_trace_run *run, const bmf_trace_work *work)
{
    if (run->works == run->work_capacity && !ARRAY_TRY_RESERVE(run->work, run->work_capacity, run->works + 1))
        return;
    run->work[run->works++] = *work;
}

/* Mostly they are in order. Equal ids keep theirs: insertion from behind would, qsort need not; then which one answers
 * is arbitrary. */
void run_sort_works(bmf_trace_run *run)
{
    for (int64_t k = 1; k < run->works; k++)
        if (compare_ids(&run->work[k - 1], &run->work[k]) > 0) {
            qsort(run->work, (size_t)run->works, sizeof *run->work, by_id);
            return;
        }
}

const bmf_kernel_work *run_find_work(const bmf_trace_run *run, const bmf_event *event)
{
    const bmf_trace_work wanted = {
        .node = event->node, .instance = event->instance, .round = event->round, .lane = event->lane};
    int64_t low = 0, high = run->works;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (compare_ids(&run->work[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < run->works && compare_ids(&run->work[low], &wanted) == 0 ? &run->work[low].work : NULL;
}

static bool is_count(int64_t number)
{
    return number >= 0 && number <= BMF_TRACE_MAX_NUMBER;
}

const char *trace_work_fault(const bmf_trace_run *run, const bmf_trace_work *work)
{
    const bmf_kernel_work *w = &work->work;
    if (work->lane < 0 || work->lane >= run->lanes)
        return "its lane does not exist";
    if (work->node >= run->nodes)
        return "its node does not exist";
    const bool right = is_count(w->operations) && is_count(w->read) && is_count(w->written) && is_count(w->random) &&
                       is_count(w->footprint) && is_count(w->fresh) && is_count(w->inner) && is_count(w->lists) &&
                       is_count(w->rounds);
    return right ? NULL : "a number is impossible";
}
