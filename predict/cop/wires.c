/* Wires between phases: schedules with which programs can run, though neighbours may be in different phases.
 *
 * A node that is ahead may write to a link in a slot in which its neighbour still reads for another phase; the
 * neighbour would take the word for its own. So two phases use a link in different slots; a word then waits at the
 * sender until the neighbour has changed, too. What does not fit so ends by barriers.
 * Where phases share links, operators ask for parts of them in proportion to the root of their traffic, which makes the
 * sum of their times least.
 * Method: phase by phase, each round the links of those before it; if one finds no schedule, it and all that it shares
 * links with get barriers, and the routing begins again. Cost: that of the stream router, at most once for every phase
 * and each before it. Source: document 004, 5.3 (Table 5.2); there only phases in sequence are kept apart, and messages
 * that synchronise are taken for barriers, which they are not while a processor computes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/cop/plan.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "bmf/status.h"

/* ---- barriers as operators ---- */

static void mark_nodes(const bmf_cop_operator *op, bool *marked)
{
    for (int64_t i = 0; i < op->instances; i++)
        for (int64_t k = 0; k < op->instance[i].nodes; k++)
            marked[op->instance[i].node[k]] = true;
}

static bmf_cop_operator *make_barrier(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    const bmf_mesh *mesh = &plan->settings.hardware.mesh;
    bmf_lisp *lisp = plan->program->lisp;
    bool *member = lisp_allocate(lisp, mesh->nodes);
    int64_t *node = lisp_allocate(lisp, mesh->nodes * (int64_t)sizeof *node), count = 0;
    for (int64_t u = 0; u < phase->uses; u++)
        if (phase->use[u].terminating)
            cop_mark_boxes(mesh, phase->use[u].op, member);
    for (int64_t n = 0; n < mesh->nodes; n++)
        if (member[n])
            node[count++] = n;
    bmf_cop_operator *op = lisp_allocate(lisp, sizeof *op);
    *op = (bmf_cop_operator){.kind = BMF_COP_BARRIER,
                             .place = phase->use[0].op->place,
                             .label = "barrier",
                             .function = "",
                             .words = 1,
                             .calls = 1,
                             .bandwidth = 1};
    op->instance = lisp_allocate(lisp, sizeof *op->instance);
    op->instance[0] = (bmf_cop_instance){.nodes = count, .node = node};
    op->instances = 1;
    return op;
}

static bmf_cop_box box_of(const bmf_mesh *mesh, const bmf_cop_instance *instance)
{
    bmf_cop_box box = cop_empty_box();
    for (int64_t k = 0; k < instance->nodes; k++)
        cop_box_add(&box, mesh, instance->node[k]);
    return box;
}

/* Whether streams of both may use one link: their boxes have two neighbours in common. */
static bool may_share_links(const bmf_mesh *mesh, const bmf_cop_operator *a, const bmf_cop_operator *b)
{
    for (int64_t i = 0; i < a->instances; i++)
        for (int64_t j = 0; j < b->instances; j++) {
            const bmf_cop_box p = box_of(mesh, &a->instance[i]), q = box_of(mesh, &b->instance[j]);
            bool longer = false;
            for (int d = 0; d < BMF_MESH_DIMENSIONS; d++) {
                const int64_t low = p.low[d] > q.low[d] ? p.low[d] : q.low[d];
                longer |= (p.high[d] < q.high[d] ? p.high[d] : q.high[d]) > low;
            }
            if (longer && cop_boxes_overlap(&p, &q))
                return true;
        }
    return false;
}

/* ---- shares ---- */

/* Whether every node that is in one of the phases is in the other one, whatever goes on through both. */
static bool have_same_nodes(const bmf_cop_phase *a, const bmf_cop_phase *b)
{
    int64_t most = 0;
    for (int round = 0; round < 2; round++)
        for (int64_t u = 0; u < (round ? b : a)->uses; u++) {
            const bmf_cop_operator *op = (round ? b : a)->use[u].op;
            for (int64_t i = 0; i < op->instances && !cop_lasts(&(round ? b : a)->use[u]); i++)
                for (int64_t k = 0; k < op->instance[i].nodes; k++)
                    most = op->instance[i].node[k] >= most ? op->instance[i].node[k] + 1 : most;
        }
    bool *in[2] = {allocate_clear(most, sizeof(bool)), allocate_clear(most, sizeof(bool))}, same = true;
    for (int64_t u = 0; u < a->uses; u++)
        if (!cop_lasts(&a->use[u]))
            mark_nodes(a->use[u].op, in[0]);
    for (int64_t u = 0; u < b->uses; u++)
        if (!cop_lasts(&b->use[u]))
            mark_nodes(b->use[u].op, in[1]);
    for (int64_t n = 0; n < most; n++)
        same &= in[0][n] == in[1][n];
    free(in[0]);
    free(in[1]);
    return same;
}

