/* Writing trace files from one process: docs/trace-format.md.
 *
 * Method: a file header, one header per run, then per run the texts, nodes, ranks of the lanes and events, each section
 * at an offset that follows from the sizes in the headers. Event records stand in the file as they stand in memory, so
 * that writing them is one pwrite per rank. A file appears whole or not at all (runtime/base/output_file.h). Cost:
 * the bytes of the file, once; a parallel write adds an allgather of 7 numbers, the broadcast of a name and three
 * agreements; more only when ranks have named things differently (unite.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/output_file.h"
#include "runtime/trace/works.h"
#include "runtime/trace/write.h"
#include "runtime/base/allocate.h"

int64_t trace_text_bytes(const bmf_trace_run *run)
{
    size_t bytes = strlen(run->program) + 1 + strlen(run->machine) + 1;
    for (uint32_t k = 0; k < run->names; k++)
        bytes += strlen(run->name[k]) + 1;
    return (int64_t)bytes;
}

trace_run_header trace_header_of(const bmf_trace_run *run)
{
    return (trace_run_header){.predicted = (uint32_t)run->predicted,
                              .lanes = run->lanes,
                              .ranks = run->ranks,
                              .threads = run->threads,
                              .names = run->names,
                              .nodes = run->nodes,
                              .text_bytes = trace_text_bytes(run),
                              .events = run->events,
                              .dropped = run->dropped,
                              .agreement = run->agreement,
                              .recorded = trace_recorded_bytes(run)};
}

/* ---- writing ---- */

/* errno of the failure, or 0. */
int trace_write_at(int file, const void *data, int64_t bytes, int64_t offset)
{
    const char *from = data;
    while (bytes > 0) {
        ssize_t done = pwrite(file, from, bytes < (1 << 30) ? (size_t)bytes : (size_t)1 << 30, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : ENOSPC;
        from += done;
        bytes -= done;
        offset += done;
    }
    return 0;
}

static char *append(char *to, const char *text)
{
    size_t size = strlen(text) + 1;
    memcpy(to, text, size);
    return to + size;
}

static int write_text(int file, const bmf_trace_run *run, int64_t bytes, int64_t offset)
{
    char *text = allocate(bytes);
    char *to = append(append(text, run->program), run->machine);
    for (uint32_t k = 0; k < run->names; k++)
        to = append(to, run->name[k]);
    int failure = trace_write_at(file, text, bytes, offset);
    free(text);
    return failure;
}

/* Everything of a run but its events. */
int trace_write_tables(int file, const bmf_trace_run *run, const trace_run_header *header, const trace_layout *at)
{
    int failure = write_text(file, run, header->text_bytes, at->text);
    if (!failure)
        failure = trace_write_at(file, run->node, (int64_t)sizeof *run->node * header->nodes, at->nodes);
    if (!failure)
        failure = trace_write_at(file, run->lane_rank, (int64_t)sizeof *run->lane_rank * header->lanes, at->lanes);
    return failure;
}

/* Gives the file its full length at once, so that a full disk and sections nobody writes are settled early. */
int trace_write_headers(int file, const trace_run_header *header, const trace_counts *counts, uint32_t runs,
                        int64_t file_bytes)
{
    trace_file_header start = {.version = TRACE_VERSION, .runs = runs, .file_bytes = file_bytes};
    for (uint32_t k = 0; k < runs; k++) {
        start.works[k] = counts[k].works;
        start.helds[k] = counts[k].helds;
    }
    memcpy(start.magic, TRACE_MAGIC, sizeof start.magic);
    if (ftruncate(file, file_bytes) != 0)
        return errno;
    int failure = trace_write_at(file, &start, sizeof start, 0);
    return failure ? failure : trace_write_at(file, header, (int64_t)sizeof *header * runs, sizeof start);
}

static int write_runs(int file, const bmf_trace *trace)
{
    trace_run_header header[TRACE_MAX_RUNS];
    trace_layout at[TRACE_MAX_RUNS];
    trace_counts counts[TRACE_MAX_RUNS];
    int64_t offset = trace_first_section((uint32_t)trace->runs);
    for (int k = 0; k < trace->runs; k++) {
        header[k] = trace_header_of(trace->run[k]);
        run_sort_works(trace->run[k]);
        run_sort_helds(trace->run[k]);
        counts[k] = (trace_counts){trace->run[k]->works, trace->run[k]->helds};
        at[k] = trace_layout_of(&header[k], counts[k], TRACE_VERSION, offset);
        offset = trace_aligned(at[k].end);
    }
    int failure = trace_write_headers(file, header, counts, (uint32_t)trace->runs, offset);
    for (int k = 0; k < trace->runs && !failure; k++) {
        failure = trace_write_tables(file, trace->run[k], &header[k], &at[k]);
        if (!failure)
            failure = trace_write_at(file, trace->run[k]->event, at[k].events_end - at[k].events, at[k].events);
        if (!failure && header[k].recorded > 0)
            failure = trace_write_recorded(file, trace->run[k], at[k].recorded);
        if (!failure)
            failure = trace_write_at(file, trace->run[k]->work, counts[k].works * (int64_t)sizeof(bmf_trace_work),
                                     at[k].works);
        if (!failure)
            failure = trace_write_at(file, trace->run[k]->held, at[k].end - at[k].helds, at[k].helds);
    }
    return failure;
}

int trace_fail_write(bmf_context *ctx, const char *path, int failure)
{
    return bmf_fail(ctx, BMF_ERROR_FILE, "cannot write trace '%s': %s", path, strerror(failure));
}

/* Opens a file for a trace; devices and pipes cannot be written to in any order. */
int trace_open_output(bmf_context *ctx, const char *path, bmf_output_file *output)
{
    int failure = output_file_open_regular(output, path);
    if (failure == ESPIPE)
        return bmf_fail(ctx, BMF_ERROR_FILE, "cannot write trace '%s': is not a regular file", path);
    return failure ? trace_fail_write(ctx, path, failure) : BMF_OK;
}

int trace_try_path(bmf_context *ctx, const char *path)
{
    bmf_output_file output;
    BMF_TRY(trace_open_output(ctx, path, &output));
    output_file_close(&output, ECANCELED);
    return BMF_OK;
}

int trace_write(bmf_context *ctx, const bmf_trace *trace, const char *path)
{
    if (trace->runs < 1 || trace->runs > TRACE_MAX_RUNS)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a trace has one or two runs, not %d", trace->runs);
    for (int k = 0; k < trace->runs; k++)
        if (run_sort(trace->run[k]) != BMF_OK)
            return bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory to sort the events of trace '%s'", path);
    bmf_output_file output;
    BMF_TRY(trace_open_output(ctx, path, &output));
    int failure = output_file_close(&output, write_runs(output.file, trace));
    return failure ? trace_fail_write(ctx, path, failure) : BMF_OK;
}
