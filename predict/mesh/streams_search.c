/* Routes one stream through nodes, pipelines and slots.
 *
 * Method: the tree grows destination by destination, the nearest first, each along the cheapest way from any hop of the
 * tree that can still fork (A*, Hart, Nilsson and Raphael 1968, with the links that are left as the estimate). A state
 * is a VFSM in its first slot; from it the words go to a neighbour, in the next slot and any pipeline, or are delayed
 * on the node. A stream whose slots are so close that a node can serve only two destinations cannot be grown so when
 * all nodes listen: it goes along a snake through the mesh, both ways from its source (document 004, B.1,
 * str_bcast_linear). A stream that is reprogrammed is a chain through its destinations in their order, so that it can
 * begin at any of them and reach all later ones; where these are neighbours it is routed as a whole (streams_chain.c).
 * Cost: O(n log n) for n states that are looked at, at most nodes x pipelines x slots. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/mesh/streams_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum { MOVE_DELAY = BMF_MESH_PORTS, FROM_PROCESSOR = -1, FROM_TREE = -2 };
static const float DELAY_COST = 0.5F, WAIT_COST = 2;
/* Sources rather in the last pipeline and everything else in the others: slots without words are then where a reader of
 * the interface, such as the reprogramming VFSM, may use them. */
static const float BIAS = 0.02F;

typedef struct search {
    streams_router *r;
    bmf_stream_route *route;
    bool reprogrammed;
    const bool *allowed;               /* nodes, or NULL for all */
    int gap;                           /* between two slots of the stream, at least */
    int offset[BMF_SCHEDULED_ENTRIES]; /* of its slots */
    int64_t ready;                     /* of a stream of a course; -1 */
    int64_t target;
    bool deliver, direct; /* direct: only straight to the target */
    int pipeline;         /* in which the stream begins and, at its only destination, ends; -1: in any */
    float best;
    int32_t goal;
} search;

static int64_t stream_of(const search *s)
{
    return s->route - s->r->route;
}

/* ---- prices ---- */

static float price_of(const search *s, int64_t first, int slot)
{
    const float *at = &s->r->price[first];
    const int length = s->r->length;
    float price = 0;
    for (int k = 0; k < s->route->slots; k++) {
        const int t = slot + s->offset[k];
        price += at[t < length ? t : t - length];
    }
    return price;
}

static float price_of_vfsm(const search *s, int64_t node, int pipeline, int slot, bool reads_interface)
{
    float price = price_of(s, pipeline_slot(s->r, node, pipeline, 0), slot);
    if (reads_interface)
        price += price_of(s, interface_slot(s->r, node, pipeline, 0), slot);
    return price;
}

static float price_of_interface(const search *s, int64_t node, int pipeline, int slot)
{
    return price_of(s, interface_slot(s->r, node, pipeline, 0), slot);
}

float streams_bias(const streams_router *r, int pipeline, bool source, int slots)
{
    const bool last = pipeline == r->pipelines - 1;
    return last == source || r->pipelines == 1 ? 0 : BIAS * (float)slots;
}

float streams_delay_cost(int slots)
{
    return DELAY_COST * (float)slots;
}

/* Of a word's cycles on a course. */
static float price_of_wait(const search *s, int cycles)
{
    return s->ready < 0 ? 0 : WAIT_COST * (float)(cycles * s->route->slots);
}

static float bias(const search *s, int pipeline, bool source)
{
    return streams_bias(s->r, pipeline, source, s->route->slots);
}

static float estimate(const search *s, int64_t node)
{
    int links = 0;
    for (int k = 0; k < BMF_MESH_DIMENSIONS; k++) {
        const int apart = abs(s->r->at[node][k] - s->r->at[s->target][k]);
        const int size = (int)s->r->hardware.mesh.size[k];
        links += s->r->hardware.mesh.torus && size - apart < apart ? size - apart : apart;
    }
    return (float)(links * s->route->slots);
}

#define HEAP(name)        queue_##name
#define HEAP_ELEMENT      heap_item
#define HEAP_BEFORE(a, b) ((a).estimate < (b).estimate)
#include "runtime/base/heap.h"

static void push(streams_router *r, float at, int32_t state)
{
    ARRAY_RESERVE(r->heap, r->heap_capacity, r->heap_count + 1);
    queue_push(r->heap, &r->heap_count, (heap_item){at, state});
}

