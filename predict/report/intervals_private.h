/* What the parts of bmf_intervals share; private to predict/report. */
#ifndef BMF_INTERVALS_PRIVATE_H
#define BMF_INTERVALS_PRIVATE_H

#include "predict/report/intervals.h"
#include "predict/report/run_match.h"
#include "runtime/base/table.h"
#include "runtime/trace/receive_costs.h"

enum { BMF_CHARACTERISTICS = sizeof(bmf_characteristics) / sizeof(int64_t) };
_Static_assert(sizeof(bmf_characteristics) == BMF_CHARACTERISTICS * sizeof(int64_t), "only numbers");

/* BMF_INTERVALS_MEMORY; a test may lower it. */
extern int64_t intervals_memory;

/* The part of one processor in one round of messages. */
typedef struct bmf_round_part {
    uint32_t node, instance, round;
    int32_t lane;
    int64_t begin, end; /* of its first and its last event */
    int64_t group;      /* number of the round among all rounds */
    int64_t latest;     /* when the last of those it sends to came to the round; -1 if it sends to nobody who did */
} bmf_round_part;

/* All parts, by lane and first event. */
typedef struct bmf_rounds {
    int64_t parts;
    bmf_round_part *part;
    int64_t *part_of;   /* by event: its part, -1 if it is no send, receive or wait */
    int64_t *group_end; /* by group: the end of its last event */
    bmf_table table;    /* of parts by (node, instance, round, lane) */
} bmf_rounds;

void rounds_create(const bmf_trace_run *run, bmf_rounds *rounds);
void rounds_free(bmf_rounds *rounds);
/* The part of a lane in the round of an event, NULL if it has none. */
const bmf_round_part *rounds_find(const bmf_rounds *rounds, const bmf_event *event, int32_t lane);

/* Time in which one processor computes alone, in a call that computes on no other: disjoint pieces in time order. */
typedef struct bmf_serial_sections {
    int64_t pieces;
    int64_t *begin, *end;
    int64_t *owner; /* the kernel's event */
} bmf_serial_sections;

void serial_sections_create(const bmf_trace_run *run, bmf_serial_sections *alone);
void serial_sections_free(bmf_serial_sections *alone);
/* The first piece that ends after a time; pieces if there is none. O(log pieces). */
int64_t alone_after(const bmf_serial_sections *alone, int64_t time);

/* By event: how many processors repeat this kernel on the same data, 0 or 1 if it is not repeated. NULL if none is; the
 * caller frees. */
uint32_t *repeated_create(const bmf_trace_run *run);

/* See bmf_analysis.sent; to be freed. */
int64_t *receive_sends(const bmf_trace_run *run);

/* See bmf_analysis.came; to be freed. */
int64_t *recorded_arrivals(const bmf_trace_run *run);

/* By node: the kind of its communication. nodes values, to be freed. */
bmf_communication *communication_kinds(const bmf_trace_run *run);
/* Sets types and numbers of operations. */
void intervals_classify(bmf_intervals *intervals);
/* True for a call that folds a list to one value. */
bool is_reduction(const bmf_trace_node *node);

/* Everything that is known of a run before its lanes are looked at. */
typedef struct bmf_analysis {
    const bmf_trace_run *run;
    bmf_communication *kind; /* by node */
    int64_t *lane_start;     /* lanes + 1: events of lane l are [lane_start[l], lane_start[l + 1]) */
    bool *inside;            /* by node: the root of what is asked for or below it */
    uint32_t root, instance; /* what is asked for; root 0: the run, all instances */
    bmf_rounds rounds;
    bmf_serial_sections alone;
    bool *counts; /* by event: of the instance that is asked for; NULL: all are */
    uint32_t *copies;
    int64_t *sent; /* by event, of receives: when their sender sent, -1: not known */
    bmf_receive_costs receives;
    int64_t *came; /* recorded programs, by event: when what it waits for came, -1: nothing; others: NULL */
} bmf_analysis;

void analysis_create(const bmf_trace_run *run, uint32_t root, uint32_t instance, bmf_analysis *analysis);
void analysis_free(bmf_analysis *analysis);
/* Adds waiting, transport and overhead of [begin, end), a part of a receive. */
void receive_parts(const bmf_analysis *analysis, int64_t number, int64_t begin, int64_t end, bmf_characteristics *to);
/* Sets places. */
void intervals_find_places(const bmf_analysis *analysis, bmf_intervals *intervals);

/* What one lane did: additive characteristics by node, children not included. */
typedef struct bmf_lane_row {
    bmf_characteristics *own; /* nodes values; of it execution, compute, file, insufficient without repeated, repeated,
                               * communication, kinds, synchronisation, variation, overlap, messages and bytes are
                               * set */
    /* working memory */
    struct bmf_stretch *stretch;
    int64_t *event;
    int64_t capacity;
    struct bmf_claim *claim; /* what this lane lost, in time order */
    int64_t claims, claims_capacity;
} bmf_lane_row;

void lane_row_create(const bmf_analysis *analysis, bmf_lane_row *row);
void lane_row_free(bmf_lane_row *row);
/* The numbers of a lane's events that count: all, or those of the instance that is asked for. list: room for as many as
 * the lane has. Returns how many. */
int64_t lane_events(const bmf_analysis *analysis, int32_t lane, int64_t *list);
/* Clears the row and fills it from a lane's events. Cost: linear in them. */
void lane_row_fill(const bmf_analysis *analysis, int32_t lane, bmf_lane_row *row);

static inline bool is_communication(const bmf_event *event)
{
    return event->kind == BMF_EVENT_SEND || event->kind == BMF_EVENT_RECEIVE || event->kind == BMF_EVENT_WAIT;
}

#endif
