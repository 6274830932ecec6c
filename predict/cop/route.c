/* Schedules of a plan's phases. Method: the stream router of the mesh, phase by phase. An operator that is alone in its
 * phase asks for all it may have, others for what the plan gave them. Cost: that of the stream router. Source: document
 * 004, 6.3. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/plan.h"
#include "runtime/base/allocate.h"

enum { MOST_OF_COURSES = 3 /* slots of a schedule; with more of them few follow each other */ };

static const bmf_cop_metric *metric_of(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    return &plan->candidates[use->op->number].candidate[use->candidate].metric;
}

static bmf_cop_joints joints_of(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    return plan->candidates[use->op->number].candidate[use->candidate].implementation->joints;
}

static const bmf_cop_streams *streams_of(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    return &plan->candidates[use->op->number].candidate[use->candidate].streams;
}

const bmf_cop_stream *cop_phase_stream(const bmf_cop_plan *plan, const bmf_cop_phase *phase, int64_t number,
                                       int64_t *use)
{
    for (*use = 0; *use < phase->uses; ++*use) {
        const bmf_cop_streams *s = streams_of(plan, &phase->use[*use]);
        if (number < s->count)
            return &s->stream[number];
        number -= s->count;
    }
    return NULL;
}

/* An operator that is alone in its phase may have all that fits; otherwise it is asked for what the estimate shared
 * out. Never more than :b. */
static double wish(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_use *use)
{
    const double most = joints_of(plan, use) == BMF_COP_AT_PROCESSORS ? 0.5 : metric_of(plan, use)->max_bandwidth;
    const double alone = use->op->bandwidth <= 0 ? use->bandwidth : fmin(use->op->bandwidth, most);
    const double asked = phase->uses > 1 || cop_lasts(use) ? use->bandwidth : alone;
    return use->share > 0 ? fmin(asked, use->share) : asked;
}

/* By instance and node: the boxes that streams may not leave. Other instances may be in other phases. */
static bool *make_boxes(const bmf_cop_plan *plan, const bmf_cop_operator *op)
{
    const bmf_mesh *mesh = &plan->settings.hardware.mesh;
    bool *inside = allocate_clear(op->instances * mesh->nodes, sizeof *inside);
    for (int64_t i = 0; i < op->instances; i++) {
        bmf_cop_box box = cop_empty_box();
        for (int64_t k = 0; k < op->instance[i].nodes; k++)
            cop_box_add(&box, mesh, op->instance[i].node[k]);
        for (int64_t n = 0; n < mesh->nodes; n++) {
            bmf_cop_box at = cop_empty_box();
            cop_box_add(&at, mesh, n);
            inside[i * mesh->nodes + n] = cop_boxes_overlap(&box, &at);
        }
    }
    return inside;
}

static void take_bandwidths(const bmf_cop_plan *plan, bmf_cop_phase *phase)
{
    double slowest = 1; /* of online routing */
    for (int64_t u = 0; u < phase->uses; u++)
        phase->use[u].bandwidth = 1;
    for (int64_t k = 0; k < phase->streams; k++) {
        int64_t use;
        cop_phase_stream(plan, phase, k, &use);
        const double found = (double)phase->routes->route[k].slots / plan->settings.hardware.length;
        phase->use[use].bandwidth = fmin(phase->use[use].bandwidth, found);
        slowest = phase->use[use].op->number >= plan->program->operators && phase->use[use].op->kind == BMF_COP_STREAM
                      ? fmin(slowest, found)
                      : slowest;
    }
    for (int64_t u = 0; u < phase->uses; u++)
        if (streams_of(plan, &phase->use[u])->count == 0)
            phase->use[u].bandwidth = slowest;
}

/* Whether slots should follow each other as the stages do: the further words of longer messages wait anyway. */
static bool is_course(const bmf_cop_phase *phase, int64_t use, const bmf_cop_stream *stream)
{
    return phase->uses == 1 && stream->stage > 0 && phase->use[use].op->words == 1 && !cop_lasts(&phase->use[use]);
}

