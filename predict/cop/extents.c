/* Extents: which nodes may carry an operator, and which groups can do without each other. Method: an extent is a box;
 * children of a parallel group that overlap stay together, the others become disjoint; neighbours in a sequential group
 * that do not overlap become disjoint, too. Cost: children^2 in each group. Source: document 004, 6.1. */
#include <inttypes.h>

#include "bmf/status.h"
#include "predict/cop/program_private.h"

bmf_cop_box cop_empty_box(void)
{
    bmf_cop_box box;
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++) {
        box.low[d] = INT64_MAX;
        box.high[d] = -1;
    }
    return box;
}

void cop_box_add(bmf_cop_box *box, const bmf_mesh *mesh, int64_t node)
{
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++) {
        const int64_t at = mesh_coordinate(mesh, node, d);
        box->low[d] = at < box->low[d] ? at : box->low[d];
        box->high[d] = at > box->high[d] ? at : box->high[d];
    }
}

bmf_cop_box cop_box_union(const bmf_cop_box *a, const bmf_cop_box *b)
{
    bmf_cop_box both;
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++) {
        both.low[d] = a->low[d] < b->low[d] ? a->low[d] : b->low[d];
        both.high[d] = a->high[d] > b->high[d] ? a->high[d] : b->high[d];
    }
    return both;
}

bool cop_boxes_overlap(const bmf_cop_box *a, const bmf_cop_box *b)
{
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++)
        if (a->low[d] > b->high[d] || b->low[d] > a->high[d])
            return false;
    return true;
}

/* ---- groups ---- */

static void set_box(bmf_cop_tree *tree)
{
    tree->box = cop_empty_box();
    for (int64_t k = 0; k < tree->children; k++)
        tree->box = cop_box_union(&tree->box, &tree->child[k]->box);
}

/* Adds a child to a group of `group`; a lone child is the group. */
static bmf_cop_tree *join(bmf_cop_reader *r, bmf_cop_tree *to, bmf_cop_tree *child, bmf_cop_group group)
{
    if (!to)
        return child;
    if (to->group != group || to->group == BMF_COP_LOOP) {
        bmf_cop_tree *made = cop_new_tree(r, group);
        made->place = to->place;
        cop_add_child(r, made, to);
        to = made;
    }
    if (child->group == group)
        for (int64_t k = 0; k < child->children; k++)
            cop_add_child(r, to, child->child[k]);
    else
        cop_add_child(r, to, child);
    set_box(to);
    return to;
}

/* Whoever overlaps the child is taken out of the groups and put before it. */
static bmf_cop_tree *absorb(bmf_cop_reader *r, bmf_cop_tree *groups, bmf_cop_tree *child)
{
    for (bool again = true; again;) {
        bmf_cop_tree *met = NULL;
        int64_t kept = 0;
        for (int64_t k = 0; k < groups->children; k++)
            if (cop_boxes_overlap(&groups->child[k]->box, &child->box))
                met = join(r, met, groups->child[k], BMF_COP_PARALLEL);
            else
                groups->child[kept++] = groups->child[k];
        groups->children = kept;
        again = met;
        if (met)
            child = join(r, met, child, BMF_COP_PARALLEL);
    }
    return child;
}

static bool has_sequence(const bmf_cop_tree *tree)
{
    if (tree->group != BMF_COP_OPERATOR && tree->group != BMF_COP_PARALLEL && tree->group != BMF_COP_DISJOINT &&
        (tree->children > 1 || tree->group == BMF_COP_LOOP))
        return true;
    for (int64_t k = 0; k < tree->children; k++)
        if (has_sequence(tree->child[k]))
            return true;
    return false;
}

/* Continuing operators go on through the phases of one other child only, the last. */
static int check_parallel(bmf_cop_reader *r, const bmf_cop_tree *tree)
{
    for (int64_t k = 0; k + 1 < tree->children; k++)
        if (has_sequence(tree->child[k])) {
            char text[200];
            return lisp_fail_at(r->lisp, tree->child[k]->place,
                                "%s is in a parallel group, has operators in sequence, and is not the last of the "
                                "group",
                                cop_tree_text(tree->child[k], text, sizeof text));
        }
    return BMF_OK;
}

static int check_all_parallels(bmf_cop_reader *r, const bmf_cop_tree *tree)
{
    if (tree->group == BMF_COP_PARALLEL)
        BMF_TRY(check_parallel(r, tree));
    for (int64_t k = 0; k < tree->children; k++)
        BMF_TRY(check_all_parallels(r, tree->child[k]));
    return BMF_OK;
}

static void rewrite(bmf_cop_reader *r, bmf_cop_tree **tree);

static void rewrite_parallel(bmf_cop_reader *r, bmf_cop_tree **tree)
{
    bmf_cop_tree *groups = cop_new_tree(r, BMF_COP_DISJOINT);
    groups->place = (*tree)->place;
    for (int64_t k = 0; k < (*tree)->children; k++)
        cop_add_child(r, groups, absorb(r, groups, (*tree)->child[k]));
    *tree = groups->children == 1 ? groups->child[0] : groups;
}

static void rewrite_sequential(bmf_cop_reader *r, bmf_cop_tree *tree)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < tree->children; k++) {
        bmf_cop_tree *child = tree->child[k];
        if (kept > 0 && !cop_boxes_overlap(&tree->child[kept - 1]->box, &child->box))
            tree->child[kept - 1] = join(r, tree->child[kept - 1], child, BMF_COP_DISJOINT);
        else
            tree->child[kept++] = child;
    }
    tree->children = kept;
}

static void rewrite(bmf_cop_reader *r, bmf_cop_tree **tree)
{
    bmf_cop_tree *t = *tree;
    if (t->op) {
        t->box = cop_empty_box();
        for (int64_t i = 0; i < t->op->instances; i++)
            for (int64_t k = 0; k < t->op->instance[i].nodes; k++)
                cop_box_add(&t->box, &r->program->settings.mesh, t->op->instance[i].node[k]);
        t->op->box = t->box;
        return;
    }
    for (int64_t k = 0; k < t->children; k++)
        rewrite(r, &t->child[k]);
    if (t->group == BMF_COP_PARALLEL)
        rewrite_parallel(r, tree);
    else if (t->group == BMF_COP_SEQUENTIAL || t->group == BMF_COP_LOOP)
        rewrite_sequential(r, t);
    set_box(t);
    if ((*tree)->children > 0)
        set_box(*tree);
    if (t->group == BMF_COP_SEQUENTIAL && t->children == 1)
        *tree = t->child[0];
}

static void mark_parallel(bmf_cop_tree *tree, bool parallel)
{
    if (tree->op)
        tree->op->in_parallel = parallel;
    for (int64_t k = 0; k < tree->children; k++)
        mark_parallel(tree->child[k], parallel || (tree->group == BMF_COP_PARALLEL && tree->children > 1));
}

int cop_assign_extents(bmf_cop_program *program)
{
    bmf_cop_reader r = {.lisp = program->lisp, .program = program};
    rewrite(&r, &program->root);
    mark_parallel(program->root, false);
    return check_all_parallels(&r, program->root);
}
