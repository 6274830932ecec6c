/* The stream router.
 *
 * Method: negotiated congestion (McMurchie and Ebeling, PathFinder: A Negotiation-Based Performance-Driven Router for
 * FPGAs, FPGA 1995), carried over to time slots. What streams share are slots: of a pipeline, of its way to the
 * interface, of a link. Every stream is routed by the cheapest tree through nodes, pipelines and slots
 * (streams_search.c) as if sharing were allowed; what is shared by too many gets dearer from round to round, for now
 * (pressure) and for good (history); streams that share are ripped up and rerouted until nothing is shared. Slots for
 * the reprogramming VFSM take part as streams of one slot.
 * The bandwidths that are tried begin at what nodes and cuts of the mesh can carry at all (document 004, 6.2.6), and go
 * down, then up again by halving, as document 004, 7.1.3 does with its router, which never reroutes.
 * Cost: rounds x rerouted streams x O(n log n) for n states that are looked at. */
#define _GNU_SOURCE /* qsort_r */
#include "predict/mesh/streams_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "bmf/status.h"

/* A try ends early after PATIENCE rounds without a new least, or if after HOPELESS rounds half of the first sharing is
 * left. Every EVERYBODY rounds also streams that share nothing are rerouted: they may stand in the way. Each round
 * begins with another stream, some places further in their order; what nearly worked with one such turn is tried with
 * another. */
enum { ROUNDS = 120, TRIES = 12, PATIENCE = 30, HOPELESS = 12, EVERYBODY = 10, TURNS = 2, PUNCTUAL = 40 };
static const int TURN[TURNS] = {11, 7};

typedef enum outcome { FOUND, NOT_FOUND, IMPOSSIBLE } outcome;
static const float FIRST_PRESSURE = 0.6F, MORE_PRESSURE = 1.1F, MAX_PRESSURE = 100, HISTORY = 1.5F;

/* ---- resources ---- */

static void set_price(streams_router *r, int64_t index)
{
    const resource *at = &r->resource[index];
    r->price[index] = at->own + at->history + (at->users > 0 ? r->pressure * (1 + at->history) * at->users : 0);
}

void streams_add_user(streams_router *r, int64_t index, int users)
{
    r->resource[index].users = (int16_t)(r->resource[index].users + users);
    set_price(r, index);
}

static void visit_slots(streams_router *r, int64_t first, int slot, int slots, resource_visitor *visit, void *state)
{
    for (int k = 0; k < slots; k++)
        visit(r, first + (slot + stream_slot(r->length, slots, k)) % r->length, state);
}

void streams_visit_hop(streams_router *r, const bmf_stream_route *route, int64_t index, bool reprogrammed,
                       resource_visitor *visit, void *state)
{
    const bmf_stream_hop *hop = &route->hop[index];
    const int64_t pipeline = pipeline_slot(r, hop->node, hop->pipeline, 0);
    const int64_t interface = interface_slot(r, hop->node, hop->pipeline, 0);
    const int go_on = hop->slot + hop->delay;
    if (hop->delay > 0)
        visit_slots(r, pipeline, hop->slot, route->slots, visit, state);
    if (hop->in < 0 || reprogrammed)
        visit_slots(r, interface, hop->slot, route->slots, visit, state);
    for (int k = 0; k < hop->outs; k++) {
        visit_slots(r, pipeline, go_on + k, route->slots, visit, state);
        visit_slots(r, link_slot(r, hop->node, hop->out[k], 0), go_on + k + 1, route->slots, visit, state);
    }
    if (hop->delivers) {
        visit_slots(r, pipeline, go_on + hop->outs, route->slots, visit, state);
        visit_slots(r, interface, go_on + hop->outs + 1, route->slots, visit, state);
    }
}

static void add_users(streams_router *r, int64_t index, void *state)
{
    streams_add_user(r, index, *(const int *)state);
}

void streams_add_users(streams_router *r, int64_t stream, int users)
{
    for (int64_t h = 0; h < r->route[stream].hops; h++)
        streams_visit_hop(r, &r->route[stream], h, r->request->stream[stream].reprogrammed, add_users, &users);
}

static void find_sharing(streams_router *r, int64_t index, void *state)
{
    *(bool *)state |= r->resource[index].users > 1;
}

