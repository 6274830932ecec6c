/* The RAW file of a measurement (predict/sheet/samples.h): going on where one was interrupted, and writing it.
 *
 * Method: the first rank keeps all repetitions and writes the whole file anew after every pass, under another name that
 * then takes the file's. Samples that the file held before and that are not asked for now stay in it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "predict/measure/measure_private.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/clock.h"
#include "runtime/base/output_file.h"

/* ---- header ---- */

static void describe_machine(char *text, size_t size, int cores)
{
    char line[BMF_SAMPLE_TEXT], host[64] = "", model[128] = "unknown processor";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (value && strncmp(line, "model name", 10) == 0) {
            snprintf(model, sizeof model, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
            break;
        }
    }
    if (file)
        fclose(file);
    gethostname(host, sizeof host - 1);
    snprintf(text, size, "%s, %s, %d cores", host, model, cores);
}

/* The beginning of what MPI says about itself: "MPICH Version: 4.0.2" becomes "MPICH 4.0.2", and of "Open MPI v4.1.4,
 * package: .." the commas and what is behind them are left out. */
static void describe_mpi(char *text, size_t size)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, at = 0;
    MPI_Get_library_version(library, &length);
    const char *version = strstr(library, "Version:");
    if (!version)
        library[strcspn(library, ",")] = '\0';
    for (; library[at] && library[at] != '\n' && !(version && library + at == version); at++)
        ;
    while (at > 0 && (library[at - 1] == ' ' || library[at - 1] == '\t'))
        at--;
    if (version)
        version += strlen("Version:") + strspn(version + strlen("Version:"), " \t");
    snprintf(text, size, "%.*s%s%.*s", at, library, version ? " " : "", version ? (int)strcspn(version, "\n") : 0,
             version ? version : "");
}

/* The smallest step of the clock that was seen. */
static double find_tick(void)
{
    enum { READINGS = 1000 };
    int64_t min = 0;
    for (int k = 0; k < READINGS; k++) {
        const int64_t begin = monotonic_ns();
        int64_t end = begin;
        while (end == begin)
            end = monotonic_ns();
        min = min == 0 || end - begin < min ? end - begin : min;
    }
    return 1e-9 * (double)min;
}

