/* What a trace is inside, as a backend records it: bmf/trace.h is the public part. One lane per processor, one
 * fixed-size record per event. A node is named by its parent and its text ("map_reduce square plus"). */
#ifndef BMF_TRACE_TRACE_H
#define BMF_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bmf/trace.h"
#include "runtime/trace/kernel_work.h"
#include "runtime/trace/skeleton_type.h"

_Static_assert(sizeof(bmf_event) == 64, "trace records are 64 bytes");

typedef struct bmf_trace_node {
    uint32_t parent; /* node 0 is the root and its own parent */
    uint32_t name;   /* name number */
    uint32_t kind;   /* BMF_EVENT_REGION or BMF_EVENT_SKELETON */
    uint32_t
        skeleton; /* the number of the bmf_skeleton_type, or BMF_SKELETON_UNKNOWN; says nothing the text does not */
} bmf_trace_node;

/* What recorded MPI programs have besides: communicators, and by event the rest of what the call said. */
typedef struct bmf_trace_group {
    uint32_t name;   /* name number; 0: the program gave none */
    int32_t members; /* at least 1 */
    int64_t first;   /* of its members among all groups' */
} bmf_trace_group;

/* Flags of an event; those of its group's number are below. */
enum {
    BMF_DETAIL_WILD_SOURCE = 1,   /* received from MPI_ANY_SOURCE */
    BMF_DETAIL_WILD_TAG = 2,      /* received with MPI_ANY_TAG */
    BMF_DETAIL_NONBLOCKING = 4,   /* what it starts is finished by a later wait of the same round */
    BMF_DETAIL_POST = 8,          /* a wait event that only says: the receive of the same round may come from now on */
    BMF_DETAIL_UNSUCCESSFUL = 16, /* a wait event: `amount` tests or probes one after the other that found nothing */
    BMF_DETAIL_CANCELLED = 32,    /* what was started is not finished any more */
    BMF_DETAIL_OPAQUE = 64,       /* a call whose meaning was not recorded */
    BMF_DETAIL_CHOICE = 128,      /* one of several that could have been finished, or a probe: it depended on time */
};

enum { BMF_DETAIL_GROUP_BITS = 24 };

typedef struct bmf_trace_detail {
    uint32_t group_and_flags; /* the group's number below, flags above */
    int32_t tag;              /* of a message; otherwise -1 */
    int64_t number; /* of a message among those from its sender to its receiver with its group and tag, in the order in
                     * which they match; of a collective in its group; of a kernel nanoseconds of processor time */
} bmf_trace_detail;
_Static_assert(sizeof(bmf_trace_detail) == 16, "details of an event");

static inline uint32_t detail_group(const bmf_trace_detail *detail)
{
    return detail->group_and_flags & ((1U << BMF_DETAIL_GROUP_BITS) - 1);
}
static inline uint32_t detail_flags(const bmf_trace_detail *detail)
{
    return detail->group_and_flags >> BMF_DETAIL_GROUP_BITS;
}

/* What the kernel event with this id did; of several with one id the first has the first record. */
typedef struct bmf_trace_work {
    uint32_t node, instance, round;
    int32_t lane;
    bmf_kernel_work work;
} bmf_trace_work;
_Static_assert(sizeof(bmf_trace_work) == 96, "what a kernel did");

/* From this time on a processor holds so many bytes of lists and values. */
typedef struct bmf_trace_held {
    int64_t time, bytes;
    int32_t lane, zero;
} bmf_trace_held;
_Static_assert(sizeof(bmf_trace_held) == 24, "what a processor holds");

/* Something known of the whole run: "argument 1" = "160", "incomplete" = "rank 3 ..", parameters of the program. */
typedef struct bmf_trace_fact {
    char *key, *value;
} bmf_trace_fact;

/* Times (nanoseconds) and sizes beyond this are damage: sums of a few of them must not overflow. */
#define BMF_TRACE_MAX_NUMBER (INT64_MAX / 8)

