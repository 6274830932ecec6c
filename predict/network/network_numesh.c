/* A mesh of NuMesh routers: the scheduled router; rounds of messages become phases of streams.
 *
 * Method: processor k is at node k. Every message of a round is a stream; the stream router plans them (schedules are
 * kept by content, predict/mesh/schedule_cache.h), and the simulator of the hardware runs the phase, with every
 * processor coming to it when its messages are handed over: it loads the schedule if that is not in the router's memory
 * any more, changes the phase, then writes and reads words, one a cycle, until its messages are through. A processor
 * that only receives comes when it is ready for the message, one that has nothing to do with the round when the first
 * sender comes. No processor leaves a phase before the last word has passed its router. If a round needs several
 * phases, each begins when a wave over the mesh and back has told everybody that the one before has ended.
 * Cost: that of the stream router, once for every pattern; of simulating the phase, every time.
 * Source: document 004, chapters 5 and 7.1; docs/numesh.md. */
#include "predict/network/network_numesh.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/network/network.h"
#include "predict/mesh/routers.h"
#include "predict/mesh/schedule_cache.h"
#include "runtime/base/allocate.h"

enum { MAX_RESIDENT = BMF_SCHEDULED_ENTRIES / 2 };

/* A phase whose schedule is in the routers' memories. */
typedef struct resident {
    const bmf_mesh_phase *phase;
    int vfsms; /* most of a pipeline */
} resident;

typedef struct numesh_network {
    bmf_network network;
    bmf_numesh_common common;
    bmf_scheduled_hardware hardware;
    bmf_phase_setting setting;
    bmf_schedule_cache *cache;
    int residents;
    resident resident[MAX_RESIDENT]; /* the latest first */
    int64_t *free_at, *start;        /* cycles, by node: the last phase has left it; it comes to this one */
    bmf_numesh_crossed *crossed;
    int64_t phases, loads;
} numesh_network;

static numesh_network *of(bmf_network *network)
{
    return (numesh_network *)network;
}

/* ---- settings ---- */

int numesh_read_common(const bmf_machine *machine, const config_setting_t *settings, int64_t processors, bool torus,
                       double otherwise, bmf_numesh_common *common)
{
    const char *size;
    bool wraps;
    BMF_TRY(machine_text_value(machine, settings, "size", &size));
    BMF_TRY(machine_flag(machine, settings, "torus", false, &wraps));
    BMF_TRY(machine_integer(machine, settings, "word_bytes", 1, 1024, 4, &common->word_bytes));
    BMF_TRY(machine_number(machine, settings, "gigahertz", 1e-6, 1000, otherwise, &common->gigahertz));
    if (wraps && !torus)
        return machine_fail(machine, config_setting_get_member(settings, "torus"), BMF_ERROR_FILE,
                            "this router has no links over the edges");
    if (!size)
        mesh_for(processors, &common->mesh);
    else if (mesh_parse(size, wraps, &common->mesh) != BMF_OK)
        return machine_fail(machine, config_setting_get_member(settings, "size"), BMF_ERROR_FILE,
                            "'%s' is no size of a mesh, such as 8x8 or 4x4x4", size);
    common->mesh.torus = wraps;
    if (common->mesh.nodes < processors)
        return machine_fail(machine, config_setting_get_member(settings, "size"), BMF_ERROR_ARGUMENT,
                            "%" PRId64 " processors do not fit on %" PRId64 " nodes", processors, common->mesh.nodes);
    return BMF_OK;
}

int numesh_read_parameters(const bmf_machine *machine, const config_setting_t *settings, const bmf_mesh_router *router,
                           double *value)
{
    for (int k = 0; router->parameter[k].name; k++) {
        const bmf_mesh_parameter *p = &router->parameter[k];
        BMF_TRY(machine_number(machine, settings, p->name, p->min, p->max, p->otherwise, &value[k]));
        if (p->whole && value[k] != floor(value[k]))
            return machine_fail(machine, config_setting_get_member(settings, p->name), BMF_ERROR_FILE,
                                "'%s' is a whole number", p->name);
    }
    return BMF_OK;
}

static int read_parameters(const bmf_machine *machine, const config_setting_t *settings, numesh_network *n)
{
    double *value = mesh_router_values(&mesh_router_scheduled);
    const int status = numesh_read_parameters(machine, settings, &mesh_router_scheduled, value);
    if (status == BMF_OK)
        mesh_scheduled_settings(&n->common.mesh, value, &n->hardware, &n->setting);
    free(value);
    return status;
}

static int read_cache(const bmf_machine *machine, const config_setting_t *settings, numesh_network *n)
{
    bool keep;
    BMF_TRY(machine_flag(machine, settings, "keep_schedules", true, &keep));
    char *directory = keep ? schedule_cache_directory() : NULL;
    n->cache = schedule_cache_create(directory);
    free(directory);
    return BMF_OK;
}