static bool shares(streams_router *r, int64_t stream)
{
    bool found = false;
    for (int64_t h = 0; h < r->route[stream].hops && !found; h++)
        streams_visit_hop(r, &r->route[stream], h, r->request->stream[stream].reprogrammed, find_sharing, &found);
    return found;
}

static int64_t count_shared(const streams_router *r)
{
    int64_t shared = 0;
    for (int64_t k = 0; k < r->resources; k++)
        shared += r->resource[k].users > 1 ? r->resource[k].users - 1 : 0;
    return shared;
}

static void raise_prices(streams_router *r)
{
    r->pressure = fminf(r->pressure * MORE_PRESSURE, MAX_PRESSURE);
    for (int64_t k = 0; k < r->resources; k++) {
        if (r->resource[k].users > 1)
            r->resource[k].history += HISTORY;
        set_price(r, k);
    }
}

/* ---- slots for commands ---- */

static void use_command_slot(streams_router *r, const command_slot *c, int users)
{
    if (c->at_slot < 0)
        return;
    streams_add_user(r, pipeline_slot(r, c->node, c->at_pipeline, c->at_slot), users);
    streams_add_user(r, interface_slot(r, c->node, c->at_pipeline, c->at_slot), users);
}

static bool command_shares(const streams_router *r, const command_slot *c)
{
    return c->at_slot < 0 || r->resource[pipeline_slot(r, c->node, c->at_pipeline, c->at_slot)].users > 1 ||
           r->resource[interface_slot(r, c->node, c->at_pipeline, c->at_slot)].users > 1;
}

static void place_command(streams_router *r, command_slot *c)
{
    use_command_slot(r, c, -1);
    float min = INFINITY;
    for (int p = 0; p < r->pipelines; p++)
        for (int slot = 0; slot < r->length && (c->pipeline < 0 || c->pipeline == p); slot++) {
            const float price =
                r->price[pipeline_slot(r, c->node, p, slot)] + r->price[interface_slot(r, c->node, p, slot)];
            if (price < min) {
                min = price;
                c->at_pipeline = p;
                c->at_slot = slot;
            }
        }
    use_command_slot(r, c, 1);
}

static bool carries_given(const streams_router *r, int64_t node)
{
    bool found = false;
    for (int64_t k = 0; k < r->request->streams && !found; k++) {
        const bmf_stream_route *given = r->request->stream[k].given;
        for (int64_t h = 0; given && h < given->hops && !found; h++)
            found = given->hop[h].node == node;
    }
    return found;
}

/* One for every node, in pipeline 0 where the pipelines cannot be exchanged; where streams are reprogrammed, one for
 * every pipeline. */
static void make_commands(streams_router *r)
{
    bool every_pipeline = false;
    for (int64_t k = 0; k < r->request->streams; k++)
        every_pipeline |= r->request->stream[k].reprogrammed || r->request->stream[k].commanded;
    if (!every_pipeline && !r->request->leaves)
        return;
    r->command = allocate(r->nodes * r->pipelines * (int64_t)sizeof *r->command);
    for (int64_t n = 0; n < r->nodes; n++)
        for (int p = 0; p < (every_pipeline ? r->pipelines : 1); p++)
            r->command[r->commands++] = (command_slot){n, every_pipeline || carries_given(r, n) ? p : -1, 0, -1};
}

/* ---- making ---- */

static void forbid_links(streams_router *r)
{
    for (int64_t n = 0; r->request->taken && n < r->nodes; n++)
        for (int port = 0; port < BMF_MESH_PORTS; port++)
            for (int slot = 0; slot < r->length; slot++)
                if (r->request->taken[streams_link_index(&r->hardware, n, port, slot)])
                    r->resource[link_slot(r, n, port, slot)].own = INFINITY;
}

