/* The cache of plans. Method: the content is written as a text, its key; plans in memory hang in a hash table by FNV-1a
 * (Fowler, Noll, Vo) of the key, files are named by it, and keys are compared in full. Cost: O(messages) to ask. */
#include "predict/mesh/schedule_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "predict/mesh/kept_text.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"
#include "runtime/base/hash.h"
#include "bmf/status.h"

enum { TABLE = 4096, PATH = 4096, VERSION = 2, MIN_HOP = 18 /* bytes of a hop: nine numbers */ };

typedef struct entry {
    struct entry *next;
    uint64_t hash;
    char *key;
    bmf_mesh_plan *plan;
} entry;

struct bmf_schedule_cache {
    char *directory;
    entry *table[TABLE];
    bmf_schedule_cache_counts counts;
};

bmf_schedule_cache *schedule_cache_create(const char *directory)
{
    bmf_schedule_cache *cache = allocate_clear(1, sizeof *cache);
    cache->directory = directory ? text_copy(directory) : NULL;
    return cache;
}

void schedule_cache_free(bmf_schedule_cache *cache)
{
    if (!cache)
        return;
    for (int k = 0; k < TABLE; k++)
        for (entry *e = cache->table[k], *next; e; e = next) {
            next = e->next;
            mesh_plan_free(e->plan);
            free(e->key);
            free(e);
        }
    free(cache->directory);
    free(cache);
}

char *schedule_cache_directory(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char path[PATH];
    if (cache && *cache)
        snprintf(path, sizeof path, "%s/bmf/schedules", cache);
    else if (home && *home)
        snprintf(path, sizeof path, "%s/.cache/bmf/schedules", home);
    else
        return NULL;
    return text_copy(path);
}

bmf_schedule_cache_counts schedule_cache_count(const bmf_schedule_cache *cache)
{
    return cache->counts;
}

/* ---- keys ---- */

/* Wishes in slots: what the stream router makes of them. */
static void candidates(const bmf_scheduled_hardware *hardware, int64_t messages, bmf_mesh_message *message)
{
    int64_t max = 1;
    for (int64_t k = 0; k < messages; k++)
        max = message[k].words > max ? message[k].words : max;
    for (int64_t k = 0; k < messages; k++) {
        const int slots = (int)(0.5 * (double)message[k].words / (double)max * hardware->length + 1e-9);
        message[k].bandwidth = (double)(slots < 1 ? 1 : slots) / hardware->length;
        message[k].words = 1;
    }
}

static char *make_key(const bmf_scheduled_hardware *hardware, int64_t messages, const bmf_mesh_message *message)
{
    char *key, size[BMF_MESH_TEXT];
    size_t length;
    FILE *stream = open_memstream(&key, &length);
    if (!stream)
        return text_copy("");
    fprintf(stream, "bmf schedule %d %s%s pipelines %d length %d wires %d messages %" PRId64, VERSION,
            mesh_text(&hardware->mesh, size), hardware->mesh.torus ? " torus" : "", hardware->pipelines,
            hardware->length, hardware->separate_wires, messages);
    if (scheduled_registers(hardware) != BMF_SCHEDULED_REGISTERS)
        fprintf(stream, " registers %d", scheduled_registers(hardware));
    fputc('\n', stream);
    for (int64_t k = 0; k < messages; k++)
        fprintf(stream, "%" PRId64 " %" PRId64 " %.6f\n", message[k].from, message[k].to[0], message[k].bandwidth);
    fclose(stream);
    char *kept = text_copy(key);
    free(key);
    return kept;
}

/* ---- files ---- */

static void write_plan(FILE *stream, const bmf_mesh_plan *plan)
{
    fprintf(stream, "phases %" PRId64 "\n", plan->phases);
    for (int64_t p = 0; p < plan->phases; p++) {
        const bmf_mesh_phase *phase = &plan->phase[p];
        fprintf(stream, "phase %" PRId64 "\n", phase->messages);
        for (int64_t k = 0; k < phase->messages; k++) {
            const bmf_stream_route *route = &phase->routes->route[k];
            fprintf(stream, "%" PRId64 " %d %d %" PRId64 "\n", phase->message[k], route->slots, route->reg,
                    route->hops);
            for (int64_t h = 0; h < route->hops; h++) {
                const bmf_stream_hop *hop = &route->hop[h];
                fprintf(stream, "%" PRId64 " %" PRId64 " %d %d %d %d %d %d %d\n", hop->node, hop->parent, hop->in,
                        hop->pipeline, hop->slot, hop->delay, hop->outs ? hop->out[0] : -1, hop->delivers, hop->reg);
            }
        }
    }
}

