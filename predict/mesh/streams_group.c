/* Streams of a group touch each other in the routers: on a node they begin and end in one pipeline, and what ends
 * there to go on in another one's buffer does not run in the slot before it (rule 3 of scheduled.h). Method: every
 * group has a pipeline; slots are compared with those of the streams that have a way, so whichever is routed later
 * keeps off. Cost: O(streams slots^2) a slot. Source: document 004, 7.1.4 (co-scheduling). */
#include "predict/mesh/streams_private.h"

int streams_pipeline_of_group(const streams_router *r, int64_t stream)
{
    const int group = r->request->stream[stream].group;
    return group > 0 ? group % r->pipelines : -1;
}

/* Whether a VFSM runs in the slot before another one's. */
static bool runs_before(const streams_router *r, int slot, int slots, int next, int next_slots)
{
    for (int i = 0; i < slots; i++)
        for (int k = 0; k < next_slots; k++)
            if ((slot + stream_slot(r->length, slots, i) + 1) % r->length ==
                (next + stream_slot(r->length, next_slots, k)) % r->length)
                return true;
    return false;
}

/* Whether one stream of the group ends where the other begins, both with a way. */
static bool goes_on_in(const streams_router *r, int64_t ends, int64_t begins)
{
    const bmf_stream *one = &r->request->stream[ends], *other = &r->request->stream[begins];
    return one->joins && one->group == other->group && one->to[0] == other->from;
}

bool streams_may_begin(const streams_router *r, int64_t stream, int slot)
{
    for (int64_t k = 0; r->request->stream[stream].group > 0 && k < r->request->streams; k++) {
        const bmf_stream_route *ends = &r->route[k];
        if (ends->hops == 0 || !goes_on_in(r, k, stream))
            continue;
        const bmf_stream_hop *last = &ends->hop[ends->hops - 1];
        if (runs_before(r, last->slot + last->delay, ends->slots, slot, r->route[stream].slots))
            return false;
    }
    return true;
}

bool streams_may_end(const streams_router *r, int64_t stream, int slot)
{
    for (int64_t k = 0; k < r->request->streams; k++)
        if (r->route[k].hops > 0 && goes_on_in(r, stream, k) &&
            runs_before(r, slot, r->route[stream].slots, r->route[k].hop[0].slot, r->route[k].slots))
            return false;
    return true;
}