static void fill_header(const bmf_context *ctx, const bmf_measure_options *o, bmf_samples_header *h)
{
    const time_t now = time(NULL);
    struct tm parts;
    *h = (bmf_samples_header){
        .ranks = ctx->ranks, .threads = ctx->threads, .cores = ctx->node_cores, .tick_seconds = find_tick()};
    describe_machine(h->machine, sizeof h->machine, ctx->node_cores);
    strftime(h->date, sizeof h->date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    snprintf(h->version, sizeof h->version, "%s", o->version);
    describe_mpi(h->mpi, sizeof h->mpi);
    snprintf(h->clock, sizeof h->clock, "%s", measure_clock_name(o->clock));
    snprintf(h->options, sizeof h->options, "--factor %d, %s calls", o->factor,
             ctx->oversubscribed ? "polite non-blocking" : "blocking");
}

/* ---- resuming ---- */

static bool is_of(const bmf_sample *sample, const measure_point *point)
{
    return sample->p == point->p && sample->d == point->elements && sample->cached == point->cached &&
           strcmp(sample->operation, point->operation->name) == 0;
}

static void take_over(const bmf_samples *old, measure_plan *plan)
{
    for (int64_t i = 0; i < plan->count; i++) {
        measure_point *point = &plan->point[i];
        const bmf_sample *sample = samples_find(old, point->operation->name, point->cached, point->p, point->elements);
        if (!sample)
            continue;
        if (sample->repeats > plan->repeats)
            point->seconds =
                reallocate_array(point->seconds, plan->repeats, sample->repeats, (int64_t)sizeof *point->seconds);
        point->count = sample->repeats;
        memcpy(point->seconds, sample->seconds, (size_t)point->count * sizeof(double));
    }
}

static int read_old(measure_record *record, measure_plan *plan)
{
    bmf_samples_file *file = NULL;
    struct stat about;
    if (stat(record->options->output, &about) != 0 && errno == ENOENT)
        return BMF_OK;
    BMF_TRY(samples_resume(record->options->output, &record->header, &record->old, &file));
    samples_close(file, false);
    take_over(record->old, plan);
    return BMF_OK;
}

/* Texts of predict/sheet/samples.h stand in the process-wide slot. */
static int with_message(bmf_context *ctx, int status)
{
    return status == BMF_OK ? BMF_OK : bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
}

static int old_factor(const bmf_measure_options *options, int *factor)
{
    bmf_samples *old;
    struct stat about;
    *factor = 0;
    if (!options->resume || (stat(options->output, &about) != 0 && errno == ENOENT))
        return BMF_OK;
    BMF_TRY(samples_read(options->output, true, &old));
    if (sscanf(old->header.options, "--factor %d", factor) != 1)
        *factor = 0;
    samples_free(old);
    return BMF_OK;
}

int measure_record_factor(bmf_context *ctx, const bmf_measure_options *options, int *factor)
{
    *factor = 0;
    const int status = ctx->rank == 0 ? with_message(ctx, old_factor(options, factor)) : BMF_OK;
    BMF_TRY(bmf_agree(ctx, status));
    return ctx->backend->bcast(ctx, 0, factor, sizeof *factor);
}

int measure_record_open(bmf_context *ctx, const bmf_measure_options *options, measure_plan *plan,
                        measure_record *record)
{
    *record = (measure_record){.options = options};
    int status = BMF_OK;
    if (ctx->rank == 0) {
        fill_header(ctx, options, &record->header);
        if (options->resume)
            status = with_message(ctx, read_old(record, plan));
    }
    BMF_TRY(bmf_agree(ctx, status));
    int64_t *counts = allocate((plan->count + 1) * (int64_t)sizeof *counts);
    for (int64_t i = 0; i < plan->count; i++)
        counts[i] = plan->point[i].count;
    status = ctx->backend->bcast(ctx, 0, counts, plan->count * (int64_t)sizeof *counts);
    for (int64_t i = 0; i < plan->count; i++)
        plan->point[i].count = (int)counts[i];
    free(counts);
    return status;
}

void measure_record_close(measure_record *record)
{
    samples_free(record->old);
    record->old = NULL;
}

/* ---- saving ---- */

static int write_point(bmf_samples_file *file, const bmf_context *ctx, const measure_point *point)
{
    const measure_operation *operation = point->operation;
    const bool threads = operation->family == BMF_FAMILY_THREADS;
    if (point->count == 0)
        return BMF_OK;
    bmf_sample sample = {.family = operation->family,
                         .cached = point->cached,
                         .p = point->p,
                         .d = point->elements,
                         .element_bytes = operation->max == 0 ? 1 : MEASURE_WORD,
                         .threads = threads ? 1 : ctx->threads,
                         .repeats = point->count,
                         .seconds = point->seconds};
    snprintf(sample.operation, sizeof sample.operation, "%s", operation->name);
    return samples_append(file, &sample);
}

static bool is_planned(const measure_plan *plan, const bmf_sample *sample)
{
    for (int64_t i = 0; i < plan->count; i++)
        if (plan->point[i].count > 0 && is_of(sample, &plan->point[i]))
            return true;
    return false;
}

/* The samples of before that this measurement does not hold. */
static int write_old(bmf_samples_file *file, const measure_record *record, const measure_plan *plan)
{
    for (int64_t i = 0; record->old && i < record->old->count; i++)
        if (!is_planned(plan, &record->old->sample[i]))
            BMF_TRY(samples_append(file, &record->old->sample[i]));
    return BMF_OK;
}

static int write_skips(bmf_samples_file *file, const measure_record *record, const measure_limits *limits)
{
    const measure_operation *operation[MEASURE_MAX_OPERATIONS];
    const int count = measure_operations(operation);
    for (int k = 0; k < count; k++) {
        const char *unsupported_reason = measure_unsupported_reason(operation[k], limits);
        if (unsupported_reason && measure_is_listed(record->options->operations, operation[k]))
            BMF_TRY(samples_skip(file, operation[k]->name, unsupported_reason));
    }
    return BMF_OK;
}

static int write_all(bmf_samples_file *file, const bmf_context *ctx, const measure_record *record,
                     const measure_plan *plan, const measure_limits *limits)
{
    BMF_TRY(write_old(file, record, plan));
    for (int64_t i = 0; i < plan->count; i++)
        BMF_TRY(write_point(file, ctx, &plan->point[i]));
    return write_skips(file, record, limits);
}

static int save(const bmf_context *ctx, const measure_record *record, const measure_plan *plan,
                const measure_limits *limits, bool complete)
{
    const char *path = record->options->output;
    bmf_output_file output;
    int failure = output_file_open_regular(&output, path);
    if (failure)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot write '%s': %s", path, strerror(failure));
    bmf_samples_file *file = NULL;
    int status = samples_create(output.written, &record->header, &file);
    if (status == BMF_OK) {
        status = write_all(file, ctx, record, plan, limits);
        const int closed = samples_close(file, complete && status == BMF_OK);
        status = status == BMF_OK ? closed : status;
    }
    failure = output_file_close(&output, status == BMF_OK ? 0 : ECANCELED);
    if (status == BMF_OK && failure)
        status = bmf_fail(NULL, BMF_ERROR_FILE, "cannot write '%s': %s", path, strerror(failure));
    return status;
}

int measure_record_save(bmf_context *ctx, const measure_record *record, const measure_plan *plan,
                        const measure_limits *limits, bool complete)
{
    int status = BMF_OK;
    if (ctx->rank == 0)
        status = with_message(ctx, save(ctx, record, plan, limits, complete));
    return bmf_agree(ctx, status);
}
