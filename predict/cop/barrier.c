/* How a phase ends: which operators may be executed last, and whether messages, a barrier or nothing at all keep nodes
 * from changing while words are under way. Method: backwards from the end of every sequence up to an operator that is
 * certainly executed. Cost: linear. Source: document 004, 5.2 (Table 5.1). */
#include <math.h>
#include <stdlib.h>

#include "predict/cop/plan.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

const char *cop_ending_name(bmf_cop_ending ending)
{
    static const char *const names[] = {"none", "msg-sync", "barrier", "no-op"};
    return names[ending];
}

/* Whether an operator of the set is certainly executed. */
static bool find_last(const bmf_cop_tree *tree, const bool *present, bool *last)
{
    if (tree->op) {
        last[tree->op->number] |= present[tree->op->number];
        return present[tree->op->number];
    }
    const bool together = tree->group == BMF_COP_PARALLEL || tree->group == BMF_COP_DISJOINT;
    bool certain = false;
    for (int64_t k = tree->children - 1; k >= 0 && (together || !certain); k--)
        certain |= find_last(tree->child[k], present, last);
    return certain && tree->group != BMF_COP_OPTIONAL;
}

void cop_find_last(const bmf_cop_tree *tree, const bool *present, bool *last)
{
    find_last(tree, present, last);
}

static void set_flags(const bmf_cop_plan *plan, bmf_cop_phase *phase)
{
    const int64_t operators = plan->program->operators;
    bool *present = allocate_clear(operators, sizeof *present), *last = allocate_clear(operators, sizeof *last);
    for (int64_t u = 0; u < phase->uses; u++)
        present[phase->use[u].op->number] = phase->use[u].terminating;
    cop_find_last(plan->program->root, present, last);
    for (int64_t u = 0; u < phase->uses; u++)
        phase->use[u].last = phase->use[u].terminating && last[phase->use[u].op->number];
    free(present);
    free(last);
}

static const bmf_cop_metric *metric_of(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    return &plan->candidates[use->op->number].candidate[use->candidate].metric;
}

/* VFSMs of the longest stream and the registers at its ends. */
static double buffers_of(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    return (double)metric_of(plan, use)->hop_links + 1 + 2;
}

static bool is_message_bound(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    const bmf_cop_metric *metric = metric_of(plan, use);
    const double words = (double)use->op->words;
    return metric->any_length_syncs ||
           (!metric->passes && words >= buffers_of(plan, use) + 1 && words >= (double)metric->sync_words);
}

static void mark_nodes(const bmf_cop_operator *op, bool *marked)
{
    for (int64_t i = 0; i < op->instances; i++)
        for (int64_t k = 0; k < op->instance[i].nodes; k++)
            marked[op->instance[i].node[k]] = true;
}

/* Every node of the extent of terminating operators is one of the operator's. */
static bool covers(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_use *use)
{
    const bmf_mesh *mesh = &plan->settings.hardware.mesh;
    bool *marked = allocate_clear(mesh->nodes, sizeof *marked), all = true;
    bmf_cop_box box = cop_empty_box();
    for (int64_t u = 0; u < phase->uses; u++)
        if (phase->use[u].terminating)
            box = cop_box_union(&box, &phase->use[u].op->box);
    mark_nodes(use->op, marked);
    for (int64_t n = 0; n < mesh->nodes && all; n++) {
        bmf_cop_box at = cop_empty_box();
        cop_box_add(&at, mesh, n);
        all = marked[n] || !cop_boxes_overlap(&box, &at);
    }
    free(marked);
    return all;
}

static bool is_within(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_use *use)
{
    const int64_t nodes = plan->settings.hardware.mesh.nodes;
    bool *marked = allocate_clear(nodes, sizeof *marked), all = true;
    for (int64_t u = 0; u < phase->uses; u++)
        if (phase->use[u].last)
            mark_nodes(phase->use[u].op, marked);
    for (int64_t i = 0; i < use->op->instances; i++)
        for (int64_t k = 0; k < use->op->instance[i].nodes; k++)
            all &= marked[use->op->instance[i].node[k]];
    free(marked);
    return all;
}

static bool messages_synchronise(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_use *use = &phase->use[u];
        const bool bound = is_message_bound(plan, use);
        if (use->last && !(bound && covers(plan, phase, use)))
            return false;
        if (use->terminating && !use->last && !bound && !is_within(plan, phase, use))
            return false;
    }
    return true;
}

static bool processors_wait(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    for (int64_t u = 0; u < phase->uses; u++)
        if (!metric_of(plan, &phase->use[u])->processor_bound || !covers(plan, phase, &phase->use[u]))
            return false;
    return true;
}