static void reach(search *s, int64_t node, int pipeline, int slot, float cost, int32_t from, int move)
{
    const int64_t index = pipeline_slot(s->r, node, pipeline, slot);
    search_state *state = &s->r->state[index];
    if (!isfinite(cost) || (state->mark == s->r->mark && (state->closed || state->cost <= cost)))
        return;
    *state = (search_state){cost, from, s->r->mark, (int8_t)move, false};
    push(s->r, cost + estimate(s, node), (int32_t)index);
}

/* Every pipeline of the neighbour behind a port; the word is written in slot `slot`. */
static void reach_neighbour(search *s, int64_t node, int port, int slot, float cost, int32_t from)
{
    const int64_t to = s->r->neighbour[node][port];
    if (to < 0 || (s->direct && to != s->target) || (s->allowed && !s->allowed[to]))
        return;
    const int next = (slot + 1) % s->r->length;
    cost += price_of(s, link_slot(s->r, node, port, 0), next) + price_of_wait(s, 1);
    for (int p = 0; p < s->r->pipelines; p++)
        reach(s, to, p, next, cost + bias(s, p, false) + price_of_vfsm(s, to, p, next, s->reprogrammed), from, port);
}

/* ---- where searches begin ---- */

static void begin_at_processor(search *s, int64_t node)
{
    for (int p = 0; p < s->r->pipelines; p++)
        for (int slot = 0; slot < s->r->length && (s->pipeline < 0 || s->pipeline == p); slot++)
            if (streams_may_begin(s->r, stream_of(s), slot))
                reach(s, node, p, slot,
                      bias(s, p, true) + price_of_vfsm(s, node, p, slot, true) +
                          price_of_wait(s, s->ready < 0 ? 0 : streams_wait(s->r, stream_of(s), s->ready, slot)),
                      FROM_PROCESSOR, 0);
}

static int destinations_of(const bmf_stream_hop *hop)
{
    return hop->outs + hop->delivers;
}

static bool can_fork(const search *s, const bmf_stream_hop *hop)
{
    return hop->delay + destinations_of(hop) < s->gap;
}

/* A further fork comes before the delivery, which moves on by a slot. */
static void begin_at_hop(search *s, int64_t index)
{
    const bmf_stream_hop *hop = &s->route->hop[index];
    if (!can_fork(s, hop))
        return;
    const int length = s->r->length, slot = hop->slot + hop->delay + hop->outs;
    float cost = 0;
    if (destinations_of(hop) > 0)
        cost += price_of_vfsm(s, hop->node, hop->pipeline, (slot + hop->delivers) % length, false);
    if (hop->delivers)
        cost += price_of_interface(s, hop->node, hop->pipeline, (slot + 2) % length);
    for (int port = 0; port < BMF_MESH_PORTS; port++) {
        bool used = port == hop->in;
        for (int k = 0; k < hop->outs; k++)
            used |= hop->out[k] == port;
        if (!used)
            reach_neighbour(s, hop->node, port, slot, cost, (int32_t)(FROM_TREE - index));
    }
}

/* ---- searching ---- */

static void expand(search *s, int32_t index)
{
    const streams_router *r = s->r;
    const search_state *state = &r->state[index];
    const int slot = (int)(index % r->length), pipeline = (int)(index / r->length % r->pipelines);
    const int64_t node = index / r->length / r->pipelines;
    const int back = state->from >= 0 && state->move != MOVE_DELAY ? mesh_opposite(state->move) : -1;
    for (int port = 0; port < BMF_MESH_PORTS; port++)
        if (port != back)
            reach_neighbour(s, node, port, slot, state->cost, index);
    if (state->move == MOVE_DELAY || state->from == FROM_PROCESSOR)
        return;
    for (int delay = 1; delay < s->gap; delay++) {
        const int later = (slot + delay) % r->length;
        const float more = price_of_vfsm(s, node, pipeline, later, false) + streams_delay_cost(s->route->slots) +
                           price_of_wait(s, delay);
        reach(s, node, pipeline, later, state->cost + more, index, MOVE_DELAY);
    }
}

static bool may_end_at(const search *s, int32_t index)
{
    const int pipeline = (int)(index / s->r->length % s->r->pipelines);
    return s->pipeline < 0 || s->r->request->stream[stream_of(s)].destinations > 1 ||
           (s->pipeline == pipeline && streams_may_end(s->r, stream_of(s), (int)(index % s->r->length)));
}

