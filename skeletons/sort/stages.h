/* Records across processors in stages. Private to skeletons/sort. */
#ifndef BMF_SORT_STAGES_H
#define BMF_SORT_STAGES_H

#include "runtime/base/memory.h"
#include "runtime/data/partition.h"
#include "skeletons/sort/records.h"

/* Whether there are parts, and not too many; and whether there are enough records for as many messages. */
bool stages_can(const bmf_partition *partition);
bool stages_suit(const bmf_partition *partition, int64_t records);

/* What records_across does (across.h), but of records that are not sorted yet, in room 0, and equal ones may come to
 * several parts: a part's are put into buckets, each of which is sorted and sent while others are on their way. At most
 * BUCKETS_MOST parts (buckets.h). Messages: those of records_across, in stages each of which has one from and one to
 * every processor; and an allgather of 8 bytes for each pair of parts. Collective; settles failures. */
int records_in_stages(bmf_records *records, const bmf_partition *partition, const bmf_type *type, bmf_buffer *room[2],
                      bmf_partition **target);

#endif
