/* How a phase ends: which operators may be executed last, and whether messages, a barrier or nothing at all keep nodes
 * from changing while words are under way. Method: backwards from the end of every sequence up to an operator that is
 * certainly executed; every operator must bind its nodes, or one behind it does. Messages that are too short for that
 * are followed by a longer one at the phase's end. Cost: O(uses^2 nodes). Source: document 004, 5.2 (Table 5.1). */
#include <math.h>
#include <stdlib.h>

#include "predict/cop/plan.h"
#include "runtime/base/allocate.h"

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

bool cop_has_optionals(const bmf_cop_tree *tree)
{
    bool found = tree->group == BMF_COP_OPTIONAL;
    for (int64_t k = 0; k < tree->children && !found; k++)
        found = cop_has_optionals(tree->child[k]);
    return found;
}

enum { REGISTERS = 2 /* at the ends of a stream */ };

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

double cop_stream_buffers(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_use *use)
{
    double most = (double)metric_of(plan, use)->hop_links + 1;
    for (int64_t k = 0; phase->routes && k < phase->routes->streams; k++) {
        int64_t number;
        cop_phase_stream(plan, phase, k, &number);
        const bmf_stream_route *route = &phase->routes->route[k];
        for (int64_t h = 0; h < route->hops && &phase->use[number] == use; h++) {
            double buffers = 0;
            for (int64_t at = h; at >= 0; at = route->hop[at].parent)
                buffers += 1 + (route->hop[at].delay > 0);
            most = fmax(most, buffers);
        }
    }
    return most + REGISTERS;
}

/* A message so long ends nowhere before it has begun everywhere: words fill all buffers on their way, and each
 * processor that passes them on holds one more. */
static int64_t binding_words(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_use *use)
{
    const bmf_cop_metric *metric = metric_of(plan, use);
    const int64_t buffers = (int64_t)cop_stream_buffers(plan, phase, use), stages = metric->stages;
    const int64_t words = (stages > 1 ? stages * (buffers + 2) : buffers) + 2;
    return words > metric->sync_words ? words : metric->sync_words;
}

/* ---- operators that come after others ---- */

/* Whether the operator is executed whenever the tree is. */
static bool is_certain(const bmf_cop_tree *tree, const bmf_cop_operator *op)
{
    if (tree->op)
        return tree->op == op;
    for (int64_t k = 0; k < tree->children; k++)
        if (is_certain(tree->child[k], op))
            return tree->group != BMF_COP_OPTIONAL;
    return false;
}

/* Whether `other` is executed after `op` wherever `op` is. */
static bool comes_after(const bmf_cop_tree *tree, const bmf_cop_operator *op, const bmf_cop_operator *other)
{
    for (int64_t k = 0; k < tree->children; k++) {
        if (!cop_tree_holds(tree->child[k], op))
            continue;
        if (cop_tree_holds(tree->child[k], other))
            return comes_after(tree->child[k], op, other);
        for (int64_t later = k + 1; later < tree->children; later++)
            if (is_certain(tree->child[later], other))
                return tree->group != BMF_COP_PARALLEL && tree->group != BMF_COP_DISJOINT;
    }
    return false;
}

static bool has_all(const bmf_cop_instance *outer, const bmf_cop_instance *inner)
{
    for (int64_t k = 0; k < inner->nodes; k++)
        if (!cop_instance_has(outer, inner->node[k]))
            return false;
    return true;
}

/* Every instance lies in one of the other's. */
static bool is_within(const bmf_cop_operator *op, const bmf_cop_operator *other)
{
    for (int64_t i = 0; i < op->instances; i++) {
        bool found = false;
        for (int64_t j = 0; j < other->instances && !found; j++)
            found = has_all(&other->instance[j], &op->instance[i]);
        if (!found)
            return false;
    }
    return true;
}

/* ---- messages that synchronise ---- */

/* Whether all nodes of an instance have begun before one of them is through, so that what is on its way soon arrives.
 * Not with short messages: then the phase ends with one more, of `sync_words`. */
static bool binds(const bmf_cop_plan *plan, const bmf_cop_phase *phase, bmf_cop_use *use)
{
    const bmf_cop_metric *metric = metric_of(plan, use);
    const int64_t words = binding_words(plan, phase, use);
    use->sync_words = metric->any_length_syncs || use->op->words >= words ? 0 : words;
    return metric->any_length_syncs || !metric->passes;
}

/* A later operator that binds all the same nodes does it for this one, too. */
static bool is_bound_by_later(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_use *use)
{
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_use *later = &phase->use[u];
        const bmf_cop_metric *metric = metric_of(plan, later);
        if (later->terminating && later->op->number > use->op->number && !metric->ends_only &&
            (metric->any_length_syncs || !metric->passes) && is_within(use->op, later->op) &&
            comes_after(plan->program->root, use->op, later->op))
            return true;
    }
    return false;
}

static bool messages_synchronise(const bmf_cop_plan *plan, bmf_cop_phase *phase)
{
    for (int64_t u = 0; u < phase->uses; u++) {
        bmf_cop_use *use = &phase->use[u];
        use->sync_words = 0;
        if (plan->candidates[use->op->number].candidate[use->candidate].implementation->by_messages)
            return false; /* processors of other nodes pass its words on */
        if (use->continues && use->terminating)
            return false; /* its last message may have been long before */
        if (use->op->number < plan->program->operators && use->terminating && !is_bound_by_later(plan, phase, use) &&
            !binds(plan, phase, use))
            return false;
    }
    return true;
}

void cop_set_sync_words(const bmf_cop_plan *plan, bmf_cop_phase *phase)
{
    if (phase->ending == BMF_COP_MSG_SYNC)
        messages_synchronise(plan, phase);
}

/* The messages that are added, one after the other. */
static double sync_time(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    double time = 0;
    for (int64_t u = 0; u < phase->uses; u++)
        if (phase->use[u].sync_words > 0)
            time += (double)phase->use[u].sync_words / phase->use[u].bandwidth +
                    (double)metric_of(plan, &phase->use[u])->links;
    return time;
}

static bool processors_wait(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    for (int64_t u = 0; u < phase->uses; u++)
        if (!metric_of(plan, &phase->use[u])->processor_bound)
            return false;
    return true;
}

/* Until the last words have passed: all buffers, one after the other, and the stages of a pipeline. */
static double drain_time(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    double longest = 0;
    for (int64_t u = 0; u < phase->uses; u++)
        if (phase->use[u].terminating)
            longest = fmax(longest, cop_stream_buffers(plan, phase, &phase->use[u]) / phase->use[u].bandwidth);
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
        phase->pause = drain_time(plan, phase) + sync_time(plan, phase);
    } else {
        phase->ending = BMF_COP_BARRIER_ENDING;
    }
    /* up and down a tree, and the last words' way, which may be as long as the mesh */
    const double slot = (double)plan->settings.hardware.length / BMF_COP_BARRIER_SLOTS;
    const double barrier = 2 * (ceil(log2(nodes)) + 1) * (slot + 2) + (2 * sqrt(nodes) + REGISTERS) * slot;
    if (phase->ending == BMF_COP_BARRIER_ENDING || (phase->ending == BMF_COP_MSG_SYNC && phase->pause > barrier)) {
        phase->ending = BMF_COP_BARRIER_ENDING;
        phase->pause = barrier;
    }
}