static bool find(search *s)
{
    streams_router *r = s->r;
    while (r->heap_count > 0) {
        const heap_item item = queue_pop(r->heap, &r->heap_count);
        search_state *state = &r->state[item.state];
        if (item.estimate >= s->best)
            break;
        if (state->closed)
            continue;
        state->closed = true;
        const int64_t at = item.state / r->length;
        if (at / r->pipelines == s->target && may_end_at(s, item.state)) {
            const int slot = (item.state % r->length + 1) % r->length;
            const float cost =
                state->cost + (s->deliver ? price_of_interface(s, s->target, (int)(at % r->pipelines), slot) : 0);
            if (cost < s->best) {
                s->best = cost;
                s->goal = item.state;
            }
        }
        expand(s, item.state);
    }
    return s->goal >= 0;
}

/* ---- the tree ---- */

static void count_user(streams_router *r, int64_t index, void *state)
{
    streams_add_user(r, index, *(const int *)state);
}

static void count_hop(search *s, int64_t hop, int users)
{
    streams_visit_hop(s->r, s->route, hop, s->reprogrammed, count_user, &users);
}

static int64_t add_hop(search *s, const bmf_stream_hop *hop)
{
    bmf_stream_route *route = s->route;
    *ARRAY_APPEND(route->hop, route->hops, route->capacity) = *hop;
    return route->hops - 1;
}

/* Adds the way to a state, its last hop's resources not yet counted; returns that hop. */
static int64_t add_way(search *s, int32_t index)
{
    const streams_router *r = s->r;
    const search_state *state = &r->state[index];
    const int slot = (int)(index % r->length);
    bmf_stream_hop hop = {.node = index / r->length / r->pipelines,
                          .parent = -1,
                          .in = -1,
                          .pipeline = (int)(index / r->length % r->pipelines),
                          .slot = slot,
                          .reg = -1};
    if (state->from == FROM_PROCESSOR)
        return add_hop(s, &hop);
    if (state->move == MOVE_DELAY) {
        const int64_t same = add_way(s, state->from);
        s->route->hop[same].delay = (slot - s->route->hop[same].slot + r->length) % r->length;
        return same;
    }
    if (state->from >= 0) {
        hop.parent = add_way(s, state->from);
    } else {
        hop.parent = FROM_TREE - state->from;
        count_hop(s, hop.parent, -1);
    }
    bmf_stream_hop *parent = &s->route->hop[hop.parent];
    parent->out[parent->outs++] = state->move;
    count_hop(s, hop.parent, 1);
    hop.in = mesh_opposite(state->move);
    return add_hop(s, &hop);
}

static void begin_search(search *s, int64_t target, bool deliver, bool direct)
{
    s->r->heap_count = 0;
    s->r->mark++;
    s->target = target;
    s->deliver = deliver;
    s->direct = direct;
    s->best = INFINITY;
    s->goal = -1;
}

static bool end_search(search *s)
{
    if (!find(s))
        return false;
    const int64_t last = add_way(s, s->goal);
    s->route->hop[last].delivers = s->deliver;
    count_hop(s, last, 1);
    return true;
}

/* A hop of the tree on the node that can also deliver there. */
static bool deliver_on_the_way(search *s, int64_t node)
{
    for (int64_t h = 0; h < s->route->hops; h++)
        if (s->route->hop[h].node == node && !s->route->hop[h].delivers && can_fork(s, &s->route->hop[h])) {
            count_hop(s, h, -1);
            s->route->hop[h].delivers = true;
            count_hop(s, h, 1);
            return true;
        }
    return false;
}

static bool grow_to(search *s, int64_t from, int64_t target)
{
    if (deliver_on_the_way(s, target))
        return true;
    begin_search(s, target, true, false);
    if (s->route->hops == 0)
        begin_at_processor(s, from);
    for (int64_t h = 0; h < s->route->hops; h++)
        begin_at_hop(s, h);
    return end_search(s);
}

/* ---- trees ---- */

static int64_t distance_to_tree(const search *s, int64_t from, int64_t node)
{
    const bmf_mesh *mesh = &s->r->hardware.mesh;
    int64_t min = mesh_distance(mesh, from, node);
    for (int64_t h = 0; h < s->route->hops; h++) {
        const int64_t distance = mesh_distance(mesh, s->route->hop[h].node, node);
        min = distance < min ? distance : min;
    }
    return min;
}

