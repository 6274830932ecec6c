/* Messages between any two cuts of the same elements; private to skeletons. */
#ifndef BMF_RECUT_H
#define BMF_RECUT_H

#include "skeletons/engine/move.h"

/* Moves the sources, which follow each other, onto `target` in one round. */
int repartition(const char *skeleton, int sources, const bmf_move_source *source, bmf_partition *target,
                bmf_list **out);

#endif
