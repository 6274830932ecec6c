/* What bandwidth the streams of a phase can have, without routing them. Method: what the processors' interfaces and
 * the cuts through the middle of all ends can carry is shared in proportion to traffic, the most overloaded of them
 * first; all streams of an operator have the bandwidth of the slowest. Cost: O(streams) for each resource that is
 * overloaded. Source: document 004, 6.2.6. */
#include <math.h>
#include <stdlib.h>

#include "predict/cop/plan.h"
#include "runtime/base/allocate.h"

enum { CUTS = 2 * BMF_MESH_DIMENSIONS, ROUNDS = 64 };
/* A stream that may be reprogrammed takes at every node the slots of going on, of delivering, and of a reader of the
 * processor, which must not follow the writer: a quarter of what an interface passes. */
static const double REPROGRAMMED = 4;

typedef struct estimate {
    const bmf_cop_plan *plan;
    bmf_cop_phase *phase;
    int64_t nodes;
    double *load;                       /* by resource: nodes, then cuts */
    double cut_at[BMF_MESH_DIMENSIONS]; /* the mean of the extreme coordinates */
    double cut_capacity[CUTS];
    int64_t *sources, *sinks;
} estimate;

static const bmf_cop_streams *streams_of(const estimate *e, const bmf_cop_use *use)
{
    return &e->plan->candidates[use->op->number].candidate[use->candidate].streams;
}

static void find_cuts(estimate *e)
{
    const bmf_mesh *mesh = &e->plan->settings.hardware.mesh;
    bmf_cop_box box = cop_empty_box();
    for (int64_t u = 0; u < e->phase->uses; u++) {
        const bmf_cop_streams *s = streams_of(e, &e->phase->use[u]);
        for (int64_t k = 0; k < s->count; k++) {
            cop_box_add(&box, mesh, s->stream[k].from);
            for (int64_t d = 0; d < s->stream[k].destinations; d++)
                cop_box_add(&box, mesh, s->stream[k].to[d]);
        }
    }
    for (int axis = 0; axis < BMF_MESH_DIMENSIONS; axis++) {
        double width = 1;
        for (int d = 0; d < BMF_MESH_DIMENSIONS; d++)
            width *= d == axis ? 1 : (double)(box.high[d] - box.low[d] + 1);
        e->cut_at[axis] = 0.5 * (double)(box.low[axis] + box.high[axis]);
        e->cut_capacity[2 * axis] = e->cut_capacity[2 * axis + 1] = width;
    }
}

/* Whether the stream crosses a cut in a direction: up for even numbers. */
static bool crosses(const estimate *e, const bmf_cop_stream *s, int cut)
{
    const bmf_mesh *mesh = &e->plan->settings.hardware.mesh;
    const bool up = cut % 2 == 0;
    const double at = e->cut_at[cut / 2], from = (double)mesh_coordinate(mesh, s->from, cut / 2);
    for (int64_t d = 0; d < s->destinations; d++) {
        const double to = (double)mesh_coordinate(mesh, s->to[d], cut / 2);
        if (up ? from < at && to > at : from > at && to < at)
            return true;
    }
    return false;
}

static bool touches(const estimate *e, const bmf_cop_stream *s, int64_t resource)
{
    if (resource >= e->nodes)
        return crosses(e, s, (int)(resource - e->nodes));
    if (s->from == resource)
        return true;
    for (int64_t d = 0; d < s->destinations; d++)
        if (s->to[d] == resource)
            return true;
    return false;
}

static double capacity_of(const estimate *e, int64_t resource)
{
    return resource < e->nodes ? (double)e->plan->settings.hardware.pipelines : e->cut_capacity[resource - e->nodes];
}

static void sum_loads(estimate *e)
{
    for (int64_t r = 0; r < e->nodes + CUTS; r++)
        e->load[r] = 0;
    for (int64_t u = 0; u < e->phase->uses; u++) {
        const bmf_cop_streams *s = streams_of(e, &e->phase->use[u]);
        const double bandwidth = e->phase->use[u].bandwidth;
        for (int64_t k = 0; k < s->count; k++) {
            const double weight = s->stream[k].reprogrammed ? REPROGRAMMED : 1;
            e->load[s->stream[k].from] += weight * bandwidth;
            for (int64_t d = 0; d < s->stream[k].destinations; d++)
                e->load[s->stream[k].to[d]] += weight * bandwidth;
            for (int cut = 0; cut < CUTS; cut++)
                e->load[e->nodes + cut] += crosses(e, &s->stream[k], cut) ? bandwidth : 0;
        }
    }
}

static int64_t find_worst(const estimate *e)
{
    int64_t worst = -1;
    double most = 1 + 1e-9;
    for (int64_t r = 0; r < e->nodes + CUTS; r++)
        if (e->load[r] > most * capacity_of(e, r)) {
            most = e->load[r] / capacity_of(e, r);
            worst = r;
        }
    return worst;
}