static int route_once(const bmf_cop_plan *plan, bmf_cop_phase *phase, const bool *taken, double most,
                      bmf_stream_routes **routes)
{
    bool **inside = allocate_array(phase->uses, (int64_t)sizeof *inside);
    const bmf_stream_route **given = allocate_array(phase->uses, (int64_t)sizeof *given);
    for (int64_t u = 0; u < phase->uses; u++) {
        inside[u] = make_boxes(plan, phase->use[u].op);
        given[u] = cop_given_routes(plan, phase, &phase->use[u]);
    }
    bmf_stream *stream = allocate_array(phase->streams + 1, (int64_t)sizeof *stream);
    for (int64_t k = 0; k < phase->streams; k++) {
        int64_t use;
        const bmf_cop_stream *from = cop_phase_stream(plan, phase, k, &use);
        const bmf_cop_joints joints = joints_of(plan, &phase->use[use]);
        stream[k] = (bmf_stream){.from = from->from,
                                 .destinations = from->destinations,
                                 .to = from->to,
                                 .bandwidth = fmin(most, wish(plan, phase, &phase->use[use])),
                                 .reprogrammed = from->reprogrammed,
                                 .group = joints == BMF_COP_AT_PROCESSORS ? 0 : (int)use + 1,
                                 .joins = from->joins && joints == BMF_COP_JOINED,
                                 .course = is_course(phase, use, from) ? (int)use + 1 : 0,
                                 .stage = is_course(phase, use, from) ? (int)from->stage : 0,
                                 .commanded = from->joins && joints == BMF_COP_GATED,
                                 .allowed = inside[use] + from->instance * plan->settings.hardware.mesh.nodes};
        if (given[use])
            stream[k].given = given[use] + (from - streams_of(plan, &phase->use[use])->stream);
    }
    const bmf_stream_request request = {.hardware = plan->settings.hardware,
                                        .streams = phase->streams,
                                        .stream = stream,
                                        .leaves = phase->is_followed,
                                        .taken = taken};
    const int status = route_cache_streams(plan->settings.cache, &request, routes);
    free(stream);
    for (int64_t u = 0; u < phase->uses; u++)
        free(inside[u]);
    free(inside);
    free(given);
    return status;
}

/* Of an operator that is alone: its messages, one after the other, with a wait for a slot and the longest way. */
static double time_of(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_stream_routes *routes)
{
    const bmf_cop_use *use = &phase->use[0];
    const bmf_cop_metric *metric = metric_of(plan, use);
    const double length = plan->settings.hardware.length;
    double longest = 0;
    for (int64_t k = 0; k < routes->streams; k++) {
        const bmf_stream_route *route = &routes->route[k];
        for (int64_t h = 0; h < route->hops; h++) {
            double way = 0;
            for (int64_t at = h; at >= 0; at = route->hop[at].parent)
                way += 1 + route->hop[at].delay;
            longest = fmax(longest, way + (double)use->op->words * length / route->slots);
        }
    }
    return longest * (double)(metric->messages * metric->stages);
}

/* Streams at the highest bandwidth may go along a snake, because a node then serves only two destinations. Short
 * messages are sooner there with less bandwidth and shorter ways. */
static int try_shorter_ways(const bmf_cop_plan *plan, bmf_cop_phase *phase, const bool *taken)
{
    const double words = (double)phase->use[0].op->words;
    double best = time_of(plan, phase, phase->routes);
    for (double most = 0.25; most * plan->settings.hardware.length >= 1 && words / most < best; most /= 2) {
        bmf_stream_routes *other;
        BMF_TRY(route_once(plan, phase, taken, most, &other));
        if (!other || time_of(plan, phase, other) >= best) {
            streams_free(other);
            continue;
        }
        best = time_of(plan, phase, other);
        streams_free(phase->routes);
        phase->routes = other;
    }
    return BMF_OK;
}

/* Words that go from stream to stream wait for the first one's slot, half a distance of slots, and at each later one if
 * slots cannot follow each other, which is the likelier the more of them are taken. */
static int try_fewer_slots(const bmf_cop_plan *plan, bmf_cop_phase *phase, const bool *taken)
{
    const double length = plan->settings.hardware.length;
    double best = INFINITY;
    bmf_stream_routes *found = NULL;
    for (int slots = MOST_OF_COURSES; slots > 0; slots--) {
        bmf_stream_routes *other;
        const int status = route_once(plan, phase, taken, slots / length, &other);
        const double time = other ? (double)other->course + length / slots / 2 : INFINITY;
        if (status != BMF_OK) {
            streams_free(found);
            return status;
        }
        bmf_stream_routes *const worse = time < best ? found : other;
        found = time < best ? other : found;
        best = fmin(time, best);
        streams_free(worse);
    }
    phase->routes = found;
    return BMF_OK;
}

static bool has_courses(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    bool found = false;
    for (int64_t k = 0; k < phase->streams && !found; k++) {
        int64_t use;
        const bmf_cop_stream *stream = cop_phase_stream(plan, phase, k, &use);
        found = is_course(phase, use, stream);
    }
    return found;
}

static bool has_multicasts(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    for (int64_t k = 0; k < phase->streams; k++) {
        int64_t use;
        const bmf_cop_stream *stream = cop_phase_stream(plan, phase, k, &use);
        if (stream->destinations > 1 && !stream->reprogrammed)
            return true;
    }
    return false;
}

int cop_route_phase(const bmf_cop_plan *plan, bmf_cop_phase *phase, const bool *taken)
{
    const bool courses = has_courses(plan, phase);
    if (courses)
        BMF_TRY(try_fewer_slots(plan, phase, taken));
    else
        BMF_TRY(route_once(plan, phase, taken, 1, &phase->routes));
    if (!phase->routes)
        return BMF_OK;
    if (phase->uses == 1 && !courses && has_multicasts(plan, phase))
        BMF_TRY(try_shorter_ways(plan, phase, taken));
    take_bandwidths(plan, phase);
    return BMF_OK;
}