static int create_scheduled(const bmf_machine *machine, const config_setting_t *settings, int64_t processors,
                            bmf_network **network)
{
    numesh_network made = {.network = {.type = &network_numesh, .processors = processors}};
    BMF_TRY(numesh_read_common(machine, settings, processors, false, mesh_router_scheduled.gigahertz, &made.common));
    BMF_TRY(read_parameters(machine, settings, &made));
    BMF_TRY(read_cache(machine, settings, &made));
    const int64_t nodes = made.common.mesh.nodes;
    made.free_at = allocate_clear(nodes, sizeof *made.free_at);
    made.start = allocate_clear(nodes, sizeof *made.start);
    made.crossed = allocate_clear(nodes, sizeof *made.crossed);
    numesh_network *kept = allocate((int64_t)sizeof *kept);
    *kept = made;
    *network = &kept->network;
    return BMF_OK;
}

/* Every key belongs to some router; one that the chosen router does not have is an error. */
static int check_keys(const bmf_machine *machine, const config_setting_t *settings, const bmf_mesh_router *chosen)
{
    for (int k = 0; mesh_routers[k]; k++)
        for (const bmf_mesh_parameter *p = mesh_routers[k]->parameter; p->name; p++) {
            const config_setting_t *member = config_setting_get_member(settings, p->name);
            const bmf_mesh_parameter *own = chosen->parameter;
            while (own->name && strcmp(own->name, p->name) != 0)
                own++;
            if (member && !own->name)
                return machine_fail(machine, member, BMF_ERROR_FILE, "the %s router has no '%s'", chosen->name,
                                    p->name);
        }
    return BMF_OK;
}

static int create_numesh(const bmf_machine *machine, const config_setting_t *settings, int64_t processors,
                         bmf_network **network)
{
    static const char *const known[] = {"scheduled", "ecube", "adaptive", NULL};
    int router;
    BMF_TRY(machine_word(machine, settings, "router", known, 0, &router));
    BMF_TRY(check_keys(machine, settings, mesh_router_find(known[router])));
    return router == 0 ? create_scheduled(machine, settings, processors, network)
                       : numesh_create_dynamic(machine, settings, processors, known[router], network);
}

static void destroy_numesh(bmf_network *network)
{
    numesh_network *n = of(network);
    schedule_cache_free(n->cache);
    free(n->free_at);
    free(n->start);
    free(n->crossed);
    free(n);
}

static void start_numesh(bmf_network *network, int64_t sample)
{
    numesh_network *n = of(network);
    const size_t nodes = (size_t)n->common.mesh.nodes;
    (void)sample;
    memset(n->free_at, 0, nodes * sizeof *n->free_at);
    memset(n->crossed, 0, nodes * sizeof *n->crossed);
    n->residents = 0;
    n->phases = n->loads = 0;
}

/* ---- the routers' memories ---- */

static int max_vfsms(const bmf_mesh_phase *phase)
{
    const bmf_scheduled_hardware *hardware = &phase->machine->hardware;
    int max = 0;
    for (int64_t node = 0; node < hardware->mesh.nodes; node++)
        for (int p = 0; p < hardware->pipelines; p++) {
            int used = 0;
            for (int v = BMF_VFSM_FIRST; v < BMF_SCHEDULED_VFSMS; v++)
                used += phase->machine->node[node].annotation[p][v].source != BMF_PLACE_NOP;
            max = used > max ? used : max;
        }
    return max;
}

/* Makes the phase the latest one; true: its schedule was not there. The oldest ones give way. */
static bool must_load(numesh_network *n, const bmf_mesh_phase *phase)
{
    int at = 0;
    while (at < n->residents && n->resident[at].phase != phase)
        at++;
    const bool there = at < n->residents;
    const resident latest = {phase, there ? n->resident[at].vfsms : max_vfsms(phase)};
    memmove(&n->resident[1], &n->resident[0],
            (size_t)(there                             ? at
                     : n->residents < MAX_RESIDENT - 1 ? n->residents
                                                       : MAX_RESIDENT - 1) *
                sizeof *n->resident);
    n->resident[0] = latest;
    n->residents += !there && n->residents < MAX_RESIDENT - 1;
    int vfsms = 0, fit = 0;
    const int blocks = scheduled_blocks(&n->hardware) - 1; /* the loader phase has one */
    while (fit < n->residents && fit < blocks && vfsms + n->resident[fit].vfsms <= BMF_SCHEDULED_VFSMS - BMF_VFSM_FIRST)
        vfsms += n->resident[fit++].vfsms;
    n->residents = fit > 0 ? fit : 1;
    return !there;
}

/* ---- rounds ---- */