/* What is read, and what it must be a plan of. */
typedef struct reading {
    FILE *stream;
    int64_t bytes;
    const bmf_scheduled_hardware *hardware;
    int64_t messages;
    const bmf_mesh_message *message;
    bool *planned; /* by message: has a route */
} reading;

static bool read_hop(FILE *stream, const bmf_scheduled_hardware *hardware, bmf_stream_hop *hop)
{
    int out, delivers;
    *hop = (bmf_stream_hop){0};
    if (fscanf(stream, "%" SCNd64 " %" SCNd64 " %d %d %d %d %d %d %d", &hop->node, &hop->parent, &hop->in,
               &hop->pipeline, &hop->slot, &hop->delay, &out, &delivers, &hop->reg) != 9)
        return false;
    hop->outs = out >= 0;
    hop->out[0] = (int8_t)out;
    hop->delivers = delivers;
    return hop->node >= 0 && hop->node < hardware->mesh.nodes && hop->in >= -1 && hop->in < BMF_MESH_PORTS &&
           hop->pipeline >= 0 && hop->pipeline < hardware->pipelines && hop->slot >= 0 &&
           hop->slot < hardware->length && hop->delay >= 0 && hop->delay < hardware->length &&
           (delivers == 0 || delivers == 1) && out >= -1 && out < BMF_MESH_PORTS && hop->reg >= -1 &&
           hop->reg < BMF_SCHEDULED_REGISTERS;
}

/* How many hops the rest of the text can hold. */
static int64_t hops_left(const reading *from)
{
    const long at = ftell(from->stream);
    return at < 0 ? 0 : (from->bytes - at) / MIN_HOP;
}

/* Whether the route takes that message, which has none yet, from its processor to the one it goes to. */
static bool is_route_of(const reading *from, const bmf_stream_route *route, int64_t message)
{
    const bmf_stream_hop *first = &route->hop[0], *last = &route->hop[route->hops - 1];
    return !from->planned[message] && first->node == from->message[message].from &&
           last->node == from->message[message].to[0] && last->delivers;
}

static bool read_route(const reading *from, int64_t *message, bmf_stream_route *route)
{
    int64_t hops;
    if (fscanf(from->stream, "%" SCNd64 " %d %d %" SCNd64, message, &route->slots, &route->reg, &hops) != 4 ||
        *message < 0 || *message >= from->messages || route->slots < 1 || route->slots > from->hardware->length ||
        route->reg < 0 || route->reg >= BMF_SCHEDULED_REGISTERS || hops < 1 || hops > hops_left(from))
        return false;
    route->hop = allocate(hops * (int64_t)sizeof *route->hop);
    route->capacity = hops;
    for (; route->hops < hops; route->hops++)
        if (!read_hop(from->stream, from->hardware, &route->hop[route->hops]) ||
            route->hop[route->hops].parent != route->hops - 1)
            return false;
    if (!is_route_of(from, route, *message))
        return false;
    from->planned[*message] = true;
    return true;
}

static bool read_phase(const reading *from, bmf_mesh_phase *phase)
{
    int64_t streams;
    if (fscanf(from->stream, " phase %" SCNd64, &streams) != 1 || streams < 1 || streams > from->messages)
        return false;
    bmf_stream_routes *routes = allocate_clear(1, sizeof *routes);
    int64_t *message = allocate_clear(streams, sizeof *message);
    routes->hardware = *from->hardware;
    routes->streams = streams;
    routes->route = allocate_clear(streams + 1, sizeof *routes->route);
    bool good = true;
    for (int64_t k = 0; k < streams && good; k++)
        good = read_route(from, &message[k], &routes->route[k]);
    if (!good)
        streams_free(routes);
    else
        good = mesh_phase_restore(routes, streams, message, phase) == BMF_OK;
    free(message);
    return good;
}

