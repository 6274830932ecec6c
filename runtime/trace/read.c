/* Reading trace files: docs/trace-format.md.
 *
 * Method: sizes are checked against the length of the file before anything is allocated or read, indices before
 * anything uses them, so that no file can do harm. Events that are not in the documented order are sorted. Cost: one
 * pass over the file and one over the events in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/trace/parts.h"
#include "runtime/trace/recorded.h"
#include "runtime/trace/works.h"
#include "runtime/base/allocate.h"

/* More ranks than processors are idle; so many are nobody's. */
enum { MAX_IDLE_RANKS = 1 << 20 };

typedef struct reader {
    bmf_context *ctx;
    const char *path;
    int file;
    int64_t bytes; /* of the file */
    uint32_t version;
} reader;

__attribute__((format(printf, 2, 3))) static int fail_read(const reader *r, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return bmf_fail(r->ctx, BMF_ERROR_FILE, "trace '%s': %s", r->path, text);
}

static int fail_memory(const reader *r)
{
    return bmf_fail(r->ctx, BMF_ERROR_MEMORY, "no memory to read trace '%s'", r->path);
}

static int read_at(const reader *r, void *data, int64_t bytes, int64_t offset)
{
    char *to = data;
    while (bytes > 0) {
        ssize_t done = pread(r->file, to, bytes < (1 << 30) ? (size_t)bytes : (size_t)1 << 30, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail_read(r, "cannot read: %s", done < 0 ? strerror(errno) : "the file became shorter");
        to += done;
        bytes -= done;
        offset += done;
    }
    return BMF_OK;
}

/* ---- headers ---- */

static int read_file_header(reader *r, trace_file_header *header)
{
    int64_t size = (int64_t)sizeof *header;
    BMF_TRY(read_at(r, header, r->bytes < size ? r->bytes : size, 0));
    if (r->bytes < (int64_t)sizeof header->magic || memcmp(header->magic, TRACE_MAGIC, sizeof header->magic) != 0)
        return fail_read(r, "is not a bmf trace");
    if (r->bytes < size)
        return fail_read(r, "is cut off in its header");
    if (header->version < 1 || header->version > TRACE_VERSION)
        return fail_read(r, "has format version %u; this bmf reads versions 1 to %d", header->version, TRACE_VERSION);
    r->version = header->version;
    if (header->runs < 1 || header->runs > TRACE_MAX_RUNS)
        return fail_read(r, "says it has %u runs; one or two are possible", header->runs);
    if (header->file_bytes > r->bytes)
        return fail_read(r, "is cut off: %lld bytes of %lld", (long long)r->bytes, (long long)header->file_bytes);
    if (header->file_bytes < r->bytes)
        return fail_read(r, "is damaged: it is %lld bytes long but says %lld", (long long)r->bytes,
                         (long long)header->file_bytes);
    if (trace_first_section(header->runs) > r->bytes)
        return fail_read(r, "is cut off in its headers");
    return BMF_OK;
}

static bool fits(int64_t count, int64_t size, int64_t bytes)
{
    return count >= 0 && count <= bytes / size;
}

static int check_run_header(const reader *r, const trace_run_header *header, trace_counts counts, uint32_t number,
                            int64_t start)
{
    if (header->predicted > 1)
        return fail_read(r, "is damaged: run %u is neither measured nor predicted", number);
    if (header->lanes < 1 || header->ranks < 1 || header->threads < 1)
        return fail_read(r, "is damaged: run %u has %d lanes, %d ranks, %d threads", number, header->lanes,
                         header->ranks, header->threads);
    if (header->ranks > header->lanes && header->ranks > MAX_IDLE_RANKS)
        return fail_read(r, "is damaged: run %u has %d ranks for %d lanes", number, header->ranks, header->lanes);
    if (header->names < 1 || header->nodes < 1)
        return fail_read(r, "is damaged: run %u has %u names and %u nodes", number, header->names, header->nodes);
    if (header->dropped < 0)
        return fail_read(r, "is damaged: run %u dropped %lld events", number, (long long)header->dropped);
    if (!fits(header->text_bytes, 1, r->bytes) || header->names + 2LL > header->text_bytes ||
        !fits(header->nodes, trace_node_bytes(r->version), r->bytes) ||
        !fits(header->lanes, (int64_t)sizeof(int32_t), r->bytes) ||
        !fits(header->events, (int64_t)sizeof(bmf_event), r->bytes) || !fits(header->recorded, 1, r->bytes) ||
        !fits(counts.works, (int64_t)sizeof(bmf_trace_work), r->bytes) || (r->version < 4 && counts.works != 0) ||
        !fits(counts.helds, (int64_t)sizeof(bmf_trace_held), r->bytes) || (r->version < 5 && counts.helds != 0) ||
        (r->version < 3 && header->recorded != 0) || trace_layout_of(header, counts, r->version, start).end > r->bytes)
        return fail_read(r, "is damaged: the %lld events, %u nodes and %u names of run %u do not fit the file",
                         (long long)header->events, header->nodes, header->names, number);
    if (header->agreement < 0 || header->agreement > BMF_TRACE_MAX_NUMBER)
        return fail_read(r, "is damaged: the processors of run %u agreed in %lld ns", number,
                         (long long)header->agreement);
    return BMF_OK;
}

/* ---- sections ---- */

/* Takes the next text out of [*at, end); NULL if it does not end there. */
static char *next_text(const char **at, const char *end)
{
    const char *stop = memchr(*at, '\0', (size_t)(end - *at));
    if (!stop)
        return NULL;
    char *text = strdup(*at);
    *at = stop + 1;
    return text;
}

static int take_texts(const reader *r, bmf_trace_run *run, uint32_t names, const char *text, const char *end)
{
    run->program = next_text(&text, end);
    run->machine = next_text(&text, end);
    while (run->names < names && (run->name[run->names] = next_text(&text, end)))
        run->names++;
    if (!run->program || !run->machine || run->names < names || text != end)
        return fail_read(r, "is damaged: its names do not end where they should");
    if (*run->name[0])
        return fail_read(r, "is damaged: name 0 is not empty");
    return BMF_OK;
}

static int read_texts(const reader *r, bmf_trace_run *run, const trace_run_header *header, const trace_layout *at)
{
    char *text = malloc((size_t)header->text_bytes);
    run->name = calloc(header->names, sizeof *run->name);
    int status = text && run->name ? read_at(r, text, header->text_bytes, at->text) : fail_memory(r);
    if (status == BMF_OK)
        status = take_texts(r, run, header->names, text, text + header->text_bytes);
    free(text);
    return status;
}

static int check_nodes(const reader *r, const bmf_trace_run *run)
{
    for (uint32_t k = 0; k < run->nodes; k++) {
        const bmf_trace_node *node = &run->node[k];
        if (k == 0 ? node->parent != 0 : node->parent >= k)
            return fail_read(r, "is damaged: node %u has node %u as its parent", k, node->parent);
        if (node->name >= run->names)
            return fail_read(r, "is damaged: node %u has name %u of %u", k, node->name, run->names);
        if (node->kind > BMF_EVENT_SKELETON)
            return fail_read(r, "is damaged: node %u is of kind %u", k, node->kind);
    }
    return BMF_OK;
}

static int check_lanes(const reader *r, const bmf_trace_run *run)
{
    for (int32_t lane = 0; lane < run->lanes; lane++)
        if (run->lane_rank[lane] < 0 || run->lane_rank[lane] >= run->ranks)
            return fail_read(r, "is damaged: lane %d is on rank %d of %d", lane, run->lane_rank[lane], run->ranks);
    return BMF_OK;
}

const char *trace_event_fault(const bmf_trace_run *run, const bmf_event *event)
{
    if (event->lane < 0 || event->lane >= run->lanes)
        return "its lane does not exist";
    if (event->node >= run->nodes)
        return "its node does not exist";
    if (event->name >= run->names)
        return "its name does not exist";
    if (event->kind >= BMF_EVENT_KINDS)
        return "its kind is unknown";
    if (event->peer < -1 || event->peer >= run->lanes)
        return "its peer does not exist";
    if (event->peer < 0 && (event->kind == BMF_EVENT_SEND || event->kind == BMF_EVENT_RECEIVE))
        return "it is a message without a peer";
    if (event->begin < 0 || event->end > BMF_TRACE_MAX_NUMBER)
        return "its time is outside any run";
    if (event->end < event->begin)
        return "it ends before it begins";
    if (event->amount < 0 || event->amount > BMF_TRACE_MAX_NUMBER)
        return "its amount is impossible";
    if (event->low > event->high || event->low < -BMF_TRACE_MAX_NUMBER || event->high > BMF_TRACE_MAX_NUMBER)
        return "its interval is impossible";
    return NULL;
}

static int check_events(const reader *r, const bmf_trace_run *run)
{
    for (int64_t k = 0; k < run->events; k++) {
        const char *fault = trace_event_fault(run, &run->event[k]);
        if (fault)
            return fail_read(r, "is damaged: event %lld: %s", (long long)k, fault);
    }
    return BMF_OK;
}

/* Nodes of version 1 are spread from the front part of the array they are read into, the last first. */
static int read_nodes(const reader *r, bmf_trace_run *run, const trace_layout *at)
{
    const int64_t size = trace_node_bytes(r->version);
    BMF_TRY(read_at(r, run->node, size * run->nodes, at->nodes));
    for (uint32_t k = run->nodes; r->version == 1 && k-- > 0;) {
        bmf_trace_node node = {0};
        memcpy(&node, (const char *)run->node + size * k, (size_t)size);
        run->node[k] = node;
    }
    return BMF_OK;
}

static void name_skeletons(bmf_trace_run *run)
{
    for (uint32_t k = 0; k < run->nodes; k++)
        if (run->node[k].kind == BMF_EVENT_SKELETON)
            run->node[k].skeleton = trace_skeleton_1(run->name[run->node[k].name]);
}

static int read_recorded(const reader *r, bmf_trace_run *run, const trace_run_header *header, const trace_layout *at)
{
    char fault[128], *section = malloc((size_t)header->recorded);
    if (!section)
        return fail_memory(r);
    int status = read_at(r, section, header->recorded, at->recorded);
    const char *wrong =
        status == BMF_OK ? trace_take_recorded(run, section, header->recorded, fault, sizeof fault) : NULL;
    free(section);
    return wrong ? fail_read(r, "is damaged: %s", wrong) : status;
}

static int read_tables(const reader *r, bmf_trace_run *run, const trace_run_header *header, const trace_layout *at)
{
    run->node = malloc(header->nodes * sizeof *run->node);
    run->lane_rank = malloc((size_t)header->lanes * sizeof *run->lane_rank);
    run->event = malloc((size_t)(header->events ? header->events : 1) * sizeof *run->event);
    run->index = run_index_create();
    if (!run->node || !run->lane_rank || !run->event)
        return fail_memory(r);
    run->nodes = header->nodes;
    run->events = run->capacity = header->events;
    BMF_TRY(read_nodes(r, run, at));
    BMF_TRY(read_at(r, run->lane_rank, (int64_t)sizeof *run->lane_rank * header->lanes, at->lanes));
    BMF_TRY(read_at(r, run->event, at->events_end - at->events, at->events));
    BMF_TRY(check_nodes(r, run));
    if (r->version == 1)
        name_skeletons(run);
    BMF_TRY(check_lanes(r, run));
    BMF_TRY(check_events(r, run));
    if (header->recorded > 0)
        BMF_TRY(read_recorded(r, run, header, at));
    return run_sort(run) == BMF_OK ? BMF_OK : fail_memory(r);
}

static int read_run(const reader *r, bmf_trace *trace, const trace_run_header *header, const trace_layout *at)
{
    bmf_trace_run *run = allocate_clear(1, (int64_t)sizeof *run);
    trace->run[trace->runs++] = run;
    run->predicted = (int)header->predicted;
    run->lanes = header->lanes;
    run->ranks = header->ranks;
    run->threads = header->threads;
    run->dropped = header->dropped;
    run->agreement = header->agreement;
    BMF_TRY(read_texts(r, run, header, at));
    return read_tables(r, run, header, at);
}

static int read_works(const reader *r, bmf_trace_run *run, int64_t works, const trace_layout *at)
{
    run->work = allocate_array(works, (int64_t)sizeof *run->work);
    run->works = run->work_capacity = works;
    BMF_TRY(read_at(r, run->work, works * (int64_t)sizeof *run->work, at->works));
    for (int64_t k = 0; k < works; k++) {
        const char *fault = trace_work_fault(run, &run->work[k]);
        if (fault)
            return fail_read(r, "is damaged: work %lld: %s", (long long)k, fault);
    }
    run_sort_works(run);
    return BMF_OK;
}

static int read_helds(const reader *r, bmf_trace_run *run, int64_t helds, const trace_layout *at)
{
    run->held = allocate_array(helds, (int64_t)sizeof *run->held);
    run->helds = run->held_capacity = helds;
    BMF_TRY(read_at(r, run->held, helds * (int64_t)sizeof *run->held, at->helds));
    for (int64_t k = 0; k < helds; k++) {
        const char *fault = trace_held_fault(run, &run->held[k]);
        if (fault)
            return fail_read(r, "is damaged: held bytes %lld: %s", (long long)k, fault);
    }
    run_sort_helds(run);
    return BMF_OK;
}

static int read_trace(reader *r, bmf_trace *trace)
{
    trace_file_header header;
    trace_run_header run[TRACE_MAX_RUNS];
    BMF_TRY(read_file_header(r, &header));
    BMF_TRY(read_at(r, run, (int64_t)(sizeof *run * header.runs), sizeof header));
    int64_t start = trace_first_section(header.runs);
    for (uint32_t k = 0; k < header.runs; k++) {
        const trace_counts counts = {header.works[k], header.helds[k]};
        BMF_TRY(check_run_header(r, &run[k], counts, k, start));
        trace_layout at = trace_layout_of(&run[k], counts, r->version, start);
        start = trace_aligned(at.end);
        BMF_TRY(read_run(r, trace, &run[k], &at));
        BMF_TRY(read_works(r, trace->run[k], header.works[k], &at));
        BMF_TRY(read_helds(r, trace->run[k], header.helds[k], &at));
    }
    if (start != r->bytes)
        return fail_read(r, "is damaged: %lld bytes belong to no section", (long long)(r->bytes - start));
    return BMF_OK;
}

static int read_file(bmf_context *ctx, const char *path, bmf_trace **trace)
{
    reader r = {.ctx = ctx, .path = path, .file = open(path, O_RDONLY | O_CLOEXEC)};
    struct stat about;
    *trace = NULL;
    if (r.file < 0 || fstat(r.file, &about) != 0)
        return bmf_fail(ctx, BMF_ERROR_FILE, "cannot open trace '%s': %s", path, strerror(errno));
    int status;
    if (!S_ISREG(about.st_mode)) {
        status = fail_read(&r, "is not a regular file");
    } else {
        *trace = allocate_clear(1, (int64_t)sizeof **trace);
        r.bytes = about.st_size;
        status = read_trace(&r, *trace);
    }
    close(r.file);
    if (status != BMF_OK) {
        bmf_trace_free(*trace);
        *trace = NULL;
    }
    return status;
}

/* Parts are removed when their trace is written: where there are some, they are of a later run. */
int bmf_trace_read(bmf_context *ctx, const char *path, bmf_trace **trace)
{
    char *directory = parts_directory(path);
    const int status = parts_exist(directory) ? parts_read(ctx, directory, trace) : read_file(ctx, path, trace);
    free(directory);
    return status;
}
