/* Samples of kernels from traces.
 *
 * Method: the events of a run are walked rank by rank in the order of their beginnings; a kernel's time counts from
 * the end of the event before it. Calls are then grouped by kernel, ranks and elements.
 * Cost: n log n over the events.
 */
#include "predict/kernels.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/allocate.h"
#include "runtime/status.h"

/* One call. */
typedef struct kernel_call {
    char operation[BMF_SAMPLE_NAME];
    int32_t p;
    int64_t d;
    double seconds;
    int64_t order; /* as recorded */
} kernel_call;

typedef struct calls {
    int64_t count, capacity;
    kernel_call *call;
} calls;

const char *bmf_kernel_call(const bmf_run *run, uint32_t node)
{
    return run->node[node].kind == BMF_EVENT_SKELETON ? run->name[run->node[node].name] : NULL;
}

char *bmf_kernel_operation(const char *call, const char *kernel, char *operation)
{
    char whole[512];
    uint32_t hash = 2166136261u;
    size_t at = 0;
    snprintf(whole, sizeof whole, "%s%s%s", call ? call : "", call ? "." : "", kernel);
    if (!isalpha((unsigned char)whole[0]))
        operation[at++] = 'k';
    for (const char *c = whole; *c; c++) {
        hash = (hash ^ (unsigned char)*c) * 16777619u;
        if (at < BMF_SAMPLE_NAME - 1)
            operation[at++] = (char)(isalnum((unsigned char)*c) || *c == '-' || *c == '.' ? *c : '_');
    }
    operation[at] = '\0';
    if (strlen(whole) >= BMF_SAMPLE_NAME - 1)
        snprintf(operation + BMF_SAMPLE_NAME - 10, 10, "-%08x", hash);
    return operation;
}

/* ---- the walk ---- */

/* Rank by rank, then by beginning, calls around others first. */
typedef struct walk_key {
    int32_t rank;
    const bmf_event *event;
} walk_key;

static bool is_container(const bmf_event *event)
{
    return event->kind == BMF_EVENT_REGION || event->kind == BMF_EVENT_SKELETON;
}

static int by_walk(const void *a, const void *b)
{
    const walk_key *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->event->begin != y->event->begin)
        return x->event->begin < y->event->begin ? -1 : 1;
    if (is_container(x->event) != is_container(y->event))
        return is_container(x->event) ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

static void add_call(calls *all, const bmf_run *run, const bmf_event *event, int64_t begin)
{
    if (all->count == all->capacity) {
        int64_t grown = all->capacity ? 2 * all->capacity : 256;
        all->call =
            bmf_reallocate(all->call, all->count * (int64_t)sizeof *all->call, grown * (int64_t)sizeof *all->call);
        all->capacity = grown;
    }
    kernel_call *made = &all->call[all->count];
    *made = (kernel_call){
        .p = run->ranks, .d = event->amount, .seconds = (double)(event->end - begin) * 1e-9, .order = all->count};
    bmf_kernel_operation(bmf_kernel_call(run, event->node), run->name[event->name], made->operation);
    all->count++;
}

static void walk(const bmf_run *run, calls *all)
{
    walk_key *key = bmf_allocate((run->events + 1) * (int64_t)sizeof *key);
    for (int64_t k = 0; k < run->events; k++)
        key[k] = (walk_key){run->lane_rank[run->event[k].lane], &run->event[k]};
    qsort(key, (size_t)run->events, sizeof *key, by_walk);
    int64_t base = 0, last = 0;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = key[k].event;
        if (k == 0 || key[k].rank != key[k - 1].rank)
            base = last = 0;
        if (is_container(event)) {
            if (event->node != 0 && run->node[event->node].parent == 0)
                base = event->begin;
            continue;
        }
        int64_t begin = last > base ? last : base;
        if (event->kind == BMF_EVENT_KERNEL)
            add_call(all, run, event, begin > 0 && begin < event->begin ? begin : event->begin);
        last = event->end > last ? event->end : last;
    }
    free(key);
}

/* ---- grouping ---- */

static int compare_points(const kernel_call *x, const kernel_call *y)
{
    int name = strcmp(x->operation, y->operation);
    if (name)
        return name;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return (x->d > y->d) - (x->d < y->d);
}

static int by_point(const void *a, const void *b)
{
    const kernel_call *x = a, *y = b;
    int point = compare_points(x, y);
    return point ? point : (x->order > y->order) - (x->order < y->order);
}

static bmf_samples *group_calls(calls *all, int threads)
{
    bmf_samples *samples = bmf_allocate_clear(1, (int64_t)sizeof *samples);
    samples->sample = bmf_allocate_clear(all->count, (int64_t)sizeof *samples->sample);
    qsort(all->call, (size_t)all->count, sizeof *all->call, by_point);
    for (int64_t begin = 0, end; begin < all->count; begin = end) {
        const kernel_call *first = &all->call[begin];
        end = begin + 1;
        while (end < all->count && end - begin < BMF_SAMPLE_REPEATS && compare_points(first, &all->call[end]) == 0)
            end++;
        bmf_sample *sample = &samples->sample[samples->count++];
        *sample = (bmf_sample){.family = BMF_FAMILY_LOCAL,
                               .p = first->p,
                               .d = first->d,
                               .element_bytes = 1,
                               .threads = threads,
                               .repeats = (int32_t)(end - begin),
                               .seconds = bmf_allocate((end - begin) * (int64_t)sizeof(double))};
        memcpy(sample->operation, first->operation, sizeof sample->operation);
        for (int64_t k = begin; k < end; k++)
            sample->seconds[k - begin] = all->call[k].seconds;
        while (end < all->count && compare_points(first, &all->call[end]) == 0)
            end++; /* more repetitions than a sample holds say nothing new */
    }
    return samples;
}

static void fill_header(const bmf_run *run, bmf_samples_header *header)
{
    time_t now = time(NULL);
    struct tm utc;
    *header = (bmf_samples_header){.ranks = run->ranks, .threads = run->threads, .cores = 1, .tick_seconds = 1e-9};
    snprintf(header->machine, sizeof header->machine, "%s", run->machine);
    snprintf(header->mpi, sizeof header->mpi, "not said");
    snprintf(header->version, sizeof header->version, "not said");
    snprintf(header->clock, sizeof header->clock, "trace");
    snprintf(header->options, sizeof header->options, "kernels of %.200s", run->program);
    strftime(header->date, sizeof header->date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

int bmf_kernel_samples(int runs, bmf_run *const *run, bmf_samples **samples)
{
    calls all = {0};
    for (int k = 0; k < runs; k++) {
        if (run[k]->predicted)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "a predicted run has no times of kernels to learn from");
        if (run[k]->threads != run[0]->threads)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                            "the traces are of runs with %d and with %d threads a rank; make a sheet for each",
                            run[0]->threads, run[k]->threads);
    }
    for (int k = 0; k < runs; k++)
        walk(run[k], &all);
    if (all.count == 0) {
        free(all.call);
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "there is no kernel in the trace%s", runs > 1 ? "s" : "");
    }
    *samples = group_calls(&all, run[0]->threads);
    fill_header(run[0], &(*samples)->header);
    (*samples)->complete = true;
    free(all.call);
    return BMF_OK;
}
