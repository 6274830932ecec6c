/* The stream router: finds the schedule of a phase. Streams with bandwidths in; for every stream a tree of VFSMs out,
 * with nodes, pipelines, time slots and delays under all rules of the hardware (predict/mesh/scheduled.h).
 *
 * A stream gets the same number of slots on every node it passes, as far apart as they can be equally: slots / length
 * words a cycle. If not all streams fit as requested, all bandwidths are multiplied by the largest common factor with
 * which they do. */
#ifndef BMF_MESH_STREAMS_H
#define BMF_MESH_STREAMS_H

#include "predict/mesh/scheduled.h"

/* The VFSMs of a stream on a node: in slot `slot` (and evenly after it) one that takes the word in; `delay` slots
 * later, if that is not 0, one that goes on; then, slot after slot, a fork for every further destination. */
typedef struct bmf_stream_hop {
    int64_t node;
    int64_t parent; /* the hop its words come from, -1: from the processor */
    int in;         /* port, -1: from the processor */
    int pipeline, slot, delay;
    int outs;
    int8_t out[BMF_MESH_PORTS]; /* ports, in the order of the forks */
    bool delivers;              /* to the processor, as the last of the forks */
    int reg;                    /* in which the processor finds the words, -1 */
    int own; /* reprogrammed streams: from which the hop's first VFSM would read the processor's words; -1 */
} bmf_stream_hop;

typedef struct bmf_stream_route {
    int slots; /* of a schedule */
    int reg;   /* into which the source's processor puts the words */
    int64_t hops, capacity;
    bmf_stream_hop *hop; /* parents before children */
} bmf_stream_route;

typedef struct bmf_stream {
    int64_t from;
    int64_t destinations; /* at least 1 */
    const int64_t *to;    /* different nodes; `from` among them: the source reads its own words */
    double bandwidth;     /* requested words a cycle, 0 < bandwidth <= 1; a stream carries at most 1/2 */
    bool reprogrammed;    /* any destination may be made the source at run time; a chain in the order of `to` */
    const bool *allowed;  /* by node: may carry it; NULL: all may */
    /* above 0: on every node all streams of a group that begin there, and those with one destination that end there, do
     * so in one pipeline, so that one may be made to write into another's buffer, or to program it (document 004,
     * 7.1.4) */
    int group;
    bool joins;     /* its last VFSM is never in the slot before the first one of its group's streams */
    bool commanded; /* its ends are programmed at run time: every pipeline has a slot for commands */
    /* above 0: the stages of a course of single words, one after the other: a processor writes this stream when it has
     * read those of lower stages that end at its node, and the word should find its slot then (document 004, B.1,
     * sch_prefix) */
    int course, stage;
    /* Its way, registers included, which others go round: it is under way in another phase, too. NULL: to be found */
    const bmf_stream_route *given;
} bmf_stream;

typedef struct bmf_stream_routes {
    bmf_scheduled_hardware hardware;
    int64_t streams;
    bmf_stream_route *route;
    int rounds, tries; /* of ripping up and rerouting in the last try; bandwidths that were tried */
    double factor;     /* of the requested bandwidths */
    int64_t course;    /* slots from the beginning of the courses until their last word has come; 0: there are none */
} bmf_stream_routes;

typedef struct bmf_stream_request {
    bmf_scheduled_hardware hardware;
    int64_t streams;
    const bmf_stream *stream;
    bool leaves; /* the phase has a successor: every node keeps a slot for commands in pipeline 0 */
    /* What a VFSM in that slot costs besides 1: 0 for nothing, more is worse, INFINITY forbids it. NULL: nothing. */
    double (*cost)(void *state, int64_t node, int pipeline, int slot);
    void *state;
    /* By node, port and slot, streams_link_index: links that may not be used, because another phase reads them in that
     * slot. NULL: all may. */
    const bool *taken;
    int rounds; /* most of ripping up and rerouting per try; 0: 120 */
} bmf_stream_request;

/* *routes NULL: they do not fit into one phase, even with one slot each. Errors: BMF_ERROR_ARGUMENT with the stream's
 * number: a node outside the mesh, a bandwidth that is none. The caller frees. */
int numesh_route_streams(const bmf_stream_request *request, bmf_stream_routes **routes);
void streams_free(bmf_stream_routes *routes);

/* Slot k of a stream with `slots` slots in a schedule, counted from its first: the same distance apart, so that streams
 * with as many slots fit between each other; what is left stays at the end, for commands. */
static inline int stream_slot(int length, int slots, int k)
{
    return k * (length / slots);
}
/* The slot in which a link's far end reads it, as an index into nodes x ports x length. */
static inline int64_t streams_link_index(const bmf_scheduled_hardware *hardware, int64_t node, int port, int slot)
{
    return (node * BMF_MESH_PORTS + port) * hardware->length + slot;
}
/* Marks all links of the routes. */
void streams_mark_links(const bmf_stream_routes *routes, bool *taken);
/* Links on the way from the source to a hop. */
int64_t stream_depth(const bmf_stream_route *route, int64_t hop);

/* Writes a block of every node, and fills empty slots with the reprogramming VFSM. The result has been checked. Errors:
 * BMF_ERROR_INTERNAL: it breaks a rule, or a node has too few VFSMs. */
int streams_emit(const bmf_stream_routes *routes, bmf_scheduled_machine *machine, int block);
/* Streams [first, first + count) only, without the rest of the block. `used` counts the VFSMs of every node that are
 * taken; zeros before the first phase. */
int streams_emit_some(const bmf_stream_routes *routes, int64_t first, int64_t count, bmf_scheduled_machine *machine,
                      int block, uint8_t (*used)[BMF_SCHEDULED_PIPELINES]);
/* The same for phases that are in the routers' memories together. */
int streams_emit_more(const bmf_stream_routes *routes, bmf_scheduled_machine *machine, int block,
                      uint8_t (*used)[BMF_SCHEDULED_PIPELINES]);

#endif
