/* What the files of the stream router share. */
#ifndef BMF_MESH_STREAMS_PRIVATE_H
#define BMF_MESH_STREAMS_PRIVATE_H

#include "predict/mesh/streams.h"
#include "runtime/base/progress.h"

/* A slot of a pipeline, of a pipeline's way to the interface, or of a link: each serves one VFSM. */
typedef struct resource {
    float own, history; /* own: the caller's cost */
    int16_t users;
} resource;

/* Slots kept for the reprogramming VFSM. */
typedef struct command_slot {
    int64_t node;
    int pipeline;             /* -1: any */
    int at_pipeline, at_slot; /* at_slot -1: none yet */
} command_slot;

/* A VFSM that takes the stream's words in, on a node, in a pipeline, in a slot. */
typedef struct search_state {
    float cost;
    int32_t from; /* state it was reached from; FROM_PROCESSOR; or FROM_TREE - hop */
    int32_t mark; /* of the search that set it */
    int8_t move;  /* port, or MOVE_DELAY */
    bool closed;
} search_state;

typedef struct heap_item {
    float estimate;
    int32_t state;
} heap_item;

typedef struct streams_router {
    const bmf_stream_request *request;
    bmf_scheduled_hardware hardware;
    int length, pipelines;
    int64_t nodes;
    int64_t (*neighbour)[BMF_MESH_PORTS];
    int (*at)[BMF_MESH_DIMENSIONS];       /* coordinates */
    resource *resource;                   /* of pipelines, interfaces, links */
    float *price;                         /* of being one user more, by resource */
    int64_t resources, interfaces, links; /* where the latter two begin */
    float pressure;                       /* what being one too many costs */
    bmf_stream_route *route;
    int64_t *order;  /* hardest streams first; of courses, the first stages */
    int *wait;       /* slots between being written and that, when they were routed */
    int64_t *depart; /* of streams of courses that have a way: the slot of the first word, counted from the beginning */
    command_slot *command;
    int64_t commands;
    search_state *state;
    int32_t mark;
    heap_item *heap;
    int64_t heap_count, heap_capacity;
    bmf_progress progress;
    int tries; /* bandwidths, this one among them */
} streams_router;

static inline int64_t pipeline_slot(const streams_router *r, int64_t node, int pipeline, int slot)
{
    return (node * r->pipelines + pipeline) * r->length + slot;
}
/* Reading in slot t and writing in slot t - 1 touch the interface at the same time. */
static inline int64_t interface_slot(const streams_router *r, int64_t node, int pipeline, int slot)
{
    return r->interfaces + (node * r->pipelines + pipeline) * r->length + slot;
}
/* A link, by the slot in which it is read; both directions of shared wires are one. */
static inline int64_t link_slot(const streams_router *r, int64_t node, int port, int slot)
{
    if (!r->hardware.separate_wires && port % 2 == 0) {
        node = r->neighbour[node][port];
        port = mesh_opposite(port);
    }
    return r->links + (node * BMF_MESH_PORTS + port) * r->length + slot;
}

/* Visits every resource of a stream's hop, or all hops. */
typedef void resource_visitor(streams_router *r, int64_t index, void *state);
void streams_visit_hop(streams_router *r, const bmf_stream_route *route, int64_t hop, bool reprogrammed,
                       resource_visitor *visit, void *state);
void streams_add_users(streams_router *r, int64_t stream, int users);
void streams_add_user(streams_router *r, int64_t index, int users);

/* streams_search.c: routes a stream whose resources nobody counts yet, and counts them. false: there is no way. */
bool streams_route_one(streams_router *r, int64_t stream);
/* Of words in a pipeline, of the first hop or others; of a cycle that words are held up. */
float streams_bias(const streams_router *r, int pipeline, bool source, int slots);
float streams_delay_cost(int slots);

/* streams_group.c: streams that touch each other where one ends and another begins. The pipeline of a stream's group;
 * -1: any. */
int streams_pipeline_of_group(const streams_router *r, int64_t stream);
/* Whether a stream may begin, or end, in a slot, beside those of its group that have a way. */
bool streams_may_begin(const streams_router *r, int64_t stream, int slot);
bool streams_may_end(const streams_router *r, int64_t stream, int slot);

/* streams_course.c: from which slot on, counted from the beginning of a course, the stream's processor can have written
 * its word, by the ways of the streams before it; -1: the stream belongs to no course. */
int64_t streams_ready(const streams_router *r, int64_t stream);
/* Slots from then to the stream's next one, if its first is `slot`. */
int streams_wait(const streams_router *r, int64_t stream, int64_t ready, int slot);
/* Keeps when a stream that has just been routed departs. */
void streams_note_departure(streams_router *r, int64_t stream);
/* Whether its word has to wait longer than when it was routed, because those before it have been rerouted; departures
 * of the streams before it must be up to date. Brings its own up to date. */
bool streams_is_late(streams_router *r, int64_t stream);
/* When the last word of all courses has come. */
int64_t streams_course_end(streams_router *r);

/* streams_chain.c: the same for a stream that is reprogrammed; also false if its nodes are not neighbours, each of the
 * next one. gap: the least distance of two of its slots. */
bool streams_route_chain(streams_router *r, int64_t stream, int gap);

#endif
