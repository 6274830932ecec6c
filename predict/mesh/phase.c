/* Phases of messages on scheduled routers: planning and running.
 *
 * Method: messages join a phase in their order until a node has no register left or the nodes' slots are used up; the
 * stream router then finds the schedule, and if it cannot, the phase is halved. Wishes for bandwidth are in proportion
 * to the words, so that all streams end together. Running is simulating: scripts write and read all words, any register
 * that is ready in its turn. Cost: that of the stream router and of the simulation. Source: document 004, 5.2, 6.2.6,
 * 7.1. */
#include "predict/mesh/phase.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "bmf/status.h"

/* Room that is left for detours, of all slots of all nodes. */
static const double MAX_FILLED = 0.8;

/* ---- how many messages fit ---- */

typedef struct filling {
    const bmf_scheduled_hardware *hardware;
    int64_t *sources, *sinks; /* by node */
    int64_t slots;            /* if every stream has one slot a schedule */
} filling;

static bool add_message(filling *f, const bmf_mesh_message *message)
{
    const int64_t registers = scheduled_registers(f->hardware);
    int64_t slots = f->slots + 1;
    bool fits = f->sources[message->from] < registers - f->hardware->pipelines;
    for (int64_t d = 0; d < message->destinations; d++) {
        fits &= f->sinks[message->to[d]] < registers;
        slots += message->destinations > 1 ? 2 : mesh_distance(&f->hardware->mesh, message->from, message->to[d]);
    }
    const double all = (double)(f->hardware->mesh.nodes * f->hardware->pipelines * f->hardware->length);
    if (!fits || (f->slots > 0 && (double)slots > MAX_FILLED * all))
        return false;
    f->slots = slots;
    f->sources[message->from]++;
    for (int64_t d = 0; d < message->destinations; d++)
        f->sinks[message->to[d]]++;
    return true;
}

static int64_t count_fitting(const bmf_scheduled_hardware *hardware, int64_t messages, const bmf_mesh_message *message)
{
    const int64_t nodes = hardware->mesh.nodes;
    filling f = {hardware, allocate_clear(nodes, sizeof *f.sources), allocate_clear(nodes, sizeof *f.sinks), 0};
    int64_t count = 0;
    while (count < messages && add_message(&f, &message[count]))
        count++;
    free(f.sources);
    free(f.sinks);
    return count;
}

/* ---- planning ---- */

/* A stream to all along a snake needs 2 cycles a word and a cycle a node; one along a tree with forks of four needs 4,
 * and the tree's depth. */
static double best_of_many(const bmf_scheduled_hardware *hardware, const bmf_mesh_message *message)
{
    int64_t depth = 0;
    for (int k = 0; k < BMF_MESH_DIMENSIONS; k++)
        depth += hardware->mesh.size[k] - 1;
    return 2 * message->words + message->destinations <= 4 * message->words + depth ? 0.5 : 0.25;
}

static double bandwidth_of(const bmf_scheduled_hardware *hardware, const bmf_mesh_message *message, int64_t max_words)
{
    if (message->bandwidth > 0)
        return message->bandwidth;
    const double max = message->destinations > 1 ? best_of_many(hardware, message) : 0.5;
    return max * (double)message->words / (double)max_words;
}

static int route_messages(const bmf_scheduled_hardware *hardware, bool leaves, int64_t messages,
                          const bmf_mesh_message *message, bmf_stream_routes **routes)
{
    bmf_stream *stream = allocate(messages * (int64_t)sizeof *stream);
    int64_t max_words = 1;
    for (int64_t k = 0; k < messages; k++)
        max_words = message[k].words > max_words ? message[k].words : max_words;
    for (int64_t k = 0; k < messages; k++)
        stream[k] = (bmf_stream){.from = message[k].from,
                                 .destinations = message[k].destinations,
                                 .to = message[k].to,
                                 .bandwidth = bandwidth_of(hardware, &message[k], max_words)};
    const bmf_stream_request request = {.hardware = *hardware, .streams = messages, .stream = stream, .leaves = leaves};
    const int status = numesh_route_streams(&request, routes);
    free(stream);
    return status;
}

