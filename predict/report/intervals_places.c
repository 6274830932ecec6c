/* Where the calls and regions of an interval stand in the source.
 *
 * Source: document 002, 2.1 (source_file, source_line). An entry of an interval says its place; one interval may be
 * entered from several.
 * Method: the entries in their order, those with the place of the one before left out; then sorted by interval and
 * place, and by their order again. Cost: n log n in the entries that are left. */
#include <stdlib.h>

#include "predict/report/intervals_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

typedef struct met {
    uint32_t node, place;
    int64_t order;
} met;

static int by_place(const void *a, const void *b)
{
    const met *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int by_order(const void *a, const void *b)
{
    const met *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* All entries but those that say again what the one before of the node said. */
static met *list_entries(const bmf_analysis *analysis, int64_t *count)
{
    const bmf_trace_run *run = analysis->run;
    uint32_t *last = allocate_clear(run->nodes, (int64_t)sizeof *last);
    met *list = NULL;
    int64_t capacity = 0;
    *count = 0;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        if (event->kind > BMF_EVENT_SKELETON || event->name == 0 || event->name == last[event->node] ||
            !analysis->inside[event->node] || (analysis->counts && !analysis->counts[k]))
            continue;
        last[event->node] = event->name;
        *ARRAY_APPEND(list, *count, capacity) = (met){event->node, event->name, k};
    }
    free(last);
    return list;
}

uint32_t *first_places(const bmf_trace_run *run)
{
    uint32_t *place = allocate_clear(run->nodes, (int64_t)sizeof *place);
    for (int64_t k = 0; k < run->events; k++)
        if (run->event[k].kind <= BMF_EVENT_SKELETON && place[run->event[k].node] == 0)
            place[run->event[k].node] = run->event[k].name;
    return place;
}

void intervals_find_places(const bmf_analysis *analysis, bmf_intervals *intervals)
{
    int64_t entries, different = 0;
    met *list = list_entries(analysis, &entries);
    if (entries > 0)
        qsort(list, (size_t)entries, sizeof *list, by_place);
    for (int64_t k = 0; k < entries; k++)
        if (different == 0 || list[k].node != list[different - 1].node || list[k].place != list[different - 1].place)
            list[different++] = list[k];
    if (different > 0)
        qsort(list, (size_t)different, sizeof *list, by_order);
    int64_t *first = allocate_clear((int64_t)analysis->run->nodes + 1, (int64_t)sizeof *first);
    intervals->place = allocate_array(different, (int64_t)sizeof *intervals->place);
    for (int64_t k = 0; k < different; k++) {
        intervals->place[k] = list[k].place;
        first[list[k].node + 1]++;
    }
    for (uint32_t node = 0; node < analysis->run->nodes; node++)
        first[node + 1] += first[node];
    for (int64_t i = 0; i < intervals->count; i++) {
        bmf_interval *interval = &intervals->interval[i];
        interval->first_place = first[interval->node];
        interval->places = first[interval->node + 1] - first[interval->node];
    }
    free(first);
    free(list);
}