/* When every node comes to the round; returns the first of these times. */
static int64_t find_start(numesh_network *n, bmf_transit **message, int64_t count)
{
    const int64_t nodes = n->common.mesh.nodes;
    int64_t first_sent = INT64_MAX, first = INT64_MAX;
    for (int64_t node = 0; node < nodes; node++)
        n->start[node] = -1;
    for (int64_t k = 0; k < count; k++) {
        const int64_t sent = numesh_cycle(&n->common, message[k]->sent);
        n->start[message[k]->from] = sent > n->start[message[k]->from] ? sent : n->start[message[k]->from];
        first_sent = sent < first_sent ? sent : first_sent;
    }
    for (int64_t k = 0; k < count; k++)
        if (n->start[message[k]->to] < 0 && isfinite(message[k]->posted))
            n->start[message[k]->to] = numesh_cycle(&n->common, message[k]->posted);
    for (int64_t node = 0; node < nodes; node++) {
        int64_t *start = &n->start[node];
        *start = *start < 0 ? first_sent : *start;
        *start = *start < n->free_at[node] ? n->free_at[node] : *start;
        first = *start < first ? *start : first;
    }
    return first;
}

static void count_links(numesh_network *n, const bmf_mesh_phase *phase, bmf_transit **message,
                        const bmf_mesh_message *words)
{
    for (int64_t k = 0; k < phase->messages; k++) {
        const bmf_stream_route *route = &phase->routes->route[k];
        for (int64_t h = 0; h < route->hops; h++)
            for (int o = 0; o < route->hop[h].outs; o++) {
                bmf_numesh_link *link = &n->crossed[route->hop[h].node][route->hop[h].out[o]];
                link->messages++;
                link->bytes += message[phase->message[k]]->bytes;
                link->words += words[phase->message[k]].words;
            }
    }
}

static int run_phase(numesh_network *n, const bmf_mesh_phase *phase, int64_t base, bmf_transit **message,
                     const bmf_mesh_message *words, int64_t *end)
{
    bmf_phase_setting setting = n->setting;
    bmf_phase_times times;
    setting.start = n->start;
    setting.load = must_load(n, phase);
    n->phases++;
    n->loads += setting.load;
    BMF_TRY(mesh_phase_run(phase, words, &setting, &times));
    count_links(n, phase, message, words);
    for (int64_t k = 0; k < phase->messages; k++) {
        bmf_transit *m = message[phase->message[k]];
        m->sender_free = m->send_done = numesh_seconds(&n->common, base + times.written[k] + 1);
        m->arrived = numesh_seconds(&n->common, base + times.read[k] + 1);
        m->receive_overhead = m->relative_error = 0;
        /* handed over between two cycles */
        m->sender_free = m->send_done = fmax(m->sender_free, m->sent);
        m->arrived = fmax(m->arrived, m->send_done);
    }
    for (int64_t node = 0; node < n->common.mesh.nodes; node++)
        if (times.last_move[node] >= 0)
            n->free_at[node] = base + times.last_move[node] + 1;
    *end = base + times.cycles;
    phase_times_free(&times);
    return BMF_OK;
}

static int run_round(numesh_network *n, bmf_transit **message, int64_t count, bmf_mesh_message *words)
{
    const bmf_mesh_plan *plan;
    for (int64_t k = 0; k < count; k++) {
        const int64_t bytes = message[k]->bytes < 1 ? 1 : message[k]->bytes;
        words[k] = (bmf_mesh_message){.from = message[k]->from,
                                      .destinations = 1,
                                      .to = &message[k]->to,
                                      .words = (bytes - 1) / n->common.word_bytes + 1};
    }
    BMF_TRY(schedule_cache_plan(n->cache, &n->hardware, count, words, &plan));
    int64_t base = find_start(n, message, count), wave = 0, end;
    for (int k = 0; k < BMF_MESH_DIMENSIONS; k++)
        wave += 2 * (n->common.mesh.size[k] - 1);
    for (int64_t node = 0; node < n->common.mesh.nodes; node++)
        n->start[node] -= base;
    for (int64_t p = 0; p < plan->phases; p++) {
        BMF_TRY(run_phase(n, &plan->phase[p], base, message, words, &end));
        base = end + wave;
        memset(n->start, 0, (size_t)n->common.mesh.nodes * sizeof *n->start);
    }
    return BMF_OK;
}

static void send_round(bmf_network *network, bmf_transit **message, int64_t count)
{
    numesh_network *n = of(network);
    bmf_mesh_message *words = allocate(count * (int64_t)sizeof *words);
    bmf_exit_on_error(run_round(n, message, count, words));
    free(words);
    for (int64_t k = 0; k < count; k++)
        network->complete(network->simulator, message[k]);
}

/* ---- for reports and for machine show ---- */

