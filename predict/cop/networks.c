/* Networks of online routing: one-hop streams between all neighbours of the boxes of a phase's operators that are
 * carried out by messages, as an operator of the phase that the compiler makes. Method: every link once, whichever
 * operators share it; all have the same bandwidth, a quarter of a word a cycle or what the pipelines of the node with
 * most of them pass. What a processor forwards costs an interrupt, so that more would not be used. Cost: linear in the
 * links of all boxes. Source: document 004, 4.2.2, where links get bandwidth in proportion to the traffic of all pairs
 * of nodes that might use them. */
#include <math.h>
#include <stdlib.h>

#include "predict/cop/implement_private.h"
#include "predict/cop/plan.h"
#include "predict/mesh/simulate_scheduled.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

static const char network_label[] = "online";

static const char *names_none(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    (void)mesh, (void)op;
    return "is made by the compiler";
}

static void joins(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i, bmf_cop_streams *streams)
{
    (void)mesh;
    cop_add_stream(streams, i, op->instance[i].node[0], op->instance[i].node[1]);
}

const bmf_cop_implementation cop_online_network = {.name = network_label,
                                                   .kind = BMF_COP_STREAM,
                                                   .what = "streams between neighbours",
                                                   .refuse = names_none,
                                                   .streams = joins,
                                                   .metric = cop_usual_metric};

static bool is_by_messages(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    return plan->candidates[use->op->number].candidate[use->candidate].implementation->by_messages;
}

bool cop_needs_network(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    bool found = false;
    for (int64_t u = 0; u < phase->uses && !plan->settings.by_messages; u++)
        found |= is_by_messages(plan, &phase->use[u]);
    return found;
}

int64_t cop_network_links(const bmf_cop_plan *plan, const bmf_cop_phase *phase, bool *link)
{
    const bmf_mesh *mesh = &plan->settings.hardware.mesh;
    int64_t links = 0;
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_operator *op = phase->use[u].op;
        for (int64_t i = 0; i < op->instances && is_by_messages(plan, &phase->use[u]); i++) {
            const bmf_cop_box box = cop_box_of(mesh, &op->instance[i]);
            for (int64_t n = 0; n < mesh->nodes; n++)
                for (int port = 0; port < BMF_MESH_PORTS && cop_box_holds(&box, mesh, n); port++) {
                    const int64_t to = mesh_neighbour(mesh, n, port);
                    if (to < 0 || link[n * BMF_MESH_PORTS + port] || !cop_box_holds(&box, mesh, to))
                        continue;
                    link[n * BMF_MESH_PORTS + port] = true;
                    links++;
                }
        }
    }
    return links;
}

/* Both ends of every stream take slots of their nodes; some are left for commands and barriers. */
static double bandwidth_of(const bmf_cop_plan *plan, const bool *link)
{
    const bmf_scheduled_hardware *hardware = &plan->settings.hardware;
    const double usual = 0.25, part = 0.7;
    int most = 1;
    for (int64_t n = 0; n < hardware->mesh.nodes; n++) {
        int streams = 0;
        for (int port = 0; port < BMF_MESH_PORTS; port++)
            streams += 2 * link[n * BMF_MESH_PORTS + port]; /* links come in pairs */
        most = streams > most ? streams : most;
    }
    return fmax(fmin(usual, part * hardware->pipelines / most), 1.0 / hardware->length);
}

static bmf_cop_operator *make_network(const bmf_cop_plan *plan, const bmf_cop_phase *phase, int64_t links,
                                      const bool *link)
{
    const bmf_mesh *mesh = &plan->settings.hardware.mesh;
    bmf_lisp *lisp = plan->program->lisp;
    bmf_cop_operator *op = lisp_allocate(lisp, sizeof *op);
    *op = (bmf_cop_operator){.kind = BMF_COP_STREAM,
                             .place = phase->use[0].op->place,
                             .label = network_label,
                             .function = "",
                             .words = 1,
                             .calls = 1,
                             .bandwidth = 1};
    op->instance = lisp_allocate(lisp, links * (int64_t)sizeof *op->instance);
    for (int64_t k = 0; k < mesh->nodes * BMF_MESH_PORTS; k++) {
        if (!link[k])
            continue;
        int64_t *node = lisp_allocate(lisp, 2 * (int64_t)sizeof *node);
        node[0] = k / BMF_MESH_PORTS;
        node[1] = mesh_neighbour(mesh, node[0], (int)(k % BMF_MESH_PORTS));
        op->instance[op->instances++] = (bmf_cop_instance){.nodes = 2, .node = node, .operand[1].value = 1};
    }
    for (int64_t u = 0; u < phase->uses; u++)
        if (is_by_messages(plan, &phase->use[u]) && phase->use[u].op->words > op->words)
            op->words = phase->use[u].op->words;
    return op;
}

void cop_add_network(bmf_cop_plan *plan, bmf_cop_phase *phase)
{
    if (!cop_needs_network(plan, phase))
        return;
    bool *link = allocate_clear(plan->settings.hardware.mesh.nodes * BMF_MESH_PORTS, sizeof *link);
    const int64_t links = cop_network_links(plan, phase, link);
    if (links > 0)
        cop_add_made(plan, phase, make_network(plan, phase, links, link), &cop_online_network,
                     bandwidth_of(plan, link));
    free(link);
}

/* An interrupt and four accesses for a word and its header at every node, and their way. */
void cop_online_metric(bmf_cop_metric *metric)
{
    const int accesses = 4, way = 8;
    metric->links = metric->links * (ONLINE_INTERRUPT + accesses * ONLINE_WORD + way);
    metric->max_bandwidth = fmin(metric->max_bandwidth, 0.5 / ONLINE_WORD);
    metric->passes = true;
}

/* ---- operators that the compiler makes ---- */

void cop_begin_made(bmf_cop_plan *plan, int64_t phases)
{
    const int64_t operators = plan->program->operators;
    plan->candidates = reallocate_array(plan->candidates, operators, operators + BMF_COP_MADE * phases,
                                        (int64_t)sizeof *plan->candidates);
    plan->made_operator = allocate_clear(BMF_COP_MADE * phases, (int64_t)sizeof *plan->made_operator);
}

void cop_add_made(bmf_cop_plan *plan, bmf_cop_phase *phase, bmf_cop_operator *op,
                  const bmf_cop_implementation *implementation, double bandwidth)
{
    const bmf_mesh *mesh = &plan->settings.hardware.mesh;
    op->number = plan->program->operators + plan->made;
    bmf_cop_candidates *c = &plan->candidates[op->number];
    *c = (bmf_cop_candidates){.count = 1, .candidate = allocate_clear(1, sizeof *c->candidate), .passes = 1};
    c->candidate->implementation = implementation;
    cop_make_streams(mesh, implementation, op, &c->candidate->streams);
    cop_measure(implementation, mesh, op, &c->candidate->streams, &c->candidate->metric);
    plan->made_operator[plan->made++] = op;
    phase->streams += c->candidate->streams.count;
    *ARRAY_APPEND(phase->use, phase->uses, phase->capacity) =
        (bmf_cop_use){.op = op, .made = true, .terminating = true, .bandwidth = bandwidth, .planned = bandwidth};
}
