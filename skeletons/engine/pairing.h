/* Tuples of columns; private to skeletons. */
#ifndef BMF_PAIRING_H
#define BMF_PAIRING_H

#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"
#include "runtime/data/list.h"

/* Whether elements {first, second} are possible: BMF_OK or BMF_ERROR_TYPE. */
int check_pair_types(bmf_context *ctx, const char *skeleton, const bmf_type *first, const bmf_type *second);

/* The list {column[i], xs[i]} on the parts of xs. Takes `column` over, shares xs's. */
void pair_with(bmf_column *column, const bmf_list *xs, bmf_list **out);

/* column_share, of a list's column or part of it; offsets of inner lists may be copied. */
static inline void share_column(const bmf_column *column, bmf_column *copy)
{
    require_memory(column_share(column, copy), column->count * (int64_t)sizeof *column->offsets);
}

#endif
