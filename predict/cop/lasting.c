/* Operators that go on through several phases. Method: the first phase finds their ways; the others are given them, so
 * that VFSMs, slots and registers are the same in all of them and words that are under way move on wherever a node is.
 * A node that has nothing else to do in the phases in between stays where it is, and may wait there for others in what
 * goes on; so nobody may wait for it before the last phase, in whose end all take part. Cost: O(phases) for every use.
 * Source: document 004, 5.1, where slots may change. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bmf/status.h"
#include "predict/cop/implement_private.h"
#include "predict/cop/plan.h"
#include "runtime/base/allocate.h"

static const bmf_cop_candidate *candidate_of(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    return &plan->candidates[use->op->number].candidate[use->candidate];
}

bool cop_lasts(const bmf_cop_use *use)
{
    return use->continues || !use->terminating;
}

bool cop_can_go_on(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    const bmf_cop_candidate *c = candidate_of(plan, use);
    if (c->implementation->by_messages || c->implementation->plug_in || c->implementation->others_discard ||
        c->implementation->joints != BMF_COP_AT_PROCESSORS || !cop_are_boxes(&plan->settings.hardware.mesh, use->op))
        return false;
    for (int64_t k = 0; k < c->streams.count; k++)
        if (c->streams.stream[k].reprogrammed)
            return false;
    return true;
}

const bmf_cop_use *cop_use_of(const bmf_cop_phase *phase, const bmf_cop_operator *op)
{
    for (int64_t u = 0; u < phase->uses; u++)
        if (phase->use[u].op == op)
            return &phase->use[u];
    return NULL;
}

int64_t cop_first_stream(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_use *use)
{
    int64_t first = 0;
    for (const bmf_cop_use *before = phase->use; before != use; before++)
        first += candidate_of(plan, before)->streams.count;
    return first;
}

const bmf_stream_route *cop_given_routes(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_use *use)
{
    bmf_cop_phase **list;
    const bmf_stream_route *given = NULL;
    if (!use->continues)
        return NULL;
    const int64_t count = cop_list_phases(plan, &list);
    for (int64_t p = 0; p < count && list[p] != phase && !given; p++) {
        const bmf_cop_use *began = cop_use_of(list[p], use->op);
        if (began && list[p]->routes)
            given = list[p]->routes->route + cop_first_stream(plan, list[p], began);
    }
    free(list);
    return given;
}

void cop_level_lasting(bmf_cop_phase **phase, int64_t phases)
{
    for (int64_t p = 0; p < phases; p++)
        for (int64_t u = 0; u < phase[p]->uses; u++) {
            bmf_cop_use *use = &phase[p]->use[u];
            for (int64_t q = 0; q < phases && cop_lasts(use); q++) {
                const bmf_cop_use *other = cop_use_of(phase[q], use->op);
                use->bandwidth = other ? fmin(use->bandwidth, other->bandwidth) : use->bandwidth;
            }
        }
}

bool cop_slow_lasting(const bmf_cop_plan *plan, int64_t phases, bmf_cop_phase *const *phase)
{
    const double slot = 1.0 / plan->settings.hardware.length;
    bool slower = false;
    for (int64_t p = 0; p < phases; p++)
        for (int64_t u = 0; u < phase[p]->uses; u++) {
            bmf_cop_use *use = &phase[p]->use[u];
            if (!cop_lasts(use) || use->planned <= slot)
                continue;
            use->planned = fmax(slot, use->planned / 2);
            slower = true;
        }
    return slower;
}

/* ---- what cannot be run ---- */

/* Whether `op` may be left out while `lasting` is carried out. */
static bool is_optional_beside(const bmf_cop_tree *tree, const bmf_cop_operator *op, const bmf_cop_operator *lasting)
{
    for (int64_t k = 0; k < tree->children; k++) {
        const bmf_cop_tree *child = tree->child[k];
        if (cop_tree_holds(child, op))
            return (child->group == BMF_COP_OPTIONAL && !cop_tree_holds(child, lasting)) ||
                   is_optional_beside(child, op, lasting);
    }
    return false;
}

