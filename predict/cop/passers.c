/* Nodes that only pass words on: in the box of an operator's instance, but in none that begins in the phase; where an
 * operator that went on through several phases ends, those of its nodes that do nothing else there. Their
 * routers must be in the phase, too: such a node enters it when its program comes by, at its next load or at
 * cop_fini, and takes part in its end, a barrier. So it must know how often others come by: every loop that leaves
 * the phase has an operator that the node certainly carries out. Cost: O(nodes) for every instance of a phase.
 * Source: document 004, 5.5. */
#include <inttypes.h>
#include <stdlib.h>

#include "bmf/status.h"
#include "predict/cop/plan.h"
#include "runtime/base/allocate.h"

void cop_mark_boxes(const bmf_mesh *mesh, const bmf_cop_operator *op, bool *marked)
{
    for (int64_t i = 0; i < op->instances; i++) {
        const bmf_cop_box box = cop_box_of(mesh, &op->instance[i]);
        for (int64_t n = 0; n < mesh->nodes; n++)
            marked[n] |= cop_box_holds(&box, mesh, n);
    }
}

bool cop_find_passers(const bmf_cop_plan *plan, const bmf_cop_phase *phase, bool *passes)
{
    const bmf_mesh *mesh = &plan->settings.hardware.mesh;
    bool found = false;
    for (int64_t n = 0; n < mesh->nodes; n++)
        passes[n] = false;
    for (int64_t u = 0; u < phase->uses; u++)
        if (!phase->use[u].made && phase->use[u].terminating)
            cop_mark_boxes(mesh, phase->use[u].op, passes);
    for (int64_t u = 0; u < phase->uses; u++)
        for (int64_t i = 0; i < phase->use[u].op->instances && !phase->use[u].made && !phase->use[u].continues; i++)
            for (int64_t k = 0; k < phase->use[u].op->instance[i].nodes; k++)
                passes[phase->use[u].op->instance[i].node[k]] = false;
    for (int64_t n = 0; n < mesh->nodes; n++)
        found |= passes[n];
    return found;
}

static bool is_member(const bmf_cop_operator *op, int64_t node)
{
    for (int64_t i = 0; i < op->instances; i++)
        if (cop_instance_has(&op->instance[i], node))
            return true;
    return false;
}

/* Whether the node carries an operator out whenever the tree is. */
static bool has_certain(const bmf_cop_tree *tree, int64_t node)
{
    if (tree->op)
        return is_member(tree->op, node);
    for (int64_t k = 0; k < tree->children; k++)
        if (tree->child[k]->group != BMF_COP_OPTIONAL && has_certain(tree->child[k], node))
            return true;
    return false;
}

static bool is_in_phase(const bmf_cop_phase *phase, const bmf_cop_tree *tree)
{
    bool all = true;
    for (int64_t u = 0; u < phase->uses && tree->op; u++)
        if (phase->use[u].op == tree->op)
            return true;
    for (int64_t k = 0; k < tree->children; k++)
        all &= is_in_phase(phase, tree->child[k]);
    return all && !tree->op;
}

/* From the root to the operator: NULL, or the group that may be executed without the node's knowing it. */
static const bmf_cop_tree *find_unknown(const bmf_cop_phase *phase, const bmf_cop_tree *tree,
                                        const bmf_cop_operator *op, int64_t node)
{
    if (tree->group == BMF_COP_OPTIONAL ||
        (tree->group == BMF_COP_LOOP && !is_in_phase(phase, tree) && !has_certain(tree, node)))
        return tree;
    for (int64_t k = 0; k < tree->children; k++)
        if (cop_tree_holds(tree->child[k], op))
            return find_unknown(phase, tree->child[k], op, node);
    return NULL;
}

int cop_check_passers(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bool *passes)
{
    const bmf_cop_program *program = plan->program;
    for (int64_t u = 0; u < phase->uses; u++) {
        const bmf_cop_operator *op = phase->use[u].op;
        for (int64_t n = 0; n < program->settings.mesh.nodes && !phase->use[u].made; n++)
            if (passes[n] && find_unknown(phase, program->root, op, n))
                return lisp_fail_at(program->lisp, op->place,
                                    "node %" PRId64 " is between those of '%s', and does not know how often its "
                                    "router must pass words on",
                                    n, op->label);
    }
    return BMF_OK;
}
