/* The fixed tree over the lists of a whole batch, level by level; what reductions and scans share. Private to the
 * evaluator. */
#ifndef BMF_LANGUAGE_EVALUATE_LEVELS_H
#define BMF_LANGUAGE_EVALUATE_LEVELS_H

#include "skeletons/language/evaluate/combine.h"
#include "skeletons/language/evaluate/operations.h"

enum { BMF_TREE_LEVELS = 63 };

/* The nodes of one level: those of the k-th live instance are values start[k] .. start[k + 1] - 1. */
typedef struct bmf_tree_level {
    int64_t live;      /* instances that have nodes here */
    int64_t *instance; /* their numbers, rising */
    int64_t *start;    /* live + 1 */
    bmf_value value;
} bmf_tree_level;

/* A reduction or scan at work: node j of level l of instance i covers elements offsets[i] + j 2^l, .. */
typedef struct bmf_tree_walk {
    bmf_evaluator *evaluator;
    const bmf_expression *fold;
    const bmf_frame *elements; /* the frame of all elements */
    const int64_t *offsets;
    int64_t instances;
    int levels; /* of the largest list; of the largest on any rank when the operator communicates */
} bmf_tree_walk;

/* How many levels there are. Collective if the operator communicates. */
int tree_walk_open(bmf_tree_walk *walk);
/* Level 0: the elements, which are taken over. */
int tree_walk_first(const bmf_tree_walk *walk, bmf_value *elements, bmf_tree_level *first);
/* Level l + 1 from level l, which stays. */
int tree_walk_next(const bmf_tree_walk *walk, int l, const bmf_tree_level *level, bmf_tree_level *next);
void tree_level_free(bmf_tree_level *level);

#endif