int mesh_phase_restore(bmf_stream_routes *routes, int64_t messages, const int64_t *message, bmf_mesh_phase *phase)
{
    *phase = (bmf_mesh_phase){.messages = messages, .routes = routes};
    phase->message = allocate(messages * (int64_t)sizeof *phase->message);
    memcpy(phase->message, message, (size_t)messages * sizeof *message);
    int status = scheduled_create(&routes->hardware, &phase->machine);
    if (status == BMF_OK)
        status = streams_emit(routes, phase->machine, 1);
    if (status != BMF_OK)
        mesh_phase_free(phase);
    return status;
}

static int add_phase(bmf_mesh_plan *plan, bmf_stream_routes *routes, int64_t first, int64_t messages)
{
    ARRAY_RESERVE(plan->phase, plan->capacity, plan->phases + 1);
    int64_t *number = allocate(messages * (int64_t)sizeof *number);
    for (int64_t k = 0; k < messages; k++)
        number[k] = first + k;
    const int status = mesh_phase_restore(routes, messages, number, &plan->phase[plan->phases]);
    free(number);
    plan->phases += status == BMF_OK;
    return status;
}

static int plan_all(bmf_mesh_plan *plan, bool leaves, int64_t messages, const bmf_mesh_message *message)
{
    for (int64_t done = 0; done < messages;) {
        int64_t count = count_fitting(&plan->hardware, messages - done, message + done);
        bmf_stream_routes *routes = NULL;
        for (; count > 0 && !routes; count = routes ? count : count / 2)
            BMF_TRY(route_messages(&plan->hardware, leaves || done + count < messages, count, message + done, &routes));
        if (!routes)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                            "message %" PRId64 ", from node %" PRId64 ", does not fit into a phase", done,
                            message[done].from);
        BMF_TRY(add_phase(plan, routes, done, count));
        done += count;
    }
    return BMF_OK;
}

int mesh_plan_make(const bmf_scheduled_hardware *hardware, bool leaves, int64_t messages,
                   const bmf_mesh_message *message, bmf_mesh_plan **plan)
{
    bmf_mesh_plan *made = allocate_clear(1, sizeof *made);
    made->hardware = *hardware;
    const int status = plan_all(made, leaves, messages, message);
    if (status != BMF_OK)
        mesh_plan_free(made);
    else
        *plan = made;
    return status;
}

void mesh_phase_free(bmf_mesh_phase *phase)
{
    streams_free(phase->routes);
    scheduled_free(phase->machine);
    free(phase->message);
}

void mesh_plan_free(bmf_mesh_plan *plan)
{
    if (!plan)
        return;
    for (int64_t k = 0; k < plan->phases; k++)
        mesh_phase_free(&plan->phase[k]);
    free(plan->phase);
    free(plan);
}

/* ---- running ---- */

typedef struct running {
    const bmf_mesh_phase *phase;
    const bmf_mesh_message *message;
    bmf_scheduled_machine *machine;
    bmf_processor_script *script;
    int64_t nodes, *uses, *first; /* by node: how many, and where in `use` */
    bmf_interface_use *use;
    int64_t *at_source;      /* by message: its use at the source; numbers in the node's script */
    int64_t *at_destination; /* by destination of all messages, one after the other */
} running;

static int register_at(const bmf_stream_route *route, int64_t node)
{
    for (int64_t h = 0; h < route->hops; h++)
        if (route->hop[h].node == node && route->hop[h].delivers)
            return route->hop[h].reg;
    return -1;
}

/* Calls for every end of every message; the first time to count, the second time to fill in. */
static void add_uses(running *r)
{
    int64_t destination = 0;
    for (int64_t k = 0; k < r->phase->messages; k++) {
        const bmf_mesh_message *message = &r->message[r->phase->message[k]];
        const bmf_stream_route *route = &r->phase->routes->route[k];
        r->at_source[k] = r->uses[message->from]++;
        if (r->use)
            r->use[r->first[message->from] + r->at_source[k]] =
                (bmf_interface_use){.reg = route->reg, .stream = k, .words = message->words};
        for (int64_t d = 0; d < message->destinations; d++, destination++) {
            const int64_t to = message->to[d];
            r->at_destination[destination] = r->uses[to]++;
            if (r->use)
                r->use[r->first[to] + r->at_destination[destination]] = (bmf_interface_use){
                    .reg = register_at(route, to), .reads = true, .stream = k, .words = message->words};
        }
    }
}