/* A node that has nothing to do in the other phase stays in its own, and may send there before the others are back. */
bool cop_are_apart_in_time(const bmf_cop_phase *a, const bmf_cop_phase *b)
{
    return have_same_nodes(a, b) && (a->ending == BMF_COP_BARRIER_ENDING || a->ending == BMF_COP_NO_ENDING) &&
           (b->ending == BMF_COP_BARRIER_ENDING || b->ending == BMF_COP_NO_ENDING);
}

static double weight_of(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_use *use)
{
    const bmf_cop_candidates *c = &plan->candidates[use->op->number];
    const double messages = (double)(use->op->calls * c->candidate[use->candidate].metric.messages);
    const double words = messages * (double)use->op->words + (double)use->sync_words;
    return sqrt(fmax(c->passes, phase->passes) * words);
}

/* Which part of a link the operator may have, beside those of other phases and of its own. */
static double share_of(const bmf_cop_plan *plan, int64_t phases, bmf_cop_phase *const *phase, int64_t own,
                       const bmf_cop_use *use)
{
    const bmf_mesh *mesh = &plan->settings.hardware.mesh;
    const double weight = weight_of(plan, phase[own], use);
    double others = 0;
    int together = 0;
    for (int64_t p = 0; p < phases; p++)
        for (int64_t u = 0; u < phase[p]->uses; u++) {
            const bmf_cop_use *other = &phase[p]->use[u];
            if (!may_share_links(mesh, use->op, other->op))
                continue;
            if (p == own)
                together++;
            else if (!cop_are_apart_in_time(phase[own], phase[p]) && !cop_use_of(phase[own], other->op))
                others += weight_of(plan, phase[p], other);
        }
    return others > 0 ? weight / (weight + others) / (together > 0 ? together : 1) : 1;
}

static bool phases_share_links(const bmf_cop_plan *plan, const bmf_cop_phase *a, const bmf_cop_phase *b)
{
    for (int64_t u = 0; u < a->uses; u++)
        for (int64_t v = 0; v < b->uses; v++)
            if (may_share_links(&plan->settings.hardware.mesh, a->use[u].op, b->use[v].op))
                return true;
    return false;
}

/* ---- barriers ---- */

static void end_by_barrier(bmf_cop_plan *plan, bmf_cop_phase *phase)
{
    phase->ending = BMF_COP_BARRIER_ENDING;
    for (int64_t u = 0; u < phase->uses; u++)
        phase->use[u].sync_words = 0;
    cop_add_made(plan, phase, make_barrier(plan, phase), cop_find_implementation("repl_allreduce_barrier"),
                 (double)BMF_COP_BARRIER_SLOTS / plan->settings.hardware.length);
}

/* Nodes that only pass words on must know when that is over. */
static int end_with_passers(bmf_cop_plan *plan, bmf_cop_phase *phase)
{
    bool *passes = allocate_clear(plan->settings.hardware.mesh.nodes, sizeof *passes);
    int status = BMF_OK;
    if (cop_find_passers(plan, phase, passes)) {
        status = cop_check_passers(plan, phase, passes);
        if (phase->ending == BMF_COP_MSG_SYNC || phase->ending == BMF_COP_AT_ONCE)
            phase->ending = BMF_COP_BARRIER_ENDING;
    }
    free(passes);
    return status;
}

static int begin_barriers(bmf_cop_plan *plan, int64_t phases, bmf_cop_phase **phase)
{
    for (int64_t p = 0; p < phases; p++) {
        for (int64_t u = 0; u < phase[p]->uses; u++)
            phase[p]->use[u].planned = phase[p]->use[u].bandwidth;
        cop_add_network(plan, phase[p]);
        BMF_TRY(end_with_passers(plan, phase[p]));
        if (phase[p]->ending == BMF_COP_BARRIER_ENDING)
            end_by_barrier(plan, phase[p]);
    }
    return BMF_OK;
}

static bool ends_something(const bmf_cop_phase *phase)
{
    bool found = false;
    for (int64_t u = 0; u < phase->uses && !found; u++)
        found = phase->use[u].terminating;
    return found;
}

/* Whether any phase has got a barrier. */
static bool guard(bmf_cop_plan *plan, int64_t phases, bmf_cop_phase **phase, int64_t failed)
{
    const int64_t before = plan->made;
    for (int64_t p = 0; p < phases; p++)
        if ((p == failed || phases_share_links(plan, phase[failed], phase[p])) &&
            (phase[p]->ending == BMF_COP_MSG_SYNC || phase[p]->ending == BMF_COP_AT_ONCE) && ends_something(phase[p]))
            end_by_barrier(plan, phase[p]);
    return plan->made > before;
}

