/* Which block of the routers' memories every phase is loaded into: phases that follow each other soon are in different
 * blocks. Method: phases are neighbours if one may follow the other, in a sequence or round a loop; in the order of the
 * program, each takes the block whose nearest phase is furthest, an empty one first, the one with the fewest phases
 * among equals. Cost: O(phases^3). Source: document 004, 5.4.1. */
#include <stdlib.h>

#include "predict/cop/plan.h"
#include "runtime/base/allocate.h"

typedef struct mapping {
    const bmf_cop_plan *plan;
    bmf_cop_phase **phase;
    int64_t phases;
    int64_t *distance; /* phases x phases */
} mapping;

static int64_t *distance_between(const mapping *m, int64_t a, int64_t b)
{
    return &m->distance[a * m->phases + b];
}

static bool is_in_loop(const mapping *m, int64_t p, const bmf_cop_tree *loop)
{
    for (int64_t u = 0; u < m->phase[p]->uses; u++) {
        const bmf_cop_candidates *c = &m->plan->candidates[m->phase[p]->use[u].op->number];
        for (int64_t k = 0; k < c->loops; k++)
            if (c->loop[k] == loop)
                return true;
    }
    return false;
}

static void follow(mapping *m, int64_t a, int64_t b)
{
    if (a != b)
        *distance_between(m, a, b) = *distance_between(m, b, a) = 1;
}

/* The last phase of a loop is followed by its first. */
static void close_loops(mapping *m, const bmf_cop_tree *tree)
{
    int64_t first = -1, last = -1;
    for (int64_t p = 0; p < m->phases && tree->group == BMF_COP_LOOP; p++)
        if (is_in_loop(m, p, tree)) {
            first = first < 0 ? p : first;
            last = p;
        }
    if (first >= 0)
        follow(m, first, last);
    for (int64_t k = 0; k < tree->children; k++)
        close_loops(m, tree->child[k]);
}

static void find_distances(mapping *m)
{
    for (int64_t a = 0; a < m->phases; a++)
        for (int64_t b = 0; b < m->phases; b++)
            *distance_between(m, a, b) = a == b ? 0 : m->phases;
    for (int64_t p = 0; p + 1 < m->phases; p++)
        follow(m, p, p + 1);
    close_loops(m, m->plan->program->root);
    for (int64_t over = 0; over < m->phases; over++)
        for (int64_t a = 0; a < m->phases; a++)
            for (int64_t b = 0; b < m->phases; b++) {
                const int64_t way = *distance_between(m, a, over) + *distance_between(m, over, b);
                if (way < *distance_between(m, a, b))
                    *distance_between(m, a, b) = way;
            }
}

int64_t *cop_map_phases(const bmf_cop_plan *plan, int blocks)
{
    mapping m = {.plan = plan};
    m.phases = cop_list_phases(plan, &m.phase);
    m.distance = allocate_array(m.phases * m.phases, (int64_t)sizeof *m.distance);
    int64_t *block = allocate_array(m.phases, (int64_t)sizeof *block);
    find_distances(&m);
    for (int64_t p = 0; p < m.phases; p++) {
        int64_t furthest = -1, fewest = 0;
        for (int b = 1; b < blocks; b++) {
            int64_t nearest = m.phases + 1, count = 0;
            for (int64_t q = 0; q < p; q++)
                if (block[q] == b) {
                    const int64_t distance = *distance_between(&m, p, q);
                    nearest = distance < nearest ? distance : nearest;
                    count++;
                }
            if (nearest > furthest || (nearest == furthest && count < fewest)) {
                furthest = nearest;
                fewest = count;
                block[p] = b;
            }
        }
    }
    free(m.distance);
    free(m.phase);
    return block;
}
