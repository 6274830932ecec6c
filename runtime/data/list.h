/* What a list is inside: bmf/list.h is the public part. */
#ifndef BMF_DATA_LIST_H
#define BMF_DATA_LIST_H

#include "bmf/list.h"
#include "runtime/data/column.h"
#include "runtime/data/partition.h"

struct bmf_list {
    bmf_context *context;
    const bmf_type *type;     /* of an element, interned */
    bmf_partition *partition; /* one reference held */
    bmf_column column;        /* local elements: partition local_end - local_begin of them */
};

/* BMF_OK, or why some rank cannot have its elements of a list of a fixed type. The same on every rank. */
int list_fits(bmf_context *ctx, const bmf_type *type, const bmf_partition *partition);

/* A list from a column, which it takes over. Collective. */
void list_adopt(bmf_context *ctx, bmf_partition *partition, bmf_column *column, bmf_list **list);

#endif