/* Nodes leave its last phase together: so nobody may leave that phase out. */
static bool ends_for_certain(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_use *use)
{
    for (int64_t u = 0; u < phase->uses; u++)
        if (!phase->use[u].continues && !phase->use[u].made)
            return !is_optional_beside(plan->program->root, phase->use[u].op, use->op);
    return true;
}

int cop_check_lasting(const bmf_cop_plan *plan, bmf_cop_phase **phase, int64_t phases)
{
    for (int64_t p = 0; p < phases; p++)
        for (int64_t u = 0; u < phase[p]->uses; u++) {
            const bmf_cop_use *use = &phase[p]->use[u];
            const char *why = !use->continues             ? NULL
                              : !cop_can_go_on(plan, use) ? "its implementation cannot"
                              : use->terminating && !ends_for_certain(plan, phase[p], use)
                                  ? "the last of them may be left out"
                                  : NULL;
            if (why)
                return lisp_fail_at(plan->program->lisp, use->op->place,
                                    "operator '%s', by %s, goes on through phases that are kept apart: %s",
                                    use->op->label, candidate_of(plan, use)->implementation->name, why);
        }
    return BMF_OK;
}

const bmf_cop_operator *cop_find_lasting_fork(const bmf_cop_plan *plan, const bmf_cop_phase *phase)
{
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_use *use = &phase->use[u];
        const bmf_cop_streams *streams = &candidate_of(plan, use)->streams;
        for (int64_t k = 0; k < streams->count && cop_lasts(use); k++)
            if (streams->stream[k].destinations > 1)
                return use->op;
    }
    return NULL;
}

/* ---- ends of the phases in between ---- */

static bool goes_on_into(const bmf_cop_phase *phase, const bmf_cop_phase *later)
{
    bool found = false;
    for (int64_t u = 0; u < phase->uses && !found; u++)
        found = !phase->use[u].terminating && cop_use_of(later, phase->use[u].op);
    return found;
}

static bool begins_something(const bmf_cop_phase *phase, int64_t node)
{
    for (int64_t u = 0; u < phase->uses; u++)
        for (int64_t i = 0; i < phase->use[u].op->instances && !phase->use[u].continues && !phase->use[u].made; i++)
            if (cop_instance_has(&phase->use[u].op->instance[i], node))
                return true;
    return false;
}

static bool ends_together(const bmf_cop_phase *phase)
{
    bool together = phase->ending == BMF_COP_BARRIER_ENDING;
    for (int64_t u = 0; u < phase->uses; u++)
        together |= phase->use[u].sync_words > 0;
    return together;
}

/* The lowest node that takes part in the phase's end, but has nothing to do in those that follow, so that it may wait
 * for others in what goes on; -1: none. */
static int64_t find_waiting(const bmf_cop_plan *plan, bmf_cop_phase *const *phase, int64_t phases, int64_t p)
{
    const bmf_mesh *mesh = &plan->settings.hardware.mesh;
    bool *waits = allocate_clear(mesh->nodes, sizeof *waits);
    int64_t found = -1;
    for (int64_t u = 0; u < phase[p]->uses; u++)
        if (phase[p]->use[u].terminating && !phase[p]->use[u].made)
            cop_mark_boxes(mesh, phase[p]->use[u].op, waits);
    for (int64_t n = mesh->nodes - 1; n >= 0; n--) {
        for (int64_t q = p + 1; q < phases && waits[n]; q++)
            waits[n] = !(goes_on_into(phase[p], phase[q]) && begins_something(phase[q], n));
        found = waits[n] ? n : found;
    }
    free(waits);
    return found;
}

int cop_check_ends(const bmf_cop_plan *plan, bmf_cop_phase *const *phase, int64_t phases)
{
    for (int64_t p = 0; p < phases; p++)
        for (int64_t u = 0; u < phase[p]->uses && ends_together(phase[p]); u++) {
            const int64_t node = phase[p]->use[u].terminating ? -1 : find_waiting(plan, phase, phases, p);
            if (node >= 0)
                return lisp_fail_at(plan->program->lisp, phase[p]->use[u].op->place,
                                    "operator '%s' goes on through phases that nodes end together, and node %" PRId64
                                    " may wait in it",
                                    phase[p]->use[u].op->label, node);
        }
    return BMF_OK;
}
