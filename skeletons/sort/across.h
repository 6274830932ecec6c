/* Records across processors: sample sort. Private to skeletons/sort. */
#ifndef BMF_SORT_ACROSS_H
#define BMF_SORT_ACROSS_H

#include "runtime/base/memory.h"
#include "skeletons/sort/records.h"

/* Makes this rank's parts of a partition the records' segments: fills start and processor, which have room. */
void records_on(bmf_records *records, const bmf_partition *partition);

/* Takes records on a partition whose parts are sorted and makes others on *target, a partition on the same
 * processors that the caller releases: sorted from part to part, parts about even. type: of the elements whose keys the
 * records have. together: equal elements come to one part. The records' rooms are those of the buffers, and become
 * those of others. Messages: records as they are, or keys without a second word in type->size bytes. Collective;
 * settles failures. */
int records_across(bmf_records *records, const bmf_partition *partition, const bmf_type *type, bool together,
                   bmf_buffer *room[2], bmf_partition **target);

#endif