/* ---- routing ---- */

static int64_t links_of(const bmf_cop_plan *plan)
{
    return plan->settings.hardware.mesh.nodes * BMF_MESH_PORTS * plan->settings.hardware.length;
}

/* *failed: the phase that finds no schedule beside those before it, or -1. */
static int route_all(const bmf_cop_plan *plan, int64_t phases, bmf_cop_phase **phase, int64_t *failed)
{
    bool *taken = allocate_clear(links_of(plan), sizeof *taken);
    int status = BMF_OK;
    *failed = -1;
    for (int64_t p = 0; p < phases && status == BMF_OK && *failed < 0; p++) {
        if (phase[p]->streams == 0)
            continue;
        memset(taken, 0, (size_t)links_of(plan) * sizeof *taken);
        for (int64_t q = 0; q < p; q++)
            if (phase[q]->routes && (!cop_are_apart_in_time(phase[p], phase[q]) ||
                                     cop_find_lasting_fork(plan, phase[p]) || cop_find_lasting_fork(plan, phase[q])))
                streams_mark_links(phase[q]->routes, taken);
        for (int64_t u = 0; u < phase[p]->uses; u++) {
            bmf_cop_use *use = &phase[p]->use[u];
            use->bandwidth = use->planned;
            use->share = share_of(plan, phases, phase, p, use);
        }
        status = cop_route_phase(plan, phase[p], taken);
        if (status == BMF_OK && !phase[p]->routes)
            *failed = p;
    }
    free(taken);
    return status;
}

/* Of a phase, but for what goes on through the other. */
static void mark_links(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_phase *other, bool *taken)
{
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_use *use = &phase->use[u];
        bmf_stream_routes part = *phase->routes;
        part.route += cop_first_stream(plan, phase, use);
        part.streams = plan->candidates[use->op->number].candidate[use->candidate].streams.count;
        if (!cop_use_of(other, use->op) || phase == other)
            streams_mark_links(&part, taken);
    }
}

/* Whether no other phase reads a link in a slot in which the phase does, for something else. */
static bool is_apart(const bmf_cop_plan *plan, int64_t phases, bmf_cop_phase **phase, int64_t own)
{
    bool *taken = allocate_clear(links_of(plan), sizeof *taken), *used = allocate_clear(links_of(plan), sizeof *used);
    bool apart = true;
    for (int64_t p = 0; p < phases; p++)
        if (phase[p]->routes)
            mark_links(plan, phase[p], phase[own], p == own ? used : taken);
    for (int64_t k = 0; k < links_of(plan) && apart; k++)
        apart = !(taken[k] && used[k]);
    free(taken);
    free(used);
    return apart;
}

/* Where a node would go into the loader phase while words are copied. */
static int check_forks(const bmf_cop_plan *plan, int64_t phases, bmf_cop_phase **phase)
{
    for (int64_t p = 0; p < phases; p++) {
        const bmf_cop_operator *op = cop_find_lasting_fork(plan, phase[p]);
        if (op && (!phase[p]->apart || phases >= scheduled_blocks(&plan->settings.hardware)))
            return lisp_fail_at(plan->program->lisp, op->place,
                                "operator '%s' goes on through phases that do not fit into the routers together",
                                op->label);
    }
    return BMF_OK;
}

int cop_route_to_run(bmf_cop_plan *plan)
{
    bmf_cop_phase **phase;
    const int64_t phases = cop_list_phases(plan, &phase);
    int64_t failed = 0;
    int status = cop_check_lasting(plan, phase, phases);
    cop_level_lasting(phase, phases);
    cop_begin_made(plan, phases);
    if (status == BMF_OK)
        status = begin_barriers(plan, phases, phase);
    for (bool again = true; again && status == BMF_OK && failed >= 0;) {
        for (int64_t p = 0; p < phases; p++) {
            streams_free(phase[p]->routes);
            phase[p]->routes = NULL;
        }
        status = route_all(plan, phases, phase, &failed);
        again = status == BMF_OK && failed >= 0 &&
                (guard(plan, phases, phase, failed) || cop_slow_lasting(plan, phases, phase));
    }
    if (status == BMF_OK && failed >= 0)
        status = cop_fail_without_schedule(plan, phase[failed]);
    for (int64_t p = 0; p < phases && status == BMF_OK; p++) {
        cop_set_sync_words(plan, phase[p]);
        phase[p]->apart = is_apart(plan, phases, phase, p);
    }
    if (status == BMF_OK)
        cop_separate_registers(plan, phases, phase);
    if (status == BMF_OK)
        status = check_forks(plan, phases, phase);
    if (status == BMF_OK)
        status = cop_check_ends(plan, phase, phases);
    free(phase);
    return status;
}