static bool read_phases(const reading *from, bmf_mesh_plan *plan)
{
    int64_t phases;
    if (fscanf(from->stream, " phases %" SCNd64, &phases) != 1 || phases < 1 || phases > from->messages)
        return false;
    plan->phase = allocate_clear(phases, sizeof *plan->phase);
    plan->capacity = phases;
    for (; plan->phases < phases; plan->phases++)
        if (!read_phase(from, &plan->phase[plan->phases]))
            return false;
    for (int64_t k = 0; k < from->messages; k++)
        if (!from->planned[k])
            return false;
    return true;
}

static bmf_mesh_plan *read_plan(reading *from)
{
    bmf_mesh_plan *plan = allocate_clear(1, sizeof *plan);
    plan->hardware = *from->hardware;
    from->planned = allocate_clear(from->messages + 1, sizeof *from->planned);
    const bool good = read_phases(from, plan);
    free(from->planned);
    if (good)
        return plan;
    mesh_plan_free(plan);
    return NULL;
}

static bmf_mesh_plan *load(const bmf_schedule_cache *cache, const char *path, const char *key,
                           const bmf_scheduled_hardware *hardware, int64_t messages, const bmf_mesh_message *message)
{
    size_t length;
    char *text = cache->directory ? kept_text_read(path, &length, NULL) : NULL;
    bmf_mesh_plan *plan = NULL;
    const size_t head = strlen(key);
    if (text && length > head && strncmp(text, key, head) == 0) {
        FILE *stream = fmemopen(text + head, length - head, "r");
        if (stream)
            plan = read_plan(&(reading){.stream = stream,
                                        .bytes = (int64_t)(length - head),
                                        .hardware = hardware,
                                        .messages = messages,
                                        .message = message});
        if (stream)
            fclose(stream);
    }
    free(text);
    return plan;
}

static void store(const bmf_schedule_cache *cache, const char *path, const char *key, const bmf_mesh_plan *plan)
{
    if (!cache->directory)
        return;
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return;
    fputs(key, stream);
    write_plan(stream, plan);
    fclose(stream);
    kept_text_write(cache->directory, path, text, length);
    free(text);
}

/* ---- asking ---- */

static const entry *remembered(const bmf_schedule_cache *cache, uint64_t hash, const char *key)
{
    for (const entry *e = cache->table[hash % TABLE]; e; e = e->next)
        if (e->hash == hash && strcmp(e->key, key) == 0)
            return e;
    return NULL;
}

static int find_plan(bmf_schedule_cache *cache, const bmf_scheduled_hardware *hardware, int64_t messages,
                     const bmf_mesh_message *message, uint64_t hash, const char *key, bmf_mesh_plan **plan)
{
    char path[PATH];
    snprintf(path, sizeof path, "%.3900s/%016" PRIx64 ".schedule", cache->directory ? cache->directory : "", hash);
    *plan = load(cache, path, key, hardware, messages, message);
    if (*plan) {
        cache->counts.read++;
        return BMF_OK;
    }
    BMF_TRY(mesh_plan_make(hardware, true, messages, message, plan));
    cache->counts.made++;
    store(cache, path, key, *plan);
    return BMF_OK;
}

int schedule_cache_plan(bmf_schedule_cache *cache, const bmf_scheduled_hardware *hardware, int64_t messages,
                        const bmf_mesh_message *message, const bmf_mesh_plan **plan)
{
    bmf_mesh_message *candidate = allocate(messages * (int64_t)sizeof *candidate);
    memcpy(candidate, message, (size_t)messages * sizeof *candidate);
    candidates(hardware, messages, candidate);
    char *key = make_key(hardware, messages, candidate);
    const uint64_t hash = hash_text(key);
    const entry *known = remembered(cache, hash, key);
    int status = BMF_OK;
    cache->counts.asked++;
    cache->counts.remembered += known ? 1 : 0;
    if (!known) {
        entry *made = allocate_clear(1, sizeof *made);
        status = find_plan(cache, hardware, messages, candidate, hash, key, &made->plan);
        if (status == BMF_OK) {
            *made = (entry){cache->table[hash % TABLE], hash, key, made->plan};
            cache->table[hash % TABLE] = made;
            known = made;
            key = NULL;
        } else {
            free(made);
        }
    }
    free(key);
    free(candidate);
    if (status == BMF_OK)
        *plan = known->plan;
    return status;
}
