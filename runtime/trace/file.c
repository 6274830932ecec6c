/* Writing trace files, from one process or from all ranks: docs/trace-format.md.
 *
 * Method: a file header, one header per run, then per run the texts, nodes, ranks of the lanes and events, each section
 * at an offset that follows from the sizes in the headers. Event records stand in the file as they stand in memory, so
 * that writing them is one pwrite per rank. A file appears whole or not at all (runtime/base/output_file.h). Cost:
 * the bytes of the file, once; a parallel write adds an allgather of 6 numbers, the broadcast of a name and three
 * agreements; more only when ranks have named things differently (unite.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/backend/backend.h"
#include "runtime/backend/shared_path.h"
#include "runtime/base/output_file.h"
#include "runtime/trace/format.h"
#include "runtime/trace/unite.h"
#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"

static int64_t text_bytes(const bmf_trace_run *run)
{
    size_t bytes = strlen(run->program) + 1 + strlen(run->machine) + 1;
    for (uint32_t k = 0; k < run->names; k++)
        bytes += strlen(run->name[k]) + 1;
    return (int64_t)bytes;
}

static trace_run_header header_of(const bmf_trace_run *run)
{
    return (trace_run_header){.predicted = (uint32_t)run->predicted,
                              .lanes = run->lanes,
                              .ranks = run->ranks,
                              .threads = run->threads,
                              .names = run->names,
                              .nodes = run->nodes,
                              .text_bytes = text_bytes(run),
                              .events = run->events,
                              .dropped = run->dropped,
                              .agreement = run->agreement};
}

/* ---- writing ---- */

/* errno of the failure, or 0. */
static int write_at(int file, const void *data, int64_t bytes, int64_t offset)
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
    int failure = write_at(file, text, bytes, offset);
    free(text);
    return failure;
}

/* Everything of a run but its events. */
static int write_tables(int file, const bmf_trace_run *run, const trace_run_header *header, const trace_layout *at)
{
    int failure = write_text(file, run, header->text_bytes, at->text);
    if (!failure)
        failure = write_at(file, run->node, (int64_t)sizeof *run->node * header->nodes, at->nodes);
    if (!failure)
        failure = write_at(file, run->lane_rank, (int64_t)sizeof *run->lane_rank * header->lanes, at->lanes);
    return failure;
}

/* Gives the file its full length at once, so that a full disk and sections nobody writes are settled early. */
static int write_headers(int file, const trace_run_header *header, uint32_t runs, int64_t file_bytes)
{
    trace_file_header start = {.version = TRACE_VERSION, .runs = runs, .file_bytes = file_bytes};
    memcpy(start.magic, TRACE_MAGIC, sizeof start.magic);
    if (ftruncate(file, file_bytes) != 0)
        return errno;
    int failure = write_at(file, &start, sizeof start, 0);
    return failure ? failure : write_at(file, header, (int64_t)sizeof *header * runs, sizeof start);
}

static int write_runs(int file, const bmf_trace *trace)
{
    trace_run_header header[TRACE_MAX_RUNS];
    trace_layout at[TRACE_MAX_RUNS];
    int64_t offset = trace_first_section((uint32_t)trace->runs);
    for (int k = 0; k < trace->runs; k++) {
        header[k] = header_of(trace->run[k]);
        at[k] = trace_layout_of(&header[k], TRACE_VERSION, offset);
        offset = trace_aligned(at[k].end);
    }
    int failure = write_headers(file, header, (uint32_t)trace->runs, offset);
    for (int k = 0; k < trace->runs && !failure; k++) {
        failure = write_tables(file, trace->run[k], &header[k], &at[k]);
        if (!failure)
            failure = write_at(file, trace->run[k]->event, at[k].end - at[k].events, at[k].events);
    }
    return failure;
}

static int fail_write(bmf_context *ctx, const char *path, int failure)
{
    return bmf_fail(ctx, BMF_ERROR_FILE, "cannot write trace '%s': %s", path, strerror(failure));
}

/* Opens a file for a trace; devices and pipes cannot be written to in any order. */
static int open_output(bmf_context *ctx, const char *path, bmf_output_file *output)
{
    int failure = output_file_open_regular(output, path);
    if (failure == ESPIPE)
        return bmf_fail(ctx, BMF_ERROR_FILE, "cannot write trace '%s': is not a regular file", path);
    return failure ? fail_write(ctx, path, failure) : BMF_OK;
}

int trace_write(bmf_context *ctx, const bmf_trace *trace, const char *path)
{
    if (trace->runs < 1 || trace->runs > TRACE_MAX_RUNS)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a trace has one or two runs, not %d", trace->runs);
    for (int k = 0; k < trace->runs; k++)
        if (run_sort(trace->run[k]) != BMF_OK)
            return bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory to sort the events of trace '%s'", path);
    bmf_output_file output;
    BMF_TRY(open_output(ctx, path, &output));
    int failure = output_file_close(&output, write_runs(output.file, trace));
    return failure ? fail_write(ctx, path, failure) : BMF_OK;
}

/* ---- writing in parallel ---- */

/* What ranks tell each other before they write. */
enum { SHARED_EVENTS, SHARED_DROPPED, SHARED_NAMES, SHARED_NODES, SHARED_TEXT, SHARED_HASH, SHARED_COUNT };