static streams_router *make_router(const bmf_stream_request *request)
{
    streams_router *r = allocate_clear(1, sizeof *r);
    r->request = request;
    r->hardware = request->hardware;
    r->length = request->hardware.length;
    r->pipelines = request->hardware.pipelines;
    r->nodes = request->hardware.mesh.nodes;
    r->interfaces = r->nodes * r->pipelines * r->length;
    r->links = 2 * r->interfaces;
    r->resources = r->links + r->nodes * BMF_MESH_PORTS * r->length;
    r->resource = allocate_clear(r->resources, sizeof *r->resource);
    r->price = allocate_clear(r->resources, sizeof *r->price);
    r->neighbour = allocate(r->nodes * (int64_t)sizeof *r->neighbour);
    r->at = allocate(r->nodes * (int64_t)sizeof *r->at);
    r->route = allocate_clear(request->streams + 1, sizeof *r->route);
    r->order = allocate((request->streams + 1) * (int64_t)sizeof *r->order);
    r->depart = allocate_clear(request->streams + 1, sizeof *r->depart);
    r->wait = allocate_clear(request->streams + 1, sizeof *r->wait);
    r->state = allocate_clear(r->interfaces, sizeof *r->state);
    for (int64_t n = 0; n < r->nodes; n++) {
        for (int port = 0; port < BMF_MESH_PORTS; port++)
            r->neighbour[n][port] = mesh_neighbour(&r->hardware.mesh, n, port);
        for (int k = 0; k < BMF_MESH_DIMENSIONS; k++)
            r->at[n][k] = (int)mesh_coordinate(&r->hardware.mesh, n, k);
        for (int p = 0; p < r->pipelines; p++)
            for (int slot = 0; slot < r->length; slot++)
                r->resource[pipeline_slot(r, n, p, slot)].own =
                    1 + (request->cost ? (float)request->cost(request->state, n, p, slot) : 0);
    }
    forbid_links(r);
    make_commands(r);
    return r;
}

static void free_router(streams_router *r)
{
    for (int64_t k = 0; r->route && k < r->request->streams; k++)
        free(r->route[k].hop);
    void *const owned[] = {r->resource, r->price,   r->neighbour, r->at,     r->route, r->order,
                           r->state,    r->command, r->heap,      r->depart, r->wait};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        free(owned[k]);
    free(r);
}

/* ---- bandwidths ---- */

static int slots_of(const streams_router *r, const bmf_stream *stream, double factor)
{
    const int slots = (int)floor(stream->bandwidth * factor * r->length + 1e-9), max = r->length / 2;
    if (stream->given)
        return stream->given->slots;
    return slots < 1 ? 1 : slots > max ? max : slots;
}

/* What is given takes no part: it does not get less. */
static double demand(const bmf_stream *stream)
{
    return stream->given ? 0 : fmin(stream->bandwidth, 0.5);
}

/* The largest factor with which no node starts and ends more than its pipelines carry. */
static double factor_of_nodes(const streams_router *r)
{
    double *load = allocate_clear(r->nodes, sizeof *load), max = 0;
    for (int64_t k = 0; k < r->request->streams; k++) {
        const bmf_stream *stream = &r->request->stream[k];
        load[stream->from] += demand(stream);
        for (int64_t d = 0; d < stream->destinations; d++)
            load[stream->to[d]] += demand(stream);
    }
    for (int64_t n = 0; n < r->nodes; n++)
        max = fmax(max, load[n]);
    free(load);
    return max > 0 ? r->pipelines / max : 1;
}

/* ... and no cut through the mesh is crossed by more than its links carry, and all nodes together carry all hops. */
static double factor_of_cuts(const streams_router *r)
{
    const bmf_mesh *mesh = &r->hardware.mesh;
    double factor = 1, hops = 0;
    for (int axis = 0; axis < BMF_MESH_DIMENSIONS; axis++) {
        const int64_t size = mesh->size[axis];
        double *crossing = allocate_clear(2 * size, sizeof *crossing);
        for (int64_t k = 0; k < r->request->streams; k++) {
            const bmf_stream *stream = &r->request->stream[k];
            int low = r->at[stream->from][axis], high = low;
            for (int64_t d = 0; d < stream->destinations; d++) {
                const int at = r->at[stream->to[d]][axis];
                low = at < low ? at : low;
                high = at > high ? at : high;
            }
            hops += (high - low) * demand(stream);
            for (int at = low; at < high; at++) {
                const bool both = !r->hardware.separate_wires || stream->destinations > 1;
                crossing[2 * at + (both || r->at[stream->from][axis] <= at ? 0 : 1)] += demand(stream);
            }
        }
        const double links = (double)(mesh->nodes / size) * (mesh->torus ? 2 : 1);
        for (int64_t at = 0; at < 2 * (size - 1); at++)
            if (crossing[at] > 0 && !mesh->torus)
                factor = fmin(factor, links / crossing[at]);
        free(crossing);
    }
    for (int64_t k = 0; k < r->request->streams; k++)
        hops += demand(&r->request->stream[k]) * (double)(r->request->stream[k].destinations > 1 ? 2 : 1);
    return mesh->torus || hops == 0 ? factor : fmin(factor, (double)(r->nodes * r->pipelines) / hops);
}

