/* Schedules of streams on disk (route_cache.h). Method: a request is written as a text, the key of kept_text.h, in
 * which long tables of nodes and links stand as two independent hashes of 64 bits each. A version is part of it, so
 * that schedules of another stream router are not used. Cost: O(bytes) to ask. */
#include "predict/mesh/route_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "bmf/version.h"
#include "predict/mesh/kept_text.h"
#include "predict/mesh/route_text.h"
#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"

/* To be raised with every change of what the stream router finds. */
enum { ROUTER = 2 };

/* ---- requests ---- */

static void write_table(FILE *stream, const char *name, const bool *table, int64_t size)
{
    uint64_t words = 0;
    for (int64_t k = 0; table && k < size; k++)
        words = hash_add(words, (uint64_t)table[k]);
    fprintf(stream, " %s %016" PRIx64 "%016" PRIx64, name,
            table ? hash_bytes(HASH_START, table, (size_t)size * sizeof *table) : 0, words);
}

/* The caller frees. */
static char *make_key(const bmf_stream_request *r)
{
    char *key, size[BMF_MESH_TEXT];
    size_t length;
    FILE *stream = open_memstream(&key, &length);
    if (!stream)
        return NULL;
    const int64_t nodes = r->hardware.mesh.nodes;
    fprintf(stream, "bmf routes %s.%d %s%s pipelines %d length %d wires %d leaves %d rounds %d streams %" PRId64,
            BMF_VERSION, ROUTER, mesh_text(&r->hardware.mesh, size), r->hardware.mesh.torus ? " torus" : "",
            r->hardware.pipelines, r->hardware.length, r->hardware.separate_wires, r->leaves, r->rounds, r->streams);
    if (scheduled_registers(&r->hardware) != BMF_SCHEDULED_REGISTERS)
        fprintf(stream, " registers %d", scheduled_registers(&r->hardware));
    write_table(stream, "taken", r->taken, nodes * BMF_MESH_PORTS * r->hardware.length);
    for (int64_t k = 0; k < r->streams; k++) {
        const bmf_stream *s = &r->stream[k];
        fprintf(stream, "\n%" PRId64 " %a %d group %d %d %d course %d %d", s->from, s->bandwidth, s->reprogrammed,
                s->group, s->joins, s->commanded, s->course, s->stage);
        write_table(stream, "in", s->allowed, nodes);
        for (int64_t d = 0; d < s->destinations; d++)
            fprintf(stream, " %" PRId64, s->to[d]);
        if (s->given) {
            fputs("\ngiven\n", stream);
            route_text_write(stream, s->given);
        }
    }
    fputc('\n', stream);
    fclose(stream);
    return key;
}

/* ---- files ---- */

/* What is asked for, and what there is; routes NULL: nothing. */
typedef struct asking {
    const bmf_stream_request *request;
    bmf_stream_routes *routes;
} asking;

static void write_routes(void *state, FILE *stream)
{
    const bmf_stream_routes *routes = ((const asking *)state)->routes;
    if (!routes) {
        fputs("none\n", stream);
        return;
    }
    fprintf(stream, "found %d %d %a %" PRId64 "\n", routes->rounds, routes->tries, routes->factor, routes->course);
    for (int64_t k = 0; k < routes->streams; k++)
        route_text_write(stream, &routes->route[k]);
}

static bool is_same_way(const bmf_stream_route *a, const bmf_stream_route *b)
{
    bool same = a->slots == b->slots && a->reg == b->reg && a->hops == b->hops;
    for (int64_t h = 0; same && h < a->hops; h++) {
        const bmf_stream_hop *one = &a->hop[h], *other = &b->hop[h];
        same = one->node == other->node && one->parent == other->parent && one->pipeline == other->pipeline &&
               one->slot == other->slot && one->delay == other->delay && one->delivers == other->delivers &&
               one->reg == other->reg && one->own == other->own && one->outs == other->outs &&
               memcmp(one->out, other->out, (size_t)one->outs) == 0;
    }
    return same;
}

/* Whether it takes the stream's words to all that they are for, along the way that is given. */
static bool is_route_of(const bmf_stream *stream, const bmf_stream_route *route)
{
    bool good = route->hop[0].node == stream->from && (!stream->given || is_same_way(stream->given, route));
    for (int64_t d = 0; d < stream->destinations && good; d++) {
        good = false;
        for (int64_t h = 0; h < route->hops && !good; h++)
            good = route->hop[h].node == stream->to[d] && route->hop[h].delivers;
    }
    return good;
}

/* Routers take it. */
static bool is_schedule(const bmf_stream_routes *routes)
{
    bmf_scheduled_machine *machine = NULL;
    const bool good =
        scheduled_create(&routes->hardware, &machine) == BMF_OK && streams_emit(routes, machine, 1) == BMF_OK;
    scheduled_free(machine);
    return good;
}

/* Where a stream of a group ends and another begins they are in one pipeline. */
static bool groups_meet(const bmf_stream_request *request, const bmf_stream_routes *routes)
{
    for (int64_t k = 0; k < request->streams; k++)
        for (int64_t j = 0; j < request->streams; j++) {
            const bmf_stream *ends = &request->stream[k], *begins = &request->stream[j];
            const bmf_stream_route *route = &routes->route[k];
            if (ends->group > 0 && ends->destinations == 1 && ends->group == begins->group &&
                ends->to[0] == begins->from && route->hop[route->hops - 1].pipeline != routes->route[j].hop[0].pipeline)
                return false;
        }
    return true;
}

static bool read_found(const bmf_stream_request *request, FILE *stream, int64_t bytes, bmf_stream_routes *made)
{
    bool good =
        fscanf(stream, "found %d %d %la %" SCNd64, &made->rounds, &made->tries, &made->factor, &made->course) == 4;
    for (; good && made->streams < request->streams; made->streams++) {
        bmf_stream_route *route = &made->route[made->streams];
        good = route_text_read(stream, bytes, &request->hardware, route) &&
               is_route_of(&request->stream[made->streams], route);
    }
    return good && groups_meet(request, made) && is_schedule(made);
}

static bool read_routes(void *state, FILE *stream, int64_t bytes)
{
    asking *a = state;
    int length = 0;
    if (fscanf(stream, "none%n", &length) == 0 && length > 0)
        return true;
    rewind(stream);
    bmf_stream_routes *made = allocate_clear(1, sizeof *made);
    made->hardware = a->request->hardware;
    made->route = allocate_clear(a->request->streams + 1, sizeof *made->route);
    if (read_found(a->request, stream, bytes, made)) {
        a->routes = made;
        return true;
    }
    streams_free(made);
    return false;
}

int route_cache_streams(bmf_route_cache *cache, const bmf_stream_request *request, bmf_stream_routes **routes)
{
    char *key = cache && !request->cost ? make_key(request) : NULL;
    if (!key)
        return numesh_route_streams(request, routes);
    const bmf_kept_text kept = {cache->directory, "routes", key};
    asking a = {request, NULL};
    int status = BMF_OK;
    const bmf_kept found = kept_text_read(&kept, read_routes, &a);
    cache->damaged += found == BMF_KEPT_DAMAGED;
    if (found == BMF_KEPT) {
        cache->read++;
    } else {
        status = numesh_route_streams(request, &a.routes);
        cache->made++;
        if (status == BMF_OK)
            kept_text_write(&kept, write_routes, &a);
    }
    *routes = a.routes;
    free(key);
    return status;
}
