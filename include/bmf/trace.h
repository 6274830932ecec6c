/** @file
 * Reading traces: what happened on every processor, when, and where in the program (docs/trace-format.md).
 *
 * A trace holds one or two runs, numbered from 0. A run has a lane for every processor and events, fixed-size
 * records. An event's structural id is (node, instance, round, lane, kind, peer): where in the program it belongs,
 * not when it happened, so that the same program on another machine has the same ids. Nodes form a tree: the root is
 * the program, below it named regions and skeleton calls. The instance counts how often the node was entered (from
 * 0), the round counts schedule rounds inside it. Nothing here is collective. */
#ifndef BMF_TRACE_H
#define BMF_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bmf/export.h>
#include <bmf/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an event is, and what its amount counts. */
typedef enum bmf_event_kind {
    BMF_EVENT_REGION,     /**< a named part of the program; amount 0 */
    BMF_EVENT_SKELETON,   /**< one skeleton call; amount: elements of its list on this lane */
    BMF_EVENT_KERNEL,     /**< computing; amount: elements */
    BMF_EVENT_SEND,       /**< handing one message over; peer: receiver, amount: bytes */
    BMF_EVENT_RECEIVE,    /**< from the start of waiting for a message to its arrival; peer: sender, amount: bytes */
    BMF_EVENT_WAIT,       /**< waiting for own sends to finish; amount 0 */
    BMF_EVENT_FILE,       /**< reading or writing a file; amount: bytes */
    BMF_EVENT_COLLECTIVE, /**< all ranks agree, or tell each other what they need to know, amount 0; or a collective
                             operation of a recorded MPI program; peer: root or -1, amount: bytes */
    BMF_EVENT_KINDS       /**< their number */
} bmf_event_kind;

/** One event; 64 bytes. */
typedef struct bmf_event {
    int64_t begin;     /**< nanoseconds since the start of the run */
    int64_t end;       /**< of the event, as begin */
    int64_t amount;    /**< see the kind */
    int64_t low;       /**< 95 % interval of the duration in nanoseconds: equal to the duration if measured */
    int64_t high;      /**< its upper end */
    uint32_t node;     /**< see bmf_trace_path */
    uint32_t instance; /**< how often the node was entered before */
    uint32_t round;    /**< of the schedule */
    int32_t lane;      /**< processor */
    int32_t peer;      /**< the other processor; -1 if none */
    uint16_t kind;     /**< bmf_event_kind */
    uint16_t name;     /**< of a kernel or a collective, or of the MPI call of a recorded program; of a region or
                          skeleton call its place in the source, "file:line"; see bmf_trace_name; otherwise 0 */
} bmf_event;

/** A trace in memory; opaque. */
typedef struct bmf_trace bmf_trace;

/** Reads a native trace file and checks it; the caller frees the trace. ctx, which takes the message, may be NULL.
 * Error: BMF_ERROR_FILE names the file and what is wrong. */
BMF_API int bmf_trace_read(bmf_context *ctx, const char *path, bmf_trace **trace);
/** Frees a trace; NULL is allowed. */
BMF_API void bmf_trace_free(bmf_trace *trace);

/** Number of runs, 1 or 2. */
BMF_API int bmf_trace_runs(const bmf_trace *trace);
/** True if the run was predicted, false if it was measured. */
BMF_API bool bmf_trace_is_predicted(const bmf_trace *trace, int run);
/** Number of lanes, one for every processor of the whole machine. */
BMF_API int32_t bmf_trace_lanes(const bmf_trace *trace, int run);
/** The rank that ran a lane. */
BMF_API int32_t bmf_trace_lane_rank(const bmf_trace *trace, int run, int32_t lane);
/** The events of a run, sorted by lane and begin, outer ones before inner; *count: how many. Owned by the trace. */
BMF_API const bmf_event *bmf_trace_events(const bmf_trace *trace, int run, int64_t *count);
/** The name of a kernel; "" for number 0. The trace's own. */
BMF_API const char *bmf_trace_name(const bmf_trace *trace, int run, uint32_t name);
/** The name of a node from the root down, "main/step/scan plus", cut at size bytes; returns text. */
BMF_API char *bmf_trace_path(const bmf_trace *trace, int run, uint32_t node, char *text, size_t size);
/** "region", "skeleton", "kernel", "send", .. Static storage. */
BMF_API const char *bmf_event_kind_name(bmf_event_kind kind);

#ifdef __cplusplus
}
#endif
#endif
