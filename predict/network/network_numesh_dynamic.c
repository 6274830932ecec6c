/* A mesh of dynamic routers as a machine's network: messages go into it when they are sent, word by word.
 *
 * Method: processor k is at node k. A processor that sends stands still until the last word has left it, a word a
 * cycle; its messages leave in the order of its sends. A message comes in at the interface address of its sender (15
 * addresses: senders whose numbers are alike modulo 15 take turns), which queues it whole: the document asks for queues
 * without a size (7.2.1), and a short one could block programs that are right elsewhere. Reading takes a cycle a word;
 * a receiver that waits reads while words come, one that comes later reads what is left. A message handed over within a
 * cycle begins with the next one. Cycles are events; those in which nothing happens are skipped.
 * Cost: that of the simulation, O(words times links). Source: document 004, 7.2 and 8.1; predict/mesh/dynamic.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "predict/network/network_numesh.h"
#include "predict/mesh/dynamic_run.h"
#include "predict/mesh/routers.h"
#include "runtime/base/allocate.h"

typedef struct waiting_message {
    bmf_transit *message;
    int64_t cycle;
} waiting_message;

typedef struct dynamic_network {
    bmf_network network;
    bmf_numesh_common common;
    const bmf_mesh_router *router;
    bmf_dynamic_settings settings;
    bmf_wormhole_mesh *dynamic;
    waiting_message *waiting; /* a queue: not yet handed over */
    int64_t first_waiting, waitings, capacity;
    bmf_transit **transit; /* by number; those that have arrived are taken again */
    int64_t *free_number, frees, numbers;
    bmf_transit **freed, **complete; /* told after this cycle */
    int64_t freeds, completes;
} dynamic_network;

static dynamic_network *of(bmf_network *network)
{
    return (dynamic_network *)network;
}

static int64_t words_of(const dynamic_network *n, const bmf_transit *message)
{
    return message->bytes < 1 ? 1 : (message->bytes - 1) / n->common.word_bytes + 1;
}

/* ---- what the simulation tells ---- */

static void note_sent(void *state, const bmf_dynamic_report *report, int64_t time)
{
    dynamic_network *n = state;
    bmf_transit *m = n->transit[report->message];
    m->sender_free = m->send_done = fmax(m->sent, numesh_seconds(&n->common, time));
    n->freed[n->freeds++] = m;
}

static void note_arrived(void *state, const bmf_dynamic_report *report, int64_t time)
{
    dynamic_network *n = state;
    bmf_transit *m = n->transit[report->message];
    const double reading = numesh_seconds(&n->common, report->words);
    m->arrived = fmax(m->send_done, numesh_seconds(&n->common, time));
    m->receive_overhead = isfinite(m->posted) ? fmin(reading, fmax(0, m->posted + reading - m->arrived)) : reading;
    n->complete[n->completes++] = m;
    n->free_number[n->frees++] = report->message;
}

/* ---- settings ---- */

static void destroy_dynamic(bmf_network *network)
{
    dynamic_network *n = of(network);
    dynamic_free(n->dynamic);
    void *const memory[] = {n->waiting, n->transit, n->free_number, n->freed, n->complete, n};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        free(memory[k]);
}

/* `shared` is for traffic without programs: here receiving is part of what the processor does. */
static int create_routers(const bmf_machine *machine, const config_setting_t *settings, dynamic_network *n)
{
    double *value = mesh_router_values(n->router);
    int status = numesh_read_parameters(machine, settings, n->router, value);
    const bmf_dynamic_routing routing = n->router == &mesh_router_adaptive ? BMF_DYNAMIC_ADAPTIVE : BMF_DYNAMIC_ECUBE;
    dynamic_settings_of(routing, &n->common.mesh, value, &n->settings);
    free(value);
    BMF_TRY(status);
    n->settings.shared = false;
    status = dynamic_create(&n->common.mesh, &n->settings, note_arrived, note_sent, n, &n->dynamic);
    if (status == BMF_OK)
        return BMF_OK;
    char text[256];
    snprintf(text, sizeof text, "%s", bmf_error_text(NULL));
    return machine_fail(machine, settings, BMF_ERROR_FILE, "%s", text);
}

int numesh_create_dynamic(const bmf_machine *machine, const config_setting_t *settings, int64_t processors,
                          const char *router, bmf_network **network)
{
    dynamic_network *n = allocate_clear(1, sizeof *n);
    n->network = (bmf_network){.type = &network_numesh_dynamic, .processors = processors};
    n->router = mesh_router_find(router);
    int status = numesh_read_common(machine, settings, processors, true, n->router->gigahertz, &n->common);
    if (status == BMF_OK)
        status = create_routers(machine, settings, n);
    if (status != BMF_OK)
        destroy_dynamic(&n->network);
    else
        *network = &n->network;
    return status;
}

static void start_dynamic(bmf_network *network, int64_t sample)
{
    dynamic_network *n = of(network);
    (void)sample;
    dynamic_clear(n->dynamic);
    n->first_waiting = n->waitings = 0;
    n->frees = n->numbers = 0;
    n->freeds = n->completes = 0;
}

/* ---- messages ---- */

