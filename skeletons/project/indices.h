/* What the parts of project do with a block of indices; private to it. */
#ifndef BMF_PROJECT_INDICES_H
#define BMF_PROJECT_INDICES_H

#include <stdbool.h>
#include <stdint.h>

#include "bmf/slice.h"
#include "runtime/data/column.h"

/* `count` indices of a column from a local position on: where they stand, or, if all are one value, in `room`. */
const int64_t *indices_at(const bmf_column *column, int64_t position, int64_t count, int64_t *room);

/* low <= index[i] < high for all of them; how many stand before the first for which it does not hold. */
bool indices_in_range(int64_t count, const int64_t *index, int64_t low, int64_t high);
int64_t indices_before_range_ends(int64_t count, const int64_t *index, int64_t low, int64_t high);

/* Element i of `to` becomes element index[i] - origin of a leaf, of `size` bytes. `more` indices behind them may be
 * looked at, to have their elements on the way; they need not be right. */
void fetch_elements(char *to, int64_t size, const bmf_slice *from, int64_t origin, const int64_t *index, int64_t count,
                    int64_t more);

/* Element i of `to` becomes what stands at from + i stride. */
void copy_strided(char *to, int64_t size, const char *from, int64_t stride, int64_t count);

#endif