/* One run of a trace in memory: complete in a reader, this rank's lanes in a recorder. */
typedef struct bmf_trace_run {
    int predicted; /* 0: measured, 1: predicted */
    int32_t lanes; /* of the whole machine */
    int32_t ranks, threads;
    char *program;         /* the command's name */
    char *machine;         /* host or machine file's name */
    uint32_t names, nodes; /* counts */
    char **name;           /* name[0] = "" */
    bmf_trace_node *node;  /* node[0]: the program */
    int32_t *lane_rank;    /* lanes values: the rank that ran the lane */
    int64_t events, capacity;
    bmf_event *event;  /* in files sorted by lane, begin, and outer before inner */
    int64_t dropped;   /* events that found no memory */
    int64_t agreement; /* predicted: nanoseconds that all processors took to agree once; 0: they never did, or
                                * it is not known */
    int64_t works, work_capacity;
    bmf_trace_work *work; /* of kernels, by lane and id in files; not all need be there */
    int64_t helds, held_capacity;
    bmf_trace_held *held; /* by lane and time in files; none: not recorded */
    /* of recorded MPI programs; all 0 and NULL for others: */
    uint32_t groups, facts;
    int64_t members;
    bmf_trace_group *group;   /* group 0: all lanes */
    int32_t *member;          /* lanes, by rank in the group */
    bmf_trace_detail *detail; /* by event; NULL: not recorded */
    bmf_trace_fact *fact;
    struct bmf_run_index *index; /* private to runtime/trace/trace.c: finds names and nodes by their text */
} bmf_trace_run;

/* A trace file: up to two runs. */
struct bmf_trace {
    int runs;
    bmf_trace_run *run[2];
};

/* Creates an empty run with name[0] = "", node 0 named "main", and lanes on ranks as processors are (contiguous blocks,
 * bmf_first_processor). Not collective. */
bmf_trace_run *run_create(const char *program, const char *machine, int32_t lanes, int32_t ranks, int32_t threads);
void run_free(bmf_trace_run *run);
/* The number of a name or node, made when new; 0 and parent when there is no memory. Expected cost: one hash of the
 * text. Ranks that ask for the same in the same order have the same numbers; otherwise writing the trace costs more. */
uint32_t run_name(bmf_trace_run *run, const char *text);
uint32_t run_node(bmf_trace_run *run, uint32_t parent, const char *text, bmf_event_kind kind);
/* The node of a call of the skeleton with that number. Nodes are found by parent, text and kind. */
uint32_t run_call(bmf_trace_run *run, uint32_t parent, const char *text, uint32_t skeleton);
/* The node below `parent` that corresponds to one of another run, with its text and kind. */
uint32_t run_node_like(bmf_trace_run *run, uint32_t parent, const char *text, const bmf_trace_node *like);
/* Appends an event. Drops it and counts when there is no memory. Not thread-safe: pieces are recorded by the caller
 * after a parallel region. */
void run_add(bmf_trace_run *run, const bmf_event *event);
/* Appends what a kernel did; nothing happens when there is no memory. */
void run_add_work(bmf_trace_run *run, const bmf_trace_work *work);
/* Appends what a processor holds from a time on; nothing happens when there is no memory. */
void run_add_held(bmf_trace_run *run, const bmf_trace_held *held);
/* What the kernel of an event did, or NULL. The works are sorted: log n. */
const bmf_kernel_work *run_find_work(const bmf_trace_run *run, const bmf_event *event);

/* Of recorded programs. The value of a fact, or NULL. Adding takes copies; a key that is there keeps its first
 * value. */
const char *run_fact(const bmf_trace_run *run, const char *key);
void run_add_fact(bmf_trace_run *run, const char *key, const char *value);
/* The members of an event's group. */
static inline const int32_t *run_members(const bmf_trace_run *run, uint32_t group)
{
    return run->member + run->group[group].first;
}
/* What a recorded run copies from another one: groups and facts. */
void run_copy_groups(bmf_trace_run *to, const bmf_trace_run *from);

/* Sorts by lane and begin; of one begin regions and calls come first, the longer before the shorter and outer nodes
 * before inner ones, then events that take no time, then the others, the longer first; then recording order. So the
 * events of a processor that does one thing after the other stand in their order. n log n; linear when sorted. BMF_OK
 * or BMF_ERROR_MEMORY. */
int run_sort(bmf_trace_run *run);

/* Whether a trace can be written to a path, so that one that cannot is refused before a long run: makes a file beside
 * it and removes it again. Not collective. Errors: BMF_ERROR_FILE. */
int trace_try_path(bmf_context *ctx, const char *path);

/* Writes this rank's lanes of a run to a new native file, in parallel, each rank its part. Collective over ctx.
 * Errors: BMF_ERROR_FILE. Format: docs/trace-format.md. */
int trace_write_parallel(bmf_context *ctx, bmf_trace_run *run, const char *path);
/* Writes whole runs from one process. Not collective; ctx (may be NULL) only takes the message. */
int trace_write(bmf_context *ctx, const bmf_trace *trace, const char *path);

/* The name of a node from the root down, "main/step/scan plus"; returns text. */
char *run_path(const bmf_trace_run *run, uint32_t node, char *text, size_t size);

#endif
