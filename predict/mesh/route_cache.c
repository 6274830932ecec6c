/* Schedules of streams on disk (route_cache.h). Method: a request is written as a text, in which long tables of nodes
 * and links stand as two independent hashes of 64 bits each; files are named by a hash of it, and texts are compared in
 * full. A version is part of it, so that schedules of another stream router are not used. Cost: O(bytes) to ask. */
#include "predict/mesh/route_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "bmf/version.h"
#include "predict/mesh/kept_text.h"
#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"

/* To be raised with every change of what the stream router finds. */
enum { ROUTER = 2, PATH = 4096, MIN_HOP = 20 /* bytes: ten numbers */ };

/* ---- requests ---- */

static void write_table(FILE *stream, const char *name, const bool *table, int64_t size)
{
    uint64_t words = 0;
    for (int64_t k = 0; table && k < size; k++)
        words = hash_add(words, (uint64_t)table[k]);
    fprintf(stream, " %s %016" PRIx64 "%016" PRIx64, name,
            table ? hash_bytes(HASH_START, table, (size_t)size * sizeof *table) : 0, words);
}

static void write_route(FILE *stream, const bmf_stream_route *route)
{
    fprintf(stream, "%d %d %" PRId64 "\n", route->slots, route->reg, route->hops);
    for (int64_t h = 0; h < route->hops; h++) {
        const bmf_stream_hop *hop = &route->hop[h];
        fprintf(stream, "%" PRId64 " %" PRId64 " %d %d %d %d %d %d %d %d", hop->node, hop->parent, hop->in,
                hop->pipeline, hop->slot, hop->delay, hop->delivers, hop->reg, hop->own, hop->outs);
        for (int o = 0; o < hop->outs; o++)
            fprintf(stream, " %d", hop->out[o]);
        fputc('\n', stream);
    }
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
            write_route(stream, s->given);
        }
    }
    fputc('\n', stream);
    fclose(stream);
    return key;
}

/* ---- files ---- */

static void write_routes(FILE *stream, const bmf_stream_routes *routes)
{
    if (!routes) {
        fputs("none\n", stream);
        return;
    }
    fprintf(stream, "found %d %d %a %" PRId64 "\n", routes->rounds, routes->tries, routes->factor, routes->course);
    for (int64_t k = 0; k < routes->streams; k++)
        write_route(stream, &routes->route[k]);
}

static bool is_in(int value, int low, int high)
{
    return value >= low && value <= high;
}

static bool read_hop(FILE *stream, const bmf_scheduled_hardware *hardware, int64_t number, bmf_stream_hop *hop)
{
    int delivers;
    *hop = (bmf_stream_hop){0};
    if (fscanf(stream, "%" SCNd64 " %" SCNd64 " %d %d %d %d %d %d %d %d", &hop->node, &hop->parent, &hop->in,
               &hop->pipeline, &hop->slot, &hop->delay, &delivers, &hop->reg, &hop->own, &hop->outs) != 10)
        return false;
    hop->delivers = delivers;
    bool good = hop->node >= 0 && hop->node < hardware->mesh.nodes && hop->parent >= -1 && hop->parent < number &&
                (number == 0 || hop->parent >= 0) && is_in(hop->in, -1, BMF_MESH_PORTS - 1) &&
                is_in(hop->pipeline, 0, hardware->pipelines - 1) && is_in(hop->slot, 0, hardware->length - 1) &&
                is_in(hop->delay, 0, hardware->length - 1) && is_in(delivers, 0, 1) &&
                is_in(hop->reg, -1, BMF_SCHEDULED_REGISTERS - 1) && is_in(hop->own, -1, BMF_SCHEDULED_REGISTERS - 1) &&
                is_in(hop->outs, 0, BMF_MESH_PORTS);
    for (int o = 0; good && o < hop->outs; o++) {
        int port;
        good = fscanf(stream, " %d", &port) == 1 && is_in(port, 0, BMF_MESH_PORTS - 1);
        hop->out[o] = (int8_t)(good ? port : 0);
    }
    return good;
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

static bool read_route(FILE *stream, int64_t bytes, const bmf_stream_request *request, int64_t k,
                       bmf_stream_route *route)
{
    int64_t hops;
    if (fscanf(stream, "%d %d %" SCNd64, &route->slots, &route->reg, &hops) != 3 ||
        !is_in(route->slots, 1, request->hardware.length / 2) || !is_in(route->reg, 0, BMF_SCHEDULED_REGISTERS - 1) ||
        hops < 1 || hops > bytes / MIN_HOP)
        return false;
    route->hop = allocate_array(hops, (int64_t)sizeof *route->hop);
    route->capacity = hops;
    for (; route->hops < hops; route->hops++)
        if (!read_hop(stream, &request->hardware, route->hops, &route->hop[route->hops]))
            return false;
    return is_route_of(&request->stream[k], route);
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

/* false: it is none. *routes NULL: there are none for this request. */
static bool read_routes(const char *text, size_t length, const bmf_stream_request *request, bmf_stream_routes **routes)
{
    if (length >= 5 && strncmp(text, "none\n", 5) == 0)
        return true;
    FILE *stream = fmemopen((void *)(uintptr_t)text, length, "r");
    if (!stream)
        return false;
    bmf_stream_routes *made = allocate_clear(1, sizeof *made);
    made->hardware = request->hardware;
    made->route = allocate_clear(request->streams + 1, sizeof *made->route);
    bool good =
        fscanf(stream, "found %d %d %la %" SCNd64, &made->rounds, &made->tries, &made->factor, &made->course) == 4;
    for (; good && made->streams < request->streams; made->streams++)
        good = read_route(stream, (int64_t)length, request, made->streams, &made->route[made->streams]);
    fclose(stream);
    if (good && groups_meet(request, made) && is_schedule(made)) {
        *routes = made;
        return true;
    }
    streams_free(made);
    return false;
}

static void keep(const bmf_route_cache *cache, const char *path, const char *key, const bmf_stream_routes *routes)
{
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return;
    fputs(key, stream);
    write_routes(stream, routes);
    fclose(stream);
    kept_text_write(cache->directory, path, text, length);
    free(text);
}

int route_cache_streams(bmf_route_cache *cache, const bmf_stream_request *request, bmf_stream_routes **routes)
{
    char *key = cache && !request->cost ? make_key(request) : NULL, path[PATH];
    size_t length;
    bool damaged = false, found = false;
    *routes = NULL;
    if (!key)
        return numesh_route_streams(request, routes);
    snprintf(path, sizeof path, "%.3900s/%016" PRIx64 ".routes", cache->directory, hash_text(key));
    char *text = kept_text_read(path, &length, &damaged);
    const size_t head = strlen(key);
    if (text && length >= head && strncmp(text, key, head) == 0) {
        found = read_routes(text + head, length - head, request, routes);
        damaged = !found;
    }
    free(text);
    int status = BMF_OK;
    cache->damaged += damaged;
    if (found) {
        cache->read++;
    } else {
        status = numesh_route_streams(request, routes);
        cache->made++;
        if (status == BMF_OK)
            keep(cache, path, key, *routes);
    }
    free(key);
    return status;
}