/* Until the last words have passed: all buffers, one after the other, and the stages of a pipeline. */
static double drain_time(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    double longest = 0;
    for (int64_t u = 0; u < phase->uses; u++)
        if (phase->use[u].terminating)
            longest = fmax(longest, buffers_of(plan, &phase->use[u]) / phase->use[u].bandwidth);
    return longest + BMF_SCHEDULED_STAGES;
}

void cop_choose_ending(const bmf_cop_plan *plan, bmf_cop_phase *phase)
{
    const double nodes = (double)plan->settings.hardware.mesh.nodes;
    set_flags(plan, phase);
    phase->pause = 0;
    phase->ending = BMF_COP_NO_ENDING;
    if (!phase->is_followed || phase->uses == 0)
        return;
    if (processors_wait(plan, phase)) {
        phase->ending = BMF_COP_AT_ONCE;
    } else if (messages_synchronise(plan, phase)) {
        phase->ending = BMF_COP_MSG_SYNC;
        phase->pause = drain_time(plan, phase);
    } else {
        phase->ending = BMF_COP_BARRIER_ENDING;
        phase->pause = 2 * (ceil(log2(nodes)) + 1) * (plan->settings.hardware.length / 2.0 + 2);
    }
}

/* ---- barriers as operators ---- */

static bmf_cop_operator *make_barrier(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    const bmf_mesh *mesh = &plan->settings.hardware.mesh;
    bmf_lisp *lisp = plan->program->lisp;
    bool *member = lisp_allocate(lisp, mesh->nodes);
    int64_t *node = lisp_allocate(lisp, mesh->nodes * (int64_t)sizeof *node), count = 0;
    for (int64_t u = 0; u < phase->uses; u++)
        mark_nodes(phase->use[u].op, member);
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
    op->number = plan->program->operators + plan->barriers;
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

static bool phases_share_links(const bmf_mesh *mesh, const bmf_cop_phase *a, const bmf_cop_phase *b)
{
    if (a->ending == BMF_COP_BARRIER_ENDING || b->ending == BMF_COP_BARRIER_ENDING)
        return true; /* the barrier's own streams may go anywhere */
    for (int64_t u = 0; u < a->uses; u++)
        for (int64_t v = 0; v < b->uses; v++)
            if (may_share_links(mesh, a->use[u].op, b->use[v].op))
                return true;
    return false;
}

/* Messages keep those together who exchange them; others may be phases behind. Where two phases may use one link, a
 * node that is behind would take the words of the other phase for its own, so both end by barriers. */
static void guard_links(const bmf_cop_plan *plan, int64_t phases, bmf_cop_phase **phase)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t p = 0; p < phases; p++)
            for (int64_t q = 0; q < phases && phase[p]->ending == BMF_COP_MSG_SYNC; q++)
                if (q != p && phases_share_links(&plan->settings.hardware.mesh, phase[p], phase[q])) {
                    phase[p]->ending = BMF_COP_BARRIER_ENDING;
                    changed = true;
                }
    }
}

void cop_add_barriers(bmf_cop_plan *plan)
{
    bmf_cop_phase **phase;
    const bmf_mesh *mesh = &plan->settings.hardware.mesh;
    const int64_t phases = cop_list_phases(plan, &phase), operators = plan->program->operators;
    plan->candidates =
        reallocate_array(plan->candidates, operators, operators + phases, (int64_t)sizeof *plan->candidates);
    plan->barrier = allocate_clear(phases, sizeof *plan->barrier);
    guard_links(plan, phases, phase);
    for (int64_t p = 0; p < phases; p++) {
        if (phase[p]->ending != BMF_COP_BARRIER_ENDING)
            continue;
        bmf_cop_operator *op = make_barrier(plan, phase[p]);
        bmf_cop_candidates *c = &plan->candidates[op->number];
        *c = (bmf_cop_candidates){.count = 1, .candidate = allocate_clear(1, sizeof *c->candidate), .passes = 1};
        c->candidate->implementation = cop_find_implementation("repl_allreduce_barrier");
        cop_make_streams(mesh, c->candidate->implementation, op, &c->candidate->streams);
        c->candidate->implementation->metric(mesh, op, &c->candidate->streams, &c->candidate->metric);
        plan->barrier[plan->barriers++] = op;
        phase[p]->streams += c->candidate->streams.count;
        *ARRAY_APPEND(phase[p]->use, phase[p]->uses, phase[p]->capacity) =
            (bmf_cop_use){.op = op, .bandwidth = 1.0 / plan->settings.hardware.length};
    }
    free(phase);
}
