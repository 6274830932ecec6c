/* BMMC permutations between processors whose parts are no subspaces: any number of processors, any split. Private to
 * permute.
 *
 * A part [begin, end) of addresses falls into boxes: aligned runs of 2^k addresses, at most two of every size. The
 * elements that go from one box to another are an affine subspace (or none), so their number is known without looking
 * at them, and both sides can walk them in the same order. */
#ifndef BMF_BOXES_H
#define BMF_BOXES_H

#include "bmf/permutation.h"

/* Elements from one box to another, 2^dimension of them. Element i goes from x + the sum of the step_x that i selects
 * to y + the same sum of step_y. step_y is the smallest basis, so targets increase with i below the lowest bits of y;
 * in the order of the sources, element i is that at x + the sum of near_x. */
typedef struct bmf_subspace {
    uint64_t x, y;
    int dimension;
    const uint64_t *step_x, *step_y, *near_x;
    const bmf_bit_matrix *order; /* number in the order of sources -> number */
    bool same;                   /* the two orders are the same */
} bmf_subspace;

typedef struct bmf_boxes bmf_boxes;

/* Part k of `parts` starts where bmf_split_start says. Owned by the caller; NULL when there is no memory. Needs up to
 * 16 MiB. */
bmf_boxes *boxes_create(const bmf_permutation *p, int64_t parts);
/* Frees the boxes; NULL is allowed. Not collective. */
void boxes_free(bmf_boxes *boxes);

/* Visits what goes from part s to part t, in an order that depends on nothing else; visit may be NULL. Returns the
 * number of elements. Cost: up to 4 n^2 pairs of boxes, O(n) each, and n^3 once for every pair of sizes. Not
 * thread-safe. */
int64_t boxes_visit(bmf_boxes *boxes, int64_t s, int64_t t, void (*visit)(void *state, const bmf_subspace *subspace),
                    void *state);

#endif
