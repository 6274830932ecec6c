/* Shifts with values of the caller's beyond the ends. Private to skeletons. */
#ifndef BMF_SHIFT_H
#define BMF_SHIFT_H

#include "runtime/data/list.h"

/* The processors of a partition with what they have of the elements [begin, end). */
int shift_clip(bmf_context *ctx, const bmf_partition *partition, int64_t begin, int64_t end, bmf_partition **made);

/* Element i of the result is element i - k of xs, -length <= k <= length. Where there is none stand those of `beyond`,
 * a list of |k| elements on shift_clip of [0, k), or of [length + k, length); NULL: the elements come back at the
 * other end. Collective. Messages as of bmf_shift. */
int shift_with(const bmf_list *xs, int64_t k, const bmf_list *beyond, bmf_list **out);

#endif