static int64_t count_destinations(const bmf_mesh_phase *phase, const bmf_mesh_message *message)
{
    int64_t count = 0;
    for (int64_t k = 0; k < phase->messages; k++)
        count += message[phase->message[k]].destinations;
    return count;
}

static void make_scripts(running *r, const bmf_phase_setting *setting)
{
    const int64_t size = (int64_t)sizeof(int64_t);
    r->uses = allocate_clear(r->nodes, size);
    r->first = allocate_clear(r->nodes + 1, size);
    add_uses(r);
    for (int64_t n = 0; n < r->nodes; n++) {
        r->first[n + 1] = r->first[n] + r->uses[n];
        r->uses[n] = 0;
    }
    r->use = allocate((r->first[r->nodes] + 1) * (int64_t)sizeof *r->use);
    add_uses(r);
    for (int64_t n = 0; n < r->nodes; n++) {
        bmf_processor_script *script = &r->script[n];
        if (setting->start) {
            script_until(script, BMF_TIME_CPU, setting->start[n]);
            if (setting->load)
                script_load(script, r->phase->machine, n, 1);
            script_change_phase(script, &r->machine->hardware, 0, 1);
        }
        script_transfer(script, setting->in_order, r->uses[n], &r->use[r->first[n]]);
    }
}

static void collect_times(const running *r, const bmf_scheduled_simulation *simulation, bmf_phase_times *times)
{
    int64_t destination = 0;
    times->cycles = scheduled_simulation_length(simulation);
    times->hops = scheduled_simulation_hops(simulation);
    times->carried_out = scheduled_simulation_carried_out(simulation);
    for (int64_t k = 0; k < r->phase->messages; k++) {
        const bmf_mesh_message *message = &r->message[r->phase->message[k]];
        times->written[k] = r->script[message->from].use[r->at_source[k]].last;
        for (int64_t d = 0; d < message->destinations; d++, destination++)
            times->read[destination] = r->script[message->to[d]].use[r->at_destination[destination]].last;
    }
    for (int64_t n = 0; n < r->nodes; n++) {
        times->last_move[n] = scheduled_simulation_last_move(simulation, n);
        scheduled_simulation_times(simulation, n, times->time[n]);
    }
}

int mesh_phase_run(const bmf_mesh_phase *phase, const bmf_mesh_message *message, const bmf_phase_setting *setting,
                   bmf_phase_times *times)
{
    const bmf_scheduled_hardware *hardware = &phase->machine->hardware;
    const int64_t size = (int64_t)sizeof(int64_t), destinations = count_destinations(phase, message);
    running r = {.phase = phase, .message = message, .nodes = hardware->mesh.nodes};
    BMF_TRY(scheduled_create(hardware, &r.machine));
    const bool loaded = !(setting->start && setting->load);
    for (int64_t n = 0; n < r.nodes && loaded; n++)
        r.machine->node[n] = phase->machine->node[n];
    for (int64_t n = 0; n < r.nodes; n++)
        r.machine->node[n].pointer = (uint8_t)(setting->start ? 0 : hardware->length);
    r.script = scripts_create(&hardware->mesh);
    r.at_source = allocate((phase->messages + 1) * size);
    r.at_destination = allocate((destinations + 1) * size);
    make_scripts(&r, setting);
    *times = (bmf_phase_times){.written = allocate((phase->messages + 1) * size),
                               .read = allocate((destinations + 1) * size),
                               .last_move = allocate(r.nodes * size),
                               .time = allocate(r.nodes * (int64_t)sizeof *times->time)};
    bmf_scheduled_simulation *simulation = scheduled_simulation_create(r.machine, r.script, &setting->simulation);
    const int status = scheduled_simulation_run(simulation);
    if (status == BMF_OK)
        collect_times(&r, simulation, times);
    else
        phase_times_free(times);
    scheduled_simulation_free(simulation);
    scripts_free(&hardware->mesh, r.script);
    scheduled_free(r.machine);
    void *const owned[] = {r.uses, r.first, r.use, r.at_source, r.at_destination};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        free(owned[k]);
    return status;
}

void phase_times_free(bmf_phase_times *times)
{
    free(times->written);
    free(times->read);
    free(times->last_move);
    free(times->time);
    *times = (bmf_phase_times){0};
}
