/* Moving elements between two cuts of the same list; private to skeletons. */
#ifndef BMF_RECUT_H
#define BMF_RECUT_H

#include "skeletons/engine/move.h"

/* Moves the sources, which follow each other, onto `target` in one round. */
int repartition(const char *skeleton, int sources, const bmf_move_source *source, bmf_partition *target,
                bmf_list **out);

/* Moves every part of a list onto `parts` parts each of `target`, by the algorithm of a split; equal elements and
 * order. */
int split_onto(const bmf_list *xs, int64_t parts, bmf_partition *target, bmf_list **out);

#endif