int64_t numesh_loads(const bmf_numesh_common *common, bmf_numesh_crossed *crossed, bmf_link_load **load)
{
    const bmf_mesh *mesh = &common->mesh;
    int64_t count = 0;
    *load = allocate_clear(mesh->nodes * BMF_MESH_PORTS, sizeof **load);
    for (int64_t node = 0; node < mesh->nodes; node++)
        for (int port = 0; port < BMF_MESH_PORTS; port++) {
            const int64_t to = mesh_neighbour(mesh, node, port);
            const bmf_numesh_link *link = &crossed[node][port];
            if (to < 0)
                continue;
            bmf_link_load *l = &(*load)[count++];
            *l = (bmf_link_load){
                .messages = link->messages, .bytes = link->bytes, .busy = numesh_seconds(common, link->words)};
            snprintf(l->from, sizeof l->from, "node %" PRId64, node);
            snprintf(l->to, sizeof l->to, "node %" PRId64, to);
            const double z = 0.3; /* planes of three dimensions are drawn aside */
            l->x0 = (double)mesh_coordinate(mesh, node, 0) + z * (double)mesh_coordinate(mesh, node, 2);
            l->y0 = (double)mesh_coordinate(mesh, node, 1) + z * (double)mesh_coordinate(mesh, node, 2);
            l->x1 = (double)mesh_coordinate(mesh, to, 0) + z * (double)mesh_coordinate(mesh, to, 2);
            l->y1 = (double)mesh_coordinate(mesh, to, 1) + z * (double)mesh_coordinate(mesh, to, 2);
        }
    return count;
}

static int64_t loads_numesh(const bmf_network *network, bmf_link_load **load)
{
    const numesh_network *n = (const numesh_network *)network;
    return numesh_loads(&n->common, n->crossed, load);
}

/* One phase as an example: a shift, at the first node and one in the middle. */
static void draw_example(const numesh_network *n, FILE *stream)
{
    const bmf_mesh *mesh = &n->common.mesh;
    const int axis = mesh->size[1] > 1 ? 1 : 0;
    const int64_t at[BMF_MESH_DIMENSIONS] = {mesh->size[0] / 2, mesh->size[1] / 2, mesh->size[2] / 2};
    const int64_t middle = mesh_node(mesh, at);
    bmf_mesh_traffic *traffic;
    bmf_mesh_plan *plan;
    char pattern[16];
    snprintf(pattern, sizeof pattern, "shift:-1,%c", 'x' + axis);
    if (mesh_traffic_make(pattern, mesh, 1, NULL, &traffic) != BMF_OK)
        return;
    if (traffic->messages > 0 &&
        mesh_plan_make(&n->hardware, true, traffic->messages, traffic->message, &plan) == BMF_OK) {
        fprintf(stream, "the schedule of a %s (R: reprogramming, .: nothing), words a cycle and stream: %.4g\n",
                pattern, (double)plan->phase[0].routes->route[0].slots / n->hardware.length);
        scheduled_print(plan->phase[0].machine, 1, 0, 1, stream);
        if (middle > 0)
            scheduled_print(plan->phase[0].machine, 1, middle, middle + 1, stream);
        mesh_plan_free(plan);
    }
    mesh_traffic_free(traffic);
}

static void describe_numesh(const bmf_network *network, FILE *stream)
{
    const numesh_network *n = (const numesh_network *)network;
    char size[BMF_MESH_TEXT];
    fprintf(stream, "NuMesh with scheduled routers: %s nodes, %g GHz, words of %" PRId64 " bytes\n",
            mesh_text(&n->common.mesh, size), n->common.gigahertz, n->common.word_bytes);
    fprintf(stream, "%d pipelines, schedules of %d slots, %d of them in a router's memory beside the loader phase\n",
            n->hardware.pipelines, n->hardware.length, scheduled_blocks(&n->hardware) - 1);
    fprintf(stream, "links carry a word a cycle %s\n",
            n->hardware.separate_wires ? "in each direction" : "in one direction; valid and accept share a wire");
    draw_example(n, stream);
}

static const char *const settings_known[] = {
    "router",       "size",        "torus",        "word_bytes", "gigahertz",      "schedule",        "pipelines",
    "shared_wires", "read_cycles", "write_cycles", "in_order",   "keep_schedules", "misroutes",       "channels",
    "buffer",       "atomic",      "speedup",      "header",     "addresses",      "inject_channels", "route",
    "allocate",     "link",        "credit",       "inject",     "inject_credit",  "eject_credit",    NULL};

const bmf_network_type network_numesh = {
    .name = "numesh",
    .summary = "a mesh of routers, cycle by cycle: scheduled, ecube or adaptive",
    .setting = settings_known,
    .collective = true,
    .create = create_numesh,
    .destroy = destroy_numesh,
    .start = start_numesh,
    .send_round = send_round,
    .loads = loads_numesh,
    .describe = describe_numesh,
};
