/* Tuples of columns; private to skeletons. */
#ifndef BMF_PAIRING_H
#define BMF_PAIRING_H

#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

/* Whether elements {first, second} are possible: BMF_OK or BMF_ERROR_TYPE. */
int check_pair_types(bmf_context *ctx, const char *skeleton, const bmf_type *first, const bmf_type *second);

/* The list {column[i], xs[i]} on the parts of xs. Takes `column` over, shares xs's. */
int pair_with(bmf_column *column, const bmf_list *xs, bmf_list **out);

/* Agrees on the status if elements of the type have inner lists, so that only some ranks may be out of memory. */
static inline int agree_if_nested(bmf_context *ctx, const bmf_type *type, int status)
{
    if (status == BMF_ERROR_MEMORY)
        bmf_fail(ctx, status, "out of memory for inner lists on rank %d", ctx->rank);
    return bmf_type_is_fixed(type) ? status : bmf_agree(ctx, status);
}

#endif
