/* The cache of plans. Method: the content is written as a text, its key; plans in memory hang in a hash table by FNV-1a
 * (Fowler, Noll, Vo) of the key, files are those of kept_text.h. Cost: O(messages) to ask. */
#include "predict/mesh/schedule_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "predict/mesh/kept_text.h"
#include "predict/mesh/route_text.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"
#include "runtime/base/hash.h"
#include "bmf/status.h"

enum { TABLE = 4096, PATH = 4096, VERSION = 3 };

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

/* A plan, and what it must be a plan of. */
typedef struct planning {
    const bmf_scheduled_hardware *hardware;
    int64_t messages;
    const bmf_mesh_message *message;
    bmf_mesh_plan *plan;
} planning;

static void write_plan(void *state, FILE *stream)
{
    const bmf_mesh_plan *plan = ((const planning *)state)->plan;
    fprintf(stream, "phases %" PRId64 "\n", plan->phases);
    for (int64_t p = 0; p < plan->phases; p++) {
        const bmf_mesh_phase *phase = &plan->phase[p];
        fprintf(stream, "phase %" PRId64 "\n", phase->messages);
        for (int64_t k = 0; k < phase->messages; k++) {
            fprintf(stream, "%" PRId64 " ", phase->message[k]);
            route_text_write(stream, &phase->routes->route[k]);
        }
    }
}

typedef struct reading {
    const planning *of;
    FILE *stream;
    int64_t bytes;
    bool *planned; /* by message: has a route */
} reading;

/* Whether the route takes that message, which has none yet, from its processor to the one it goes to. */
static bool is_route_of(const reading *from, const bmf_stream_route *route, int64_t message)
{
    const bmf_stream_hop *first = &route->hop[0], *last = &route->hop[route->hops - 1];
    const bmf_mesh_message *wanted = &from->of->message[message];
    bool goes_on = true;
    for (int64_t h = 0; h < route->hops; h++)
        goes_on = goes_on && route->hop[h].parent == h - 1 && route->hop[h].outs <= 1;
    return goes_on && !from->planned[message] && first->node == wanted->from && last->node == wanted->to[0] &&
           last->delivers;
}

static bool read_route(const reading *from, int64_t *message, bmf_stream_route *route)
{
    if (fscanf(from->stream, "%" SCNd64, message) != 1 || *message < 0 || *message >= from->of->messages ||
        !route_text_read(from->stream, from->bytes, from->of->hardware, route) || !is_route_of(from, route, *message))
        return false;
    from->planned[*message] = true;
    return true;
}

static bool read_phase(const reading *from, bmf_mesh_phase *phase)
{
    int64_t streams;
    if (fscanf(from->stream, " phase %" SCNd64, &streams) != 1 || streams < 1 || streams > from->of->messages)
        return false;
    bmf_stream_routes *routes = allocate_clear(1, sizeof *routes);
    int64_t *message = allocate_clear(streams, sizeof *message);
    routes->hardware = *from->of->hardware;
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
    if (fscanf(from->stream, " phases %" SCNd64, &phases) != 1 || phases < 1 || phases > from->of->messages)
        return false;
    plan->phase = allocate_clear(phases, sizeof *plan->phase);
    plan->capacity = phases;
    for (; plan->phases < phases; plan->phases++)
        if (!read_phase(from, &plan->phase[plan->phases]))
            return false;
    for (int64_t k = 0; k < from->of->messages; k++)
        if (!from->planned[k])
            return false;
    return true;
}

static bool read_plan(void *state, FILE *stream, int64_t bytes)
{
    planning *of = state;
    bmf_mesh_plan *plan = allocate_clear(1, sizeof *plan);
    const reading from = {of, stream, bytes, allocate_clear(of->messages + 1, sizeof *from.planned)};
    plan->hardware = *of->hardware;
    const bool good = read_phases(&from, plan);
    free(from.planned);
    if (good)
        of->plan = plan;
    else
        mesh_plan_free(plan);
    return good;
}

/* ---- asking ---- */

static const entry *remembered(const bmf_schedule_cache *cache, uint64_t hash, const char *key)
{
    for (const entry *e = cache->table[hash % TABLE]; e; e = e->next)
        if (e->hash == hash && strcmp(e->key, key) == 0)
            return e;
    return NULL;
}

static int find_plan(bmf_schedule_cache *cache, const char *key, planning *of)
{
    const bmf_kept_text kept = {cache->directory, "schedule", key};
    if (kept_text_read(&kept, read_plan, of) == BMF_KEPT) {
        cache->counts.read++;
        return BMF_OK;
    }
    BMF_TRY(mesh_plan_make(of->hardware, true, of->messages, of->message, &of->plan));
    cache->counts.made++;
    kept_text_write(&kept, write_plan, of);
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
        planning of = {hardware, messages, candidate, NULL};
        status = find_plan(cache, key, &of);
        if (status == BMF_OK) {
            entry *made = allocate(sizeof *made);
            *made = (entry){cache->table[hash % TABLE], hash, key, of.plan};
            cache->table[hash % TABLE] = made;
            known = made;
            key = NULL;
        }
    }
    free(key);
    free(candidate);
    if (status == BMF_OK)
        *plan = known->plan;
    return status;
}
