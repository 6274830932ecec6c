/* Trees over subsets, for implementations that combine, join or pass on messages (document 004, B.2).
 *
 * A tree is in order: every node's descendants have the numbers next to its own, those of its children one range behind
 * the other. So what the subtrees hold can be combined in the order of the numbers without a commutative function.
 * Deterministic. Not collective; needs no MPI. */
#ifndef BMF_COP_BUILD_TREE_H
#define BMF_COP_BUILD_TREE_H

#include "bmf/cop.h"
#include "predict/cop/program.h"

/* Parents: of the root, and of a number that is left out; the same for plug-ins, in <bmf/cop.h>. */
enum { BMF_COP_TREE_ROOT = COP_TREE_ROOT, BMF_COP_TREE_LEFT_OUT = COP_TREE_LEFT_OUT };

/* The parent of every number of the instance, in a tree whose root is `start`: no node has more than max_children
 * children, and none is more than max_distance links from its parent. valid: by number, whose data counts, NULL: all;
 * others are in the tree only on the way to valid ones. NULL exactly if there is no such tree. Errors: none; limits
 * below 0 count as 0. The caller frees. */
int64_t *cop_build_tree(const bmf_mesh *mesh, const bmf_cop_instance *instance, const bool *valid, int64_t start,
                        int64_t max_children, int64_t max_distance);

#endif