/* ---- rounds ---- */

static double hardness(const streams_router *r, int64_t k)
{
    const bmf_stream *stream = &r->request->stream[k];
    int64_t furthest = 0;
    for (int64_t d = 0; d < stream->destinations; d++) {
        const int64_t distance = mesh_distance(&r->hardware.mesh, stream->from, stream->to[d]);
        furthest = distance > furthest ? distance : furthest;
    }
    return (double)r->route[k].slots * (double)(furthest + 2 * stream->destinations);
}

static int compare_hardness(const void *left, const void *right, void *router)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    const int first = ((const streams_router *)router)->request->stream[a].stage,
              second = ((const streams_router *)router)->request->stream[b].stage;
    if (first != second)
        return first < second ? -1 : 1;
    const double x = hardness(router, a), y = hardness(router, b);
    return x != y ? (x < y) - (x > y) : (a > b) - (a < b);
}

static void take_given(streams_router *r, int64_t stream)
{
    const bmf_stream_route *given = r->request->stream[stream].given;
    bmf_stream_route *route = &r->route[stream];
    ARRAY_RESERVE(route->hop, route->capacity, given->hops);
    memcpy(route->hop, given->hop, (size_t)given->hops * sizeof *given->hop);
    route->hops = given->hops;
    route->reg = given->reg;
    streams_add_users(r, stream, 1);
}

static void clear_routes(streams_router *r, double factor)
{
    for (int64_t k = 0; k < r->resources; k++) {
        r->resource[k].users = 0;
        r->resource[k].history = 0;
    }
    r->pressure = FIRST_PRESSURE;
    for (int64_t k = 0; k < r->resources; k++)
        set_price(r, k);
    for (int64_t k = 0; k < r->request->streams; k++) {
        r->route[k].hops = 0;
        r->route[k].slots = slots_of(r, &r->request->stream[k], factor);
        r->order[k] = k;
        if (r->request->stream[k].given)
            take_given(r, k);
    }
    for (int64_t c = 0; c < r->commands; c++)
        r->command[c].at_slot = -1;
    qsort_r(r->order, (size_t)r->request->streams, sizeof *r->order, compare_hardness, r);
}

static bool has_courses(const streams_router *r)
{
    bool found = false;
    for (int64_t k = 0; k < r->request->streams && !found; k++)
        found = r->request->stream[k].course > 0;
    return found;
}

/* FOUND: nothing is shared any more. */
static outcome negotiate(streams_router *r, double factor, int turn, int *rounds)
{
    const int max = r->request->rounds ? r->request->rounds : ROUNDS;
    int64_t fewest = INT64_MAX, first = 0;
    int best_round = 0;
    const bool courses = has_courses(r);
    clear_routes(r, factor);
    for (*rounds = 1; *rounds <= max; ++*rounds) {
        bool rerouted_late = false;
        for (int64_t k = 0; k < r->request->streams; k++) {
            const int64_t stream = r->order[(k + (*rounds - 1) * (courses ? 0 : turn)) % r->request->streams];
            const bool late = courses && *rounds > 1 && streams_is_late(r, stream) && *rounds <= PUNCTUAL;
            if (r->request->stream[stream].given)
                continue;
            if (*rounds > 1 && *rounds % EVERYBODY != 0 && !late && !shares(r, stream))
                continue;
            rerouted_late |= late;
            streams_add_users(r, stream, -1);
            if (!streams_route_one(r, stream))
                return IMPOSSIBLE;
            progress_note(&r->progress, "bandwidth %d of at most %d, round %d, stream %lld of %lld", r->tries, TRIES,
                          *rounds, (long long)k + 1, (long long)r->request->streams);
        }
        for (int64_t c = 0; c < r->commands; c++)
            if (command_shares(r, &r->command[c]))
                place_command(r, &r->command[c]);
        const int64_t shared = count_shared(r);
        if (shared == 0 && !rerouted_late)
            return FOUND;
        if (*rounds == 1)
            first = shared;
        if (shared < fewest) {
            fewest = shared;
            best_round = *rounds;
        } else if (*rounds - best_round > PATIENCE && shared > 0) {
            return NOT_FOUND;
        }
        if (*rounds >= HOPELESS && fewest > first / 2 && first > PATIENCE)
            return IMPOSSIBLE;
        raise_prices(r);
    }
    return NOT_FOUND;
}

