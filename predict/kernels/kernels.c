/* Samples of kernels and messages from traces: names, and putting repetitions together.
 *
 * Method: kernel_walk.c and kernel_messages.c say what took how long; times are grouped by operation, ranks and size.
 * Cost: n log n over the events.
 */
#include "predict/kernels/kernels_private.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "bmf/status.h"

const char *kernel_call(const bmf_trace_run *run, uint32_t node)
{
    return run->node[node].kind == BMF_EVENT_SKELETON ? run->name[run->node[node].name] : NULL;
}

char *kernel_operation(const char *call, const char *kernel, char *operation)
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

char *kernel_preparation(const char *kernel, char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%.500s.before", kernel);
    return kernel_operation(NULL, whole, text);
}

void kernel_times_add(bmf_kernel_times *all, const char *operation, bmf_family family, int32_t p, int64_t d,
                      const bmf_kernel_work *work, int64_t nanoseconds)
{
    ARRAY_RESERVE(all->time, all->capacity, all->count + 1);
    bmf_kernel_time *made = &all->time[all->count];
    *made = (bmf_kernel_time){.family = family,
                              .p = p,
                              .d = d,
                              .seconds = (double)(nanoseconds > 0 ? nanoseconds : 0) * 1e-9,
                              .order = all->count,
                              .run = all->run,
                              .work = work ? *work : (bmf_kernel_work){0}};
    snprintf(made->operation, sizeof made->operation, "%s", operation);
    all->count++;
}

/* ---- grouping ---- */

static int compare_points(const bmf_kernel_time *x, const bmf_kernel_time *y)
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
    const bmf_kernel_time *x = a, *y = b;
    int point = compare_points(x, y);
    return point ? point : (x->order > y->order) - (x->order < y->order);
}

static bmf_samples *group_times(bmf_kernel_times *all, int threads)
{
    bmf_samples *samples = allocate_clear(1, (int64_t)sizeof *samples);
    samples->sample = allocate_clear(all->count, (int64_t)sizeof *samples->sample);
    qsort(all->time, (size_t)all->count, sizeof *all->time, by_point);
    for (int64_t begin = 0, end; begin < all->count; begin = end) {
        const bmf_kernel_time *first = &all->time[begin];
        end = begin + 1;
        while (end < all->count && end - begin < BMF_SAMPLE_REPEATS && compare_points(first, &all->time[end]) == 0)
            end++;
        bmf_sample *sample = &samples->sample[samples->count++];
        *sample = (bmf_sample){.family = first->family,
                               .p = first->p,
                               .d = first->d,
                               .element_bytes = first->family == BMF_FAMILY_COLLECTIVE ? 8 : 1,
                               .threads = threads,
                               .repeats = (int32_t)(end - begin),
                               .seconds = allocate((end - begin) * (int64_t)sizeof(double))};
        memcpy(sample->operation, first->operation, sizeof sample->operation);
        for (int64_t k = begin; k < end; k++)
            sample->seconds[k - begin] = all->time[k].seconds;
        while (end < all->count && compare_points(first, &all->time[end]) == 0)
            end++; /* more repetitions than a sample holds say nothing new */
    }
    return samples;
}

static void fill_header(const bmf_trace_run *run, bmf_samples_header *header)
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

static int collect_times(int runs, bmf_trace_run *const *run, bmf_kernel_times *all)
{
    int64_t kernels = 0;
    for (int k = 0; k < runs; k++) {
        if (run[k]->predicted)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "a predicted run has no times of kernels to learn from");
        if (run[k]->threads != run[0]->threads)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                            "the traces are of runs with %d and with %d threads a rank; make a sheet for each",
                            run[0]->threads, run[k]->threads);
    }
    for (int k = 0; k < runs; k++) {
        all->run = k;
        kernels += kernel_walk(run[k], all);
    }
    if (kernels == 0)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "there is no kernel in the trace%s", runs > 1 ? "s" : "");
    for (int k = 0; k < runs; k++) {
        all->run = k;
        kernel_messages(run[k], all);
    }
    return BMF_OK;
}

static bmf_samples *make_samples(int runs, bmf_trace_run *const *run, bmf_kernel_times *all)
{
    bmf_samples *samples = group_times(all, run[0]->threads);
    fill_header(run[0], &samples->header);
    for (int k = 1; k < runs; k++)
        if (run[k]->ranks > samples->header.ranks)
            samples->header.ranks = run[k]->ranks;
    samples->complete = true;
    return samples;
}

int kernel_samples(int runs, bmf_trace_run *const *run, bmf_samples **samples)
{
    bmf_kernel_times all = {0};
    const int status = collect_times(runs, run, &all);
    if (status == BMF_OK)
        *samples = make_samples(runs, run, &all);
    free(all.time);
    return status;
}

/* ---- sheets ---- */

/* Gives the operation of times [begin, end) its mechanism, if they say enough. */
static void fit_mechanism(bmf_sheet *sheet, const bmf_kernel_times *all, int64_t begin, int64_t end, int32_t threads)
{
    int64_t entries;
    bmf_mechanism found;
    bmf_sheet_entry *entry = (bmf_sheet_entry *)sheet_find(sheet, all->time[begin].operation, &entries);
    bmf_mechanism_time *time = allocate_array(end - begin, (int64_t)sizeof *time);
    for (int64_t k = begin; k < end; k++)
        time[k - begin] = (bmf_mechanism_time){all->time[k].work, all->time[k].p, threads, all->time[k].seconds};
    if (entry && mechanism_fit(&sheet->memory, end - begin, time, &found)) {
        entry->mechanism = allocate((int64_t)sizeof found);
        *entry->mechanism = found;
    }
    free(time);
}

static void fit_mechanisms(bmf_sheet *sheet, const bmf_kernel_times *all, int32_t threads)
{
    for (int64_t begin = 0, end; begin < all->count; begin = end) {
        for (end = begin + 1; end < all->count && strcmp(all->time[begin].operation, all->time[end].operation) == 0;)
            end++;
        fit_mechanism(sheet, all, begin, end, threads);
    }
}

int kernel_sheet(int runs, bmf_trace_run *const *run, const int32_t *session, const bmf_memory *memory,
                 bmf_kernel_sheet *made)
{
    bmf_kernel_times all = {0};
    bmf_samples *samples = NULL;
    bmf_sheet *sheet = NULL;
    int status = collect_times(runs, run, &all);
    if (status == BMF_OK) {
        samples = make_samples(runs, run, &all);
        status = sheet_fit(samples, &sheet);
    }
    if (status == BMF_OK) {
        snprintf(sheet->title, sizeof sheet->title, "kernels of %.200s", run[0]->program);
        if (memory)
            sheet_copy_memory(memory, &sheet->memory);
        fit_mechanisms(sheet, &all, run[0]->threads);
        kernel_spread(runs, run, session, &all, sheet);
        *made = (bmf_kernel_sheet){sheet, samples->count};
    }
    samples_free(samples);
    free(all.time);
    return status;
}