typedef struct part {
    trace_run_header header; /* of the whole file */
    trace_layout at;
    int64_t first_event; /* of this rank */
    bool same_tables;    /* all ranks have the same names and nodes */
} part;

/* Over all names and nodes. */
static int64_t hash_tables(const bmf_trace_run *run)
{
    uint64_t hash = HASH_START;
    for (uint32_t k = 0; k < run->names; k++)
        hash = hash_bytes(hash, run->name[k], strlen(run->name[k]) + 1);
    return (int64_t)hash_bytes(hash, run->node, run->nodes * sizeof *run->node);
}

static int collect_parts(bmf_context *ctx, const bmf_trace_run *run, part *mine)
{
    int64_t all_count = (int64_t)SHARED_COUNT * ctx->ranks;
    int64_t *all = allocate_array(all_count, (int64_t)sizeof *all);
    int64_t values[SHARED_COUNT] = {run->events, run->dropped,    run->names,
                                    run->nodes,  text_bytes(run), hash_tables(run)};
    int status = ctx->backend->allgather(ctx, values, SHARED_COUNT, NULL, all);
    *mine = (part){.header = header_of(run), .same_tables = true};
    mine->header.events = mine->header.dropped = 0;
    for (int rank = 0; status == BMF_OK && rank < ctx->ranks; rank++) {
        const int64_t *of = all + (int64_t)rank * SHARED_COUNT;
        if (rank == ctx->rank)
            mine->first_event = mine->header.events;
        mine->header.events += of[SHARED_EVENTS];
        mine->header.dropped += of[SHARED_DROPPED];
        mine->same_tables = mine->same_tables && of[SHARED_NAMES] == all[SHARED_NAMES] &&
                            of[SHARED_NODES] == all[SHARED_NODES] && of[SHARED_TEXT] == all[SHARED_TEXT] &&
                            of[SHARED_HASH] == all[SHARED_HASH];
    }
    mine->at = trace_layout_of(&mine->header, TRACE_VERSION, trace_first_section(1));
    free(all);
    return status;
}

/* On rank 0: the file with everything but events. */
static int create_shared(bmf_context *ctx, const bmf_trace_run *run, const part *mine, const char *path,
                         bmf_output_file *output)
{
    BMF_TRY(open_output(ctx, path, output));
    int failure = write_headers(output->file, &mine->header, 1, trace_aligned(mine->at.end));
    if (!failure)
        failure = write_tables(output->file, run, &mine->header, &mine->at);
    return failure ? fail_write(ctx, path, failure) : BMF_OK;
}

/* This rank's events, into the file of that name. */
static int write_events(bmf_context *ctx, const bmf_trace_run *run, const part *mine, const char *written,
                        const char *path)
{
    const int64_t size = (int64_t)sizeof *run->event;
    int file = open(written, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return bmf_fail(ctx, BMF_ERROR_FILE, "rank %d cannot open '%s' (do all ranks share its folder?): %s", ctx->rank,
                        written, strerror(errno));
    int failure = write_at(file, run->event, run->events * size, mine->at.events + mine->first_event * size);
    if (close(file) != 0 && !failure)
        failure = errno;
    return failure ? fail_write(ctx, path, failure) : BMF_OK;
}

static int write_shared(bmf_context *ctx, const bmf_trace_run *run, const part *mine, const char *path,
                        bmf_output_file *output)
{
    const bool root = ctx->rank == 0;
    char written[BMF_SHARED_PATH];
    int status = root ? create_shared(ctx, run, mine, path, output) : BMF_OK, failure = 0;
    BMF_TRY(share_path(ctx, status, output->written, written));
    BMF_TRY(bmf_agree(ctx, write_events(ctx, run, mine, written, path)));
    if (root)
        failure = output_file_close(output, 0);
    return bmf_agree(ctx, failure ? fail_write(ctx, path, failure) : BMF_OK);
}

static int write_part(bmf_context *ctx, const bmf_trace_run *run, const part *mine, const char *path)
{
    bmf_output_file output = {.file = -1};
    int status = write_shared(ctx, run, mine, path, &output);
    output_file_close(&output, ECANCELED); /* nothing is open any more after success */
    return status;
}

int trace_write_parallel(bmf_context *ctx, bmf_trace_run *run, const char *path)
{
    part mine;
    int status = BMF_OK;
    if (run_sort(run) != BMF_OK)
        status = bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory to write trace '%s'", path);
    status = bmf_agree(ctx, status);
    if (status == BMF_OK)
        status = collect_parts(ctx, run, &mine);
    if (status == BMF_OK && !mine.same_tables) {
        status = run_unite(ctx, run);
        if (status == BMF_OK)
            status = bmf_agree(ctx, run_sort(run));
        if (status == BMF_OK)
            status = collect_parts(ctx, run, &mine);
    }
    if (status == BMF_OK && !mine.same_tables)
        status = bmf_fail(ctx, BMF_ERROR_INTERNAL, "ranks named the nodes of trace '%s' differently", path);
    if (status == BMF_OK)
        status = write_part(ctx, run, &mine, path);
    return status;
}
