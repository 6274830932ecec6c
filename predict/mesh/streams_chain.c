/* Routes a stream that is reprogrammed along a chain of neighbours, all of it at once: a delay at a node decides in
 * which slots every later link is used, so that hop by hop a chain ends where the next link is taken.
 *
 * Method: dynamic programming along the chain. A state is the pipeline and the slot in which a node's word goes on; its
 * price is that of the cheapest way from the source there. Exact for the prices of the moment, since no two nodes of a
 * chain share resources. Cost: O(nodes pipelines slots delays). Source of chains: document 004, appendix B
 * (str_bcast_linear). */
#include <math.h>
#include <stdlib.h>

#include "predict/mesh/streams_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum { BEHIND_DELIVERY = 2, BEHIND_LAST = 1 }; /* slots from going on to the interface that takes the word */

typedef struct chain_state {
    float cost;
    uint8_t before; /* pipeline of the node before */
    uint8_t delay;
} chain_state;

/* Prices of one node's or link's slots, each for all slots of the stream. */
typedef struct slot_prices {
    float at[BMF_SCHEDULED_ENTRIES];
} slot_prices;

typedef struct chain {
    streams_router *r;
    const bmf_stream *wanted;
    int slots, gap;
    chain_state *state; /* by place in the chain, pipeline and slot */
} chain;

static int64_t node_at(const chain *c, int64_t place)
{
    return place == 0 ? c->wanted->from : c->wanted->to[place - 1];
}

static chain_state *state_at(const chain *c, int64_t place, int pipeline, int slot)
{
    return &c->state[(place * c->r->pipelines + pipeline) * c->r->length + slot];
}

static int port_to(const streams_router *r, int64_t from, int64_t to)
{
    for (int port = 0; port < BMF_MESH_PORTS; port++)
        if (r->neighbour[from][port] == to)
            return port;
    return -1;
}

static slot_prices price_slots(const chain *c, int64_t first)
{
    slot_prices prices;
    for (int slot = 0; slot < c->r->length; slot++) {
        prices.at[slot] = 0;
        for (int k = 0; k < c->slots; k++)
            prices.at[slot] += c->r->price[first + (slot + stream_slot(c->r->length, c->slots, k)) % c->r->length];
    }
    return prices;
}

static void begin_chain(const chain *c)
{
    for (int p = 0; p < c->r->pipelines; p++) {
        const slot_prices pipeline = price_slots(c, pipeline_slot(c->r, c->wanted->from, p, 0)),
                          interface = price_slots(c, interface_slot(c->r, c->wanted->from, p, 0));
        for (int slot = 0; slot < c->r->length; slot++)
            *state_at(c, 0, p, slot) =
                (chain_state){pipeline.at[slot] + interface.at[slot] + streams_bias(c->r, p, true, c->slots), 0, 0};
    }
}

/* The cheapest pipeline whose word goes on in the slot. */
static int cheapest_before(const chain *c, int64_t place, int slot)
{
    int best = 0;
    for (int p = 1; p < c->r->pipelines; p++)
        if (state_at(c, place, p, slot)->cost < state_at(c, place, best, slot)->cost)
            best = p;
    return best;
}

/* All states of a node in a pipeline, from those of the node before. */
static void advance(const chain *c, int64_t place, int p)
{
    const int length = c->r->length, behind = place < c->wanted->destinations ? BEHIND_DELIVERY : BEHIND_LAST;
    const int64_t node = node_at(c, place), before = node_at(c, place - 1);
    const slot_prices link = price_slots(c, link_slot(c->r, before, port_to(c->r, before, node), 0)),
                      pipeline = price_slots(c, pipeline_slot(c->r, node, p, 0)),
                      interface = price_slots(c, interface_slot(c->r, node, p, 0));
    for (int slot = 0; slot < length; slot++)
        state_at(c, place, p, slot)->cost = INFINITY;
    for (int in = 0; in < length; in++) {
        const int from = cheapest_before(c, place - 1, (in + length - 1) % length);
        const float base = state_at(c, place - 1, from, (in + length - 1) % length)->cost + link.at[in] +
                           interface.at[in] + streams_bias(c->r, p, false, c->slots);
        for (int delay = 0; delay + behind < c->gap; delay++) {
            const int slot = (in + delay) % length;
            float cost = base + pipeline.at[slot] + interface.at[(slot + behind) % length];
            cost += delay > 0 ? pipeline.at[in] + streams_delay_cost(c->slots) * (float)(1 + delay) / 2 : 0;
            cost += behind == BEHIND_DELIVERY ? pipeline.at[(slot + 1) % length] : 0;
            if (cost < state_at(c, place, p, slot)->cost)
                *state_at(c, place, p, slot) = (chain_state){cost, (uint8_t)from, (uint8_t)delay};
        }
    }
}

static void keep_chain(const chain *c, bmf_stream_route *route, int pipeline, int slot)
{
    const int64_t last = c->wanted->destinations;
    for (int64_t place = 0; place <= last; place++)
        *ARRAY_APPEND(route->hop, route->hops, route->capacity) = (bmf_stream_hop){.parent = place - 1, .reg = -1};
    for (int64_t place = last; place >= 0; place--) {
        const chain_state *state = state_at(c, place, pipeline, slot);
        bmf_stream_hop *hop = &route->hop[place];
        hop->node = node_at(c, place);
        hop->pipeline = pipeline;
        hop->delay = state->delay;
        hop->slot = (slot - state->delay + c->r->length) % c->r->length;
        hop->delivers = place > 0;
        hop->in = place > 0 ? port_to(c->r, hop->node, node_at(c, place - 1)) : -1;
        hop->outs = place < last;
        if (hop->outs > 0)
            hop->out[0] = (int8_t)port_to(c->r, hop->node, node_at(c, place + 1));
        pipeline = state->before;
        slot = (hop->slot + c->r->length - 1) % c->r->length;
    }
}

static bool are_neighbours(const chain *c)
{
    for (int64_t place = 1; place <= c->wanted->destinations; place++)
        if (port_to(c->r, node_at(c, place - 1), node_at(c, place)) < 0)
            return false;
    return true;
}

bool streams_route_chain(streams_router *r, int64_t stream, int gap)
{
    bmf_stream_route *route = &r->route[stream];
    chain c = {.r = r, .wanted = &r->request->stream[stream], .slots = route->slots, .gap = gap};
    const int64_t last = c.wanted->destinations;
    if (!are_neighbours(&c))
        return false;
    c.state = allocate_array((last + 1) * r->pipelines * r->length, (int64_t)sizeof *c.state);
    begin_chain(&c);
    for (int64_t place = 1; place <= last; place++)
        for (int p = 0; p < r->pipelines; p++)
            advance(&c, place, p);
    int at_pipeline = -1, at_slot = 0;
    float best = INFINITY;
    for (int p = 0; p < r->pipelines; p++)
        for (int slot = 0; slot < r->length; slot++)
            if (state_at(&c, last, p, slot)->cost < best) {
                best = state_at(&c, last, p, slot)->cost;
                at_pipeline = p;
                at_slot = slot;
            }
    if (at_pipeline >= 0)
        keep_chain(&c, route, at_pipeline, at_slot);
    free(c.state);
    if (at_pipeline >= 0)
        streams_add_users(r, stream, 1);
    return at_pipeline >= 0;
}
