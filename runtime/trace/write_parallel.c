/* Writing a trace file from all ranks together: docs/trace-format.md.
 *
 * Method: rank 0 writes everything but the events, each rank its own, at an offset that follows from all sizes. A file
 * appears whole or not at all (runtime/base/output_file.h). Cost: the bytes of the file, once, an allgather of 8
 * numbers, the broadcast of a name and three agreements; more only when ranks have named things differently (unite.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/backend/backend.h"
#include "runtime/backend/shared_path.h"
#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"
#include "runtime/base/output_file.h"
#include "runtime/trace/unite.h"
#include "runtime/trace/works.h"
#include "runtime/trace/write.h"

/* What ranks tell each other before they write. */
enum {
    SHARED_EVENTS,
    SHARED_DROPPED,
    SHARED_NAMES,
    SHARED_NODES,
    SHARED_TEXT,
    SHARED_HASH,
    SHARED_WORKS,
    SHARED_HELDS,
    SHARED_COUNT
};

typedef struct part {
    trace_run_header header; /* of the whole file */
    trace_layout at;
    int64_t first_event;        /* of this rank */
    trace_counts counts, first; /* of all ranks, of those before this one */
    bool same_tables;           /* all ranks have the same names and nodes */
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
    int64_t values[SHARED_COUNT] = {run->events,           run->dropped,     run->names, run->nodes,
                                    trace_text_bytes(run), hash_tables(run), run->works, run->helds};
    int status = ctx->backend->allgather(ctx, values, SHARED_COUNT, NULL, all);
    *mine = (part){.header = trace_header_of(run), .same_tables = true};
    mine->header.events = mine->header.dropped = 0;
    for (int rank = 0; status == BMF_OK && rank < ctx->ranks; rank++) {
        const int64_t *of = all + (int64_t)rank * SHARED_COUNT;
        if (rank == ctx->rank)
            mine->first_event = mine->header.events, mine->first = mine->counts;
        mine->counts.works += of[SHARED_WORKS];
        mine->counts.helds += of[SHARED_HELDS];
        mine->header.events += of[SHARED_EVENTS];
        mine->header.dropped += of[SHARED_DROPPED];
        mine->same_tables = mine->same_tables && of[SHARED_NAMES] == all[SHARED_NAMES] &&
                            of[SHARED_NODES] == all[SHARED_NODES] && of[SHARED_TEXT] == all[SHARED_TEXT] &&
                            of[SHARED_HASH] == all[SHARED_HASH];
    }
    mine->at = trace_layout_of(&mine->header, mine->counts, TRACE_VERSION, trace_first_section(1));
    free(all);
    return status;
}

/* On rank 0: the file with everything but events. */
static int create_shared(bmf_context *ctx, const bmf_trace_run *run, const part *mine, const char *path,
                         bmf_output_file *output)
{
    BMF_TRY(trace_open_output(ctx, path, output));
    int failure = trace_write_headers(output->file, &mine->header, &mine->counts, 1, trace_aligned(mine->at.end));
    if (!failure)
        failure = trace_write_tables(output->file, run, &mine->header, &mine->at);
    return failure ? trace_fail_write(ctx, path, failure) : BMF_OK;
}

/* This rank's events and works, into the file of that name. */
static int write_events(bmf_context *ctx, const bmf_trace_run *run, const part *mine, const char *written,
                        const char *path)
{
    const int64_t size = (int64_t)sizeof *run->event;
    int file = open(written, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return bmf_fail(ctx, BMF_ERROR_FILE, "rank %d cannot open '%s' (do all ranks share its folder?): %s", ctx->rank,
                        written, strerror(errno));
    int failure = trace_write_at(file, run->event, run->events * size, mine->at.events + mine->first_event * size);
    if (!failure)
        failure = trace_write_at(file, run->work, run->works * (int64_t)sizeof *run->work,
                                 mine->at.works + mine->first.works * (int64_t)sizeof *run->work);
    if (!failure)
        failure = trace_write_at(file, run->held, run->helds * (int64_t)sizeof *run->held,
                                 mine->at.helds + mine->first.helds * (int64_t)sizeof *run->held);
    if (close(file) != 0 && !failure)
        failure = errno;
    return failure ? trace_fail_write(ctx, path, failure) : BMF_OK;
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
    return bmf_agree(ctx, failure ? trace_fail_write(ctx, path, failure) : BMF_OK);
}

static int write_part(bmf_context *ctx, const bmf_trace_run *run, const part *mine, const char *path)
{
    bmf_output_file output = {.file = -1};
    int status = write_shared(ctx, run, mine, path, &output);
    output_file_close(&output, ECANCELED); /* nothing is open any more after success */
    return status;
}

static int write_together(bmf_context *ctx, bmf_trace_run *run, const char *path)
{
    part mine;
    int status = BMF_OK;
    run_sort_works(run);
    run_sort_helds(run);
    if (run_sort(run) != BMF_OK)
        status = bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory to write trace '%s'", path);
    status = bmf_agree(ctx, status);
    if (status == BMF_OK)
        status = collect_parts(ctx, run, &mine);
    if (status == BMF_OK && !mine.same_tables) {
        status = run_unite(ctx, run);
        if (status == BMF_OK)
            status = bmf_agree(ctx, run_sort(run));
        run_sort_works(run);
        if (status == BMF_OK)
            status = collect_parts(ctx, run, &mine);
    }
    if (status == BMF_OK && !mine.same_tables)
        status = bmf_fail(ctx, BMF_ERROR_INTERNAL, "ranks named the nodes of trace '%s' differently", path);
    if (status == BMF_OK)
        status = write_part(ctx, run, &mine, path);
    return status;
}

/* What ranks agree on meanwhile does not belong to the run. */
int trace_write_parallel(bmf_context *ctx, bmf_trace_run *run, const char *path)
{
    bmf_trace_run *recorded = recording_pause(ctx);
    const int status = write_together(ctx, run, path);
    recording_resume(ctx, recorded);
    return status;
}