/* ---- the whole ---- */

static int check_request(const bmf_stream_request *request)
{
    const int64_t nodes = request->hardware.mesh.nodes;
    for (int64_t k = 0; k < request->streams; k++) {
        const bmf_stream *stream = &request->stream[k];
        if (stream->from < 0 || stream->from >= nodes)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "stream %" PRId64 ": node %" PRId64 " is outside the mesh", k,
                            stream->from);
        for (int64_t d = 0; d < stream->destinations; d++)
            if (stream->to[d] < 0 || stream->to[d] >= nodes)
                return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "stream %" PRId64 ": node %" PRId64 " is outside the mesh", k,
                                stream->to[d]);
        if (!(stream->bandwidth > 0 && stream->bandwidth <= 1))
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                            "stream %" PRId64 ": a bandwidth of %g words a cycle; above 0 and at most 1 are possible",
                            k, stream->bandwidth);
    }
    return BMF_OK;
}

/* Registers: each stream has its own at both ends, and one of which is reprogrammed wherever it may begin. */
static bool has_registers(const streams_router *r)
{
    int64_t *sources = allocate_clear(r->nodes, sizeof *sources), *sinks = allocate_clear(r->nodes, sizeof *sinks);
    bool enough = true;
    for (int64_t k = 0; k < r->request->streams; k++) {
        const bmf_stream *stream = &r->request->stream[k];
        enough &= ++sources[stream->from] <= scheduled_registers(&r->hardware) - r->pipelines;
        for (int64_t d = 0; d < stream->destinations; d++) {
            enough &= ++sinks[stream->to[d]] <= scheduled_registers(&r->hardware);
            if (stream->reprogrammed)
                enough &= ++sources[stream->to[d]] <= scheduled_registers(&r->hardware) - r->pipelines;
        }
    }
    free(sources);
    free(sinks);
    return enough;
}

static bool same_slots(const streams_router *r, double one, double other)
{
    for (int64_t k = 0; k < r->request->streams; k++)
        if (slots_of(r, &r->request->stream[k], one) != slots_of(r, &r->request->stream[k], other))
            return false;
    return true;
}

/* Puts the routes found into `result`; what was there is freed. */
static void keep_routes(streams_router *r, bmf_stream_routes *result, double factor, int rounds)
{
    result->course = streams_course_end(r);
    for (int64_t k = 0; k < r->request->streams; k++) {
        const bmf_stream_route old = result->route[k];
        result->route[k] = r->route[k];
        r->route[k] = (bmf_stream_route){.hop = old.hop, .capacity = old.capacity};
    }
    /* commands that change schedules go through pipeline 0: the pipeline with their slot becomes it */
    for (int64_t c = 0; c < r->commands; c++)
        if (r->command[c].pipeline < 0 && r->command[c].at_pipeline != 0)
            for (int64_t k = 0; k < r->request->streams; k++)
                for (int64_t h = 0; h < result->route[k].hops; h++) {
                    bmf_stream_hop *hop = &result->route[k].hop[h];
                    if (hop->node == r->command[c].node && hop->pipeline == 0)
                        hop->pipeline = r->command[c].at_pipeline;
                    else if (hop->node == r->command[c].node && hop->pipeline == r->command[c].at_pipeline)
                        hop->pipeline = 0;
                }
    result->factor = factor;
    result->rounds = rounds;
}

