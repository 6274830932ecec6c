/* From one cut of the same elements to another.
 *
 * Method: both cuts are walked together; every overlap of a source part with a target part is one message. Overlaps on
 * one processor are kept as copies; empty ones are left out. message.first, count: the elements (global numbers).
 * Cost: 1 round, at most from_parts + to_parts - 1 messages, every element moves at most once. Making it takes
 * O(from_parts + to_parts).
 * Source: own. */
#include "runtime/schedule/range.h"

void schedule_redistribute(bmf_schedule *schedule, int first_round, int64_t from_parts, const int64_t *from_processor,
                           const int64_t *from_start, int64_t to_parts, const int64_t *to_processor,
                           const int64_t *to_start, int64_t element_bytes)
{
    schedule_extend(schedule, first_round + 1);
    for (int64_t i = 0, j = 0; i < from_parts && j < to_parts;) {
        int64_t first = max64(from_start[i], to_start[j]);
        int64_t end = min64(from_start[i + 1], to_start[j + 1]);
        bmf_message message = {.from = from_processor[i],
                               .to = to_processor[j],
                               .bytes = element_bytes < 0 ? BMF_BYTES_UNKNOWN : (end - first) * element_bytes,
                               .first = first,
                               .count = end - first};
        if (first < end)
            schedule_add(schedule, first_round, message);
        if (from_start[i + 1] <= to_start[j + 1])
            i++;
        else
            j++;
    }
}