/* Room for one more message in all lists. */
static void make_room(dynamic_network *n)
{
    const int64_t under_way = n->numbers > n->waitings ? n->numbers : n->waitings;
    if (under_way < n->capacity)
        return;
    const int64_t old = n->capacity, wanted = 2 * old + 64;
    n->waiting = reallocate_array(n->waiting, old, wanted, (int64_t)sizeof *n->waiting);
    n->transit = reallocate_array(n->transit, old, wanted, (int64_t)sizeof *n->transit);
    n->free_number = reallocate_array(n->free_number, old, wanted, (int64_t)sizeof *n->free_number);
    n->freed = reallocate_array(n->freed, old, wanted, (int64_t)sizeof *n->freed);
    n->complete = reallocate_array(n->complete, old, wanted, (int64_t)sizeof *n->complete);
    n->capacity = wanted;
}

static void send_dynamic(bmf_network *network, bmf_transit *message)
{
    dynamic_network *n = of(network);
    if (n->first_waiting == n->waitings)
        n->first_waiting = n->waitings = 0;
    make_room(n);
    n->waiting[n->waitings++] = (waiting_message){message, numesh_cycle(&n->common, message->sent)};
}

static void hand_over(dynamic_network *n, bmf_transit *message)
{
    make_room(n);
    const int64_t number = n->frees > 0 ? n->free_number[--n->frees] : n->numbers++;
    n->transit[number] = message;
    dynamic_send(n->dynamic, number, message->from, message->to, words_of(n, message),
                 1 + (int)(message->from % n->settings.addresses));
}

/* When a receiver became ready is looked at when the message arrives. */
static void post_dynamic(bmf_network *network, bmf_transit *message)
{
    (void)network;
    (void)message;
}

static int64_t next_cycle(const dynamic_network *n)
{
    int64_t cycle = dynamic_next(n->dynamic);
    if (n->first_waiting < n->waitings && n->waiting[n->first_waiting].cycle < cycle)
        cycle = n->waiting[n->first_waiting].cycle;
    return cycle;
}

/* What happens in a cycle is known in its end. */
static double next_dynamic(bmf_network *network)
{
    const dynamic_network *n = of(network);
    const int64_t cycle = next_cycle(n);
    return cycle == INT64_MAX ? INFINITY : numesh_seconds(&n->common, cycle + 1);
}

static void advance_dynamic(bmf_network *network)
{
    dynamic_network *n = of(network);
    const int64_t cycle = next_cycle(n);
    dynamic_skip(n->dynamic, cycle);
    while (n->first_waiting < n->waitings && n->waiting[n->first_waiting].cycle <= cycle)
        hand_over(n, n->waiting[n->first_waiting++].message);
    dynamic_step(n->dynamic);
    const int64_t freeds = n->freeds, completes = n->completes;
    n->freeds = n->completes = 0;
    for (int64_t k = 0; k < freeds; k++)
        network->freed(network->simulator, n->freed[k]);
    for (int64_t k = 0; k < completes; k++)
        network->complete(network->simulator, n->complete[k]);
}

/* ---- for reports and for machine show ---- */

static int64_t loads_dynamic(const bmf_network *network, bmf_link_load **load)
{
    const dynamic_network *n = (const dynamic_network *)network;
    const int64_t nodes = n->common.mesh.nodes;
    bmf_numesh_crossed *crossed = allocate_clear(nodes, sizeof *crossed);
    const int ports = n->common.mesh.size[2] > 1 ? BMF_MESH_PORTS : BMF_MESH_PORTS - 2;
    for (int64_t node = 0; node < nodes; node++)
        for (int port = 0; port < ports; port++) {
            bmf_numesh_link *link = &crossed[node][port];
            dynamic_crossed(n->dynamic, node, port, &link->messages, &link->words);
            link->bytes = (link->words - link->messages * n->settings.header) * n->common.word_bytes;
        }
    const int64_t count = numesh_loads(&n->common, crossed, load);
    free(crossed);
    return count;
}

static void describe_dynamic(const bmf_network *network, FILE *stream)
{
    const dynamic_network *n = (const dynamic_network *)network;
    const bmf_dynamic_settings *s = &n->settings;
    char size[BMF_MESH_TEXT];
    fprintf(stream, "dynamic routers, %s: %s %s, %g GHz, words of %" PRId64 " bytes\n", n->router->summary,
            mesh_text(&n->common.mesh, size), n->common.mesh.torus ? "torus" : "mesh", n->common.gigahertz,
            n->common.word_bytes);
    fprintf(stream, "%d virtual channel%s a link, buffers of %d words; %d header word%s a message\n", s->channels,
            s->channels == 1 ? "" : "s", s->buffer, s->header, s->header == 1 ? "" : "s");
    fprintf(stream, "cycles: %d before a header asks for a channel, %d before it asks for the switch, %d over a link\n",
            s->route, s->allocate, s->link);
    fprintf(stream, "%d interface addresses for messages that come in, one message at a time goes out\n", s->addresses);
}

const bmf_network_type network_numesh_dynamic = {
    .name = "numesh",
    .summary = "a mesh of dynamic routers, cycle by cycle",
    .setting = NULL,
    .create = NULL, /* network_numesh does */
    .destroy = destroy_dynamic,
    .start = start_dynamic,
    .send = send_dynamic,
    .post = post_dynamic,
    .next = next_dynamic,
    .advance = advance_dynamic,
    .loads = loads_dynamic,
    .describe = describe_dynamic,
};
