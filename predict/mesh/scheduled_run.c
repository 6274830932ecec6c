/* The scheduled router as one of the routers of a mesh (router.h).
 *
 * Method: traffic becomes phases (phase.h). The first phase begins with its schedule in place, as document 004, 8.2
 * measures; a further one begins when all its messages have been made and all nodes know that the phase before has
 * ended (a wave over the mesh and back, a cycle a link), is loaded and changed to as the hardware does it. Within a
 * phase all messages start together. Cost: that of routing and simulating. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "predict/mesh/phase.h"
#include "predict/mesh/routers.h"
#include "runtime/base/allocate.h"
#include "runtime/base/progress.h"
#include "bmf/status.h"

enum {
    LENGTH,
    PIPELINES,
    SHARED_WIRES,
    READ_CYCLES,
    WRITE_CYCLES,
    IN_ORDER,
    INTERRUPT_CYCLES,
    WORD_CYCLES,
    ENTRIES,
    VFSMS,
    REGISTERS
};

static const bmf_mesh_parameter parameters[] = {
    [LENGTH] = {"schedule", 2, BMF_SCHEDULED_ENTRIES / 2, 24, true, "slots of a schedule"},
    [PIPELINES] = {"pipelines", 1, BMF_SCHEDULED_PIPELINES, 2, true, "pipelines of a router"},
    [SHARED_WIRES] = {"shared_wires", 0, 1, 0, true,
                      "1: valid and accept share a wire, a link carries one word a cycle in one direction"},
    [READ_CYCLES] = {"read_cycles", 1, 100, 1, true, "cycles in which a processor reads a word"},
    [WRITE_CYCLES] = {"write_cycles", 1, 100, 1, true, "cycles in which a processor writes a word"},
    [IN_ORDER] = {"in_order", 0, 1, 0, true, "1: processors access their registers strictly in turn"},
    [INTERRUPT_CYCLES] = {"interrupt_cycles", 1, 10000, ONLINE_INTERRUPT, true,
                          "online routing: cycles of a processor's interrupt for a message"},
    [WORD_CYCLES] = {"word_cycles", 1, 10000, ONLINE_WORD, true,
                     "online routing: cycles in which its handler reads or writes a word"},
    [ENTRIES] = {"entries", 4, 10000, BMF_SCHEDULED_ENTRIES, true, "of a router's memory of schedules"},
    [VFSMS] = {"vfsms", 4, 10000, BMF_SCHEDULED_VFSMS, true, "of a pipeline"},
    [REGISTERS] = {"registers", 4, 10000, BMF_SCHEDULED_REGISTERS, true,
                   "of a processor's interface, in each direction"},
    {0}};

void mesh_scheduled_settings(const bmf_mesh *mesh, const double *value, bmf_scheduled_hardware *hardware,
                             bmf_phase_setting *setting)
{
    *hardware = (bmf_scheduled_hardware){.mesh = *mesh,
                                         .pipelines = (int)value[PIPELINES],
                                         .length = (int)value[LENGTH],
                                         .separate_wires = value[SHARED_WIRES] == 0,
                                         .entries = (int)value[ENTRIES],
                                         .vfsms = (int)value[VFSMS],
                                         .registers = (int)value[REGISTERS]};
    *setting = (bmf_phase_setting){.simulation = {.read_cycles = (int)value[READ_CYCLES],
                                                  .write_cycles = (int)value[WRITE_CYCLES],
                                                  .interrupt_cycles = (int)value[INTERRUPT_CYCLES],
                                                  .word_cycles = (int)value[WORD_CYCLES]},
                                   .in_order = value[IN_ORDER] > 0};
}

typedef struct tally {
    const bmf_mesh_traffic *traffic;
    bmf_mesh_result *result;
    int64_t clock, in_time;  /* words read while messages were made */
    double slowest, fastest; /* bandwidths */
} tally;

static void add_phase(tally *t, const bmf_mesh_phase *phase, const bmf_phase_times *times)
{
    int64_t destination = 0;
    for (int64_t k = 0; k < phase->messages; k++) {
        const bmf_mesh_message *message = &t->traffic->message[phase->message[k]];
        const bmf_stream_route *route = &phase->routes->route[k];
        const double bandwidth = (double)route->slots / phase->routes->hardware.length;
        t->slowest = bandwidth < t->slowest ? bandwidth : t->slowest;
        t->fastest = bandwidth > t->fastest ? bandwidth : t->fastest;
        for (int64_t h = 0; h < route->hops; h++)
            if (route->hop[h].delivers)
                t->result->hops_total += (double)stream_depth(route, h);
        for (int64_t d = 0; d < message->destinations; d++, destination++) {
            const int64_t read = t->clock + times->read[destination] + 1;
            t->result->latency_total += (double)(read - message->cycle);
            t->result->words += message->words;
            t->result->deliveries++;
            t->in_time += read <= t->traffic->cycles ? message->words : 0;
        }
    }
    t->result->flit_hops += times->hops;
}

