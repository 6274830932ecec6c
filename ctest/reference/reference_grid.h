/* Arrays in the blocks of a grid, in the naive evaluator. */
#ifndef BMF_REFERENCE_GRID_H
#define BMF_REFERENCE_GRID_H

#include "ctest/reference/reference_values.h"

/* B_Blocks, P_Blocks and B_Join, P_Join, whose numbers are known. NULL where the language fails: lists of unequal
 * lengths, blocks that are too few or do not fit. */
value naive_blocks(reference_machine *m, const bmf_expression *e, int64_t place, value array);
value naive_join_blocks(reference_machine *m, const bmf_expression *e, value blocks);
/* P_Blocks of rows in parts, or of blocks; P_Transpose of blocks. */
value naive_blocks_of_parts(reference_machine *m, const bmf_expression *e, int64_t place, value parts);
value naive_transpose_blocks(reference_machine *m, value blocks);
/* The whole of the blocks of a grid; and another such, in blocks as large as those. */
value naive_whole_of_blocks(reference_machine *m, value blocks);
value naive_blocks_like(reference_machine *m, value blocks, value whole);

#endif
