/* Trees over subsets.
 *
 * Method: forwards from the start, then backwards, every node is attached to the nearest node at the outer edge of the
 * tree that may have one more child, of equally near ones to the one furthest from the root; invalid nodes without
 * valid descendants are pruned. Where that gets stuck, all trees are looked through at once: the least number of
 * children with which a node covers a range of numbers on one side of it, from shorter ranges to longer ones, as in
 * Eisner, Three New Probabilistic Models for Dependency Parsing, COLING 1996.
 * Cost: O(n depth); where it gets stuck O(n^3) for each node that a node may have as a child, and 12 n^2 bytes.
 * Source: document 004, B.2, which does not look further where the first way gets stuck. */
#include "predict/cop/build_tree.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"

enum { FORWARDS = 1, BACKWARDS = -1, IMPOSSIBLE = INT32_MAX };

/* How a node covers the numbers on one side of it, up to the last one of a range. */
typedef struct cover {
    int32_t children; /* the least; IMPOSSIBLE */
    int32_t child;    /* the outermost one; -1: there is none in the part that `rest` does not cover */
    int32_t rest;     /* where the part ends that the other children cover */
} cover;

typedef struct building {
    const bmf_mesh *mesh;
    const bmf_cop_instance *instance;
    const bool *valid;
    int64_t nodes, start, max_children, max_distance;
    int64_t *parent, *children;
    cover *cover; /* by node and last number: on either side */
} building;

static bool is_valid(const building *b, int64_t number)
{
    return !b->valid || b->valid[number];
}

static int64_t distance(const building *b, int64_t one, int64_t other)
{
    return mesh_distance(b->mesh, b->instance->node[one], b->instance->node[other]);
}

/* ---- the nearest place ---- */

static bool has_valid(const building *b, int64_t first, int64_t last)
{
    for (int64_t k = first; k <= last; k++)
        if (is_valid(b, k))
            return true;
    return false;
}

static bool may_have_more(const building *b, int64_t number, int64_t kept)
{
    return b->children[number] + (number == b->start ? kept : 0) < b->max_children;
}

/* Of the edge, from the last node that was attached up to the root. */
static int64_t nearest_place(const building *b, int64_t number, int64_t edge, int64_t kept)
{
    int64_t best = BMF_COP_TREE_ROOT;
    for (int64_t at = edge; at != BMF_COP_TREE_ROOT; at = b->parent[at]) {
        const int64_t links = distance(b, number, at);
        if (links <= b->max_distance && may_have_more(b, at, kept) &&
            (best == BMF_COP_TREE_ROOT || links < distance(b, number, best)))
            best = at;
    }
    return best;
}

/* kept: children that the root must still be able to have afterwards. */
static bool walk(building *b, int64_t direction, int64_t kept)
{
    int64_t edge = b->start;
    for (int64_t k = b->start + direction; k >= 0 && k < b->nodes; k += direction) {
        const int64_t place = nearest_place(b, k, edge, kept);
        if (place == BMF_COP_TREE_ROOT && is_valid(b, k))
            return false;
        if (place == BMF_COP_TREE_ROOT)
            continue;
        b->parent[k] = place;
        b->children[place]++;
        edge = k;
    }
    return true;
}

static void clear(building *b)
{
    for (int64_t k = 0; k < b->nodes; k++) {
        b->parent[k] = BMF_COP_TREE_LEFT_OUT;
        b->children[k] = 0;
    }
    b->parent[b->start] = BMF_COP_TREE_ROOT;
}

static void prune(building *b)
{
    for (int64_t k = 0; k < b->nodes; k++)
        for (int64_t at = k; b->parent[at] >= 0 && b->children[at] == 0 && !is_valid(b, at);) {
            const int64_t above = b->parent[at];
            b->children[above]--;
            b->parent[at] = BMF_COP_TREE_LEFT_OUT;
            at = above;
        }
}

/* ---- all trees ---- */

static cover *cover_of(const building *b, int64_t node, int64_t last)
{
    return &b->cover[node * b->nodes + last];
}

static bool fits(const building *b, int64_t child, int64_t first, int64_t last)
{
    const int32_t left = cover_of(b, child, first)->children, right = cover_of(b, child, last)->children;
    return left != IMPOSSIBLE && right != IMPOSSIBLE && left + right <= b->max_children;
}

/* The outermost child covers the numbers from behind `rest` to `last`, on both sides of itself. */
static void try_child(const building *b, int64_t node, int64_t last, int64_t child, cover *best)
{
    const int64_t step = last > node ? FORWARDS : BACKWARDS;
    for (int64_t rest = node; rest != child; rest += step) {
        const int32_t others = cover_of(b, node, rest)->children;
        if (others == IMPOSSIBLE || others + 1 >= best->children || others + 1 > b->max_children ||
            !fits(b, child, rest + step, last))
            continue;
        *best = (cover){others + 1, (int32_t)child, (int32_t)rest};
    }
}

static void find_cover(const building *b, int64_t node, int64_t last)
{
    cover best = {IMPOSSIBLE, BMF_COP_TREE_ROOT, (int32_t)node};
    if (last == node) {
        best.children = 0;
    } else {
        const int64_t step = last > node ? FORWARDS : BACKWARDS;
        if (!is_valid(b, last))
            best = (cover){cover_of(b, node, last - step)->children, BMF_COP_TREE_ROOT, (int32_t)(last - step)};
        for (int64_t child = node + step; child != last + step; child += step)
            if (distance(b, node, child) <= b->max_distance)
                try_child(b, node, last, child, &best);
    }
    *cover_of(b, node, last) = best;
}

static void attach(building *b, int64_t node, int64_t last)
{
    while (last != node) {
        const cover *at = cover_of(b, node, last);
        const int64_t step = last > node ? FORWARDS : BACKWARDS;
        if (at->child >= 0) {
            b->parent[at->child] = node;
            b->children[node]++;
            attach(b, at->child, at->rest + step);
            attach(b, at->child, last);
        }
        last = at->rest;
    }
}

static bool search_all(building *b)
{
    b->cover = allocate_array(b->nodes * b->nodes, (int64_t)sizeof *b->cover);
    for (int64_t length = 0; length < b->nodes; length++)
        for (int64_t node = 0; node < b->nodes; node++) {
            if (node + length < b->nodes)
                find_cover(b, node, node + length);
            if (length > 0 && node - length >= 0)
                find_cover(b, node, node - length);
        }
    clear(b);
    const bool found = fits(b, b->start, 0, b->nodes - 1);
    if (found) {
        attach(b, b->start, 0);
        attach(b, b->start, b->nodes - 1);
    }
    free(b->cover);
    return found;
}

int64_t *cop_build_tree(const bmf_mesh *mesh, const bmf_cop_instance *instance, const bool *valid, int64_t start,
                        int64_t max_children, int64_t max_distance)
{
    building b = {.mesh = mesh,
                  .instance = instance,
                  .valid = valid,
                  .nodes = instance->nodes,
                  .start = start,
                  .max_children = max_children,
                  .max_distance = max_distance};
    b.parent = allocate_array(b.nodes, (int64_t)sizeof *b.parent);
    b.children = allocate_array(b.nodes, (int64_t)sizeof *b.children);
    clear(&b);
    bool found = walk(&b, FORWARDS, has_valid(&b, 0, start - 1)) && walk(&b, BACKWARDS, 0);
    if (!found)
        found = search_all(&b);
    if (found)
        prune(&b);
    free(b.children);
    if (found)
        return b.parent;
    free(b.parent);
    return NULL;
}
