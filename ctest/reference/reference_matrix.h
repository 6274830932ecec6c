/* Matrices, lists of rows of equal length, in the naive evaluator. */
#ifndef BMF_REFERENCE_MATRIX_H
#define BMF_REFERENCE_MATRIX_H

#include "ctest/reference/reference_values.h"

/* NULL where the language fails: rows of unequal lengths, shapes that do not fit, a slice outside its list, an int that
 * is too large. */
value naive_transpose(reference_machine *m, value rows);
value naive_slice(reference_machine *m, value list, int64_t from, int64_t to);
value naive_matmul(reference_machine *m, value a, value b);

#endif
