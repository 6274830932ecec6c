/* Records across processors: sample sort. Private to skeletons/sort. */
#ifndef BMF_SORT_ACROSS_H
#define BMF_SORT_ACROSS_H

#include "runtime/base/memory.h"
#include "skeletons/sort/radix.h"

/* Makes this rank's parts of a partition the records' segments: fills start and processor, which have room. */
void records_on(bmf_records *records, const bmf_partition *partition);

/* Takes records on a partition whose parts are sorted and makes others on *target, a partition on the same
 * processors that the caller releases: sorted from part to part, parts about even. together: the type of the elements
 * of which equal ones come to one part; NULL: they need not. The records' rooms are those of the buffers, and become
 * those of others. Collective; settles failures. */
int records_across(bmf_records *records, const bmf_partition *partition, const bmf_type *together, bmf_buffer *room[2],
                   bmf_partition **target);

#endif
