/* Records across processors: sample sort. Private to skeletons/sort. */
#ifndef BMF_SORT_ACROSS_H
#define BMF_SORT_ACROSS_H

#include "skeletons/sort/radix.h"

/* Takes records whose parts are sorted and makes others on *target, a partition on the same processors that the caller
 * releases: sorted from part to part, parts about even. The records' rooms are released, and are the buffers' from then
 * on. Collective. */
int records_across(bmf_records *records, bmf_buffer *room[2], bmf_partition **target);

#endif
