/* Permuting a turn of a tile one element at a time. Private to permute/local/. */
#ifndef BMF_LOCAL_PORTABLE_H
#define BMF_LOCAL_PORTABLE_H

#include "permute/local/plan.h"

/* The function for elements of this size, and the tables it reads: the tile has at most 2^(2 LOCAL_TABLE_BITS)
 * elements. */
bmf_local_inside *local_portable_inside(int64_t element_bytes);
void local_portable_tables(bmf_local_plan *plan);

#endif
