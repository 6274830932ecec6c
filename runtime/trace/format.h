/* The layout of trace files, for their reader and writer: docs/trace-format.md. */
#ifndef BMF_TRACE_FORMAT_H
#define BMF_TRACE_FORMAT_H

#include "runtime/trace/trace.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are written as they stand in memory");

#define TRACE_MAGIC "BMFTRACE"
enum { TRACE_VERSION = 5, TRACE_MAX_RUNS = 2, TRACE_ALIGNMENT = 64 };

/* Nodes of version 1 said no skeleton; version 2 had no recorded programs, version 3 no work of
 * kernels, version 4 not what processors hold. */
enum { TRACE_NODE_BYTES_1 = 12 };
_Static_assert(sizeof(bmf_trace_node) == 16, "node");

typedef struct trace_file_header {
    char magic[8];
    uint32_t version, runs;
    int64_t file_bytes;
    int64_t works[TRACE_MAX_RUNS]; /* of each run: records of what its kernels did */
    int64_t helds[TRACE_MAX_RUNS]; /* records of what its processors hold */
    int64_t reserved;
} trace_file_header;
_Static_assert(sizeof(trace_file_header) == 64, "file header");

typedef struct trace_run_header {
    uint32_t predicted;
    int32_t lanes, ranks, threads;
    uint32_t names, nodes;
    int64_t text_bytes, events, dropped;
    int64_t agreement;
    int64_t recorded; /* bytes of what recorded programs have besides, 0: none */
} trace_run_header;
_Static_assert(sizeof(trace_run_header) == 64, "run header");

/* The start of what recorded programs have besides; behind it the groups (name, members), the members, the texts of the
 * facts, each padded to 16 bytes, then the details. */
typedef struct trace_recorded_header {
    uint32_t groups, facts;
    int64_t members, text_bytes, details;
    int64_t reserved[4];
} trace_recorded_header;
_Static_assert(sizeof(trace_recorded_header) == 64, "header of recorded programs");

typedef struct trace_group_record {
    uint32_t name;
    int32_t members;
} trace_group_record;

/* Offsets from the start of the section, and its length. */
typedef struct trace_recorded_layout {
    int64_t groups, members, text, details, end;
} trace_recorded_layout;

static inline trace_recorded_layout trace_recorded_layout_of(const trace_recorded_header *header)
{
    trace_recorded_layout at = {.groups = (int64_t)sizeof *header};
    at.members = at.groups + ((int64_t)sizeof(trace_group_record) * header->groups + 15) / 16 * 16;
    at.text = at.members + ((int64_t)sizeof(int32_t) * header->members + 15) / 16 * 16;
    at.details = at.text + (header->text_bytes + 15) / 16 * 16;
    at.end = at.details + (int64_t)sizeof(bmf_trace_detail) * header->details;
    return at;
}

/* Offsets of a run's sections from the start of the file. */
typedef struct trace_layout {
    int64_t text, nodes, lanes, events, events_end, recorded, works, helds, end;
} trace_layout;

/* The numbers of records of a run that its header does not say. */
typedef struct trace_counts {
    int64_t works, helds;
} trace_counts;

static inline int64_t trace_aligned(int64_t offset)
{
    return (offset + TRACE_ALIGNMENT - 1) / TRACE_ALIGNMENT * TRACE_ALIGNMENT;
}

static inline int64_t trace_node_bytes(uint32_t version)
{
    return version == 1 ? TRACE_NODE_BYTES_1 : (int64_t)sizeof(bmf_trace_node);
}

static inline trace_layout trace_layout_of(const trace_run_header *header, trace_counts counts, uint32_t version,
                                           int64_t start)
{
    trace_layout at = {.text = start};
    at.nodes = trace_aligned(at.text + header->text_bytes);
    at.lanes = trace_aligned(at.nodes + trace_node_bytes(version) * header->nodes);
    at.events = trace_aligned(at.lanes + (int64_t)sizeof(int32_t) * header->lanes);
    at.events_end = at.events + (int64_t)sizeof(bmf_event) * header->events;
    at.recorded = header->recorded ? trace_aligned(at.events_end) : at.events_end;
    at.works = counts.works ? trace_aligned(at.recorded + header->recorded) : at.recorded + header->recorded;
    const int64_t works_end = at.works + (int64_t)sizeof(bmf_trace_work) * counts.works;
    at.helds = counts.helds ? trace_aligned(works_end) : works_end;
    at.end = at.helds + (int64_t)sizeof(bmf_trace_held) * counts.helds;
    return at;
}

static inline int64_t trace_first_section(uint32_t runs)
{
    return (int64_t)sizeof(trace_file_header) + (int64_t)sizeof(trace_run_header) * runs;
}

/* The number of the skeleton that a call of a version 1 trace was of, by its text. */
uint32_t trace_skeleton_1(const char *text);

/* What is wrong with an event, or NULL. */
const char *trace_event_fault(const bmf_trace_run *run, const bmf_event *event);

/* The empty index of a run whose tables are put in by hand; fills itself when first needed. NULL without memory. */
struct bmf_run_index *run_index_create(void);

#endif
