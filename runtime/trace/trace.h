/* Traces: what a backend records. One lane per processor, one fixed-size record per event.
 *
 * An event's structural id is (node, instance, round, lane, kind, peer): where in the program it belongs, not when it
 * happened, so that the same program on another machine has the same ids. Nodes form a tree: the root is the program,
 * below it named regions and skeleton calls. A node is named by its parent and its text ("map_reduce square plus");
 * the instance counts how often the node was entered (from 0), the round counts schedule rounds inside it.
 */
#ifndef BMF_TRACE_H
#define BMF_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bmf/status.h"
#include "runtime/trace/skeleton_type.h"

typedef enum bmf_event_kind {
    BMF_EVENT_REGION,   /* a named part of the program; amount 0 */
    BMF_EVENT_SKELETON, /* one skeleton call; amount: elements of its list on this lane */
    BMF_EVENT_KERNEL,   /* computing; amount: elements */
    BMF_EVENT_SEND,     /* handing one message over; peer: receiver, amount: bytes */
    BMF_EVENT_RECEIVE,  /* from the start of waiting for a message to its arrival; peer: sender, amount: bytes */
    BMF_EVENT_WAIT,     /* waiting for own sends to finish; amount 0 */
    BMF_EVENT_FILE,     /* reading or writing a file; amount: bytes */
    BMF_EVENT_KINDS
} bmf_event_kind;

typedef struct bmf_event {
    int64_t begin, end; /* nanoseconds since the start of the run */
    int64_t amount;     /* see the kind */
    int64_t low, high;  /* 95 % interval of the duration in nanoseconds; both equal the duration if measured */
    uint32_t node, instance, round;
    int32_t lane, peer; /* peer: -1 if none */
    uint16_t kind;      /* bmf_event_kind */
    uint16_t name;      /* 0, or the name number of a kernel */
} bmf_event;            /* 64 bytes */

_Static_assert(sizeof(bmf_event) == 64, "trace records are 64 bytes");

typedef struct bmf_trace_node {
    uint32_t parent; /* node 0 is the root and its own parent */
    uint32_t name;   /* name number */
    uint32_t kind;   /* BMF_EVENT_REGION or BMF_EVENT_SKELETON */
    uint32_t
        skeleton; /* the number of the bmf_skeleton_type, or BMF_SKELETON_UNKNOWN; says nothing the text does not */
} bmf_trace_node;

/* One run of a trace as it stands in memory: complete in a reader, this rank's lanes in a recorder. */
typedef struct bmf_run {
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
    bmf_event *event;            /* in files sorted by lane, begin, and outer before inner */
    int64_t dropped;             /* events that found no memory */
    int64_t agreement;           /* predicted: nanoseconds that all processors took to agree once; 0: they never did, or
                                * it is not known */
    struct bmf_run_index *index; /* private to runtime/trace/trace.c: finds names and nodes by their text */
} bmf_run;

/* A trace file: up to two runs. */
typedef struct bmf_trace {
    int runs;
    bmf_run *run[2];
} bmf_trace;

/* Creates an empty run with name[0] = "", node 0 named "main", and lanes on ranks as processors are (contiguous blocks,
 * bmf_first_processor). NULL if there is no memory. Not collective. */
bmf_run *run_create(const char *program, const char *machine, int32_t lanes, int32_t ranks, int32_t threads);
void run_free(bmf_run *run);
/* The number of a name or node, made when new; 0 and parent when there is no memory. Expected cost: one hash of the
 * text. Ranks that ask for the same in the same order have the same numbers; otherwise writing the trace costs more. */
uint32_t run_name(bmf_run *run, const char *text);
uint32_t run_node(bmf_run *run, uint32_t parent, const char *text, bmf_event_kind kind);
/* The node of a call of the skeleton with that number. Nodes are found by parent, text and kind. */
uint32_t run_call(bmf_run *run, uint32_t parent, const char *text, uint32_t skeleton);
/* The node below `parent` that corresponds to one of another run, with its text and kind. */
uint32_t run_node_like(bmf_run *run, uint32_t parent, const char *text, const bmf_trace_node *like);
/* Appends an event. Drops it and counts when there is no memory. Not thread-safe: pieces are recorded by the caller
 * after a parallel region. */
void run_add(bmf_run *run, const bmf_event *event);

/* Sorts by lane and begin; of one begin regions and calls come first, the longer before the shorter and outer nodes before
 * inner ones, then events that take no time, then the others, the longer first; then recording order. So the events of a
 * processor that does one thing after the other stand in their order. n log n; linear when sorted.
 * BMF_OK or BMF_ERROR_MEMORY. */
int run_sort(bmf_run *run);

/* Writes this rank's lanes of a run to a new native file, in parallel, each rank its part. Collective over ctx.
 * Errors: BMF_ERROR_FILE. Format: docs/trace-format.md. */
int trace_write_parallel(bmf_context *ctx, bmf_run *run, const char *path);
/* Writes whole runs from one process. Not collective; ctx (may be NULL) only takes the message. */
int trace_write(bmf_context *ctx, const bmf_trace *trace, const char *path);
/* Reads a native file and checks it; the caller frees the trace. Errors name the file and what is wrong. */
int bmf_trace_read(bmf_context *ctx, const char *path, bmf_trace **trace);
void bmf_trace_free(bmf_trace *trace);

/* The name of a node from the root down, "main/step/scan plus"; returns text. */
char *run_path(const bmf_run *run, uint32_t node, char *text, size_t size);
const char *event_kind_name(bmf_event_kind kind);

#endif
