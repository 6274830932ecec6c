/* Elements as records, the C structs of their leaves (bmf_type_record); private to skeletons. */
#ifndef BMF_RECORDS_H
#define BMF_RECORDS_H

#include "runtime/data/column.h"

/* Copies `count` records into elements [0, count) of a fixed column, which has that many, and back from elements
 * [begin, begin + count). With up to `threads` threads. */
void records_to_column(const void *records, int64_t count, const bmf_column *column, int threads);
void column_to_records(const bmf_column *column, int64_t begin, int64_t count, void *records, int threads);

/* Makes a column of `count` times the one element of `one`, which it takes over: broadcast leaves, or copies if the
 * element has inner lists. BMF_OK or BMF_ERROR_MEMORY; `one` is then empty. */
int column_repeat(bmf_column *one, int64_t count, bmf_column *column);

#endif
