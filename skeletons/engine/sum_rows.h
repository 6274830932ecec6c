/* Scans of rows by the ready-made sums of reals and ints, in registers.
 *
 * op->scan_rows of any operator turns as many rows as a vector is long by 90 degrees, so that only what is needed is
 * computed. A sum may be computed in lanes where nobody needs it: then a row stays in its register, and its scan can be
 * written where it belongs instead of through a first-level cache. Same bits. Private to skeletons. */
#ifndef BMF_SUM_ROWS_H
#define BMF_SUM_ROWS_H

#include "bmf/kernel.h"

/* x: rows of 8 elements; prefix: the fold of everything before each row, and through the last one. out: the exclusive
 * or inclusive scan of the rows, at a line; may be x. past_caches: by streaming stores. */
typedef void bmf_sum_rows(int64_t rows, const void *x, const void *prefix, bool inclusive, bool past_caches, void *out);

/* NULL: another operator, or not with this processor. */
bmf_sum_rows *sum_rows_of(const bmf_operator *op);

#endif