/* Streams of the resource get its capacity in proportion to their operators' traffic; who wants less keeps that. */
static void share(estimate *e, int64_t resource)
{
    const int64_t uses = e->phase->uses;
    double *streams = allocate_clear(uses, sizeof *streams), room = capacity_of(e, resource), traffic = 0;
    bool *kept = allocate_clear(uses, sizeof *kept);
    for (int64_t u = 0; u < uses; u++) {
        const bmf_cop_streams *s = streams_of(e, &e->phase->use[u]);
        for (int64_t k = 0; k < s->count; k++)
            if (touches(e, &s->stream[k], resource))
                streams[u] += s->stream[k].reprogrammed && resource < e->nodes ? REPROGRAMMED : 1;
        traffic += streams[u] * (double)e->phase->use[u].op->words;
    }
    for (bool again = true; again && traffic > 0;) {
        again = false;
        for (int64_t u = 0; u < uses; u++) {
            const bmf_cop_use *use = &e->phase->use[u];
            const double words = (double)use->op->words;
            if (kept[u] || streams[u] <= 0 || use->bandwidth > room * words / traffic + 1e-12)
                continue;
            kept[u] = again = true;
            room -= streams[u] * use->bandwidth;
            traffic -= streams[u] * words;
        }
    }
    for (int64_t u = 0; u < uses; u++)
        if (!kept[u] && streams[u] > 0)
            e->phase->use[u].bandwidth =
                fmin(e->phase->use[u].bandwidth, room * (double)e->phase->use[u].op->words / traffic);
    free(streams);
    free(kept);
}

/* The streams of online routing. */
static void add_network(estimate *e)
{
    if (!cop_needs_network(e->plan, e->phase))
        return;
    const bmf_mesh *mesh = &e->plan->settings.hardware.mesh;
    bool *link = allocate_clear(e->nodes * BMF_MESH_PORTS, sizeof *link);
    cop_network_links(e->plan, e->phase, link);
    for (int64_t k = 0; k < e->nodes * BMF_MESH_PORTS; k++)
        if (link[k]) {
            e->sources[k / BMF_MESH_PORTS]++;
            e->sinks[mesh_neighbour(mesh, k / BMF_MESH_PORTS, (int)(k % BMF_MESH_PORTS))]++;
        }
    free(link);
}

/* Registers: one for each stream at both ends; slots: one for each end. */
static bool fits(estimate *e)
{
    const bmf_scheduled_hardware *hardware = &e->plan->settings.hardware;
    bool good = true;
    for (int64_t u = 0; u < e->phase->uses; u++) {
        const bmf_cop_streams *s = streams_of(e, &e->phase->use[u]);
        for (int64_t k = 0; k < s->count; k++) {
            e->sources[s->stream[k].from]++;
            for (int64_t d = 0; d < s->stream[k].destinations; d++) {
                e->sinks[s->stream[k].to[d]]++;
                e->sources[s->stream[k].to[d]] += s->stream[k].reprogrammed;
            }
        }
    }
    add_network(e);
    for (int64_t n = 0; n < e->nodes; n++)
        good &= e->sources[n] <= scheduled_registers(hardware) - hardware->pipelines &&
                e->sinks[n] <= scheduled_registers(hardware) &&
                e->sources[n] + e->sinks[n] < hardware->pipelines * hardware->length;
    return good;
}

bool cop_estimate_bandwidths(const bmf_cop_plan *plan, bmf_cop_phase *phase)
{
    estimate e = {.plan = plan, .phase = phase, .nodes = plan->settings.hardware.mesh.nodes};
    const double least = 1.0 / plan->settings.hardware.length;
    e.load = allocate_clear(e.nodes + CUTS, sizeof *e.load);
    e.sources = allocate_clear(e.nodes, sizeof *e.sources);
    e.sinks = allocate_clear(e.nodes, sizeof *e.sinks);
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_operator *op = phase->use[u].op;
        const double max = plan->candidates[op->number].candidate[phase->use[u].candidate].metric.max_bandwidth;
        const double asked = op->bandwidth > 0 ? op->bandwidth : least;
        phase->use[u].bandwidth = fmax(least, fmin(asked, max));
    }
    const bool good = fits(&e);
    if (good)
        find_cuts(&e);
    for (int round = 0; good && phase->uses > 0 && round < ROUNDS; round++) {
        sum_loads(&e);
        const int64_t worst = find_worst(&e);
        if (worst < 0)
            break;
        share(&e, worst);
    }
    for (int64_t u = 0; u < phase->uses; u++)
        phase->use[u].bandwidth = fmax(least, phase->use[u].bandwidth);
    free(e.load);
    free(e.sources);
    free(e.sinks);
    return good;
}
