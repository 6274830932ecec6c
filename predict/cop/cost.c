/* What a plan takes: equations 6.1 to 6.3 of document 004, for every phase, with the bandwidths that nodes and cuts
 * allow. Cost: that of the bandwidths. */
#include <math.h>
#include <stdlib.h>

#include "predict/cop/plan.h"
#include "runtime/base/allocate.h"

const bmf_cop_costs cop_usual_costs = {
    .reprogram_word = 2, .sync = 8, .bulk_word = 1, .bulk_latency = 8, .interface_word = 1};

double cop_io_time(const bmf_cop_cost_terms *t)
{
    const double word = fmax(1 / t->bandwidth, t->interface);
    return t->calls * (t->messages * t->words * word + t->latency);
}

double cop_schedule_time(const bmf_cop_costs *costs, double passes, double pause, bool synchronises)
{
    return passes * (pause + costs->reprogram_word + (synchronises ? costs->sync : 0));
}

static const bmf_cop_candidate *candidate_of(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    return &plan->candidates[use->op->number].candidate[use->candidate];
}

/* A processor's accesses that a barrier in the routers waits for: one to enter, one to hear. */
enum { GATED_ACCESSES = 2 };

static double operator_io(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    const bmf_cop_metric *metric = &candidate_of(plan, use)->metric;
    const double interface = plan->settings.costs.interface_word;
    const bool in_routers = candidate_of(plan, use)->implementation->joints == BMF_COP_GATED;
    const bmf_cop_cost_terms terms = {.calls = (double)use->op->calls * plan->candidates[use->op->number].passes,
                                      .words = (double)use->op->words,
                                      .messages = (double)metric->messages,
                                      .bandwidth = use->bandwidth,
                                      .latency = (use->op->pipelined ? 0 : (double)metric->links + 2) +
                                                 (in_routers ? GATED_ACCESSES * interface : 0),
                                      .interface = in_routers ? 0 : interface};
    return cop_io_time(&terms);
}

/* Loops around operators of the phase that have operators outside it. */
static int64_t operators_in(const bmf_cop_tree *tree)
{
    int64_t count = tree->op ? 1 : 0;
    for (int64_t k = 0; k < tree->children; k++)
        count += operators_in(tree->child[k]);
    return count;
}

static bool holds_loop(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_tree *loop)
{
    int64_t inside = 0;
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_candidates *c = &plan->candidates[phase->use[u].op->number];
        for (int64_t k = 0; k < c->loops && !phase->use[u].continues; k++)
            inside += c->loop[k] == loop;
    }
    return inside == operators_in(loop);
}

static double outer_passes(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    double passes = 1;
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_candidates *c = &plan->candidates[phase->use[u].op->number];
        double own = 1;
        for (int64_t k = 0; k < c->loops && !phase->use[u].continues; k++)
            if (!holds_loop(plan, phase, c->loop[k]))
                own *= (double)c->loop[k]->count;
        passes = fmax(passes, own);
    }
    return passes;
}

/* VFSMs of the node with most of them, as far as they are known before routing: every end, and ways that pass. */
static double vfsms_of(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    const bmf_mesh *mesh = &plan->settings.hardware.mesh;
    double most = 0, *count = allocate_clear(mesh->nodes, sizeof *count);
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_streams *s = &candidate_of(plan, &phase->use[u])->streams;
        for (int64_t k = 0; k < s->count; k++) {
            count[s->stream[k].from]++;
            for (int64_t d = 0; d < s->stream[k].destinations; d++)
                count[s->stream[k].to[d]]++;
        }
    }
    for (int64_t n = 0; n < mesh->nodes; n++)
        most = fmax(most, count[n]);
    free(count);
    return most;
}

static double load_time(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    const bmf_cop_costs *costs = &plan->settings.costs;
    double time =
        ((double)plan->settings.hardware.length + vfsms_of(plan, phase)) * costs->bulk_word + costs->bulk_latency;
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_operator *op = phase->use[u].op;
        if (!cop_has_runtime(op) || phase->use[u].continues)
            continue;
        const int64_t block =
            op->instance[0].operand[0].runtime ? op->instance[0].operand[0].block : op->instance[0].operand[1].block;
        time += plan->candidates[op->number].passes / (double)block *
                (double)candidate_of(plan, &phase->use[u])->metric.reload_words * costs->reprogram_word;
    }
    return time;
}

static void set_terminating(bmf_cop_phase *const *list, int64_t count)
{
    for (int64_t p = 0; p < count; p++)
        for (int64_t u = 0; u < list[p]->uses; u++) {
            list[p]->use[u].terminating = true;
            for (int64_t q = p + 1; q < count; q++)
                for (int64_t v = 0; v < list[q]->uses; v++)
                    if (list[q]->use[v].op == list[p]->use[u].op)
                        list[p]->use[u].terminating = false;
        }
}

/* Whether all that goes on from another phase can, when programs run. */
static bool can_go_on(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    bool can = true;
    for (int64_t u = 0; u < phase->uses && plan->settings.optionals_apart && can; u++)
        can = !phase->use[u].continues || cop_can_go_on(plan, &phase->use[u]);
    return can;
}

static double phase_time(const bmf_cop_plan *plan, bmf_cop_phase *phase, bool is_followed)
{
    phase->passes = outer_passes(plan, phase);
    phase->is_followed = is_followed || phase->passes > 1;
    if (!can_go_on(plan, phase) || !cop_estimate_bandwidths(plan, phase))
        return INFINITY;
    phase->streams = 0;
    phase->io = 0;
    for (int64_t u = 0; u < phase->uses; u++) {
        phase->streams += candidate_of(plan, &phase->use[u])->streams.count;
        if (!phase->use[u].continues)
            phase->io += operator_io(plan, &phase->use[u]);
    }
    if (plan->settings.by_messages)
        return phase->io;
    cop_choose_ending(plan, phase);
    const bool synchronises = phase->ending == BMF_COP_MSG_SYNC || phase->ending == BMF_COP_BARRIER_ENDING;
    phase->schedule =
        phase->is_followed ? cop_schedule_time(&plan->settings.costs, phase->passes, phase->pause, synchronises) : 0;
    phase->load = phase->uses > 0 ? load_time(plan, phase) : 0;
    return phase->io + phase->schedule + phase->load;
}

/* Sequences add up; of threads side by side the longest counts. */
static double tree_time(const bmf_cop_plan *plan, bmf_cop_phases *phases, bool is_followed)
{
    phases->time = 0;
    if (phases->kind == BMF_COP_ONE_PHASE)
        phases->time = phase_time(plan, &phases->phase, is_followed);
    for (int64_t k = 0; k < phases->children; k++) {
        const bool disjoint = phases->kind == BMF_COP_PDISJOINT;
        const double time = tree_time(plan, phases->child[k], is_followed || disjoint || k + 1 < phases->children);
        phases->time = disjoint ? fmax(phases->time, time) : phases->time + time;
    }
    return phases->time;
}

double cop_phases_time(const bmf_cop_plan *plan, bmf_cop_phases *phases, bool complete)
{
    bmf_cop_plan listed = *plan;
    bmf_cop_phase **list;
    listed.phases = phases;
    const int64_t count = cop_list_phases(&listed, &list);
    set_terminating(list, count);
    free(list);
    if (plan->settings.max_phases > 0 && count > plan->settings.max_phases)
        return INFINITY;
    const double time = tree_time(plan, phases, false);
    return complete ? time : time - phases->child[phases->children - 1]->phase.schedule;
}