/* The largest factor that works, between 0 and `high`; 0: none. */
static double find_factor(streams_router *r, double high, bmf_stream_routes *result)
{
    double low = 0, next = high;
    for (result->tries = 1; result->tries <= TRIES; result->tries++) {
        int rounds;
        outcome found = NOT_FOUND;
        r->tries = result->tries;
        for (int t = 0; t < TURNS && found == NOT_FOUND; t++)
            found = negotiate(r, next, TURN[t], &rounds);
        if (found == FOUND) {
            low = next;
            keep_routes(r, result, next, rounds);
        } else if (same_slots(r, next, 0)) {
            return low;
        } else {
            high = next;
        }
        next = low > 0 ? (low + high) / 2 : result->tries < TRIES - 2 ? 0.8 * high : 0;
        if (low > 0 && (low >= high || same_slots(r, low, next)))
            return low;
    }
    return low;
}

static void pass_registers(const bmf_stream_route *route, int *outbound, int *inbound)
{
    int *out = &outbound[route->hop[0].node];
    *out = route->reg >= *out ? route->reg + 1 : *out;
    for (int64_t h = 0; h < route->hops; h++) {
        const bmf_stream_hop *hop = &route->hop[h];
        if (hop->delivers && hop->reg >= inbound[hop->node])
            inbound[hop->node] = hop->reg + 1;
        if (hop->own >= outbound[hop->node])
            outbound[hop->node] = hop->own + 1;
    }
}

/* Above those of streams that are given. */
static void assign_registers(bmf_stream_routes *routes, const bmf_stream *stream)
{
    const int64_t nodes = routes->hardware.mesh.nodes;
    int *outbound = allocate_clear(nodes, sizeof *outbound), *inbound = allocate_clear(nodes, sizeof *inbound);
    for (int64_t k = 0; k < routes->streams; k++)
        if (stream[k].given)
            pass_registers(&routes->route[k], outbound, inbound);
    for (int64_t k = 0; k < routes->streams; k++) {
        bmf_stream_route *route = &routes->route[k];
        if (stream[k].given)
            continue;
        route->reg = outbound[route->hop[0].node]++;
        for (int64_t h = 0; h < route->hops; h++) {
            bmf_stream_hop *hop = &route->hop[h];
            hop->reg = hop->delivers ? inbound[hop->node]++ : -1;
            hop->own = stream[k].reprogrammed && hop->delivers && hop->outs > 0 ? outbound[hop->node]++ : -1;
        }
    }
    free(outbound);
    free(inbound);
}

int numesh_route_streams(const bmf_stream_request *request, bmf_stream_routes **routes)
{
    *routes = NULL;
    BMF_TRY(check_request(request));
    streams_router *r = make_router(request);
    bmf_stream_routes *result = allocate_clear(1, sizeof *result);
    result->hardware = request->hardware;
    result->streams = request->streams;
    result->route = allocate_clear(request->streams + 1, sizeof *result->route);
    const double max = fmin(1, fmin(factor_of_nodes(r), factor_of_cuts(r)));
    progress_begin(&r->progress, "routing streams");
    const bool found = has_registers(r) && find_factor(r, max, result) > 0;
    progress_end(&r->progress);
    if (found) {
        assign_registers(result, request->stream);
        *routes = result;
    } else {
        streams_free(result);
    }
    free_router(r);
    return BMF_OK;
}

void streams_free(bmf_stream_routes *routes)
{
    if (!routes)
        return;
    for (int64_t k = 0; k < routes->streams; k++)
        free(routes->route[k].hop);
    free(routes->route);
    free(routes);
}

static void mark_hop(const bmf_stream_routes *routes, const bmf_stream_route *route, const bmf_stream_hop *hop,
                     bool *taken)
{
    const int length = routes->hardware.length;
    for (int o = 0; o < hop->outs; o++)
        for (int k = 0; k < route->slots; k++) {
            const int slot = (hop->slot + hop->delay + o + 1 + stream_slot(length, route->slots, k)) % length;
            taken[streams_link_index(&routes->hardware, hop->node, hop->out[o], slot)] = true;
        }
}

void streams_mark_links(const bmf_stream_routes *routes, bool *taken)
{
    for (int64_t k = 0; k < routes->streams; k++)
        for (int64_t h = 0; h < routes->route[k].hops; h++)
            mark_hop(routes, &routes->route[k], &routes->route[k].hop[h], taken);
}

int64_t stream_depth(const bmf_stream_route *route, int64_t hop)
{
    int64_t links = 0;
    for (; route->hop[hop].parent >= 0; hop = route->hop[hop].parent)
        links++;
    return links;
}