/* The source itself comes last: its delivery is a fork of its first hop. */
static bool grow_tree(search *s, const bmf_stream *stream)
{
    bool *reached = allocate_clear(stream->destinations, sizeof *reached), possible = true;
    for (int64_t done = 0; done < stream->destinations && possible; done++) {
        int64_t nearest = -1, min = INT64_MAX;
        for (int64_t d = 0; d < stream->destinations; d++) {
            if (reached[d])
                continue;
            const int64_t distance =
                stream->to[d] == stream->from ? INT64_MAX - 1 : distance_to_tree(s, stream->from, stream->to[d]);
            if (distance < min) {
                min = distance;
                nearest = d;
            }
        }
        reached[nearest] = true;
        possible = grow_to(s, stream->from, stream->to[nearest]);
    }
    free(reached);
    return possible;
}

/* ---- snakes ---- */

/* The k-th node of a snake through the whole mesh. */
static int64_t snake_node(const bmf_mesh *mesh, int64_t k)
{
    const int64_t plane = mesh->size[0] * mesh->size[1];
    int64_t at[BMF_MESH_DIMENSIONS] = {0, 0, k / plane};
    const int64_t inside = at[2] % 2 ? plane - 1 - k % plane : k % plane;
    at[1] = inside / mesh->size[0];
    at[0] = at[1] % 2 ? mesh->size[0] - 1 - inside % mesh->size[0] : inside % mesh->size[0];
    return mesh_node(mesh, at);
}

/* From the source, at place `at` of the snake, in steps of `step`, as far as the last destination. */
static bool go_along(search *s, const bmf_stream *stream, const bool *listens, int64_t at, int64_t step)
{
    const bmf_mesh *mesh = &s->r->hardware.mesh;
    int64_t last = at, tail = 0;
    for (int64_t k = at + step; k >= 0 && k < mesh->nodes; k += step)
        if (listens[snake_node(mesh, k)])
            last = k;
    for (int64_t k = at + step; k != last + step; k += step) {
        const int64_t node = snake_node(mesh, k);
        begin_search(s, node, listens[node], true);
        if (s->route->hops == 0)
            begin_at_processor(s, stream->from);
        else
            begin_at_hop(s, tail);
        if (!end_search(s))
            return false;
        tail = s->route->hops - 1;
    }
    return true;
}

static bool grow_snake(search *s, const bmf_stream *stream)
{
    const bmf_mesh *mesh = &s->r->hardware.mesh;
    bool *listens = allocate_clear(mesh->nodes, sizeof *listens);
    int64_t at = 0;
    for (int64_t d = 0; d < stream->destinations; d++)
        listens[stream->to[d]] = true;
    while (snake_node(mesh, at) != stream->from)
        at++;
    const bool possible = go_along(s, stream, listens, at, 1) && go_along(s, stream, listens, at, -1) &&
                          (!listens[stream->from] || grow_to(s, stream->from, stream->from));
    free(listens);
    return possible;
}

/* ---- chains ---- */

static bool grow_chain(search *s, const bmf_stream *stream)
{
    for (int64_t d = 0; d < stream->destinations; d++) {
        const int64_t tail = s->route->hops - 1;
        begin_search(s, stream->to[d], true, false);
        if (tail < 0)
            begin_at_processor(s, stream->from);
        else
            begin_at_hop(s, tail);
        if (!end_search(s))
            return false;
    }
    return true;
}

static int smallest_gap(int length, int slots)
{
    int min = length;
    for (int k = 0; k < slots; k++) {
        const int gap = stream_slot(length, slots, k + 1) - stream_slot(length, slots, k);
        min = gap < min ? gap : min;
    }
    return min;
}

bool streams_route_one(streams_router *r, int64_t stream)
{
    const bmf_stream *wanted = &r->request->stream[stream];
    bmf_stream_route *route = &r->route[stream];
    search s = {.r = r,
                .route = route,
                .reprogrammed = wanted->reprogrammed,
                .allowed = wanted->allowed,
                .pipeline = streams_pipeline_of_group(r, stream),
                .ready = streams_ready(r, stream),
                .gap = smallest_gap(r->length, route->slots)};
    route->hops = 0;
    for (int k = 0; k < route->slots; k++)
        s.offset[k] = stream_slot(r->length, route->slots, k);
    if (wanted->reprogrammed)
        return streams_route_chain(r, stream, s.gap) || grow_chain(&s, wanted);
    if (!(s.gap <= 2 && wanted->destinations > 1 ? grow_snake(&s, wanted) : grow_tree(&s, wanted)))
        return false;
    streams_note_departure(r, stream);
    return true;
}