/* ---- registers ---- */

typedef struct counts {
    int out, in;
} counts;

/* Moved up by what `first` says; *end: behind the highest. */
static void move_register(int *reg, int first, int *end)
{
    if (*reg < 0)
        return;
    *reg += first;
    *end = *reg >= *end ? *reg + 1 : *end;
}

static void copy_registers(bmf_stream_route *route, const bmf_stream_route *given)
{
    route->reg = given->reg;
    for (int64_t h = 0; h < route->hops; h++) {
        route->hop[h].reg = given->hop[h].reg;
        route->hop[h].own = given->hop[h].own;
    }
}

/* Registers of the phase's streams at every node. Streams that go on keep theirs. */
static void visit_registers(const bmf_cop_plan *plan, bmf_cop_phase *phase, const counts *first, counts *end)
{
    for (int64_t k = 0; phase->routes && k < phase->routes->streams; k++) {
        bmf_stream_route *route = &phase->routes->route[k];
        int64_t use;
        const bmf_cop_stream *stream = cop_phase_stream(plan, phase, k, &use);
        const bmf_stream_route *given = cop_given_routes(plan, phase, &phase->use[use]);
        if (given) {
            copy_registers(route, given + (stream - streams_of(plan, &phase->use[use])->stream));
            continue;
        }
        move_register(&route->reg, first[route->hop[0].node].out, &end[route->hop[0].node].out);
        for (int64_t h = 0; h < route->hops; h++) {
            bmf_stream_hop *hop = &route->hop[h];
            move_register(&hop->reg, first[hop->node].in, &end[hop->node].in);
            move_register(&hop->own, first[hop->node].out, &end[hop->node].out);
        }
    }
}

/* Whether an operator is in both. */
static bool share_lasting(const bmf_cop_phase *a, const bmf_cop_phase *b)
{
    bool found = false;
    for (int64_t u = 0; u < a->uses && !found; u++)
        found = a->use[u].continues && cop_use_of(b, a->use[u].op);
    return found;
}

/* A node may get the first word of a phase's next message while it is still in that phase, or has left it already: so
 * registers are different in all phases between which no barriers are. */
void cop_separate_registers(bmf_cop_plan *plan, int64_t phases, bmf_cop_phase **phase)
{
    const bmf_scheduled_hardware *hardware = &plan->settings.hardware;
    const int64_t nodes = hardware->mesh.nodes;
    counts *end = allocate_clear(phases * nodes, sizeof *end), *first = allocate_clear(nodes, sizeof *first);
    const bool leaves_out = cop_has_optionals(plan->program->root); /* phases follow each other in any order */
    plan->registers_apart = true;
    for (int64_t p = 0; p < phases; p++) {
        memset(first, 0, (size_t)nodes * sizeof *first);
        for (int64_t q = 0; q < p; q++)
            for (int64_t n = 0; n < nodes && (leaves_out || share_lasting(phase[p], phase[q]) ||
                                              !cop_are_apart_in_time(phase[p], phase[q]));
                 n++) {
                const counts *other = &end[q * nodes + n];
                first[n].out = other->out > first[n].out ? other->out : first[n].out;
                first[n].in = other->in > first[n].in ? other->in : first[n].in;
            }
        memcpy(&end[p * nodes], first, (size_t)nodes * sizeof *first);
        visit_registers(plan, phase[p], first, &end[p * nodes]);
        for (int64_t n = 0; n < nodes; n++) {
            const counts *last = &end[p * nodes + n];
            plan->registers_apart &= last->out <= scheduled_registers(hardware) - hardware->pipelines &&
                                     last->in <= scheduled_registers(hardware);
        }
    }
    free(end);
    free(first);
}

int cop_fail_without_schedule(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    return lisp_fail_at(plan->program->lisp, phase->use[0].op->place,
                        "the %" PRId64 " streams of the phase of '%s' find no schedule", phase->streams,
                        phase->use[0].op->label);
}

int cop_route_plan(bmf_cop_plan *plan)
{
    bmf_cop_phase **list;
    const int64_t count = cop_list_phases(plan, &list);
    int status = BMF_OK;
    cop_begin_made(plan, count);
    cop_level_lasting(list, count);
    for (int64_t p = 0; p < count && status == BMF_OK; p++) {
        cop_add_network(plan, list[p]);
        if (list[p]->streams == 0)
            continue;
        status = cop_route_phase(plan, list[p], NULL);
        if (status == BMF_OK && !list[p]->routes)
            status = cop_fail_without_schedule(plan, list[p]);
    }
    free(list);
    return status;
}
