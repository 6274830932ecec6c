/* Slots along the expected course of words. Where a word goes through processors one after the other, as up and down a
 * tree, it waits at each for the slot of the next stream, half the distance of its slots on average. Method: streams of
 * later stages are routed after earlier ones; from the ways of those before it follows when a processor can have
 * written its word, and slots that come soon after are cheaper. Times are counted in slots from the beginning of the
 * course; if that is at another time, only the first words wait. Cost: O(streams hops) a stream. Source: document 004,
 * B.1 (sch_prefix, whose schedule its generator chooses; how, it does not say). */
#include "predict/mesh/streams_private.h"

enum {
    BEHIND_DELIVERY = 3, /* from the slot of the last VFSM to that of one that takes what is then written */
    ACCESS = 1           /* for each further word that is read or written before */
};

/* From the stream's first slot to that in which a hop delivers. */
static int64_t way_to(const streams_router *r, const bmf_stream_route *route, int64_t hop)
{
    int64_t slots = route->hop[hop].delay + route->hop[hop].outs;
    for (int64_t at = hop; route->hop[at].parent >= 0; at = route->hop[at].parent)
        slots += (route->hop[at].slot - route->hop[route->hop[at].parent].slot + r->length) % r->length;
    return slots;
}

/* When the stream's word can be read at the node; -1: it does not come there. */
static int64_t arrival_at(const streams_router *r, int64_t stream, int64_t node)
{
    const bmf_stream_route *route = &r->route[stream];
    for (int64_t h = 1; h < route->hops; h++)
        if (route->hop[h].node == node && route->hop[h].delivers)
            return r->depart[stream] + way_to(r, route, h);
    return -1;
}

int64_t streams_ready(const streams_router *r, int64_t stream)
{
    const bmf_stream *own = &r->request->stream[stream];
    int64_t last = -BEHIND_DELIVERY, before = 0;
    if (own->course == 0)
        return -1;
    for (int64_t k = 0; k < r->request->streams; k++) {
        const bmf_stream *other = &r->request->stream[k];
        if (other->course != own->course)
            continue;
        before += other->from == own->from && other->stage == own->stage && k < stream;
        const int64_t arrival = other->stage < own->stage ? arrival_at(r, k, own->from) : -1;
        if (arrival >= 0)
            last = arrival > last ? arrival : last + ACCESS;
    }
    return last + BEHIND_DELIVERY + before * ACCESS;
}

int streams_wait(const streams_router *r, int64_t stream, int64_t ready, int slot)
{
    const int slots = r->route[stream].slots;
    int least = r->length;
    for (int k = 0; k < slots; k++) {
        const int64_t later = slot + stream_slot(r->length, slots, k) - ready % r->length;
        const int wait = (int)((later + r->length) % r->length);
        least = wait < least ? wait : least;
    }
    return least;
}

/* The wait, with the ways as they are now. */
static int find_departure(streams_router *r, int64_t stream)
{
    const int64_t ready = streams_ready(r, stream);
    if (ready < 0)
        return 0;
    const int wait = streams_wait(r, stream, ready, r->route[stream].hop[0].slot);
    r->depart[stream] = ready + wait;
    return wait;
}

void streams_note_departure(streams_router *r, int64_t stream)
{
    r->wait[stream] = find_departure(r, stream);
}

bool streams_is_late(streams_router *r, int64_t stream)
{
    return r->route[stream].hops > 0 && find_departure(r, stream) > r->wait[stream];
}

int64_t streams_course_end(streams_router *r)
{
    int64_t last = 0;
    for (int64_t k = 0; k < r->request->streams; k++) { /* in the order of their stages */
        const int64_t stream = r->order[k];
        const bmf_stream_route *route = &r->route[stream];
        find_departure(r, stream);
        for (int64_t h = 0; h < route->hops && r->request->stream[stream].course > 0; h++)
            if (route->hop[h].delivers && r->depart[stream] + way_to(r, route, h) > last)
                last = r->depart[stream] + way_to(r, route, h);
    }
    return last;
}