static int64_t last_made(const bmf_mesh_traffic *traffic, const bmf_mesh_phase *phase)
{
    int64_t cycle = 0;
    for (int64_t k = 0; k < phase->messages; k++)
        if (traffic->message[phase->message[k]].cycle > cycle)
            cycle = traffic->message[phase->message[k]].cycle;
    return cycle;
}

static int run_phases(const bmf_mesh_plan *plan, bmf_phase_setting setting, tally *t)
{
    const bmf_mesh *mesh = &plan->hardware.mesh;
    int64_t *start = allocate_clear(mesh->nodes, sizeof *start), wave = 0;
    for (int k = 0; k < BMF_MESH_DIMENSIONS; k++)
        wave += 2 * (mesh->size[k] - 1);
    int status = BMF_OK;
    bmf_progress progress = {0}; /* a single phase tells of itself */
    if (plan->phases > 1)
        progress_begin(&progress, "simulating phases");
    for (int64_t p = 0; p < plan->phases && status == BMF_OK; p++) {
        progress_tell(&progress, (double)p / (double)plan->phases);
        setting.start = p > 0 ? start : NULL;
        setting.load = p > 0;
        const int64_t made = last_made(t->traffic, &plan->phase[p]);
        t->clock += p > 0 ? wave : 0;
        t->clock = t->clock < made ? made : t->clock;
        bmf_phase_times times;
        status = mesh_phase_run(&plan->phase[p], t->traffic->message, &setting, &times);
        if (status != BMF_OK)
            break;
        add_phase(t, &plan->phase[p], &times);
        t->clock += times.cycles;
        phase_times_free(&times);
    }
    progress_end(&progress);
    free(start);
    return status;
}

int mesh_draw_schedules(const bmf_mesh *mesh, const bmf_mesh_traffic *traffic, const double *value, int64_t node,
                        FILE *stream)
{
    bmf_scheduled_hardware hardware;
    bmf_phase_setting setting;
    mesh_scheduled_settings(mesh, value, &hardware, &setting);
    bmf_mesh_plan *plan;
    BMF_TRY(mesh_plan_make(&hardware, false, traffic->messages, traffic->message, &plan));
    for (int64_t p = 0; p < plan->phases; p++) {
        fprintf(stream, "phase %" PRId64 ": %" PRId64 " streams\n", p + 1, plan->phase[p].messages);
        scheduled_print(plan->phase[p].machine, 1, node < 0 ? 0 : node, node < 0 ? mesh->nodes : node + 1, stream);
    }
    mesh_plan_free(plan);
    return BMF_OK;
}

static int run(const bmf_mesh *mesh, const bmf_mesh_traffic *traffic, const double *value, bmf_mesh_result *result)
{
    bmf_scheduled_hardware hardware;
    bmf_phase_setting setting;
    mesh_scheduled_settings(mesh, value, &hardware, &setting);
    *result = (bmf_mesh_result){0};
    tally t = {.traffic = traffic, .result = result, .slowest = 1};
    bmf_mesh_plan *plan;
    BMF_TRY(mesh_plan_make(&hardware, false, traffic->messages, traffic->message, &plan));
    const int status = run_phases(plan, setting, &t);
    const int64_t phases = plan->phases, streams = phases > 0 ? plan->phase[0].messages : 0;
    mesh_plan_free(plan);
    BMF_TRY(status);
    result->cycles = t.clock;
    result->node_cycles = mesh->nodes * t.clock;
    const int64_t cycles = traffic->cycles ? traffic->cycles : t.clock;
    if (cycles > 0)
        result->accepted = (double)(traffic->cycles ? t.in_time : result->words) / (double)cycles / (double)mesh->nodes;
    if (phases > 0)
        snprintf(result->note, sizeof result->note,
                 "%" PRId64 " phase%s, the first of %" PRId64 " streams; bandwidths %.4g to %.4g words a cycle", phases,
                 phases == 1 ? "" : "s", streams, t.slowest, t.fastest);
    return BMF_OK;
}

const bmf_mesh_router mesh_router_scheduled = {
    .name = "scheduled",
    .summary = "streams along a schedule that is made beforehand (NuMesh)",
    .gigahertz = 2,
    .parameter = parameters,
    .run = run,
};
